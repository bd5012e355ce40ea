"""The parts of a tau2 result file that we read, typed; everything else is kept as it stands.

What decides nothing is read as any JSON value, so that a field of an unexpected type costs itself,
and neither the simulation nor the file it stands in. To be read, a file needs an object `info` and
a list of simulations, and a simulation needs objects for messages, each with its role and, where it
calls, the names of the tools.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Raw, Struct

__all__ = [
    "Criteria",
    "Environment",
    "File",
    "Info",
    "Message",
    "RewardInfo",
    "Side",
    "Simulation",
    "Task",
]


class Side(Struct):
    """Who played a side: the kind of participant, its model and the model's settings."""

    implementation: Any = None
    llm: Any = None
    llm_args: Any = None
    global_simulation_guidelines: Any = None


class Environment(Struct):
    """The world of the run."""

    domain_name: Any = None
    policy: Any = None


class Info(Struct):
    """What holds for all simulations of a file."""

    git_commit: Any = None
    max_steps: Any = None
    max_errors: Any = None
    user_info: Any = None
    agent_info: Any = None
    environment_info: Any = None


class File(Struct):
    """A result file. `simulations` stand apart in the directory form."""

    info: Raw
    simulations: list[Raw] | None = None
    tasks: Raw = Raw(b"[]")
    simulation_index: Raw = Raw(b"null")


class ToolCall(Struct):
    """A call within a message. A `requestor` that is not there is another thing than a null."""

    name: str
    arguments: Any = None
    id: Any = None
    requestor: Any = UNSET


class Message(Struct):
    """A message of any role; a result of several calls at once has `tool_messages`."""

    role: str
    content: Any = None
    tool_calls: list[ToolCall] | None = None
    id: Any = None
    requestor: Any = None
    error: Any = None
    timestamp: Any = None
    cost: Any = None
    usage: Any = None
    generation_time_seconds: Any = None
    turn_idx: Any = None
    tool_messages: list[Message] | None = None


class RewardInfo(Struct):
    """The stored grade, as far as it is looked at."""

    reward: Any = None


class Simulation(Struct):
    """One run of a task."""

    task_id: Any = None
    id: Any = None
    messages: list[Message] | None = None
    ticks: Any = None
    mode: Any = None
    termination_reason: Any = None
    reward_info: Raw = Raw(b"null")
    trial: Any = None
    seed: Any = None
    start_time: Any = None
    end_time: Any = None
    duration: Any = None
    agent_cost: Any = None
    user_cost: Any = None
    policy: Any = None


class Action(Struct):
    """An expected step."""

    name: str
    requestor: str = "assistant"
    arguments: Any = None


class Assertion(Struct):
    """An expected state."""

    func_name: str
    env_type: str = ""
    arguments: Any = None
    assert_value: Any = True


class Criteria(Struct):
    """What a task is graded by."""

    actions: list[Action] | None = None
    env_assertions: list[Assertion] | None = None
    reward_basis: list[str] | None = None


class Task(Struct):
    """A task as far as it is compared with ours, and the ticket of a solo run."""

    id: Any = None
    ticket: Any = None
    evaluation_criteria: Criteria | None = None
