"""The shared recordings as a customer's view: read where they lie, nothing of them is kept here."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ringback.episode.wire import Message, Text
from ringback.models.dialogue import spoken
from ringback.users.guard import Known
from ringback.users.guard.known import Deed

__all__ = ["Recorded", "customer_turns"]


class Recorded(NamedTuple):
    """One sentence of a recorded customer, and what it could know then."""

    file: str
    simulation: int
    message: int
    text: str
    known: Known


class _Told(NamedTuple):
    text: str


def _simulations(file: Path) -> Iterator[tuple[list[dict[str, Any]], Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        if file.name.endswith(".jsonl.gz"):
            for line in lines:
                rollout = json.loads(line)
                yield rollout["result"]["messages"], rollout["task"]
            return
        found = json.load(lines)
    if "simulations" not in found:
        yield found["messages"], found["task"]
        return
    tasks = {task["id"]: task for task in found["tasks"]}
    for simulation in found["simulations"]:
        yield simulation["messages"] or [], tasks.get(simulation["task_id"], {})


def customer_turns(folder: Path) -> Iterator[Recorded]:
    """Every sentence that a customer said in a recording, reasoning in tags left out.

    `known` is folded further with the next one; look at it before going on.
    """
    for file in sorted(folder.glob("rec*.gz")):
        for number, (messages, task) in enumerate(_simulations(file)):
            story = json.dumps(task.get("user_scenario", task), ensure_ascii=False)
            yield from _turns(file.name, number, messages, story)


def _turns(
    file: str, number: int, messages: list[dict[str, Any]], story: str
) -> Iterator[Recorded]:
    known = Known(_Told(f"You are John Smith. {story}"), [])
    pending: list[tuple[str, Any]] = []
    for index, message in enumerate(messages):
        words = message.get("content")
        text = words if isinstance(words, str) else ""
        calls: list[dict[str, Any]] = message.get("tool_calls") or []
        match message["role"]:
            case "assistant" if text.strip() and not calls:
                known.hear(text)
            case "user" if calls:
                made = (call.get("function", call) for call in calls)
                pending = [(call["name"], call.get("arguments")) for call in made]
            case "tool" if message.get("requestor") == "user":
                tool, arguments = pending.pop(0) if pending else ("unknown", None)
                known.do(Deed(tool, arguments, text, bool(message.get("error"))))
            case "user" if text.strip():
                said = spoken(Message("user", (Text(text),)))
                known.__dict__.pop("sources", None)
                yield Recorded(file, number, index, said, known)
                known.say(said)
            case _:
                pass
