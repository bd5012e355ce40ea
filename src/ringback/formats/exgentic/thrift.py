"""Structures in Thrift's compact form, of which Parquet's footer and the headers of its pages are.

Numbers, structures and lists of structures are read by the numbers of their fields; all else is
passed over.
"""

from __future__ import annotations

from typing import TypeAlias

__all__ = ["Fields", "inner", "inners", "number", "structure"]

Fields: TypeAlias = "dict[int, int | Fields | list[Fields]]"

_NESTED = 32


def structure(data: bytes, at: int = 0) -> tuple[Fields, int]:
    """The structure that begins at a place, and where it ends.

    `IndexError` where the data end before it does, `ValueError` where it is none.
    """
    return _structure(data, at, 0)


def number(fields: Fields, name: int) -> int:
    """A field that is a number from 0; `ValueError` where there is none."""
    found = fields.get(name)
    if not isinstance(found, int) or found < 0:
        raise ValueError("it does not say how much it holds")
    return found


def inner(fields: Fields, name: int) -> Fields:
    """A field that is a structure; `ValueError` where there is none."""
    found = fields.get(name)
    if not isinstance(found, dict):
        raise ValueError("it does not say what it holds")
    return found


def inners(fields: Fields, name: int) -> list[Fields]:
    """A field that is a list of structures; `ValueError` where there is none."""
    found = fields.get(name)
    if not isinstance(found, list):
        raise ValueError("it does not list what it holds")
    return found


def _structure(data: bytes, at: int, depth: int) -> tuple[Fields, int]:
    if depth > _NESTED:
        raise ValueError("it is nested too deeply")
    fields: Fields = {}
    name = 0
    while True:
        head = data[at]
        at += 1
        if head == 0:
            return fields, at
        if head >> 4:
            name += head >> 4
        else:
            name, at = _varint(data, at)
            name = _signed(name)
        kind = head & 15
        if 4 <= kind <= 6:  # as most are
            byte = data[at]
            if byte < 128:
                found, at = byte, at + 1
            else:
                found, at = _varint(data, at)
            fields[name] = (found >> 1) ^ -(found & 1)
        elif kind in (1, 2):
            fields[name] = int(kind == 1)
        else:
            value, at = _value(data, at, kind, depth)
            if value is not None:
                fields[name] = value


def _value(
    data: bytes, at: int, kind: int, depth: int
) -> tuple[int | Fields | list[Fields] | None, int]:
    """A value of a kind, None for one that is passed over, and where it ends."""
    match kind:
        case 1 | 2 | 3:  # a truth value in a list, or a byte
            return data[at], at + 1
        case 4 | 5 | 6:
            found, at = _varint(data, at)
            return _signed(found), at
        case 7:
            return None, _within(data, at + 8)
        case 8:
            length, at = _varint(data, at)
            return None, _within(data, at + length)
        case 9 | 10:
            return _list(data, at, depth)
        case 11:
            return None, _map(data, at, depth)
        case 12:
            return _structure(data, at, depth + 1)
        case 13:
            return None, _within(data, at + 16)
        case _:
            raise ValueError("it has a field of no kind")


def _list(data: bytes, at: int, depth: int) -> tuple[list[Fields] | None, int]:
    head = data[at]
    count, kind = head >> 4, head & 15
    at += 1
    if count == 15:
        count, at = _varint(data, at)
    found: list[Fields] = []
    for _ in range(count):
        value, at = _value(data, at, kind, depth + 1)
        if isinstance(value, dict):
            found.append(value)
    return found if kind == 12 else None, at


def _map(data: bytes, at: int, depth: int) -> int:
    count, at = _varint(data, at)
    if count:
        kinds = data[at]
        at += 1
        for _ in range(count):
            for kind in (kinds >> 4, kinds & 15):
                _, at = _value(data, at, kind, depth + 1)
    return at


def _within(data: bytes, at: int) -> int:
    if at > len(data):
        raise IndexError
    return at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    found = shift = 0
    while True:
        byte = data[at]
        at += 1
        found |= (byte & 127) << shift
        if byte < 128:
            return found, at
        shift += 7
        if shift > 63:
            raise ValueError("it has a number without an end")


def _signed(found: int) -> int:
    return (found >> 1) ^ -(found & 1)
