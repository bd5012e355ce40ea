"""A plan: the cells that a study, or a single run, consists of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ringback.agents import AGENTS, open_agent
from ringback.canonical import Json
from ringback.domain import Domain, Task
from ringback.domains import load
from ringback.episode.events import Arm, Condition, Draw, Limits
from ringback.episode.identity import arm, arm_hash, cell_hash, condition, condition_hash
from ringback.episode.participants import Agent, User
from ringback.errors import InputError
from ringback.models.protocol import Model, Opener
from ringback.study.file import BaselineEntry, StudyFile
from ringback.users import USERS, open_user

__all__ = [
    "BASELINE",
    "ArmPlan",
    "Cell",
    "Plan",
    "Role",
    "models_of",
    "plan_run",
    "plan_study",
    "tasks_named",
]

BASELINE = "baseline"
Role: TypeAlias = Literal["baseline", "noise", "floor", "arm"]


class ArmPlan(Struct, frozen=True):
    """One arm: what it is, how it differs, and whether chance plays a part in it.

    `models` names the models that it asks.
    """

    name: str
    role: Role
    arm: Arm
    hash: str
    changes: dict[str, Json]
    deterministic: bool
    models: tuple[str, ...] = ()


class Cell(Struct, frozen=True):
    """One episode to have: an arm, a task, a trial."""

    hash: str
    arm: ArmPlan
    task: Task
    draw: Draw


class Plan(Struct, frozen=True):
    """Everything that is to be run under one condition. `study` is empty for a single run.

    `user_models` names the models that the user simulator asks.
    """

    study: str
    question: str
    domain: str
    tasks_named: str
    tasks: tuple[Task, ...]
    trials: int
    seed: int
    condition: Condition
    condition_hash: str
    arms: tuple[ArmPlan, ...]
    user_models: tuple[str, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """Every model that is asked, each once."""
        asked = [*self.user_models, *(name for entry in self.arms for name in entry.models)]
        return tuple(dict.fromkeys(asked))

    def cells(self) -> Iterator[Cell]:
        """The cells, arm by arm, then task by task, then trial by trial."""
        for entry in self.arms:
            for task in self.tasks:
                for trial in range(self.trials):
                    draw = Draw(task.id, trial, self.seed)
                    key = cell_hash(self.condition, entry.arm, entry.name, draw)
                    yield Cell(key, entry, task, draw)


def tasks_named(domain: Domain, tasks: str | Sequence[str]) -> tuple[str, tuple[Task, ...]]:
    """The tasks that a split's name, or one or several ids, stand for, with a name for them.

    A string may hold several ids separated by commas. Raises `InputError` for what is unknown.
    """
    if isinstance(tasks, str) and tasks in domain.splits:
        return tasks, tuple(domain.tasks(tasks))
    ids = [part.strip() for part in tasks.split(",")] if isinstance(tasks, str) else list(tasks)
    ids = list(dict.fromkeys(task for task in ids if task))
    if not ids:
        raise InputError(f"No tasks are named; name a split ({', '.join(domain.splits)}) or ids.")
    if isinstance(tasks, str) and len(ids) == 1 and not ids[0].startswith("["):
        raise InputError(
            f"There is no split or task {ids[0]!r}; the splits are {', '.join(domain.splits)}, "
            "and `ringback tasks list` shows the ids."
        )
    found = tuple(domain.task(task) for task in ids)
    return (found[0].id if len(found) == 1 else f"{len(found)} tasks by id"), found


def plan_run(
    *,
    tasks: str | Sequence[str],
    agent: str,
    user: str,
    policy: str | None = None,
    trials: int = 1,
    seed: int = 0,
    limits: Limits | None = None,
    domain: str = "telecom",
    settings: Mapping[str, Json] | None = None,
    user_settings: Mapping[str, Json] | None = None,
    opener: Opener | None = None,
) -> Plan:
    """The plan of a single run: one arm, named after its agent.

    `settings` are the agent's; `opener` opens models by name, for an agent or a user that is one.
    Raises `InputError` for names that are not known, trials below 1 and seeds out of range.
    """
    if trials < 1:
        raise InputError(f"{trials} trials cannot be run; ask for 1 or more.")
    world = load(domain)
    base = BaselineEntry(agent, policy, dict(settings or {}))
    entry = _arm(world, agent, base, opener)
    return _plan(
        world,
        "",
        "",
        tasks,
        trials,
        seed,
        limits or Limits(),
        _user(user, user_settings or {}, opener),
        (entry,),
    )


def plan_study(file: StudyFile, opener: Opener | None = None) -> Plan:
    """The plan of a study: the baseline, then the arms in the file's order.

    `opener` opens models by name, those that the file describes among them.
    """
    world = load(file.domain)
    base = file.baseline
    arms = [_arm(world, BASELINE, base, opener)]
    for name, entry in file.arms.items():
        agent = entry.agent or base.agent
        inherited = base.settings if _settings_stay(base.agent, agent) else {}
        settings = inherited if entry.settings is None else {**inherited, **entry.settings}
        full = BaselineEntry(agent, entry.policy or base.policy, settings)
        arms.append(_arm(world, name, full, opener, against=arms[0].arm))
    given = {} if file.user.guard is None else {"guard": file.user.guard}
    return _plan(
        world,
        file.name,
        file.question,
        file.tasks,
        file.trials,
        file.seed,
        file.limits,
        _user(file.user.name, {**file.user.settings, **given}, opener),
        tuple(arms),
    )


def _settings_stay(one: str, other: str) -> bool:
    """Whether the settings of one agent mean the same to the other."""
    return one == other or (one not in AGENTS and other not in AGENTS)


def _arm(
    world: Domain,
    name: str,
    entry: BaselineEntry,
    opener: Opener | None,
    against: Arm | None = None,
) -> ArmPlan:
    agent = open_agent(entry.agent, entry.settings, _or_scripted(opener, "agent", AGENTS))
    content = arm(world, agent.setup, entry.policy or world.policies[0])
    changes = {} if against is None else _changes(against, content)
    role: Role = "noise" if not changes else "floor" if agent.floor else "arm"
    if against is None:
        role = "baseline"
    return ArmPlan(
        name,
        role,
        content,
        arm_hash(content),
        changes,
        agent.deterministic,
        tuple(model.name for model in models_of(agent)),
    )


def _user(name: str, settings: Mapping[str, Json], opener: Opener | None) -> User:
    return open_user(name, settings, _or_scripted(opener, "user simulator", USERS))


def _or_scripted(opener: Opener | None, what: str, scripted: Sequence[str]) -> Opener | None:
    """The opener, naming the scripted ones too where a name is neither theirs nor a model's."""
    if opener is None:
        return None

    def opened(name: str) -> Model:
        try:
            return opener(name)
        except InputError as problem:
            if ":" in name:
                raise
            raise InputError(
                f"There is no {what} {name!r}: the scripted ones are {', '.join(scripted)}, and as "
                f"a model it cannot be opened ({problem})."
            ) from None

    return opened


