"""What two conditions differ in, in words, and which are told as one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import asdict, replace

from ringback.canonical import Json
from ringback.episode.events import Condition, Limits, Setup
from ringback.report import wording
from ringback.report.plain import one_line

__all__ = ["differences", "otherwise_equal"]

_LONGEST = 60


def otherwise_equal(unheard: Condition, others: Mapping[str, Condition]) -> str | None:
    """The digest of the one condition that this one, with unknown opening words, can be.

    Of `others`, by digest, those with opening words that are equal in all else; None where there is
    none or where there are several.
    """
    found = [
        digest
        for digest, other in others.items()
        if other.greeting and replace(other, greeting="") == unheard
    ]
    return found[0] if len(found) == 1 else None


def differences(first: Condition, other: Condition) -> tuple[str, ...]:
    """What of `other` is not as in `first`, in clauses: ``the limit of steps 40, not 100``.

    Never empty for conditions of different digests.
    """
    return tuple(_differences(first, other)) or ("it is another in a part that has no name here",)


def _differences(first: Condition, other: Condition) -> Iterator[str]:
    for name, here, there in (
        ("the domain", other.domain, first.domain),
        ("the version of the world", other.world, first.world),
        ("the version of the checks", other.grader, first.grader),
    ):
        if here != there:
            yield _not(name, here, there)
    yield from _users(first.user, other.user)
    if first.greeting != other.greeting:
        yield f"the agent's opening words{'' if other.greeting else ', of which none are known'}"
    if first.texts != other.texts:
        yield "what the customer reads"
    yield from _limits(first.limits, other.limits)


def _users(first: Setup, other: Setup) -> Iterator[str]:
    if first.name != other.name:
        yield _not("the customer", other.name, first.name)
        return
    if first.version != other.version:
        yield _not(
            f"the version of the customer {_short(other.name)}", other.version, first.version
        )
    for name in sorted(first.settings.keys() | other.settings.keys()):
        here, there = (each.settings.get(name) for each in (other, first))
        if here != there or (name in first.settings) != (name in other.settings):
            yield _not(f"the customer's setting {_short(name)}", here, there)


def _limits(first: Limits, other: Limits) -> Iterator[str]:
    names = {"steps": "steps", "errors": "tool errors", "seconds": "seconds"}
    here, there = asdict(other), asdict(first)
    for name, words in names.items():
        if here[name] != there[name]:
            one, two = (wording.known(each[name]) for each in (here, there))
            yield f"the limit of {words} {one}, not {two}"


def _not(name: str, here: Json, there: Json) -> str:
    return f"{name} {_short(here)}, not {_short(there)}"


def _short(value: Json) -> str:
    return wording.UNKNOWN if value == "" else one_line(wording.value(value), _LONGEST)
