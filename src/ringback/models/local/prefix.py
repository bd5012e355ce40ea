"""Which part of a conversation need not be read again.

A token's cached state depends, in the last bits, on how many tokens were read with it. So that a
reply never depends on what was asked before, prompts are read in chunks of `CHUNK` tokens counted
from their beginning, and only whole chunks that were read so are kept: never the model's own reply,
which was written token by token. A conversation that goes on then reads its last reply, the new
words and at most a chunk more.
"""

from __future__ import annotations

from msgspec import Struct

__all__ = ["CHUNK", "Plan", "Prefixes", "shared"]

CHUNK = 64
"""Tokens read together: fewer are read slower, more are read again at every turn."""

_SMALL = 2 * CHUNK  # losing less than this is cheaper than writing it down


class Plan(Struct, frozen=True):
    """What to do before a prompt: write down what is loaded, bring back a file, keep `keep` tokens.

    `keep` is a multiple of `CHUNK` and less than the prompt's length.
    """

    keep: int
    save: bool = False
    restore: str | None = None


class _Kept(Struct):
    tokens: tuple[int, ...]
    size: int = 0


def shared(prompt: tuple[int, ...], before: tuple[int, ...]) -> int:
    """How many tokens of `prompt` are whole chunks of `before` too; one at least is left over."""
    most = min((len(prompt) - 1) // CHUNK, len(before) // CHUNK) * CHUNK
    for at in range(0, most, CHUNK):
        if prompt[at : at + CHUNK] != before[at : at + CHUNK]:
            return at
    return most


class Prefixes:
    """What is loaded, and what was written down, of the conversations of one model.

    `room` is the most that files may take together, in bytes; the longest unused go first.
    """

    def __init__(self, room: int) -> None:
        self.room = room
        self._loaded: tuple[int, ...] = ()
        self._saved: dict[str, _Kept] = {}
        self._number = 0

    def plan(self, prompt: tuple[int, ...]) -> Plan:
        """The way to this prompt that reads the fewest tokens."""
        keep, restore = shared(prompt, self._loaded), None
        for name, kept in self._saved.items():
            if (more := shared(prompt, kept.tokens)) > keep:
                keep, restore = more, name
        whole = len(self._loaded) // CHUNK * CHUNK
        lost = whole if restore else whole - keep
        save = lost >= _SMALL and not any(
            kept.tokens[:whole] == self._loaded[:whole] for kept in self._saved.values()
        )
        if restore:
            self._saved[restore] = self._saved.pop(restore)  # the last used stands last
        return Plan(keep, save and self.room > 0, restore)

    def name(self) -> str:
        """A name for the next file."""
        self._number += 1
        return f"{self._number}.bin"

    def saved(self, name: str, size: int) -> list[str]:
        """Note that what is loaded was written to `name`; the files that may now go."""
        loaded = self._loaded
        whole = len(loaded) // CHUNK * CHUNK
        gone = [
            old
            for old, kept in self._saved.items()
            if len(kept.tokens) <= whole and loaded[: len(kept.tokens)] == kept.tokens
        ]
        for old in gone:
            del self._saved[old]
        self._saved[name] = _Kept(loaded[:whole], size)
        while sum(kept.size for kept in self._saved.values()) > self.room:
            oldest = next(iter(self._saved))
            del self._saved[oldest]
            gone.append(oldest)
        return gone

    def loaded(self, tokens: tuple[int, ...]) -> None:
        """Note that these tokens, read in chunks from the first, are what is loaded."""
        self._loaded = tokens

    def forget(self, name: str) -> None:
        """Note that this file is of no use."""
        self._saved.pop(name, None)
