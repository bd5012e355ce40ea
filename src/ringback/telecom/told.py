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
from ringback.telecom.speech.claims import (
    ANY,
    ClaimedDeed,
    ClaimedState,
    contradicts,
    deeds_in,
    states_in,
)
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
}
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
    window, state = [start], start
    for happening in history:
        if isinstance(happening, Did):
            state = state_of(happening.after)
            window.append(state)
            if happening.side == "user" and not happening.outcome.error:
                done |= {happening.tool, ANY}
        elif happening.side == "agent":
            window = [state]
        else:
            found += _claims(task, happening, done, window)
    return tuple(found)


def _claims(task: Task, said: Said, done: set[str], window: Sequence[State]) -> Iterator[Denied]:
    text, stands = spoken(said.text), standing(task, window[-1])

    def hides(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in stands if name in names)

    for claim in deeds_in(text):
        if not done & {*claim.tools}:
            repaired = [name for name in stands if _repairs(name, claim.tools)]
            words = f"The customer told of a deed and had not done it: {_needed(claim.tools)}."
            yield Denied(said.seq, words, tuple(repaired))
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
