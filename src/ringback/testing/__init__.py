"""Counterparts for tests of models: a real server on loopback that can misbehave as asked.

Part of the product, for tests of your own too::

    with ChaosServer(played_by("reference"), faults=spread(0.2), seed=1) as server:
        ...  # point a model's base_url at server.base_url, and look at server.log
"""

from __future__ import annotations

from ringback.testing.brains import Brain, played_by, scripted
from ringback.testing.chat import ChatCall, ChatReply
from ringback.testing.faults import FAULTS, Fault, spread
from ringback.testing.server import ChaosServer, Logged

__all__ = [
    "FAULTS",
    "Brain",
    "ChaosServer",
    "ChatCall",
    "ChatReply",
    "Fault",
    "Logged",
    "played_by",
    "scripted",
    "spread",
]
