"""How an agent's words close a call or hand it over."""

from __future__ import annotations

import re

__all__ = ["awaits", "closes", "hands_over", "offers_hand_over"]

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
_SENTENCE = re.compile(r"[^.!?]+[.!?]*")
_ASKS = re.compile(
    r"\?|\b(?:please|let me know|tell me|could you|can you|would you|now,? let's"
    r"|try (?:to|this|that|the|again)|once you|after you)\b"
    r"|^\W*(?:(?:first|next|now|then|step \d+|and),?:? )*(?:go ahead|go to|open|turn|switch|toggle"
    r"|run|check|look|restart|reboot|reset|reseat|remove|tap|select|disable|enable|disconnect|set|pay"
    r"|try)\b"
)
_ELSE = re.compile(
    r"\b(?:anything else|any(?: other| further| more)|further (?:help|questions|assistance)"
    r"|other (?:questions|concerns|issues)|hold|stay on|wait|reach out|contact us|call us"
    r"|feel free|hesitate|if you (?:need|have|experience|encounter|run into))\b"
)
_OFFERS = re.compile(
    r"\b(?:i(?:'ll| will| can| could|'m| am|'ve| have)?|let me|me to|we(?:'ll| will| can)?|being"
    r"|be(?:en)?|recommend|take over|takes over|taking over|option)\b"
)


def closes(message: str) -> bool:
    """Whether a message, in `plain` words, brings the call to its end."""
    return _CLOSED.search(message) is not None


def hands_over(message: str) -> bool:
    """Whether a message, in `plain` words, speaks of a colleague taking over."""
    return _HANDED.search(message) is not None


def awaits(message: str) -> bool:
    """Whether a message, in `plain` words, asks for something to be done or answered.

    Whether there is anything else is no such question: with it an agent is done.
    """
    return any(
        _ASKS.search(sentence) is not None and _ELSE.search(sentence) is None
        for sentence in _SENTENCE.findall(message)
    )


def offers_hand_over(message: str) -> bool:
    """Whether a message, in `plain` words, offers or announces a colleague of the agent's."""
    return any(
        hands_over(sentence) and _OFFERS.search(sentence) is not None
        for sentence in _SENTENCE.findall(message)
    )
