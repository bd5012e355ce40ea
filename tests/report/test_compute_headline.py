"""The short answer says what the figures allow and no more."""

from __future__ import annotations

import msgspec

from ringback.canonical import Json
from ringback.domain import Task
from ringback.episode.events import Setup
from ringback.report import wording
from ringback.report.compute import compute
from ringback.report.model import Cost, StudyResults
from tests.report.studies import arm_facts, rows, study

TASKS = [Task(f"t{n:02}", "service", ("fault",), "", n % 4 != 0) for n in range(20)]
BASELINE = arm_facts("base", "baseline")


def said(arms: dict[str, str], *, roles: dict[str, str] | None = None, steady: str = "") -> str:
    """The headline of a study with one trial; `steady` names arms that draw nothing."""
    kinds = {"base": "baseline", "noise": "noise", "idle": "floor", **(roles or {})}
    facts = study(
        [
            arm_facts(name, kinds.get(name, "arm"), deterministic=name in steady.split())  # pyright: ignore[reportArgumentType]
            for name in arms
        ],
        tasks=TASKS,
    )
    found = compute(facts, rows(facts, {name: [letters] for name, letters in arms.items()}))
    return "\n".join(found.headline)


def test_an_arm_that_is_worse() -> None:
    text = said({"base": "y" * 20, "arm": "y" * 8 + "n" * 12})
    assert (
        "The baseline (reference) solved 20 of 20 (100.0%; 95% interval 83.9% to 100.0%)." in text
    )
    assert "Worse than the baseline: arm (−60.0 points, 95% interval −" in text
    assert "12 of 20 tasks changed)." in text
    assert "Fewer than" not in text
    assert "No noise arm was planned" in text
    assert "no winner" not in text


def test_few_changed_tasks_are_said() -> None:
    text = said({"base": "y" * 20, "arm": "y" * 14 + "n" * 6})
    assert "Worse than the baseline: arm" in text
    assert "Fewer than 10 tasks changed in arm:" in text


def test_a_tie_is_called_a_tie() -> None:
    text = said({"base": "y" * 19 + "n", "same": "y" * 19 + "n", "near": "n" + "y" * 19})
    assert (
        "Not distinguishable from the baseline: same (no task changed outcome, 95% "
        "interval −16.1 to +16.1); near (0.0" in text
    )
    assert (
        "As far as this study can tell the baseline, same and near are tied: there is no winner."
        in text
    )


def test_no_winner_is_named_among_better_arms_of_which_none_is_beaten() -> None:
    text = said({"base": "n" * 20, "a": "y" * 12 + "n" * 8, "b": "n" * 5 + "y" * 15})
    assert "Better than the baseline: a (+60.0 points" in text
    assert (
        "Tied, as far as this study can tell: a and b may each be the best. Shown not to be the "
        "best, over all pairs at once: the baseline." in text
    )


def test_a_winner_is_named_where_all_others_are_shown_to_be_beaten() -> None:
    text = said({"base": "y" * 10 + "n" * 10, "a": "y" * 20, "b": "n" * 20})
    assert "Only a may be the best: each of the others is shown to be beaten." in text
    assert "Only a may be the best: the other is" in said({"base": "n" * 20, "a": "y" * 20})


def test_what_holds_alone_and_not_among_many_is_said() -> None:
    """Six of six is p 0.03 alone, and 0.09 as one of three."""
    arms = {"base": "y" * 20, "a": "y" * 14 + "n" * 6, "b": "y" * 20, "c": "y" * 20}
    text = said(arms)
    assert "Worse than the baseline" not in text
    assert "By the unadjusted interval alone: a worse (−30.0 points, 95% interval −" in text
    assert "; after Holm's adjustment for 3 comparisons not distinguishable from" in text
    assert "Shown not to be the best, over all pairs at once: a (beaten by b and c)." in text
    assert "Worse than the baseline: a" in said({name: arms[name] for name in ("base", "a")})
    assert "Holm" not in said({name: arms[name] for name in ("base", "a")})


