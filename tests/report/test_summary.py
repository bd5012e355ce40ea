"""The summary, whole, and with names that would rather be markup."""

from __future__ import annotations

from pathlib import Path

import msgspec
from markdown_it import MarkdownIt

from ringback.report.compute import compute
from ringback.report.limits import limits
from ringback.report.summary import summary
from tests.report.studies import arm_facts, rows, study

GOLDEN = Path(__file__).with_name("summary.golden.md")
FACTS = study(
    [
        arm_facts("reference", "baseline"),
        arm_facts("noise", "noise"),
        arm_facts("careless", agent="careless"),
        arm_facts("unfinished", agent="other"),
        arm_facts("do-nothing", "floor", agent="do-nothing", deterministic=True),
    ],
    trials=2,
)
ROWS = rows(
    FACTS,
    {
        "reference": ["yyyy", "yyyn"],
        "noise": ["yyyy", "yyyn"],
        "careless": ["nynn", "nnyn"],
        "unfinished": ["yyi.", "...."],
        "do-nothing": ["nnnn", "nnnn"],
    },
)


def test_golden() -> None:
    # To accept a change: .venv/bin/python -m tests.report.test_summary
    figures, _, _ = summary(compute(FACTS, ROWS)).partition("<details>")
    assert figures == GOLDEN.read_text("utf-8")


def test_says_what_the_figures_do_not_say() -> None:
    text = summary(compute(FACTS, ROWS))
    for sentence in limits(FACTS):
        assert sentence in text
    assert text.endswith("</details>\n")


def test_is_a_table_with_a_row_for_every_arm() -> None:
    rendered = MarkdownIt("commonmark").enable("table").render(summary(compute(FACTS, ROWS)))
    rendered, _, folded = rendered.partition("<details>")
    assert rendered.count("<table>") == 1
    assert rendered.count("<tr>") == 1 + len(FACTS.arms)
    assert rendered.count("<td") == 13 * len(FACTS.arms)
    assert folded.count("<table>") == 1


def test_hostile_names_stay_text() -> None:
    evil = "<img src=x onerror=alert(1)> | **b** [l](http://e.example) @octocat `c` \x1b[31m\n# h"
    facts = msgspec.structs.replace(
        study([arm_facts(evil, "baseline"), arm_facts(f"{evil}2")]),
        name=evil,
        question=evil,
        selection=evil,
        command=evil,
        versions={evil: evil},
    )
    text = summary(compute(facts, rows(facts, {evil: ["yyyy"], f"{evil}2": ["nyyn"]})))
    rendered = MarkdownIt("commonmark").enable("table").render(text.partition("<details>")[0])
    assert "\x1b" not in text
    for tag in ("<img", "<strong", "<a ", "<em"):
        assert tag not in rendered
    assert rendered.count("<h1") == 1
    assert rendered.count("<tr>") == 3
    assert rendered.count("<td") == 26
    assert rendered.count("<code>") == 1
    assert "@octocat" not in rendered.split("Run it again")[0]


if __name__ == "__main__":
    GOLDEN.write_text(summary(compute(FACTS, ROWS)).partition("<details>")[0], "utf-8")
