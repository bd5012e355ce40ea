"""``ringback replay``: recorded cases called back, with only the named things changed."""

from __future__ import annotations

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

__all__ = ["replay"]


def replay(
    selection: Selection = (),
    /,
    *,
    agent: Agent = None,
    model: Model = None,
    setting: Setting = (),
    instructions: Instructions = None,
    instructions_append: InstructionsAppend = None,
    policy: Policy = None,
    trials: Trials = 1,
    name: Name = "replay",
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
    """Call recorded cases back: fresh episodes with only the named things changed.

    The same customer calls, by the recorded seed. Stopped and started again, the same command goes
    on where it was and repeats nothing.
    """
    from ringback.cli import overriding, playing, replayed
    from ringback.cli.described import described
    from ringback.cli.options import store_path
    from ringback.replay.rerun import plan_replays
    from ringback.sessions import Store

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
        found = plan_replays(there, rows, changes, name=name, trials=trials, opener=opened.open)
    return replayed.play_and_tell(
        found.plans,
        found.passed,
        chosen,
        ("replay", "replayed"),
        path,
        opened,
        jobs=jobs,
        workers=workers,
        json=json,
    )
