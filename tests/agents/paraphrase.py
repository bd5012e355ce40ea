"""A customer whose sentences say what another customer says, in other words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from ringback.episode.events import Setup
from ringback.episode.participants import Participant, Reply, User, UserBrief, View
from ringback.episode.seeds import Stream

__all__ = ["Paraphrasing", "paraphrased"]

_SWITCH = r"(airplane mode|mobile data|data roaming|data saver|Wi-Fi calling|MMS over Wi-Fi)"
_RULES: Sequence[tuple[str, Sequence[str]]] = (
    (
        rf"\b{_SWITCH} is (?:now )?(?:turned |switched )?off\b",
        (r"\1 isn't on", r"\1 shows as disabled", r"\1 reads OFF", r"it says \1: off"),
    ),
    (
        rf"\b{_SWITCH} is (?:now )?(?:turned |switched )?on\b",
        (r"\1 shows as enabled", r"\1 reads ON", r"\1 is active", r"it says \1: on"),
    ),
    (
        r"\bno VPN is connected\b",
        ("I don't see a VPN", "the VPN isn't connected", "I'm not using a VPN"),
    ),
    (
        r"\ba VPN is connected and its performance is (\w+)",
        (r"the VPN is on and it performs \1", r"I'm connected to a VPN with \1 performance"),
    ),
    (r"\bthe VPN is now disconnected\b", ("I've disconnected from the VPN", "the VPN is off now")),
    (
        r"\bthe network mode is (?:set to )?2G only",
        ("it's set to 2G only as the network mode", "the preferred network type says 2g_only"),
    ),
    (
        r"\bthe network mode is (?:set to )?4G/5G preferred",
        ("the network mode prefers 4G and 5G", "the network mode preference reads 4g_5g_preferred"),
    ),
    (r"\b[Tt]he SIM card is active\b", ("The SIM works fine", "The SIM status says active")),
    (
        r"\b(?:[Tt]here is no SIM card|[Tt]he SIM card is missing)\b",
        ("It can't find the SIM card", "It says no SIM detected"),
    ),
    (
        r"\b[Tt]he SIM card is locked(?: (?:with|by) a PIN)?\b",
        ("It asks me for a SIM PIN", "The SIM is PIN-locked"),
    ),
    (r"\bthe APN name is (\w+)", (r'the APN says "\1"', r"it has \1 as the APN name")),
    (
        r"\bthe MMSC address is not set\b",
        ("the MMSC field is empty", "there's no MMSC URL", "nothing is filled in for MMSC"),
    ),
    (r"\bthe signal is (\w+)", (r"I see \1 signal", r"my signal strength is \1")),
    (
        r"\b(?:cannot|can't) send picture messages(?: \(MMS\))?",
        ("still won't send MMS", "isn't able to send picture messages"),
    ),
    (
        r"\bcan send picture messages(?: \(MMS\))?",
        ("is able to send MMS now", "can send photo messages again"),
    ),
    (
        r"\b[Tt]he messaging app has the permission for ([\w ,]+)\.",
        (r"The messaging app has access to \1.", r"The app's permissions are: \1."),
    ),
    (r"\b[Tt]he speed test says (\S+) Mbps", (r"I measured \1 Mbps", r"The result was \1 Mbps")),
    (r"\bI restarted the phone", ("I've rebooted it", "My phone has restarted")),
    (r"\bI paid the bill", ("The payment went through", "I've just paid it")),
    (r"\bYes, please\b", ("Sure, please", "That's fine, please")),
    (r"\bI'm travelling, I'm in France\b", ("I'm abroad, in France",)),
    (r"\bI'm at home, in the United States\b", ("I'm home in the US, not abroad",)),
)


def paraphrased(text: str, random: Stream) -> str:
    """The text with many of its turns of phrase replaced."""
    for pattern, options in _RULES:
        while True:
            changed = re.sub(pattern, random.choose(options), text, count=1)
            if changed == text:
                break
            text = changed
    sentences = re.split(r"(?<=[.!?]) ", text)
    if len(sentences) > 2 and random.chance(0.3):
        return "Here's what I have:\n" + "\n".join(f"- {sentence}" for sentence in sentences)
    return text


class Paraphrasing(Struct, frozen=True):
    """Wraps a kind of user."""

    inner: User

    @property
    def setup(self) -> Setup:
        return Setup("paraphrasing", "1")

    @property
    def deterministic(self) -> bool:
        return self.inner.deterministic

    def take(self, brief: UserBrief) -> Participant:
        return _Paraphrasing(self.inner.take(brief))


class _Paraphrasing(Struct, frozen=True):
    inner: Participant

    async def act(self, view: View, random: Stream) -> Reply:
        reply = await self.inner.act(view, random)
        assert isinstance(reply, Reply)
        if reply.calls or not reply.text:
            return reply
        return Reply(text=paraphrased(reply.text, random), rule=reply.rule)
