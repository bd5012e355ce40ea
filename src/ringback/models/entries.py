"""Models under names of the user's own: ``[models.NAME]`` of a configuration file."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from ringback.errors import InputError
from ringback.models.patience import patience_of
from ringback.models.protocol import ModelEntry
from ringback.models.secrecy import refuse_secrets, refuse_secrets_in_url

__all__ = ["check_entry", "config_path", "entries_with", "read_entries"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


class _File(Struct, forbid_unknown_fields=True):
    models: dict[str, ModelEntry] = {}


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
        found = msgspec.convert(tomllib.loads(text), _File).models
    except tomllib.TOMLDecodeError as problem:
        raise InputError(f"The models file {path} is not valid TOML: {problem}.") from None
    except msgspec.ValidationError as problem:
        said, _, place = str(problem).partition(" - at `$")
        key = place.rstrip("`").lstrip(".")
        where = f" at {key}" if key else ""
        raise InputError(f"The models file {path} cannot be used: {said}{where}.") from None
    for name, entry in found.items():
        check_entry(name, entry)
    return found


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
    if entry.base_url is not None:
        refuse_secrets_in_url(entry.base_url, whose)
    refuse_secrets(entry.settings, whose)
    patience_of(entry.settings, whose)
