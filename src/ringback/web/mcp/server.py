"""A server of the Model Context Protocol in front of a door.

The SDK's low-level handlers: a tool that is not there, and arguments that do not fit, reach us, and
are turns of the operator like any other. Of what goes wrong inside, a client is told no words: in
those of a customer's model its instructions may stand.
"""

from __future__ import annotations

import dataclasses
import sys
from typing import Any, cast

import msgspec
from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    Tool,
    ToolAnnotations,
)
from mcp.types.jsonrpc import INVALID_PARAMS

from ringback import __version__
from ringback.canonical import Json
from ringback.errors import InputError, StoreError
from ringback.models.credentials import CredentialError
from ringback.models.protocol import BudgetSpent
from ringback.operating import CustomerAway, Seen
from ringback.report.plain import one_line
from ringback.web.logs import where
from ringback.web.mcp.door import BrokenOff, Door, Shown
from ringback.web.mcp.host import Host
from ringback.web.mcp.telling import conversation, told, told_look
from ringback.web.mcp.tools import OURS, Offered, offered
from ringback.web.mcp.words import INSTRUCTIONS

__all__ = ["POLICY", "server"]

POLICY = "ringback://policy"
"""Where the policy is read."""

_CONVERSATION = "ringback://episodes/"
_ODD = "\0"
_AWAY = (
    "The customer did not answer: their model could not be reached, or failed. The episode stands "
    "where it was; wait asks again. Why is in the record, for whoever runs this server."
)
_KEY = (
    "The customer cannot be asked: their model's credential is missing or was refused, which "
    "whoever runs this server has to put right. The episode stands; wait asks again."
)

_SPENT = (
    "The customer cannot be asked: their model may cost no more on this server. The episode stands "
    "where it was."
)

_STORE = (
    "The store of episodes cannot be used now, perhaps since another process is writing in it; try "
    "again in a moment. Whoever runs this server finds why on its stderr."
)

_Context = ServerRequestContext[dict[str, Any]]


def server(door: Door, host: Host) -> Server[dict[str, Any]]:
    """The server; the same one can talk with any number of clients.

    Raises `InputError` for a domain that cannot be offered (`ringback.web.mcp.tools.offered`).
    """
    tools = [_tool(each) for each in offered(host)]
    serves = _Serves(door, host, tools)
    made = Server(
        "ringback",
        title="Ringback: a support call",
        version=__version__,
        instructions=INSTRUCTIONS,
        get_tool_input_schema=lambda _: None,
        on_list_tools=serves.tools,
        on_call_tool=serves.call,
        on_list_resources=serves.resources,
        on_list_resource_templates=serves.templates,
        on_read_resource=serves.read,
    )
    # Not the SDK's tracing: what happens in an episode is in its record and nowhere else.
    made.middleware[:] = [_let_odd_arguments_through]
    return made


