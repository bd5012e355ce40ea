"""From the view to the case: every event in order, nothing kept from one turn to the next."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeAlias

import msgspec

from ringback.agents.reference.case import Case, Habits, need_of
from ringback.agents.reference.figures import figure
from ringback.agents.reference.reading import Reading
from ringback.agents.reference.talk import Identity
from ringback.canonical import Json
from ringback.episode.events import Call, Result, Results, Turn
from ringback.episode.participants import View
from ringback.telecom.policy.facts import FACTS, MAX_REFUEL_GB, TODAY
from ringback.telecom.policy.model import Do
from ringback.telecom.policy.workflow import STEPS, goal

__all__ = ["SKIPS", "fold"]

SKIPS = "leaves out: "
"""In a turn's rule: the steps that a careless agent leaves out for the rest of the call."""

Record: TypeAlias = dict[str, Any]

_decoder: msgspec.json.Decoder[Record | list[Record]] = msgspec.json.Decoder(Record | list[Record])
_PHONE = frozenset(item.name for item in FACTS if item.source == "phone")
_ACCOUNT = frozenset(item.name for item in FACTS if item.source == "account")
_SHOWN_BY = {
    tool: tuple(item.name for item in FACTS if tool in (item.tools or (item.name,)))
    for tool in {tool for item in FACTS for tool in (item.tools or (item.name,))}
}
_USER_DOES = {need_of(do): do for step in STEPS for do in step.do if do.side == "user"}
_AGENT_DOES = {do.tool: do for step in STEPS for do in step.do if do.side == "agent"}


def fold(view: View, habits: Habits) -> Case:
    """The case as it stands after all events of the view. The customer or the world spoke last."""
    case = Case(habits)
    calls: tuple[Call, ...] = ()
    for position, event in enumerate(view.events):
        case.position = position
        if isinstance(event, Turn):
            if event.by == view.side:
                calls = event.calls
                _own(case, event)
            elif event.text:
                _heard(case, event.text)
        elif isinstance(event, Results):
            for call, result in zip(calls, event.results, strict=False):
                _result(case, call, result)
        _choose_line(case)
    case.position = len(view.events)
    return case


def _own(case: Case, turn: Turn) -> None:
    if turn.rule and SKIPS in turn.rule:
        named = turn.rule.partition(SKIPS)[2]
        case.skipped = frozenset(name for name in named.split(", ") if name != "nothing")
    if turn.text and not turn.calls:
        case.said(turn.text)
        if "transferred" in case.last and case.transferred:
            case.handed_over += 1
        elif "closing" in case.last:
            case.closings += 1


def _heard(case: Case, text: str) -> None:
    heard = case.hears(text)
    case.heard = heard
    known, new = case.identity, heard.identity
    case.identity = Identity(
        number=_number(case, new.number),
        customer_id=new.customer_id or known.customer_id,
        name=new.name or known.name,
        birth_date=new.birth_date or known.birth_date,
    )
    if case.topic is None:
        case.topic = heard.topic
    elif case.closings and heard.answer == "yes" and not heard.mood.leaving:
        _another(case, heard)
    for consent in ("refuel", "payment"):
        if consent in case.last and heard.answer is not None:
            case.consent[consent] = heard.answer
            if consent == "refuel" and heard.amount_gb is not None:
                case.amount_gb = heard.amount_gb
    _choose_line(case)
    _facts_and_deeds(case, heard)
    _settle(case)


def _choose_line(case: Case) -> None:
    """Take the line that the customer named, or the only one, once the lines are open."""
    if case.customer is None or case.line_id is not None:
        return
    ids = [str(line_id) for line_id in case.customer.get("line_ids") or ()]
    if any(line_id not in case.lines for line_id in ids):
        return
    for line_id in ids:
        if len(ids) == 1 or case.lines[line_id].get("phone_number") == case.identity.number:
            case.line_id = line_id
            _learn_line(case)
            return


def _number(case: Case, said: str | None) -> str | None:
    if said is None or (case.line_id is not None and "number" not in case.last):
        return case.identity.number
    return said


