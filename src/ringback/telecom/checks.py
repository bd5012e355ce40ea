"""The checks of a finished conversation: the end state, the expected steps, and their product.

Each expected step is judged twice. The `reference` rule is that of tau2-bench, kept so that rewards
agree with published ones; it is generous: anyone's call counts, a failed one too, and arguments
left out are not compared. The `strict` rule asks for what was meant: the same side, every argument,
and a call that succeeded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import UNSET, Struct

from ringback.canonical import Json
from ringback.domain import ActionCheck, Did, EndCheck, Happening, Side, Task, Verdict, World
from ringback.telecom.conduct import conduct
from ringback.telecom.faults import (
    OVERDUE_BILL,
    REFUEL_GB,
    USER_CUSTOMER,
    USER_LINE,
    Step,
    start_state,
)
from ringback.telecom.phone import can_send_mms, mobile_data_works, speed
from ringback.telecom.state import State
from ringback.telecom.tasks import TRANSFER, repair
from ringback.telecom.tools import TOOLS
from ringback.telecom.world import state_of

__all__ = ["ACTIONS", "END_STATE", "check", "end_checks"]

END_STATE, ACTIONS = "end_state", "actions"
"""The two parts a reward's basis can have."""

_EXCELLENT_MBPS = 200
_SAME_GB = 1e-6


class _Condition(Struct, frozen=True):
    """An end-state check before it is applied."""

    name: str
    env: Side
    arguments: dict[str, Json]
    holds: Callable[[State], bool]

    def on(self, state: State) -> EndCheck:
        return EndCheck(self.name, self.env, self.arguments, self.holds(state))


def check(task: Task, history: Sequence[Happening], end: World) -> Verdict:
    """Check a whole history against the task; pure.

    The reward's basis is the end state, and for a task that cannot be repaired the expected
    transfer too. Every check is computed and shown, whether it counts or not.
    """
    calls = [happening for happening in history if isinstance(happening, Did)]
    counted = not task.repairable
    end_state = end_checks(task, state_of(end))
    actions = tuple(_action(step, calls, counted) for step in repair(task))
    satisfied = all(c.met for c in end_state) and all(a.met for a in actions if a.counted)
    return Verdict(
        satisfied=satisfied,
        basis=(END_STATE, ACTIONS) if counted else (END_STATE,),
        end=end_state,
        actions=actions,
        conduct=conduct(task, history),
    )


def end_checks(task: Task, state: State) -> tuple[EndCheck, ...]:
    """The end-state checks of a task, on a state.

    For a task that cannot be repaired the fault must still stand: a service task stays without
    service. The two data families have no such task in the published sets; with the refuel limit
    used up, mobile data must still fail.
    """
    return tuple(condition.on(state) for condition in _conditions(task))


def _conditions(task: Task) -> list[_Condition]:
    match task.family:
        case "service_issue":
            return _service(task)
        case "mobile_data_issue":
            conditions = [_data_status(task.repairable)]
            if task.repairable:
                conditions.append(_FAST)
        case _:
            conditions = [_mms(task.repairable)]
    if "data_usage_exceeded" in task.faults:
        conditions.append(_refuelled(task))
    return conditions


def _service(task: Task) -> list[_Condition]:
    wanted = "connected" if task.repairable else "no_service"
    service = _Condition(
        "assert_service_status",
        "user",
        {"expected_status": wanted},
        lambda state: state.phone.network_connection_status == wanted,
    )
    return [service, _NO_OVERDUE_BILL] if task.repairable else [service]


def _bill_settled(state: State) -> bool:
    bill = state.carrier.bill(OVERDUE_BILL)
    return bill is None or bill.status == "Paid"


_NO_OVERDUE_BILL = _Condition(
    "assert_no_overdue_bill", "agent", {"overdue_bill_id": OVERDUE_BILL}, _bill_settled
)


def _data_status(wanted: bool) -> _Condition:
    return _Condition(
        "assert_mobile_data_status",
        "user",
        {"expected_status": wanted},
        lambda state: mobile_data_works(state.phone, state.around) is wanted,
    )


def _mms(wanted: bool) -> _Condition:
    return _Condition(
        "assert_can_send_mms",
        "user",
        {"expected_status": wanted},
        lambda state: can_send_mms(state.phone, state.around) is wanted,
    )


def _is_fast(state: State) -> bool:
    mbps, label = speed(state.phone, state.around)
    return mbps is not None and mbps >= _EXCELLENT_MBPS and label == "Excellent"


_FAST = _Condition(
    "assert_internet_speed",
    "user",
    {"expected_speed": _EXCELLENT_MBPS, "expected_desc": "excellent"},
    _is_fast,
)


def _refuelled_gb(state: State) -> float:
    line = state.carrier.line(USER_LINE)
    if line is None:
        raise LookupError(f"the records have no line {USER_LINE}")
    return line.data_refueling_gb


def _refuelled(task: Task) -> _Condition:
    wanted = _refuelled_gb(start_state(task.faults)) + REFUEL_GB
    return _Condition(
        "assert_data_refueling_amount",
        "agent",
        {"customer_id": USER_CUSTOMER, "line_id": USER_LINE, "expected_amount": wanted},
        lambda state: abs(_refuelled_gb(state) - wanted) <= _SAME_GB,
    )


def _action(step: Step, calls: Sequence[Did], counted: bool) -> ActionCheck:
    name_alone = step is TRANSFER
    named = [call for call in calls if call.tool == step.tool]
    return ActionCheck(
        name=step.tool,
        side=step.side,
        arguments=dict(step.arguments),
        compare=() if name_alone else None,
        met=any(name_alone or _agrees(step.arguments, call.arguments) for call in named),
        strict=any(
            call.side == step.side
            and not call.outcome.error
            and (name_alone or _equals(step, call.arguments))
            for call in named
        ),
        counted=counted,
    )


def _object(arguments: Json) -> dict[str, Json] | None:
    if arguments == "":
        return {}
    return arguments if isinstance(arguments, dict) else None


def _agrees(wanted: Mapping[str, Json], arguments: Json) -> bool:
    given = _object(arguments)
    return given is not None and all(
        name in wanted and _same(wanted[name], value) for name, value in given.items()
    )


def _equals(step: Step, arguments: Json) -> bool:
    given = _object(arguments)
    if given is None:
        return False
    items = TOOLS[step.tool].takes.items
    defaults = {item.name: item.default for item in items if item.default is not UNSET}
    full = {**defaults, **given}
    wanted = {**defaults, **step.arguments}
    return full.keys() == wanted.keys() and all(_same(wanted[n], full[n]) for n in wanted)


def _same(wanted: Json, given: Json) -> bool:
    """Whether a given value is the wanted one, which is a scalar: 2 is 2.0, and true is not 1."""
    if isinstance(wanted, bool) or isinstance(given, bool):
        return wanted is given
    return wanted == given
