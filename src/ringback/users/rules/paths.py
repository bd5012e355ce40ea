"""Ways through the menus ("Settings > Apps > Messages"), read as the place where they end."""

from __future__ import annotations

import re

from ringback.users.rules.words import mentions, permissions_in

__all__ = ["without_paths"]

_ARROW = re.compile(
    r"[ \t]{0,8}(?:[\u2192\u2794\u279c\u27a1\u21d2\u00bb\u203a]|[-=]>)\ufe0f?[ \t]{0,8}"
    r"|(?<=\S) > ?(?=\S)|(?<=\w)>(?=[A-Z])"
)
_FIRST = r"[A-Z][\w&/'-]{0,24}(?: (?:(?:&|and|of) )?[A-Z][\w&/'-]{0,24}){0,4}|[\w'-]{1,30}"
_STEP = r"[^>.,;:?!()\n]{1,40}"
_PATH = re.compile(rf"(?P<first>{_FIRST}) > (?P<between>(?:{_STEP} > )*)(?P<last>{_STEP}|)")
_VERB = re.compile(
    r"(?:(?:Now|Then|Next|Please|And|Again|Just|In|Under|From|At|Go to|Open|Tap|Visit|Find|Select"
    r"|Check"
    r"|Enter|Access|Navigate to|Head to|Look in|Press|Try|Via|Through|Within|Inside|On|Return to"
    r"|See)"
    r" )+(?:your |the )?"
)
_ROOT = re.compile(
    r"\b(?:settings?|menu|apps?|applications?|network|networks|internet|connections?|cellular"
    r"|mobile|data|phone|messages|messaging)\b"
)
_TO = re.compile(
    r" > (?=(?:on|off|allow|allowed|grant|granted|enabled?|disabled?|deny|must|should|to)\b)", re.I
)
_END = re.compile(
    r" (?:and|then|to|so|is|are|says?|shows?|should|must|if|please|for|on|off|where)\b"
)
_TOO_WIDE = re.compile(r"\b(?:network (?:&|and) internet|internet|data usage|mobile|wireless)\b")


def without_paths(text: str) -> str:
    """The text with each way through the menus shortened to its last part that names something.

    A single arrow that shows how something is to be ("Mobile data -> ON") becomes a comma. Takes
    time linear in the length of the text.
    """
    if ">" not in text and not _ARROW.search(text):
        return text
    text = _PATH.sub(_shortened, _ARROW.sub(" > ", text))
    return _TO.sub(" ", text).replace(" > ", ", ")


def _shortened(match: re.Match[str]) -> str:
    first, last = match["first"], match["last"]
    between = [part.strip() for part in match["between"].split(" > ") if part.strip()]
    if opening := _VERB.match(first):
        first = first[opening.end() :]
    lead = opening.group() if opening else ""
    if not last or (not between and (_is_state(last) or not _ROOT.search(first.lower()))):
        return match.group()
    named = [part for part in (first, *between) if _names(part)][-2:]
    if _names(last):
        within = permissions_in(last.lower()) and any("ermission" in part for part in named)
        return lead + (f"permission {last}" if within else last)
    return lead + (f"{' '.join(named)}, {last}" if named else last)


def _is_state(part: str) -> bool:
    return re.match(r"(?:on|off|must|should|to be|enabled|disabled)\b", part.lower()) is not None


def _names(part: str) -> bool:
    """Whether this step of the way names a part of the phone, before the sentence goes on."""
    low = _END.split(part.lower(), maxsplit=1)[0]
    found = mentions(_TOO_WIDE.sub("", low))
    return bool(permissions_in(low)) or any(m.topic not in ("phone", "internet") for m in found)
