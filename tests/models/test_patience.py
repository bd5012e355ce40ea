from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable
from contextlib import nullcontext

import pytest

from ringback.errors import InputError
from ringback.models.gate import Gate
from ringback.models.halt import Halt
from ringback.models.patience import Fault, Patience, Tries, patience_of, patiently
from ringback.models.protocol import CallsStopped


class Flaky:
    """Fails with these faults in turn, then answers; a number is slept for."""

    def __init__(self, *faults: Fault | float) -> None:
        self.faults = list(faults)
        self.began: list[float] = []

    async def __call__(self) -> str:
        self.began.append(time.monotonic())
        if self.faults:
            fault = self.faults.pop(0)
            if isinstance(fault, Fault):
                raise fault
            await asyncio.sleep(fault)
        return "done"


def again(wait: float | None = None) -> Fault:
    return Fault("infrastructure", "broken", again=True, wait=wait)


def run(
    flaky: Flaky,
    patience: Patience,
    *,
    seconds: float = 10.0,
    lost: Callable[[], None] = lambda: None,
) -> Tries[str]:
    # the longest wait of what may be drawn
    return asyncio.run(
        patiently(
            flaky,
            patience=patience,
            seconds=seconds,
            gate=nullcontext(),
            lost=lost,
            draw=lambda _, high: high,
        )
    )


class Books:
    """Counts the tries that may be charged for nothing."""

    def __init__(self) -> None:
        self.lost = 0

    def __call__(self) -> None:
        self.lost += 1


def test_waits_grow_and_are_bounded() -> None:
    flaky = Flaky(*(again() for _ in range(4)))
    tries = run(flaky, Patience(tries=5, first=0.05, longest=0.15))
    assert tries.value == "done"
    waits = [b - a for a, b in zip(flaky.began, flaky.began[1:], strict=False)]
    for wait, expected in zip(waits, (0.05, 0.1, 0.15, 0.15), strict=True):
        assert expected <= wait < expected + 0.1


def test_tries_are_bounded_and_kept() -> None:
    tries = run(Flaky(*(again() for _ in range(9))), Patience(tries=3, first=0.0))
    assert tries.value is None
    assert len(tries.attempts) == 3
    assert tries.fault is not None


def test_what_is_not_worth_another_try_gets_none() -> None:
    tries = run(Flaky(Fault("refusal", "no")), Patience())
    assert [attempt.failure for attempt in tries.attempts] == ["refusal"]


def test_a_try_that_hangs_is_cut_and_may_have_been_charged() -> None:
    books = Books()
    tries = run(Flaky(5.0), Patience(each=0.1, first=0.0), lost=books)
    assert tries.value == "done"
    assert books.lost == 1
    assert 0.1 <= tries.attempts[0].seconds < 0.4


def test_the_deadline_holds_over_all_tries() -> None:
    began = time.monotonic()
    tries = run(
        Flaky(*(9.0 for _ in range(9))), Patience(tries=9, each=0.2, first=0.0), seconds=0.5
    )
    assert tries.value is None
    assert [round(attempt.seconds, 1) for attempt in tries.attempts] == [0.2, 0.2, 0.1]
    assert time.monotonic() - began < 0.8


def test_a_try_that_the_deadline_cuts_is_kept_with_all_of_the_time() -> None:
    """Whoever asks reads from it that the time was up, so it must not be a moment less."""
    books = Books()
    tries = run(Flaky(9.0), Patience(first=0.0), seconds=0.3, lost=books)
    [attempt] = tries.attempts
    assert attempt.seconds == tries.seconds >= 0.3
    assert attempt.why == "No answer within 0.3 s."
    assert books.lost == 1


def test_waiting_counts_for_nothing() -> None:
    """Neither for a place nor between two tries; and no other try is begun without any time."""
    flaky = Flaky(again(wait=0.4), 0.05)
    tries = run(flaky, Patience(first=0.0), seconds=0.3)
    assert tries.value == "done"
    assert 0.05 <= tries.seconds < 0.3
    assert 0.4 <= tries.waited < 0.6
    slow = Flaky(9.0)
    assert run(slow, Patience(first=0.0), seconds=0.1).value is None
    assert len(slow.began) == 1
    assert run(slow, Patience(), seconds=0.0).attempts == ()
    assert len(slow.began) == 1


