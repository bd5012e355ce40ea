"""What hangs on what: sensitivity lines, tests, tied sets, and where changed calls part."""

from __future__ import annotations

from msgspec.structs import replace

from ringback.domain import Task
from ringback.episode.parting import Parting
from ringback.report.compute import compute
from ringback.report.model import Cost, EpisodeRow, StudyFacts, StudyResults
from ringback.sessions import Used
from tests.report.studies import TASKS, arm_facts, rows, study

FACTS = study([arm_facts("base", "baseline"), arm_facts("arm"), arm_facts("noise", "noise")])


def test_pairs_that_changed_know_their_sessions_and_where_they_part() -> None:
    asked: list[tuple[str, str]] = []

    def partings(baseline: str, session: str) -> Parting:
        asked.append((baseline, session))
        same = "The same words, " * 10
        return Parting("text", 7, 20, 21, f"{same}old", f"{same}new " + "x" * 500, "In step 7 ...")

    found = compute(FACTS, rows(FACTS, {"base": ["yyyn"], "arm": ["ynyy"]}), partings)
    versus = found.arms[1].versus
    assert versus is not None
    lost, gained = versus.flips
    assert (lost.task, lost.better, lost.worse) == (TASKS[1].id, 0, 1)
    assert (gained.task, gained.better, gained.worse) == (TASKS[3].id, 1, 0)
    assert asked[:2] == [("s-base-1-0", "s-arm-1-0"), ("s-base-3-0", "s-arm-3-0")]
    parts = lost.pairs[0].parts
    assert parts is not None
    assert (parts.step, parts.seq, parts.baseline_seq) == (7, 21, 20)
    # what both share is left off, so that the difference is seen
    assert parts.there is not None
    assert parts.there.startswith("… ")
    assert parts.there.endswith("words, old")
    assert parts.here is not None
    assert len(parts.here) <= 160
    assert "new xxx" in parts.here


def test_a_pair_without_sessions_is_not_asked_about() -> None:
    def never(baseline: str, session: str) -> Parting:
        raise AssertionError

    found = compute(FACTS, rows(FACTS, {"base": ["yyyn"], "arm": ["...."]}), never)
    versus = found.arms[1].versus
    assert versus is not None
    assert [pair.parts for flip in versus.flips for pair in flip.pairs] == [None] * 3


def sensitive(facts: StudyFacts, found: list[EpisodeRow]) -> list[tuple[str, int, int, int]]:
    arm = compute(facts, found).arms[1]
    return [
        (each.name, each.left_out, each.rate.solved, each.rate.planned) for each in arm.sensitivity
    ]


def test_sensitivity_lines_leave_out_what_they_name_and_pairs_with_it() -> None:
    played = rows(FACTS, {"base": ["yyyy"], "arm": ["yini"]})
    assert sensitive(FACTS, played) == [
        ("without_infrastructure", 2, 1, 2),
        ("without_simulator_faults", 0, 1, 4),
    ]
    arm = compute(FACTS, played).arms[1]
    difference = arm.sensitivity[0].difference
    assert difference is not None
    assert (difference.pairs, difference.worse) == (2, 1)
    assert (arm.rate.solved, arm.rate.planned) == (1, 4)  # the main figure is over all planned
    assert compute(FACTS, played).arms[0].sensitivity[0].difference is None


def test_what_is_laid_to_infrastructure_is_left_out_however_it_ended() -> None:
    played = rows(FACTS, {"base": ["yyyy"], "arm": ["ynyn"]})
    marked = [
        replace(row, blame="infrastructure") if place == 5 else row
        for place, row in enumerate(played)
    ]
    assert sensitive(FACTS, marked)[0] == ("without_infrastructure", 1, 2, 3)


def test_the_simulators_faults_are_left_out_whether_solved_or_not() -> None:
    played = rows(FACTS, {"base": ["yyyy"], "arm": ["ynyn"]})
    marked = [
        replace(played[place], **{"faults": 2} if place == 4 else {"blame": "simulator"})
        if place in (4, 5)
        else played[place]
        for place in range(8)
    ]
    assert sensitive(FACTS, marked)[1] == ("without_simulator_faults", 2, 1, 2)


def test_nothing_left_has_no_difference() -> None:
    arm = compute(FACTS, rows(FACTS, {"base": ["iiii"], "arm": ["yyyy"]})).arms[1]
    assert arm.sensitivity[0].difference is None


def test_tests_are_adjusted_over_the_candidates_alone() -> None:
    tasks = [Task(f"t{n}", "f", ("x",), "", True) for n in range(20)]
    arms = [arm_facts("base", "baseline"), arm_facts("a"), arm_facts("b"), arm_facts("c")]
    others = [arm_facts("noise", "noise"), arm_facts("idle", "floor")]
    facts = study([*arms, *others], tasks=tasks)
    letters = {
        "base": "y" * 20,
        "a": "n" * 8 + "y" * 12,
        "b": "y" * 20,
        "c": "y" * 20,
        "noise": "n" * 20,
        "idle": "n" * 20,
    }
    found = compute(facts, rows(facts, {name: [text] for name, text in letters.items()}))
    tests = [arm.versus and arm.versus.test for arm in found.arms]
    assert tests[1] is not None
    assert tests[1].test == "exact McNemar"
    assert tests[1].p == 2 / 2**8
    assert tests[1].adjusted == 3 * tests[1].p
    assert tests[0] is tests[4] is tests[5] is None
    assert found.tied is not None
    assert [arm.name for arm in found.tied.arms] == ["base", "a", "b", "c"]
    assert [arm.may_be_best for arm in found.tied.arms] == [True, False, True, True]
    assert "Tied, as far as this study can tell: the baseline, b and c" in "\n".join(found.headline)


