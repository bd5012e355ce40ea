"""What of the cases was real: the compatibility boundary, a sentence a fact.

Every sentence follows from what is stored. One that holds of all cases stands once; another names
the cases that it holds of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from ringback.episode.events import Turn
from ringback.record.known import normalized, wrong
from ringback.record.sides import facts
from ringback.record.told import Told
from ringback.report.plain import one_line
from ringback.report.wording import listing, plural
from ringback.sessions import Probe, SessionRow

__all__ = ["boundary"]

_MOST_NAMED = 6


def boundary(cases: Sequence[tuple[str, Told]], probes: Sequence[Probe]) -> list[str]:
    """The sentences, in order; `cases` are calls with what each is called (``hard``)."""
    said: dict[tuple[str, str], list[str]] = {}
    for part in (facts, normalized, wrong, _attempts, _limits):
        for name, told in cases:
            for found in part(told):
                words = (found, found) if isinstance(found, str) else found
                said.setdefault(words, []).append(name)
    return [
        *_credentials(probes),
        *(_of(words[len(names) > 1], names, len(cases)) for words, names in said.items()),
    ]


def _of(text: str, names: Sequence[str], cases: int) -> str:
    if len(names) == cases:
        return text
    which = listing(names)
    if len(names) > _MOST_NAMED:
        which = f"{', '.join(names[: _MOST_NAMED - 1])} and {len(names) - _MOST_NAMED + 1} more"
    return f"{which[:1].upper()}{which[1:]}: {text[:1].lower()}{text[1:]}"


def _credentials(probes: Sequence[Probe]) -> Iterator[str]:
    """What became of the credentials that were tried last, one of each model."""
    last = {probe.model: probe for probe in probes}
    if not last:
        return
    tried = [
        f"the key of {one_line(name, 60)} {_outcome(probe)}" for name, probe in sorted(last.items())
    ]
    words = f"Credentials that were tried, as noted in the store: {'; '.join(tried)}."
    if all(probe.outcome != "accepted" for probe in last.values()):
        words += " None of them was accepted."
    yield words


def _outcome(probe: Probe) -> str:
    day = datetime.fromtimestamp(probe.at, UTC).date().isoformat()
    match probe.outcome:
        case "missing":
            why = f" ({one_line(probe.words, 80)})" if probe.words else ""
            return f"was missing{why} on {day}"
        case "refused":
            status = "" if probe.status is None else f" with HTTP {probe.status}"
            return f"was refused{status} on {day}"
        case "accepted":
            return f"was accepted on {day}"


def _attempts(told: Told) -> Iterator[tuple[str, str]]:
    """The sentences on other attempts, each as it reads of one case and of several."""
    yield from zip(_other_attempts(told, _ONE), _other_attempts(told, _SEVERAL), strict=True)


class _Wording(NamedTuple):
    """How a sentence names the case or the cases that it holds of."""

    it: str
    at: str
    place: str


_ONE = _Wording("It", "at this case", "at the same task and seed")
_SEVERAL = _Wording("Each", "at each of these cases", "at the task and seed of each")


def _other_attempts(told: Told, case: _Wording) -> Iterator[str]:
    others = [row for row in told.attempts if row.id != told.row.id]
    if others:
        endings = Counter(_ending(row) for row in others)
        parts = [f"{count} {name}" for name, count in endings.most_common()]
        yield (
            f"There {'is' if len(others) == 1 else 'are'} {plural(len(others), 'other attempt')} "
            f"{case.at} in the store, under whatever operator's name: {listing(parts)}."
        )
    elif told.others:
        yield f"{case.it} is the only operated attempt at its case in the store."
    else:
        yield f"{case.it} is the only attempt at its case in the store."
    if told.others:
        agents = Counter(one_line(row.agent, 60) for row in told.others)
        named = [f"{count} of {name}" for name, count in agents.most_common(_MOST_NAMED)]
        if len(agents) > _MOST_NAMED:
            named.append(f"{sum(agents.values()) - _first(agents)} of further agents")
        yield (
            f"The store holds {plural(len(told.others), 'session')} of other agents {case.place}, "
            f"which {'is' if len(told.others) == 1 else 'are'} not listed: {listing(named)}."
        )


def _first(agents: Counter[str]) -> int:
    return sum(count for _, count in agents.most_common(_MOST_NAMED))


def _ending(row: SessionRow) -> str:
    return "not over" if row.ending is None else row.ending.replace("_", " ")


def _limits(told: Told) -> Iterator[str]:
    limits = told.start.condition.limits
    parts = [
        *([plural(limits.steps, "step")] if limits.steps is not None else []),
        *([plural(limits.errors, "tool error")] if limits.errors is not None else []),
        *([f"{limits.seconds:g} s of measured time"] if limits.seconds is not None else []),
    ]
    if parts:
        yield f"A call is cut off at {', at '.join(parts)}."
    turns = [event for event in told.events if isinstance(event, Turn) and event.by == "agent"]
    if turns and all(turn.seconds is None for turn in turns):
        yield "The time that the agent's side took was not measured and does not count."
