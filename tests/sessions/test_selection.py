"""What people type to name sessions, and what they get."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from ringback.errors import InputError
from ringback.grading.grade import grade
from ringback.sessions import Selection, Store, parse_selection
from tests.sessions.made import begun, ended, start


def select(store: Store, *words: str) -> list[str]:
    return [row.id for row in store.rows(parse_selection(words))]


@pytest.fixture
def ids(store: Store) -> list[str]:
    """Six sessions: two arms by three trials; the last is not over, the first is graded."""
    episodes = [
        (begun if (name, trial) == ("noise", 2) else ended)(
            store, trial, name=name, agent=f"agent-{name}", task="fuse" if trial else "dark"
        )
        for name in ("base", "noise")
        for trial in range(3)
    ]
    for name in ("base", "noise"):
        cells = [
            start(t, name=name, agent=f"agent-{name}", task="fuse" if t else "dark")
            for t in range(2)
        ]
        store.join("spring", name, [hashes["cell"] for _, hashes in cells])
    store.join("", "noise", [start(2, name="noise", agent="agent-noise", task="fuse")[1]["cell"]])
    for episode, graded in ((episodes[0], True), (episodes[1], True), (episodes[3], False)):
        worth = grade(episode)
        store.save_grade(
            episode.start.session,
            worth,
            version="1",
            reward=worth.reward,
            solved=episode is episodes[1],
            graded=graded,
        )
    return [episode.start.session for episode in episodes]


def test_no_words_are_all_sessions_in_order(store: Store, ids: list[str]) -> None:
    assert select(store) == ids
    assert [row.id for row in store.rows(newest=True)] == ids[::-1]
    assert [row.id for row in store.rows(newest=True, limit=2)] == ids[:-3:-1]


def test_an_empty_store_has_no_sessions_and_that_is_no_error(store: Store) -> None:
    assert select(store) == []
    with pytest.raises(InputError, match="fits 'latest'"):
        select(store, "latest")


@pytest.mark.parametrize(
    ("words", "places"),
    [
        (["study=spring"], [0, 1, 3, 4]),
        (["study="], [5]),
        (["study=spring", "arm=noise"], [3, 4]),
        (["arm=base"], [0, 1]),
        (["task=dark"], [0, 3]),
        (["task=dark", "agent=agent-noise"], [3]),
        (["family=lamp"], [0, 1, 2, 3, 4, 5]),
        (["user=caller", "ending=user_stop"], [0, 1, 2, 3, 4]),
        (["ending=none"], [5]),
        (["solved=yes"], [1]),
        (["solved=no"], [0]),
        (["solved=unknown"], [2, 3, 4, 5]),
        (["latest"], [5]),
        (["latest", "task=dark"], [3]),
        (["latest", "ending=user_stop", "study=spring"], [4]),
    ],
)
def test_filters_intersect(
    store: Store, ids: list[str], words: list[str], places: list[int]
) -> None:
    assert select(store, *words) == [ids[place] for place in places]


def test_ids_are_united_and_filters_hold_for_all(store: Store, ids: list[str]) -> None:
    assert select(store, ids[2], ids[0], ids[2], "latest") == [ids[0], ids[2], ids[5]]
    assert select(store, ids[2], ids[0], "task=dark") == [ids[0]]


def test_the_beginning_of_an_id_is_enough_while_it_is_the_only_one(
    store: Store, ids: list[str]
) -> None:
    assert select(store, ids[4][:12].upper()) == [ids[4]]
    for trial in range(3, 20):
        begun(store, trial)
    first = {one[0] for one in select(store)}
    crowded = next(one for one in first if sum(i[0] == one for i in select(store)) > 1)
    with pytest.raises(
        InputError, match=f"The id {crowded} is the beginning of several: {crowded}"
    ):
        select(store, crowded)


def test_what_is_not_there_is_said(store: Store, ids: list[str]) -> None:
    absent = "0" * 16
    assert absent not in ids
    with pytest.raises(InputError, match=f"There is no session {absent}"):
        select(store, absent)
    with pytest.raises(InputError, match="fits 'task=burnt solved=yes'"):
        select(store, "task=burnt", "solved=yes")


def test_true_and_false_are_words_for_solved_too() -> None:
    for word, same in (("true", "yes"), ("false", "no")):
        filters = parse_selection([f"solved={word}"]).filters
        assert filters == parse_selection([f"solved={same}"]).filters


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["colour=red"], "filters by 'colour', which is not known; the filters are study, arm"),
        (["=x"], "filters by ''"),
        (["ending=happy"], "ending is one of user_stop, .*, none"),
        (["solved=perhaps"], "solved is one of yes, no, unknown"),
        (["task=a", "task=b"], "filter task is given twice"),
        (["lastest"], "'lastest' selects no session; give an id"),
        ([""], "'' selects no session"),
        (["0123456789abcdef0"], "selects no session"),
        (["abc\n"], "selects no session"),
    ],
)
def test_words_that_mean_nothing_are_refused(words: list[str], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        parse_selection(words)


def test_a_value_may_hold_an_equals_sign() -> None:
    assert parse_selection(["task=a=b"]).filters == {"task": "a=b"}
    assert parse_selection([]) == Selection()
    assert parse_selection([]).everything


def test_rows_are_paged_without_loss(store: Store) -> None:
    for trial in range(1203):
        opened, hashes = start(trial)
        store.begin(opened, **hashes)
    assert [row.trial for row in store.rows()] == list(range(1203))
    assert [row.trial for row in store.rows(newest=True)] == list(range(1203))[::-1]
    assert len(list(store.rows(limit=700))) == 700
    assert len(list(store.rows(parse_selection(["task=dark"])))) == 1203


def test_rows_can_be_read_while_others_are_written(store: Store) -> None:
    for trial in range(3):
        begun(store, trial)
    seen = 0
    for seen, _ in enumerate(store.rows(), 1):
        if seen <= 3:
            begun(store, seen + 100)
    assert seen == 3


def test_operators_are_selected_by_their_names(store: Store) -> None:
    found = {
        name: [ended(store, trial, name=name, agent="operator", called=name) for trial in range(2)]
        for name in ("Ada", "Bob")
    }
    ended(store, 5, agent="other", called="Ada")
    ids = {name: [each.start.session for each in some] for name, some in found.items()}
    for name, some in ids.items():
        assert select(store, f"as={name}") == some
        assert select(store, "latest", f"as={name}") == some[-1:]
        assert select(store, f"as={name}", "trial=0") == some[:1]
    assert select(store, ids["Ada"][0], "as=Ada") == ids["Ada"][:1]
    assert store.values("as") == ["Ada", "Bob"]
    assert store.values("as", most=1) == ["Ada"]
    with pytest.raises(InputError, match="fits 'as=ada'"):
        select(store, "as=ada")


def test_an_operator_is_found_where_the_first_of_their_sessions_cannot_be_read(
    store: Store,
) -> None:
    ids = [ended(store, trial, agent="operator", called="Ada").start.session for trial in range(3)]
    with closing(sqlite3.connect(store.path)) as file, file:
        file.execute("UPDATE events SET body = x'00' WHERE seq = 0 AND session = 1")
    file.close()
    assert select(store, "as=Ada") == ids