def test_a_retry_waits_for_its_place_and_has_its_time_all_the_same() -> None:
    async def scene() -> Tries[str]:
        gate, books = Gate(concurrency=1), Books()
        flaky = Flaky(again(), 0.05)

        async def crowd() -> None:
            for _ in range(4):
                async with gate:
                    await asyncio.sleep(0.1)

        async def first() -> Tries[str]:
            return await patiently(
                flaky, patience=Patience(first=0.0), seconds=0.2, gate=gate, lost=books
            )

        asking = asyncio.create_task(first())
        await asyncio.sleep(0)
        crowds = [asyncio.create_task(crowd()) for _ in range(2)]
        tries = await asking
        await asyncio.gather(*crowds)
        assert books.lost == 0
        return tries

    tries = asyncio.run(scene())
    assert tries.value == "done"
    assert len(tries.attempts) == 1
    assert tries.seconds < 0.2


def test_a_server_that_wants_too_much_is_not_waited_for() -> None:
    flaky = Flaky(again(wait=0.3))
    tries = run(flaky, Patience(most=0.2))
    assert (tries.value, len(flaky.began)) == (None, 1)


def test_a_timeout_of_the_attempts_own_goes_through() -> None:
    async def attempt() -> str:
        raise TimeoutError("mine")

    with pytest.raises(TimeoutError, match="mine"):
        asyncio.run(patiently(attempt, patience=Patience(), seconds=1, gate=nullcontext()))


def test_a_pace_spaces_the_calls() -> None:
    flaky = Flaky()

    async def four() -> None:
        gate = Gate(per_minute=600)
        asks = [patiently(flaky, patience=Patience(), seconds=5, gate=gate) for _ in range(4)]
        for tries in await asyncio.gather(*asks):
            assert tries.seconds < 0.1  # waiting for one's turn is not the model's time

    asyncio.run(four())
    gaps = [b - a for a, b in zip(flaky.began, flaky.began[1:], strict=False)]
    assert all(gap >= 0.08 for gap in gaps)


@pytest.mark.parametrize("where", ["a place", "the pace", "another try"])
def test_after_a_stop_nothing_more_is_begun_and_what_flies_comes_home(where: str) -> None:
    """From a signal handler too, which cannot wake the loop by itself."""

    async def scene() -> None:
        halt, books = Halt(), Books()
        gate = Gate() if where == "another try" else Gate(concurrency=1)
        if where == "the pace":
            gate = Gate(concurrency=2, per_minute=2)
        flaky = Flaky(0.3, *(again(wait=60.0) for _ in range(9)))

        async def one() -> Tries[str]:
            return await patiently(
                flaky, patience=Patience(), seconds=9, gate=gate, halt=halt, lost=books
            )

        asks = [asyncio.create_task(one()) for _ in range(4)]
        await asyncio.sleep(0.1)
        begun = len(flaky.began)
        told: list[int] = []

        def stop(*_: object) -> None:
            told.append(halt.stop())

        signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        began = time.monotonic()
        done = await asyncio.gather(*asks, return_exceptions=True)
        assert told == [1]
        assert time.monotonic() - began < 2.0
        assert [isinstance(one, CallsStopped) for one in done] == [False, True, True, True]
        assert isinstance(done[0], Tries)
        assert done[0].value == "done"
        assert len(flaky.began) == begun
        with pytest.raises(CallsStopped):
            await one()
        assert len(flaky.began) == begun
        halt.go_on()
        if where != "the pace":
            flaky.faults.clear()
            assert (await one()).value == "done"

    before = signal.getsignal(signal.SIGALRM)
    try:
        asyncio.run(scene())
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_stop_changes_nothing_for_a_cancelled_wait() -> None:
    async def scene() -> None:
        halt, gate = Halt(), Gate(concurrency=1)
        async with gate:
            task = asyncio.create_task(
                patiently(Flaky(), patience=Patience(), seconds=9, gate=gate, halt=halt)
            )
            await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        halt.stop()
        halt.go_on()
        async with asyncio.timeout(1.0), gate:
            pass

    asyncio.run(scene())


def test_a_place_is_given_back_by_a_call_that_is_cancelled() -> None:
    async def scene() -> None:
        gate = Gate(concurrency=1, per_minute=60)
        async with gate:
            pass
        waiting = asyncio.create_task(gate.__aenter__())  # its turn comes in a second
        await asyncio.sleep(0.01)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        async with asyncio.timeout(3.0), gate:
            pass

    asyncio.run(scene())


@pytest.mark.parametrize(
    "settings", [{"timeout": 0}, {"timeout": "5"}, {"max_retries": -1}, {"max_retries": 1.5}]
)
def test_settings_that_are_none_are_refused(settings: dict[str, float | str]) -> None:
    with pytest.raises(InputError, match="of mine"):
        patience_of({**settings}, "mine")


def test_settings_say_how_patient_to_be() -> None:
    assert patience_of({"timeout": 5, "max_retries": 0}, "m") == Patience(tries=1, each=5.0)
