"""What a recorded answer states of the world, against what our world answers to the same call.

The two word things differently, so neither text is compared. Both are read for a few plain facts
(a switch is on, the signal is poor, a line is Active), and only a fact that both state can differ.
What neither a label nor a number says is not noticed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, cast

import msgspec

__all__ = ["disagreements"]

_STATE = (
    "status",
    "account_status",
    "phone_number",
    "line_id",
    "customer_id",
    "plan_id",
    "device_id",
    "bill_id",
    "data_used_gb",
    "data_limit_gb",
    "data_refueling_gb",
    "roaming_enabled",
    "contract_end_date",
    "suspension_start_date",
    "total_due",
    "due_date",
    "issue_date",
    "charge",
    "data_refueling_price_per_gb",
    "price_per_month",
)
"""The fields of the carrier's records that a case can turn on."""

_LISTS = ("line_ids", "bill_ids", "line_items")
"""Lists of which the length is compared."""

_RENAMED = {"new_data_refueling_gb": "data_refueling_gb"}
_NAMED_BY = ("bill_id", "line_id", "customer_id", "plan_id", "device_id")

_SAME: Mapping[str, str] = {
    "yes": "on",
    "no": "off",
    "enabled": "on",
    "disabled": "off",
    "connected": "on",
    "not connected": "off",
    "disconnected": "off",
    "none": "nothing",
    "not set": "nothing",
}
# Each pattern can read a text in one way only, or a text could be made that takes it forever.
_SWITCH = r"(?: radio| mode)*(?: is now| is| turned| enabled| currently)*:? +"
_ON = r"(on|off|yes|no|enabled|disabled)\b"
_LABELLED: tuple[tuple[str, str], ...] = (
    ("airplane mode", r"airplane" + _SWITCH + _ON),
    ("data roaming", r"data roaming" + _SWITCH + _ON),
    ("mobile data", r"mobile data" + _SWITCH + _ON),
    ("data saver", r"data saver" + _SWITCH + _ON),
    ("Wi-Fi calling", r"wi-fi calling" + _SWITCH + _ON),
    ("Wi-Fi", r"wi-fi" + _SWITCH + _ON),
    ("Wi-Fi connection", r"(?<!over )wi-fi(?:: \w+;)? connected: (yes|no)\b"),
    ("VPN", r"vpn(?: is)?(?: turned)?:? +(on|off|not connected|connected|disconnected)\b"),
    ("VPN performance", r"performance\W+(?:<\w+\.\w+: ')?(poor|fair|good|excellent)\b"),
    ("SIM card", r"sim card(?: status)?:? +(?:is +)?(active|missing|locked)"),
    ("connection", r"connection: (\w+)"),
    ("signal", r"signal: (\w+)"),
    ("network", r"network(?: type)?: (\w+)"),
    ("network mode", r"\b([2345]g_\w+)"),
    ("APN", r"apn name: (\w+)"),
    ("MMSC", r"mmsc url(?:(?!mmsc url)[^:])*+: (not set|\S+?)(?=[;\s]|$)"),
    ("speed", r"\b(\d+\.\d+) mbps"),
    (
        "rating",
        r"(?:mbps \(|rating: |failed: )(very poor|poor|fair|good|excellent|no connection)\b",
    ),
    ("bill", r"\bbill (b\d+)"),
    ("amount", r"\b(\d+(?:\.\d+)?) usd"),
)
_PATTERNS = tuple((name, re.compile(pattern)) for name, pattern in _LABELLED)
_PERMISSIONS = ("sms", "storage", "phone", "network")
_BARS = ("very poor", "poor", "fair", "good", "excellent")


_LONGEST_ID = 100  # characters; ours have five, and names of facts are made of them
_LONG = 4096  # characters of a text beyond which its facts are found anew each time


def disagreements(tool: str, recorded: str, ours: str) -> tuple[str, ...]:
    """In what the recorded answer to a call and ours state different things, in words.

    Both are answers to calls that did not fail. Empty where nothing differs or nothing can be told.
    """
    if len(recorded) > _LONG or len(ours) > _LONG:
        return _disagreements(tool, recorded, ours)
    return _known(tool, recorded, ours)


@lru_cache(maxsize=4096)
def _known(tool: str, recorded: str, ours: str) -> tuple[str, ...]:
    return _disagreements(tool, recorded, ours)


def _disagreements(tool: str, recorded: str, ours: str) -> tuple[str, ...]:
    theirs, own = _facts(tool, recorded), _facts(tool, ours)
    return tuple(
        f"{name}: recorded {value}, here {own[name]}"
        for name, value in theirs.items()
        if name in own and own[name] != value
    )


def _facts(tool: str, text: str) -> dict[str, str]:
    if text.startswith(("{", "[")):
        return _record(text)
    lower = text.lower()
    body, _, bar = lower.partition("status bar:")
    read = _OF.get(tool)
    facts: dict[str, str] = {}
    if read is not None:
        facts = read(body)
    elif tool not in _SILENT:
        for name, pattern in _PATTERNS:
            if found := pattern.search(body):
                value = found[1].removesuffix(".")
                facts[name] = _number(_SAME.get(value, value))
    return facts | _bar(bar)


