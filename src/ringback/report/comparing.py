"""Arms against the baseline, paired by task and trial, and against one another.

Every planned pair counts; an episode without a graded outcome counts as unsolved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from ringback.domain import Task
from ringback.episode.parting import Parting
from ringback.report.facts import is_candidate, unread
from ringback.report.model import (
    ArmFacts,
    Cell,
    Comparison,
    Flip,
    FlipPair,
    PairCounts,
    PartsAt,
    StudyFacts,
    Tied,
    TiedArm,
)
from ringback.report.plain import one_line
from ringback.report.wording import too_few
from ringback.stats import (
    ArmTest,
    PairedDifference,
    Standing,
    Tally,
    TiedSet,
    arm_tests,
    claimed,
    few_changed,
    half_width,
    paired_difference,
    paired_differences,
    tied_set,
)

__all__ = [
    "Grid",
    "Partings",
    "Trials",
    "cells_of",
    "comparisons",
    "is_graded",
    "is_solved",
    "kept_pairs",
    "tied",
]

_SHOWN = 160  # characters of what two calls part in
_BEFORE = 60  # characters of what they share before it

Trials: TypeAlias = tuple[Cell, ...]
Grid: TypeAlias = Mapping[str, Mapping[str, Trials]]  # arm, task
Partings: TypeAlias = Callable[[str, str], Parting | None]
"""Where two sessions part, by their ids: the baseline's, then the arm's."""


def cells_of(by_task: Mapping[str, Trials]) -> list[Cell]:
    """All episodes of an arm, task by task."""
    return [cell for trials in by_task.values() for cell in trials]


def comparisons(
    facts: StudyFacts, grid: Grid, partings: Partings | None = None
) -> dict[str, Comparison]:
    """Each arm but the baseline against it, by the arm's name."""
    baseline, *others = facts.arms
    base = grid[baseline.name]

    def tallies(arm: ArmFacts, tasks: Sequence[Task]) -> list[Tally]:
        return [_tally(grid[arm.name][task.id], base[task.id]) for task in tasks]

    def differences(part: Callable[[Task], bool]) -> Sequence[PairedDifference | None]:
        tasks = [task for task in facts.tasks if part(task)]
        if not tasks:
            return [None] * len(others)
        return paired_differences(
            [tallies(arm, tasks) for arm in others],
            seed=facts.bootstrap_seed,
            resamples=facts.resamples,
            level=facts.level,
        )

    candidates = [arm for arm in others if is_candidate(arm)]
    found = arm_tests(
        [tallies(arm, facts.tasks) for arm in candidates],
        seed=facts.bootstrap_seed,
        draws=facts.resamples,
        level=facts.level,
    )
    tests = {arm.name: test for arm, test in zip(candidates, found, strict=True)}
    parts = zip(
        others,
        differences(lambda _: True),
        differences(lambda task: task.repairable),
        differences(lambda task: not task.repairable),
        strict=True,
    )
    return {
        arm.name: _comparison(
            facts,
            arm,
            grid,
            (whole, repairable, unrepairable),
            tests.get(arm.name),
            len(tests),
            partings,
        )
        for arm, whole, repairable, unrepairable in parts
        if whole is not None
    }


def tied(facts: StudyFacts, grid: Grid, versus: Mapping[str, Comparison]) -> Tied | None:
    """Which of the baseline and the arms may be best; None without an arm beside the baseline."""
    candidates = [facts.arms[0], *(arm for arm in facts.arms[1:] if is_candidate(arm))]
    if len(candidates) < 2:
        return None
    found = _tied_set(facts, grid, candidates, [is_solved] * len(candidates))
    names = [arm.name for arm in candidates]
    return Tied(
        best=names[found.best],
        arms=tuple(
            TiedArm(
                names[each.arm],
                each.difference,
                each.interval,
                each.may_be_best,
                tuple(names[other] for other in each.beaten_by),
            )
            for each in found.contenders
        ),
        settled=all(versus[name].settled for name in names[1:])
        and _order_settled(facts, grid, candidates, found),
    )


def _order_settled(
    facts: StudyFacts, grid: Grid, candidates: Sequence[ArmFacts], found: TiedSet
) -> bool:
    """Whether who may be best is the same whatever the ungraded episodes had come to.

    Each candidate is tried with all its ungraded episodes solved and all others' unsolved, and the
    other way round: between these lies whatever two of them can come to.
    """
    cells = {arm.name: cells_of(grid[arm.name]) for arm in candidates}
    if all(is_graded(cell) for each in cells.values() for cell in each):
        return True
    may = [each.may_be_best for each in found.contenders]
    for favoured in candidates:
        for good, rest in ((_might_be_solved, is_solved), (is_solved, _might_be_solved)):
            solved = [good if arm is favoured else rest for arm in candidates]
            tried = _tied_set(facts, grid, candidates, solved)
            if [each.may_be_best for each in tried.contenders] != may:
                return False
    return True


def _tied_set(
    facts: StudyFacts,
    grid: Grid,
    candidates: Sequence[ArmFacts],
    solved: Sequence[Callable[[Cell], bool]],
) -> TiedSet:
    return tied_set(
        [
            [sum(map(counts, grid[arm.name][task.id])) for task in facts.tasks]
            for arm, counts in zip(candidates, solved, strict=True)
        ],
        [facts.trials] * len(facts.tasks),
        seed=facts.bootstrap_seed,
        resamples=facts.resamples,
        level=facts.level,
    )


