"""Real customers' sentences against what their phones had shown, read where the recordings lie."""

from __future__ import annotations

import gzip
import json
import re
import typing
from collections.abc import Iterator
from pathlib import Path

from ringback.agents.reference.asking import asked
from ringback.agents.reference.reading import read

_ON = {"yes": "on", "no": "off", "on": "on", "off": "off"}
_READS: tuple[tuple[str, str, str], ...] = (
    ("check_network_status", "airplane", r"Airplane Mode: (\w+)"),
    ("check_network_status", "sim", r"SIM Card Status: (\w+)"),
    ("check_network_status", "data", r"Mobile Data Enabled: (\w+)"),
    ("check_network_status", "roaming", r"Data Roaming Enabled: (\w+)"),
    ("check_network_mode_preference", "mode", r"Preference: (\w+)"),
    ("check_apn_settings", "apn", r"APN Name: (\w+)"),
    ("toggle_airplane_mode", "airplane", r"now (\w+)"),
    ("toggle_data", "data", r"Data is now (\w+)"),
    ("toggle_roaming", "roaming", r"now (\w+)"),
    ("toggle_data_saver_mode", "saver", r"now (\w+)"),
    ("toggle_wifi_calling", "wifi_calling", r"now (\w+)"),
    ("check_wifi_calling_status", "wifi_calling", r"turned (\w+)"),
    ("check_data_restriction_status", "saver", r"mode is (\w+)"),
    ("run_speed_test", "speed", r"\((\w+)\)"),
    ("set_network_mode_preference", "mode", r"set to: (\w+)"),
)
_CHANGES = {
    "reseat_sim_card": ("sim",),
    "reboot_device": ("apn",),
    "grant_app_permission": ("sms_permission", "storage_permission"),
}
"""What an action changes without showing it."""


def _shown(tool: str, text: str) -> dict[str, str]:
    facts = {
        fact: _ON.get(found[1].lower(), found[1].lower())
        for name, fact, pattern in _READS
        if name == tool and (found := re.search(pattern, text))
    }
    if tool == "can_send_mms":
        facts["mms"] = "possible" if " can send" in text else "not possible"
    if tool == "check_app_permissions" and "for:" in text:
        for name in ("sms", "storage"):
            has = name in text.partition("for:")[2]
            facts[f"{name}_permission"] = "granted" if has else "missing"
    return facts


def _conversations(folder: Path) -> Iterator[list[dict[str, typing.Any]]]:
    for path in sorted(folder.glob("*tau2*.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for simulation in json.load(file)["simulations"]:
                yield simulation.get("messages") or []


def _compared(messages: list[dict[str, typing.Any]]) -> Iterator[tuple[str, str, str, str]]:
    """Fact, state as read, state as shown, and the sentence, wherever both are known."""
    state: dict[str, str] = {}
    tools: dict[str, str] = {}
    question = ""
    for message in messages:
        text = str(message.get("content") or "")
        calls: list[dict[str, typing.Any]] = message.get("tool_calls") or []
        if message["role"] == "user":
            tools.update({call["id"]: call["name"] for call in calls})
        if message["role"] == "tool":
            for fact in _CHANGES.get(tools.get(message["id"], ""), ()):
                state.pop(fact, None)
            state.update(_shown(tools.get(message["id"], ""), text))
        elif message["role"] == "assistant" and text and not calls:
            question = text
        elif message["role"] == "user" and text and not calls:
            said = text.rpartition("</think>")[2]
            for fact, read_state in read(said, asked(question)).facts.items():
                if fact in state:
                    yield fact, read_state, state[fact], said


def test_the_reader_agrees_with_the_phones_of_real_recordings(shared: Path) -> None:
    pairs = [
        pair for messages in _conversations(shared / "recordings") for pair in _compared(messages)
    ]
    wrong = [pair for pair in pairs if pair[1] != pair[2]]
    assert len(pairs) > 300
    assert len(wrong) <= len(pairs) * 0.02, wrong
