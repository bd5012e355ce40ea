from __future__ import annotations

import asyncio
import time
from contextlib import nullcontext

import pytest

from ringback.errors import InputError
from ringback.models.gate import Gate
from ringback.models.patience import Fault, Patience, Tries, patience_of, patiently


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
    flaky: Flaky, patience: Patience, *, seconds: float = 10.0, gate: Gate | None = None
) -> Tries[str]:
    # the longest wait of what may be drawn
    return asyncio.run(
        patiently(
            flaky,
            patience=patience,
            seconds=seconds,
            gate=gate or nullcontext(),
            draw=lambda _, high: high,
        )
    )


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
    tries = run(Flaky(5.0), Patience(each=0.1, first=0.0))
    assert tries.value == "done"
    assert tries.charged == 1
    assert 0.1 <= tries.attempts[0].seconds < 0.4


def test_the_deadline_holds_over_all_tries() -> None:
    began = time.monotonic()
    tries = run(
        Flaky(*(9.0 for _ in range(9))), Patience(tries=9, each=0.2, first=0.0), seconds=0.5
    )
    assert tries.value is None
    assert time.monotonic() - began < 0.8
    assert tries.seconds < 0.5  # a little early, for the caller's own clock


def test_a_single_slow_try_has_all_of_the_time() -> None:
    tries = run(Flaky(9.0), Patience(first=0.0), seconds=0.3)
    assert tries.attempts[0].seconds >= 0.3


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
