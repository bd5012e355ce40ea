"""From an agent's message to plain clauses: markup, lists, sentences, clauses.

Everything is one pass over bounded text, so that no message, however it is made, costs more than
its length.
"""

from __future__ import annotations

import re
import unicodedata

from msgspec import Struct

__all__ = ["Sentence", "bounded", "clauses", "sentences"]

_HEAD, _TAIL, _SENTENCES, _WIDTH = 9000, 5000, 240, 700

_PLAIN = {
    ord("‘"): "'",
    ord("’"): "'",
    ord("“"): '"',
    ord("”"): '"',
    ord("—"): " - ",
    ord("–"): "-",
    ord("‑"): "-",
    ord("→"): ", ",
    ord("…"): ". ",
    ord("•"): "-",
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
_SPLIT = re.compile(r"(?<=[.!?;])\s+|(?<=:)\s+|\s-\s|\s\(|\)(?=[\s.,;:?!]|$)")
_ASIDE = re.compile(r"(?<![a-z_])\(([^()\n]{0,200})\)")
_TELLING = re.compile(r"_|\bif\b|\b(?:on|off)\b.*\b(?:on|off)\b|^(?:please|then|turn|switch) ")
_UNDERLINE = re.compile(r"(?<![a-z0-9_])_{1,3}(?=[a-z0-9])|(?<=[a-z0-9.,:])_{1,3}(?![a-z0-9_])")
_WORDS = re.compile(r"[a-z0-9_$%/.'\"=:&+()-]+,?")


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
    text = unicodedata.normalize("NFKC", text).translate(_PLAIN).lower()
    text = text.replace("e.g.", "eg").replace("i.e.", "ie").encode("ascii", "ignore").decode()
    text = _UNDERLINE.sub("", _TAG.sub(" ", text.replace("()", "")))
    text = _ASIDE.sub(_aside, text)
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


_STARTERS = frozenset(
    [
        "turn",
        "turning",
        "switch",
        "switching",
        "toggle",
        "toggling",
        "set",
        "setting",
        "put",
        "change",
        "changing",
        "select",
        "choose",
        "enable",
        "enabling",
        "disable",
        "disabling",
        "activate",
        "deactivate",
        "disconnect",
        "connect",
        "make",
        "ensure",
        "check",
        "checking",
        "verify",
        "confirm",
        "see",
        "look",
        "tell",
        "let",
        "report",
        "run",
        "perform",
        "try",
        "trying",
        "restart",
        "restarting",
        "reboot",
        "rebooting",
        "power",
        "reset",
        "resetting",
        "restore",
        "remove",
        "removing",
        "take",
        "taking",
        "reseat",
        "reinsert",
        "re-insert",
        "insert",
        "grant",
        "give",
        "allow",
        "pay",
        "complete",
        "accept",
        "approve",
        "send",
        "use",
        "open",
        "go",
        "tap",
        "test",
        "read",
        "describe",
        "note",
        "find",
        "wait",
        "keep",
        "leave",
        "flip",
        "pop",
        "pull",
        "shut",
        "view",
        "inspect",
        "review",
        "update",
        "adjust",
        "also",
        "please",
        "could",
        "can",
        "would",
        "will",
        "let's",
        "we'll",
        "we",
        "i'll",
        "i",
        "you",
        "your",
        "you'll",
        "is",
        "are",
        "do",
        "does",
        "did",
        "has",
        "have",
        "share",
        "respond",
        "reply",
        "call",
        "place",
        "pick",
        "start",
        "begin",
        "what",
        "which",
        "don't",
        "do",
        "whether",
        "how",
        "if",
        "once",
        "when",
        "after",
        "ask",
        "repeat",
        "re-run",
        "rerun",
        "retry",
        "re-test",
        "retest",
        "re-check",
        "recheck",
        "proceed",
        "set_network_mode_preference",
    ]
)
_JOINERS = frozenset(("and", "then", "but", "or", "plus", "so"))
_SKIP = frozenset(("then", "please", "also", "again", "just", "afterwards", "finally", "now"))
_SUBORDINATE = frozenset(
    [
        "if",
        "once",
        "when",
        "after",
        "before",
        "until",
        "unless",
        "because",
        "since",
        "which",
        "while",
        "whenever",
        "although",
        "though",
        "as",
    ]
)
_AS = frozenset(("it", "this", "that", "they", "we", "i", "you", "these", "mms", "missing", "an"))
_ASKING = frozenset(
    [
        "know",
        "check",
        "see",
        "tell",
        "verify",
        "confirm",
        "whether",
        "me",
        "us",
        "checking",
        "seeing",
        "sure",
        "report",
        "ask",
        "out",
        "say",
        "only",
        "even",
        "and",
        "or",
    ]
)
_TO_KEEPS = frozenset(
    ("need", "want", "try", "sure", "like", "have", "able", "going", "you", "ask", "ought")
)
_STEPS = frozenset(("next", "first", "best", "last", "only", "simplest", "easiest", "final"))
_REASONS = frozenset(("since", "because", "although", "though", "as", "now"))
_PAST = frozenset(("set", "reset", "put", "run", "let", "cut", "read"))
_PURPOSE = frozenset(
    [
        "see",
        "help",
        "ensure",
        "refresh",
        "determine",
        "improve",
        "make",
        "get",
        "allow",
        "force",
        "apply",
        "identify",
        "narrow",
        "figure",
        "diagnose",
        "have",
        "regain",
        "bring",
        "find",
        "let",
        "establish",
        "re-establish",
        "re-register",
        "reconnect",
        "resolve",
        "fix",
        "troubleshoot",
        "rule",
        "pinpoint",
        "understand",
        "restore",
        "confirm",
    ]
)


def clauses(sentence: str) -> list[str]:
    """The sentence cut at conjunctions, commas and subordinate clauses that begin anew.

    "If it is on, turn it off and run a speed test" gives three clauses; "check if it is on" and
    "storage and SMS" stay whole.
    """
    words = _WORDS.findall(sentence)
    bare = [word.rstrip(",.:") for word in words] + [""] * 8
    parts: list[list[str]] = [[]]
    for index, word in enumerate(words):
        if parts[-1] and _begins(bare, index, parts[-1]):
            parts.append([])
        parts[-1].append(word)
    return [" ".join(part) for part in parts if part]


def _begins(bare: list[str], index: int, current: list[str]) -> bool:
    here, following, last = bare[index], bare[index + 1], bare[index - 1]
    if here in _SUBORDINATE:
        return following in _AS if here == "as" else last not in _ASKING
    if here in _JOINERS:
        if here == "so" and last == "if":
            return False
        if here == "then" and current[0] in _SUBORDINATE:
            return True
        return last not in _JOINERS and _next_word(bare, index + 1) in _STARTERS
    if here == "please" and current[0] in _SUBORDINATE:
        return True
    if here == "the" and current[-1].endswith(","):
        return following in _STEPS
    if current[0] in _REASONS and here in _PAST:
        return False
    if here == "to" and following in _PURPOSE:
        return last not in _TO_KEEPS
    return current[-1].endswith(",") and _next_word(bare, index) in _STARTERS


def _next_word(bare: list[str], index: int) -> str:
    stop = min(index + 6, len(bare) - 1)
    while index < stop and (bare[index] in _SKIP or bare[index] in _JOINERS):
        index += 1
    return bare[index]