def _number(text: str) -> str:
    try:
        return f"{float(text):g}"
    except ValueError:
        return text


# The carrier's records


def _record(text: str) -> dict[str, str]:
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return {}
    facts: dict[str, str] = {}
    if isinstance(value, list):
        facts["list"] = f"{len(cast('list[Any]', value))} entries"
    _collect(value, "", facts, 4)
    return facts


def _collect(value: Any, where: str, facts: dict[str, str], depth: int) -> None:
    """The facts of a record and of those within it; within a list, each by its id."""
    if depth < 0:
        return
    if isinstance(value, list):
        for item in cast("list[Any]", value):
            if isinstance(item, dict):
                fields = cast("dict[str, Any]", item)
                name = next((str(fields[key]) for key in _NAMED_BY if key in fields), None)
                if name is not None and len(name) <= _LONGEST_ID:
                    _collect(fields, f"{where}{name} ", facts, depth - 1)
        return
    if not isinstance(value, dict):
        return
    for key, item in cast("dict[str, Any]", value).items():
        name = _RENAMED.get(key, key)
        if name in _LISTS and isinstance(item, list):
            facts[f"{where}{name}"] = f"{len(cast('list[Any]', item))} entries"
        elif isinstance(item, dict | list):
            _collect(cast("Any", item), where, facts, depth - 1)
        elif name in _STATE:
            facts[f"{where}{name}"] = _scalar(item)


def _scalar(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "nothing"}[value]
    return _number(str(value))


# The phone's answers that no label names


def _mms(body: str) -> dict[str, str]:
    if "cannot" in body or body.rstrip(". ").endswith(": no"):
        return {"MMS": "not possible"}
    if " can " in body or body.rstrip(". ").endswith(": yes"):
        return {"MMS": "possible"}
    return {}


def _sim(body: str) -> dict[str, str]:
    for word, state in (("no sim", "missing"), ("missing", "missing"), ("puk", "locked by PUK")):
        if word in body:
            return {"SIM card": state}
    if "locked" in body:
        return {"SIM card": "locked by PIN" if "pin" in body else "locked"}
    return {"SIM card": "active"} if "active" in body else {}


def _allowed(body: str) -> dict[str, str]:
    """Which permissions an app has: the words after the last colon of what it is allowed."""
    if "not found" in body:
        return {"app": "not found"}
    given = body.partition("not allowed")[0]
    for opening in ("has permission for:", "allowed:", "granted:"):
        _, found, rest = given.partition(opening)
        if found:
            held = [name for name in _PERMISSIONS if re.search(rf"\b{name}\b", rest)]
            return {"permissions": ", ".join(held) or "none", "app": "found"}
    return {}


_OF: Mapping[str, Callable[[str], dict[str, str]]] = {
    "can_send_mms": _mms,
    "check_sim_status": _sim,
    "check_app_permissions": _allowed,
    "check_app_status": _allowed,
}
_SILENT = ("reboot_device", "reseat_sim_card", "grant_app_permission", "transfer_to_human_agents")
"""Tools of whose answers only the status bar says something that can be compared."""


def _bar(bar: str) -> dict[str, str]:
    """The facts of a status bar, in which a missing icon is a fact too where it would be seen."""
    if not bar:
        return {}
    if ";" in bar:
        return _own_bar(bar)
    facts = {"airplane mode (bar)": "on" if "airplane" in bar else "off"}
    facts["VPN (bar)"] = "on" if "vpn" in bar else "off"
    if charge := re.search(r"(?<!\d)(\d+)%", bar):
        facts["battery"] = charge[1]
    if "no signal" in bar:
        facts["signal (bar)"] = "none"
    elif level := next((word for word in _BARS if word in bar), None):
        facts["signal (bar)"] = level
        if network := re.search(r"\b([2345]g)\b", bar):
            facts["network (bar)"] = network[1]
        if "data enabled" in bar:
            facts["mobile data (bar)"] = "on"
            facts["data saver (bar)"] = "on" if "data saver" in bar else "off"
        elif "data disabled" in bar:
            facts["mobile data (bar)"] = "off"
    return facts


_OWN_BAR = (
    ("airplane mode (bar)", re.compile(r"airplane mode (on|off)")),
    ("VPN (bar)", re.compile(r"vpn (not connected|connected)")),
    ("battery", re.compile(r"battery (\d+)%")),
    ("signal (bar)", re.compile(r"signal (very poor|\w+)")),
    ("network (bar)", re.compile(r"network ([2345]g)")),
    ("mobile data (bar)", re.compile(r"mobile data (on|off)")),
    ("data saver (bar)", re.compile(r"data saver (on|off)")),
)


def _own_bar(bar: str) -> dict[str, str]:
    return {
        name: _SAME.get(found[1], found[1]) if name != "signal (bar)" else found[1]
        for name, pattern in _OWN_BAR
        if (found := pattern.search(bar))
    }
