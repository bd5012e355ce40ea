"""An expected step as code: what had to be called, or what was, where any argument would do."""

from __future__ import annotations

from collections.abc import Mapping

from ringback.canonical import Json
from ringback.domain import ActionCheck
from ringback.report.transcript import Deed, Transcript

__all__ = ["compared", "done"]


def compared(check: ActionCheck) -> Mapping[str, Json]:
    """The expected arguments that count; of the others the reference's would mislead."""
    if check.compare is None:
        return dict(check.arguments)
    return {name: check.arguments[name] for name in check.compare if name in check.arguments}


def done(check: ActionCheck, transcript: Transcript) -> Mapping[str, Json] | None:
    """The arguments with which a step that is met was called, where not all of them count.

    None where all count, where it is not met, or where the call is not in the record.
    """
    if check.compare is None or not check.met:
        return None
    expected = compared(check)
    fits: list[tuple[bool, Deed]] = [
        (row.side == check.side and not deed.error, deed)
        for row in transcript.rows
        for deed in row.deeds
        if deed.tool == check.name and _agrees(deed, expected)
    ]
    own = next((deed for right, deed in fits if right), None)
    found = own or next((deed for _, deed in fits), None)
    return None if found is None or not isinstance(found.arguments, dict) else found.arguments


def _agrees(deed: Deed, expected: Mapping[str, Json]) -> bool:
    given = deed.arguments
    return isinstance(given, dict) and all(
        name in given and given[name] == value for name, value in expected.items()
    )
