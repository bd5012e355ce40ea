"""Every arm met the same customer, or nothing is compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from ringback.domain import Side
from ringback.episode.events import AnyEvent, ModelCall, Start
from ringback.models import ModelEntry, Models
from ringback.report.summary import summary
from ringback.sessions import Store, named_contents, parse_selection
from ringback.study.file import ArmEntry, BaselineEntry, StudyFile, UserEntry
from ringback.study.plan import Plan, plan_study
from ringback.study.proof import UnequalUsers
from ringback.study.results import results
from ringback.study.run import run_plan
from ringback.testing import ChaosServer, played_by
from tests.study.test_run import TASKS

KEY = "PROOF_KEY"


@pytest.fixture(scope="module")
def server() -> Iterator[ChaosServer]:
    with ChaosServer(played_by("rules")) as running:
        yield running


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(KEY, "k")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def study(server: ChaosServer, *arms: str) -> tuple[Plan, Models]:
    models = Models({"caller": ModelEntry("openai:c", base_url=server.base_url, key_env=KEY)})
    file = StudyFile(
        "proof",
        [str(task) for task in TASKS.split(",")[:2]],
        BaselineEntry("reference"),
        user=UserEntry("caller", guard="record"),
        arms={name: ArmEntry(agent=None if name == "noise" else name) for name in arms},
    )
    return plan_study(file, models.open), models


def play(server: ChaosServer, store: Path, *arms: str) -> Plan:
    plan, models = study(server, *arms)
    run_plan(plan, store, done=lambda _: None, models=models)
    return plan


def test_customers_that_are_the_same_are_compared(server: ChaosServer, tmp_path: Path) -> None:
    plan = play(server, tmp_path / "s.db", "noise", "hasty")
    with Store.open(tmp_path / "s.db", write=False) as store:
        found = results(plan, store, "")
    assert [arm.totals.graded for arm in found.arms] == [2, 2, 2]
    assert all(arm.user_cost is not None and arm.faults is not None for arm in found.arms)
    assert all(arm.agent_cost is None for arm in found.arms)


def test_a_provider_that_answers_with_another_model_is_noticed(
    server: ChaosServer, tmp_path: Path
) -> None:
    store = tmp_path / "s.db"
    play(server, store)
    before, server.model = server.model, "chaos-1-of-tomorrow"
    try:
        plan = play(server, store, "noise")
    finally:
        server.model = before
    with (
        Store.open(store, write=False) as opened,
        pytest.raises(UnequalUsers, match=r"by chaos-1 .* and by chaos-1-of-tomorrow ") as refused,
    ):
        results(plan, opened, "")
    assert "baseline: chaos-1 " in str(refused.value)
    assert "noise: chaos-1-of-tomorrow " in str(refused.value)


def test_one_call_in_a_case_that_another_model_answered_is_enough_to_refuse(
    server: ChaosServer, tmp_path: Path
) -> None:
    plan = play(server, tmp_path / "s.db", "noise")
    copied(plan, tmp_path / "s.db", tmp_path / "t.db", other_answer(model="chaos-2"))
    with (
        Store.open(tmp_path / "t.db", write=False) as store,
        pytest.raises(UnequalUsers, match=r"chaos-2 1 of \d+ calls; name a model of one version"),
    ):
        results(plan, store, "")


def test_a_mix_of_models_as_in_one_arm_so_in_the_other_is_compared_and_said(
    server: ChaosServer, tmp_path: Path
) -> None:
    plan = play(server, tmp_path / "s.db", "noise")

    def answered_by_two(plan: Plan, target: str, arms: tuple[str, ...]) -> Path:
        copied(
            plan,
            tmp_path / "s.db",
            tmp_path / target,
            other_answer(model="chaos-2"),
            arms=arms,
            every=True,
        )
        return tmp_path / target

    with Store.open(answered_by_two(plan, "t.db", ("baseline", "noise")), write=False) as store:
        found = results(plan, store, "")
    assert {arm: {*names} for arm, names in found.facts.answered.items()} == {
        "baseline": {"chaos-1", "chaos-2"},
        "noise": {"chaos-1", "chaos-2"},
    }
    assert "More than one model as the customer" in summary(found)
    with (  # the same names and shares, and yet the arms did not meet the same customers
        Store.open(answered_by_two(plan, "u.db", ("noise",)), write=False) as store,
        pytest.raises(UnequalUsers),
    ):
        results(plan, store, "")


def test_a_run_of_one_arm_is_compared_with_nothing_and_so_never_refused(
    server: ChaosServer, tmp_path: Path
) -> None:
    plan = play(server, tmp_path / "s.db")

    def changed(call: ModelCall) -> ModelCall:
        return replace(
            call,
            request=replace(call.request, form="0" * 32, settings={"temperature": 1.0}),
            answer=replace(call.answer, model="chaos-2", dropped={"x": "not known"}),
        )

    copied(plan, tmp_path / "s.db", tmp_path / "t.db", changed, arms=("baseline",))
    with Store.open(tmp_path / "t.db", write=False) as store:
        found = results(plan, store, "")
    assert found.facts.answered["baseline"]["chaos-2"] == 1
    assert "More than one model as the customer" in summary(found)


def other_request(**changes: object) -> Callable[[ModelCall], ModelCall]:
    return lambda call: replace(call, request=replace(call.request, **changes))


def other_answer(**changes: object) -> Callable[[ModelCall], ModelCall]:
    return lambda call: replace(call, answer=replace(call.answer, **changes))


def other_model(call: ModelCall) -> ModelCall:
    return replace(call, model="another")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (other_model, "model"),
        (other_request(system="0" * 32), "instructions"),
        (other_request(tools=None), "tools"),
        (other_request(form="0" * 32), "form"),
        (other_request(settings={"temperature": 1.0}), "settings"),
        (other_answer(sent={"top_p": 0.5}), "settings as sent"),
        (other_answer(dropped={"temperature": "not known"}), "settings that the model takes"),
        (other_answer(dropped={"form": "not held"}), "settings that the model takes"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_whatever_differs_is_named_with_both_sessions(
    server: ChaosServer,
    tmp_path: Path,
    change: Callable[[ModelCall], ModelCall],
    what: str,
) -> None:
    plan = play(server, tmp_path / "s.db", "noise")
    copied(plan, tmp_path / "s.db", tmp_path / "t.db", lambda call: call)
    with Store.open(tmp_path / "t.db", write=False) as store:
        assert results(plan, store, "").arms
    copied(plan, tmp_path / "s.db", tmp_path / "u.db", change)
    with (
        Store.open(tmp_path / "u.db", write=False) as store,
        pytest.raises(UnequalUsers, match=f"customer's {what} differed") as refused,
    ):
        results(plan, store, "")
    with Store.open(tmp_path / "u.db", write=False) as store:
        named = [row.id for row in store.rows(parse_selection([])) if row.id in str(refused.value)]
    assert len(named) == 2


@pytest.mark.parametrize(
    "change",
    [
        other_answer(form_held=True, finish="length"),  # what came of it was not asked for
        other_answer(failure="infrastructure", message=None, sent={"top_p": 0.5}, model="other"),
        other_answer(failure="infrastructure", message=None, dropped={"x": "not known"}),
    ],
)
def test_how_a_reply_ended_and_calls_without_one_are_no_difference(
    server: ChaosServer, tmp_path: Path, change: Callable[[ModelCall], ModelCall]
) -> None:
    plan = play(server, tmp_path / "s.db", "noise")
    copied(plan, tmp_path / "s.db", tmp_path / "t.db", change)
    with Store.open(tmp_path / "t.db", write=False) as store:
        assert results(plan, store, "").arms


def test_other_seeds_are_no_difference(server: ChaosServer, tmp_path: Path) -> None:
    plan = play(server, tmp_path / "s.db", "noise")

    def reseed(call: ModelCall) -> ModelCall:
        settings = {**call.request.settings, "seed": 4}
        return replace(call, request=replace(call.request, settings=settings))

    copied(plan, tmp_path / "s.db", tmp_path / "t.db", reseed)
    with Store.open(tmp_path / "t.db", write=False) as store:
        assert results(plan, store, "").arms


def copied(
    plan: Plan,
    source: Path,
    target: Path,
    change: Callable[[ModelCall], ModelCall],
    *,
    arms: tuple[str, ...] = ("noise",),
    every: bool = False,
    side: Side = "user",
) -> None:
    """Write the sessions anew; in these arms a side's last call in the first task is changed.

    With `every` all of its calls there are.
    """
    cells = {cell.hash: cell for cell in plan.cells()}
    with Store.open(source, write=False) as old, Store.open(target) as new:
        for row in list(old.rows(parse_selection([]))):
            events: list[AnyEvent] = old.events(row.id)
            start, *rest = events
            assert isinstance(start, Start)
            cell = cells[row.cell]
            if row.arm_name in arms and cell.task is plan.tasks[0]:
                places = [
                    index
                    for index, event in enumerate(rest)
                    if isinstance(event, ModelCall) and event.by == side
                ]
                for place in places if every else places[-1:]:
                    call = rest[place]
                    assert isinstance(call, ModelCall)
                    rest[place] = change(call)
            new.begin(
                start,
                cell=row.cell,
                family=row.family,
                condition=row.condition,
                arm=row.arm,
            )
            new.append(row.id, rest, old.contents(named_contents(events)))
