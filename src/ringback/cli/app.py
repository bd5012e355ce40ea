"""The tree of commands. Each is named by its import path, so that asking for help loads none."""

from __future__ import annotations

from cyclopts import App, Parameter

from ringback import __version__
from ringback.cli.help import Columns

__all__ = ["build"]

_ABOUT = """Which model, or which prompt, holds up as a support agent?

Simulated support calls are recorded, replayed, graded without a judge, and compared with intervals.
"""

_COMMANDS = (
    ("run", "Run an agent on tasks and grade what it did.", "ringback.cli.run:run"),
    (
        "sessions",
        "Look at recorded sessions.",
        (
            ("list", "List sessions with their endings and grades.", "ringback.cli.sessions:list_"),
            ("show", "Read the conversation of sessions.", "ringback.cli.sessions:show"),
        ),
    ),
    (
        "study",
        "Compare agents on the same tasks, as a file says.",
        (
            ("plan", "Say what a study would run.", "ringback.cli.study:plan"),
            ("run", "Run what is missing of a study and report.", "ringback.cli.study:run"),
            ("status", "Say how far a study is.", "ringback.cli.study:status"),
        ),
    ),
    (
        "tasks",
        "Look at the tasks.",
        (
            ("list", "List the tasks of a split.", "ringback.cli.tasks:list_"),
            ("show", "Show one task: faults, caller, checks.", "ringback.cli.tasks:show"),
        ),
    ),
    (
        "policy",
        "Look at what the agent is told.",
        (("show", "Print the policy.", "ringback.cli.policy:show"),),
    ),
    ("tools", "List the tools of the agent and of the user.", "ringback.cli.tools:tools"),
    (
        "world",
        "Check the simulated world.",
        (("check", "Compare recorded walks with the world.", "ringback.cli.world:check"),),
    ),
)


def build() -> App:
    """The whole command line, with nothing of a command's module imported yet."""
    app = App(
        name="ringback",
        help=_ABOUT,
        help_format="plaintext",
        help_formatter=Columns(),
        version=f"ringback {__version__}",
        default_parameter=Parameter(negative=()),
        suppress_keyboard_interrupt=False,
        result_action="return_value",
    )
    for order, (name, about, target) in enumerate(_COMMANDS):
        if isinstance(target, str):
            app.command(target, name=name, help=about, sort_key=order)
            continue
        group = App(name=name, help=about, sort_key=order)
        for place, (inner, says, path) in enumerate(target):
            group.command(path, name=inner, help=says, sort_key=place)
        app.command(group)
    return app
