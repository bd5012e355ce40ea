"""The agent that follows the workflow in dialogue, and its less careful relatives."""

from __future__ import annotations

from ringback.agents.reference.agent import VERSION, Reference
from ringback.agents.reference.case import Habits

__all__ = ["VERSION", "Habits", "Reference"]
