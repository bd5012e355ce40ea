"""How figures are put into words: the same on the page, in the summary and at the terminal.

Everything here is plain text; whoever prints it escapes it for the medium.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ringback.canonical import Json
from ringback.episode.events import STOPS, Ending, Forked, Origin, Setup
from ringback.report.model import ArmResults, Comparison, Cost, Count, Faults, Rate, Totals
from ringback.report.plain import brief, json_text
from ringback.stats import Interval, PairedDifference, Standing, few_changed, sign_test

__all__ = [
    "FEW",
    "UNKNOWN",
    "agent",
    "cost",
    "counts",
    "difference",
    "difference_ends",
    "difference_interval",
    "faults",
    "forked",
    "interval_ends",
    "known",
    "level",
    "listing",
    "origin_text",
    "p_value",
    "percent",
    "percent_interval",
    "plural",
    "points",
    "rate",
    "reading",
    "reading_alone",
    "reading_claimed",
    "readings",
    "readings_told",
    "reason",
    "settings",
    "setup",
    "solved",
    "strict_checks",
    "too_few",
    "too_few_what",
    "unadjusted",
    "usd",
    "value",
    "why_ungraded",
    "without_outcome",
]

UNKNOWN = "unknown"
FEW = "few changes"
"""What stands beside a verdict that rests on few changed tasks."""


def percent(value: float | None) -> str:
    """A share as ``97.5%``, ``unknown`` for None."""
    return UNKNOWN if value is None else f"{100 * value:.1f}%"


def points(value: float) -> str:
    """A difference of shares in percentage points, signed: ``+2.5``, ``−25.0``, ``0.0``."""
    size = f"{abs(100 * value):.1f}"
    return size if float(size) == 0 else f"{'−' if value < 0 else '+'}{size}"


def level(value: float) -> str:
    """A level as ``95%``, with no more digits than it has."""
    return f"{100 * value:.10g}%"


def percent_interval(interval: Interval | None) -> str:
    """The ends of an interval on a share: ``91.2% to 100.0%``."""
    return UNKNOWN if interval is None else f"{percent(interval.low)} to {percent(interval.high)}"


def rate(value: Rate) -> str:
    """A rate in full: ``12 of 40 (30.0%; 95% interval 18.1% to 45.4%)``."""
    if value.interval is None:
        return "none planned"
    return (
        f"{solved(value)} ({percent(value.rate)}; "
        f"{level(value.interval.level)} interval {percent_interval(value.interval)})"
    )


def solved(value: Rate) -> str:
    """Counts as ``2,285 of 2,285``, ``none planned`` where there is nothing to count."""
    return f"{value.solved:,} of {value.planned:,}" if value.planned else "none planned"


def difference(value: PairedDifference) -> str:
    """A paired difference: ``−25.0 points, 95% interval −40.0 to −12.5``.

    Where no task changed outcome it says that first, with Tango's interval.
    """
    if value.remark == "no task changed outcome":
        return difference_interval(value)
    return f"{points(value.difference)} points, {difference_interval(value)}"


def difference_interval(value: PairedDifference) -> str:
    """The interval of a paired difference in points, after the remark on it if there is one."""
    if value.interval is None:
        return value.remark or UNKNOWN
    remark = f"{value.remark}, " if value.remark else ""
    return f"{remark}{level(value.interval.level)} interval {_ends(value.interval)}"


def difference_ends(value: PairedDifference) -> str:
    """The same without naming the level: ``−40.0 to −12.5``, for a column that does."""
    if value.interval is None:
        return value.remark or UNKNOWN
    return f"{value.remark}, {_ends(value.interval)}" if value.remark else _ends(value.interval)


def interval_ends(value: PairedDifference) -> str:
    """The ends of a difference's interval alone: ``−40.0 to −12.5``, or that there is none."""
    return "no interval" if value.interval is None else _ends(value.interval)


def _ends(value: Interval) -> str:
    return f"{points(value.low)} to {points(value.high)}"


