"""A store for the calls of one test."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store of this test is; it is not made yet."""
    return tmp_path / "calls.db"
