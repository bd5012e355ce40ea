"""How a customer ends the call: markers before their time, goodbyes without one, misspelt ones."""

from __future__ import annotations

import re

from ringback.episode.markers import Marker, marker_in, without_markers
from ringback.telecom.scenario import Caller
from ringback.telecom.speech.closing import closes, hands_over
from ringback.telecom.speech.text import plain
from ringback.users.guard.claims import last_seen
from ringback.users.guard.known import Candidate, Finding, Known
from ringback.users.rules.memory import content

__all__ = ["early_marker", "farewell_without_marker", "is_farewell", "malformed_marker", "mended"]

_BAD_MARKER = re.compile(
    r"(?<![\w#])(?:#{1,}[ ]?\**(?P<hashed>STOP|TRANSFER|OUT[- _]OF[- _]SCOPE)\**[ ]?#*"
    r"|\[(?P<boxed>STOP|TRANSFER|OUT[- _]OF[- _]SCOPE)\])(?![\w#])"
)
_BARE_MARKER = re.compile(r"\A\W*(?P<word>STOP|TRANSFER|OUT[-_ ]OF[-_ ]SCOPE)\W*\Z")
_BYE = re.compile(
    r"\b(?:good ?bye|bye(?: ?bye)?|have an? (?:great|nice|good|wonderful|lovely|pleasant) (?:day"
    r"|evening|one|night|weekend|afternoon|time|rest of)|take care|talk to you (?:soon|later)"
    r"|that(?:'s| is| will be) all(?: i needed| for (?:now|today))?)\b"
)
_OPEN = re.compile(
    r"\?|\b(?:please (?:do|go ahead|proceed|send|add|refuel|enable|check|help|let me know|tell|wait"
    r"|hold|try|transfer|resume)|go ahead|yes,? please|i(?:'ll| will) (?:now )?(?:try|check|restart"
    r"|reboot|do|run|turn|look|pay)|let me (?:try|check|look|see)|one moment|hold on|not yet)\b"
)
_UNSOLVED = re.compile(
    r"\b(?:cannot|can't|unable|not able|nothing (?:more|else|further)|no (?:other|further)|sorry"
    r"|store|technician|repair)\b"
)


def malformed_marker(candidate: Candidate, known: Known) -> Finding | None:  # noqa: ARG001
    """A marker that is misspelt, so that it would be read out and end nothing."""
    text = candidate.text or ""
    if marker_in(text, "user") is None and _respelt(text) != text:
        return Finding("malformed_marker", "Write the word that ends the call exactly as given.")
    return None


def early_marker(candidate: Candidate, known: Known) -> Finding | None:
    """A marker before its condition holds.

    The call is over with ``stop`` when the customer has seen what it wants, or the agent is closing
    the call, and the sentence that it ends leaves nothing for the agent to do; with ``transfer``
    when the agent speaks of handing over; ``out_of_scope`` not as an answer to the greeting. Where
    the scenario does not say what the customer wants, an agent's second sentence is enough.
    """
    text = candidate.text or ""
    marker = marker_in(text, "user")
    if marker is None or candidate.calls:
        return None
    why = _too_soon(marker, without_markers(text, "user"), known)
    if why is None:
        return None
    return Finding("early_marker", f"It is too soon to end the call: {why}")


def _too_soon(marker: Marker, text: str, known: Known) -> str | None:
    heard = plain(known.last_heard)
    if len(known.heard) < 2:
        return "the agent has only greeted you. Say what is wrong."
    if marker == "out_of_scope":
        return None
    if marker == "transfer":
        recent = plain(" ".join(known.heard[-2:]))
        if hands_over(recent) or _UNSOLVED.search(recent):
            return None
        return "no colleague is taking over. Answer the agent."
    if _OPEN.search(plain(text)) and not _BYE.search(plain(text)):
        return "your message asks for something or agrees to it. Leave the word out and wait."
    if _reached(known) or closes(heard) or hands_over(heard):
        return None
    if _UNSOLVED.search(heard):
        return None
    if not isinstance(known.scenario, Caller):
        return None
    return "no action of yours has shown that it works. Go on with the call."


def _reached(known: Known) -> bool:
    scenario = known.scenario
    return isinstance(scenario, Caller) and content(scenario.goal, last_seen(known)) is True


def farewell_without_marker(candidate: Candidate, known: Known) -> Finding | None:
    """A clear goodbye that does not end the call."""
    text = candidate.text or ""
    if candidate.calls or marker_in(text, "user") or not is_farewell(text, known):
        return None
    return Finding(
        "farewell_without_marker",
        "To end the call, end your message with ###STOP###; to go on, do not say goodbye.",
    )


def is_farewell(text: str, known: Known) -> bool:
    """Whether this says goodbye and leaves nothing open."""
    said = plain(text)
    return len(known.heard) > 1 and bool(_BYE.search(said)) and not _OPEN.search(said)


def mended(text: str, known: Known) -> str:
    """The text with a misspelt marker spelt right, and a marker after a clear goodbye."""
    text = _respelt(text) if marker_in(text, "user") is None else text
    if marker_in(text, "user") is None and is_farewell(text, known):
        return f"{text} ###STOP###"
    return text


def _respelt(text: str) -> str:
    if bare := _BARE_MARKER.match(text):
        return _marker(bare["word"])
    return _BAD_MARKER.sub(lambda found: _marker(found["hashed"] or found["boxed"]), text)


def _marker(word: str) -> str:
    return f"###{re.sub('[ _]', '-', word)}###"
