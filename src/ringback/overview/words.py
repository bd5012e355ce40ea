"""Figures of a report over sessions in words: the same on the page, in the summary, at a terminal.

Everything here is plain text; whoever prints it escapes it for the medium.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ringback.overview.model import (
    Arm,
    Condition,
    Nothing,
    Overview,
    Picked,
    SessionLine,
    Solved,
    ToolUse,
    Versus,
)
from ringback.report import wording
from ringback.report.arm_lines import per_solved_words
from ringback.report.failing import LAID_TO
from ringback.report.plain import one_line
from ringback.stats import few_changed

__all__ = [
    "SAYS_NOTHING",
    "agent_cost",
    "asked",
    "by_outcome",
    "called",
    "could_be",
    "domain",
    "failures",
    "faults",
    "few_told",
    "left_out",
    "limits_text",
    "not_read",
    "origins",
    "outcome",
    "per_solved",
    "picked",
    "reading",
    "readings_told",
    "solved",
    "solved_share",
    "title",
    "too_few",
    "tools",
    "unadjusted",
    "unpaired",
    "user_cost",
    "versus",
]

_CHANCE = "another draw of the same sessions would come out otherwise with nothing changed"
SAYS_NOTHING: dict[Nothing, str] = {
    "outcome": f"The sessions were chosen by how they came out, and {_CHANCE}",
    "alike": f"Those named of an arm all came out alike, as if chosen by it, and {_CHANCE}",
    "alone": "One session says nothing of a difference",
    "one arm": "There is one arm, and nothing to compare it with",
    "no such arm": "The arm that was named as the baseline is not here",
}
"""Why no difference is read, clauses without a full stop."""
_BEFORE: dict[Picked, str] = {
    "failed": "only ones that had failed",
    "solved": "only ones that had been solved",
    "either": "picked by how they had come out",
}
_LONGEST = 60


def title(found: Overview) -> str:
    """What the report is of, on one line."""
    typed = found.facts.selection
    return f"Sessions: {one_line(typed, 120)}" if typed else "All sessions"


def by_outcome(found: Overview) -> bool:
    """Whether the sessions were chosen by their outcome, so that no rate says anything."""
    return found.facts.unread in ("outcome", "alike")


def solved(value: Solved) -> str:
    """Solved of graded sessions: ``12 of 40``."""
    return f"{value.solved:,} of {value.graded:,}" if value.graded else "none graded"


def solved_share(value: Solved) -> str:
    """The same with its rate and interval: ``12 of 40 (30.0%; 95% interval 18.1% to 45.4%)``."""
    if value.rate is None or value.interval is None:
        return solved(value)
    return (
        f"{solved(value)} ({wording.percent(value.rate)}; {wording.level(value.interval.level)} "
        f"interval {wording.percent_interval(value.interval)})"
    )


def picked(arm: Arm) -> str:
    """Why an arm's rate is not read though others are; empty where it is."""
    return "" if arm.picked is None else f"its cases are {_BEFORE[arm.picked]}"


def not_read(value: Versus) -> str:
    """Why a difference is not read though others are; empty where it is."""
    if value.unread is None:
        return ""
    return f"the cases of one are {_BEFORE[value.unread]} in the other"


def could_be(arm: Arm) -> str:
    """What the rate would be had those without an outcome been failed, or solved.

    Empty where there are none, and where there is no rate.
    """
    if not (arm.graded and arm.ungraded) or arm.least is None or arm.most is None:
        return ""
    return f"{wording.percent(arm.least)} to {wording.percent(arm.most)}"


def called(arm: Arm) -> str:
    """What an arm is: its agent, the wording of the policy, and where it was recorded."""
    policy = f", policy {one_line(arm.policy, _LONGEST)}" if arm.policy else ""
    whose = "" if arm.origin is None else f", read from {arm.origin}"
    return f"{wording.agent(arm.agent)}{policy}{whose}"


def asked(arm: Arm) -> str:
    """The models that were asked, by side."""
    found = [
        f"{'agent' if each.side == 'agent' else 'customer'} {each.model or 'of no recorded name'} "
        f"({wording.plural(each.calls, 'call')})"
        for each in arm.asked
    ]
    return "; ".join(found) or _no_model(arm)


def agent_cost(arm: Arm) -> str:
    """What the agent's calls cost."""
    return _no_model(arm) if arm.agent_cost is None else wording.cost(arm.agent_cost)


