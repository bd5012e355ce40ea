"""From the case to the next turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ringback.agents.reference import asking
from ringback.agents.reference.case import Case, need_of
from ringback.agents.reference.figures import figure, money, number
from ringback.agents.reference.fold import SKIPS
from ringback.canonical import Json
from ringback.episode.events import Call
from ringback.episode.participants import Reply
from ringback.episode.seeds import Stream
from ringback.telecom.policy.facts import FACTS, MAX_REFUEL_GB, TROUBLES, fact
from ringback.telecom.policy.model import Do, Fact, Step
from ringback.telecom.policy.workflow import goal

__all__ = ["next_turn"]

_TROUBLE = {item.topic: item.name for item in TROUBLES}
_SHOWS = {tool: sum(tool in item.tools for item in FACTS) for item in FACTS for tool in item.tools}


def next_turn(case: Case, random: Stream) -> Reply:
    """The agent's reply to a case; a pure function of the case and the stream."""
    if case.transferred:
        return Reply(text=asking.handing_over(case.handed_over > 0), rule="handed over")
    reply = _identify(case) or _line(case) or _trouble(case)
    if reply is not None:
        return reply
    if case.habits.skip and case.skipped is None:
        return _leave_out(case, random)
    return _work(case)


def _identify(case: Case) -> Reply | None:
    if case.customer is not None:
        return None
    who = case.identity
    chances: list[tuple[str, str, dict[str, Json]]] = []
    if who.number is not None:
        arguments: dict[str, Json] = {"phone_number": who.number}
        chances.append(("get_customer_by_phone", "that phone number", arguments))
    if who.customer_id is not None:
        arguments = {"customer_id": who.customer_id}
        chances.append(("get_customer_by_id", "that customer id", arguments))
    if who.name is not None and who.birth_date is not None:
        arguments = {"full_name": who.name, "dob": who.birth_date}
        chances.append(("get_customer_by_name", "that name and date of birth", arguments))
    for tool, _, arguments in chances:
        if (tool, ", ".join(map(str, arguments.values()))) not in case.tried:
            return Reply(calls=(Call(tool, arguments),), rule="identify")
    if case.misses >= 3 or case.times("identity") >= 3:
        return _transfer(case, "The caller could not be identified.", "unidentified")
    if chances:
        return Reply(text=asking.found_nobody(chances[-1][1]), rule="identify")
    return Reply(text=asking.who(case.times("identity")), rule="identify")


def _line(case: Case) -> Reply | None:
    customer = case.customer
    if case.line_id is not None or customer is None:
        return None
    ids = [str(line_id) for line_id in customer.get("line_ids") or ()]
    unknown = [line_id for line_id in ids if line_id not in case.lines]
    if not ids or case.refused.get("get_details_by_id", 0) >= 2 or case.times("number") >= 3:
        return _transfer(case, "The line could not be found on the account.", "no line")
    if unknown:
        calls = tuple(Call("get_details_by_id", {"id": line_id}) for line_id in unknown)
        return Reply(calls=calls, rule="open lines")
    numbers = [str(case.lines[line_id].get("phone_number")) for line_id in ids]
    return Reply(text=asking.which_line(numbers), rule="which line")


def _trouble(case: Case) -> Reply | None:
    if case.topic is not None:
        return None
    if case.times("topic") >= 3:
        return _transfer(case, "What is wrong did not become clear.", "no trouble named")
    return Reply(text=asking.which_trouble(), rule="which trouble")


def _leave_out(case: Case, random: Stream) -> Reply:
    names = [*(step.name for step in case.scope), "consent"]
    left_out = [name for name in names if random.chance(case.habits.skip)]
    case.skipped = frozenset(left_out)
    reply = _work(case)
    return Reply(
        text=reply.text,
        calls=reply.calls,
        rule=f"{reply.rule}; {SKIPS}{', '.join(left_out) or 'nothing'}",
    )


def _work(case: Case) -> Reply:
    habits = case.habits
    if case.over:
        return _close(case)
    if habits.patience is not None and case.unhelpful > habits.patience:
        return _transfer(case, "A repair did not help.", "a repair did not help")
    for step in case.scope:
        if step.transfer and case.outlook(step)[0] == "due":
            return _transfer(case, f"{step.title}.", step.name)
    if case.passes >= habits.passes:
        return _transfer(case, "Everything that applies was tried.", "nothing helped")
    missing = case.missing()
    reply = _look_up(case, missing) or _check(case, missing) or _repair(case)
    return reply or _verify(case)


