"""Hints that can be typed as they stand: filters and commands, quoted where a shell needs it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

__all__ = ["command", "word"]

_HIDDEN = re.compile(r"[^ -~]|  +")


def word(text: str) -> str:
    """One word of a command line for a POSIX shell, quoted where it must be.

    What cannot be seen, or would not survive being printed, is an escape of the quotes ``$'...'``
    that bash, zsh and ksh read.
    """
    if text.isprintable() and "  " not in text:
        return shlex.quote(text)
    plain = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{_HIDDEN.sub(lambda found: ''.join(map(_escape, found[0])), plain)}'"


def _escape(char: str) -> str:
    if char.isprintable() and char != " ":
        return char
    code = ord(char)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def command(*words: str | Path, store: Path | None = None) -> str:
    """A command in backticks, with the store that was named, if one was."""
    named = [] if store is None else ["--store", str(store)]
    return f"`{' '.join(word(str(each)) for each in ('ringback', *words, *named))}`"
