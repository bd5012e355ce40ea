"""A support world of three lines: a lamp, a fuse on the agent's side, a switch on the user's.

It shows what a domain needs, and lets the rooms above the world be tested without telecom.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from msgspec import Struct

from ringback.canonical import Json, digest
from ringback.domain import (
    ActionCheck,
    Did,
    EndCheck,
    Happening,
    Outcome,
    Side,
    Task,
    Tool,
    Verdict,
)
from ringback.errors import InputError


class LampScenario(Struct, frozen=True):
    text: str = "The lamp stays dark."


class LampWorld:
    def __init__(self, fuse: bool = False, switch: bool = False) -> None:
        self.fuse, self.switch = fuse, switch

    def call(self, side: Side, tool: str, arguments: Json) -> Outcome:
        if not isinstance(arguments, dict):
            return Outcome("The arguments are not an object.", error=True)
        match side, tool:
            case "agent", "set_fuse":
                self.fuse = True
                return Outcome("The fuse is in.", record={"fuse": True})
            case "user", "flip_switch":
                self.switch = not self.switch
                return Outcome(f"The switch is {'on' if self.switch else 'off'}.")
            case _:
                return Outcome(f"There is no tool {tool!r}.", error=True)

    def copy(self) -> Self:
        return type(self)(self.fuse, self.switch)

    def digest(self) -> str:
        return digest([self.fuse, self.switch])

    def fields(self) -> Mapping[str, Json]:
        return {"lamp.fuse": self.fuse, "lamp.switch": self.switch}


def _tool(name: str, side: Side) -> Tool:
    return Tool(name, side, f"Runs {name}.", {"type": "object", "properties": {}}, writes=True)


class Lamp:
    name = "lamp"
    version = "1"
    grader_version = "1"
    greeting = "Lamp desk, good day."
    splits = ("all",)
    policies = ("short",)
    _tasks = (
        Task("dark", "lamp", ("fuse_out", "switch_off"), "None", repairable=True),
        Task("fuse", "lamp", ("fuse_out",), "None", repairable=True),
        Task("burnt", "lamp", ("bulb",), "Hard", repairable=False),
    )

    def tasks(self, split: str) -> Sequence[Task]:
        if split != "all":
            raise InputError(f"There is no split {split!r}; there is all.")
        return self._tasks

    def task(self, task_id: str) -> Task:
        for task in self._tasks:
            if task.id == task_id:
                return task
        raise InputError(f"There is no task {task_id!r}.")

    def world(self, task: Task) -> LampWorld:
        return LampWorld(switch=task.id == "fuse")

    def tools(self, side: Side) -> Sequence[Tool]:
        return (_tool("set_fuse" if side == "agent" else "flip_switch", side),)

    def policy(self, variant: str) -> str:
        return "Set the fuse; have the switch flipped."

    def scenario(self, task: Task) -> LampScenario:
        return LampScenario()

    def check(self, task: Task, history: Sequence[Happening], end: object) -> Verdict:
        assert isinstance(end, LampWorld)
        calls = [item.tool for item in history if isinstance(item, Did)]
        met = "set_fuse" in calls
        action = ActionCheck("set_fuse", "agent", {}, None, met, met, counted=False)
        lit = EndCheck("lit", "user", {}, end.fuse and end.switch)
        return Verdict(lit.met, ("END",), (lit,), (action,))


LAMP = Lamp()