def _close(case: Case) -> Reply:
    heard = case.heard
    if case.closings > 1 or (case.closings and heard is not None and heard.mood.leaving):
        return Reply(text=asking.farewell(), rule="farewell")
    return Reply(text=asking.solved(case.closings > 0), rule="solved")


def _look_up(case: Case, missing: Sequence[Fact]) -> Reply | None:
    tools = dict.fromkeys(item.tools[0] for item in missing if item.source == "account")
    calls: list[Call] = []
    for tool in tools:
        match tool:
            case "get_details_by_id":
                arguments: dict[str, Json] = {"id": case.line_id}
            case "get_bills_for_customer":
                arguments = {"customer_id": _customer_id(case)}
            case _:
                arguments = {"customer_id": _customer_id(case), "line_id": case.line_id}
        calls.append(Call(tool, arguments))
    return Reply(calls=tuple(calls), rule=f"look up {', '.join(tools)}") if calls else None


def _check(case: Case, missing: Sequence[Fact]) -> Reply | None:
    needs: dict[str, bool] = {}
    for item in missing:
        if item.source == "account":
            continue
        tools = item.tools or (item.name,)
        tried = sum(case.times(tool) for tool in tools)
        tool = tools[0] if tried < 2 else tools[-1]
        needs[tool] = needs.get(tool, False) or tried > 0
    if not needs:
        return None
    chosen = list(needs)[: case.habits.checks_at_once]
    again = [need for need in chosen if needs[need]]
    text = asking.please(chosen, opening=_opening(case), again=again, repair=False)
    return Reply(text=text, rule=f"check {', '.join(chosen)}")


def _repair(case: Case) -> Reply | None:
    habits = case.habits
    unproven = case.changed > max(case.seen, case.begun) and not case.amid
    if habits.repairs_at_once == 1 and unproven:
        return None
    steps = list(case.open_steps())[: habits.repairs_at_once]
    calls: list[Call] = []
    plan: list[tuple[Step, tuple[Do, ...]]] = []
    for step, pending in steps:
        if pending[0].side == "user":
            plan.append((step, pending))
            continue
        asks = _consent(case, step, pending[0])
        if asks is not None:
            return asks
        calls += [Call(do.tool, _arguments(case, do)) for do in _lead(pending, "agent")]
    if calls:
        unique = tuple({(call.tool, str(call.arguments)): call for call in calls}.values())
        return Reply(calls=unique, rule=f"repair {', '.join(step.name for step, _ in steps)}")
    return _ask_repairs(case, plan) if plan else None


def _lead(pending: Sequence[Do], side: str) -> list[Do]:
    """The actions at the head that are this side's."""
    head: list[Do] = []
    for do in pending:
        if do.side != side:
            break
        head.append(do)
    if side == "agent" and head and head[0].tool == "get_details_by_id":
        return head[:1]  # what it shows decides about the next
    return head


def _ask_repairs(case: Case, plan: Sequence[tuple[Step, tuple[Do, ...]]]) -> Reply:
    needs: dict[str, None] = {}
    complete = True
    for _, pending in plan:
        head = _lead(pending, "user")
        complete = complete and len(head) == len(pending)
        for do in head:
            need = need_of(do)
            needs.pop(need, None)  # one restart, after all that needs it
            needs[need] = None
            for name in do.reread:
                if name != "signal":
                    needs[min(fact(name).tools, key=lambda tool: _SHOWS[tool])] = None
    assert case.topic is not None
    if complete:
        needs[goal(case.topic).tool] = None
    order = _in_order(list(needs))
    again = [need for need in order if need.split()[0] not in _SHOWS and case.times(need)]
    text = asking.please(order, opening=_opening(case), again=again, repair=True)
    return Reply(text=text, rule=f"repair {', '.join(step.name for step, _ in plan)}")


def _in_order(needs: list[str]) -> list[str]:
    """The same, with a restart after everything that is to be changed before it."""
    if "reboot_device" not in needs:
        return needs
    looks = [need for need in needs if need in _SHOWS]
    return [
        *(need for need in needs if need not in looks and need != "reboot_device"),
        "reboot_device",
        *looks,
    ]


