"""A replay is a fresh episode of the recorded case, with only the named things changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from ringback.episode.events import End, Limits, Start, Turn, encode
from ringback.errors import InputError
from ringback.replay.changes import Changes
from ringback.replay.rerun import plan_replays
from ringback.sessions import Store, parse_selection
from ringback.study.file import ArmEntry, BaselineEntry, StudyFile
from ringback.study.plan import plan_study
from ringback.study.run import run_plan
from tests.replay.stores import TASKS, play, record, replay, rows, start_of


@pytest.fixture
def store(tmp_path: Path) -> Path:
    record(tmp_path / "s.db", limits=Limits(60, 5, 900.0), seed=11)
    return tmp_path / "s.db"


def test_only_what_is_named_changes(store: Path) -> None:
    _, found = replay(store, Changes(agent="reference"), "agent=hasty")
    assert len(found.pairs) == 3
    for pair in found.pairs:
        assert pair.session is not None
        before, after = start_of(store, pair.parent), start_of(store, pair.session)
        assert after.parent == before.session
        assert after.condition == before.condition
        assert (after.draw, after.user_seed) == (before.draw, before.user_seed)
        assert after.arm.policy == before.arm.policy
        assert after.arm.agent.name == "reference"
        assert after.agent_seed != before.agent_seed
    assert [row.parent for row in rows(store, "arm=replay")] == [p.parent for p in found.pairs]


def test_pairs_say_what_was_solved_before_and_after(store: Path) -> None:
    _, found = replay(store, Changes(agent="reference"), "agent=hasty")
    assert [(pair.before, pair.after, pair.flipped) for pair in found.pairs] == [
        (False, True, True),
        (False, True, True),
        (True, True, False),
    ]
    assert all(pair.paired and pair.why is None for pair in found.pairs)
    assert found.notes == ()


def test_with_nothing_named_it_is_a_second_draw_of_the_same(store: Path) -> None:
    plans, found = replay(store, Changes(), "agent=hasty")
    (entry,) = plans[0].arms
    assert (entry.role, entry.changes) == ("noise", {})
    assert not any(pair.flipped for pair in found.pairs)


def test_settings_are_laid_over_the_recorded_ones(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "careless", settings={"skip": 0.4, "passes": 2})
    plans, _ = replay(store, Changes(settings={"skip": 0.0}), "agent=careless")
    (entry,) = plans[0].arms
    assert entry.changes == {"settings": {"skip": 0.0}}
    assert entry.arm.agent.settings["passes"] == 2


def test_another_scripted_agent_starts_from_its_own_settings(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "careless", settings={"skip": 0.4})
    plans, _ = replay(store, Changes(agent="reference"), "agent=careless")
    assert plans[0].arms[0].own_settings == {}


def test_given_again_it_plays_nothing_twice_whatever_the_selection_has_come_to_hold(
    store: Path,
) -> None:
    changes = Changes(agent="hasty")  # fails again, so its replays are selected too
    _, first = replay(store, changes, "solved=no")
    count = len(rows(store))
    _, second = replay(store, changes, "solved=no")
    assert second == first
    assert len(rows(store)) == count


def test_trials_are_further_draws_of_the_agent_and_not_of_the_customer(store: Path) -> None:
    plans, found = replay(store, Changes(), "agent=hasty", trials=3)
    assert [entry.name for entry in plans[0].arms] == ["replay", "replay-2", "replay-3"]
    assert plans[0].episodes == 9
    of_one = [pair for pair in found.pairs if pair.parent == found.pairs[0].parent]
    starts = [start_of(store, pair.session or "") for pair in of_one]
    assert len({start.user_seed for start in starts}) == 1
    assert len({start.agent_seed for start in starts}) == 3


def test_a_parent_is_no_part_of_what_a_session_is(store: Path) -> None:
    record(store, "careless", limits=Limits(60, 5, 900.0), seed=11)
    plans, found = replay(store, Changes(agent="reference"), "seed=11")
    assert len(plans) == 2
    assert [pair.arm for pair in found.pairs] == ["replay"] * 6
    # Two parents of one draw that become the same have one replay, linked to the first.
    assert len({pair.session for pair in found.pairs}) == 3
    assert len(rows(store, "arm=replay")) == 3


def test_a_replay_of_an_arm_of_that_name_must_have_another(store: Path) -> None:
    replay(store, Changes(), "agent=hasty")
    with pytest.raises(InputError, match=r"itself what the arm replay would be.*--name"):
        replay(store, Changes(), "arm=replay")
    _, found = replay(store, Changes(), "arm=replay", name="again")
    assert {pair.arm for pair in found.pairs} == {"again"}
    assert all(pair.paired for pair in found.pairs)


def test_another_customer_is_another_condition_and_never_paired(store: Path) -> None:
    with Store.open(store) as opened:
        for row in list(opened.rows(parse_selection([]))):
            start, *rest = opened.events(row.id)
            assert isinstance(start, Start)
            condition = replace(start.condition, greeting="Hi.")
            moved = replace(start, session=f"{int(row.id, 16) ^ 1:016x}", condition=condition)
            opened.begin(moved, family=None, cell=f"x{row.cell}", condition="0" * 32, arm=row.arm)
            opened.append(moved.session, rest)
    _, found = replay(store, Changes(agent="reference"), "agent=hasty", name="again")
    others = [pair for pair in found.pairs if not pair.paired]
    assert len(others) == 3
    assert all("another condition" in (pair.why or "") for pair in others)
    assert all("greeting Hi." in (pair.why or "") for pair in others)
    assert not any(pair.flipped for pair in others)


def test_what_has_no_outcome_is_not_paired(store: Path) -> None:
    with Store.open(store) as opened:
        row = next(opened.rows(parse_selection(["agent=hasty"])))
        start = opened.events(row.id)[0]
        assert isinstance(start, Start)
        lost = replace(start, session="00000000000000aa", attempt=1)
        opened.begin(lost, family=None, cell=row.cell, condition=row.condition, arm=row.arm)
        end = End(seq=1, ending="infrastructure_error", rule="failure")
        opened.append(lost.session, [end])
    _, found = replay(store, Changes(agent="reference"), "00000000000000aa")
    (pair,) = found.pairs
    assert (pair.before, pair.after, pair.paired) == (None, True, False)
    assert pair.why == "the recorded session has no graded outcome"


def test_what_cannot_be_replayed_is_refused_in_a_sentence(store: Path) -> None:
    with Store.open(store, write=False) as opened:
        with pytest.raises(InputError, match="No session is selected"):
            plan_replays(opened, [], Changes())
        selected = list(opened.rows(parse_selection([])))
        for changes, words in (
            (Changes(agent="nobody"), "nobody"),
            (Changes(policy="none"), "none"),
            (Changes(settings={"moody": True}), "moody"),
            (Changes(user="nobody"), "nobody"),
        ):
            with pytest.raises(InputError, match=words):
                plan_replays(opened, selected, changes)
        unknown = [replace(row, task="[lamp]dark") for row in selected]
        with pytest.raises(InputError, match=r"cannot be replayed: its task is not known.*2 more"):
            plan_replays(opened, unknown, Changes())


def test_replays_can_be_played_in_several_processes(store: Path) -> None:
    with Store.open(store, write=False) as opened:
        found = plan_replays(opened, opened.rows(parse_selection([])), Changes(agent="careless"))
    run_plan(found.plans[0], store, workers=2, done=lambda _: None)
    assert len(rows(store, "arm=replay")) == 3


def test_an_arm_of_a_study_is_linked_to_the_baseline_that_it_replays(tmp_path: Path) -> None:
    file = StudyFile(
        "linked", list(TASKS), BaselineEntry("hasty"), arms={"other": ArmEntry("reference")}
    )
    store = tmp_path / "s.db"
    run_plan(plan_study(file), store, jobs=1, done=lambda _: None)
    base = {row.task: row.id for row in rows(store, "arm=baseline")}
    assert all(row.parent is None for row in rows(store, "arm=baseline"))
    assert {row.task: row.parent for row in rows(store, "arm=other")} == base


def test_a_replayed_customer_begins_as_the_recorded_one_did(store: Path) -> None:
    """Common random numbers: what does not depend on the agent comes out the same."""
    _, found = replay(store, Changes(agent="reference"), "agent=hasty")
    with Store.open(store, write=False) as opened:
        for pair in found.pairs:
            first = [
                next(e for e in opened.events(session) if isinstance(e, Turn))
                for session in (pair.parent, pair.session or "")
            ]
            assert len({encode(replace(t, at=None, seconds=None)) for t in first}) == 1


def test_playing_is_left_out_where_nothing_is_missing(store: Path) -> None:
    plans, _ = replay(store, Changes(agent="reference"), "agent=hasty")
    before = [row.finished_at for row in rows(store)]
    play(plans, store)
    assert [row.finished_at for row in rows(store)] == before
