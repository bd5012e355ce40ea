from __future__ import annotations

import asyncio

import msgspec
import pytest

from ringback.episode.wire import Answer, Price, Usage
from ringback.errors import InputError
from ringback.models import BudgetSpent, Ledger, ModelEntry, Models, PriceEntry
from tests.models.backend import USAGE, Backend, Reply, asking, completion

ANSWER = Answer(None, None, 1.0, Usage(), Price(None, "unknown"))


def costing(usd: float | None) -> Answer:
    return msgspec.structs.replace(ANSWER, price=Price(usd, "said"))


async def call(
    ledger: Ledger, usd: float | None, *, takes: float = 0.0, guess: float = 0.0
) -> None:
    async with ledger.holding("m", lambda: guess) as hold:
        await asyncio.sleep(takes)
        hold.settle(costing(usd))


async def spend(ledger: Ledger, usd: float) -> int:
    """Call until the budget says no; how many were let through."""
    done = 0
    while True:
        try:
            await call(ledger, usd)
        except BudgetSpent:
            return done
        done += 1


def test_it_stops_before_the_limit() -> None:
    ledger = Ledger(1.0)
    assert asyncio.run(spend(ledger, 0.3)) == 3
    assert ledger.spent_usd == pytest.approx(0.9)
    assert ledger.left_usd == pytest.approx(0.1)


def test_side_by_side_it_stops_before_the_limit_too() -> None:
    ledger = Ledger(1.0)

    async def many() -> int:
        await call(ledger, 0.1)
        asks = [call(ledger, 0.1, takes=0.01) for _ in range(50)]
        done = await asyncio.gather(*asks, return_exceptions=True)
        assert all(one is None or isinstance(one, BudgetSpent) for one in done)
        return sum(one is None for one in done)

    assert asyncio.run(many()) == 9
    assert ledger.spent_usd <= 1.0 + 1e-9


def test_calls_in_flight_are_waited_for_rather_than_refused() -> None:
    ledger = Ledger(1.0)

    async def scene() -> None:
        await call(ledger, 0.3)  # so each is taken to cost that
        await asyncio.gather(*(call(ledger, 0.01, takes=0.01) for _ in range(20)))

    asyncio.run(scene())
    assert ledger.spent_usd == pytest.approx(0.5)


def test_the_first_calls_go_by_a_guess() -> None:
    ledger = Ledger(1.0)

    async def first() -> int:
        asks = [call(ledger, 0.5, takes=0.01, guess=0.4) for _ in range(10)]
        done = await asyncio.gather(*asks, return_exceptions=True)
        return sum(one is None for one in done)

    assert asyncio.run(first()) == 2
    assert ledger.spent_usd == pytest.approx(1.0)


def test_without_a_budget_it_counts() -> None:
    ledger = Ledger()

    async def three() -> None:
        await call(ledger, 0.5)
        await call(ledger, None)
        await call(ledger, 0.25)

    asyncio.run(three())
    assert (ledger.spent_usd, ledger.unknown, ledger.calls) == (0.75, 1, 3)
    assert ledger.left_usd is None


def test_an_unknown_price_counts_as_the_dearest_under_a_budget() -> None:
    ledger = Ledger(1.0)

    async def scene() -> None:
        await call(ledger, 0.4)
        await call(ledger, None)
        with pytest.raises(BudgetSpent, match="without a price"):
            await call(ledger, 0.1)

    asyncio.run(scene())
    assert (ledger.spent_usd, ledger.assumed_usd) == (0.4, 0.4)


def test_a_call_that_is_cut_off_may_have_been_charged_for() -> None:
    ledger = Ledger(1.0)

    async def scene() -> None:
        await call(ledger, 0.4)
        task = asyncio.create_task(call(ledger, 0.4, takes=10.0))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(scene())
    assert (ledger.lost, ledger.assumed_usd) == (1, 0.4)


@pytest.mark.parametrize("budget", [0.0, -1.0, float("nan")])
def test_a_budget_is_more_than_nothing(budget: float) -> None:
    with pytest.raises(InputError, match="more than 0"):
        Ledger(budget)


def test_over_http_nothing_is_sent_that_cannot_be_afforded() -> None:
    ledger = Ledger(0.01)
    price = PriceEntry(input=2.0, output=10.0)  # 0.003 USD a call
    with Backend(completion(usage=USAGE)) as backend:
        models = Models(
            {"m": ModelEntry("openai:x", base_url=backend.url, price=price)}, ledger=ledger
        )

        async def scene() -> None:
            while True:
                await models.open("m").ask(asking(max_tokens=100), seconds=20)

        with pytest.raises(BudgetSpent, match=r"0\.0090 USD in 3 calls"):
            asyncio.run(scene())
    assert len(backend.sent) == 3
    assert ledger.spent_usd == pytest.approx(0.009)


def test_agent_and_user_share_it() -> None:
    ledger = Ledger()
    price = PriceEntry(input=2.0, output=10.0)
    with Backend(completion(usage=USAGE), Reply({"error": {}}, 400)) as backend:
        entry = ModelEntry("openai:x", base_url=backend.url, price=price)
        models = Models({"a": entry, "b": entry}, ledger=ledger)

        async def both() -> None:
            for name in ("a", "b"):
                await models.open(name).ask(asking(), seconds=20)

        asyncio.run(both())
    assert ledger.spent_usd == pytest.approx(0.003)
    assert ledger.unknown == 0  # what was refused was not answered
