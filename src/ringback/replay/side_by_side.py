"""Two sessions side by side in the terminal, from 60 columns on; plain text where it is piped.

What was said and answered is indented, on as many lines as it has, and so is what a line of ours
goes on with where it is wrapped; whatever is not begins one, so that no text can pass for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ringback.replay.compare import Beat, Compared, Unlike
from ringback.report.fitting import broken
from ringback.report.plain import clip, result_text, single_line, visible
from ringback.report.terminal import call_text
from ringback.report.transcript import Deed, Row, Transcript
from ringback.report.wording import known, plural, reason, setup

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["CLIP", "print_side_by_side"]

CLIP = 700
"""How many characters of one text are shown before the rest is only counted."""

_GUTTER = 6
_INDENT = 2
_LEAST = 24
_COLOUR = {"agent": "cyan", "user": "green", None: "dim"}


class _Said(NamedTuple):
    """A text with its style: a line, or as recorded with what stands before its first line."""

    words: str
    style: str = ""
    recorded: bool = False
    mark: str = ""


_Lines: TypeAlias = list[_Said]


def print_side_by_side(found: Compared, console: Console, *, limit: int | None = CLIP) -> None:
    """Print where two sessions part, and both from there on in columns.

    `limit` is the longest text shown whole, None for all. Uses the console's width and encoding.
    """
    _Writer(console, limit).show(found)


class _Writer:
    """Two columns with a bar between them, wrapped by hand."""

    def __init__(self, console: Console, limit: int | None) -> None:
        self._console, self._limit = console, limit
        self._ascii = console.options.ascii_only
        self._wide = max(_LEAST, (console.width - _GUTTER - 3) // 2)

    def show(self, found: Compared) -> None:
        for name, each in (("A", found.a), ("B", found.b)):
            self._pair(name, _head(each), "bold")
            width = max(_LEAST, self._console.width - _GUTTER) - _INDENT
            for line in broken(single_line(_task(each)), width, hang=_INDENT):
                self._pair("", line)
        for remark in (*found.a.remarks, *found.b.remarks, *found.remarks):
            self._pair("note", remark, "yellow")
        self._print("")
        self._parting(found)
        for beat in found.beats:
            self._beat(beat)
        self._end(found)

    def _parting(self, found: Compared) -> None:
        parting = found.parting
        if parting is None:
            self._flow("The two conversations are the same to the end.", "bold")
            return
        if found.same:
            self._flow(f"The first {plural(found.same, 'turn')} are the same.", "")
        self._flow(f"They part ({parting.kind}): {parting.words}", "bold")
        if parting.step == 0 or parting.kind == "ending":
            one, other = (each or "(nothing)" for each in (parting.a, parting.b))
            self._row("", [self._recorded(one)], [self._recorded(other)])
        self._print("")

    def _beat(self, beat: Beat) -> None:
        steps = [str(row.step) for row in (beat.a, beat.b) if row is not None and row.step]
        same = len(set(steps)) == 1
        label = steps[0] if steps and same else "/".join(steps)
        self._row(label, self._cell(beat.a), self._cell(beat.b))
        for each in beat.unlike:
            self._unlike(each)
        for name in beat.alike:
            self._flow(f"= {name}: the same again", "dim", indent=_GUTTER)

    def _unlike(self, each: Unlike) -> None:
        words = f"{each.field}: A {_value(each.a)}, B {_value(each.b)}"
        self._flow(f"{'!=' if self._ascii else '≠'} {words}", "yellow", indent=_GUTTER)

    def _end(self, found: Compared) -> None:
        self._print("")
        self._row("end", [_Said(_ending(found.a))], [_Said(_ending(found.b))])
        self._print("")
        if found.last is None:
            return
        if not found.last:
            self._flow("In the end the two worlds are in the same state.", "bold")
            return
        self._flow(f"In the end the worlds differ in {plural(len(found.last), 'field')}:", "bold")
        for each in found.last:
            self._unlike(each)

    def _cell(self, row: Row | None) -> _Lines:
        if row is None:
            return [_Said("(over)", "dim")]
        lines = [_Said("agent" if row.side == "agent" else "user", _COLOUR[row.side])]
        if row.silent:
            lines.append(_Said("(not delivered)", "dim"))
        if row.text is not None:
            lines.append(self._recorded(row.text))
        for deed in row.deeds:
            lines += self._deed(deed)
        if row.kind == "said" and not row.text:
            lines.append(_Said("(said nothing)", "dim"))
        return lines

    def _deed(self, deed: Deed) -> _Lines:
        call = _Said(self._clipped(call_text(deed.tool, deed.arguments)), "bold")
        mark = "x " if deed.error else "-> " if self._ascii else "→ "
        style = "red" if deed.error else ""
        if deed.result is None:
            return [call, _Said(f"{mark}(never answered)", style)]
        return [call, self._recorded(result_text(deed.result), style, mark)]

    def _recorded(self, words: str, style: str = "", mark: str = "") -> _Said:
        return _Said(self._clipped(words), style, recorded=True, mark=mark)

    # --- lines

    def _row(self, label: str, a: _Lines, b: _Lines) -> None:
        left, right = ([*self._laid(lines, self._wide)] for lines in (a, b))
        bar = "|" if self._ascii else "│"
        for number, (one, other) in enumerate(zip_longest(left, right)):
            self._line(label if not number else "", one, other, bar)

    def _line(self, label: str, one: Text | None, other: Text | None, bar: str) -> None:
        from rich.text import Text

        line = Text(f"{label:<{_GUTTER}}", style="dim")
        line.append_text(one or Text(""))
        line.append(" " * (self._wide - (one.cell_len if one else 0)))
        line.append(f" {bar} ", style="dim")
        line.append_text(other or Text(""))
        self._print(line)

    def _laid(self, lines: _Lines, width: int) -> Iterator[Text]:
        from rich.text import Text

        for words, style, recorded, mark in lines:
            indent = max(_INDENT, len(mark))
            text = visible(words).expandtabs(4) if recorded else single_line(words)
            first = mark.ljust(indent) if recorded else ""
            whole = Text(self._encoded(text), style=style)
            for number, line in enumerate(whole.wrap(self._console, width - indent)):
                start = Text(" " * indent if number else first, style=style)
                start.append_text(line)
                start.rstrip()
                yield start

    def _pair(self, name: str, words: str, style: str = "") -> None:
        self._hanging(f"{name:<{_GUTTER}}", words, style)

    def _flow(self, words: str, style: str, indent: int = 0) -> None:
        self._hanging(" " * indent, words, style)

    def _hanging(self, head: str, words: str, style: str) -> None:
        from rich.text import Text

        width = max(_LEAST, self._console.width - len(head))
        for number, line in enumerate(self._laid([_Said(words, style)], width)):
            whole = Text(head if not number else " " * len(head), style="dim")
            whole.append_text(line)
            self._print(whole)

    def _print(self, line: Text | str) -> None:
        from rich.text import Text

        text = Text(line) if isinstance(line, str) else line
        text.rstrip()
        self._console.print(text, no_wrap=True, overflow="ignore", crop=False, soft_wrap=True)

    def _clipped(self, words: str) -> str:
        if self._limit is None:
            return words
        shown, left_off = clip(words, self._limit)
        return f"{shown} … ({left_off:,} more characters)" if left_off else shown

    def _encoded(self, words: str) -> str:
        if self._ascii:
            words = words.replace("→", "->").replace("…", "...").replace("·", "-")
            words = words.encode("ascii", "backslashreplace").decode()
        return words


def _head(each: Transcript) -> str:
    start = each.start
    return f"{start.session} · {start.arm_name}: {setup(start.arm.agent)}"


def _task(each: Transcript) -> str:
    return f"{known(each.start.draw.task)}, trial {known(each.start.draw.trial)}"


def _ending(each: Transcript) -> str:
    end, grade = each.end, each.grade
    how = "not ended" if end is None else f"{reason(end.ending)}, rule {end.rule}"
    outcome = "not graded"
    if grade is not None and grade.graded:
        outcome = "solved" if grade.solved else "not solved"
    return f"{how} · {outcome} · {plural(each.steps, 'step')}"


def _value(value: str | None) -> str:
    return "(no field)" if value is None else value
