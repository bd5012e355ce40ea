"""A record made of recorded sessions: chosen, folded, graded, told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import UNSET, Struct

import ringback
from ringback.canonical import Json
from ringback.domain import ActionCheck, EndCheck
from ringback.episode.events import AnyEvent, End, Start
from ringback.episode.protocol import ProtocolError
from ringback.errors import InputError
from ringback.grading.blame import VERSION
from ringback.grading.grade import grade_of
from ringback.record import generic
from ringback.record.attempts import LeftOut, choose
from ringback.record.boundary import boundary
from ringback.record.document import FORM, Attempt, Case, Failed, Record, Tier
from ringback.record.explanation import explanation
from ringback.record.tiers import TIERS, tier
from ringback.record.told import Told, operator_name, result_of, simulator_name, worth
from ringback.record.transcripts import Transcript, transcript
from ringback.report.plain import one_line, value_text
from ringback.report.wording import listing, plural
from ringback.sessions import Selection, SessionRow, Store, Unreadable

__all__ = ["Made", "make_record"]

_POLICY = (
    "The exact transcripts are kept beside this record as {files}. operator_trajectory is a "
    "condensation by rule; the transcripts hold every turn of the agent, every turn of the "
    "customer, every tool call, every tool result, every other event of the session, and the "
    "grader's whole payload."
)
_DIGITS, _MOST_CONDITIONS, _WHY = 12, 6, 300


class Made(Struct, frozen=True):
    """A record with its transcripts by their file names, and what was left out of it."""

    record: Record
    transcripts: Mapping[str, Transcript]
    left_out: tuple[LeftOut, ...]


class _Named(NamedTuple):
    """A call, what it is called in the record, and its tier."""

    name: str
    tier: Tier
    told: Told

    @property
    def file(self) -> str:
        return f"{self.name}-transcript.json"


def make_record(store: Store, selection: Selection) -> Made:
    """The record of the selected sessions; see `ringback.record.attempts` for which those are.

    Raises `InputError` where none can be told, and what reading the store raises.
    """
    chosen, left = choose(store, selection)
    calls: list[Told] = []
    for choice in chosen:
        try:
            calls.append(Told(store, choice.row, choice.attempts, choice.others))
        except (InputError, ProtocolError, Unreadable) as problem:
            left.append(LeftOut(choice.row.id, str(problem).removesuffix(".")))
    if not calls:
        raise InputError(_nothing(left))
    named = _named(calls)
    said = boundary([(each.name, each.told) for each in named], store.probes())
    record = Record(
        form=FORM,
        benchmark=_each(f"Ringback, world {told.domain.name}" for told in calls),
        operator=_each(operator_name(each.told.start) for each in named),
        source_commit=_versions(calls),
        user_simulator=_each(simulator_name(each.told.start) for each in named),
        compatibility_boundary=" ".join(said),
        boundary=said,
        raw_transcript_policy=_POLICY.format(files=listing([each.file for each in named])),
        cases=[_case(each, store) for each in named],
    )
    transcripts = {each.file: transcript(each.told, each.tier, store) for each in named}
    return Made(record, transcripts, tuple(left))


def _nothing(left: Sequence[LeftOut]) -> str:
    first = left[0]
    more = f", nor {'is' if len(left) == 2 else 'are'} {plural(len(left) - 1, 'other')}"
    more = more if len(left) > 1 else ""
    return (
        f"There is nothing to make a record of: session {first.session} is not told, because "
        f"{first.why}{more}."
    )


def _named(calls: Iterable[Told]) -> list[_Named]:
    """The calls by tier, as ``hard``, and ``hard-2`` for a second case of a tier."""
    levels: list[tuple[Tier, Told]] = [(tier(told.episode.task), told) for told in calls]
    levels.sort(key=lambda each: TIERS.index(each[0]))
    seen: Counter[str] = Counter()
    named: list[_Named] = []
    for level, told in levels:
        seen[level] += 1
        named.append(_Named(level if seen[level] == 1 else f"{level}-{seen[level]}", level, told))
    return named


def _each(names: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(one_line(name, 120) for name in names))


def _versions(cases: Sequence[Told]) -> str:
    """By which versions the calls were played and graded, and the conditions they belong to."""
    played = sorted({f"{told.start.versions.get('ringback', 'unknown')}" for told in cases})
    worlds = sorted(
        {
            f"{told.domain.name} {told.start.condition.world}, checks {told.domain.grader_version}"
            for told in cases
        }
    )
    conditions = sorted({told.row.condition[:_DIGITS] for told in cases})
    if len(conditions) > _MOST_CONDITIONS:
        more = f"{len(conditions) - _MOST_CONDITIONS} more"
        conditions = [*conditions[:_MOST_CONDITIONS], more]
    return one_line(
        f"ringback {listing(played)} (record and grade by {ringback.__version__}); world "
        f"{listing(worlds)}, blame {VERSION}; condition {listing(conditions)}",
        2000,
    )


def _case(named: _Named, store: Store) -> Case:
    told = named.told
    found, task = told.grade, told.episode.task
    history, world = told.episode.happenings, told.episode.world
    recounting, known = told.recounting, told.messages_known
    if recounting is None:
        about, told_as = generic.about(task), generic.recount(history)
        observed: Mapping[str, Json] = generic.changed(told.domain.world(task), world)
    else:
        about, told_as = recounting.about(task), list(recounting.recount(history))
        observed = recounting.observed(task, history, world)
    # Without messages there is only the ending to lay a failure to somebody by.
    failure = found.failure if known or not found.graded else None
    reward, result = told.worth
    return Case(
        tier=named.tier,
        task_id=task.id,
        seed=told.row.seed,
        about=about,
        operator_trajectory=_trajectory(told_as, known=known),
        observed_state=dict(observed) if known else {},
        official_action_checks=(_by_name(found.verdict.actions) if known else {}) or UNSET,
        termination_reason=told.end.ending,
        official_reward=reward,
        result=result,
        evaluation_explanation=explanation(told),
        official_end_checks=(_by_name(found.verdict.end) if known else {}) or UNSET,
        strict_reward=None if reward is None else found.strict,
        failure=UNSET if failure is None else Failed(failure.blame, failure.why, failure.seq),
        session=told.row.id,
        operator=operator_name(told.start),
        user_simulator=simulator_name(told.start),
        steps=told.row.steps,
        transcript=named.file,
        attempts=[_attempt(store, row, told) for row in told.attempts],
    )


def _trajectory(sentences: Sequence[str], *, known: bool) -> list[str]:
    if not known:
        return ["The recording holds no message of the call."]
    return [*sentences] or ["Nothing was said or done."]


def _by_name(checks: Sequence[ActionCheck] | Sequence[EndCheck]) -> dict[str, bool]:
    """Each check by its name; with its arguments where several have that name."""
    names = Counter(check.name for check in checks)
    return {_full(check, names[check.name] > 1): check.met for check in checks}


def _full(check: ActionCheck | EndCheck, more: bool) -> str:
    if not more:
        return check.name
    given = [f"{argument} {value_text(value)}" for argument, value in check.arguments.items()]
    return f"{check.name} ({', '.join(given)})"


def _attempt(store: Store, row: SessionRow, told: Told) -> Attempt:
    """An attempt as the store knows it, graded by the checks of today like the one that is told."""
    own = row.id == told.row.id
    events = told.events if own else _events(store, row)
    start = next((event for event in events if isinstance(event, Start)), None)
    end = next((event for event in events if isinstance(event, End)), None)
    found = told.grade if own else grade_of(events, told.domain, blame=False)
    reward, result = (
        worth(row, found)
        if found is not None
        else (row.reward, "not over" if row.ending is None else result_of(row.reward, row.graded))
    )
    return Attempt(
        session=row.id,
        attempt=row.attempt,
        trial=row.trial,
        begun_at=row.created_at,
        user_simulator=row.user if start is None else simulator_name(start),
        termination_reason=row.ending,
        steps=row.steps,
        official_reward=reward,
        result=result,
        told=own,
        operator=UNSET if start is None else operator_name(start),
        why=UNSET if end is None or end.why is None else one_line(end.why, _WHY),
        grader=UNSET if found is not None else row.grader or UNSET,
    )


def _events(store: Store, row: SessionRow) -> Sequence[AnyEvent]:
    """The events of another attempt; none where they cannot be read."""
    try:
        return store.events(row.id)
    except Unreadable:
        return ()
