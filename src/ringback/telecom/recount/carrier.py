"""What an agent did with the carrier's tools, in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, cast

from ringback.canonical import Json, encode
from ringback.domain import Did
from ringback.telecom.carrier import Bill, Line, Plan
from ringback.telecom.recount.phone import done, shown
from ringback.telecom.recount.words import amount, counted, dollars, listed, quoted, times
from ringback.telecom.tools import TOOLS
from ringback.telecom.world import state_of

__all__ = ["called", "instead", "refused"]

_BILLS = 3
_PHONE = "phone"
_LOOKS_UP = re.compile(r"(?:get|find|look|search|list|show|fetch|read|check)_?")


def called(deeds: Sequence[Did]) -> list[str]:
    """Calls that worked, as clauses in the past; calls of one tool in a row share one.

    Where the agent holds the phone itself, so do all its steps on it that follow each other.
    """
    clauses: list[str] = []
    for tool, group in groupby(deeds, key=_shared):
        made = list(group)
        if tool == _PHONE:
            clauses.append(_on_the_phone(made))
        elif tool == "get_details_by_id":
            clauses.append(_inspected(made))
        elif tool in _SAYS:
            says = [_SAYS[tool](did) for did in made]
            clauses.extend(dict.fromkeys(says) if _LOOKS_UP.match(tool) else counted(says))
        else:
            clauses.extend(counted(f"called {tool}" for _ in made))
    return clauses


def _shared(did: Did) -> str:
    spec = TOOLS.get(did.tool)
    return _PHONE if spec is not None and spec.side == "user" else did.tool


def _on_the_phone(deeds: Sequence[Did]) -> str:
    acts = counted(done(did) for did in deeds)
    seen = list(dict.fromkeys(words for did in deeds for words in shown(did)))
    return f"used the phone to {listed(acts)}" + (f", which showed {listed(seen)}" if seen else "")


def refused(deeds: Sequence[Did]) -> str:
    """Calls that failed, as one clause in the past."""
    clauses = [_failed(list(group)) for _, group in groupby(deeds, key=_same_failure)]
    return listed(clauses)


def _same_failure(did: Did) -> tuple[str, bytes, str]:
    return did.tool, encode(did.arguments), did.outcome.text


def instead(failed: Did, after: Did) -> str | None:
    """How a refused call was made good by the next that worked, None where that does not show.

    The same tool was called again, or another look was taken at what the refused one named.
    """
    if failed.tool == after.tool:
        return "it was called again"
    if not (_LOOKS_UP.match(failed.tool) and _LOOKS_UP.match(after.tool)):
        return None
    spec = TOOLS.get(failed.tool)
    named = {*_values(failed)} & {*_values(after)}
    if named and (spec is None or spec.side == failed.side):
        return f"{after.tool} was used instead"
    return None


def _values(did: Did) -> Iterator[str]:
    if isinstance(did.arguments, dict):
        yield from (value for value in did.arguments.values() if isinstance(value, str) and value)


def _failed(deeds: Sequence[Did]) -> str:
    first = deeds[0]
    often = times(len(deeds))
    spec = TOOLS.get(first.tool)
    if spec is None:
        return f"called {quoted(first.tool, 40)[1:-1]}{_with(first)}{often}, which is no tool"
    if spec.side != first.side:
        return f"called {first.tool}{often}, which only the customer can use"
    text = first.outcome.text.removeprefix("Error: ").rstrip(".")
    return f"called {first.tool}{_with(first)}{often}, which was refused ({quoted(text, 90)})"


def _with(did: Did) -> str:
    if not isinstance(did.arguments, dict) or not did.arguments:
        return ""
    parts = (f"{name} {_spelled(value)}" for name, value in did.arguments.items())
    return f" with {quoted(', '.join(parts), 70)[1:-1]}"


def _spelled(value: Json) -> str:
    return value if isinstance(value, str) else encode(value).decode()


def _raw(did: Did, name: str) -> str:
    given = did.arguments
    value = cast("dict[str, object]", given).get(name) if isinstance(given, dict) else None
    return "" if value is None else str(value)


def _given(did: Did, name: str) -> str:
    return quoted(_raw(did, name), 40)[1:-1]


def _record(did: Did) -> dict[str, Any]:
    found = did.outcome.record
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _on(did: Did) -> str:
    return f"{_given(did, 'customer_id')}/{_given(did, 'line_id')}"


def _inspected(deeds: Sequence[Did]) -> str:
    names = list(dict.fromkeys(_given(did, "id") for did in deeds))
    clause = f"inspected {listed(names)} with get_details_by_id"
    seen = list(dict.fromkeys(words for did in deeds for words in _seen(did)))
    return f"{clause}, which showed {listed(seen)}" if seen else clause


def _seen(did: Did) -> Iterator[str]:
    """What of a record bears on the call: whose line it is, its state, a price, an open bill."""
    state = state_of(did.before)
    match state.carrier.by_id.get(_given(did, "id")):
        case Line() as line if line.phone_number == state.around.phone_number:
            status = "" if line.status == "Active" else f", {line.status}"
            yield f"{line.line_id} as the line of {line.phone_number}{status}"
        case Plan() as plan:
            yield f"a refuel price of {dollars(plan.data_refueling_price_per_gb)} per GB"
        case Bill() as bill:
            yield f"{bill.bill_id} {bill.status} ({dollars(bill.total_due)})"
        case _:
            pass


def _usage(did: Did) -> str:
    record = _record(did)
    limit = amount(record["data_limit_gb"])
    more = record["data_refueling_gb"]
    extra = f" plus {amount(more)} GB refuelled" if more else ""
    return (
        f"called get_data_usage for {_on(did)} and found {amount(record['data_used_gb'])} GB used "
        f"of {limit} GB{extra}"
    )


def _bills(did: Did) -> str:
    found = cast("list[dict[str, Any]]", did.outcome.record or [])
    open_ones = [bill for bill in found if bill["status"] not in ("Paid", "Draft")]
    names = [
        f"{bill['bill_id']} {bill['status']} ({dollars(bill['total_due'])})"
        for bill in open_ones[:_BILLS]
    ]
    if len(open_ones) > _BILLS:
        names.append(f"{len(open_ones) - _BILLS} more")
    what = f"found {listed(names)}" if names else "found none open"
    return f"listed the bills of {_given(did, 'customer_id')} and {what}"


def _roaming(did: Did) -> str:
    state = state_of(did.before)
    line = state.carrier.line(_given(did, "line_id"))
    wanted = did.tool == "enable_roaming"
    if line is None or line.roaming_enabled is wanted:
        return f"called {did.tool} for {_on(did)}, where it was so already"
    return f"called {did.tool} for {_on(did)}, where roaming was {'off' if wanted else 'on'}"


def _refuel(did: Did) -> str:
    record = _record(did)
    return (
        f"called refuel_data for {amount(record['added_gb'])} GB on {_on(did)} "
        f"({dollars(record['charge'])})"
    )


def _asked_to_pay(did: Did) -> str:
    bill = state_of(did.after).carrier.bill(_given(did, "bill_id"))
    due = "" if bill is None else f" ({dollars(bill.total_due)})"
    return f"sent a payment request for {_given(did, 'bill_id')}{due}"


_SAYS: Mapping[str, Callable[[Did], str]] = {
    "get_customer_by_phone": lambda did: (
        f"looked up {_given(did, 'phone_number')} with get_customer_by_phone"
    ),
    "get_customer_by_id": lambda did: (
        f"looked up {_given(did, 'customer_id')} with get_customer_by_id"
    ),
    "get_customer_by_name": lambda did: (
        f"searched for {_given(did, 'full_name')} with get_customer_by_name"
    ),
    "suspend_line": lambda did: f"suspended the line {_on(did)} with suspend_line",
    "resume_line": lambda did: f"brought the line {_on(did)} back with resume_line",
    "get_bills_for_customer": _bills,
    "send_payment_request": _asked_to_pay,
    "get_data_usage": _usage,
    "enable_roaming": _roaming,
    "disable_roaming": _roaming,
    "refuel_data": _refuel,
    "transfer_to_human_agents": lambda did: (
        f"handed the case to a human colleague ({quoted(_raw(did, 'summary'), 90)})"
    ),
}
