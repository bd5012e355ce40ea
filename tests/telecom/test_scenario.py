"""What a caller knows and wants, and what no caller may give away."""

from __future__ import annotations

import pytest

from ringback.domain import Scenario, Task
from ringback.errors import InputError
from ringback.telecom import domain
from ringback.telecom.scenario import Caller, scenario

FAULT_WORDS = (
    "airplane",
    "data saver",
    "vpn",
    "apn",
    "mmsc",
    "roaming",
    "permission",
    "wi-fi calling",
    "sim",
    "suspend",
    "overdue",
    "contract",
    "usage",
    "2g",
)


def caller(family: str, *faults: str, persona: str = "None") -> Caller:
    return scenario(Task("x", family, faults, persona, True))


def test_every_official_task_has_a_caller_who_names_no_fault() -> None:
    for task in domain.tasks("full"):
        one: Scenario = domain.scenario(task)
        assert isinstance(one, Caller)
        low = one.text.lower()
        words = [word for word in FAULT_WORDS if word in low.replace("simul", "")]
        assert not words, (task.id, words)
        assert "John Smith" in one.text
        assert "555-123-2002" in one.text
        assert one.persona.name == (task.persona or "None")


def test_only_callers_of_the_data_families_say_where_they_are_and_would_buy_data() -> None:
    where = "user_abroad_roaming_disabled_off"
    abroad = caller("mobile_data_issue", where)
    assert (abroad.country, abroad.abroad, abroad.refuel_gb) == ("France", True, 2.0)
    home = caller("mms_issue", "bad_wifi_calling")
    assert (home.country, home.abroad, home.refuel_gb) == ("the United States", False, 2.0)
    service = caller("service_issue", "airplane_mode_on")
    assert (service.country, service.abroad, service.refuel_gb) == (None, None, None)
    assert [one.pays_bill for one in (abroad, home, service)] == [False, False, True]
    assert not any(one.changes_plan for one in (abroad, home, service))


def test_where_the_text_says_it_the_caller_is_there() -> None:
    assert "France" in caller("mms_issue", "user_abroad_roaming_disabled_on").text
    assert "France" not in caller("mms_issue", "bad_wifi_calling").text


@pytest.mark.parametrize(
    ("persona", "age", "word"),
    [("Easy", 41, "office"), ("Hard", 64, "librarian"), ("None", None, None)],
)
def test_personas(persona: str, age: int | None, word: str | None) -> None:
    one = caller("mms_issue", "bad_wifi_calling", persona=persona)
    assert one.persona.age == age
    assert word is None or word in one.text


def test_a_birth_date_is_neither_known_nor_to_be_invented() -> None:
    one = caller("mms_issue", "bad_wifi_calling", persona="Easy")
    assert "1985" not in one.text
    assert "Birth date" in one.text
    assert "Never make one up" in one.text


@pytest.mark.parametrize(("family", "persona"), [("billing", "None"), ("mms_issue", "Angry")])
def test_an_unknown_family_or_persona_is_said(family: str, persona: str) -> None:
    with pytest.raises(InputError, match=r"unknown (family|persona)"):
        caller(family, "airplane_mode_on", persona=persona)
