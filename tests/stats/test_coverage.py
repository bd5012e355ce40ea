"""Whether the intervals hold the truth as often as they say, and whether the docs say how often.

The tables of docs/statistics.md are made by ``python -m benchmarks.coverage``, the same everywhere.
Here they are made again but for their longest parts, and what they promise is read from them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from benchmarks import coverage

DOCS = Path(__file__).parents[2] / "docs" / "statistics.md"
DECISION = DOCS.parent / "decisions" / "0004-statistics.md"
LONG = {
    "Paired differences": 4,
    "Paired differences over trials": 2,
    "The gate": 3,
    "Clusters": 3,
    "Tied sets": 4,
}
"""How many parts of a long table are made again."""


def written(title: str) -> list[str]:
    """The lines of the table under this heading of the docs, without its head."""
    after = DOCS.read_text("utf-8").partition(f"\n### {title}\n")[2]
    section = re.split(r"^#", after, maxsplit=1, flags=re.MULTILINE)[0]
    return [line for line in section.splitlines() if line.startswith("| ")][1:]


def shares(title: str) -> dict[str, list[float]]:
    """The same, by what was simulated, as numbers."""
    cells = [line.strip("| ").split(" | ") for line in written(title)]
    return {what: [float(share.rstrip("%")) for share in rest] for what, *rest in cells}


@pytest.mark.parametrize("table", coverage.tables(), ids=lambda table: table.title)
def test_the_tables_of_the_docs_are_what_is_simulated(table: coverage.Table) -> None:
    lines = written(table.title)
    made = [line for part in table.parts[: LONG.get(table.title)] for line in part()]
    assert [coverage.spelled(line) for line in made] == lines[: len(made)]
    assert len(made) == len(lines) or len(lines) == len(table.parts)


def test_with_four_changes_each_way_93_to_97_percent_are_held() -> None:
    found = {**shares("Paired differences"), **shares("Paired differences over trials")}
    enough = [what for what in found if not any(f" {few} " in what for few in (0, 1, 2))]
    assert len(enough) == sum(min(each[1:]) >= 4 for each in coverage.PAIRED) + len(coverage.TRIALS)
    for what in enough:
        held, unadjusted, ours = found[what]
        assert 93 <= held <= 97, what
        assert ours <= unadjusted
    shares_held = [found[what][0] for what in enough]
    told = re.search(r"true difference in ([\d.]+) to ([\d.]+)%", DECISION.read_text("utf-8"))
    assert told is not None
    assert [float(each) for each in told.groups()] == [min(shares_held), max(shares_held)]


def test_ours_is_seldom_false_and_a_loss_of_the_margin_seldom_passes() -> None:
    for what, (_, _, ours) in shares("Paired differences").items():
        better, worse = what.split(", ")[1:]
        if better.split()[0] == worse.split()[0]:
            assert ours <= 5, what
    assert all(ours <= 6 for _, _, ours in shares("Paired differences over trials").values())
    assert all(passes <= 4 and passes <= alone for alone, passes in shares("The gate").values())


def test_power_is_what_was_promised() -> None:
    for what, (_, unadjusted, ours) in shares("Power").items():
        assert 75 <= ours <= unadjusted, what
