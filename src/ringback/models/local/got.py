"""What asking a local model came to, and the answer that it makes."""

from __future__ import annotations

from msgspec import Struct

from ringback.canonical import Json
from ringback.episode.wire import Answer, Attempt, Failure, Message, Price, Usage
from ringback.models.local.turns import Turn

__all__ = ["Got", "broken", "broken_off", "overflow"]

_PRICE = Price(0.0, "runs on this machine")


class Got(Struct, frozen=True):
    """A reply and what it took, or why there is none."""

    message: Message | None = None
    usage: Usage = Usage()
    finish: str | None = None
    failure: Failure | None = None
    why: str | None = None

    def answer(
        self,
        model: str,
        turn: Turn,
        *,
        sent: dict[str, Json] | None = None,
        dropped: dict[str, str] | None = None,
        held: bool = False,
    ) -> Answer:
        """The answer at the end of this turn, by the model of this name."""
        took = turn.passed()
        return Answer(
            message=self.message,
            model=model,
            seconds=took,
            usage=self.usage,
            price=_PRICE,
            finish=self.finish,
            failure=self.failure,
            why=self.why,
            sent=sent or {},
            dropped=dropped or {},
            form_held=held,
            attempts=(Attempt(self.failure, self.why or "", took),) if self.failure else (),
            waited=turn.waited,
        )


def overflow(usage: Usage, context: int, finish: str | None = None) -> Got:
    """The conversation, or it and its reply, are longer than `context` tokens."""
    why = f"The conversation of {usage.input:,} tokens and its reply do not fit into {context:,}."
    return Got(None, usage, finish, "context_overflow", why)


def broken(why: str) -> Got:
    """The runtime gave no answer, for a reason that is none of the model's."""
    return Got(failure="infrastructure", why=why)


def broken_off(turn: Turn) -> Got:
    """The turn's time was over."""
    return broken(f"The model gave no answer within {turn.seconds:g} s.")