def reading(value: Comparison | None) -> str:
    """What we call an arm, adjusted where several are compared; None is the baseline's own.

    A verdict that rests on few changes says so: ``worse (few changes)``.
    """
    if value is None:
        return "baseline"
    if not value.settled:
        return "undecided"
    if value.by_construction and not (value.difference.better or value.difference.worse):
        return "equal by construction"
    if value.unread and not value.by_construction:
        return "differs by chance alone"
    return reading_claimed(value.difference, value.claimed)


def reading_alone(value: PairedDifference) -> str:
    """What we call a difference that stands by itself: ``too few changes to tell``."""
    return reading_claimed(value, value.verdict)


def reading_claimed(value: PairedDifference, claimed: Standing) -> str:
    """What we call a difference of which this may be claimed, among others that were tested."""
    if too_few(value):
        return f"too few {too_few_what(value)} to tell"
    told = claimed != "not distinguishable"
    return f"{claimed} ({FEW})" if told and few_changed(value) else claimed


def unadjusted(value: Comparison | None) -> str:
    """The method's verdict: by the interval alone, however many arms are compared.

    Where no pair has two graded outcomes, as of an arm that was never played, there is none.
    """
    if value is None:
        return ""
    if not value.pairs.both:
        return "undecided"
    if value.by_construction and not (value.difference.better or value.difference.worse):
        return "by construction"
    return value.difference.unadjusted


def readings(arms: int) -> tuple[str, str]:
    """The heads of the two columns of verdicts, of a study that compares so many arms."""
    return "unadjusted, by the interval alone", "ours, adjusted" if arms > 1 else "ours"


def readings_told(arms: int, outside: str = "noise and controls stand") -> str:
    """What the two columns of verdicts are, in a sentence or two.

    `arms` were tested together; `outside` says, with its verb, what the adjustment leaves out.
    """
    text = (
        "Unadjusted: the verdict by the interval alone, as if the arm were the only one. Ours: the "
        "same, where it also holds up"
    )
    few = "by an exact test if few tasks changed"
    if arms < 2:
        return f"{text} {few}."
    return f"{text} {few}, and after Holm's adjustment for {arms} arms; {outside} outside that."


def too_few(value: PairedDifference) -> bool:
    """Whether the plain reading sees a difference that there is too little for to tell it."""
    same = value.remark == "same difference in every task" and value.better != value.worse
    told = value.verdict != "not distinguishable"
    return not told and (same or value.unadjusted != "not distinguishable")


def too_few_what(value: PairedDifference) -> str:
    """What there is too little of: ``tasks`` where no result on so many could tell, ``changes``."""
    least = 1 - (value.interval.level if value.interval else 0.95)
    return "tasks" if float(sign_test(value.tasks, 0)) >= least else "changes"


def p_value(value: float) -> str:
    """A p-value: ``0.012``, ``1``, ``below 0.001``."""
    return "below 0.001" if value < 0.001 else f"{value:.2g}"


def agent(found: Setup, own: dict[str, Json] | None = None) -> str:
    """A participant as ``careless with skip 0.5``: its name and its settings.

    `own` are those that differ from its defaults; where None, all are said.
    """
    chosen = found.settings if own is None else own
    return f"{found.name} with {settings(chosen)}" if chosen else found.name


def setup(found: Setup, own: dict[str, Json] | None = None) -> str:
    """The same with its version: ``careless, version 1, with skip 0.5``."""
    chosen = found.settings if own is None else own
    words = f"{found.name}, version {found.version}" if found.version else found.name
    return f"{words}, with {settings(chosen)}" if chosen else words


def origin_text(found: Origin) -> str:
    """Where a recording was read: ``tau2: results.json, entry 3, there called a1b2``."""
    name = "" if found.id is None else f", there called {found.id}"
    return f"{found.form}: {found.source}, entry {found.place}{name}"


def forked(found: Forked, own_step: int | None) -> str:
    """Where a fork goes on from: the session, the step, and what was copied from it."""
    where = f"event {found.seq}" if own_step is None else f"step {own_step} (event {found.seq})"
    before = found.seq - 1
    copied = "nothing was copied" if not before else f"the {plural(before, 'event')} before"
    if before:
        copied += f" {'it is a copy' if before == 1 else 'are copies'}, and paid for there"
    return f"session {found.session}, before its {where}; {copied}"


def settings(found: dict[str, Json]) -> str:
    """Settings as in a sentence: ``passes 1 and skip 0.5``."""
    return listing([f"{name} {value(each)}" for name, each in found.items()])


