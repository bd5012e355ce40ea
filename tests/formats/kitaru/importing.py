"""Kitaru's own importer, from its package."""

from __future__ import annotations

from typing import Any

import pytest

__all__ = ["imported"]


def imported(data: bytes) -> list[Any]:
    """The sessions that Kitaru makes of this; fails if it refuses a line. Skips without it."""
    importer = pytest.importorskip(
        "kitaru_jsonl_importer.importer", reason="kitaru-jsonl-importer is not installed"
    )
    found = list(importer.parse(data, {}))
    refused = [item for item in found if type(item).__name__ == "ImportFailure"]
    assert not refused, refused[0].error
    return found
