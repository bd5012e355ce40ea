"""The method's clauses and the limits say only what is so for the study at hand."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from ringback.episode.events import Setup
from ringback.report.compute import compute
from ringback.report.limits import limits
from ringback.report.method import clauses
from ringback.report.model import ArmFacts, Cost, Count, StudyFacts, StudyResults
from ringback.report.page import study_page
from ringback.report.step_model import StepCheckResults, StepPart, StepSample, StepTarget
from ringback.report.summary import summary
from ringback.stats import Tally, cluster_difference, clustered_rate
from tests.report.studies import arm_facts, rows, study

FACTS = study([arm_facts("base", "baseline"), arm_facts("arm"), arm_facts("noise", "noise")])


def results(facts: StudyFacts = FACTS, step: StepCheckResults | None = None) -> StudyResults:
    played = rows(facts, {arm.name: ["yyyn"] * facts.trials for arm in facts.arms})
    return replace(compute(facts, played), step_check=step)


def told(found: StudyResults, title: str) -> str:
    return next(clause.text for clause in clauses(found) if clause.title == title)


def target(model: str, **more: Any) -> StepTarget:
    part = StepPart(rate=clustered_rate([(8, 10)]), outcomes=(Count("same", 8),), exact=8)
    plain: dict[str, Any] = {
        "model": model,
        "identity": {},
        "repeat": False,
        "missing": 0,
        "answered": (),
        "whole": part,
        "call": None,
        "text": None,
        "failures": (),
        "not_sent": (),
        "cost": Cost(10, 0, 0.0),
        "versus": None,
    }
    return StepTarget(**plain | more)


def checked(*targets: StepTarget, bare: int = 0) -> StepCheckResults:
    sample = StepSample(
        sessions=1,
        without_model=0,
        unreadable=0,
        calls=10,
        candidates=10,
        excluded=(),
        asked_for=10,
        seed=3,
        sampled=10,
        clusters=1,
        largest=10,
        recorded=(Count("a", 10),),
        kinds=(Count("call", 10),),
        schemas=(Count("all", 10 - bare), Count("none", bare)) if bare else (Count("all", 10),),
        texts_beside=0,
    )
    return StepCheckResults(sample=sample, targets=targets, notes=("A note <b>.",))


def test_a_customer_that_is_a_model_is_not_said_to_be_the_same_caller() -> None:
    assert "so that all arms meet the same caller" in told(results(), "Customer")
    answered = replace(FACTS, answered={"base": {"m-1": 4}})
    described = replace(FACTS, user=Setup("caller", "1", {"identity": {"model": "m"}}))
    for facts in (answered, described):
        text = told(results(facts), "Customer")
        assert "the same caller" not in text
        assert "whatever the seed" in text


def test_noise_is_chance_and_not_the_agents_numbers_alone() -> None:
    text = told(results(), "Noise")
    assert "nothing changed but" not in text
    assert "chance alone, the agent's seed among it" in text


@pytest.mark.parametrize(("trials", "test"), [(1, "McNemar"), (2, "sign-flip over tasks")])
def test_the_verdict_is_told_with_its_test(trials: int, test: str) -> None:
    text = told(results(replace(FACTS, trials=trials)), "Intervals and verdicts")
    assert f"with fewer than 10 changed tasks it also wants an exact p ({test}) of 0.05" in text


def test_the_repeat_is_spoken_of_where_there_is_one() -> None:
    versus = cluster_difference([Tally(10, 2, 1)], seed=0)
    with_one = checked(target("a", repeat=True), target("b", versus=versus))
    assert "against the repeat" in told(results(step=with_one), "Step check intervals")
    without = told(results(step=checked(target("b"))), "Step check intervals")
    assert "against the repeat" not in without
    assert "no repeat" in without
    assert "| b |" in summary(results(step=with_one))
    assert "+10.0 in the one session | not distinguishable" in summary(results(step=with_one))


def test_what_was_not_sent_or_not_answered_is_said_everywhere() -> None:
    left = target("b", missing=4, not_sent=(Count("setting seed: it takes none", 3),))
    found = results(step=checked(left, bare=2))
    text = told(found, "Step check")
    assert "Not all are answered yet, and these are in no figure: b 4." in text
    assert "Not all of a request could go to every model" in text
    assert "In 2 of the sampled calls the recorded tools carry no argument schemas" in text
    words = "Not sent to b, in 3 calls: setting seed: it takes none."
    assert words in study_page(found, lambda _: None).decode()
    assert words in summary(found)
    assert "A note &lt;b" in summary(found) or "A note \\<b" in summary(found)
    plain = told(results(step=checked(target("b"))), "Step check")
    assert "Not all" not in plain
    assert "schemas" not in plain


def test_the_limits_are_those_of_this_study() -> None:
    ours, other = "\n".join(limits(FACTS)), "\n".join(limits(replace(FACTS, domain="lamp")))
    assert "made-up business" in ours
    assert "this project's writing" in ours
    assert "made-up" not in other
    assert "this project's" not in other
    assert "its package's writing" in other
    assert "only through the noise arm" in ours
    without = "\n".join(limits(replace(FACTS, arms=FACTS.arms[:2])))
    assert "only through the noise arm" not in without
    assert "cannot be seen" in without


def test_arms_that_read_their_replies_from_a_script_are_deterministic_too() -> None:
    def played(name: str, **identity: str) -> ArmFacts:
        agent = Setup(name, "1", {"identity": {"model": name, **identity}})
        return replace(arm_facts(name), agent=agent)

    arms = (
        arm_facts("base", "baseline"),
        arm_facts("hasty", deterministic=True),
        played("talk", script="d1ge57"),
        played("hosted"),
    )
    facts = replace(FACTS, arms=arms)
    assert "Deterministic arms (hasty and talk)." in "\n".join(limits(facts))
    model = Setup("hosted", "1", {"identity": {"model": "hosted"}})
    assert "arms (hasty)." in "\n".join(limits(replace(facts, user=model)))
