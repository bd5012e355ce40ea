"""Whom a failed call is to be laid to: by rule, from the session's events alone.

Signs say what went wrong, where, and by whom; some of them decide. The rule is that of the guide
by which failures were labelled before it was written (tests/grading/labelled/GUIDE.md): to blame is
the one without whose fault the call would most probably have been solved.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from ringback.domain import Diagnosing, Diagnosis, Sign, Verdict
from ringback.episode.episode import Episode
from ringback.episode.events import End
from ringback.grading.record import signs

__all__ = ["BLAMES", "VERSION", "Blame", "Failure", "failure"]

VERSION = "4"
"""Changes whenever the same events may be blamed otherwise, or show other kinds."""

Blame: TypeAlias = Literal["agent", "simulator", "infrastructure", "undecided"]
BLAMES: tuple[Blame, ...] = ("agent", "simulator", "infrastructure", "undecided")

_CUT_OFF = {"max_steps": "step_limit", "timeout": "clock", "too_many_errors": "error_limit"}
_WHERE_CUT_OFF = frozenset({"agent_repeated", "repeated_itself", "roles_inverted"})
"""Signs that waste time: they decide only where a call was cut off."""


class Failure(Struct, frozen=True):
    """Why a call was not solved: whom it is laid to, why in a sentence, the event that shows it.

    `kinds` are all signs that were found, one a kind, in the order of the events.
    """

    blame: Blame
    why: str
    seq: int
    kinds: tuple[Sign, ...]


def failure(episode: Episode, end: End, verdict: Verdict, *, told: bool = True) -> Failure:
    """The failure of an ended episode that was not solved; pure, and the same every time.

    Where the record does not tell what was said and done, the ending alone is looked at.
    """
    found = Diagnosis()
    if told and isinstance(episode.domain, Diagnosing):
        closed = {"user_stop": "user", "agent_stop": "agent"}
        found = episode.domain.diagnose(
            episode.task,
            episode.happenings,
            episode.world,
            verdict,
            closed.get(end.ending),  # pyright: ignore[reportArgumentType]
        )
    cut_off = end.ending in _CUT_OFF
    shown = _first_of_each([*found.signs, *signs(episode, end)])
    deciding = [
        sign for sign in shown if sign.decisive and (cut_off or sign.kind not in _WHERE_CUT_OFF)
    ]
    deciding.sort(key=lambda sign: sign.kind in _WHERE_CUT_OFF)
    blame, why, seq = _judge(episode, end, deciding, found.fewest_steps)
    return Failure(blame, why, seq, shown)


def _first_of_each(found: Iterable[Sign]) -> tuple[Sign, ...]:
    """One sign of each kind: the first that decides, else the first."""
    kept: dict[str, Sign] = {}
    for sign in sorted(found, key=lambda sign: sign.seq):
        known = kept.get(sign.kind)
        if known is None or (sign.decisive and not known.decisive):
            kept[sign.kind] = sign
    return tuple(sorted(kept.values(), key=lambda sign: (sign.seq, sign.kind)))


def _judge(
    episode: Episode, end: End, deciding: Sequence[Sign], fewest: int | None
) -> tuple[Blame, str, int]:
    neither = next((sign for sign in deciding if sign.by is None), None)
    if neither is not None:
        return "infrastructure", neither.text, neither.seq
    by_agent = [sign for sign in deciding if sign.by == "agent"]
    by_user = [sign for sign in deciding if sign.by == "user"]
    if by_agent and by_user:
        why = f"Both sides had a part in it. {by_agent[0].text} {by_user[0].text}"
        return "undecided", why, max(by_agent[0].seq, by_user[0].seq)
    if by_agent:
        return "agent", by_agent[0].text, by_agent[0].seq
    if by_user:
        return "simulator", by_user[0].text, by_user[0].seq
    return _without_a_sign(episode, end, fewest)


def _without_a_sign(episode: Episode, end: End, fewest: int | None) -> tuple[Blame, str, int]:
    limit = episode.start.condition.limits.steps
    match end.ending:
        case "timeout":
            return (
                "infrastructure",
                "The time was up while neither side had gone astray.",
                end.seq,
            )
        case "max_steps" if limit is not None and fewest is not None and limit < fewest:
            why = f"The limit of {limit} steps is below the {fewest} that a plain repair takes."
            return "infrastructure", why, end.seq
        case "max_steps":
            why = "The steps were used up, and nothing shows that the customer was the cause."
            return "agent", why, end.seq
        case "abandoned":
            return "undecided", "The operator gave the call up before it was over.", end.seq
        case _:
            return "undecided", "The record does not show what the call failed of.", end.seq
