"""What the customer told the agent that the world denies: deeds never done, states that are not.

The phone's words are not read, only its state: a recording of another program words its results
in another way. What counts for a claim is all that was so since the agent last spoke, and a deed
counts as done if any call of the customer's did it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from ringback.domain import Did, Happening, Said, Task
from ringback.telecom.faults import FAULTS
from ringback.telecom.phone import can_send_mms, mobile_data_works, sim_status, speed
from ringback.telecom.requests import stands_on
from ringback.telecom.speech.asking import SWITCHES
from ringback.telecom.speech.claims import (
    ANY,
    ClaimedDeed,
    ClaimedState,
    contradicts,
    deeds_in,
    states_in,
)
from ringback.telecom.speech.replies import TESTS, Wanted, replies_in, says_paid, wanted_in
from ringback.telecom.speech.text import sentences, spoken
from ringback.telecom.standing import standing
from ringback.telecom.state import State
from ringback.telecom.world import state_of

__all__ = ["Denied", "denied"]


class Denied(Struct, frozen=True):
    """A claim that the world denies, and the faults that it hides, as far as they stood then."""

    seq: int
    text: str
    hides: tuple[str, ...]


_SWITCH = {
    "toggle_airplane_mode": "airplane",
    "toggle_data": "data",
    "toggle_roaming": "roaming",
    "toggle_data_saver_mode": "saver",
    "toggle_wifi_calling": "wifi_calling",
    "disconnect_vpn": "vpn",
    "connect_vpn": "vpn",
}
_BILLS, _PAYS = "send_payment_request", "make_payment"
_HIDES = {
    "airplane": ("airplane_mode_on",),
    "data": ("data_mode_off",),
    "roaming": ("user_abroad_roaming_enabled_off", "user_abroad_roaming_disabled_off"),
    "saver": ("data_saver_mode_on",),
    "wifi_calling": ("bad_wifi_calling",),
    "vpn": ("bad_vpn",),
    "sim": ("unseat_sim_card", "lock_sim_card_pin"),
}
_ON = re.compile(r"\bon\b|^(?:i|we)\b.*\b(?:enabled|activated|connected)\b")
_OFF = re.compile(r"\boff\b|^(?:i|we)\b.*\b(?:disabled|deactivated|disconnected)\b")
_NOT = re.compile(
    r"\b(?:not|n't|never|no longer|isn't|doesn't|can't|cannot|still|if|once|when|until"
    r"|whether|should|would|hope\w*|need|want|unable|hasn't|haven't|only|except)\b|n't\b"
)
_VERB = (
    r"(?:(?:'s|'re| is| are)(?: now| all| finally| fully| up and)*"
    r" (?:working|fixed|resolved|restored|back(?: to normal)?(?! o(?:n|ff)\b))"
    r"|(?: now| finally)? (?:works|went through|was sent|were sent|got sent))\b"
)
_WORKS = {
    family: re.compile(rf"\b(?:{subject}){_VERB}{more}")
    for family, subject, more in (
        ("mobile_data_issue", "(?:mobile )?data|internet(?: connection)?|everything|it|that", ""),
        (
            "mms_issue",
            r"mms|(?:picture )?messag(?:es?|ing)|pictures?|photos?|everything|it|that",
            r"|\bi(?: can| was able to| could)(?: now)? send (?:the |an? |my )?(?:mms|pic|photo)",
        ),
        ("service_issue", "service|signal|phone|everything|it|that", ""),
    )
}


def denied(task: Task, history: Sequence[Happening], start: State) -> tuple[Denied, ...]:
    """The customer's claims that the world denies, in their order; pure.

    `start` is the state in which the call began.
    """
    found: list[Denied] = []
    done: set[str] = set()
    since: set[str] = set()
    window, state, heard, billed = [start], start, "", False
    for happening in history:
        if isinstance(happening, Did):
            state = state_of(happening.after)
            window.append(state)
            if happening.outcome.error:
                continue
            if happening.side == "user":
                done |= {happening.tool, ANY}
                since.add(happening.tool)
            billed = billed or happening.tool == _BILLS
        elif happening.side == "agent":
            window, heard = [state], spoken(happening.text)
            since.clear()
        else:
            found += _claims(task, happening, done, window, billed=billed)
            found += _answers(task, happening, heard, (done, since), window, billed=billed)
            if billed and _PAYS not in done and says_paid(spoken(happening.text)):
                found.append(_undone(task, happening.seq, (_PAYS,), state))
    return tuple(found)


def _claims(
    task: Task, said: Said, done: set[str], window: Sequence[State], *, billed: bool
) -> Iterator[Denied]:
    text, stands = spoken(said.text), standing(task, window[-1])

    def hides(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in stands if name in names)

    for claim in deeds_in(text):
        if claim.tools == (_PAYS,) and not billed:
            continue  # of what was paid some day
        if not done & {*claim.tools}:
            yield _undone(task, said.seq, claim.tools, window[-1])
        elif (switched := _switched(claim)) and _denies(switched, window):
            words = f"{switched.field} {switched.word}"
            words = f"The customer told of having switched {words}; it was not."
            yield Denied(said.seq, words, hides(_HIDES[switched.field]))
    for claim in states_in(text):
        if _denies(claim, window):
            words = f"What the customer told of {claim.field} was so at no time since it was asked."
            yield Denied(said.seq, words, hides(_HIDES.get(claim.field, ())))
    if _says_it_works(task, text) and not any(_works(task, state) for state in window):
        yield Denied(said.seq, "The customer said that it works, and it did not.", stands)


def _undone(task: Task, seq: int, tools: Sequence[str], state: State) -> Denied:
    """The claim of a deed that was never done."""
    repaired = [name for name in standing(task, state) if _repairs(name, tools)]
    words = f"The customer told of a deed and had not done it: {_needed(tools)}."
    return Denied(seq, words, tuple(repaired))


def _answers(
    task: Task,
    said: Said,
    heard: str,
    deeds: tuple[set[str], set[str]],
    window: Sequence[State],
    *,
    billed: bool,
) -> Iterator[Denied]:
    """Claims that only what the agent asked for last gives a meaning.

    `deeds` are the customer's in the whole call, and those since it was asked; `billed` says
    whether there was anything to be paid.
    """
    replies = list(replies_in(spoken(said.text)))
    if not replies or not heard:
        return
    wanted = [each for each in wanted_in(heard) if each.tool != _PAYS or billed]
    for reply in replies:
        if reply.claim == "done" and reply.tool is None:
            if wanted and not any(_was_done(each, deeds, window) for each in wanted):
                yield _undone(task, said.seq, [each.tool for each in wanted], window[-1])
            continue
        tool = reply.tool or _only_switch(wanted)
        # What it tells of other switches it may have from a screen that sums up several.
        if tool not in {each.tool for each in wanted}:
            continue
        if reply.claim == "done":
            if tool not in deeds[0]:
                yield _undone(task, said.seq, (tool,), window[-1])
        elif (reply.claim == "on") not in (stood := [_stands(tool, each) for each in window]):
            if stood[0] is None:
                continue
            name = _SWITCH.get(tool, "wifi")
            words = f"What the customer told of {name} was so at no time since it was asked."
            left = standing(task, window[-1])
            hides = tuple(each for each in left if each in _HIDES.get(name, ()))
            yield Denied(said.seq, words, hides)


def _was_done(wanted: Wanted, deeds: tuple[set[str], set[str]], window: Sequence[State]) -> bool:
    stood = [_stands(wanted.tool, state) for state in window]
    if wanted.on is not None and stood[0] is not None:
        return wanted.on in stood
    done, since = deeds
    return wanted.tool in (since if wanted.tool in TESTS else done)


def _stands(tool: str, state: State) -> bool | None:
    return state.phone.vpn_connected if tool.endswith("_vpn") else stands_on(tool, state)


def _only_switch(wanted: Sequence[Wanted]) -> str | None:
    tools = {each.tool for each in wanted if each.tool in SWITCHES}
    return tools.pop() if len(tools) == 1 else None


def _needed(tools: Sequence[str]) -> str:
    if not tools:
        return "no action of the phone can do that"
    return "it had done nothing" if tools[0] == ANY else f"{tools[0]} was never called"


def _repairs(fault: str, tools: Sequence[str]) -> bool:
    return any(step.tool in tools for step in FAULTS[fault].repair or ())


def _switched(claim: ClaimedDeed) -> ClaimedState | None:
    """The state that a deed told must have led to, None where its words do not say which."""
    field = next((_SWITCH[tool] for tool in claim.tools if tool in _SWITCH), None)
    on, off = _ON.search(claim.words), _OFF.search(claim.words)
    if field is None or bool(on) == bool(off):
        return None
    return ClaimedState(claim.words, field, "on" if on else "off", negated=False)


def _denies(claim: ClaimedState, window: Sequence[State]) -> bool:
    return all(contradicts(claim, _shown(claim.field, state)) for state in window)


def _shown(field: str, state: State) -> str:
    """A field of the state in the words in which customers are compared."""
    phone = state.phone
    match field:
        case "vpn":
            return "connected" if phone.vpn_connected else "not connected"
        case "sim":
            return sim_status(phone)
        case "signal":
            return phone.network_signal_strength
        case "rating":
            return speed(phone, state.around)[1].lower()
        case _:
            on = {
                "airplane": phone.airplane_mode,
                "data": phone.data_enabled,
                "roaming": phone.roaming_enabled,
                "saver": phone.data_saver_mode,
                "wifi": phone.wifi_enabled,
                "wifi_calling": phone.wifi_calling_enabled,
            }[field]
            return "on" if on else "off"


def _says_it_works(task: Task, text: str) -> bool:
    says = _WORKS[task.family]
    return any(
        says.search(sentence) is not None
        and _NOT.search(sentence) is None
        and not sentence.endswith("?")
        for sentence in sentences(text)
    )


def _works(task: Task, state: State) -> bool:
    match task.family:
        case "mobile_data_issue":
            return mobile_data_works(state.phone, state.around)
        case "mms_issue":
            return can_send_mms(state.phone, state.around)
        case _:
            return state.phone.network_connection_status == "connected"
