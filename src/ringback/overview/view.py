"""What the page shows of each condition, in words: rows of its tables and of its drawings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from ringback.domain import SIDES
from ringback.grading.blame import BLAMES, Blame
from ringback.overview import words
from ringback.overview.model import Arm, Condition, ToolUse, Versus
from ringback.overview.session_list import href, parts
from ringback.report import wording
from ringback.report.charts import Mark
from ringback.report.failing import LAID_TO
from ringback.report.plain import one_line
from ringback.stats import FEW_TASKS

__all__ = [
    "ConditionView",
    "condition_view",
    "difference_marks",
    "rate_marks",
]

_CHANGES = 12  # an arm with more changes has them folded


class ArmRow(Struct, frozen=True, kw_only=True):
    """An arm in the tables of rates and of what it did."""

    name: str
    about: str
    baseline: bool
    solved: str
    graded: str
    percent: str
    interval: str
    worth: str
    ungraded: str
    reasons: str
    could_be: str
    repairable: str
    unrepairable: str
    sessions: str
    tasks: str
    endings: str
    steps: str
    steps_more: str
    cost: str
    per_solved: str
    user_cost: str
    faults: str
    conduct: str
    strict: str
    full: tuple[tuple[str, str], ...]


class PairRow(Struct, frozen=True, kw_only=True):
    """An arm in the table of differences."""

    name: str
    again: bool
    points: str
    interval: str
    gained: str
    pairs: str
    unpaired: str
    unadjusted: str
    reading: str
    verdict_class: str
    tests: tuple[str, ...]
    folded: bool
    flips: tuple[FlipRow, ...]


class FlipRow(Struct, frozen=True):
    """A draw that changed: its task and place, which way, the two sessions' pages."""

    task: tuple[str, ...]
    place: str
    better: bool
    here: str | None
    there: str | None


class CountRow(Struct, frozen=True):
    """A line of a table with an arm a column; `kind` marks those that stand under a head."""

    name: str
    kind: bool
    cells: tuple[tuple[str, str], ...]


class ConditionView(Struct, frozen=True, kw_only=True):
    """A condition as the page shows it."""

    name: str
    sessions: str
    about: tuple[tuple[str, str], ...]
    baseline: str
    arms: tuple[ArmRow, ...]
    nothing: str
    pairs: tuple[PairRow, ...]
    readings: tuple[str, str]
    readings_told: str
    few: int
    band: bool
    failures: tuple[CountRow, ...]
    tools: tuple[tuple[str, tuple[CountRow, ...]], ...]


def condition_view(found: Condition, pages: Collection[str]) -> ConditionView:
    """All of a condition; `pages` are the sessions that have a page of their own."""
    tests = sum(each.test is not None for each in found.versus)
    return ConditionView(
        name=found.name,
        sessions=wording.plural(found.sessions, "session"),
        about=tuple(_about(found)),
        baseline=found.baseline or "",
        arms=tuple(
            _arm(arm, arm.name == found.baseline and not found.unread) for arm in found.arms
        ),
        nothing=""
        if found.unread is None
        else f"{words.SAYS_NOTHING[found.unread]}: no difference is read.",
        pairs=tuple(_pair(each, pages) for each in found.versus),
        readings=wording.readings(tests),
        readings_told=words.readings_told(found),
        few=FEW_TASKS if any(map(words.few_told, found.versus)) else 0,
        band=any(
            each.again and each.difference and each.difference.interval for each in found.versus
        ),
        failures=tuple(_failures(found.arms)),
        tools=tuple(_tools(found.arms)),
    )


def rate_marks(found: Condition) -> tuple[Mark, ...]:
    """The rows of the drawing of rates; those that have one."""
    return tuple(
        Mark(
            one_line(arm.name, 60),
            f"{words.solved(arm.rate)} · {wording.percent(arm.rate.rate)}",
            arm.rate.rate,
            None if arm.rate.interval is None else arm.rate.interval.low,
            None if arm.rate.interval is None else arm.rate.interval.high,
            "baseline" if arm.name == found.baseline and not found.unread else "arm",
        )
        for arm in found.arms
        if arm.rate.rate is not None
    )


def difference_marks(found: Condition) -> tuple[Mark, ...]:
    """The rows of the drawing of differences; those that have one.

    How an interval came about stands in the table; a row has room for its ends.
    """
    return tuple(
        Mark(
            one_line(each.arm, 60),
            f"{wording.points(value.difference)} [{wording.interval_ends(value)}]"
            + (f", {wording.FEW}" if words.few_told(each) else ""),
            value.difference,
            None if value.interval is None else value.interval.low,
            None if value.interval is None else value.interval.high,
            "noise" if each.again else "arm",
            clear=each.claimed != "not distinguishable",
        )
        for each in found.versus
        if (value := each.difference) is not None
    )


def _about(found: Condition) -> Iterator[tuple[str, str]]:
    yield "World", f"{words.domain(found)}, version {found.world}; checks of version {found.grader}"
    yield "Customer", wording.setup(found.user)
    yield "Cut off at", words.limits_text(found)
    yield "Recorded by", words.origins(found)
    if found.differs:
        yield "Otherwise than in A", "; ".join(found.differs)


