"""From the episodes of a study to its results.

Every rate is over what was planned: an episode without a graded outcome counts as unsolved, and is
published with its reason. Arms are paired with the baseline by task and trial.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from statistics import median
from typing import TypeAlias

from ringback.domain import Task
from ringback.episode.events import ENDINGS
from ringback.report.failing import counted, failures_of, unblamed
from ringback.report.headline import headline
from ringback.report.model import (
    FEW_PAIRS,
    ArmFacts,
    ArmResults,
    Cell,
    Comparison,
    Cost,
    Count,
    EpisodeRow,
    Faults,
    Flip,
    GridRow,
    Group,
    PairCounts,
    Rate,
    Steps,
    StudyFacts,
    StudyResults,
    Totals,
)
from ringback.report.wording import too_few_tasks
from ringback.stats import (
    PairedDifference,
    Standing,
    Tally,
    paired_difference,
    paired_differences,
    wilson,
)

__all__ = ["NOT_RUN", "compute", "rate_of"]

NOT_RUN = "not_run"

Trials: TypeAlias = tuple[Cell, ...]
Grid: TypeAlias = Mapping[str, Mapping[str, Trials]]  # arm, task


def compute(facts: StudyFacts, rows: Iterable[EpisodeRow]) -> StudyResults:
    """The results of a study. The order of `rows` does not matter; a missing row was not run.

    Raises `ValueError` where the parts do not fit together: no task or trial, not exactly one
    baseline in first place, a name twice, a row of no planned cell, two rows of one cell, or a row
    that contradicts itself.
    """
    _check(facts)
    grid = _grid(facts, rows)
    versus = _comparisons(facts, grid)
    arms = tuple(_arm(facts, arm, grid[arm.name], versus.get(arm.name)) for arm in facts.arms)
    totals = _totals([cell for by_task in grid.values() for cell in _cells(by_task)])
    return StudyResults(
        facts=facts,
        totals=totals,
        headline=headline(totals, arms, facts.arms),
        arms=arms,
        grid=tuple(
            GridRow(task.id, tuple(grid[arm.name][task.id] for arm in facts.arms))
            for task in facts.tasks
        ),
    )


def rate_of(solved: int, planned: int, level: float = 0.95) -> Rate:
    """Solved over planned with its Wilson interval; the rate of nothing planned is None."""
    return Rate(
        planned, solved, solved / planned if planned else None, wilson(solved, planned, level)
    )


def _check(facts: StudyFacts) -> None:
    if not facts.tasks or facts.trials < 1:
        raise ValueError("a study needs at least one task and one trial")
    if [arm.role for arm in facts.arms].count("baseline") != 1 or facts.arms[0].role != "baseline":
        raise ValueError("a study needs exactly one baseline, and it stands first")
    for what, names in (
        ("task", [task.id for task in facts.tasks]),
        ("arm", [arm.name for arm in facts.arms]),
    ):
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise ValueError(f"{what} {twice[0]!r} occurs twice")


def _grid(facts: StudyFacts, rows: Iterable[EpisodeRow]) -> Grid:
    planned = {
        (arm.name, task.id, trial)
        for arm in facts.arms
        for task in facts.tasks
        for trial in range(facts.trials)
    }
    cells: dict[tuple[str, str, int], Cell] = {}
    for row in rows:
        key = (row.arm, row.task, row.trial)
        if key not in planned:
            raise ValueError(f"no planned cell: {key}")
        if key in cells:
            raise ValueError(f"two rows of one cell: {key}")
        cells[key] = _cell(row)
    return {
        arm.name: {
            task.id: tuple(
                cells.get((arm.name, task.id, trial))
                or _cell(EpisodeRow(arm=arm.name, task=task.id, trial=trial))
                for trial in range(facts.trials)
            )
            for task in facts.tasks
        }
        for arm in facts.arms
    }


def _cell(row: EpisodeRow) -> Cell:
    reason = row.ungraded
    if not row.graded and reason is None and row.session is None and row.ending is None:
        reason = NOT_RUN
    if row.graded == (reason is not None) or (row.solved and not row.graded):
        raise ValueError(f"a row is graded or says why not, and solved only if graded: {row}")
    return Cell(
        outcome="ungraded" if not row.graded else "solved" if row.solved else "unsolved",
        session=row.session,
        ending=row.ending,
        reward=row.reward,
        steps=row.steps,
        reason=reason,
        conduct=tuple(sorted(set(row.conduct))),
        strict_differs=row.strict_differs,
        agent_cost=row.agent_cost,
        user_cost=row.user_cost,
        faults=row.faults,
        blame=row.blame,
        kinds=tuple(sorted(set(row.kinds))),
    )


def _cells(by_task: Mapping[str, Trials]) -> list[Cell]:
    return [cell for trials in by_task.values() for cell in trials]


def _graded(cell: Cell) -> bool:
    return cell.outcome != "ungraded"


def _totals(cells: Sequence[Cell]) -> Totals:
    graded = sum(map(_graded, cells))
    return Totals(
        planned=len(cells),
        run=sum(cell.ending is not None for cell in cells),
        graded=graded,
        ungraded=len(cells) - graded,
        reasons=counted(cell.reason for cell in cells if cell.reason is not None),
    )


def _arm(
    facts: StudyFacts, arm: ArmFacts, by_task: Mapping[str, Trials], versus: Comparison | None
) -> ArmResults:
    cells = _cells(by_task)

    def rate(part: Callable[[Task], bool]) -> Rate:
        some = [cell for task in facts.tasks if part(task) for cell in by_task[task.id]]
        return rate_of(sum(map(_solved, some)), len(some), facts.level)

    def family(name: str) -> Group:
        tasks = sum(task.family == name for task in facts.tasks)
        return Group(name, tasks, rate(lambda task: task.family == name))

    endings = Counter(cell.ending for cell in cells)
    steps = [cell.steps for cell in cells if cell.ending is not None and cell.steps is not None]
    return ArmResults(
        name=arm.name,
        role=arm.role,
        totals=_totals(cells),
        rate=rate(lambda _: True),
        repairable=rate(lambda task: task.repairable),
        unrepairable=rate(lambda task: not task.repairable),
        families=tuple(map(family, sorted({task.family for task in facts.tasks}))),
        endings=tuple(Count(ending, endings[ending]) for ending in ENDINGS if endings[ending]),
        steps=Steps(len(steps), sum(steps) / len(steps), float(median(steps)), max(steps))
        if steps
        else None,
        conduct=counted(kind for cell in cells for kind in cell.conduct),
        strict_differs=sum(cell.strict_differs for cell in cells),
        versus=versus,
        agent_cost=_cost(cell.agent_cost for cell in cells),
        user_cost=_cost(cell.user_cost for cell in cells),
        faults=_faults(cells),
        failures=failures_of(cells),
        unblamed=unblamed(cells),
    )


def _cost(costs: Iterable[Cost | None]) -> Cost | None:
    asked = [cost for cost in costs if cost is not None]
    if not asked:
        return None
    return Cost(
        sum(cost.calls for cost in asked),
        sum(cost.unpriced for cost in asked),
        fsum(cost.usd for cost in asked),
        sum(cost.maybe_charged for cost in asked),
    )


def _faults(cells: Iterable[Cell]) -> Faults | None:
    counts = [cell.faults for cell in cells if cell.faults is not None]
    if not counts:
        return None
    return Faults(sum(counts), sum(count > 0 for count in counts), len(counts))


def _comparisons(facts: StudyFacts, grid: Grid) -> dict[str, Comparison]:
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

    found = zip(
        others,
        differences(lambda _: True),
        differences(lambda task: task.repairable),
        differences(lambda task: not task.repairable),
        strict=True,
    )
    return {
        arm.name: _comparison(facts, baseline, arm, grid, (difference, repairable, unrepairable))
        for arm, difference, repairable, unrepairable in found
        if difference is not None
    }


def _solved(cell: Cell) -> bool:
    return cell.outcome == "solved"


def _might_be_solved(cell: Cell) -> bool:
    return cell.outcome != "unsolved"


def _tally(
    arm: Trials,
    baseline: Trials,
    arm_solved: Callable[[Cell], bool] = _solved,
    baseline_solved: Callable[[Cell], bool] = _solved,
) -> Tally:
    pairs = [(arm_solved(a), baseline_solved(b)) for a, b in zip(arm, baseline, strict=True)]
    return Tally(len(pairs), sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs))


def _comparison(
    facts: StudyFacts,
    baseline: ArmFacts,
    arm: ArmFacts,
    grid: Grid,
    differences: tuple[PairedDifference, PairedDifference | None, PairedDifference | None],
) -> Comparison:
    difference, repairable, unrepairable = differences
    mine, base = grid[arm.name], grid[baseline.name]
    graded = Counter(
        (_graded(a), _graded(b)) for a, b in zip(_cells(mine), _cells(base), strict=True)
    )
    pairs = PairCounts(
        planned=graded.total(),
        both=graded[True, True],
        only_arm=graded[True, False],
        only_baseline=graded[False, True],
        neither=graded[False, False],
    )
    complete = pairs.both == pairs.planned
    unread = arm.changes.keys() == {"policy"} and not arm.reads_policy
    tallies = {task.id: _tally(mine[task.id], base[task.id]) for task in facts.tasks}
    return Comparison(
        difference=difference,
        completed=None if complete else _completed(facts, mine, base),
        settled=complete or _extremes(facts, mine, base) == {_says(difference)},
        repairable=repairable,
        unrepairable=unrepairable,
        pairs=pairs,
        flips=tuple(
            Flip(task, tally.better, tally.worse)
            for task, tally in tallies.items()
            if tally.better or tally.worse
        ),
        by_construction=(arm.role == "noise" or unread)
        and arm.deterministic
        and baseline.deterministic,
        few=difference.better + difference.worse < FEW_PAIRS,
        unread=unread,
    )


def _completed(
    facts: StudyFacts, arm: Mapping[str, Trials], baseline: Mapping[str, Trials]
) -> PairedDifference | None:
    """The difference over pairs with two graded outcomes, on the tasks that have such a pair."""
    tallies: list[Tally] = []
    for task in facts.tasks:
        both = [
            (a, b)
            for a, b in zip(arm[task.id], baseline[task.id], strict=True)
            if _graded(a) and _graded(b)
        ]
        if both:
            tallies.append(_tally(tuple(a for a, _ in both), tuple(b for _, b in both)))
    return _difference(facts, tallies) if tallies else None


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
        for solved in ((_might_be_solved, _solved), (_solved, _might_be_solved))
    }


def _says(found: PairedDifference) -> tuple[Standing, int]:
    """The verdict; and where there are too few tasks for one, which way the figures point."""
    pointing = found.better - found.worse if too_few_tasks(found) else 0
    return found.verdict, (pointing > 0) - (pointing < 0)


def _difference(facts: StudyFacts, tallies: Sequence[Tally]) -> PairedDifference:
    return paired_difference(
        tallies, seed=facts.bootstrap_seed, resamples=facts.resamples, level=facts.level
    )
