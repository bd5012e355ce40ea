"""A session graded again from its events, beside what its recording says it was worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from ringback.canonical import Json
from ringback.domain import Conduct, Did, Verdict
from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.events import STOPS, AnyEvent, End, Ending, Note, Results, Start, Turn
from ringback.formats.recording import (
    RECORDED_GRADE,
    RECORDED_OUTCOME,
    STATE_DIFFERS,
    TASK_DIFFERS,
    TASK_READ_AS,
    TASK_UNKNOWN,
)
from ringback.formats.tau2.stated import disagreements
from ringback.formats.values import number
from ringback.grading.grade import grade, is_told

__all__ = ["Differs", "Found", "Regraded", "regrade"]

_END, _ACTIONS = "end_state", "actions"
_REFERENCE = "tau2"  # the form whose rule of endings ours is


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
    by which every ending but a stop of either side is worth 0.0, and the basis of the recording's
    task; `env` and `act` are the end-state
    and action checks, None where that rule looks at neither. `strict` is the reward by the strict
    action checks, None where the ending says nothing about the agent, and where the checks would
    have to judge and no message of the call is recorded, which the reference takes for a call in
    which nothing was done. Without a known task only the rule of the ending is left, and only for
    recordings of tau2, whose rule it is; without an ending nothing. `set_aside` is what stands in
    the place of a recorded reward and is no number. `session` is the session's id, None where it
    was read without one. `task_differs` are the parts in which the recording's file grades
    the task by something else.
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
    session: str | None = None
    agent: str = ""
    user: str = ""
    trial: int | None = None
    task_differs: tuple[str, ...] = ()
    set_aside: str | None = None

    @property
    def differs(self) -> bool:
        """Whether the recorded reward is another one."""
        return None not in (self.stored, self.reward) and self.stored != self.reward


def regrade(events: Sequence[AnyEvent], stored: float | None = None) -> Regraded:
    """Grade a session again.

    `stored` is a reward kept outside the events. Where these were read without the states of our
    world, what the recorded answers state is compared here. Raises
    `ringback.episode.protocol.ProtocolError`
    for events that are no session, and `InputError` for a domain or a task that is not known here.
    """
    start, last = events[0], events[-1]
    assert isinstance(start, Start)
    origin = start.origin
    ending = last.ending if isinstance(last, End) else None
    stops = ending in STOPS
    ruled = start.draw.task is not None or (origin is not None and origin.form == _REFERENCE)
    reward = None if ending is None or stops or not ruled else 0.0
    strict = None
    env: tuple[bool, ...] | None = None
    act: tuple[bool, ...] | None = None
    conduct: tuple[Conduct, ...] = ()
    differing = list(_noted(events))
    played = bool(start.world)
    episode = None
    if start.draw.task is not None and not (played and ending is None):
        episode = Episode.from_events(events, load(start.condition.domain))
        differing += _diverging(episode) if played else _unlike(episode)
    if episode is not None and ending is not None:
        graded = grade(episode, blame=False)
        verdict, strict = graded.verdict, graded.strict
        if stops and not is_told(start, episode.events):  # to the reference nothing was done then
            verdict = episode.domain.check(episode.task, episode.happenings, episode.world)
        if stops:
            reward = _reward(verdict, _basis(events))
            env = tuple(check.met for check in verdict.end)
            act = tuple(check.met for check in verdict.actions)
        conduct = verdict.conduct
    steps = _steps(events) if differing or conduct else {}
    recorded, set_aside = _recorded(events)
    return Regraded(
        file=origin.source if origin else None,
        index=origin.place if origin else None,
        id=(origin.id if origin else None) or start.session,
        task=_recorded_task(events) or start.draw.task,
        ending=ending,
        stored=recorded if stored is None else stored,
        reward=reward,
        env=env,
        act=act,
        strict=strict,
        conduct=tuple(Found(one.kind, steps.get(one.seq, 0), one.text) for one in conduct),
        divergences=tuple(Differs(steps.get(seq, 0), what) for seq, what in sorted(differing)),
        session=start.session or None,
        agent=start.arm.agent.name,
        user=start.condition.user.name,
        trial=start.draw.trial,
        task_differs=tuple(_task_differs(events)),
        set_aside=set_aside,
    )


def _diverging(episode: Episode) -> Iterator[tuple[int, str]]:
    for one in episode.divergences:
        yield one.seq, f"call {one.index}: recorded {one.recorded}, here {one.recomputed}"


def _unlike(episode: Episode) -> Iterator[tuple[int, str]]:
    """What the reader would have noted, and the episode found, had the calls been played there."""
    answered = {event.turn: event for event in episode.events if isinstance(event, Results)}
    for did in episode.happenings:
        if not isinstance(did, Did):
            continue
        batch = answered[did.seq]
        recorded, ours, index = batch.results[did.index], did.outcome, did.index
        if recorded.error != ours.error:
            flags = ("an error" if flag else "no error" for flag in (recorded.error, ours.error))
            yield batch.seq, f"call {index}: recorded {next(flags)}, here {next(flags)}"
        elif not ours.error:
            for what in disagreements(did.tool, recorded.text, ours.text):
                yield batch.seq, f"call {index}, {did.tool}: {what}"


def _noted(events: Iterable[AnyEvent]) -> Iterable[tuple[int, str]]:
    for event in events:
        if isinstance(event, Note) and event.what == STATE_DIFFERS:
            yield event.cause, _said(event.detail)


def _said(detail: Json) -> str:
    if not isinstance(detail, dict):
        return str(detail)
    return f"call {detail.get('call')}, {detail.get('tool')}: {detail.get('what')}"


def _recorded(events: Iterable[AnyEvent]) -> tuple[float | None, str | None]:
    """The reward that was recorded, and what stands there if that is no number.

    Of Exgentic's figures the score, and where there is none what `success` says.
    """
    for event in events:
        if not isinstance(event, Note) or not isinstance(event.detail, dict):
            continue
        detail = event.detail
        if event.what == RECORDED_GRADE:
            said = detail.get("set_aside")
            return number(detail.get("reward")), said if isinstance(said, str) else None
        if event.what == RECORDED_OUTCOME:
            success = detail.get("success")
            by_success = float(success) if isinstance(success, bool) else None
            score = number(detail.get("score"))
            return by_success if score is None else score, None
    return None, None


def _recorded_task(events: Iterable[AnyEvent]) -> str | None:
    """The recording's own id of the task, where it is not ours."""
    for event in events:
        if isinstance(event, Note) and event.what in (TASK_UNKNOWN, TASK_READ_AS):
            return event.detail if isinstance(event.detail, str) else None
    return None


