"""A session as a simulation of a tau2 file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

import msgspec

from ringback.canonical import Json
from ringback.domain import Verdict
from ringback.episode.events import Ending, ModelCall, Reported, Result, Results, Start, Turn
from ringback.episode.identity import arm_hash, condition_hash
from ringback.episode.wire import Usage
from ringback.formats.session import Session, Step, iso, steps
from ringback.formats.tau2.session import ENDINGS, NOT_RECORDED, RAW, TICKET
from ringback.formats.tau2.write_tasks import BASIS, action, assertion, requestor

__all__ = ["come_back", "simulation_object"]

_Object = dict[str, Any]
_Cost = ModelCall | Reported


def simulation_object(session: Session) -> _Object:
    """The session in tau2's words; one that was read from a tau2 file, as that file had it.

    The session has ended and has a task.
    """
    return _as_recorded(session) or _written(session)


def _as_recorded(session: Session) -> _Object | None:
    """The simulation as the tau2 file had it that the session was read from; None for others.

    The reader keeps apart what the events do not hold; here the two come together again. Where
    they would not come together to the letter, it keeps the whole.
    """
    origin = session.start.origin
    if origin is None or origin.form != "tau2":
        return None
    whole = session.contents.get(origin.contents.get("whole", ""))
    if whole is not None:
        return cast("_Object", msgspec.json.decode(whole))
    rest = session.contents.get(origin.contents.get("rest", ""))
    if rest is None:
        return None
    found = cast("_Object", msgspec.json.decode(rest))
    return found | {"messages": _joined(found.get("messages"), _messages(session))}


def come_back(messages: object, rest: object, session: Session) -> bool:
    """Whether a file's messages come out of the events and the rest of them as they were.

    `session` needs no contents. The reader asks this of each recording that it splits in two.
    """
    return _joined(rest, _bare(session)) == messages


def _bare(session: Session) -> list[_Object]:
    """The messages as the events tell them, without times and costs, which a file says itself."""
    found: list[_Object] = []
    greeting = session.start.condition.greeting
    if greeting:
        found.append({"role": "assistant", "content": greeting, "tool_calls": None})
    turn: Turn | None = None
    for event in session.events:
        if isinstance(event, Turn) and event.rule != TICKET and not _is_blank(event):
            turn = event
            found.append(_spoken(turn))
        elif isinstance(event, Results) and turn is not None:
            found += [_answer(turn, place, each) for place, each in enumerate(event.results)]
    return found


def _joined(rest: object, told: list[_Object]) -> list[_Object]:
    """Each message as told by the events, with all that the file said beside.

    As told alone where the two are not the same messages in the same order.
    """
    kept = cast("list[Any]", rest) if isinstance(rest, list) else []
    if len(kept) != len(told) or not all(map(_is_of, kept, told)):
        return told
    return [
        {"content": message["content"], **_calls(message), **beside}
        for message, beside in zip(told, cast("list[_Object]", kept), strict=True)
    ]


def _is_of(kept: object, told: _Object) -> bool:
    """Whether the two are one message; answers are told apart by the ids of their calls."""
    if not isinstance(kept, dict):
        return False
    fields = cast("_Object", kept)
    named = fields.get("id")
    other = told["role"] == "tool" and isinstance(named, str) and named != told["id"]
    return fields.get("role") == told["role"] and not other


def _calls(message: _Object) -> _Object:
    return {"tool_calls": message["tool_calls"]} if "tool_calls" in message else {}


_THEIRS: dict[Ending, Ending] = {"abandoned": "infrastructure_error"}
"""Where the form has no word for an ending, the one that says as little about the agent."""


def _written(session: Session) -> _Object:
    start, end = session.start, session.end
    assert end is not None
    began, ended = start.at, end.at if end.at is not None else session.last_at
    amounts = session.spent()
    known = end.rule in ENDINGS and start.origin is not None
    return {
        "id": start.session,
        "task_id": start.draw.task,
        "timestamp": iso(ended) or iso(began) or "",
        "start_time": iso(began) or "",
        "end_time": iso(ended) or "",
        "duration": 0.0 if began is None or ended is None else max(ended - began, 0.0),
        "termination_reason": end.rule if known else _THEIRS.get(end.ending, end.ending),
        "agent_cost": amounts["agent"].cost if "agent" in amounts else None,
        "user_cost": amounts["user"].cost if "user" in amounts else None,
        "reward_info": _reward(session),
        "messages": _messages(session),
        "trial": start.draw.trial,
        "seed": start.draw.seed,
        "mode": "half_duplex",
        "info": {"ringback": _ours(start, session)},
    }


def _ours(start: Start, session: Session) -> _Object:
    """What the form has no word for, and is worth knowing."""
    end, grade = session.end, session.grade
    return {
        "session": start.session,
        "arm": start.arm_name,
        "arm_digest": arm_hash(start.arm),
        "condition": condition_hash(start.condition),
        "attempt": start.attempt,
        "versions": start.versions,
        "limits": start.condition.limits,
        "ending": end and {"ending": end.ending, "rule": end.rule, "why": end.why},
        "strict": grade.strict if grade else None,
        "graded_by": grade.versions if grade else None,
    }


def _reward(session: Session) -> _Object | None:
    grade = session.grade
    if grade is None or grade.reward is None:
        return None
    verdict: Verdict = grade.verdict
    return {
        "reward": grade.reward,
        "db_check": None,
        "env_assertions": [
            {"env_assertion": assertion(check), "met": check.met, "reward": float(check.met)}
            for check in verdict.end
        ],
        "action_checks": [
            {
                "action": action(check, place),
                "action_match": check.met,
                "action_reward": float(check.met),
            }
            for place, check in enumerate(verdict.actions)
        ],
        "nl_assertions": None,
        "communicate_checks": None,
        "reward_basis": [BASIS[part] for part in verdict.basis if part in BASIS],
        "reward_breakdown": None,
        "info": None,
    }


def _messages(session: Session) -> list[_Object]:
    found: list[_Object] = []
    greeting = session.start.condition.greeting
    if greeting:
        opening = {"role": "assistant", "content": greeting, "tool_calls": None}
        found.append(opening | {"timestamp": iso(session.start.at)})
    for step in steps(session.events):
        turn = step.turn
        if turn is None or turn.rule == TICKET or _is_blank(turn):
            continue
        found.append(
            _message(turn, [e for e in step.beside if isinstance(e, ModelCall | Reported)])
        )
        found += _tool_messages(turn, step)
    return [{**message, "turn_idx": place} for place, message in enumerate(found)]


def _is_blank(turn: Turn) -> bool:
    return turn.rule == NOT_RECORDED and turn.text is None and not turn.calls


def _spoken(turn: Turn) -> _Object:
    made = [
        {
            "id": _call_id(turn, place),
            "name": call.tool,
            "arguments": _object(call.arguments),
            "requestor": requestor(turn.by),
        }
        for place, call in enumerate(turn.calls)
    ]
    return {
        "role": requestor(turn.by),
        "content": turn.text,
        "tool_calls": made or None,
    }


def _message(turn: Turn, costs: list[_Cost]) -> _Object:
    return {
        **_spoken(turn),
        "timestamp": iso(turn.at),
        "cost": _sum(_usd(event) for event in costs) if costs else None,
        "usage": _usage([_used(event) for event in costs]),
        "raw_data": None,
        "generation_time_seconds": _seconds(turn, costs),
    }


def _tool_messages(turn: Turn, step: Step) -> list[_Object]:
    at = step.results.at if step.results else None
    return [
        {**_answer(turn, place, result), "timestamp": iso(at)}
        for place, result in enumerate(step.answers)
        if result is not None
    ]


def _answer(turn: Turn, place: int, result: Result) -> _Object:
    return {
        "id": _call_id(turn, place),
        "role": "tool",
        "content": result.text,
        "requestor": requestor(turn.by),
        "error": result.error,
    }


def _call_id(turn: Turn, place: int) -> str:
    """The call's own id; ours where it has none, for the form asks for one."""
    found = turn.calls[place].id
    return f"call_{turn.seq}_{place}" if found is None else found


