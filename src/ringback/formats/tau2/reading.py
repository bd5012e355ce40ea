"""Result files of tau2-bench, as sessions: the form of 2025, that of 1.x, and 1.x as a folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec.structs import replace

import ringback
from ringback.canonical import Json, digest
from ringback.domain import Domain
from ringback.domains import load
from ringback.episode.events import AnyEvent, Arm, Condition, Draw, Note, Origin, Start
from ringback.episode.identity import imported_ids
from ringback.formats.files import TooLarge, Unreadable, read_bytes, walk
from ringback.formats.recording import RECORDED_GRADE, TASK_UNKNOWN, Recording, Skipped
from ringback.formats.tau2.head import DOMAINS, Head, spelled
from ringback.formats.tau2.session import Told, ended, greeting_of, tell
from ringback.formats.tau2.streaming import simulations as simulations_of
from ringback.formats.tau2.streaming import skeleton
from ringback.formats.tau2.tasks import Tasks, known
from ringback.formats.tau2.values import seconds_of, text, unix_seconds, whole
from ringback.formats.tau2.wire import File, Simulation

__all__ = ["FORM", "read"]

FORM = "tau2"
_RESULTS, _SIMULATIONS = "results.json", "simulations"
_ENDS = (".json", ".json.gz")
_MOST_APART = 512 << 20  # bytes of a simulation in a file of its own
_NO_JSON = "it is not a .json or .json.gz file"
_file = msgspec.json.Decoder(File)
_simulation = msgspec.json.Decoder(Simulation)
_PROBLEMS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def read(path: Path | str, *, lean: bool = False) -> Iterator[Recording | Skipped]:
    """Every simulation of a file, or of the files in a folder, in order, one at a time.

    Never raises for what is in them: what cannot be read, and what is no telecom simulation, is a
    `Skipped`. `lean`: without contents, ids, times and costs, for grading at speed. Memory: one
    file.
    """
    path = Path(path)
    if not path.is_dir():
        yield from _one(path, path.name, lean)
        return
    try:
        yield from _folder(path, path, lean)
    except Unreadable as problem:
        yield Skipped(path.name, None, f"it {problem}", broken=True)


def _folder(folder: Path, top: Path, lean: bool) -> Iterator[Recording | Skipped]:
    apart: set[Path] = set()
    for path in walk(folder):
        if path.parent in apart:
            continue
        name = path.relative_to(top).as_posix() if path != top else path.name
        if path.name.removesuffix(".gz") == _RESULTS:
            apart.add(path.parent / _SIMULATIONS)
        if path.name.endswith(_ENDS) or not path.is_file():
            yield from _one(path, name, lean)
        else:
            yield Skipped(name, None, _NO_JSON, broken=False)


def _one(path: Path, name: str, lean: bool) -> Iterator[Recording | Skipped]:
    try:
        opened = _opened(path, name)
    except Unreadable as problem:
        opened = Skipped(name, None, f"it {problem}", broken=True)
    if isinstance(opened, Skipped):
        yield opened
        return
    file, simulations = opened
    try:
        head = Head(file.info, lean=lean)
    except _PROBLEMS as problem:
        why = f"its info cannot be read ({_words(problem)})"
        yield Skipped(name, None, why, broken=True)
        return
    reader = _Reader(name, head, Tasks(file.tasks), lean)
    place = -1
    try:
        for place, raw in enumerate(simulations):
            yield reader.one(place, raw, name)
    except Unreadable as problem:
        yield Skipped(name, place + 1, f"it {problem}", broken=True)
    folder = path.parent / _SIMULATIONS
    none = place < 0
    listed = bool(file.simulation_index) and none
    if folder.is_dir() and (listed or path.name.removesuffix(".gz") == _RESULTS):
        yield from reader.apart(folder, file.simulation_index)
    elif listed:
        why = "it lists simulations, and beside it is no folder simulations with them"
        yield Skipped(name, None, why, broken=True)
    elif none:
        yield Skipped(name, None, "it holds no simulation", broken=False)


def _opened(
    path: Path, name: str
) -> tuple[File, Iterable[bytes] | Iterable[msgspec.Raw]] | Skipped:
    """A file and its simulations; raises `Unreadable`.

    Piece by piece where it is too large, and where its text is damaged within a simulation.
    """
    try:
        data, large = read_bytes(path), False
    except TooLarge:
        data, large = skeleton(path), True
    try:
        file = _file.decode(data)
    except _PROBLEMS as problem:
        try:
            return _file.decode(data if large else skeleton(path)), simulations_of(path)
        except _PROBLEMS:
            return _not_results(name, data, problem)
    return file, simulations_of(path) if large else file.simulations or ()


def _not_results(name: str, data: bytes, problem: Exception) -> Skipped:
    """A file of another form is passed over; one that is no JSON at all is broken."""
    try:
        everything = msgspec.json.decode(data)
    except _PROBLEMS as deeper:
        return Skipped(name, None, f"it is not JSON ({_words(deeper)})", broken=True)
    if isinstance(everything, dict) and "simulations" in everything and "info" in everything:
        why = f"it is not a tau2 result file of a form known here ({_words(problem)})"
        return Skipped(name, None, why, broken=True)
    return Skipped(name, None, "it is not a tau2 result file", broken=False)


def _clipped(name: str | None) -> str:
    if name is None:
        return "unknown"
    return name if len(name) <= 60 else f"{name[:60]}…"


def _words(problem: Exception) -> str:
    if isinstance(problem, RecursionError):
        return "it is nested too deeply"
    words = " ".join(str(problem).split())
    return words if len(words) <= 200 else f"{words[:200]}…"


class _Reader:
    """The simulations of one run."""

    def __init__(self, name: str, head: Head, tasks: Tasks, lean: bool) -> None:
        self._name, self._head, self._tasks, self._lean = name, head, tasks, lean
        self._contents: dict[str, str] = dict(head.contents)

    def apart(self, folder: Path, index: list[Any] | None) -> Iterator[Recording | Skipped]:
        """Each simulation from a file of its own, in the order of their names."""
        base = self._name.rpartition("/")[0]
        base = f"{base}/{_SIMULATIONS}" if base else _SIMULATIONS
        found: set[str] = set()
        try:
            paths = [path for path in walk(folder) if path.parent == folder]
        except Unreadable as problem:
            yield Skipped(base, None, f"it {problem}", broken=True)
            return
        place = 0
        for path in paths:
            name = f"{base}/{path.name}"
            if not path.name.endswith(_ENDS):
                yield Skipped(name, None, _NO_JSON, broken=False)
                continue
            found.add(path.name.removesuffix(".gz").removesuffix(".json"))
            try:
                data = read_bytes(path, most=_MOST_APART)
            except Unreadable as problem:
                yield Skipped(name, place, f"it {problem}", broken=True)
            else:
                yield self.one(place, data, name)
            place += 1
        listed = {
            str(cast("dict[str, Any]", entry).get("id"))
            for entry in index or ()
            if isinstance(entry, dict)
        }
        for missing in sorted(listed - found):
            why = f"it lists a simulation {missing}, of which there is no file"
            yield Skipped(self._name, None, why, broken=True)

    def one(self, place: int, raw: bytes | msgspec.Raw, source: str) -> Recording | Skipped:
        """One simulation."""
        try:
            simulation = _simulation.decode(raw)
            domain_name = self._domain(simulation)
            if domain_name is None:
                why = f"it is of the domain {_clipped(self._head.domain)}, not telecom"
                return Skipped(source, place, why, broken=False)
            if simulation.messages is None and simulation.ticks is not None:
                why = "it is a voice call (full duplex), which is not read"
                return Skipped(source, place, why, broken=False)
            return self._recording(simulation, load(domain_name), place, raw, source)
        except _PROBLEMS as problem:
            return Skipped(source, place, f"it cannot be read ({_words(problem)})", broken=True)
        except UnicodeEncodeError:
            return Skipped(source, place, "it holds half a surrogate pair", broken=True)

    def _domain(self, simulation: Simulation) -> str | None:
        """The domain in which the session stands; None for one that is not telecom."""
        name = self._head.domain
        if name is None:
            name = "telecom" if known(load("telecom"), simulation.task_id) else None
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
        is_known = known(domain, task_id)
        world = domain.world(domain.task(task_id)) if is_known and task_id else None
        greeting = None if solo else greeting_of(messages)
        start = Start(
            seq=0,
            at=unix_seconds(simulation.start_time),
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
            draw=Draw(task_id if is_known else None, _trial(simulation), whole(simulation.seed)),
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
        self._remarks(events, simulation, domain, task_id, is_known)
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
        is_known: bool,
    ) -> None:
        def note(what: str, detail: Json) -> None:
            seq = len(events)
            events.append(Note(seq=seq, cause=seq - 1, what=what, detail=detail))

        if not is_known:
            note(TASK_UNKNOWN, task_id)
        elif task_id and (differing := self._tasks.differences(domain, task_id)):
            note("task_differs", list(differing))
        if simulation.reward_info is not None:
            note(RECORDED_GRADE, {"reward": seconds_of(simulation.reward_info.reward)})

    def _whole(
        self,
        events: list[AnyEvent],
        start: Start,
        simulation: Simulation,
        raw: bytes | msgspec.Raw,
        task_id: str | None,
    ) -> Recording:
        """The session with its ids, and all that its events do not hold."""
        everything = cast("dict[str, Any]", msgspec.json.decode(raw))
        head, texts, contents = self._head, dict(self._head.texts), dict(self._head.contents)
        same = digest_of([everything, head.agent.name, head.user.name, head.agent.settings])
        policy = everything.pop("policy", None)
        for name, content in (
            ("policy", policy if isinstance(policy, str) else None),
            ("task", self._tasks.text(task_id) if task_id else None),
            ("rest", spelled(_without_what_events_hold(everything))),
        ):
            if content is not None:
                texts[name] = digest(content)
                contents[texts[name]] = content
        assert start.origin is not None
        more: dict[str, Json] = {
            name: seconds_of(getattr(simulation, name))
            for name in ("agent_cost", "user_cost", "duration")
        }
        origin = replace(start.origin, digest=same, more=more, contents=texts)
        session, _ = imported_ids(origin)
        first = replace(start, session=session, origin=origin)
        return Recording((first, *events[1:]), contents)


def digest_of(value: Any) -> str:
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
            if all(_plain(call) for call in fields.get("tool_calls") or ()):
                drop.append("tool_calls")
            left.append({name: value for name, value in fields.items() if name not in drop})
        else:
            left.append(message)
    return {**simulation, "messages": left}


def _plain(call: Any) -> bool:
    """Whether a call says nothing that our events do not."""
    return isinstance(call, dict) and cast("dict[str, Any]", call).keys() <= {
        "id",
        "name",
        "arguments",
        "requestor",
    }
