"""One state of the whole world: immutable, so that a copy is a reference."""

from __future__ import annotations

import hashlib
from functools import cached_property

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ringback.telecom.carrier import Carrier, base_carrier
from ringback.telecom.phone import (
    BASE_PHONE,
    BASE_SURROUNDINGS,
    PaymentRequest,
    Phone,
    Surroundings,
    search_network,
)

__all__ = ["State", "base_state", "link", "searched"]


class State(Struct, frozen=True, dict=True):
    """The carrier's records, the phone and its surroundings."""

    carrier: Carrier
    phone: Phone
    around: Surroundings

    @cached_property
    def digest(self) -> str:
        """BLAKE2b-128 over the three parts, as 32 hexadecimal digits; computed once."""
        rest = msgspec.json.encode((self.phone, self.around))
        return hashlib.blake2b(self.carrier.digest + rest, digest_size=16).hexdigest()


def base_state() -> State:
    """The healthy world before a customer holds the phone."""
    return State(base_carrier(), BASE_PHONE, BASE_SURROUNDINGS)


def searched(state: State) -> State:
    """The state after the phone looked for a network."""
    return replace(state, phone=search_network(state.phone, state.around))


def link(state: State) -> State:
    """Carry the customer's records over to the phone, and a payment back to the records.

    Runs after every tool call of either side; a second run changes nothing.
    """
    around = state.around
    number = around.phone_number
    if number is None:
        return state
    carrier = state.carrier
    request = around.payment_request
    if request is not None and request.paid:
        bill = carrier.bill(request.bill_id)
        if bill is not None:
            carrier = carrier.with_bill(replace(bill, status="Paid"))
        request = None
    if request is None:
        customer = carrier.customer_with_number(number)
        bills = () if customer is None else carrier.bills_of(customer)
        for bill in bills:
            if bill.status == "Awaiting Payment":
                request = PaymentRequest(bill.bill_id, bill.total_due)
                break
    line = carrier.line_with_number(number)
    if line is None:
        new = replace(around, payment_request=request)
    else:
        allowance = carrier.plan_of(line).data_limit_gb + line.data_refueling_gb
        new = replace(
            around,
            line_active=line.status == "Active",
            roaming_allowed=line.roaming_enabled,
            mobile_data_usage_exceeded=line.data_used_gb >= allowance,
            payment_request=request,
        )
    if new == around:
        return state if carrier is state.carrier else replace(state, carrier=carrier)
    return replace(state, carrier=carrier, around=new)