def _facts_and_deeds(case: Case, heard: Reading) -> None:
    learnt = {name for name in heard.facts if name not in case.facts}
    case.facts.update(heard.facts)
    wanted = [need for need in case.last if need in _USER_DOES]
    done = _carried_out(case, wanted, heard)
    for need in done:
        _did(case, need, heard)
    _leave_for_later(case, learnt, done)
    for need in heard.deeds:
        if need in _USER_DOES and need not in wanted:
            case.deeds[need] = case.changed = case.position
    if case.topic is None:
        return
    aim = goal(case.topic)
    if aim.fact in heard.facts:
        case.seen = case.position
        if not case.over and case.changed > case.judged and not case.amid:
            case.unhelpful += 1
            case.judged = case.position


def _carried_out(case: Case, wanted: list[str], heard: Reading) -> list[str]:
    """Which of the actions that were asked for the customer carried out, going by the message.

    An action that is named was done, and with it those asked for before it. Where none is named, a
    "done" or a report on the check that was to follow stands for all of them.
    """
    if not wanted:
        return []
    named = [index for index, need in enumerate(wanted) if need in heard.deeds]
    shown = {
        need
        for need in wanted
        if any(heard.facts.get(name) == state for name, state in _USER_DOES[need].leaves)
    }
    reach = named[-1] if named else -1
    if heard.mood.all_done or (not named and not heard.mood.failed and not heard.mood.unsure):
        checked = case.topic is not None and goal(case.topic).fact in heard.facts
        if (
            heard.mood.all_done
            or (not shown and (heard.mood.done or checked))
            or (heard.mood.done and len(shown) + 1 >= len(wanted))
        ):
            reach = len(wanted) - 1
    return [
        need
        for index, need in enumerate(wanted)
        if (index <= reach or need in shown)
        and not _denied(_USER_DOES[need], heard.facts, need in heard.deeds)
    ]


def _leave_for_later(case: Case, learnt: set[str], done: list[str]) -> None:
    """Where the customer got on with a part of what was asked, the rest was not refused."""
    answered = {
        need
        for need in case.last
        if need in done or any(name in learnt for name in _SHOWN_BY.get(need, ()))
    }
    for need in case.last if answered else ():
        places = case.asks[need]
        if need not in answered and not _told(case, need) and places[-1:] == [case.spoke]:
            places.pop()


def _told(case: Case, need: str) -> bool:
    """Whether the last message said anything of what this check shows."""
    heard = case.heard
    return heard is not None and any(name in heard.facts for name in _SHOWN_BY.get(need, ()))


def _denied(do: Do, facts: Mapping[str, str], claimed: bool) -> bool:
    """Whether the message shows the opposite of what the action would have left."""
    return not claimed and any(facts.get(name, state) != state for name, state in do.leaves)


def _did(case: Case, need: str, heard: Reading) -> None:
    case.deeds[need] = case.changed = case.position
    do = _USER_DOES[need]
    for name, state in do.leaves:
        if name not in heard.facts:
            case.facts[name] = state
    for name in do.reread:
        if name not in heard.facts:
            case.facts.pop(name, None)


def _another(case: Case, heard: Reading) -> None:
    """A second trouble after the first was put right: begin with it afresh."""
    if heard.topic is not None and heard.topic != case.topic:
        case.topic = heard.topic
        case.passes = case.closings = 0
        case.begun = case.position - 1
        case.seen = case.changed = -1


def _settle(case: Case) -> None:
    """Where everything was done in vain, begin the next pass: read everything anew."""
    if case.topic is None or not case.fresh or case.over or case.line is None:
        return
    if case.missing() or next(case.open_steps(), None) is not None:
        return
    case.passes += 1
    case.begun = case.position
    for name in (*_PHONE, *_ACCOUNT):
        case.facts.pop(name, None)


