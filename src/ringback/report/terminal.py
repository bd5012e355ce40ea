"""A transcript in the terminal: three lanes, agent, user and tools, readable at 100 columns.

Recorded text never reaches the terminal as it came: see `ringback.report.plain`. What was said and
answered stands behind ``│``, on as many lines as it has; calls, and what Ringback says of them, are
one line each (indented where it is wrapped) behind ``┊``, so that no text can pass for one of
these.
In a pipe it is the same text without colour.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

from ringback.canonical import Json
from ringback.report.asking import aside_text, spent_text
from ringback.report.checked import compared, done
from ringback.report.fitting import broken, size
from ringback.report.plain import clip, json_text, result_text, single_line, value_text, visible
from ringback.report.transcript import Deed, Row, Transcript
from ringback.report.wording import (
    UNKNOWN,
    forked,
    known,
    origin_text,
    plural,
    setup,
    why_ungraded,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rich.console import Console

    from ringback.domain import ActionCheck

__all__ = ["CLIP", "action_text", "call_text", "print_outcome", "print_transcript"]

CLIP = 4000
"""How many characters of one text are shown before the rest is only counted."""

_WORD = re.compile(r"\S{20,}")
_Lane: TypeAlias = Literal["agent", "user", "tools"]
_INDENT: dict[_Lane, int] = {"agent": 6, "user": 13, "tools": 20}
_COLOUR: dict[_Lane, str] = {"agent": "cyan", "user": "green", "tools": "yellow"}


def call_text(tool: str, arguments: Json) -> str:
    """A call as code: ``refuel_data(customer_id="C1001", gb_amount=2)``.

    Arguments that were not valid JSON stand as they came, marked as text.
    """
    if isinstance(arguments, dict):
        inside = ", ".join(f"{name}={json_text(value)}" for name, value in arguments.items())
    elif isinstance(arguments, str):
        inside = f"not JSON: {arguments}"
    else:
        inside = json_text(arguments)
    return f"{tool}({inside})"


def action_text(check: ActionCheck, transcript: Transcript) -> str:
    """An expected step as code, as it was called where it was and not every argument counts."""
    was = done(check, transcript)
    return call_text(check.name, dict(compared(check) if was is None else was))


def print_transcript(transcript: Transcript, console: Console, *, limit: int | None = CLIP) -> None:
    """Print a session: what it was, the conversation with what changed, the ending, the checks.

    `limit` is the longest text shown whole, None for all. Uses the console's width and encoding.
    """
    writer = _Writer(console, limit)
    _head(writer, transcript)
    if limit is None:
        _told(writer, transcript)
    fork = transcript.start.condition.forked
    for row in transcript.rows:
        if fork is not None and row.seq >= fork.seq:
            writer.pair("forked", "what follows is the fork's own")
            fork = None
        _row(writer, row)
    _foot(writer, transcript)


def print_outcome(transcript: Transcript, console: Console) -> None:
    """Print the task, how a session ended and what it was worth, as under its transcript."""
    writer = _Writer(console, CLIP)
    writer.name("task", known(transcript.start.draw.task))
    _foot(writer, transcript)


class _Writer:
    """Lines with a gutter, wrapped by hand so that no line ends in spaces."""

    def __init__(self, console: Console, limit: int | None) -> None:
        self._console, self._limit = console, limit
        self._ascii = console.options.ascii_only

    def blank(self) -> None:
        self._console.print()

    def pair(self, name: str, words: str, style: str = "") -> None:
        self._lines(f"{name:<9} ", " " * 12, single_line(words), style, head_style="dim")

    def name(self, name: str, words: str) -> None:
        """What is copied or searched for: a line of its own in a pipe, however long."""
        if self._console.is_terminal:
            self.pair(name, words)
        else:
            self._lines(f"{name:<9} ", "", single_line(words), "", head_style="", wraps=False)

    def said(self, step: str, lane: _Lane, words: str, style: str = "", *, first: bool) -> None:
        """What was said or answered: as many lines as it has."""
        text = visible(self._clipped(words)).expandtabs(4)
        self._lane(step, lane, "| " if self._ascii else "│ ", text, style, first=first)

    def lane(self, step: str, lane: _Lane, words: str, style: str = "", *, first: bool) -> None:
        """A call, or what is to be said of one: a line."""
        line = single_line(self._clipped(words))
        bar = ":   " if self._ascii else "┊   "
        self._lane(step, lane, bar, line, style, first=first)

    def _lane(
        self, step: str, lane: _Lane, bar: str, words: str, style: str, *, first: bool
    ) -> None:
        label = f"{step:>5} " if first else " " * 6
        indent = _INDENT[lane] - 6
        name = lane if first else ""
        head = f"{label}{' ' * indent}{name:>5} {bar[:2]}"
        rest = f"{' ' * (6 + indent + 5)} {bar}"
        self._lines(head, rest, words, style, head_style=_COLOUR[lane])

    def _clipped(self, words: str) -> str:
        if self._limit is None:
            return words
        shown, left_off = clip(words, self._limit)
        return f"{shown} … ({left_off:,} more characters)" if left_off else shown

    def _lines(
        self,
        head: str,
        rest: str,
        words: str,
        style: str,
        *,
        head_style: str,
        wraps: bool = True,
    ) -> None:
        from rich.text import Text

        if self._ascii:
            words = words.replace("→", "->").replace("…", "...").replace("·", "-")
            words = words.encode("ascii", "backslashreplace").decode()
        width = max(20, self._console.width - len(rest))
        # What is longer than a line, as a task's id, is broken at its joints and not within words.
        whole = _WORD.sub(
            lambda word: word[0] if size(word[0]) <= width else "\n".join(broken(word[0], width)),
            words,
        )
        lines = Text(whole, style=style).wrap(self._console, width) if wraps else [Text(words)]
        for index, line in enumerate(lines or [Text("")]):
            line.rstrip()
            gutter = Text(head if index == 0 else rest, style=head_style)
            gutter.append_text(line)
            gutter.rstrip()
            self._console.print(gutter, no_wrap=True, overflow="ignore", crop=False, soft_wrap=True)


def _head(writer: _Writer, transcript: Transcript) -> None:
    start, task = transcript.start, transcript.task
    writer.pair("session", start.session, "bold")
    draw = start.draw
    writer.pair("task", known(draw.task))
    if task is not None:
        kind = "repairable" if task.repairable else "not repairable: a transfer is right"
        writer.pair("", f"{task.family} · {plural(len(task.faults), 'fault')} · {kind}")
    agent, user = start.arm.agent, start.condition.user
    writer.pair("agent", f"{setup(agent)} · policy {start.arm.policy}")
    writer.pair("user", setup(user))
    writer.pair("arm", f"{start.arm_name} · trial {known(draw.trial)} · seed {known(draw.seed)}")
    if start.origin is not None:
        writer.pair("origin", origin_text(start.origin))
    fork = start.condition.forked
    if fork is not None:
        writer.pair("forked", f"from {forked(fork, transcript.own_step)}")
    elif start.parent is not None:
        writer.pair("parent", f"{start.parent}, which this call replays")
    for remark in transcript.remarks:
        writer.pair("note", remark, "yellow")
    writer.blank()


def _told(writer: _Writer, transcript: Transcript) -> None:
    """What both sides were told, whole."""
    for each in transcript.instructions:
        whose: _Lane = each.side or "tools"
        length = "not in the store" if each.text is None else plural(len(each.text), "character")
        writer.pair("told", f"{each.side or 'both'}, {each.what}: {length}")
        if each.text:
            writer.said("", whose, each.text, "dim", first=True)
    if transcript.instructions:
        writer.blank()


def _row(writer: _Writer, row: Row) -> None:
    step = "" if row.step is None else str(row.step)
    first = True
    lane: _Lane = row.side or "tools"
    for aside in row.asides:
        writer.lane(step if first else "", lane, aside_text(aside), "dim", first=first)
        first = False
    if row.silent:
        writer.lane(step if first else "", lane, "(not delivered)", "dim", first=first)
        first = False
    if row.text is not None:
        writer.said(step if first else "", lane, row.text, first=first)
        first = False
    for deed in row.deeds:
        writer.lane(step, lane, call_text(deed.tool, deed.arguments), "bold", first=first)
        first = False
    if row.kind == "said" and not row.text:
        writer.lane(step, lane, "(said nothing)", "dim", first=first)
    if row.rule is not None:
        writer.lane("", lane, f"rule: {row.rule}", "dim", first=False)
    answer_step = "" if row.answer_step is None else str(row.answer_step)
    for index, deed in enumerate(row.deeds):
        recorded = row.kind != "asked" or deed.result is not None
        _answer(writer, answer_step if index == 0 else "", deed, recorded=recorded)
    for note in row.notes:
        writer.lane("", "tools", f"note: {note}", "yellow", first=False)
    for conduct in row.conduct:
        writer.lane("", "tools", f"conduct, {conduct.kind}: {conduct.text}", "red", first=False)


def _answer(writer: _Writer, step: str, deed: Deed, *, recorded: bool) -> None:
    if not recorded:
        writer.lane(step, "tools", "(no answer is recorded)", "dim", first=True)
    elif deed.result is None:
        writer.lane(step, "tools", "(never answered)", "dim", first=True)
    elif deed.error:
        said = deed.result.lower().startswith("error")
        words = deed.result if said else f"error: {deed.result}"
        writer.said(step, "tools", words, "red", first=True)
    else:
        writer.said(step, "tools", result_text(deed.result), first=True)
    for change in deed.changes or ():
        before, after = change.before or "(no field)", change.after or "(no field)"
        writer.lane(
            "", "tools", f"· {change.field}: {before} → {after}", "bold yellow", first=False
        )
    if deed.differs is not None:
        writer.lane("", "tools", f"differs: {deed.differs}", "red", first=False)


def _foot(writer: _Writer, transcript: Transcript) -> None:
    writer.blank()
    end, graded = transcript.end, transcript.grade
    counts = f"{plural(transcript.steps, 'step')}, {plural(transcript.errors, 'tool error')}"
    if end is None:
        writer.pair("ending", f"none yet · {counts}")
    else:
        writer.pair("ending", f"{end.ending}, by the rule {end.rule!r} · {counts}")
        if end.why:
            writer.pair("", end.why)
    if words := spent_text(transcript):
        writer.pair("models", words)
    if graded is None:
        return
    verdict = graded.verdict
    outcome = "solved" if graded.solved else "not solved"
    if not graded.graded:
        outcome = f"not graded: {why_ungraded(graded.ending)}"
    reward = UNKNOWN if graded.reward is None else value_text(graded.reward)
    writer.pair("reward", f"{reward} · {outcome}", "bold")
    if graded.strict is not None and graded.strict != graded.reward:
        writer.pair("", f"{value_text(graded.strict)} by the strict checks", "yellow")
    for check in verdict.end:
        words = call_text(check.name, dict(check.arguments))
        writer.pair("state", f"{_met(check.met)} {words}{_basis(check.counted)}")
    for step in verdict.actions:
        words = action_text(step, transcript)
        strict = "" if step.met == step.strict else f" · strictly {_met(step.strict)}"
        writer.pair(
            "action", f"{_met(step.met)} {step.side}: {words}{strict}{_basis(step.counted)}"
        )
    place = _places(transcript)
    _blame(writer, transcript, place)
    _conduct(writer, (f"{note.kind} at {place(note.seq)}: {note.text}" for note in verdict.conduct))


def _places(transcript: Transcript) -> Callable[[int], str]:
    """How an event is named: by its step as the margin counts them, if it has one."""
    steps: dict[int, int | None] = {row.seq: row.step for row in transcript.rows}
    for row in transcript.rows:
        if row.answer_seq is not None:
            steps[row.answer_seq] = row.answer_step

    def named(seq: int) -> str:
        step = steps.get(seq)
        if step is not None:
            return f"step {step} (event {seq})"
        end = transcript.end
        return f"the end (event {seq})" if end and end.seq == seq else f"event {seq}"

    return named


def _blame(writer: _Writer, transcript: Transcript, place: Callable[[int], str]) -> None:
    found = transcript.failure
    if found is None:
        return
    writer.pair("blame", f"{found.blame}, at {place(found.seq)}: {found.why}", "red")
    for sign in found.kinds:
        writer.pair("failure", f"{sign.kind} at {place(sign.seq)}: {sign.text}")


def _conduct(writer: _Writer, notes: Iterable[str]) -> None:
    for note in notes:
        writer.pair("conduct", note, "red")


def _met(met: bool) -> str:
    return "met    " if met else "not met"


def _basis(counted: bool) -> str:
    return "" if counted else " · not counted"