def _object(arguments: Json) -> Mapping[str, Json]:
    return arguments if isinstance(arguments, dict) else {RAW: arguments}


def _usd(event: _Cost) -> float | None:
    return event.answer.price.usd if isinstance(event, ModelCall) else event.price.usd


def _used(event: _Cost) -> Usage:
    return event.answer.usage if isinstance(event, ModelCall) else event.usage


def _sum(values: Iterable[float | None]) -> float | None:
    """The sum; unknown where a part of it is."""
    total = 0.0
    for value in values:
        if value is None:
            return None
        total += value
    return total


def _count(counts: Iterable[int | None]) -> int | None:
    total = _sum(counts)
    return None if total is None else int(total)


def _usage(used: list[Usage]) -> _Object | None:
    if not used:
        return None
    prompt, completion = _count(u.input for u in used), _count(u.output for u in used)
    cached, reasoning = _count(u.cached for u in used), _count(u.reasoning for u in used)
    found: _Object = {"prompt_tokens": prompt, "completion_tokens": completion}
    if cached is not None:
        found["prompt_tokens_details"] = {"cached_tokens": cached}
    if reasoning is not None:
        found["completion_tokens_details"] = {"reasoning_tokens": reasoning}
    return None if all(value is None for value in found.values()) else found


def _seconds(turn: Turn, costs: list[_Cost]) -> float | None:
    """The side's active time: that of its model's replies, and that of the turn made of them."""
    asked = [event.answer.seconds for event in costs if isinstance(event, ModelCall)]
    return _sum([*asked, turn.seconds]) if turn.seconds is not None or asked else None
