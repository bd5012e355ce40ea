"""Recorded answers against our world: another wording is no difference, another state is."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from itertools import product
from pathlib import Path

import pytest

from ringback.domain import Did
from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.events import Results
from ringback.formats import Recording
from ringback.formats.regrade import Regraded, regrade
from ringback.formats.tau2 import read
from ringback.formats.tau2.stated import disagreements
from tests.formats.tau2.made import Json, Talk, result_file, write

BAR = "Status bar: airplane mode off; signal poor; network 2G; mobile data on; data saver on; "
OWN_BAR = BAR + "Wi-Fi off; VPN connected; battery 80%."
THEIR_BAR = "Status Bar: * Poor | 2G | * Data Enabled | * Data Saver | * VPN Connected | * 80%"


@pytest.mark.parametrize(
    ("tool", "same", "other", "ours"),
    [
        ("can_send_mms", "You can send one.", "You cannot send one.", "MMS can be sent: yes."),
        ("check_sim_status", "It is ACTIVE.", "No SIM in the slot.", "SIM card: active."),
        ("check_sim_status", "Locked with a PIN.", "Locked: PUK.", "SIM card: locked_pin."),
        ("run_speed_test", "275.00 Mbps (Excellent)", "5.50 Mbps (Poor)", "Speed: 275.00 Mbps; r."),
        (
            "toggle_data",
            "Mobile Data is now ON.",
            "Mobile Data is now OFF.",
            "Mobile data is now on.",
        ),
        (
            "check_vpn_status",
            "VPN is turned OFF.",
            "VPN is ON and so on.",
            "VPN: not connected; x.",
        ),
        ("check_status_bar", THEIR_BAR, THEIR_BAR.replace("Poor", "Good"), OWN_BAR),
        ("check_status_bar", THEIR_BAR, THEIR_BAR.replace("Enabled", "Disabled"), OWN_BAR),
        ("check_status_bar", THEIR_BAR, THEIR_BAR.replace("| * Data Saver ", ""), OWN_BAR),
        ("check_status_bar", THEIR_BAR, "Status Bar: * Airplane Mode | * 80%", OWN_BAR),
        (
            "check_app_permissions",
            "It has permission for: storage, phone.",
            "It has permission for: phone.",
            "App: messaging; allowed: storage, phone; not allowed: sms, network.",
        ),
        (
            "get_data_usage",
            '{"line_id": "L1", "data_used_gb": "15.1", "note": "much"}',
            '{"line_id": "L1", "data_used_gb": "8.7"}',
            '{"line_id":"L1","data_used_gb":15.1,"data_limit_gb":15.0}',
        ),
        (
            "refuel_data",
            '{"message": "Added", "new_data_refueling_gb": 2}',
            '{"message": "Added", "new_data_refueling_gb": 4}',
            '{"line_id":"L1","added_gb":2.0,"data_refueling_gb":2.0}',
        ),
        (
            "get_bills_for_customer",
            '[{"bill_id": "B2", "status": "Paid"}, {"bill_id": "B1", "status": "Overdue"}]',
            '[{"bill_id": "B2", "status": "Paid"}, {"bill_id": "B1", "status": "Paid"}]',
            '[{"bill_id":"B1","status":"Overdue"},{"bill_id":"B2","status":"Paid"}]',
        ),
    ],
)
def test_states_are_compared_and_wordings_are_not(
    tool: str, same: str, other: str, ours: str
) -> None:
    assert disagreements(tool, same, ours) == ()
    assert disagreements(tool, other, ours)


@pytest.mark.parametrize("recorded", ["", "Fine.", "{", "[1, 2]", "null", "Status bar:", "🤷"])
def test_an_answer_that_says_nothing_is_no_difference(recorded: str) -> None:
    assert disagreements("check_network_status", recorded, OWN_BAR) == ()


def _graded(path: Path, simulation: Json) -> Regraded:
    (found,) = read(write(path / "one.json", result_file([simulation])))
    assert isinstance(found, Recording)
    return regrade(found.events)


def test_a_state_that_differs_is_said_with_its_step(tmp_path: Path) -> None:
    talk = Talk().say("user", "Hello.").say("agent", "Switch it on.")
    talk.call("user", ("toggle_data", {})).say("user", "###STOP###")
    assert _graded(tmp_path, talk.simulation()).divergences == ()
    changed = json.loads(json.dumps(talk.simulation()))
    answer = changed["messages"][4]
    answer["content"] = answer["content"].replace("is now on", "is now off")
    found = _graded(tmp_path, changed)
    (one,) = found.divergences
    assert one.step == 4
    assert "mobile data: recorded off, here on" in one.what
    assert found.reward == 1.0


def test_an_error_that_is_none_here_is_said_with_its_step(tmp_path: Path) -> None:
    talk = Talk().say("user", "Hello.").say("agent", "Switch it on.")
    talk.call("user", ("toggle_data", {})).say("user", "###STOP###")
    simulation = talk.simulation()
    simulation["messages"][4]["error"] = True
    (one,) = _graded(tmp_path, simulation).divergences
    assert one.step == 4
    assert "recorded an error, here no error" in one.what


@pytest.mark.parametrize(
    "text",
    [
        "airplane" + " is currently" * 40 + "!",
        "data roaming" + " is turned" * 40 + "!",
        "mmsc url " * 100_000,
        "status bar: " + "1" * 200_000,
        "performance" + " " * 200_000,
        "1.1" * 100_000,
    ],
    ids=["is currently", "is turned", "urls", "digits", "spaces", "points"],
)
def test_no_answer_takes_long_to_read(text: str) -> None:
    began = time.process_time()
    assert disagreements("check_network_status", text, "Mobile data: on") == ()
    assert time.process_time() - began < 2


def test_an_entry_with_an_endless_id_is_none_of_ours() -> None:
    bills = [{"bill_id": f"B{place}", "status": "Paid"} for place in range(2000)]
    value = {"lines": [{"line_id": "L" * 100_000, "bills": bills}]}
    assert disagreements("get_details_by_id", json.dumps(value), "{}") == ()


def test_real_recordings_state_what_our_world_states(shared: Path) -> None:
    """No difference where the answers belong together; most differences where they do not."""
    pairs: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for found in read(shared / "recordings", lean=True):
        if not isinstance(found, Recording):
            continue
        assert regrade(found.events).divergences == ()
        recorded = {
            (event.turn, index): result
            for event in found.events
            if isinstance(event, Results)
            for index, result in enumerate(event.results)
        }
        episode = Episode.from_events(found.events, load(found.start.condition.domain))
        for did in episode.happenings:
            if isinstance(did, Did) and not did.outcome.error:
                pairs[did.tool].add((recorded[did.seq, did.index].text, did.outcome.text))
    crossed = [
        bool(disagreements(tool, recorded, other_ours))
        for tool, known in pairs.items()
        for (recorded, ours), (other, other_ours) in product(known, known)
        if recorded != other and ours != other_ours
    ]
    assert len(crossed) > 800
    assert sum(crossed) > 0.9 * len(crossed)
