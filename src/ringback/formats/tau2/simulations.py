"""One simulation of a tau2 file as a recording: its session, its origin, what is kept beside it."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any, cast

import msgspec
from msgspec.structs import replace

import ringback
from ringback.canonical import Json, digest
from ringback.domain import Domain
from ringback.domains import load
from ringback.episode.events import AnyEvent, Arm, Call, Condition, Draw, Note, Origin, Start
from ringback.episode.identity import imported_ids
from ringback.episode.intake import take_in
from ringback.episode.participants import Reply
from ringback.formats.members import key_words, repeated_within
from ringback.formats.recording import (
    RECORDED_GRADE,
    SURPRISES,
    TASK_DIFFERS,
    TASK_READ_AS,
    TASK_UNKNOWN,
    Recording,
    Skipped,
    surprise,
)
from ringback.formats.secrecy import without_secrets
from ringback.formats.tau2.head import DOMAINS, Head, spelled
from ringback.formats.tau2.session import Told, ended, greeting_of, tell
from ringback.formats.tau2.tasks import Tasks, known_as
from ringback.formats.tau2.wire import RewardInfo, Simulation
from ringback.formats.values import clipped, instant, number, seconds, text, whole

__all__ = ["FORM", "PROBLEMS", "Simulations", "words"]

FORM = "tau2"
PROBLEMS = (msgspec.DecodeError, UnicodeDecodeError, *SURPRISES)
"""What decoding raises for text that is not what it should be."""

_MOST_OBJECTS = 200_000
_OBJECT = re.compile(rb'\{\s*+["}]')  # within a text the quote would have a backslash before it
_simulation = msgspec.json.Decoder(Simulation)
_reward_info = msgspec.json.Decoder(RewardInfo | None)


def words(problem: Exception) -> str:
    """What is wrong, on one line of bounded length."""
    if isinstance(problem, SURPRISES):
        return surprise(problem)
    return clipped(str(problem), 200)


class Simulations:
    """The simulations of one run: what its file says of all of them, then each."""

    def __init__(self, head: Head, tasks: Tasks, *, lean: bool) -> None:
        self._head, self._tasks, self._lean = head, tasks, lean

    def one(self, place: int, raw: bytes | msgspec.Raw, source: str) -> Recording | Skipped:
        """The simulation in `raw`, which stands at `place` in `source`; never raises for it."""
        try:
            if _has_many(raw):
                why = f"it has more than {_MOST_OBJECTS:,} messages, calls and other objects"
                return Skipped(source, place, why, broken=True)
            simulation = _simulation.decode(raw)
            if twice := repeated_within(raw):
                why = f"it has {key_words(twice)}, and which holds is unknown"
                return Skipped(source, place, why, broken=True)
            domain_name = self._domain(simulation)
            if domain_name is None:
                why = f"it is of the domain {clipped(self._head.domain or 'unknown')}, not telecom"
                return Skipped(source, place, why, broken=False)
            if simulation.messages is None and simulation.ticks is not None:
                why = "it is a voice call (full duplex), which is not read"
                return Skipped(source, place, why, broken=False)
            if not self._tasks.is_text(simulation.task_id):
                return Skipped(source, place, "its task is not UTF-8 text", broken=True)
            return self._recording(simulation, load(domain_name), place, raw, source)
        except PROBLEMS as problem:
            return Skipped(source, place, f"it cannot be read ({words(problem)})", broken=True)
        except UnicodeEncodeError:
            return Skipped(source, place, "it holds half a surrogate pair", broken=True)

    def _domain(self, simulation: Simulation) -> str | None:
        """The domain in which the session stands; None for one that is not telecom."""
        name = self._head.domain
        if name is None:
            name = "telecom" if known_as(load("telecom"), simulation.task_id) else None
        if name not in DOMAINS:
            return None
        return "telecom-solo" if self._head.solo or _is_solo(simulation) else "telecom"

    def _recording(
        self,
        simulation: Simulation,
        domain: Domain,
        place: int,
        raw: bytes | msgspec.Raw,
        source: str,
    ) -> Recording:
        head, messages = self._head, simulation.messages or []
        solo = domain.name != "telecom"
        task_id = text(simulation.task_id)
        ours = known_as(domain, task_id)
        # Who reads lean plays the calls himself.
        world = None if ours is None or self._lean else domain.world(domain.task(ours))
        greeting = None if solo else greeting_of(messages)
        start = Start(
            seq=0,
            at=instant(simulation.start_time, utc=True),
            session="",
            condition=Condition(
                domain=domain.name,
                world=head.program,
                grader=head.program,
                user=head.user,
                greeting=greeting or "",
                texts=head.texts.get("guidelines", ""),
                limits=head.limits,
            ),
            arm=Arm(head.agent, head.domain or domain.name, head.texts.get("policy", "")),
            arm_name=head.agent.name,
            draw=Draw(ours, _trial(simulation), whole(simulation.seed)),
            user_seed="",
            agent_seed="",
            world=world.digest() if world else "",
            versions={"ringback": ringback.__version__},
            origin=Origin(FORM, source, place, "", text(simulation.id), head.versions),
        )
        events: list[AnyEvent] = [
            start,
            *tell(
                messages,
                Told(head.program, head.models, costs=not self._lean),
                domain,
                world,
                first=0 if greeting is None else 1,
                ticket=(self._tasks.ticket(task_id or "") or "") if solo else None,
            ),
        ]
        self._remarks(events, simulation, domain, task_id, ours)
        end = ended(simulation, len(events))
        if end is not None:
            events.append(end)
        if self._lean:
            return Recording(tuple(events))
        return self._whole(events, start, simulation, raw, task_id)

    def _remarks(
        self,
        events: list[AnyEvent],
        simulation: Simulation,
        domain: Domain,
        task_id: str | None,
        ours: str | None,
    ) -> None:
        def note(what: str, detail: Json) -> None:
            seq = len(events)
            events.append(Note(seq=seq, cause=seq - 1, what=what, detail=detail))

        if task_id is None or ours is None:
            note(TASK_UNKNOWN, task_id)
        else:
            if ours != task_id:
                note(TASK_READ_AS, task_id)
            if differing := self._tasks.differences(domain, task_id, ours):
                basis = cast("Json", self._tasks.basis(task_id))
                note(TASK_DIFFERS, {"parts": list(differing), "basis": basis})
        if (recorded := _recorded(simulation.reward_info)) is not None:
            note(RECORDED_GRADE, recorded)

    def _whole(
        self,
        events: list[AnyEvent],
        start: Start,
        simulation: Simulation,
        raw: bytes | msgspec.Raw,
        task_id: str | None,
    ) -> Recording:
        """The session with its ids, and all that its events do not hold."""
        from ringback.formats.session import Session
        from ringback.formats.tau2.write_simulation import come_back

        everything = cast("dict[str, Any]", msgspec.json.decode(raw))
        head, texts, contents = self._head, dict(self._head.texts), dict(self._head.contents)
        policy = everything.pop("policy", None)
        # Without the policy, which our export says once: what is exported and read is the same.
        kept = without_secrets(everything)
        same = _digest([kept, head.agent.name, head.user.name, head.agent.settings])
        beside = _without_what_events_hold(everything)
        split = come_back(
            everything.get("messages"), beside.get("messages"), Session(tuple(events))
        )
        if split:
            kept = beside if kept is everything else without_secrets(beside)
        for name, content in (
            ("policy", policy if isinstance(policy, str) else None),
            ("task", self._tasks.text(task_id) if task_id else None),
            ("rest" if split else "whole", spelled(kept)),
        ):
            if content is not None:
                texts[name] = digest(content)
                contents[texts[name]] = content
        assert start.origin is not None
        more: dict[str, Json] = {
            name: seconds(getattr(simulation, name))
            for name in ("agent_cost", "user_cost", "duration")
        }
        origin = replace(start.origin, digest=same, more=more, contents=texts)
        session, _ = imported_ids(origin)
        first = replace(start, session=session, origin=origin)
        return Recording((first, *events[1:]), contents)


def _has_many(raw: bytes | msgspec.Raw) -> bool:
    """Whether it would fill the memory with objects, of which each takes up a kilobyte."""
    if len(raw) < 3 * _MOST_OBJECTS:
        return False
    found = _OBJECT.finditer(memoryview(raw))
    return sum(1 for _ in islice(found, _MOST_OBJECTS + 1)) > _MOST_OBJECTS


def _recorded(raw: msgspec.Raw) -> dict[str, Json] | None:
    """What a `reward_info` says of the reward; what is no number is set aside, and shown."""
    try:
        info = _reward_info.decode(raw)
    except msgspec.ValidationError:  # it is another thing altogether
        said: Any = msgspec.json.decode(raw)
    else:
        if info is None:
            return None
        said = info.reward
    reward = number(said)
    if said is None or reward is not None:
        return {"reward": reward}
    return {"reward": None, "set_aside": clipped(spelled(without_secrets(said)))}


def _digest(value: Any) -> str:
    """The digest of any JSON value, numbers that are not finite or too large included."""
    try:
        return digest(value)
    except TypeError:
        return digest(spelled(value))


def _is_solo(simulation: Simulation) -> bool:
    """Whether the agent alone acts, from its first message on."""
    messages = simulation.messages
    return (
        bool(messages)
        and bool(messages[0].tool_calls)
        and messages[0].role == "assistant"
        and all(message.role != "user" for message in messages)
    )


def _trial(simulation: Simulation) -> int | None:
    trial = whole(simulation.trial)
    return trial if trial is not None and 0 <= trial < 2**31 else None


def _without_what_events_hold(simulation: dict[str, Any]) -> dict[str, Any]:
    """The simulation without what was said and called, where our events have it to the letter."""
    messages = simulation.get("messages")
    if not isinstance(messages, list):
        return simulation
    left: list[Any] = []
    for message in cast("list[Any]", messages):
        if isinstance(message, dict):
            fields = cast("dict[str, Any]", message)
            drop = [name for name in ("content",) if isinstance(fields.get(name), str)]
            if _plain(fields.get("tool_calls"), fields.get("role")):
                drop.append("tool_calls")
            left.append({name: value for name, value in fields.items() if name not in drop})
        else:
            left.append(message)
    return {**simulation, "messages": left}


def _plain(calls: Any, role: Any) -> bool:
    """Whether a message's calls say nothing that our events do not."""
    if not isinstance(calls, list):
        return calls is None
    return all(_is_held(call, role) for call in cast("list[Any]", calls))


def _is_held(call: Any, role: Any) -> bool:
    if not isinstance(call, dict):
        return False
    fields = cast("dict[str, Any]", call)
    return (
        fields.keys() <= {"id", "name", "arguments", "requestor"}
        and fields.get("requestor") in (None, role)
        and isinstance(fields.get("id", ""), str)
        and not take_in(Reply(None, (Call(fields["name"], fields.get("arguments")),)))[1]
    )
