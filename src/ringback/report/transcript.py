"""A session as people read it: who said and did what, and what changed in the world by it.

One model for the terminal and the page. It holds recorded text as it came; whoever shows it makes
it harmless (`ringback.report.plain`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from ringback.canonical import Json
from ringback.domain import Conduct, Did, Domain, Side, Task
from ringback.episode.episode import Episode
from ringback.episode.events import (
    AnyEvent,
    End,
    ModelCall,
    Note,
    Nudge,
    Rejected,
    Reported,
    Result,
    Results,
    Start,
    Turn,
)
from ringback.episode.protocol import ProtocolError
from ringback.errors import InputError
from ringback.grading.blame import Failure, failure
from ringback.grading.grade import Grade, grade, is_told
from ringback.report.instructions import Instructions, instructions
from ringback.report.plain import value_text
from ringback.report.replies import replies
from ringback.report.wording import plural
from ringback.sessions import Spent, spent

__all__ = ["Aside", "Change", "Deed", "Row", "RowKind", "Transcript", "transcript"]

RowKind: TypeAlias = Literal["greeting", "said", "called", "note", "asked"]
Aside: TypeAlias = ModelCall | Reported | Rejected | Nudge


class Change(Struct, frozen=True):
    """A field of the world before and after. None where the field did not exist."""

    field: str
    before: str | None
    after: str | None


class Deed(Struct, frozen=True):
    """One tool call and what came of it.

    `result` is the answer as the caller saw it, None where the call was never answered. `changes`
    is what it changed, None where that cannot be known. `differs` says how the record differs from
    what the world of today makes of the call.
    """

    tool: str
    arguments: Json
    result: str | None
    error: bool
    changes: tuple[Change, ...] | None
    differs: str | None = None


class Row(Struct, frozen=True, kw_only=True):
    """One turn, with the answers to its calls; or the greeting; or what belongs to no turn.

    `seq` is the number of the event, `step` that of the step (None for what costs none), and
    `answer_step` and `answer_seq` those of the answers. `silent` marks text beside calls, which was
    kept but not delivered. `asides` are the model calls that the turn is made of, with what was not
    taken and what the model was told about it; a row of kind ``asked`` is such without a turn, and
    has what the reply said and called where another program recorded model calls alone.
    """

    seq: int
    kind: RowKind
    side: Side | None
    step: int | None = None
    answer_step: int | None = None
    answer_seq: int | None = None
    text: str | None = None
    silent: bool = False
    deeds: tuple[Deed, ...] = ()
    rule: str | None = None
    seconds: float | None = None
    at: float | None = None
    notes: tuple[str, ...] = ()
    conduct: tuple[Conduct, ...] = ()
    asides: tuple[Aside, ...] = ()


class Transcript(Struct, frozen=True, kw_only=True):
    """A session, ready to be shown.

    `task` is None where the domain does not know it. `end` and `grade` are None while there are
    none; `remarks` are sentences about the record as a whole, such as why there is no grade.
    `failure` says whom it is laid to where the call was not solved. `opening` is the world's state
    before it and `net` what is otherwise after the last event, both empty where there is no world.
    `spent` is what the model calls of each side came to. Of a fork `own_step` is the number of its
    first step of its own: what is before it was copied from the session that it was forked from.
    `instructions` are what the sides were told, empty where nobody asked for them.
    """

    start: Start
    task: Task | None
    rows: tuple[Row, ...]
    steps: int
    errors: int
    end: End | None
    grade: Grade | None
    failure: Failure | None = None
    opening: Mapping[str, str] = {}
    net: tuple[Change, ...] = ()
    remarks: tuple[str, ...] = ()
    spent: Mapping[Side, Spent] = {}
    own_step: int | None = None
    instructions: tuple[Instructions, ...] = ()


def transcript(
    events: Sequence[AnyEvent],
    domain: Domain | None,
    stored: Grade | None = None,
    contents: Mapping[str, str] | None = None,
) -> Transcript:
    """The session of these events: a whole one, or any beginning of one.

    `stored` is the grade that the session's record has: it is shown as it stands, so that a
    transcript says what the figures say. Where there is none, an ended session is graded here, and
    a remark says so. `domain` makes the world, None where there is none of that name; where it is
    missing, does not know the task or the events do not fit together, the conversation is shown all
    the same, without changes, and a remark says why.
    `contents` are the texts that the events name (`ringback.sessions.named_contents`): with them
    the transcript has the instructions of both sides, which an agent's side must not see before the
    call is over. Raises `InputError` if there is no start.
    """
    if not events or not isinstance(events[0], Start):
        raise InputError("This session has no start event, so there is nothing to show.")
    start = events[0]
    remarks: list[str] = []
    lacks = "nothing is" if stored is not None else "there is no grade and nothing is"
    task: Task | None = None
    episode: Episode | None = None
    try:
        if start.draw.task is None:
            remarks.append(f"The recording does not name the task, so {lacks} known about its end.")
        elif domain is None:
            named = start.condition.domain
            remarks.append(f"There is no domain {named!r} here, so {lacks} known about its end.")
        else:
            task = domain.task(start.draw.task)
            episode = Episode.from_events(events, domain)
    except InputError:
        remarks.append(
            f"The domain {start.condition.domain} has no task of this id, so {lacks} known about "
            "what changed."
        )
    except ProtocolError as problem:
        remarks.append(
            f"The events do not make a session ({problem}), so {lacks} known about what changed."
        )
    opening: Mapping[str, Json] = {}
    net: tuple[Change, ...] = ()
    deeds: dict[tuple[int, int], Did] = {}
    differs: dict[tuple[int, int], str] = {}
    verdict = stored
    if episode is not None:
        opening = episode.domain.world(episode.task).fields()
        net = _between(opening, episode.world.fields())
        deeds = {
            (deed.seq, deed.index): deed for deed in episode.happenings if isinstance(deed, Did)
        }
        differs = {
            (found.seq, found.index): f"recorded {found.recorded}, today {found.recomputed}"
            for found in episode.divergences
        }
        if differs:
            what = "changes" if stored is not None else "changes and grade"
            remarks.append(
                f"The record does not come out the same in this version of the world: {what} are "
                "those of today's world."
            )
        if stored is None and episode.end is None:
            remarks.append("The session has not ended, so there is no grade.")
        elif stored is None:
            verdict = grade(episode)
            remarks.append(
                "The record has no grade of this session: it was graded for this transcript."
            )
    blamed = None if verdict is None else verdict.failure
    ended = None if episode is None else episode.end
    if verdict is not None and episode is not None and ended is not None and _unasked(verdict):
        blamed = failure(
            episode, ended, verdict.verdict, told=is_told(episode.start, episode.events)
        )
        remarks.append(
            "The grade in the record does not say whom the failure is laid to: it was asked for "
            "this transcript."
        )
    last = events[-1]
    rows = _Rows(deeds, differs, verdict.verdict.conduct if verdict else ())
    for event in events:
        rows.add(event)
    return Transcript(
        start=start,
        task=task,
        rows=rows.finished(),
        steps=rows.steps,
        errors=rows.errors,
        end=last if isinstance(last, End) else None,
        grade=verdict,
        failure=blamed,
        opening={name: value_text(value) for name, value in opening.items()},
        net=net,
        remarks=tuple(remarks),
        spent=spent(events),
        own_step=_own_step(events, start),
        instructions=()
        if contents is None
        else instructions(events, None if episode is None else domain, task, contents),
    )


def _own_step(events: Sequence[AnyEvent], start: Start) -> int | None:
    forked = start.condition.forked
    if forked is None:
        return None
    return 1 + sum(isinstance(each, Turn | Results) and each.seq < forked.seq for each in events)


def _unasked(verdict: Grade) -> bool:
    """Whether a grade of a failure was made without asking whom it is laid to."""
    return not verdict.solved and "blame" not in verdict.versions


class _Rows:
    """Rows in the order of their turns; answers and notes find the turn that they belong to."""

    def __init__(
        self,
        deeds: Mapping[tuple[int, int], Did],
        differs: Mapping[tuple[int, int], str],
        conduct: Sequence[Conduct],
    ) -> None:
        self._deeds, self._differs, self._conduct = deeds, differs, conduct
        self._turns: dict[int, Start | Turn] = {}
        self._answers: dict[int, tuple[Results, int]] = {}
        self._step_of: dict[int, int] = {}
        self._notes: dict[int, list[str]] = {}
        self._owner: dict[int, int] = {}
        self._stray: list[Note] = []
        self._open: list[Aside] = []
        self._asides: dict[int, tuple[Aside, ...]] = {}
        self.steps = 0
        self.errors = 0

    def add(self, event: AnyEvent) -> None:
        match event:
            case Start():
                self._turns[event.seq] = event
                self._owner[event.seq] = event.seq
            case Turn():
                self.steps += 1
                self._turns[event.seq] = event
                self._owner[event.seq] = event.seq
                self._step_of[event.seq] = self.steps
                for aside in self._open:
                    self._owner[aside.seq] = event.seq
                self._asides[event.seq] = tuple(self._open)
                self._open.clear()
            case Results():
                self.steps += 1
                self.errors += sum(result.error for result in event.results)
                self._answers[event.turn] = (event, self.steps)
                self._owner[event.seq] = event.turn
            case Note():
                owner = self._owner.get(event.cause)
                if owner is None:
                    self._stray.append(event)
                else:
                    self._owner[event.seq] = owner
                    self._notes.setdefault(owner, []).append(_note_text(event))
            case ModelCall() | Rejected() | Nudge():
                self._open.append(event)
            case Reported():
                owner = self._owner.get(event.cause, event.cause)
                self._owner[event.seq] = owner
                self._asides[owner] = (*self._asides.get(owner, ()), event)
            case End():
                pass

    def finished(self) -> tuple[Row, ...]:
        rows = [self._row(event) for event in self._turns.values()]
        if self._open and not self._step_of and self._is_of_another_program():
            rows += self._replies()
        elif self._open:
            first = self._open[0]
            rows.append(
                Row(
                    seq=first.seq,
                    kind="asked",
                    side=first.by,
                    at=first.at,
                    asides=tuple(self._open),
                )
            )
        rows += [
            Row(seq=note.seq, kind="note", side=None, at=note.at, notes=(_note_text(note),))
            for note in self._stray
        ]
        return tuple(sorted(rows, key=lambda row: row.seq))

    def _is_of_another_program(self) -> bool:
        return any(isinstance(e, Start) and e.origin is not None for e in self._turns.values())

    def _replies(self) -> Iterator[Row]:
        """A row a model call, where nothing but these is recorded: what each reply said and did."""
        notes: dict[int, list[str]] = {}
        calls = [aside for aside in self._open if isinstance(aside, ModelCall)]
        known, stray = {call.seq for call in calls}, self._stray
        self._stray = [note for note in stray if note.cause not in known]
        for note in stray:
            notes.setdefault(note.cause, []).append(_note_text(note))
        for reply in replies(calls):
            call = reply.call
            yield Row(
                seq=call.seq,
                kind="asked",
                side=call.by,
                text=reply.text,
                deeds=tuple(
                    Deed(each.tool, each.arguments, each.result, each.error, None)
                    for each in reply.made
                ),
                seconds=call.answer.seconds,
                at=call.at,
                notes=tuple(notes.get(call.seq, ())),
                asides=(call,),
            )

    def _row(self, event: Start | Turn) -> Row:
        notes = tuple(self._notes.get(event.seq, ()))
        if isinstance(event, Start):
            return Row(
                seq=event.seq,
                kind="greeting",
                side="agent",
                text=event.condition.greeting,
                at=event.at,
                notes=notes,
            )
        answer, answer_step = self._answers.get(event.seq, (None, None))
        results = answer.results if answer else ()
        return Row(
            seq=event.seq,
            kind="called" if event.calls else "said",
            side=event.by,
            step=self._step_of[event.seq],
            answer_step=answer_step,
            answer_seq=answer.seq if answer else None,
            text=event.text,
            silent=bool(event.calls and event.text),
            deeds=tuple(
                self._deed(event, index, results, answer.seq if answer else None)
                for index in range(len(event.calls))
            ),
            rule=event.rule,
            seconds=event.seconds,
            at=event.at,
            notes=notes,
            conduct=tuple(note for note in self._conduct if self._owner.get(note.seq) == event.seq),
            asides=self._asides.get(event.seq, ()),
        )

    def _deed(
        self, turn: Turn, index: int, results: Sequence[Result], answered: int | None
    ) -> Deed:
        call = turn.calls[index]
        result = results[index] if index < len(results) else None
        did = self._deeds.get((turn.seq, index))
        return Deed(
            tool=call.tool,
            arguments=call.arguments,
            result=None if result is None else result.text,
            error=result is not None and result.error,
            changes=None if did is None else _changes(did),
            differs=None if answered is None else self._differs.get((answered, index)),
        )


def _changes(did: Did) -> tuple[Change, ...]:
    if did.before.digest() == did.after.digest():
        return ()
    return _between(did.before.fields(), did.after.fields())


def _between(before: Mapping[str, Json], after: Mapping[str, Json]) -> tuple[Change, ...]:
    return tuple(
        Change(
            name,
            value_text(before[name]) if name in before else None,
            value_text(after[name]) if name in after else None,
        )
        for name in sorted(before.keys() | after.keys())
        if name not in before or name not in after or before[name] != after[name]
    )


def _note_text(note: Note) -> str:
    if note.what == "extra" and isinstance(note.detail, dict):
        return f"{plural(len(note.detail), 'more field')} of the recording, kept and not shown"
    return note.what if note.detail is None else f"{note.what}: {value_text(note.detail)}"
