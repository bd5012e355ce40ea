"""A grade is the checks, then the rule of the ending."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from ringback.episode.episode import Episode
from ringback.episode.events import Call, Draw, Limits, Setup
from ringback.episode.identity import arm, condition, opening
from ringback.episode.participants import InfrastructureFailure, Reply, View
from ringback.episode.run import play
from ringback.episode.seeds import Stream
from ringback.grading.grade import Grade, grade
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
