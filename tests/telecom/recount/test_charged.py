"""What a customer was charged at the end of a call: what worked, and nothing that was refused."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from ringback.domain import Did, Happening
from ringback.telecom.recount import observed
from tests.telecom.recount.test_observed import ended, with_fault

OF = with_fault("data_usage_exceeded")
LINES = ("L1002", "L1001")


def refuel(amount: float, line: str) -> tuple[str, str, dict[str, Any]]:
    arguments = {"customer_id": "C1001", "line_id": line, "gb_amount": amount}
    return ("agent", "refuel_data", arguments)


def charges(happenings: list[Happening], world: Any, line: str) -> object:
    found: dict[str, Any] = observed(OF, happenings, world)
    if line == "L1002":
        return found["charge_usd"]
    return found.get("other_lines", {}).get(line, {}).get("charge_usd", 0.0)


@pytest.mark.parametrize("line", LINES)
def test_a_refuel_that_was_refused_is_no_charge(line: str) -> None:
    paid = charges(*ended(OF, [refuel(1, line)]), line)
    assert isinstance(paid, float)
    assert paid > 0
    assert charges(*ended(OF, [refuel(-1, line)]), line) == 0.0
    more = ended(OF, [refuel(-1, line), refuel(1, line), refuel(0, line), refuel(1, line)])
    assert charges(*more, line) == 2 * paid


@pytest.mark.parametrize("line", LINES)
def test_whether_it_was_charged_goes_by_whether_the_call_worked(line: str) -> None:
    """Not by whether its result says a charge: what was refused may say one, too."""
    happenings, world = ended(OF, [refuel(1, line), refuel(1, line)])
    paid = charges(happenings, world, line)
    assert isinstance(paid, float)
    last = max(place for place, each in enumerate(happenings) if isinstance(each, Did))
    did = happenings[last]
    assert isinstance(did, Did)
    happenings[last] = replace(did, outcome=replace(did.outcome, error=True))
    assert charges(happenings, world, line) == paid / 2
