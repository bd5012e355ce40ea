"""A plan: the cells that a study, or a single run, consists of."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches

from msgspec import Struct
from msgspec.structs import replace

from ringback import agents, users
from ringback.agents import open_agent
from ringback.canonical import Json, digest
from ringback.domain import Domain, Task
from ringback.domains import load
from ringback.episode.events import AnyEvent, Arm, Condition, Draw, Limits
from ringback.episode.identity import (
    arm,
    arm_hash,
    cell_hash,
    cell_hasher,
    condition,
    condition_hash,
    opening,
)
from ringback.episode.participants import Agent, User, UserBrief
from ringback.errors import InputError
from ringback.models.protocol import Model, Opener
from ringback.report.model import Role
from ringback.sessions import Store
from ringback.study.file import BaselineEntry, StepCheckEntry, StudyFile, unusable
from ringback.users import open_user

__all__ = [
    "BASELINE",
    "ArmPlan",
    "Cell",
    "Plan",
    "Role",
    "models_of",
    "plan_run",
    "plan_study",
    "planned",
    "planned_arm",
    "planned_user",
    "refuse_taken",
    "rules_of",
    "tasks_named",
]

BASELINE = "baseline"
_MOST_CELLS = 1_000_000


class ArmPlan(Struct, frozen=True):
    """One arm: what it is, how it differs, and whether chance plays a part in it.

    `deterministic`: with equal seeds of the callers nothing can come out differently, whatever
    the agent's own seed. It takes both sides: a user simulator can bring chance in too. `models`
    names the models that it asks, `own_settings` are those that are not the agent's defaults, and
    `reads_policy` says whether the policy's prose reaches what decides.
    """

    name: str
    role: Role
    arm: Arm
    hash: str
    changes: dict[str, Json]
    deterministic: bool
    models: tuple[str, ...] = ()
    own_settings: dict[str, Json] = {}
    reads_policy: bool = True


class Cell(Struct, frozen=True):
    """One episode to have: an arm, a task, a trial (from 0); `draw` names the latter two.

    `parent` is the session that it replays, where that is known when it is planned.
    """

    hash: str
    arm: ArmPlan
    task: Task
    trial: int
    draw: Draw
    parent: str | None = None


class Plan(Struct, frozen=True):
    """Everything that is to be run under one condition. `study` is empty for a single run.

    `user_models` names the models that the user simulator asks. `step_check` is what is to be done
    with the calls of one arm when all is played; its models are not among `models`.
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
    step_check: StepCheckEntry | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """Every model that is asked, each once."""
        asked = [*self.user_models, *(name for entry in self.arms for name in entry.models)]
        return tuple(dict.fromkeys(asked))

    @property
    def episodes(self) -> int:
        """How many cells there are."""
        return len(self.arms) * len(self.tasks) * self.trials

    def beginning(
        self, cell: Cell, store: Store, *, attempt: int, at: float | None
    ) -> list[AnyEvent]:
        """The first events of an attempt at a cell, as they are recorded when it is begun.

        An arm's session is linked to the first arm's of the same draw, if that has an outcome when
        this one is begun: it is a replay of it.
        """
        parent = cell.parent
        base = self.arms[0]
        if parent is None and cell.arm.name != base.name:
            ours = cell_hash(self.condition, base.arm, base.name, cell.draw)
            row = store.latest([ours]).get(ours)
            if row is not None and row.ending not in (None, "infrastructure_error"):
                parent = row.id
        return [
            opening(
                load(self.domain),
                self.condition,
                cell.arm.arm,
                cell.arm.name,
                cell.draw,
                attempt=attempt,
                at=at,
                parent=parent,
            )
        ]

    def cells(self) -> Iterator[Cell]:
        """The cells, arm by arm, then task by task, then trial by trial."""
        for entry in self.arms:
            hash_of = cell_hasher(self.condition, entry.arm, entry.name)
            for task in self.tasks:
                for trial in range(self.trials):
                    draw = Draw(task.id, trial, self.seed)
                    yield Cell(hash_of(draw), entry, task, trial, draw)


