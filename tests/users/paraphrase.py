"""An agent whose sentences are said otherwise before the customer hears them.

Only the words change, never what is asked: verbs, names of things, politeness, layout. Three
styles, so that what the customer understands does not hang on one agent's phrases.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec.structs import replace

from ringback.episode.participants import Participant, Reply, View
from ringback.episode.seeds import Stream

__all__ = ["STYLES", "Paraphrased", "say_otherwise"]

_PLAIN = {
    r"\bTurn \*\*([^*]+)\*\* (on|off)\b": r"Please switch \1 \2",
    r"\bTurn (on|off) \*\*([^*]+)\*\*": r"Please switch \2 \1",
    r"\bRestart the \*\*phone\*\*|\bRestart your phone\b": "Reboot the device",
    r"\bSet the \*\*network mode preference\*\* to 4g_5g_preferred":
        "Change the preferred network type to 4G/5G",
    r"\bCheck whether your phone \*\*can send MMS\*\* now": "Now try to send a picture message",
    r"\bRun a \*\*speed test\*\*": "Do a speed test",
    r"\bTake the \*\*SIM card\*\* out and put it back( in)?": "Remove the SIM card and reinsert it",
    r"\bOpen the \*\*([^*]+)\*\* and tell me:": r"Have a look at the \1:",
    r"\bCheck \*\*([^*]+)\*\*:": r"Next comes \1:",
    r"\*\*": "",
}  # fmt: skip

_CHATTY = {
    r"\bTurn \*\*([^*]+)\*\* (on|off)\b": r"Could you get \1 switched \2 for me?",
    r"\bRestart the \*\*phone\*\*|\bRestart your phone\b":
        "Would you mind turning your phone off and back on?",
    r"\bSet the \*\*network mode preference\*\* to 4g_5g_preferred":
        "I'd like you to pick 4G/5G preferred as the network mode",
    r"\bCheck whether your phone \*\*can send MMS\*\* now": "Then please send an MMS as a test",
    r"\bRun a \*\*speed test\*\*": "Let's see another speed test",
    r"\bTake the \*\*SIM card\*\* out and put it back( in)?":
        "Let's try popping the SIM out and sliding it back in",
    r"\bGive the \*\*messaging app\*\* the \*\*(\w+)\*\* permission":
        r"Please allow the messaging app to use the \1 permission",
    r"\bReset the \*\*APN settings\*\*": "Next I'd like you to restore the APN to its defaults",
    r"\*\*": "",
    r"\bPlease look at a few things for me": "Let's look at a couple of things together",
    r"\bPlease go through these steps in order": "Here is what I'd like you to do, one by one",
}  # fmt: skip

_TERSE = {
    r"\bTurn \*\*Airplane mode\*\* (on|off)|\bTurn \*\*airplane mode\*\* (on|off)":
        "Run `toggle_airplane_mode()`",
    r"\bTurn \*\*Wi-Fi calling\*\* (on|off)": r"Wi-Fi calling should be \1",
    r"\bRestart the \*\*phone\*\*|\bRestart your phone\b": "`reboot_device()`",
    r"\bSet the \*\*network mode preference\*\* to 4g_5g_preferred":
        '`set_network_mode_preference(mode="4g_5g_preferred")`',
    r"\bCheck whether your phone \*\*can send MMS\*\* now": "`can_send_mms()`",
    r"\bRun a \*\*speed test\*\*": "`run_speed_test()`",
    r"\bGive the \*\*messaging app\*\* the \*\*(\w+)\*\* permission":
        r'`grant_app_permission(app_name="messaging", permission="\1")`',
    r"\bPlease (?!hold)": "",
    r"\*\*": "__",
}  # fmt: skip

STYLES: Mapping[str, Mapping[str, str]] = {"plain": _PLAIN, "chatty": _CHATTY, "terse": _TERSE}


def say_otherwise(text: str, style: str) -> str:
    """The text in another style."""
    for pattern, words in STYLES[style].items():
        text = re.sub(pattern, words, text)
    if style == "chatty":
        text = re.sub(r"^(\d+)\. ", r"Step \1: ", text, flags=re.M)
        text = "Right, thanks for that. " + text
    elif style == "terse":
        text = re.sub(r"^(\d+)\. ", "- ", text, flags=re.M)
    return text


class Paraphrased:
    """An agent behind a change of words; it hears the customer as usual."""

    def __init__(self, agent: Participant, style: str) -> None:
        self._agent, self._style = agent, style

    async def act(self, view: View, random: Stream) -> Reply:
        reply = await self._agent.act(view, random)
        assert isinstance(reply, Reply)
        if reply.text and not reply.calls:
            return replace(reply, text=say_otherwise(reply.text, self._style))
        return reply