def _arm(arm: Arm, baseline: bool) -> ArmRow:
    steps = arm.steps
    known = "" if steps is None or steps.least is None else f"{steps.least:,} to {steps.most:,}"
    tasks = wording.plural(arm.tasks, "task")
    worth = f"not read: {words.picked(arm)}" if arm.picked else ""
    if arm.rate.effective is not None:
        worth = f"worth {arm.rate.effective:,.1f} independent ones"
    full = [
        ("agent", wording.setup(arm.agent)),
        ("policy", arm.policy or wording.UNKNOWN),
        ("models asked", words.asked(arm)),
        ("content", arm.digest),
        ("graded by checks", wording.counts(arm.graders) or "none"),
    ]
    if arm.recorded_as != arm.name:
        full.insert(0, ("recorded as", arm.recorded_as))
    return ArmRow(
        name=arm.name,
        about=words.called(arm),
        baseline=baseline,
        solved=f"{arm.rate.solved:,}",
        graded=f"{arm.graded:,}",
        percent=wording.percent(arm.rate.rate) if arm.rate.rate is not None else "",
        interval="" if arm.rate.interval is None else wording.percent_interval(arm.rate.interval),
        worth=worth,
        ungraded=f"{arm.ungraded:,}",
        reasons=wording.counts(arm.reasons),
        could_be=words.could_be(arm),
        repairable=_part(arm.repairable.solved, arm.repairable.graded),
        unrepairable=_part(arm.unrepairable.solved, arm.unrepairable.graded),
        sessions=wording.plural(arm.sessions, "session"),
        tasks=tasks if not arm.unknown_tasks else f"{tasks}, {arm.unknown_tasks:,} unknown",
        endings=wording.counts(arm.endings) or "none ended",
        steps=wording.UNKNOWN if steps is None else f"{steps.median:g}",
        steps_more=known,
        cost=words.agent_cost(arm),
        per_solved=words.per_solved(arm),
        user_cost=words.user_cost(arm),
        faults=words.faults(arm),
        conduct=wording.counts(arm.conduct) or "none noted",
        strict=f"{arm.strict_differs:,} of {arm.graded:,}",
        full=tuple(full),
    )


def _part(solved: int, graded: int) -> str:
    return f"{solved:,} of {graded:,}" if graded else "none"


def _pair(found: Versus, pages: Collection[str]) -> PairRow:
    value, test = found.difference, found.test
    tests = () if test is None else (wording.p_value(test.p), wording.p_value(test.adjusted))
    flips = tuple(
        FlipRow(
            parts(each.task),
            f"trial {each.trial}, seed {each.seed}",
            each.better,
            href(each.session, pages),
            href(each.baseline, pages),
        )
        for each in found.flips
    )
    told = found.claimed if found.claimed in ("better", "worse") else "same"
    return PairRow(
        name=found.arm,
        again=found.again,
        points=("not read" if found.unread else "")
        if value is None
        else wording.points(value.difference),
        interval="" if value is None else wording.difference_ends(value),
        gained="" if value is None else f"+{value.better:,} · −{value.worse:,}",
        pairs=f"{found.pairs:,}",
        unpaired=words.unpaired(found),
        unadjusted=words.unadjusted(found),
        reading=words.reading(found),
        verdict_class="verdict" if told != "same" else "same",
        tests=tests,
        folded=len(flips) > _CHANGES,
        flips=flips,
    )


def _failures(arms: Sequence[Arm]) -> Iterator[CountRow]:
    """Whom failures are laid to, then the kinds, the commonest first; nothing without a failure."""
    failed = [sum(each.episodes for each in arm.failures) + arm.unblamed for arm in arms]
    if not any(failed):
        return

    def row(name: str, counts: Sequence[int], kind: bool) -> CountRow:
        return CountRow(
            name,
            kind,
            tuple((f"{count:,}", f"of {of:,}") for count, of in zip(counts, failed, strict=True)),
        )

    for blame in BLAMES:
        counts = [_laid_to(arm, blame) for arm in arms]
        if any(counts):
            name = LAID_TO[blame] if blame == "undecided" else f"laid to {LAID_TO[blame]}"
            yield row(name, counts, False)
    if any(arm.unblamed for arm in arms):
        yield row("nobody asked to whom", [arm.unblamed for arm in arms], False)
    kinds: dict[str, list[int]] = {}
    for place, arm in enumerate(arms):
        for each in arm.failures:
            for count in each.kinds:
                kinds.setdefault(count.name, [0] * len(arms))[place] += count.count
    for name, counts in sorted(kinds.items(), key=lambda each: (-sum(each[1]), each[0])):
        yield row(wording.reason(name), counts, True)


def _laid_to(arm: Arm, blame: Blame) -> int:
    return sum(each.episodes for each in arm.failures if each.blame == blame)


def _tools(arms: Sequence[Arm]) -> Iterator[tuple[str, tuple[CountRow, ...]]]:
    """Who called what, by side, an arm a column; the commonest first."""
    for side in SIDES:
        uses = [{use.tool: use for use in arm.tools if use.side == side} for arm in arms]
        total: Counter[str] = Counter()
        for each in uses:
            total.update({tool: use.calls for tool, use in each.items()})
        if total:
            yield (
                "The agent’s calls" if side == "agent" else "The customer’s calls",
                tuple(
                    CountRow(tool, False, tuple(_calls(each.get(tool)) for each in uses))
                    for tool, _ in sorted(total.items(), key=lambda each: (-each[1], each[0]))
                ),
            )


def _calls(use: ToolUse | None) -> tuple[str, str]:
    if use is None:
        return "0", ""
    beside = [wording.plural(use.errors, "error")] if use.errors else []
    beside += [f"{use.unanswered:,} unanswered"] if use.unanswered else []
    return f"{use.calls:,}", ", ".join(beside)
