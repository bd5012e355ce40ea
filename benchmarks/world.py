"""How long the world and its grader take, without participants or a store."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

from benchmarks.rows import Row
from ringback.domain import Did, Task
from ringback.telecom import domain
from ringback.telecom.tasks import repair
from ringback.telecom.world import World

_ROUNDS = 50


def rows() -> Iterator[Row]:
    """Repair walk plus grade of the 40 test tasks, and what one digest costs."""
    tasks = domain.tasks("test")
    for task in tasks:  # what every process does once for each task
        assert _walk_and_grade(task), task.id
    began = perf_counter()
    for _ in range(_ROUNDS):
        for task in tasks:
            _walk_and_grade(task)
    mean = (perf_counter() - began) / (_ROUNDS * len(tasks))
    yield Row("world: repair walk and grade of a test task", mean * 1e3, "ms", 0.25)
    calls, seconds = _digests()
    yield Row("world: digest of a new state", seconds / calls * 1e6, "us", note="mean of a walk")


def _walk_and_grade(task: Task) -> bool:
    world = domain.world(task)
    history: list[Did] = []
    for seq, step in enumerate(repair(task)):
        before = world.copy()
        arguments = dict(step.arguments)
        outcome = world.call(step.side, step.tool, arguments)
        history.append(Did(seq, 0, step.side, step.tool, arguments, outcome, before, world.copy()))
    return domain.check(task, history, world).satisfied


def _digests() -> tuple[int, float]:
    calls, seconds = 0, 0.0
    for task in domain.tasks("test"):
        world = domain.world(task)
        assert isinstance(world, World)
        world.digest()
        for step in repair(task):
            world.call(step.side, step.tool, dict(step.arguments))
            began = perf_counter()
            world.digest()
            seconds += perf_counter() - began
            calls += 1
    return calls, seconds
