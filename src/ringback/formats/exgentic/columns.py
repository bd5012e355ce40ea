"""The form of Exgentic's public traces, schema 1.2: columns, spans, attributes, and their types.

A column that another shard calls by the same name and fills with another type would be misread, so
each is held to its family before a row is read. A column without a value in it may have no type.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

__all__ = [
    "ATTRIBUTES",
    "COLUMNS",
    "ESSENTIAL",
    "FIGURES",
    "MODELS",
    "SCHEMA",
    "SPAN",
    "TOOLS",
    "wrong",
]

SCHEMA = "1.2"
"""The version of the form that is known here; rows of another one are read as if of this."""

Family: TypeAlias = Literal["text", "texts", "number", "whole", "flag", "spans"]

COLUMNS: dict[str, Family] = {
    "schema_version": "text",
    "config_path": "text",
    "run_id": "text",
    "session_id": "text",
    "harness": "text",
    "benchmark": "text",
    "benchmark_subset": "text",
    "status": "text",
    "collected_at": "text",
    "models": "texts",
    "score": "number",
    "agent_cost": "number",
    "benchmark_cost": "number",
    "execution_time": "number",
    "success": "flag",
    "steps": "whole",
    "action_count": "whole",
    "total_tokens": "whole",
    "max_tokens": "whole",
    "spans": "spans",
}
"""The columns of a row."""

ESSENTIAL = ("session_id", "harness", "benchmark", "success", "spans")
"""Without these a file says nothing of runs; what else is missing is unknown in all its rows."""

SPAN: dict[str, Family] = {
    "span_id": "text",
    "trace_id": "text",
    "parent_span_id": "text",
    "name": "text",
    "kind": "text",
    "start_time": "text",
    "end_time": "text",
}
"""The plain fields of a span; beside them stand status, attributes, events, resource_attributes."""

ATTRIBUTES: dict[str, Family] = {
    "error.type": "text",
    "gen_ai.conversation.id": "text",
    "gen_ai.input.messages": "text",
    "gen_ai.operation.name": "text",
    "gen_ai.output.messages": "text",
    "gen_ai.output.type": "text",
    "gen_ai.provider.name": "text",
    "gen_ai.request.max_tokens": "number",
    "gen_ai.request.model": "text",
    "gen_ai.request.stop_sequences": "texts",
    "gen_ai.request.temperature": "number",
    "gen_ai.response.finish_reasons": "texts",
    "gen_ai.response.id": "text",
    "gen_ai.response.model": "text",
    "gen_ai.system_instructions": "text",
    "gen_ai.tool.definitions": "text",
    "gen_ai.usage.input_tokens": "whole",
    "gen_ai.usage.output_tokens": "whole",
}
"""The attributes of a span; messages and tool definitions are JSON in text."""

TOOLS = "gen_ai.tool.definitions"
MODELS = ("gen_ai.response.model", "gen_ai.request.model")

FIGURES = (
    "span_id",
    "status",
    "attributes.error.type",
    "attributes.gen_ai.operation.name",
    "attributes.gen_ai.usage.input_tokens",
    "attributes.gen_ai.usage.output_tokens",
    *(f"attributes.{name}" for name in MODELS),
    f"attributes.{TOOLS}",
)
"""What of a span the figures need: all but the conversations, which are nearly all of a file."""


def wrong(schema: Any) -> str | None:
    """What of a file's Arrow schema is not this form, in words; None where it fits."""
    names = list(schema.names)
    for name in ESSENTIAL:
        if name not in names:
            return f"it has no column {name!r}"
    for name, family in COLUMNS.items():
        if names.count(name) > 1:
            return f"it has the column {name!r} {names.count(name)} times"
        if name in names and not _is(schema.field(name).type, family):
            return f"its column {name!r} holds {_named(schema.field(name).type)}"
    return _wrong_spans(schema.field("spans").type.value_type)


def _wrong_spans(span: Any) -> str | None:
    fields = _fields(span)
    if fields is None:
        return "the names of its spans' fields repeat"
    for name, family in SPAN.items():
        if name in fields and not _is(fields[name], family):
            return f"its spans' field {name!r} holds {_named(fields[name])}"
    status = fields.get("status")
    if status is not None and not _is_status(status):
        return f"its spans' field 'status' holds {_named(status)}"
    attributes = fields.get("attributes")
    if attributes is None or not _is_struct(attributes):
        return "its spans have no record of attributes"
    found = _fields(attributes)
    if found is None:
        return "the names of its spans' attributes repeat"
    for name, family in ATTRIBUTES.items():
        if name in found and not _is(found[name], family):
            return f"its attribute {name!r} holds {_named(found[name])}"
    return None


def _fields(struct: Any) -> dict[str, Any] | None:
    found: dict[str, Any] = {}
    for index in range(struct.num_fields):
        field = struct.field(index)
        if field.name in found:
            return None
        found[field.name] = field.type
    return found


def _is_struct(found: Any) -> bool:
    return bool(_kinds().is_struct(found))


def _is_status(found: Any) -> bool:
    types = _kinds()
    if types.is_null(found):
        return True
    fields = _fields(found) if types.is_struct(found) else None
    if fields is None:
        return False
    return all(
        _is(fields[name], family)
        for name, family in (("code", "whole"), ("message", "text"))
        if name in fields
    )


def _is(found: Any, family: str) -> bool:
    types = _kinds()
    if family == "spans":
        return _is_list(found) and _is_struct(found.value_type)
    if types.is_null(found):
        return True
    if family == "text":
        if types.is_dictionary(found):
            found = found.value_type
        return types.is_string(found) or types.is_large_string(found) or types.is_string_view(found)
    if family == "texts":
        return _is_list(found) and _is(found.value_type, "text")
    if family == "number":
        return types.is_floating(found) or types.is_integer(found)
    return types.is_integer(found) if family == "whole" else types.is_boolean(found)


def _is_list(found: Any) -> bool:
    types = _kinds()
    return types.is_list(found) or types.is_large_list(found) or types.is_fixed_size_list(found)


def _kinds() -> Any:
    """What tells Arrow's types apart; pyarrow has no types of its own, so nothing is said of it."""
    from pyarrow import types

    return types


def _named(found: Any) -> str:
    """A type in a few words, however it is built."""
    words = " ".join(str(found).split())
    return words if len(words) <= 40 else f"{words[:39]}…"
