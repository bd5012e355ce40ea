"""Answers in words, for models and people who read the text of a result and not its structure.

Each thing that was said or found is a paragraph under its own mark, later lines indented: nothing
that a customer says can pass for a result, or for us.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ringback.domain import ActionCheck, EndCheck, Tool
from ringback.grading.grade import Grade
from ringback.operating import Item, Look, Over, Seen
from ringback.report.checked import compared
from ringback.report.plain import json_text, one_line, single_line, visible
from ringback.web.mcp.tools import Part

__all__ = ["conversation", "told", "told_look"]


def told(seen: Seen) -> str:
    """What is new, and where the episode stands."""
    return "\n".join([*map(_item, seen.news), *_stands(seen)])


def told_look(look: Look, part: Part) -> str:
    """A part of all that there is, and where the episode stands."""
    lines: list[str] = []
    if part in ("all", "policy"):
        lines += [f"[policy: {look.variant}]", look.policy, ""]
    if part in ("all", "tools"):
        lines += ["[the carrier's tools]", *map(_tool, look.tools), ""]
    if part in ("all", "conversation"):
        lines += [conversation(look.conversation), ""]
    return "\n".join([*lines, *_stands(look.stands)])


def conversation(items: Sequence[Item]) -> str:
    """The conversation, a paragraph for each thing that was said or done."""
    return "\n".join(map(_item, items))


def _item(item: Item) -> str:
    match item.kind:
        case "greeting":
            return _paragraph("you, as every call begins", item.text)
        case "said":
            return _paragraph("you", item.text)
        case "called":
            return _paragraph(f"you called {item.tool}", json_text(item.arguments))
        case "result":
            what = "error" if item.error else "result"
            return _paragraph(f"{what} of {item.tool}", item.text)
        case "customer":
            return _paragraph("customer", item.text)


def _paragraph(mark: str, text: str | None) -> str:
    first, *rest = (visible(text or "").splitlines()) or [""]
    name = " ".join(visible(mark).split())
    return "\n".join([f"[{name}] {first}", *(f"  {line}" for line in rest)])


def _tool(tool: Tool) -> str:
    return f"{tool.name}: {tool.description}"


def _stands(seen: Seen) -> Iterator[str]:
    if seen.over is not None:
        yield from _over(seen.over, seen.session)
        return
    case = "" if seen.case is None else f", case {seen.case}"
    turn = (
        "It is your turn."
        if seen.state == "yours"
        else "The customer has not answered yet; wait brings the answer."
    )
    if seen.changed is not None:
        turn = f"{seen.changed} The tool abandon gives it up."
    yield (
        f"-- Episode {seen.session}{case}, step {seen.steps}. Left: "
        f"{_count(seen.steps_left)} steps, {_count(seen.errors_left)} tool errors. {turn}"
    )


def _count(left: int | None) -> str:
    return "any number of" if left is None else str(left)


def _over(over: Over, session: str) -> Iterator[str]:
    why = f" ({one_line(over.why, 200)})" if over.why else ""
    yield f"-- Episode {session} is over: {over.ending}{why}. {over.how}"
    if over.waits_for is not None:
        yield (
            f"Episode {over.waits_for} of the same case is open; the case and the outcome are told "
            "once that is over: look with this session again."
        )
        return
    if over.grade is None:
        yield "It has no outcome, and the case can be begun again."
        return
    grade = over.grade
    solved = {True: "solved", False: "not solved", None: "not graded"}[grade.solved]
    yield f"Reward {grade.reward}: {solved}. The case was {over.task}."
    yield from _checks(grade)
    if (failed := grade.failure) is not None:
        yield f"Laid to: {failed.blame}, at event {failed.seq}: {single_line(failed.why)}"
        for sign in failed.kinds:
            yield f"Failure, {sign.kind} at event {sign.seq}: {single_line(sign.text)}"


def _checks(grade: Grade) -> Iterator[str]:
    for check in (*grade.verdict.end, *grade.verdict.actions):
        met = "met" if check.met else "not met"
        yield f"Check {met}: {_check(check)}{'' if check.counted else ' (not counted)'}"
    for conduct in grade.verdict.conduct:
        yield f"Conduct, not in the reward: {single_line(conduct.text)}"


def _check(check: EndCheck | ActionCheck) -> str:
    side = check.env if isinstance(check, EndCheck) else check.side
    whose = "carrier" if side == "agent" else "customer"
    expected = check.arguments if isinstance(check, EndCheck) else compared(check)
    return f"{whose}: {check.name} {json_text(dict(expected))}"
