"""What a transcript's page shows, in words: everything decided here, nothing in the template.

All text is as it came, cut where it is very long; the template engine escapes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from msgspec import Struct

from ringback.domain import Conduct
from ringback.episode.participants import OPERATOR
from ringback.report import wording
from ringback.report.asking import AsideWords, aside_words, rule_text, spent_text
from ringback.report.failing import LAID_TO
from ringback.report.grid_lines import Href
from ringback.report.instructions import Instructions
from ringback.report.plain import one_line, result_text, value_text
from ringback.report.terminal import action_text, call_text
from ringback.report.transcript import Aside, Deed, Row, Transcript
from ringback.report.world_view import (
    ChangeGroup,
    StateGroup,
    change_groups,
    cut,
    opening_groups,
)

__all__ = ["SessionView", "session_view"]

_LIMIT = 4000
_FOLD = 420
_WHO = {"agent": "Agent", "user": "Customer", None: "Record"}


def _nowhere(session: str) -> str | None:  # noqa: ARG001 - what every place to look is asked
    return None


class Fact(Struct, frozen=True):
    """One of the facts in a transcript's head; `href` leads to the session that it names."""

    name: str
    words: str
    href: str | None = None


class ToldView(Struct, frozen=True):
    """What a side was told, to unfold; `text` is None where the store does not have it."""

    title: str
    text: str | None


class DeedView(Struct, frozen=True, kw_only=True):
    """A call with its result; `summary` stands for a long result until it is opened."""

    tool: str
    arguments: str
    result: str
    summary: str
    error: bool
    mark: str
    differs: str | None


class RowView(Struct, frozen=True, kw_only=True):
    """One turn. `before` came before it, rejected replies among them; `asides` belong to it.

    `copied` marks what a fork has from another session, `goes_on` the first that is its own.
    """

    seq: int
    answer_seq: int | None
    side: str
    step: str
    step_words: str
    who: str
    time: str
    before: tuple[AsideWords, ...]
    text: str
    silent: bool
    deeds: tuple[DeedView, ...]
    asides: tuple[str, ...]
    warnings: tuple[str, ...]
    changes: tuple[ChangeGroup, ...]
    copied: bool
    goes_on: bool


class CheckView(Struct, frozen=True):
    """One check of the grade. `strict` is None where it cannot differ."""

    words: str
    side: str
    met: bool
    strict: bool | None
    counted: bool


class SignView(Struct, frozen=True):
    """Something that went wrong, with the way to the turn that shows it."""

    kind: str
    text: str
    href: str
    where: str


class BlameView(Struct, frozen=True):
    """Whom a failed call is laid to, why, and all that went wrong."""

    words: str
    why: SignView
    signs: tuple[SignView, ...]


class SessionView(Struct, frozen=True, kw_only=True):
    """A transcript's page."""

    title: str
    session: str
    heading: str
    outcome: str
    outcome_class: str
    ending: str
    remarks: tuple[str, ...]
    facts: tuple[Fact, ...]
    told: tuple[ToldView, ...]
    rows: tuple[RowView, ...]
    opening: tuple[StateGroup, ...]
    net: tuple[ChangeGroup, ...]
    end: str
    end_seq: int | None
    grading: str
    checks: tuple[CheckView, ...]
    conduct: tuple[Conduct, ...]
    blame: BlameView | None


