"""Every kind of failure has a call that shows it, and one nearby that does not."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from ringback.domain import Task
from ringback.episode.episode import Episode
from ringback.episode.events import Ending, Limits
from ringback.grading import record
from ringback.grading.blame import BLAMES, Failure
from ringback.grading.grade import grade
from ringback.telecom import failures
from tests.grading.stories import LINE, Line, story, task

NONE: dict[str, Any] = {}
HELLO: Line = ("user", "My mobile data does not work.")
PICTURES: Line = ("user", "I cannot send picture messages.")
NO_SERVICE: Line = ("user", "My phone has no service.")
STOP: Line = ("user", "Thank you, goodbye. ###STOP###")
DONE: Line = ("agent", "That is all I can do. Goodbye.")
TRANSFER: Line = ("agent", "transfer_to_human_agents", {"summary": "s"})
HANDED: Line = ("agent", "A human colleague takes over. Goodbye.")
LEAVE: Line = ("user", "###TRANSFER###")
REFUEL = {**LINE, "gb_amount": 2.0}
OFFER: Line = ("agent", "Your data is used up. Shall I add 2 GB for 4 dollars?")
YES: Line = ("user", "Yes, please.")
BILL = {"customer_id": "C1001", "bill_id": "B1234321"}

SAVER = task("mobile_data_issue", "data_saver_mode_on")
DATA = task("mobile_data_issue", "data_mode_off")
USED = task("mobile_data_issue", "data_usage_exceeded")
TWO = task("mobile_data_issue", "data_mode_off", "data_saver_mode_on")
MANY = task(
    "mms_issue", "airplane_mode_on", "break_apn_mms_setting", "data_mode_off", "unseat_sim_card"
)
SIM = task("service_issue", "unseat_sim_card")
PIN = task("service_issue", "lock_sim_card_pin")
BILLED = task("service_issue", "overdue_bill_suspension")
CONTRACT = task("service_issue", "contract_end_suspension")

ASK: Line = ("agent", "Please switch data saver off. Let me know once you have done that.")
OFF: Line = ("user", "toggle_data_saver_mode", NONE)
LOOK: Line = ("user", "check_status_bar", NONE)


def failed(episode: Episode) -> Failure:
    found = grade(episode).failure
    assert found is not None
    seqs = {event.seq for event in episode.events}
    assert found.seq in seqs
    assert {sign.seq for sign in found.kinds} <= seqs
    assert found.blame in BLAMES
    assert found.why.endswith(".")
    assert all(sign.text.endswith(".") for sign in found.kinds)
    assert {sign.kind for sign in found.kinds} <= failures.KINDS.keys() | record.KINDS.keys()
    assert grade(episode).failure == found
    return found


def kinds(episode: Episode) -> set[str]:
    return {sign.kind for sign in failed(episode).kinds}


Case = tuple[Task, list[Line], Ending | None]

OFFERED = ("How can I help you today?", "I am here to help you.", "Is your phone on?")

SHOWN: list[tuple[str, Case, Case]] = [
    (
        "premature_transfer",
        (SAVER, [HELLO, TRANSFER, HANDED, LEAVE], None),
        (PIN, [NO_SERVICE, TRANSFER, DONE, ("user", "No, wait.")], "max_steps"),
    ),
    (
        "premature_transfer",
        (
            SAVER,
            [HELLO, ("agent", "I can transfer you to a human. Shall I?"), LEAVE],
            None,
        ),
        (SAVER, [HELLO, ("agent", "Is the phone in your hand?"), STOP], None),
    ),
    (
        "repair_left",
        (SAVER, [HELLO, DONE, STOP], None),
        (SAVER, [HELLO, ASK], "timeout"),
    ),
    ("step_limit", (SAVER, [HELLO, ASK], "max_steps"), (SAVER, [HELLO, ASK], "timeout")),
    ("error_limit", (SAVER, [HELLO, ASK], "too_many_errors"), (SAVER, [HELLO, ASK], "max_steps")),
    ("clock", (SAVER, [HELLO, ASK], "timeout"), (SAVER, [HELLO, ASK], "max_steps")),
    (
        "abandoned",
        (SAVER, [HELLO], "abandoned"),
        (SAVER, [HELLO], "infrastructure_error"),
    ),
    (
        "infrastructure",
        (SAVER, [HELLO], "infrastructure_error"),
        (SAVER, [HELLO], "agent_error"),
    ),
    ("agent_failed", (SAVER, [HELLO], "agent_error"), (SAVER, [HELLO], "user_error")),
    ("user_failed", (SAVER, [HELLO, ASK], "user_error"), (SAVER, [HELLO], "agent_error")),
    (
        "unfinished_repair",
        (TWO, [HELLO, ASK, OFF], "timeout"),
        (SAVER, [HELLO, ASK, OFF], "timeout"),
    ),
    (
        "undone",
        (SAVER, [HELLO, ASK, OFF, OFF, ("user", "It is slow.")], "max_steps"),
        (TWO, [HELLO, ASK, OFF, OFF, ("user", "It is slow.")], "max_steps"),
    ),
    (
        "undone",
        (SAVER, [HELLO, ("agent", "toggle_data", NONE), ASK, OFF, ("user", "toggle_data", NONE)],
         "timeout"),
        (SAVER, [HELLO, ASK, OFF, ("user", "toggle_roaming", NONE)], "timeout"),
    ),
    (
        "wrong_refuel",
        (
            USED,
            [HELLO, OFFER, YES, ("agent", "refuel_data", {**REFUEL, "gb_amount": 1.0}), DONE, STOP],
            None,
        ),
        (USED, [HELLO, OFFER, YES, ("agent", "refuel_data", REFUEL)], "timeout"),
    ),
    (
        "wrong_refuel",
        (SAVER, [HELLO, OFFER, YES, ("agent", "refuel_data", REFUEL)], "timeout"),
        (SAVER, [HELLO, OFFER, YES, ("agent", "refuel_data", {"gb_amount": 2.0})], "timeout"),
    ),
    (
        "foreign_record",
        (SAVER, [HELLO, ("agent", "enable_roaming", {**LINE, "line_id": "L1001"})], "timeout"),
        (SAVER, [HELLO, ("agent", "enable_roaming", LINE)], "timeout"),
    ),
    (
        "refuel_without_consent",
        (USED, [HELLO, ("agent", "refuel_data", REFUEL)], "timeout"),
        (USED, [HELLO, OFFER, YES, ("agent", "refuel_data", REFUEL)], "timeout"),
    ),
    (
        "bill_not_overdue",
        (BILLED, [NO_SERVICE, ("agent", "send_payment_request", {**BILL, "bill_id": "B1002"})],
         "timeout"),
        (BILLED, [NO_SERVICE, ("agent", "send_payment_request", BILL)], "timeout"),
    ),
    (
        "resumed_after_contract",
        (CONTRACT, [NO_SERVICE, ("agent", "resume_line", LINE)], "timeout"),
        (BILLED, [NO_SERVICE, ("agent", "resume_line", LINE)], "timeout"),
    ),
    (
        "phone_tool_by_agent",
        (SAVER, [HELLO, ("agent", "toggle_data_saver_mode", NONE)], "timeout"),
        (SAVER, [HELLO, ASK, OFF, ("user", "toggle_data", NONE)], "timeout"),
    ),
    (
        "turn_rules",
        (SAVER, [HELLO, ("agent", "I look.", [("get_data_usage", LINE)])], "timeout"),
        (SAVER, [HELLO, ("agent", None, [("get_data_usage", LINE)] * 2)], "timeout"),
    ),
    (
        "agent_repeated",
        (SAVER, [HELLO, *[("agent", "get_data_usage", LINE)] * 3], "max_steps"),
        (
            SAVER,
            [
                HELLO,
                ("agent", "get_data_usage", LINE),
                ASK,
                OFF,
                ("user", "Done."),
                ("agent", "get_data_usage", LINE),
                ("agent", "get_data_usage", LINE),
            ],
            "max_steps",
        ),
    ),
    (
        "roles_inverted",
        (SAVER, [HELLO, ASK, ("user", "How can I help you today?")], "timeout"),
        (SAVER, [HELLO, ASK, ("user", "Can you help me with that?")], "timeout"),
    ),
    (
        "denied_claim",
        (SAVER, [HELLO, ASK, ("user", "I turned off data saver.")], "timeout"),
        (SAVER, [HELLO, ASK, OFF, OFF, OFF, ("user", "I turned off data saver.")], "timeout"),
    ),
    (
        "denied_claim",
        (SAVER, [HELLO, ASK, ("user", "Data saver is off.")], "timeout"),
        (SAVER, [HELLO, ASK, ("user", "Should I say that data saver is off?")], "timeout"),
    ),
    (
        "denied_claim",
        (DATA, [HELLO, ("agent", "And now?"), ("user", "It is working now.")], "timeout"),
        (DATA, [HELLO, ("agent", "And now?"), ("user", "It is not working now.")], "timeout"),
    ),
    (
        "denied_claim",
        (PIN, [NO_SERVICE, ("agent", "And now?"), ("user", "I entered the PIN.")], "timeout"),
        (PIN, [NO_SERVICE, ("agent", "And now?"), ("user", "I never entered a PIN.")], "timeout"),
    ),
    (
        "ended_early",
        (SAVER, [HELLO, ASK, STOP], None),
        (SAVER, [HELLO, DONE, STOP], None),
    ),
    (
        "ended_early",
        (PIN, [NO_SERVICE, ("agent", "Shall I transfer you to a colleague?"), STOP], None),
        (PIN, [NO_SERVICE, DONE, STOP], None),
    ),
    (
        "went_on",
        (
            SAVER,
            [
                HELLO,
                ASK,
                OFF,
                ("user", "run_speed_test", NONE),
                ("user", "It is excellent."),
                ("agent", "Good. Anything else?"),
                ("user", "And the weather?"),
                ("agent", "I do not know."),
                ("user", "And tomorrow?"),
            ],
            "max_steps",
        ),
        (SAVER, [HELLO, ASK, OFF, ("user", "run_speed_test", NONE), ("user", "Excellent.")],
         "max_steps"),
    ),
    (
        "repeated_itself",
        (
            SAVER,
            [
                HELLO,
                ASK,
                ("user", "I really do not know what you mean."),
                ("agent", "Open the settings."),
                ("user", "I really do not know what you mean."),
            ],
            "max_steps",
        ),
        (
            SAVER,
            [
                HELLO,
                ASK,
                ("user", "I really do not know what you mean."),
                ASK,
                ("user", "I really do not know where that is."),
            ],
            "max_steps",
        ),
    ),
    (
        "repeated_itself",
        (SAVER, [HELLO, ASK, LOOK, LOOK, LOOK], "max_steps"),
        (SAVER, [HELLO, ASK, LOOK, ("user", "Done."), ASK, LOOK, LOOK], "max_steps"),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "shows", "nearby"), SHOWN)
def test_a_kind_is_shown_and_its_neighbour_does_not_show_it(
    kind: str, shows: Case, nearby: Case
) -> None:
    for (of, lines, ending), there in ((shows, True), (nearby, False)):
        assert (kind in kinds(story(of, *lines, ending=ending))) is there


def test_every_kind_has_its_call() -> None:
    assert {kind for kind, _, _ in SHOWN} == failures.KINDS.keys() | record.KINDS.keys()


def test_several_calls_at_once_count_only_where_the_agent_was_told_to_make_one() -> None:
    lines: list[Line] = [HELLO, ("agent", None, [("get_data_usage", LINE)] * 2)]
    assert "turn_rules" in kinds(story(SAVER, *lines, ending="timeout", form="tau2"))
    assert "turn_rules" not in kinds(story(SAVER, *lines, ending="timeout", form="kitaru"))


def test_reasoning_beside_a_call_is_not_said_to_anybody() -> None:
    lines: list[Line] = [HELLO, ("agent", "I think so.</think>\n", [("get_data_usage", LINE)])]
    assert "turn_rules" not in kinds(story(SAVER, *lines, ending="timeout"))


@pytest.mark.parametrize(
    ("blame", "of", "lines", "ending", "limits"),
    [
        ("agent", SAVER, [HELLO, TRANSFER, HANDED, LEAVE], None, None),
        ("agent", SAVER, [HELLO, DONE, STOP], None, None),
        ("agent", SAVER, [HELLO, ("agent", "Goodbye. ###STOP###")], None, None),
        ("agent", SAVER, [HELLO], "agent_error", None),
        ("agent", SAVER, [HELLO, ASK], "max_steps", None),
        ("agent", PIN, [NO_SERVICE, DONE, STOP], None, None),
        ("agent", CONTRACT, [
            NO_SERVICE, ("agent", "resume_line", LINE),
            ("agent", "Restart the phone, please."), ("user", "reboot_device", NONE), STOP,
        ], None, None),
        ("simulator", SAVER, [HELLO], "user_error", None),
        ("simulator", SAVER, [HELLO, ASK, STOP], None, None),
        # Everything that is left was hidden by what the customer told.
        ("simulator", SAVER, [
            HELLO, ASK, ("user", "I turned off data saver."), TRANSFER, HANDED, LEAVE,
        ], None, None),
        ("agent", TWO, [
            HELLO, ASK, ("user", "I turned off data saver."), TRANSFER, HANDED, LEAVE,
        ], None, None),
        ("simulator", SAVER, [HELLO, ASK, OFF, OFF, STOP], None, None),
        ("agent", SAVER, [
            HELLO, ASK, OFF, ("user", "It is off."),
            ("agent", "Please switch data saver back on."), OFF, ("user", "It is on."), DONE, STOP,
        ], None, None),
        ("simulator", PIN, [
            NO_SERVICE, ("agent", "Shall I transfer you to a colleague?"), STOP,
        ], None, None),
        ("simulator", SAVER, [HELLO, ASK, ("user", "How can I help you today?")], "timeout", None),
        # It found back into its part, and the repair went on.
        ("infrastructure", TWO, [
            HELLO, ASK, ("user", "How can I help you today?"), ASK, OFF,
        ], "timeout", None),
        # All was repaired, and what its inversions took would have been enough for a goodbye.
        ("simulator", SAVER, [
            HELLO, *[line for said in OFFERED for line in (ASK, ("user", said))], ASK, OFF,
        ], "max_steps", None),
        ("agent", SAVER, [
            HELLO, *[line for said in OFFERED[:2] for line in (ASK, ("user", said))], ASK, OFF,
        ], "max_steps", None),
        ("infrastructure", SAVER, [HELLO, ASK], "infrastructure_error", None),
        ("undecided", SAVER, [HELLO, ASK], "abandoned", None),
        ("infrastructure", SAVER, [HELLO, ASK], "timeout", None),
        ("agent", SAVER, [HELLO, *[("agent", "get_data_usage", LINE)] * 3], "timeout", None),
        ("infrastructure", MANY, [PICTURES, ASK], "max_steps", Limits(steps=20)),
        ("agent", MANY, [PICTURES, ASK], "max_steps", Limits(steps=60)),
        ("agent", SAVER, [HELLO, ("agent", "resume_line", LINE)], "too_many_errors", None),
        ("simulator", SAVER, [
            HELLO, ASK, ("user", "refuel_data", NONE),
        ], "too_many_errors", None),
        ("undecided", SAVER, [
            HELLO, ("agent", "resume_line", LINE), ASK, ("user", "refuel_data", NONE),
        ], "too_many_errors", None),
        ("undecided", USED, [
            HELLO, OFFER, YES, ("agent", "refuel_data", {**REFUEL, "gb_amount": 1.0}), ASK, STOP,
        ], None, None),
    ],
)  # fmt: skip
def test_blame(
    blame: str, of: Task, lines: list[Line], ending: Ending | None, limits: Limits | None
) -> None:
    assert failed(story(of, *lines, ending=ending, limits=limits)).blame == blame


def test_a_solved_call_is_laid_to_nobody() -> None:
    solved = grade(story(SAVER, HELLO, ASK, OFF, STOP))
    assert (solved.reward, solved.failure) == (1.0, None)
    assert "blame" in solved.versions


def test_without_asking_there_is_no_blame_and_the_versions_say_so() -> None:
    asked, unasked = (
        grade(story(SAVER, HELLO, DONE, STOP), blame=blame) for blame in (True, False)
    )
    assert unasked.failure is None
    assert "blame" not in unasked.versions
    assert (asked.reward, asked.strict, asked.verdict) == (
        unasked.reward,
        unasked.strict,
        unasked.verdict,
    )


def test_what_is_left_is_named() -> None:
    found = failed(story(TWO, HELLO, ASK, OFF, ("user", "Done."), TRANSFER, HANDED, LEAVE))
    assert "data_mode_off" in found.why
    assert "data_saver_mode_on" not in found.why


def test_a_failure_survives_storage() -> None:
    found = failed(story(SAVER, HELLO, TRANSFER, HANDED, LEAVE))
    assert msgspec.json.decode(msgspec.json.encode(found), type=Failure) == found
