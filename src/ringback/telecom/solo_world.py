"""The world of a run without a caller."""

from __future__ import annotations

from ringback.domain import Side
from ringback.telecom.tools import Spec
from ringback.telecom.world import World

__all__ = ["SoloWorld"]


class SoloWorld(World):
    """A telecom world in which the agent may use the phone's tools as well as its own."""

    __slots__ = ()

    def _may(self, side: Side, spec: Spec) -> bool:  # noqa: ARG002 - whoever's tool it is
        return side == "agent"
