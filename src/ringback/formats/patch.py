"""What the way to our form and back would lose of a JSON object, kept so that nothing is.

A part is turned into ours and, by the same rule each time, back again. Where that does not give the
object as it was, the difference is written down: members to set, to drop, and to read as JSON.
"""

from __future__ import annotations

from typing import Any, cast

import msgspec

from ringback.canonical import Json

__all__ = ["apply", "difference", "same"]

_encoder = msgspec.json.Encoder(order="sorted")


def same(one: Json, other: Json) -> bool:
    """Whether two JSON values are one: 1 and 1.0 are not, and the order of members is no part."""
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return _encoder.encode(one) == _encoder.encode(other)


def difference(made: dict[str, Json], was: dict[str, Json]) -> dict[str, Json] | None:
    """What turns the one object into the other; None where they are the same already."""
    found: dict[str, Json] = {}
    put: dict[str, Json] = {}
    read: list[Json] = []
    for key, value in was.items():
        if key in made and same(made[key], value):
            continue
        if key in made and _reads_as(made[key], value):
            read.append(key)
        else:
            put[key] = value
    if put:
        found["set"] = put
    if read:
        found["read"] = read
    if gone := [key for key in made if key not in was]:
        found["drop"] = cast("Json", gone)
    return found or None


def apply(made: dict[str, Json], found: Json) -> dict[str, Json]:
    """The object as it was, from what was made of it and the difference."""
    if not isinstance(found, dict):
        return made
    changes = cast("dict[str, Any]", found)
    whole = {key: value for key, value in made.items() if key not in changes.get("drop", ())}
    for key in changes.get("read", ()):
        whole[key] = msgspec.json.decode(cast("str", whole[key]))
    return whole | changes.get("set", {})


def _reads_as(text: Json, value: Json) -> bool:
    if not isinstance(text, str) or isinstance(value, str):
        return False
    try:
        return same(msgspec.json.decode(text), value)
    except msgspec.MsgspecError:
        return False
