"""How often the intervals hold the truth, and how often a verdict is false, by simulation.

``python -m benchmarks.coverage`` prints the tables of docs/statistics.md; it takes some minutes.
Studies are simulated with Python's own generator from fixed seeds, so that the tables come out the
same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import NamedTuple

from ringback.stats import (
    Interval,
    Tally,
    TaskCost,
    cluster_differences,
    cost_per_solved,
    gate,
    mean_per_episode,
    minimum_detectable,
    paired_differences,
    pass_k,
    single_rate,
    tied_set,
    wilson,
)

__all__ = [
    "GATED",
    "PAIRED",
    "TRIALS",
    "Line",
    "Table",
    "clusters",
    "gated",
    "over_tasks",
    "paired",
    "paired_trials",
    "power",
    "rates",
    "spelled",
    "tables",
    "tied",
]

PAIRED = (
    (20, 4, 4),
    *(
        (tasks, better, worse)
        for tasks in (40, 114)
        for better, worse in ((1, 1), (2, 2), (4, 4), (8, 8), (12, 4), (4, 0), (12, 0))
    ),
)
"""Tasks, and how many are expected to change for the better and for the worse."""

TRIALS = tuple(
    (tasks, changes, alike) for tasks in (40, 114) for changes in (4, 16) for alike in (0.0, 0.5)
)
"""Tasks with 4 trials, how many pairs are expected to change each way, and how many of a task's
pairs share one draw."""

GATED = tuple(
    (tasks, trials, better)
    for tasks, trials in ((10, 1), (40, 1), (114, 1), (10, 4), (40, 4), (114, 4))
    for better in (0.0, 0.05)
)
"""Tasks, their trials, and the share of pairs that change for the better, beside a loss of just as
much as the margin."""

_RESAMPLES = 2000


class Line(NamedTuple):
    """A row of a table: what was simulated, and shares of the studies by column."""

    what: str
    shares: tuple[float, ...]


def paired(tasks: int, better: int, worse: int, studies: int = 2000) -> Line:
    """Coverage of the paired interval; how often a difference is claimed, plainly and by us.

    In each study every task is independently better, worse or unchanged, with the probabilities
    that give the expected numbers.
    """
    random = Random(tasks * 10_000 + better * 100 + worse)
    arms = [
        [_pair(random.random() * tasks, better, worse) for _ in range(tasks)]
        for _ in range(studies)
    ]
    found = paired_differences(arms, seed=tasks, resamples=_RESAMPLES)
    truth = (better - worse) / tasks
    return Line(
        f"{tasks} tasks, {better} better, {worse} worse",
        (
            _share(_holds(each.interval, truth) for each in found),
            _share(each.unadjusted != "not distinguishable" for each in found),
            _share(each.verdict != "not distinguishable" for each in found),
        ),
    )


def paired_trials(tasks: int, changes: int, alike: float, studies: int = 2000) -> Line:
    """The same with 4 trials a task and no true difference.

    `changes` pairs are expected to change each way; `alike` of a task's pairs share one draw, so
    that they come out the same.
    """
    random = Random(tasks * 10_000 + changes * 100 + round(10 * alike))
    share = changes / tasks / 4
    arms = [[_alike(random, 4, share, alike) for _ in range(tasks)] for _ in range(studies)]
    found = paired_differences(arms, seed=tasks, resamples=_RESAMPLES)
    return Line(
        f"{tasks} tasks, 4 trials, {changes} better, {changes} worse, {alike:.0%} alike",
        (
            _share(_holds(each.interval, 0.0) for each in found),
            _share(each.unadjusted != "not distinguishable" for each in found),
            _share(each.verdict != "not distinguishable" for each in found),
        ),
    )


def _alike(random: Random, pairs: int, share: float, alike: float) -> Tally:
    common = _pair(random.random(), share, share)
    each = [
        common if random.random() < alike else _pair(random.random(), share, share)
        for _ in range(pairs)
    ]
    return Tally(pairs, sum(one.better for one in each), sum(one.worse for one in each))


def _pair(draw: float, better: float, worse: float) -> Tally:
    return Tally(1, int(draw < better), int(better <= draw < better + worse))


def gated(tasks: int, trials: int, better: float, studies: int = 2000) -> Line:
    """How often the gate lets pass a loss of just the margin, 5 points; and by the interval alone.

    Every pair is independently worse, with 5 points more than it is better, or unchanged.
    """
    random = Random(tasks * 1000 + trials * 100 + round(100 * better))
    arms: list[list[Tally]] = []
    for _ in range(studies):
        draws = [
            [_pair(random.random(), better, better + 0.05) for _ in range(trials)]
            for _ in range(tasks)
        ]
        arms.append(
            [Tally(trials, sum(a.better for a in d), sum(a.worse for a in d)) for d in draws]
        )
    found = paired_differences(arms, seed=tasks, resamples=_RESAMPLES)
    trial = "trial" if trials == 1 else "trials"
    return Line(
        f"{tasks} tasks, {trials} {trial}, {100 * better:g}% better, {100 * better + 5:g}% worse",
        (
            _share(each.interval is not None and each.interval.low > -0.05 for each in found),
            _share(gate(each).outcome == "pass" for each in found),
        ),
    )


def rates(tasks: int, trials: int, rate: float, alike: float, studies: int = 2000) -> Line:
    """Coverage of a rate's interval with the effective number, and as if all were independent.

    Each task has its own rate, which is `alike` of the way from the common one to a coin that falls
    once for all trials: the correlation of two trials.
    """
    random = Random(tasks * 1000 + trials * 100 + round(100 * rate))
    ours = plain = 0
    for _ in range(studies):
        study = [_task(random, trials, rate, alike) for _ in range(tasks)]
        ours += _holds(single_rate(study).interval, rate)
        plain += _holds(wilson(sum(s for s, _ in study), tasks * trials), rate)
    return Line(
        f"{tasks} tasks, {trials} {'trial' if trials == 1 else 'trials'}, rate {100 * rate:g}%, "
        f"correlation {alike:g}",
        (ours / studies, plain / studies),
    )


def _task(random: Random, trials: int, rate: float, alike: float) -> tuple[int, int]:
    """Solved of trials, with this correlation between any two of them."""
    root = alike**0.5
    common = random.random() < rate
    each = [common if random.random() < root else random.random() < rate for _ in range(trials)]
    return sum(each), trials


def over_tasks(tasks: int, studies: int = 1000) -> list[Line]:
    """Coverage of pass^2 and pass^4, mean seconds and cost per solved task, with 4 trials each.

    Tasks' rates are spread evenly over 0.2 to 1; seconds are skewed (exponential); a run costs
    something that goes with its task.
    """
    random = Random(tasks)
    truth = {k: _mean([(0.2 + 0.8 * (n + 0.5) / 1000) ** k for n in range(1000)]) for k in (2, 4)}
    held = [0, 0, 0, 0]
    for _ in range(studies):
        levels = [0.2 + 0.8 * random.random() for _ in range(tasks)]
        solved = [sum(random.random() < level for _ in range(4)) for level in levels]
        found = pass_k([(each, 4) for each in solved], seed=1, resamples=_RESAMPLES)
        held[0] += _holds(found[1].interval, truth[2])
        held[1] += _holds(found[3].interval, truth[4])
        seconds = [[random.expovariate(1 / 60) for _ in range(4)] for _ in range(tasks)]
        held[2] += _holds(mean_per_episode(seconds, seed=1, resamples=_RESAMPLES).interval, 60)
        # A run costs 2 minus its task's rate, 1.4 on average, and 0.6 of all are solved.
        costs = [TaskCost(s, 4 * (2 - level)) for s, level in zip(solved, levels, strict=True)]
        cost = cost_per_solved(costs, seed=1, resamples=_RESAMPLES)
        low, high = cost.low, cost.high
        held[3] += low is not None and low <= 1.4 / 0.6 and (high is None or high >= 1.4 / 0.6)
    names = ("pass^2", "pass^4", "mean of a skewed quantity", "cost per solved task")
    return [
        Line(f"{name}, {tasks} tasks, 4 trials", (each / studies,))
        for name, each in zip(names, held, strict=True)
    ]


def clusters(number: int, calls: int, alike: float, studies: int = 500) -> Line:
    """Coverage of the cluster difference: percentile, studentized; and the claims without cause.

    Calls differ for the better or worse in 12% each; `alike` of the calls of a cluster share one
    draw. Every third cluster is twice as large.
    """
    random = Random(number * 100 + round(100 * alike))
    models = [
        [_alike(random, calls * (2 if n % 3 == 0 else 1), 0.12, alike) for n in range(number)]
        for _ in range(studies)
    ]
    found = cluster_differences(models, seed=1, resamples=1000)
    return Line(
        f"{number} clusters, {calls} or {2 * calls} calls, {alike:.0%} alike",
        (
            _share(_holds(each.percentile, 0.0) for each in found),
            _share(each.studentized is None or _holds(each.studentized, 0.0) for each in found),
        ),
    )


def tied(arms: int, tasks: int, lead: float, studies: int = 500) -> Line:
    """How often the tied set holds every arm that is truly best, and how large it is.

    All arms solve a task with probability 0.7, the first `lead` more; half of what decides a task
    is common to all arms.
    """
    random = Random(arms * 1000 + tasks)
    held = 0
    size = 0
    for _ in range(studies):
        solved: list[list[int]] = [[] for _ in range(arms)]
        for _ in range(tasks):
            common = random.random()
            for place, row in enumerate(solved):
                draw = common if random.random() < 0.7 else random.random()
                row.append(int(draw < 0.7 + (lead if place == 0 else 0)))
        found = tied_set(solved, [1] * tasks, seed=1, resamples=_RESAMPLES)
        among = [each.may_be_best for each in found.contenders]
        held += among[0] if lead else all(among)
        size += sum(among)
    return Line(
        f"{arms} arms, {tasks} tasks, " + (f"one {100 * lead:g} points ahead" if lead else "equal"),
        (held / studies, size / studies / arms),
    )


def power(tasks: int, noise: float, studies: int = 1000) -> Line:
    """How often a difference as large as the smallest detectable one is found (80% is promised)."""
    smallest = minimum_detectable(tasks, noise)
    if smallest is None:
        return Line(f"{tasks} tasks, noise {noise:g}", (0.0, 0.0, 0.0))
    random = Random(tasks)
    arms = [
        [_pair(random.random(), noise / 2, noise / 2 + smallest) for _ in range(tasks)]
        for _ in range(studies)
    ]
    found = paired_differences(arms, seed=1, resamples=_RESAMPLES)
    return Line(
        f"{tasks} tasks, noise {100 * noise:g}%",
        (
            smallest,
            _share(each.unadjusted == "worse" for each in found),
            _share(each.verdict == "worse" for each in found),
        ),
    )


def _holds(interval: Interval | None, truth: float) -> bool:
    """Whether the interval holds the truth; none at all does not."""
    return interval is not None and interval.low - 1e-12 <= truth <= interval.high + 1e-12


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _share(held: Iterable[bool]) -> float:
    values = list(held)
    return sum(values) / len(values)


class Table(NamedTuple):
    """A table of docs/statistics.md: its heading there, its columns, and what makes each part."""

    title: str
    columns: tuple[str, ...]
    parts: tuple[Callable[[], list[Line]], ...]


def tables() -> list[Table]:
    """All tables, none of them made yet."""

    def lines(
        make: Callable[..., Line], *each: tuple[object, ...]
    ) -> tuple[Callable[[], list[Line]], ...]:
        return tuple((lambda given=given: [make(*given)]) for given in each)

    told = ("coverage", "told apart, unadjusted", "told apart, ours")
    return [
        Table("Paired differences", told, lines(paired, *PAIRED)),
        Table("Paired differences over trials", told, lines(paired_trials, *TRIALS)),
        Table("The gate", ("passes by the interval alone", "passes"), lines(gated, *GATED)),
        Table(
            "Rates over trials",
            ("coverage", "taken as independent"),
            lines(
                rates,
                *(
                    (tasks, trials, rate, alike)
                    for tasks, trials in ((40, 1), (40, 4), (114, 4))
                    for rate in (0.7, 0.95)
                    for alike in ((0.0, 0.3, 0.8) if trials > 1 else (0.0,))
                ),
            ),
        ),
        Table("Over tasks", ("coverage",), (lambda: over_tasks(40), lambda: over_tasks(114))),
        Table(
            "Clusters",
            ("percentile", "studentized"),
            lines(
                clusters,
                *((number, 8, alike) for number in (5, 8, 12, 19, 40) for alike in (0.0, 0.5)),
            ),
        ),
        Table(
            "Tied sets",
            ("holds the best", "share of arms in it"),
            lines(
                tied,
                *(
                    (arms, tasks, lead)
                    for arms, tasks in ((3, 40), (10, 40), (10, 114))
                    for lead in (0.0, 0.2)
                ),
            ),
        ),
        Table(
            "Power",
            ("smallest difference", "found, unadjusted", "found, ours"),
            lines(power, *((tasks, noise) for tasks in (40, 114) for noise in (0.0, 0.05, 0.2))),
        ),
    ]


def spelled(line: Line) -> str:
    """The line as it stands in the table."""
    return f"| {line.what} | " + " | ".join(f"{100 * share:.1f}%" for share in line.shares) + " |"


def main() -> None:
    """Print all tables."""
    for table in tables():
        print(f"\n{table.title}\n")
        print("| simulated | " + " | ".join(table.columns) + " |")
        print("|---|" + "---:|" * len(table.columns))
        for part in table.parts:
            for line in part():
                print(spelled(line))


if __name__ == "__main__":
    main()
