"""Forms from schemas, arguments from forms, and what is served as it is."""

from __future__ import annotations

import hashlib
import re
from importlib import resources
from typing import Any

import pytest

from ringback.domain import Tool
from ringback.domains import load
from ringback.errors import InputError
from ringback.web.desk.forms import PREFIX, arguments, fields, free_calls, pairs
from ringback.web.desk.pages import static
from ringback.web.desk.prose import blocks
from ringback.web.desk.records import known_values, node, parsed

HTMX = "a0abb04f2f45a1f89d1d4844023245537e5e6014c87b144553e0607b4cc32130"


def tool(properties: dict[str, Any], *required: str) -> Tool:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return Tool("made_up", "agent", "", schema, False)


ALL = tool(
    {
        "note": {"type": "string", "minLength": 2},
        "count": {"type": "integer", "minimum": 0, "default": 12},
        "share": {"type": "number", "exclusiveMinimum": 0},
        "yes": {"type": "boolean"},
        "way": {"enum": ["a", 2, None]},
        "lines": {"type": "array", "items": {"type": "string"}},
        "odd": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "open": True,
        "id": {"type": "string", "description": "Which one."},
    },
    "id",
)


def test_a_field_says_what_the_schema_says() -> None:
    found = {field.name: field for field in fields(ALL)}
    assert next(iter(found)) == "id"
    assert [found[name].kind for name in ("note", "count", "share", "yes", "way")] == [
        "text",
        "whole",
        "number",
        "choice",
        "choice",
    ]
    assert {found[name].kind for name in ("lines", "odd", "open")} == {"json"}
    assert found["id"].required
    assert found["id"].about == "Which one."
    assert found["count"].hint == "a whole number, at least 0, 12 if left empty"
    assert [choice.words for choice in found["way"].choices] == ["a", "2", "none"]


def test_every_tool_of_the_carrier_has_a_form() -> None:
    for each in load("telecom").tools("agent"):
        made = fields(each)
        assert {field.name for field in made} == set(each.parameters["properties"])
        assert {field.name for field in made if field.required} == set(each.parameters["required"])
        assert "json" not in {field.kind for field in made}


def filled(**texts: str) -> dict[str, str]:
    return {PREFIX + name: text for name, text in {"id": "L1", **texts}.items()}


