"""A browser for the tests of the desk, one for a file of tests."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.browser import Browser, chromium, open_browser


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    path = chromium()
    if path is None:
        pytest.skip("there is no Chromium on this machine")
    with open_browser(path) as opened:
        yield opened
