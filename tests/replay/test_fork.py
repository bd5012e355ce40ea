"""A fork: world and conversation exactly as they stood, and then someone else goes on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.events import AnyEvent, Forked, ModelCall, Note, Results, Start, Turn
from ringback.episode.identity import condition_hash
from ringback.episode.wire import Answer, Price, Request, Usage
from ringback.episode.wire import recorded as recorded_request
from ringback.errors import InputError
from ringback.grading.grade import Grade
from ringback.replay.changes import Changes
from ringback.replay.fork import fork_sessions, plan_forks
from ringback.replay.places import at_event, at_failure, at_step
from ringback.sessions import Store, parse_selection, spent
from ringback.study.results import results
from tests.replay.stores import TASKS, fork, record, rows

REFERENCE = Changes(agent="reference")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("fork") / "s.db"
    record(store)
    return store


@pytest.fixture
def store(recorded: Path, tmp_path: Path) -> Path:
    target = tmp_path / "s.db"
    target.write_bytes(recorded.read_bytes())
    return target


def events(store: Path, session: str) -> list[AnyEvent]:
    with Store.open(store, write=False) as opened:
        return opened.events(session)


def test_everything_before_the_place_is_taken_over_as_it_stands(store: Path) -> None:
    _, found = fork(store, at_step(9), REFERENCE, "agent=hasty")
    assert len(found.pairs) == 3
    for pair in found.pairs:
        assert pair.session is not None
        before, after = events(store, pair.parent), events(store, pair.session)
        start = after[0]
        assert isinstance(start, Start)
        assert start.condition.forked is not None
        place = start.condition.forked.seq
        assert start.condition.forked == Forked(pair.parent, place)
        assert start.parent == pair.parent
        assert after[1:place] == before[1:place]
        note = after[place]
        assert isinstance(note, Note)
        assert note.detail == {"session": pair.parent, "event": place}
        then = [Episode.from_events(each[:place], load()) for each in (before, after)]
        assert then[0].world.digest() == then[1].world.digest()
        assert then[0].position == then[1].position
        assert [v.events for v in (then[0].view("agent"), then[0].view("user"))] == [
            v.events for v in (then[1].view("agent"), then[1].view("user"))
        ]


def test_whoever_goes_on_can_save_what_the_other_would_have_lost(store: Path) -> None:
    _, found = fork(store, at_failure, REFERENCE, "solved=no")
    assert [(pair.before, pair.after) for pair in found.pairs] == [(False, True)] * 2
    _, found = fork(store, at_failure, Changes(), "agent=hasty", "solved=no", name="same")
    assert [(pair.before, pair.after) for pair in found.pairs] == [(False, False)] * 2


def test_a_fork_is_of_a_condition_of_its_own_and_never_paired(store: Path) -> None:
    _, found = fork(store, at_step(9), REFERENCE, "agent=hasty")
    assert not any(pair.paired for pair in found.pairs)
    conditions = {row.id: row.condition for row in rows(store)}
    assert len(set(conditions.values())) == 4  # the recorded one, and one for each place
    for row in rows(store, "arm=fork"):
        start = events(store, row.id)[0]
        assert isinstance(start, Start)
        assert condition_hash(start.condition) == row.condition
        fresh = replace(start.condition, forked=None)
        assert condition_hash(fresh) in conditions.values()


def test_forks_from_one_place_share_a_condition(store: Path) -> None:
    session = rows(store, TASKS_FIRST)[0].id
    fork(store, at_step(9), REFERENCE, session)
    fork(store, at_step(9), Changes(agent="careless"), session, name="other")
    fork(store, at_step(5), REFERENCE, session, name="earlier")
    of = {row.arm_name: row.condition for row in rows(store, TASKS_FIRST)}
    assert of["fork"] == of["other"]
    assert of["earlier"] != of["fork"]


TASKS_FIRST = f"task={TASKS[0]}"


def test_given_again_it_forks_the_same_and_plays_nothing(store: Path) -> None:
    same = Changes()  # fails again, so that the forks are selected too
    _, first = fork(store, at_failure, same, "solved=no")
    count = len(rows(store))
    _, second = fork(store, at_failure, same, "solved=no")
    assert (second, len(rows(store))) == (first, count)


def test_a_fork_can_be_forked_under_another_name(store: Path) -> None:
    _, found = fork(store, at_step(9), REFERENCE, TASKS_FIRST)
    (first,) = found.pairs
    assert first.session is not None
    _, found = fork(store, at_step(12), Changes(), first.session, name="again")
    (second,) = found.pairs
    assert (second.parent, second.after) == (first.session, True)


def test_a_turn_is_cut_whole_with_all_that_led_to_it(store: Path) -> None:
    with Store.open(store, write=False) as opened:
        for row in opened.rows(parse_selection(["agent=hasty"])):
            found = opened.events(row.id)
            grade = opened.grade(row.id, Grade)
            turns = [event for event in found if isinstance(event, Turn)]
            for event in found[1:-1]:
                place = at_event(event.seq)(found, grade)
                assert isinstance(found[place], Turn)
                if isinstance(event, Results):
                    assert place == event.turn
            assert at_step(1)(found, grade) == turns[0].seq
            with pytest.raises(InputError, match="is its end"):
                at_event(found[-1].seq)(found, grade)
            with pytest.raises(InputError, match="no step 999"):
                at_step(999)(found, grade)


@pytest.mark.parametrize("step", [1, 2, 3, 8])
def test_it_can_begin_anywhere_and_be_taken_up_again(store: Path, step: int) -> None:
    _, found = fork(store, at_step(step), REFERENCE, "agent=hasty")
    for pair in found.pairs:
        assert pair.session is not None
        whole = events(store, pair.session)
        again = Episode.from_events(whole, load())
        assert again.divergences == []
        assert again.end is not None


def test_in_a_changed_world_the_calls_are_run_again_and_what_differs_is_said(store: Path) -> None:
    """As if the world had changed since: another version, other states, other words."""
    session = rows(store, TASKS_FIRST)[0].id
    was = _older(store, session)
    with Store.open(store, write=False) as opened:
        (plan,) = plan_forks(opened, [opened.row(was)], at_step(9), REFERENCE).plans
    (point,) = plan.points
    assert point.divergences > 0
    _, found = fork(store, at_step(9), REFERENCE, was)
    (pair,) = found.pairs
    assert pair.after is True
    assert pair.session is not None
    after = events(store, pair.session)
    note = next(event for event in after if isinstance(event, Note) and event.what == "forked")
    assert isinstance(note.detail, dict)
    assert note.detail["divergences"] == point.divergences
    assert "recorded" in str(note.detail["differs"])
    assert Episode.from_events(after, load()).divergences == []
    texts = [e.results[0].text for e in after if isinstance(e, Results)]
    assert "words of an older world" not in texts


def _older(store: Path, session: str) -> str:
    """The session as an older version of the world would have recorded it."""
    found = events(store, session)
    start = found[0]
    assert isinstance(start, Start)
    condition = replace(start.condition, world="0")
    old = replace(start, session="00000000000000aa", condition=condition, world="1" * 32)
    others: Sequence[AnyEvent] = [
        replace(
            event,
            results=tuple(
                replace(result, text="words of an older world", world="2" * 32)
                for result in event.results
            ),
        )
        if isinstance(event, Results)
        else event
        for event in found[1:]
    ]
    with Store.open(store) as opened:
        row = opened.row(session)
        opened.begin(
            old, family=row.family, cell="old", condition=condition_hash(condition), arm=row.arm
        )
        opened.append(old.session, others)
    return old.session


def test_what_was_taken_over_costs_nothing_again(store: Path) -> None:
    found = events(store, rows(store)[0].id)
    start = found[0]
    assert isinstance(start, Start)
    request, _ = recorded_request(Request("Be kind.", ()), None)
    answer = Answer(None, "m", 1.0, Usage(), Price(0.5, "a list"))
    call = ModelCall(seq=1, cause=0, by="agent", model="m", request=request, answer=answer)
    assert spent([start, call])["agent"].calls == 1
    condition = replace(start.condition, forked=Forked("00000000000000aa", 2))
    assert spent([replace(start, condition=condition), call]) == {}


def test_the_library_forks_sessions_by_their_events(store: Path) -> None:
    with Store.open(store, write=False) as opened:
        places: dict[str, int] = {}
        for row in opened.rows(parse_selection(["solved=no"])):
            failure = (opened.grade(row.id, Grade) or pytest.fail("no grade")).failure
            assert failure is not None
            places[row.id] = failure.seq
    forks = fork_sessions(store, places, REFERENCE)
    assert [(row.parent, row.solved) for row in forks] == [(one, True) for one in places]
    with pytest.raises(InputError, match="cannot be forked: it has no turn at event 9999"):
        fork_sessions(store, dict.fromkeys(places, 9999), REFERENCE)


def test_figures_of_fresh_episodes_do_not_see_forks(store: Path) -> None:
    plan = record(store)
    with Store.open(store, write=False) as opened:
        before = results(plan, opened, "")
    fork(store, at_failure, REFERENCE, "agent=hasty", "solved=no", name="hasty")
    with Store.open(store, write=False) as opened:
        assert results(plan, opened, "") == before
