"""Models in a Hugging Face cache that is already on this machine. Nothing is ever downloaded."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
from msgspec import Struct

from ringback.errors import InputError
from ringback.models.local.places import hub_dir, smollm2_path

__all__ = ["Found", "find", "on_disk", "trained_length"]

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_PART = re.compile(r"-(\d{5})-of-\d{5}\.gguf$")


class Found(Struct, frozen=True):
    """What the cache has of a model: a GGUF file, or a directory with safetensors, one of them."""

    revision: str
    gguf: Path | None = None
    directory: Path | None = None


class _Config(Struct, frozen=True):
    architectures: tuple[str, ...] = ()
    max_position_embeddings: int | None = None


class _Index(Struct, frozen=True):
    weight_map: dict[str, str]


def find(name: str) -> Found:
    """The model ``ORG/NAME``, or ``ORG/NAME:WHICH`` where it has several GGUF files.

    Raises `InputError` if the cache does not have it whole, with the command that fetches it.
    """
    repo, _, which = name.partition(":")
    if not _NAME.fullmatch(repo):
        raise InputError(
            f"There is no local model {name!r}; write local:smollm2, local:PATH.gguf or "
            "local:ORG/NAME for one in the Hugging Face cache."
        )
    fetch = f"fetch it with: hf download {repo}"
    home = hub_dir() / f"models--{repo.replace('/', '--')}"
    snapshot = _snapshot(home)
    if snapshot is None:
        raise InputError(f"{repo} is not in the Hugging Face cache at {hub_dir()}; {fetch}")
    if files := sorted(path for path in snapshot.rglob("*.gguf") if _first(path)):
        return Found(snapshot.name, gguf=_choose(repo, which, snapshot, files))
    if which:
        raise InputError(f"{repo} has no GGUF files in {snapshot}; leave out ':{which}'.")
    missing = _missing(snapshot)
    if missing is not None:
        raise InputError(
            f"{repo} is only partly in the Hugging Face cache ({missing} is missing); {fetch}"
        )
    return Found(snapshot.name, directory=snapshot)


def on_disk() -> list[str]:
    """The local models that can be named here, such as ``local:smollm2``."""
    found = ["local:smollm2"] if smollm2_path().exists() else []
    for home in sorted(hub_dir().glob("models--*--*")):
        repo = home.name.removeprefix("models--").replace("--", "/", 1)
        snapshot = _snapshot(home)
        if snapshot is None:
            continue
        files = sorted(path for path in snapshot.rglob("*.gguf") if _first(path))
        if len(files) > 1:
            found += [f"local:{repo}:{path.stem}" for path in files]
        elif files or (_missing(snapshot) is None and _speaks(snapshot)):
            found.append(f"local:{repo}")
    return found


def trained_length(directory: Path) -> int | None:
    """The longest conversation in tokens that these safetensors take; None where not said."""
    return _config(directory).max_position_embeddings


def _speaks(snapshot: Path) -> bool:
    """Whether these are weights that talk, rather than embed or classify."""
    return any("CausalLM" in name for name in _config(snapshot).architectures)


def _config(snapshot: Path) -> _Config:
    try:
        return msgspec.json.decode((snapshot / "config.json").read_bytes(), type=_Config)
    except (OSError, msgspec.DecodeError, UnicodeError, RecursionError):
        return _Config()


def _snapshot(home: Path) -> Path | None:
    """The snapshot that ``main`` names; else the newest."""
    snapshots = home / "snapshots"
    try:
        named = snapshots / (home / "refs" / "main").read_text().strip()
        if named.is_dir():
            return named
    except OSError:
        pass
    try:
        found = [path for path in snapshots.iterdir() if path.is_dir()]
    except OSError:
        return None
    return max(found, key=lambda path: path.stat().st_mtime, default=None)


def _first(path: Path) -> bool:
    """Whether this file is a model, or the first part of one, and all of it is here."""
    part = _PART.search(path.name)
    return path.exists() and (part is None or int(part[1]) == 1) and "mmproj" not in path.name


def _choose(repo: str, which: str, snapshot: Path, files: list[Path]) -> Path:
    names = [str(path.relative_to(snapshot)) for path in files]
    hits = [
        path
        for path, name in zip(files, names, strict=True)
        if which.lower() in name.lower() or not which
    ]
    exact = [path for path, name in zip(files, names, strict=True) if name == which]
    if len(exact or hits) == 1:
        return (exact or hits)[0]
    if not hits:
        raise InputError(f"{repo} has no GGUF file like {which!r}; it has {', '.join(names)}.")
    offered = ", ".join(str(path.relative_to(snapshot)) for path in hits)
    raise InputError(
        f"{repo} has several GGUF files ({offered}); say which: local:{repo}:{hits[0].stem}"
    )


def _missing(snapshot: Path) -> str | None:
    """The first file that transformers needs and that is not here; None if all are."""
    if not (snapshot / "config.json").exists():
        return "config.json"
    index = snapshot / "model.safetensors.index.json"
    if index.exists():
        try:
            parts = set(msgspec.json.decode(index.read_bytes(), type=_Index).weight_map.values())
        except (OSError, msgspec.DecodeError):
            return index.name
        return next((part for part in sorted(parts) if not (snapshot / part).exists()), None)
    return None if (snapshot / "model.safetensors").exists() else "model.safetensors"
