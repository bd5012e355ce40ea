"""What an arm's episodes took: steps, time and tokens, and what a solved task cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import fsum
from statistics import median

from ringback.report.comparing import Trials, cells_of, is_solved
from ringback.report.facts import Sampling
from ringback.report.model import Cell, PerEpisode, Steps
from ringback.sessions import Used
from ringback.stats import CostPerSolved, Mean, TaskCost, cost_per_solved, mean_per_episode

__all__ = ["per_solved_of", "steps_of", "took_of"]


def steps_of(facts: Sampling, by_task: Mapping[str, Trials]) -> Steps | None:
    """The steps of the episodes that ended with a known number of them; None where none did."""
    known = [
        [cell.steps for cell in trials if cell.ending is not None and cell.steps is not None]
        for trials in by_task.values()
    ]
    steps = sorted(count for trials in known for count in trials)
    if not steps:
        return None
    mean = mean_per_episode(
        known, seed=facts.bootstrap_seed, resamples=facts.resamples, level=facts.level
    )
    return Steps(
        len(steps),
        sum(steps) / len(steps),
        float(median(steps)),
        steps[-1],
        least=steps[0],
        lower=steps[(len(steps) - 1) // 4],
        upper=steps[-1 - (len(steps) - 1) // 4],
        interval=mean.interval,
    )


def took_of(
    facts: Sampling, by_task: Mapping[str, Trials], of: Callable[[Cell], Used | None]
) -> PerEpisode | None:
    """What a side's calls took in the episodes that ended; None where it asked no model in any."""
    if not any(of(cell) for cell in cells_of(by_task)):
        return None
    ended = [
        [of(cell) or Used() for cell in trials if cell.ending is not None]
        for trials in by_task.values()
    ]

    def mean(value: Callable[[Used], float | None]) -> Mean:
        return mean_per_episode(
            [[value(each) for each in trials] for trials in ended],
            seed=facts.bootstrap_seed,
            resamples=facts.resamples,
            level=facts.level,
        )

    return PerEpisode(
        seconds=mean(lambda each: each.seconds),
        input=mean(lambda each: each.input),
        output=mean(lambda each: each.output),
        cached=mean(lambda each: each.cached),
    )


def per_solved_of(facts: Sampling, by_task: Mapping[str, Trials]) -> CostPerSolved | None:
    """The agent's cost of all runs over the solved ones; None where no model was asked.

    A run of which any part of the cost is unknown, tries that may have been charged among them,
    makes it unknown.
    """
    if not any(cell.agent_cost for cell in cells_of(by_task)):
        return None
    tasks: list[TaskCost] = []
    for trials in by_task.values():
        costs = [cell.agent_cost for cell in trials if cell.agent_cost is not None]
        known = all(not cost.unpriced and not cost.maybe_charged for cost in costs)
        total = fsum(cost.usd for cost in costs) if known else None
        tasks.append(TaskCost(sum(map(is_solved, trials)), total))
    return cost_per_solved(
        tasks, seed=facts.bootstrap_seed, resamples=facts.resamples, level=facts.level
    )
