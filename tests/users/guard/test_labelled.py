"""How often the guard is right about inverted roles, on texts labelled before it was written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ringback.telecom.scenario import CALLER_NAME
from ringback.users.guard import Candidate, Known, inspect
from ringback.users.guard.roles import roles_inverted
from tests.users.guard.recordings import Recorded, customer_turns

HERE = Path(__file__).parent / "labelled"


class Told(NamedTuple):
    text: str = f"You are {CALLER_NAME}."


def items(name: str) -> list[dict[str, Any]]:
    lines = (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def kappa(labels: list[tuple[int, int]]) -> float:
    """Cohen's kappa of two labellers (Cohen 1960)."""
    count = len(labels)
    observed = sum(a == b for a, b in labels) / count
    first, second = (sum(pair[which] for pair in labels) / count for which in (0, 1))
    chance = first * second + (1 - first) * (1 - second)
    return (observed - chance) / (1 - chance)


def generated() -> Iterator[tuple[dict[str, Any], bool]]:
    for item in items("smollm2"):
        known = Known(Told(), [])
        for sentence in item["context"]:
            (known.hear if sentence["side"] == "agent" else known.say)(sentence["text"])
        yield item, roles_inverted(Candidate(item["text"]), known) is not None


@pytest.fixture(scope="module")
def recorded(shared: Path) -> dict[tuple[str, int, int], list[str]]:
    """Every turn of a recorded customer with the rules that object to it."""

    def against(turn: Recorded) -> list[str]:
        return [finding.rule for finding in inspect(Candidate(turn.text), turn.known)]

    turns = customer_turns(shared / "recordings")
    return {(turn.file, turn.simulation, turn.message): against(turn) for turn in turns}


def measured(found: list[tuple[dict[str, Any], bool]], half: str) -> tuple[int, int, int]:
    """True alarms, false alarms and misses where both labels agree."""
    agreed = [
        (item["a"] == 1, hit)
        for item, hit in found
        if item["half"] == half and item["a"] == item["b"]
    ]
    return (
        sum(label and hit for label, hit in agreed),
        sum(hit and not label for label, hit in agreed),
        sum(label and not hit for label, hit in agreed),
    )


def test_the_two_labellers_agree() -> None:
    assert kappa([(item["a"], item["b"]) for item in (*items("smollm2"), *items("recorded"))]) > 0.9


@pytest.mark.parametrize("half", ["dev", "held-out"])
def test_generated_texts_are_told_apart(half: str) -> None:
    true, false, missed = measured(list(generated()), half)
    assert true / (true + false) >= 0.9
    assert true / (true + missed) >= 0.85


def test_recorded_customers_are_told_apart(
    recorded: dict[tuple[str, int, int], list[str]],
) -> None:
    found = [
        (item, "roles_inverted" in recorded[item["file"], item["simulation"], item["message"]])
        for item in items("recorded")
    ]
    for half in ("dev", "held-out"):
        _, false, missed = measured(found, half)
        assert (false, missed) == (0, 0)


def test_real_customers_are_not_accused(
    recorded: dict[tuple[str, int, int], list[str]],
) -> None:
    """Six of them did speak as the agent, read one by one; see docs/user-guard.md."""
    inverted = [where for where, rules in recorded.items() if "roles_inverted" in rules]
    others = [rule for rules in recorded.values() for rule in rules if rule != "roles_inverted"]
    assert len(recorded) > 600
    assert len(inverted) < 0.01 * len(recorded)
    assert len(others) < 0.01 * len(recorded)
