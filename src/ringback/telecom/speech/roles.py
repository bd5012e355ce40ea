"""Roles inverted: the customer speaks as the agent.

The patterns are what only the one who helps says, or what only makes sense to the one who has the
phone. Customers' politeness, their requests to the agent and their questions about a step are not
among them. Precision and recall were measured on texts labelled before these rules were written;
docs/user-guard.md has the figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ringback.telecom.speech.text import plain

__all__ = ["inverted"]

_HELP = r"(?:help|assist|support|serve)"
_ITEM = (
    r"(?:phone(?! (?:company|service))|device|sim|apn|accounts?(?! (?:verif|team|department))"
    r"|customer id|full name|date of birth|messag(?:es|ing app)|status bar|network|mobile data"
    r"|(?:next )?bill|order|passport|balance|line\b|screen|wi-?fi|vpn|airplane mode|number is"
    r"|name is|settings|request (?:is|has)|trip|carrier|plan\b)"
)
_PRESS = (
    r"(?:restart|reboot|toggle|turn (?:on|off|\w+ (?:on|off)|airplane|mobile|data)"
    r"|switch (?:on|off|to)|open|run (?:a|the)|perform|reset|re-?seat"
    r"|go (?:in)?to (?:the |your )?settings|set (?:the|your)|find the)"
)

_SAYS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("offers", rf"\b(?:how|what) (?:can|may|could|should) i (?:{_HELP}|do for) you\b"),
        ("offers", rf"\b(?:can|may|could|let me) (?:i )?{_HELP} you\b(?! (?:with )?(?:my|me))"),
        (
            "offers",
            rf"\bi(?:'m| am|'d be| would be|'ll be| will be) (?:just |always |so |also )*"
            rf"(?:here|happy|glad|ready|pleased|delighted|able|designed) to (?:be of |provide "
            rf"|offer )?{_HELP}\b(?! (?:with )?(?:you )?(?:find out|test|check|verify))",
        ),
        ("offers", rf"\bi(?:'d| would) (?:love|like) to {_HELP} you\b"),
        ("offers", rf"\bi(?: can|'ll| will|'m going to| could) (?:also |try to )?{_HELP} you\b"),
        ("offers", rf"\bi can {_HELP} with\b"),
        (
            "offers",
            rf"\b(?:unable|(?:not|n't|never) (?:be )?able|not sure how|n't know how)"
            rf" (?:i can |to ){_HELP} you\b",
        ),
        ("offers", rf"\b(?:could not|couldn't|can't|cannot|can not|did not|didn't) {_HELP} you\b"),
        ("offers", rf"\banything else (?:that )?i can (?:do|{_HELP})\b"),
        ("offers", r"\b(?:go ahead and|just|free to) ask\b(?! (?:you|for|if|me|about my))"),
        (
            "offers",
            r"\bwhat (?:brings you|(?:kind of )?support (?:are )?you|are you looking for)\b",
        ),
        ("offers", r"\btell me (?:what(?:'s| is) (?:wrong|the (?:issue|problem))|about your)\b"),
        (
            "offers",
            r"\b(?:apologi[sz]e|apologies|sorry) (?:\w+ )?for (?:any|the|this|your)"
            r" (?:inconvenience|trouble|frustration)\b",
        ),
        ("offers", r"\bsorry to hear\b"),
        (
            "offers",
            r"\bthank(?:s| you) (?:\w+ )?for (?:contacting|calling|reaching out|choosing"
            r"|your patience|being (?:a|our) (?:\w+ )?customer|providing)\b",
        ),
        ("offers", r"\b(?:feel free|(?:don't|do not) hesitate) to (?:ask|contact|reach|call)\b"),
        (
            "offers",
            r"\bif you (?:have|'ve got) (?:any )?(?:other |more |further |additional )*"
            r"(?:questions|concerns|issues|problems|details)\b(?! (?:for|about) (?:me|my))",
        ),
        (
            "offers",
            r"\bif you(?:'d like| need)(?:,? i can)? (?:any )?(?:more |further |other )*"
            r"(?:help|assistance)\b",
        ),
        (
            "offers",
            r"\bi(?:'m| am) (?:just )?(?:your|an?|the) (?:\w+ ){0,2}?(?:ai\b|assistant"
            r"|(?:support|service) (?:agent|rep)|agent\b|representative|service\b|technician)",
        ),
        ("offers", r"\b(?:glad|happy) (?:that )?(?:you're able|i could|i was able|you enjoy)\b"),
        ("offers", r"\bglad you(?:'re| are) (?:able|enjoying)\b"),
        ("offers", r"\byou(?:'re| are) welcome,? (?:sir|ma'am|madam|john)\b"),
        ("asks", rf"(?:^|[.!?:,] |\bplease |\bthen )please,? {_PRESS}\b(?![^.!?]*\b(?:my|me)\b)"),
        (
            "asks",
            r"\b(?:let me know|tell me|inform me) (?:once|when|after) (?:your phone"
            r"|you(?:'ve| have) (?:restarted|rebooted|toggled|turned|reset|run|ran"
            r"|completed (?:this|these|the step)))",
        ),
        ("asks", r"\b(?:perform|take|run) the following (?:action|step)s?\b"),
        (
            "asks",
            rf"\b(?:can|could|would) you (?:please )?(?:check|open|restart|tell me|provide|confirm"
            rf"|give me|verify) (?:me )?(?:what )?(?:is )?your {_ITEM}",
        ),
        ("asks", r"\byou can give me the (?:phone )?number\b|\bgive me your\b"),
        ("account", rf"\byour {_ITEM}"),
        ("account", r"\byou(?:'re| are) allowed to\b"),
        (
            "account",
            r"\bi(?:'ve| have|'ll| will)? (?:just )?(?:found|located|pulled up|looked up|accessed"
            r"|transfer(?:red)?|resumed?|refuel(?:l?ed)?) (?:your|you\b)",
        ),
        ("account", r"\blet me (?:check|look up|pull up|verify|transfer) (?:your|you\b)"),
        (
            "account",
            r"\bwe (?:cannot|can't|are unable to|are not able to) (?:add|offer|provide|send)\b",
        ),
        ("account", r"\b(?:with|in|from|on) our (?:system|records|service|team|network|side)\b"),
        ("other", r"\byou(?:'re| are) (?:a|the|our|my) (?:valued )?customer\b"),
        ("other", r"\bi(?:'m| am) not (?:a|the) customer\b"),
        (
            "other",
            rf"\byou (?:can|could|should|will|may|must|need to|have to|'ll need to)"
            rf" (?:also |always |just |now |then |continue to |try to )*"
            rf"(?:find (?:the|that|it|them)|check (?:the|whether|this|your|it)|access|contact using"
            rf"|use the|only add|open|add \d|ask me|{_PRESS})"
            rf"\b(?![^.!?]*\b(?:my|me to|for me)\b)",
        ),
        ("other", r"^(?:agent|assistant|support|representative)\s*:"),
    )
)
_NAMED = r"\b(?:hi|hey|hello|dear|welcome|great job|thank you|thanks),? {name}\b(?! (?:here|smith))"
_WORD = re.compile(r"[a-z0-9_']+")
_SENTENCE = re.compile(r"[.!?:;\n]+")
_SHINGLE, _SHARE, _LEAST = 4, 0.6, 8


def inverted(text: str, heard: str, names: Iterable[str]) -> str | None:
    """How a customer's words are the agent's: None where they are not.

    `heard` is the agent's last message, `names` the customer's own first names. The answer is
    ``offers`` (help), ``asks`` (for something to be done on a phone), ``account`` (speaks as the
    company), ``other`` (speaks to the agent as to a customer) or ``repeats`` (the agent's words).
    """
    return next(_kinds(text, heard, names), None)


def _kinds(text: str, heard: str, names: Iterable[str]) -> Iterator[str]:
    lines = [plain(line) for line in text.splitlines()]
    words = " ".join(lines)
    for kind, pattern in _SAYS:
        if pattern.search(words):
            yield kind
    if any(re.search(_NAMED.format(name=name), words) for name in names):
        yield "other"
    if _repeats(words, plain(heard)):
        yield "repeats"


def _repeats(said: str, heard: str) -> bool:
    """Whether most of it is the agent's last message, or a whole request of it is said back."""
    for sentence in _SENTENCE.split(said):
        words = " ".join(_WORD.findall(sentence))
        request = re.search(r"\b(?:please|you|your|tell me)\b", words)
        if request and words.count(" ") >= 3 and words in " ".join(_WORD.findall(heard)):
            return True
    own, theirs = _shingles(said), _shingles(heard)
    if len(own) + _SHINGLE - 1 < _LEAST:
        return False
    return sum(piece in theirs for piece in own) >= _SHARE * len(own)


def _shingles(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text)
    return {tuple(words[at : at + _SHINGLE]) for at in range(len(words) - _SHINGLE + 1)}
