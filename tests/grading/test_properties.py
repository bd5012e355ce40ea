"""What holds of every failure, on whole calls of scripted agents and on every beginning of one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ringback.agents import open_agent
from ringback.domain import Sign
from ringback.episode.episode import Episode
from ringback.episode.events import ENDINGS, End
from ringback.episode.participants import Reply
from ringback.grading.blame import BLAMES
from ringback.grading.grade import Grade, grade
from ringback.telecom import domain
from tests.agents.calls import play_call
from tests.agents.customer import Customer
from tests.grading.test_grade import episode as lamp_call
from tests.lamp import LAMP

TASKS = list(domain.tasks("full"))[::457]
AGENTS = ("reference", "careless", "hasty", "transfer-at-once", "do-nothing")


def held(episode: Episode) -> Grade:
    found = grade(episode)
    assert (found.failure is None) is (found.solved is True)
    if found.failure is not None:
        seqs = {event.seq for event in episode.events}
        assert found.failure.blame in BLAMES
        assert found.failure.seq in seqs
        assert {sign.seq for sign in found.failure.kinds} <= seqs
        kinds = [sign.kind for sign in found.failure.kinds]
        assert len(kinds) == len({*kinds})
    assert grade(Episode.from_events(episode.events, episode.domain)) == found
    return found


def calls(agent: str) -> Iterator[Episode]:
    for task in TASKS:
        yield play_call(task, open_agent(agent), Customer("prose"))


@pytest.mark.parametrize("agent", AGENTS)
def test_a_whole_call_is_laid_to_somebody_exactly_where_it_was_not_solved(agent: str) -> None:
    for episode in calls(agent):
        assert held(episode).failure is None or agent != "reference"


def test_every_beginning_can_be_cut_off_in_every_way() -> None:
    whole = next(calls("careless")).events
    for length in range(1, len(whole)):
        for ending in ENDINGS:
            end = End(seq=length, ending=ending, rule="cut")
            held(Episode.from_events([*whole[:length], end], domain))


def test_a_domain_that_finds_no_signs_is_blamed_by_the_record_alone() -> None:
    assert not hasattr(LAMP, "diagnose")
    failure = held(lamp_call(last=ValueError("broken"))).failure
    assert failure is not None
    assert failure.blame == "simulator"
    assert [type(sign) for sign in failure.kinds] == [Sign]


def test_what_the_record_does_not_show_is_undecided() -> None:
    whole = lamp_call(last=Reply("Light. ###STOP###")).events
    cut = Episode.from_events([*whole[:4], End(seq=4, ending="user_stop", rule="stop")], LAMP)
    failure = held(cut).failure
    assert failure is not None
    assert (failure.blame, failure.kinds) == ("undecided", ())
