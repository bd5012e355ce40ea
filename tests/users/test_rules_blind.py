"""Calls written by an author who had not seen the rules, message by message.

Before each message the call has gone as its author meant it to go.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import msgspec
import pytest

from ringback.episode.events import Call, Results
from ringback.episode.participants import Reply
from ringback.episode.seeds import Stream
from tests.users.calls import Talk


class Heard(msgspec.Struct, frozen=True):
    """One message: the `agent`'s own calls before it, its `text`, and what the customer does.

    `first` is what it may do first, empty where the author's expectation is doubtful; `then` is
    what it does in this call.
    """

    call: str
    task: str
    agent: list[str]
    text: str
    first: list[str]
    then: list[str]


CALLS: dict[str, list[Heard]] = {}
for _line in (Path(__file__).parent / "blind.jsonl").read_bytes().splitlines():
    _heard = msgspec.json.decode(_line, type=Heard)
    CALLS.setdefault(_heard.call, []).append(_heard)

_LINE = {"customer_id": "C1001", "line_id": "L1002"}
_OWN: dict[str, dict[str, str | float]] = {
    "refuel_data": {**_LINE, "gb_amount": 2.0},
    "enable_roaming": {**_LINE},
    "resume_line": {**_LINE},
    "send_payment_request": {"customer_id": "C1001", "bill_id": "B1234321"},
}
_DEFAULTS: dict[str, dict[str, object]] = {
    "check_app_permissions": {"app_name": "messaging"},
    "check_app_status": {"app_name": "messaging"},
    "set_network_mode_preference": {"mode": "4g_5g_preferred"},
}
# What the customer agrees to before the agent does it.
_ASKED = {
    "refuel_data": "Your data allowance is used up. I can add 2.0 GB for $2.00 per GB, $4.00 in "
    "total, which goes on your next bill. Shall I?",
    "send_payment_request": "There is an overdue bill, B1234321. Its amount has to be settled "
    "before I can put the line back in service. May I send a payment request to your phone?",
}


def _meant(word: str) -> Call:
    found = re.fullmatch(r"(\w+)(?:\((\w+),(\w+)\))?", word)
    assert found is not None
    arguments = dict(_DEFAULTS.get(found[1], {}))
    if found[2]:
        arguments = {"app_name": found[2], "permission": found[3]}
    return Call(found[1], arguments)


def _next(talk: Talk) -> Reply:
    stream = Stream(talk.episode.start.user_seed, talk.episode.position.seq)
    reply = asyncio.run(talk.user.act(talk.episode.view("user"), stream))
    assert isinstance(reply, Reply)
    return reply


def _played(talk: Talk, turns: list[Heard]) -> list[tuple[Heard, str | None]]:
    """Each message with the first action of `rules`; the call then goes on as it was written."""
    found: list[tuple[Heard, str | None]] = []
    for heard in turns:
        for own in heard.agent:
            talk.call(own, **_OWN[own])
        talk.episode.take(Reply(heard.text))
        first = _next(talk).calls
        found.append((heard, first[0].tool if first else None))
        shown: list[str] = []
        for word in heard.then:
            talk.episode.take(Reply(calls=(_meant(word),)))
            last = [event for event in talk.events if isinstance(event, Results)][-1]
            shown += [result.text for result in last.results]
        reply = _next(talk)
        talk.episode.take(
            Reply(" ".join(("Okay, done.", *shown)) if reply.calls else reply.text or "Okay.")
        )
    return found


@pytest.mark.parametrize("number", sorted(CALLS))
def test_the_first_action_is_one_that_the_author_expects(number: str) -> None:
    turns = CALLS[number]
    talk = Talk(turns[0].task)
    talk.say("I'm sorry to hear that. May I have the phone number of the line, please?")
    talk.call("get_customer_by_phone", phone_number="555-123-2002")
    if "user_abroad" in turns[0].task:
        talk.say("Thank you. Are you at home or abroad at the moment?")
    for own, question in _ASKED.items():
        if any(own in heard.agent for heard in turns):
            talk.say(question)
    wrong = [
        (heard.text, heard.first, first)
        for heard, first in _played(talk, turns)
        if heard.first and first not in heard.first
    ]
    assert wrong == []
