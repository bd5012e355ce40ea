"""Model calls, replies that were not taken and nudges, in words: for the terminal and the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from ringback.episode.events import ModelCall, Nudge, Rejected, Reported
from ringback.episode.wire import Answer, Asked, Attempt, Text, Thought, Usage
from ringback.report.model import Cost
from ringback.report.plain import brief, json_text
from ringback.report.transcript import Aside, Transcript
from ringback.report.wording import UNKNOWN, cost, listing, plural, reason, settings, usd

__all__ = ["AsideWords", "aside_text", "aside_words", "rule_text", "spent_text"]

_LONG = 4000
_TAKEN = {"accepted": "taken though the guard objected", "normalized": "taken, mended"}


class AsideWords(Struct, frozen=True):
    """A side event as a line, and what there is to unfold below it. `fault`: of the simulator."""

    line: str
    more: tuple[str, ...] = ()
    fault: bool = False


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


def aside_words(aside: Aside) -> AsideWords:
    """One side event for a page: a model call with its tokens and cost, the rest to unfold."""
    match aside:
        case ModelCall():
            head, more = _head(aside), tuple(_more(aside, _LONG))
            if aside.answer.failure is not None:
                return AsideWords(" · ".join([*head, _failed(aside)]), more)
            return AsideWords(" · ".join(head), more)
        case Reported():
            return AsideWords(" · ".join(_reported(aside)))
        case Rejected() if aside.accepted:
            rules = listing([reason(rule) for rule in aside.rules])
            fault = "fault of the simulator" if aside.by == "user" else "reply"
            return AsideWords(f"{fault}, taken all the same: {rules}", fault=True)
        case Rejected():
            return AsideWords(aside_text(aside), fault=True)
        case Nudge():
            return AsideWords(aside_text(aside))


def rule_text(rule: str, asides: Sequence[Aside]) -> str:
    """Why a participant did what it did, in its own words; nothing where an aside has said it."""
    parts = [part.partition(": ") for part in rule.split("; ")]
    if not all(word in _TAKEN and names for word, _, names in parts):
        return f"by its own account: {rule}"
    if any(isinstance(aside, Rejected) and aside.accepted for aside in asides):
        return ""
    return "; ".join(
        f"{_TAKEN[word]}: {listing([reason(name) for name in names.split(', ')])}"
        for word, _, names in parts
    )


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
    yield from _head(call)
    yield _time(call)
    if call.answer.failure is not None:
        yield _failed(call)
    yield from _rest(call, 200)


def _head(call: ModelCall) -> Iterator[str]:
    answer = call.answer
    answered = "" if answer.model in (None, call.model) else f" (answered as {answer.model})"
    yield f"model {call.model}{answered}"
    yield _tokens(answer.usage)
    price = usd(answer.price.usd)
    yield f"cost {price}" + ("" if answer.price.usd else f" ({answer.price.source})")


def _more(call: ModelCall, limit: int) -> Iterator[str]:
    answer = call.answer
    waited = f", after {answer.waited:.1f} s of waiting" if answer.waited else ""
    yield f"{_time(call)}{waited}"
    if answer.price.usd:
        yield f"price by {answer.price.source}"
    yield from _rest(call, limit)
    request = call.request
    known = f", after {request.kept:,} that were known" if request.kept else ""
    yield f"sent: {plural(len(request.added), 'message')}{known}; request {request.whole}"
    if answer.sent:
        yield f"settings sent: {settings(answer.sent)}"
    if answer.finish is not None:
        yield f"ended by: {answer.finish}"


def _time(call: ModelCall) -> str:
    seconds = call.answer.seconds
    return "time unknown" if seconds is None else f"{seconds:.1f} s"


def _failed(call: ModelCall) -> str:
    why = call.answer.why or "no reason given"
    return f"failed, {reason(call.answer.failure or UNKNOWN)}: {why}"


def _rest(call: ModelCall, limit: int) -> Iterator[str]:
    answer = call.answer
    # The last try of a call that failed is what it failed by.
    attempts = answer.attempts[: -1 if answer.failure else None]
    if attempts:
        tries = plural(len(attempts), "try", "tries")
        yield f"{tries} before it without an answer: {', '.join(map(_attempt, attempts))}"
    if answer.dropped:
        dropped = (f"{name} ({why})" for name, why in answer.dropped.items())
        yield f"settings not taken: {', '.join(dropped)}"
    if hidden := _hidden(answer, limit):
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


def _hidden(answer: Answer, limit: int) -> str:
    """What of the reply never became part of a turn: reasoning."""
    if answer.message is None:
        return ""
    thoughts: Sequence[str] = [
        part.text for part in answer.message.parts if isinstance(part, Thought) and part.text
    ]
    if thoughts:
        return f"reasoning, kept from the other side: {json_text(brief(' '.join(thoughts), limit))}"
    if not any(isinstance(part, Text | Asked) for part in answer.message.parts):
        return "an empty reply"
    return ""
