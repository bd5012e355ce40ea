"""Where an episode stands, as its operator may know it, and what it was worth once it is over."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec.structs import replace

from ringback.episode.episode import Episode
from ringback.episode.events import UNPLAYED, End, Ending
from ringback.episode.markers import STOP
from ringback.errors import StoreError
from ringback.grading.grade import Grade, grade
from ringback.operating.cases import number_of
from ringback.operating.changed import why_changed
from ringback.operating.reading import called, open_one
from ringback.operating.seen import Item, Over, Seen, conversation, state_of
from ringback.sessions import Store

__all__ = ["graded", "heard_since", "last_own", "stands"]


def stands(store: Store, episode: Episode, news: Sequence[Item]) -> Seen:
    """Where the episode stands, with this as what is new. One that is over is graded if need be."""
    position, limits = episode.position, episode.start.condition.limits
    return Seen(
        session=episode.start.session,
        operator=called(episode.start),
        state=state_of(episode),
        steps=position.steps,
        steps_left=_left(limits.steps, position.steps),
        errors=position.errors,
        errors_left=_left(limits.errors, position.errors),
        news=tuple(news),
        over=_over(store, episode),
        case=number_of(episode.domain, episode.task),
        changed=None if episode.end is not None else why_changed(episode),
    )


def graded(store: Store, episode: Episode) -> Grade:
    """The grade of an episode that is over, which the store keeps.

    Where it cannot, as one that is only read, whoever asks next grades again.
    """
    value = grade(episode)
    with contextlib.suppress(StoreError):
        store.save_grade(
            episode.start.session,
            value,
            version=episode.domain.grader_version,
            reward=value.reward,
            solved=value.solved,
            graded=value.graded,
        )
    return value


def last_own(episode: Episode) -> int:
    """The number of the event of the operator's last turn; 0 before the first."""
    own = (item.seq for item in conversation(episode) if item.kind in ("said", "called"))
    return max(own, default=0)


def heard_since(episode: Episode, seq: int) -> list[Item]:
    """What was heard from this event on: results and the customer's words."""
    return [
        item
        for item in conversation(episode)
        if item.seq >= seq and item.kind in ("greeting", "result", "customer")
    ]


def _over(store: Store, episode: Episode) -> Over | None:
    end = episode.end
    if end is None:
        return None
    saved = store.grade(episode.start.session, Grade, episode.domain.grader_version)
    value = graded(store, episode) if saved is None else saved
    over = Over(end.ending, end.rule, end.why, None, None, how=_how(episode, end))
    if end.ending in UNPLAYED:
        return over
    if (other := open_one(store, episode.domain.name, episode.task.id)) is not None:
        return replace(over, waits_for=other)
    return replace(over, task=episode.task.id, grade=value)


_HOW: Mapping[Ending, str] = MappingProxyType(
    {
        "max_steps": "It was cut off: its steps were used up.",
        "too_many_errors": "It was cut off: its tool errors were used up.",
        "timeout": "It was cut off: the time of the customer's model was used up.",
        "user_error": "The customer failed, and with it the call.",
        "infrastructure_error": "It broke off.",
        "abandoned": "It was given up.",
    }
)
_CLOSED = {
    "transfer": "The customer ended the call, as one that is handed over.",
    "out_of_scope": "The customer ended the call, as one that asks for what it was not told.",
}


def _how(episode: Episode, end: End) -> str:
    match end.ending:
        case "agent_stop":
            own = [item.text for item in conversation(episode) if item.kind == "said"]
            if own and STOP in (own[-1] or "").removesuffix(STOP):
                return f"You ended the call: {STOP} stands in what you said last."
            return "You ended the call."
        case "user_stop":
            return _CLOSED.get(end.rule, "The customer ended the call.")
        case ending:
            return _HOW.get(ending, f"It ended as {ending}.")


def _left(limit: int | None, used: int) -> int | None:
    return None if limit is None else max(limit - used, 0)
