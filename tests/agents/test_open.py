"""The registry, and what its agents are for."""

from __future__ import annotations

import pytest

from ringback.agents import AGENTS, open_agent
from ringback.domain import Task
from ringback.episode.episode import Episode
from ringback.errors import InputError
from ringback.grading.grade import grade
from ringback.telecom import domain
from ringback.users import open_user
from tests.agents.calls import calls_of, play_call
from tests.agents.customer import Customer

TEST = tuple(domain.tasks("test"))


def test_the_names() -> None:
    assert AGENTS == ("reference", "hasty", "careless", "transfer-at-once", "do-nothing")
    for name in AGENTS:
        assert open_agent(name).setup.name == name


def test_an_unknown_agent_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        InputError, match="reference, hasty, careless, transfer-at-once, do-nothing"
    ):
        open_agent("gpt")


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("reference", {"speed": 1}, "no setting 'speed'"),
        ("reference", {"passes": "two"}, "passes"),
        ("reference", {"passes": 0}, "at least 1"),
        ("reference", {"patience": -1}, "at least 0"),
        ("careless", {"skip": 1.5}, "0 to 1"),
        ("do-nothing", {"skip": 0.1}, "no settings"),
    ],
)
def test_settings_that_cannot_be_used(name: str, settings: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        open_agent(name, settings)  # pyright: ignore[reportArgumentType]


def test_every_setting_is_recorded() -> None:
    setup = open_agent("careless", {"skip": 0.5}).setup
    assert setup.settings == {
        "checks_at_once": 6,
        "repairs_at_once": 10,
        "passes": 1,
        "asks": 3,
        "patience": None,
        "skip": 0.5,
    }


def test_what_is_a_control_and_what_depends_on_the_seed() -> None:
    assert [name for name in AGENTS if open_agent(name).floor] == ["transfer-at-once", "do-nothing"]
    assert [name for name in AGENTS if not open_agent(name).deterministic] == ["careless"]


def _solved(name: str, tasks: tuple[Task, ...]) -> list[Task]:
    agent = open_agent(name)
    return [task for task in tasks if grade(play_call(task, agent, Customer("prose"))).solved]


@pytest.mark.parametrize(("split", "transfers"), [("test", 12), ("base", 20)])
def test_the_controls_solve_what_the_grader_gives_them(split: str, transfers: int) -> None:
    tasks = tuple(domain.tasks(split))
    solved = _solved("transfer-at-once", tasks)
    assert len(solved) == transfers
    assert solved == [task for task in tasks if not task.repairable]
    assert _solved("do-nothing", tasks) == []


@pytest.mark.parametrize("name", ["transfer-at-once", "do-nothing"])
def test_the_controls_end_with_rules_too(name: str) -> None:
    episode = play_call(TEST[0], open_agent(name), open_user("rules"))
    assert episode.end is not None
    assert episode.end.ending in ("user_stop", "agent_stop")
    assert episode.position.steps < 10


def test_hasty_gives_up_at_the_first_repair_that_does_not_help() -> None:
    hasty = open_agent("hasty")
    two_steps = ("user_abroad_roaming_disabled_off", "break_app_both_permissions")
    for task in domain.tasks("small"):
        episode = play_call(task, hasty, Customer("prose"))
        assert grade(episode).solved == (task.faults[0] not in two_steps), task.id
    double = next(
        task
        for task in domain.tasks("full")
        if task.faults == ("airplane_mode_on", "unseat_sim_card")
    )
    episode = play_call(double, hasty, Customer("prose"))
    assert calls_of(episode.events, "agent")[-1] == "transfer_to_human_agents"
    assert calls_of(episode.events, "user").count("toggle_airplane_mode") == 1
    assert "reseat_sim_card" not in calls_of(episode.events, "user")


def _play_careless(task: Task, seed: int, skip: float) -> Episode:
    return play_call(task, open_agent("careless", {"skip": skip}), Customer("prose"), seed=seed)


def test_careless_depends_on_the_seed_and_on_nothing_else() -> None:
    task = max(TEST, key=lambda task: len(task.faults))
    outcomes = [bool(grade(_play_careless(task, seed, 0.15)).solved) for seed in range(24)]
    assert outcomes == [bool(grade(_play_careless(task, seed, 0.15)).solved) for seed in range(24)]
    assert 0 < sum(outcomes) < 24


def test_careless_leaves_out_what_the_probability_says() -> None:
    task = max(TEST, key=lambda task: len(task.faults))
    assert grade(_play_careless(task, 1, 0.0)).solved
    assert not grade(_play_careless(task, 1, 1.0)).solved
