"""The customer where a recorded one stood: which turns count, what it sees, when it is the same."""

from __future__ import annotations

import json
from pathlib import Path

from ringback.episode.events import Turn
from ringback.formats import tau2
from ringback.formats.recording import Recording, Skipped
from ringback.recordings.agreement import Compared, agreement, compare
from tests.formats.tau2.made import Talk, result_file, write

DATA_OFF = "[mobile_data_issue]data_mode_off[PERSONA:None]"


def compared(path: Path) -> list[Compared]:
    return [found for found in agreement(path) if isinstance(found, Compared)]


def talk() -> Talk:
    made = Talk(DATA_OFF)
    made.say("user", "My data is gone.")
    made.say("agent", "Is mobile data on?")
    made.call("user", ("check_network_status", {}))
    made.say("user", "It is off.")
    made.call("agent", ("get_customer_by_phone", {"phone_number": "555-123-2002"}))
    made.say("agent", "Please turn it on and run a speed test.")
    made.call("user", ("toggle_data", {}), ("run_speed_test", {}))
    made.call("user", ("check_status_bar", {}))
    made.say("user", "Done.")
    made.say("agent", "Please check your SIM card's status.")
    made.say("user", "It is active.")
    return made


def file(folder: Path, *talks: Talk) -> Path:
    return write(folder / "results.json", result_file(each.simulation() for each in talks))


def test_turns_in_which_the_agents_text_is_followed_by_a_call(tmp_path: Path) -> None:
    found = compared(file(tmp_path, talk()))
    assert [turn.heard for turn in found] == [
        "Is mobile data on?",
        "Please turn it on and run a speed test.",
    ]
    assert [[call.tool for call in turn.recorded] for turn in found] == [
        ["check_network_status"],
        ["toggle_data", "run_speed_test", "check_status_bar"],
    ]
    assert [turn.place for turn in found] == [0, 0]


def test_what_was_seen_before_is_known(tmp_path: Path) -> None:
    """The mobile data was seen to be off: the customer turns it on without another look."""
    _, second = compared(file(tmp_path, talk()))
    assert second.first is not None
    assert second.first.tool == "toggle_data"
    assert second.same
    assert second.alike


def test_another_action_or_words_are_not_the_same(tmp_path: Path) -> None:
    made = Talk(DATA_OFF)
    made.say("user", "My data is gone.")
    made.say("agent", "Please run a speed test.")
    made.call("user", ("check_vpn_status", {}))
    made.say("user", "There is none.")
    made.say("agent", "May I have your name?")
    made.call("user", ("check_vpn_status", {}))
    found = compared(file(tmp_path, made))
    assert [turn.first and turn.first.tool for turn in found] == ["run_speed_test", None]
    assert not any(turn.same or turn.alike for turn in found)


def test_other_arguments_are_the_same_action_and_are_told_apart(tmp_path: Path) -> None:
    made = Talk("[mms_issue]break_app_sms_permission[PERSONA:None]")
    made.say("user", "Pictures do not go out.")
    made.say("agent", "Which permissions does the messaging app have?")
    made.call("user", ("check_app_permissions", {"app_name": "browser"}))
    (turn,) = compared(file(tmp_path, made))
    assert turn.same
    assert not turn.alike


def test_results_are_heard_in_this_worlds_words(tmp_path: Path) -> None:
    """Whatever the other program's phone says, the customer is told what ours does."""
    simulation = talk().simulation()
    for message in simulation["messages"]:
        if message["role"] == "tool":
            message["content"] = "?"
    path = write(tmp_path / "results.json", result_file([simulation]))
    assert [turn.same for turn in compared(path)] == [True, True]


def test_equal_recordings_give_equal_turns(tmp_path: Path) -> None:
    path = file(tmp_path, talk(), talk())
    first, second = compared(path)[:2], compared(path)[2:]
    assert [turn.reply for turn in first] == [turn.reply for turn in second]


def test_what_has_no_customer_or_no_known_task_is_left_out_and_said(tmp_path: Path) -> None:
    stranger = talk().simulation(task_id="[mms_issue]not_a_fault[PERSONA:None]")
    path = write(tmp_path / "results.json", result_file([stranger, talk().simulation()]))
    found = list(agreement(path))
    assert [type(each) for each in found] == [Skipped, Compared, Compared]
    first = found[0]
    assert isinstance(first, Skipped)
    assert not first.broken
    assert first.why == "it is of a task that is not known here, so there is no phone to act on"
    assert (first.source, first.place) == ("results.json", 0)


def test_a_file_that_is_cut_off_is_said_and_does_not_stop_the_rest(tmp_path: Path) -> None:
    path = file(tmp_path, talk())
    (tmp_path / "cut.json").write_bytes(path.read_bytes()[:400])
    found = list(agreement(tmp_path))
    assert [each.broken for each in found if isinstance(each, Skipped)] == [True]
    assert sum(isinstance(each, Compared) for each in found) == 2


def test_any_session_can_be_compared(tmp_path: Path) -> None:
    (recording,) = [
        found for found in tau2.read(file(tmp_path, talk())) if isinstance(found, Recording)
    ]
    turns = list(compare(recording.events))
    assert len(turns) == 2
    for turn in turns:
        event = recording.events[turn.seq]
        assert isinstance(event, Turn)
        assert event.by == "user"
        assert event.calls == turn.recorded[: len(event.calls)]


def test_the_shared_recordings(shared: Path) -> None:
    found = list(agreement(shared / "recordings"))
    assert sum(isinstance(each, Compared) for each in found) == 383
    assert not any(isinstance(each, Skipped) and each.broken for each in found)


def test_odd_calls_are_no_obstacle(tmp_path: Path) -> None:
    """Unknown tools, arguments that are none, names of apps that nobody has."""
    made = Talk(DATA_OFF)
    made.say("user", "My data is gone.")
    made.say("agent", "Please check the status bar.")
    made.call("user", ("look_at_the_moon", {}), ("check_app_status", {"app_name": 7}))
    made.say("agent", "And now?")
    made.call("user", ("check_status_bar", {"x": json.dumps([])}))
    assert len(compared(file(tmp_path, made))) == 2
