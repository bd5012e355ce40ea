"""Who is playing a session: a mark that others can check, and that dies with its process.

The mark is ``node/boot/namespace:pid:start:nonce``. A process number means the same to everybody on
the same machine (node), since the same start of it (boot), in the same process namespace.
"""

from __future__ import annotations

import os
import platform
import re
import secrets
from pathlib import Path
from typing import NamedTuple

__all__ = ["LEASE_SECONDS", "describe", "is_free", "mark"]

_MARK = re.compile(r"(.*)/([^/]*)/([^/]*):([0-9]+):(-?[0-9]+):[^:]*", re.DOTALL)

LEASE_SECONDS = 120.0
"""How long a mark of another machine counts after it was last renewed."""


def mark() -> str:
    """A new mark of this process; two of them are never equal."""
    pid = os.getpid()
    return f"{'/'.join(_place())}:{pid}:{_started(pid) or 0}:{secrets.token_hex(4)}"


def is_free(owner: str | None, lease_until: float | None, now: float) -> bool:
    """Whether a session with this mark may be taken over.

    Yes if nobody holds it, if its process on this machine is gone (with the machine's last start,
    maybe), or if it is another machine's and its lease has run out. `lease_until` and `now` are
    Unix seconds.
    """
    if owner is None:
        return True
    place, pid, started = _parts(owner)
    here = _place()
    if place == here:
        return not _alive(pid, started)
    if place.node == here.node and place.boot and here.boot and place.boot != here.boot:
        return True  # nothing outlives a restart of the machine
    return lease_until is None or lease_until < now


def describe(owner: str) -> str:
    """The holder in words."""
    place, pid, _ = _parts(owner)
    if not pid:
        return "an unknown process"
    where = "this machine" if place == _place() else place.node or "another machine"
    return f"process {pid} on {where}"


class _Place(NamedTuple):
    """Where process numbers mean the same."""

    node: str
    boot: str
    namespace: str


def _parts(owner: str) -> tuple[_Place, int, int]:
    found = _MARK.fullmatch(owner)
    if found is None:  # not ours to read: it counts until its time is up
        return _Place("", "", ""), 0, 0
    return _Place(found[1], found[2], found[3]), int(found[4]), int(found[5])


def _place() -> _Place:
    return _Place(platform.node(), _boot(), _namespace())


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()[:8]
    except OSError:
        return ""


def _namespace() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink()).removeprefix("pid:").strip("[]")
    except OSError:
        return ""


def _alive(pid: int, started: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    found = _started(pid)
    return found is None or started in (0, found)


def _started(pid: int) -> int | None:
    """When the process began, in ticks since boot; -1 for one that is dead and not yet buried."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = text[text.rindex(")") + 2 :].split()
    return -1 if fields[0] in ("Z", "X") else int(fields[19])
