"""OpenAI's client without its walk over every message, for endpoints that speak its protocol.

Before a request the SDK walks the whole conversation against its type annotations, to rename keys
that need it and to encode files. Chat messages of text, calls and results have neither, and late in
a session the walk is nine tenths of the processor time of a call. What goes out is the same, which
a test holds; only the walk is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import httpx2
import openai
from openai import NotGiven, Omit
from openai.resources.chat import AsyncChat, AsyncCompletions
from openai.types.chat import ChatCompletion

from ringback.models.causes import error_in
from ringback.models.secrecy import NO_KEY

__all__ = ["lean_client"]


class _Completions(AsyncCompletions):
    async def create(self, **given: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        if given.get("stream"):
            return await super().create(**given)  # pyright: ignore[reportUnknownVariableType]
        options: dict[str, Any] = {}
        for name, option in (("extra_headers", "headers"), ("extra_body", "extra_json")):
            if (value := given.pop(name, None)) is not None:
                options[option] = value
        if not isinstance(timeout := given.pop("timeout", NotGiven()), NotGiven):
            options["timeout"] = timeout
        body: Mapping[str, Any] = {
            name: value for name, value in given.items() if not isinstance(value, Omit | NotGiven)
        }
        reply: Any = await self._client.post(
            "/chat/completions",
            cast_to=ChatCompletion,
            body=body,
            options=options,  # pyright: ignore[reportArgumentType]
        )
        self._check(reply)
        return reply

    def _check(self, reply: object) -> None:
        """Raise the error that some servers and relays send with the status of a success."""
        if not isinstance(reply, ChatCompletion) or getattr(reply, "choices", None):
            return
        more = reply.model_extra or {}
        error = more.get("error") or (more if "message" in more else None)
        if (said := error_in(error)) is not None:
            raise openai.APIError(said, httpx2.Request("POST", self._client.base_url), body=error)


class _Chat(AsyncChat):
    @cached_property
    def completions(self) -> AsyncCompletions:  # pyright: ignore[reportIncompatibleMethodOverride]
        return _Completions(self._client)


class AsyncOpenAI(openai.AsyncOpenAI):
    """OpenAI's, under its own name, which it sends along."""

    @cached_property
    def chat(self) -> AsyncChat:  # pyright: ignore[reportIncompatibleMethodOverride]
        return _Chat(self)


def lean_client(
    base_url: str, key: str | None, http: httpx2.AsyncClient | None
) -> openai.AsyncOpenAI:
    """A client for this endpoint; without a key a word goes out that is none."""
    return AsyncOpenAI(base_url=base_url, api_key=key or NO_KEY, http_client=http)
