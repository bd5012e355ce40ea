"""A recorded session as a line that Kitaru imports."""

from __future__ import annotations

from typing import Any

import msgspec

from ringback.canonical import Json, digest
from ringback.domain import Verdict
from ringback.episode.events import UNPLAYED, Ending
from ringback.episode.identity import arm_hash, condition_hash
from ringback.formats.kitaru.nodes import OURS, nodes
from ringback.formats.session import Session, iso
from ringback.grading.grade import Grade

__all__ = ["FORM", "line"]

FORM = 2
"""The version of what stands under `OURS`."""

_BROKE: tuple[Ending, ...] = ("agent_error", "user_error", "timeout", *UNPLAYED)

_encoder = msgspec.json.Encoder()

# Python's splitlines, by which Kitaru's importer finds the lines, takes these for ends of lines.
_BREAKS = tuple(
    (character.encode(), f"\\u{ord(character):04x}".encode())
    for character in ("\x85", "\u2028", "\u2029")
)


def line(session: Session) -> bytes:
    """The session as UTF-8 JSON with a line feed at its end.

    Who was on the line, the seed and the reward stand in its metadata, the checks in its outputs.
    Raises `InputError` where a model call's request does not come out of the record.
    """
    data = _encoder.encode(_record(session))
    for found, escaped in _BREAKS:
        data = data.replace(found, escaped)
    return data + b"\n"


def _record(session: Session) -> dict[str, Any]:
    start, end = session.start, session.end
    condition, arm, draw = start.condition, start.arm, start.draw
    status = "in_progress" if end is None else "failed" if end.ending in _BROKE else "completed"
    outputs = _outputs(session)
    record: dict[str, Any] = {
        "external_id": start.session,
        "name": " · ".join(_named(draw.task, start.arm_name, draw.trial)),
        "status": status,
        "framework": "ringback",
        "inputs": {
            "domain": condition.domain,
            "task": draw.task,
            "trial": draw.trial,
            "seed": draw.seed,
            "policy": arm.policy,
            "agent": arm.agent,
            "user": condition.user,
            "greeting": condition.greeting,
            "limits": condition.limits,
        },
        "outputs": outputs,
        "metadata": _metadata(session),
        "nodes": nodes(session),
    }
    if draw.task is not None:
        record["input_text_selector"] = "/task"
    if outputs["text"] is not None:
        record["output_text_selector"] = "/text"
    if status == "failed" and end is not None:
        record["error"] = f"{end.ending}: {end.why or end.rule}"
    times = {"started_at": iso(start.at), "ended_at": iso(end.at) if end else None}
    return record | {name: time for name, time in times.items() if time is not None}


def _named(task: str | None, arm: str, trial: int | None) -> list[str]:
    return [
        task or "(unknown task)",
        *([arm] if arm else []),
        *([f"trial {trial}"] if trial is not None else []),
    ]


def _outputs(session: Session) -> dict[str, Any]:
    end, grade = session.end, session.grade
    found: dict[str, Any] = {
        "text": session.last_words,
        "ending": end.ending if end else None,
        "rule": end.rule if end else None,
        "why": end.why if end else None,
    }
    return found if grade is None else found | _graded(grade)


def _graded(grade: Grade) -> dict[str, Any]:
    return {
        "reward": grade.reward,
        "solved": grade.solved,
        "strict": grade.strict,
        "graded": grade.graded,
        "graded_by": grade.versions,
        "divergences": grade.divergences,
        "evaluations": _evaluations(grade.verdict),
        "conduct": [msgspec.to_builtins(note) for note in grade.verdict.conduct],
    }


def _evaluations(verdict: Verdict) -> list[dict[str, Json]]:
    found = [{"part": "end_state", **msgspec.to_builtins(check)} for check in verdict.end]
    return found + [{"part": "actions", **msgspec.to_builtins(check)} for check in verdict.actions]


def _metadata(session: Session) -> dict[str, Any]:
    start, grade = session.start, session.grade
    draw = start.draw
    found: dict[str, Any] = {
        "domain": start.condition.domain,
        "task": draw.task,
        "trial": draw.trial,
        "seed": draw.seed,
        "arm": start.arm_name,
        "arm_digest": arm_hash(start.arm),
        "condition": condition_hash(start.condition),
        "agent": start.arm.agent.name,
        "user": start.condition.user.name,
        "policy": start.arm.policy,
        "attempt": start.attempt,
    }
    if grade is not None:
        found |= {"reward": grade.reward, "solved": grade.solved, "graded": grade.graded}
    for side, amount in session.spent().items():
        cost = {"calls": amount.calls, "unpriced": amount.unpriced, "usd": amount.cost}
        found[f"{side}_model"] = cost
    return found | {OURS: _ours(session)}


def _ours(session: Session) -> dict[str, Any]:
    """The two events that are no node, the digest of all, and the texts that the first names."""
    start = session.start
    found: dict[str, Any] = {"form": FORM, "start": start, "end": session.end}
    found["whole"] = digest(session.events)
    if start.origin is not None and start.origin.contents:
        names = sorted(set(start.origin.contents.values()))
        found["contents"] = {name: session.contents[name] for name in names}
    return found
