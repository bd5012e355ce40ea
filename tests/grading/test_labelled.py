"""How often the rules say what two labellers said of failed calls before the rules were written.

The floors stand a little under what was measured; docs/grading.md has the figures.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.grading.labelled_calls import HALVES, Call, calls, kappa, labels, met


@pytest.fixture(scope="module")
def judged(shared: Path) -> Sequence[Call]:
    return list(calls(shared / "recordings"))


def test_both_labelled_the_same_calls_and_the_hash_halves_them() -> None:
    first, second = labels("a"), labels("b")
    assert first.keys() == second.keys()
    assert len(first) == 40
    for (file, place), (half, _) in first.items():
        number = int(hashlib.sha256(f"half {file}#{place}".encode()).hexdigest(), 16)
        assert half == ("held_out" if number % 2 == 1 else "development")
        assert second[file, place][0] == half


def test_the_two_labellers_agree() -> None:
    second = labels("b")
    assert (
        kappa([(label.blame, second[key][1].blame) for key, (_, label) in labels("a").items()])
        > 0.9
    )


@pytest.mark.parametrize(
    ("half", "count", "right"), [("development", 21, 20), ("held_out", 18, 16)]
)
def test_blame_is_that_of_the_labels(
    judged: Sequence[Call], half: str, count: int, right: int
) -> None:
    agreed = [call for call in judged if call.half == half and call.a.blame == call.b.blame]
    assert len(agreed) == count
    assert sum(call.found.blame == call.a.blame for call in agreed) >= right


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        ("clock", 8, 0),
        ("error_limit", 2, 0),
        ("premature_transfer", 7, 0),
        ("repair_left", 7, 1),
        ("turn_rules", 3, 0),
        ("unfinished_repair", 16, 1),
        ("foreign_record", 1, 0),
        ("resumed_after_contract", 1, 0),
        ("roles_inverted", 1, 0),
        ("ended_early", 1, 0),
        ("denied_claim", 2, 1),
    ],
)
def test_kinds_are_those_of_the_labels_in_the_half_held_out(
    judged: Sequence[Call], kind: str, right: int, wrong: int
) -> None:
    found = met([call for call in judged if call.half == "held_out"], kind)
    assert found[0] >= right
    assert found[1] <= wrong


def test_what_the_guide_has_not_is_found_only_where_it_moves_no_blame(
    judged: Sequence[Call],
) -> None:
    """`agent_repeated` is in no label; docs/grading.md says in how many calls the rules find it."""
    found = [c for c in judged if any(sign.kind == "agent_repeated" for sign in c.found.kinds)]
    assert [sum(call.half == half for call in found) for half in HALVES] == [3, 2]
    assert not any("agent_repeated" in {*c.a.kinds, *c.b.kinds} for c in judged)
    assert {(call.a.blame, call.b.blame, call.found.blame) for call in found} == {("agent",) * 3}
