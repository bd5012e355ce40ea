"""The carrier's records: customers, lines, plans, bills and devices, as immutable values."""

from __future__ import annotations

import hashlib
from functools import cached_property, lru_cache
from importlib import resources

import msgspec
from msgspec import Struct
from msgspec.structs import replace

__all__ = [
    "LINE_ITEM_CHARGE",
    "TODAY",
    "Address",
    "Bill",
    "Carrier",
    "Customer",
    "Device",
    "Line",
    "LineItem",
    "PaymentMethod",
    "Plan",
    "base_carrier",
]

TODAY = "2025-02-25"
"""The day on which the world's clock stands still (12:08:00 EST)."""

LINE_ITEM_CHARGE = "Charge"


class Address(Struct, frozen=True):
    """Where a customer lives."""

    street: str
    city: str
    state: str
    zip_code: str


class PaymentMethod(Struct, frozen=True):
    """How a customer pays; the number's last four digits only."""

    method_type: str
    last_four: str
    expires: str


class Customer(Struct, frozen=True):
    """An account. Dates as YYYY-MM-DD, credit in USD."""

    customer_id: str
    full_name: str
    date_of_birth: str
    email: str
    phone_number: str
    address: Address
    account_status: str
    payment_methods: tuple[PaymentMethod, ...]
    line_ids: tuple[str, ...]
    bill_ids: tuple[str, ...]
    created_at: str
    last_extension_date: str | None
    goodwill_credit_used_this_year: float


class Line(Struct, frozen=True):
    """A phone line. Data in GB."""

    line_id: str
    phone_number: str
    status: str
    plan_id: str
    device_id: str
    data_used_gb: float
    data_refueling_gb: float
    roaming_enabled: bool
    contract_end_date: str
    last_plan_change_date: str | None
    last_sim_replacement_date: str | None
    suspension_start_date: str | None


class Plan(Struct, frozen=True):
    """What a line costs and may use. Prices in USD, data in GB."""

    plan_id: str
    name: str
    data_limit_gb: float
    price_per_month: float
    data_refueling_price_per_gb: float


class LineItem(Struct, frozen=True):
    """One position of a bill. Amount in USD."""

    amount: float
    date: str
    item_type: str


class Bill(Struct, frozen=True):
    """A bill for one period. Amounts in USD."""

    bill_id: str
    customer_id: str
    period_start: str
    period_end: str
    issue_date: str
    total_due: float
    due_date: str
    line_items: tuple[LineItem, ...]
    status: str


class Device(Struct, frozen=True):
    """The hardware behind a line."""

    device_id: str
    device_type: str
    model: str
    imei: str
    is_esim_capable: bool
    activated: bool
    activation_date: str | None
    last_esim_transfer_date: str | None


class Carrier(Struct, frozen=True, dict=True):
    """All records of the carrier. Every change is a new value that shares what stayed the same."""

    plans: tuple[Plan, ...]
    customers: tuple[Customer, ...]
    lines: tuple[Line, ...]
    bills: tuple[Bill, ...]
    devices: tuple[Device, ...]

    @cached_property
    def digest(self) -> bytes:
        """BLAKE2b-128 of the records; computed once for each value."""
        return hashlib.blake2b(msgspec.json.encode(self), digest_size=16).digest()

    def customer(self, customer_id: str) -> Customer | None:
        """The customer with this id."""
        return next((c for c in self.customers if c.customer_id == customer_id), None)

    def line(self, line_id: str) -> Line | None:
        """The line with this id."""
        return next((line for line in self.lines if line.line_id == line_id), None)

    def plan(self, plan_id: str) -> Plan | None:
        """The plan with this id."""
        return next((plan for plan in self.plans if plan.plan_id == plan_id), None)

    def bill(self, bill_id: str) -> Bill | None:
        """The bill with this id."""
        return next((bill for bill in self.bills if bill.bill_id == bill_id), None)

    def device(self, device_id: str) -> Device | None:
        """The device with this id."""
        return next((device for device in self.devices if device.device_id == device_id), None)

    def line_with_number(self, phone_number: str) -> Line | None:
        """The line with this phone number."""
        return next((line for line in self.lines if line.phone_number == phone_number), None)

    def plan_of(self, line: Line) -> Plan:
        """The plan of a line of this carrier."""
        plan = self.plan(line.plan_id)
        if plan is None:
            raise LookupError(f"line {line.line_id} names the unknown plan {line.plan_id}")
        return plan

    def bills_of(self, customer: Customer) -> tuple[Bill, ...]:
        """The customer's bills in the order of the account."""
        found = (self.bill(bill_id) for bill_id in customer.bill_ids)
        return tuple(bill for bill in found if bill is not None)

    def customer_with_number(self, phone_number: str) -> Customer | None:
        """The customer whose own number, or one of whose lines, has this phone number."""
        line = self.line_with_number(phone_number)
        for customer in self.customers:
            if customer.phone_number == phone_number:
                return customer
            if line is not None and line.line_id in customer.line_ids:
                return customer
        return None

    def with_line(self, line: Line) -> Carrier:
        """These records with one line replaced by its new value."""
        lines = tuple(line if old.line_id == line.line_id else old for old in self.lines)
        return replace(self, lines=lines)

    def with_bill(self, bill: Bill) -> Carrier:
        """These records with one bill replaced by its new value."""
        bills = tuple(bill if old.bill_id == bill.bill_id else old for old in self.bills)
        return replace(self, bills=bills)

    def with_new_bill(self, bill: Bill) -> Carrier:
        """These records with a bill appended, to its customer's account too."""
        customers = tuple(
            replace(c, bill_ids=(*c.bill_ids, bill.bill_id))
            if c.customer_id == bill.customer_id
            else c
            for c in self.customers
        )
        return replace(self, customers=customers, bills=(*self.bills, bill))


@lru_cache(maxsize=1)
def base_carrier() -> Carrier:
    """The records before any fault, read from the package."""
    data = resources.files("ringback.telecom").joinpath("data/carrier.json").read_bytes()
    return msgspec.json.decode(data, type=Carrier)
