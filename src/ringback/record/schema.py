"""The form of a record as a JSON Schema."""

from __future__ import annotations

from typing import Any

import msgspec

from ringback.record.document import Record

__all__ = ["ID", "schema"]

ID = "urn:ringback:record:1"


def schema() -> dict[str, Any]:
    """The schema, draft 2020-12: made from the form that is written, so neither can go astray."""
    made = msgspec.json.schema(Record)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ID,
        "title": "A record of operated support calls",
        **made,
    }
