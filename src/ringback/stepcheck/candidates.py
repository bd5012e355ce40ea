"""The recorded calls of agents' models that can be sent again, and why the others cannot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from ringback.canonical import Json
from ringback.episode.events import AnyEvent, ModelCall, Reported, Start
from ringback.episode.wire import (
    Answer,
    Given,
    Message,
    Request,
    Text,
    Thread,
    restored,
)
from ringback.errors import InputError, StoreError
from ringback.formats import kitaru
from ringback.formats.exgentic import FORM, Excluded, step_calls
from ringback.formats.messages import schemas_of
from ringback.models.secrecy import refuse_secrets
from ringback.report.step_model import Schemas, StepKind
from ringback.sessions import Store, Unreadable, named_contents
from ringback.stepcheck.compare import kind_of

__all__ = ["Candidate", "Found", "Place", "calls_at", "find"]

_OF_RUN = ("timeout", "max_retries", "request_timeout", "first_event_timeout")
_OF_HEADERS = ("extra_headers", "extra_body", "extra_query")
_ADDED = {"cache": True}
"""Settings that are no one's wish: each model adds them for itself where they make a difference."""


class Place(Struct, frozen=True):
    """Where a call stands, and what is to be known of it before it is drawn."""

    session: str
    seq: int
    model: str
    kind: StepKind


class Candidate(Struct, frozen=True):
    """A recorded call as it is sent again: `request`, with the settings that went out then.

    `held` are settings of another program's recording that are not sent to anyone, with the reason.
    `identity` is the recorded model's own, None where the record does not say.
    """

    place: Place
    request: Request
    answer: Answer
    reply: Message
    schemas: Schemas
    held: dict[str, str] = {}
    identity: Json = None

    @property
    def session(self) -> str:
        """The session that it was recorded in."""
        return self.place.session

    @property
    def seq(self) -> int:
        """Its event there."""
        return self.place.seq


class Found(Struct):
    """What some sessions hold: the calls that can be sent again, and how many cannot, by reason.

    `without_model` are sessions whose agent asked no model, `unreadable` those whose events cannot
    be read; `calls` counts every recorded call of an agent's model.
    """

    places: list[Place] = field(default_factory=list[Place])
    sessions: int = 0
    without_model: int = 0
    unreadable: int = 0
    calls: int = 0
    excluded: Counter[str] = field(default_factory=Counter[str])


def find(store: Store, sessions: Iterable[str], seen: Callable[[], None] = lambda: None) -> Found:
    """Every recorded call of an agent's model in these sessions, one session in memory at a time.

    `seen` is called after each session. Raises `StoreError` for a store that cannot be read, and
    `InputError` for a session that is not there.
    """
    found, texts = Found(), _Texts(store)
    for session in sessions:
        found.sessions += 1
        try:
            events = store.events(session)
        except Unreadable:
            found.unreadable += 1
            seen()
            continue
        before = found.calls
        for one in _calls(session, events, texts.of(events)):
            found.calls += 1
            if isinstance(one, str):
                found.excluded[one] += 1
            else:
                found.places.append(one.place)
        found.without_model += found.calls == before
        seen()
    return found


def calls_at(store: Store, places: Iterable[Place]) -> list[Candidate]:
    """The calls at these places, in their order, as they are sent again."""
    wanted = list(places)
    texts = _Texts(store)
    there: dict[tuple[str, int], Candidate] = {}
    drawn = {(place.session, place.seq) for place in wanted}
    for session in dict.fromkeys(place.session for place in wanted):
        events = store.events(session)
        for one in _calls(session, events, texts.of(events)):
            if isinstance(one, Candidate) and (session, one.seq) in drawn:
                there[session, one.seq] = one
    return [there[place.session, place.seq] for place in wanted]


def _calls(
    session: str, events: Sequence[AnyEvent], contents: Mapping[str, str]
) -> Iterator[Candidate | str]:
    """Each recorded call of the agent's model, or why it cannot be sent again."""
    start = events[0]
    origin = start.origin if isinstance(start, Start) else None
    identity = start.arm.agent.settings.get("identity") if isinstance(start, Start) else None
    if origin is not None and origin.form == FORM:
        found = _traced(events, contents)
    else:
        found = _recorded(events, contents)
    for one in found:
        if isinstance(one, str):
            yield one
            continue
        call, request = one
        reply = call.answer.message
        kind = None if reply is None else kind_of(reply)
        if reply is None or kind is None:
            yield "no_reply"
        elif (why := _unfit(request)) is not None:
            yield why
        else:
            place = Place(session, call.seq, call.model, kind)
            settings, held = _settings(request, call.answer, foreign=origin is not None)
            yield Candidate(
                place,
                replace(request, settings=settings),
                call.answer,
                reply,
                schemas_of(request.tools),
                held,
                identity,
            )


