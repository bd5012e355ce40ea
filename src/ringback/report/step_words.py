"""How the figures of a step check are put into words: plain text, escaped by whoever shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ringback.report.model import Count
from ringback.report.step_model import StepPart, StepSample, StepTarget
from ringback.report.wording import percent, percent_interval, plural, points
from ringback.stats import ClusterDifference, Interval

__all__ = [
    "design_effect",
    "exact",
    "excluded",
    "interval_ends",
    "intervals",
    "not_sent",
    "outcome",
    "rate",
    "reading",
    "same",
    "sampled",
    "versus",
]

_OUTCOMES: Mapping[str, str] = {
    "same": "same",
    "other_arguments": "same tool, other arguments",
    "other_tool": "other tool",
    "text_for_call": "text instead of a call",
    "call_for_text": "a call instead of text",
    "other_text": "other text",
    "nothing": "neither text nor call",
    "failed": "failed",
}

_EXCLUDED: Mapping[str, str] = {
    "failed": "the call failed",
    "taken_over": "the call is another session's, which was forked",
    "other_model": "the call was recorded of another model",
    "request_not_recorded": "the request is not recorded",
    "contents_missing": "texts of the request are missing in the store",
    "damaged": "the record does not give the request back",
    "no_reply": "no reply with words or calls is recorded",
    "no_messages": "no conversation is recorded",
    "several_replies": "several replies are recorded",
    "request_not_whole": "parts of the request have no place here",
    "unreadable_reply": "the reply cannot be read",
    "unreadable_messages": "the conversation cannot be read",
    "unreadable_tools": "the tools cannot be read",
    "developer_inside": "a developer's message stands inside the conversation",
    "part_unknown": "a part of a message is of an unknown kind",
    "part_out_of_place": "a part of a message stands where none can be sent",
    "settings_with_a_key": "the settings would carry a key",
}


def outcome(name: str) -> str:
    """An outcome in a few words."""
    return _OUTCOMES.get(name, name)


def excluded(counts: Sequence[Count]) -> list[str]:
    """Why calls cannot be sent again, with how many each."""
    return [f"{_EXCLUDED.get(one.name, one.name)}: {one.count:,}" for one in counts]


def sampled(sample: StepSample) -> str:
    """What was drawn of what: ``160 of 1,048 calls, out of 19 sessions, seed 0``."""
    drawn = f"{sample.sampled:,} of {plural(sample.candidates, 'call')}"
    return f"{drawn}, out of {plural(sample.clusters, 'session')}, seed {sample.seed}"


def same(part: StepPart | None) -> str:
    """``131 of 160 (81.9%)``; empty where there is nothing of the kind."""
    if part is None:
        return ""
    rate = part.rate
    if not rate.calls:
        return "none answered yet"
    return f"{rate.hits:,} of {rate.calls:,} ({percent(rate.rate)})"


def design_effect(value: float | None) -> str:
    """How much the clusters widen it, ``unknown`` where it cannot be told."""
    return "unknown" if value is None else f"{value:.2f}"


def interval_ends(value: Interval | None) -> str:
    """The ends of a difference's interval in points; a dash where there is none."""
    return "–" if value is None else f"{points(value.low)} to {points(value.high)}"


def versus(value: ClusterDifference) -> str:
    """The difference with its percentile interval: ``−12.5, −20.1 to −4.4``."""
    if value.percentile is None:
        each = "every session" if value.clusters > 1 else "the one session"
        return f"{points(value.difference)} in {each}"
    return f"{points(value.difference)}, {interval_ends(value.percentile)}"


def intervals(value: ClusterDifference) -> tuple[str, ...]:
    """The percentile interval and the studentized one; why there is none."""
    if value.percentile is None:
        return ("in every session" if value.clusters > 1 else "in the one session",)
    return interval_ends(value.percentile), interval_ends(value.studentized)


def exact(target: StepTarget) -> str:
    """How many of the texts recorded came back equal to the byte: ``12 of 31``."""
    return "" if target.text is None else f"{target.text.exact:,} of {target.text.rate.calls:,}"


def reading(value: ClusterDifference) -> str:
    """What it comes to by its interval alone, unadjusted; that it rests on few sessions is said."""
    verdict = {"better": "more often the same", "worse": "less often the same"}.get(
        value.unadjusted, value.unadjusted
    )
    return f"{verdict} (few sessions)" if value.few else verdict


def not_sent(target: StepTarget) -> list[str]:
    """What did not go to a model as recorded, in how many calls, a sentence each."""
    return [
        f"Not sent to {target.model}, in {plural(one.count, 'call')}: {one.name}."
        for one in target.not_sent
    ]


def rate(part: StepPart) -> tuple[str, str]:
    """The rate and its Wilson interval."""
    return percent(part.rate.rate), percent_interval(part.rate.interval)