def session_view(transcript: Transcript, href: Href = _nowhere) -> SessionView:
    """The page of a transcript. `href` says where the page of another session is."""
    start, task, end, graded = transcript.start, transcript.task, transcript.end, transcript.grade
    name = wording.known(start.draw.task)
    heading = name
    if task is not None and task.faults:
        heading = f"{wording.reason(task.family)}: " + ", ".join(map(wording.reason, task.faults))
    outcome, kind = "Not graded", "soft"
    if graded is not None and graded.graded:
        outcome, kind = ("Solved", "good") if graded.solved else ("Not solved", "bad")
    ending = "the session has not ended"
    if end is not None:
        ending = f"ended by {wording.reason(end.ending)}, rule {one_line(end.rule, 80)}"
    counts = (
        f"{wording.plural(transcript.steps, 'step')}, "
        f"{wording.plural(transcript.errors, 'tool error')}"
    )
    return SessionView(
        title=f"{one_line(start.arm_name, 40)} · {one_line(name, 120)}",
        session=start.session,
        heading=cut(heading, 600),
        outcome=outcome,
        outcome_class=kind,
        ending=f"{ending} · {counts}",
        remarks=transcript.remarks,
        facts=_facts(transcript, href),
        told=tuple(map(_told, transcript.instructions)),
        rows=tuple(_rows(transcript)),
        opening=opening_groups(transcript),
        net=change_groups(transcript.net),
        end=_end(transcript),
        end_seq=None if end is None else end.seq,
        grading=_grading(transcript),
        checks=_checks(transcript),
        conduct=graded.verdict.conduct if graded else (),
        blame=_blame(transcript),
    )


def _facts(transcript: Transcript, href: Href) -> tuple[Fact, ...]:
    start, task = transcript.start, transcript.task
    draw = start.draw
    found = [("Task", wording.known(draw.task))]
    if task is not None:
        right = "can be repaired" if task.repairable else "cannot be repaired: a transfer is right"
        found.append(("Kind", f"{right}; persona {task.persona}" if task.persona else right))
    found += [
        ("Arm", start.arm_name),
        ("Agent", f"{wording.setup(start.arm.agent)}, policy {start.arm.policy}"),
        ("Customer", f"simulated by {wording.setup(start.condition.user)}"),
        ("Draw", f"trial {wording.known(draw.trial)}, study seed {wording.known(draw.seed)}"),
    ]
    if words := spent_text(transcript):
        found.append(("Models", words))
    if start.origin is not None:
        found.append(("Recorded by", cut(wording.origin_text(start.origin), 1000)))
    linked: list[Fact] = []
    if (fork := start.condition.forked) is not None:
        words = wording.forked(fork, transcript.own_step)
        linked.append(Fact("Forked from", words, _at(href(fork.session), fork.seq)))
    elif start.parent is not None:
        linked.append(Fact("Parent", start.parent, href(start.parent)))
    if start.at is not None:
        found.append(("Started", _clock(start.at)))
    found.append(
        (
            "Versions",
            ", ".join(
                f"{name} {version}"
                for name, version in {
                    **start.versions,
                    "world": start.condition.world,
                    "grader": start.condition.grader,
                }.items()
            ),
        )
    )
    return (*(Fact(name, cut(words, 1000)) for name, words in found), *linked)


def _at(page: str | None, seq: int) -> str | None:
    return None if page is None else f"{page}#e{seq}"


def _told(found: Instructions) -> ToldView:
    whose = {"agent": "of the agent", "user": "of the customer", None: "of both"}[found.side]
    length = "not in the store"
    if found.text is not None:
        length = wording.plural(len(found.text), "character")
    return ToldView(f"Instructions {whose}, {found.what} ({length})", found.text)


def _rows(transcript: Transcript) -> Iterator[RowView]:
    fork = transcript.start.condition.forked
    own = 0 if fork is None else fork.seq
    waiting = fork is not None
    by_hand = transcript.start.arm.agent.name == OPERATOR and transcript.start.origin is None
    for row in transcript.rows:
        yield _row(row, by_hand, copied=row.seq < own, goes_on=waiting and row.seq >= own)
        waiting = waiting and row.seq < own


def _clock(at: float) -> str:
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return f"{at} s"