_Call = tuple[ModelCall, Request]


def _traced(events: Sequence[AnyEvent], contents: Mapping[str, str]) -> Iterator[_Call | str]:
    """The calls of a session that was read from Exgentic's traces, by the rules of that form."""
    calls = {event.seq: event for event in events if isinstance(event, ModelCall)}
    if named_contents(calls.values()) - contents.keys():
        yield from ["contents_missing"] * len(calls)
        return
    try:
        found = list(step_calls(events, contents))
    except ValueError:
        yield from ["damaged"] * len(calls)
        return
    for one in found:
        if not isinstance(one, Excluded):
            yield calls[one.seq], one.request
        elif one.why != "not_a_model_call":
            yield one.why


def _recorded(events: Sequence[AnyEvent], contents: Mapping[str, str]) -> Iterator[_Call | str]:
    """The calls of any other session: of each that was recorded, the request to the letter."""
    thread = Thread()
    start = events[0]
    origin = start.origin if isinstance(start, Start) else None
    unlike = kitaru.not_again(events) if origin is not None and origin.form == "kitaru" else {}
    forked = start.condition.forked if isinstance(start, Start) else None
    own = 0 if forked is None else forked.seq
    for event in events:
        if isinstance(event, Reported) and event.by == "agent":
            yield "taken_over" if event.seq < own else "request_not_recorded"
        if not isinstance(event, ModelCall):
            continue
        request: Request | str
        try:
            before = thread.before(event.request)
            thread.add(event.seq, event.request, event.answer.message)
            request = restored(event.request, before, contents)
        except KeyError:
            request = "contents_missing"
        except ValueError:
            request = "damaged"
        if event.by != "agent":
            continue
        if event.seq < own:
            yield "taken_over"
        elif event.answer.failure is not None:
            yield "failed"
        elif event.seq in unlike:
            yield unlike[event.seq]
        else:
            yield request if isinstance(request, str) else (event, request)


def _unfit(request: Request) -> str | None:
    """Why a request can be sent to nobody; None where it can."""
    if not request.messages:
        return "no_messages"
    for message in request.messages:
        for part in message.parts:
            ours = isinstance(part, Text | Given)
            theirs = not isinstance(part, Given)
            if not (ours if message.role == "user" else theirs):
                return "part_out_of_place"
    if not request.settings:
        return None
    try:
        refuse_secrets(request.settings, "the recording")
    except InputError:
        return "settings_with_a_key"
    return None


def _settings(
    request: Request, answer: Answer, *, foreign: bool
) -> tuple[dict[str, Json], dict[str, str]]:
    """The settings that went out, and those that are held back, with the reason.

    What a model was opened with is in the answer; what was asked for and not taken is asked for
    again. Another program's recording decides neither how patient we are nor what else goes into a
    request.
    """
    sent = {name: value for name, value in answer.sent.items() if _ADDED.get(name) != value}
    settings = {**sent, **request.settings}
    held: dict[str, str] = {}
    if foreign:
        kept = (*_OF_RUN, *_OF_HEADERS)
        held = dict.fromkeys(
            (name for name in settings if name in kept), "not taken over from a recording"
        )
        settings = {name: value for name, value in settings.items() if name not in held}
    return settings, held


class _Texts:
    """The contents that events name, those that are there; a session's are kept for the next."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[str, str] = {}

    def of(self, events: Sequence[AnyEvent]) -> Mapping[str, str]:
        calls = [event for event in events if isinstance(event, ModelCall)]
        named = named_contents(calls)
        new = named - self._kept.keys()
        kept = {name: text for name, text in self._kept.items() if name in named}
        self._kept = kept | self._read(sorted(new))
        return self._kept

    def _read(self, digests: Sequence[str]) -> dict[str, str]:
        try:
            return self._store.contents(digests)
        except StoreError:
            if len(digests) < 2:
                return {}
        return {name: text for one in digests for name, text in self._read([one]).items()}
