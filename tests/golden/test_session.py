"""One whole session, event by event, as it stands in the record.

To accept a change that is meant: ``.venv/bin/python -m tests.golden.test_session``.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from msgspec.structs import replace

from ringback.agents import open_agent
from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.events import AnyEvent, Draw, Limits, decode, encode
from ringback.episode.identity import arm, condition, opening
from ringback.episode.participants import AgentBrief, UserBrief
from ringback.episode.run import play
from ringback.grading.grade import grade
from ringback.users import open_user

GOLDEN = Path(__file__).parent / "session.jsonl"
TASK = "[mms_issue]airplane_mode_on|break_app_both_permissions[PERSONA:Hard]"


class Clock:
    """Half a second a look, from a fixed day."""

    def __init__(self) -> None:
        self.looks = 0

    def now(self) -> float:
        return 1_740_000_000.0 + self.looks / 2

    def monotonic(self) -> float:
        self.looks += 1
        return self.looks / 2


def session() -> list[AnyEvent]:
    domain, agent, user = load("telecom"), open_agent("reference"), open_user("rules")
    policy = domain.policies[0]
    start = opening(
        domain,
        condition(domain, user.setup, Limits()),
        arm(domain, agent.setup, policy),
        "reference",
        Draw(TASK, 0, 0),
        at=1_740_000_000.0,
    )
    episode = Episode(replace(start, versions={}), domain)
    asked = AgentBrief(domain.name, policy, domain.policy(policy), domain.tools("agent"))
    caller = UserBrief(domain.name, domain.scenario(episode.task), domain.tools("user"))
    asyncio.run(play(episode, agent.take(asked), user.take(caller), lambda _, __: None, Clock()))
    return episode.events


def lines(events: list[AnyEvent]) -> str:
    return "".join(encode(event).decode() + "\n" for event in events)


def test_the_session_is_as_it_was_to_the_byte() -> None:
    assert lines(session()) == GOLDEN.read_text("utf-8")


def test_the_recorded_session_still_holds_in_this_world() -> None:
    events = [decode(line) for line in GOLDEN.read_text("utf-8").splitlines()]
    episode = Episode.from_events(events, load("telecom"))
    assert episode.divergences == []
    assert grade(episode).reward == 1.0


if __name__ == "__main__":
    GOLDEN.write_text(lines(session()), "utf-8")
