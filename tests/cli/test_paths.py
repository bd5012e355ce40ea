"""Every word that names a path is held to one rule, whichever command takes it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pytest
from cyclopts import Parameter

from ringback.cli.commands import COMMANDS, Command
from ringback.cli.options import named_path, named_paths
from tests.cli.conftest import Cli, refused
from tests.formats.tau2.made import result_file, solved, write

ALL = [
    each
    for entry in COMMANDS
    for each in ([entry] if isinstance(entry, Command) else entry.commands)
]


def _named(kind: Any) -> Iterator[Any]:
    """A type and all that it is made of."""
    yield kind
    for inner in get_args(kind):
        yield from _named(inner)


def _paths(command: Command) -> Iterator[tuple[str, tuple[Parameter, ...]]]:
    module, _, name = command.target.partition(":")
    function = getattr(import_module(module), name)
    for each, kind in get_type_hints(function, include_extras=True).items():
        if each != "return" and any(
            inspect.isclass(one) and issubclass(one, Path) for one in _named(kind)
        ):
            said = get_args(kind)[1:] if get_origin(kind) is Annotated else ()
            yield each, tuple(one for one in said if isinstance(one, Parameter))


@pytest.mark.parametrize("command", ALL, ids=lambda command: command.target)
def test_every_path_is_read_by_the_converter_that_refuses_an_empty_word(command: Command) -> None:
    for name, said in _paths(command):
        assert {one.converter for one in said} & {named_path, named_paths}, name


def test_there_are_such_paths() -> None:
    assert sum(1 for command in ALL for _ in _paths(command)) > 30


@pytest.mark.parametrize(
    "words",
    [
        ("export", "kitaru", "-o", ""),
        ("export", "tau2", "--out", ""),
        ("export", "otel", "-o", ""),
        ("sessions", "list", "--store", ""),
        ("sessions", "list", "--store="),
        ("recordings", "report", "t.json", "--out", ""),
        ("import", "tau2", "t.json", ""),
        ("regrade", "t.json", ""),
        ("study", "plan", ""),
        ("study", "run", "s.toml", "--out", ""),
        ("gate", "s.toml", "--junit", ""),
        ("record", "--out", ""),
        ("run", "--instructions", "", "--tasks", "1"),
        ("stats", ""),
        ("world", "check", ""),
        ("users", "check", ""),
        ("models", "list", "--models-file", ""),
    ],
    ids=" ".join,
)
def test_an_empty_word_names_no_path(cli: Cli, tmp_path: Path, words: tuple[str, ...]) -> None:
    write(tmp_path / "t.json", result_file([solved().simulation()]))
    refused(cli(*words), "empty word", "names no path")
    assert [each.name for each in tmp_path.iterdir()] == ["t.json"]
