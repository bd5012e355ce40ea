"""Is this still the customer speaking? Rules over what a customer's model would do next.

Each rule is a function of the candidate turn and of what the customer can know, and gives a finding
or None. No rule looks at the world, the task or the other side's hidden part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ringback.telecom.speech.text import bounded
from ringback.users.guard.claims import denied_deed, denied_state
from ringback.users.guard.endings import early_marker, farewell_without_marker, malformed_marker
from ringback.users.guard.grounding import unfounded_fact
from ringback.users.guard.known import Candidate, Finding, Known
from ringback.users.guard.repeats import broken_form, empty, repeated
from ringback.users.guard.roles import roles_inverted

__all__ = [
    "RULES",
    "Candidate",
    "Finding",
    "Known",
    "inspect",
]

RULES: Mapping[str, Callable[[Candidate, Known], Finding | None]] = {
    "empty": empty,
    "broken_form": broken_form,
    "roles_inverted": roles_inverted,
    "denied_deed": denied_deed,
    "denied_state": denied_state,
    "unfounded_fact": unfounded_fact,
    "malformed_marker": malformed_marker,
    "early_marker": early_marker,
    "farewell_without_marker": farewell_without_marker,
    "repeated": repeated,
}
"""Every rule by its name, in the order in which they are looked at."""


def inspect(candidate: Candidate, known: Known) -> tuple[Finding, ...]:
    """All findings on a candidate; an empty one has that one finding.

    Words beside calls are not delivered, so only the calls are looked at then. Of a text without
    end only the beginning is looked at, and the end, where a marker would stand.
    """
    if found := empty(candidate, known):
        return (found,)
    if candidate.calls:
        candidate = Candidate(None, candidate.calls, candidate.broken)
    elif candidate.text:
        candidate = Candidate(bounded(candidate.text), (), candidate.broken)
    checked = (rule(candidate, known) for rule in RULES.values())
    return tuple(found for found in checked if found is not None)
