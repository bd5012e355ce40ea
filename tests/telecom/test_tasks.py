"""The tasks: every composition, every set, ids and personas."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from ringback.errors import InputError
from ringback.telecom import domain
from ringback.telecom.faults import FAULTS
from ringback.telecom.tasks import FAMILIES, PERSONAS, compositions, repair


def _families(split: str) -> Counter[str]:
    return Counter(task.family for task in domain.tasks(split))


def test_there_are_3405_compositions() -> None:
    everything = compositions()
    assert len({task.id for task in everything}) == len(everything) == 3405
    assert Counter(task.family for task in everything) == {
        "mobile_data_issue": 382,
        "service_issue": 47,
        "mms_issue": 2976,
    }


def test_the_sets_have_their_published_sizes() -> None:
    assert domain.splits[0] == "test"
    assert {split: len(domain.tasks(split)) for split in domain.splits} == {
        "test": 40,
        "train": 74,
        "base": 114,
        "small": 20,
        "full": 2285,
    }
    assert _families("full") == {
        "mobile_data_issue": 254,
        "service_issue": 47,
        "mms_issue": 1984,
    }


@pytest.mark.parametrize("split", domain.splits)
def test_every_task_of_every_set_opens(split: str) -> None:
    for task in domain.tasks(split):
        assert domain.task(task.id) == task
        world = domain.world(task)
        assert world.fields()["around.name"] == "John Smith"
        assert repair(task)


def test_the_sets_nest() -> None:
    full = set(domain.tasks("full"))
    test, train = set(domain.tasks("test")), set(domain.tasks("train"))
    assert not test & train
    assert set(domain.tasks("base")) == test | train
    assert test | train | set(domain.tasks("small")) <= full
    assert all(len(task.faults) == 1 for task in domain.tasks("small"))


def test_the_sets_are_the_published_ones(shared: Path) -> None:
    published = json.loads((shared / "reference" / "splits.json").read_text("utf-8"))
    for split, ids in published.items():
        assert {task.id for task in domain.tasks(split)} == set(ids)


def test_ids_say_what_the_task_is() -> None:
    for task in compositions():
        assert (
            task.id == f"[{task.family}]{'|'.join(task.faults)}[PERSONA:{task.persona or 'None'}]"
        )
        assert task.faults == tuple(sorted(task.faults))
        assert task.family in FAMILIES
        assert (task.persona or "None") in PERSONAS


def test_any_composition_can_be_asked_for_by_its_id() -> None:
    for task in compositions():
        assert domain.task(task.id) is task


def test_unrepairable_tasks_are_as_many_as_published() -> None:
    hopeless = {
        split: sum(not task.repairable for task in domain.tasks(split)) for split in domain.splits
    }
    assert (hopeless["base"], hopeless["test"]) == (20, 12)


def test_every_fault_occurs() -> None:
    assert {fault for task in compositions() for fault in task.faults} == set(FAULTS)


@pytest.mark.parametrize(
    ("task_id", "hint"),
    [
        ("nonsense", "an id has the form"),
        ("[sms_issue]data_mode_off[PERSONA:None]", "the families are"),
        ("[mms_issue]flat_battery[PERSONA:None]", "there is no fault 'flat_battery'"),
        ("[mms_issue]data_mode_off[PERSONA:None]", "has no such set of faults"),
        ("[mms_issue]bad_wifi_calling[PERSONA:None]", "go with the persona Easy"),
        (
            "[service_issue]unseat_sim_card|airplane_mode_on[PERSONA:None]",
            "",
        ),
        ("x" * 10_000, "…"),
    ],
)
def test_an_unknown_task_is_refused_in_one_sentence(task_id: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        domain.task(task_id)
    assert hint in str(caught.value)
    assert len(str(caught.value)) < 500


def test_an_unknown_set_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="test, train, base, small, full"):
        domain.tasks("medium")
