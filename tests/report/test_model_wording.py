"""Figures in words."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from ringback.episode.events import Setup
from ringback.report import wording
from ringback.report.compute import compute, rate_of
from ringback.report.model import Count
from ringback.stats import Tally, paired_difference
from tests.report.studies import TASKS, arm_facts, rows, study


def test_shares_and_differences() -> None:
    assert wording.percent(0.975) == "97.5%"
    assert wording.percent(0.0) == "0.0%"
    assert wording.percent(None) == "unknown"
    assert [wording.points(x) for x in (0.025, -0.25, 0.0, -0.0, -0.0001, 1.0)] == [
        "+2.5",
        "−25.0",
        "0.0",
        "0.0",
        "0.0",
        "+100.0",
    ]
    assert [wording.level(x) for x in (0.95, 0.9, 0.999)] == ["95%", "90%", "99.9%"]


def test_rates() -> None:
    assert wording.rate(rate_of(12, 40)) == "12 of 40 (30.0%; 95% interval 18.1% to 45.4%)"
    assert wording.rate(rate_of(0, 0)) == "none planned"
    assert wording.percent_interval(None) == "unknown"


def test_differences() -> None:
    def of(outcomes: str) -> str:
        tallies = [Tally(1, int(each == "+"), int(each == "-")) for each in outcomes]
        return wording.difference(paired_difference(tallies, seed=20261130))

    assert of("-" * 9 + "++" + "." * 29) == "−17.5 points, 95% interval −32.5 to −2.5"
    assert of("....") == "no task changed outcome, 95% interval −49.0 to +49.0"
    assert of("++++") == (
        "+100.0 points, same difference in every task, 95% interval +2.0 to +100.0"
    )


@pytest.mark.parametrize(
    ("items", "text"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_listing(items: list[str], text: str) -> None:
    assert wording.listing(items) == text


def test_counts_and_plurals() -> None:
    assert wording.counts([Count("not_run", 1200), Count("x", 1)]) == "not run 1,200, x 1"
    assert wording.counts([]) == ""
    assert [wording.plural(n, "task") for n in (0, 1, 2)] == ["0 tasks", "1 task", "2 tasks"]
    assert wording.plural(2, "reply", "replies") == "2 replies"


def test_readings() -> None:
    facts = study(
        [
            arm_facts("base", "baseline", deterministic=True),
            arm_facts("noise", "noise", deterministic=True),
            arm_facts("lost"),
            arm_facts("open"),
            arm_facts("same"),
            arm_facts("much"),
        ],
        tasks=[*TASKS, *(replace(task, id=f"{task.id}{n}") for n in range(4) for task in TASKS)],
    )
    outcomes = {
        "base": "y" * 20,
        "noise": "y" * 20,
        "lost": "nnnnnn" + "y" * 14,
        "open": "." * 20,
        "same": "n" + "y" * 19,
        "much": "n" * 15 + "y" * 5,
    }
    found = compute(facts, rows(facts, {name: [text] for name, text in outcomes.items()}))
    assert [wording.reading(arm.versus) for arm in found.arms] == [
        "baseline",
        "equal by construction",
        "not distinguishable",  # six of six hold alone, and not as one of four
        "undecided",
        "not distinguishable",
        "worse",
    ]
    assert [wording.unadjusted(arm.versus) for arm in found.arms] == [
        "",
        "by construction",
        "worse",
        "undecided",  # never played
        "not distinguishable",
        "worse",
    ]
    assert [arm.versus.few for arm in found.arms if arm.versus] == [True, True, False, True, False]


def test_what_is_missing_counts_as_unsolved_in_the_unadjusted_reading_unless_all_is() -> None:
    tasks = [replace(TASKS[0], id=f"calls/{n}") for n in range(20)]
    facts = study([arm_facts("base", "baseline"), arm_facts("arm")], tasks=tasks)

    def told(base: str, arm: str) -> tuple[str, str]:
        versus = compute(facts, rows(facts, {"base": [base], "arm": [arm]})).arms[1].versus
        return wording.unadjusted(versus), wording.reading(versus)

    assert told("y" * 20, "y" + "." * 19) == ("worse", "undecided")
    assert told("y" * 20, "." * 20) == ("undecided", "undecided")
    assert told("y" * 20, "i" * 20) == ("undecided", "undecided")
    assert told("." * 20, "y" * 20) == ("undecided", "undecided")


def test_few_are_tasks_that_changed_however_many_trials_each_has() -> None:
    tasks = [replace(TASKS[0], id=f"calls/{n}") for n in range(20)]
    facts = study([arm_facts("base", "baseline"), arm_facts("arm")], tasks=tasks, trials=4)

    def told(lost: int, mixed: int = 0) -> tuple[str, str]:
        """All trials of some tasks lost, and of others one lost and one won."""
        same = 20 - lost - mixed
        trials = ["n" * lost + "n" * mixed + "y" * same, "n" * lost + "y" * (mixed + same)]
        base = ["y" * 20, "y" * lost + "n" * mixed + "y" * same]
        found = compute(facts, rows(facts, {"base": [*base, *base], "arm": [*trials, *trials]}))
        return wording.reading(found.arms[1].versus), "\n".join(found.headline)

    reading, headline = told(9)  # 36 pairs
    assert reading == "worse (few changes)"
    assert "Fewer than 10 tasks changed in arm" in headline
    assert "more trials only where those of a task differ" in headline
    reading, headline = told(10)
    assert reading == "worse"
    assert "Fewer than" not in headline
    assert told(9, mixed=5)[0] == "worse (few changes)"  # what cancels out is no change


def test_an_agent_is_never_named_without_its_own_settings() -> None:
    careless = Setup("careless", "2", {"passes": 1, "patience": None, "skip": 0.5})
    assert wording.agent(careless, {"skip": 0.5}) == "careless with skip 0.5"
    assert wording.setup(careless, {}) == "careless, version 2"
    assert wording.setup(careless) == (
        "careless, version 2, with passes 1, patience none and skip 0.5"
    )
    assert wording.value({"a": {"b": [1, None]}}) == "(a (b [1,null]))"


def test_counts_have_one_thousands_style() -> None:
    assert wording.solved(rate_of(2285, 2285)) == "2,285 of 2,285"
    assert wording.rate(rate_of(2285, 2285)).startswith("2,285 of 2,285 (100.0%")


def test_a_long_setting_is_told_by_its_beginning_and_its_length() -> None:
    long = "You are the support agent. " * 50
    told = wording.setup(
        Setup("ollama:qwen3", "1", {"instructions": long, "model": {"text": long}})
    )
    assert told.count("(1,350 characters)") == 2
    assert len(told) < 300
