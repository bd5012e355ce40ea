"""Which settings a model takes: found by looking at what would be sent.

A client library drops what a provider's protocol has no place for, some with a warning, most
without. So each setting is tried on requests that go nowhere: one that makes no difference to the
bytes is not taken.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any, cast

import httpx2
from msgspec import Struct
from pydantic_ai.direct import model_request
from pydantic_ai.messages import InstructionPart, ModelRequest, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from ringback.canonical import Json

__all__ = ["Sorted", "sort_settings"]

Sent = tuple[bytes, tuple[tuple[str, str], ...]]

_OURS: dict[str, Json] = {"cache": True}
"""What we add where it makes a difference: a long policy is not paid for anew each turn."""


class Sorted(Struct, frozen=True):
    """Settings that go out, and the others with the reason."""

    sent: dict[str, Json]
    dropped: dict[str, str]


async def sort_settings(
    build: Callable[[httpx2.AsyncClient], Model], settings: dict[str, Json], *, tools: bool
) -> Sorted:
    """The settings sorted by whether the model's provider gets to see them.

    `build` makes the model over a client. Where the provider has a transport of its own, what the
    library declares has to do.
    """
    probe = _Probe(build, tools)
    try:
        whole = await probe.sent(settings)
        if whole is None:
            return _declared(probe.model, settings)
        sent: dict[str, Json] = {}
        dropped: dict[str, str] = {}
        for name, value in settings.items():
            rest = {key: held for key, held in settings.items() if key != name}
            if await probe.sent(rest) != whole or await _differs(probe, whole, rest, name, value):
                sent[name] = value
            else:
                dropped[name] = "makes no difference to what this model is sent"
        ours = {**_OURS, **settings}
        if await probe.sent(ours) != whole:
            sent = {**_OURS, **sent}
        return Sorted(sent, dropped)
    finally:
        await probe.close()


async def _differs(
    probe: _Probe, whole: Sent, rest: Mapping[str, Json], name: str, value: Json
) -> bool:
    """Whether another value would have been seen: then this one is what goes out anyway."""
    match value:
        case bool():
            other: Json = not value
        case int() | float():
            other = value + 1
        case "auto":
            other = "none"
        case _:
            return False
    return await probe.sent({**rest, name: other}) not in (whole, None)


def _declared(model: Model, settings: dict[str, Json]) -> Sorted:
    refused = frozenset(model.unsupported_settings)
    return Sorted(
        {name: value for name, value in settings.items() if name not in refused},
        {name: "not taken by this model" for name in settings if name in refused},
    )


class _Probe:
    def __init__(self, build: Callable[[httpx2.AsyncClient], Model], tools: bool) -> None:
        self._seen: list[httpx2.Request] = []
        self._http = httpx2.AsyncClient(transport=httpx2.MockTransport(self._answer))
        self.model = build(self._http)
        tool = ToolDefinition(
            name="look_up",
            description="Looks up.",
            parameters_json_schema={"type": "object", "properties": {"id": {"type": "string"}}},
            strict=False,
        )
        self._parameters = ModelRequestParameters(
            function_tools=[tool] if tools else [],
            instruction_parts=[InstructionPart(content="Be brief.")],
        )

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self._seen.append(request)
        return httpx2.Response(400, json={"error": {"message": "not sent", "type": "probe"}})

    async def sent(self, settings: Mapping[str, Json]) -> Sent | None:
        """Body and extra headers that these settings lead to, None if nothing would go out."""
        self._seen.clear()
        given: dict[str, Any] = dict(settings)
        if "max_retries" not in self.model.unsupported_settings:
            given["max_retries"] = 0
        extra = given.get("extra_headers")
        if not self._takes_client():
            return None
        with contextlib.suppress(Exception):  # the refusal above, however the library words it
            await model_request(
                self.model,
                [ModelRequest(parts=[UserPromptPart(content="Hello.")])],
                model_settings=cast("ModelSettings", given),
                model_request_parameters=self._parameters,
                instrument=False,
            )
        if not self._seen:
            return None
        request = self._seen[0]
        names = sorted(cast("dict[str, str]", extra)) if isinstance(extra, dict) else []
        headers = tuple((name, request.headers.get(name, "")) for name in names)
        return request.content, headers

    def _takes_client(self) -> bool:
        client = getattr(self.model, "client", None)
        return _holds(client, self._http)

    async def close(self) -> None:
        await self._http.aclose()


def _holds(client: object, http: httpx2.AsyncClient) -> bool:
    """Whether an SDK's client uses this HTTP client: nothing may leave while probing."""
    places = [getattr(client, name, None) for name in ("_client", "_api_client")]
    places += [getattr(places[1], name, None) for name in ("_async_httpx_client",)]
    return any(place is http for place in places)
