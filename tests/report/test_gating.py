"""The gate: what passes, what fails, what settles nothing; and its files for CI."""

from __future__ import annotations

from collections.abc import Mapping, Set
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt
from msgspec.structs import replace

from ringback.domain import Task
from ringback.errors import InputError
from ringback.report.compute import compute
from ringback.report.gating import gate_arms, junit, markdown, overall
from ringback.report.model import Cost, StudyResults
from tests.report.calls import UGLY
from tests.report.studies import arm_facts, rows, study

TASKS = [Task(f"t{n:03}", "service", ("fault",), "", n % 4 != 0) for n in range(100)]


def results(arms: Mapping[str, str], tasks: int = 100) -> StudyResults:
    roles = {"base": "baseline", "noise": "noise", "idle": "floor"}
    facts = study(
        [arm_facts(name, roles.get(name, "arm")) for name in arms],  # pyright: ignore[reportArgumentType]
        tasks=TASKS[:tasks],
    )
    return compute(facts, rows(facts, {name: [text] for name, text in arms.items()}))


GOOD, LOST, UNSURE = "y" * 100, "n" * 40 + "y" * 60, "n" * 6 + "y" * 94


def test_the_three_outcomes_and_their_reasons() -> None:
    found = results({"base": GOOD, "same": GOOD, "lost": LOST, "unsure": UNSURE, "noise": LOST})
    same, lost, unsure = gate_arms(found, 0.05)
    assert (same.outcome, lost.outcome, unsure.outcome) == ("pass", "fail", "inconclusive")
    assert same.why.startswith("same does not lose 5 points or more: no task changed outcome, 95%")
    assert lost.why.startswith("lost loses more than 5 points: −40.0 points, 95% interval −")
    assert "unsure may or may not lose 5 points: −6.0 points" in unsure.why
    assert unsure.figures is not None
    assert f"about {unsure.figures.tasks_needed:,} tasks like these would settle it" in unsure.why
    assert unsure.figures.tasks_needed is not None
    assert unsure.figures.tasks_needed > 100
    assert [overall(each) for each in ([same], [same, unsure], [same, unsure, lost])] == [
        "pass",
        "inconclusive",
        "fail",
    ]
    assert overall([same, unsure], inconclusive_passes=True) == "pass"
    assert overall([lost], inconclusive_passes=True) == "fail"


def test_a_margin_decides() -> None:
    found = results({"base": GOOD, "unsure": UNSURE})
    assert gate_arms(found, 0.2)[0].outcome == "pass"
    assert gate_arms(found, 0.005)[0].outcome == "fail"


@pytest.mark.parametrize("letter", ["i", "x", "."])
@pytest.mark.parametrize("side", ["base", "arm", "other", "noise"])
def test_an_incomplete_study_never_passes(letter: str, side: str) -> None:
    # Whichever arm lacks it: what was planned and is not there may be missing for a reason.
    arms = {"base": GOOD, "arm": GOOD, "other": LOST, "noise": GOOD}
    arms[side] = GOOD[:-1] + letter
    (verdict,) = gate_arms(results(arms), 0.5, "arm")
    assert verdict.outcome == "inconclusive"
    assert verdict.obstacle == "incomplete"
    assert verdict.figures is None
    assert "incomplete: 1 of 400 planned episodes has no graded outcome (" in verdict.why
    assert f"), of the arm {side}; run it to its end" in verdict.why
    assert not verdict.allowed
    assert overall([verdict], inconclusive_passes=True) == "inconclusive"


def test_every_arm_that_lacks_outcomes_is_named() -> None:
    arms = {"base": GOOD[:-2] + "..", "arm": GOOD[:-1] + "i", "noise": GOOD}
    (verdict,) = gate_arms(results(arms), 0.5)
    assert "incomplete: 3 of 300 planned episodes have no graded outcome (" in verdict.why
    assert "), of the arms base (2) and arm (1); run it to its end" in verdict.why


def test_few_changes_pass_only_where_tangos_interval_does_and_it_is_said() -> None:
    one = results({"base": "n" + "y" * 39, "arm": "y" * 40}, tasks=40)
    (verdict,) = gate_arms(one, 0.05)
    assert (verdict.outcome, verdict.allowed) == ("inconclusive", True)
    assert "so few tasks changed that Tango's interval, −6.5 to +12.9, counts too" in verdict.why
    assert gate_arms(one, 0.07)[0].outcome == "pass"


def test_without_an_interval_no_number_of_tasks_is_spoken_of() -> None:
    facts = study([arm_facts("base", "baseline"), arm_facts("arm")], tasks=TASKS[:20], trials=2)
    played = rows(facts, {"base": ["y" * 20] * 2, "arm": ["y" * 20, "n" * 20]})
    (verdict,) = gate_arms(compute(facts, played), 0.05)
    assert verdict.figures is not None
    assert verdict.figures.interval is None
    assert verdict.why.endswith("; there is no interval to hold against the margin")


