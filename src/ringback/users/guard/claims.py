"""Claims that the customer's own log denies: deeds that no action did, states not shown."""

from __future__ import annotations

from ringback.telecom.speech.claims import ANY, contradicts, deeds_in, states_in
from ringback.users.guard.known import Candidate, Deed, Finding, Known
from ringback.users.rules.phone_state import seen_in

__all__ = ["denied_deed", "denied_state", "last_seen"]

# Fields that can change without the customer's doing, so that an old look proves little.
_LIVE = frozenset({"signal", "network", "connection", "speed", "rating", "mms", "request"})


def denied_deed(candidate: Candidate, known: Known) -> Finding | None:
    """The customer says that it did something, and no action of its in the whole call did that."""
    done = {deed.tool for deed in known.deeds if not deed.error}
    done |= {ANY} if done else set()
    for claim in deeds_in(candidate.text):
        if not done & {*claim.tools}:
            return Finding("denied_deed", _advice(claim.words, claim.tools))
    return None


def _advice(claim: str, tools: tuple[str, ...]) -> str:
    start = f'You say "{claim}", but you have not done that'
    if not tools:
        return f"{start}: no action of yours can do it. Do not claim it."
    if tools == (ANY,):
        return f"{start}: take an action first, or do not claim it."
    return f"{start}: take the action {tools[0]} first, or do not claim it."


def denied_state(candidate: Candidate, known: Known) -> Finding | None:
    """The customer reports a state of its phone that no look of its bears out.

    What counts is all that its actions since the agent last spoke have shown, in whatever order it
    tells that; where they did not show the field, the last look before.
    """
    sight, fresh = last_seen(known), _shown(known.fresh)
    for claim in states_in(candidate.text):
        if claim.field not in sight:
            continue
        shown = fresh.get(claim.field) or [sight[claim.field]]
        if all(contradicts(claim, word) for word in shown):
            return Finding(
                "denied_state",
                f'You say "{claim.words}", but your last look showed "{shown[-1]}". Say what '
                "was shown, or look again.",
            )
    return None


def _shown(deeds: list[Deed]) -> dict[str, list[str]]:
    shown: dict[str, list[str]] = {}
    for deed in deeds:
        for field, word in () if deed.error else seen_in(deed.tool, deed.text):
            shown.setdefault(field, []).append(word)
    return shown


def last_seen(known: Known) -> dict[str, str]:
    """What the phone last showed; what changes by itself only where nothing came after it."""
    sight: dict[str, str] = {}
    for deed in known.deeds:
        if deed.error:
            continue
        if not deed.tool.startswith(("check_", "run_", "can_")):
            for field in _LIVE:
                sight.pop(field, None)
        sight.update(seen_in(deed.tool, deed.text))
    return sight
