"""What a call costs: from the user's own price, from genai-prices, or unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ringback.episode.wire import Attempt, Price, Usage
from ringback.models.protocol import PriceEntry
from ringback.models.providers import family

if TYPE_CHECKING:
    from genai_prices.types import PriceCalculation

__all__ = ["ON_THIS_MACHINE", "Tariff", "unanswered"]

ON_THIS_MACHINE = "runs on this machine"
"""The source of a price of 0: nobody charges for the model."""

_AT_HOME = ("ollama", "vllm")
"""Providers whose server, where it runs here, runs the model here."""

_AT_GENAI_PRICES: Mapping[str, str] = {"google-cloud": "google"}
"""Names there that differ from ours."""


class Tariff:
    """What one model costs.

    `provider` is its name with us, `url` its endpoint where the user named one: an
    endpoint that is not known there has no price, whatever its models are called. `own` is the
    user's own price and goes before everything.
    """

    def __init__(
        self, provider: str, model: str, *, url: str | None = None, own: PriceEntry | None = None
    ) -> None:
        self.provider = _AT_GENAI_PRICES.get(family(provider), family(provider))
        self.model = model
        self.url = url
        self.own = own
        here = url is not None and _loopback(url) and self.provider in _AT_HOME
        self.free = here and not model.endswith("-cloud")

    @property
    def known(self) -> bool:
        """Whether calls of the model as asked for will have a price."""
        return self.price(Usage(input=1, output=1), self.model).usd is not None

    def price(
        self, usage: Usage, answered: str | None, details: Mapping[str, str] | None = None
    ) -> Price:
        """The price of a call with this usage, by the model that answered.

        `details` are what the provider said of the call, of which its tier of service can matter.
        """
        if self.own is not None:
            return _own(self.own, usage)
        if self.free:
            return Price(0.0, ON_THIS_MACHINE)
        if usage.input is None or usage.output is None:
            return Price(None, "the provider did not say how many tokens it used")
        source = f"genai-prices {_version()}"
        name = answered or self.model
        when = datetime.now(UTC)
        try:
            found = self._look_up(usage, name, when, details)
        except LookupError:
            return Price(None, f"{source} knows no price of {name} at {self._place()}")
        except ValueError:
            return Price(None, f"{source} cannot price the usage that {name} reported")
        where = f"{found.provider.id} {found.model.id}"
        return Price(float(found.total_price), f"{source}: {where}, prices as of {when:%Y-%m-%d}")

    def guess(self, characters: int, output: int) -> float | None:
        """USD that a call of so many characters and tokens of output may cost, None if unknown.

        Takes three characters for a token, which is more tokens than most texts have.
        """
        return self.price(Usage(input=characters // 3 + 1, output=output), self.model).usd

    def _place(self) -> str:
        return (urlsplit(self.url).hostname if self.url else None) or self.provider

    def _look_up(
        self, usage: Usage, name: str, when: datetime, details: Mapping[str, str] | None
    ) -> PriceCalculation:
        from genai_prices import Usage as Counted
        from genai_prices import calc_price

        counts = {
            "input_tokens": usage.input,
            "output_tokens": usage.output,
            "cache_read_tokens": usage.cached,
            "cache_write_tokens": usage.written,
            "output_reasoning_tokens": usage.reasoning,
        }
        counted = Counted(**{key: count for key, count in counts.items() if count is not None})
        if self.url is not None:
            return calc_price(
                counted,
                name,
                provider_api_url=self.url,
                genai_request_timestamp=when,
                price_context=details,
            )
        return calc_price(
            counted,
            name,
            provider_id=self.provider,
            genai_request_timestamp=when,
            price_context=details,
        )


@cache
def _version() -> str:
    return version("genai-prices")


def unanswered(attempts: Sequence[Attempt]) -> Price:
    """The price of a call whose tries all failed: 0, unless some of them may be charged."""
    charged = sum(attempt.charged for attempt in attempts)
    if not charged:
        return Price(0.0, "no reply, and no try that a provider charges for")
    tries = "a try" if charged == 1 else f"{charged} tries"
    return Price(None, f"no reply, and {tries} that the provider may have charged for")


def _loopback(url: str) -> bool:
    """Whether the address is of this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False  # another name, which may be anybody's


def _own(price: PriceEntry, usage: Usage) -> Price:
    source = "the price in [models]"
    if usage.input is None or usage.output is None:
        if price.input == price.output == 0:
            return Price(0.0, source)
        return Price(None, "the provider did not say how many tokens it used")
    cached = min(usage.cached or 0, usage.input)
    rate = price.input if price.cached is None else price.cached
    usd = (usage.input - cached) * price.input + cached * rate + usage.output * price.output
    return Price(usd / 1e6, source)
