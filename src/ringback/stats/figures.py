"""All figures of anyone's results, from the outcomes of arms of which one is the baseline.

What `ringback stats` prints; a study has its own way to the same estimators, by its plan. Here
nothing is known of episodes that were planned and are not in a file, so an arm's rate is over what
it has, and differences are over the cases and trials that both arms have. The rest is counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

from msgspec import Struct

from ringback.errors import InputError
from ringback.stats.bootstrap import PairedDifference, Standing, claimed, paired_difference
from ringback.stats.costs import CostPerSolved, TaskCost, cost_per_solved
from ringback.stats.flips import ArmTest, arm_tests
from ringback.stats.outcomes import Outcomes
from ringback.stats.passk import PassK, pass_k
from ringback.stats.rates import SingleRate, single_rate
from ringback.stats.tally import Tally
from ringback.stats.tied import TiedSet, tied_set

__all__ = ["ArmFigures", "Figures", "Tied", "Versus", "figures"]

_MOST_DRAWS = 500_000_000


class Versus(Struct, frozen=True, kw_only=True):
    """An arm against the baseline, over the `difference.pairs` episodes that both have.

    `only_arm` and `only_baseline` count the episodes without a partner. `difference` is None where
    there is no pair. `test` is None there, and for a control. `claimed` is what the arm is called
    among all that are tested.
    """

    difference: PairedDifference | None
    only_arm: int
    only_baseline: int
    test: ArmTest | None
    claimed: Standing | None = None


class ArmFigures(Struct, frozen=True, kw_only=True):
    """What one arm did. `cost` is None where its file says nothing of costs."""

    name: str
    control: bool
    rate: SingleRate
    pass_k: tuple[PassK, ...]
    cost: CostPerSolved | None
    versus: Versus | None


class Tied(Struct, frozen=True, kw_only=True):
    """Which arms may be best, on the `episodes` that all of `arms` have.

    Controls take no part, nor do arms that share no episode with the baseline.
    """

    arms: tuple[str, ...]
    cases: int
    episodes: int
    found: TiedSet


class Figures(Struct, frozen=True, kw_only=True):
    """All of it. `tied` is None with fewer than two arms, or where they share no episode."""

    baseline: str
    seed: int
    resamples: int
    level: float
    arms: tuple[ArmFigures, ...]
    tied: Tied | None


def figures(
    arms: Sequence[Outcomes],
    *,
    baseline: str | None = None,
    controls: Sequence[str] = (),
    seed: int = 0,
    resamples: int = 10_000,
    level: float = 0.95,
) -> Figures:
    """The figures of these arms; `baseline` is the name of one, by default the first's.

    `controls` are arms that are shown and are no candidates (noise, floors): they take no part in
    Holm's adjustment nor in the tied set. Raises `InputError` for a name twice or of no arm, for a
    baseline that is a control, and for more cases than can be resampled so often.
    """
    names = [arm.name for arm in arms]
    base = _named(arms, names[0] if baseline is None else baseline, "baseline")
    for control in controls:
        _named(arms, control, "control")
    if base.name in controls:
        raise InputError(f"{base.name!r} cannot be both the baseline and a control.")
    _fits(arms, resamples)
    versus = {
        arm.name: _pairs(arm, base, seed, resamples, level) for arm in arms if arm.name != base.name
    }
    tested = [name for name, (tallies, _) in versus.items() if tallies and name not in controls]
    tests = dict(
        zip(
            tested,
            arm_tests([versus[name][0] for name in tested], seed=seed, level=level),
            strict=True,
        )
    )
    return Figures(
        baseline=base.name,
        seed=seed,
        resamples=resamples,
        level=level,
        arms=tuple(
            _arm(
                arm,
                arm.name in controls,
                _versus(arm, base, versus[arm.name][1], tests) if arm.name in versus else None,
                seed,
                resamples,
                level,
            )
            for arm in arms
        ),
        tied=_tied(
            [
                arm
                for arm in arms
                if arm.name == base.name
                or (arm.name not in controls and versus[arm.name][1] is not None)
            ],
            seed,
            resamples,
            level,
        ),
    )


def _versus(
    arm: Outcomes, base: Outcomes, found: PairedDifference | None, tests: Mapping[str, ArmTest]
) -> Versus:
    shared, test = _shared(arm, base), tests.get(arm.name)
    return Versus(
        difference=found,
        only_arm=arm.episodes - shared,
        only_baseline=base.episodes - shared,
        test=test,
        claimed=None if found is None else claimed(found, test, len(tests)),
    )


def _named(arms: Sequence[Outcomes], name: str, what: str) -> Outcomes:
    found = [arm for arm in arms if arm.name == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(
            f"Two files are named {name!r}; rename one, so that they can be told apart."
        )
    known = ", ".join(repr(arm.name) for arm in arms)
    raise InputError(f"There is no {what} {name!r}; the arms are {known}.")


def _fits(arms: Sequence[Outcomes], resamples: int) -> None:
    for arm in arms:
        if sum(each.name == arm.name for each in arms) > 1:
            _named(arms, arm.name, "arm")
        if len(arm.cases) * resamples > _MOST_DRAWS:
            most = _MOST_DRAWS // len(arm.cases)
            raise InputError(
                f"{arm.name} has {len(arm.cases):,} cases, too many for {resamples:,} resamples; "
                f"give --resamples {most} or fewer."
            )


def _shared(arm: Outcomes, base: Outcomes) -> int:
    return sum(
        len(trials.keys() & base.cases[case].keys())
        for case, trials in arm.cases.items()
        if case in base.cases
    )


def _pairs(
    arm: Outcomes, base: Outcomes, seed: int, resamples: int, level: float
) -> tuple[list[Tally], PairedDifference | None]:
    """The tallies of the shared cases in the baseline's order, and the difference over them."""
    tallies: list[Tally] = []
    for case, theirs in base.cases.items():
        mine = arm.cases.get(case, {})
        both = [(mine[trial].solved, theirs[trial].solved) for trial in theirs if trial in mine]
        if both:
            better = sum(a and not b for a, b in both)
            tallies.append(Tally(len(both), better, sum(b and not a for a, b in both)))
    if not tallies:
        return tallies, None
    return tallies, paired_difference(tallies, seed=seed, resamples=resamples, level=level)


