"""What is asked in few words: orders without a verb, "the same for ...", "and now?"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from ringback.users.rules.acts import acts_in
from ringback.users.rules.request import Request
from ringback.users.rules.words import (
    SWITCHES,
    Mention,
    direction,
    mentions,
    mode_in,
    permissions_in,
)

__all__ = ["asks_how_it_is", "bare", "is_either", "is_of_old", "is_whole", "the_same"]

_BARE = re.compile(
    r"(?:(?:on|off|please|the|your|my|phone's|and|both|then|to|back|again|now|also|too|all|them|it"
    r"|that|this|enable|disable|disconnect|must|should|be|wait|\d+|\w+ seconds?|a moment|minute"
    r"|first|next|just|mode|setting|switch|toggle|thanks|as|well|next|finally|lastly|after)"
    r"(?: |[,.;:!\"'=/-])*)*"
)
_BARE_TEST = re.compile(
    r"(?:(?:an?|one|another|the|this|last|final|quick|fresh|new|second|more|again|please|then|now"
    r"|first|finally|and|test|retest|try|once|your|same|complete|full|next|time|for|me|also)"
    r"(?: |[,.;:!?\"'=/-])*)*"
)
_BARE_RESTART = re.compile(
    r"(?:(?:an?|one|another|the|quick|full|fresh|please|then|now|last|simple|phone|of|your) )*"
    r"(?:restart|reboot)(?: (?:please|now|of|the|your|for|me|again|then|first))*"
)
_TESTING = re.compile(r"\b(?:test|retest)\b|\btry(?: (?:again|now|it|that))?$")
_EITHER = re.compile(r"\bon ?(?:/|or|,) ?off\b|\benabled ?(?:/|or|,) ?disabled\b|\byes ?/ ?no\b")
_FINITE = re.compile(
    r"\b(?:is|are|was|were|should|may|might|will|can|could|must|has|have|looks?|needs?|seems?"
    r"|means?|does|do|it|we|i|they)\b"
)
_BE = re.compile(r"\b(?:must|should) be\b")
_HOW_NOW = re.compile(
    r"(?:(?:and|so|ok|okay|well|but|hm+|now|right|still|then|great|good|alright|thanks),? )*"
    r"(?:(?:and |how |what )(?:about )?(?:it |things )?now\b|now[.! ]*$|any(?:thing)? (?:luck"
    r"|better|change|different"
    r"|difference|good|improvement|joy|success|progress)\b|better\b|still (?:slow|no|not|nothing"
    r"|the same|bad|poor|stuck|failing)\b|(?:did|does|has|will) (?:it"
    r"|that|this"
    r"|the \w+)(?: \w+)?? (?:help|work|do|change|make|fix|go(?!od)|solve|cure|send|improve|get|sort"
    r"|resolve"
    r"|load|bring)\w*\b|(?:is|are) (?:it|that|this|things|everything|we)(?: \w+)? (?:better|faster"
    r"|quicker|stronger"
    r"|working|okay|ok|fine|good|back|there|fixed|sorted|improved|resolved|running|through)\b"
    r"|how did (?:it|that) go\b|what do (?:you|we) get\b|how(?:'s| is| are) (?:it|that|this|things"
    r"|everything)(?: \w+)?"
    r"(?: now| looking| going| doing|[.! ]*$)|what(?:'s| is) it like now\b|what happens(?: now)?\b"
    r"|(?:has|have) (?:it|that|this|anything|things) (?:helped|worked|changed|improved|gone)\b)"
)
_BEFORE = re.compile(r"\b(?:before you|ever|yesterday|usually|previously)\b")
_SAME = re.compile(
    r"\b(?:do |try )?(?:likewise|the same(?: thing| again)?|so too|that too|as much)\b"
    r"(?: (?:for|with|to|on|goes for))?|^same (?:for|with|goes for)\b"
)


def is_either(rest: str) -> bool:
    """Whether it only offers what could be answered, as in "on/off"."""
    return _EITHER.search(rest) is not None


def is_whole(rest: str) -> bool:
    """Whether it has a verb of its own, and so is more than the name of something."""
    return _FINITE.search(rest) is not None


def asks_how_it_is(rest: str) -> bool:
    """Whether it asks how things stand now: "And now?", "Did that help?", "Any luck?"."""
    return _HOW_NOW.match(rest) is not None


def is_of_old(whole: str) -> bool:
    """Whether a sentence speaks of former times."""
    return _BEFORE.search(whole) is not None


def bare(rest: str, context: tuple[str, ...], item: bool) -> list[Request]:
    """As in "Data Saver off, please.", "Off please.", "Speed test.": an order without a verb."""
    found = mentions(rest)
    left = _without(rest, found)
    if "," in rest and "," in rest.strip(" ,"):
        pieces = [bare(piece, context, item) for piece in rest.split(",") if piece.strip()]
        if len(pieces) > 1 and pieces[0]:
            return [request for piece in pieces for request in piece]
    if len(left) > 60 or is_either(rest) or (item and ":" in rest):
        return []
    if direction(rest) and _BARE.fullmatch(left):
        sure = _BE.search(rest) is None
        return [
            replace(request, sure=sure)
            for request in acts_in(f"turn {rest}", context, item)
            if request.act == "switch"
        ]
    named = {mention.topic for mention in found}
    mode = mode_in(rest) if named == {"mode"} else None
    if mode and len(rest.split()) <= 8 and not is_whole(rest):
        return [Request("mode", "mode", mode, item=item)]
    if not named - {"phone"} and _BARE_RESTART.fullmatch(left):
        return [Request("reboot", "phone", item=item)]
    tried = [mention.topic for mention in found if mention.topic in ("speed", "mms")]
    if len(found) <= 1 and _BARE_TEST.fullmatch(left) and (tried or _TESTING.search(left)):
        return [Request("test", tried[0] if tried else "outcome", item=item)]
    return []


def _without(rest: str, found: list[Mention]) -> str:
    """The clause without the parts of the phone that it names."""
    pieces: list[str] = []
    at = 0
    for mention in found:
        pieces.append(rest[at : mention.start])
        at = mention.end
    return " ".join((*pieces, rest[at:])).strip(" ,.;:!?\"'/=-")


def the_same(rest: str, asked: Sequence[Request], item: bool) -> list[Request]:
    """As in "Do likewise with the VPN": what was `asked` for last, of what is named now."""
    if not (same := _SAME.search(rest)):
        return []
    last = next((request for request in reversed(asked) if request.act != "test"), None)
    if last is None:
        return []
    named = [m.topic for m in mentions(rest[same.start() :]) if m.topic in SWITCHES]
    if last.act == "grant":
        wanted = permissions_in(rest)
        return [Request("grant", "permissions", each, item=item) for each in wanted]
    if last.act == "switch":
        return [Request("switch", each, last.value, item=item) for each in named]
    return [Request("look", each, item=item) for each in named] if last.act == "look" else []
