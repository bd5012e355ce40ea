"""A file's task against ours of the same id: what each is graded by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct

from ringback.canonical import encode
from ringback.domain import Domain
from ringback.errors import InputError
from ringback.formats.members import repeated_within
from ringback.formats.secrecy import without_secrets
from ringback.formats.tau2.wire import Task

__all__ = ["Tasks", "known_as"]

_decoder = msgspec.json.Decoder(Task)
_raws = msgspec.json.Decoder(list[msgspec.Raw])
_PROBLEMS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_UNREAD = "a task that cannot be read"
_TWICE = "a task that has a key twice, of which either may hold"
_SEVERAL = "several tasks of its id, of which the first is taken"
_END, _ACTIONS = "ENV_ASSERTION", "ACTION"
_BASES = {_END: "end_state", _ACTIONS: "actions"}
_SIDES = {"assistant": "agent", "user": "user"}
_ID = re.compile(r"\[(\w{1,40})\]([\w|]{1,400})(?:\[PERSONA:\w{1,40}\])?")
_PERSONAS = ("None", "Easy", "Hard")


def known_as(domain: Domain, task_id: object) -> str | None:
    """The id of our task with the faults that this id names; None where there is none.

    Callers of another temper are other texts and the same case.
    """
    if not isinstance(task_id, str):
        return None
    if _is_there(domain, task_id):
        return task_id
    parts = _ID.fullmatch(task_id)
    if parts is None:
        return None
    faults = "|".join(sorted(parts[2].split("|")))
    ids = (f"[{parts[1]}]{faults}[PERSONA:{persona}]" for persona in _PERSONAS)
    return next((one for one in ids if _is_there(domain, one)), None)


def _is_there(domain: Domain, task_id: str) -> bool:
    try:
        domain.task(task_id)
    except InputError:
        return False
    return True


class _Own(Struct, frozen=True):
    """What our task of an id is graded by, spelled for comparison."""

    steps: tuple[bytes, ...]
    states: tuple[bytes, ...]
    basis: frozenset[str]


@lru_cache(maxsize=4096)
def _own(domain: Domain, task_id: str) -> _Own:
    task = domain.task(task_id)
    verdict = domain.check(task, (), domain.world(task))
    steps = [[step.side, step.name, dict(step.arguments)] for step in verdict.actions]
    states = [[check.env, check.name, dict(check.arguments)] for check in verdict.end]
    basis = {_END, *([_ACTIONS] if any(step.counted for step in verdict.actions) else [])}
    return _Own(_spelled(steps), _spelled(states), frozenset(basis))


def _spelled(items: Sequence[object]) -> tuple[bytes, ...]:
    return tuple(sorted(encode(item) for item in items))


class Tasks:
    """The tasks of one file, read when one is first asked for; none where they are no list."""

    def __init__(self, raw: msgspec.Raw) -> None:
        self._raw = raw
        self._found: dict[str, tuple[msgspec.Raw, Task]] | None = None
        self._differs: dict[str, tuple[str, ...]] = {}
        self._unread: set[str] = set()
        """The ids of tasks of which no more can be read."""
        self._several: set[str] = set()
        """The ids of which there are several tasks that are not the same; the first is taken."""
        self._no_text: set[str] = set()
        self._twice: dict[str, bool] = {}
        self._texts: dict[str, str] = {}

    def _all(self) -> dict[str, tuple[msgspec.Raw, Task]]:
        if self._found is None:
            self._found = {}
            for raw in _listed(self._raw):
                try:
                    task = _decoder.decode(raw)
                except _PROBLEMS:
                    self._unread |= _only_id(raw)
                    continue
                if isinstance(task.id, str):
                    if not _is_text(raw):
                        self._no_text.add(task.id)
                    first, _ = self._found.setdefault(task.id, (raw, task))
                    if bytes(first) != bytes(raw):
                        self._several.add(task.id)
        return self._found

    def is_text(self, task_id: object) -> bool:
        """Whether the task can be kept as the file has it: false where it is not UTF-8."""
        self._all()
        return task_id not in self._no_text if isinstance(task_id, str) else True

    def text(self, task_id: str) -> str | None:
        """The task as the file has it but for secrets in it, None where it does not have it.

        Raises `UnicodeDecodeError` for what is no text.
        """
        found = self._all().get(task_id)
        if found is None:
            return None
        if task_id not in self._texts:
            self._texts[task_id] = _kept(bytes(found[0]).decode())
        return self._texts[task_id]

    def _clear(self, task_id: str) -> tuple[msgspec.Raw, Task] | None:
        """The task; None where the file does not have it, or has a key twice in it."""
        found = self._all().get(task_id)
        if found and task_id not in self._twice:
            self._twice[task_id] = bool(repeated_within(found[0]))
        return None if self._twice.get(task_id) else found

    def ticket(self, task_id: str) -> str | None:
        """What a solo run's agent was given, None where the file does not say."""
        found = self._clear(task_id)
        ticket = found[1].ticket if found else None
        return ticket if isinstance(ticket, str) else None

    def differences(self, domain: Domain, task_id: str, ours: str) -> tuple[str, ...]:
        """In which parts the file's task is graded by something else than ours.

        A file that does not have the task, or not so that it can be read, does not say by what it
        graded; that is such a part too, and so is another task of the same id.
        """
        if task_id not in self._differs:
            found = self._clear(task_id)
            if self._twice.get(task_id):
                self._differs[task_id] = (_TWICE,)
            elif found:
                several = (_SEVERAL,) if task_id in self._several else ()
                self._differs[task_id] = several + _differences(domain, ours, found[1])
            else:
                self._differs[task_id] = (_UNREAD if task_id in self._unread else "no task",)
        return self._differs[task_id]

    def basis(self, task_id: str) -> list[str] | None:
        """What the file's task takes into its reward, in our words where we have one."""
        found = self._clear(task_id)
        criteria = found[1].evaluation_criteria if found else None
        if criteria is None or criteria.reward_basis is None:
            return None
        return [_BASES.get(name, name) for name in criteria.reward_basis]


