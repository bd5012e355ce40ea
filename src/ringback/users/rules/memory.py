"""What the customer remembers: a fold over the events it may see, made anew at every turn."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from ringback.canonical import Json
from ringback.episode.events import Call, Results, Turn
from ringback.episode.participants import View
from ringback.telecom.scenario import Goal
from ringback.users.rules.phone_state import seen_in

__all__ = ["Deed", "Memory", "content", "remember"]


class Deed(Struct, frozen=True):
    """A call the customer made and what the phone answered. `writes`: it could change the phone."""

    tool: str
    arguments: Json
    text: str
    error: bool
    writes: bool
    facts: tuple[tuple[str, str], ...]


class Memory:
    """The call so far, as the customer knows it.

    `heard` are the agent's messages, `spoken` the customer's own; `deeds` the calls since the last
    message; `sight` what the phone was last seen to show, `sight_then` the same when that message
    came; `acted` which messages had been followed by calls; `seen` after which message each part
    was seen last. `proof` is whether the last test of what the caller wants was passed, None where
    there was none since the phone last changed.
    """

    __slots__ = (
        "acted",
        "all_deeds",
        "deeds",
        "failures",
        "heard",
        "proof",
        "seen",
        "sight",
        "sight_then",
        "spoken",
    )

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.spoken: list[str] = []
        self.deeds: list[Deed] = []
        self.all_deeds: list[Deed] = []
        self.sight: dict[str, str] = {}
        self.sight_then: dict[str, str] = {}
        self.seen: dict[str, int] = {}
        self.acted: list[bool] = []
        self.failures = 0
        self.proof: bool | None = None


_PROOF: dict[Goal, str] = {"mobile_data": "rating", "mms": "mms", "service": "signal"}
_GOOD: dict[Goal, Callable[[str], bool]] = {
    "mobile_data": lambda word: word == "excellent",
    "mms": lambda word: word == "yes",
    "service": lambda word: word != "none",
}


def content(goal: Goal, sight: dict[str, str]) -> bool | None:
    """Whether what has been seen satisfies the caller; None where it has not been seen."""
    word = sight.get(_PROOF[goal])
    return None if word is None else _GOOD[goal](word)


def remember(view: View, goal: Goal) -> Memory:
    """Fold the events of a view. Never raises for what a recording may hold."""
    memory = Memory()
    open_calls: tuple[Call, ...] = ()
    for event in view.events:
        if isinstance(event, Results):
            for call, result in zip(open_calls, event.results, strict=False):
                _take(memory, goal, call, result.text, result.error)
            open_calls = ()
        elif not isinstance(event, Turn):
            continue
        elif event.calls:
            open_calls = event.calls
        elif event.by == "agent":
            memory.heard.append(event.text or "")
            memory.acted.append(False)
            memory.deeds = []
            memory.sight_then = dict(memory.sight)
        elif event.text:
            memory.spoken.append(event.text)
    return memory


def _told(field: str, word: str, old: dict[str, str]) -> bool:
    """Whether a caller says this of the phone after a change: what changed, and the signal."""
    return field in ("airplane", "signal", "data") or old.get(field) != word


def _take(memory: Memory, goal: Goal, call: Call, text: str, error: bool) -> None:
    facts = () if error else seen_in(call.tool, text)
    writes = not call.tool.startswith(("check_", "run_", "can_"))
    deed = Deed(call.tool, call.arguments, text, error, writes, facts)
    memory.deeds.append(deed)
    memory.all_deeds.append(deed)
    if memory.acted:
        memory.acted[-1] = True
    if writes and not error:
        memory.proof = None
        for field in ("speed", "rating", "mms"):
            memory.sight.pop(field, None)
        if call.tool == "reseat_sim_card":
            memory.sight.pop("sim", None)
    old = dict(memory.sight)
    memory.sight.update(facts)
    now = len(memory.heard)
    memory.seen.update(
        (field, now) for field, word in facts if not writes or _told(field, word, old)
    )
    if any(field == _PROOF[goal] for field, _ in facts):
        memory.proof = content(goal, memory.sight)
        if memory.proof is False and (goal != "service" or writes):
            memory.failures += 1
