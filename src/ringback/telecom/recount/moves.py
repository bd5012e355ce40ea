"""A call cut into moves: what was said to the customer with what came of it, and carrier calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from ringback.domain import Did, Happening, Said
from ringback.telecom.scenario import CALLER_NAME
from ringback.telecom.speech.roles import inverted
from ringback.telecom.speech.text import spoken
from ringback.telecom.tools import TOOLS

__all__ = ["Carrier", "Exchange", "Move", "inversions", "moves", "writes"]

_NAMES = (CALLER_NAME.split()[0].lower(),)


class Exchange(Struct):
    """What the agent said, what the customer did about it, and what it answered.

    `said` is None where the customer acted or spoke without having been spoken to; `reply` is None
    where the call ended before one. `inverted`: the customer answered as if it were the agent.
    """

    said: Said | None
    deeds: list[Did]
    reply: Said | None = None
    inverted: bool = False

    @property
    def writes(self) -> bool:
        """Whether the customer did more than look."""
        return any(writes(did) for did in self.deeds)


class Carrier(Struct):
    """Calls of the agent that stand together: all refused, or none."""

    deeds: list[Did]
    failed: bool

    @property
    def writes(self) -> bool:
        """Whether one of them can change something."""
        return any(writes(did) for did in self.deeds)


Move: TypeAlias = Exchange | Carrier


def writes(did: Did) -> bool:
    """Whether a call that worked may have changed something."""
    spec = TOOLS.get(did.tool)
    return not did.outcome.error and spec is not None and spec.writes


def moves(history: Sequence[Happening]) -> list[Move]:
    """The moves of a call, in order. The customer's first words are none."""
    found: list[Move] = []
    heard = ""
    opened = False
    for event in history:
        last = found[-1] if found else None
        open_to = last if isinstance(last, Exchange) and last.reply is None else None
        match event:
            case Said(side="agent"):
                heard = spoken(event.text)
                found.append(Exchange(event, []))
            case Said():
                says = inverted(spoken(event.text), heard, _NAMES) is not None
                if open_to is not None:
                    open_to.reply, open_to.inverted = event, says
                elif opened or says:
                    found.append(Exchange(None, [], event, says))
            case Did(side="user"):
                if open_to is None:
                    open_to = Exchange(None, [])
                    found.append(open_to)
                open_to.deeds.append(event)
            case Did():
                failed = event.outcome.error
                if isinstance(last, Carrier) and last.failed == failed:
                    last.deeds.append(event)
                else:
                    found.append(Carrier([event], failed))
        opened = True
    return found


def inversions(history: Sequence[Happening]) -> Iterator[int]:
    """The events at which the customer spoke as if it were the agent."""
    for move in moves(history):
        if isinstance(move, Exchange) and move.inverted and move.reply is not None:
            yield move.reply.seq