def models_of(participant: Agent | User) -> tuple[Model, ...]:
    """The models that an agent or a user asks; none for a scripted one."""
    return getattr(participant, "models", ())


def _changes(base: Arm, other: Arm) -> dict[str, Json]:
    changes: dict[str, Json] = {}
    if other.policy != base.policy:
        changes["policy"] = other.policy
    if other.agent.name != base.agent.name:
        changes["agent"] = other.agent.name
    elif other.agent.settings != base.agent.settings:
        changes["settings"] = {
            key: value
            for key, value in other.agent.settings.items()
            if base.agent.settings.get(key) != value
        }
    return changes


def _plan(
    world: Domain,
    study: str,
    question: str,
    tasks: str | Sequence[str],
    trials: int,
    seed: int,
    limits: Limits,
    user: User,
    arms: tuple[ArmPlan, ...],
) -> Plan:
    if not 0 <= seed < 2**63:
        raise InputError(f"The seed {seed} is not usable; give a whole number from 0 to 2^63 - 1.")
    shared = condition(world, user.setup, limits)
    name, found = tasks_named(world, tasks)
    return Plan(
        study=study,
        question=question,
        domain=world.name,
        tasks_named=name,
        tasks=found,
        trials=trials,
        seed=seed,
        condition=shared,
        condition_hash=condition_hash(shared),
        arms=tuple(
            replace(entry, deterministic=entry.deterministic and user.deterministic)
            for entry in arms
        ),
        user_models=tuple(model.name for model in models_of(user)),
    )