def _result(case: Case, call: Call, result: Result) -> None:
    key = _first(call.arguments)
    case.tried.add((call.tool, key))
    record = None if result.error else _record(result.text)
    if call.tool == "transfer_to_human_agents" and not result.error:
        case.transferred = True
    elif call.tool in ("get_customer_by_phone", "get_customer_by_id", "get_customer_by_name"):
        found = record if isinstance(record, dict) else _only(record)
        if found is not None and "customer_id" in found:
            case.customer = found
        else:
            case.misses += 1
    elif result.error:
        case.refused[call.tool] = case.refused.get(call.tool, 0) + 1
    elif call.tool == "get_details_by_id" and isinstance(record, dict):
        _details(case, record)
    elif call.tool == "get_bills_for_customer" and isinstance(record, list):
        _bills(case, record)
    elif call.tool == "get_data_usage" and isinstance(record, dict):
        _usage(case, record)
    elif call.tool in _AGENT_DOES:
        _agent_did(case, call)


def _first(arguments: Json) -> str:
    if not isinstance(arguments, dict):
        return ""
    return ", ".join(str(value) for value in arguments.values())


@lru_cache(maxsize=4_096)
def _record(text: str) -> Record | list[Record] | None:
    """The record in a result's text; shared, never changed. None where there is none."""
    try:
        return _decoder.decode(text)
    except msgspec.MsgspecError:
        return None


def _only(record: list[Record] | None) -> Record | None:
    return record[0] if record is not None and len(record) == 1 else None


def _details(case: Case, record: Record) -> None:
    if "line_id" in record:
        case.lines[str(record["line_id"])] = record
        if record["line_id"] == case.line_id:
            _learn_line(case)
    elif "bill_id" in record:
        case.bills[str(record["bill_id"])] = record
        if record["bill_id"] == case.bill_id:
            if record.get("status") == "Paid":
                case.deeds["get_details_by_id"] = case.position
                case.facts["bill"] = "none"
            else:
                case.deeds.pop("make_payment", None)
    elif "plan_id" in record:
        case.plans[str(record["plan_id"])] = record
    elif "customer_id" in record:
        case.customer = record


def _learn_line(case: Case) -> None:
    """Read the workflow's facts off the line's record."""
    line = case.line
    if line is None:
        return
    if isinstance(status := line.get("status"), str):
        case.facts["line_status"] = status
    if "contract_end_date" in line:
        ends = line["contract_end_date"]
        ended = isinstance(ends, str) and ends[:10] < TODAY
        case.facts["contract"] = "ended" if ended else "running"
    if isinstance(roaming := line.get("roaming_enabled"), bool):
        case.facts["line_roaming"] = "allowed" if roaming else "not allowed"
    if not {"line_status", "contract", "line_roaming"} <= case.facts.keys():
        case.refused["get_details_by_id"] = case.refused.get("get_details_by_id", 0) + 1


def _bills(case: Case, records: list[Record]) -> None:
    bills = [bill for bill in records if "bill_id" in bill]
    case.bills.update({str(bill["bill_id"]): bill for bill in bills})
    for status, state in (("Awaiting Payment", "awaiting payment"), ("Overdue", "overdue")):
        for bill in bills:
            if bill.get("status") == status:
                case.bill_id = str(bill["bill_id"])
                case.facts["bill"] = state
                return
    case.facts["bill"] = "none"


def _usage(case: Case, record: Record) -> None:
    """Both facts or neither: on a record that leaves something open nothing is ever offered."""
    used, limit, added = (
        figure(record, name) for name in ("data_used_gb", "data_limit_gb", "data_refueling_gb")
    )
    if used is None or limit is None or added is None:
        case.facts.pop("allowance", None)
        case.facts.pop("refuel", None)
        case.usage = None
        case.refused["get_data_usage"] = case.refused.get("get_data_usage", 0) + 1
        return
    case.usage = record
    case.facts["allowance"] = "used up" if used >= limit + added else "left"
    case.facts["refuel"] = "at the limit" if added >= MAX_REFUEL_GB else "possible"


def _agent_did(case: Case, call: Call) -> None:
    do = _AGENT_DOES[call.tool]
    case.deeds[call.tool] = case.changed = case.position
    if call.tool == "refuel_data":
        case.consent.pop("refuel", None)
    for name, state in do.leaves:
        case.facts[name] = state
    for name in do.reread:
        case.facts.pop(name, None)
