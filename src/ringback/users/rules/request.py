"""One thing that an agent wants of the customer's phone."""

from __future__ import annotations

from msgspec import Struct

from ringback.users.rules.conditions import Condition

__all__ = ["Request"]


class Request(Struct, frozen=True):
    """One thing the agent wants from the phone.

    `act` is switch, mode, look, test, reset_apn, reseat, reboot, grant, pay; `value` the wanted
    state (on, off, flip; a mode's name; a permission). `sure` is False where the agent said "make
    sure" or asked: then the customer looks before touching anything. `weak` marks directions
    ("go to ...") and offers; `presumed` what the message takes for done ("after you restart, ...");
    `named` what was asked for by the name of the phone's action.
    """

    act: str
    topic: str
    value: str = ""
    when: Condition | None = None
    sure: bool = True
    weak: bool = False
    presumed: bool = False
    named: bool = False
    item: bool = False
