from __future__ import annotations

import asyncio
import random

import pytest

from ringback.episode.wire import Message, Price, Text
from ringback.errors import InputError
from ringback.models import BudgetSpent, Ledger, ModelEntry, Models, PriceEntry
from tests.models.backend import USAGE, Backend, Reply, asking, completion


async def call(
    ledger: Ledger,
    usd: float | None,
    *,
    takes: float = 0.0,
    guess: float | None = 0.0,
    model: str = "m",
) -> None:
    async with ledger.holding(model, lambda _: guess) as hold:
        await asyncio.sleep(takes)
        hold.settle(Price(usd, "the provider did not say"), None)


async def many(*calls: asyncio.Future[None] | asyncio.Task[None]) -> int:
    """How many of these were let through."""
    done = await asyncio.gather(*calls, return_exceptions=True)
    assert all(one is None or isinstance(one, BudgetSpent) for one in done)
    return sum(one is None for one in done)


def side_by_side(
    ledger: Ledger, count: int, usd: float | None, *, guess: float | None = None
) -> list[asyncio.Task[None]]:
    return [asyncio.create_task(call(ledger, usd, takes=0.01, guess=guess)) for _ in range(count)]


async def spend(ledger: Ledger, usd: float) -> int:
    """Call until the budget says no; how many were let through."""
    done = 0
    while True:
        try:
            await call(ledger, usd, guess=None)
        except BudgetSpent:
            return done
        done += 1


def test_it_stops_before_the_limit() -> None:
    ledger = Ledger(1.0)
    assert asyncio.run(spend(ledger, 0.3)) == 3
    assert ledger.spent_usd == pytest.approx(0.9)


def test_side_by_side_it_stops_before_the_limit_too() -> None:
    ledger = Ledger(1.0)

    async def scene() -> int:
        await call(ledger, 0.1, guess=None)
        return await many(*side_by_side(ledger, 50, 0.1))

    assert asyncio.run(scene()) == 9
    assert ledger.spent_usd <= 1.0 + 1e-9


def test_calls_in_flight_are_waited_for_rather_than_refused() -> None:
    ledger = Ledger(1.0)

    async def scene() -> int:
        await call(ledger, 0.3, guess=None)  # so each is taken to cost that
        return await many(*side_by_side(ledger, 20, 0.01))

    assert asyncio.run(scene()) == 20
    assert ledger.spent_usd == pytest.approx(0.5)


def test_however_many_begin_together_the_first_of_a_model_goes_alone() -> None:
    ledger = Ledger(2.0)

    async def scene() -> int:
        return await many(*side_by_side(ledger, 64, 0.6))  # and nothing is known beforehand

    assert asyncio.run(scene()) == 3
    assert ledger.spent_usd == pytest.approx(1.8)


def test_a_first_call_that_fails_lets_the_next_one_go_alone() -> None:
    ledger = Ledger(2.0)

    async def failing() -> None:
        async with ledger.holding("m"):
            await asyncio.sleep(0.01)

    async def scene() -> int:
        first = asyncio.create_task(failing())
        return await many(first, *side_by_side(ledger, 10, 0.6))

    assert asyncio.run(scene()) == 1 + 3


def test_a_call_is_held_for_by_its_own_length_and_not_by_cheap_ones_before_it() -> None:
    ledger = Ledger(1.0)

    async def scene() -> int:
        for _ in range(3):
            await call(ledger, 0.002, guess=0.002)  # a customer with a short prompt
        return await many(*side_by_side(ledger, 64, 0.06, guess=0.06))  # an agent's policy

    assert asyncio.run(scene()) == 16
    assert ledger.spent_usd <= 1.0


def test_a_guess_that_was_too_low_is_not_believed_again() -> None:
    ledger = Ledger(1.01)

    async def scene() -> int:
        async with ledger.holding("m", lambda output: output / 1e6) as hold:
            hold.settle(Price(0.02, "said"), 10_000)  # twice what ten thousand tokens cost
        asks = [asyncio.create_task(dear()) for _ in range(64)]
        return await many(*asks)

    async def dear() -> None:
        async with ledger.holding("m", lambda output: output / 1e6) as hold:
            await asyncio.sleep(0.01)
            hold.settle(Price(0.02, "said"), 10_000)  # and as long a reply again

    assert asyncio.run(scene()) == 49
    assert ledger.spent_usd <= 1.01


