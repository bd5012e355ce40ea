"""``ringback fork``: a recorded call as it stood before a step, and someone else goes on."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from ringback.cli.options import (
    AsJson,
    Budget,
    Jobs,
    ModelsFile,
    StorePath,
    Trials,
    UserSetting,
    Workers,
)
from ringback.cli.overriding import (
    Agent,
    Guard,
    Instructions,
    InstructionsAppend,
    Model,
    Name,
    Policy,
    Selection,
    Setting,
    User,
)

__all__ = ["fork"]


def fork(
    selection: Selection = (),
    /,
    *,
    at: Annotated[
        str,
        Parameter(
            help="Before which turn: a step such as 12, an event such as e25, or failure, the turn "
            "that shows what the call failed of.",
            metavar="STEP",
        ),
    ],
    agent: Agent = None,
    model: Model = None,
    setting: Setting = (),
    instructions: Instructions = None,
    instructions_append: InstructionsAppend = None,
    policy: Policy = None,
    trials: Trials = 1,
    name: Name = "fork",
    user: User = None,
    user_setting: UserSetting = (),
    guard: Guard = None,
    models: ModelsFile = None,
    budget: Budget = None,
    jobs: Jobs = 8,
    workers: Workers = 1,
    store: StorePath = None,
    json: AsJson = False,
) -> int:
    """Go on from where a recorded call stood: world and conversation stay, the agent changes.

    A fork is a session of its own that links its origin. It takes no part in figures of fresh
    episodes. Started again, the same command goes on where it was and repeats nothing.
    """
    from ringback.cli import overriding, playing, replayed
    from ringback.cli.described import described
    from ringback.cli.options import store_path
    from ringback.replay.fork import plan_forks
    from ringback.replay.places import parse_at
    from ringback.report.wording import plural
    from ringback.sessions import Store

    place = parse_at(at)
    changes = overriding.changes(
        agent,
        model,
        setting,
        instructions,
        instructions_append,
        policy,
        user,
        user_setting,
        guard,
    )
    opened = playing.models(None if models is None else described(models), budget)
    path = store_path(store)
    with Store.open(path, create=False, write=False) as there:
        rows, chosen = overriding.selected(there, selection)
        found = plan_forks(
            there, rows, place, changes, name=name, trials=trials, opener=opened.open
        )
    points = [point for plan in found.plans for point in plan.points]
    notes = [
        f"In session {point.parent.row.id}, {plural(point.divergences, 'result')} before the place "
        "came out otherwise than recorded: the calls were run again in today's world."
        for point in points
        if point.divergences
    ]
    return replayed.play_and_tell(
        found.plans,
        found.passed,
        chosen,
        ("fork", "forked"),
        path,
        opened,
        jobs=jobs,
        workers=workers,
        json=json,
        notes=notes,
    )