class _Serves:
    """The handlers."""

    def __init__(self, door: Door, host: Host, tools: list[Tool]) -> None:
        self._door, self._host, self._tools = door, host, tools

    async def tools(self, _: _Context, params: PaginatedRequestParams | None) -> ListToolsResult:  # noqa: ARG002
        return ListToolsResult(tools=self._tools)

    async def call(self, context: _Context, params: CallToolRequestParams) -> CallToolResult:
        arguments = cast("dict[str, Json]", params.arguments or {})
        odd = arguments[_ODD] if arguments.keys() == {_ODD} else arguments

        async def tick(waited: float) -> None:
            await context.session.report_progress(
                waited, message=f"The customer has not answered for {waited:.0f} s."
            )

        try:
            found = await self._door.call(params.name, odd, tick)
        except BrokenOff as broken:
            sentence = _told_of(broken.cause, params.name)
            return _away(sentence, broken.session, broken.steps)
        except Exception as problem:  # noqa: BLE001 - its words must not reach the client
            return _refused(_told_of(problem, params.name))
        return _answered(found, params.name)

    async def resources(
        self,
        _: _Context,
        params: PaginatedRequestParams | None,  # noqa: ARG002
    ) -> ListResourcesResult:
        policy = Resource(
            uri=POLICY,
            name="policy",
            title="The policy",
            description="What a support agent is to do and must not do here. Read it first.",
            mime_type="text/markdown",
        )
        return ListResourcesResult(
            resources=[policy, *(_resource(each) for each in self._door.open_episodes())]
        )

    async def templates(
        self,
        _: _Context,
        params: PaginatedRequestParams | None,  # noqa: ARG002
    ) -> ListResourceTemplatesResult:
        template = ResourceTemplate(
            uri_template=_CONVERSATION + "{session}",
            name="conversation",
            title="The conversation of an episode",
            description="What was said and done in an episode so far, as its operator saw it.",
            mime_type="text/plain",
        )
        return ListResourceTemplatesResult(resource_templates=[template])

    async def read(self, _: _Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        uri = str(params.uri)
        try:
            if uri == POLICY:
                kind, text = "text/markdown", self._host.policy_text
            elif uri.startswith(_CONVERSATION):
                found = self._door.look(uri.removeprefix(_CONVERSATION))
                kind, text = "text/plain", conversation(found.conversation)
            else:
                raise InputError(f"There is no resource {one_line(uri, 60)!r} here.")
        except InputError as problem:
            raise MCPError(INVALID_PARAMS, str(problem)) from None
        contents = TextResourceContents(uri=params.uri, mime_type=kind, text=text)
        return ReadResourceResult(contents=[contents])


async def _let_odd_arguments_through(ctx: _Context, call_next: CallNext) -> HandlerResult:
    """Hand on arguments that are no object, which the protocol would refuse: they are a turn."""
    params = ctx.params
    if ctx.method == "tools/call" and params is not None:
        given = params.get("arguments")
        # An object of this one key would be taken for what is handed on so.
        plain = isinstance(given, dict) and list(cast("dict[str, Any]", given)) != [_ODD]
        if given is not None and not plain:
            changed: dict[str, Any] = {**params, "arguments": {_ODD: given}}
            ctx = dataclasses.replace(ctx, params=changed)
    return await call_next(ctx)


def _tool(each: Offered) -> Tool:
    return Tool(
        name=each.name,
        description=each.description,
        input_schema=each.schema,
        annotations=ToolAnnotations(
            read_only_hint=each.looks, destructive_hint=False, open_world_hint=False
        ),
    )


def _resource(session: str) -> Resource:
    return Resource(
        uri=_CONVERSATION + session,
        name=session,
        title=f"The conversation of episode {session}",
        mime_type="text/plain",
    )


def _answered(found: Seen | Shown, name: str) -> CallToolResult:
    """An answer as structure and as text; an error of a tool of the carrier's is marked as one.

    Not in what tells of it later, as wait does.
    """
    if isinstance(found, Shown):
        return _result(told_look(found.look, found.part), _of_look(found))
    wrong = name not in OURS and any(item.error for item in found.news)
    return _result(told(found), msgspec.to_builtins(found), error=wrong)


def _of_look(shown: Shown) -> dict[str, Any]:
    whole: dict[str, Any] = msgspec.to_builtins(shown.look)
    kept = {"stands", "variant", *(("policy",) if shown.part == "all" else (shown.part,))}
    if shown.part == "all":
        return whole
    return {key: value for key, value in whole.items() if key in kept}


def _told_of(problem: Exception, name: str) -> str:
    """What a client is told of what went wrong in this tool; the rest goes to stderr."""
    match problem:
        case CustomerAway():
            return _AWAY
        case CredentialError():
            return _KEY
        case BudgetSpent():
            return _SPENT
        case InputError():
            return str(problem)
        case StoreError():
            _say(str(problem))
            return _STORE
        case _:
            _say(f"{name} went wrong inside: {where(problem)}")
            return (
                f"This went wrong inside ({type(problem).__name__}). What was recorded stands; "
                "look says where the episode is."
            )


def _refused(sentence: str) -> CallToolResult:
    """What was not done, and is in no record."""
    return _result(sentence, {"refused": sentence}, error=True)


def _away(sentence: str, session: str, steps: int | None) -> CallToolResult:
    """What is in the record as far as it got, and is not to be asked for again."""
    at = "" if steps is None else f" at step {steps}"
    text = f"{sentence} What you did is recorded: episode {session} stands{at}; do not repeat it."
    return _result(text, {"away": sentence, "session": session, "steps": steps}, error=True)


def _result(text: str, structure: dict[str, Any], *, error: bool = False) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(text=text)], structured_content=structure, is_error=error
    )


def _say(sentence: str) -> None:
    sys.stderr.write(f"ringback: {one_line(sentence, 300)}\n")
    sys.stderr.flush()
