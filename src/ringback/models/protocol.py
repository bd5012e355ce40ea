"""What a model is to the rest of Ringback: one question at a time, and an answer that says all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from msgspec import Struct

from ringback.canonical import Json
from ringback.episode.wire import Answer, Request
from ringback.errors import RingbackError

__all__ = [
    "BudgetSpent",
    "CallsStopped",
    "Model",
    "ModelEntry",
    "Opener",
    "PriceEntry",
    "is_steady",
]


class BudgetSpent(RingbackError):  # noqa: N818 - the word is the error
    """The run's budget does not allow another call; episodes stay where they are."""


class CallsStopped(RingbackError):  # noqa: N818 - nothing went wrong
    """The run is being stopped and the call was not sent; episodes stay where they are."""


class PriceEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """A price of the user's own, in USD per million tokens."""

    input: float
    output: float
    cached: float | None = None


class ModelEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """A model as a study file's or the user's ``[models.NAME]`` describes it.

    `model` is the full name (``openai:gpt-5.2``, ``local:smollm2``); `base_url` the endpoint, where
    it speaks OpenAI's protocol elsewhere; `key_env` the environment variable that holds its key,
    never the key itself;
    `settings` go out with every call; `context` is the longest conversation in tokens, where it is
    known: what does not fit is not sent;
    `concurrency` and `per_minute` bound the calls in flight and the calls begun in a minute.
    """

    model: str
    base_url: str | None = None
    key_env: str | None = None
    settings: dict[str, Json] = {}
    price: PriceEntry | None = None
    context: int | None = None
    concurrency: int | None = None
    per_minute: float | None = None


class Model(Protocol):
    """A model that can be asked. Safe to share by any number of episodes in one event loop.

    One that always gives equal conversations equal replies, whatever the settings, may say so with
    an attribute `steady` that is True (see `is_steady`): with it a call repeats itself.
    """

    @property
    def name(self) -> str:
        """The name as asked for, e.g. ``openai:gpt-5.2``."""
        ...

    @property
    def identity(self) -> dict[str, Json]:
        """What else could move a score: endpoint, weights' digest, settings. Never a key."""
        ...

    @property
    def holds_form(self) -> bool:
        """Whether `Request.form` is enforced, so that every reply satisfies the schema."""
        ...

    async def ask(self, request: Request, *, seconds: float) -> Answer:
        """The model's answer, its tries taking no more than `seconds` together.

        What is waited for a place, for the budget or before another try does not count. What goes
        wrong on the way or at the model is in the answer (`Answer.failure`, `attempts`), not
        raised. Raises `InputError` for a key that is missing, `BudgetSpent`, and `CallsStopped`
        where the call is not sent any more. Cancelled, it ends the call in flight.
        """
        ...


def is_steady(model: Model) -> bool:
    """Whether it is known to give equal conversations equal replies, seed and settings aside."""
    return getattr(model, "steady", False) is True


Opener: TypeAlias = Callable[[str], Model]
"""Opens a model by its name or alias; raises `InputError` for one that is not there."""
