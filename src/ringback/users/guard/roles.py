"""Roles inverted: the customer's model speaks as the agent.

Precision and recall were measured on texts labelled before these rules were written;
docs/user-guard.md has the figures.
"""

from __future__ import annotations

import re

from ringback.telecom.speech.roles import inverted
from ringback.telecom.speech.text import plain
from ringback.users.guard.known import Candidate, Finding, Known

__all__ = ["roles_inverted"]

_ADVICE = {
    "offers": "You offer help like the agent. You are the customer: you have the problem.",
    "asks": "You ask the agent to do something on a phone. The phone is yours: do it yourself.",
    "account": "You speak as if you worked for the company. You are the customer.",
    "repeats": "You say the agent's words back. Answer them as the customer.",
    "other": "You speak to the agent as if it were the customer. You are the customer.",
}


def roles_inverted(candidate: Candidate, known: Known) -> Finding | None:
    """A sentence that is the agent's to say."""
    heard = known.last_heard if known.heard else ""
    kind = inverted(candidate.text or "", heard, _names(known))
    return None if kind is None else Finding("roles_inverted", _ADVICE[kind])


def _names(known: Known) -> list[str]:
    """The customer's first name, where the scenario begins with who it is."""
    found = re.search(r"\byou are ([a-z]+) [a-z]+", plain(known.scenario.text))
    return [found[1]] if found else []
