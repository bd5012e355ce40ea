"""From an agent's message to plain sentences: markup, lists, sentences.

Everything is one pass over bounded text, so that no message, however it is made, costs more than
its length.
"""

from __future__ import annotations

import re
import unicodedata

from msgspec import Struct

from ringback.users.rules.paths import without_paths

__all__ = ["Sentence", "bounded", "sentences"]

_HEAD, _TAIL, _SENTENCES, _WIDTH = 9000, 5000, 240, 700

_PLAIN = {
    ord("‘"): "'",
    ord("’"): "'",
    ord("“"): '"',
    ord("”"): '"',
    ord("—"): " - ",
    ord("–"): "-",
    ord("‑"): "-",
    ord("…"): ". ",
    ord("\u20e3"): ") ",
    ord("•"): "- ",
    ord("▪"): "- ",
    ord("▸"): "- ",
    ord("►"): "- ",
    ord("‣"): "- ",
    ord("●"): "- ",
    ord("○"): "- ",
    ord("◦"): "- ",
    ord("☐"): "- ",
    ord("☑"): "- ",
    ord("✅"): "- ",
    ord("✔"): "- ",
    ord("*"): None,
    ord("`"): None,
    ord("#"): None,
    ord("~"): None,
    ord("|"): " ",
    ord("\t"): " ",
    ord("\r"): "\n",
}
_TAG = re.compile(r"<[^<>\n]{1,60}>")
_BULLET = re.compile(r"\s{0,40}(?:[-+]|\(?\d{1,2}[.)]|\(?[a-h][.)]|step \d{1,2}\s?[:.)-])\s+")
_STATE = r"(?:must|should|needs? to|has to|to) be\b|(?:on|off|enabled?|disabled?|active)\b"
_SPLIT = re.compile(
    rf"(?<=[.!?;])\s+|(?<=:)\s+(?!{_STATE})|\s-\s(?!{_STATE})|\s\(|\)(?=[\s.,;:?!]|$)"
)
_NUMBERED = re.compile(
    r"(?<=[a-z0-9\"'])(?P<colon>:?)[,;]? (?:and |then )?\(?(?P<number>\d)\) (?=[a-z])"
)
_LOOSE = re.compile(r"[ \t]{1,8}([,.;:?!])")
_ASIDE = re.compile(r"(?<![a-z_])\(([^()\n]{0,200})\)")
_TELLING = re.compile(r"_|\bif\b|\b(?:on|off)\b.*\b(?:on|off)\b|^(?:please|then|turn|switch) ")
_UNDERLINE = re.compile(r"(?<![a-z0-9_])_{1,3}(?=[a-z0-9])|(?<=[a-z0-9.,:])_{1,3}(?![a-z0-9_])")


class Sentence(Struct, frozen=True):
    """One sentence or heading in lower case, without markup.

    `item` is True in a list, `opens` where it ends with a colon and so governs what follows,
    `asks` where it ends with a question mark.
    """

    text: str
    item: bool
    opens: bool
    asks: bool


def bounded(text: str) -> str:
    """What is read of a message, at most 14,001 characters: of a huge one, its beginning and end.

    Reasoning that a relay failed to strip (all before ``</think>``) is not part of the message.
    """
    text = text.rpartition("</think>")[2]
    return text if len(text) <= _HEAD + _TAIL else text[:_HEAD] + "\n" + text[-_TAIL:]


def sentences(text: str) -> list[Sentence]:
    """The sentences of a `bounded` message, in order."""
    text = _TAG.sub(" ", unicodedata.normalize("NFKC", text).translate(_PLAIN))
    text = without_paths(text).lower()
    text = text.replace("e.g.", "eg").replace("i.e.", "ie").encode("ascii", "ignore").decode()
    text = _UNDERLINE.sub("", text.replace("()", ""))
    text = _LOOSE.sub(r"\1", _ASIDE.sub(_aside, _NUMBERED.sub(r"\g<colon>\n\g<number>) ", text)))
    found: list[Sentence] = []
    for line in text.split("\n"):
        bullet = _BULLET.match(line)
        body = line[bullet.end() :] if bullet else line
        for piece in _SPLIT.split(body):
            piece = piece.strip()[:_WIDTH]
            if len(piece) > 1:
                end = piece.rstrip("\"' ")[-1:]
                found.append(Sentence(piece, bullet is not None, end == ":", end == "?"))
                if len(found) == _SENTENCES:
                    return found
    return found


def _aside(match: re.Match[str]) -> str:
    """An aside that tells what to do stays; a gloss goes."""
    return match.group() if _TELLING.search(match.group(1)) else " "
