"""What an arm changes must show in its recorded calls, or nothing is said of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from ringback.canonical import Json
from ringback.episode.events import ModelCall
from ringback.models import ModelEntry, Models
from ringback.report.summary import summary
from ringback.sessions import Store
from ringback.study.file import ArmEntry, BaselineEntry, StudyFile
from ringback.study.overrides import OverrideNotShown, prove_overrides
from ringback.study.plan import Plan, plan_study
from ringback.study.results import results
from ringback.study.run import run_plan, stock
from ringback.testing import ChaosServer, played_by
from tests.study.test_proof import copied, other_answer, other_model, other_request

TASK = "[service_issue]airplane_mode_on[PERSONA:None]"
KEY = "OVERRIDES_KEY"
RULE = "Before you hand a call over, say which steps are left."


@pytest.fixture(scope="module")
def servers() -> Iterator[Mapping[str, ChaosServer]]:
    brain = played_by("reference")
    with ChaosServer(brain, model="m-1") as one, ChaosServer(brain, model="m-2") as two:
        yield {"one": one, "two": two}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(KEY, "k")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def played(
    servers: Mapping[str, ChaosServer],
    store: Path,
    wire_names: Mapping[str, str] | None = None,
    settings: dict[str, Json] | None = None,
    **arms: ArmEntry,
) -> Plan:
    """A study of one case with the agent `one` as its baseline, played to its end."""
    names = {"one": "m-1", "two": "m-2"} | dict(wire_names or {})
    models = Models(
        {
            name: ModelEntry(f"openai:{names[name]}", base_url=server.base_url, key_env=KEY)
            for name, server in servers.items()
        }
    )
    base = BaselineEntry("one", settings=settings or {})
    plan = plan_study(StudyFile("overrides", [TASK], base, arms=arms), models.open)
    run_plan(plan, store, done=lambda _: None, models=models)
    return plan


def proven(plan: Plan, store: Path) -> tuple[str, ...]:
    with Store.open(store, write=False) as opened:
        return prove_overrides(plan, opened, stock(plan, opened).states)


def test_what_took_effect_is_shown_and_nothing_is_to_be_said(
    servers: Mapping[str, ChaosServer], tmp_path: Path
) -> None:
    plan = played(
        servers,
        tmp_path / "s.db",
        noise=ArmEntry(),
        other=ArmEntry("two"),
        rule=ArmEntry(settings={"instructions_append": RULE}),
        manual=ArmEntry(policy="manual"),
        cold=ArmEntry(settings={"model": {"temperature": 0}}),
        scripted=ArmEntry("reference"),
    )
    assert proven(plan, tmp_path / "s.db") == ()


def test_a_server_that_answers_alike_to_both_models_shows_no_difference(
    servers: Mapping[str, ChaosServer], tmp_path: Path
) -> None:
    same = {"one": servers["one"], "two": servers["one"]}
    plan = played(same, tmp_path / "s.db", other=ArmEntry("two"))
    with pytest.raises(OverrideNotShown, match="asks for m-2 and baseline for m-1, and both were"):
        proven(plan, tmp_path / "s.db")


def test_two_endpoints_of_one_model_may_answer_by_one_name(
    servers: Mapping[str, ChaosServer], tmp_path: Path
) -> None:
    same = {"one": servers["one"], "two": servers["one"]}
    plan = played(same, tmp_path / "s.db", {"two": "m-1"}, other=ArmEntry("two"))
    assert proven(plan, tmp_path / "s.db") == ()


def test_a_provider_that_answers_by_another_name_than_asked_is_noted(
    servers: Mapping[str, ChaosServer], tmp_path: Path
) -> None:
    servers["two"].faults = {"wrong_model": 0.3}
    try:
        plan = played(servers, tmp_path / "s.db", other=ArmEntry("two"))
    finally:
        servers["two"].faults = {}
    (note,) = proven(plan, tmp_path / "s.db")
    assert note.startswith("The arm other asked for m-2 and was answered by another-model (")


def test_a_setting_that_the_model_does_not_take_refuses_the_arm_that_changes_it(
    servers: Mapping[str, ChaosServer], tmp_path: Path
) -> None:
    plan = played(servers, tmp_path / "s.db", wide=ArmEntry(settings={"model": {"top_k": 3}}))
    with pytest.raises(OverrideNotShown, match=r"arm wide: session \w+ went without top_k"):
        proven(plan, tmp_path / "s.db")


def test_a_setting_that_all_arms_have_and_none_takes_is_said(
    servers: Mapping[str, ChaosServer], tmp_path: Path
) -> None:
    plan = played(servers, tmp_path / "s.db", None, {"model": {"top_k": 3}}, noise=ArmEntry())
    notes = proven(plan, tmp_path / "s.db")
    assert any(note.startswith("The model of the arm noise does not take top_k") for note in notes)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (other_model, "asked another in place of one"),
        (other_request(settings={"temperature": 1.0}), "did not ask with temperature 0"),
        (other_answer(sent={"temperature": 0.5}), "did not send temperature 0"),
        (
            other_answer(dropped={"temperature": "a reasoning model"}),
            r"went without temperature, which is not taken \(a reasoning model\)",
        ),
    ],
)
def test_one_call_that_shows_otherwise_is_enough(
    servers: Mapping[str, ChaosServer],
    tmp_path: Path,
    change: Callable[[ModelCall], ModelCall],
    words: str,
) -> None:
    cold = ArmEntry(settings={"model": {"temperature": 0}})
    plan = played(servers, tmp_path / "s.db", cold=cold)
    copied(plan, tmp_path / "s.db", tmp_path / "t.db", change, arms=("cold",), side="agent")
    with pytest.raises(OverrideNotShown, match=words):
        proven(plan, tmp_path / "t.db")


def test_a_rule_that_was_taken_out_must_be_gone_from_the_calls(
    servers: Mapping[str, ChaosServer], tmp_path: Path
) -> None:
    """An arm that leaves a text out, and goes on being asked with it, changes nothing."""
    without = ArmEntry(settings={"instructions_append": None})
    plan = played(servers, tmp_path / "s.db", None, {"instructions_append": RULE}, without=without)
    assert proven(plan, tmp_path / "s.db") == ()
    with Store.open(tmp_path / "s.db", write=False) as store:
        states = stock(plan, store).states
        base = next(state.row.id for state in states if state.row and not state.cell.arm.changes)
        system = next(call.request.system for _, call in store.model_calls([base]))
    copied(
        plan,
        tmp_path / "s.db",
        tmp_path / "t.db",
        other_request(system=system),
        arms=("without",),
        side="agent",
    )
    with pytest.raises(OverrideNotShown, match="asked with other instructions than the arm's"):
        proven(plan, tmp_path / "t.db")


def test_a_reply_without_a_models_name_shows_no_other_model(
    servers: Mapping[str, ChaosServer], tmp_path: Path
) -> None:
    plan = played(servers, tmp_path / "s.db", other=ArmEntry("two"), noise=ArmEntry())
    nameless = other_answer(model=None)
    copied(plan, tmp_path / "s.db", tmp_path / "t.db", nameless, arms=("noise",), side="agent")
    assert any("without a model's name" in note for note in proven(plan, tmp_path / "t.db"))
    copied(
        plan,
        tmp_path / "s.db",
        tmp_path / "u.db",
        nameless,
        arms=("other",),
        side="agent",
        every=True,
    )
    with pytest.raises(OverrideNotShown, match="no reply says which model gave it"):
        proven(plan, tmp_path / "u.db")


def test_no_figure_is_given_of_a_study_whose_arm_shows_no_difference(
    servers: Mapping[str, ChaosServer], tmp_path: Path
) -> None:
    same = {"one": servers["one"], "two": servers["one"]}
    plan = played(same, tmp_path / "s.db", other=ArmEntry("two"))
    with (
        Store.open(tmp_path / "s.db", write=False) as store,
        pytest.raises(OverrideNotShown, match="Nothing is said of the arm other"),
    ):
        results(plan, store, "")


def test_what_is_to_be_known_stands_in_the_results(
    servers: Mapping[str, ChaosServer], tmp_path: Path
) -> None:
    servers["two"].faults = {"wrong_model": 0.3}
    try:
        plan = played(
            servers,
            tmp_path / "s.db",
            other=ArmEntry("two"),
            rule=ArmEntry(settings={"instructions_append": RULE}),
        )
    finally:
        servers["two"].faults = {}
    with Store.open(tmp_path / "s.db", write=False) as store:
        found = results(plan, store, "")
    text = summary(found)
    assert "answered by another-model" in text
    rule = next(arm for arm in found.facts.arms if arm.name == "rule")
    assert "before the baseline was run" in rule.rule
    assert "It names no task" in rule.rule
