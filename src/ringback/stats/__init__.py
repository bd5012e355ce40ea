"""Intervals and paired comparisons, in plain numpy.

Every formula names its source where it is written; docs/statistics.md has them all, and how often
each interval holds the truth. Equal seeds give equal figures, to the digit, on any machine (see
`ringback.stats.draws`). numpy is imported when a figure first needs it.
"""

from ringback.stats.bootstrap import (
    FEW_TASKS,
    PairedDifference,
    Remark,
    Standing,
    claimed,
    few_changed,
    half_width,
    paired_difference,
    paired_differences,
)
from ringback.stats.clusters import (
    FEW_CLUSTERS,
    ClusterDifference,
    cluster_difference,
    cluster_differences,
)
from ringback.stats.costs import CostPerSolved, Lacking, TaskCost, cost_per_solved
from ringback.stats.flips import ArmTest, TestName, arm_tests, holm, sign_flip_test
from ringback.stats.gate import Gate, GateOutcome, gate
from ringback.stats.interval import Interval, Method
from ringback.stats.means import Mean, mean_per_episode
from ringback.stats.passk import PassK, pass_k
from ringback.stats.power import (
    Detectable,
    PowerRemark,
    detectable,
    minimum_detectable,
    tasks_needed,
)
from ringback.stats.rates import ClusteredRate, SingleRate, clustered_rate, single_rate
from ringback.stats.sign import sign_test
from ringback.stats.tally import Tally
from ringback.stats.tango import tango
from ringback.stats.tied import Contender, TiedSet, tied_set
from ringback.stats.wilson import critical_value, wilson, wilson_of

__all__ = [
    "FEW_CLUSTERS",
    "FEW_TASKS",
    "ArmTest",
    "ClusterDifference",
    "ClusteredRate",
    "Contender",
    "CostPerSolved",
    "Detectable",
    "Gate",
    "GateOutcome",
    "Interval",
    "Lacking",
    "Mean",
    "Method",
    "PairedDifference",
    "PassK",
    "PowerRemark",
    "Remark",
    "SingleRate",
    "Standing",
    "Tally",
    "TaskCost",
    "TestName",
    "TiedSet",
    "arm_tests",
    "claimed",
    "cluster_difference",
    "cluster_differences",
    "clustered_rate",
    "cost_per_solved",
    "critical_value",
    "detectable",
    "few_changed",
    "gate",
    "half_width",
    "holm",
    "mean_per_episode",
    "minimum_detectable",
    "paired_difference",
    "paired_differences",
    "pass_k",
    "sign_flip_test",
    "sign_test",
    "single_rate",
    "tango",
    "tasks_needed",
    "tied_set",
    "wilson",
    "wilson_of",
]
