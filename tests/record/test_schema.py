"""The form of a record as a JSON Schema: real records fit it, and so does one without our parts."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from msgspec.structs import replace

from ringback.record.making import make_record
from ringback.record.schema import schema
from ringback.record.writing import write_record
from ringback.sessions import Store, parse_selection
from tests.record.recorded import by_model, operated
from tests.record.reenacted import CALLS, HARD_INVERTED, INVERTING

DOCS = Path(__file__).parents[2] / "docs"
OURS = {
    "record": {"form", "boundary"},
    "case": {
        "official_action_checks",
        "official_end_checks",
        "strict_reward",
        "failure",
        "session",
        "operator",
        "user_simulator",
        "steps",
        "transcript",
        "attempts",
    },
}


def fits(value: Any) -> None:
    validator: Any = jsonschema.Draft202012Validator(schema())
    validator.validate(value)


@pytest.fixture
def written(path: Path, tmp_path: Path) -> Any:
    operated(path, replace(CALLS["easy"], commands=()), ending="abandoned")
    operated(path, CALLS["easy"], attempt=1)
    operated(path, replace(CALLS["hard"], commands=HARD_INVERTED), by_model(INVERTING, "record"))
    out = tmp_path / "record.json"
    with Store.open(path, write=False) as store:
        write_record(make_record(store, parse_selection([])), out, beside=path)
    return json.loads(out.read_bytes())


def test_the_schema_is_one_and_is_published_as_it_is() -> None:
    validator: Any = jsonschema.Draft202012Validator
    validator.check_schema(schema())
    published = json.loads((DOCS / "record.schema.json").read_text(encoding="utf-8"))
    assert published == schema()


def test_what_is_written_fits(written: Any) -> None:
    fits(written)


def test_a_record_without_our_own_fields_fits(written: Any) -> None:
    for name in OURS["record"]:
        del written[name]
    for case in written["cases"]:
        for name in OURS["case"]:
            case.pop(name, None)
    fits(written)


def test_the_record_that_set_the_form_fits(shared: Path) -> None:
    found = shared / "seeds" / "operator-record.json"
    if not found.is_file():
        pytest.skip("the record that set the form is not on this machine")
    value = json.loads(found.read_text(encoding="utf-8"))
    fits(value)
    assert {case["tier"] for case in value["cases"]} == {"easy", "medium", "hard"}


def _drop(name: str) -> Callable[[Any], None]:
    def drop(value: Any) -> None:
        del value[name]

    return drop


def _case(name: str, new: object) -> Callable[[Any], None]:
    def change(value: Any) -> None:
        value["cases"][0][name] = new

    return change


def _no_cases(value: Any) -> None:
    value["cases"] = []


@pytest.mark.parametrize(
    "breaks",
    [
        _drop("operator"),
        _drop("compatibility_boundary"),
        _case("tier", "impossible"),
        _case("official_reward", "1.0"),
        _case("official_reward", 2.0),
        _case("termination_reason", "bored"),
        _case("operator_trajectory", []),
        _case("official_action_checks", {"toggle_data": "yes"}),
        _case("result", "fine"),
        _no_cases,
    ],
    ids=[
        "no-operator",
        "no-boundary",
        "tier",
        "reward-text",
        "reward-two",
        "ending",
        "no-steps",
        "check-text",
        "result",
        "no-cases",
    ],
)
def test_what_is_no_record_does_not_fit(written: Any, breaks: Callable[[Any], None]) -> None:
    broken = copy.deepcopy(written)
    breaks(broken)
    with pytest.raises(jsonschema.ValidationError):
        fits(broken)
