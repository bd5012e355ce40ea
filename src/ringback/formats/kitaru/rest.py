"""What a Kitaru node says that its event does not give back: kept, so that nothing is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, cast

import msgspec

from ringback.canonical import Json
from ringback.episode.events import AnyEvent, Call, Note
from ringback.episode.wire import Answer, Request, Text, Usage
from ringback.formats.holding import (
    conversation_rest,
    holds_instant,
    holds_message,
    holds_number,
    tools_rest,
)
from ringback.formats.messages import conversation_of
from ringback.formats.patch import same

__all__ = ["Rests", "Why", "not_again", "rest_of_tool_call"]

Why: TypeAlias = Literal["several_replies", "request_not_whole"]
"""Why a model call cannot be asked again as it was."""

_UNSENT, _REPLIES = "unsent", "replies"  # beside the fields of a node, none of which is called so

_Object = dict[str, Any]
_INPUTS = ("system", "messages", "tools", "form")


class Rests:
    """The rests of a session's model calls.

    Calls repeat what was said before. So a message that stands at its place as in the call before
    is not kept again, and tools that an earlier call has are named by that call's event.
    """

    def __init__(self) -> None:
        self._messages: dict[str, Json] = {}
        self._tools: dict[bytes, int] = {}

    def of_model_call(
        self, node: _Object, seq: int, at: float | None, request: Request, answer: Answer
    ) -> dict[str, Json]:
        """The fields of a node, or what of them its event `seq` does not give back.

        Beside them, by name, what of the request stands here alone and so would not be sent again,
        and how many replies there are if there are several.
        """
        rest: dict[str, Json] = {
            name: value
            for name, value in node.items()
            if value is not None
            and name != "inputs"
            and not _holds(name, value, at, node["status"], answer)
        }
        if isinstance(tokens := rest.get("tokens"), dict):
            rest["tokens"] = _tokens_rest(tokens, answer.usage)
        inputs, unsent = self._inputs(node["inputs"], seq, request)
        if inputs:
            rest["inputs"] = inputs
        unsent += ["model_params"] * ("model_params" in rest)
        if unsent:
            rest[_UNSENT] = cast("Json", unsent)
        if (replies := _replies(node["outputs"])) > 1:
            rest[_REPLIES] = replies
        return rest

    def _inputs(self, raw: Any, seq: int, request: Request) -> tuple[dict[str, Json], list[str]]:
        """The rest of a request, and the names in it of what would be sent."""
        given = cast("_Object", raw) if isinstance(raw, dict) else {"messages": raw}
        rest: dict[str, Json] = {
            name: value for name, value in given.items() if name not in _INPUTS
        }
        unsent = [name for name, value in rest.items() if value is not None]
        system, tools, said = given.get("system"), given.get("tools"), given["messages"]
        if system is not None and system != request.system:
            rest["system"] = system
        found = conversation_of(said)
        assert found is not None  # the request was made of it
        beside = conversation_rest(said, found)
        if beside and conversation_rest(_as_sent(said), found):
            unsent.append("messages")
        if messages := self._changed(said, beside):
            rest["messages"] = messages
        if isinstance(tools, list):
            definitions = tools_rest(cast("object", tools), request.tools)
            if definitions:
                stands = self._tools.setdefault(msgspec.json.encode(definitions), seq)
                rest["tools"] = cast("Json", definitions) if stands == seq else stands
        elif tools is not None:
            rest["tools"] = tools
        unsent += [name for name in ("system", "tools") if name in rest]
        return rest, unsent

    def _changed(self, said: list[Json], messages: dict[str, Json]) -> dict[str, Json]:
        """The messages that are not what the call before has at their place."""
        before, self._messages = self._messages, messages
        places = [place for place in before | messages if int(place) < len(said)]
        return {
            place: said[int(place)]
            for place in places
            if not (place in before and place in messages)
            or not same(before[place], messages[place])
        }


def not_again(events: Sequence[AnyEvent]) -> dict[int, Why]:
    """The model calls of another program's session that cannot be asked again as they were.

    By the number of the event, with the reason: parts of the request have no place in it, or the
    record has several replies and does not say which one was taken.
    """
    found: dict[int, Why] = {}
    for event in events:
        if isinstance(event, Note) and event.what == "extra" and isinstance(event.detail, dict):
            if _REPLIES in event.detail:
                found[event.seq - 1] = "several_replies"
            elif _UNSENT in event.detail:
                found[event.seq - 1] = "request_not_whole"
    return found


def _replies(outputs: Any) -> int:
    choices: Any = cast("_Object", outputs).get("choices") if isinstance(outputs, dict) else None
    return len(cast("list[Any]", choices)) if isinstance(choices, list) else 0


def _as_sent(said: list[Json]) -> list[Json]:
    """The messages without why each had ended, which no model is told."""
    return [
        {name: value for name, value in item.items() if name != "finish_reason"}
        if isinstance(item, dict)
        else item
        for item in said
    ]


def _holds(name: str, value: Any, at: float | None, status: str, answer: Answer) -> bool:
    match name:
        case "requested_model":
            return isinstance(value, str) and value != ""
        case "model":
            return value == answer.model
        case "model_params":
            return isinstance(value, dict)
        case "cost":
            return holds_number(answer.price.usd, value)
        case "tokens":
            return isinstance(value, dict) and not _tokens_rest(
                cast("_Object", value), answer.usage
            )
        case "error":
            return answer.failure is not None and value == answer.why
        case "ended_at":
            return holds_instant(at, value)
        case "outputs":
            return status != "failed" and _holds_outputs(answer, value)
        case _:
            return False


def _tokens_rest(tokens: Mapping[str, Json], usage: Usage) -> dict[str, Json]:
    held = {
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cached_input_tokens": usage.cached,
        "reasoning_tokens": usage.reasoning,
    }
    return {
        name: value
        for name, value in tokens.items()
        if value is not None and not (name in held and same(held[name], value))
    }


def _holds_outputs(answer: Answer, outputs: Any) -> bool:
    message = answer.message
    if message is None:
        return False
    if isinstance(outputs, str):
        return message.parts == (Text(outputs),)
    if not isinstance(outputs, dict):
        return False
    given = cast("_Object", outputs)
    said: Any = given["message"] if given.keys() == {"message"} else given
    if not isinstance(said, dict) or "role" not in said:
        return False
    reply = dict(cast("_Object", said))
    finish = reply.pop("finish_reason", None)
    return finish in (None, answer.finish) and holds_message(message, reply)


def rest_of_tool_call(node: _Object, call: Call, at: float | None) -> dict[str, Json]:
    """What a tool call's node says beside its call; `at` is when its batch was answered."""
    held = {"inputs"}
    if node.get("tool_name") == call.tool:
        held.add("tool_name")
    if node.get("external_id") == call.id:
        held.add("external_id")
    if holds_instant(at, node.get("ended_at")):
        held.add("ended_at")
    return {name: value for name, value in node.items() if name not in held and value is not None}
