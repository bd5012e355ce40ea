"""A model behind an API, asked through pydantic-ai: patient, paced, priced, without a key in sight.

The library is loaded when the model is asked or made ready, not before.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import msgspec

from ringback.canonical import Json
from ringback.episode.wire import Answer, Attempt, Price, Request, Usage
from ringback.errors import InputError
from ringback.models.gate import Gate
from ringback.models.ledger import Ledger
from ringback.models.patience import Patience, Tries, patience_of, patiently
from ringback.models.prices import Tariff
from ringback.models.protocol import ModelEntry
from ringback.models.providers import base_url_of, install
from ringback.models.secrecy import refuse_secrets, refuse_secrets_in_url

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse

    from ringback.models.client import Client, Target
    from ringback.models.probing import Sorted

__all__ = ["HostedModel"]

_OURS = ("timeout", "max_retries")
"""Settings that say how patient we are and do not go out."""

_NOTHING_SENT = Price(None, "no reply, and the provider does not say whether it charges for that")
_FORM = "hosted models are given tools, and held to no form of the whole reply"


class HostedModel:
    """One model of a provider. Opening it loads nothing and needs no key; asking it does.

    `name` is what it was asked for as: ``provider:model`` or the alias of `entry`. Usable from any
    event loop; connections, places and pace are of the loop.
    """

    def __init__(self, name: str, entry: ModelEntry, *, ledger: Ledger | None = None) -> None:
        self._name = name
        self._entry = entry
        self._ledger = ledger or Ledger()
        self._provider, _, self._model = entry.model.partition(":")
        self._base_url = base_url_of(self._provider, entry.base_url, os.environ)
        if self._base_url is not None:
            refuse_secrets_in_url(self._base_url, name)
        self._tariff = Tariff(
            _family(self._provider), self._model, url=self._base_url, own=entry.price
        )
        self._seats: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[Client, Gate]] = (
            WeakKeyDictionary()
        )

    @property
    def name(self) -> str:
        """The name as asked for."""
        return self._name

    @property
    def identity(self) -> dict[str, Json]:
        """Model, endpoint where it is not the provider's own, and the entry's settings."""
        found: dict[str, Json] = {"model": self._entry.model}
        if self._base_url is not None:
            found["endpoint"] = self._base_url
        settings = {k: v for k, v in self._entry.settings.items() if k not in _OURS}
        if settings:
            found["settings"] = settings
        return found

    @property
    def holds_form(self) -> bool:
        """False: providers differ too much in what they make of a schema."""
        return False

    def ready(self) -> None:
        """Make sure that it can be asked. Loads the library; sends nothing.

        Raises `InputError` for a package or key that is missing, and under a budget where its
        price is not known.
        """
        target = self._target()
        from ringback.models.client import build

        build(target)
        if self._ledger.budget_usd is not None and not self._tariff.known:
            raise InputError(
                f"A budget cannot be kept with {self._name}, whose price is not known; give "
                "price = {input = ..., output = ...} in USD per million tokens in its "
                "[models.NAME], or leave --budget out."
            )

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        if seat := self._seats.pop(asyncio.get_running_loop(), None):
            await seat[0].close()

    async def ask(self, request: Request, *, seconds: float) -> Answer:
        """The model's answer; see `Model.ask`.

        Raises `InputError` also where the provider refuses the key, has no credit left for it or
        does not know the model.
        """
        settings = {**self._entry.settings, **request.settings}
        refuse_secrets(request.settings, self._name)
        patience = patience_of(settings, self._name)
        for ours in _OURS:
            settings.pop(ours, None)
        client, gate = self._seat()
        settled = await client.sort(settings, bool(request.tools))

        def guess() -> float | None:
            longest = settings.get("max_tokens")
            output = longest if isinstance(longest, int) else 1_000
            return self._tariff.guess(len(msgspec.json.encode(request)), output)

        async with self._ledger.holding(self._name, guess) as hold:
            tries = await self._tried(client, gate, request, settled, patience, seconds)
            answer = self._answer(client, request, settled, tries)
            hold.settle(answer, lost=tries.charged)
        return answer

    async def _tried(
        self,
        client: Client,
        gate: Gate,
        request: Request,
        settled: Sorted,
        patience: Patience,
        seconds: float,
    ) -> Tries[ModelResponse]:
        return await patiently(
            lambda: client.request(request, settled.sent),
            patience=patience,
            seconds=seconds,
            gate=gate,
        )

    def _answer(
        self, client: Client, request: Request, settled: Sorted, tries: Tries[ModelResponse]
    ) -> Answer:
        from ringback.models.convert import details_of, message_of, usage_of
        from ringback.models.failures import refusal_of

        dropped = dict(settled.dropped)
        if request.form is not None:
            dropped["form"] = _FORM
        response, fault = tries.value, tries.fault
        if response is None:
            assert fault is not None
            return Answer(
                message=None,
                model=None,
                seconds=tries.seconds,
                usage=Usage(),
                price=_NOTHING_SENT,
                failure=fault.failure,
                why=fault.why,
                sent=settled.sent,
                dropped=dropped,
                attempts=tries.attempts,
            )
        usage = usage_of(response)
        answered = response.model_name and client.redactor.error(response.model_name, 200)
        refused = refusal_of(response)
        attempts = tries.attempts
        if refused is not None:
            refused = client.redactor.error(refused)
            last = tries.seconds - sum(attempt.seconds for attempt in attempts)
            attempts = (*attempts, Attempt("refusal", refused, max(last, 0.0)))
        return Answer(
            message=None if refused is not None else message_of(response, client.redactor),
            model=answered,
            seconds=tries.seconds,
            usage=usage,
            price=self._tariff.price(usage, answered, details_of(response)),
            finish=response.finish_reason,
            failure="refusal" if refused is not None else None,
            why=refused,
            sent=settled.sent,
            dropped=dropped,
            attempts=attempts,
        )

    def _seat(self) -> tuple[Client, Gate]:
        loop = asyncio.get_running_loop()
        if (seat := self._seats.get(loop)) is None:
            self.ready()
            from ringback.models.client import Client

            gate = Gate(self._entry.concurrency, self._entry.per_minute)
            seat = self._seats[loop] = (Client(self._target()), gate)
        return seat

    def _target(self) -> Target:
        try:
            from ringback.models.client import Target
        except ImportError:
            raise InputError(
                f"{self._name} needs a package that is not installed; {install(self._provider)}"
            ) from None
        return Target(
            self._name,
            self._entry.model,
            base_url=self._base_url,
            named=self._entry.base_url is not None,
            key_env=self._entry.key_env,
        )


def _family(provider: str) -> str:
    bare = provider.removesuffix("-chat").removesuffix("-responses")
    return "google" if bare == "google-cloud" else bare
