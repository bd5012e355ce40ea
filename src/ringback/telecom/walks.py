"""Conformance walks: recorded runs of the reference world, replayed here and compared.

A walk is one JSON object a line: a task, the state it starts in, calls with what each changed, and
the checks at the end. Any field that comes out differently is a difference.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias

import msgspec
from msgspec import UNSET, Struct, UnsetType

from ringback.canonical import Json, canonical, encode
from ringback.domain import Did, Side, Verdict
from ringback.errors import InputError
from ringback.telecom.carrier import base_carrier
from ringback.telecom.checks import ACTIONS, END_STATE, check
from ringback.telecom.faults import OVERDUE_BILL, start_state
from ringback.telecom.fields import flat
from ringback.telecom.state import base_state
from ringback.telecom.tasks import find
from ringback.telecom.world import World

__all__ = ["Difference", "Walk", "check_walks"]

_NEW_DRAFT = "NEW_DRAFT"
_GONE = "(gone)"

_By: TypeAlias = Literal["user", "assistant"]
_SIDE: Mapping[_By, Side] = MappingProxyType({"user": "user", "assistant": "agent"})
_BY: Mapping[Side, _By] = MappingProxyType({side: by for by, side in _SIDE.items()})
_BASIS = MappingProxyType({END_STATE: "ENV_ASSERTION", ACTIONS: "ACTION"})


class _Step(Struct, frozen=True):
    by: _By
    tool: str
    args: Json
    error: bool
    changed: dict[str, Json] = {}
    gone: tuple[str, ...] = ()
    returned: Json | UnsetType = UNSET


class _Assertion(Struct, frozen=True):
    env: _By
    name: str
    args: dict[str, Json]
    met: bool


class _Action(Struct, frozen=True):
    by: _By
    name: str
    args: dict[str, Json]
    compare: tuple[str, ...] | None
    met: bool


class _Recorded(Struct, frozen=True):
    id: str
    task_id: str
    kind: str
    start: dict[str, Json]
    steps: tuple[_Step, ...]
    assertions: tuple[_Assertion, ...]
    actions: tuple[_Action, ...]
    reward_basis: tuple[str, ...]
    reward: float
    start_gone: tuple[str, ...] = ()


class Difference(Struct, frozen=True):
    """A field that came out differently.

    `step` counts from 0; None is the start for a state's field, the end for a check.
    """

    step: int | None
    field: str
    expected: Json
    got: Json


class Walk(Struct, frozen=True):
    """A walk that was run, with all its differences."""

    id: str
    task_id: str
    differences: tuple[Difference, ...]


def check_walks(path: Path) -> Iterator[Walk]:
    """Run every walk of a file (.jsonl, or .jsonl.gz), one at a time.

    Raises `InputError`, naming file, line and column, for what is not a walk.
    """
    decoder = msgspec.json.Decoder(_Recorded)
    for number, line in _lines(path):
        try:
            recorded = decoder.decode(line)
        except msgspec.ValidationError as error:
            raise InputError(f"{path}, line {number}, column 1: not a walk: {error}.") from None
        except RecursionError:
            raise InputError(f"{path}, line {number}, column 1: nested too deeply.") from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{path}, line {number}, {_column(line, error)}.") from None
        try:
            yield _run(recorded)
        except InputError as error:
            raise InputError(f"{path}, line {number}, column 1: {error}") from None


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    if path.exists() and not path.is_file():
        raise InputError(f"{path} cannot be read: it is not a file.")
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line.rstrip(b"\r\n")
    except (OSError, EOFError, zlib.error) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{path} cannot be read: {why}.") from None


def _column(line: bytes, error: Exception) -> str:
    try:
        json.loads(line.decode())
    except json.JSONDecodeError as found:
        return f"column {found.colno}: not JSON: {found.msg}"
    except UnicodeDecodeError as found:
        return f"column {found.start + 1}: not UTF-8"
    except RecursionError:
        pass
    return f"column 1: not JSON: {error}"


def _run(recorded: _Recorded) -> Walk:
    task = find(recorded.task_id)
    world = World(start_state(task.faults))
    fields = _named(world)
    start = _changes(None, flat(base_state()), fields, recorded.start, recorded.start_gone)
    found = list(start)
    history: list[Did] = []
    for number, step in enumerate(recorded.steps):
        side = _SIDE[step.by]
        before = world.copy()
        arguments = _own_names(world, step.args)
        outcome = world.call(side, step.tool, arguments)
        after = world.copy()
        history.append(Did(number, 0, side, step.tool, arguments, outcome, before, after))
        if outcome.error is not step.error:
            found.append(Difference(number, "error", step.error, outcome.error))
        if after != before or step.changed or step.gone:
            old, fields = fields, _named(after)
            found += _changes(number, old, fields, step.changed, step.gone)
        if step.returned is not UNSET:
            got = _walk_names(after, outcome.record)
            found += _returned(number, "returned", step.returned, got)
    found += _checks(recorded, check(task, history, world))
    return Walk(recorded.id, recorded.task_id, tuple(found))


def _changes(
    step: int | None,
    before: Mapping[str, Json],
    after: Mapping[str, Json],
    changed: Mapping[str, Json],
    gone: tuple[str, ...],
) -> Iterator[Difference]:
    """The fields of `after` that are not what `before` with the expected changes gives."""
    expected = {**before, **changed}
    for name in gone:
        expected.pop(name, None)
    if expected == after and all(_same(value, after[name]) for name, value in changed.items()):
        return
    for name in {**expected, **after}:
        wanted, got = expected.get(name, _GONE), after.get(name, _GONE)
        if not _same(wanted, got):
            yield Difference(step, name, wanted, got)


def _returned(step: int, path: str, expected: Json, got: Json) -> Iterator[Difference]:
    """What a tool gave back differently. The record may say more than the walk wrote down."""
    if isinstance(expected, dict) and isinstance(got, dict):
        for key, value in expected.items():
            yield from _returned(step, f"{path}.{key}", value, got.get(key, _GONE))
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        for index, (value, own) in enumerate(zip(expected, got, strict=True)):
            yield from _returned(step, f"{path}.{index}", value, own)
    elif not _same(expected, got):
        yield Difference(step, path, expected, got)


def _checks(recorded: _Recorded, verdict: Verdict) -> Iterator[Difference]:
    assertions = [_Assertion(_BY[c.env], c.name, dict(c.arguments), c.met) for c in verdict.end]
    actions = [
        _Action(_BY[a.side], a.name, dict(a.arguments), a.compare, a.met) for a in verdict.actions
    ]
    basis = [_BASIS[part] for part in verdict.basis]
    compared: tuple[tuple[str, object, object], ...] = (
        ("assertions", recorded.assertions, assertions),
        ("actions", recorded.actions, actions),
        ("reward_basis", recorded.reward_basis, basis),
        ("reward", recorded.reward, 1.0 if verdict.satisfied else 0.0),
    )
    for name, wanted, own in compared:
        expected, got = canonical(wanted), canonical(own)
        if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
            for index, (one, other) in enumerate(zip(expected, got, strict=True)):
                if one != other:
                    yield Difference(None, f"{name}.{index}", one, other)
        elif expected != got:
            yield Difference(None, name, expected, got)


def _same(expected: Json, got: Json) -> bool:
    if isinstance(expected, bool) is not isinstance(got, bool):
        return False
    if isinstance(expected, dict | list):
        return encode(expected) == encode(got)
    return expected == got


def _draft(world: World) -> str | None:
    """The bill that a refuel made, which walks call NEW_DRAFT."""
    known = {bill.bill_id for bill in base_carrier().bills} | {OVERDUE_BILL}
    bills = world.state.carrier.bills
    if len(bills) <= len(known) - 1:
        return None
    return next((bill.bill_id for bill in bills if bill.bill_id not in known), None)


def _named(world: World) -> dict[str, Json]:
    fields = flat(world.state)
    draft = _draft(world)
    if draft is None:
        return fields
    old, new = f"bill.{draft}.", f"bill.{_NEW_DRAFT}."
    return {
        name.replace(old, new): _renamed(value, draft, _NEW_DRAFT) for name, value in fields.items()
    }


def _walk_names(world: World, record: Json) -> Json:
    draft = _draft(world)
    return record if draft is None else _renamed(record, draft, _NEW_DRAFT)


def _own_names(world: World, arguments: Json) -> Json:
    draft = _draft(world)
    return arguments if draft is None else _renamed(arguments, _NEW_DRAFT, draft)


def _renamed(value: Json, old: str, new: str) -> Json:
    if isinstance(value, dict):
        return {key: _renamed(item, old, new) for key, item in value.items()}
    if isinstance(value, list):
        return [_renamed(item, old, new) for item in value]
    return new if value == old else value
