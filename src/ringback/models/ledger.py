"""What a run has spent, and stopping before its budget is gone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeAlias

from ringback.episode.wire import Price
from ringback.errors import InputError
from ringback.models.protocol import BudgetSpent

__all__ = ["Guess", "Hold", "Ledger"]

Guess: TypeAlias = Callable[[int], float | None]
"""USD that a request costs by its length with so many tokens of output; None where unknown."""

_USUAL = 4_000
"""Tokens of output that a reply is taken to have at most, until one had more."""


class Hold:
    """A call that has been let through: hears what it cost, as soon as that is known."""

    def __init__(self, lose: Callable[[], None]) -> None:
        self.price: Price | None = None
        self.output: int | None = None
        self._lose = lose

    def settle(self, price: Price, output: int | None) -> None:
        """The provider has answered, at this price and with so many tokens of output.

        To be said before anything is made of the answer that could go wrong.
        """
        self.price, self.output = price, output

    def lose(self) -> None:
        """A try has failed that the provider may charge for all the same."""
        self._lose()


class _Model:
    """What has been seen of one model.

    `answered` calls are behind it and `flying` are under way. `longest` is the most tokens of
    output that a reply had, `worst` how many times dearer than the guess for its length and output
    a call was at worst, `dearest` the most that one cost in USD.
    """

    def __init__(self) -> None:
        self.answered = 0
        self.flying = 0
        self.longest = _USUAL
        self.worst = 1.0
        self.dearest = 0.0

    def may_cost(self, guess: Guess, most: int | None) -> float:
        guessed = guess(self.longest if most is None else most)
        return self.dearest if guessed is None else guessed * self.worst

    def saw(self, usd: float, output: int | None, guess: Guess) -> None:
        self.dearest = max(self.dearest, usd)
        self.longest = max(self.longest, output or 0)
        guessed = None if output is None else guess(output)
        if guessed:
            self.worst = max(self.worst, usd / guessed)


class _Spent(BudgetSpent):
    """Says what is spent when it is read: calls in flight settle after the first is refused."""

    def __init__(self, say: Callable[[], str]) -> None:
        super().__init__()
        self._say = say

    def __str__(self) -> str:
        return self._say()


class Ledger:
    """Spent and still to spend, in USD, for all models of a run in one event loop.

    A call is let through when three things together stay within the budget: what is spent, what
    the calls in flight may cost, and what this one may cost. That is what its own length costs by
    the model's price with as many tokens of output as the request allows or, where it allows any
    number, as the longest reply of the model so far had and no less than 4,000; times how much
    dearer than such a guess a call of the model was at worst (more tokens to a character, tokens
    put into a cache). Nothing is taken off for a cached prompt. If it is only the calls in flight
    that stand in the way, it waits for them. And no more calls of a model are under way than it has
    answered, and one: its first goes alone, then two, then four. So what is spent is within the
    budget as long as every call stays within what was held for it; those that do not, by a reply of
    a length never seen or by tries that failed and are charged for all the same, can go over it by
    as much as they do.

    `spent_usd` is what is known to be spent. `unknown` counts answers without a price, `lost` the
    failed tries that the provider may have charged for; under a budget each is taken to have cost
    what was held for its call, which `assumed_usd` sums.
    """

    def __init__(self, budget_usd: float | None = None) -> None:
        if budget_usd is not None and not 0 < budget_usd < float("inf"):
            raise InputError(f"The budget is {budget_usd:g} USD; give more than 0.")
        self.budget_usd = budget_usd
        self.spent_usd = 0.0
        self.assumed_usd = 0.0
        self.calls = 0
        self.unknown = 0
        self.lost = 0
        self._why_unknown = ""
        self._models: dict[str, _Model] = {}
        self._held = 0.0
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def assumed(self) -> str | None:
        """What the budget was kept by beside known prices, in a sentence; None where by nothing."""
        if self.budget_usd is None or not (self.unknown or self.lost):
            return None
        parts: list[str] = []
        if self.unknown:
            calls = "1 answer" if self.unknown == 1 else f"{self.unknown} answers"
            parts.append(f"{calls} without a price ({self._why_unknown})")
        if self.lost:
            tries = "1 failed try" if self.lost == 1 else f"{self.lost} failed tries"
            parts.append(f"{tries} that may have been charged for")
        return (
            f"The budget counts {self.assumed_usd:.4f} USD, what they may have cost at most by "
            f"their length, for {' and '.join(parts)}."
        )

    @asynccontextmanager
    async def holding(
        self, model: str, guess: Guess = lambda _: None, *, most: int | None = None
    ) -> AsyncGenerator[Hold]:
        """Let a call through; `BudgetSpent` if it can no longer be afforded.

        `guess` gives what the call may cost by the tokens of its output, of which `most` are the
        most that it may have; None is taken as what the dearest call of the model cost.
        """
        known = self._models.setdefault(model, _Model())
        share = await self._admit(model, known, guess, most)

        def lose() -> None:
            self.lost += 1
            self.assumed_usd += share

        hold = Hold(lose)
        known.flying += 1
        try:
            yield hold
        except Exception:
            raise  # the tries before it that may be charged have been counted
        except BaseException:
            if hold.price is None:
                lose()  # cut off in flight
            raise
        finally:
            known.flying -= 1
            self._held -= share
            self._settle(known, hold, guess, share)
            waiting, self._waiting = self._waiting, []
            for one in waiting:
                if not one.done():
                    one.set_result(None)

    async def _admit(self, model: str, known: _Model, guess: Guess, most: int | None) -> float:
        if self.budget_usd is None:
            return 0.0
        while True:
            share = known.may_cost(guess, most)
            left = self.budget_usd - self.spent_usd - self.assumed_usd
            if left <= 0 or share > left:
                raise _Spent(partial(self._refused, model, share))
            if share + self._held <= left and known.flying <= known.answered:
                self._held += share
                return share
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn

    def _refused(self, model: str, share: float) -> str:
        calls = "1 call" if self.calls == 1 else f"{self.calls} calls"
        assumed = f" {self.assumed}" if self.assumed else ""
        return (
            f"The budget of {self.budget_usd:g} USD allows no further call: {self.spent_usd:.4f} "
            f"USD are spent in {calls} of this command, and a call of {model} may cost "
            f"{share:.4f} USD; give a larger --budget to go on.{assumed}"
        )

    def _settle(self, known: _Model, hold: Hold, guess: Guess, share: float) -> None:
        self.calls += 1
        if hold.price is None:
            return
        known.answered += 1
        if hold.price.usd is None:
            self.unknown += 1
            self._why_unknown = hold.price.source
            self.assumed_usd += share
        else:
            self.spent_usd += hold.price.usd
            if self.budget_usd is not None:
                known.saw(hold.price.usd, hold.output, guess)
