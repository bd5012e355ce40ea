from __future__ import annotations

from importlib.metadata import version

import pytest

from ringback.episode.wire import Attempt, Usage
from ringback.models.prices import ON_THIS_MACHINE, Tariff, unanswered
from ringback.models.protocol import PriceEntry


def test_a_known_model_has_a_price_with_its_source_and_date() -> None:
    price = Tariff("openai", "gpt-5.2").price(Usage(input=1_000_000, output=100_000), "gpt-5.2")
    assert price.usd == pytest.approx(1.75 + 1.4)
    assert price.source.startswith(f"genai-prices {version('genai-prices')}: openai gpt-5.2")
    assert "prices as of 20" in price.source


def test_cached_tokens_cost_what_cached_tokens_cost() -> None:
    tariff = Tariff("openai", "gpt-5.2")
    usage = Usage(input=1_000_000, output=0, cached=1_000_000)
    assert tariff.price(usage, "gpt-5.2").usd == pytest.approx(0.175)


def test_a_dated_answer_is_priced_by_its_model() -> None:
    tariff = Tariff("openai", "gpt-5.2")
    assert tariff.price(Usage(input=1000, output=1), "gpt-5.2-2025-12-11").usd is not None


@pytest.mark.parametrize(
    ("tariff", "answered", "why"),
    [
        (Tariff("openai", "nobodys"), "nobodys", "knows no price of nobodys"),
        (Tariff("nobody", "gpt-5.2"), "gpt-5.2", "knows no price of gpt-5.2 at nobody"),
        # another's endpoint has its own prices, whatever it calls its models
        (Tariff("openai", "gpt-5.2", url="http://127.0.0.1:8000/v1"), "gpt-5.2", "at 127.0.0.1"),
        (Tariff("openai", "gpt-5.2"), "chaos-2", "knows no price of chaos-2"),
    ],
)
def test_what_is_not_known_is_unknown(tariff: Tariff, answered: str, why: str) -> None:
    price = tariff.price(Usage(input=1000, output=10), answered)
    assert price.usd is None
    assert why in price.source


@pytest.mark.parametrize("usage", [Usage(), Usage(input=3), Usage(output=3)])
@pytest.mark.parametrize("own", [None, PriceEntry(1.0, 1.0)])
def test_tokens_that_are_not_counted_have_no_price(usage: Usage, own: PriceEntry | None) -> None:
    price = Tariff("openai", "gpt-5.2", own=own).price(usage, "gpt-5.2")
    assert price.usd is None
    assert "did not say" in price.source


def test_ones_own_price_goes_before() -> None:
    tariff = Tariff("openai", "gpt-5.2", own=PriceEntry(3.0, 6.0))
    assert tariff.price(Usage(1_000_000, 500_000, cached=9), "x").usd == pytest.approx(6.0)
    assert tariff.known
    assert Tariff("x", "y", own=PriceEntry(0.0, 0.0)).price(Usage(), None).usd == 0.0


@pytest.mark.parametrize(
    ("provider", "model", "url", "usd"),
    [
        ("ollama", "qwen3", "http://localhost:11434/v1", 0.0),
        ("vllm", "qwen3", "http://127.0.0.1:8000/v1", 0.0),
        ("vllm", "qwen3", "http://[::1]:8000/v1", 0.0),
        ("vllm", "qwen3", "http://127.example.com/v1", None),
        ("vllm", "qwen3", "http://127.0.0.1.example.com/v1", None),
        ("ollama", "gpt-oss:120b-cloud", "http://localhost:11434/v1", None),
        ("ollama", "qwen3", "http://gpu.lan:11434/v1", None),
        ("openai", "qwen3", "http://localhost:4000/v1", None),
    ],
)
def test_a_model_served_here_is_free_and_says_why(
    provider: str, model: str, url: str, usd: float | None
) -> None:
    price = Tariff(provider, model, url=url).price(Usage(), None)
    assert price.usd == usd
    assert (price.source == ON_THIS_MACHINE) == (usd == 0.0)


def test_a_guess_is_no_less_than_a_text_costs() -> None:
    guess = Tariff("openai", "gpt-5.2").guess(3_000, 100)
    assert guess is not None
    assert guess >= (750 * 1.75 + 100 * 14) / 1e6
    assert Tariff("openai", "nobodys").guess(3_000, 100) is None


def test_a_call_without_a_reply_costs_nothing_unless_a_try_may_be_charged() -> None:
    refused = Attempt("infrastructure", "HTTP 503", 0.1)
    cut = Attempt("infrastructure", "No answer within 1 s.", 1.0, charged=True)
    assert unanswered([refused, refused]).usd == 0.0
    assert "no try that a provider charges for" in unanswered([refused]).source
    assert unanswered([]).usd == 0.0
    assert unanswered([refused, cut]).usd is None
    assert "2 tries that the provider may have charged for" in unanswered([cut, cut]).source
