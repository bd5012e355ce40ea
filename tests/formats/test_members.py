"""Keys that a JSON object has several times are found, and nothing else is taken for one."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringback.formats.members import key_words, repeated

texts = st.text(st.sampled_from('ab"\\{}[]:, é\n'), max_size=5)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
pairs = st.lists(st.tuples(st.sampled_from(["a", "b", "info", 'q"\\', "é"]), values), max_size=6)


@given(pairs=pairs, indent=st.sampled_from([None, 2]), ascii_=st.booleans())
def test_each_key_is_counted(pairs: list[tuple[str, Any]], indent: Any, ascii_: bool) -> None:
    body = ", ".join(
        f"{json.dumps(key, ensure_ascii=ascii_)} : "
        f"{json.dumps(value, indent=indent, ensure_ascii=ascii_)}"
        for key, value in pairs
    )
    counts = Counter(key for key, _ in pairs)
    expected = {key: count for key, count in counts.items() if count > 1}
    assert repeated(f" {{{body}\n}} ".encode()) == expected


@pytest.mark.parametrize("text", ["[]", "1", "null", '"a"', "{}", '[{"a": 1, "a": 2}]'])
def test_what_has_no_keys_has_none_twice(text: str) -> None:
    assert repeated(text.encode()) == {}


def test_one_spelled_otherwise_is_the_same_and_half_a_pair_is_none() -> None:
    assert repeated(b'{"a": 1, "\\u0061": 12}') == {"a": 2}
    assert repeated(b'{"\\ud800": 1, "a": [1], "a": [1]}') == {"a": 2}


def test_a_value_may_be_nested_as_deep_as_it_likes() -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    assert repeated(b'{"a": %b, "b": {}, "a": 1}' % deep) == {"a": 2}
    assert repeated(b'{"a": %b, "b": {}}' % deep) == {}


def test_it_is_said_in_words() -> None:
    assert key_words({"info": 2}) == "the key 'info' twice"
    assert (
        key_words({"info": 2, "x\n": 1200}) == "the key 'info' twice and the key 'x\\n' 1,200 times"
    )
