"""How ``--help`` looks: plain text in two columns, the same in a terminal and in a pipe.

`Columns` has the shape that cyclopts asks of a help formatter; it needs the console alone.
"""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ringback.cli.commands import ABOUT, COMMANDS, OPTIONS

if TYPE_CHECKING:
    from cyclopts.help import HelpEntry, HelpPanel
    from rich.console import Console, ConsoleOptions

__all__ = ["Columns", "first_page"]

_LEFT_MOST = 34
_WIDEST = 100
_LEFT_OUT = "[ARGS]"


def first_page() -> str:
    """What ``ringback --help`` says, made without the parser so that it comes at once."""
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    commands = [(entry.name, entry.about) for entry in COMMANDS]
    parts = ["Usage: ringback COMMAND", _paragraphs(ABOUT, width)]
    parts += [_columns("Commands", commands, width), _columns("Options", OPTIONS, width)]
    return "\n\n".join(parts) + "\n"


def _paragraphs(text: str, width: int) -> str:
    return "\n\n".join(textwrap.fill(part, width) for part in text.strip().split("\n\n"))


def _columns(title: str, pairs: Sequence[tuple[str, str]], width: int) -> str:
    """A heading and lines of names with what they mean, wrapped beside the names."""
    lines = [f"{title}:"]
    left = min(max(len(name) for name, _ in pairs), _LEFT_MOST)
    for name, says in pairs:
        if len(name) > left:
            lines.append(f"  {name}")
            name = ""
        for line in textwrap.wrap(says, max(width - left - 4, 20), break_on_hyphens=False) or [""]:
            lines.append(f"  {name:<{left}}  {line}".rstrip())
            name = ""
    return "\n".join(lines)


class Columns:
    """Lays out a page of help: usage, what it does, then names and what they mean.

    The line of usage that cyclopts makes says ``[ARGS]`` for what may be left out; it is held until
    the arguments come, whose names are said in its place.
    """

    def __init__(self) -> None:
        self._held: list[str] = []

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        """Print one group of commands or options."""
        if not panel.entries:
            return
        left_out = [each.positional_label for each in panel.entries if not each.required]
        names = " ".join(f"[{label}]" for label in left_out if label)
        for part in self._held:
            _print(console, part.replace(_LEFT_OUT, names) if names else part)
        self._held.clear()
        pairs = [(_left(entry), _right(entry)) for entry in panel.entries]
        width = min(options.max_width, _WIDEST)
        title = _plain(panel.title).replace("Parameters", "Options")
        _print(console, _columns(title, pairs, width) + "\n")

    def render_usage(self, console: Console, _options: ConsoleOptions, usage: Any) -> None:
        """Print the line of usage, or hold it."""
        line = _plain(usage).strip().removeprefix("Usage:").strip()
        self._tell(console, f"Usage: {line}\n")

    def render_description(self, console: Console, options: ConsoleOptions, text: Any) -> None:
        """Print what the command does, wrapped."""
        self._tell(console, _paragraphs(_plain(text), min(options.max_width, _WIDEST)) + "\n")

    def _tell(self, console: Console, part: str) -> None:
        if self._held or _LEFT_OUT in part:
            self._held.append(part)
        else:
            _print(console, part)


def _left(entry: HelpEntry) -> str:
    if entry.positional_label:
        return entry.positional_label
    names = ", ".join((*entry.positive_names, *entry.positive_shorts))
    return f"{names} {entry.metavar}" if entry.metavar else names


def _right(entry: HelpEntry) -> str:
    parts = [_plain(entry.description)]
    if entry.choices:
        parts.append(f"One of {', '.join(entry.choices)}.")
    if entry.default is not None:
        parts.append(f"[default: {entry.default}]")
    if entry.env_var:
        parts.append(f"[or {', '.join(entry.env_var)} in the environment]")
    return " ".join(part for part in parts if part)


def _plain(text: Any) -> str:
    """The words of what cyclopts hands over: a string, rich text or a wrapper of it."""
    if text is None:
        return ""
    plain = getattr(text, "plain", None)
    if isinstance(plain, str):
        return plain
    inner = getattr(text, "primary_renderable", None)
    return _plain(inner) if inner is not None else str(text)


def _print(console: Console, line: str) -> None:
    console.file.write(f"{line}\n")
