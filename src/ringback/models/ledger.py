"""What a run has spent, and stopping before its budget is gone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from ringback.episode.wire import Answer
from ringback.errors import InputError
from ringback.models.protocol import BudgetSpent

__all__ = ["Hold", "Ledger"]


class Hold:
    """A call that has been let through: says in the end what it cost."""

    def __init__(self) -> None:
        self.answer: Answer | None = None
        self.lost = 0

    def settle(self, answer: Answer, *, lost: int = 0) -> None:
        """The call's answer, and how many failed tries the provider may have charged for."""
        self.answer = answer
        self.lost = lost


class Ledger:
    """Spent and still to spend, in USD, for all models of a run in one event loop.

    A call is let through when what is spent, what the calls in flight may cost and what this one
    may cost stay within the budget. What a call may cost is the dearest so far of its model; of
    the first ones, a guess by their length. If it is only the calls in flight that stand in the
    way, it waits for them. So the budget is kept as long as no call costs more than any before it,
    by more than is left.

    `spent_usd` is what is known to be spent. `unknown` counts answers without a price, `lost` the
    failed tries that the provider may have charged for; under a budget both are taken to have cost
    what the dearest call did, which `assumed_usd` sums.
    """

    def __init__(self, budget_usd: float | None = None) -> None:
        if budget_usd is not None and not budget_usd > 0:
            raise InputError(f"The budget is {budget_usd:g} USD; give more than 0.")
        self.budget_usd = budget_usd
        self.spent_usd = 0.0
        self.assumed_usd = 0.0
        self.calls = 0
        self.unknown = 0
        self.lost = 0
        self._dearest: dict[str, float] = {}
        self._held = 0.0
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def left_usd(self) -> float | None:
        """What is left of the budget, None without one."""
        if self.budget_usd is None:
            return None
        return max(self.budget_usd - self.spent_usd - self.assumed_usd, 0.0)

    def _said(self) -> str:
        if not self.assumed_usd:
            return f"{self.spent_usd:.4f} USD"
        return f"{self.spent_usd:.4f} USD, and {self.assumed_usd:.4f} for calls without a price,"

    @asynccontextmanager
    async def holding(
        self, model: str, guess: Callable[[], float | None] = lambda: None
    ) -> AsyncGenerator[Hold]:
        """Let a call through; `BudgetSpent` if it can no longer be afforded.

        `guess` gives what the call may cost where nothing of its model has been seen; None is
        taken as nothing.
        """
        share = await self._admit(model, guess)
        hold = Hold()
        try:
            yield hold
        except Exception:
            raise  # refused before it was answered: nothing was spent
        except BaseException:
            hold.lost += hold.answer is None  # cut off in flight
            raise
        finally:
            self._held -= share
            self._settle(model, hold, share)
            waiting, self._waiting = self._waiting, []
            for one in waiting:
                if not one.done():
                    one.set_result(None)

    async def _admit(self, model: str, guess: Callable[[], float | None]) -> float:
        if self.budget_usd is None:
            return 0.0
        while True:
            share = self._dearest.get(model)
            if share is None:
                share = guess() or 0.0
            left = self.budget_usd - self.spent_usd - self.assumed_usd
            if left <= 0 or share > left:
                raise BudgetSpent(
                    f"The budget of {self.budget_usd:g} USD is spent: {self._said()} in "
                    f"{self.calls} calls, and a call of {model} may cost {share:.4f} USD; give a "
                    "larger --budget to go on."
                )
            if share + self._held <= left:
                self._held += share
                return share
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn

    def _settle(self, model: str, hold: Hold, share: float) -> None:
        self.calls += 1
        self.lost += hold.lost
        self.assumed_usd += hold.lost * share
        if hold.answer is None:
            return
        usd = hold.answer.price.usd
        if usd is not None:
            self.spent_usd += usd
            self._dearest[model] = max(self._dearest.get(model, 0.0), usd)
        elif hold.answer.failure is None:
            self.unknown += 1
            self.assumed_usd += share
