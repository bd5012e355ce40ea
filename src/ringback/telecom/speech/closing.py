"""How an agent's words close a call or hand it over."""

from __future__ import annotations

import re

__all__ = ["closes", "hands_over"]

_CLOSED = re.compile(
    r"\b(?:anything else|good ?bye|bye|have an? \w+ (?:day|evening|one|night|weekend|time|rest)"
    r"|take care|glad (?:it|that|to hear|we|i could|everything)|happy (?:it|that|to hear)"
    r"|(?:is|are|been|was) (?:now )?(?:resolved|fixed|solved|restored)|works? again|working (?:now"
    r"|again|well|properly)|you(?:'re| are) (?:very )?welcome|thank you for (?:calling|contacting"
    r"|your patience|choosing|letting)|my pleasure|enjoy)\b"
)
_HANDED = re.compile(
    r"\b(?:transfer\w*|hand(?:ed|ing)? (?:you|this|it|the case|your case|over)|colleague|human"
    r"|specialist|supervisor|representative|another agent|escalat\w*|connect(?:ed|ing)? you"
    r"|team (?:will|can)|stay on the line|hold on)\b"
)


def closes(message: str) -> bool:
    """Whether a message, in `plain` words, brings the call to its end."""
    return _CLOSED.search(message) is not None


def hands_over(message: str) -> bool:
    """Whether a message, in `plain` words, speaks of a colleague taking over."""
    return _HANDED.search(message) is not None
