"""From the store to the model of results that every report is made from."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.metadata import version

from msgspec.structs import replace

import ringback
from ringback.agents import AGENTS
from ringback.domain import Side
from ringback.domains import load
from ringback.episode.events import AnyEvent, Setup
from ringback.episode.parting import Parting, first_parting
from ringback.report.comparing import Partings
from ringback.report.compute import compute
from ringback.report.model import ArmFacts, EpisodeRow, StudyFacts, StudyResults
from ringback.report.reading import episode_row, read_grade
from ringback.report.rules import said
from ringback.sessions import SessionRow, Store, Unreadable, Used, used
from ringback.study.engine import needs_play
from ringback.study.overrides import OverrideNotShown, prove_overrides
from ringback.study.plan import ArmPlan, Plan
from ringback.study.proof import prove_equal_users
from ringback.study.rules import rule_facts
from ringback.study.run import State, stock
from ringback.users import USERS

__all__ = ["arm_facts", "facts", "results"]

_KEPT = 256  # sessions of the baseline kept while its arms are compared with it


def facts(plan: Plan, command: str) -> StudyFacts:
    """What was asked and how it is run; `command` is the line that runs it again."""
    shared = plan.condition
    return StudyFacts(
        name=plan.study or plan.arms[0].name,
        question=plan.question,
        domain=plan.domain,
        versions={
            "ringback": ringback.__version__,
            "world": shared.world,
            "grader": shared.grader,
        },
        made_with={"python": platform.python_version(), "numpy": version("numpy")},
        condition=plan.condition_hash,
        selection=plan.tasks_named,
        tasks=plan.tasks,
        trials=plan.trials,
        seed=plan.seed,
        limits=shared.limits,
        user=shared.user,
        greeting=load(plan.domain).greeting,
        arms=tuple(map(arm_facts, plan.arms)),
        command=command,
        seeded=_seeded(plan),
    )


def _seeded(plan: Plan) -> bool:
    """Whether nobody takes part who could do otherwise with the same seeds, as far as we know."""

    def scripted(agent: Setup) -> bool:
        identity = agent.settings.get("identity")
        return isinstance(identity, dict) and "script" in identity

    return plan.condition.user.name in USERS and all(
        arm.arm.agent.name in AGENTS or scripted(arm.arm.agent) for arm in plan.arms
    )


def arm_facts(entry: ArmPlan) -> ArmFacts:
    """What an arm is, as reports tell it."""
    return ArmFacts(
        name=entry.name,
        role=entry.role,
        agent=entry.arm.agent,
        policy=entry.arm.policy,
        deterministic=entry.deterministic,
        digest=entry.hash,
        changes=entry.changes,
        own_settings=entry.own_settings,
        reads_policy=entry.reads_policy,
    )


def results(plan: Plan, store: Store, command: str, *, partings: bool = True) -> StudyResults:
    """The results of a plan as far as the store has them.

    `partings` says whether to look where each pair of sessions that changed outcome parts, which
    reads them. Raises `UnequalUsers` if the arms did not all meet the same customer, and
    `OverrideNotShown` if the recorded calls do not show what an arm changes.
    """
    states = stock(plan, store).states
    answered = prove_equal_users(plan, store, states)
    try:
        notes = prove_overrides(plan, store, states)
    except OverrideNotShown as problem:
        if len(plan.arms) < 3:
            raise
        raise OverrideNotShown(
            f"{str(problem).removesuffix('.')}; put it right, or leave the arm out of the study to "
            "have the report of the others."
        ) from None
    rules = rule_facts(plan, store)
    guarded = plan.condition.user.settings.get("guard") != "off"
    asked = facts(plan, command)
    asked = replace(
        asked,
        answered={arm: {**answered[arm]} for arm in answered},
        notes=notes,
        arms=tuple(
            replace(arm, rule=" ".join(map(said, rules.get(arm.name, ())))) for arm in asked.arms
        ),
    )
    rows = tuple(_rows(states, store, guarded=guarded))
    return compute(asked, rows, _partings(store) if partings else None)


def _partings(store: Store) -> Partings:
    """Where two sessions of the store part, None where one of them cannot be read."""

    @lru_cache(maxsize=_KEPT)
    def events(session: str) -> Sequence[AnyEvent]:
        return store.events(session)

    def found(baseline: str, session: str) -> Parting | None:
        try:
            return first_parting(events(baseline), store.events(session))
        except (Unreadable, ValueError):
            return None

    return found


def _rows(states: Sequence[State], store: Store, *, guarded: bool) -> Iterator[EpisodeRow]:
    sessions = [state.row.id for state in states if state.row is not None]
    bodies, spent = store.grades(sessions), store.spent(sessions)
    took: dict[tuple[str, Side], Used] = {}
    for session, call in store.model_calls(spent):
        took[session, call.by] = took.get((session, call.by), Used()) + used(call)
    for state in states:
        if state.row is not None:
            body = bodies.get(state.row.id)
            row = episode_row(
                state.row,
                None if body is None else read_grade(state.row.id, body),
                spent.get(state.row.id, {}),
                arm=state.cell.arm.name,
                task=state.cell.task.id,
                trial=state.cell.trial,
                ungraded=_ungraded(state.row),
                guarded=guarded,
            )
            yield replace(
                row,
                agent_used=took.get((state.row.id, "agent")),
                user_used=took.get((state.row.id, "user")),
            )


def _ungraded(row: SessionRow) -> str:
    """Why a session has no graded outcome, should it have none."""
    if not needs_play(row):
        return "not graded yet"
    return "interrupted" if row.ending is None else row.ending
