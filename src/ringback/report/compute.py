"""From the episodes of a study to its results.

Every rate is over what was planned: an episode without a graded outcome counts as unsolved, and is
published with its reason. Arms are paired with the baseline by task and trial.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum

from ringback.domain import Task
from ringback.episode.events import ENDINGS
from ringback.report.amounts import per_solved_of, steps_of, took_of
from ringback.report.comparing import (
    Grid,
    Partings,
    Trials,
    cells_of,
    comparisons,
    is_graded,
    is_solved,
    kept_pairs,
    tied,
)
from ringback.report.failing import counted, failures_of, unblamed
from ringback.report.headline import headline, silence
from ringback.report.model import (
    ArmFacts,
    ArmResults,
    Cell,
    Comparison,
    Cost,
    Count,
    EpisodeRow,
    FaultCount,
    Faults,
    GridRow,
    Group,
    Rate,
    Sensitivity,
    SensitivityName,
    StudyFacts,
    StudyResults,
    Totals,
)
from ringback.stats import (
    pass_k,
    single_rate,
    wilson,
)

__all__ = ["NOT_RUN", "cell_of", "compute", "rate_of", "total_cost", "total_faults"]

NOT_RUN = "not_run"


def compute(
    facts: StudyFacts, rows: Iterable[EpisodeRow], partings: Partings | None = None
) -> StudyResults:
    """The results of a study. The order of `rows` does not matter; a missing row was not run.

    `partings` says where two sessions part; it is asked for each pair that changed outcome.

    Raises `ValueError` where the parts do not fit together: no task or trial, not exactly one
    baseline in first place, a name twice, a row of no planned cell, two rows of one cell, or a row
    that contradicts itself.
    """
    _check(facts)
    grid = _grid(facts, rows)
    versus = comparisons(facts, grid, partings)
    arms = tuple(_arm(facts, arm, grid, versus.get(arm.name)) for arm in facts.arms)
    every = [cell for by_task in grid.values() for cell in cells_of(by_task)]
    totals = _totals(every)
    silent = silence(totals, arms)
    candidates = tied(facts, grid, versus)
    return StudyResults(
        facts=facts,
        totals=totals,
        headline=headline(totals, arms, facts.arms, candidates, silent),
        arms=arms,
        grid=tuple(
            GridRow(task.id, tuple(grid[arm.name][task.id] for arm in facts.arms))
            for task in facts.tasks
        ),
        silent=silent,
        tied=candidates,
        cost=total_cost(cost for cell in every for cost in (cell.agent_cost, cell.user_cost)),
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
        cells[key] = cell_of(row)
    return {
        arm.name: {
            task.id: tuple(
                cells.get((arm.name, task.id, trial))
                or cell_of(EpisodeRow(arm=arm.name, task=task.id, trial=trial))
                for trial in range(facts.trials)
            )
            for task in facts.tasks
        }
        for arm in facts.arms
    }


def cell_of(row: EpisodeRow) -> Cell:
    """A row as an episode in the grid; `ValueError` for one that contradicts itself."""
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
        agent_used=row.agent_used,
        user_used=row.user_used,
        faults=row.faults,
        blame=row.blame,
        kinds=tuple(sorted(set(row.kinds))),
    )


def _totals(cells: Sequence[Cell]) -> Totals:
    graded = sum(map(is_graded, cells))
    return Totals(
        planned=len(cells),
        run=sum(cell.ending is not None for cell in cells),
        graded=graded,
        ungraded=len(cells) - graded,
        reasons=counted(cell.reason for cell in cells if cell.reason is not None),
    )


def _arm(facts: StudyFacts, arm: ArmFacts, grid: Grid, versus: Comparison | None) -> ArmResults:
    by_task = grid[arm.name]
    cells = cells_of(by_task)

    def rate(part: Callable[[Task], bool]) -> Rate:
        return _rate([by_task[task.id] for task in facts.tasks if part(task)], facts.level)

    def family(name: str) -> Group:
        tasks = sum(task.family == name for task in facts.tasks)
        return Group(name, tasks, rate(lambda task: task.family == name))

    endings = Counter(cell.ending for cell in cells)
    return ArmResults(
        name=arm.name,
        role=arm.role,
        totals=_totals(cells),
        rate=rate(lambda _: True),
        repairable=rate(lambda task: task.repairable),
        unrepairable=rate(lambda task: not task.repairable),
        families=tuple(map(family, sorted({task.family for task in facts.tasks}))),
        endings=tuple(Count(ending, endings[ending]) for ending in ENDINGS if endings[ending]),
        steps=steps_of(facts, by_task),
        conduct=counted(kind for cell in cells for kind in cell.conduct),
        strict_differs=sum(cell.strict_differs for cell in cells if is_graded(cell)),
        versus=versus,
        agent_cost=total_cost(cell.agent_cost for cell in cells),
        user_cost=total_cost(cell.user_cost for cell in cells),
        faults=total_faults(cells),
        failures=failures_of(cells),
        unblamed=unblamed(cells),
        cost_per_solved=per_solved_of(facts, by_task),
        pass_k=pass_k(
            [(sum(map(is_solved, trials)), len(trials)) for trials in by_task.values()],
            seed=facts.bootstrap_seed,
            resamples=facts.resamples,
            level=facts.level,
        )
        if facts.trials > 1
        else (),
        sensitivity=tuple(
            _sensitivity(facts, arm, grid, name, kept) for name, kept in _KEPT.items()
        ),
        by_fault=_by_fault(facts, by_task),
        agent_took=took_of(facts, by_task, lambda cell: cell.agent_used),
        user_took=took_of(facts, by_task, lambda cell: cell.user_used),
    )


def _rate(tasks: Sequence[Trials], level: float) -> Rate:
    """Solved over planned; with trials, the interval by what the episodes are worth."""
    found = single_rate(
        [(sum(map(is_solved, trials)), len(trials)) for trials in tasks if trials], level
    )
    effective = None if found.effective == found.episodes else found.effective
    return Rate(found.episodes, found.solved, found.rate, found.interval, effective)


def _without_infrastructure(cell: Cell) -> bool:
    return cell.ending != "infrastructure_error" and cell.blame != "infrastructure"


def _without_simulator_faults(cell: Cell) -> bool:
    return not cell.faults and cell.blame != "simulator" and cell.ending != "user_error"


_KEPT: dict[SensitivityName, Callable[[Cell], bool]] = {
    "without_infrastructure": _without_infrastructure,
    "without_simulator_faults": _without_simulator_faults,
}


def _sensitivity(
    facts: StudyFacts,
    arm: ArmFacts,
    grid: Grid,
    name: SensitivityName,
    kept: Callable[[Cell], bool],
) -> Sensitivity:
    mine, base = grid[arm.name], grid[facts.arms[0].name]
    tasks = [tuple(filter(kept, trials)) for trials in mine.values()]
    left_out = len(cells_of(mine)) - sum(map(len, tasks))
    difference = None if arm.role == "baseline" else kept_pairs(facts, mine, base, kept)
    return Sensitivity(name, left_out, _rate(tasks, facts.level), difference)


def _by_fault(facts: StudyFacts, by_task: Mapping[str, Trials]) -> tuple[FaultCount, ...]:
    """In the order of the tasks: planned and unsolved episodes of each fault."""
    planned: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for task in facts.tasks:
        for fault in dict.fromkeys(task.faults):
            planned[fault] += len(by_task[task.id])
            failed[fault] += sum(not is_solved(cell) for cell in by_task[task.id])
    return tuple(FaultCount(fault, count, failed[fault]) for fault, count in planned.items())


def total_cost(costs: Iterable[Cost | None]) -> Cost | None:
    """What these come to together; None where no model was asked."""
    asked = [cost for cost in costs if cost is not None]
    if not asked:
        return None
    return Cost(
        sum(cost.calls for cost in asked),
        sum(cost.unpriced for cost in asked),
        fsum(cost.usd for cost in asked),
        sum(cost.maybe_charged for cost in asked),
    )


def total_faults(cells: Iterable[Cell]) -> Faults | None:
    """The faults of the simulator in these episodes; None where no guard looked in any."""
    counts = [cell.faults for cell in cells if cell.faults is not None]
    if not counts:
        return None
    return Faults(sum(counts), sum(count > 0 for count in counts), len(counts))