def _basis(events: Iterable[AnyEvent]) -> set[str] | None:
    """What the recording's task takes into its reward; None where that is as with our task.

    So it is too where the task asks for a check that we do not have.
    """
    for event in events:
        if isinstance(event, Note) and event.what == TASK_DIFFERS:
            basis = event.detail.get("basis") if isinstance(event.detail, dict) else None
            names = {str(name) for name in basis} if isinstance(basis, list) else set[str]()
            return names if names and names <= {_END, _ACTIONS} else None
    return None


def _task_differs(events: Iterable[AnyEvent]) -> Iterable[str]:
    for event in events:
        if (
            isinstance(event, Note)
            and event.what == TASK_DIFFERS
            and isinstance(event.detail, dict)
        ):
            parts = event.detail.get("parts")
            yield from map(str, parts if isinstance(parts, list) else ())


def _reward(verdict: Verdict, basis: set[str] | None) -> float:
    if basis is None:
        return float(verdict.satisfied)
    return float(
        (_END not in basis or all(check.met for check in verdict.end))
        and (_ACTIONS not in basis or all(check.met for check in verdict.actions))
    )


def _steps(events: Iterable[AnyEvent]) -> dict[int, int]:
    """The step of each turn and each batch of answers, from 1."""
    steps: dict[int, int] = {}
    for event in events:
        if isinstance(event, Turn | Results):
            steps[event.seq] = len(steps) + 1
    return steps