def _kept(task: str) -> str:
    inner = msgspec.json.decode(task)
    cleaned = without_secrets(inner)
    return task if cleaned is inner else msgspec.json.encode(cleaned).decode()


def _is_text(raw: msgspec.Raw) -> bool:
    try:
        bytes(raw).decode()
    except UnicodeDecodeError:
        return False
    return True


def _listed(raw: msgspec.Raw) -> list[msgspec.Raw]:
    try:
        return _raws.decode(raw)
    except _PROBLEMS:
        return []


class _Named(Struct):
    id: Any = None


def _only_id(raw: msgspec.Raw) -> set[str]:
    """The id of a task that cannot be read otherwise, if that can."""
    try:
        found = msgspec.json.decode(raw, type=_Named).id
    except _PROBLEMS:
        return set()
    return {found} if isinstance(found, str) else set()


def _differences(domain: Domain, task_id: str, task: Task) -> tuple[str, ...]:
    criteria = task.evaluation_criteria
    if criteria is None:
        return ("no criteria",)
    own = _own(domain, task_id)
    differing: list[str] = []
    try:
        steps = _spelled(
            [
                [_SIDES.get(step.requestor, step.requestor), step.name, _object(step.arguments)]
                for step in criteria.actions or ()
            ]
        )
        states = _spelled(
            [
                [_SIDES.get(one.env_type, one.env_type), one.func_name, _object(one.arguments)]
                for one in criteria.env_assertions or ()
            ]
        )
    except (TypeError, UnicodeEncodeError):
        return ("criteria that cannot be read",)
    if steps != own.steps:
        differing.append("actions")
    if states != own.states or any(
        one.assert_value is not True for one in criteria.env_assertions or ()
    ):
        differing.append("end state")
    if frozenset(criteria.reward_basis or ()) != own.basis:
        differing.append("reward basis")
    return tuple(differing)


def _object(arguments: Any) -> Any:
    return {} if arguments is None else arguments