def user_cost(arm: Arm) -> str:
    """What the customer's calls cost."""
    return _no_model(arm) if arm.user_cost is None else wording.cost(arm.user_cost)


def faults(arm: Arm) -> str:
    """The faults of the customer's simulator."""
    if arm.faults is None and arm.origin is not None:
        return "not looked for"
    return wording.faults(arm.faults, arm.user_cost)


def _no_model(arm: Arm) -> str:
    """Why there are no calls of a side: a recording of others' may lack what was made."""
    return "no model" if arm.origin is None else "none recorded"


def per_solved(arm: Arm) -> str:
    """What a solved session cost; empty where no model was asked."""
    value, interval = per_solved_words(arm.cost_per_solved)
    return f"{value} ({interval})" if interval else value


def versus(value: Versus) -> str:
    """A difference in points with its interval; that there is none without a pair, or not read."""
    if value.unread is not None:
        return "not read"
    if value.difference is None:
        return "no pair"
    found = value.difference
    return f"{wording.points(found.difference)} ({wording.difference_ends(found)})"


def unadjusted(value: Versus) -> str:
    """The verdict by the interval alone; empty without a pair."""
    return "" if value.difference is None else value.difference.unadjusted


def reading(value: Versus) -> str:
    """What we call the arm, adjusted where several are compared."""
    if value.unread is not None:
        return f"not compared: {not_read(value)}"
    if value.difference is None or value.claimed is None:
        return "not compared"
    return wording.reading_claimed(value.difference, value.claimed)


def few_told(value: Versus) -> bool:
    """Whether a verdict is told that rests on few changes."""
    told = value.claimed in ("better", "worse")
    return told and value.difference is not None and few_changed(value.difference)


def too_few(value: Versus) -> bool:
    """Whether the interval alone shows a difference that there is too little for to tell it."""
    return value.difference is not None and wording.too_few(value.difference)


def readings_told(condition: Condition) -> str:
    """What the two columns of verdicts are, in a sentence or two."""
    tested = sum(each.test is not None for each in condition.versus)
    return wording.readings_told(tested, "an arm of the baseline's content stands")


def unpaired(value: Versus) -> str:
    """The draws that make no pair, by reason; empty where there are none."""
    return wording.counts(value.unpaired)


def failures(arm: Arm) -> str:
    """An arm's failures on one line: ``the agent 3, the simulator 1``; empty without any."""
    said = [f"{LAID_TO[each.blame]} {each.episodes:,}" for each in arm.failures]
    return ", ".join([*said, *([f"not asked {arm.unblamed:,}"] if arm.unblamed else [])])


def origins(condition: Condition) -> str:
    """Where the sessions of a condition come from."""
    return ", ".join(f"{each.name} {each.count:,}" for each in condition.origins)


def domain(condition: Condition) -> str:
    """The support world of a condition; some recordings name none."""
    return condition.domain or wording.UNKNOWN


def limits_text(condition: Condition) -> str:
    """When a session of a condition was cut off."""
    found = condition.limits
    return (
        f"{wording.known(found.steps)} steps, {wording.known(found.errors)} tool errors, "
        f"{wording.known(found.seconds)} seconds"
    )


def outcome(line: SessionLine) -> str:
    """A session's outcome: ``solved``, ``not solved``, or why there is none."""
    if line.reason is not None:
        return wording.reason(line.reason)
    return "solved" if line.outcome == "solved" else "not solved"


def tools(uses: Sequence[ToolUse]) -> str:
    """What was called, on one line, the commonest first."""
    return ", ".join(
        f"{each.tool} {each.calls:,}" + (f" ({each.errors:,} errors)" if each.errors else "")
        for each in uses
    )


def left_out(found: Overview) -> Iterator[str]:
    """A sentence for each kind of session that was selected and is in no figure."""
    left = found.left_out
    if left.operated:
        many = wording.plural(len(left.operated), "session")
        yield f"{many} by hand left out, since what an operator is still at is not told."
    if left.others:
        are = "is" if left.others == 1 else "are"
        yield (
            f"{wording.plural(left.others, 'other session')} of cases that are being played by "
            f"hand {are} left out too, and not named, which would give the case away."
        )
    if left.replaced:
        are = "is" if left.replaced == 1 else "are"
        yield (
            f"{wording.plural(left.replaced, 'attempt')} that a later one replaced {are} listed "
            "and in no figure."
        )
    if left.unreadable:
        yield f"{wording.plural(len(left.unreadable), 'session')} cannot be read."