def _consent(case: Case, step: Step, do: Do) -> Reply | None:
    """The question for the customer's consent, a transfer on a no, None where there is a yes."""
    if step.consent is None or do.tool not in ("refuel_data", "send_payment_request"):
        return None
    what = "refuel" if do.tool == "refuel_data" else "payment"
    plan_id = str((case.line or {}).get("plan_id"))
    plan = case.plans.get(plan_id)
    if what == "refuel" and plan is None:
        if case.refused.get("get_details_by_id", 0) >= 2:
            return _transfer(case, "The price of more data could not be found.", step.name)
        return Reply(calls=(Call("get_details_by_id", {"id": plan_id}),), rule="look up the price")
    if what == "refuel" and (_price(plan) is None or _gb_to_add(case) is None):
        return _transfer(case, "The price of more data could not be found.", step.name)
    if case.skipped is not None and "consent" in case.skipped:
        return None
    answer = case.consent.get(what)
    if answer == "yes":
        return None
    if answer == "no" or case.times(what) >= case.habits.asks:
        return _transfer(case, f"The customer did not agree to what is needed: {step.title}.", "no")
    if what == "refuel" and plan is not None:
        text = _offer(case, plan)
    else:
        bill = case.bills.get(case.bill_id or "", {})
        text = asking.pay_bill(str(case.bill_id), money(figure(bill, "total_due")))
    return Reply(text=text, rule=f"consent to {what}")


def _offer(case: Case, plan: Mapping[str, Any]) -> str:
    used, limit, added = (
        figure(case.usage, name) for name in ("data_used_gb", "data_limit_gb", "data_refueling_gb")
    )
    price, amount = _price(plan), _gb_to_add(case)
    return asking.add_data(
        used=number(used),
        limit=number(None if limit is None or added is None else limit + added),
        price=money(price),
        total=money(None if price is None or amount is None else price * amount),
        amount=number(amount),
    )


def _price(plan: Mapping[str, Any] | None) -> float | None:
    return figure(plan, "data_refueling_price_per_gb")


def _gb_to_add(case: Case) -> float | None:
    """How much to add, None where it is not known what has been added before."""
    added = figure(case.usage, "data_refueling_gb")
    if added is None:
        return None
    room = max(MAX_REFUEL_GB - added, 0.0)
    wanted = case.amount_gb
    return room if wanted is None or not 0 < wanted <= room else wanted


def _verify(case: Case) -> Reply:
    assert case.topic is not None
    tool = goal(case.topic).tool
    times = case.times(tool, case.changed)
    if times >= case.habits.asks:
        return _transfer(case, "Whether it works could not be learnt.", "no answer")
    again = (tool,) if times else ()
    text = asking.please((tool,), opening=_opening(case), again=again, repair=False)
    return Reply(text=text, rule=f"verify {tool}")


def _opening(case: Case) -> str:
    """What comes before a request: thanks, reassurance, what was done on the account."""
    heard = case.heard
    since = case.spoke
    done = {tool for tool, position in case.deeds.items() if position > since and "_" in tool}
    parts: list[str] = []
    if "resume_line" in done:
        parts.append("Thank you, your payment has arrived and the line is back in service.")
    if "enable_roaming" in done:
        parts.append("I have allowed roaming on your line, at no extra cost.")
    if "refuel_data" in done:
        parts.append(f"I have added {number(_gb_to_add(case))} GB to your line, as agreed.")
    if parts:
        return " ".join(parts)
    if case.asks.keys() <= {"identity", "number", "topic"}:
        name = str((case.customer or {}).get("full_name") or "").split(" ")[0]
        line = (case.line or {}).get("phone_number")
        return f"Thank you, {name}. I have your account and the line {line} open." if name else ""
    if heard is not None and heard.mood.worried:
        return "Do not worry, nothing of this deletes your pictures or messages."
    if heard is not None and heard.mood.unsure:
        return "No problem, let me put it differently."
    if case.begun > case.spoke:
        return "I am sorry that it does not work yet. Let us look at everything once more."
    return "Thank you, that helps."


def _arguments(case: Case, do: Do) -> dict[str, Json]:
    given: dict[str, Json] = {
        "$customer_id": _customer_id(case),
        "$line_id": case.line_id,
        "$bill_id": case.bill_id,
        "$gb_amount": _gb_to_add(case),
    }
    return {
        name: given[value] if isinstance(value, str) and value.startswith("$") else value
        for name, value in do.arguments
    }


def _customer_id(case: Case) -> str:
    return str((case.customer or {}).get("customer_id"))


def _transfer(case: Case, why: str, rule: str) -> Reply:
    customer = case.customer or {}
    who = customer.get("full_name") or case.identity.name or "An unidentified caller"
    line = (case.line or {}).get("phone_number") or case.identity.number or "no number given"
    trouble = _TROUBLE[case.topic] if case.topic is not None else "trouble not named"
    done = ", ".join(need.replace("_", " ") for need in case.deeds) or "nothing"
    summary = f"{who}, line {line}, {trouble}. {why} Done so far: {done}."
    return Reply(
        calls=(Call("transfer_to_human_agents", {"summary": summary}),), rule=f"transfer: {rule}"
    )
