"""Single values: what is not itself is unknown, and never another value."""

from __future__ import annotations

from typing import Any

import pytest

from ringback.formats.values import count, instant, seconds, usd

NONE: list[Any] = [None, True, "x", "", [], {}, -1, float("nan"), float("inf"), 10**400]


@pytest.mark.parametrize("read", [count, seconds, usd, instant])
@pytest.mark.parametrize("value", NONE)
def test_what_is_none_is_unknown(read: Any, value: Any) -> None:
    assert read(value) is None


def test_what_is_one_is_read() -> None:
    assert [count(value) for value in (0, 7, 2**63 - 1, 2**63, 1.0, "7")] == [
        0,
        7,
        2**63 - 1,
        None,
        None,
        None,
    ]
    assert (seconds(2), seconds(0.5), seconds("2")) == (2.0, 0.5, None)
    assert (usd("0.0012"), usd(3), usd("12 EUR"), usd("-1"), usd("nan")) == (
        0.0012,
        3.0,
        None,
        None,
        None,
    )
    assert (usd(1e6), usd(1e6 + 1), usd("1e308")) == (1e6, None, None)


def test_a_date_without_a_zone_is_unknown_unless_it_is_said_to_be_utc() -> None:
    assert instant("1970-01-01T00:00:09Z") == instant("1970-01-01T02:00:09+02:00") == 9.0
    assert instant("1970-01-01T00:00:09") is None
    assert instant("1970-01-01T00:00:09", utc=True) == 9.0
