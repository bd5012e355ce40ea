"""Before a run: the smallest difference that a study could tell, and how many tasks one needs.

For paired outcomes with the share psi of discordant pairs, n pairs find the difference d with this
power where n d^2 = (z_a sqrt(psi) + z_b sqrt(psi - d^2))^2 (R. J. Connor, "Sample size for testing
differences in proportions for the paired-sample design", Biometrics 43 (1987) 207-211, after O. S.
Miettinen, "The matched pairs design in the case of all-or-none responses", Biometrics 24 (1968)
339-352). z_a belongs to the two-sided level, z_b to the power.

What psi will be is not known before the run. A noise arm says how many pairs change outcome where
nothing was changed. We take it that this goes on and that the difference comes on top, in one
direction: psi = noise + d. Noise is independent between the trials of a task and the difference
lies in the task, so that with K trials each, noise / K + d stands for psi.

After a run, see `ringback.stats.bootstrap.half_width`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from statistics import NormalDist
from typing import Literal, TypeAlias

from msgspec import Struct

from ringback.stats.rates import single_rate
from ringback.stats.resampling import alpha
from ringback.stats.sign import sign_test
from ringback.stats.tally import Tally
from ringback.stats.wilson import critical_value

__all__ = [
    "LEAST",
    "Detectable",
    "PowerRemark",
    "detectable",
    "minimum_detectable",
    "tasks_needed",
]

PowerRemark: TypeAlias = Literal["no noise arm", "zero by construction"]

# Written out for the reason given in `ringback.stats.wilson`.
_POWER = {0.8: 0.8416212335729143, 0.9: 1.2815515655446004, 0.95: 1.6448536269514722}
_HALVINGS = 60

LEAST = 1e-6
"""The smallest difference, a ten-thousandth of a point, for which tasks are counted."""


class Detectable(Struct, frozen=True, kw_only=True):
    """What a study of `tasks` tasks with `trials` trials each could tell.

    `noise` is the share of pairs that changed outcome in the noise arm, `noise_upper` the upper end
    of its Wilson interval (with the effective number of pairs). `difference` and
    `difference_upper` are the smallest differences found with `power` under either, None where not
    even a difference of 100 points would be. All four are None where `remark` says why there is
    nothing to go by: no noise arm, or one that could not have differed, so that its zero is no
    evidence.
    """

    tasks: int
    trials: int
    level: float
    power: float
    noise: float | None
    noise_upper: float | None
    difference: float | None
    difference_upper: float | None
    remark: PowerRemark | None


def detectable(
    noise: Sequence[Tally],
    *,
    tasks: int,
    trials: int = 1,
    by_construction: bool = False,
    power: float = 0.8,
    level: float = 0.95,
) -> Detectable:
    """What a study could tell, going by a noise arm's tallies against its baseline.

    The noise may come of other tasks than those planned, and of another number of them.
    `by_construction` says that with equal seeds nothing in the noise arm could differ. Raises
    `ValueError` for tasks or trials below 1 and a power that is not between 0 and 1.
    """
    remark: PowerRemark | None = None
    if not noise:
        remark = "no noise arm"
    elif by_construction:
        remark = "zero by construction"
    rate = None
    if remark is None:
        rate = single_rate([(each.better + each.worse, each.pairs) for each in noise], level)
    share = rate.rate if rate else None
    upper = rate.interval.high if rate and rate.interval else None

    def smallest(discordance: float | None) -> float | None:
        if discordance is None:
            return None
        return minimum_detectable(tasks, discordance, trials=trials, power=power, level=level)

    return Detectable(
        tasks=tasks,
        trials=trials,
        level=level,
        power=power,
        noise=share,
        noise_upper=upper,
        difference=smallest(share),
        difference_upper=smallest(upper),
        remark=remark,
    )


def minimum_detectable(
    tasks: int, noise: float, *, trials: int = 1, power: float = 0.8, level: float = 0.95
) -> float | None:
    """The smallest difference that so many tasks find, with this share of discordant noise pairs.

    None where not even a difference of 1 would be found. Raises `ValueError` for tasks or trials
    below 1, and for a share or a power outside its range.
    """
    if tasks < 1:
        raise ValueError(f"a study has at least one task, not {tasks}")
    if _needed(1.0, noise, trials, power, level) > tasks:
        return None
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _needed(middle, noise, trials, power, level) > tasks:
            low = middle
        else:
            high = middle
    return high


def tasks_needed(
    difference: float, noise: float, *, trials: int = 1, power: float = 0.8, level: float = 0.95
) -> int:
    """How many tasks find this difference (0.05 for 5 points, either way) with this power.

    Raises `ValueError` for a difference nearer to zero than `LEAST` or beyond 1, and as
    `minimum_detectable` does.
    """
    if not LEAST <= abs(difference) <= 1:
        raise ValueError(f"a difference lies between {LEAST} and 1, unlike {difference}")
    return ceil(_needed(abs(difference), noise, trials, power, level))


def _needed(difference: float, noise: float, trials: int, power: float, level: float) -> float:
    """The number of tasks by the formula; no fewer than an exact test could tell apart."""
    if trials < 1 or not 0 <= noise <= 1:
        raise ValueError(f"not a share of pairs and a number of trials: {noise}, {trials}")
    discordant = noise / trials + difference
    reach = critical_value(level) * sqrt(discordant)
    reach += _power_value(power) * sqrt(discordant - difference * difference)
    return max((reach / difference) ** 2, _fewest(level))


def _power_value(power: float) -> float:
    if not 0 < power < 1:
        raise ValueError(f"power must be between 0 and 1, not {power}")
    return _POWER.get(power) or NormalDist().inv_cdf(power)


def _fewest(level: float) -> int:
    """The fewest tasks of which the sign test could tell anything apart."""
    tasks = 1
    while sign_test(tasks, 0) >= alpha(level):
        tasks += 1
    return tasks