def test_no_winner_is_named_while_candidates_lack_outcomes_that_could_turn_it() -> None:
    # b is beaten by a as it stands; had its 25 ungraded been solved, the two were tied.
    tasks = [Task(f"t{n:03}", "f", ("x",), "", True) for n in range(100)]
    facts = study([arm_facts("base", "baseline"), arm_facts("a"), arm_facts("b")], tasks=tasks)

    def of(b: str) -> StudyResults:
        letters = {"base": "y" * 10 + "n" * 90, "a": "y" * 85 + "n" * 15, "b": b}
        return compute(facts, rows(facts, {name: [text] for name, text in letters.items()}))

    open_ = of("n" * 10 + "y" * 55 + "i" * 25 + "n" * 10)
    assert open_.tied is not None
    assert [arm.may_be_best for arm in open_.tied.arms] == [False, True, False]
    assert not open_.tied.settled
    told = "\n".join(open_.headline)
    assert "Only a may be" not in told
    assert "Who may be best depends on episodes without a graded outcome" in told
    closed = of("n" * 10 + "y" * 55 + "i" * 2 + "n" * 33)
    assert closed.tied is not None
    assert closed.tied.settled
    assert "Only a may be the best" in "\n".join(closed.headline)


def test_faults_are_counted_over_the_tasks_that_have_them() -> None:
    arm = compute(FACTS, rows(FACTS, {"base": ["yyyy"], "arm": ["nyyn"]})).arms[1]
    assert [(each.fault, each.planned, each.failed) for each in arm.by_fault] == [
        ("airplane_mode_on", 1, 1),
        ("contract_end", 1, 0),
        ("data_mode_off", 1, 0),
        ("bad_apn", 1, 1),
        ("no_permission", 1, 1),
    ]


def test_cost_per_solved_is_all_runs_over_the_solved_ones_and_unknown_where_a_price_is() -> None:
    def cost(*costs: Cost | None, letters: str) -> tuple[float | None, str | None]:
        played = rows(FACTS, {"base": ["yyyy"], "arm": [letters]})
        priced = [
            replace(row, agent_cost=each) if row.arm == "arm" else row
            for row, each in zip(played, [None] * 4 + list(costs), strict=True)
        ]
        found = compute(FACTS, priced).arms[1].cost_per_solved
        assert found is not None
        return found.value, found.lacking

    one = Cost(3, 0, 0.5)
    assert cost(one, one, one, one, letters="yynn") == (1.0, None)
    assert cost(one, one, one, one, letters="nnnn") == (None, "none solved")
    assert cost(one, Cost(3, 1, 0.5), one, one, letters="yynn") == (None, "price unknown")
    assert cost(one, Cost(3, 0, 0.5, 1), one, one, letters="yynn") == (None, "price unknown")
    plain = compute(FACTS, rows(FACTS, {"arm": ["yyyy"]})).arms[1]
    assert plain.cost_per_solved is None


def test_pass_k_is_there_with_trials_alone() -> None:
    facts = study([arm_facts("base", "baseline"), arm_facts("arm")], trials=2)
    arm = compute(facts, rows(facts, {"base": ["yyyy"] * 2, "arm": ["yyyn", "ynyn"]})).arms[1]
    assert [(each.k, each.value) for each in arm.pass_k] == [(1, 0.625), (2, 0.5)]
    assert compute(FACTS, rows(FACTS, {"arm": ["yyyy"]})).arms[1].pass_k == ()


def test_a_try_that_may_have_been_charged_makes_the_cost_of_a_solved_task_unknown() -> None:
    played = rows(FACTS, {"base": ["yyyy"], "arm": ["yyyy"]})
    for charged, lacking in ((0, None), (1, "price unknown")):
        costs = [Cost(3, 0, 0.5, maybe_charged=charged), *[Cost(3, 0, 0.5)] * 3]
        priced = [
            *played[:4],
            *(replace(row, agent_cost=cost) for row, cost in zip(played[4:], costs, strict=True)),
        ]
        found = compute(FACTS, priced).arms[1].cost_per_solved
        assert found is not None
        assert (found.value, found.lacking) == (None if charged else 0.5, lacking)


def test_an_episode_that_has_not_ended_is_in_no_mean() -> None:
    played = rows(FACTS, {"base": ["yyyy"], "arm": ["yyyx"]})  # 10, 11 and 12 steps, and 3 so far
    took = [
        replace(row, agent_used=Used(10.0, 100, 10, 0), agent_cost=Cost(1, 0, 0.1))
        if row.ending
        else replace(row, agent_used=Used(90.0, 900, 90, 0), agent_cost=Cost(1, 0, 0.1))
        for row in played
    ]
    arm = compute(FACTS, took).arms[1]
    assert arm.steps is not None
    assert (arm.steps.episodes, arm.steps.mean, arm.steps.least) == (3, 11.0, 10)
    assert arm.agent_took is not None
    assert (arm.agent_took.seconds.episodes, arm.agent_took.seconds.mean) == (3, 10.0)


def test_steps_have_quartiles_and_an_interval_over_tasks() -> None:
    arm = compute(FACTS, rows(FACTS, {"base": ["yyyy"], "arm": ["yyyn"]})).arms[1]
    assert arm.steps is not None
    # 10, 11, 12, 100
    assert (arm.steps.least, arm.steps.lower, arm.steps.median) == (10, 10, 11.5)
    assert (arm.steps.upper, arm.steps.most) == (100, 100)
    assert arm.steps.interval is not None
    assert arm.steps.interval.low < arm.steps.mean < arm.steps.interval.high