def test_figures_that_say_nothing_and_arms_that_could_not_differ_settle_nothing() -> None:
    facts = study([arm_facts("base", "baseline"), arm_facts("arm")], tasks=TASKS)
    played = [
        replace(row, faults=6, user_cost=Cost(10, 0, 0.0))
        for row in rows(facts, {"base": [GOOD], "arm": [GOOD]})
    ]
    (verdict,) = gate_arms(compute(facts, played), 0.5)
    assert (verdict.outcome, verdict.obstacle) == ("inconclusive", "says nothing")
    assert "at fault in 1,200 of its 2,000 replies" in verdict.why
    steady = study(
        [
            arm_facts("base", "baseline", deterministic=True),
            arm_facts("noise", "noise", deterministic=True),
        ],
        tasks=TASKS,
    )
    found = compute(steady, rows(steady, {"base": [GOOD], "noise": [GOOD]}))
    (verdict,) = gate_arms(found, 0.5, "noise")
    assert verdict.obstacle == "by construction"
    assert not verdict.allowed


def test_refuses_what_cannot_be_held() -> None:
    found = results({"base": GOOD, "noise": GOOD, "idle": LOST})
    with pytest.raises(InputError, match="no arm to hold against its baseline"):
        gate_arms(found, 0.05)
    with pytest.raises(InputError, match="the arms are noise and idle"):
        gate_arms(found, 0.05, "base")
    assert gate_arms(found, 0.05, "idle")[0].outcome == "fail"
    for margin in (0.0, 1.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(InputError, match="between 0 and 1"):
            gate_arms(found, margin, "idle")


# The children and attributes that CI servers read (Jenkins' junit-10.xsd), in their order.
NONE: frozenset[str] = frozenset()
SCHEMA: dict[str, tuple[Set[str], Set[str], list[str]]] = {
    "testsuites": (NONE, NONE, ["testsuite"]),
    "testsuite": (
        {"name", "tests", "failures", "errors"},
        {"skipped"},
        ["properties", "testcase"],
    ),
    "properties": (NONE, NONE, ["property"]),
    "property": ({"name", "value"}, NONE, []),
    "testcase": (
        {"name", "classname"},
        NONE,
        ["skipped", "error", "failure", "system-out"],
    ),
    "failure": ({"message", "type"}, NONE, []),
    "error": ({"message", "type"}, NONE, []),
    "skipped": ({"message"}, NONE, []),
    "system-out": (NONE, NONE, []),
}


def check(element: ElementTree.Element) -> None:
    needed, allowed, children = SCHEMA[element.tag]
    assert needed <= set(element.keys()) <= needed | allowed
    order = [children.index(child.tag) for child in element]
    assert order == sorted(order)
    for child in element:
        check(child)


def test_junit_xml_is_what_ci_servers_read() -> None:
    found = results({"base": GOOD, "same": GOOD, "lost": LOST, "unsure": UNSURE})
    verdicts = gate_arms(found, 0.05)
    root = ElementTree.fromstring(junit(found, verdicts, 0.05))
    check(root)
    suite = root[0]
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == [
        "3",
        "1",
        "1",
        "0",
    ]
    kinds = [[child.tag for child in case] for case in suite.iter("testcase")]
    assert kinds == [["system-out"], ["failure"], ["error"]]
    lenient = ElementTree.fromstring(junit(found, verdicts, 0.05, inconclusive_passes=True))
    check(lenient)
    assert [lenient[0].get(name) for name in ("errors", "skipped")] == ["0", "1"]


@pytest.mark.parametrize("text", [*UGLY, "\n".join(UGLY), "\ud800]]>"])
def test_hostile_names_stay_text_in_xml_and_markdown(text: str) -> None:
    facts = study([arm_facts("base", "baseline"), arm_facts(text)], tasks=TASKS)
    found = compute(
        replace(facts, name=text, condition=text, command=text),
        rows(facts, {"base": [GOOD], text: [LOST]}),
    )
    verdicts = gate_arms(found, 0.05)
    root = ElementTree.fromstring(junit(found, verdicts, 0.05))
    check(root)
    assert len(list(root.iter("testcase"))) == 1
    rendered = MarkdownIt("commonmark").enable("table").render(markdown(found, verdicts, 0.05))
    assert rendered.count("<table>") == rendered.count("<h3>") == rendered.count("<ul>") == 1
    assert not any(tag in rendered for tag in ("<script", "<img", "<b>", "<a ", "<style"))


def test_markdown_says_the_outcome_first() -> None:
    found = results({"base": GOOD, "lost": LOST})
    text = markdown(found, gate_arms(found, 0.05), 0.05)
    assert text.startswith("### Gate of four-tasks: fail\n\n- **fails**: lost loses more than 5")
    assert "| lost | **fails** | −40.0 (" in text
    assert text.endswith("Run it again: `ringback study run four.toml`\n")
