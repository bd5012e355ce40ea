"""Keys that a JSON object has several times are found, and nothing else is taken for one."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringback.formats.members import key_words, repeated, repeated_within

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


@st.composite
def spelled(draw: st.DrawFn, depth: int = 0) -> tuple[str, dict[str, int]]:
    """JSON text in some spelling, and which keys stand twice in it where."""
    space = st.sampled_from(["", " ", "\n\t"])
    kind = draw(st.integers(0, 3 if depth < 3 else 1))
    found: Counter[str] = Counter()
    if kind < 2:
        return json.dumps(draw(texts | st.integers()), ensure_ascii=draw(st.booleans())), {}
    parts: list[str] = []
    seen: set[str] = set()
    for _ in range(draw(st.integers(0, 4))):
        inner, more = draw(spelled(depth + 1))
        name = draw(st.sampled_from(["a", ":", 'q"\\', "é"]))
        prefix = "[]" if kind == 2 else f".{name}"
        for place, count in more.items():
            found[prefix + place] += count - (prefix + place in found)
        if kind == 3:
            key = json.dumps(name, ensure_ascii=draw(st.booleans())).replace(
                ":", draw(st.sampled_from([":", "\\u003a", "\\u003A"]))
            )
            inner = f"{key}{draw(space)}:{draw(space)}{inner}"
            if name in seen:
                found[prefix] = found.get(prefix, 1) + 1
            seen.add(name)
        parts.append(inner)
    sides = "[]" if kind == 2 else "{}"
    gap = draw(space)
    return f"{sides[0]}{gap}{f'{gap},'.join(parts)}{sides[1]}", dict(found)


@given(value=spelled())
def test_each_key_is_found_wherever_it_stands(value: tuple[str, dict[str, int]]) -> None:
    text, found = value
    known = repeated_within(text.encode())
    assert set(known) == {place.removeprefix(".") for place in found}
    by_another: list[bool] = []
    json.loads(text, object_pairs_hook=lambda each: by_another.append(len(dict(each)) < len(each)))
    assert bool(known) == any(by_another)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": {"b": 1, "c": [{"d": 1, "d": 2}]}}', {"a.c[].d": 2}),
        ('{"a" :1, "a"\n:1, "a":1}', {"a": 3}),
        ('[{"x": 1, "\\u0078": ":"}]', {"[].x": 2}),
        ('{"a": "\\u003a", "b": 1, "b": 1}', {"b": 2}),
        ('{"a": "\\u003a \\": \\\\", "b": "x: y"}', {}),
        ('{"a": [{"b": 1}, {"b": 1}], "b": {"b": {"b": 1}}}', {}),
        ('{"a": "\\ud800", "b": {"c": 1, "c": 1}}', {"b.c": 2}),
        ('{"a": 1e999, "b": {"c": 1, "c": 1}}', {"b.c": 2}),
    ],
)
def test_it_is_found_where_it_stands(text: str, found: dict[str, int]) -> None:
    assert repeated_within(text.encode()) == found


def test_very_deep_and_very_large_values_are_gone_through() -> None:
    deep = b'{"a":' * 50_000 + b'{"b": 1, "b": 2}' + b"}" * 50_000
    (place,) = repeated_within(deep)
    assert place.endswith("a.b")
    large = b'{"x": "%b", "y": {"z": 1, "z": 2}}' % (b"z" * (9 << 20))
    assert repeated_within(large) == {"y.z": 2}
    many = b",".join(b'{"k": 1, "k": 2, "%d": 0, "%d": 1}' % (n, n) for n in range(5000))
    assert len(repeated_within(b"[%b]" % many)) == 100


def test_it_is_said_in_words() -> None:
    assert key_words({"info": 2}) == "the key 'info' twice"
    assert (
        key_words({"info": 2, "x\n": 1200}) == "the key 'info' twice and the key 'x\\n' 1,200 times"
    )
