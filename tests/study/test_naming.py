"""What a text names of a world's tasks; the words that are looked for come from the world alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from ringback.domains import load
from ringback.report.rules import Named
from ringback.study.naming import named_in, searched
from tests.lamp import Lamp

EXAMPLE = Path(__file__).parents[2] / "examples" / "rules" / "thorough.md"


def found(text: str) -> dict[str, Named]:
    return {each.word: each for each in named_in(text, load())}


@pytest.mark.parametrize(
    ("text", "kind", "word"),
    [
        (
            "As in [service_issue]airplane_mode_on[PERSONA:None].",
            "task",
            "[service_issue]airplane_mode_on[PERSONA:None]",
        ),
        ("Think of bad_vpn.", "fault", "bad_vpn"),
        ("Often data mode off is it.", "fault", "data mode off"),
        ("Airplane-Mode may be on.", "state", "Airplane-Mode"),
        ("Where there is no service, ask.", "state", "no service"),
        ("A line may be Suspended.", "state", "Suspended"),
        ("Set it to 4g_5g_preferred.", "state", "4g_5g_preferred"),
        ("It was so on 2025-01-31.", "state", "2025-01-31"),
        ("Pay B1234321.", "state", "B1234321"),
        ("Look at L1002 first.", "answer", "L1002"),
        ("Use resume_line.", "answer", "resume_line"),
        ("Then reset APN settings.", "answer", "reset APN settings"),
    ],
)
def test_what_is_of_the_tasks_is_found(text: str, kind: str, word: str) -> None:
    assert found(text)[word].kind == kind
    assert not found(text)[word].plain


@pytest.mark.parametrize("text", ["The signal is poor.", "Active listening helps. Good."])
def test_words_that_may_be_ordinary_are_marked(text: str) -> None:
    assert found(text)
    assert all(each.plain for each in found(text).values())


@pytest.mark.parametrize(
    "text", ["", "Be kind and go through the whole manual.", "connectedness, Activity, XL1002X"]
)
def test_a_general_text_names_nothing(text: str) -> None:
    assert found(text) == {}


def test_the_example_rule_names_nothing() -> None:
    assert named_in(EXAMPLE.read_text(encoding="utf-8"), load()) == ()


def test_another_world_has_other_words() -> None:
    lamp = Lamp()
    assert searched(lamp)
    words = {each.word: each.kind for each in named_in("set_fuse, then bad_vpn", lamp)}
    assert "bad_vpn" not in words
