"""A report over any recorded sessions: rates, failures, differences, a list of all of them."""

from ringback.overview.compute import overview_of

__all__ = ["overview_of"]
