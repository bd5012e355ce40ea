"""The conformance walks, and what becomes of a file that holds none."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from ringback.errors import InputError
from ringback.telecom.fields import flat
from ringback.telecom.state import base_state
from ringback.telecom.walks import Difference, check_walks

WALK: dict[str, Any] = {
    "id": "made-1",
    "task_id": "[mobile_data_issue]data_mode_off[PERSONA:None]",
    "kind": "gold",
    "start": {
        "phone.network_signal_strength": "excellent",
        "phone.data_enabled": False,
        "around.name": "John Smith",
        "around.phone_number": "555-123-2002",
        "around.roaming_allowed": True,
        "derived.mobile_data_working": False,
        "derived.speed_mbps": None,
        "derived.speed_label": "No Connection",
        "derived.can_send_mms": False,
    },
    "steps": [
        {
            "by": "assistant",
            "tool": "get_data_usage",
            "args": {"customer_id": "C1001", "line_id": "L1002"},
            "error": False,
            "returned": {"line_id": "L1002", "data_used_gb": 8.7, "cycle_end_date": "2025-02-28"},
        },
        {
            "by": "user",
            "tool": "toggle_data",
            "args": {},
            "error": False,
            "changed": {
                "phone.data_enabled": True,
                "derived.mobile_data_working": True,
                "derived.speed_mbps": 275.0,
                "derived.speed_label": "Excellent",
                "derived.can_send_mms": True,
            },
        },
    ],
    "assertions": [
        {
            "env": "user",
            "name": "assert_mobile_data_status",
            "args": {"expected_status": True},
            "met": True,
        },
        {
            "env": "user",
            "name": "assert_internet_speed",
            "args": {"expected_speed": 200, "expected_desc": "excellent"},
            "met": True,
        },
    ],
    "actions": [{"by": "user", "name": "toggle_data", "args": {}, "compare": None, "met": True}],
    "reward_basis": ["ENV_ASSERTION"],
    "reward": 1.0,
}


def _with(**changes: Any) -> dict[str, Any]:
    return {**json.loads(json.dumps(WALK)), **changes}


def _step(number: int, **changes: Any) -> dict[str, Any]:
    walk = _with()
    walk["steps"][number].update(changes)
    return walk


def _write(path: Path, *walks: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(walk) + "\n" for walk in walks), encoding="utf-8")
    return path


def _only(path: Path) -> Difference:
    (walk,) = check_walks(path)
    (difference,) = walk.differences
    return difference


def test_every_shared_walk_comes_out_as_recorded(shared: Path) -> None:
    count = 0
    for walk in check_walks(shared / "conformance" / "walks.jsonl.gz"):
        assert walk.differences == (), f"{walk.id} {walk.task_id}"
        count += 1
    assert count == 4570


def test_the_base_state_is_the_recorded_one(shared: Path) -> None:
    recorded = json.loads((shared / "conformance" / "world.json").read_text("utf-8"))
    assert flat(base_state()) == recorded


def test_a_walk_of_ours_has_no_difference(tmp_path: Path) -> None:
    plain = _write(tmp_path / "walks.jsonl", WALK, WALK)
    assert [walk.differences for walk in check_walks(plain)] == [(), ()]
    packed = tmp_path / "walks.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert [walk.id for walk in check_walks(packed)] == ["made-1", "made-1"]


def test_a_different_start_is_found(tmp_path: Path) -> None:
    start = {**WALK["start"], "around.is_abroad": True}
    difference = _only(_write(tmp_path / "w.jsonl", _with(start=start)))
    assert difference == Difference(None, "around.is_abroad", True, False)


@pytest.mark.parametrize(
    ("walk", "expected"),
    [
        (_step(0, error=True), Difference(0, "error", True, False)),
        (
            _step(0, returned={"data_used_gb": 8.8}),
            Difference(0, "returned.data_used_gb", 8.8, 8.7),
        ),
        (
            _step(0, returned={"colour": "red"}),
            Difference(0, "returned.colour", "red", "(gone)"),
        ),
        (
            _step(1, changed={**WALK["steps"][1]["changed"], "derived.speed_mbps": 220.0}),
            Difference(1, "derived.speed_mbps", 220.0, 275.0),
        ),
        (
            _step(1, changed={**WALK["steps"][1]["changed"], "derived.can_send_mms": 1}),
            Difference(1, "derived.can_send_mms", 1, True),
        ),
        (
            _step(1, gone=["phone.wifi_ssid"]),
            Difference(1, "phone.wifi_ssid", "(gone)", None),
        ),
        (_with(reward=0.0), Difference(None, "reward", 0, 1)),
        (
            _with(reward_basis=["ENV_ASSERTION", "ACTION"]),
            Difference(None, "reward_basis", ["ENV_ASSERTION", "ACTION"], ["ENV_ASSERTION"]),
        ),
        (
            _with(actions=[]),
            Difference(
                None,
                "actions",
                [],
                [{"by": "user", "name": "toggle_data", "args": {}, "compare": None, "met": True}],
            ),
        ),
    ],
)
def test_a_walk_that_differs_says_where(
    tmp_path: Path, walk: dict[str, Any], expected: Difference
) -> None:
    assert _only(_write(tmp_path / "w.jsonl", walk)) == expected


def test_a_change_that_the_walk_does_not_have_is_a_difference(tmp_path: Path) -> None:
    changed = dict(WALK["steps"][1]["changed"])
    del changed["derived.can_send_mms"]
    difference = _only(_write(tmp_path / "w.jsonl", _step(1, changed=changed)))
    assert difference == Difference(1, "derived.can_send_mms", False, True)


@pytest.mark.parametrize(
    ("second_line", "where"),
    [
        (b'{"id" "x"}', "line 2, column 7: not JSON"),
        (b'{"id": "x"', "line 2, column 11: not JSON"),
        (b'{"id": "\xff"}', "line 2, column 9: not UTF-8"),
        (b'{"id": "x"}', "line 2, column 1: not a walk"),
        (b"[" * 5000, "line 2, column"),
        (
            json.dumps(_with(task_id="[mms_issue]nothing[PERSONA:None]")).encode(),
            "line 2, column 1: There is no telecom task",
        ),
    ],
)
def test_a_bad_line_is_named_by_line_and_column(
    tmp_path: Path, second_line: bytes, where: str
) -> None:
    path = tmp_path / "walks.jsonl"
    path.write_bytes(json.dumps(WALK).encode() + b"\n" + second_line + b"\n")
    walks = check_walks(path)
    assert next(walks).differences == ()
    with pytest.raises(InputError) as caught:
        next(walks)
    assert f"{path}, {where}" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read_say_why(tmp_path: Path) -> None:
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(gzip.compress(json.dumps(WALK).encode() * 50)[:-20])
    no_gzip = tmp_path / "plain.jsonl.gz"
    no_gzip.write_bytes(b"{}")
    for path in (tmp_path / "missing.jsonl", tmp_path, cut, no_gzip):
        with pytest.raises(InputError, match="cannot be read"):
            list(check_walks(path))


def test_a_line_nested_too_deeply_is_named(tmp_path: Path) -> None:
    deep = json.dumps(WALK).replace(
        '"customer_id": "C1001"', '"deep": ' + "[" * 3000 + "]" * 3000, 1
    )
    path = tmp_path / "deep.jsonl"
    path.write_text(deep)
    with pytest.raises(InputError, match="line 1, column 1: nested too deeply"):
        list(check_walks(path))


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    for path in (tmp_path / "pipe.jsonl", tmp_path):
        with pytest.raises(InputError, match="it is not a file"):
            list(check_walks(path))
