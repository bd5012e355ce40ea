"""A session as it is counted: its outcome, the case, who called what. One is read at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from ringback.domain import Domain, Side, Task
from ringback.domains import load
from ringback.episode.events import (
    STOPS,
    UNPLAYED,
    AnyEvent,
    Forked,
    ModelCall,
    Reported,
    Results,
    Start,
    Turn,
)
from ringback.errors import InputError, StoreError
from ringback.grading.grade import Grade, grade_of, is_told
from ringback.overview.chosen import called
from ringback.overview.model import Held
from ringback.report.compute import cell_of
from ringback.report.model import Cell
from ringback.report.reading import episode_row, read_grade
from ringback.report.replies import replies
from ringback.sessions import SessionRow, Spent, Store, Unreadable

__all__ = ["Calls", "Seen", "domain_of", "read", "task_of"]

_CHUNK = 200


class Calls(Struct, frozen=True):
    """What was called in a session: models by side and name, tools by side and name."""

    models: Counter[tuple[Side, str | None]]
    tools: Counter[tuple[Side, str]]
    errors: Counter[tuple[Side, str]]
    unanswered: Counter[tuple[Side, str]]


class Seen(Struct, frozen=True):
    """A session: its row, the episode as a study's grid has it, and what was called.

    `name` is what its arm is called: an operator's by their own name. `heard` says whether it is
    known what the agent opened with: of a recording without a turn nobody wrote it down. `forked`
    says where it goes on from another. `task` is None where no world here knows it.
    `grader` is the version of the checks behind the outcome, None without one; `now` says that it
    was graded here.
    """

    row: SessionRow
    name: str
    heard: bool
    forked: Forked | None
    cell: Cell
    task: Task | None
    grader: str | None
    now: bool
    calls: Calls


def read(
    store: Store, rows: Iterable[SessionRow], one: Callable[[], object] = lambda: None
) -> Iterator[tuple[Seen, Start] | Held]:
    """Each session in turn with its start, or why it cannot be read; `one` is called after each."""
    left = iter(rows)
    while some := list(islice(left, _CHUNK)):
        ids = [row.id for row in some]
        bodies, spent = store.grades(ids), store.spent(ids)
        for row in some:
            yield _read(store, row, bodies.get(row.id), spent.get(row.id, {}))
            one()


def _read(
    store: Store, row: SessionRow, body: bytes | None, spent: dict[Side, Spent]
) -> tuple[Seen, Start] | Held:
    try:
        events = store.events(row.id)
    except (Unreadable, InputError) as problem:
        return Held(row.id, str(problem).removesuffix("."))
    start = events[0]
    if not isinstance(start, Start):
        return Held(row.id, "its first event is no start")
    try:
        stored = None if body is None else read_grade(row.id, body)
    except StoreError as problem:
        return Held(row.id, str(problem).removesuffix("."))
    domain = domain_of(row.domain)
    found, now = stored, False
    if stored is None and row.ending is not None and domain is not None:
        found = grade_of(events, domain)
        now = found is not None
    told = _worth(row, found)
    # Over the customers of others' recordings no guard of ours has looked.
    guarded = start.origin is None and start.condition.user.settings.get("guard") != "off"
    cell = cell_of(
        episode_row(
            row,
            told,
            spent,
            arm=row.arm_name,
            task=row.task or "",
            trial=row.trial or 0,
            ungraded=_why(row),
            guarded=guarded,
        )
    )
    grader = None if told is None or not told.graded else told.versions.get("grader", row.grader)
    forked = start.condition.forked
    heard = is_told(start, events)
    calls = _calls(events, start)
    name = called(start)
    return Seen(row, name, heard, forked, cell, task_of(row), grader, now, calls), start


def _worth(row: SessionRow, found: Grade | None) -> Grade | None:
    """The grade as far as it says anything.

    Of a recording without its messages nothing is known that checks could look at. A call that was
    given up has not failed of anything: nobody saw how it would have ended.
    """
    if found is None or _untold(row):
        return None
    return replace(found, failure=None) if row.ending == "abandoned" else found


def _untold(row: SessionRow) -> bool:
    return row.steps is None and row.origin is not None and row.ending in STOPS


def _why(row: SessionRow) -> str:
    """Why a session has no graded outcome, should it have none."""
    if row.task is None:
        return "task not known"
    if row.ending is None:
        return "still open" if row.origin is None else "ending not known"
    if row.ending in UNPLAYED:
        return row.ending
    return "messages not known" if _untold(row) else "not graded"


@cache
def domain_of(name: str) -> Domain | None:
    """The support world of this name; None where there is none here."""
    try:
        return load(name)
    except InputError:
        return None


def task_of(row: SessionRow) -> Task | None:
    """A session's case; None where it is not known here."""
    domain = domain_of(row.domain)
    if domain is None or row.task is None:
        return None
    try:
        return domain.task(row.task)
    except InputError:
        return None


def _calls(events: Sequence[AnyEvent], start: Start) -> Calls:
    """Who called what; where a recording has model calls alone, what their replies called."""
    calls = Calls(Counter(), Counter(), Counter(), Counter())
    answers: dict[int, Results] = {}
    turns: list[Turn] = []
    models: list[ModelCall] = []
    for event in events:
        match event:
            case Turn():
                turns.append(event)
            case Results():
                answers[event.turn] = event
            case ModelCall():
                models.append(event)
                calls.models[event.by, event.model] += 1
            case Reported():
                calls.models[event.by, event.model] += 1
            case _:
                pass
    for turn in turns:
        answer = answers.get(turn.seq)
        for index, call in enumerate(turn.calls):
            results = () if answer is None else answer.results
            result = results[index] if index < len(results) else None
            _count(calls, turn.by, call.tool, result is None, result is not None and result.error)
    if not turns and start.origin is not None:
        for reply in replies(models):
            for made in reply.made:
                _count(calls, reply.call.by, made.tool, made.result is None, made.error)
    return calls


def _count(calls: Calls, side: Side, tool: str, unanswered: bool, error: bool) -> None:
    calls.tools[side, tool] += 1
    calls.errors[side, tool] += error
    calls.unanswered[side, tool] += unanswered
