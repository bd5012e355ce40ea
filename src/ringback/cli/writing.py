"""Files that a command writes where it is told to: one of ours is replaced, nothing of others'."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

__all__ = ["Ours", "is_gate_markdown", "is_junit", "is_page", "is_replies", "refuse_other", "write"]

Ours: TypeAlias = Callable[[bytes], bool]
"""Whether what a file begins with shows that a command of ours has written it."""

_HEAD = 4096  # bytes that are looked at


def is_page(head: bytes) -> bool:
    """Whether it is a page of a report, a call or a comparison."""
    return b'<meta name="generator" content="ringback">' in head


def is_junit(head: bytes) -> bool:
    """Whether it is a gate's JUnit XML."""
    return b'<testsuite name="ringback gate ' in head


def is_gate_markdown(head: bytes) -> bool:
    """Whether it is a gate's summary for a pull request, and nothing before it."""
    return head.startswith(b"### Gate of ")


def is_replies(head: bytes) -> bool:
    """Whether it is a step check's file of calls and replies."""
    return head.lstrip().startswith(b'{\n "results": {')


def refuse_other(path: Path, option: str, ours: Ours) -> None:
    """Raise `InputError` if writing there would destroy what is not `ours`, or cannot be done.

    `option` is what named the path. Nothing is changed. A file that is not there or empty is fine,
    and so is a device or a pipe, which has nothing to lose.
    """
    from ringback.errors import InputError

    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file in it with {option}.")
    if _is_stream(path) or not path.is_file():
        return
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as problem:
        raise InputError(
            f"{path} is there and cannot be read ({problem.strerror}), so it is not written over; "
            f"name another file with {option}."
        ) from None
    if head and not ours(head):
        raise InputError(
            f"{path} is there and no such file of Ringback's, so it is not written over; name "
            f"another with {option}, or move it away."
        )


def _is_stream(path: Path) -> bool:
    """Whether it is one of this process's streams by name, such as ``/dev/stdout``.

    It may lead to a file, which holds what was printed, and is added to.
    """
    return path.is_absolute() and path.parts[1] in ("dev", "proc")


def write(path: Path, data: bytes, option: str, ours: Ours) -> None:
    """Write a file whole or not at all; to a device, a pipe or ``/dev/stdout`` as it comes.

    Raises `InputError` as `refuse_other` does, and for what cannot be written.
    """
    from ringback.errors import InputError
    from ringback.replacing import followed, replacing

    refuse_other(path, option, ours)
    try:
        if _is_stream(path) or (path.exists() and not path.is_file()):
            sys.stdout.flush()  # which may be the same, and what was printed comes first
            with path.open("ab") as stream:
                stream.write(data)
            return
        with replacing(followed(path)) as file:  # a link keeps pointing where it does
            file.write(data)
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise InputError(
            f"{path} cannot be written ({problem.strerror}); name a file in a folder that is there."
        ) from None
