"""A session graded again: by the reference's rule, by our strict one, beside what was recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ringback.domains import load
from ringback.formats import Recording
from ringback.formats.regrade import Regraded, regrade
from ringback.formats.tau2 import read
from tests.formats.tau2.made import Json, Talk, result_file, solved, write

BAD_VPN = next(
    task.id
    for task in load("telecom").tasks("small")
    if task.faults == ("bad_vpn",) and task.family == "mobile_data_issue"
)


def graded(path: Path, simulation: Json, **criteria: Any) -> Regraded:
    file = result_file([simulation])
    for task in file["tasks"]:
        task["evaluation_criteria"] |= criteria
    (found,) = read(write(path / "one.json", file))
    assert isinstance(found, Recording)
    return regrade(found.events)


def unsolved() -> Talk:
    return Talk().say("user", "Hello.").say("agent", "Yes?").say("user", "###STOP###")


def test_what_was_recorded_stands_beside_what_comes_out(tmp_path: Path) -> None:
    same = graded(tmp_path, solved().simulation())
    assert (same.stored, same.reward, same.strict, same.differs) == (1.0, 1.0, 1.0, False)
    assert (same.env, same.act) == ((True, True), (True,))
    other = graded(tmp_path, unsolved().simulation())
    assert (other.stored, other.reward, other.differs) == (1.0, 0.0, True)
    assert (other.env, other.act) == ((False, False), (False,))


@pytest.mark.parametrize(
    ("ending", "strict"),
    [("timeout", 0.0), ("max_steps", 0.0), ("infrastructure_error", None), ("odd", None)],
)
def test_an_ending_that_is_no_stop_is_worth_nothing(
    tmp_path: Path, ending: str, strict: float | None
) -> None:
    found = graded(tmp_path, solved().simulation(termination_reason=ending, reward_info=None))
    assert (found.stored, found.reward, found.env, found.act) == (None, 0.0, None, None)
    assert found.strict == strict
    assert not found.differs


def test_what_cannot_be_known_is_null(tmp_path: Path) -> None:
    unknown = graded(tmp_path, solved().simulation(task_id="[mobile_data_issue]unheard_of"))
    assert (unknown.reward, unknown.env, unknown.task) == (
        None,
        None,
        "[mobile_data_issue]unheard_of",
    )
    endless = graded(tmp_path, solved().simulation(termination_reason=None))
    assert (endless.ending, endless.reward, endless.env) == (None, None, None)


@pytest.mark.parametrize(
    ("basis", "reward"),
    [
        (["ENV_ASSERTION"], 1.0),
        (["ACTION"], 0.0),
        (["ENV_ASSERTION", "ACTION"], 0.0),
        (["DB"], 1.0),
        ([], 1.0),
    ],
)
def test_the_basis_is_that_of_the_recording_where_we_can_check_it(
    tmp_path: Path, basis: list[str], reward: float
) -> None:
    """The state is repaired by a way that no expected step names."""
    talk = Talk(BAD_VPN).say("user", "Hello.").say("agent", "Airplane mode on and off, please.")
    talk.call("user", ("toggle_airplane_mode", {}), ("toggle_airplane_mode", {}))
    found = graded(tmp_path, talk.say("user", "###STOP###").simulation(), reward_basis=basis)
    assert (found.env, found.act) == ((True, True), (False,))
    assert found.reward == reward


@pytest.mark.parametrize("ending", ["user_stop", "timeout", None])
def test_read_lean_or_whole_it_is_graded_the_same(tmp_path: Path, ending: str | None) -> None:
    """Lean, the calls are played once, here; whole, the reader has played them too."""
    talk = Talk().say("user", "Hello.").call("user", ("check_network_status", {}))
    talk.call("user", ("toggle_data", {}), ("get_status_bar", {}), ("check_network_status", {}))
    talk.call("agent", ("get_customer_by_phone", {"phone_number": "555-123-2002"}))
    simulation = talk.say("user", "###STOP###").simulation(termination_reason=ending)
    first, *_, last = (each for each in simulation["messages"] if each["role"] == "tool")
    first["content"] = "Mobile data: on. " * 2 + first["content"].replace("off", "on")
    last["error"] = True
    file = write(tmp_path / "one.json", result_file([simulation]))
    graded_both = [
        replace(regrade(found.events), session=None)
        for lean in (True, False)
        for found in read(file, lean=lean)
        if isinstance(found, Recording)
    ]
    assert len(graded_both) == 2
    assert len(graded_both[0].divergences) >= (1 if ending is None else 2)
    if ending is not None:
        assert graded_both[0] == graded_both[1]


def test_conduct_is_said_with_its_step(tmp_path: Path) -> None:
    talk = Talk().say("user", "Hello.")
    talk.call("agent", ("transfer_to_human_agents", {"summary": "No idea."}))
    talk.say("agent", "Hold on.").say("user", "###TRANSFER###")
    (found,) = graded(tmp_path, talk.simulation()).conduct
    assert (found.kind, found.step) == ("needless_transfer", 2)


@pytest.mark.parametrize(
    ("info", "stored", "aside"),
    [
        ({"reward": -1}, -1.0, None),
        ({"reward": 0.5}, 0.5, None),
        ({"reward": True}, None, "true"),
        ({"reward": "1.0"}, None, '"1.0"'),
        ({"reward": [1]}, None, "[1]"),
        ({"reward": None}, None, None),
        ("solved", None, '"solved"'),
        (None, None, None),
    ],
)
def test_a_recorded_reward_is_a_number_or_is_set_aside_and_shown(
    tmp_path: Path, info: Any, stored: float | None, aside: str | None
) -> None:
    found = graded(tmp_path, solved().simulation(reward_info=info))
    assert (found.stored, found.set_aside, found.reward) == (stored, aside, 1.0)
