"""A side of a call as a model's conversation: rebuilt from the record, asked, and read again.

What an agent and a customer that are models have in common. Neither keeps anything: the messages
come from the view each time, and a reply is acted on only once it stands in the view.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from ringback.canonical import Json
from ringback.domain import Tool
from ringback.episode.events import Call, ModelCall, Nudge, Rejected, Result, Results, Turn
from ringback.episode.intake import as_json, take_in
from ringback.episode.participants import (
    Aside,
    InfrastructureFailure,
    ParticipantFailure,
    Reply,
    View,
    Visible,
)
from ringback.episode.seeds import Stream
from ringback.episode.wire import (
    Answer,
    Asked,
    Given,
    Message,
    Opaque,
    Part,
    Request,
    Text,
    Thought,
    Thread,
    ToolSpec,
    recorded,
)
from ringback.models.protocol import Model
from ringback.models.settings import Asking
from ringback.models.thinking import said

__all__ = [
    "MOST_CALLS",
    "MOST_CHARACTERS",
    "ask",
    "calls_in",
    "conversation",
    "message_of",
    "open_part",
    "sent_with",
    "specs",
    "spoken",
    "storable",
]

MOST_CALLS = 64
"""Of tools, that are run of one reply."""

MOST_CHARACTERS = 100_000
"""Of words, that are said in one reply: an hour of reading."""


def open_part(view: View) -> Sequence[Visible]:
    """The side events since the last turn, result or sentence: what the next turn is made of."""
    start = len(view.events)
    while start and isinstance(view.events[start - 1], ModelCall | Rejected | Nudge):
        start -= 1
    return view.events[start:]


def specs(tools: Sequence[Tool]) -> tuple[ToolSpec, ...]:
    """A domain's tools as they are offered to a model."""
    return tuple(
        ToolSpec(tool.name, tool.description, dict[str, Any](tool.parameters)) for tool in tools
    )


def sent_with(settings: Asking, view: View, random: Stream) -> dict[str, Json]:
    """The model's settings for the next request, with a seed of its own where it is to have one."""
    sent = dict(settings.model)
    if settings.seed:
        sent.setdefault("seed", _seed_of(view, random))
    return sent


def _seed_of(view: View, random: Stream) -> int:
    """The seed of the next request: one a step, and another where the model is asked once more.

    It goes by this side's own requests alone, so that the other side's model moves none.
    """
    again = sum(isinstance(event, ModelCall) for event in open_part(view))
    for _ in range(again):
        random.uniform()
    return int(random.uniform() * 2**31)


def spoken(message: Message) -> str:
    """The words of a reply that may cross the line: no reasoning, tagged or in a part of its own.

    What stands behind a tag that is never closed, as in a reply that was cut off, or before one
    that nothing opened, is reasoning too (`ringback.models.thinking`).
    """
    return said("\n".join(part.text for part in message.parts if isinstance(part, Text)))


def calls_in(message: Message) -> tuple[Call, ...]:
    """All calls of a reply, in order. No arguments at all are an empty object."""
    return tuple(
        Call(part.tool, {} if _nothing(part.arguments) else part.arguments, part.id or None)
        for part in message.parts
        if isinstance(part, Asked)
    )


def _nothing(arguments: Json) -> bool:
    return arguments is None or (isinstance(arguments, str) and not arguments.strip())


def message_of(answer: Answer) -> Message:
    """The reply in an answer.

    Raises `InfrastructureFailure` where the way to the model broke or its service answered with
    what is no reply, and `ParticipantFailure` with the failure's name as its rule where the model
    gave none. The same, with ``too_many_calls`` or ``reply_too_long``, where it gave more than
    `MOST_CALLS` or `MOST_CHARACTERS`: such a reply stands in the record and nothing of it is done.
    """
    if answer.failure is None and answer.message is not None:
        _check_bounds(answer.message)
        return answer.message
    why = answer.why or "The model gave no reply."
    if answer.failure in (None, "infrastructure", "malformed"):
        raise InfrastructureFailure(why)
    raise ParticipantFailure(answer.failure, why)


def _check_bounds(message: Message) -> None:
    calls = sum(isinstance(part, Asked) for part in message.parts)
    if calls > MOST_CALLS:
        raise ParticipantFailure(
            "too_many_calls",
            f"The model made {calls:,} calls in one reply, more than {MOST_CALLS}.",
        )
    length = sum(len(part.text) for part in message.parts if isinstance(part, Text))
    if length > MOST_CHARACTERS:
        raise ParticipantFailure(
            "reply_too_long",
            f"The model said {length:,} characters in one reply, more than {MOST_CHARACTERS:,}.",
        )


async def ask(model: Model, view: View, request: Request) -> Aside:
    """One request to the model, as the side event that records it with its `storable` answer."""
    answer = storable(await model.ask(request, seconds=view.seconds_left))
    record, contents = recorded(request, _before(view))
    call = ModelCall(
        seq=view.seq,
        cause=view.seq - 1,
        by=view.side,
        model=model.name,
        request=record,
        answer=answer,
    )
    return Aside((call,), contents)


