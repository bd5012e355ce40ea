"""What a caller of the world's tools can rely on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any, cast

import msgspec
import pytest

from ringback.domain import SIDES, Outcome, Side, Task, World
from ringback.telecom import domain
from ringback.telecom.tasks import compositions
from ringback.telecom.world import state_of


def _world(*faults: str) -> World:
    task = next(task for task in compositions() if task.faults == tuple(sorted(faults)))
    return domain.world(task)


def _agent(world: World, tool: str, **arguments: Any) -> Outcome:
    return world.call("agent", tool, arguments)


def _user(world: World, tool: str, **arguments: Any) -> str:
    outcome = world.call("user", tool, arguments)
    assert not outcome.error, outcome.text
    return outcome.text


LINE: dict[str, Any] = {"customer_id": "C1001", "line_id": "L1002"}


# Nothing is shared


def test_worlds_share_nothing_that_changes() -> None:
    task = domain.task("[mobile_data_issue]bad_vpn[PERSONA:None]")
    first, second = domain.world(task), domain.world(task)
    start = second.digest()
    copy = first.copy()
    for tool in domain.tools("user"):
        if tool.writes and not tool.parameters["properties"]:
            first.call("user", tool.name, {})
    first.call("agent", "refuel_data", {**LINE, "gb_amount": 1})
    assert first.digest() != start
    assert copy.digest() == second.digest() == domain.world(task).digest() == start
    assert copy.fields() == second.fields()


def test_a_slow_vpn_stays_slow_in_its_world_and_nowhere_else() -> None:
    slow, healthy = _world("bad_vpn"), _world("data_saver_mode_on")
    _user(slow, "disconnect_vpn")
    _user(slow, "connect_vpn")
    _user(healthy, "connect_vpn")
    assert "performance: poor" in _user(slow, "check_vpn_status")
    assert "performance: excellent" in _user(healthy, "check_vpn_status")


def test_what_connecting_would_bring_is_part_of_the_digest() -> None:
    slow, healthy = _world("bad_vpn"), _world("data_saver_mode_on")
    _user(slow, "disconnect_vpn")
    _user(slow, "toggle_data_saver_mode")
    assert slow.fields() == healthy.fields()
    assert slow.digest() != healthy.digest()


def test_a_record_handed_out_is_not_the_world_s_own() -> None:
    world = _world("data_mode_off")
    before = world.digest()
    record = _agent(world, "get_customer_by_id", customer_id="C1001").record
    assert isinstance(record, dict)
    record.clear()
    fields = world.fields()
    assert isinstance(fields, dict)
    fields.clear()
    assert world.copy().digest() == before
    assert _agent(world, "get_customer_by_id", customer_id="C1001").record
    assert world.fields()


def test_a_copy_costs_a_reference() -> None:
    world = _world("data_mode_off")
    copy = world.copy()
    assert copy == world
    assert state_of(copy) is state_of(world)


# Arguments


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("get_customer_by_id", {}, "needs the argument customer_id (a string)"),
        ("get_customer_by_id", {"customer_id": 1001}, "customer_id must be a string, not the num"),
        ("get_customer_by_id", {"customer_id": None}, "customer_id must be a string, not null"),
        ("get_customer_by_id", {"customer_id": ["C1001"]}, "must be a string, not a list"),
        ("get_customer_by_id", {"customer_id": "\ud800"}, "customer_id must be a string"),
        ("get_customer_by_id", {"customer_id": "C1001", "x": 1}, 'no argument "x"'),
        ("get_customer_by_id", [], "must be a JSON object, not a list"),
        ("get_customer_by_id", None, "must be a JSON object, not null"),
        ("get_customer_by_id", '{"customer_id": "C10', "not valid JSON"),
        ("get_customer_by_id", "", "needs the argument customer_id"),
        ("refuel_data", {**LINE, "gb_amount": "2.0"}, "gb_amount must be a number, not the string"),
        ("refuel_data", {**LINE, "gb_amount": True}, "gb_amount must be a number, not the boolean"),
        ("refuel_data", {**LINE, "gb_amount": float("inf")}, "gb_amount must be a number"),
        ("refuel_data", {**LINE, "gb_amount": float("nan")}, "gb_amount must be a number"),
        ("refuel_data", {**LINE, "gb_amount": 10**400}, "gb_amount must be a number"),
        ("refuel_data", {**LINE, "gb_amount": 10**5000}, "gb_amount must be a number"),
        ("refuel_data", {**LINE, "gb_amount": 1e308}, "gb_amount is too large"),
        ("refuel_data", {**LINE, "gb_amount": 0}, "gb_amount must be more than 0, not 0"),
        ("refuel_data", {**LINE, "gb_amount": -1.0}, "gb_amount must be more than 0, not -1.0"),
        ("get_bills_for_customer", {"customer_id": "C1001", "limit": 1.5}, "a whole number"),
        ("get_bills_for_customer", {"customer_id": "C1001", "limit": "3"}, "a whole number"),
        ("get_bills_for_customer", {"customer_id": "C1001", "limit": -1}, "at least 0"),
        ("get_details_by_id", {"id": "X1"}, "is not an id"),
        ("get_details_by_id", {"id": ""}, "is not an id"),
        ("get_details_by_id", {"id": "L0000"}, 'no line has the id "L0000"'),
        ("suspend_line", {"customer_id": "C1002", "line_id": "L1002", "reason": ""}, "no line"),
        ("resume_line", LINE, "is Active"),
        ("send_payment_request", {"customer_id": "C1001", "bill_id": "B1005"}, "has no bill"),
    ],
)
def test_what_an_agent_gets_wrong_is_named(tool: str, arguments: Any, says: str) -> None:
    world = _world("data_mode_off")
    before = world.digest()
    outcome = world.call("agent", tool, arguments)
    assert outcome.error
    assert outcome.record is None
    assert says in outcome.text
    outcome.text.encode()
    assert len(outcome.text) < 300
    assert world.digest() == before


@pytest.mark.parametrize(
    ("apn", "says"),
    [
        ("internet", "apn_settings must be an object, not the string"),
        ({"apn_name": "bogus"}, 'apn_name must be one of internet, broken, not "bogus"'),
        ({"apn_name": None}, "apn_name must be a string, not null"),
        ({"mms_port": "80"}, "mms_port must be a whole number or null, not the string"),
        ({"mmsc_url": "\udcff"}, "mmsc_url must be a string or null"),
        ({"proxy": "x"}, 'apn_settings has no argument "proxy"'),
    ],
)
def test_a_bad_apn_record_is_an_error(apn: Any, says: str) -> None:
    outcome = _world("data_mode_off").call("user", "set_apn_settings", {"apn_settings": apn})
    assert outcome.error
    assert says in outcome.text


@pytest.mark.parametrize(
    ("side", "tool", "says"),
    [
        ("agent", "toggle_data", "on the customer's phone"),
        ("user", "refuel_data", "belongs to the support agent"),
        ("agent", "get_line_by_id", 'no tool "get_line_by_id"'),
        ("user", "open_settings", 'no tool "open_settings"'),
        ("agent", "", 'no tool ""'),
        ("agent", "\ud800" * 5000, "no tool"),
    ],
)
def test_tools_of_the_other_side_and_made_up_ones_are_errors(
    side: Side, tool: str, says: str
) -> None:
    world = _world("data_mode_off")
    before = world.digest()
    outcome = world.call(side, tool, {})
    assert outcome.error
    assert says in outcome.text
    outcome.text.encode()
    assert len(outcome.text) < 1000
    assert world.digest() == before


def test_no_arguments_may_be_written_as_an_empty_text() -> None:
    world = _world("data_mode_off")
    assert not world.call("user", "toggle_data", "").error
    assert world.fields()["phone.data_enabled"] is True


def test_equal_numbers_give_equal_worlds() -> None:
    whole, decimal = _world("data_usage_exceeded"), _world("data_usage_exceeded")
    assert _agent(whole, "refuel_data", **LINE, gb_amount=2) == _agent(
        decimal, "refuel_data", **LINE, gb_amount=2.0
    )
    assert whole.digest() == decimal.digest()
    for port in (80, 80.0):
        _user(whole, "set_apn_settings", apn_settings={"mms_port": port})
        assert json.loads(json.dumps(whole.fields()["phone.active_apn_settings.mms_port"])) == 80
    assert whole.call("agent", "get_bills_for_customer", {"customer_id": "C1001", "limit": 1.0})


# The desk


def test_records_are_compact_json_and_data_at_once() -> None:
    world = _world("data_mode_off")
    outcome = _agent(world, "get_details_by_id", id="L1002")
    assert json.loads(outcome.text) == outcome.record
    assert outcome.text.startswith('{"line_id":"L1002","phone_number":"555-123-2002"')
    for tool, arguments in (
        ("get_bills_for_customer", {"customer_id": "C1001"}),
        ("get_customer_by_name", {"full_name": "JOHN smith", "dob": "1985-06-15"}),
        ("get_customer_by_name", {"full_name": "John Smith", "dob": "1985-06-16"}),
        ("transfer_to_human_agents", {"summary": "a locked SIM card"}),
        ("enable_roaming", LINE),
        ("refuel_data", {**LINE, "gb_amount": 2}),
    ):
        outcome = world.call("agent", tool, arguments)
        assert not outcome.error
        assert json.loads(outcome.text) == outcome.record


def test_the_caller_is_found_by_name_whatever_the_case() -> None:
    found = _agent(
        _world("data_mode_off"), "get_customer_by_name", full_name="jOHN SMITH", dob="1985-06-15"
    ).record
    assert isinstance(found, list)
    assert [customer["customer_id"] for customer in found if isinstance(customer, dict)] == [
        "C1001"
    ]


def test_a_refuel_without_a_draft_bill_opens_one_with_the_same_id_every_time() -> None:
    world = _world("data_usage_exceeded")
    for customer, line in (("C1002", "L1004"), ("C1003", "L1009")):
        _agent(world, "refuel_data", customer_id=customer, line_id=line, gb_amount=1)
    fields = world.fields()
    assert fields["customer.C1002.bill_ids"] == ["B1004", "B1005", "B2001"]
    assert fields["customer.C1003.bill_ids"] == ["B1006", "B2002"]
    assert fields["bill.B2001.line_items"] == [[0.1, "Charge"]]
    assert fields["bill.B2002.due_date"] == "2025-03-15"


# The phone


def test_a_write_shows_the_status_bar() -> None:
    world = _world("data_mode_off")
    assert _user(world, "toggle_data") == (
        "Mobile data is now on. Status bar: airplane mode off; signal excellent; network 5G; "
        "mobile data on; data saver off; Wi-Fi off; VPN not connected; battery 80%."
    )
    assert _user(world, "run_speed_test") == "Speed: 275.00 Mbps; rating: Excellent."


@pytest.mark.parametrize("tool", [t.name for t in domain.tools("user") if t.writes])
def test_every_write_ends_with_the_status_bar(tool: str) -> None:
    needed: dict[str, dict[str, Any]] = {
        "set_network_mode_preference": {"mode": "5g_only"},
        "set_apn_settings": {"apn_settings": {}},
        "grant_app_permission": {"app_name": "maps", "permission": "sms"},
    }
    world = _world("airplane_mode_on", "unseat_sim_card")
    text = _user(world, tool, **needed.get(tool, {}))
    assert text.endswith(_user(world, "check_status_bar"))


def test_no_signal_cannot_be_read_as_data_being_switched_off() -> None:
    on, off = _world("airplane_mode_on", "unseat_sim_card"), _world("unseat_sim_card")
    _user(off, "toggle_data")
    for world in (on, off):
        bar = _user(world, "check_status_bar")
        assert "no data flowing (no signal)" in bar
        assert "mobile data" not in bar
    assert "mobile data: on" in _user(on, "check_network_status")
    assert "mobile data: off" in _user(off, "check_network_status")


def test_what_the_phone_refuses_changes_nothing_and_is_no_error() -> None:
    world = _world("airplane_mode_on", "unseat_sim_card")
    for tool, arguments in (
        ("toggle_wifi", {}),
        ("set_network_mode_preference", {"mode": "5g_only"}),
        ("grant_app_permission", {"app_name": "maps", "permission": "sms"}),
        ("grant_app_permission", {"app_name": "messaging", "permission": "location"}),
        ("make_payment", {}),
        ("disconnect_vpn", {}),
    ):
        before = world.digest()
        _user(world, tool, **arguments)
        assert world.digest() == before


def test_a_bill_is_asked_for_paid_and_settled() -> None:
    world = _world("overdue_bill_suspension")
    assert _user(world, "check_payment_request") == "Payment request: none."
    request = {"customer_id": "C1001", "bill_id": "B1234321"}
    assert not _agent(world, "send_payment_request", **request).error
    assert "already awaits payment" in _agent(world, "send_payment_request", **request).text
    assert _user(world, "check_payment_request") == (
        "Payment request: bill B1234321; amount: 65.00 USD; paid: no."
    )
    assert _user(world, "make_payment").startswith("Bill B1234321 is paid: 65.00 USD. Status bar")
    assert world.fields()["bill.B1234321.status"] == "Paid"
    assert _user(world, "check_payment_request") == "Payment request: none."


def test_a_resumed_line_waits_for_a_restart() -> None:
    world = _world("overdue_bill_suspension")
    assert not _agent(world, "resume_line", **LINE).error
    assert world.fields()["phone.network_connection_status"] == "no_service"
    _user(world, "reboot_device")
    assert world.fields()["phone.network_connection_status"] == "connected"


# The whole


def test_every_tool_describes_itself_completely() -> None:
    sides: tuple[Side, Side] = ("agent", "user")
    assert [len(domain.tools(side)) for side in sides] == [13, 30]
    for side in sides:
        for tool in domain.tools(side):
            assert tool.side == side
            assert tool.description.endswith(".")
            _is_closed(dict(tool.parameters))
            assert json.loads(msgspec.json.encode(tool.parameters)) == tool.parameters


def _is_closed(schema: dict[str, Any]) -> None:
    assert schema["additionalProperties"] is False
    for name, part in schema["properties"].items():
        assert part["description"].endswith("."), name
        assert ("default" in part) is not (name in schema.get("required", []))
        if part["type"] == "object":
            _is_closed(part)


def test_digests_are_the_same_in_every_process() -> None:
    script = (
        "from ringback.telecom import domain\n"
        "world = domain.world(domain.tasks('test')[0])\n"
        "world.call('user', 'toggle_airplane_mode', {})\n"
        "print(world.digest())"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    world = domain.world(domain.tasks("test")[0])
    world.call("user", "toggle_airplane_mode", {})
    assert seen == {world.digest() + "\n"}
    assert len(world.digest()) == 32


def test_importing_the_domain_loads_no_world() -> None:
    script = (
        "import sys\n"
        "import ringback.telecom\n"
        "print(*(m for m in sys.modules if m.startswith('ringback.telecom.')))"
    )
    out = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert set(out.split()) == {"ringback.telecom.domain", "ringback.telecom.solo"}


def test_a_task_made_by_hand_opens_like_a_found_one() -> None:
    task = Task("[x]", "service_issue", ("airplane_mode_on",), "None", True)
    assert domain.world(task) == _world("airplane_mode_on")


def test_a_rewritten_schema_changes_no_world_and_no_other_brief() -> None:
    """Client libraries rewrite the schemas they are given: strict mode, references inlined."""
    task = domain.tasks("small")[0]
    for side in SIDES:
        for tool in domain.tools(side):
            parameters = cast("dict[str, Any]", tool.parameters)
            parameters["properties"].clear()
            parameters["properties"]["extra"] = {"default": None}
            parameters["required"] = ["extra"]
            parameters["type"] = None
    fresh = {tool.name: tool.parameters for tool in domain.tools("agent")}
    assert "extra" not in fresh["get_customer_by_id"]["properties"]
    world = domain.world(task)
    assert not world.call("agent", "get_customer_by_id", {"customer_id": "C1001"}).error
    assert world.call("agent", "get_customer_by_id", {"extra": None}).error
    assert world.call("agent", "get_customer_by_id", {}).error
