"""Model calls in our own schema: what was sent, what came back, what it cost.

Nothing here is a library's type. A request is recorded as what it adds to the participant's
previous one, so that a session grows with what is new in it and still gives back every request as
it was sent (`recorded`, `restored`). Long texts that many sessions share, the instructions and the
tool list, stand in the record as digests of contents that the store keeps once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct

from ringback.canonical import Json, digest

__all__ = [
    "Answer",
    "Asked",
    "Attempt",
    "Failure",
    "Given",
    "Message",
    "Opaque",
    "Part",
    "Price",
    "RecordedRequest",
    "Request",
    "Text",
    "Thought",
    "Thread",
    "ToolSpec",
    "Usage",
    "recorded",
    "restored",
]

Failure: TypeAlias = Literal[
    "infrastructure", "context_overflow", "refusal", "rejected", "malformed"
]
"""Why a call gave no usable reply: the way to the model broke, the conversation is longer than the
model takes, the provider refused the content, it refused the request, its reply made no sense."""


class Text(Struct, frozen=True, tag="text", tag_field="kind"):
    """Words."""

    text: str


class Thought(Struct, frozen=True, tag="thought", tag_field="kind", omit_defaults=True):
    """Reasoning. Never crosses to the other side; `data` is what the provider needs back."""

    text: str
    data: Json = None


class Asked(Struct, frozen=True, tag="call", tag_field="kind", omit_defaults=True):
    """A tool call: `arguments` an object, or the raw text where it was not valid JSON."""

    tool: str
    arguments: Json
    id: str
    data: Json = None


class Given(Struct, frozen=True, tag="result", tag_field="kind", omit_defaults=True):
    """A tool's result, for the call `id`."""

    id: str
    tool: str
    text: str
    error: bool = False


class Opaque(Struct, frozen=True, tag="opaque", tag_field="kind"):
    """A provider's block that we do not read and send back as it came."""

    data: Json


Part: TypeAlias = Text | Thought | Asked | Given | Opaque


class Message(Struct, frozen=True, omit_defaults=True):
    """One message. `provider` names who can read its opaque and signed data."""

    role: Literal["user", "assistant"]
    parts: tuple[Part, ...]
    provider: str | None = None


class ToolSpec(Struct, frozen=True):
    """A tool as offered to a model. `parameters` is a JSON Schema, None where there is none."""

    name: str
    description: str
    parameters: dict[str, Json] | None


class Request(Struct, frozen=True):
    """What a model is asked: instructions, conversation, tools, settings.

    `form` is a JSON Schema that the whole reply must satisfy where the model can be held to one.
    """

    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    settings: dict[str, Json] = {}
    form: Json = None


class Usage(Struct, frozen=True, omit_defaults=True):
    """Tokens as the provider counts them; None where it does not say.

    `input` includes `cached` (read from a cache) and `written` (put into one); `output` includes
    `reasoning`.
    """

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    written: int | None = None
    reasoning: int | None = None


class Price(Struct, frozen=True):
    """USD for a call, None where unknown, and where the figure or its absence comes from."""

    usd: float | None
    source: str


class Attempt(Struct, frozen=True, omit_defaults=True):
    """A try that gave nothing, and how long it took in seconds.

    `charged`: the provider may charge for it all the same, as where it was cut off at work.
    """

    failure: Failure
    why: str
    seconds: float
    charged: bool = False


