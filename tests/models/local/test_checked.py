"""What the check says of a small model that can be held to a form."""

from __future__ import annotations

import asyncio

import pytest

from ringback.models import check
from ringback.models.local import open_local


@pytest.mark.usefixtures("home")
def test_a_small_model_is_fit_as_a_customer() -> None:
    pytest.importorskip("xllamacpp", reason="local models need the extra ringback[local]")
    found = asyncio.run(check(open_local("local:smollm2", None)))
    held = {finding.what: finding.holds for finding in found.findings}
    assert held["structured turns"] is True
    assert found.works
    assert "user" in found.fit_as
