"""What conditions and arms are called: one name has one content, whatever was recorded first."""

from __future__ import annotations

from itertools import permutations

import pytest

from ringback.overview.naming import Key, arm_names, letters

OURS, OTHERS = None, "tau2"


@pytest.mark.parametrize(
    ("place", "name"),
    [(0, "A"), (25, "Z"), (26, "AA"), (51, "AZ"), (52, "BA"), (701, "ZZ"), (702, "AAA")],
)
def test_conditions_are_lettered_as_columns_of_a_sheet(place: int, name: str) -> None:
    assert letters(place) == name


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        ([("c1", "x", OURS), ("c2", "y", OURS)], ["x", "y"]),
        ([("c1", "x", OURS), ("c2", "x", OURS)], ["x", "x (2)"]),
        ([("c2", "x", OURS), ("c1", "x", OTHERS)], ["x", "x (2)"]),
        ([("c1", "x", "kitaru"), ("c1", "x", "tau2")], ["x", "x (2)"]),
        # an arm that is called so keeps its name
        (
            [("c1", "x", OURS), ("c2", "x", OURS), ("c0", "x (2)", OURS)],
            ["x", "x (3)", "x (2)"],
        ),
        (
            [("c1", "x", OURS), ("c2", "x", OURS), ("c3", "x", OURS), ("c0", "x (3)", OURS)],
            ["x", "x (2)", "x (4)", "x (3)"],
        ),
        ([("c1", "", OURS), ("c2", " \t", OURS)], ["''", r"' \t'"]),
        ([("c1", "", OURS), ("c2", "''", OURS)], ["''", "'' (2)"]),
    ],
)
def test_each_arm_has_a_name_of_its_own_in_whatever_order(
    keys: list[Key], names: list[str]
) -> None:
    expected = dict(zip(keys, names, strict=True))
    for order in permutations(keys):
        assert arm_names(order) == expected
        assert arm_names([*order, *order]) == expected