def _row(row: Row, by_hand: bool, *, copied: bool, goes_on: bool) -> RowView:
    step, step_words = "", "Greeting, no step" if row.kind == "greeting" else "Note, no step"
    if row.step is not None:
        step, step_words = str(row.step), f"Step {row.step}"
        if row.answer_step is not None:
            step, step_words = f"{step}–{row.answer_step}", f"Steps {row.step} to {row.answer_step}"
    before = [_aside(aside) for aside in row.asides]
    asides = [f"note: {cut(note, 600)}" for note in row.notes]
    unanswered = "never answered"
    if row.kind == "asked":
        step_words, unanswered = "Model asked, no step", "no answer is recorded"
    if by_hand and row.side == "agent" and row.rule is not None:
        asides.insert(0, cut(f"by hand, from the door {row.rule}", 300))
    elif row.rule is not None and (words := rule_text(row.rule, row.asides)):
        asides.insert(0, cut(words, 300))
    text = "" if row.text is None else cut(row.text, _LIMIT)
    if row.kind == "said" and not text:
        asides.insert(0, "said nothing")
    return RowView(
        seq=row.seq,
        answer_seq=row.answer_seq,
        side=row.side or "none",
        step=step,
        step_words=step_words,
        who=_WHO[row.side],
        time="" if row.seconds is None or row.seconds < 0.05 else f"{row.seconds:.1f} s",
        before=tuple(before),
        text=text,
        silent=row.silent,
        deeds=tuple(_deed(deed, unanswered) for deed in row.deeds),
        asides=tuple(asides),
        warnings=tuple(f"{wording.reason(note.kind)}: {note.text}" for note in row.conduct),
        changes=change_groups([change for deed in row.deeds for change in deed.changes or ()]),
        copied=copied,
        goes_on=goes_on,
    )


def _aside(aside: Aside) -> AsideWords:
    words = aside_words(aside)
    more = tuple(cut(each, _LIMIT) for each in words.more)
    return AsideWords(cut(words.line, 1000), more, words.fault)


def _deed(deed: Deed, unanswered: str) -> DeedView:
    call = call_text(deed.tool, deed.arguments)
    result = unanswered if deed.result is None else cut(result_text(deed.result), _LIMIT)
    long = len(result) > _FOLD
    return DeedView(
        tool=cut(deed.tool, 200),
        arguments=cut(call[len(deed.tool) :], _LIMIT),
        result=result,
        summary=one_line(result, 160) if long else "",
        error=deed.error,
        mark="✕" if deed.error else "→",
        differs=deed.differs,
    )


def _blame(transcript: Transcript) -> BlameView | None:
    found = transcript.failure
    if found is None:
        return None
    places = {row.seq: row for row in transcript.rows}

    def view(kind: str, text: str, seq: int) -> SignView:
        row = places.get(seq)
        if row is None:
            return SignView(wording.reason(kind), text, "#end", "the end")
        where = f"event {seq}" if row.step is None else f"step {row.step}"
        return SignView(wording.reason(kind), text, f"#e{seq}", where)

    laid = LAID_TO[found.blame]
    return BlameView(
        "Undecided" if found.blame == "undecided" else f"Laid to {laid}",
        view(found.blame, found.why, found.seq),
        tuple(view(sign.kind, sign.text, sign.seq) for sign in found.kinds),
    )


def _end(transcript: Transcript) -> str:
    end = transcript.end
    if end is None:
        return ""
    words = f"{wording.reason(end.ending)}, by the rule {end.rule}."
    return f"{words} {cut(end.why, _LIMIT)}" if end.why else words


def _grading(transcript: Transcript) -> str:
    graded = transcript.grade
    if graded is None:
        return ""
    words = f"Reward {wording.UNKNOWN if graded.reward is None else value_text(graded.reward)}"
    if graded.strict is not None and graded.strict != graded.reward:
        words += f", {value_text(graded.strict)} by the strict checks"
    words += "."
    if not graded.graded:
        why = wording.why_ungraded(graded.ending)
        words += f" {why[0].upper()}{why[1:]}, so there is no graded outcome."
    elif not graded.reward and graded.verdict.satisfied:
        words += " The checks hold, but a call with this ending cannot count as solved."
    return words


def _checks(transcript: Transcript) -> tuple[CheckView, ...]:
    graded = transcript.grade
    if graded is None:
        return ()
    end = [
        CheckView(
            call_text(check.name, dict(check.arguments)),
            "end state",
            check.met,
            None,
            check.counted,
        )
        for check in graded.verdict.end
    ]
    steps = [
        CheckView(
            action_text(check, transcript),
            f"action of the {'customer' if check.side == 'user' else 'agent'}",
            check.met,
            check.strict,
            check.counted,
        )
        for check in graded.verdict.actions
    ]
    return (*end, *steps)
