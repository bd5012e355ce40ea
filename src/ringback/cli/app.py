"""The parser of the command line, made from the list of commands."""

from __future__ import annotations

from cyclopts import App, Parameter

from ringback import __version__
from ringback.cli.commands import ABOUT, COMMANDS, Command
from ringback.cli.help import Columns

__all__ = ["build"]


def build() -> App:
    """The whole command line, with nothing of a command's module imported yet."""
    app = App(
        name="ringback",
        help=ABOUT,
        help_format="plaintext",
        help_formatter=Columns(),
        version=f"ringback {__version__}",
        default_parameter=Parameter(negative=()),
        suppress_keyboard_interrupt=False,
        result_action="return_value",
    )
    for place, entry in enumerate(COMMANDS):
        if isinstance(entry, Command):
            _add(app, place, entry)
            continue
        group = App(name=entry.name, help=entry.about, sort_key=place)
        for inner, command in enumerate(entry.commands):
            _add(group, inner, command)
        app.command(group)
    return app


def _add(app: App, place: int, command: Command) -> None:
    about = f"{command.about}\n\n{command.more}".strip()
    app.command(command.target, name=command.name, help=about, sort_key=place)
