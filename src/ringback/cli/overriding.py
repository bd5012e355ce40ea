"""What ``replay`` and ``fork`` share: the options that select sessions and change something."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from cyclopts import Parameter

from ringback.cli.options import named_path

if TYPE_CHECKING:
    from ringback.cli.replayed import Chosen
    from ringback.replay.changes import Changes
    from ringback.sessions import SessionRow, Store

__all__ = [
    "Agent",
    "Guard",
    "Instructions",
    "InstructionsAppend",
    "Model",
    "Name",
    "Policy",
    "Selection",
    "Setting",
    "User",
    "changes",
    "selected",
]

Selection: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(
        name="SELECTION",
        help="Session ids or unique beginnings of them, latest, or filters such as solved=no; keys "
        "are study, arm, task, family, trial, seed, ending, solved, agent, user, origin, "
        "origin-id (the id that another program gave) and file (that it was imported from).",
        show_default=False,
    ),
]
Agent: TypeAlias = Annotated[
    str | None,
    Parameter(help="Another agent answers, scripted or a model; the recorded one.", metavar="NAME"),
]
Model: TypeAlias = Annotated[
    str | None,
    Parameter(help="Another model answers; settings stay from model to model.", metavar="NAME"),
]
Setting: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(
        help="A setting of the agent, such as skip=0.5, or of its model, such as "
        "model.temperature=0, over the recorded ones; may be given several times.",
        metavar="KEY=VALUE",
        show_default=False,
    ),
]
Instructions: TypeAlias = Annotated[
    Path | None,
    Parameter(
        help="Text in place of the recorded instructions to a model.",
        converter=named_path,
        metavar="FILE",
    ),
]
InstructionsAppend: TypeAlias = Annotated[
    Path | None,
    Parameter(
        help="Text after the policy, in place of the recorded one.",
        converter=named_path,
        metavar="FILE",
    ),
]
Policy: TypeAlias = Annotated[
    str | None,
    Parameter(help="Another wording of the policy (telecom has workflow, manual).", metavar="NAME"),
]
User: TypeAlias = Annotated[
    str | None,
    Parameter(
        help="Another customer calls: another condition. The recorded one; rules where another "
        "program made the recording.",
        metavar="NAME",
    ),
]
Guard: TypeAlias = Annotated[
    str | None,
    Parameter(
        help="What to do when a customer that is a model stops being one: off, record or correct.",
        metavar="HOW",
    ),
]
Name: TypeAlias = Annotated[
    str,
    Parameter(
        help="The arm's name. The agent's draws go by it: another name is a second draw.",
        metavar="ARM",
    ),
]


def changes(
    agent: str | None,
    model: str | None,
    setting: tuple[str, ...],
    instructions: Path | None,
    instructions_append: Path | None,
    policy: str | None,
    user: str | None,
    user_setting: tuple[str, ...],
    guard: str | None,
) -> Changes:
    """What the options say is to be other than recorded."""
    from ringback import agents
    from ringback.cli.settings import agent_settings, user_settings
    from ringback.errors import InputError
    from ringback.replay.changes import Changes

    if agent is not None and model is not None:
        raise InputError("--agent and --model both say who answers; give one of them.")
    if model in agents.names():
        raise InputError(f"{model} is a scripted agent and no model; give it as --agent {model}.")
    return Changes(
        agent=agent or model,
        policy=policy,
        settings=agent_settings(setting, instructions, instructions_append),
        user=user,
        user_settings=user_settings(user_setting, guard),
    )


def selected(store: Store, words: tuple[str, ...]) -> tuple[list[SessionRow], Chosen]:
    """The selected sessions, of a cell the attempt that counts, and how they were chosen.

    Replays and forks are left out unless they are named. Raises `InputError` if nothing is said or
    found.
    """
    from ringback.cli.replayed import Chosen
    from ringback.errors import InputError
    from ringback.replay.parents import originals
    from ringback.report.wording import plural
    from ringback.sessions import parse_selection, unread

    if not words:
        raise InputError(
            "Say which sessions: ids, latest, or filters such as solved=no; "
            "`ringback sessions list` shows them."
        )
    selection = parse_selection(words)
    rows, left_out = originals(store, store.rows(selection, counting=True), selection)
    if not rows:
        raise InputError(
            f"Nothing but {plural(left_out, 'replay or fork', 'replays and forks')} is selected; "
            "name them by id or by arm=NAME."
        )
    return rows, Chosen(left_out, unread(selection, rows))
