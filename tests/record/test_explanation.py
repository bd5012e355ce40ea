"""Why a case was worth what it was: each sentence is there where it holds, and only there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from ringback.domain import Happening, Verdict
from ringback.episode.events import Limits
from ringback.record import told
from ringback.record.document import Case, Failed
from ringback.record.making import make_record
from ringback.sessions import Store, parse_selection
from tests.lamp import Lamp
from tests.record.recorded import by_model, operated
from tests.record.reenacted import CALLS, EASY, HARD_INVERTED, INVERTING, Command, Operated

EASY_CALL = CALLS["easy"]
NO_TOOL: Command = ("call", "no_such_tool", {})


def only(path: Path) -> Case:
    with Store.open(path, write=False) as store:
        (case,) = make_record(store, parse_selection([])).record.cases
    return case


def why(path: Path) -> str:
    return only(path).evaluation_explanation


def test_a_call_that_was_cut_off_unrepaired_is_not_said_to_have_been_repaired(path: Path) -> None:
    operated(path, replace(EASY_CALL, commands=EASY[:4]), limits=Limits(steps=9))
    case = only(path)
    assert case.termination_reason == "max_steps"
    assert "The end state was not reached: the checks found " in case.evaluation_explanation
    assert (
        "; and the call was cut off at its limit of 9 steps before either side had ended it."
        in case.evaluation_explanation
    )
    assert "repaired" not in case.evaluation_explanation


def test_a_call_that_was_cut_off_repaired_is_said_to_have_been(path: Path) -> None:
    operated(path, replace(CALLS["hard"], commands=HARD_INVERTED), by_model(INVERTING, "off"))
    assert "so the state at the end was repaired; but the call was cut off" in why(path)
    assert "not reached" not in why(path)


@pytest.mark.parametrize(("errors", "words"), [(1, "1 tool error"), (2, "2 tool errors")])
def test_the_limit_of_errors_is_named_by_its_number(path: Path, errors: int, words: str) -> None:
    commands = (("say", "One moment, please."), *(NO_TOOL,) * errors)
    operated(path, replace(EASY_CALL, commands=commands), limits=Limits(errors=errors))
    case = only(path)
    assert case.termination_reason == "too_many_errors"
    assert f"the call was cut off at its limit of {words} before" in case.evaluation_explanation


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        (1, "1 call of the agent was refused, which changed nothing."),
        (2, "2 calls of the agent were refused, which changed nothing."),
    ],
)
def test_refused_calls_are_counted_and_conduct_is_noted_once(
    path: Path, calls: int, words: str
) -> None:
    commands = (EASY[0], *(NO_TOOL,) * calls, *EASY[1:])
    operated(path, replace(EASY_CALL, commands=commands))
    case = only(path)
    assert case.result == "passed"
    assert words in case.evaluation_explanation
    noted = "Noted beside the reward: The agent called a tool that does not exist."
    assert case.evaluation_explanation.endswith(noted)


def test_of_a_clean_call_no_refusal_and_no_conduct_is_told(path: Path) -> None:
    operated(path, EASY_CALL)
    assert why(path).endswith("Both expected steps were taken. The customer ended the call.")


def test_an_action_that_counts_and_was_not_done_is_named(path: Path) -> None:
    commands = (("say", "I have transferred you to a colleague. Please stay on the line."),)
    operated(path, Operated("[service_issue]lock_sim_card_pin[PERSONA:Hard]", 3, commands))
    assert "the reward is 0.0: " in why(path)
    assert "transfer_to_human_agents was not done" in why(path)


class Steps(Lamp):
    """The lamp with a second expected step, which nobody takes and which does not count."""

    def check(self, task: object, history: Sequence[Happening], end: object) -> Verdict:
        found = super().check(self.task("fuse"), history, end)
        (action,) = found.actions
        left = replace(action, name="polish", met=False, strict=False)
        return replace(found, actions=(action, left))


def lamp(path: Path, monkeypatch: pytest.MonkeyPatch, *commands: Command) -> Case:
    domain = Steps()
    monkeypatch.setattr(told, "load", {"lamp": domain}.__getitem__)
    customer = by_model(["The lamp is dark.", "Goodbye. ###STOP###"], "off")
    operated(path, Operated("fuse", 4, commands), customer, domain=domain)
    return only(path)


def test_a_step_that_was_not_taken_and_does_not_count_is_not_said_to_have_been_taken(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = lamp(path, monkeypatch, ("call", "set_fuse", {}), ("say", "It is in."))
    assert case.official_reward == 1.0
    assert (
        "1 of the 2 expected steps were taken; the others do not count for the reward."
        in case.evaluation_explanation
    )
    assert "was not done" not in case.evaluation_explanation


def test_a_failure_that_nothing_shows_the_cause_of_is_left_undecided(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = lamp(path, monkeypatch, ("say", "Goodbye."))
    assert isinstance(case.failure, Failed)
    assert case.failure.blame == "undecided"
    assert "The customer ended the call, and the reward is 0.0: lit did not hold." in (
        case.evaluation_explanation
    )
    assert (
        "By rule the failure is laid to the agent or the simulator, undecided: "
        f"{case.failure.why}" in case.evaluation_explanation
    )
    assert "polish" not in case.evaluation_explanation