def test_replies_that_turn_out_ten_times_as_long_are_found_out_before_many_are_under_way() -> None:
    ledger = Ledger(1.0)

    async def one(output: int) -> None:
        async with ledger.holding("m", lambda output: output / 1e6) as hold:
            await asyncio.sleep(0.01)
            hold.settle(Price(output / 1e6, "said"), output)

    async def scene() -> int:
        await one(500)
        return await many(*(asyncio.create_task(one(40_000)) for _ in range(64)))

    assert asyncio.run(scene()) == 24
    assert ledger.spent_usd <= 1.0


def test_what_a_request_allows_is_held_for() -> None:
    ledger = Ledger(1.0)
    asked: list[int] = []

    async def scene() -> None:
        for most in (100, 50_000, None):
            async with ledger.holding("m", lambda output: asked.append(output), most=most) as hold:
                hold.settle(Price(0.0, "said"), None)

    asyncio.run(scene())
    assert asked == [100, 50_000, 4_000]


@pytest.mark.parametrize("seed", range(20))
def test_spent_never_passes_the_budget_where_replies_stay_within_what_was_held(seed: int) -> None:
    draw = random.Random(seed)
    ledger = Ledger(1.0)
    spent: list[float] = []

    async def one(number: int) -> None:
        await asyncio.sleep(draw.random() / 50)
        guess = draw.choice([0.001, 0.01, 0.1])
        async with ledger.holding(draw.choice("ab"), lambda _: guess) as hold:
            await asyncio.sleep(draw.random() / 100)
            if number % 7 == 0:
                raise InputError("refused")
            usd = guess * draw.random()
            hold.settle(Price(usd, "said"), None)
            spent.append(usd)

    async def scene() -> None:
        done = await asyncio.gather(*map(one, range(200)), return_exceptions=True)
        assert all(one is None or isinstance(one, InputError | BudgetSpent) for one in done)
        assert any(isinstance(one, BudgetSpent) for one in done)

    asyncio.run(scene())
    assert ledger.spent_usd == pytest.approx(sum(spent))
    assert 0.8 < ledger.spent_usd <= 1.0


def test_without_a_budget_it_counts() -> None:
    ledger = Ledger()

    async def three() -> None:
        await call(ledger, 0.5)
        await call(ledger, None)
        await call(ledger, 0.25)

    asyncio.run(three())
    assert (ledger.spent_usd, ledger.unknown, ledger.calls) == (0.75, 1, 3)
    assert ledger.assumed is None


def test_an_unknown_price_counts_as_what_was_held_and_is_said() -> None:
    ledger = Ledger(1.0)

    async def scene() -> None:
        await call(ledger, 0.4)
        await call(ledger, None, guess=0.4)
        with pytest.raises(BudgetSpent, match=r"1 answer without a price \(the provider did not"):
            await call(ledger, 0.4, guess=0.4)

    asyncio.run(scene())
    assert (ledger.spent_usd, ledger.assumed_usd) == (0.4, 0.4)
    assert ledger.assumed is not None
    assert "0.4000 USD" in ledger.assumed


def test_a_call_that_is_cut_off_may_have_been_charged_for() -> None:
    ledger = Ledger(1.0)

    async def scene() -> None:
        await call(ledger, 0.4, guess=None)
        task = asyncio.create_task(call(ledger, 0.4, takes=10.0, guess=None))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(scene())
    assert (ledger.lost, ledger.assumed_usd) == (1, 0.4)


def test_tries_that_may_be_charged_count_at_once_and_whatever_is_raised_after_them() -> None:
    ledger = Ledger(1.0)

    async def scene() -> None:
        await call(ledger, 0.2, guess=None)
        async with ledger.holding("m") as hold:
            hold.lose()
            assert ledger.assumed_usd == 0.2
            hold.lose()
            raise InputError("the key is refused")

    with pytest.raises(InputError):
        asyncio.run(scene())
    assert (ledger.lost, ledger.assumed_usd, ledger.calls) == (2, 0.4, 2)
    assert ledger.assumed is not None
    assert "2 failed tries" in ledger.assumed