def kept_pairs(
    facts: StudyFacts,
    arm: Mapping[str, Trials],
    baseline: Mapping[str, Trials],
    kept: Callable[[Cell], bool],
) -> PairedDifference | None:
    """The difference over the pairs of which both are kept, on the tasks that have such a pair."""
    tallies: list[Tally] = []
    for task in facts.tasks:
        both = [
            (a, b)
            for a, b in zip(arm[task.id], baseline[task.id], strict=True)
            if kept(a) and kept(b)
        ]
        if both:
            tallies.append(_tally(tuple(a for a, _ in both), tuple(b for _, b in both)))
    return _difference(facts, tallies) if tallies else None


def is_graded(cell: Cell) -> bool:
    """Whether there is a graded outcome."""
    return cell.outcome != "ungraded"


def is_solved(cell: Cell) -> bool:
    """Whether it counts as solved; without a graded outcome it does not."""
    return cell.outcome == "solved"


def _might_be_solved(cell: Cell) -> bool:
    return cell.outcome != "unsolved"


def _tally(
    arm: Trials,
    baseline: Trials,
    arm_solved: Callable[[Cell], bool] = is_solved,
    baseline_solved: Callable[[Cell], bool] = is_solved,
) -> Tally:
    pairs = [(arm_solved(a), baseline_solved(b)) for a, b in zip(arm, baseline, strict=True)]
    return Tally(len(pairs), sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs))


def _comparison(
    facts: StudyFacts,
    arm: ArmFacts,
    grid: Grid,
    differences: tuple[PairedDifference, PairedDifference | None, PairedDifference | None],
    test: ArmTest | None,
    tests: int,
    partings: Partings | None,
) -> Comparison:
    difference, repairable, unrepairable = differences
    baseline = facts.arms[0]
    mine, base = grid[arm.name], grid[baseline.name]
    graded = Counter(
        (is_graded(a), is_graded(b)) for a, b in zip(cells_of(mine), cells_of(base), strict=True)
    )
    pairs = PairCounts(
        planned=graded.total(),
        both=graded[True, True],
        only_arm=graded[True, False],
        only_baseline=graded[False, True],
        neither=graded[False, False],
    )
    complete = pairs.both == pairs.planned
    never_read = unread(arm) is not None
    return Comparison(
        difference=difference,
        completed=None if complete else kept_pairs(facts, mine, base, is_graded),
        settled=complete or _extremes(facts, mine, base) == {_says(difference)},
        repairable=repairable,
        unrepairable=unrepairable,
        pairs=pairs,
        flips=tuple(_flips(facts, mine, base, partings)),
        by_construction=(arm.role == "noise" or never_read)
        and arm.deterministic
        and baseline.deterministic,
        few=few_changed(difference),
        unread=never_read,
        test=test,
        half_width=half_width(difference),
        claimed=claimed(difference, test, tests),
    )


def _flips(
    facts: StudyFacts,
    arm: Mapping[str, Trials],
    baseline: Mapping[str, Trials],
    partings: Partings | None,
) -> Iterator[Flip]:
    for task in facts.tasks:
        pairs = [
            FlipPair(
                trial, is_solved(mine), base.session, mine.session, _parts(base, mine, partings)
            )
            for trial, (mine, base) in enumerate(zip(arm[task.id], baseline[task.id], strict=True))
            if is_solved(mine) != is_solved(base)
        ]
        if pairs:
            better = sum(pair.better for pair in pairs)
            yield Flip(task.id, better, len(pairs) - better, tuple(pairs))


def _parts(base: Cell, mine: Cell, partings: Partings | None) -> PartsAt | None:
    if partings is None or base.session is None or mine.session is None:
        return None
    found = partings(base.session, mine.session)
    if found is None:
        return None
    here, there = (None, None) if found.kind == "world" else _apart(found.b, found.a)
    return PartsAt(found.kind, found.step, found.seq_b, found.seq_a, found.words, here, there)


def _apart(here: str | None, there: str | None) -> tuple[str | None, str | None]:
    """Two texts from shortly before they differ, on a line each."""
    start = 0
    if here is not None and there is not None:
        pairs = enumerate(zip(here, there, strict=False))
        same = next((at for at, (a, b) in pairs if a != b), min(len(here), len(there)))
        start = 0 if same <= _BEFORE else here.rfind(" ", 0, same - _BEFORE // 2) + 1
    lead = "… " if start else ""
    shown = [
        None if text is None else one_line(lead + text[start:], _SHOWN) for text in (here, there)
    ]
    return shown[0], shown[1]


def _extremes(
    facts: StudyFacts, arm: Mapping[str, Trials], baseline: Mapping[str, Trials]
) -> set[tuple[Standing, int]]:
    """What the comparison says if every ungraded episode had favoured the arm, and if it had not.

    All that lies between them follows, since no end of the interval falls when the arm gains.
    """
    return {
        _says(
            _difference(
                facts, [_tally(arm[task.id], baseline[task.id], *solved) for task in facts.tasks]
            )
        )
        for solved in ((_might_be_solved, is_solved), (is_solved, _might_be_solved))
    }


def _says(found: PairedDifference) -> tuple[Standing, int]:
    """The verdict; and where there is too little for one, which way the figures point."""
    pointing = found.better - found.worse if too_few(found) else 0
    return found.verdict, (pointing > 0) - (pointing < 0)


def _difference(facts: StudyFacts, tallies: Sequence[Tally]) -> PairedDifference:
    return paired_difference(
        tallies, seed=facts.bootstrap_seed, resamples=facts.resamples, level=facts.level
    )
