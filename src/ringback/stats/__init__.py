"""Intervals and paired comparisons, in plain numpy."""
