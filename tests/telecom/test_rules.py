"""The world against an independent statement of its rules, on random conversations."""

from __future__ import annotations

from itertools import product
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ringback.domain import SIDES, Side, Task
from ringback.telecom import domain
from ringback.telecom.tasks import compositions
from tests.telecom.rules_statement import ARGUMENTS, PHONE_ARGUMENTS, Statement

tasks: SearchStrategy[Task] = st.sampled_from(compositions())

_junk = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 30), st.floats(-5, 30), st.text(max_size=4)
)
_apn = st.fixed_dictionaries(
    {},
    optional={
        "apn_name": st.sampled_from(["internet", "broken", "bogus", 7]),
        "reset_at_reboot": st.sampled_from([True, False, "yes"]),
        "mms_apn": st.sampled_from([None, "mms", 1]),
        "mmsc_url": st.sampled_from([None, "http://mms.carrier.com/mms/wapenc"]),
        "mms_proxy": st.sampled_from([None, "proxy"]),
        "mms_port": st.sampled_from([None, 80, 80.0, 80.5, "80", True]),
        "colour": st.just("red"),
    },
)
_VALUES: dict[str, list[Any]] = {
    "customer_id": ["C1001", "C1002", "C1003", "C1004", "C9999"],
    "line_id": ["L1002", "L1001", "L1003", "L1004", "L1009", "L9999"],
    "bill_id": ["B1234321", "B1001", "B1002", "B1003", "B1005", "B1006", "B2001", "B9"],
    "gb_amount": [2.0, 2, 0.5, 0.1, 0.05, 1, 5, 0, -1.0, 1e-3, "2.0", True, None],
    "limit": [0, 1, 2, 12, 1.0, 1.5, -1, "3", False],
    "id": [
        "L1002",
        "L0000",
        "D1009",
        "D1010",
        "B1001",
        "B1234321",
        "B2001",
        "C1004",
        "P1005",
        "P1006",
        "X1",
        "l1002",
    ],
    "phone_number": ["555-123-2002", "555-123-1003", "555-123-2009", "none"],
    "full_name": ["John Smith", "JOHN SMITH", "Jane Doe"],
    "dob": ["1985-06-15", "1990-01-01", "15 June 1985"],
    "summary": ["stuck"],
    "reason": ["asked"],
    "mode": ["4g_5g_preferred", "4g_only", "3g_only", "2g_only", "5g_only", "2G_ONLY"],
    "app_name": ["messaging", "browser", "maps", "Messaging"],
    "permission": ["sms", "SMS", "Storage", "phone", "network", "location", ""],
    "apn_settings": [
        {},
        {"apn_name": "internet", "mmsc_url": None},
        {"apn_name": "broken", "reset_at_reboot": True},
        {"apn_name": "bogus"},
    ],
}
_AFTER: list[tuple[Side, str, Any]] = [("user", "make_payment", {}), ("user", "reboot_device", {})]
_PAYMENT: list[tuple[Side, str, Any]] = [
    ("agent", "send_payment_request", {"customer_id": "C1001", "bill_id": bill})
    for bill in ("B1234321", "B1002", "B1003", "B1001")
]


def _known(side: Side) -> dict[str, dict[str, str]]:
    return ARGUMENTS if side == "agent" else PHONE_ARGUMENTS


def _sensible() -> list[tuple[Side, str, Any]]:
    """Every tool with every combination of the values above."""
    return [
        (side, tool, dict(zip(names, values, strict=True)))
        for side in SIDES
        for tool, arguments in _known(side).items()
        for names in [[name.rstrip("?") for name in arguments]]
        for values in product(*(_VALUES[name] for name in names))
    ]


