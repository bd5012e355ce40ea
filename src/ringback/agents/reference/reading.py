"""Reading a customer's message: one pure function of its words and of what had been asked."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from msgspec import Struct

from ringback.agents.reference.clauses import NEW_LINE, Clause, clauses, lines, normal
from ringback.agents.reference.permissions import permissions
from ringback.agents.reference.states import states
from ringback.agents.reference.switches import switches
from ringback.agents.reference.talk import (
    Identity,
    Mood,
    amount_gb,
    answer,
    complaint,
    deeds,
    identity,
    mood,
)
from ringback.telecom.policy.model import Topic

__all__ = ["Reading", "read"]


class Reading(Struct, frozen=True):
    """What a message says. `facts` are in the workflow's states; the last statement counts."""

    facts: dict[str, str]
    deeds: frozenset[str]
    identity: Identity
    mood: Mood
    topic: Topic | None
    answer: Literal["yes", "no"] | None
    amount_gb: float | None


_SUBJECT = {
    "check_network_mode_preference": ("network mode", ("mode",)),
    "run_speed_test": ("speed test", ("speed",)),
    "check_sim_status": ("sim card", ("sim",)),
    "check_data_restriction_status": ("data saver", ("saver",)),
    "check_apn_settings": ("apn name", ("apn", "mmsc")),
    "check_wifi_calling_status": ("wi-fi calling", ("wifi_calling", "mms_over_wifi")),
    "check_vpn_status": ("vpn", ("vpn",)),
    "check_app_permissions": ("permissions", ("sms_permission", "storage_permission")),
    "can_send_mms": ("mms", ("mms",)),
    "check_status_bar": ("signal", ("signal",)),
}
"""What a bare answer to a request for this check is about: "2." or "It's off." name nothing."""
_CHECKED_LAST = ("can_send_mms", "run_speed_test", "check_status_bar")


LONGEST = 20_000
"""How many characters of a message are read: more than any customer says."""


@lru_cache(maxsize=16_384)
def read(text: str, asked: tuple[str, ...] = ()) -> Reading:
    """What `text` says, as an answer to a message that asked for the tools `asked`, in order.

    Only the first `LONGEST` characters are read.
    """
    text = text[:LONGEST]
    plain = normal(text)
    found: list[Clause] = []
    items: list[tuple[str, list[Clause]]] = []
    done: set[str] = set()
    for number, line in lines(plain):
        said = clauses(line)
        found += [*said, NEW_LINE]
        if number is not None and 0 < number <= len(asked):
            items.append((asked[number - 1], said))
            if mood(line).done:
                done.add(asked[number - 1])
    facts = _facts(found)
    if not items:
        wanting = [tool for tool in asked if _wanting(tool, facts)]
        if len(asked) > 1:
            wanting = [tool for tool in wanting if tool in _CHECKED_LAST]
        if wanting:
            rest = [clause for clause in found if not _facts([clause]) and not deeds([clause])]
            items += [(tool, rest) for tool in wanting]
    for tool, said in items:
        if _wanting(tool, facts):
            for name, state in _about(tool, said).items():
                facts.setdefault(name, state)
    return Reading(
        facts=facts,
        deeds=deeds(found) | done,
        identity=identity(text),
        mood=mood(plain),
        topic=complaint(plain),
        answer=answer(plain),
        amount_gb=amount_gb(plain),
    )


def _wanting(tool: str, facts: dict[str, str]) -> bool:
    """Whether something is still missing of what this check shows."""
    return tool in _SUBJECT and not all(name in facts for name in _SUBJECT[tool][1])


def _about(tool: str, said: list[Clause]) -> dict[str, str]:
    """The facts of an answer that leaves out what it is about, because the request had said it."""
    subject, names = _SUBJECT[tool]
    named = [
        Clause(f"{subject}: {clause.text}", states=True) if clause.states else clause
        for clause in said
    ]
    return {name: state for name, state in _facts(named).items() if name in names}


def _facts(said: list[Clause]) -> dict[str, str]:
    facts: dict[str, str] = {}
    for name, on in switches(said):
        facts[name] = "on" if on else "off"
    facts.update(states(said))
    facts.update(permissions(said))
    quality = facts.pop("vpn_quality", None)
    if facts.get("vpn") != "off" and (quality is not None or "vpn" in facts):
        facts["vpn"] = quality or "unknown"
    return facts
