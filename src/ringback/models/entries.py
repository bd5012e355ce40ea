"""Models under names of the user's own: ``[models.NAME]`` of a configuration file."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import cast

import msgspec
from msgspec.structs import replace

from ringback.errors import InputError
from ringback.models.protocol import ModelEntry
from ringback.models.secrecy import refuse_secrets, refuse_secrets_in_url
from ringback.models.settings import check_settings
from ringback.models.values import refuse_unstorable

__all__ = [
    "beside",
    "check_entry",
    "config_path",
    "entries_with",
    "entry_of",
    "path_from",
    "read_entries",
]

_DEAREST = 1e6
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*|[a-z_][a-z0-9_]*")
_ELSEWHERE = ("base_url", "key_env", "price", "concurrency", "per_minute")
_NOT_OF = {"local": _ELSEWHERE, "script": (*_ELSEWHERE, "context", "settings")}
"""What would make no difference to a model that is not behind an API."""
_KEYS = ("key", "api_key", "apikey", "token", "secret")
"""What people write who mean `key_env`."""


def config_path() -> Path:
    """Where the user's own models stand: ``$XDG_CONFIG_HOME/ringback/models.toml``.

    ``~/.config`` where that variable is not set.
    """
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "ringback" / "models.toml"


def read_entries(path: Path) -> dict[str, ModelEntry]:
    """The models that this file describes; none where there is no file.

    Raises `InputError`, naming the line and column or the key, if it cannot be read or describes
    what cannot be.
    """
    try:
        text = path.read_bytes().decode()
    except FileNotFoundError:
        return {}
    except OSError as problem:
        raise InputError(
            f"The models file {path} cannot be read ({problem.strerror}); check the path."
        ) from None
    except UnicodeDecodeError as problem:
        raise InputError(
            f"The models file {path} is not UTF-8 (byte {problem.start}); save it as UTF-8."
        ) from None
    try:
        written = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise InputError(f"The models file {path} is not valid TOML: {problem}.") from None
    except (RecursionError, ValueError) as problem:
        why = "it nests too deeply" if isinstance(problem, RecursionError) else str(problem)
        raise InputError(f"The models file {path} cannot be read: {why.split(';')[0]}.") from None
    for key in written:
        if key != "models":
            raise InputError(
                f"The models file {path} has {key!r} beside its models; each stands in a table "
                "[models.NAME]."
            )
    tables = written.get("models", {})
    if not isinstance(tables, dict):
        raise InputError(f"The models file {path} has no tables [models.NAME] in models.")
    found = {
        name: entry_of(table, f"[models.{name}] of the models file {path}")
        for name, table in cast("dict[str, object]", tables).items()
    }
    for name, entry in found.items():
        check_entry(name, entry)
    return {name: beside(path.parent, entry) for name, entry in found.items()}


def beside(folder: Path, entry: ModelEntry) -> ModelEntry:
    """The same entry, its path in ``script:PATH`` or ``local:PATH.gguf`` taken from this folder.

    The folder is that of the file that the entry stands in. No path becomes part of what is
    recorded: a model goes by the name of its entry.
    """
    provider, _, path = entry.model.partition(":")
    if not path or provider not in ("script", "local") or (provider == "local" and not _file(path)):
        return entry
    return replace(entry, model=f"{provider}:{path_from(folder, path)}")


def _file(which: str) -> bool:
    """Whether what a ``local:`` name means is a path: names of weights that are known are none."""
    return which.endswith(".gguf") or which.startswith((".", "~", "/"))


def path_from(folder: Path, written: str) -> Path:
    """The path written in a file of this folder; ``~`` is the user's home, as in a shell."""
    try:
        return folder / Path(written).expanduser()
    except RuntimeError:  # of a user that there is not
        return folder / written


def entry_of(table: object, whose: str) -> ModelEntry:
    """The model that a table describes, not checked yet; `whose` names it.

    Raises `InputError` for a key that is none, with what is like it, and for a value of the wrong
    kind, which is not repeated.
    """
    known = ModelEntry.__struct_fields__
    for key in cast("dict[str, object]", table) if isinstance(table, dict) else ():
        if key in known:
            continue
        close = ["key_env"] if key.lower() in _KEYS else get_close_matches(key, known, 1)
        raise InputError(
            f"{whose} has the unknown key {key!r}"
            f"{f' (did you mean {close[0]}?)' if close else ''}; known are {', '.join(known)}."
        )
    try:
        return msgspec.convert(table, ModelEntry)
    except msgspec.ValidationError as problem:
        said, _, place = str(problem).partition(" - at `$")
        key = place.rstrip("`").lstrip(".")
        raise InputError(f"{whose} cannot be used: {said}{f' at {key}' if key else ''}.") from None


def entries_with(entries: Mapping[str, ModelEntry] | None) -> dict[str, ModelEntry]:
    """The user's own models, and over them these, checked."""
    for name, entry in (entries or {}).items():
        check_entry(name, entry)
    return {**read_entries(config_path()), **(entries or {})}


def check_entry(name: str, entry: ModelEntry) -> None:
    """Raise `InputError` if ``[models.NAME]`` says what cannot be, or would record a key."""
    whose = f"[models.{name}]"
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{name!r} cannot be a model's name; use up to 64 letters, digits, points, dashes and "
            "underscores, a letter or digit first."
        )
    if ":" not in entry.model:
        raise InputError(
            f"{whose} has the model {entry.model!r}; write it as provider:model, "
            "such as openai:gpt-5.2 or local:smollm2."
        )
    provider = entry.model.partition(":")[0]
    for field in _NOT_OF.get(provider, ()):
        if getattr(entry, field):
            raise InputError(
                f"{whose} has a {field}, which a {provider}: model does not take; leave it out."
            )
    if entry.concurrency is not None and entry.concurrency < 1:
        raise InputError(f"{whose} has a concurrency of {entry.concurrency}; give 1 or more.")
    for key in ("per_minute", "context"):
        value = getattr(entry, key)
        if value is not None and not value > 0:
            raise InputError(f"{whose} has a {key} of {value:g}; give more than 0.")
    if entry.price is not None:
        figures = (entry.price.input, entry.price.output, entry.price.cached or 0.0)
        if not all(0 <= figure < float("inf") for figure in figures):
            raise InputError(f"{whose} has a price below 0; give USD per million tokens.")
        if any(figure > _DEAREST for figure in figures):
            raise InputError(
                f"{whose} has a price of more than {_DEAREST:,.0f}; give USD per million tokens."
            )
    if entry.key_env is not None and not _is_variable(entry.key_env):
        raise InputError(
            f"{whose} has a key_env that is no name of an environment variable (it is not repeated "
            "here, should it be the key itself); put the key into a variable and give its name, "
            "such as OPENAI_API_KEY."
        )
    refuse_unstorable(entry.settings, whose)
    keys = [os.environ.get(entry.key_env, "")] if entry.key_env else []
    if entry.base_url is not None:
        refuse_secrets_in_url(entry.base_url, whose, keys)
    refuse_secrets(entry.settings, whose, keys)
    check_settings(entry.settings, whose, entry=True)


def _is_variable(name: str) -> bool:
    """Whether it is one, and does not look like the key that ought to be in one.

    Keys are long and without an underscore, or mix capitals and small letters.
    """
    return (
        _VARIABLE.fullmatch(name) is not None
        and len(name) <= 60
        and ("_" in name or len(name) <= 20)
    )
