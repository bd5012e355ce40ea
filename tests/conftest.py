"""What several test packages share."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests import warm

# Tests, and the programs that they start again and again, keep their compiled form.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_sessionfinish() -> None:
    """Leave no process behind."""
    warm.close()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with reference facts beside the checkout; skips where a user has none."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("the reference facts (../shared) are not on this machine")
    return folder
