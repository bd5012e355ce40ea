"""A session graded again from its events, beside what its recording says it was worth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from msgspec import Struct

from ringback.canonical import Json
from ringback.domain import Conduct
from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.events import AnyEvent, End, Ending, Note, Results, Start, Turn
from ringback.formats.recording import RECORDED_GRADE, STATE_DIFFERS, TASK_UNKNOWN
from ringback.grading.grade import grade

__all__ = ["Differs", "Found", "Regraded", "regrade"]

_BY_CHECKS: tuple[Ending, ...] = ("user_stop", "agent_stop")


class Differs(Struct, frozen=True):
    """A recorded state that our world does not come to: at which step, and how."""

    step: int
    what: str


class Found(Struct, frozen=True):
    """A note of conduct: what kind, at which step, in a sentence."""

    kind: str
    step: int
    text: str


class Regraded(Struct, frozen=True):
    """One session's grade by today's checks.

    `file`, `index` and `id` say where it was read; `id` is the recording's own, ours where it has
    none. `stored` is the reward that was recorded with it. `reward` follows the reference's rule,
    by which every ending but a stop of either side is worth 0.0; `env` and `act` are the end-state
    and action checks, None where that rule looks at neither. `strict` is the reward by the strict
    action checks, None where the ending says nothing about the agent. Without a known task only the
    rule of the ending is left, and without an ending nothing.
    """

    file: str | None
    index: int | None
    id: str
    task: str | None
    ending: Ending | None
    stored: float | None
    reward: float | None
    env: tuple[bool, ...] | None
    act: tuple[bool, ...] | None
    strict: float | None
    conduct: tuple[Found, ...] = ()
    divergences: tuple[Differs, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether the recorded reward is another one."""
        return None not in (self.stored, self.reward) and self.stored != self.reward


def regrade(events: Sequence[AnyEvent], stored: float | None = None) -> Regraded:
    """Grade a session again.

    `stored` is a reward kept outside the events. Raises `ringback.episode.protocol.ProtocolError`
    for events that are no session, and `InputError` for a domain or a task that is not known here.
    """
    start, last = events[0], events[-1]
    assert isinstance(start, Start)
    origin = start.origin
    ending = last.ending if isinstance(last, End) else None
    stops = ending in _BY_CHECKS
    reward = None if ending is None or stops else 0.0
    strict = None
    env: tuple[bool, ...] | None = None
    act: tuple[bool, ...] | None = None
    conduct: tuple[Conduct, ...] = ()
    differing = list(_noted(events))
    if start.draw.task is not None and ending is not None:
        episode = Episode.from_events(events, load(start.condition.domain))
        graded = grade(episode, blame=False)
        verdict, strict = graded.verdict, graded.strict
        if stops:
            reward = graded.reward
            env = tuple(check.met for check in verdict.end)
            act = tuple(check.met for check in verdict.actions)
        conduct = verdict.conduct
        differing += [
            (one.seq, f"call {one.index}: recorded {one.recorded}, here {one.recomputed}")
            for one in episode.divergences
        ]
    steps = _steps(events) if differing or conduct else {}
    return Regraded(
        file=origin.source if origin else None,
        index=origin.place if origin else None,
        id=(origin.id if origin else None) or start.session,
        task=start.draw.task or _unknown_task(events),
        ending=ending,
        stored=_recorded(events) if stored is None else stored,
        reward=reward,
        env=env,
        act=act,
        strict=strict,
        conduct=tuple(Found(one.kind, steps.get(one.seq, 0), one.text) for one in conduct),
        divergences=tuple(Differs(steps.get(seq, 0), what) for seq, what in sorted(differing)),
    )


def _noted(events: Iterable[AnyEvent]) -> Iterable[tuple[int, str]]:
    for event in events:
        if isinstance(event, Note) and event.what == STATE_DIFFERS:
            yield event.cause, _said(event.detail)


def _said(detail: Json) -> str:
    if not isinstance(detail, dict):
        return str(detail)
    return f"call {detail.get('call')}, {detail.get('tool')}: {detail.get('what')}"


def _recorded(events: Iterable[AnyEvent]) -> float | None:
    for event in events:
        if isinstance(event, Note) and event.what == RECORDED_GRADE:
            detail = event.detail
            reward = detail.get("reward") if isinstance(detail, dict) else None
            if isinstance(reward, int | float):
                return float(reward)
    return None


def _unknown_task(events: Iterable[AnyEvent]) -> str | None:
    for event in events:
        if isinstance(event, Note) and event.what == TASK_UNKNOWN:
            return cast("str | None", event.detail)
    return None


def _steps(events: Iterable[AnyEvent]) -> dict[int, int]:
    """The step of each turn and each batch of answers, from 1."""
    steps: dict[int, int] = {}
    for event in events:
        if isinstance(event, Turn | Results):
            steps[event.seq] = len(steps) + 1
    return steps
