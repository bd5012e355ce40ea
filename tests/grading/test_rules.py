"""What decides blame: a small call for each rule, which is laid otherwise without it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ringback.domain import Sign, Task
from ringback.episode.episode import Episode
from ringback.episode.events import Ending, Limits, Turn
from ringback.grading.blame import Failure
from ringback.grading.grade import grade
from tests.grading.stories import LINE, Line, story, task

HELLO: Line = ("user", "My mobile data does not work.")
NO_SERVICE: Line = ("user", "My phone has no service.")
STOP: Line = ("user", "Thank you, goodbye. ###STOP###")
DONE: Line = ("agent", "That is all I can do. Goodbye.")
TRANSFER: Line = ("agent", "transfer_to_human_agents", {"summary": "s"})
HANDED: Line = ("agent", "A human colleague takes over. Goodbye.")
ASK: Line = ("agent", "Please switch data saver off. Let me know once you have done that.")
OFF: Line = ("user", "toggle_data_saver_mode", {})
LOOK: Line = ("user", "check_apn_settings", {})
USAGE: Line = ("agent", "get_data_usage", LINE)
INSERT: Line = ("agent", "Please take the SIM card out and put it in again.")
SUSPEND: Line = ("agent", "suspend_line", {**LINE, "reason": "r"})
OFFER: Line = ("agent", "Your data is used up. Shall I add some for 2 dollars a GB?")
YES: Line = ("user", "Yes, please.")
INVERTED: Line = ("user", "How can I help you today?")
AGAIN: Line = ("user", "I am here to help you.")
LOST: Line = ("user", "I really do not know what you mean.")

SAVER = task("mobile_data_issue", "data_saver_mode_on")
TWO = task("mobile_data_issue", "data_mode_off", "data_saver_mode_on")
USED = task("mobile_data_issue", "data_usage_exceeded")
SIM = task("service_issue", "unseat_sim_card")
PIN = task("service_issue", "lock_sim_card_pin")
PIN_AND_FLIGHT = task("service_issue", "airplane_mode_on", "lock_sim_card_pin")
FEWEST = 8 + 4 + 6  # to open, the customer's one repair, to close


def refuel(gb: float) -> Line:
    return ("agent", "refuel_data", {**LINE, "gb_amount": gb})


def told(
    of: Task, *lines: Line, ending: Ending | None = None, steps: int | None = None
) -> tuple[Episode, Failure]:
    limits = None if steps is None else Limits(steps=steps)
    episode = story(of, *lines, ending=ending, limits=limits)
    found = grade(episode).failure
    assert found is not None
    return episode, found


def sign(found: Failure, kind: str) -> Sign | None:
    return next((each for each in found.kinds if each.kind == kind), None)


def last(episode: Episode, tool: str) -> int:
    """The event of a tool's last call."""
    turns = (event for event in reversed(episode.events) if isinstance(event, Turn))
    return next(turn.seq for turn in turns if any(call.tool == tool for call in turn.calls))


# What blame is made of signs by (ringback.grading.blame).


def test_what_wastes_time_decides_only_where_a_call_was_cut_off() -> None:
    """Two looks too many do not matter where the customer hung up on an open question."""
    _, closed = told(SAVER, HELLO, *[USAGE] * 3, ASK, STOP)
    assert (closed.blame, sign(closed, "agent_repeated") is not None) == ("simulator", True)
    _, cut_off = told(SAVER, HELLO, *[USAGE] * 3, ASK, ending="timeout")
    assert cut_off.blame == "agent"


def test_of_a_kind_the_sign_that_decides_is_kept() -> None:
    """The first inversion did not matter, since a repair followed; the second did."""
    episode, found = told(
        TWO, HELLO, ASK, INVERTED, ASK, OFF, ("user", "It is off."), ASK, AGAIN, ending="timeout"
    )
    assert found.blame == "simulator"
    assert found.seq == episode.events[-2].seq


def test_what_else_decides_goes_before_what_wasted_time() -> None:
    _, found = told(SAVER, HELLO, *[USAGE] * 3, TRANSFER, HANDED, ending="max_steps")
    assert found.blame == "agent"
    assert "handed over" in found.why


def test_where_both_sides_had_a_part_the_later_event_shows_it() -> None:
    episode, found = told(USED, HELLO, OFFER, YES, refuel(1.0), ASK, STOP)
    early, wrong = sign(found, "ended_early"), sign(found, "wrong_refuel")
    assert early is not None
    assert wrong is not None
    assert (found.blame, found.seq) == ("undecided", early.seq)
    assert found.seq > wrong.seq == last(episode, "refuel_data")


@pytest.mark.parametrize(("steps", "blame"), [(FEWEST - 1, "infrastructure"), (FEWEST, "agent")])
def test_a_limit_is_at_fault_only_where_it_is_below_a_plain_repair(steps: int, blame: str) -> None:
    assert told(SAVER, HELLO, ASK, ending="max_steps", steps=steps)[1].blame == blame


