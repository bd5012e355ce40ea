"""The agent's 13 tools, as functions from a state to a state and a record.

Each takes the state and the tool's arguments in the order of its schema, already checked for type.
What the records do not allow raises `ToolError` with a sentence for the agent. None of them asks
whether the step is wise: that is the policy's part.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import attrgetter
from typing import Any, TypeAlias

from msgspec.structs import replace

from ringback.telecom.carrier import (
    LINE_ITEM_CHARGE,
    TODAY,
    Bill,
    Carrier,
    Customer,
    Line,
    LineItem,
    Record,
)
from ringback.telecom.state import State
from ringback.telecom.tool_error import ToolError, quoted

__all__ = ["CARRIER_TOOLS", "CarrierTool"]

CarrierTool: TypeAlias = Callable[..., tuple[State, Any]]

_KINDS = {"L": "line", "D": "device", "B": "bill", "C": "customer", "P": "plan"}
_LAST_DAY = "2025-02-28"
_NEXT_PERIOD = ("2025-03-01", "2025-03-31")
_NEXT_DUE = "2025-03-15"
_FIRST_NEW_BILL = 2001


def _customer(carrier: Carrier, account: str) -> Customer:
    customer = carrier.customer(account)
    if customer is None:
        raise ToolError(f"no customer has the id {quoted(account)}")
    return customer


def _line_of(carrier: Carrier, account: str, line_id: str) -> Line:
    customer = _customer(carrier, account)
    line = carrier.line(line_id) if line_id in customer.line_ids else None
    if line is None:
        raise ToolError(f"customer {account} has no line {quoted(line_id)}")
    return line


def _get_customer_by_phone(state: State, phone_number: str) -> tuple[State, Customer]:
    customer = state.carrier.customer_with_number(phone_number)
    if customer is None:
        raise ToolError(f"no customer or line has the phone number {quoted(phone_number)}")
    return state, customer


def _get_customer_by_id(state: State, account: str) -> tuple[State, Customer]:
    return state, _customer(state.carrier, account)


def _get_customer_by_name(state: State, full_name: str, dob: str) -> tuple[State, list[Customer]]:
    wanted = full_name.lower()
    found = [
        customer
        for customer in state.carrier.customers
        if customer.full_name.lower() == wanted and customer.date_of_birth == dob
    ]
    return state, found


def _get_details_by_id(state: State, wanted: str) -> tuple[State, Record]:
    if wanted[:1] not in _KINDS:
        kinds = ", ".join(f"{letter} ({kind})" for letter, kind in _KINDS.items())
        raise ToolError(f"{quoted(wanted)} is not an id: ids begin with {kinds}")
    found = state.carrier.by_id.get(wanted)
    if found is None:
        raise ToolError(f"no {_KINDS[wanted[0]]} has the id {quoted(wanted)}")
    return state, found


def _suspend_line(
    state: State, account: str, line_id: str, _reason: str
) -> tuple[State, dict[str, Line]]:
    line = _line_of(state.carrier, account, line_id)
    if line.status != "Active":
        raise ToolError(f"line {line_id} is {line.status}; only an Active line can be suspended")
    line = replace(line, status="Suspended", suspension_start_date=TODAY)
    return replace(state, carrier=state.carrier.with_line(line)), {"line": line}


def _resume_line(state: State, account: str, line_id: str) -> tuple[State, dict[str, Line]]:
    line = _line_of(state.carrier, account, line_id)
    if line.status not in ("Suspended", "Pending Activation"):
        raise ToolError(
            f"line {line_id} is {line.status}; only a line that is Suspended or "
            "Pending Activation can be resumed"
        )
    line = replace(line, status="Active", suspension_start_date=None)
    return replace(state, carrier=state.carrier.with_line(line)), {"line": line}


def _get_bills_for_customer(
    state: State, account: str, limit: int
) -> tuple[State, tuple[Bill, ...]]:
    customer = _customer(state.carrier, account)
    bills = state.carrier.bills_of(customer)
    newest_first = sorted(bills, key=attrgetter("issue_date"), reverse=True)
    return state, tuple(newest_first[:limit])


def _send_payment_request(state: State, account: str, bill_id: str) -> tuple[State, dict[str, Any]]:
    carrier = state.carrier
    customer = _customer(carrier, account)
    bill = carrier.bill(bill_id) if bill_id in customer.bill_ids else None
    if bill is None:
        raise ToolError(f"customer {account} has no bill {quoted(bill_id)}")
    for other in carrier.bills_of(customer):
        if other.status == "Awaiting Payment":
            raise ToolError(
                f"bill {other.bill_id} of customer {account} already awaits payment; "
                "one bill at a time"
            )
    bill = replace(bill, status="Awaiting Payment")
    sent = {"bill_id": bill_id, "status": bill.status, "total_due": bill.total_due}
    return replace(state, carrier=carrier.with_bill(bill)), sent


def _get_data_usage(state: State, account: str, line_id: str) -> tuple[State, dict[str, Any]]:
    line = _line_of(state.carrier, account, line_id)
    limit = state.carrier.plan_of(line).data_limit_gb
    usage = {"line_id": line_id, "data_used_gb": line.data_used_gb, "data_limit_gb": limit}
    usage |= {"data_refueling_gb": line.data_refueling_gb, "cycle_end_date": _LAST_DAY}
    return state, usage


def _enable_roaming(state: State, account: str, line_id: str) -> tuple[State, dict[str, Any]]:
    return _set_roaming(state, account, line_id, enabled=True)


def _disable_roaming(state: State, account: str, line_id: str) -> tuple[State, dict[str, Any]]:
    return _set_roaming(state, account, line_id, enabled=False)


def _set_roaming(
    state: State, account: str, line_id: str, *, enabled: bool
) -> tuple[State, dict[str, Any]]:
    line = _line_of(state.carrier, account, line_id)
    if line.roaming_enabled is not enabled:
        line = replace(line, roaming_enabled=enabled)
        state = replace(state, carrier=state.carrier.with_line(line))
    return state, {"line_id": line_id, "roaming_enabled": enabled}


def _refuel_data(
    state: State, account: str, line_id: str, amount: float
) -> tuple[State, dict[str, Any]]:
    carrier = state.carrier
    line = _line_of(carrier, account, line_id)
    charge = amount * carrier.plan_of(line).data_refueling_price_per_gb
    line = replace(line, data_refueling_gb=line.data_refueling_gb + amount)
    item = LineItem(charge, TODAY, LINE_ITEM_CHARGE)
    bills = carrier.bills_of(_customer(carrier, account))
    draft = next((bill for bill in bills if bill.status == "Draft"), None)
    if draft is None:
        draft = _draft(carrier, account, item)
        carrier = carrier.with_new_bill(draft)
    else:
        items = (*draft.line_items, item)
        draft = replace(draft, total_due=draft.total_due + charge, line_items=items)
        carrier = carrier.with_bill(draft)
    if not math.isfinite(draft.total_due + line.data_refueling_gb):
        raise ToolError("gb_amount is too large to charge for")
    return replace(state, carrier=carrier.with_line(line)), {
        "line_id": line_id,
        "added_gb": amount,
        "data_refueling_gb": line.data_refueling_gb,
        "charge": charge,
        "bill_id": draft.bill_id,
    }


def _draft(carrier: Carrier, account: str, item: LineItem) -> Bill:
    number = _FIRST_NEW_BILL
    while carrier.bill(f"B{number}") is not None:
        number += 1
    start, end = _NEXT_PERIOD
    return Bill(
        bill_id=f"B{number}",
        customer_id=account,
        period_start=start,
        period_end=end,
        issue_date=start,
        total_due=item.amount,
        due_date=_NEXT_DUE,
        line_items=(item,),
        status="Draft",
    )


def _transfer_to_human_agents(state: State, _summary: str) -> tuple[State, dict[str, bool]]:
    return state, {"transferred": True}


CARRIER_TOOLS: dict[str, CarrierTool] = {
    "get_customer_by_phone": _get_customer_by_phone,
    "get_customer_by_id": _get_customer_by_id,
    "get_customer_by_name": _get_customer_by_name,
    "get_details_by_id": _get_details_by_id,
    "suspend_line": _suspend_line,
    "resume_line": _resume_line,
    "get_bills_for_customer": _get_bills_for_customer,
    "send_payment_request": _send_payment_request,
    "get_data_usage": _get_data_usage,
    "enable_roaming": _enable_roaming,
    "disable_roaming": _disable_roaming,
    "refuel_data": _refuel_data,
    "transfer_to_human_agents": _transfer_to_human_agents,
}
"""The function behind each agent tool, in the order in which they are listed."""
