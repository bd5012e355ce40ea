"""The world against an independent statement of its rules, on random conversations."""

from __future__ import annotations

from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ringback.domain import Side, Task
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
_values: dict[str, SearchStrategy[Any]] = {
    "customer_id": st.sampled_from(["C1001"] * 6 + ["C1002", "C1003", "C1004", "C9999"]),
    "line_id": st.sampled_from(["L1002"] * 4 + ["L1001", "L1003", "L1004", "L1009", "L9999"]),
    "bill_id": st.sampled_from(["B1234321", "B1001", "B1002", "B1003", "B1005", "B2001", "B9"]),
    "gb_amount": st.sampled_from([2.0, 2, 0.5, 1, 5, 0, -1.0, 1e-3, "2.0", True, None]),
    "limit": st.sampled_from([0, 1, 2, 12, 1.0, 1.5, -1, "3", False]),
    "id": st.sampled_from(
        [
            "L1002",
            "L0000",
            "D1009",
            "D1010",
            "B1001",
            "B1234321",
            "B2001",
            "C1004",
            "P1005",
            "X1",
            "l1002",
        ]
    ),
    "phone_number": st.sampled_from(["555-123-2002", "555-123-1003", "555-123-2009", "none"]),
    "mode": st.sampled_from(["4g_5g_preferred", "4g_only", "3g_only", "2g_only", "5g_only", "2G"]),
    "app_name": st.sampled_from(["messaging", "browser", "maps", "Messaging"]),
    "permission": st.sampled_from(["sms", "SMS", "Storage", "phone", "network", "location", ""]),
    "apn_settings": st.one_of(_apn, _junk),
}


@st.composite
def calls(draw: st.DrawFn) -> tuple[Side, str, Any]:
    """A call that usually makes sense, and sometimes does not."""
    side = cast("Side", draw(st.sampled_from(["agent", "user", "user"])))
    known = ARGUMENTS if side == "agent" else PHONE_ARGUMENTS
    if draw(st.integers(0, 30)) == 0:
        other = PHONE_ARGUMENTS if side == "agent" else ARGUMENTS
        return side, draw(st.sampled_from([*other, "get_line_by_id", ""])), {}
    tool = draw(st.sampled_from(list(known)))
    arguments: dict[str, Any] = {}
    for name in known[tool]:
        if name.endswith("?") and draw(st.booleans()):
            continue
        name = name.rstrip("?")
        arguments[name] = draw(_values.get(name, st.text(max_size=6)))
    match draw(st.integers(0, 25)):
        case 0 if arguments:
            del arguments[draw(st.sampled_from(sorted(arguments)))]
        case 1 if arguments:
            arguments[draw(st.sampled_from(sorted(arguments)))] = draw(_junk)
        case 2:
            arguments["unheard_of"] = draw(_junk)
        case 3:
            return side, tool, draw(st.one_of(st.none(), st.lists(_junk, max_size=2)))
        case _:
            pass
    return side, tool, arguments


@settings(max_examples=250, deadline=None)
@given(tasks, st.lists(calls(), max_size=25))
def test_the_world_keeps_its_rules(task: Task, story: list[tuple[Side, str, Any]]) -> None:
    world, statement = domain.world(task), Statement(task.faults)
    assert world.fields() == statement.fields()
    for side, tool, arguments in story:
        outcome = world.call(side, tool, arguments)
        assert outcome.error is statement.call(side, tool, arguments), (tool, arguments)
        assert world.fields() == statement.fields(), (tool, arguments)


def test_every_task_starts_as_the_rules_say() -> None:
    for task in compositions():
        assert domain.world(task).fields() == Statement(task.faults).fields(), task.id


@settings(max_examples=60, deadline=None)
@given(tasks, st.lists(calls(), max_size=15))
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
@given(tasks, st.lists(calls(), max_size=15))
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
@given(tasks, st.lists(calls(), max_size=15))
def test_the_same_calls_give_the_same_texts_and_bytes(
    task: Task, story: list[tuple[Side, str, Any]]
) -> None:
    one, other = domain.world(task), domain.world(task)
    for call in story:
        assert one.call(*call) == other.call(*call)
    assert one.digest() == other.digest()