def value(found: Json) -> str:
    """A setting's value: bare words and numbers, ``none`` for null, settings within in brackets.

    Of a long text, such as a model's instructions, the beginning and how long it is.
    """
    match found:
        case None:
            return "none"
        case dict() if found:
            return f"({settings(found)})"
        case str():
            return str(brief(found)) or '""'
        case _:
            return json_text(brief(found))


def known(found: str | float | None) -> str:
    """A recorded name or number in words; that it is unknown where it is."""
    if found is None:
        return UNKNOWN
    return f"{found:g}" if isinstance(found, float) else str(found)


def plural(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun: ``1 task``, ``2 tasks``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def listing(items: Sequence[str]) -> str:
    """Items as in a sentence: ``a``, ``a and b``, ``a, b and c``."""
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def reason(name: str) -> str:
    """A reason or an ending as words: ``not_run`` as ``not run``."""
    return name.replace("_", " ")


def why_ungraded(ending: Ending) -> str:
    """Why a session that ended so has no grade, as a clause."""
    if ending in STOPS:
        return "the recording holds no message of the call"
    return "the ending says nothing about the agent"


def without_outcome(totals: Totals) -> str:
    """How many lack a graded outcome: ``1 of 24 planned episodes has no graded outcome``."""
    return (
        f"{totals.ungraded:,} of {plural(totals.planned, 'planned episode')} "
        f"{'has' if totals.ungraded == 1 else 'have'} no graded outcome"
    )


def strict_checks(arm: ArmResults) -> str:
    """Where a check of an action and its strict form disagree: ``2 of 38 graded episodes``."""
    return f"{arm.strict_differs:,} of {plural(arm.totals.graded, 'graded episode')}"


def counts(items: Sequence[Count]) -> str:
    """Reasons with their counts: ``not run 12, infrastructure error 2``."""
    return ", ".join(f"{reason(item.name)} {item.count:,}" for item in items)


def usd(value: float | None) -> str:
    """US dollars as ``$1.23``, small sums with four figures that count, ``unknown`` for None."""
    if value is None:
        return UNKNOWN
    if value == 0:
        return "$0"
    return f"${value:,.2f}" if value >= 1 else f"${value:.4g}" if value >= 1e-4 else f"${value:.2g}"


def cost(value: Cost | None) -> str:
    """A side's cost: ``$0.0312 in 60 calls``; what is unknown is said, with what is known of it."""
    if value is None:
        return "no model"
    calls = plural(value.calls, "call")
    tries = plural(value.maybe_charged, "try", "tries")
    more = f", and {tries} that may have been charged" if value.maybe_charged else ""
    if not value.unpriced:
        return f"{usd(value.usd)} in {calls}{more}"
    if value.unpriced == value.calls:
        return f"{UNKNOWN}, {calls}{more}"
    rest = f"{value.unpriced:,} without a price, the rest {usd(value.usd)}"
    return f"{UNKNOWN}, {calls} ({rest}){more}"


def answered(value: Mapping[str, Mapping[str, int]]) -> str:
    """Who answered as the customer, where it was more than one: ``base: a 1 of 9 calls, b ...``.

    `value` has the calls of each name by arm. Empty where one name answered all, or none did.
    """
    if len({name for counts in value.values() for name in counts}) < 2:
        return ""
    return "; ".join(
        f"{arm}: "
        + ", ".join(
            f"{name} {count:,} of {plural(sum(counts.values()), 'call')}"
            for name, count in sorted(counts.items())
        )
        for arm, counts in value.items()
    )


def faults(value: Faults | None, cost: Cost | None) -> str:
    """The simulator's faults: ``7 of 320 replies, in 3 of 40 episodes``.

    ``not looked for`` where a model was asked, which `cost` tells, and no guard was on;
    ``no model`` for a scripted simulator.
    """
    if value is None:
        return "no model" if cost is None else "not looked for"
    replies = "" if cost is None else f" of {plural(cost.calls, 'reply', 'replies')}"
    episodes = plural(value.episodes, "episode")
    return f"{value.count:,}{replies}, in {value.in_episodes:,} of {episodes}"
