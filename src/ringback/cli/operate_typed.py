"""What an operator types: a text, a tool's arguments, the parts of a look."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ringback.canonical import Json
    from ringback.domain import Tool

__all__ = ["PARTS", "arguments", "calls", "parts", "refuse_no_text", "spoken"]

PARTS = ("policy", "tools", "conversation")
"""What a look has beside where the episode stands, in the order in which it is printed."""

_OPTION = re.compile(r"--?[A-Za-z][\w-]*(=.*)?", re.DOTALL)


def spoken(words: Sequence[str], command: str) -> str | None:
    """The one text that was typed, or that stands on standard input for ``-``; None without one.

    It is what was typed, to the letter; of standard input without the last line end. Raises
    `InputError` for several words: a shell has then taken spaces and more out of the text.
    """
    from ringback.errors import InputError

    if len(words) > 1:
        _refuse_options([word for word in words if len(word) > 1], command)
        raise InputError(
            f"`ringback operate {command}` takes one text and got {len(words)} words; put it in "
            "'single quotes', or write - and give it on standard input."
        )
    if not words:
        return None
    _refuse_options(words, command)
    refuse_no_text(words[0], "The text")
    return _standard_input() if words[0] == "-" else words[0]


def refuse_no_text(word: str, what: str) -> None:
    """Raise `InputError` for a word of the command that was typed in bytes that are not UTF-8."""
    from ringback.errors import InputError

    try:
        word.encode()
    except UnicodeEncodeError as problem:
        raise InputError(
            f"{what} is not UTF-8 (character {problem.start}); convert it first."
        ) from None


def _refuse_options(words: Sequence[str], command: str) -> None:
    from ringback.errors import InputError

    if wrong := next((word for word in words if _OPTION.fullmatch(word)), None):
        raise InputError(
            f"`ringback operate {command}` has no option {wrong!r}; if it is what you mean to "
            "say, write - and give it on standard input."
        )


def _standard_input() -> str:
    from ringback.errors import InputError
    from ringback.operating.texts import LONGEST

    if sys.stdin is None:  # it was closed
        raise InputError("Standard input is closed, so there is no text on it.")
    buffer = getattr(sys.stdin, "buffer", None)
    if buffer is None:
        return sys.stdin.read(LONGEST + 2).removesuffix("\n")
    most = 4 * LONGEST + 2  # a character has four bytes at most, the last line end two
    if len(given := buffer.read(most + 1)) > most:
        raise InputError(
            f"The text on standard input is too long; {LONGEST:,} characters are the most."
        )
    try:
        text = given.decode()
    except UnicodeDecodeError as problem:
        raise InputError(
            f"The text on standard input is not UTF-8 (byte {problem.start}); convert it first."
        ) from None
    return text.removesuffix("\n").removesuffix("\r")


def calls(
    tool: str, words: Sequence[str], given: str | None, tools: Sequence[Tool]
) -> list[tuple[str, Json]]:
    """The calls of one turn, which a ``+`` stands between; see `arguments`.

    Raises `InputError` for what is typed wrong.
    """
    from ringback.errors import InputError

    each: list[list[str]] = [[tool]]
    for word in words:
        if word == "+":
            each.append([])
        else:
            each[-1].append(word)
    if not all(each):
        raise InputError("A + stands between two calls of one turn; name a tool after it.")
    if given is not None and len(each) > 1:
        raise InputError("--args is for one call; give several calls KEY=VALUE words.")
    return [(name, arguments(name, pairs, given, tools)) for name, *pairs in each]


def arguments(tool: str, pairs: Sequence[str], given: str | None, tools: Sequence[Tool]) -> Json:
    """A call's arguments, from ``key=value`` words or from JSON.

    A value is read by the tool's schema (`ringback.operating.typed`). Raises `InputError` for what
    is typed wrong.
    """
    from ringback.errors import InputError
    from ringback.operating import typed

    refuse_no_text(tool, "The tool's name")
    for word in (*pairs, *([] if given is None else [given])):
        refuse_no_text(word, "An argument")
    if given is not None:
        if pairs:
            raise InputError("--args says all arguments at once; leave KEY=VALUE words out.")
        return typed.json_typed(
            given, "--args", """an object in 'single quotes', such as '{"customer_id": "C1001"}'"""
        )
    known = next((each for each in tools if each.name == tool), None)
    words: list[tuple[str, str]] = []
    for word in pairs:
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise InputError(
                f"{word!r} is not KEY=VALUE; an argument is typed as {_example(known)}."
            )
        words.append((name, text))
    return typed.arguments(known, words)


def parts(only: Sequence[str]) -> tuple[str, ...]:
    """The parts of a look that were asked for; all where none is named."""
    from ringback.errors import InputError

    for name in only:
        if name not in (*PARTS, "stands"):
            raise InputError(
                f"There is no part {name!r} of a look; --only takes {', '.join(PARTS)}, or stands "
                "for where the episode stands alone."
            )
    return tuple(name for name in PARTS if not only or name in only)


def _example(tool: Tool | None) -> str:
    names = [] if tool is None else list(tool.parameters.get("properties", {}))
    return f"{names[0]}=..." if names else "customer_id=C1001"
