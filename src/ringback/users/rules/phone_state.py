"""What the customer has seen of the phone: a fold of tool results, word for word.

Nothing is inferred that no result has shown. Fields and words are those of the phone's results:
``airplane`` on or off, ``signal`` none to excellent, ``mode`` 4g_5g_preferred, and so on.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

__all__ = ["Sight", "seen_in"]

Sight = Mapping[str, str]
"""Field to the word last seen for it; a field that is not there has not been seen."""

_KEYS = {
    "airplane mode": "airplane",
    "signal": "signal",
    "network": "network",
    "mobile data": "data",
    "data saver": "saver",
    "wi-fi": "wifi",
    "vpn": "vpn",
    "battery": "battery",
    "sim card": "sim",
    "connection": "connection",
    "data roaming": "roaming",
    "wi-fi connected": "wifi_connected",
    "network mode preference": "mode",
    "speed": "speed",
    "rating": "rating",
    "apn name": "apn",
    "mmsc url": "mmsc",
    "reset at reboot": "apn_reset",
    "wi-fi calling": "wifi_calling",
    "mms over wi-fi": "mms_over_wifi",
    "performance": "vpn_performance",
    "apps": "apps",
    "app": "app",
    "allowed": "allowed",
    "not allowed": "not_allowed",
    "mms can be sent": "mms",
    "payment request": "request",
    "amount": "amount",
    "paid": "paid",
}
# Words of a status bar that are two facts, or none, rather than "key value".
_BAR_KEYS = ("airplane mode", "signal", "network", "mobile data", "data saver", "wi-fi", "vpn")
_BAR = "status bar: "
_WRITES = (
    ("airplane mode is now ", "airplane"),
    ("mobile data is now ", "data"),
    ("data roaming is now ", "roaming"),
    ("data saver is now ", "saver"),
    ("wi-fi calling is now ", "wifi_calling"),
    ("wi-fi is now ", "wifi"),
    ("wi-fi stays ", "wifi"),
    ("network mode preference is now ", "mode"),
    ("network mode preference stays ", "mode"),
    ("vpn is now ", "vpn"),
)


@lru_cache(maxsize=4096)
def seen_in(tool: str, text: str) -> tuple[tuple[str, str], ...]:
    """The facts in one result of the phone, as (field, word) pairs; none in an error or a surprise.

    A payment request that is there is ``request`` = its bill; "none" otherwise. Permissions are
    ``sms`` and ``storage`` (yes, no) of the messaging app alone.
    """
    low = text[:2000].lower().replace("#", "").strip()
    if low.startswith("error:"):
        return ()
    facts: dict[str, str] = {}
    at = low.find(_BAR)
    if at >= 0:
        _read_bar(low[at + len(_BAR) :], facts)
        low = low[:at].strip()
    if tool.startswith(("check_", "run_", "can_")):
        _read_pairs(low, facts)
    else:
        _read_write(tool, low, facts)
    return tuple(facts.items())


def _read_bar(line: str, facts: dict[str, str]) -> None:
    for part in line.strip().rstrip(".").split("; "):
        for key in _BAR_KEYS:
            if part.startswith(key + " "):
                facts[_KEYS[key]] = part[len(key) + 1 :].partition(" (")[0]
    if "wifi" in facts:
        word = facts["wifi"]
        facts["wifi_connected"] = "yes" if word == "connected" else "no"
        facts["wifi"] = "off" if word == "off" else "on"


def _read_pairs(line: str, facts: dict[str, str]) -> None:
    pairs: dict[str, str] = {}
    for part in line.rstrip(".").split("; "):
        key, colon, value = part.partition(": ")
        if colon and (field := _KEYS.get(key)):
            pairs.setdefault(field, value)
    app = pairs.pop("app", None)
    allowed = {word.strip() for word in pairs.pop("allowed", "").split(",")}
    pairs.pop("not_allowed", None)
    if app == "messaging":
        for permission in ("sms", "storage"):
            pairs[permission] = "yes" if permission in allowed else "no"
    if "request" in pairs:
        pairs["request"] = pairs["request"].removeprefix("bill ").upper().replace("NONE", "none")
    facts.update(pairs)


def _read_write(tool: str, line: str, facts: dict[str, str]) -> None:
    for opening, field in _WRITES:
        if line.startswith(opening):
            word = line[len(opening) :].partition(",")[0].strip().rstrip(".")
            facts[field] = "not connected" if word == "disconnected" else word
            return
    if tool == "reboot_device" and "back to their defaults" in line:
        facts.update(apn="default", mmsc="default", apn_reset="no")
    elif tool == "reset_apn_settings" and "next reboot" in line:
        facts["apn_reset"] = "yes"
    elif tool == "grant_app_permission" and line.startswith("app messaging now has the permission"):
        facts[line.rstrip(".").rpartition(" ")[2]] = "yes"
    elif line.startswith("vpn was already connected"):
        facts["vpn"] = "connected"
    elif line.startswith("vpn was not connected"):
        facts["vpn"] = "not connected"
    elif tool == "make_payment" and " is paid" in line:
        facts.update(request="none", paid="yes")
    elif tool == "make_payment" and "no payment request" in line:
        facts["request"] = "none"
