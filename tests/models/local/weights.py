"""The real SmolLM2 for tests: fetched once for this user, then kept in the temporary directory."""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ringback.errors import InputError
from ringback.models.local import fetch_smollm2

__all__ = ["CACHE", "at_home", "fetched"]

CACHE = Path(tempfile.gettempdir()) / f"ringback-tests-{os.getuid()}"


@contextmanager
def at_home() -> Generator[None]:
    """Let the user's cache be `CACHE`."""
    before = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(CACHE)
    try:
        yield
    finally:
        if before is None:
            del os.environ["XDG_CACHE_HOME"]
        else:
            os.environ["XDG_CACHE_HOME"] = before


@functools.cache
def fetched() -> str | None:
    """Fetch SmolLM2 into `CACHE`; why it cannot be had, None if it is there."""
    with at_home():
        try:
            fetch_smollm2()
        except InputError as problem:
            return str(problem)
    return None
