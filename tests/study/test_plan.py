"""A plan is a function of the file, and its cells of their content."""

from __future__ import annotations

from pathlib import Path

import pytest

from ringback.canonical import digest
from ringback.episode.events import Limits
from ringback.episode.identity import cell_hash
from ringback.errors import InputError
from ringback.models import Models
from ringback.study.file import StudyFile, read
from ringback.study.plan import Plan, plan_run, plan_study, tasks_named
from ringback.users.rules import Rules
from tests.lamp import LAMP

ONE = "[service_issue]airplane_mode_on[PERSONA:None]"
TWO = "[service_issue]unseat_sim_card[PERSONA:Easy]"
BASE = """
name = "mine"
tasks = "small"
seed = 3
[baseline]
agent = "reference"
"""


def study(folder: Path, more: str = "", base: str = BASE) -> Plan:
    path = folder / "study.toml"
    path.write_text(base + more)
    return plan_study(read(path))


def hashes(plan: Plan, arm: str) -> list[str]:
    return [cell.hash for cell in plan.cells() if cell.arm.name == arm]


def test_an_arm_says_only_what_it_changes(tmp_path: Path) -> None:
    plan = study(
        tmp_path,
        '[arms.noise]\n[arms.book]\npolicy = "manual"\n[arms.sloppy]\nagent = "careless"\n'
        '[arms.worse]\nagent = "careless"\nsettings = {skip = 0.5}\n[arms.floor]\n'
        'agent = "transfer-at-once"\n',
    )
    assert [(a.name, a.role) for a in plan.arms] == [
        ("baseline", "baseline"),
        ("noise", "noise"),
        ("book", "arm"),
        ("sloppy", "arm"),
        ("worse", "arm"),
        ("floor", "floor"),
    ]
    assert plan.arms[1].hash == plan.arms[0].hash
    assert plan.arms[2].changes == {"policy": "manual"}
    assert plan.arms[3].changes == {"agent": "careless"}
    assert plan.arms[4].arm.agent.settings["skip"] == 0.5
    assert [a.deterministic for a in plan.arms] == [True, True, True, False, False, True]


def test_an_arm_inherits_the_baselines_settings_for_the_same_agent(tmp_path: Path) -> None:
    base = BASE.replace('"reference"', '"careless"') + "settings = {skip = 0.4}\n"
    plan = study(
        tmp_path, '[arms.book]\npolicy = "manual"\n[arms.ref]\nagent = "reference"\n', base
    )
    assert plan.arms[1].arm.agent.settings["skip"] == 0.4
    assert plan.arms[2].arm.agent.settings != plan.arms[1].arm.agent.settings


def test_equal_content_under_two_names_is_two_cells_with_one_user_seed(tmp_path: Path) -> None:
    plan = study(tmp_path, "[arms.noise]\n")
    assert not set(hashes(plan, "baseline")) & set(hashes(plan, "noise"))


def test_a_cell_is_the_digest_of_what_it_is(tmp_path: Path) -> None:
    plan = study(tmp_path, "[arms.noise]\n")
    for cell in plan.cells():
        parts = (plan.condition, cell.arm.arm, cell.arm.name, cell.draw)
        assert cell.hash == digest(parts) == cell_hash(*parts)


def test_only_what_changed_is_a_new_cell(tmp_path: Path) -> None:
    before = study(tmp_path, "[arms.noise]\n")
    more = study(tmp_path, '[arms.noise]\n[arms.hasty]\nagent = "hasty"\n')
    renamed = study(tmp_path, "[arms.noise]\n", BASE.replace('"mine"', '"other"'))
    limits = study(tmp_path, "[arms.noise]\n[limits]\nsteps = 50\n")
    trials = study(tmp_path, "[arms.noise]\n", "trials = 2\n" + BASE)
    assert hashes(more, "noise") == hashes(before, "noise")
    assert hashes(renamed, "noise") == hashes(before, "noise")
    assert not set(hashes(limits, "noise")) & set(hashes(before, "noise"))
    assert set(hashes(trials, "noise")) > set(hashes(before, "noise"))