@st.composite
def calls(draw: st.DrawFn) -> list[tuple[Side, str, Any]]:
    """A call that usually makes sense, and sometimes does not; or a bill asked for and paid."""
    if draw(st.integers(0, 12)) == 0:
        return [draw(st.sampled_from(_PAYMENT)), _AFTER[0]]
    side = cast("Side", draw(st.sampled_from(["agent", "user", "user"])))
    if draw(st.integers(0, 30)) == 0:
        other = _known("user" if side == "agent" else "agent")
        return [(side, draw(st.sampled_from([*other, "get_line_by_id", ""])), {})]
    writes = [tool.name for tool in domain.tools(side) if tool.writes]
    tool = draw(st.sampled_from([*_known(side), *writes, *writes]))
    arguments: dict[str, Any] = {}
    for name in _known(side)[tool]:
        if name.endswith("?") and draw(st.booleans()):
            continue
        name = name.rstrip("?")
        usual = st.just(_VALUES[name][0])
        arguments[name] = draw(usual | st.sampled_from(_VALUES[name]))
    match draw(st.integers(0, 25)):
        case 0 if arguments:
            del arguments[draw(st.sampled_from(sorted(arguments)))]
        case 1 if arguments:
            arguments[draw(st.sampled_from(sorted(arguments)))] = draw(_junk | _apn)
        case 2:
            arguments["unheard_of"] = draw(_junk)
        case 3:
            return [(side, tool, draw(st.one_of(st.none(), st.lists(_junk, max_size=2))))]
        case _:
            pass
    return [(side, tool, arguments)]


stories = st.lists(calls(), max_size=20).map(
    lambda parts: [call for part in parts for call in part]
)


@settings(max_examples=250, deadline=None)
@given(tasks, stories)
def test_the_world_keeps_its_rules(task: Task, story: list[tuple[Side, str, Any]]) -> None:
    world, statement = domain.world(task), Statement(task.faults)
    assert world.fields() == statement.fields()
    for side, tool, arguments in story:
        outcome = world.call(side, tool, arguments)
        assert outcome.error is statement.call(side, tool, arguments), (tool, arguments)
        assert world.fields() == statement.fields(), (tool, arguments)


@pytest.mark.parametrize("task", domain.tasks("small"), ids=lambda task: task.faults[0])
def test_every_tool_keeps_the_rules_with_every_sensible_argument(task: Task) -> None:
    start, statement = domain.world(task), Statement(task.faults)
    for call in [*_sensible(), *_PAYMENT]:
        world, rules = start.copy(), statement.copy()
        for step in (call, call, *_AFTER):
            assert world.call(*step).error is rules.call(*step), step
            assert world.fields() == rules.fields(), (call, step)


def test_every_task_starts_as_the_rules_say() -> None:
    for task in compositions():
        assert domain.world(task).fields() == Statement(task.faults).fields(), task.id


@settings(max_examples=60, deadline=None)
@given(tasks, stories)
def test_digests_are_equal_exactly_when_states_are(
    task: Task, story: list[tuple[Side, str, Any]]
) -> None:
    world = domain.world(task)
    seen = [world.copy()]
    for side, tool, arguments in story:
        world.call(side, tool, arguments)
        seen.append(world.copy())
    for one in seen:
        for other in seen:
            assert (one.digest() == other.digest()) is (one == other)


@settings(max_examples=60, deadline=None)
@given(tasks, stories)
def test_an_error_leaves_the_state_as_it_was(
    task: Task, story: list[tuple[Side, str, Any]]
) -> None:
    world = domain.world(task)
    for side, tool, arguments in story:
        before = world.copy()
        outcome = world.call(side, tool, arguments)
        if outcome.error:
            assert world == before
            assert outcome.text.startswith("Error: ")
            assert outcome.text.endswith(".")


@settings(max_examples=40, deadline=None)
@given(tasks, stories)
def test_the_same_calls_give_the_same_texts_and_bytes(
    task: Task, story: list[tuple[Side, str, Any]]
) -> None:
    one, other = domain.world(task), domain.world(task)
    for call in story:
        assert one.call(*call) == other.call(*call)
    assert one.digest() == other.digest()
