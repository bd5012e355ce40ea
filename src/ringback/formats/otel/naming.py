"""What the GenAI conventions call things: a model's provider, its settings, tokens and messages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from ringback.canonical import Json
from ringback.episode.events import SideEvent
from ringback.episode.wire import Message, Request, Usage
from ringback.formats.messages import spelled as message_spelled
from ringback.formats.messages import tool_spelled
from ringback.formats.otel.values import attributes, nanos, spelled
from ringback.grading.grade import Grade

__all__ = ["conversation", "evaluations", "event_of", "provider", "settings", "since", "usage"]

_Object = dict[str, Any]

_PROVIDERS: Mapping[str, str] = MappingProxyType(
    {
        "anthropic": "anthropic",
        "azure": "azure.ai.openai",
        "azure-responses": "azure.ai.openai",
        "bedrock": "aws.bedrock",
        "cohere": "cohere",
        "deepseek": "deepseek",
        "google": "gcp.gemini",
        "google-cloud": "gcp.vertex_ai",
        "groq": "groq",
        "mistral": "mistral_ai",
        "moonshotai": "moonshot_ai",
        "openai": "openai",
        "openai-chat": "openai",
        "openai-responses": "openai",
        "xai": "x_ai",
    }
)
"""Our names of providers, and those that the conventions fix; others keep their own."""

_ASKED: Mapping[str, tuple[str, type | tuple[type, ...]]] = MappingProxyType(
    {
        "temperature": ("gen_ai.request.temperature", (int, float)),
        "top_p": ("gen_ai.request.top_p", (int, float)),
        "top_k": ("gen_ai.request.top_k", int),
        "max_tokens": ("gen_ai.request.max_tokens", int),
        "seed": ("gen_ai.request.seed", int),
        "presence_penalty": ("gen_ai.request.presence_penalty", (int, float)),
        "frequency_penalty": ("gen_ai.request.frequency_penalty", (int, float)),
        "stop_sequences": ("gen_ai.request.stop_sequences", list),
    }
)


def since(at: float | None, seconds: float | None) -> tuple[float | None, float | None]:
    """When something began that took so long and was over then, and when it was over."""
    return (None if at is None or seconds is None else at - seconds, at)


def provider(model: str) -> str:
    """The provider that a model's name begins with, in the conventions' words."""
    provider, colon, rest = model.partition(":")
    if colon and rest:
        return _PROVIDERS.get(provider, provider)
    return "unknown"


def settings(given: Mapping[str, Json]) -> _Object:
    """The settings of a request that the conventions name; all of them stand beside."""
    found: _Object = {}
    for name, (key, kind) in _ASKED.items():
        value: Any = given.get(name)
        if isinstance(value, kind) and not isinstance(value, bool):
            found[key] = value
    if given:
        found["ringback.settings"] = spelled(given)
    return found


def usage(used: Usage) -> _Object:
    """Tokens; nothing for a count that is unknown."""
    return {
        "gen_ai.usage.input_tokens": used.input,
        "gen_ai.usage.output_tokens": used.output,
        "gen_ai.usage.cache_read.input_tokens": used.cached,
        "gen_ai.usage.cache_write.input_tokens": used.written,
        "gen_ai.usage.reasoning.output_tokens": used.reasoning,
    }


def conversation(request: Request) -> _Object:
    """What a model was sent."""
    messages: tuple[Message, ...] = request.messages
    return {
        "gen_ai.system_instructions": spelled([{"type": "text", "content": request.system}]),
        "gen_ai.input.messages": spelled([message_spelled(message) for message in messages]),
        "gen_ai.tool.definitions": spelled([tool_spelled(tool) for tool in request.tools])
        if request.tools
        else None,
    }


def event_of(event: SideEvent) -> _Object:
    """What a harness did with a reply, as an event of the turn's span."""
    kept = msgspec.to_builtins(event)
    values = {f"ringback.{name}": value for name, value in kept.items() if name not in ("at",)}
    found: _Object = {"name": f"ringback.{kept['kind']}", "attributes": attributes(values)}
    if time := nanos(event.at):
        found["timeUnixNano"] = time
    return found


def evaluations(grade: Grade | None, at: float | None) -> list[_Object]:
    """The reward and every check as the conventions' evaluation results."""
    if grade is None:
        return []
    checks = [
        (f"end_state {place} {check.name}", check.met, spelled(check.arguments))
        for place, check in enumerate(grade.verdict.end)
    ] + [
        (f"action {place} {check.name}", check.met, spelled(check.arguments))
        for place, check in enumerate(grade.verdict.actions)
    ]
    label = None if grade.solved is None else "solved" if grade.solved else "not solved"
    results: list[_Object] = [
        {
            "gen_ai.evaluation.name": "reward",
            "gen_ai.evaluation.score.value": grade.reward,
            "gen_ai.evaluation.score.label": label or "not graded",
        }
    ]
    results += [
        {
            "gen_ai.evaluation.name": name,
            "gen_ai.evaluation.score.value": float(met),
            "gen_ai.evaluation.score.label": "met" if met else "not met",
            "gen_ai.evaluation.explanation": explanation,
        }
        for name, met, explanation in checks
    ]
    time = nanos(at)
    return [
        {"name": "gen_ai.evaluation.result", "attributes": attributes(values)}
        | ({"timeUnixNano": time} if time else {})
        for values in results
    ]
