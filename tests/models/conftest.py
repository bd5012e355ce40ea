from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No keys, no endpoints and no models of whoever runs the tests."""
    for name in os.environ:
        if name.endswith(("_API_KEY", "_BASE_URL", "_TOKEN")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
