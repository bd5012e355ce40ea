"""The tasks: every composition of faults in three families, and the published sets of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from itertools import product
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct

from ringback.domain import Task
from ringback.errors import InputError
from ringback.telecom.faults import FAULTS, Step

__all__ = [
    "FAMILIES",
    "PERSONAS",
    "SPLITS",
    "TRANSFER",
    "compositions",
    "find",
    "repair",
    "split",
]

FAMILIES = ("mobile_data_issue", "service_issue", "mms_issue")
PERSONAS = ("None", "Easy", "Hard")
SPLITS = ("test", "train", "base", "small", "full")
"""The names of the task sets, the default first."""

TRANSFER = Step(
    "agent",
    "transfer_to_human_agents",
    MappingProxyType({"summary": "I cannot fix the issue."}),
)

_Group: TypeAlias = tuple[str, ...]

_AIRPLANE: _Group = ("airplane_mode_on",)
_SIM: _Group = ("unseat_sim_card",)
_DATA: _Group = ("data_mode_off",)
_USAGE: _Group = ("data_usage_exceeded", "data_usage_exceeded_no_refuel")
_NETWORK: _Group = ("bad_network_preference",)
_ROAMING: _Group = (
    "user_abroad_roaming_enabled_off",
    "user_abroad_roaming_disabled_on",
    "user_abroad_roaming_disabled_off",
)


class _Family(Struct, frozen=True):
    """How a family is composed: one fault or none of each group; `needs` are groups' indices.

    A composition counts when it has a fault of at least one group that is needed.
    """

    groups: tuple[_Group, ...]
    needs: slice


_COMPOSED: Mapping[str, _Family] = MappingProxyType(
    {
        "mobile_data_issue": _Family(
            (
                _AIRPLANE,
                _ROAMING,
                _DATA,
                ("data_saver_mode_on",),
                _NETWORK,
                ("bad_vpn",),
                _USAGE,
            ),
            slice(1, None),
        ),
        "service_issue": _Family(
            (
                _AIRPLANE,
                _SIM,
                ("lock_sim_card_pin",),
                ("break_apn_settings",),
                ("overdue_bill_suspension", "contract_end_suspension"),
            ),
            slice(0, None),
        ),
        "mms_issue": _Family(
            (
                _AIRPLANE,
                _SIM,
                _DATA,
                _USAGE,
                _ROAMING,
                _NETWORK,
                ("bad_wifi_calling",),
                ("break_apn_mms_setting",),
                (
                    "break_app_sms_permission",
                    "break_app_storage_permission",
                    "break_app_both_permissions",
                ),
            ),
            slice(-4, None),
        ),
    }
)
_NOT_OFFICIAL = "data_usage_exceeded_no_refuel"


_NOBODY = "None"  # what a task's id says where the caller is nobody in particular


def _task(family: str, faults: tuple[str, ...], persona: str) -> Task:
    faults = tuple(sorted(faults))
    return Task(
        id=f"[{family}]{'|'.join(faults)}[PERSONA:{persona}]",
        family=family,
        faults=faults,
        persona="" if persona == _NOBODY else persona,
        repairable=all(FAULTS[fault].repair is not None for fault in faults),
    )


@lru_cache(maxsize=1)
def compositions() -> tuple[Task, ...]:
    """All 3,405 tasks, family by family, the fewest faults first."""
    tasks: list[Task] = []
    for name in FAMILIES:
        family = _COMPOSED[name]
        choices = product(*((*group, None) for group in family.groups))
        sets = [
            tuple(fault for fault in choice if fault is not None)
            for choice in choices
            if any(choice[family.needs])
        ]
        sets.sort(key=len)
        tasks += [
            _task(name, faults, PERSONAS[position % len(PERSONAS)])
            for position, faults in enumerate(sets)
        ]
    return tuple(tasks)


@lru_cache(maxsize=1)
def _by_id() -> Mapping[str, Task]:
    return {task.id: task for task in compositions()}


def find(task_id: str) -> Task:
    """The task with this id, of all 3,405; `InputError` if there is none."""
    task = _by_id().get(task_id)
    if task is None:
        shown = task_id if len(task_id) <= 200 else task_id[:200] + "…"
        raise InputError(f"There is no telecom task {shown!r}: {_hint(task_id)}.")
    return task


def _hint(task_id: str) -> str:
    parts = re.fullmatch(r"\[(\w+)\]([\w|]*)\[PERSONA:(\w+)\]", task_id)
    if parts is None:
        return "an id has the form [family]fault|fault[PERSONA:None]"
    family, faults, persona = parts[1], tuple(parts[2].split("|")), parts[3]
    if family not in FAMILIES:
        return f"the families are {', '.join(FAMILIES)}"
    unknown = [fault for fault in faults if fault not in FAULTS]
    if unknown:
        return f"there is no fault {unknown[0]!r}"
    same = [t for t in compositions() if t.family == family and set(t.faults) == set(faults)]
    if not same:
        return f"the family {family} has no such set of faults"
    if (same[0].persona or _NOBODY) != persona:
        return f"these faults go with the persona {same[0].persona or _NOBODY}"
    return "the faults must be sorted by name"


def split(name: str) -> tuple[Task, ...]:
    """The tasks of a set in their fixed order; `InputError` if there is no such set."""
    match name:
        case "full":
            return tuple(t for t in compositions() if _NOT_OFFICIAL not in t.faults)
        case "small":
            return tuple(task for task in split("full") if len(task.faults) == 1)
        case "test" | "train":
            return _published()[name]
        case "base":
            return (*split("test"), *split("train"))
        case _:
            raise InputError(
                f"There is no task set {name!r} in telecom: choose one of {', '.join(SPLITS)}."
            )


@lru_cache(maxsize=1)
def _published() -> Mapping[str, tuple[Task, ...]]:
    text = resources.files("ringback.telecom").joinpath("data/splits.txt").read_text("utf-8")
    sets: dict[str, list[Task]] = {}
    current: list[Task] = []
    for line in text.splitlines():
        if line.startswith("["):
            current = sets.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            family, persona, *faults = line.split()
            current.append(_task(family, tuple(faults), persona))
    return {name: tuple(tasks) for name, tasks in sets.items()}


def repair(task: Task) -> tuple[Step, ...]:
    """The steps expected of the two sides, in the order of the faults, repeats kept.

    For a task that cannot be repaired: the transfer alone.
    """
    if not task.repairable:
        return (TRANSFER,)
    return tuple(step for fault in task.faults for step in FAULTS[fault].repair or ())
