"""Three calls of an operator, made again as commands of the shell: the record is the same."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from ringback.episode.events import AnyEvent
from ringback.models import Models
from ringback.operating import Desk, Seen, Terms
from ringback.sessions import Store
from tests import warm
from tests.cli.conftest import environment
from tests.operating.conftest import Shell
from tests.record.reenacted import CALLS, HARD_INVERTED, INVERTING, Command

_OF_THE_MOMENT = ("at", "seconds")


def typed(command: Command) -> list[str]:
    """A command as words of the shell."""
    if len(command) == 2:
        return ["say", command[1]]
    _, tool, arguments = command
    if tool == "refuel_data":
        return ["call", tool, "--args", json.dumps(arguments)]
    return ["call", tool, *(f"{key}={value}" for key, value in arguments.items())]


async def in_python(
    path: Path, tier: str, commands: Sequence[Command], user: str, guard: str | None
) -> Seen:
    models = Models()
    with Store.open(path) as store:
        desk = Desk(store, models.open, door="shell")
        seen = await desk.start(
            CALLS[tier].task,
            Terms(
                seed=CALLS[tier].seed,
                user=user,
                user_settings={} if guard is None else {"guard": guard},
            ),
        )
        for command in commands:
            if seen.over is not None:
                break
            if len(command) == 2:
                seen = await desk.say(seen.session, command[1])
            else:
                seen = await desk.call(seen.session, [(command[1], command[2])])
        return seen


def recorded(path: Path, session: str) -> list[Any]:
    """The session's events without times."""
    with Store.open(path, write=False) as store:
        return [_timeless(event) for event in store.events(session)]


def _timeless(event: AnyEvent) -> Any:
    return _without(msgspec.json.decode(msgspec.json.encode(event)))


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        return {key: _without(item) for key, item in pairs if key not in _OF_THE_MOMENT}
    if isinstance(value, list):
        return [_without(item) for item in cast("list[Any]", value)]
    return value


@pytest.mark.parametrize(("tier", "steps"), [("easy", 33), ("medium", 41), ("hard", 77)])
def test_each_is_solved_and_recorded_as_if_driven_in_python(
    shell: Shell, tmp_path: Path, tier: str, steps: int
) -> None:
    call = CALLS[tier]
    began = shell.seen("start", call.task, "--seed", str(call.seed))
    step, over = began["steps"], None
    for command in call.commands:
        seen = shell.seen(*typed(command), "--expect-step", str(step))
        step, over = seen["steps"], seen["over"]
    assert over is not None
    assert (over["ending"], over["grade"]["reward"], over["task"]) == ("user_stop", 1.0, call.task)
    assert step == steps
    there = asyncio.run(in_python(tmp_path / "other.db", tier, call.commands, "rules", None))
    assert there.session == began["session"]
    ours = recorded(shell.store, there.session)
    assert ours == recorded(tmp_path / "other.db", there.session)


@pytest.mark.parametrize("guard", ["off", "record"])
def test_a_customer_that_inverts_roles_uses_the_steps_up(
    shell: Shell, tmp_path: Path, guard: str
) -> None:
    script = tmp_path / "inverting.json"
    script.write_bytes(msgspec.json.encode(list(INVERTING)))
    call, user = CALLS["hard"], f"script:{script}"
    began = shell.seen(
        "start", call.task, "--seed", str(call.seed), "--user", user, "--guard", guard
    )
    over = None
    for command in HARD_INVERTED:
        over = shell.seen(*typed(command))["over"]
        if over is not None:
            break
    assert over is not None
    assert (over["ending"], over["grade"]["reward"]) == ("max_steps", 0.0)
    there = asyncio.run(in_python(tmp_path / "other.db", "hard", HARD_INVERTED, user, guard))
    assert (there.session, there.steps) == (began["session"], 100)
    assert recorded(shell.store, there.session) == recorded(tmp_path / "other.db", there.session)


def test_by_the_installed_program_a_process_a_turn(tmp_path: Path) -> None:
    def run(*words: str) -> str:
        done = warm.run("operate", *words, cwd=tmp_path, env=environment(), seconds=60)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    call = CALLS["easy"]
    said = run("start", call.task, "--seed", str(call.seed), "--as", "Ada")
    for command in call.commands:
        said = run(*typed(command))
    assert "reward    1.0 · solved" in said
    assert "user_stop, solved" in run("list")
