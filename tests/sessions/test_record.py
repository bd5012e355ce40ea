"""What is recorded comes back, in order, whole, and with its row kept true."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ringback.canonical import Json
from ringback.episode.episode import Episode
from ringback.episode.events import Note, Results, Turn
from ringback.episode.protocol import ProtocolError
from ringback.errors import InputError, StoreError
from ringback.grading.grade import Grade, grade
from ringback.sessions import Store, default_path
from tests.lamp import LAMP
from tests.sessions.made import CALL, begun, ended, start, turn


def test_a_session_comes_back_as_its_events(store: Store) -> None:
    episode = ended(store)
    events = store.events(episode.start.session)
    assert events == episode.events
    assert Episode.from_events(events, LAMP).world.digest() == episode.world.digest()


def test_a_row_knows_the_start_at_once_and_the_end_when_it_is_there(store: Store) -> None:
    episode = begun(store, trial=3, name="noise", agent="someone")
    row = store.row(episode.start.session)
    assert (row.task, row.family, row.trial, row.seed) == ("dark", "lamp", 3, 7)
    assert (row.domain, row.agent, row.user, row.arm_name) == ("lamp", "someone", "caller", "noise")
    assert (row.created_at, row.ending, row.steps, row.seconds) == (103.0, None, None, None)
    turn(store, episode)
    assert store.row(row.id).ending is None
    store.append(row.id, episode.finish("max_steps", "steps", at=300.0))
    row = store.row(row.id)
    assert (row.ending, row.steps, row.errors) == ("max_steps", 2, 0)
    assert (row.seconds, row.finished_at) == (0.5, 300.0)


def test_the_same_attempt_begins_once(store: Store) -> None:
    opened, hashes = start()
    assert store.begin(opened, **hashes)
    assert not store.begin(opened, **hashes)
    assert len(store.events(opened.session)) == 1


def test_a_second_attempt_counts_and_the_first_is_kept(store: Store) -> None:
    first = begun(store)
    store.append(first.start.session, first.finish("infrastructure_error", "failure"))
    second = begun(store, attempt=1)
    _, hashes = start()
    latest = store.latest([hashes["cell"], "no such cell"])
    assert list(latest) == [hashes["cell"]]
    assert latest[hashes["cell"]].id == second.start.session
    assert len(list(store.rows())) == 2
    assert [row.attempt for row in store.rows(counting=True)] == [1]


def test_events_out_of_turn_are_refused_and_nothing_of_them_is_kept(store: Store) -> None:
    episode = begun(store)
    session = episode.start.session
    with pytest.raises(ProtocolError, match="out of turn"):
        store.append(session, [Turn(seq=1, by="agent", text="me first")])
    with pytest.raises(ProtocolError, match="number 1 belongs"):
        store.append(session, [Turn(seq=2, by="user", text="a gap")])
    with pytest.raises(ProtocolError):
        store.append(
            session, [Turn(seq=1, by="user", text="hello"), Turn(seq=2, by="user", text="again")]
        )
    assert len(store.events(session)) == 1
    turn(store, episode)
    assert [type(event) for event in store.events(session)[1:]] == [Turn, Results]


def test_nothing_follows_the_end(store: Store) -> None:
    episode = ended(store)
    late = Note(seq=len(episode.events), cause=0, what="late")
    with pytest.raises(ProtocolError, match="follows the end"):
        store.append(episode.start.session, [late])


def test_appending_nothing_is_nothing(store: Store) -> None:
    episode = begun(store)
    store.append(episode.start.session, [])
    assert len(store.events(episode.start.session)) == 1


def test_an_unknown_session_is_said(store: Store) -> None:
    for ask in (store.events, store.row, store.claim, store.holder):
        with pytest.raises(InputError, match="There is no session 0123"):
            ask("0123")
    with pytest.raises(InputError, match="There is no session 0123"):
        store.append("0123", [Turn(seq=1, by="user", text="hello")])


def test_grades_are_kept_by_version_and_the_last_saved_shows(store: Store) -> None:
    episode = ended(store)
    session = episode.start.session
    assert store.grade(session, Grade) is None
    first = grade(episode)
    for version in ("1", "2", "2"):
        store.save_grade(
            session,
            replace(first, reward=float(version)),
            version=version,
            reward=float(version),
            solved=version == "2",
            graded=True,
        )
    row = store.row(session)
    assert (row.grader, row.reward, row.solved, row.graded) == ("2", 2.0, True, True)
    kept = store.grade(session, Grade)
    assert kept is not None
    assert kept == replace(first, reward=2.0)
    older = store.grade(session, Grade, version="1")
    assert older is not None
    assert older.reward == 1.0
    assert store.grade(session, Grade, version="3") is None
    assert list(store.grades([session, "0123"])) == [session]


def test_a_cell_can_belong_to_several_studies(store: Store) -> None:
    episode = begun(store, name="base")
    _, hashes = start()
    for study in ("spring", "autumn"):
        store.join(study, "base", [hashes["cell"], "planned only"])
        store.join(study, "base", [hashes["cell"], "and another"])
    members = store.members("spring")
    assert {member.cell for member in members} == {hashes["cell"], "planned only", "and another"}
    assert len(members) == 3
    [known] = [member for member in members if member.condition is not None]
    assert (known.cell, known.condition) == (hashes["cell"], hashes["condition"])
    assert known.arm == store.row(episode.start.session).arm
    assert store.members("spring", begun=True) == [known]
    assert store.joined("spring", "base", [hashes["cell"], "never"]) == {hashes["cell"]}
    assert store.members("winter") == []


def test_a_closed_store_says_so(path: Path) -> None:
    with Store.open(path) as store:
        session = begun(store).start.session
    with pytest.raises(ValueError, match="closed"):
        store.events(session)
    store.close()


def test_the_path_is_the_environments_or_the_usual_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RINGBACK_STORE", raising=False)
    assert default_path() == Path(".ringback/ringback.db")
    monkeypatch.setenv("RINGBACK_STORE", "/elsewhere/it.db")
    assert default_path() == Path("/elsewhere/it.db")


TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
DETAILS: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(-1e9, 1e9) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(what=TEXTS, detail=DETAILS)
def test_any_text_comes_back_as_it_was(store: Store, what: str, detail: Json) -> None:
    opened, hashes = start()
    store.begin(opened, **hashes)
    seq = len(store.events(opened.session))
    store.append(opened.session, [Note(seq=seq, cause=0, what=what, detail=detail)])
    assert store.events(opened.session)[seq] == Note(seq=seq, cause=0, what=what, detail=detail)


@pytest.mark.parametrize(
    "text", ["\x00", "\x1b]0;title\x07\x1b[2J", "<script>alert(1)</script>", "é" * 2_000_000]
)
def test_hostile_text_is_only_text(store: Store, text: str) -> None:
    episode = begun(store)
    note = Note(seq=1, cause=0, what=text)
    store.append(episode.start.session, [note])
    assert store.events(episode.start.session)[1] == note


def test_half_a_surrogate_pair_is_refused_and_the_store_goes_on(store: Store) -> None:
    episode = begun(store)
    session = episode.start.session
    with pytest.raises(StoreError, match="surrogate"):
        store.append(session, [Note(seq=1, cause=0, what="\ud800")])
    with pytest.raises(StoreError, match="surrogate"):
        store.join("\udcff", "base", ["cell"])
    turn(store, episode, CALL)
    assert len(store.events(session)) == 3


def test_a_seed_that_no_database_holds_is_refused(store: Store) -> None:
    opened, hashes = start()
    huge = replace(opened, draw=replace(opened.draw, seed=2**70))
    with pytest.raises(StoreError, match="64 bits"):
        store.begin(huge, **hashes)
    assert list(store.rows()) == []