@pytest.mark.parametrize(
    ("tasks", "says"),
    [
        ("tset", "'tset'.* nor is it a split .did you mean test.., those are test, train"),
        ("", "No tasks are named"),
        (" ", "No tasks are named"),
        ([], "No tasks are named"),
        ("test,", "an empty name"),
        (f"{ONE},,{TWO}", "an empty name"),
        (f"{ONE}, {ONE}", "named twice"),
        ([ONE, ""], "an empty name"),
        ("[mms_issue]nothing[PERSONA:None]", "no telecom task"),
    ],
)
def test_unknown_tasks_are_refused(tasks: str | list[str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        plan_run(tasks=tasks, agent="reference", user="rules")


def test_tasks_by_id_are_taken_in_order() -> None:
    for tasks in (f"{TWO}, {ONE}", [TWO, ONE]):
        plan = plan_run(tasks=tasks, agent="reference", user="rules")
        assert [task.id for task in plan.tasks] == [TWO, ONE]


def test_ids_may_look_as_a_domain_likes() -> None:
    assert tasks_named(LAMP, "dark") == ("dark", (LAMP.task("dark"),))
    assert tasks_named(LAMP, "dark, fuse")[0] == "2 tasks by id"
    assert len(tasks_named(LAMP, "all")[1]) == 3
    with pytest.raises(InputError, match="'dim'; nor is it a split, those are all"):
        tasks_named(LAMP, "dim")


@pytest.mark.parametrize("change", ['agent = ""', 'policy = ""'])
def test_an_empty_name_is_not_taken_for_none_given(tmp_path: Path, change: str) -> None:
    with pytest.raises(InputError, match="''"):
        study(tmp_path, f"[arms.odd]\n{change}\n")
    with pytest.raises(InputError, match="''"):
        plan_run(tasks="small", agent="reference", user="rules", policy="")


@pytest.mark.parametrize("seconds", [float("inf"), float("nan"), 0.0])
def test_limits_that_no_record_holds_are_refused(seconds: float) -> None:
    with pytest.raises(InputError, match="The run"):
        plan_run(tasks="small", agent="reference", user="rules", limits=Limits(seconds=seconds))


def test_more_episodes_than_anybody_has_time_for_are_refused() -> None:
    with pytest.raises(InputError, match="20,000,000,000 episodes"):
        plan_run(tasks="small", agent="reference", user="rules", trials=10**9)


def test_chance_in_the_user_is_chance_in_every_arm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Rules, "deterministic", False)
    plan = study(tmp_path, '[arms.noise]\n[arms.idle]\nagent = "do-nothing"\n')
    assert [a.deterministic for a in plan.arms] == [False, False, False]


@pytest.mark.parametrize(
    "change",
    [{"agent": "nobody"}, {"user": "nobody"}, {"policy": "nothing"}, {"trials": 0}],
)
def test_what_is_not_there_is_refused(change: dict[str, object]) -> None:
    words: dict[str, object] = {"tasks": "small", "agent": "reference", "user": "rules", **change}
    with pytest.raises(InputError):
        plan_run(**words)  # pyright: ignore[reportArgumentType]


def test_a_file_with_an_unknown_domain_is_refused() -> None:
    file = read(Path(__file__).parents[2] / "examples" / "quickstart.toml")
    changed = StudyFile(name="x", tasks="test", baseline=file.baseline, domain="bakery")
    with pytest.raises(InputError, match="bakery"):
        plan_study(changed)


MODELS = """
[models.ours]
model = "openai:m-1"
base_url = "http://localhost:1/v1"
[models.theirs]
model = "openai:m-2"
base_url = "http://localhost:1/v1"
"""


def with_models(folder: Path, monkeypatch: pytest.MonkeyPatch, more: str) -> Plan:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    path = folder / "study.toml"
    path.write_text(BASE.replace('"reference"', '"ours"') + more + MODELS)
    file = read(path)
    return plan_study(file, Models(file.models).open)


def test_settings_stay_from_one_model_to_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = with_models(
        tmp_path,
        monkeypatch,
        'settings = {instructions_append = "Be brief."}\n[arms.noise]\n'
        '[arms.other]\nagent = "theirs"\n[arms.scripted]\nagent = "reference"\n'
        '[user]\nname = "theirs"\nguard = "off"\n',
    )
    base, noise, other, scripted = plan.arms
    assert (noise.role, noise.hash) == ("noise", base.hash)
    assert other.arm.agent.settings["instructions_append"] == "Be brief."
    assert "instructions_append" not in scripted.arm.agent.settings
    assert [arm.models for arm in plan.arms] == [("ours",), ("ours",), ("theirs",), ()]
    assert not any(arm.deterministic for arm in plan.arms)  # nor is the user
    assert plan.user_models == ("theirs",)
    assert plan.models == ("theirs", "ours")
    assert plan.condition.user.settings["guard"] == "off"


def test_a_model_behind_another_address_is_another_arm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = with_models(tmp_path, monkeypatch, "")
    monkeypatch.setattr("tests.study.test_plan.MODELS", MODELS.replace("localhost", "127.0.0.1"))
    there = with_models(tmp_path, monkeypatch, "")
    assert here.condition_hash == there.condition_hash
    assert hashes(here, "baseline") != hashes(there, "baseline")


def test_models_need_something_that_opens_them() -> None:
    with pytest.raises(InputError, match="no agent 'openai:m'"):
        plan_run(tasks="small", agent="openai:m", user="rules")


def test_noise_of_a_script_is_zero_by_construction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list of replies repeats itself; of a hosted model nobody knows."""
    (tmp_path / "said.json").write_text('["Goodbye."]')
    script = '[models.said]\nmodel = "script:said.json"\n'
    plan = with_models(
        tmp_path,
        monkeypatch,
        '[arms.noise]\n[arms.said]\nagent = "said"\n[arms.again]\nagent = "said"\n'
        f'[user]\nname = "rules"\n{script}',
    )
    assert [arm.deterministic for arm in plan.arms] == [False, False, True, True]
