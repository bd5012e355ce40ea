"""results.json holds the whole model, the same bytes for the same results."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringback.errors import InputError
from ringback.report.compute import compute
from ringback.report.model import FORMAT, StudyResults
from ringback.report.results_json import decode, encode
from tests.report.studies import arm_facts, rows, study

FACTS = study(
    [
        arm_facts("reference", "baseline"),
        arm_facts("noise", "noise"),
        arm_facts("careless", agent="careless"),
    ],
    trials=2,
)
OUTCOMES = {
    "reference": ["yyyn", "yyyy"],
    "noise": ["yyyy", "ynyy"],
    "careless": ["nyin", "y.nx"],
}


def small() -> StudyResults:
    return compute(FACTS, rows(FACTS, OUTCOMES))


def test_comes_back_as_it_was() -> None:
    assert decode(encode(small())) == small()


@given(st.lists(st.text("yni.x", min_size=4, max_size=4), min_size=6, max_size=6))
@settings(max_examples=25, deadline=None)
def test_any_results_come_back(drawn: list[str]) -> None:
    names = ("reference", "noise", "careless")
    outcomes = {name: drawn[2 * n : 2 * n + 2] for n, name in enumerate(names)}
    found = compute(FACTS, rows(FACTS, outcomes))
    assert decode(encode(found)) == found


def test_is_canonical_json_broken_into_lines() -> None:
    data = encode(small())
    assert data.endswith(b"}\n")
    value = json.loads(data)
    assert value["format"] == FORMAT == 1
    assert json.dumps(value, sort_keys=True) == json.dumps(value)
    assert encode(decode(data)) == data


def test_equal_studies_give_equal_bytes_whatever_they_took() -> None:
    made = rows(FACTS, OUTCOMES)
    assert encode(compute(FACTS, made[::-1])) == encode(compute(FACTS, made))


def test_states_no_clock() -> None:
    keys = re.findall(r'"(\w+)":', encode(small()).decode())
    assert "arms" in keys
    assert not {key for key in keys if any(word in key for word in ("time", "date", "_at"))}
    # The only seconds are an episode's limit, once.
    assert [key for key in keys if "second" in key] == ["seconds"]


def test_unknown_is_null() -> None:
    value = json.loads(encode(compute(FACTS, [])))
    assert value["arms"][0]["steps"] is None
    assert value["grid"][0]["cells"][0][0]["session"] is None


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is not a results file"),
        (b"{", "is not a results file"),
        (b"[1]", "states no format"),
        (b"{}", "states no format"),
        (b'{"format": 2}', "format 2, and this version reads format 1"),
        (b'{"format": 1}', "missing required field"),
        (b"\xff\xfe", "is not a results file"),
        (b'{"format": 1, "facts": 3}', "is not a results file"),
    ],
)
def test_says_what_is_wrong_with_another_file(data: bytes, words: str) -> None:
    with pytest.raises(InputError, match=r"^out/results\.json ") as caught:
        decode(data, "out/results.json")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