def test_who_may_be_best_says_nothing_else_than_the_comparisons_with_the_baseline() -> None:
    base = "n" * 9 + "y" * 11
    apart = {"rule": "y" * 18 + "nn", "skip": "n" * 18 + "yy"}  # 9 to 2: p is 0.065; 9 to 0: 0.004
    text = said({"base": base, **apart})
    assert "the baseline and rule may each be the best. Shown not to be the best" in text
    assert "pairs at once: skip.\nWorse than the baseline: skip (" in text
    assert "By the unadjusted interval alone: rule better (+35.0 points" in text
    assert "Better than the baseline" not in text
    # Eight of eight hold after Holm's adjustment; of four arms all pairs ask for more.
    for count in range(6, 12):
        arms = {"a": "y" * count + "n" * (20 - count), "b": "n" * 20, "c": "n" * 19 + "y"}
        lines = said({"base": "n" * 20, **arms}).splitlines()
        if any(line.startswith("Better than the baseline: a") for line in lines):
            assert "the baseline" not in lines[1].partition(" may ")[0]
        else:
            assert "the baseline" in lines[1].partition(" tied")[0].partition(" may ")[0]


def test_figures_that_say_nothing_about_the_agents_are_called_so_first() -> None:
    half = said({"base": "y" * 20, "arm": "." * 20, "more": "." * 10 + "n" * 10})
    assert "say nothing about the agents" not in half
    text = said({"base": "y" * 20, "arm": "." * 20, "more": "." * 11 + "n" * 9})
    assert text.startswith(
        "These figures say nothing about the agents: 31 of 60 planned episodes have no graded "
        "outcome.\n"
    )
    assert "Worse" not in text
    assert "tied" not in text


def test_a_customer_that_was_no_customer_makes_the_figures_silent() -> None:
    facts = study([BASELINE, arm_facts("arm")], tasks=TASKS)
    played = [
        msgspec.structs.replace(row, faults=faults, user_cost=Cost(10, 0, 0.1))
        for row, faults in zip(
            rows(facts, {"base": ["y" * 20], "arm": ["n" * 20]}), [6] * 20 + [5] * 20, strict=True
        )
    ]
    found = compute(facts, played)
    assert found.silent == "the simulated customer was at fault in 220 of its 400 replies"
    assert found.headline[0] == f"These figures say nothing about the agents: {found.silent}."
    assert not any("Worse" in sentence for sentence in found.headline)


def test_what_is_missing_comes_first_and_decides_nothing() -> None:
    text = said({"base": "y" * 20, "arm": "." * 12 + "n" * 8})
    assert text.startswith(
        "12 of 40 planned episodes have no graded outcome (not run 12) and count as unsolved."
    )
    assert "Worse than the baseline: arm" in text  # eight lost tasks are enough, whatever the rest
    unsure = said({"base": "y" * 20, "arm": "." * 19 + "n"})
    assert "Worse" not in unsure
    assert (
        "Undecided, because the answer depends on episodes without a graded outcome: arm." in unsure
    )
    one = said({"base": "y" * 20, "arm": "y" * 19 + "i"})
    assert one.startswith(
        "1 of 40 planned episodes has no graded outcome (infrastructure error 1) and counts as"
    )


def test_noise_that_could_not_differ_is_no_evidence() -> None:
    text = said({"base": "y" * 20, "noise": "y" * 20}, steady="base noise")
    assert "its zero is by construction and no evidence" in text


def test_noise_that_should_not_differ_and_does_is_a_warning() -> None:
    text = said({"base": "y" * 20, "noise": "y" * 19 + "n"}, steady="base noise")
    assert (
        "Warning: noise repeats a baseline in which, with equal seeds, nothing can differ, "
        "and yet 1 of 20 pairs changed outcome." in text
    )


def test_noise_is_shown_and_can_spoil_the_rest() -> None:
    text = said({"base": "y" * 18 + "nn", "noise": "n" + "y" * 19})
    assert "Noise: with nothing changed, noise had another outcome in 3 of 20 pairs (+5.0" in text
    assert "with that in mind" not in text
    text = said({"base": "y" * 20, "noise": "y" * 5 + "n" * 15})
    assert "Read every difference here with that in mind." in text
    assert "cannot be read yet" in said({"base": "y" * 20, "noise": "." * 20})


def test_a_baseline_that_cannot_differ_from_itself_needs_no_noise_arm() -> None:
    text = said({"base": "y" * 20, "arm": "y" * 20}, steady="base")
    assert "No noise arm was planned" not in text
    assert "with equal seeds nothing in the baseline can differ" in text


