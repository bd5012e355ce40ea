"""The carrier's records: customers, lines, plans, bills and devices, as immutable values."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property, lru_cache
from importlib import resources
from typing import TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from ringback.canonical import Json

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
    "Record",
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


Record: TypeAlias = Customer | Line | Plan | Bill | Device


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

    @cached_property
    def by_id(self) -> Mapping[str, Record]:
        """Every record by its id; the ids of the five kinds begin with different letters."""
        index: dict[str, Record] = {}
        index.update((entry.plan_id, entry) for entry in self.plans)
        index.update((entry.customer_id, entry) for entry in self.customers)
        index.update((entry.line_id, entry) for entry in self.lines)
        index.update((entry.bill_id, entry) for entry in self.bills)
        index.update((entry.device_id, entry) for entry in self.devices)
        return index

    @cached_property
    def flat(self) -> Mapping[str, Json]:
        """The records' fields that can change, one name each; line items as [amount, type]."""
        fields: dict[str, Json] = {}
        for line in self.lines:
            prefix = f"line.{line.line_id}."
            for name, value in asdict(line).items():
                fields[prefix + name] = value
        for bill in self.bills:
            prefix = f"bill.{bill.bill_id}."
            for name, value in asdict(bill).items():
                fields[prefix + name] = value
            fields[prefix + "line_items"] = [[i.amount, i.item_type] for i in bill.line_items]
        for customer in self.customers:
            prefix = f"customer.{customer.customer_id}."
            fields[prefix + "bill_ids"] = list(customer.bill_ids)
            fields[prefix + "account_status"] = customer.account_status
        return fields

    def customer(self, wanted: str) -> Customer | None:
        """The customer with this id."""
        found = self.by_id.get(wanted)
        return found if isinstance(found, Customer) else None

    def line(self, wanted: str) -> Line | None:
        """The line with this id."""
        found = self.by_id.get(wanted)
        return found if isinstance(found, Line) else None

    def bill(self, wanted: str) -> Bill | None:
        """The bill with this id."""
        found = self.by_id.get(wanted)
        return found if isinstance(found, Bill) else None

    def plan_of(self, line: Line) -> Plan:
        """The plan of a line of this carrier."""
        found = self.by_id.get(line.plan_id)
        if not isinstance(found, Plan):
            raise LookupError(f"line {line.line_id} names the unknown plan {line.plan_id}")
        return found

    def bills_of(self, customer: Customer) -> tuple[Bill, ...]:
        """The customer's bills in the order of the account."""
        found = map(self.bill, customer.bill_ids)
        return tuple(bill for bill in found if bill is not None)

    def line_with_number(self, number: str) -> Line | None:
        """The line with this phone number."""
        return next((line for line in self.lines if line.phone_number == number), None)

    def customer_with_number(self, number: str) -> Customer | None:
        """The customer whose own number, or one of whose lines, has this phone number."""
        line = self.line_with_number(number)
        owned = None if line is None else line.line_id
        return next(
            (c for c in self.customers if number == c.phone_number or owned in c.line_ids), None
        )

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
