"""``ringback tools``: what each side can call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ringback.cli.options import AsJson, DomainName

if TYPE_CHECKING:
    from ringback.domain import Tool

__all__ = ["print_tools", "tools"]


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
    from ringback.cli.output import print_lines

    print_lines([*([] if first else [""]), f"{name}: {len(found)} tools"])
    print_tools(found)


def print_tools(tools: Sequence[Tool], *, whole: bool = False) -> None:
    """Print tools as code, each with what it does; `whole` says what each argument is too."""
    from rich.text import Text

    from ringback.cli.output import console, print_lines
    from ringback.report.plain import visible

    out = console()
    for tool in tools:
        print_lines(["", f"  {_signature(tool)}"])
        says = [tool.description]
        if whole:
            fields = tool.parameters.get("properties", {}).items()
            says += [f"{name}: {field.get('description') or '-'}" for name, field in fields]
        for text in says:
            wrapped = Text(visible(text)).wrap(out, max(20, out.width - 6))
            print_lines(f"      {line.plain}".rstrip() for line in wrapped)


def _signature(tool: Tool) -> str:
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
