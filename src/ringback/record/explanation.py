"""Why a case was worth what it was: by rule, from its checks, its ending and whom it is laid to."""

from __future__ import annotations

from collections.abc import Iterator

from ringback.domain import Did, EndCheck, Transferring
from ringback.episode.events import UNPLAYED, Turn
from ringback.episode.markers import marker_in
from ringback.record.told import Told
from ringback.report.plain import one_line
from ringback.report.wording import listing, plural

__all__ = ["explanation"]

_WHY = 200
_LIMITS = {
    "max_steps": "its limit of steps",
    "too_many_errors": "its limit of tool errors",
    "timeout": "its time limit",
}
_CLOSED = {"user_stop": "The customer ended the call", "agent_stop": "The agent ended the call"}


def explanation(told: Told) -> str:
    """The explanation in a few sentences; nothing in it is asserted that is not in the record."""
    return " ".join(_sentences(told))


def _sentences(told: Told) -> Iterator[str]:
    grade, ending = told.grade, told.end.ending
    if not told.messages_known:
        yield from _unknown(told)
        return
    if not grade.graded:
        yield from _ungraded(told)
        return
    met = [check for check in grade.verdict.end if check.counted and check.met]
    unmet = [check for check in grade.verdict.end if check.counted and not check.met]
    whole = grade.verdict.satisfied
    if grade.reward == 1.0:
        yield f"The end-state checks found {_found(told, met)}."
        yield from _actions(told)
        yield f"{_closed(told)}."
    elif ending in _CLOSED:
        yield f"{_closed(told)}, and the reward is 0.0: {_missing(told, unmet)}."
        yield from _rest(told, met)
    elif ending in _LIMITS:
        state = f"found {_found(told, met)}" if met else "found nothing of what they ask for"
        yield (
            f"The end-state checks {state}, so the state at the end was repaired; but"
            if whole
            else f"The end state was not reached: {_missing(told, unmet)}; and"
        ) + f" the call was cut off at {_limit(told)} before either side had ended it."
        yield "The reward of a call that is cut off is 0.0 whatever its state."
    else:
        yield f"The call ended as {ending.replace('_', ' ')}, which is worth 0.0."
        if unmet:
            yield f"At its end {_missing(told, unmet)}."
    yield from _inversions(told)
    yield from _refused(told)
    yield from _conduct(told)
    if grade.failure is not None:
        yield f"By rule the failure is laid to the {_whom(grade.failure.blame)}{_why(told)}"
    if grade.reward != 1.0:
        yield _others(told)


def _closed(told: Told) -> str:
    """Who ended the call, and as what: the customer's markers say more than that it is over."""
    last = next((event for event in reversed(told.events) if isinstance(event, Turn)), None)
    words = None if last is None or last.by != "user" or last.calls else last.text
    match told.end.ending, marker_in(words or "", "user"):
        case "user_stop", "transfer":
            return f"The customer ended the call as handed over{_handed_over(told)}"
        case "user_stop", "out_of_scope":
            return "The customer ended the call as one that its instructions do not cover"
        case ending, _:
            return _CLOSED[ending]


def _handed_over(told: Told) -> str:
    if not isinstance(told.domain, Transferring):
        return ""
    tool = told.domain.transfer("").tool
    tries = [
        did
        for did in told.episode.happenings
        if isinstance(did, Did) and did.side == "agent" and did.tool == tool
    ]
    if not tries:
        return ", which the agent had not done"
    if all(did.outcome.error for did in tries):
        return ", though the agent's call for it was refused"
    return ", which the agent had done"


def _whom(blame: str) -> str:
    return "agent or the simulator, undecided" if blame == "undecided" else blame


def _why(told: Told) -> str:
    failure = told.grade.failure
    if failure is None:
        return "."
    by_roles = any(sign.kind == "roles_inverted" and sign.decisive for sign in failure.kinds)
    if told.inversions and by_roles and failure.blame == "simulator":
        return " for these turns."
    return f": {failure.why}"


