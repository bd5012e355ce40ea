"""Seeds and random streams that mean the same on every machine and every Python."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

__all__ = ["Stream", "agent_seed", "user_seed"]

T = TypeVar("T")


def _hash(*parts: str | int) -> bytes:
    text = "\x1f".join(str(part) for part in parts)
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def user_seed(seed: int, task: str, trial: int) -> str:
    """The user simulator's seed: the same in every arm of a study (common random numbers)."""
    return _hash("user", seed, task, trial).hex()


def agent_seed(seed: int, task: str, trial: int, arm: str) -> str:
    """The agent's seed: its own in every arm, so that a noise arm is a second draw."""
    return _hash("agent", seed, task, trial, arm).hex()


class Stream:
    """Random draws from a participant's seed and the number of steps before it, and nothing else.

    Draw i is BLAKE2b(seed, step, i). No state of a library's generator is involved, and no side
    event moves a draw: what the one side's models did leaves the other side's caller as it was.
    """

    __slots__ = ("_next", "_seed", "_step")

    def __init__(self, seed: str, step: int) -> None:
        self._seed, self._step, self._next = seed, step, 0

    def uniform(self) -> float:
        """A float in [0, 1) with 53 random bits."""
        block = _hash(self._seed, self._step, self._next)
        self._next += 1
        return (int.from_bytes(block[:8], "big") >> 11) * 2.0**-53

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.uniform() < probability

    def choose(self, options: Sequence[T]) -> T:
        """One of the options, each as likely as another; `IndexError` if there are none."""
        return options[int(self.uniform() * len(options))]
