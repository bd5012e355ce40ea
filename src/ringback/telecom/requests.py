"""Whether a deed on the phone was asked for: the agent's words against what was done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ringback.domain import Did, Happening, Said
from ringback.telecom.speech.asking import agrees_to, asks_for, mentions
from ringback.telecom.speech.text import spoken
from ringback.telecom.state import State
from ringback.telecom.world import state_of

__all__ = ["requested", "set_to", "stands_on", "switched_on"]

_OF_PHONE = {
    "toggle_airplane_mode": "airplane_mode",
    "toggle_data": "data_enabled",
    "toggle_roaming": "roaming_enabled",
    "toggle_data_saver_mode": "data_saver_mode",
    "toggle_wifi": "wifi_enabled",
    "toggle_wifi_calling": "wifi_calling_enabled",
}
_VALUE = {"set_network_mode_preference": "mode", "grant_app_permission": "permission"}


def stands_on(tool: str, state: State) -> bool | None:
    """Whether the switch that a tool turns is on in a state; None where it turns none."""
    field = _OF_PHONE.get(tool)
    return None if field is None else bool(getattr(state.phone, field))


def switched_on(did: Did) -> bool | None:
    """Whether a switch was on after the deed that turned it; None where it turned none."""
    return stands_on(did.tool, state_of(did.after))


def set_to(did: Did) -> str | None:
    """The mode or the permission that a deed set; None where it set neither."""
    name = _VALUE.get(did.tool)
    if name is None:
        return None
    given = cast("dict[str, object]", did.arguments) if isinstance(did.arguments, dict) else {}
    return str(given.get(name, ""))


def requested(history: Sequence[Happening], did: Did) -> bool:
    """Whether the agent had asked for a deed of the customer's when it was done.

    `history` is all that happened before it. What counts is what the agent said last, and before
    that as far back as the customer did nothing; what it said later of the same thing goes before.
    A request is met once: who toggles twice was not asked to the second time.
    """
    on, value = switched_on(did), set_to(did)
    heard, again = False, False
    for place in range(len(history) - 1, -1, -1):
        event = history[place]
        if isinstance(event, Did):
            if event.side != "user":
                continue
            if heard:
                return False
            if event.tool == did.tool and not event.outcome.error:
                if (switched_on(event), set_to(event)) == (on, value):
                    return False
                again = True
        elif event.side == "agent":
            heard = True
            if asks_for(event.text, did.tool, on=on, value=value, again=again, conditions=False):
                return True
            question = _question(history[:place])
            if question and agrees_to(event.text, question, did.tool, on=on):
                return True
            if mentions(event.text, did.tool):
                return False
    return False


def _question(history: Sequence[Happening]) -> str:
    """What the customer said last before this, where it said anything after the agent."""
    last = history[-1] if history else None
    return spoken(last.text) if isinstance(last, Said) and last.side == "user" else ""
