"""A request made ready for llama.cpp, and its answer read again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from ringback.canonical import Json
from ringback.episode.wire import Message, Request
from ringback.models.local.chat import (
    PROVIDER,
    called_in_words,
    chat,
    reply_parts,
    tool_grammar,
)
from ringback.models.local.exchange import Abilities, Completion
from ringback.models.local.forms import grammar, unheld
from ringback.models.local.settings import sampling

__all__ = ["Prepared", "prepare", "read"]


class Prepared(Struct, frozen=True):
    """The body that goes out, and what the answer is to say of it.

    `native`: the template knows the tools. `held`: a grammar holds the reply to the form.
    """

    body: dict[str, Json]
    sent: dict[str, Json]
    dropped: dict[str, str]
    native: bool
    held: bool


def prepare(
    request: Request,
    settings: Mapping[str, Json],
    abilities: Abilities,
    clean: Callable[[str], str],
    convert: Any,
) -> Prepared:
    """The chat request that llama.cpp gets.

    A form goes before tools: with one, the instructions are to say what there is to call. `clean`
    takes away the meaning of control tokens; `convert` makes a schema a grammar.
    """
    chosen = sampling(settings)
    sent, dropped = dict(chosen.sent), dict(chosen.dropped)
    native = abilities.supports_tools and abilities.supports_tool_calls and request.form is None
    made: str | None = None
    lacking = None if request.form is None else unheld(request.form)
    if lacking is not None:
        dropped["form"] = f"no grammar holds {lacking}"
    elif request.form is not None:
        try:
            made = grammar(request.form, convert)
        except RuntimeError as problem:
            dropped["form"] = f"llama.cpp makes no grammar of it: {problem}"
    elif request.tools and not native:
        required = sent.get("tool_choice") == "required"
        try:
            made = tool_grammar(request.tools, convert, required=required)
        except RuntimeError as problem:
            dropped["tools"] = (
                f"told of, not held to: llama.cpp makes no grammar of them: {problem}"
            )
    told = request.tools if request.form is None else ()
    messages = chat(
        request, told, native=native, system=abilities.supports_system_role, clean=clean
    )
    body: dict[str, Json] = {"messages": list[Json](messages)}
    if told and native:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters or {"type": "object", "properties": {}},
                },
            }
            for tool in told
        ]
        body["parallel_tool_calls"] = sent.get("parallel_tool_calls", True)
        body["tool_choice"] = sent.get("tool_choice", "auto")
    elif sent.pop("parallel_tool_calls", None) is not None:
        dropped["parallel_tool_calls"] = "one call a reply is all that goes without native tools"
    if "tool_choice" in sent and not told:
        dropped["tool_choice"] = "there are no tools to choose from"
        del sent["tool_choice"]
    if "thinking" in sent:
        body["chat_template_kwargs"] = {"enable_thinking": sent["thinking"]}
    if made is not None:
        body["grammar"] = made
    apart = ("parallel_tool_calls", "thinking", "tool_choice")
    body |= {key: value for key, value in sent.items() if key not in apart}
    return Prepared(body, sent, dropped, native, request.form is not None and made is not None)


def read(said: Completion, request: Request, prepared: Prepared) -> Message:
    """The reply, in our parts."""
    words = said.choices[0].message
    calls = [(call.function.name, call.function.arguments) for call in words.tool_calls]
    content = words.content
    if request.form is None and request.tools and not prepared.native:
        call = called_in_words(content)
        if call is not None:
            calls, content = [call], None
    parts = reply_parts(content, words.reasoning_content, calls, len(request.messages))
    return Message("assistant", parts, PROVIDER)
