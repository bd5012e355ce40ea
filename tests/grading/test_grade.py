"""A grade is the checks, then the rule of the ending."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from ringback.episode.episode import Episode
from ringback.episode.events import Call, Draw, End, Ending, Limits, Origin, Setup
from ringback.episode.identity import arm, condition, opening
from ringback.episode.participants import InfrastructureFailure, Reply, View
from ringback.episode.run import play
from ringback.episode.seeds import Stream
from ringback.grading.grade import Grade, grade, is_told
from tests.lamp import LAMP


def episode(*, limits: Limits | None = None, last: Reply | Exception) -> Episode:
    shared = condition(LAMP, Setup("u", "1"), limits or Limits())
    start = opening(LAMP, shared, arm(LAMP, Setup("a", "1"), "short"), "a", Draw("dark", 0, 0))
    call = Episode(start, LAMP)

    class User:
        async def act(self, view: View, random: Stream) -> Reply:
            match len(view.events):
                case 0:
                    return Reply("It is dark.")
                case 2:
                    return Reply(calls=(Call("flip_switch", {}),))
                case _:
                    if isinstance(last, Exception):
                        raise last
                    return last

    class Agent:
        async def act(self, view: View, random: Stream) -> Reply:
            if len(view.events) == 1:
                return Reply(calls=(Call("set_fuse", {}),))
            return Reply("Flip it.")

    asyncio.run(play(call, Agent(), User(), lambda _, __: None))
    return call


@pytest.mark.parametrize(
    ("last", "limits", "ending", "reward", "graded"),
    [
        (Reply("Light. ###STOP###"), None, "user_stop", 1.0, True),
        (Reply("Still here."), Limits(steps=8), "max_steps", 0.0, True),
        (ValueError("broken"), None, "user_error", 0.0, True),
        (InfrastructureFailure("down"), None, "infrastructure_error", None, False),
    ],
)
def test_the_ending_rules_and_every_check_is_there(
    last: Any, limits: Limits | None, ending: str, reward: float | None, graded: bool
) -> None:
    result = grade(episode(last=last, limits=limits))
    assert (result.ending, result.reward, result.graded) == (ending, reward, graded)
    assert result.solved is (None if reward is None else reward == 1.0)
    assert (result.strict is None) is (reward is None)
    assert [check.met for check in result.verdict.end] == [True]
    assert [check.met for check in result.verdict.actions] == [True]


def test_a_grade_survives_storage() -> None:
    result = grade(episode(last=Reply("Light. ###STOP###")))
    assert msgspec.json.decode(msgspec.json.encode(result), type=Grade) == result


def test_versions_are_stamped() -> None:
    versions = grade(episode(last=Reply("Light. ###STOP###"))).versions
    assert {"ringback", "world", "grader"} <= versions.keys()


def test_an_episode_that_goes_on_has_no_grade() -> None:
    whole = episode(last=Reply("Light. ###STOP###"))
    with pytest.raises(ValueError, match="not ended"):
        grade(Episode.from_events(whole.events[:-1], LAMP))


@pytest.mark.parametrize(
    ("ending", "reward", "blamed"),
    [
        ("user_stop", None, None),
        ("agent_stop", None, None),
        ("max_steps", 0.0, None),
        ("too_many_errors", 0.0, None),
        ("agent_error", 0.0, None),
        ("infrastructure_error", None, "infrastructure"),
    ],
)
def test_of_a_recording_without_a_message_the_ending_alone_is_known(
    ending: Ending, reward: float | None, blamed: str | None
) -> None:
    start = episode(last=Reply("Light. ###STOP###")).start
    end = End(seq=1, at=None, ending=ending, rule=ending, why=None)
    ours = Episode.from_events([start, end], LAMP)
    assert is_told(ours.start, ours.events)
    assert grade(ours).verdict.end
    theirs = replace(start, origin=Origin("tau2", "f.json", 0, "d"), session="0" * 16)
    call = Episode.from_events([theirs, end], LAMP)
    assert not is_told(call.start, call.events)
    found = grade(call)
    assert (found.reward, found.strict, found.graded) == (reward, reward, reward is not None)
    assert found.solved is (None if reward is None else False)
    assert (found.verdict.end, found.verdict.actions, found.verdict.conduct) == ((), (), ())
    assert (found.failure.blame if found.failure else None) == blamed
    if found.failure:
        assert {sign.kind for sign in found.failure.kinds} == {"infrastructure"}
