"""Whole episodes: the customer with the agent that follows the policy, in its words and others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from ringback.agents import AGENTS, open_agent
from ringback.domain import Task
from ringback.episode.episode import Episode
from ringback.episode.events import Draw, Limits, Turn
from ringback.episode.identity import arm, condition, opening
from ringback.episode.participants import AgentBrief, Participant, UserBrief
from ringback.episode.run import play
from ringback.grading.grade import grade
from ringback.telecom import domain
from ringback.users import open_user
from tests.agents.calls import play_call
from tests.users.paraphrase import STYLES, Paraphrased, say_otherwise

POLICY = domain.policies[0]
SAMPLE = domain.tasks("full")[::61]


def run(task: Task, words: Callable[[Participant], Participant]) -> Episode:
    agent, user = open_agent("reference"), open_user("rules")
    start = opening(
        domain,
        condition(domain, user.setup, Limits()),
        arm(domain, agent.setup, POLICY),
        "reference",
        Draw(task.id, 0, 0),
    )
    episode = Episode(start, domain)
    brief = AgentBrief(domain.name, POLICY, domain.policy(POLICY), domain.tools("agent"))
    caller = UserBrief(domain.name, domain.scenario(task), domain.tools("user"))
    asyncio.run(
        play(episode, words(agent.take(brief)), user.take(caller), commit=lambda _, __: None)
    )
    return episode


@pytest.mark.parametrize("style", [None, *STYLES])
def test_a_sample_is_solved_however_the_agent_words_it(style: str | None) -> None:
    unsolved = {
        task.id: str(episode.end)
        for task in SAMPLE
        if not grade(
            episode := run(task, lambda agent: Paraphrased(agent, style) if style else agent)
        ).solved
    }
    assert unsolved == {}


def test_the_figures_of_the_decision_on_the_agents_are_todays() -> None:
    page = Path(__file__).parents[2] / "docs" / "decisions" / "0006-reference-agent.md"
    stated = " ".join(page.read_text("utf-8").split()).partition("holds these figures): ")[2]
    user = open_user("rules")
    for name in AGENTS:
        agent = open_agent(name)
        grades = [
            grade(play_call(task, agent, user, seed=1, arm=name)) for task in domain.tasks("test")
        ]
        assert f"{name} {sum(found.solved is True for found in grades)}" in stated.partition(".")[0]
        if name == "reference":
            assert [found.verdict.conduct for found in grades] == [()] * len(grades)


@pytest.mark.parametrize("style", STYLES)
def test_the_styles_do_change_the_words(style: str) -> None:
    said = [
        event.text
        for task in SAMPLE[:8]
        for event in run(task, lambda agent: agent).view("agent").events
        if isinstance(event, Turn) and event.by == "agent" and event.text
    ]
    changed = sum(say_otherwise(text, style) != text for text in said)
    assert changed > len(said) / 3
