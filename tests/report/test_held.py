"""The simulated tables go with a report: a reader has them without a network and without docs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from ringback.report.compute import compute
from ringback.report.held import HELD, HeldTable, held, held_of_differences
from ringback.report.page import study_page
from ringback.report.summary import summary
from tests.report.studies import arm_facts, rows, study

DOCS = (Path(__file__).parents[2] / "docs" / "statistics.md").read_text("utf-8")
SECTION = DOCS.partition("\n## How often it is right\n")[2].partition("\n## ")[0]


def test_the_tables_are_those_of_the_docs() -> None:
    written = [line for line in SECTION.splitlines() if line.startswith("|")]
    assert len(written) > 80
    shown = [
        f"| {' | '.join(row)} |"
        for part in held()
        for block in part.blocks
        if isinstance(block, HeldTable)
        for row in (block.heads, *block.rows)
    ]
    assert shown == [line for line in written if not line.startswith("|---")]
    assert [part.title for part in held()[1:]] == re.findall("^### (.*)", SECTION, re.MULTILINE)
    told = " ".join(block for part in held() for block in part.blocks if isinstance(block, str))
    plain = re.sub(r"[*`]", "", SECTION)
    for words in re.split(r"\. ", told):
        assert words in " ".join(plain.split())


def test_the_page_has_them_and_leads_to_them() -> None:
    facts = study([arm_facts("base", "baseline"), arm_facts("arm")])
    page = study_page(compute(facts, rows(facts, {"arm": ["yyyn"]})), lambda _: None).decode()
    before, there, after = page.partition('<section id="held"')
    assert there
    assert before.count('href="#held"') == 3  # the contents, the method, and the verdicts
    assert f"stands under “{HELD}”" in before
    for line in SECTION.splitlines():
        if line.startswith("| 40 tasks"):
            first, *shares = line.strip("| ").split(" | ")
            cells = "".join(f'<td class="num">{share}</td>' for share in shares)
            assert f'<th scope="row">{first}</th>{cells}' in after


@pytest.mark.parametrize("trials", [1, 3])
def test_the_summary_has_the_table_of_its_differences(trials: int) -> None:
    facts = study([arm_facts("base", "baseline"), arm_facts("arm")], trials=trials)
    text = summary(compute(facts, rows(facts, {"arm": ["yyyn"] * trials})))
    folded = text.partition(f"<summary>{HELD}</summary>")[2]
    rendered = MarkdownIt("commonmark").enable("table").render(folded)
    (table,) = (
        block for block in held_of_differences(trials).blocks if isinstance(block, HeldTable)
    )
    assert ("trials" in table.rows[0][0]) == (trials > 1)
    assert rendered.count("<tr>") == 1 + len(table.rows)
    assert f"<td>{table.rows[0][0]}</td>" in rendered
    assert '<a href="index.html#held">' in rendered
