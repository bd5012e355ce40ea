"""One spelling for equal values, and none for what JSON cannot hold."""

from __future__ import annotations

import math

import pytest

from ringback.canonical import canonical, digest, encode


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, {1: "a"}, {None: 1}, object()])
def test_what_json_cannot_hold_is_refused(value: object) -> None:
    for kept in (value, [value], {"a": {"b": [value]}}):
        for spell in (canonical, encode, digest):
            with pytest.raises(TypeError):
                spell(kept)


def test_equal_numbers_have_one_spelling() -> None:
    assert encode({"b": 25.0, "a": (1, -0.0, 2.5)}) == b'{"a":[1,0,2.5],"b":25}'
    assert digest([1.0]) == digest([1]) != digest([True])
