"""Facts that stand neither in the scenario, nor in what the agent said, nor in what was shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ringback.telecom.speech.text import plain
from ringback.users.guard.known import Candidate, Finding, Known

__all__ = ["unfounded_fact"]

_LONG = 20
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("a phone number", re.compile(r"\+?(?<!\d)\d[\d() .-]{7,30}\d")),
    ("an e-mail address", re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,63}\.[\w.]+")),
    ("a record's id", re.compile(r"\b[A-Z]\d{3,}\b")),
    (
        "a date",
        re.compile(
            r"\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}/\d{1,2}/\d{2,4}\b|\b(?:january|february|march|april|may"
            r"|june|july|august|september|october|november|december) \d{1,2}(?:st|nd|rd|th)?"
            r"(?:,? \d{4})?\b",
            re.IGNORECASE,
        ),
    ),
)
_MEASURE = re.compile(
    r"(?P<money>[$€£])\s?(?P<sum>\d[\d,]{0,12}(?:\.\d{1,6})?)"
    r"|(?<!\d)(?P<amount>\d[\d,]{0,12}(?:\.\d{1,6})?)\s?(?P<unit>mbps|gb|gigabytes?|usd|dollars)(?!\w)",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"\b(?:[Mm]y name is|[Mm]y name's|[Tt]his is|I'm|I am|[Nn]ame:)\s+"
    r"(?P<name>[A-Z][a-z]+(?:\s+[A-Z][a-z]+)+|(?<=name is )[A-Z][a-z]+)"
)
_BARE_NAME = re.compile(r"\A\W*(?P<name>[A-Z][a-z]+ (?:[A-Z]\.? )?[A-Z][a-z]+)\W*\Z")
_PLACE = re.compile(
    r"\b(?:I'm|I am|we are|we're|[Cc]urrently|here|travell?ing|living|staying|at home|on holiday"
    r"|on vacation|abroad|am)"
    r"(?:\s+(?:currently|now|here|abroad|right now|still|located|at home))?"
    r"\s+in\s+(?:the\s+)?(?P<place>[A-Z][a-z]+(?:\s+[A-Z][a-z]+)*)"
)
_SECRET = re.compile(
    r"\b(?:(?:date of birth|birth ?date|birthday|pin(?: code)?|password|passcode|zip(?: code)?)"
    r"(?:\s+(?:number|is|was|of))*[\s:]*|born (?:on|in)\s+)(?P<value>[\w/-]{0,20}\d[\w/-]{0,20})",
    re.IGNORECASE,
)
_NO_PLACE = frozenset(
    {"settings", "safe", "airplane", "wi", "data", "roaming", "network", "mobile", "phone", "my"}
)


def unfounded_fact(candidate: Candidate, known: Known) -> Finding | None:
    """The first name, number, date, place, address or amount that the customer cannot know."""
    for what, value, holds in _facts((candidate.text or "").replace("’", "'")):
        if not holds(value, known.sources):
            return Finding(
                "unfounded_fact",
                f'"{value[:80]}" is {what} that you cannot know. Say only what you know, or that '
                "you do not know it.",
            )
    return None


def _facts(text: str) -> Iterator[tuple[str, str, Callable[[str, str], bool]]]:
    """What the text states as facts: what each is, its words, and how a source bears it out."""
    for what, pattern in _PATTERNS:
        holds = {"a phone number": _dialled, "a date": _dated}.get(what, _stated)
        for found in pattern.finditer(text):
            yield what, found[0].strip(), holds
    for found in _MEASURE.finditer(text):
        yield "an amount", found[0].strip(), _measured
    for found in (*_NAME.finditer(text), *_BARE_NAME.finditer(text)):
        yield "a name", found["name"], _named
    for found in _PLACE.finditer(text):
        if plain(found["place"]).split()[0] not in _NO_PLACE:
            yield "a place", found["place"], _stated
    for found in _SECRET.finditer(text):
        yield "personal data", found["value"], _stated


def _stated(value: str, sources: str) -> bool:
    return plain(value) in sources


def _named(value: str, sources: str) -> bool:
    return all(word in sources for word in plain(value).split())


def _dialled(value: str, sources: str) -> bool:
    """Whether a number was given, however it is grouped, or is several that were."""
    digits = "".join(filter(str.isdigit, sources))
    parts = re.findall(r"\d+", value)
    return "".join(parts) in digits or all(part in sources for part in parts)


def _measured(value: str, sources: str) -> bool:
    """Whether an amount was given, exactly or to be rounded to it."""
    found = _NUMBER.search(value)
    amount = _value(found[0]) if found else 0.0
    given = {_value(number) for number in _NUMBER.findall(sources) if len(number) < _LONG}
    return amount in given or any(round(number) == amount for number in given)


def _value(number: str) -> float:
    parts = number.replace(",", "").split(".")
    return float(".".join(parts[:2]) if len(parts) > 1 else parts[0])


_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)


def _dated(value: str, sources: str) -> bool:
    """Whether a date stands in the sources, as it is or as year-month-day."""
    words = plain(value)
    if words in sources:
        return True
    parts = [int(part) for part in re.findall(r"\d+", words)]
    month = next((n + 1 for n, name in enumerate(_MONTHS) if words.startswith(name)), None)
    if month is None:
        month, *parts = parts
    day = parts[0] if parts else 0
    return f"-{month:02d}-{day:02d}" in sources
