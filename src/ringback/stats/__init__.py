"""Intervals and paired comparisons, in plain numpy.

Every formula names its source where it is written. Equal seeds give equal figures, to the digit, on
any machine (see `ringback.stats.draws`). numpy is imported when a figure first needs it.
"""

from ringback.stats.bootstrap import (
    PairedDifference,
    Remark,
    Standing,
    Tally,
    paired_difference,
    paired_differences,
)
from ringback.stats.interval import Interval, Method
from ringback.stats.sign import sign_test
from ringback.stats.wilson import critical_value, wilson

__all__ = [
    "Interval",
    "Method",
    "PairedDifference",
    "Remark",
    "Standing",
    "Tally",
    "critical_value",
    "paired_difference",
    "paired_differences",
    "sign_test",
    "wilson",
]
