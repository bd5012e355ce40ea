"""Replays and forks with models: what was changed must show, the customer must be the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ringback.episode.events import ModelCall
from ringback.models import ModelEntry, Models
from ringback.models.protocol import PriceEntry
from ringback.replay.changes import Changes
from ringback.replay.places import at_step
from ringback.sessions import Store, named_contents, requests
from ringback.study.overrides import OverrideNotShown
from ringback.study.proof import UnequalUsers
from ringback.testing import ChaosServer, played_by
from tests.replay.stores import TASKS, fork, record, replay, rows

KEY = "REPLAY_KEY"
RULE = "Before you hand a call over, say what is left."


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(KEY, "k")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


@pytest.fixture(scope="module")
def hasty() -> Iterator[ChaosServer]:
    with ChaosServer(played_by("hasty"), model="m-1") as server:
        yield server


@pytest.fixture(scope="module")
def reference() -> Iterator[ChaosServer]:
    with ChaosServer(played_by("reference"), model="m-2") as server:
        yield server


@pytest.fixture(scope="module")
def caller() -> Iterator[ChaosServer]:
    with ChaosServer(played_by("rules"), model="c-1") as server:
        yield server


def models(**servers: ChaosServer) -> Models:
    return Models(
        {
            name: ModelEntry(
                f"openai:{server.model}",
                base_url=server.base_url,
                key_env=KEY,
                price=PriceEntry(1.0, 1.0),
            )
            for name, server in servers.items()
        }
    )


def recorded(tmp_path: Path, opened: Models, **more: object) -> Path:
    store = tmp_path / "s.db"
    record(store, "one", tasks=[TASKS[0]], models=opened, **more)
    return store


def test_another_model_takes_the_settings_over_and_is_shown(
    tmp_path: Path, hasty: ChaosServer, reference: ChaosServer
) -> None:
    opened = models(one=hasty, two=reference)
    store = recorded(tmp_path, opened, settings={"model": {"temperature": 0.5}})
    plans, found = replay(store, Changes(agent="two"), "agent=one", models=opened)
    (entry,) = plans[0].arms
    assert entry.arm.agent.settings["model"] == {"temperature": 0.5}
    assert entry.changes["agent"] == "two"
    (pair,) = found.pairs
    assert (pair.before, pair.after, pair.paired) == (False, True, True)
    assert found.notes == ()


def test_a_setting_is_laid_over_those_of_the_model_and_the_rest_stays(
    tmp_path: Path, hasty: ChaosServer
) -> None:
    opened = models(one=hasty)
    store = recorded(tmp_path, opened, settings={"model": {"temperature": 0.5, "top_p": 0.9}})
    changes = Changes(settings={"model": {"temperature": 0}})
    plans, _ = replay(store, changes, "agent=one", models=opened)
    assert plans[0].arms[0].arm.agent.settings["model"] == {"temperature": 0, "top_p": 0.9}


def test_a_rule_is_appended_and_its_facts_are_told(tmp_path: Path, hasty: ChaosServer) -> None:
    opened = models(one=hasty)
    store = recorded(tmp_path, opened)
    changes = Changes(settings={"instructions_append": RULE})
    _, found = replay(store, changes, "agent=one", models=opened)
    (note,) = found.notes
    assert "after the baseline was run" in note
    assert "It names no task" in note
    (row,) = rows(store, "arm=replay")
    with Store.open(store, write=False) as there:
        events = there.events(row.id)
        asked = list(requests(events, there.contents(named_contents(events))))
    assert asked
    assert all(request.system.count(RULE) == 1 for _, request in asked)


def test_what_does_not_show_fails_loudly(tmp_path: Path, hasty: ChaosServer) -> None:
    opened = models(one=hasty, two=hasty)
    opened_two = Models(
        {
            name: ModelEntry(f"openai:{wire}", base_url=hasty.base_url, key_env=KEY)
            for name, wire in (("one", "m-1"), ("two", "m-2"))
        }
    )
    store = recorded(tmp_path, opened)
    with pytest.raises(OverrideNotShown, match="both were answered by m-1"):
        replay(store, Changes(agent="two"), "agent=one", models=opened_two)
    dropped = Changes(settings={"model": {"top_k": 2}})
    with pytest.raises(OverrideNotShown, match="went without top_k"):
        replay(store, dropped, "agent=one", name="dropped", models=opened)


def test_a_provider_that_answers_by_another_name_is_noted(
    tmp_path: Path, hasty: ChaosServer, reference: ChaosServer
) -> None:
    opened = models(one=hasty, two=reference)
    store = recorded(tmp_path, opened)
    reference.faults = {"wrong_model": 0.4}
    try:
        _, found = replay(store, Changes(agent="two"), "agent=one", models=opened)
    finally:
        reference.faults = {}
    assert any("answered by another-model" in note for note in found.notes)


def test_a_customer_that_is_answered_by_another_model_by_now_is_not_compared(
    tmp_path: Path, caller: ChaosServer
) -> None:
    opened = models(caller=caller)
    store = tmp_path / "s.db"
    record(store, "hasty", tasks=[TASKS[0]], models=opened, user="caller")
    _, found = replay(store, Changes(agent="reference"), "agent=hasty", models=opened)
    assert [pair.paired for pair in found.pairs] == [True]
    caller.model = "c-of-tomorrow"
    try:
        with pytest.raises(UnequalUsers, match="c-of-tomorrow"):
            replay(store, Changes(agent="careless"), "agent=hasty", name="late", models=opened)
    finally:
        caller.model = "c-1"


def test_a_fork_keeps_the_calls_that_led_there_and_pays_for_its_own_alone(
    tmp_path: Path, hasty: ChaosServer, reference: ChaosServer
) -> None:
    opened = models(one=hasty, two=reference)
    store = recorded(tmp_path, opened)
    asked = len(reference.log)
    _, found = fork(store, at_step(10), Changes(agent="two"), "agent=one", models=opened)
    (pair,) = found.pairs
    assert (pair.before, pair.after) == (False, True)
    assert pair.session is not None
    with Store.open(store, write=False) as there:
        events = there.events(pair.session)
        spent = there.spent([pair.session])[pair.session]["agent"]
        calls = [event for event in events if isinstance(event, ModelCall)]
        own = [call for call in calls if call.model == "two"]
        taken = [call for call in calls if call.model == "one"]
        assert taken
        assert max(call.seq for call in taken) < min(call.seq for call in own)
        assert spent.calls == len(own) == len(reference.log) - asked
        # Each request comes back to the letter, those that were taken over too.
        assert len(list(requests(events, there.contents(named_contents(events))))) == len(calls)
    assert found.notes == ()
