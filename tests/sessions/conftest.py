from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from ringback.sessions import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kept" / "ringback.db"


@pytest.fixture
def store(path: Path) -> Generator[Store]:
    with Store.open(path) as opened:
        yield opened
