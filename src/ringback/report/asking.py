"""Model calls, replies that were not taken and nudges, in words: for the terminal and the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ringback.episode.events import ModelCall, Nudge, Rejected, Reported
from ringback.episode.wire import Answer, Asked, Attempt, Text, Thought, Usage
from ringback.report.model import Cost
from ringback.report.plain import brief, json_text
from ringback.report.transcript import Aside, Transcript
from ringback.report.wording import UNKNOWN, cost, listing, plural, reason, usd

__all__ = ["aside_text", "spent_text"]


def aside_text(aside: Aside) -> str:
    """One side event as a line or two."""
    match aside:
        case ModelCall():
            return "; ".join(_call(aside))
        case Rejected():
            rules = listing([reason(rule) for rule in aside.rules])
            taken = "taken all the same" if aside.accepted else "not taken"
            fault = "fault of the simulator" if aside.by == "user" else "reply"
            return f"{fault}, {taken} ({rules}): {aside.text or '(nothing said)'}"
        case Nudge():
            return f"told by its harness: {aside.text}"
        case Reported():
            return "; ".join(_reported(aside))


def spent_text(transcript: Transcript) -> str:
    """What both sides' model calls came to; nothing where no model was asked."""
    spent = transcript.spent
    if not any(side.calls for side in spent.values()):
        return ""
    costs = {
        side: Cost(found.calls, found.unpriced, found.usd, found.maybe_charged)
        for side, found in spent.items()
        if found.calls
    }
    words = f"agent {cost(costs.get('agent'))} · customer {cost(costs.get('user'))}"
    if "user" in costs and transcript.start.condition.user.settings.get("guard") != "off":
        faults = spent["user"].rejected
        words += f" · {plural(faults, 'simulator fault')}"
    return words


def _reported(call: Reported) -> Iterator[str]:
    yield f"model {call.model or UNKNOWN}, as reported by {call.price.source}"
    yield _tokens(call.usage)
    yield f"cost {usd(call.price.usd)}"
    if call.seconds is not None:
        yield f"{call.seconds:.1f} s"


def _call(call: ModelCall) -> Iterator[str]:
    answer = call.answer
    answered = "" if answer.model in (None, call.model) else f" (answered as {answer.model})"
    yield f"model {call.model}{answered}"
    yield _tokens(answer.usage)
    price = usd(answer.price.usd)
    yield f"cost {price}" + ("" if answer.price.usd else f" ({answer.price.source})")
    yield "time unknown" if answer.seconds is None else f"{answer.seconds:.1f} s"
    if answer.failure is not None:
        yield f"failed, {reason(answer.failure)}: {answer.why or 'no reason given'}"
    # The last try of a call that failed is what it failed by.
    attempts = answer.attempts[: -1 if answer.failure else None]
    if attempts:
        tries = plural(len(attempts), "try", "tries")
        yield f"{tries} before it without an answer: {', '.join(map(_attempt, attempts))}"
    if answer.dropped:
        dropped = (f"{name} ({why})" for name, why in answer.dropped.items())
        yield f"settings not taken: {', '.join(dropped)}"
    if hidden := _hidden(answer):
        yield hidden


def _tokens(usage: Usage) -> str:
    if usage.input is None and usage.output is None:
        return "tokens unknown"
    came = "unknown" if usage.input is None else f"{usage.input:,}"
    went = "unknown" if usage.output is None else f"{usage.output:,}"
    words = f"{came} tokens in"
    if usage.cached is not None:
        words += f" ({usage.cached:,} cached)"
    words += f", {went} out"
    if usage.reasoning:
        words += f" ({usage.reasoning:,} of reasoning)"
    return words


def _attempt(attempt: Attempt) -> str:
    charged = "; it may have been charged" if attempt.charged else ""
    return f"{reason(attempt.failure)} after {attempt.seconds:.1f} s ({attempt.why}{charged})"


def _hidden(answer: Answer) -> str:
    """What of the reply never became part of a turn: reasoning."""
    if answer.message is None:
        return ""
    thoughts: Sequence[str] = [
        part.text for part in answer.message.parts if isinstance(part, Thought) and part.text
    ]
    if thoughts:
        return f"reasoning, kept from the other side: {json_text(brief(' '.join(thoughts), 200))}"
    if not any(isinstance(part, Text | Asked) for part in answer.message.parts):
        return "an empty reply"
    return ""
