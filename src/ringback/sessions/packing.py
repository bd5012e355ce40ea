"""How bytes are kept: as they are, or compressed where that is worth it."""

from __future__ import annotations

import zlib

__all__ = ["PLAIN", "ZLIB", "pack", "unpack"]

PLAIN, ZLIB = 0, 1
_WORTH_IT = 400  # bytes; below this zlib saves little and costs 20 us


def pack(data: bytes) -> tuple[int, bytes]:
    """The coding and the bytes to keep."""
    if len(data) >= _WORTH_IT:
        packed = zlib.compress(data, 6)
        if len(packed) < len(data):
            return ZLIB, packed
    return PLAIN, data


def unpack(coding: int, body: bytes) -> bytes:
    """The bytes as they came; `ValueError` if they are not what `pack` gave."""
    if coding == PLAIN:
        return body
    if coding != ZLIB:
        raise ValueError(f"coding {coding} is unknown")
    try:
        return zlib.decompress(body)
    except zlib.error as problem:
        raise ValueError(str(problem)) from problem
