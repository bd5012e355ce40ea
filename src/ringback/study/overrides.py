"""Proof that what an arm changes took effect: read from the recorded calls, not from the plan.

A changed model, prompt or setting can be lost on its way: a gateway answers with the model it has,
a client drops a setting that the model does not take. Such an arm would read "no difference". It is
refused instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from msgspec import Struct, field

from ringback.agents.llm import system_text
from ringback.canonical import Json, encode
from ringback.domains import load
from ringback.episode.events import Arm, ModelCall
from ringback.errors import RingbackError
from ringback.report.wording import listing, plural
from ringback.sessions import Store
from ringback.study.plan import ArmPlan, Plan
from ringback.study.run import State

__all__ = ["OverrideNotShown", "prove_overrides"]

_NOT_SENT = ("timeout", "max_retries", "threads")
"""Settings of a model that are kept here and never sent."""


class OverrideNotShown(RingbackError):  # noqa: N818 - the words are the error
    """The recorded calls of an arm do not show what the arm changes, so nothing is said of it."""


class _Seen(Struct):
    """What an arm's recorded calls show, each with a session that shows it."""

    sessions: set[str] = field(default_factory=set[str])
    asked: dict[str, str] = field(default_factory=dict[str, str])
    systems: dict[str, str] = field(default_factory=dict[str, str])
    answered: Counter[str] = field(default_factory=Counter[str])
    calls: int = 0
    nameless: int = 0
    dropped: dict[str, str] = field(default_factory=dict[str, str])


def prove_overrides(
    plan: Plan,
    store: Store,
    states: Sequence[State],
    *,
    began: Mapping[str, int] | None = None,
) -> tuple[str, ...]:
    """Raise `OverrideNotShown` unless each arm's recorded sessions show what the arm is.

    Every session must have begun with its arm's content. Where the agent of an arm after the first
    is a model, each of its sessions that came to an outcome must hold calls, each of them to that
    model and with exactly the arm's instructions, and each setting that differs from the first
    arm's must have been sent and taken. Another model than the first arm's must also answer by a
    name, and another one, unless both have one name at their providers: a server that answers the
    same to both shows no difference between them. Calls before event `began` of a session are not
    its own (of a fork, they are its parent's).

    Returns sentences about what is not refused and should be known: a provider that answers by
    another name than it was asked by, inherited settings that a model does not take.
    """
    rows = {state.row.id: state for state in states if state.row is not None}
    for session, state in rows.items():
        assert state.row is not None
        if state.row.arm != state.cell.arm.hash:
            raise OverrideNotShown(
                f"Nothing is said of the arm {state.cell.arm.name}: session {session} was recorded "
                "with another agent, settings or policy than the arm's."
            )
    base, *others = plan.arms
    if not any(entry.models for entry in plan.arms):
        return ()
    expected = {entry.name: _expected(entry, base, plan) for entry in others if entry.models}
    seen = {entry.name: _Seen() for entry in plan.arms}
    own = began or {}
    for session, call in store.model_calls(rows):
        if call.by == "agent" and call.seq >= own.get(session, 0):
            name = rows[session].cell.arm.name
            _look(seen[name], session, call, expected.get(name))
    for entry in others:
        if entry.models:
            _prove(entry, seen[entry.name], expected[entry.name], rows, store, own)
            _prove_other_model(entry, base, seen)
    return tuple(note for entry in plan.arms for note in _notes(entry, base, seen[entry.name]))


class _Expected(Struct, frozen=True):
    """What an arm's calls are to show: instructions, settings that it changes.

    `system` is all that the model is told up to the opening words, `greeting`; None for an agent
    that is not ours. `changed` are settings of its own that differ from the first arm's, and
    `entry` those of the model's entry that do; `gone` are the first arm's that it leaves out.
    `seeded` says whether calls are to carry a seed, None where that is the same in both.
    """

    arm: str
    system: str | None
    greeting: str
    changed: Mapping[str, Json]
    entry: Mapping[str, Json]
    gone: tuple[str, ...]
    seeded: bool | None


def _expected(entry: ArmPlan, base: ArmPlan, plan: Plan) -> _Expected:
    settings = entry.arm.agent.settings
    instructions, append = settings.get("instructions"), settings.get("instructions_append")
    system = None
    if isinstance(instructions, str) and isinstance(append, str | None):
        system = system_text(instructions, load(plan.domain).policy(entry.arm.policy), append)
    ours, theirs = _of_model(entry.arm), _of_model(base.arm)
    changed = _changed(ours, theirs)
    seeded = settings.get("seed")
    same = seeded == base.arm.agent.settings.get("seed", True)
    return _Expected(
        arm=entry.name,
        system=system,
        greeting=plan.condition.greeting,
        changed=changed,
        entry={
            name: value
            for name, value in _changed(_of_entry(entry.arm), _of_entry(base.arm)).items()
            if name not in ours
        },
        gone=tuple(name for name in theirs if name not in ours),
        seeded=seeded if isinstance(seeded, bool) and not same and "seed" not in ours else None,
    )


def _changed(ours: Mapping[str, Json], theirs: Mapping[str, Json]) -> dict[str, Json]:
    return {
        name: value
        for name, value in ours.items()
        if name not in theirs or not _equal(theirs[name], value)
    }


def _of_entry(arm: Arm) -> dict[str, Json]:
    """The settings of the model's entry, which go out with every call."""
    identity = arm.agent.settings.get("identity")
    found = identity.get("settings") if isinstance(identity, dict) else None
    return cast("dict[str, Json]", found) if isinstance(found, dict) else {}


