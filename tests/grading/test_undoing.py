"""Who undid a repair, who said it had paid, who only spoke of a colleague: a call for each rule."""

from __future__ import annotations

import pytest

from tests.grading.stories import Line, task
from tests.grading.test_rules import (
    ASK,
    DONE,
    HANDED,
    HELLO,
    LOOK,
    NO_SERVICE,
    OFF,
    PIN,
    SAVER,
    SIM,
    STOP,
    TRANSFER,
    sign,
    told,
)

# Who undid what, and what is left because of it.

FLIGHT: Line = ("user", "toggle_airplane_mode", {})
OFF_TOLD: list[Line] = [ASK, OFF, ("user", "It is off.")]
FLIGHT_PLEASE: Line = ("agent", "Please turn airplane mode on.")
GOOD: Line = ("agent", "Good. Is there anything else?")
THERE: Line = ("user", "I see.")


@pytest.mark.parametrize(
    ("lines", "blame", "decides"),
    [
        pytest.param(
            [*OFF_TOLD, GOOD, OFF, THERE, DONE, STOP], "simulator", False, id="at the end"
        ),
        pytest.param(
            [*OFF_TOLD, GOOD, FLIGHT, THERE, DONE, STOP], "simulator", False, id="another"
        ),
        pytest.param(
            [*OFF_TOLD, GOOD, OFF, FLIGHT, THERE, DONE, STOP], "simulator", False, id="two"
        ),
        pytest.param(
            [*OFF_TOLD, GOOD, OFF, THERE, FLIGHT_PLEASE, FLIGHT, THERE, DONE, STOP],
            "undecided",
            True,
            id="one of two was asked for",
        ),
        pytest.param(
            [ASK, FLIGHT, THERE, *OFF_TOLD, DONE, STOP], "simulator", False, id="on the way"
        ),
        pytest.param(
            [FLIGHT_PLEASE, FLIGHT, THERE, *OFF_TOLD, DONE, STOP],
            "agent",
            True,
            id="on the way, asked",
        ),
        pytest.param([ASK, FLIGHT, THERE, DONE, STOP], "agent", True, id="and more is left"),
    ],
)
def test_what_the_customer_broke_of_its_own_accord_is_not_the_agents_to_leave(
    lines: list[Line], blame: str, decides: bool
) -> None:
    _, found = told(SAVER, HELLO, *lines)
    left = sign(found, "repair_left")
    assert left is not None
    assert (found.blame, left.decisive) == (blame, decides)


def test_what_the_customer_breaks_after_a_hand_over_is_the_customers() -> None:
    lines = [*OFF_TOLD, TRANSFER, ("agent", "A colleague is taking over."), OFF, STOP]
    _, after = told(SAVER, HELLO, *lines)
    assert after.blame == "simulator"
    lines = [*OFF_TOLD, GOOD, OFF, THERE, TRANSFER, HANDED, STOP]
    _, before = told(SAVER, HELLO, *lines)
    assert before.blame == "undecided"


@pytest.mark.parametrize(
    ("lines", "asked"),
    [
        pytest.param(
            [FLIGHT_PLEASE, ("user", "Where is that?"), ("agent", "At the top."), FLIGHT],
            True,
            id="asked for before, and nothing done since",
        ),
        pytest.param(
            [
                FLIGHT_PLEASE,
                ("user", "Really?"),
                ("agent", "No, leave airplane mode off."),
                FLIGHT,
            ],
            False,
            id="taken back",
        ),
        pytest.param(
            [FLIGHT_PLEASE, LOOK, THERE, GOOD, FLIGHT],
            False,
            id="something else was done since",
        ),
        pytest.param(
            [("agent", "Toggle airplane mode on and off."), FLIGHT, FLIGHT, FLIGHT],
            False,
            id="done before",
        ),
        pytest.param(
            [("agent", "Toggle airplane mode on and off."), FLIGHT], True, id="half of it"
        ),
    ],
)
def test_a_request_holds_until_it_is_met_or_taken_back(lines: list[Line], asked: bool) -> None:
    _, found = told(SAVER, HELLO, *OFF_TOLD, *lines, THERE, DONE, STOP)
    undone = sign(found, "undone")
    assert undone is not None
    assert undone.by == ("agent" if asked else "user")