def test_what_is_filled_in_has_the_schemas_types() -> None:
    made = arguments(
        ALL,
        filled(
            note=" as it is ",
            count="7",
            share="2.50",
            yes="true",
            way="2",
            lines='["a"]',
            odd="null",
            open='"x"',
        ),
    )
    assert made == {
        "note": " as it is ",
        "count": 7,
        "share": 2.5,
        "yes": True,
        "way": 2,
        "lines": ["a"],
        "odd": None,
        "open": "x",
        "id": "L1",
    }
    assert arguments(ALL, filled(share="2")) == {"share": 2, "id": "L1"}
    assert arguments(ALL, filled(count="", note="  ")) == {"id": "L1"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("count", "９"),
        ("count", "9" * 40),
        ("share", "9" * 40),
        ("share", "2,5"),
        ("share", "nan"),
        ("share", "inf"),
        ("share", "1e999"),
        ("way", "b"),
        ("yes", "yes"),
        ("lines", "[1"),
        ("open", "x"),
    ],
)
def test_what_does_not_fit_goes_as_it_is_for_the_tool_to_refuse(name: str, text: str) -> None:
    assert arguments(ALL, filled(**{name: text}))[name] == text


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("id", " ", "id is needed."),
        ("lines", '[{"a": 1, "a": 2}]', "The argument lines has the name 'a' twice"),
        ("open", "[" * 100_000, "The argument open nests too deeply"),
    ],
)
def test_what_cannot_be_read_is_said_by_its_name(name: str, text: str, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        arguments(ALL, filled(**{name: text}))


def test_a_browser_lets_no_slip_in_a_number_through() -> None:
    patterns = {field.name: field.pattern for field in fields(ALL)}
    assert {name for name, pattern in patterns.items() if pattern} == {"count", "share"}
    whole, number = patterns["count"] or "", patterns["share"] or ""
    for text in ("7", " 7 ", "-7", "+7"):
        assert re.fullmatch(whole, text)
        assert re.fullmatch(number, text)
    for text in ("2.5", ".5", "1e3"):
        assert re.fullmatch(number, text)
        assert not re.fullmatch(whole, text)
    for text in ("2,5", "nan", "x", "", "2.5.1", "0x1"):
        assert not re.fullmatch(number, text)


def test_calls_written_by_hand_go_as_they_stand() -> None:
    assert free_calls(" x ", "") == [(" x ", {})]
    for text in ("not json", '{"id": NaN}', " {"):
        assert free_calls("x", text) == [("x", text)]
    with pytest.raises(InputError, match="twice"):
        free_calls("x", '{"a": 1, "a": 2}')
    with pytest.raises(InputError, match="The text is no JSON"):
        free_calls("", "not json")
    assert free_calls("x", '"text"') == [("x", "text")]
    assert free_calls("", '[{"tool": "a"}, {"tool": "b", "arguments": [1]}]') == [
        ("a", {}),
        ("b", [1]),
    ]


def test_a_body_that_is_no_form() -> None:
    assert pairs(b"text=a%0D%0Ab&x=%C3%A9") == {"text": "a\nb", "x": "é"}
    for body in (b"\xff", b"x=%FF", b"&".join([b"x=1"] * 300)):
        with pytest.raises(InputError, match="cannot be read"):
            pairs(body)


def test_records_are_laid_out_by_their_names() -> None:
    made = node({"id": "C1", "lines": ["L1", "L2"], "plan": {"gb": 5}, "none": [], "bills": [{}]})
    assert made.named is not None
    texts = {name: each.text for name, each in made.named}
    assert texts == {"id": "C1", "lines": "L1, L2", "plan": None, "none": "none", "bills": None}
    deep: Any = "x"
    for _ in range(2000):
        deep = [deep, 1]
    assert node(deep).listed is not None
    assert parsed("[" * 100_000) == "[" * 100_000
    assert parsed("{not json") == "{not json"


def test_what_was_seen_is_offered_again_the_latest_first() -> None:
    found = known_values(
        [{"customer_id": "C1"}, {"line_ids": ["L1", "L2"], "x": 1}, {"customer_id": "C2"}]
    )
    assert found["customer_id"] == ["C2", "C1"]
    assert found["line_id"] == ["L1", "L2"]
    assert found["id"] == ["C2", "L1", "L2", "C1"]


def test_the_policy_keeps_every_word() -> None:
    domain = load("telecom")
    for variant in domain.policies:
        text = domain.policy(variant)
        made = blocks(text)
        shown = " ".join(f"{each.mark} {''.join(run.text for run in each.runs)}" for each in made)
        letters = re.compile(r"\w+")
        assert letters.findall(shown) == letters.findall(text)
        assert {each.kind for each in made} == {"heading", "item", "paragraph"}
        assert not any("**" in run.text or "`" in run.text for each in made for run in each.runs)


def test_what_is_served_as_it_is() -> None:
    sheet = static("desk.css")
    assert sheet is not None
    assert b"--paper" in sheet[0]
    for name in ("../app.py", "README.md", "htmx.LICENSE.txt", "", "desk.css/"):
        assert static(name) is None


def test_htmx_is_the_published_file_with_its_licence() -> None:
    home = resources.files("ringback.web.desk") / "static"
    assert hashlib.sha256((home / "htmx.min.js").read_bytes()).hexdigest() == HTMX
    assert 'version="4.0.1"' in (home / "htmx.min.js").read_text("utf-8")
    assert "Zero-Clause BSD" in (home / "htmx.LICENSE.txt").read_text("utf-8")
    assert "4.0.1" in (home / "README.md").read_text("utf-8")


def test_our_script_makes_no_html_and_our_pages_hold_no_script() -> None:
    home = resources.files("ringback.web.desk")
    script = (home / "static" / "desk.js").read_text("utf-8")
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "eval(",
        "Function(",
        "document.write",
    ):
        assert word not in script
    for page in (home / "templates").iterdir():
        text = page.read_text("utf-8")
        assert not re.search(r"<script(?! src=\"/static/)|<style|\sstyle=|\son\w+=|hx-on|js:", text)
        assert not re.search(r"hx-trigger=\"[^\"]*\[", text)  # filters are evaluated