def _unknown(told: Told) -> Iterator[str]:
    yield (
        "The recording holds no message of the call, so what was done in it and what stood at its "
        "end are not known."
    )
    reward, _ = told.worth
    if told.end.ending in UNPLAYED:
        yield from _ungraded(told)
        return
    ended = f"The call ended as {told.end.ending.replace('_', ' ')}"
    yield (
        f"{ended}, and its reward is not known."
        if reward is None
        else (f"{ended}, which is worth {reward}.")
    )
    yield _others(told)


def _ungraded(told: Told) -> Iterator[str]:
    if told.end.ending == "abandoned":
        why = told.end.why
        because = "" if not why else f" ({one_line(why, _WHY)!r})"
        yield f"The operator gave the call up before it was over{because}, so it has no grade."
    else:
        yield "What lies between the participants broke, so the call has no grade."
    yield _others(told)


def _found(told: Told, checks: list[EndCheck]) -> str:
    recounting, world = told.recounting, told.episode.world
    if recounting is None:
        return listing([f"{check.name} met" for check in checks]) or "all as it is to be"
    return listing([recounting.finding(check, world) for check in checks]) or "all as it is to be"


def _missing(told: Told, unmet: list[EndCheck]) -> str:
    recounting, world = told.recounting, told.episode.world
    actions = [c for c in told.grade.verdict.actions if c.counted and not c.met]
    parts: list[str] = []
    if unmet and recounting is not None:
        parts.append(f"the checks found {listing([recounting.finding(c, world) for c in unmet])}")
    elif unmet:
        parts.append(f"{listing([check.name for check in unmet])} did not hold")
    if actions:
        parts.append(f"{listing([check.name for check in actions])} was not done")
    return listing(parts) or "the checks did not hold"


def _rest(told: Told, met: list[EndCheck]) -> Iterator[str]:
    if met:
        yield f"What they did find: {_found(told, met)}."


def _actions(told: Told) -> Iterator[str]:
    checks = told.grade.verdict.actions
    done = sum(check.met for check in checks)
    counted = any(check.counted for check in checks)
    if not checks:
        return
    if done == len(checks):
        many = {1: "The expected step was", 2: "Both expected steps were"}
        yield f"{many.get(done, f'All {done} expected steps were')} taken."
    elif not counted:
        yield (
            f"{done} of the {len(checks)} expected steps were taken; the others do not count for "
            "the reward."
        )


def _limit(told: Told) -> str:
    limits, ending = told.start.condition.limits, told.end.ending
    if ending == "max_steps" and limits.steps is not None:
        return f"its limit of {plural(limits.steps, 'step')}"
    if ending == "too_many_errors" and limits.errors is not None:
        return f"its limit of {plural(limits.errors, 'tool error')}"
    return _LIMITS[ending]


def _inversions(told: Told) -> Iterator[str]:
    if told.inversions:
        limit = told.start.condition.limits.steps
        lost = told.lost_steps
        of = plural(lost, "step") if limit is None else f"{lost} of {plural(limit, 'step')}"
        turns = plural(len(told.inversions), "turn")
        yield f"In {turns} the customer spoke as if it were the agent, which took {of}."


def _refused(told: Told) -> Iterator[str]:
    if told.refused:
        calls = plural(len(told.refused), "call")
        verb = "was" if len(told.refused) == 1 else "were"
        yield f"{calls} of the agent {verb} refused, which changed nothing."


def _conduct(told: Told) -> Iterator[str]:
    notes = list(dict.fromkeys(note.text for note in told.grade.verdict.conduct))
    if notes:
        yield f"Noted beside the reward: {' '.join(notes)}"


def _others(told: Told) -> str:
    count = len(told.attempts) - 1
    if count:
        verb = "is" if count == 1 else "are"
        return f"{plural(count, 'other attempt')} at this case {verb} listed."
    if told.others:
        return "No other operated attempt at this case is in the store."
    return "No other attempt at this case is in the store."
