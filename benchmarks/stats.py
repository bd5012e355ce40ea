"""What intervals cost. How often they hold the truth is in `benchmarks.coverage`."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from time import perf_counter

from benchmarks.rows import Row
from ringback.report.compute import compute
from ringback.report.model import ArmFacts, EpisodeRow, StudyFacts
from ringback.report.results_json import encode

__all__ = ["rows"]

_TASKS = 114


def rows() -> list[Row]:
    """Every estimator for ten arms, a step check, a rate, and all figures of a study."""
    from ringback.stats import Tally, cluster_differences, wilson

    clusters = [[Tally(8, (n + m) % 3, n % 4) for n in range(19)] for m in range(8)]

    def check() -> None:
        cluster_differences(clusters, seed=1)

    def rates() -> None:
        for _ in range(1000):
            wilson(57, 114)

    first = _seconds(lambda: _everything(0))
    again = statistics.median(_seconds(lambda seed=seed: _everything(seed)) for seed in range(1, 8))
    study = _study()

    def figures() -> None:
        encode(compute(*study))

    return [
        Row("all estimators, 10 arms x 114 tasks x 10,000 resamples", again, "s", 0.3),
        Row("  the first time, numpy's import included", first, "s"),
        Row(
            "step check, 8 models x 19 clusters x 10,000 resamples",
            _seconds(check),
            "s",
        ),
        Row("Wilson interval", _seconds(rates) * 1000, "us"),
        Row("all figures of 10 arms x 40 tasks, as a file", _seconds(figures), "s"),
    ]


def _everything(seed: int) -> None:
    """All that is said of ten arms, on weights drawn anew."""
    from ringback.stats import (
        Tally,
        TaskCost,
        arm_tests,
        cost_per_solved,
        mean_per_episode,
        paired_differences,
        pass_k,
        single_rate,
        tied_set,
    )

    solved = [[(task * 7 + arm * 5) % 9 % 4 % 2 for task in range(_TASKS)] for arm in range(10)]
    arms = [
        [Tally(1, int(a > b), int(a < b)) for a, b in zip(arm, solved[0], strict=True)]
        for arm in solved[1:]
    ]
    paired_differences(arms, seed=seed)
    arm_tests(arms, seed=seed)
    tied_set(solved, [1] * _TASKS, seed=seed)
    for arm in solved:
        single_rate([(each, 1) for each in arm])
        pass_k([(each, 1) for each in arm], seed=seed)
        cost_per_solved([TaskCost(each, 0.01 * (n % 7)) for n, each in enumerate(arm)], seed=seed)
        mean_per_episode([[float(n % 17)] for n in range(_TASKS)], seed=seed)


def _seconds(work: Callable[[], None]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def _study() -> tuple[StudyFacts, list[EpisodeRow]]:
    from ringback.domain import Task
    from ringback.episode.events import Limits, Setup

    tasks = tuple(Task(f"t{n}", "service", ("fault",), "None", n % 4 > 0) for n in range(40))
    arms = tuple(
        ArmFacts(
            name=f"arm{n}",
            role="arm" if n else "baseline",
            agent=Setup("agent", "1"),
            policy="workflow",
            deterministic=False,
            digest=str(n),
        )
        for n in range(10)
    )
    facts = StudyFacts(
        name="bench",
        question="How long does it take?",
        domain="telecom",
        versions={},
        made_with={},
        condition="0",
        selection="forty",
        tasks=tasks,
        trials=1,
        seed=0,
        limits=Limits(),
        user=Setup("rules", "1"),
        greeting="Hello",
        arms=arms,
        command="none",
    )
    made = [
        EpisodeRow(
            arm=arm.name,
            task=task.id,
            trial=0,
            session=f"{arm.name}-{task.id}",
            ending="user_stop",
            graded=True,
            reward=1.0,
            solved=(a * 7 + t * 3) % 5 > 0,
            steps=20,
        )
        for a, arm in enumerate(arms)
        for t, task in enumerate(tasks)
    ]
    return facts, made