def tasks_named(domain: Domain, tasks: str | Sequence[str]) -> tuple[str, tuple[Task, ...]]:
    """The tasks that a split's name, or one or several ids, stand for, with a name for them.

    A string may hold several ids separated by commas. Raises `InputError` for what is unknown,
    named twice, or missing between two commas.
    """
    splits = ", ".join(domain.splits)
    if isinstance(tasks, str) and tasks in domain.splits:
        return tasks, tuple(domain.tasks(tasks))
    if not tasks or (isinstance(tasks, str) and not tasks.strip()):
        raise InputError(f"No tasks are named; name a split ({splits}) or ids.")
    ids = [part.strip() for part in tasks.split(",")] if isinstance(tasks, str) else list(tasks)
    if not all(ids):
        raise InputError(f"The tasks {tasks!r} have an empty name among them; leave it out.")
    if twice := [task for place, task in enumerate(ids) if task in ids[:place]]:
        raise InputError(f"The task {twice[0]!r} is named twice; trials repeat a task.")
    try:
        found = tuple(domain.task(task) for task in ids)
    except InputError as problem:
        if len(ids) > 1 or not isinstance(tasks, str):
            raise
        close = get_close_matches(tasks, domain.splits, 1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        raise InputError(
            f"{str(problem).removesuffix('.')}; nor is it a split{hint}, those are {splits}."
        ) from None
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
    settings: Mapping[str, Json] | None = None,
    domain: str = "telecom",
    user_settings: Mapping[str, Json] | None = None,
    opener: Opener | None = None,
) -> Plan:
    """The plan of a single run: one arm, named after its agent, with these settings of it.

    `settings` are the agent's; `opener` opens models by name, for an agent or a user that is one.
    Raises `InputError` for names that are not known, trials below 1 and seeds out of range.
    """
    if trials < 1:
        raise InputError(f"{trials} trials cannot be run; ask for 1 or more.")
    world = load(domain)
    caller = planned_user(user, user_settings or {}, opener)
    base = BaselineEntry(agent, policy, dict(settings or {}))
    entry = planned_arm(world, agent, base, opener, caller)
    limits = Limits() if limits is None else limits
    return planned(world, "", "", tasks, trials, seed, limits, caller, (entry,))


def plan_study(file: StudyFile, opener: Opener | None = None) -> Plan:
    """The plan of a study: the baseline, then the arms in the file's order.

    `opener` opens models by name, those that the file describes among them.
    """
    world = load(file.domain)
    base = file.baseline
    given = {} if file.user.guard is None else {"guard": file.user.guard}
    user = planned_user(file.user.name, {**file.user.settings, **given}, opener)
    arms = [planned_arm(world, BASELINE, base, opener, user)]
    for name, entry in file.arms.items():
        agent = base.agent if entry.agent is None else entry.agent
        policy = base.policy if entry.policy is None else entry.policy
        inherited = base.settings if _settings_stay(base.agent, agent) else {}
        settings = inherited if entry.settings is None else {**inherited, **entry.settings}
        full = BaselineEntry(agent, policy, settings)
        arms.append(planned_arm(world, name, full, opener, user, against=arms[0].arm))
    plan = planned(
        world,
        file.name,
        file.question,
        file.tasks,
        file.trials,
        file.seed,
        file.limits,
        user,
        tuple(arms),
    )
    if file.step_check is not None and opener is not None:
        _look_at(file.step_check, plan.arms, opener)
    return replace(plan, step_check=file.step_check)


def _look_at(step: StepCheckEntry, arms: Sequence[ArmPlan], opener: Opener) -> None:
    """Refuse before anything is played what the step check could not do afterwards."""
    arm = next(entry for entry in arms if entry.name == step.arm)
    if not arm.models:
        others = [entry.name for entry in arms if entry.models]
        hint = f"name {others[0]} as its arm" if others else "let an arm's agent be a model"
        raise InputError(
            f"The step check is of the arm {arm.name}, whose agent {arm.arm.agent.name} asks no "
            f"model, so there would be no call to send again; {hint}."
        )
    for name in (*step.models, *([step.repeat] if step.repeat not in (None, "none") else [])):
        opener(name)


