"""How much memory there is for a model."""

from __future__ import annotations

import resource
from pathlib import Path

from ringback.errors import InputError

__all__ = ["available_bytes", "hold_memory"]

_APART = 160 * 2**20  # the runtime itself and its buffers
_CGROUP = Path("/sys/fs/cgroup")


def available_bytes() -> int | None:
    """Bytes that this process may still take; None where the system does not say.

    The least of what is free, what the control group leaves and what ``ulimit -v`` leaves.
    """
    found = [_free(), _left_in_group(), _left_of_limit()]
    known = [each for each in found if each is not None]
    return min(known) if known else None


def hold_memory(name: str, weights: int, conversation: int) -> None:
    """Raise `InputError` if weights and conversation, in bytes, do not fit into memory."""
    needed, there = weights + conversation + _APART, available_bytes()
    if there is None or needed <= there:
        return
    gb = 1e9
    hint = (
        f"set a lower context in [models.NAME] (it takes {conversation / gb:.1f} GB of that)"
        if conversation > needed // 4
        else "use smaller weights"
    )
    raise InputError(
        f"{name} needs about {needed / gb:.1f} GB of memory, and {there / gb:.1f} GB are free; "
        f"{hint}."
    )


def _number(path: Path) -> int | None:
    try:
        text = path.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None


def _fields(path: Path) -> dict[str, int]:
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return {}
    parts = (line.replace(":", " ").split() for line in lines)
    return {part[0]: int(part[1]) for part in parts if len(part) > 1 and part[1].isdigit()}


def _free() -> int | None:
    free = _fields(Path("/proc/meminfo")).get("MemAvailable")
    return None if free is None else free * 1024


def _left_in_group() -> int | None:
    most, used = _number(_CGROUP / "memory.max"), _number(_CGROUP / "memory.current")
    if most is None or used is None:
        return None
    return most - used + _fields(_CGROUP / "memory.stat").get("inactive_file", 0)


def _left_of_limit() -> int | None:
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    pages = _fields(Path("/proc/self/status")).get("VmSize")
    return None if pages is None else limit - pages * 1024