# What the record alone shows (ringback.grading.record).


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(
            [
                line
                for ask in ("Is it on?", "Is it up to date?", "Is it with you?")
                for line in (("agent", ask), ("user", "Yes, that is right."))
            ],
            id="short words",
        ),
        pytest.param([ASK, LOST, ASK, LOST], id="asked again"),
        pytest.param(
            [ASK, LOST, ("agent", "Open the settings."), LOOK, LOST],
            id="something done since",
        ),
    ],
)
def test_the_same_words_are_no_fault_where_there_is_a_reason(lines: list[Line]) -> None:
    _, found = told(SAVER, HELLO, *lines, ending="max_steps")
    assert (found.blame, sign(found, "repeated_itself")) == ("agent", None)


def test_the_same_words_are_one_where_something_else_was_asked() -> None:
    _, found = told(SAVER, HELLO, ASK, LOST, ("agent", "Open it."), LOST, ending="max_steps")
    assert found.blame == "simulator"


# What the telecom world shows (ringback.telecom.failures).


def test_inversions_took_what_was_missing_only_where_nothing_was_left() -> None:
    """All three came before the repair; then the line was suspended, which no check sees yet."""
    three = (INVERTED, AGAIN, ("user", "Is your phone on?"))
    lines = [line for said in three for line in (INSERT, said)]
    lines += [INSERT, ("user", "reseat_sim_card", {}), ("user", "It is in.")]
    _, whole = told(SIM, NO_SERVICE, *lines, ending="max_steps")
    assert whole.blame == "simulator"
    _, left = told(SIM, NO_SERVICE, *lines, SUSPEND, ending="max_steps")
    assert left.blame == "agent"


def test_what_an_agent_was_misled_about_is_not_its_to_repair() -> None:
    _, found = told(SAVER, HELLO, ASK, ("user", "I turned off data saver."), DONE, STOP)
    assert sign(found, "repair_left") is not None
    assert found.blame == "simulator"


def test_a_wrong_amount_is_shown_by_the_last_refuel() -> None:
    episode, found = told(USED, HELLO, OFFER, YES, refuel(1.5), refuel(1.5), DONE, STOP)
    wrong = sign(found, "wrong_refuel")
    assert wrong is not None
    assert wrong.seq == last(episode, "refuel_data")


def test_a_transfer_that_failed_is_none() -> None:
    failed: Line = ("agent", "transfer_to_human_agents", {})
    _, found = told(SAVER, HELLO, failed, ASK, STOP)
    assert (found.blame, sign(found, "premature_transfer")) == ("simulator", None)


def test_inversions_do_not_decide_where_the_call_was_handed_over() -> None:
    _, found = told(SAVER, HELLO, TRANSFER, HANDED, INVERTED, ending="max_steps")
    assert sign(found, "roles_inverted") is not None
    assert found.blame == "agent"


def test_what_nobody_on_the_phone_can_repair_is_no_unfinished_repair() -> None:
    assert sign(told(PIN, NO_SERVICE, DONE, STOP)[1], "unfinished_repair") is None
    both = sign(told(PIN_AND_FLIGHT, NO_SERVICE, DONE, STOP)[1], "unfinished_repair")
    assert both is not None
    assert both.text == "At the end there is still airplane_mode_on."


@pytest.mark.parametrize(
    ("words", "blame"),
    [("Please restart your phone.", "agent"), ("Please look at the status bar.", "simulator")],
)
def test_a_restart_is_laid_to_who_asked_for_it(words: str, blame: str) -> None:
    """The line was suspended after the repair, which the phone notices when it is restarted."""
    _, found = told(
        SAVER, HELLO, ASK, OFF, ("user", "It is off."),
        SUSPEND, ("agent", words),
        ("user", "reboot_device", {}), ("user", "It is off now."), DONE, STOP,
    )  # fmt: skip
    undone = sign(found, "undone")
    assert undone is not None
    assert undone.by == {"agent": "agent", "simulator": "user"}[blame]


@pytest.mark.parametrize(
    ("of", "lines"),
    [
        pytest.param(SAVER, [("user", "Never mind. ###STOP###")], id="before a word was said"),
        pytest.param(PIN, [("user", "Never mind. ###STOP###")], id="likewise, for a human"),
        pytest.param(
            PIN,
            [NO_SERVICE, ("agent", "I could transfer you to a human colleague."), STOP],
            id="a colleague was offered",
        ),
    ],
)
def test_a_call_is_ended_early_before_anything_or_on_an_offer(
    of: Task, lines: Sequence[Line]
) -> None:
    _, found = told(of, *lines)
    assert sign(found, "ended_early") is not None
    assert found.blame == "simulator"
