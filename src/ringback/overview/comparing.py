"""Arms of one condition against the baseline, paired by draw: task, trial and seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

from ringback.overview.arms import by_case
from ringback.overview.model import Arm, Facts, Flip, Picked, Versus
from ringback.overview.picked import Choice
from ringback.overview.reading import Seen
from ringback.report.comparing import is_graded, is_solved
from ringback.report.failing import counted
from ringback.stats import Tally, arm_tests, claimed, paired_difference

__all__ = ["baseline_of", "comparisons"]

_Draw = tuple[str, int, int]


class _Pairs(Struct, frozen=True):
    """The pairs of an arm with the baseline, and why other draws make none."""

    tallies: tuple[Tally, ...]
    flips: tuple[Flip, ...]
    unpaired: Counter[str]


def baseline_of(
    arms: Sequence[Arm], sessions: Mapping[str, Sequence[Seen]], asked: str | None
) -> str | None:
    """The arm that the others are compared with: the one asked for, else the one of most pairs.

    A pair is a draw that an arm shares with another and of which both have an outcome, whichever.
    Of equals that of most sessions is taken, then the first; `arms` stand in the order of their
    beginning. None where there is no arm of the name asked for.
    """
    if asked is not None:
        return next((arm.name for arm in arms if arm.name == asked), None)
    draws = {arm.name: _usable(sessions[arm.name]) for arm in arms}
    having = Counter(draw for some in draws.values() for draw in some)

    def pairs(arm: Arm) -> int:
        return sum(having[draw] - 1 for draw in draws[arm.name])

    return max(arms, key=lambda arm: (pairs(arm), arm.sessions)).name


def comparisons(
    facts: Facts,
    arms: Sequence[Arm],
    sessions: Mapping[str, Sequence[Seen]],
    baseline: str,
    picked: Mapping[str, Choice | None],
) -> tuple[Versus, ...]:
    """Each arm but the baseline against it; `sessions` are those of the arms, by their names.

    The exact tests are adjusted by Holm's method over all arms that are not the baseline's content
    again. Nothing is read from sessions and replays that were `picked` by how these had come out.
    """
    by_name = {arm.name: arm for arm in arms}
    base = by_name[baseline]
    others = [arm for arm in arms if arm is not base]
    pairs = {arm.name: _pairs(base, sessions[base.name], arm, sessions[arm.name]) for arm in others}
    unread: dict[str, Picked | None] = {
        arm.name: _picked_from(picked[arm.name], sessions[base.name])
        or _picked_from(picked[base.name], sessions[arm.name])
        for arm in others
    }
    tested = [
        arm
        for arm in others
        if arm.digest != base.digest and pairs[arm.name].tallies and not unread[arm.name]
    ]
    found = arm_tests(
        [pairs[arm.name].tallies for arm in tested],
        seed=facts.bootstrap_seed,
        draws=facts.resamples,
        level=facts.level,
    )
    tests = {arm.name: test for arm, test in zip(tested, found, strict=True)}
    made: list[Versus] = []
    for arm in others:
        mine, test, why = pairs[arm.name], tests.get(arm.name), unread[arm.name]
        difference = None
        if mine.tallies and not why:
            difference = paired_difference(
                mine.tallies,
                seed=facts.bootstrap_seed,
                resamples=facts.resamples,
                level=facts.level,
            )
        made.append(
            Versus(
                arm=arm.name,
                baseline=baseline,
                pairs=sum(tally.pairs for tally in mine.tallies),
                unpaired=counted(mine.unpaired.elements()),
                difference=difference,
                test=test,
                claimed=None if difference is None else claimed(difference, test, len(tests)),
                again=arm.digest == base.digest,
                flips=() if why else mine.flips,
                unread=why,
            )
        )
    return tuple(made)


def _picked_from(choice: Choice | None, sessions: Sequence[Seen]) -> Picked | None:
    if choice is None or choice.sessions.isdisjoint(seen.row.id for seen in sessions):
        return None
    return choice.picked


def _usable(sessions: Sequence[Seen]) -> list[_Draw]:
    """The draws that are there once, with an outcome."""
    return [
        draw
        for draw, some in _draws(sessions, Counter()).items()
        if len(some) == 1 and is_graded(some[0].cell)
    ]


def _pairs(base: Arm, theirs: Sequence[Seen], arm: Arm, mine: Sequence[Seen]) -> _Pairs:
    unpaired: Counter[str] = Counter()
    here, there = _draws(mine, unpaired), _draws(theirs, unpaired)
    unpaired[f"only in {arm.name}"] += len(here.keys() - there.keys())
    unpaired[f"only in {base.name}"] += len(there.keys() - here.keys())
    by_task: dict[str, list[tuple[_Draw, Seen, Seen]]] = {}
    for task in by_case([*mine, *theirs]):
        by_task[task] = []
    for draw in sorted(here.keys() & there.keys()):
        one, other = here[draw], there[draw]
        if len(one) > 1 or len(other) > 1:
            unpaired["several sessions of one draw"] += 1
        elif not (is_graded(one[0].cell) and is_graded(other[0].cell)):
            unpaired["no graded outcome"] += 1
        else:
            by_task[draw[0]].append((draw, one[0], other[0]))
    tallies: list[Tally] = []
    flips: list[Flip] = []
    for found in by_task.values():
        changed = [
            Flip(*draw, is_solved(one.cell), other.row.id, one.row.id)
            for draw, one, other in found
            if is_solved(one.cell) != is_solved(other.cell)
        ]
        if found:
            better = sum(flip.better for flip in changed)
            tallies.append(Tally(len(found), better, len(changed) - better))
        flips += changed
    return _Pairs(tuple(tallies), tuple(flips), unpaired)


def _draws(sessions: Sequence[Seen], unpaired: Counter[str]) -> dict[_Draw, list[Seen]]:
    """The sessions by draw; those whose draw is not known whole are counted."""
    found: dict[_Draw, list[Seen]] = {}
    for seen in sessions:
        task, trial, seed = seen.row.task, seen.row.trial, seen.row.seed
        if task is None or trial is None or seed is None:
            unpaired["task, trial or seed not known"] += 1
        else:
            found.setdefault((task, trial, seed), []).append(seen)
    return found
