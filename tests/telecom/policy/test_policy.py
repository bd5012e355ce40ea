"""The policy's texts: complete, true, stable."""

from __future__ import annotations

import re

import pytest

from ringback.errors import InputError
from ringback.telecom import domain
from ringback.telecom.carrier import TODAY, base_carrier
from ringback.telecom.faults import FAULTS, REFUEL_GB
from ringback.telecom.phone import MODES, SPEED_LABELS
from ringback.telecom.policy import POLICIES, facts, policy, workflow
from ringback.telecom.policy.rules import RULES

_NAME = re.compile(r"`([a-z]+(?:_[a-z]+)+)`")
_STATES = {state for item in facts.FACTS for state in item.states}


def _tools(side: str) -> list[str]:
    return [tool.name for tool in domain.tools("agent" if side == "agent" else "user")]


def test_variants_are_named_and_an_unknown_one_is_refused() -> None:
    assert POLICIES == ("workflow", "manual")
    assert domain.policies == POLICIES
    with pytest.raises(InputError, match="workflow, manual"):
        policy("flowchart")


@pytest.mark.parametrize("variant", POLICIES)
def test_every_repair_of_every_fault_is_in_the_text(variant: str) -> None:
    text = policy(variant)
    for fault in FAULTS.values():
        for step in fault.repair or ():
            assert f"`{step.tool}`" in text, (fault.name, step.tool)


@pytest.mark.parametrize("variant", POLICIES)
def test_every_tool_that_is_named_exists(variant: str) -> None:
    known = {*_tools("agent"), *_tools("user")}
    named = set(_NAME.findall(policy(variant)))
    assert named - known <= _STATES
    assert known <= named


@pytest.mark.parametrize("variant", POLICIES)
def test_every_state_and_limit_is_the_worlds(variant: str) -> None:
    text = policy(variant)
    for mode in MODES:
        assert mode in text
    assert TODAY in text
    assert f"{REFUEL_GB} GB" in text
    assert "locked_pin" in text
    assert "locked_puk" in text


def test_the_manual_states_the_speed_labels_of_the_world() -> None:
    text = re.sub(r"\s+", " ", policy("manual"))
    shown = ", ".join(
        f"below {bound:g}{' Mbps it reads' if index == 0 else ''} {label}"
        for index, (bound, label) in enumerate(SPEED_LABELS)
    )
    assert shown in text
    assert "from there Excellent" in text


def test_both_variants_share_the_rules() -> None:
    for variant in POLICIES:
        for section in RULES:
            assert f"## {section.title}" in policy(variant)
            for point in section.points:
                assert point in policy(variant)


def test_the_workflows_prose_is_its_steps_in_order() -> None:
    text = policy("workflow")
    places = [
        text.index(f"**Step {number}. {step.title}**")
        for number, step in enumerate(workflow.STEPS, 1)
    ]
    assert places == sorted(places)
    assert policy("workflow") == text


def test_the_lists_of_tools_are_the_worlds() -> None:
    assert sorted(use.tool for use in facts.ACCOUNT_TOOLS) == sorted(_tools("agent"))
    assert sorted(use.tool for use in facts.PHONE_TOOLS) == sorted(_tools("user"))


def test_the_workflow_names_only_what_exists() -> None:
    known = {item.name: item for item in facts.FACTS}
    for item in facts.FACTS:
        side = "agent" if item.source == "account" else "user"
        assert set(item.tools) <= set(_tools(side))
        assert bool(item.tools) == (item.source != "customer")
    for step in workflow.STEPS:
        assert bool(step.do) != step.transfer
        for when in step.when:
            assert set(when.states) <= set(known[when.fact].states)
        for do in step.do:
            tool = next(t for t in domain.tools(do.side) if t.name == do.tool)
            properties = tool.parameters.get("properties", {})
            assert {name for name, _ in do.arguments} <= set(properties)
            for name, state in do.leaves:
                assert state in known[name].states
            assert set(do.reread) <= set(known)
    for goal in workflow.GOALS:
        assert goal.tool in known[goal.fact].tools
        assert set(goal.good) < set(known[goal.fact].states)


def test_the_dates_and_limits_are_the_worlds() -> None:
    assert facts.TODAY == TODAY
    assert facts.MAX_REFUEL_GB == REFUEL_GB
    assert all(plan.data_refueling_price_per_gb > 0 for plan in base_carrier().plans)