def test_who_leaves_when_the_agent_had_the_repair_undone_does_no_harm() -> None:
    """The agent waited, and had already asked for what broke it all."""
    lines = [*OFF_TOLD, FLIGHT_PLEASE, FLIGHT, ("user", "It is on. ###STOP###")]
    _, found = told(SAVER, HELLO, *lines)
    assert sign(found, "ended_early") is not None
    assert found.blame == "agent"


def test_before_a_word_was_said_nobody_waited() -> None:
    early = sign(told(SAVER, ("user", "Never mind. ###STOP###"))[1], "ended_early")
    assert early is not None
    assert "before the agent had said a word" in early.text


# What the customer told of a payment.

BILLED = task("service_issue", "airplane_mode_on", "overdue_bill_suspension")
BILL: Line = ("agent", "send_payment_request", {"customer_id": "C1001", "bill_id": "B1234321"})
PAY: Line = ("agent", "I have sent you a payment request. Please pay it.")
PAID: Line = ("user", "I have paid it.")
PAYS: Line = ("user", "make_payment", {})


@pytest.mark.parametrize(
    ("lines", "blame"),
    [
        # The airplane mode is left too, but on a suspended line nothing could be seen of it.
        pytest.param([BILL, PAY, PAID, TRANSFER, HANDED, STOP], "simulator", id="never paid"),
        pytest.param([BILL, PAY, PAYS, PAID, TRANSFER, HANDED, STOP], "agent", id="paid"),
        pytest.param(
            [BILL, PAY, PAID, PAY, PAYS, PAID, TRANSFER, HANDED, STOP], "agent", id="paid after all"
        ),
        pytest.param(
            [PAY, PAID, TRANSFER, HANDED, STOP], "agent", id="nothing was sent to be paid"
        ),
    ],
)
def test_a_payment_that_was_never_made_hides_all_that_is_left(
    lines: list[Line], blame: str
) -> None:
    assert told(BILLED, NO_SERVICE, *lines)[1].blame == blame


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        pytest.param(
            "Please turn airplane mode off.",
            "I see a crossed-out symbol, and data is disabled.",
            id="a screen sums up several switches",
        ),
        pytest.param("Please turn airplane mode off.", "The phone says no.", id="no claim"),
        pytest.param("Please look at the status bar.", "Done.", id="a look alone"),
        pytest.param("Good. Is there anything else?", "I did that.", id="nothing was asked for"),
    ],
)
def test_what_was_not_asked_for_is_no_claim(asked: str, said: str) -> None:
    _, found = told(BILLED, NO_SERVICE, ("agent", asked), ("user", said), DONE, STOP)
    assert sign(found, "denied_claim") is None


# A hand-over in words.


@pytest.mark.parametrize(
    ("words", "blame"),
    [
        ("I am transferring you to a human colleague now.", "agent"),
        ("You are being transferred to a specialist, please hold on.", "agent"),
        ("A colleague of mine takes over from here. Goodbye!", "agent"),
        ("I will hand the case over to a supervisor.", "agent"),
        ("I could hand you over to a colleague.", "simulator"),
        ("Shall I connect you with a specialist?", "simulator"),
        ("If you like, I will transfer you to a human.", "simulator"),
    ],
)
def test_who_says_that_a_colleague_takes_over_and_does_not_call_one_is_to_blame(
    words: str, blame: str
) -> None:
    taken: Line = ("user", "###TRANSFER###")
    assert told(PIN, NO_SERVICE, ("agent", words), taken)[1].blame == blame
    # On a case that can be repaired an offer is enough: nothing was to be handed over.
    assert told(SIM, NO_SERVICE, ("agent", words), taken)[1].blame == "agent"
