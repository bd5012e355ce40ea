"""Settings of agents and users as typed on a command line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from ringback.canonical import Json

__all__ = ["agent_settings", "user_settings", "value_typed"]


def agent_settings(
    words: Iterable[str], instructions: Path | None, append: Path | None
) -> dict[str, Json]:
    """What ``--setting``, ``--instructions`` and ``--instructions-append`` come to."""
    settings = _settings("--setting", words)
    for name, path in (("instructions", instructions), ("instructions_append", append)):
        if path is not None:
            from ringback.study.file import instructions_in

            settings[name] = instructions_in(path)
    return settings


def user_settings(words: Iterable[str], guard: str | None) -> dict[str, Json]:
    """What ``--user-setting`` and ``--guard`` come to."""
    settings = _settings("--user-setting", words)
    if guard is not None:
        settings["guard"] = guard
    return settings


def _settings(option: str, words: Iterable[str]) -> dict[str, Json]:
    """``skip=0.2 model.temperature=0`` as nested values; what is no JSON is taken as text."""
    from ringback.errors import InputError
    from ringback.models.values import refuse_unstorable

    settings: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        names = key.split(".")
        if not equals or not all(names):
            raise InputError(
                f"{option} {key!r} is not KEY=VALUE; write skip=0.2, or model.temperature=0."
            )
        inside = settings
        for name in names[:-1]:
            deeper: Any = inside.setdefault(name, {})
            if not isinstance(deeper, dict):
                raise InputError(f"{option} {key!r} goes into {name}, which has a value already.")
            inside = cast("dict[str, Any]", deeper)
        if names[-1] in inside:
            raise InputError(f"{option} {key!r} is given twice; give it once.")
        inside[names[-1]] = value_typed(text, f"{option} {key!r}")
    refuse_unstorable(settings, option)
    return settings


def value_typed(text: str, where: str) -> Any:
    """The JSON value that is written there, else the text as it stands."""
    from ringback.errors import InputError

    try:
        return json.loads(text, object_pairs_hook=_once)
    except _Twice as twice:
        raise InputError(f"{where} has the name {twice.args[0]!r} twice; write it once.") from None
    except RecursionError:
        raise InputError(f"{where} nests too deeply; say it in fewer levels.") from None
    except ValueError:
        return text


class _Twice(Exception):  # noqa: N818 - the name of what stands there twice
    pass


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _Twice(next(name for name in names if names.count(name) > 1))
    return found
