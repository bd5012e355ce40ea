"""Telling a model's reasoning from its words where both stand in one text.

A server without a parser for reasoning hands it over in the reply, between tags. What stands there
was never said, whether the tag is closed, left open because the reply was cut off, or was opened
by the model's template and only closed in the reply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

__all__ = ["Piece", "parted", "said"]

_THINK = "think"
_NAMES = "thinking|thoughts?|think|reasoning|reflection|scratchpad|analysis|inner_monologue"
_TAG = re.compile(
    rf"<\s{{0,8}}(?P<close>/)?\s{{0,8}}(?:[\w-]{{1,20}}:)?(?P<name>{_NAMES})\b[^<>]{{0,200}}(?:>|\Z)"
    r"|(?-i:\[(?P<close_b>/)?THINK\])"
    r"|◁(?P<close_k>/)?think▷"
    r"|<\|(?:START_THINKING|begin_of_thought)\|>"
    r"|(?P<close_c><\|(?:END_THINKING|end_of_thought)\|>)"
    r"|(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)\b[^<>]{0,200}(?:<\|message\|>|\Z)"
    r"|(?P<close_h>(?:<\|end\|>)?(?:<\|start\|>assistant)?<\|channel\|>final<\|message\|>)",
    re.IGNORECASE,
)
_CLOSES = ("close", "close_b", "close_k", "close_c", "close_h")
_HINTS = ("<", "[THINK]", "[/THINK]", "◁")
_ONE = ("thinking", "thought", "thoughts")


class Piece(Struct, frozen=True):
    """A stretch of a reply: words, or reasoning between the tags it was written in.

    `opened`, `text` and `closed` of all pieces, one after the other, are the reply. White space at
    a tag belongs to the tag. A tag that was not written is empty.
    """

    text: str
    thought: bool = False
    opened: str = ""
    closed: str = ""


def said(text: str) -> str:
    """The words of a reply without the reasoning in it, and without white space around them."""
    return "".join(piece.text for piece in parted(text) if not piece.thought).strip()


def parted(text: str) -> tuple[Piece, ...]:
    """A reply as its pieces; one piece where nothing in it is tagged.

    A tag closes with the next one of its name. One that is never closed reaches to the end. A
    closing tag that nothing opened ends reasoning that began before the reply.
    """
    if not any(hint in text for hint in _HINTS):
        return (Piece(text),) if text else ()
    pieces: list[Piece] = []
    at = 0
    for start, inner, end, until in _spans(text):
        if words := text[at:start]:
            kept = words.rstrip()
            start -= len(words) - len(kept)
            if kept:
                pieces.append(Piece(kept))
        while until < len(text) and text[until].isspace():
            until += 1
        pieces.append(
            Piece(text[inner:end], thought=True, opened=text[start:inner], closed=text[end:until])
        )
        at = until
    if at < len(text):
        pieces.append(Piece(text[at:]))
    return tuple(pieces)


def _spans(text: str) -> Iterator[tuple[int, int, int, int]]:
    """Where reasoning stands: its opening tag, itself, its closing tag, what comes after."""
    tags = list(_TAG.finditer(text))
    closes = _closing(tags)
    spans: list[tuple[int, int, int, int]] = []
    number = 0
    while number < len(tags):
        tag = tags[number]
        if _is_close(tag):
            spans = [(0, 0, tag.start(), tag.end())]  # whatever came before led up to this
        elif tag[0].endswith("/>"):
            spans.append((tag.start(), tag.end(), tag.end(), tag.end()))
        elif (last := closes[number]) is not None:
            spans.append((tag.start(), tag.end(), tags[last].start(), tags[last].end()))
            number = last
        else:
            spans.append((tag.start(), tag.end(), len(text), len(text)))
            break
        number += 1
    yield from spans


def _closing(tags: list[re.Match[str]]) -> list[int | None]:
    """For each tag the number of the next one that closes its kind."""
    found: list[int | None] = [None] * len(tags)
    next_of: dict[str, int] = {}
    for number in range(len(tags) - 1, -1, -1):
        kind = _kind(tags[number])
        if _is_close(tags[number]):
            next_of[kind] = number
        else:
            found[number] = next_of.get(kind)
    return found


def _is_close(tag: re.Match[str]) -> bool:
    return any(tag[group] is not None for group in _CLOSES)


def _kind(tag: re.Match[str]) -> str:
    name = (tag["name"] or "").lower()
    if name:
        return _THINK if name in _ONE else name
    if tag[0].startswith(("[", "◁")):
        return tag[0][0]
    return "harmony" if "channel" in tag[0] or tag["close_h"] else "cohere"
