"""Turns with nothing in them, or nothing new."""

from __future__ import annotations

import re
from collections import Counter

from ringback.telecom.speech.text import plain
from ringback.users.guard.known import Candidate, Finding, Known

__all__ = ["broken_form", "empty", "repeated"]

_TIMES = 3
_LEAST = 25
_PART = 8
_SENTENCE = re.compile(r"(?<=[.!?])\s")


def empty(candidate: Candidate, known: Known) -> Finding | None:  # noqa: ARG001
    """Neither a sentence nor an action."""
    if candidate.calls or (candidate.text and candidate.text.strip()):
        return None
    return Finding("empty", "Your last reply was empty. Say something or take an action.")


def broken_form(candidate: Candidate, known: Known) -> Finding | None:  # noqa: ARG001
    """A structured reply that is not of its form, or was cut off."""
    if candidate.broken:
        return Finding("broken_form", "Answer with one complete JSON object, and keep it short.")
    return None


def repeated(candidate: Candidate, known: Known) -> Finding | None:
    """The same again though the agent said something else, or over and over, or an action thrice.

    After an action of its own in between a customer may say the same again, and of a short sentence
    ("yes, that is right") nothing is made. An action that shows something else each time is a
    repetition the fourth time since the agent spoke.
    """
    if candidate.calls:
        return _same_action(candidate, known)
    said = plain(candidate.text or "")
    sentences = Counter(part.strip() for part in _SENTENCE.split(said) if len(part) >= _PART)
    if sentences and max(sentences.values()) > _TIMES:
        return Finding("repeated", "You say one thing over and over. Say it once, and stop.")
    if len(said) < _LEAST or not known.spoken or known.fresh:
        return None
    same_question = len(known.heard) > 1 and plain(known.heard[-1]) == plain(known.heard[-2])
    if said == plain(known.spoken[-1]) and not same_question:
        return Finding("repeated", "You said exactly this before. Answer the agent's last message.")
    return None


def _same_action(candidate: Candidate, known: Known) -> Finding | None:
    for call in candidate.calls:
        made = [
            index
            for index, deed in enumerate(known.fresh)
            if (deed.tool, deed.arguments) == (call.tool, call.arguments)
        ]
        if len(made) >= _TIMES:
            return Finding(
                "repeated", f"You have done {call.tool} {len(made)} times. Tell the agent about it."
            )
        last = made[1 - _TIMES :]
        at_the_end = last == list(range(len(known.fresh)))[1 - _TIMES :]
        shown = {known.fresh[index].text for index in last}
        if len(last) == _TIMES - 1 and at_the_end and len(shown) == 1:
            return Finding(
                "repeated", f"{call.tool} has just shown the same twice. Tell the agent what it is."
            )
    return None