def storable(answer: Answer) -> Answer:
    """The answer as a record can hold it.

    What none can hold (half a surrogate pair, a number that is not finite) is changed as it would
    be in a turn, in the provider's own blocks too, so that what is acted on is what will be read
    again.
    """
    if answer.message is None:
        return answer
    parts = tuple(_storable(part) for part in answer.message.parts)
    return replace(answer, message=replace(answer.message, parts=parts))


def _storable(part: Part) -> Part:
    match part:
        case Text(text):
            return Text(_storable_text(text))
        case Thought(text, data):
            return Thought(_storable_text(text), as_json(data))
        case Asked():
            reply, _ = take_in(Reply(calls=(Call(part.tool, part.arguments, part.id),)))
            call = reply.calls[0]
            return Asked(call.tool, call.arguments, call.id or "", as_json(part.data))
        case Opaque(data):
            return Opaque(as_json(data))
        case Given():
            return part  # our own


def _storable_text(text: str) -> str:
    return take_in(Reply(text))[0].text or ""


def _before(view: View) -> tuple[int, tuple[Message, ...]] | None:
    """The last call of this side and the messages known there; None where there was none."""
    thread = Thread()
    for event in view.events:
        if isinstance(event, ModelCall):
            thread.add(event.seq, event.request, event.answer.message)
    return thread.last


def conversation(
    view: View, opening: str | None = None, names: Mapping[str, str] | None = None
) -> tuple[Message, ...]:
    """The call so far as this side's model sees it, from the view alone.

    The other side speaks as ``user``. Own turns are the model's own answers as recorded, with all
    that its provider needs back; a turn that no answer stands behind is spelled from the turn.
    Replies that were not taken are not there: a model that reads its own words again says them
    again. What it was told about the last one is, until a turn is made of the next. `opening` is a
    first sentence of the other side.

    With `names` the model's replies are forms instead of native calls: a turn without an answer is
    spelled with these keys (``say``, ``call``, ``arguments``), and results are told in words.
    """
    messages: list[Message] = [] if opening is None else [_told(opening)]
    told: Message | None = None
    seen: set[str] = set()
    ids: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    answer: Message | None = None
    for event in view.events:
        match event:
            case Turn() if event.by != view.side:
                messages.append(_told(event.text or ""))
            case Turn():
                message = answer or _spelled(event, names)
                ids = _ids(event, seen)
                messages.append(_renamed(message, ids))
                calls, answer, told = event.calls, None, None
            case Results():
                messages.append(_results(event.results, calls, ids, words=names is not None))
            case ModelCall():
                same = (event.request.form is None) == (names is None)
                answer = event.answer.message if same else None
            case Nudge():
                told, answer = _told(event.text), None
            case Rejected():
                pass
    return tuple(messages) if told is None else (*messages, told)


def _told(text: str) -> Message:
    return Message("user", (Text(text),))


def _spelled(turn: Turn, names: Mapping[str, str] | None) -> Message:
    if names is None:
        words = (Text(turn.text),) if turn.text else ()
        asked = (
            Asked(call.tool, call.arguments, call.id or f"call_{turn.seq}_{index}")
            for index, call in enumerate(turn.calls)
        )
        return Message("assistant", (*words, *asked))
    form: dict[str, Json] = {names["say"]: turn.text or ""}
    if turn.calls:
        call = turn.calls[0]
        form = {names["call"]: call.tool, names["arguments"]: call.arguments}
    return Message("assistant", (Text(msgspec.json.encode(form).decode()),))


def _ids(turn: Turn, seen: set[str]) -> tuple[str, ...]:
    """The ids under which results go back: the provider's where they tell the calls apart."""
    given = [call.id or "" for call in turn.calls]
    if not all(given) or len({*given}) < len(given) or seen & {*given}:
        given = [f"call_{turn.seq}_{index}" for index in range(len(given))]
    seen.update(given)
    return tuple(given)


def _renamed(message: Message, ids: tuple[str, ...]) -> Message:
    asked = [part for part in message.parts if isinstance(part, Asked)]
    if len(asked) != len(ids) or tuple(part.id for part in asked) == ids:
        return message
    left = iter(ids)
    parts = tuple(
        replace(part, id=next(left)) if isinstance(part, Asked) else part for part in message.parts
    )
    return replace(message, parts=parts)


def _results(
    results: tuple[Result, ...], calls: tuple[Call, ...], ids: tuple[str, ...], *, words: bool
) -> Message:
    if words:
        told = (f"[{call.tool}] {result.text}" for call, result in zip(calls, results, strict=True))
        return Message("user", (Text("\n".join(told)),))
    return Message(
        "user",
        tuple(
            Given(name, call.tool, result.text, result.error)
            for name, call, result in zip(ids, calls, results, strict=True)
        ),
    )
