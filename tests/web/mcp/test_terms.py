"""What a server is started with and cannot be: said before a client comes."""

from __future__ import annotations

from typing import Any

import pytest

from ringback.episode.events import Limits
from ringback.errors import InputError
from ringback.web.mcp.host import Host


@pytest.mark.parametrize(
    ("terms", "why"),
    [
        ({"called": ""}, "cannot be empty"),
        ({"called": "Ada\nBob"}, r"has U\+000A in it"),
        ({"called": "A" * 81}, "at most 80 characters"),
        ({"called": " Ada"}, "spaces around"),
        ({"seed": 2**63}, "is not usable"),
        ({"trial": 10**8}, "There is no trial"),
        ({"trial": -1}, "There is no trial"),
        ({"limits": Limits(0, 10, 1.0)}, "a limit below 1"),
        ({"limits": Limits(1, 10, float("nan"))}, "a limit below 1"),
        ({"domain": "telecom-solo"}, "for recordings alone"),
        ({"domain": "telecom", "split": "nowhere"}, "nowhere"),
    ],
)
def test_terms_with_which_no_call_can_begin_are_refused(terms: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why):
        Host(**terms).check()


def test_usable_terms_are_no_reason_to_complain() -> None:
    Host(called="Ada", seed=2**63 - 1, trial=3).check()
