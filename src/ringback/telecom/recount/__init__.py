"""A telecom call told again: what it was about, what was done, and how things stood at the end."""

from __future__ import annotations

from ringback.telecom.recount.about import about, finding
from ringback.telecom.recount.moves import inversions
from ringback.telecom.recount.observed import observed
from ringback.telecom.recount.telling import recount

__all__ = ["about", "finding", "inversions", "observed", "recount"]
