"""The rules customer says nothing but what it saw: the guard must have nothing against it."""

from __future__ import annotations

import pytest

from ringback.agents import open_agent
from ringback.episode.episode import Episode
from ringback.episode.events import Start, Turn
from ringback.telecom import domain
from ringback.users import open_user
from ringback.users.guard import Candidate, Known, inspect
from tests.models_in_process import begin, play_on

TASKS = [task.id for task in domain.tasks("base")][::5]


@pytest.mark.parametrize("agent", ["reference", "careless", "hasty"])
def test_no_rule_objects_to_an_honest_customer(agent: str) -> None:
    opened, user = open_agent(agent), open_user("rules")
    against: list[tuple[str, str | None]] = []
    turns = 0
    for task in TASKS:
        events = play_on(begin(task, opened, user), opened, user)
        assert isinstance(events[0], Start)
        partial = Episode(events[0], domain)
        for event in events[1:]:
            if isinstance(event, Turn) and event.by == "user":
                turns += 1
                known = Known.of(partial.view("user"), domain.scenario(partial.task))
                found = inspect(Candidate(event.text, event.calls), known)
                against += [(finding.rule, event.text) for finding in found]
            partial.feed(event)
    assert turns > 100
    assert against == []