@pytest.mark.parametrize("way", ["answered", "refused", "cut off", "not answered", "broken after"])
def test_what_was_held_is_free_again_however_a_call_ends(way: str) -> None:
    ledger = Ledger(1.0)

    async def ends() -> None:
        async with ledger.holding("m", lambda _: 0.9) as hold:
            match way:
                case "answered":
                    hold.settle(Price(0.05, "said"), 1)
                case "refused":
                    raise InputError("no such model")
                case "cut off":
                    hold.settle(Price(0.05, "said"), 1)
                    raise asyncio.CancelledError
                case "broken after":
                    hold.settle(Price(0.05, "said"), 1)
                    raise ValueError("a hostile reply")
                case _:
                    pass

    async def scene() -> None:
        await asyncio.gather(ends(), return_exceptions=True)
        # would wait for ever for a call in flight that is none
        await asyncio.wait_for(call(ledger, 0.9, guess=0.9), 5)

    asyncio.run(scene())
    paid = 0.0 if way in ("refused", "not answered") else 0.05
    assert ledger.spent_usd == pytest.approx(0.9 + paid)
    assert ledger.lost == 0


def test_the_sentence_has_the_figures_of_when_it_is_read() -> None:
    ledger = Ledger(1.0)

    async def scene() -> BudgetSpent:
        await call(ledger, 0.4, guess=0.4)
        flying = asyncio.create_task(call(ledger, 0.3, takes=0.05, guess=0.4))
        await asyncio.sleep(0.01)
        with pytest.raises(BudgetSpent) as refused:
            await call(ledger, 0.7, guess=0.7)
        await flying
        return refused.value

    assert "0.7000 USD are spent in 2 calls" in str(asyncio.run(scene()))


@pytest.mark.parametrize("budget", [0.0, -1.0, float("nan"), float("inf")])
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

        with pytest.raises(BudgetSpent, match=r"0\.0090 USD are spent in 3 calls"):
            asyncio.run(scene())
    assert len(backend.sent) == 3
    assert ledger.spent_usd == pytest.approx(0.009)


def test_over_http_64_long_calls_after_a_short_one_stay_within_the_budget() -> None:
    ledger = Ledger(0.05)
    price = PriceEntry(input=2.0, output=10.0)

    def counted(sent: object) -> Reply:
        size = len(str(sent)) // 4
        usage = {"prompt_tokens": size, "completion_tokens": 50, "total_tokens": size + 50}
        return Reply(completion(usage=usage))

    with Backend(counted) as backend:
        models = Models(
            {"m": ModelEntry("openai:x", base_url=backend.url, price=price)}, ledger=ledger
        )
        policy = Message("user", (Text("The policy says so. " * 400),))

        async def scene() -> None:
            model = models.open("m")
            await model.ask(asking(max_tokens=50), seconds=20)
            asks = (model.ask(asking(policy, max_tokens=50), seconds=20) for _ in range(64))
            done = await asyncio.gather(*asks, return_exceptions=True)
            refused = [one for one in done if isinstance(one, BaseException)]
            assert 40 < len(refused) < 60
            assert all(isinstance(one, BudgetSpent) for one in refused)

        asyncio.run(scene())
    assert 0.03 < ledger.spent_usd <= 0.05


def test_over_http_a_key_refused_after_a_broken_try_leaves_that_try_in_the_books() -> None:
    ledger = Ledger(1.0)
    price = PriceEntry(input=2.0, output=10.0)
    denied = Reply({"error": {"message": "no", "code": "invalid_api_key"}}, 401)
    with Backend(completion(usage=USAGE), Reply(b"{nothing"), denied) as backend:
        models = Models(
            {"m": ModelEntry("openai:x", base_url=backend.url, price=price)}, ledger=ledger
        )

        async def scene() -> None:
            await models.open("m").ask(asking(max_tokens=100), seconds=20)
            with pytest.raises(InputError):
                await models.open("m").ask(asking(max_tokens=100), seconds=20)

        asyncio.run(scene())
    assert ledger.lost == 1
    assert ledger.assumed_usd > 0


def test_agent_and_user_share_it() -> None:
    ledger = Ledger()
    price = PriceEntry(input=2.0, output=10.0)
    with Backend(completion(usage=USAGE), Reply({"error": {}}, 400)) as backend:
        entry = ModelEntry("openai:x", base_url=backend.url, price=price)
        models = Models({"a": entry, "b": entry}, ledger=ledger)

        async def both() -> None:
            answers = [await models.open(name).ask(asking(), seconds=20) for name in ("a", "b")]
            assert [answer.price.usd for answer in answers] == [pytest.approx(0.003), 0.0]
            assert "no try that a provider charges for" in answers[1].price.source

        asyncio.run(both())
    assert ledger.spent_usd == pytest.approx(0.003)
    assert ledger.unknown == 0  # what was refused was not answered
    assert ledger.lost == 0
