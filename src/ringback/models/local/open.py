"""Opening a local model by its name."""

from __future__ import annotations

import os
from pathlib import Path

from ringback.canonical import Json
from ringback.errors import InputError
from ringback.models.local.gguf import read_gguf
from ringback.models.local.hub import find, trained_length
from ringback.models.local.llama import LlamaModel
from ringback.models.local.places import smollm2_path
from ringback.models.protocol import Model, ModelEntry

__all__ = ["open_local"]

_LONGEST = 32_768  # tokens, where the entry names no context
_SMALL = 400_000_000  # bytes of weights below which threads wait for each other more than they help


def open_local(name: str, entry: ModelEntry | None) -> Model:
    """The local model of this name, or of the entry that bears it.

    ``local:smollm2``, ``local:PATH.gguf``, or ``local:ORG/NAME`` from a Hugging Face cache on disk
    (``local:ORG/NAME:WHICH`` for one of several GGUF files). `entry.context` is the length of a
    conversation in tokens, else what the weights were trained for, at most 32,768;
    `entry.settings` may hold ``threads``, else weights of less than 400 MB get one and larger ones
    as many as this process has processors. Loads nothing and never goes to the network. Raises
    `InputError` for what is not there, is no model, or cannot be set, with the command that
    fetches it.
    """
    full = entry.model if entry else name
    which = full.removeprefix("local:")
    settings = dict(entry.settings) if entry else {}
    threads = _threads(name, settings.pop("threads", None))
    path = _path(which)
    if path is None:
        found = find(which)
        if found.gguf is None and found.directory is not None:
            from ringback.models.local.safetensors import SafetensorsModel

            if entry and entry.context:
                _check_length(name, entry.context, trained_length(found.directory))
            return SafetensorsModel(
                name,
                found.directory,
                found.revision,
                context=entry.context if entry else None,
                threads=threads or _processors(),
                settings=settings,
            )
        path = found.gguf
    assert path is not None
    header = read_gguf(path)
    context = entry.context if entry and entry.context else None
    if context is None:
        context = min(header.context or 4096, _LONGEST)
    else:
        _check_length(name, context, header.context)
    if threads is None:
        threads = 1 if header.size < _SMALL else _processors()
    return LlamaModel(name, path, header, context=context, threads=threads, settings=settings)


def _check_length(name: str, wanted: int, most: int | None) -> None:
    if most is not None and wanted > most:
        raise InputError(
            f"The model {name} takes {most:,} tokens at most; its context is set to {wanted:,}."
        )


def _path(which: str) -> Path | None:
    """The file that is meant; None where it is a name in the Hugging Face cache."""
    if which == "smollm2":
        path = smollm2_path()
        if not path.exists():
            raise InputError(
                "The weights of smollm2 are not on this machine yet (93 MB); fetch them with: "
                "ringback models fetch smollm2"
            )
        return path
    named = Path(which).is_absolute() or which.startswith((".", "~"))
    if not named and not which.endswith(".gguf"):
        return None
    try:
        path = Path(which).expanduser()
        there = path.exists()
    except (OSError, RuntimeError, ValueError):  # too long, of no user, not to be looked into
        there, path = False, Path(which[:200])
    if not there:
        raise InputError(f"There is no model file {path}; check the path.")
    return path


def _threads(name: str, wanted: Json) -> int | None:
    if wanted is None:
        return None
    if isinstance(wanted, int) and not isinstance(wanted, bool) and 1 <= wanted <= 512:
        return wanted
    raise InputError(f"The model {name} has threads = {wanted!r}; give a number from 1 to 512.")


def _processors() -> int:
    """Processors that this process may use, as far as its control group lets it."""
    try:
        found = len(os.sched_getaffinity(0))
    except AttributeError:
        found = os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        found = min(found, max(1, int(quota) // int(period)))
    except (OSError, ValueError):
        pass  # no limit, or none that can be read
    return max(1, found)
