"""Proof that every arm met the same customer: read from the recorded calls, not from the plan.

A user simulator that is a model can change under a study: a provider answers with another model, a
setting is taken in one week and not in the next, a session comes from another prompt. Arms that
met different customers are not compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from ringback.canonical import Json, digest
from ringback.episode.events import ModelCall
from ringback.errors import RingbackError
from ringback.sessions import Store
from ringback.study.plan import Plan
from ringback.study.run import State

__all__ = ["UnequalUsers", "prove_equal_users"]

_OWN = ("seed",)
"""Settings that differ from call to call by design: drawn from the caller's own seed."""

_Facts: TypeAlias = Iterator[tuple[str, str | None, str]]


class UnequalUsers(RingbackError):  # noqa: N818 - the words are the error
    """The arms of a study did not all meet the same customer, so they are not compared."""


def prove_equal_users(plan: Plan, store: Store, states: tuple[State, ...]) -> None:
    """Raise `UnequalUsers`, naming two sessions, unless the recorded customers are the same.

    For every call of the customer's model: the model asked, the instructions for its task, the
    tools, the form, the settings sent and those not taken. The guard is in the condition that
    each session began with. The names that models answered with must be the same in every arm.
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
        return
    seen: dict[tuple[str, str | None], tuple[str, str]] = {}
    answered: dict[str, dict[str, str]] = {}
    for session, call in store.model_calls(rows):
        if call.by != "user":
            continue
        cell = rows[session].cell
        for what, task, value in _facts(call, cell.task.id):
            first, where = seen.setdefault((what, task), (value, session))
            if first != value:
                raise UnequalUsers(_sentence(rows, what, where, session))
        if call.answer.model is not None and call.answer.failure is None:
            answered.setdefault(cell.arm.name, {}).setdefault(call.answer.model, session)
    _same_names(answered)


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
        yield "hold on the reply's form", None, str(answer.form_held)


def _settings(settings: Mapping[str, Json]) -> str:
    return digest({name: value for name, value in settings.items() if name not in _OWN})


def _same_names(answered: Mapping[str, Mapping[str, str]]) -> None:
    arms = list(answered.items())
    for arm, names in arms[1:]:
        first, known = arms[0]
        for name in sorted(names.keys() ^ known.keys()):
            has, lacks = (arm, first) if name in names else (first, arm)
            session = names.get(name) or known[name]
            raise UnequalUsers(
                f"The comparison is refused: the customer of arm {has} was answered by {name} "
                f"(session {session}), that of arm {lacks} never; name a model of one version and "
                "give the study another seed."
            )


def _sentence(rows: Mapping[str, State], what: str, one: str, other: str) -> str:
    first, second = rows[one].cell.arm.name, rows[other].cell.arm.name
    return (
        f"The comparison is refused: the customer's {what} differed between session {one} (arm "
        f"{first}) and session {other} (arm {second}); put right what changed and give the study "
        "another seed."
    )
