"""``results.json``: the model of results as a file.

Canonical JSON (keys sorted, whole floats as integers) broken into lines, so that two files can be
compared with `diff` and equal results have equal bytes. ``format`` counts the versions of the form;
fields may be added within one, and are never renamed or given another meaning.
"""

from __future__ import annotations

from typing import Any

import msgspec

from ringback.canonical import encode as canonical_bytes
from ringback.errors import InputError
from ringback.report.model import FORMAT, StudyResults

__all__ = ["decode", "encode"]


def encode(results: StudyResults) -> bytes:
    """The file's bytes, UTF-8, with a newline at the end."""
    return msgspec.json.format(canonical_bytes(results), indent=1) + b"\n"


def decode(data: bytes, source: str = "results.json") -> StudyResults:
    """The results that these bytes hold.

    Raises `InputError`, which names `source`, for what is not a results file or has another format.
    """
    try:
        value: Any = msgspec.json.decode(data)
        found = value.get("format") if isinstance(value, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if found is not None and found != FORMAT:
            raise InputError(
                f"{source} has results of format {found!r}, and this version reads format "
                f"{FORMAT}: use the version of ringback that wrote it."
            )
        if found is None:
            raise InputError(f"{source} is not a results file of ringback: it states no format.")
        return msgspec.convert(value, StudyResults)
    except msgspec.MsgspecError as error:
        raise InputError(
            f"{source} is not a results file of ringback: {error}; write it again with "
            "`ringback study run`."
        ) from None
