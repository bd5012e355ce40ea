"""What the agent says is what it later reads out of its own sentences."""

from __future__ import annotations

import itertools

import pytest

from ringback.agents.reference import asking
from ringback.agents.reference.asking import NEEDS, asked, please
from ringback.telecom import domain
from ringback.telecom.policy.facts import FACTS
from ringback.telecom.policy.workflow import GOALS, STEPS

OPENING = "I have allowed roaming on your line, at no extra cost. I have added 2 GB to it."


def test_there_are_words_for_everything_the_workflow_asks_for() -> None:
    wanted = {tool for item in FACTS if item.source == "phone" for tool in item.tools}
    wanted |= {goal.tool for goal in GOALS}
    wanted |= {do.tool for step in STEPS for do in step.do if do.side == "user"}
    assert {need.split()[0] for need in NEEDS} == wanted | {"whereabouts"}
    assert wanted <= {tool.name for tool in domain.tools("user")}


@pytest.mark.parametrize("need", NEEDS)
@pytest.mark.parametrize("again", [False, True])
def test_a_single_request_is_recognised(need: str, again: bool) -> None:
    text = please([need], opening=OPENING, again=[need] if again else (), repair=True)
    assert asked(text) == (need,)


def test_requests_in_a_list_are_recognised_in_order() -> None:
    needs = list(NEEDS)
    for size, repair in itertools.product((2, 5, len(needs)), (False, True)):
        chosen = needs[:size]
        text = please(chosen, opening=OPENING, again=chosen[::2], repair=repair)
        assert asked(text) == tuple(chosen)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (asking.who(0), ("identity",)),
        (asking.who(1), ("identity",)),
        (asking.found_nobody("that phone number"), ("identity",)),
        (asking.which_line(["555-123-2001", "555-123-2002"]), ("number",)),
        (asking.which_trouble(), ("topic",)),
        (asking.add_data("15.1", "15", "2.00", "4.00", "2"), ("refuel",)),
        (asking.pay_bill("B1234321", "65.00"), ("payment",)),
        (asking.solved(again=False), ("closing",)),
        (asking.solved(again=True), ("closing",)),
        (asking.handing_over(again=False), ("transferred",)),
    ],
)
def test_other_messages_are_recognised(text: str, kinds: tuple[str, ...]) -> None:
    assert asked(text) == kinds


def test_the_price_is_named_before_data_is_added() -> None:
    text = asking.add_data("15.1", "15", "2.00", "4.00", "2")
    assert "$2.00 per GB" in text
    assert "$4.00 in total" in text
    assert text.endswith("?")