def _of_model(arm: Arm) -> dict[str, Json]:
    found = arm.agent.settings.get("model")
    return cast("dict[str, Json]", found) if isinstance(found, dict) else {}


def _look(seen: _Seen, session: str, call: ModelCall, expected: _Expected | None) -> None:
    request, answer = call.request, call.answer
    seen.calls += 1
    seen.sessions.add(session)
    if answer.failure is None and answer.model is not None:
        seen.answered[answer.model] += 1
    elif answer.failure is None:
        seen.nameless += 1
    if expected is None:
        return
    seen.asked.setdefault(call.model, session)
    seen.systems.setdefault(request.system, session)
    for name in expected.gone:
        if name in request.settings:
            raise _refusal(expected.arm, session, f"asked with {name}, which the arm leaves out")
    for name, value in expected.changed.items():
        if name not in request.settings or not _equal(request.settings[name], value):
            raise _refusal(expected.arm, session, f"did not ask with {name} {value!r}")
    if expected.seeded is not None and expected.seeded != ("seed" in request.settings):
        how = "without" if expected.seeded else "with"
        raise _refusal(expected.arm, session, f"asked {how} a seed")
    if answer.failure is not None:
        return
    for name, value in {**expected.entry, **expected.changed}.items():
        if name in answer.dropped:
            why = f"({answer.dropped[name]})"
            raise _refusal(expected.arm, session, f"went without {name}, which is not taken {why}")
        if name not in _NOT_SENT and not _equal(answer.sent.get(name), value):
            raise _refusal(expected.arm, session, f"did not send {name} {value!r}")
    if expected.seeded and "seed" in answer.dropped:
        why = f"({answer.dropped['seed']})"
        raise _refusal(expected.arm, session, f"went without a seed, which is not taken {why}")
    for name in answer.dropped:
        if name not in ("form", "seed"):
            seen.dropped.setdefault(name, answer.dropped[name])


def _equal(one: Json, other: Json) -> bool:
    return encode(one) == encode(other)


def _prove(
    entry: ArmPlan,
    seen: _Seen,
    expected: _Expected,
    rows: Mapping[str, State],
    store: Store,
    began: Mapping[str, int],
) -> None:
    for session, state in rows.items():
        ours = state.cell.arm.name == entry.name and session not in began
        if ours and session not in seen.sessions and _was_answered(state):
            raise _refusal(entry.name, session, "has no call of a model")
    for model, session in seen.asked.items():
        if model != entry.arm.agent.name:
            raise _refusal(entry.name, session, f"asked {model} in place of {entry.arm.agent.name}")
    if expected.system is None:
        return
    texts = store.contents(seen.systems)
    for system, session in seen.systems.items():
        text = texts[system]
        # A fork goes on from the opening words of its parent.
        whole = text if session in began else expected.system + expected.greeting
        if not text.startswith(expected.system) or text != whole:
            raise _refusal(entry.name, session, "asked with other instructions than the arm's")


def _was_answered(state: State) -> bool:
    """Whether the agent must have acted in a session: who hangs up at once is met by nobody."""
    row = state.row
    if row is None or row.ending in (None, "infrastructure_error"):
        return False
    return row.ending in ("agent_stop", "agent_error", "max_steps") or (row.steps or 0) > 2


def _prove_other_model(entry: ArmPlan, base: ArmPlan, seen: Mapping[str, _Seen]) -> None:
    """Whether another model was asked and another one answered."""
    ours, theirs = _wire_name(entry.arm), _wire_name(base.arm)
    if entry.arm.agent.name == base.arm.agent.name or ours is None or theirs in (None, ours):
        return
    here, there = seen[entry.name].answered, seen[base.name].answered
    if seen[entry.name].nameless and not here:
        raise OverrideNotShown(
            f"Nothing is said of the arm {entry.name}: it asks for {ours}, and no reply says which "
            "model gave it; ask a provider that says so."
        )
    if both := sorted(here.keys() & there.keys()):
        raise OverrideNotShown(
            f"Nothing is said of the arm {entry.name}: it asks for {ours} and {base.name} for "
            f"{theirs}, and both were answered by {listing(both)}; ask a provider that has both."
        )


def _wire_name(arm: Arm) -> str | None:
    """What the provider calls the model that an arm asks; None for a scripted agent."""
    identity = arm.agent.settings.get("identity")
    name = identity.get("model") if isinstance(identity, dict) else None
    if not isinstance(name, str):
        return None
    return name.partition(":")[2] or name


def _notes(entry: ArmPlan, base: ArmPlan, seen: _Seen) -> Iterator[str]:
    asked = _wire_name(entry.arm)
    ours = (asked, entry.arm.agent.name)
    others = {name: count for name, count in seen.answered.items() if name not in ours}
    if asked is not None and others:
        told = listing(
            [
                f"{name} ({count:,} of {plural(seen.calls, 'call')})"
                for name, count in others.items()
            ]
        )
        yield f"The arm {entry.name} asked for {asked} and was answered by {told}."
    if seen.nameless:
        told = f"{seen.nameless:,} of {plural(seen.calls, 'call')}"
        yield f"Of the arm {entry.name}, {told} were answered without a model's name."
    changed = _changed(_of_model(entry.arm), _of_model(base.arm))
    inherited = _of_model(entry.arm).keys() - changed.keys()
    for name in sorted(inherited & seen.dropped.keys()):
        yield f"The model of the arm {entry.name} does not take {name}: {seen.dropped[name]}."


def _refusal(arm: str, session: str, what: str) -> OverrideNotShown:
    return OverrideNotShown(
        f"Nothing is said of the arm {arm}: session {session} {what}, so its figures would not be "
        "those of what it changes."
    )
