"""What is compared with what: conditions, arms, draws, and where nothing is read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ringback.episode.events import Condition, Forked, Limits, Setup
from ringback.errors import InputError
from ringback.overview.conditions import differences
from ringback.overview.naming import Key, arm_names
from ringback.replay.changes import Changes
from ringback.replay.places import at_event
from ringback.sessions import Store, parse_selection
from tests.formats.tau2.made import DATA_OFF, Talk, solved
from tests.overview.made import TASKS, arm, change, import_tau2, record, report, versus
from tests.replay.stores import fork, replay


def test_sessions_of_other_conditions_are_neither_averaged_nor_paired(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "reference")
    record(store, "hasty", limits=Limits(steps=40))
    found = report(store)
    one, other = found.conditions
    assert [each.name for each in (one, other)] == ["A", "B"]
    assert [arm.name for arm in one.arms] == ["reference"]
    assert [arm.name for arm in other.arms] == ["hasty"]
    assert (one.differs, other.differs) == ((), ("the limit of steps 40, not 100",))
    assert not one.versus + other.versus
    assert one.unread == other.unread == "one arm"
    assert {line.condition for line in found.sessions} == {"A", "B"}
    assert found.headline[1].startswith(
        "Under condition A, which has most graded sessions: reference"
    )


def test_the_condition_with_most_outcomes_is_the_first(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "hasty", tasks=TASKS[:1], limits=Limits(steps=40))
    record(store, "reference")
    record(store, "careless", tasks=TASKS[:2], limits=Limits(steps=50))
    found = report(store)
    assert [each.sessions for each in found.conditions] == [3, 2, 1]
    change(store, "UPDATE sessions SET ending = NULL, grader = NULL WHERE arm_name = 'reference'")
    assert [each.sessions for each in report(store).conditions] == [2, 1, 3]


def test_the_arm_of_most_sessions_is_the_baseline_unless_one_is_named(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "hasty", tasks=TASKS[:2])
    record(store, "reference")
    record(store, "careless")
    assert report(store).conditions[0].baseline == "reference"
    found = report(store, baseline="careless")
    assert {each.baseline for each in found.conditions[0].versus} == {"careless"}
    with pytest.raises(InputError, match=r"no arm 'nobody'.*hasty, reference and careless"):
        report(store, baseline="nobody")


def test_under_a_condition_without_the_named_arm_nothing_is_read(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    for agent in ("reference", "hasty"):
        record(store, agent)
    for agent in ("reference", "careless"):
        record(store, agent, limits=Limits(steps=40))
    one, other = report(store, baseline="hasty").conditions
    assert (one.unread, one.baseline) == (None, "hasty")
    assert (other.unread, other.baseline, other.versus) == ("no such arm", None, ())


def test_only_draws_of_both_make_a_pair_and_the_rest_is_counted(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "reference")
    record(store, "hasty", tasks=TASKS[1:], seed=0)
    record(store, "hasty", tasks=TASKS[:1], seed=9)
    found = versus(report(store), "hasty")
    assert found.pairs == 2
    assert {each.name: each.count for each in found.unpaired} == {
        "only in hasty": 1,
        "only in reference": 1,
    }
    assert [(flip.task, flip.trial, flip.seed, flip.better) for flip in found.flips] == [
        (TASKS[1], 0, 0, False)
    ]
    ids = {line.id: line for line in report(store).sessions}
    (flip,) = found.flips
    assert ids[flip.session].arm == "hasty"
    assert ids[flip.baseline].arm == "reference"
    said = [lead for lead, _ in report(store).limits]
    assert "Seeds differ." in said


def test_a_pair_needs_two_outcomes(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "reference")
    record(store, "hasty")
    line = next(line for line in report(store).sessions if line.arm == "hasty")
    change(store, "UPDATE sessions SET ending = NULL, grader = NULL WHERE id = ?", line.id)
    found = versus(report(store), "hasty")
    assert (found.pairs, [(each.name, each.count) for each in found.unpaired]) == (
        2,
        [("no graded outcome", 1)],
    )


def test_a_draw_that_is_there_twice_or_not_known_whole_makes_no_pair(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    for name, more in (("one", [{}, {"id": "again"}]), ("other", [{}, {"id": "x", "seed": None}])):
        import_tau2(
            store,
            tmp_path / f"{name}.json",
            [solved().simulation(**{"seed": 5, "id": name, **each}) for each in more],
            agent_info={"implementation": "llm_agent", "llm": name, "llm_args": {}},
            seed=None,
        )
    found = versus(report(store), "other")
    assert (found.pairs, found.difference) == (0, None)
    assert {each.name: each.count for each in found.unpaired} == {
        "several sessions of one draw": 1,
        "task, trial or seed not known": 1,
    }


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"world": "2"}, "the version of the world 2, not 1"),
        ({"grader": "9"}, "the version of the checks 9, not 3"),
        ({"domain": "lamp"}, "the domain lamp, not telecom"),
        ({"greeting": "Hm?"}, "the agent's opening words"),
        ({"greeting": ""}, "the agent's opening words, of which none are known"),
        ({"texts": "0"}, "what the customer reads"),
        ({"user": Setup("other", "1")}, "the customer other, not rules"),
        ({"user": Setup("rules", "2")}, "the version of the customer rules 2, not 1"),
        (
            {"user": Setup("rules", "1", {"guard": "off"})},
            "the customer's setting guard off, not none",
        ),
        ({"limits": Limits(errors=None)}, "the limit of tool errors unknown, not 10"),
        ({"limits": Limits(seconds=9.5)}, "the limit of seconds 9.5, not 1200"),
        ({"forked": Forked("a", 3)}, "it is another in a part that has no name here"),
    ],
)
def test_what_conditions_differ_in_is_said_part_by_part(change: dict[str, Any], said: str) -> None:
    first = Condition("telecom", "1", "3", Setup("rules", "1"), "Hello.", "1", Limits())
    assert differences(first, replace(first, **change)) == (said,)
    assert differences(first, first) == ("it is another in a part that has no name here",)


def test_of_many_arms_the_short_answer_names_the_first_and_how_many_more(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    for skip in (0.1, 0.3, 0.5, 0.7, 0.9):
        record(store, "careless", tasks=TASKS[:1], settings={"skip": skip})
    found = report(store)
    assert len(found.headline) <= 4
    assert [each for each in found.headline if each.endswith("; 2 more arms below.")]


def test_without_a_common_draw_there_is_no_difference(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "reference", seed=1)
    record(store, "hasty", seed=2)
    found = report(store)
    one = versus(found, "hasty")
    assert (one.pairs, one.difference, one.test, one.claimed) == (0, None, None, None)
    assert [each for each in found.headline if each.startswith("No draw is in reference and in ")]


def test_a_clause_after_its_condition_begins_in_lower_case(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "reference", seed=1)
    record(store, "hasty", seed=2)
    record(store, "hasty", tasks=TASKS[:1], limits=Limits(steps=40))
    said = report(store).headline
    assert [each for each in said if each.startswith("Under condition A: no draw is in reference")]
    said = report(store, baseline="hasty").headline
    assert [each for each in said if each.startswith("Under condition A: no draw is in hasty")]


@pytest.mark.parametrize(
    ("words", "why"),
    [(("solved=no",), "outcome"), (("ending=user_stop",), "outcome"), ((), None)],
)
def test_nothing_is_read_from_what_was_chosen_by_its_outcome(
    tmp_path: Path, words: tuple[str, ...], why: str | None
) -> None:
    store = tmp_path / "s.db"
    record(store, "hasty")
    record(store, "careless")
    found = report(store, *words)
    assert found.facts.unread == why
    assert (found.conditions[0].unread == why) is True
    for each in found.conditions[0].arms:
        assert (each.rate.rate is None) is (why is not None)
        assert (each.least is None) is (why is not None)
        assert (each.repairable.interval is None) is (why is not None)
        assert each.rate.graded
    text = " ".join(found.headline)
    assert ("no rate and no difference is read" in text) is (why is not None)


def test_nothing_is_read_from_named_ones_that_came_out_alike(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "hasty")
    record(store, "reference")
    failed = [line.id for line in report(store).sessions if line.outcome == "unsolved"]
    assert len(failed) == 2
    assert report(store, *failed).facts.unread == "alike"
    assert report(store, failed[0]).facts.unread == "alone"


def test_a_replay_is_an_arm_and_a_fork_is_counted_apart(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "hasty")
    replay(store, Changes(agent="reference"), "arm=hasty", name="again")
    fork(store, at_event(3), Changes(agent="reference"), "arm=hasty", name="rescue")
    found = report(store)
    (condition,) = found.conditions
    assert [(arm.name, arm.sessions) for arm in condition.arms] == [("hasty", 3), ("again", 3)]
    assert versus(found, "again").pairs == 3
    (forks,) = found.forks
    assert (forks.arm, forks.sessions, forks.graded) == ("rescue", 3, 3)
    lines = [line for line in found.sessions if line.forked is not None]
    assert len(lines) == 3
    assert all(line.condition is None and not line.counted for line in lines)
    assert "3 forks counted apart" in found.headline[0]
    assert any(lead.startswith("Forks") for lead, _ in found.limits)


def test_the_same_content_again_stands_outside_the_adjustment(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "hasty")
    replay(store, Changes(), "arm=hasty", name="again")
    replay(store, Changes(agent="reference"), "arm=hasty", name="other")
    found = report(store)
    assert (versus(found, "again").again, versus(found, "again").test) == (True, None)
    other = versus(found, "other")
    assert other.test is not None
    assert other.test.adjusted == other.test.p


def test_two_arms_of_one_name_are_told_apart_in_every_condition(tmp_path: Path) -> None:
    told: list[dict[str, str]] = []
    for number, skips in enumerate(((0.3, 0.9), (0.9, 0.3))):
        store = tmp_path / f"{number}.db"
        for skip, steps in ((skips[0], 100), (skips[1], 100), (skips[1], 40), (skips[0], 50)):
            limits = Limits(steps=steps)
            record(store, "careless", tasks=TASKS[:1], settings={"skip": skip}, limits=limits)
        found = report(store)
        arms = [arm for each in found.conditions for arm in each.arms]
        told.append({arm.digest: arm.name for arm in arms})
        assert all(told[-1][arm.digest] == arm.name for arm in arms)
        assert sorted(told[-1].values()) == ["careless", "careless (2)"]
        assert {line.arm for line in found.sessions} == {"careless", "careless (2)"}
        assert report(store, baseline="careless (2)").conditions[0].baseline == "careless (2)"
    assert told[0] == told[1]


def test_no_number_makes_a_name_that_another_arm_has() -> None:
    keys: list[Key] = [("b", "x", None), ("a", "x", None), ("c", "x (2)", None), ("a", "x", "tau2")]
    assert arm_names(keys) == {
        ("a", "x", None): "x",
        ("b", "x", None): "x (3)",
        ("a", "x", "tau2"): "x (4)",
        ("c", "x (2)", None): "x (2)",
    }
    assert arm_names([("a", "  ", None)]) == {("a", "  ", None): "'  '"}


def test_forks_are_told_apart_by_what_was_changed_and_counted_once(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "hasty")
    for agent in ("reference", "careless"):
        fork(store, at_event(3), Changes(agent=agent), "arm=hasty", name="rescue")
    found = report(store)
    assert [(each.arm, each.sessions) for each in found.forks] in (
        [("rescue", 3), ("rescue (2)", 3)],
        [("rescue (2)", 3), ("rescue", 3)],
    )
    again = next(line.id for line in found.sessions if line.forked is not None)
    change(
        store,
        "UPDATE sessions SET ending = 'infrastructure_error', grader = NULL WHERE id = ?",
        again,
    )
    fork(store, at_event(3), Changes(agent="reference"), "arm=hasty", name="rescue")
    found = report(store)
    assert found.left_out.replaced == 1
    assert sum(each.sessions for each in found.forks) == 6
    assert "6 forks counted apart" in found.headline[0]


def test_the_baseline_is_the_arm_that_shares_most_outcomes(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "do-nothing", seed=9)
    record(store, "do-nothing", seed=8)
    record(store, "reference")
    record(store, "hasty", tasks=TASKS[:2])
    found = report(store)
    assert found.conditions[0].baseline == "reference"
    assert versus(found, "hasty").pairs == 2
    named = report(store, baseline="do-nothing").headline
    assert [each for each in named if each.endswith("outcomes; --baseline ARM names another.")]


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (7, r"^Worse than reference: hasty \(.*, 7 pairs, few changes\)\.$"),
        (2, r"^Too few changes to tell from reference: hasty\.$"),
        (12, r"^Worse than reference: hasty \(.*, 12 pairs\)\.$"),
    ],
)
def test_what_few_changes_say_is_said_with_that(tmp_path: Path, count: int, said: str) -> None:
    record(tmp_path / "all.db", "hasty", tasks="small")
    failed = [line for line in report(tmp_path / "all.db").sessions if line.outcome == "unsolved"]
    tasks = [line.task for line in failed][:count]
    assert len(tasks) == count
    for agent in ("reference", "hasty"):
        record(tmp_path / "s.db", agent, tasks=tasks)
    found = report(tmp_path / "s.db")
    assert [each for each in found.headline if re.match(said, each)], found.headline


def test_recordings_of_others_are_a_condition_of_their_own(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "reference")
    talk = Talk(DATA_OFF)
    talk.say("user", "My data does not work.")
    talk.call("agent", ("get_customer_by_phone", {"phone_number": "no"}))
    talk.say("user", "A pity. ###STOP###")
    import_tau2(store, tmp_path / "r.json", [solved().simulation(), talk.simulation(id="b")])
    found = report(store)
    ours, theirs = found.conditions
    assert [(each.name, each.count) for each in ours.origins] == [("ringback", 3)]
    assert [(each.name, each.count) for each in theirs.origins] == [("tau2", 2)]
    assert any(words.startswith("the customer ") for words in theirs.differs)
    (only,) = theirs.arms
    assert (only.origin, only.rate.solved, only.rate.graded) == ("tau2", 1, 2)
    wrong = next(use for use in only.tools if use.tool == "get_customer_by_phone" and use.errors)
    assert (wrong.side, wrong.errors) == ("agent", 1)
    assert only.asked
    cost, per_solved = only.agent_cost, only.cost_per_solved
    assert cost is not None
    assert per_solved is not None
    assert per_solved.value == pytest.approx(cost.usd)  # one of the two was solved
    assert cost.usd > 0
    line = next(line for line in found.sessions if line.origin_id == "b")
    assert (line.origin, line.origin_file, line.outcome) == ("tau2", "r.json", "unsolved")
    assert any(lead == "Recordings of others are told as recorded." for lead, _ in found.limits)


def test_what_cannot_be_read_is_listed_and_in_no_figure(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "reference")
    (first, *_) = report(store).sessions
    change(
        store,
        "UPDATE events SET body = x'00' WHERE seq = 1 AND session = "
        "(SELECT number FROM sessions WHERE id = ?)",
        first.id,
    )
    found = report(store)
    assert [each.session for each in found.left_out.unreadable] == [first.id]
    assert arm(found, "reference").sessions == 2
    assert found.selected == 3
    assert "1 that cannot be read" in found.headline[0]
    with pytest.raises(InputError, match=rf"No session can be read: {first.id}"):
        report(store, first.id)


def test_of_a_cell_the_last_attempt_counts(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "reference")
    (first, *_) = report(store).sessions
    change(
        store,
        "UPDATE sessions SET ending = 'infrastructure_error', grader = NULL WHERE id = ?",
        first.id,
    )
    record(store, "reference")
    found = report(store)
    assert arm(found, "reference").sessions == 3
    assert len(found.sessions) == 4
    assert [line.id for line in found.sessions if not line.counted] == [first.id]
    assert found.left_out.replaced == 1


def test_an_empty_store_has_nothing_to_report(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    with Store.open(store):
        pass
    with pytest.raises(InputError, match="Nothing is recorded"):
        report(store)
    record(store, "reference", tasks=TASKS[:1])
    with pytest.raises(InputError, match="fits 'agent=hasty'"):
        report(store, "agent=hasty")
    assert parse_selection(["agent=hasty"]).filters == {"agent": "hasty"}


def test_faults_are_counted_where_a_guard_looked_alone(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    import_tau2(store, tmp_path / "r.json", [solved().simulation()])
    (condition,) = report(store).conditions
    (only,) = condition.arms
    assert only.user_cost is not None
    assert only.faults is None


def _unheard(name: str, **more: Any) -> dict[str, Any]:
    return solved().simulation(
        id=name, messages=[], termination_reason="infrastructure_error", **more
    )


def test_an_unknown_greeting_makes_no_condition(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    import_tau2(
        store,
        tmp_path / "r.json",
        [_unheard("x", trial=1), solved().simulation(), _unheard("y", trial=2)],
    )
    found = report(store)
    (condition,) = found.conditions
    (only,) = condition.arms
    assert (only.sessions, only.graded, only.rate.solved, only.ungraded) == (3, 1, 1, 2)
    assert (only.least, only.most) == (pytest.approx(1 / 3), 1.0)
    assert {line.condition for line in found.sessions} == {"A"}
    assert {line.arm for line in found.sessions} == {only.name}
    with Store.open(store, write=False) as opened:
        stored = {row.origin_id: row.condition for row in opened.rows()}
    assert stored["x"] == stored["y"] != condition.digest
    assert condition.digest in stored.values()
    (said,) = [rest for lead, rest in found.limits if lead == "Unknown opening words."]
    assert said.startswith("2 recordings have no messages")


def test_an_unknown_greeting_that_may_be_one_of_two_stays_apart(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    other = solved().simulation(id="other", trial=1)
    other["messages"][0]["content"] = "Good day!"
    import_tau2(store, tmp_path / "r.json", [solved().simulation(), other, _unheard("x", trial=2)])
    conditions = report(store).conditions
    assert [each.sessions for each in conditions] == [1, 1, 1]
    assert [each.differs for each in conditions] == [
        (),
        ("the agent's opening words",),
        ("the agent's opening words, of which none are known",),
    ]


def test_a_call_in_which_the_customer_spoke_first_is_under_another_condition(
    tmp_path: Path,
) -> None:
    store = tmp_path / "s.db"
    first = Talk(greet=False).say("user", "Hello? ###STOP###").simulation(id="first", trial=1)
    import_tau2(store, tmp_path / "r.json", [solved().simulation(), first])
    assert [each.sessions for each in report(store).conditions] == [1, 1]
