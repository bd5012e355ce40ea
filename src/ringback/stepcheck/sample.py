"""Which calls are drawn: by a hash of the seed and the call alone, the same on every machine.

Each call has its place by BLAKE2b of (seed, session, event), and the first ones are taken. So a
larger sample begins with the smaller one, and nothing about a machine, an order of reading or a
random generator plays a part. When the store grows, new calls come in at their own places and as
many drop out at the end: of what was drawn before, a share as large as the growth is lost, and what
stays is not asked again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Protocol, TypeVar

from ringback.errors import InputError

__all__ = ["Call", "draw"]


class Call(Protocol):
    """What a call is known by."""

    @property
    def session(self) -> str:
        """The session's whole id."""
        ...

    @property
    def seq(self) -> int:
        """The event."""
        ...


C = TypeVar("C", bound=Call)


def draw(calls: Iterable[C], count: int, seed: int) -> list[C]:
    """`count` of the calls, or all where there are fewer, in the order in which they are drawn.

    Raises `InputError` for a count below 1 and a seed out of range.
    """
    if count < 1:
        raise InputError(f"A sample of {count} calls would ask nothing; give 1 or more.")
    if not 0 <= seed < 2**63:
        raise InputError(f"The seed {seed} is not usable; give a whole number from 0 to 2^63 - 1.")
    return sorted(calls, key=lambda call: _place(seed, call))[:count]


def _place(seed: int, call: Call) -> bytes:
    named = f"{seed} {call.session} {call.seq}".encode()
    return hashlib.blake2b(named, digest_size=16).digest()
