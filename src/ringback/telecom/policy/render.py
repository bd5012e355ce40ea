"""The policy in words: the shared rules, then the workflow's steps or the manual's topics."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import resources

from ringback.telecom.policy.facts import ACCOUNT_TOOLS, FACTS, PHONE_TOOLS, TROUBLES, fact
from ringback.telecom.policy.model import Do, Fact, Goal, Step, Use, When
from ringback.telecom.policy.rules import RULES
from ringback.telecom.policy.workflow import GOALS, STAGES

__all__ = ["manual", "workflow"]

_TITLE = "# Instructions for support agents of a mobile carrier"
_NAMES = {item.topic: item.name for item in TROUBLES}


@cache
def workflow() -> str:
    """The `workflow` variant: the shared rules and the ordered steps, rendered from the data."""
    return _join([*_opening(), *_workflow()])


@cache
def manual() -> str:
    """The `manual` variant: the shared rules, then background, causes and remedies by topic."""
    text = resources.files("ringback.telecom.policy").joinpath("manual.md").read_text("utf-8")
    return _join([*_opening(), text.strip()])


def _join(blocks: Iterable[str]) -> str:
    return "\n\n".join(blocks) + "\n"


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _opening() -> list[str]:
    blocks = [
        _TITLE,
        "You help customers whose phone has one of these troubles:",
        _list(f"{item.name}: {item.words}." for item in TROUBLES),
    ]
    for section in RULES:
        blocks += [f"## {section.title}", _list(section.points)]
    blocks += [
        "## Your tools",
        _list(map(_use, ACCOUNT_TOOLS)),
        "## The phone's actions, which are the customer's",
        "The names are given so that you and the customer mean the same thing; everyday words do "
        "as well.",
        _list(map(_use, PHONE_TOOLS)),
    ]
    return blocks


def _use(use: Use) -> str:
    return f"`{use.tool}`: {use.words}"


def _workflow() -> list[str]:
    blocks = [
        "## The workflow",
        "Find the customer and the line first. Then take the steps in order, leaving out those "
        "whose heading does not name the trouble at hand. A step is done when its condition does "
        "not hold, or when what it asks for has been carried out. Check whether the trouble is "
        "over after the last step that changed something, or sooner.",
        "If it is not over when the last step is done, begin again: read everything anew and this "
        "time take the steps of all troubles. If that does not help either, transfer.",
        "### What to find out",
        _list(map(_fact, FACTS)),
    ]
    number = 0
    for stage in STAGES:
        blocks.append(f"### {stage.title}")
        for step in stage.steps:
            number += 1
            blocks.append(_step(number, step))
    blocks += ["### When it is over", _list(map(_goal, GOALS))]
    return blocks


def _fact(item: Fact) -> str:
    states = ", ".join(f"`{state}`" for state in item.states)
    match item.source:
        case "account":
            how = f"from your tool {_tools(item.tools)}"
        case "phone":
            how = f"the customer reads it with {_tools(item.tools)}"
        case "customer":
            how = "the customer knows"
    note = f" {item.note}" if item.note else ""
    return f"{item.label[0].upper()}{item.label[1:]} ({how}): {states}.{note}"


def _tools(names: tuple[str, ...]) -> str:
    return " or ".join(f"`{name}`" for name in names)


def _step(number: int, step: Step) -> str:
    scope = "; ".join(_NAMES[topic] for topic in step.topics)
    lines = [f"**Step {number}. {step.title}** ({scope})", ""]
    lines.append(f"Where {', and '.join(map(_when, step.when))}")
    lines += [f"  {index}. {line}" for index, line in enumerate(_actions(step), 1)]
    lines += ["", f"{step.why} Otherwise go on."]
    return "\n".join(lines)


def _when(when: When) -> str:
    return f"{fact(when.fact).label} is {' or '.join(f'`{state}`' for state in when.states)}"


def _actions(step: Step) -> list[str]:
    lines: list[str] = []
    if step.consent is not None:
        lines.append(
            f"Tell the customer {step.consent}. Go on only after a yes; on a no, transfer."
        )
    lines += map(_do, step.do)
    if step.transfer:
        lines.append("Transfer the call (`transfer_to_human_agents`), then tell the customer.")
    again = dict.fromkeys(name for do in step.do for name in do.reread)
    if again:
        names = " and ".join(fact(name).label for name in again)
        lines.append(f"Have the customer read {names} again.")
    return lines


def _do(do: Do) -> str:
    fixed = [f"{name} = {value}" for name, value in do.arguments if not _taken(value)]
    call = f"`{do.tool}`" + (f" with {', '.join(fixed)}" if fixed else "")
    if do.side == "agent":
        return f"You: {do.words} ({call})."
    return f"Ask the customer to {do.words} ({call})."


def _taken(value: object) -> bool:
    return isinstance(value, str) and value.startswith("$")


def _goal(goal: Goal) -> str:
    return f"{_NAMES[goal.topic]}: {goal.words} (`{goal.tool}`, by the customer)."