def _settings_stay(one: str, other: str) -> bool:
    """Whether the settings of one agent mean the same to the other."""
    scripted = agents.names()
    return one == other or (one not in scripted and other not in scripted)


def planned_arm(
    world: Domain,
    name: str,
    entry: BaselineEntry,
    opener: Opener | None,
    user: User,
    against: Arm | None = None,
) -> ArmPlan:
    """The arm of this name, with what it changes `against` another arm's content.

    Without one it is the baseline. Raises `InputError` for an agent, a setting or a policy that is
    not known.
    """
    opener = _or_scripted(opener, "agent", agents.names())
    agent = open_agent(entry.agent, entry.settings, opener)
    defaults = open_agent(entry.agent, None, opener).setup.settings
    policy = world.policies[0] if entry.policy is None else entry.policy
    content = arm(world, agent.setup, policy)
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
        agent.deterministic and user.deterministic,
        tuple(model.name for model in models_of(agent)),
        {key: value for key, value in agent.setup.settings.items() if defaults.get(key) != value},
        agent.reads_policy,
    )


def planned_user(name: str, settings: Mapping[str, Json], opener: Opener | None) -> User:
    """The user simulator of this name; `InputError` if there is none or a setting is not known."""
    return open_user(name, settings, _or_scripted(opener, "user simulator", users.names()))


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
            unknown, said = f"There is no model {name!r}; ", str(problem)
            if not said.startswith(unknown):
                raise
            offer = said.removeprefix(unknown)
            are = "is" if len(scripted) == 1 else "are"
            known = f"without a model there {are} {', '.join(scripted)}"
            if close := get_close_matches(name, scripted, 1):
                hint = f"did you mean {close[0]}?"
                raise InputError(f"There is no {what} {name!r} ({hint}); {known}.") from None
            if offer.startswith("did you mean"):
                raise InputError(f"There is no {what} or model {name!r}; {offer}") from None
            raise InputError(f"There is no {what} {name!r}; {known}; for a model {offer}") from None

    return opened


def refuse_taken(aliases: Collection[str]) -> None:
    """Raise `InputError` if a name of ``[models]`` means an agent or a user simulator already.

    The scripted one would be taken in its place without a word.
    """
    for what, taken in (("agent", agents.names()), ("user simulator", users.names())):
        if both := [name for name in aliases if name in taken]:
            raise InputError(
                f"[models.{both[0]}] has the name of the scripted {what} {both[0]!r}; give the "
                "model another."
            )


def rules_of(entry: ArmPlan) -> dict[str, str]:
    """The texts of its own that an arm gives its model, by their digests."""
    own = (entry.own_settings.get(name) for name in ("instructions", "instructions_append"))
    return {digest(text): text for text in own if isinstance(text, str) and text.strip()}


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


def planned(
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
    """The plan of these arms on these tasks, under one condition.

    Raises `InputError` for a seed or limits out of range, tasks that are not known, too many
    episodes, or a user that cannot play the callers of this world.
    """
    if not 0 <= seed < 2**63:
        raise InputError(f"The seed {seed} is not usable; give a whole number from 0 to 2^63 - 1.")
    if wrong := unusable(limits):
        raise InputError(f"The run {wrong}.")
    shared = condition(world, user.setup, limits)
    name, found = tasks_named(world, tasks)
    if (count := len(arms) * len(found) * trials) > _MOST_CELLS:
        raise InputError(
            f"That would be {count:,} episodes, and {_MOST_CELLS:,} are the most; ask for fewer "
            "trials."
        )
    # A user simulator may be unable to play this domain's callers; it says so before anything is
    # begun.
    user.take(UserBrief(world.name, world.scenario(found[0]), world.tools("user")))
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
