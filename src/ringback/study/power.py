"""What a study could tell, before it is run: from its noise arms, as far as they were played."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct

from ringback.stats import Detectable, Tally, detectable, tasks_needed
from ringback.study.plan import Plan
from ringback.study.run import State

__all__ = ["Needed", "Power", "power"]


class Needed(Struct, frozen=True):
    """How many tasks find a difference, by the noise seen and by the upper end of its interval.

    None where the noise is not known.
    """

    difference: float
    tasks: int | None
    tasks_upper: int | None


class Power(Struct, frozen=True):
    """What the plan could tell.

    `noise` names the noise arms that it goes by, `pairs` and `changed` count their pairs with two
    graded outcomes and those of them that differ.
    """

    noise: tuple[str, ...]
    pairs: int
    changed: int
    detectable: Detectable
    needed: Needed | None


def power(plan: Plan, states: Sequence[State], detect: float | None = None) -> Power:
    """What a plan could tell, by the noise arms in `states`.

    `detect` is a difference wanted, such as 0.1 for 10 points. Pairs without two graded outcomes
    say nothing of the noise and are left out. Several noise arms are more pairs of the same tasks.
    Raises `ValueError` for a difference that is none.
    """
    solved: dict[tuple[str, str, int], bool] = {}
    for state in states:
        row = state.row
        if row is not None and row.graded and row.solved is not None:
            solved[state.cell.arm.name, state.cell.task.id, state.cell.trial] = row.solved
    baseline = plan.arms[0]
    names = [arm.name for arm in plan.arms if arm.role == "noise"]
    # Pairs of all noise arms, by task: several repetitions of a task are no more tasks.
    pairs: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for name in names:
        for task in plan.tasks:
            for trial in range(plan.trials):
                mine = solved.get((name, task.id, trial))
                base = solved.get((baseline.name, task.id, trial))
                if mine is not None and base is not None:
                    pairs[task.id].append((mine, base))
    tallies = [
        Tally(len(found), sum(a > b for a, b in found), sum(a < b for a, b in found))
        for found in pairs.values()
    ]
    steady = bool(names) and all(
        arm.deterministic for arm in plan.arms if arm.role in ("baseline", "noise")
    )
    found = detectable(tallies, tasks=len(plan.tasks), trials=plan.trials, by_construction=steady)
    needed = None
    if detect is not None:
        needed = Needed(
            detect,
            *(
                None if share is None else tasks_needed(detect, share, trials=plan.trials)
                for share in (found.noise, found.noise_upper)
            ),
        )
    changed = sum(each.better + each.worse for each in tallies)
    return Power(tuple(names), sum(each.pairs for each in tallies), changed, found, needed)
