"""How an agent's message ends a call, hands it over, or waits for an answer."""

from __future__ import annotations

import pytest

from ringback.telecom.speech.closing import awaits, closes, hands_over, offers_hand_over
from ringback.telecom.speech.text import plain, spoken, straight


@pytest.mark.parametrize(
    "message",
    [
        "Please restart the phone.",
        "Is airplane mode on?",
        "Once you have done that, let me know.",
        "Great! Next, open the settings. Is there anything else?",
        "Thanks. Switch data saver off.",
    ],
)
def test_a_message_that_waits(message: str) -> None:
    assert awaits(plain(message))


@pytest.mark.parametrize(
    "message",
    [
        "Goodbye.",
        "It works again. Is there anything else I can do for you?",
        "A colleague takes over. Please hold the line.",
        "If you need further help, please reach out to us.",
    ],
)
def test_a_message_that_does_not_wait(message: str) -> None:
    assert not awaits(plain(message))


@pytest.mark.parametrize(
    ("message", "offers"),
    [
        ("Shall I transfer you to a colleague?", True),
        ("I recommend that a specialist looks at this.", True),
        ("Let me connect you with a human agent.", True),
        ("I will send the payment request.", False),
        ("Has anybody moved your SIM card?", False),
    ],
)
def test_a_hand_over_is_offered(message: str, offers: bool) -> None:
    assert offers_hand_over(plain(message)) is offers
    assert hands_over(plain(message)) or not offers


def test_a_goodbye_closes() -> None:
    assert closes(plain("Glad it works again, goodbye!"))
    assert not closes(plain("Switch it off."))


def test_reasoning_is_not_spoken_and_quotes_are_straight() -> None:
    assert spoken("Think, think.</think>\n\nHello.") == "Hello."
    assert spoken("Hello.") == "Hello."
    assert straight("I’d") == "I'd"
