"""The customer's next turn: calls while there is something to do, then words.

`turn` is a function of what the customer may see, the caller it plays and a stream of draws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from ringback.episode.participants import Reply, View
from ringback.episode.seeds import Stream
from ringback.telecom.scenario import Caller
from ringback.users.rules.answers import CANNOT_GIVE, OFFERS, answers
from ringback.users.rules.memory import Memory, remember
from ringback.users.rules.plan import Plan, plan
from ringback.users.rules.reading import Reading, read
from ringback.users.rules.request import Request
from ringback.users.rules.speaking import Voice
from ringback.users.rules.words import mentions

__all__ = ["turn"]

_STOP, _TRANSFER, _OUT = "###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###"
_CANNOT_TIMES = 3
_IDLE_TIMES = 7
_SAME_TIMES = 5

_TRY = Request("test", "outcome")
_PAY = (Request("look", "check_payment_request"), Request("pay", "payment"))


def turn(view: View, caller: Caller, random: Stream) -> Reply:
    """What the caller says or does next; `Reply.rule` names the rule. Equal arguments, equal reply.

    Rules: opens, does:TOOL, reports, answers, agrees, waits, asks; and those that end the call:
    content (what the caller wanted has been shown and the agent too is done), transferred,
    asked_too_often (for something that the scenario does not hold), gave_up (nothing moves).
    """
    memory = remember(view, caller.goal)
    voice = Voice(caller, random)
    if not memory.heard:
        if memory.spoken:
            return Reply("Hello? Are you still there?", rule="waits")
        return Reply(voice.opening(), rule="opens")
    reading = read(memory.heard[-1], _context(memory), _asked_before(memory))
    if "transfer" in reading.news:
        words = voice.pick("All right, I'll hold. Thank you.", "Okay, thank you, I'll wait.")
        return _end(words, _TRANSFER, "transferred")
    requests = _requests(reading, memory, caller)
    steps = plan(requests, memory, caller)
    if steps.calls:
        return Reply(calls=steps.calls, rule=f"does:{steps.calls[0].tool}")
    return _speech(reading, memory, voice, requests, steps)


def _end(words: str, marker: str, rule: str) -> Reply:
    return Reply(f"{words}\n{marker}", rule=rule)


def _requests(reading: Reading, memory: Memory, caller: Caller) -> tuple[Request, ...]:
    """What to do about the message: what it asks, or what its news calls for."""
    requests = reading.requests
    if "bill_sent" in reading.news and not any(request.act == "pay" for request in requests):
        requests = (*requests, *_PAY) if caller.pays_bill else (*requests, _PAY[0])
    if requests:
        return requests
    if reading.questions and not set(reading.questions) <= {"more", "problem"}:
        return ()
    if "patient" in reading.news and (left := _left_over(memory)):
        return left
    if reading.vague:
        return reading.vague
    if reading.again:
        return _repeated(memory)
    if "problem" in reading.questions:
        return ()
    if {"fixed", "bye", "acted"} & set(reading.news) or "more" in reading.questions:
        stale = "acted" in reading.news and not memory.deeds and not memory.proof
        return (_TRY,) if memory.proof is None or stale else ()
    if "wait" in reading.news:
        return ()
    left = _left_over(memory)
    return left if left or memory.proof is not None or not reading.topical else (_TRY,)


def _asked_before(memory: Memory) -> tuple[Request, ...]:
    """What the message before asked for."""
    return read(memory.heard[-2]).requests if len(memory.heard) > 1 else ()


def _context(memory: Memory) -> tuple[str, ...]:
    """The parts of the phone that were spoken of last, the likeliest last.

    First what the caller itself has just said and what is not as it should be, then what the
    message before was about, in its order.
    """
    said = memory.spoken[-1].lower() if memory.spoken else ""
    named = {mention.topic for mention in mentions(said)}
    own = [topic for topic, wrong in _WRONG if topic in named and wrong(memory.sight)]
    if len(memory.heard) < 2:
        return tuple(own)
    before = read(memory.heard[-2])
    asked = [_PARTS.get(r.topic, r.topic) for r in (*before.requests, *before.vague)]
    asked = [topic for topic in dict.fromkeys(asked) if topic != "phone"]
    return tuple(topic for topic in own if topic not in asked) + tuple(asked)


def _repeated(memory: Memory) -> tuple[Request, ...]:
    """After "Could you check once more?": what was looked at or tried last.

    Once something was changed since, it means to try again whether all works.
    """
    before = memory.all_deeds[: len(memory.all_deeds) - len(memory.deeds)]
    if before and before[-1].writes:
        return (_TRY,)
    for text in reversed(memory.heard[:-1]):
        found = tuple(r for r in read(text).requests if r.act in ("look", "test"))
        if found:
            return tuple(replace(r, value="", when=None) for r in found)
    return (_TRY,)


def _left_over(memory: Memory) -> tuple[Request, ...]:
    """After "go ahead", "take your time": what the message before asked for, if it was not done."""
    if len(memory.heard) < 2 or memory.acted[-2]:
        return ()
    return tuple(request for request in read(memory.heard[-2]).requests if not request.weak)


def _speech(
    reading: Reading, memory: Memory, voice: Voice, requests: Sequence[Request], steps: Plan
) -> Reply:
    topics = [request.topic for request in requests]
    topics += [_PART[topic] for topic in topics if topic in _PART]
    said = voice.report(memory.deeds, topics)
    said += _recalled(memory, voice, requests)
    said += answers(reading, voice.caller)
    if "pay" in steps.refused:
        said.append("I wasn't expecting a bill, so I'd rather not pay anything for now.")
    if _content_and_over(reading, memory):
        return _end(" ".join((*said, voice.thanks())), _STOP, "content")
    if _cannot_go_on(reading, memory):
        said.append("I'm sorry, I can't give you that, so I don't think we get any further.")
        return _end(" ".join(said), _OUT, "asked_too_often")
    if _goes_nowhere(memory):
        said.append("This isn't getting me anywhere, so I'll leave it here.")
        return _end(" ".join(said), _OUT, "gave_up")
    said += _outcome(reading, memory, voice)
    if said:
        return Reply(" ".join(said), rule="reports" if memory.deeds else "answers")
    if "wait" in reading.news:
        return Reply(voice.pick("Sure, I'll wait.", "Okay, take your time."), rule="waits")
    if "go_on" in reading.questions:
        ready = voice.by_kind(
            none="Yes, please go on.",
            easy="Sure, I'm ready. Go ahead!",
            hard="All right, if you tell me exactly what to do.",
        )
        return Reply(ready, rule="agrees")
    if memory.proof and not reading.requests:
        return _end(voice.thanks(), _STOP, "content")
    return Reply(voice.asks(), rule="asks")


def _stands(part: str, *states: str) -> Callable[[Mapping[str, str]], bool]:
    return lambda sight: sight.get(part) in states


# Parts that may be wrong, the likeliest to be meant by "it" last.
_WRONG: tuple[tuple[str, Callable[[Mapping[str, str]], bool]], ...] = (
    ("apn", lambda sight: sight.get("apn") == "broken" or sight.get("mmsc") == "not set"),
    ("permissions", lambda sight: "no" in (sight.get("sms"), sight.get("storage"))),
    ("wifi_calling", _stands("wifi_calling", "on")),
    ("vpn", _stands("vpn", "connected")),
    ("saver", _stands("saver", "on")),
    ("mode", _stands("mode", "2g_only", "3g_only")),
    ("roaming", _stands("roaming", "off")),
    ("data", _stands("data", "off")),
    ("sim", _stands("sim", "missing")),
    ("airplane", _stands("airplane", "on")),
)
_PARTS = {
    "check_status_bar": "bar",
    "check_wifi_calling_status": "wifi_calling",
    "check_wifi_status": "wifi",
    "check_vpn_status": "vpn",
    "check_data_restriction_status": "saver",
    "check_network_mode_preference": "mode",
    "check_app_permissions": "permissions",
    "check_app_status": "permissions",
    "check_sim_status": "sim",
    "check_apn_settings": "apn",
    "check_payment_request": "payment",
}
_PART = {
    "check_status_bar": "signal",
    "check_network_status": "connection",
    "bar": "signal",
    "speed": "rating",
    "internet": "rating",
    "calls": "signal",
    "outcome": "rating",
}


def _recalled(memory: Memory, voice: Voice, requests: Sequence[Request]) -> list[str]:
    """Answers from what was seen before, where nothing new was looked at."""
    told = {field for deed in memory.deeds for field, _ in deed.facts}
    if "request" in told:
        told.add("payment")
    if {"sms", "storage"} & told:
        told.add("permissions")
    wanted = [request for request in requests if request.act in ("look", "switch", "mode", "grant")]
    parts = dict.fromkeys(_PART.get(request.topic, request.topic) for request in wanted)
    already = any(request.act != "look" for request in wanted) and not memory.deeds
    return voice.recall(
        [part for part in parts if part not in told], memory.sight, "already" if already else ""
    )


def _content_and_over(reading: Reading, memory: Memory) -> bool:
    """Only on proof, and only once the agent too is done: nothing left to act upon."""
    over = {"fixed", "bye"} & set(reading.news) or "more" in reading.questions
    return bool(memory.proof and over) and not OFFERS & set(reading.questions)


def _cannot_go_on(reading: Reading, memory: Memory) -> bool:
    """Asked again and again for what the scenario does not hold, with no other way offered."""

    def hopeless(asked: Sequence[str]) -> bool:
        return bool(CANNOT_GIVE.keys() & set(asked)) and not {"name", "number"} & set(asked)

    times = sum(hopeless(read(text).questions) for text in memory.heard)
    return times >= _CANNOT_TIMES and hopeless(reading.questions)


def _goes_nowhere(memory: Memory) -> bool:
    """Many messages in a row without anything to do, or the same message again and again."""
    idle = 0
    for acted in reversed(memory.acted):
        if acted:
            break
        idle += 1
    return idle >= _IDLE_TIMES or memory.heard.count(memory.heard[-1]) >= _SAME_TIMES


def _outcome(reading: Reading, memory: Memory, voice: Voice) -> list[str]:
    tested = any(
        field in ("rating", "mms") or (field == "signal" and voice.caller.goal == "service")
        for deed in memory.deeds
        for field, _ in deed.facts
    )
    written = [deed.tool for deed in memory.deeds if deed.writes]
    if written[-1:] == ["make_payment"]:
        return []
    if tested and memory.proof is not None:
        return [voice.outcome(good=memory.proof, failures=memory.failures)]
    if {"fixed", "bye"} & set(reading.news) and memory.proof is False:
        return ["It still isn't right, though. Can you please keep looking?"]
    return []
