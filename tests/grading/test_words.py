"""How agents' last words, requests and customers' claims are read, over many told conversations.

The rules were mended on one half of the sentences; on the other they were measured when they stood
(docs/grading.md has the figures). What that half shows wrongly is allowed by number, not by name.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, TypeVar

import pytest

from ringback.grading.blame import Failure
from ringback.grading.grade import grade
from ringback.telecom.speech.closing import awaits
from ringback.telecom.speech.replies import replies_in, wanted_in
from ringback.telecom.speech.text import plain, spoken
from tests.grading.stories import LINE, Line, story, task
from tests.grading.words import KEPT, LATER, MENDED_ON, half, later
from tests.grading.words.claims import PAYMENTS, SWITCHES, Claim
from tests.grading.words.closings import GOODBYES, WAITING
from tests.grading.words.undoing import UNDOINGS, Undoing

NONE: dict[str, Any] = {}
HELLO: Line = ("user", "My mobile data does not work.")
NO_SERVICE: Line = ("user", "My phone has no service.")
STOP: Line = ("user", "Thank you, goodbye. ###STOP###")
DONE: Line = ("agent", "That is all I can do. Goodbye.")
ASK: Line = ("agent", "Please switch data saver off. Let me know once you have done that.")
OFF: Line = ("user", "toggle_data_saver_mode", NONE)
REQUEST: Line = (
    "agent", "send_payment_request", {"customer_id": "C1001", "bill_id": "B1234321"}
)  # fmt: skip

SAVER = task("mobile_data_issue", "data_saver_mode_on")
DATA = task("mobile_data_issue", "data_mode_off")
USED = task("mobile_data_issue", "data_usage_exceeded")
PLANE = task("service_issue", "airplane_mode_on")
BILLED = task("service_issue", "overdue_bill_suspension")

DID: dict[str, tuple[Any, str]] = {
    "mobile data": (DATA, "toggle_data"),
    "data saver": (SAVER, "toggle_data_saver_mode"),
    "Airplane": (PLANE, "toggle_airplane_mode"),
    "speed test": (SAVER, "run_speed_test"),
}

Halves = pytest.mark.parametrize("which", [MENDED_ON, KEPT, LATER])


_Told = TypeVar("_Told", Claim, Undoing)


def words_of(first: Sequence[str], afterwards: Sequence[str], which: str) -> Sequence[str]:
    return afterwards if which == LATER else half(first, which, str)


def told_of(first: Sequence[_Told], afterwards: Sequence[_Told], which: str) -> Sequence[_Told]:
    return afterwards if which == LATER else half(first, which, lambda item: item.words)


def failed(of: Any, *lines: Line) -> Failure:
    found = grade(story(of, *lines)).failure
    assert found is not None
    return found


def kinds(found: Failure) -> set[str]:
    return {sign.kind for sign in found.kinds}


def within(wrong: Sequence[object], which: str, allowed: int) -> None:
    assert len(wrong) <= (allowed if which == KEPT else 0), wrong


@Halves
def test_whoever_says_goodbye_waits_for_nothing(which: str) -> None:
    mine = words_of(GOODBYES, later.GOODBYES, which)
    assert len(mine) >= 20
    within([words for words in mine if awaits(plain(spoken(words)))], which, 0)


@Halves
def test_whoever_asks_waits(which: str) -> None:
    mine = words_of(WAITING, later.WAITING, which)
    assert len(mine) >= 18
    within([words for words in mine if not awaits(plain(spoken(words)))], which, 1)


@Halves
def test_a_failure_after_a_goodbye_is_not_the_customers(which: str) -> None:
    """The agent refuelled by a wrong amount, and the customer took its leave when the agent did."""
    offer: Line = ("agent", "Your data is used up. Shall I add some for 2 dollars a GB?")
    refuel: Line = ("agent", "refuel_data", {**LINE, "gb_amount": 1.0})
    yes: Line = ("user", "Yes, please.")

    def lines(words: str) -> list[Line]:
        return [HELLO, offer, yes, refuel, ("agent", words), STOP]

    wrong = [
        words
        for words in words_of(GOODBYES, later.GOODBYES, which)
        if (found := failed(USED, *lines(words))).blame != "agent" or "ended_early" in kinds(found)
    ]
    within(wrong, which, 0)


def _undone(item: Undoing) -> Failure:
    return failed(
        SAVER, HELLO, ASK, OFF, ("user", item.asks),
        ("agent", item.words), ("user", item.tool, item.arguments), ("user", "There."), DONE, STOP,
    )  # fmt: skip


@Halves
def test_an_undoing_is_laid_to_the_agent_only_where_it_asked_for_it(which: str) -> None:
    wrong: list[str] = []
    for item in told_of(UNDOINGS, later.UNDONE, which):
        found = _undone(item)
        undone = next(sign for sign in found.kinds if sign.kind == "undone")
        said = undone.text.endswith(", as asked.")
        assert said is not undone.text.endswith(", unasked.")
        if said is not item.asked or found.blame != ("agent" if item.asked else "simulator"):
            wrong.append(item.words)
    within(wrong, which, 0)


def _paid(words: str, *deeds: Line) -> Failure:
    return failed(
        BILLED, NO_SERVICE, REQUEST, ("agent", PAYMENTS[0].asked), *deeds, ("user", words),
        DONE, STOP,
    )  # fmt: skip


@Halves
def test_a_payment_that_was_never_made_is_a_claim_that_the_world_denies(which: str) -> None:
    wrong: list[str] = []
    for item in told_of(PAYMENTS, later.PAID, which):
        found = _paid(item.words)
        blame = "simulator" if item.claims else "agent"
        if found.blame != blame or ("denied_claim" in kinds(found)) is not item.claims:
            wrong.append(item.words)
    within(wrong, which, 1)


@pytest.mark.parametrize("claim", [item for item in (*PAYMENTS, *later.PAID) if item.claims])
def test_a_payment_that_was_made_may_be_told(claim: Claim) -> None:
    found = _paid(claim.words, ("user", "make_payment", NONE))
    assert "denied_claim" not in kinds(found)


def _switched(item: Claim, *, done: bool) -> Failure | None:
    of, tool = next(value for name, value in DID.items() if name in item.asked)
    deeds: list[Line] = [("user", tool, NONE)] if done else []
    hello = NO_SERVICE if of is PLANE else HELLO
    return grade(
        story(of, hello, ("agent", item.asked), *deeds, ("user", item.words), DONE, STOP)
    ).failure


@Halves
def test_a_switch_that_was_never_touched_is_a_claim_that_the_world_denies(which: str) -> None:
    wrong: list[str] = []
    for item in told_of(SWITCHES, later.SWITCHED, which):
        found = _switched(item, done=False)
        assert found is not None
        # A test that was not made repairs nothing, so that who lies about it hides nothing.
        blame = "simulator" if item.claims and "test" not in item.asked else "agent"
        if found.blame != blame or ("denied_claim" in kinds(found)) is not item.claims:
            wrong.append(item.words)
    within(wrong, which, 0)


@pytest.mark.parametrize("claim", [item for item in (*SWITCHES, *later.SWITCHED) if item.claims])
def test_a_switch_that_was_touched_may_be_told(claim: Claim) -> None:
    found = _switched(claim, done=True)
    assert found is None or "denied_claim" not in kinds(found)


@pytest.mark.parametrize("piece", ["? ", "turn it off? ", "please a. ", "sim ", "before "])
def test_words_without_end_are_read_in_time_that_grows_with_them(piece: str) -> None:
    text = (piece * 8000)[:8000]
    before = time.process_time()
    awaits(plain(spoken(text)))
    wanted_in(text)
    list(replies_in(text))
    assert time.process_time() - before < 2  # 5 s where each sentence was read with all before it
