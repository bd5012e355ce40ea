"""Whether what a customer did on the phone is what the agent asked for.

Where this misses a request, a record says less; it is not to find one that was not made.
"""

from __future__ import annotations

from ringback.domain import Did
from ringback.telecom.recount.moves import Exchange
from ringback.telecom.requests import set_to, switched_on
from ringback.telecom.speech.asking import asks_for, said_sentences

__all__ = ["asked_for", "sentences"]

sentences = said_sentences


def asked_for(move: Exchange, did: Did) -> bool:
    """Whether the agent asked for this with what it said in this exchange."""
    if move.said is None:
        return False
    return asks_for(move.said.text, did.tool, on=switched_on(did), value=set_to(did))
