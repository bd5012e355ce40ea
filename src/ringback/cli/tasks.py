"""``ringback tasks``: which cases there are, and what one of them holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ringback.cli.options import AsJson, DomainName

if TYPE_CHECKING:
    from ringback.domain import ActionCheck, EndCheck, Task

__all__ = ["list_", "show"]


def list_(
    *,
    split: Annotated[
        str | None,
        Parameter(
            help="Which set of tasks; of telecom test, train, base, small or full.", metavar="NAME"
        ),
    ] = None,
    family: Annotated[
        str | None, Parameter(help="Only tasks of this family.", metavar="NAME")
    ] = None,
    domain: DomainName = "telecom",
    json: AsJson = False,
) -> int:
    """List the tasks of a split, in their fixed order."""
    from ringback.cli.output import print_json, print_table
    from ringback.domains import load
    from ringback.errors import InputError

    world = load(domain)
    split = world.splits[0] if split is None else split
    tasks = list(world.tasks(split))
    if family is not None:
        families = sorted({task.family for task in tasks})
        tasks = [task for task in tasks if task.family == family]
        if not tasks:
            known = ", ".join(families)
            raise InputError(f"Split {split} has no family {family!r}; it has {known}.")
    if json:
        print_json({"domain": world.name, "split": split, "count": len(tasks), "tasks": tasks})
        return 0
    print_table(
        [("faults", "right"), ("solved by", "left"), ("task", "left")],
        ([str(len(task.faults)), _outcome(task), task.id] for task in tasks),
        fit=False,
    )
    return 0


def show(
    task_id: Annotated[str, Parameter(name="ID", help="The task's id, in quotes.")],
    /,
    *,
    domain: DomainName = "telecom",
    json: AsJson = False,
) -> int:
    """Show one task: what is broken, what the caller knows and what counts as solved."""
    from ringback.cli.output import console, print_json, print_lines
    from ringback.domains import load

    world = load(domain)
    task = world.task(task_id)
    scenario = world.scenario(task).text
    verdict = world.check(task, (), world.world(task))
    if json:
        print_json(
            {
                "domain": world.name,
                "task": task,
                "scenario": scenario,
                "basis": verdict.basis,
                "end": [_end_object(check) for check in verdict.end],
                "actions": [_action_object(check) for check in verdict.actions],
            }
        )
        return 0
    print_lines(
        [
            task.id,
            f"  family     {task.family}",
            f"  persona    {task.persona}",
            f"  faults     {', '.join(task.faults)}",
            f"  solved by  {_outcome(task)}",
            "",
            "What the caller knows (hidden from the agent)",
        ]
    )
    from rich.padding import Padding
    from rich.text import Text

    from ringback.report.plain import visible

    console().print(Padding(Text(visible(scenario.strip())), (0, 0, 0, 2)))
    print_lines(["", "At the end"])
    print_lines(f"  {_call(check.name, check)}{_uncounted(check)}" for check in verdict.end)
    print_lines(["", "Steps expected"])
    print_lines(
        f"  {check.side:<5}  {_call(check.name, check)}{_uncounted(check)}"
        for check in verdict.actions
    )
    return 0


def _outcome(task: Task) -> str:
    return "repair" if task.repairable else "transfer"


def _uncounted(check: EndCheck | ActionCheck) -> str:
    return "" if check.counted else "  (shown, not counted)"


def _call(name: str, check: EndCheck | ActionCheck) -> str:
    from ringback.report.plain import value_text

    inside = ", ".join(f"{key}={value_text(value)}" for key, value in check.arguments.items())
    return f"{name}({inside})"


def _end_object(check: EndCheck) -> dict[str, object]:
    return {"name": check.name, "arguments": check.arguments, "counted": check.counted}


def _action_object(check: ActionCheck) -> dict[str, object]:
    return {
        "name": check.name,
        "side": check.side,
        "arguments": check.arguments,
        "counted": check.counted,
    }