def _arm(
    arm: Outcomes,
    control: bool,
    versus: Versus | None,
    seed: int,
    resamples: int,
    level: float,
) -> ArmFigures:
    tasks = [
        (sum(each.solved for each in trials.values()), len(trials)) for trials in arm.cases.values()
    ]
    costs = [
        TaskCost(solved, _cost([each.cost for each in trials.values()]))
        for (solved, _), trials in zip(tasks, arm.cases.values(), strict=True)
    ]
    return ArmFigures(
        name=arm.name,
        control=control,
        rate=single_rate(tasks, level),
        pass_k=pass_k(tasks, seed=seed, resamples=resamples, level=level),
        cost=cost_per_solved(costs, seed=seed, resamples=resamples, level=level)
        if arm.costs
        else None,
        versus=versus,
    )


def _cost(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fsum(known) if len(known) == len(values) else None


def _tied(arms: Sequence[Outcomes], seed: int, resamples: int, level: float) -> Tied | None:
    """The tied set over the cases and trials that every arm has."""
    if len(arms) < 2:
        return None
    solved: list[list[int]] = [[] for _ in arms]
    trials: list[int] = []
    for case, of_first in arms[0].cases.items():
        results = [arm.cases.get(case, {}) for arm in arms]
        shared = [trial for trial in of_first if all(trial in each for each in results)]
        if shared:
            trials.append(len(shared))
            for place, each in enumerate(results):
                solved[place].append(sum(each[trial].solved for trial in shared))
    if not trials:
        return None
    return Tied(
        arms=tuple(arm.name for arm in arms),
        cases=len(trials),
        episodes=sum(trials),
        found=tied_set(solved, trials, seed=seed, resamples=resamples, level=level),
    )
