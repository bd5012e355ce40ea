"""Three calls of an operator, told again: what they were worth, and what stood at their end."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from ringback.canonical import Json
from ringback.record.document import Case, Failed, Record
from ringback.record.making import make_record
from ringback.sessions import Store, parse_selection
from ringback.users import open_user
from tests.record.recorded import by_model, operated
from tests.record.reenacted import CALLS, HARD, HARD_INVERTED, INVERSIONS, INVERTING, inverting

OBSERVED: dict[str, dict[str, Json]] = {
    "easy": {
        "mobile_data_enabled": True,
        "data_refueling_gb": 2.0,
        "charge_usd": 4.0,
        "final_speed_mbps": 275.0,
        "final_speed_description": "Excellent",
    },
    "medium": {
        "line_id": "L1002",
        "carrier_roaming_enabled": True,
        "data_saver_enabled": False,
        "degraded_vpn_connected": False,
        "final_speed_mbps": 275.0,
        "final_speed_description": "Excellent",
    },
    "hard": {
        "airplane_mode": False,
        "sim_status": "active",
        "carrier_roaming_enabled": True,
        "mobile_data_enabled": True,
        "data_refueling_gb": 2.0,
        "charge_usd": 4.0,
        "network_mode": "4g_5g_preferred",
        "wifi_calling_enabled": False,
        "messaging_sms_permission": True,
        "apn_reset_and_rebooted": True,
        "can_send_mms": True,
        "final_speed_mbps": 275.0,
        "final_speed_description": "Excellent",
    },
}
CHECKS = {
    "easy": {"toggle_data", "refuel_data"},
    "medium": {"disconnect_vpn", "toggle_data_saver_mode", "enable_roaming"},
    "hard": {
        "toggle_airplane_mode",
        "set_network_mode_preference",
        "toggle_wifi_calling",
        "reset_apn_settings",
        "reboot_device",
        "grant_app_permission",
        "toggle_data",
        "refuel_data",
        "reseat_sim_card",
        "enable_roaming",
    },
}


def told(path: Path) -> Record:
    with Store.open(path, write=False) as store:
        return make_record(store, parse_selection([])).record


def only(path: Path) -> Case:
    (case,) = told(path).cases
    return case


@pytest.mark.parametrize("tier", CALLS)
def test_with_a_customer_that_does_as_asked_each_is_solved_and_stands_as_it_should(
    path: Path, tier: str
) -> None:
    call = CALLS[tier]
    operated(path, call)
    case = only(path)
    assert (case.tier, case.task_id, case.seed) == (tier, call.task, call.seed)
    assert (case.termination_reason, case.official_reward, case.result) == (
        "user_stop",
        1.0,
        "passed",
    )
    assert case.observed_state == OBSERVED[tier]
    assert list(case.observed_state) == list(OBSERVED[tier])
    assert case.official_action_checks == dict.fromkeys(CHECKS[tier], True)
    assert case.strict_reward == 1.0
    assert case.failure is UNSET
    assert case.evaluation_explanation.startswith("The end-state checks found ")


@pytest.mark.parametrize("guard", ["off", "record"])
def test_a_customer_that_inverts_roles_uses_up_the_steps_though_all_is_repaired(
    path: Path, guard: str
) -> None:
    call = replace(CALLS["hard"], commands=HARD_INVERTED)
    operated(path, call, by_model(INVERTING, guard))
    case = only(path)
    assert (case.termination_reason, case.steps) == ("max_steps", 100)
    assert (case.official_reward, case.result) == (0.0, "failed")
    assert case.observed_state == OBSERVED["hard"]
    assert isinstance(case.failure, Failed)
    assert case.failure.blame == "simulator"
    why = case.evaluation_explanation
    for words in (
        "the state at the end was repaired",
        "cut off at its limit of 100 steps",
        f"In {INVERSIONS} turns the customer spoke as if it were the agent, which took 26 of 100",
        "laid to the simulator",
        "No other attempt",
    ):
        assert words in why


def test_a_guard_that_makes_it_find_back_into_its_part_lets_the_call_be_solved(path: Path) -> None:
    operated(path, replace(CALLS["hard"], commands=HARD), by_model(inverting, "correct"))
    record = told(path)
    (case,) = record.cases
    assert (case.termination_reason, case.official_reward) == ("user_stop", 1.0)
    assert case.observed_state == OBSERVED["hard"]
    assert "6 held back and asked for again" in record.compatibility_boundary
    assert "spoke as if it were the agent" not in record.compatibility_boundary


def test_a_guard_that_it_does_not_heed_leaves_the_failure_with_the_simulator(path: Path) -> None:
    call = replace(CALLS["hard"], commands=HARD_INVERTED)
    operated(path, call, by_model(INVERTING, "correct"))
    case = only(path)
    assert (case.termination_reason, case.official_reward) == ("max_steps", 0.0)
    assert isinstance(case.failure, Failed)
    assert case.failure.blame == "simulator"


def test_the_condensation_is_short_and_names_tools_figures_errors_and_recoveries(
    path: Path,
) -> None:
    call = replace(CALLS["hard"], commands=HARD_INVERTED)
    operated(path, call, by_model(INVERTING, "record"))
    operated(path, CALLS["medium"], open_user("rules"))
    medium, hard = told(path).cases
    assert 8 <= len(hard.operator_trajectory) <= 15
    assert 6 <= len(medium.operator_trajectory) <= 12
    whole = "\n".join(hard.operator_trajectory)
    for words in (
        "looked up 555-123-2002 with get_customer_by_phone",
        "which showed the SIM card missing",
        "called enable_roaming for C1001/L1002, where roaming was off",
        "found 15.1 GB used of 15 GB",
        "a refuel price of $2 per GB",
        "Offered extra data, named the price and had the customer's agreement "
        '("Yes, please add 2 GB for $4."), and called refuel_data for 2 GB on C1001/L1002 ($4).',
        "0.05 Mbps (Very Poor) and MMS still failing",
        "corrected the customer's role inversion 6 times until it would set the network mode to "
        "4g_5g_preferred",
        "the MMSC URL not set",
        "MMS working and 275 Mbps (Excellent)",
    ):
        assert words in whole
    assert (
        "Called get_line_by_id with id L1001, which is no tool; nothing changed by it, and "
        "get_details_by_id was used instead." in medium.operator_trajectory
    )
