"""A report over any recorded sessions: rates, failures, differences, a list of all of them."""

from ringback.overview.compute import overview_of
from ringback.overview.report import transcript_of, write_overview

__all__ = ["overview_of", "transcript_of", "write_overview"]