class Answer(Struct, frozen=True, omit_defaults=True):
    """What came of a request.

    `message` is None exactly where `failure` is set. `model` is the name the provider answered
    with and `seconds` how long the try took that it came from (the last one, where none gave
    anything; the others stand in `attempts`), None where a recording does not say. `waited` are the
    seconds beside the tries, in which the model was not at work: for a place, for the budget, in a
    local model's queue, before another try; None where not known. `sent` are the settings that went
    out, `dropped` those that this model does not take. `form_held` says whether the model was held
    to the request's form. `label`: ``wire`` where the bytes are known, ``typed`` where a client
    library stands between.
    """

    message: Message | None
    model: str | None
    seconds: float | None
    usage: Usage
    price: Price
    finish: str | None = None
    failure: Failure | None = None
    why: str | None = None
    sent: dict[str, Json] = {}
    dropped: dict[str, str] = {}
    form_held: bool = False
    attempts: tuple[Attempt, ...] = ()
    label: Literal["wire", "typed"] = "typed"
    waited: float | None = None


class RecordedRequest(Struct, frozen=True, omit_defaults=True):
    """A request as stored: what it keeps of the request at event `extends`, and what it adds.

    `kept` counts the messages taken over from that request followed by its answer's message.
    `system`, `tools` and `form` are digests of contents, the latter two None where there are none.
    `whole` is the digest of the full request.
    """

    system: str
    added: tuple[Message, ...]
    whole: str
    tools: str | None = None
    form: str | None = None
    settings: dict[str, Json] = {}
    extends: int | None = None
    kept: int = 0


class Thread:
    """The messages known after each recorded call of a session, its answer's among them."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Message, ...]] = {}
        self._last: int | None = None

    @property
    def last(self) -> tuple[int, tuple[Message, ...]] | None:
        """The event of the last call added and the messages known there; None before the first."""
        return None if self._last is None else (self._last, self._known[self._last])

    def before(self, request: RecordedRequest) -> tuple[Message, ...]:
        """What the request takes messages over from; `ValueError` if that is no call added."""
        if request.extends is None:
            return ()
        if request.extends not in self._known:
            raise ValueError(f"it goes on from event {request.extends}, which is no call")
        return self._known[request.extends]

    def add(self, seq: int, request: RecordedRequest, answer: Message | None) -> None:
        """The call of event `seq`, with the message of its answer; raises as `before`."""
        said = () if answer is None else (answer,)
        self._known[seq] = (*self.before(request)[: request.kept], *request.added, *said)
        self._last = seq


def recorded(
    request: Request, before: tuple[int, tuple[Message, ...]] | None
) -> tuple[RecordedRequest, dict[str, str]]:
    """A request for the record, and the contents it names by digest.

    `before`: the event of the participant's previous call and the messages known there, its
    request's followed by its answer's.
    """
    kept, extends = 0, None
    if before is not None:
        for ours, theirs in zip(request.messages, before[1], strict=False):
            if ours != theirs:
                break
            kept += 1
        extends = before[0] if kept else None
    contents = {digest(request.system): request.system}
    named: dict[str, str] = {}
    for name, value in (("tools", request.tools or None), ("form", request.form)):
        if value is not None:
            text = msgspec.json.encode(value).decode()
            named[name] = digest(text)
            contents[named[name]] = text
    return (
        RecordedRequest(
            system=digest(request.system),
            tools=named.get("tools"),
            form=named.get("form"),
            added=request.messages[kept:],
            settings=request.settings,
            extends=extends,
            kept=kept,
            whole=digest(request),
        ),
        contents,
    )


def restored(
    request: RecordedRequest, before: tuple[Message, ...], contents: Mapping[str, str]
) -> Request:
    """The request as it was sent; `ValueError` if the record does not give it back.

    `before`: the messages known at event `extends`, as for `recorded`; empty where there is none.
    Raises `KeyError` with the digest of a content that is missing.
    """
    tools = contents[request.tools] if request.tools else "[]"
    form = contents[request.form] if request.form else "null"
    whole = Request(
        system=contents[request.system],
        messages=before[: request.kept] + request.added,
        tools=msgspec.json.decode(tools, type=tuple[ToolSpec, ...]),
        settings=request.settings,
        form=msgspec.json.decode(form),
    )
    if digest(whole) != request.whole:
        raise ValueError("the recorded request does not come out as it was sent")
    return whole
