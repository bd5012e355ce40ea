"""Rows in the form of the traces, made up here, small enough to read in a failure."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["assistant", "called", "gave", "row", "said", "span", "tools"]


def said(text: str, role: str = "user", **more: Any) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text}], **more}


def called(name: str, arguments: Any, call: str = "call_1", **more: Any) -> dict[str, Any]:
    part = {"type": "tool_call", "id": call, "name": name, "arguments": arguments}
    return {"role": "assistant", "parts": [part], **more}


def gave(result: Any, call: str = "call_1") -> dict[str, Any]:
    part = {"type": "tool_call_response", "id": call, "result": result}
    return {"role": "tool", "parts": [part]}


def assistant(text: str) -> list[dict[str, Any]]:
    return [said(text, "assistant", finish_reason="stop")]


def tools(*names: str, schemas: bool = False) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for name in names:
        tool: dict[str, Any] = {"type": "function", "name": name, "description": f"Does {name}."}
        if schemas:
            tool["parameters"] = {"type": "object", "properties": {"n": {"minimum": 1.0}}}
        found.append(tool)
    return found


def span(
    asked: Any = None,
    reply: Any = None,
    *,
    model: str | None = "gpt-5.2",
    offered: Any = None,
    code: int = 1,
    error: str | None = None,
    number: int = 0,
    **attributes: Any,
) -> dict[str, Any]:
    """A model call. `asked`, `reply` and `offered` are written as JSON unless they are text."""
    texts = {
        "gen_ai.input.messages": asked,
        "gen_ai.output.messages": reply,
        "gen_ai.tool.definitions": offered,
    }
    whole: dict[str, Any] = {
        "error.type": error,
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": model,
        "gen_ai.response.model": model,
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": None if error else 900,
        "gen_ai.usage.output_tokens": None if error else 20,
        **{
            name: value if value is None or isinstance(value, str) else json.dumps(value)
            for name, value in texts.items()
        },
        **{name.replace("_dot_", "."): value for name, value in attributes.items()},
    }
    return {
        "span_id": f"{number:016x}",
        "trace_id": "0" * 32,
        "parent_span_id": None,
        "name": f"chat {model}",
        "kind": "SPAN_KIND_INTERNAL",
        "start_time": "2026-01-28T20:43:22.420387+00:00",
        "end_time": "2026-01-28T20:43:25.120387+00:00",
        "status": {"code": code, "message": ""},
        "attributes": whole,
        "events": [],
        "resource_attributes": {"service.name": "exgentic"},
    }


def row(number: int = 0, *spans: dict[str, Any] | None, **cells: Any) -> dict[str, Any]:
    """A run; what is not given is plausible."""
    model = cells.pop("model", "gpt-5.2")
    return {
        "schema_version": "1.2",
        "config_path": f"experiments/tau2_telecom/tool_calling/openai_{model}/config.json",
        "run_id": f"{number:012x}",
        "session_id": f"{number:012x}_0000",
        "harness": "tool_calling",
        "benchmark": "tau2_telecom",
        "benchmark_subset": "telecom",
        "models": [model],
        "score": 1.0,
        "success": True,
        "status": "unknown",
        "steps": 10,
        "action_count": 10,
        "agent_cost": 0.25,
        "benchmark_cost": 0.05,
        "execution_time": 12.5,
        "total_tokens": 9000,
        "max_tokens": 900,
        "collected_at": "2026-05-18T09:27:45+00:00",
        "spans": list(spans) or [span([said("hello")], assistant("hi"), model=model)],
        **cells,
    }
