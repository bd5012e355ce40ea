"""What ``replay`` and ``fork`` print: what was changed, and what became of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ringback.canonical import Json
    from ringback.episode.events import Start
    from ringback.models import Models
    from ringback.replay.changes import Change
    from ringback.replay.fork import ForkPlan
    from ringback.replay.outcome import Outcome, Pair
    from ringback.replay.parents import Passed
    from ringback.replay.rerun import ReplayPlan
    from ringback.sessions import Unread

__all__ = ["Chosen", "play_and_tell"]

_MOST_LISTED = 40
_LONGEST = 60
_MANY = 1_000
"""With more episodes than this it may take a while before the first one ends."""
_CHANCE = (
    "so the difference says nothing: whom chance had failed, or favored, another draw brings back "
    "to the middle with nothing changed."
)
_SAYS_NOTHING = {
    "outcome": f"Chosen by their outcome, {_CHANCE}",
    "alike": f"Those named had all come out alike, as if chosen by it, {_CHANCE}",
    "alone": (
        "One call says nothing of a difference: another draw of it may come out otherwise with "
        "nothing changed."
    ),
}


class Chosen(NamedTuple):
    """How many replays and forks were left out, and why no difference is read, if none is."""

    left_out: int
    unread: Unread | None


def play_and_tell(
    plans: Sequence[ReplayPlan] | Sequence[ForkPlan],
    passed: Sequence[Passed],
    chosen: Chosen,
    what: tuple[str, str],
    store: Path,
    opened: Models,
    *,
    jobs: int,
    workers: int,
    json: bool,
    notes: Sequence[str] = (),
) -> int:
    """Say what is planned, play what is missing, prove what was changed, print what became of it.

    `what` are the words for one of them and for what was done: ("replay", "replayed").
    """
    from ringback.cli import playing
    from ringback.cli.output import complain, print_json, print_paragraphs
    from ringback.replay.outcome import outcome
    from ringback.report.wording import plural
    from ringback.sessions import Store

    planned = sum(plan.episodes for plan in plans)
    if planned > _MANY:
        sys.stderr.write(f"planned: {plural(planned, 'episode')}\n")
        sys.stderr.flush()
    missing = [plan for plan in plans if plan.episodes]
    new = 0
    for first in _firsts(missing):
        # What a model does not take, or a gateway serves in its place, shows in one session.
        before, stop = playing.play(first, store, opened, jobs=jobs, workers=workers)
        new += first.episodes - before
        if stop is None:
            with Store.open(store, write=False) as there:
                outcome([first], there)
    reused, stopped = playing.play(missing, store, opened, jobs=jobs, workers=workers)
    reused -= new
    with Store.open(store, write=False) as there:
        found = outcome(plans, there)
    found_notes = [*notes, *found.notes]
    if json:
        shown = _object(plans, found, passed, chosen, planned, reused)
        print_json(shown | {"notes": found_notes, "store": str(store), "stopped": stopped})
    else:
        lines = _report(plans, found, passed, chosen, what, found_notes, planned, reused)
        print_paragraphs(lines)
    if stopped is not None:
        complain(stopped)
        return playing.UNFINISHED
    return 0


def _firsts(plans: Sequence[ReplayPlan | ForkPlan]) -> Iterator[ReplayPlan | ForkPlan]:
    """Of each setup that asks a model and has several episodes, the first alone."""
    from msgspec.structs import replace

    from ringback.replay.fork import ForkPlan

    for plan in plans:
        if not plan.arms[0].models or plan.episodes < 2:
            continue
        if isinstance(plan, ForkPlan):
            yield replace(plan, arms=plan.arms[:1], points=plan.points[:1])
        else:
            own = [each for each in plan.parents if each.draw not in plan.elsewhere]
            yield replace(plan, arms=plan.arms[:1], parents=tuple(own[:1]))


def _object(
    plans: Sequence[ReplayPlan] | Sequence[ForkPlan],
    found: Outcome,
    passed: Sequence[Passed],
    chosen: Chosen,
    planned: int,
    reused: int,
) -> dict[str, Any]:
    return {
        "arms": [
            {
                "name": entry.name,
                "plan": place,
                "agent": entry.arm.agent,
                "policy": entry.arm.policy,
                "changes": _changes(plan),
                "user": plan.condition.user,
                "limits": plan.condition.limits,
            }
            for place, plan in enumerate(plans)
            for entry in plan.arms
        ],
        "planned": planned,
        "reused": reused,
        "left_out": chosen.left_out,
        "chosen_by_outcome": chosen.unread in ("outcome", "alike"),
        "difference_unread": chosen.unread,
        "paired": sum(pair.paired for pair in found.pairs),
        "compared": [_compared(place, plan, found, chosen) for place, plan in enumerate(plans)],
        "sessions": found.pairs,
        "passed_over": passed,
    }


def _compared(
    place: int, plan: ReplayPlan | ForkPlan, found: Outcome, chosen: Chosen
) -> dict[str, Any]:
    from ringback.replay.outcome import compared

    pairs = [pair for pair in found.pairs if pair.plan == place and pair.paired]
    return {
        "plan": place,
        "parent_arm": _start(plan).arm_name,
        "paired": len(pairs),
        "solved_before": sum(pair.before is True for pair in pairs),
        "solved_after": sum(pair.after is True for pair in pairs),
        "difference": compared(pairs) if pairs and chosen.unread is None else None,
    }


def _report(
    plans: Sequence[ReplayPlan] | Sequence[ForkPlan],
    found: Outcome,
    passed: Sequence[Passed],
    chosen: Chosen,
    what: tuple[str, str],
    notes: Sequence[str],
    planned: int,
    reused: int,
) -> Iterator[str]:
    from ringback.report.wording import plural

    one, done = what
    yield f"{plural(planned, one)}" + (f", {reused} of them there before" if reused else "")
    for plan in plans:
        yield f"  {_setup(plan)}"
    yield ""
    yield from _figures(plans, found, chosen)
    yield from _not_paired(found, one)
    for each in passed[:_MOST_LISTED]:
        yield f"Not {done}: session {each.session}, since {each.why}."
    yield from _more(len(passed))
    if many := chosen.left_out:
        yield (
            f"Left out: {plural(many, 'session')} that {'is' if many == 1 else 'are'} replays or "
            "forks themselves; an id or arm=NAME takes them."
        ).replace("is replays or forks themselves", "is a replay or fork itself")
    for note in notes:
        yield f"Note: {note}"
    yield ""
    yield "Read two side by side with `ringback compare A B`."


def _start(plan: ReplayPlan | ForkPlan) -> Start:
    from ringback.replay.fork import ForkPlan

    parent = plan.points[0].parent if isinstance(plan, ForkPlan) else plan.parents[0]
    return parent.start


def _setup(plan: ReplayPlan | ForkPlan) -> str:
    names = [entry.name for entry in plan.arms]
    many = f" to {names[-1]}" if len(names) > 1 else ""
    changes = ", ".join(_change(each) for each in _changes(plan))
    return (
        f"{names[0]}{many}, of {_recorded(plan)}; changed: "
        f"{changes or 'nothing, a second draw of the same'}"
    )


def _recorded(plan: ReplayPlan | ForkPlan) -> str:
    from ringback.report.plain import one_line

    start = _start(plan)
    whose = "" if start.origin is None else f", read from {start.origin.form}"
    return f"the arm {one_line(start.arm_name, _LONGEST)} as recorded{whose}"


def _changes(plan: ReplayPlan | ForkPlan) -> tuple[Change, ...]:
    from ringback.replay.changes import told_changes

    return told_changes(_start(plan), plan.arms[0].arm, plan.condition.user)


def _change(change: Change) -> str:
    return f"{change.what} {_value(change.was)} -> {_value(change.now)}"


def _value(value: Json) -> str:
    """A value in a line; of a long text or one of several lines how long it is, and its digest."""
    from ringback.canonical import digest
    from ringback.report import wording

    if isinstance(value, str) and ("\n" in value or len(value) > _LONGEST):
        return f"a text of {len(value):,} characters ({digest(value)[:12]})"
    return wording.value(value)


def _figures(
    plans: Sequence[ReplayPlan] | Sequence[ForkPlan], found: Outcome, chosen: Chosen
) -> Iterator[str]:
    from ringback.replay.outcome import compared
    from ringback.report.wording import difference, plural, reading_alone

    told = 0
    for place, plan in enumerate(plans):
        pairs = [pair for pair in found.pairs if pair.plan == place and pair.paired]
        if not pairs:
            continue
        before = sum(pair.before is True for pair in pairs)
        after = sum(pair.after is True for pair in pairs)
        yield (
            f"{plan.arms[0].name} of {_start(plan).arm_name}: of {plural(len(pairs), 'pair')}, "
            f"{before} solved as recorded and {after} as replayed."
        )
        flips = [pair for pair in pairs if pair.flipped]
        if chosen.unread is not None:
            yield _SAYS_NOTHING[chosen.unread]
        else:
            said = compared(pairs)
            yield (
                f"Difference: {difference(said)}; unadjusted, by the interval alone: "
                f"{said.unadjusted}; ours: {reading_alone(said)}."
            )
            told += 1
        if not flips:
            yield "No outcome changed."
        for pair in flips[:_MOST_LISTED]:
            yield f"  {'now solved' if pair.after else 'no longer '}  {_pair(pair)}"
        yield from _more(len(flips))
    if told > 1:
        yield (
            f"Each of the {told} differences is read as if it were the only one: nothing is "
            "adjusted across setups."
        )


def _not_paired(found: Outcome, one: str) -> Iterator[str]:
    from ringback.report.wording import plural

    others: dict[str, list[Pair]] = {}
    for pair in found.pairs:
        if not pair.paired:
            others.setdefault(pair.why or "", []).append(pair)
    for why, pairs in others.items():
        made = {pair.session or (pair.parent, pair.arm): pair for pair in pairs}.values()
        solved = sum(pair.after is True for pair in made)
        graded = sum(pair.after is not None for pair in made)
        yield (
            f"{plural(len(made), one)} not paired, since {why}. Of {graded} with an outcome, "
            f"{solved} solved; these counts are no rate of an arm."
        )
        for pair in pairs[:_MOST_LISTED]:
            yield f"  {_solved(pair.before)} -> {_solved(pair.after)}  {_pair(pair)}"
        yield from _more(len(pairs))


def _pair(pair: Pair) -> str:
    return f"{pair.parent[:12]} {(pair.session or '-')[:12]}  {pair.task}, trial {pair.trial}"


def _solved(value: bool | None) -> str:
    return f"{'no outcome' if value is None else 'solved' if value else 'not solved':<10}"


def _more(count: int) -> Iterator[str]:
    if count > _MOST_LISTED:
        yield f"  and {count - _MOST_LISTED} more; --json lists all"
