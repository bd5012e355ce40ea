"""Proof that every arm met the same customer: read from the recorded calls, not from the plan.

A user simulator that is a model can change under a study: a provider answers with another model, a
setting is taken in one week and not in the next, a session comes from another prompt. Arms that
met different customers are not compared. A run of one arm compares nothing and is never refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from ringback.canonical import Json, digest
from ringback.episode.events import Draw, ModelCall
from ringback.errors import RingbackError
from ringback.report import wording
from ringback.sessions import Store
from ringback.study.plan import Plan
from ringback.study.run import State

__all__ = ["Answering", "UnequalUsers", "prove_equal_users"]

_OWN = ("seed",)
"""Settings that differ from call to call by design: drawn from the caller's own seed."""

Answering: TypeAlias = Mapping[str, Mapping[str, int]]
"""By arm, the names that the customer's model answered with, and how many calls each."""

_Facts: TypeAlias = Iterator[tuple[str, str | None, str]]


class UnequalUsers(RingbackError):  # noqa: N818 - the words are the error
    """The arms of a study did not all meet the same customer, so they are not compared."""


def prove_equal_users(plan: Plan, store: Store, states: Sequence[State]) -> Answering:
    """Raise `UnequalUsers`, naming two sessions, unless the recorded customers are the same.

    It goes by what was asked, not by what came of it. For every call of the customer's model: the
    model asked, the instructions for its task, the tools, the form and the settings; and where it
    answered, the settings sent and those that it does not take, the form among them. The guard is
    in the condition that each session began with.

    The comparison is between calls of the same case, a task and trial: all arms' calls of one case
    must have been answered by one and the same name. Different cases may have been answered by
    different ones, as where a provider changed the model in mid-study and every arm had got as far;
    what is returned says how many calls each name answered, so that a report can say so. Where
    nothing is compared, in a run of one arm, it only counts.
    """
    rows = {state.row.id: state for state in states if state.row is not None}
    for session, state in rows.items():
        assert state.row is not None
        if state.row.condition != plan.condition_hash:
            raise UnequalUsers(
                f"The comparison is refused: session {session} was recorded under another "
                "condition than the study's."
            )
    if not plan.user_models:
        return {}
    compared = len(plan.arms) > 1
    seen: dict[tuple[str, str | None], tuple[str, str]] = {}
    answered: dict[str, Counter[str]] = {}
    cases: dict[Draw, dict[str, str]] = {}
    for session, call in store.model_calls(rows):
        if call.by != "user":
            continue
        cell = rows[session].cell
        if compared:
            for what, task, value in _facts(call, cell.task.id):
                first, where = seen.setdefault((what, task), (value, session))
                if first != value:
                    raise UnequalUsers(_sentence(rows, what, where, session))
        if call.answer.model is not None and call.answer.failure is None:
            answered.setdefault(cell.arm.name, Counter())[call.answer.model] += 1
            cases.setdefault(cell.draw, {}).setdefault(call.answer.model, session)
    if compared:
        _one_name_a_case(rows, cases, answered)
    return answered


def _facts(call: ModelCall, task: str) -> _Facts:
    """What must not differ: its name, the task it is bound to if it is, and a value."""
    request, answer = call.request, call.answer
    yield "model", None, call.model
    yield "instructions", task, request.system
    yield "tools", None, request.tools or ""
    yield "form", None, request.form or ""
    yield "settings", None, _settings(request.settings)
    if answer.failure is None:
        yield "settings as sent", None, _settings(answer.sent)
        yield "settings that the model takes", None, digest(sorted(answer.dropped))


def _settings(settings: Mapping[str, Json]) -> str:
    return digest({name: value for name, value in settings.items() if name not in _OWN})


def _one_name_a_case(
    rows: Mapping[str, State],
    cases: Mapping[Draw, Mapping[str, str]],
    answered: Answering,
) -> None:
    for draw, names in cases.items():
        if len(names) < 2:
            continue
        (one, where), (other, there) = list(names.items())[:2]
        raise UnequalUsers(
            f"The comparison is refused: the customer of task {draw.task}, trial "
            f"{(draw.trial or 0) + 1}, was answered by {one} (session {where}, arm "
            f"{rows[where].cell.arm.name}) and by {other} (session {there}, arm "
            f"{rows[there].cell.arm.name}), "
            f"by arm {wording.answered(answered)}; name a model of one version and give the study "
            "another seed."
        )


def _sentence(rows: Mapping[str, State], what: str, one: str, other: str) -> str:
    first, second = rows[one].cell.arm.name, rows[other].cell.arm.name
    return (
        f"The comparison is refused: the customer's {what} differed between session {one} (arm "
        f"{first}) and session {other} (arm {second}); put right what changed and give the study "
        "another seed."
    )
