"""A model behind an API, asked through pydantic-ai: patient, paced, priced, without a key in sight.

The library is loaded when the model is asked or made ready, not before.
"""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import msgspec
from msgspec.structs import replace

from ringback.canonical import Json
from ringback.episode.wire import Answer, Attempt, Failure, Price, Request, Usage
from ringback.errors import InputError
from ringback.models.gate import Gate
from ringback.models.halt import Halt
from ringback.models.ledger import Ledger
from ringback.models.patience import Fault, Tries, patience_of, patiently
from ringback.models.prices import Tariff, unanswered
from ringback.models.protocol import ModelEntry
from ringback.models.providers import base_url_of, lacking
from ringback.models.secrecy import refuse_secrets, refuse_secrets_in_url
from ringback.models.settings import check_settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from ringback.models.client import Client, Said, Target
    from ringback.models.probing import Sorted

__all__ = ["HostedModel"]

_OURS = ("timeout", "max_retries")
"""Settings that say how patient we are and do not go out."""

_NOT_SENT = Price(0.0, "nothing was sent")
_FORM = "hosted models are given tools, and held to no form of the whole reply"
_CHARACTERS = 6
"""No tokenizer puts more of them into a token, over a whole conversation."""


class HostedModel:
    """One model of a provider. Opening it loads nothing and needs no key; asking it does.

    `name` is what it was asked for as: ``provider:model`` or the alias of `entry`. Usable from any
    event loop; connections, places and pace are of the loop. `say` hears once, in a sentence, that
    it has not answered yet and is tried again.
    """

    def __init__(
        self,
        name: str,
        entry: ModelEntry,
        *,
        ledger: Ledger | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self._name = name
        self._entry = entry
        self._ledger = ledger or Ledger()
        self._reached = False
        self._say = say
        self._provider, _, self._model = entry.model.partition(":")
        self._base_url = base_url_of(self._provider, entry.base_url, os.environ)
        if self._base_url is not None:
            refuse_secrets_in_url(self._base_url, name, self._keys())
        self._tariff = Tariff(self._provider, self._model, url=self._base_url, own=entry.price)
        self._seats: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[Client, Gate]] = (
            WeakKeyDictionary()
        )
        self._halt = Halt()

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
        if self._entry.context is not None:
            found["context"] = self._entry.context
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
        from ringback.models.client import check

        check(target, self._entry.settings)
        check_settings(self._entry.settings, f"[models.{self._name}]")
        if self._ledger.budget_usd is not None and not self._tariff.known:
            raise InputError(
                f"A budget cannot be kept with {self._name}, whose price is not known; give "
                "price = {input = ..., output = ...} in USD per million tokens in its "
                "[models.NAME], or leave --budget out."
            )

    def stop(self) -> int:
        """Send no more calls, retries included. Returns how many are in flight."""
        return self._halt.stop()

    async def close(self) -> None:
        """Close the connections of the running event loop. Asked again, it sends calls again."""
        self._halt.go_on()
        if seat := self._seats.pop(asyncio.get_running_loop(), None):
            await seat[0].close()

    async def ask(self, request: Request, *, seconds: float) -> Answer:
        """The model's answer; see `Model.ask`.

        Raises `InputError` also where the provider refuses the key, has no credit left for it or
        does not know the model, and where there has been no connection to it since it was opened.
        """
        settings = {**self._entry.settings, **request.settings}
        refuse_secrets(request.settings, self._name, self._keys())
        patience = patience_of(settings, self._name)
        for ours in _OURS:
            settings.pop(ours, None)
        client, gate = self._seat()
        settled = await client.sort(settings, bool(request.tools))
        if (why := self._too_long(request)) is not None:
            return _failed("context_overflow", why, 0.0, _NOT_SENT, settled, request)

        size = len(msgspec.json.encode(request))
        most = settings.get("max_tokens")
        async with AsyncExitStack() as stack:
            asked = time.monotonic()
            async with self._halt.waiting():
                holding = self._ledger.holding(
                    self._name,
                    lambda output: self._tariff.guess(size, output),
                    most=most if isinstance(most, int) and not isinstance(most, bool) else None,
                )
                hold = await stack.enter_async_context(holding)
            waited = time.monotonic() - asked
            tries = await patiently(
                lambda: client.request(request, settled.sent),
                patience=patience,
                seconds=seconds,
                gate=gate,
                halt=self._halt,
                lost=hold.lose,
                again=self._again,
            )
            self._refuse_unreached(tries)
            if (said := tries.value) is not None:
                price = self._tariff.price(said.usage, said.model, said.details)
                hold.settle(price, said.usage.output)
                answer = self._answered(request, settled, said, price, tries)
            else:
                assert tries.fault is not None
                failure, why = tries.fault.failure, tries.fault.why
                price = unanswered(tries.attempts)
                answer = _failed(failure, why, tries.seconds, price, settled, request)
                answer = replace(answer, attempts=tries.attempts)
        return replace(answer, waited=waited + tries.waited)

    def _again(self, fault: Fault) -> None:
        """Say, before anything has come from it, that it is tried again; once."""
        if self._say is not None and not self._reached:
            say, self._say = self._say, None
            say(f"No answer from {self._name} yet: {fault.why.rstrip('.')}; trying again.")

    def _refuse_unreached(self, tries: Tries[Said]) -> None:
        """Raise `InputError` where nothing has ever come from it and there is no way to it now."""
        fault = tries.fault
        if fault is None or not fault.unreached:
            self._reached = True
        elif not self._reached:
            raise InputError(
                f"{self._name} cannot be reached: {fault.why}; start it, or put its base_url "
                "right, and run the same command again."
            )

    def _too_long(self, request: Request) -> str | None:
        """Why the conversation cannot fit, None where it may."""
        longest = self._entry.context
        if longest is None:
            return None
        least = len(msgspec.json.encode(request).decode()) // _CHARACTERS
        if least < longest:
            return None
        return f"The conversation of {least:,} tokens or more does not fit into {longest:,}."

    def _answered(
        self, request: Request, settled: Sorted, said: Said, price: Price, tries: Tries[Said]
    ) -> Answer:
        failure, why = self._lacking(said)
        attempts = tries.attempts
        if failure is not None:
            attempts = (*attempts, Attempt(failure, why or "", tries.seconds))
        return Answer(
            message=said.message if failure is None else None,
            model=said.model,
            seconds=tries.seconds,
            usage=said.usage,
            price=price,
            finish=said.finish,
            failure=failure,
            why=why,
            sent=settled.sent,
            dropped=_dropped(settled, request),
            attempts=attempts,
        )

    def _lacking(self, said: Said) -> tuple[Failure | None, str | None]:
        """What a whole reply lacks for being an answer: the provider refused, or had no room."""
        if said.refused is not None:
            return "refusal", said.refused
        longest, usage = self._entry.context, said.usage
        if longest is None or said.finish != "length" or None in (usage.input, usage.output):
            return None, None
        taken = (usage.input or 0) + (usage.output or 0)
        if taken < longest:
            return None, None
        why = f"The conversation and its reply, {taken:,} tokens, do not fit into {longest:,}."
        return "context_overflow", why

    def _seat(self) -> tuple[Client, Gate]:
        loop = asyncio.get_running_loop()
        if (seat := self._seats.get(loop)) is None:
            self.ready()
            from ringback.models.client import Client

            gate = Gate(self._entry.concurrency, self._entry.per_minute)
            seat = self._seats[loop] = (Client(self._target()), gate)
        return seat

    def _keys(self) -> tuple[str, ...]:
        """The key of the entry, where there is one now; others are found in the environment."""
        return (os.environ.get(self._entry.key_env, ""),) if self._entry.key_env else ()

    def _target(self) -> Target:
        try:
            from ringback.models.client import Target
        except ImportError as problem:
            raise lacking(self._name, self._provider, problem) from None
        return Target(
            self._name,
            self._entry.model,
            base_url=self._base_url,
            named=self._entry.base_url is not None,
            key_env=self._entry.key_env,
        )


def _failed(
    failure: Failure, why: str, seconds: float, price: Price, settled: Sorted, request: Request
) -> Answer:
    return Answer(
        message=None,
        model=None,
        seconds=seconds,
        usage=Usage(),
        price=price,
        failure=failure,
        why=why,
        sent=settled.sent,
        dropped=_dropped(settled, request),
    )


def _dropped(settled: Sorted, request: Request) -> dict[str, str]:
    return settled.dropped if request.form is None else {**settled.dropped, "form": _FORM}
