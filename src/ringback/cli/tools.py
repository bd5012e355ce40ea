"""``ringback tools``: what each side can call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ringback.cli.options import AsJson, DomainName

if TYPE_CHECKING:
    from ringback.domain import Tool

__all__ = ["signature", "tools"]


def tools(
    side: Annotated[
        str | None, Parameter(name="SIDE", help="agent or user; both if left out.")
    ] = None,
    /,
    *,
    domain: DomainName = "telecom",
    json: AsJson = False,
) -> int:
    """List the tools of the agent and of the user, with their arguments."""
    from ringback.cli.output import print_json
    from ringback.domain import SIDES
    from ringback.domains import load
    from ringback.errors import InputError

    if side is not None and side not in SIDES:
        raise InputError(f"There is no side {side!r}; it is {' or '.join(SIDES)}.")
    world = load(domain)
    listed = {name: world.tools(name) for name in SIDES if side in (None, name)}
    if json:
        print_json(listed)
        return 0
    for number, (name, found) in enumerate(listed.items()):
        _print_side(name, found, first=number == 0)
    return 0


def _print_side(name: str, found: Sequence[Tool], *, first: bool) -> None:
    from rich.padding import Padding
    from rich.text import Text

    from ringback.cli.output import console, print_lines
    from ringback.report.plain import visible

    out = console()
    print_lines([*([] if first else [""]), f"{name}: {len(found)} tools"])
    for tool in found:
        print_lines(["", f"  {signature(tool)}"])
        out.print(Padding(Text(visible(tool.description)), (0, 0, 0, 6)))


def signature(tool: Tool) -> str:
    """A tool as code: its name, its arguments with their kinds, and their defaults."""
    return f"{tool.name}({', '.join(_arguments(tool.parameters))})"


def _arguments(parameters: Mapping[str, Any]) -> Iterator[str]:
    required = parameters.get("required", ())
    for name, schema in parameters.get("properties", {}).items():
        kind = _kind(schema)
        if name in required:
            yield f"{name}: {kind}"
        else:
            default = schema.get("default")
            yield f"{name}: {kind} = {default}" if default is not None else f"{name}?: {kind}"


def _kind(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(str(value) for value in schema["enum"])
    return str(schema.get("type", "any"))
