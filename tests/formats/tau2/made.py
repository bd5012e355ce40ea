"""Result files in tau2's forms, made of calls in our own world and of words of our own.

Nothing of a real file is in here: only the names of the form's fields, and the tools.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

from ringback.domain import Side, Task
from ringback.domains import load
from ringback.telecom.tasks import repair

__all__ = ["DATA_OFF", "Call", "Json", "Talk", "result_file", "solved", "write", "write_folder"]

Json: TypeAlias = dict[str, Any]
Call: TypeAlias = tuple[str, Json]
DATA_OFF = "[mobile_data_issue]data_mode_off[PERSONA:None]"
_ROLES: dict[Side, str] = {"agent": "assistant", "user": "user"}


class Talk:
    """A simulation as it goes along; `new` is the form of 1.x, otherwise that of 2025."""

    def __init__(
        self, task: str = DATA_OFF, *, new: bool = True, solo: bool = False, greet: bool = True
    ) -> None:
        self.task, self.new, self.solo = task, new, solo
        domain = load("telecom-solo" if solo else "telecom")
        self.world = domain.world(domain.task(task))
        self.messages: list[Json] = []
        self._calls = 0
        if greet and not solo:
            self.say("agent", "Good day. What is it?", cost=0.0, usage=None)

    def _message(self, role: str, **fields: Any) -> Json:
        number = len(self.messages)
        message: Json = {"role": role, "turn_idx": number, **fields}
        message["timestamp"] = f"2026-03-01T10:{number // 60:02}:{number % 60:02}.250000"
        self.messages.append(message)
        return message

    def _turn(self, side: Side, **fields: Any) -> Json:
        fields = {"cost": 0.0125, "usage": {"prompt_tokens": 90, "completion_tokens": 7}, **fields}
        number = len(self.messages)
        fields["raw_data"] = {"model": "made-up-1", "number": number}
        if self.new:
            fields |= {"is_audio": False, "generation_time_seconds": 0.5, "source": None}
        return self._message(_ROLES[side], **fields)

    def say(self, side: Side, text: str | None, **fields: Any) -> Talk:
        """A sentence."""
        self._turn(side, content=text, tool_calls=None, **fields)
        return self

    def call(self, side: Side, *calls: Call, text: str | None = None, **fields: Any) -> Talk:
        """Calls with their answers."""
        made = [self._call(side, tool, arguments) for tool, arguments in calls]
        self._turn(side, content=text, tool_calls=made, **fields)
        for call in made:
            outcome = self.world.call(side, call["name"], call["arguments"])
            self._message(
                "tool",
                id=call["id"],
                content=outcome.text,
                requestor=_ROLES[side],
                error=outcome.error,
            )
        return self

    def _call(self, side: Side, tool: str, arguments: Json) -> Json:
        self._calls += 1
        name = "" if self.solo else f"made-{self._calls}"
        return {"id": name, "name": tool, "arguments": arguments, "requestor": _ROLES[side]}

    def simulation(self, **changes: Any) -> Json:
        """The whole, as a simulation that the caller ended, worth 1.0."""
        found: Json = {
            "id": f"made-{self.task}-{len(self.messages)}",
            "task_id": self.task,
            "timestamp": "2026-03-01T10:00:00.250000",
            "start_time": "2026-03-01T10:00:00.250000",
            "end_time": "2026-03-01T10:05:00.500000",
            "duration": 300.25,
            "termination_reason": "user_stop",
            "agent_cost": 0.5,
            "user_cost": 0.25,
            "reward_info": {"reward": 1.0, "reward_basis": ["ENV_ASSERTION"], "info": None},
            "messages": self.messages,
            "trial": 0,
            "seed": 41,
        }
        if self.new:
            found |= {"ticks": None, "mode": "half_duplex", "policy": "Be kind.", "review": None}
        return {**found, **changes}


def solved(task: str = DATA_OFF, *, new: bool = True) -> Talk:
    """A call in which everything expected is done and the caller is content."""
    talk = Talk(task, new=new)
    talk.say("user", "It does not work.")
    talk.call("agent", ("get_customer_by_phone", {"phone_number": "555-123-2002"}))
    for step in repair(load("telecom").task(task)):
        if step.side == "user":
            talk.say("agent", f"Please do this: {step.tool}. May I add 2 GB?")
            talk.call("user", (step.tool, dict(step.arguments)))
            talk.say("user", "Yes, please. Done.")
        else:
            talk.call("agent", (step.tool, dict(step.arguments)))
    talk.say("agent", "Does it work now?")
    return talk.say("user", "It does, thank you. ###STOP###")


def _task(task: Task) -> Json:
    verdict = load("telecom").check(task, (), load("telecom").world(task))
    roles = {"agent": "assistant", "user": "user"}
    basis = {"end_state": "ENV_ASSERTION", "actions": "ACTION"}
    return {
        "id": task.id,
        "ticket": f"The caller has trouble: {task.family}.",
        "user_scenario": {"instructions": "Say what is wrong."},
        "evaluation_criteria": {
            "actions": [
                {
                    "name": step.name,
                    "requestor": roles[step.side],
                    "arguments": dict(step.arguments),
                    "compare_args": None,
                }
                for step in verdict.actions
            ],
            "env_assertions": [
                {
                    "env_type": roles[check.env],
                    "func_name": check.name,
                    "arguments": dict(check.arguments),
                    "assert_value": True,
                }
                for check in verdict.end
            ],
            "reward_basis": [basis[name] for name in verdict.basis],
        },
    }


def result_file(simulations: Iterable[Json], *, new: bool = True, **info: Any) -> Json:
    """A whole file in one piece."""
    simulations = list(simulations)
    telecom = load("telecom")
    known = {task.id: task for task in telecom.tasks("full")}
    named = dict.fromkeys(str(each.get("task_id")) for each in simulations)
    found: Json = {
        "timestamp": "2026-03-01T11:00:00",
        "info": {
            "git_commit": "0123456789abcdef",
            "num_trials": 1,
            "max_steps": 200,
            "max_errors": 10,
            "seed": 7,
            "agent_info": {
                "implementation": "llm_agent",
                "llm": "made-up",
                "llm_args": {"temperature": 0.0},
            },
            "user_info": {
                "implementation": "user_simulator",
                "llm": "made-up-caller",
                "llm_args": None,
                "global_simulation_guidelines": "Speak as a caller does.",
            },
            "environment_info": {"domain_name": "telecom", "policy": "Be kind.", "tool_defs": None},
            **info,
        },
        "tasks": [_task(known[name]) for name in named if name in known],
        "simulations": simulations,
    }
    if new:
        found["simulation_index"] = None
    return found


def write(path: Path, content: Any) -> Path:
    """Write JSON, gzipped where the name says so."""
    data = json.dumps(content, indent=2).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def write_folder(folder: Path, content: Json) -> Path:
    """Write the form of 1.x with a file for each simulation."""
    (folder / "simulations").mkdir(parents=True)
    for simulation in content["simulations"]:
        name = str(simulation["id"]).replace("|", "-").replace("[", "-").replace("]", "-")
        simulation["id"] = name
        write(folder / "simulations" / f"{name}.json", simulation)
    index = [{"id": each["id"], "task_id": each["task_id"]} for each in content["simulations"]]
    head = {name: value for name, value in content.items() if name != "simulations"}
    write(folder / "results.json", {**head, "simulation_index": index})
    return folder
