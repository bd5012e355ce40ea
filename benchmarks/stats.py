"""What intervals cost, and how often they hold the truth.

``python -m benchmarks.stats`` prints the coverage of the percentile interval, which stands in
docs/decisions/0004-statistics.md.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from time import perf_counter

from benchmarks.rows import Row
from ringback.report.compute import compute
from ringback.report.model import ArmFacts, EpisodeRow, StudyFacts
from ringback.report.results_json import encode

__all__ = ["coverage", "rows"]


def rows() -> list[Row]:
    """The paired bootstrap of ten arms, a rate, and all figures of a study."""
    from ringback.stats import Tally, paired_differences, wilson
    from ringback.stats.draws import Indices

    draws: list[int] = Indices(1, 6).take(10 * 114).tolist()
    shapes = [*[Tally(1, 0, 0)] * 4, Tally(1, 1, 0), Tally(1, 0, 1)]
    arms = [[shapes[each] for each in draws[start::10]] for start in range(10)]

    def bootstrap() -> None:
        paired_differences(arms, seed=1, resamples=10_000)

    def rates() -> None:
        for _ in range(1000):
            wilson(57, 114)

    first = _seconds(bootstrap)
    again = statistics.median(_seconds(bootstrap) for _ in range(7))
    study = _study()

    def figures() -> None:
        encode(compute(*study))

    return [
        Row("10 arms x 114 tasks x 10,000 resamples", again, "s", 0.3),
        Row("  the first time, numpy's import included", first, "s"),
        Row("Wilson interval", _seconds(rates) * 1000, "us"),
        Row("all figures of 10 arms x 40 tasks, as a file", _seconds(figures), "s"),
    ]


def coverage(studies: int = 2000, resamples: int = 2000) -> list[tuple[int, int, int, float]]:
    """How often the interval holds the true difference: (tasks, expected better, worse, share).

    In each study every task is independently better, worse or unchanged for the arm, with the
    probabilities that give the expected numbers. Without an interval (no task changed) the study
    counts as not covering unless the true difference is zero.
    """
    from ringback.stats import Tally, paired_differences
    from ringback.stats.draws import Indices

    kinds = (Tally(1, 1, 0), Tally(1, 0, 1), Tally(1, 0, 0))
    found: list[tuple[int, int, int, float]] = []
    for tasks in (40, 114):
        for better, worse in ((1, 1), (2, 2), (4, 4), (8, 8), (12, 4), (4, 0), (12, 0)):
            draws = Indices(tasks * 100 + better * 10 + worse, tasks).take(studies * tasks)
            which = [0 if d < better else 1 if d < better + worse else 2 for d in draws.tolist()]
            arms = [
                [kinds[each] for each in which[start : start + tasks]]
                for start in range(0, len(which), tasks)
            ]
            truth = (better - worse) / tasks
            held = 0
            for each in paired_differences(arms, seed=tasks, resamples=resamples):
                low, high = (
                    (each.interval.low, each.interval.high)
                    if each.interval
                    else (each.difference, each.difference)
                )
                held += low <= truth <= high
            found.append((tasks, better, worse, held / studies))
    return found


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


if __name__ == "__main__":
    print("| tasks | better | worse | coverage |")
    print("| ---: | ---: | ---: | ---: |")
    for tasks, better, worse, share in coverage():
        print(f"| {tasks} | {better} | {worse} | {100 * share:.1f}% |")