def _policy_arm(*, deterministic: bool, letters: str) -> str:
    facts = study(
        [
            arm_facts("base", "baseline", deterministic=deterministic),
            msgspec.structs.replace(
                arm_facts("manual", deterministic=deterministic),
                changes={"policy": "manual"},
                policy="manual",
                reads_policy=False,
            ),
        ],
        tasks=TASKS,
    )
    found = compute(facts, rows(facts, {"base": ["y" * 20], "manual": [letters]}))
    return "\n".join((*found.headline, wording.reading(found.arms[1].versus)))


def test_a_policy_that_no_agent_reads_is_no_tie() -> None:
    text = _policy_arm(deterministic=True, letters="y" * 20)
    assert "manual changes only the wording of the policy, which its agent does not read" in text
    assert text.endswith("equal by construction")
    assert "tied" not in text
    text = _policy_arm(deterministic=True, letters="y" * 19 + "n")
    assert "Warning: manual changes only the wording" in text
    text = _policy_arm(deterministic=False, letters="y" * 12 + "n" * 8)
    assert "differs by chance alone" in text
    assert "Worse" not in text


def _listed_arm(letters: str, *, identity: str = "script", **more: Json) -> StudyResults:
    """Beside another arm, one that changes the instructions of a model that says a list."""
    agent = Setup("script:talk.json", "1", {"identity": {"model": "script", identity: "d1ce"}})
    changes: dict[str, Json] = {"settings": {"instructions_append": "Check again.", **more}}
    facts = study(
        [
            msgspec.structs.replace(arm_facts("base", "baseline", deterministic=True), agent=agent),
            msgspec.structs.replace(
                arm_facts("rule", deterministic=True), agent=agent, changes=changes
            ),
            arm_facts("arm"),
        ],
        tasks=TASKS,
    )
    return compute(
        facts, rows(facts, {"base": ["y" * 20], "rule": [letters], "arm": ["y" * 13 + "n" * 7]})
    )


def test_instructions_that_a_list_of_replies_cannot_read_are_no_candidate() -> None:
    found = _listed_arm("y" * 20)
    text = "\n".join(found.headline)
    assert "rule changes only the instructions, which its agent does not read: equal by " in text
    assert wording.reading(found.arms[1].versus) == "equal by construction"
    rule, arm = (each.versus for each in found.arms[1:])
    assert rule is not None
    assert arm is not None
    assert rule.test is None
    assert arm.test is not None
    assert arm.test.adjusted == arm.test.p == 2 / 2**7  # the only one that is tested
    assert found.tied is not None
    assert [each.name for each in found.tied.arms] == ["base", "arm"]
    text = "\n".join(_listed_arm("y" * 19 + "n").headline)
    assert "Warning: rule changes only the instructions" in text


def test_a_model_that_may_read_its_instructions_is_a_candidate() -> None:
    for found in (
        _listed_arm("y" * 20, identity="digest"),
        _listed_arm("y" * 20, timeout=3),
    ):
        assert found.arms[1].versus is not None
        assert found.arms[1].versus.test is not None
        assert "does not read" not in "\n".join(found.headline)


def test_too_few_tasks_give_no_verdict() -> None:
    for letters in ("nnnnn", "nnnny"):
        facts = study([BASELINE, arm_facts("arm")], tasks=TASKS[:5])
        found = compute(facts, rows(facts, {"base": ["yyyyy"], "arm": [letters]}))
        text = "\n".join(found.headline)
        assert "Too few tasks to tell from the baseline: arm" in text
        assert "Worse" not in text
        assert "tied" not in text


def test_the_floor_is_shown_and_a_baseline_at_its_level_is_warned_of() -> None:
    text = said({"base": "y" * 20, "idle": "y" * 4 + "n" * 16})
    assert "Floor, without any support work: idle 4 of 20 solved." in text
    assert "Warning" not in text
    text = said({"base": "y" * 4 + "n" * 16, "idle": "y" * 4 + "n" * 16})
    assert "Warning: the baseline is not shown to be better than idle." in text


def test_controls_are_not_ranked_with_the_arms() -> None:
    text = said({"base": "n" * 20, "noise": "y" * 20, "idle": "y" * 20})
    assert "Better than the baseline" not in text
