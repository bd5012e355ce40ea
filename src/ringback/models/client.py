"""A hosted model's connection: pydantic-ai's model over an HTTP client of ours.

Loads the client library, so it is imported only when a model is asked or made ready.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import re
import warnings
from collections.abc import AsyncGenerator, Iterator, Mapping
from typing import Any, cast

import httpx2
import msgspec
from msgspec import Struct
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import UsageExtractionFailedWarning, UserError
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import Model, create_async_httpx2_client, infer_model
from pydantic_ai.profiles import merge_profile
from pydantic_ai.providers import Provider, infer_provider_class
from pydantic_ai.settings import ModelSettings

from ringback.canonical import Json
from ringback.episode.wire import Message, Request, Usage
from ringback.errors import InputError
from ringback.models.bounds import MOST_KEPT, ReplyTooLong, bounded
from ringback.models.convert import (
    begun_in_thought,
    details_of,
    message_of,
    messages_of,
    parameters_of,
    usage_of,
)
from ringback.models.credentials import CredentialError
from ringback.models.failures import problem_of, refusal_of
from ringback.models.fitting import refuse_unfit
from ringback.models.patience import Fault
from ringback.models.probing import Sorted, sort_settings
from ringback.models.providers import COMPATIBLE, lacking
from ringback.models.secrecy import NO_KEY, Redactor, blank_key, keys_of

__all__ = ["Client", "Said", "Target", "build", "check"]

_VARIABLE = re.compile(r"`([A-Z][A-Z0-9]*_[A-Z0-9_]+)`")
_NO_TAGS = ("\0ringback:", "\0:ringback")
"""Tags that no reply has: the library drops a tag that is never closed, and what it held would be
taken for words; `ringback.models.thinking` tells them apart instead."""
_PATIENT = httpx2.Timeout(None, connect=10.0)  # how long a try may take is decided outside


class Target:
    """Which model, where, with which key. `name` is what the user calls it."""

    def __init__(
        self, name: str, full: str, *, base_url: str | None, named: bool, key_env: str | None
    ) -> None:
        self.name = name
        self.provider, _, self.model = full.partition(":")
        self.base_url = base_url
        self.named = named
        self.key_env = key_env

    @property
    def compatible(self) -> bool:
        """Whether it is an endpoint of the user's that speaks OpenAI's chat completions."""
        return self.named and self.provider in ("openai", "openai-chat")

    def key(self) -> str | None:
        """The key in `key_env`, None where the provider's own variable is to be looked at.

        Raises `InputError` if the variable is empty or not set.
        """
        if self.key_env is None:
            return None
        if key := os.environ.get(self.key_env, "").strip():
            return key
        raise _missing(self.name, self.key_env)


def build(target: Target, http_client: httpx2.AsyncClient | None = None) -> Model:
    """The library's model, over this HTTP client where the provider takes one.

    Raises `InputError` for a package or key that is missing, and for an address or a key that
    nothing can be sent to or with.
    """
    try:
        if target.compatible:
            return _usable(target, _compatible(target, http_client))
        model = infer_model(
            f"{target.provider}:{target.model}",
            lambda provider: _provider(target, provider, http_client),
        )
        return _usable(target, model)
    except httpx2.InvalidURL:
        raise InputError(
            f"The address of {target.name} cannot be used; look at its base_url, or at the "
            f"environment variable {target.provider.upper().replace('-', '_')}_BASE_URL."
        ) from None
    except ImportError as problem:
        raise lacking(target.name, target.provider, problem) from None
    except UserError as problem:
        raise _unopened(target, str(problem)) from None


def _usable(target: Target, model: Model) -> Model:
    """The model, unless its key holds what no header can."""
    for key in _keys_of(model):
        if not all(" " <= letter <= "~" for letter in key):
            held = [name for name, value in os.environ.items() if value.strip() == key.strip()]
            where = target.key_env or (held[0] if held else f"the key of {target.provider}")
            raise InputError(
                f"{target.name} cannot be asked with the key in {where}: it holds a line break, an "
                "accented letter or the like, which no request can carry; set it anew."
            )
    return model


def check(target: Target, settings: Mapping[str, Json]) -> None:
    """Raise `InputError` for a package or key that is missing, and for settings that do not fit.

    Opens no connection.
    """
    refuse_unfit(settings, target.name)
    transport = httpx2.MockTransport(_nowhere)
    build(target, httpx2.AsyncClient(transport=transport, timeout=_PATIENT))


def _nowhere(_: httpx2.Request) -> httpx2.Response:
    return httpx2.Response(503)


def _compatible(target: Target, http_client: httpx2.AsyncClient | None) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    from ringback.models.lean import lean_client

    assert target.base_url is not None
    client = lean_client(target.base_url, target.key(), http_client)
    client.max_retries = 0  # said for each call, it would cost a copy of the client each time
    provider = OpenAICompatibleProvider(COMPATIBLE, openai_client=client)
    # Without the transformer the library would walk all schemas anew for each call, to change
    # nothing: none of them is strict.
    return OpenAIChatModel(
        target.model, provider=provider, profile={"json_schema_transformer": None}
    )


def _provider(target: Target, name: str, http_client: httpx2.AsyncClient | None) -> Provider[Any]:
    if target.key_env is None and target.base_url is None and (blank := blank_key(name)):
        raise _missing(target.name, blank)  # clients take it for a key, or fall over it
    kind = infer_provider_class(name)
    takes = inspect.signature(kind).parameters
    given: dict[str, object] = {}
    if target.base_url is not None and (target.named or "base_url" in takes):
        if "base_url" not in takes:
            raise InputError(
                f"{target.name} has a base_url, which {name} does not take; for an endpoint that "
                f"speaks OpenAI's protocol write openai:{target.model}."
            )
        given["base_url"] = target.base_url
    if (key := target.key()) is not None:
        if "api_key" not in takes:
            raise InputError(f"{target.name} has a key_env, which {name} does not take.")
        given["api_key"] = key
    wanted = str(takes["http_client"].annotation) if "http_client" in takes else ""
    if http_client is not None and re.search(r"httpx2|HTTPClient", wanted):
        given["http_client"] = http_client
    return kind(**given)


def _missing(name: str, variable: str, what: str = "key") -> InputError:
    sentence = (
        f"{name} needs its {what} in the environment variable {variable}, which is not set; set it "
        f"with export {variable}=..."
    )
    if what != "key":
        return InputError(sentence)
    return CredentialError(sentence, "missing", words=f"{variable} is not set")


def _unopened(target: Target, said: str) -> InputError:
    if found := _VARIABLE.search(said):
        address = found[1].endswith(("_URL", "_ENDPOINT"))
        return _missing(target.name, found[1], "address" if address else "key")
    return InputError(
        f"{target.name} cannot be opened: {Redactor().error(said.partition('. ')[0])}"
    )


class Said(Struct, frozen=True):
    """A whole reply in our terms. `refused` says why the provider would not answer."""

    message: Message
    model: str | None
    usage: Usage
    finish: str | None
    details: dict[str, str]
    refused: str | None


class Client:
    """A connection that belongs to the event loop it is made in, and closes with it."""

    def __init__(self, target: Target) -> None:
        _quieten()
        self._target = target
        self._http = bounded(create_async_httpx2_client(timeout=_PATIENT))
        self._model = build(target, self._http)
        self._model.profile = merge_profile(self._model.profile, {"thinking_tags": _NO_TAGS})
        self._key_name = target.key_env or f"the key of {target.provider}"
        own = () if target.compatible else keys_of(target.provider)
        self.redactor = Redactor([*_keys_of(self._model), *own])
        self._sorted: dict[tuple[str, bool], Sorted] = {}
        self._sorting = asyncio.Lock()
        self._closing: AsyncGenerator[None] | None = None

    @property
    def system(self) -> str:
        """The provider's name, as messages carry it."""
        return self._model.system

    async def sort(self, settings: Mapping[str, Json], tools: bool) -> Sorted:
        """Which of the settings go out to this model, and why the others do not."""
        kept = (repr({**settings, "seed": None} if "seed" in settings else settings), tools)
        if (found := self._sorted.get(kept)) is None:
            refuse_unfit(settings, self._target.name)
            async with self._sorting:
                found = self._sorted.get(kept) or await sort_settings(
                    lambda client: build(self._target, client), dict(settings), tools=tools
                )
            self._sorted[kept] = found
        if "seed" in found.sent:  # each episode has its own; what becomes of it is the same
            found = Sorted({**found.sent, "seed": settings["seed"]}, found.dropped)
        return found

    async def request(self, request: Request, settings: Mapping[str, Json]) -> Said:
        """One try. Raises `Fault`, or `InputError` for what the user has to put right."""
        if self._closing is None:
            self._closing = _closes(self._http)
            await anext(self._closing)
        sent = cast("ModelSettings", dict(settings))
        if not self._target.compatible and "max_retries" not in self._model.unsupported_settings:
            sent["max_retries"] = 0  # the library would try again behind our back
        messages = messages_of(request, self.system)
        parameters = parameters_of(request)
        try:
            response = await model_request(
                self._model,
                messages,
                model_settings=sent,
                model_request_parameters=parameters,
                instrument=False,
            )
            return self._read(response, begun_in_thought(request, self.system))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            # Nobody cancelled us: a library below let its own cancellation out.
            why = "The connection was given up by the client library."
            raise Fault("infrastructure", why, again=True, charged=True) from None
        except Exception as problem:  # noqa: BLE001 - a hostile reply may break the library anywhere
            raise problem_of(problem, self._target.name, self._key_name, self.redactor) from None

    def _read(self, response: ModelResponse, begun: bool) -> Said:
        refused = refusal_of(response)
        said = Said(
            message=message_of(response, self.redactor, begun=begun),
            model=response.model_name and self.redactor.error(response.model_name, 200),
            usage=usage_of(response),
            finish=response.finish_reason,
            details=details_of(response),
            refused=None if refused is None else self.redactor.error(refused),
        )
        if len(msgspec.json.encode(said)) > MOST_KEPT:  # breaks at what no record can hold
            raise ReplyTooLong(MOST_KEPT)
        return said

    async def close(self) -> None:
        """Close the connections."""
        if self._closing is not None:
            await self._closing.aclose()
        await self._http.aclose()


async def _closes(http: httpx2.AsyncClient) -> AsyncGenerator[None]:
    """Closes the client when the event loop shuts down its generators, at its end."""
    try:
        yield
    finally:
        await http.aclose()


def _keys_of(model: Model) -> Iterator[str]:
    """The key that the model's client sends, as far as it tells."""
    client = getattr(model, "client", None)
    for place in (client, getattr(client, "_api_client", None)):
        key = getattr(place, "api_key", None)
        if isinstance(key, str) and key != NO_KEY:
            yield key


def _quieten() -> None:
    # At DEBUG these write headers, and with them whatever a server makes of a key, into the log.
    for name in ("httpcore", "httpcore2", "openai", "anthropic", "google_genai"):
        logger = logging.getLogger(name)
        if logger.level == logging.NOTSET:
            logger.setLevel(logging.INFO)
    # What the library would warn about stands in the answer: settings dropped, usage unknown.
    for category in (UserWarning, UsageExtractionFailedWarning):
        for module in (r"pydantic_ai\b", r"ringback\.models\b"):
            wanted = ("ignore", None, category, re.compile(module), 0)
            if wanted not in warnings.filters:
                warnings.filterwarnings("ignore", category=category, module=module)
