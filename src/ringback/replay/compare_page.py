"""Two sessions side by side as a page, in the report's look, whole in itself."""

from __future__ import annotations

from msgspec import Struct

from ringback.replay.compare import Beat, Compared, Unlike
from ringback.report import wording
from ringback.report.plain import clip, one_line, result_text
from ringback.report.rendering import render
from ringback.report.terminal import call_text
from ringback.report.transcript import Deed, Row, Transcript

__all__ = ["compare_page"]

_LIMIT = 4000
_WHO = {"agent": "Agent", "user": "Customer", None: "Record"}


class _Head(Struct, frozen=True):
    """One of the two sessions."""

    name: str
    session: str
    arm: str
    agent: str
    task: str
    ending: str
    outcome: str
    outcome_class: str


class _Deed(Struct, frozen=True):
    tool: str
    arguments: str
    result: str
    error: bool


class _Cell(Struct, frozen=True):
    """One side of a turn."""

    side: str
    who: str
    text: str
    silent: bool
    deeds: tuple[_Deed, ...]


class _Line(Struct, frozen=True):
    """One turn of both; `name` is its anchor."""

    name: str
    label: str
    parts: bool
    a: _Cell | None
    b: _Cell | None
    unlike: tuple[Unlike, ...]
    alike: tuple[str, ...]


class _View(Struct, frozen=True, kw_only=True):
    title: str
    heads: tuple[_Head, ...]
    remarks: tuple[str, ...]
    same: str
    kind: str
    words: str
    shown: tuple[str, str] | None
    lines: tuple[_Line, ...]
    last: tuple[Unlike, ...] | None
    last_words: str


def compare_page(found: Compared) -> bytes:
    """The page as UTF-8."""
    return render("compare", package="ringback.replay", view=_view(found))


def _view(found: Compared) -> _View:
    parting = found.parting
    shown = None
    if parting is not None and (parting.step == 0 or parting.kind == "ending"):
        shown = (_cut(parting.a or "(nothing)"), _cut(parting.b or "(nothing)"))
    last_words = ""
    if found.last is not None:
        last_words = "The two worlds are in the same state."
        if found.last:
            last_words = f"The worlds differ in {wording.plural(len(found.last), 'field')}."
    return _View(
        title=f"{found.a.start.session} beside {found.b.start.session}",
        heads=(_head("A", found.a), _head("B", found.b)),
        remarks=(*found.a.remarks, *found.b.remarks, *found.remarks),
        same=f"The first {wording.plural(found.same, 'turn')} are the same." if found.same else "",
        kind="" if parting is None else parting.kind,
        words="The two conversations are the same to the end."
        if parting is None
        else parting.words,
        shown=shown,
        lines=tuple(_line(beat, found.same + place) for place, beat in enumerate(found.beats)),
        last=found.last,
        last_words=last_words,
    )


def _head(name: str, told: Transcript) -> _Head:
    start, end, grade = told.start, told.end, told.grade
    outcome, kind = "not graded", "soft"
    if grade is not None and grade.graded:
        outcome, kind = ("solved", "good") if grade.solved else ("not solved", "bad")
    how = "not ended" if end is None else f"{wording.reason(end.ending)}, rule {end.rule}"
    return _Head(
        name=name,
        session=start.session,
        arm=one_line(start.arm_name, 80),
        agent=_cut(wording.setup(start.arm.agent)),
        task=f"{wording.known(start.draw.task)}, trial {wording.known(start.draw.trial)}",
        ending=f"{how} · {wording.plural(told.steps, 'step')}",
        outcome=outcome,
        outcome_class=kind,
    )


def _line(beat: Beat, place: int) -> _Line:
    steps = [str(row.step) for row in (beat.a, beat.b) if row is not None and row.step]
    return _Line(
        name=f"t{place + 1}",
        label="/".join(dict.fromkeys(steps)),
        parts=beat.parts,
        a=_cell(beat.a),
        b=_cell(beat.b),
        unlike=beat.unlike,
        alike=beat.alike,
    )


def _cell(row: Row | None) -> _Cell | None:
    if row is None:
        return None
    text = "" if row.text is None else _cut(row.text)
    if row.kind == "said" and not text:
        text = "(said nothing)"
    return _Cell(
        side=row.side or "none",
        who=_WHO[row.side],
        text=text,
        silent=row.silent,
        deeds=tuple(map(_deed, row.deeds)),
    )


def _deed(deed: Deed) -> _Deed:
    call = call_text(deed.tool, deed.arguments)
    result = "never answered" if deed.result is None else _cut(result_text(deed.result))
    return _Deed(deed.tool, _cut(call[len(deed.tool) :]), result, deed.error)


def _cut(text: str) -> str:
    shown, left_off = clip(text, _LIMIT)
    return f"{shown} … ({left_off:,} more characters in the record)" if left_off else shown
