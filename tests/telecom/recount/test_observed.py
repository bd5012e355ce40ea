"""What stood at the end of a call: each fault has its field, and repaired it shows so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from ringback.canonical import Json
from ringback.domain import Happening, Task
from ringback.telecom import domain
from ringback.telecom.faults import FAULTS
from ringback.telecom.recount import about, finding, observed
from ringback.telecom.recount.observed import FIELDS
from ringback.telecom.tasks import compositions, repair
from tests.grading.stories import Line, story

FIELD: dict[str, tuple[str, Json, Json]] = {
    "airplane_mode_on": ("airplane_mode", True, False),
    "unseat_sim_card": ("sim_status", "missing", "active"),
    "lock_sim_card_pin": ("sim_status", "locked_pin", "locked_pin"),
    "break_apn_settings": ("apn_reset_and_rebooted", False, True),
    "overdue_bill_suspension": ("line_status", "Suspended", "Active"),
    "contract_end_suspension": ("contract_end_date", "2025-01-31", "2025-01-31"),
    "data_mode_off": ("mobile_data_enabled", False, True),
    "data_saver_mode_on": ("data_saver_enabled", True, False),
    "bad_network_preference": ("network_mode", "2g_only", "4g_5g_preferred"),
    "bad_vpn": ("degraded_vpn_connected", True, False),
    "data_usage_exceeded": ("data_refueling_gb", 0.0, 2.0),
    "data_usage_exceeded_no_refuel": ("data_used_gb", 17.1, 17.1),
    "user_abroad_roaming_enabled_off": ("phone_roaming_enabled", False, True),
    "user_abroad_roaming_disabled_on": ("carrier_roaming_enabled", False, True),
    "user_abroad_roaming_disabled_off": ("carrier_roaming_enabled", False, True),
    "bad_wifi_calling": ("wifi_calling_enabled", True, False),
    "break_apn_mms_setting": ("apn_reset_and_rebooted", False, True),
    "break_app_sms_permission": ("messaging_sms_permission", False, True),
    "break_app_storage_permission": ("messaging_storage_permission", False, True),
    "break_app_both_permissions": ("messaging_storage_permission", False, True),
}
TRANSFER: dict[str, Any] = {"summary": "It cannot be repaired."}


def with_fault(name: str) -> Task:
    """The task with the fewest faults, this one among them."""
    found = [of for of in compositions() if name in of.faults]
    return min(found, key=lambda of: (len(of.faults), of.id))


def ended(of: Task, steps: Iterable[Line]) -> tuple[list[Happening], Any]:
    lines: list[Line] = [("user", "Help."), ("agent", "One moment.")]
    turn = "user"
    for side, *rest in steps:
        if side != turn:
            lines.append((turn, "Go on."))
            turn = side
        lines.append((side, *rest))
    episode = story(of, *lines, ending="max_steps")
    return episode.happenings, episode.world


def repaired(of: Task) -> list[Line]:
    return [
        (step.side, step.tool, dict(step.arguments) or (TRANSFER if not of.repairable else {}))
        for step in repair(of)
    ]


def test_every_fault_is_looked_at() -> None:
    assert FIELD.keys() == FAULTS.keys()
    assert {name for name, _, _ in FIELD.values()} <= FIELDS.keys()


@pytest.mark.parametrize("fault", FIELD)
def test_a_fault_shows_in_its_field_while_it_stands_and_no_longer_once_it_is_repaired(
    fault: str,
) -> None:
    of = with_fault(fault)
    name, standing, mended = FIELD[fault]
    assert observed(of, [], domain.world(of))[name] == standing
    history, world = ended(of, repaired(of))
    found = observed(of, history, world)
    assert found[name] == mended
    assert list(found) == [each for each in FIELDS if each in found]
    assert ("transferred_to_human" in found) is not of.repairable
    if not of.repairable:
        assert found["transferred_to_human"] is True


def test_the_line_is_named_where_no_check_names_it() -> None:
    assert observed(of := with_fault("user_abroad_roaming_disabled_on"), [], domain.world(of))[
        "line_id"
    ]
    refuelled = with_fault("data_usage_exceeded")
    assert "line_id" not in observed(refuelled, [], domain.world(refuelled))


def test_a_speed_is_shown_where_it_is_asked_for_or_was_tested() -> None:
    mms = with_fault("break_app_sms_permission")
    assert "final_speed_mbps" not in observed(mms, [], domain.world(mms))
    history, world = ended(mms, [("user", "run_speed_test", {})])
    assert observed(mms, history, world)["final_speed_mbps"] == 220.0
    used = with_fault("data_usage_exceeded")
    if used.family == "mobile_data_issue":
        assert observed(used, [], domain.world(used))["final_speed_mbps"] is None


def test_access_points_that_were_put_right_by_hand_show_so() -> None:
    of = with_fault("break_apn_mms_setting")
    history, world = ended(of, [("user", "set_apn_settings", {"apn_settings": {}})])
    found = observed(of, history, world)
    assert (found["apn_reset_and_rebooted"], found["apn_settings_in_order"]) == (False, True)


def test_what_the_steps_left_is_shown_though_no_fault_names_it() -> None:
    of = with_fault("data_saver_mode_on")
    line: dict[str, Any] = {"customer_id": "C1001", "line_id": "L1002"}
    other: dict[str, Any] = {**line, "line_id": "L1001"}
    assert "line_status" not in observed(of, [], domain.world(of))
    history, world = ended(
        of,
        [
            ("agent", "suspend_line", {**line, "reason": "lost"}),
            ("agent", "enable_roaming", other),
            ("agent", "refuel_data", {**other, "gb_amount": 1}),
            ("agent", "send_payment_request", {"customer_id": "C1001", "bill_id": "B1002"}),
            ("user", "toggle_airplane_mode", {}),
            ("user", "toggle_wifi", {}),
            ("user", "reseat_sim_card", {}),
        ],
    )
    found = observed(of, history, world)
    assert found["line_id"] == "L1002"
    assert found["line_status"] == "Suspended"
    assert found["airplane_mode"] is True
    assert found["wifi_enabled"] is False
    assert found["sim_status"] == "active"
    assert found["other_lines"] == {
        "L1001": {
            "carrier_roaming_enabled": True,
            "data_refueling_gb": 1.0,
            "charge_usd": 5.0,
        }
    }
    assert found["other_bills"] == {"B1002": "Awaiting Payment"}
    assert "charge_usd" not in found
    assert found["charge_usd_all_lines"] == 5.0
    assert "transferred_to_human" not in found
    assert list(found) == [each for each in FIELDS if each in found]


def test_what_was_refused_leaves_no_field() -> None:
    of = with_fault("data_saver_mode_on")
    line: dict[str, Any] = {"customer_id": "C1001", "line_id": "L1002"}
    history, world = ended(of, [("agent", "resume_line", line)])
    assert observed(of, history, world).keys() == observed(of, [], domain.world(of)).keys()


def test_charges_of_another_line_are_not_counted_to_this_one_and_not_left_out() -> None:
    of = with_fault("data_usage_exceeded")
    other: dict[str, Any] = {"customer_id": "C1001", "line_id": "L1001", "gb_amount": 1}
    history, world = ended(of, [("agent", "refuel_data", other)])
    found = observed(of, history, world)
    assert found["charge_usd"] == 0.0
    assert found["charge_usd_all_lines"] == 5.0
    assert found["other_lines"] == {"L1001": {"data_refueling_gb": 1.0, "charge_usd": 5.0}}
    both = ended(
        of, [("agent", "refuel_data", other | {"line_id": line}) for line in ("L1001", "L1002")]
    )
    paid: dict[str, Any] = observed(of, *both)
    assert paid["charge_usd_all_lines"] == paid["charge_usd"] + 5.0 > 5.0
    alone = ended(of, [("agent", "refuel_data", other | {"line_id": "L1002"})])
    assert "charge_usd_all_lines" not in observed(of, *alone)
    elsewhere = ended(
        of, [("agent", "enable_roaming", {"customer_id": "C1001", "line_id": "L1001"})]
    )
    assert "charge_usd_all_lines" not in observed(of, *elsewhere)


@pytest.mark.parametrize("fault", FIELD)
def test_what_a_task_is_about_and_what_its_checks_find_is_said_in_words(fault: str) -> None:
    of = with_fault(fault)
    assert fault not in about(of)
    assert about(of).endswith(".")
    world = domain.world(of)
    for check in domain.check(of, [], world).end:
        words = finding(check, world)
        assert words
        assert check.name not in words
