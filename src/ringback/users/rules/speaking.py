"""The customer's own English: how one caller says things, by persona and by the draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ringback.episode.seeds import Stream
from ringback.telecom.scenario import Caller
from ringback.users.rules.memory import Deed
from ringback.users.rules.showing import MODES, shown

__all__ = ["Voice"]

_BAR = ("airplane", "signal", "data", "saver", "vpn", "wifi")
_OF_LOOK: dict[str, tuple[str, ...]] = {
    "check_status_bar": _BAR,
    "check_network_status": ("airplane", "sim", "connection", "signal", "data", "roaming", "wifi"),
    "check_network_mode_preference": ("mode",),
    "run_speed_test": ("rating",),
    "check_sim_status": ("sim",),
    "check_data_restriction_status": ("saver",),
    "check_apn_settings": ("apn",),
    "check_wifi_status": ("wifi",),
    "check_wifi_calling_status": ("wifi_calling",),
    "check_vpn_status": ("vpn",),
    "check_installed_apps": ("apps",),
    "check_app_status": ("permissions",),
    "check_app_permissions": ("permissions",),
    "can_send_mms": ("mms",),
    "check_payment_request": ("payment",),
}
_WHOLE = {
    "check_status_bar": {"check_status_bar", "bar"},
    "check_network_status": {"check_network_status", "connection", "calls"},
}
_OF_WRITE = {
    "toggle_airplane_mode": "airplane",
    "toggle_data": "data",
    "toggle_roaming": "roaming",
    "toggle_data_saver_mode": "saver",
    "toggle_wifi": "wifi",
    "toggle_wifi_calling": "wifi_calling",
    "connect_vpn": "vpn",
    "disconnect_vpn": "vpn",
    "set_network_mode_preference": "mode",
    "grant_app_permission": "permissions",
}


def _join(parts: Sequence[str]) -> str:
    if len(parts) < 3:
        return " and ".join(parts)
    return ", ".join(parts[:-1]) + " and " + parts[-1]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


class Voice:
    """Says things as one caller would. Wording is drawn from the stream it is given."""

    def __init__(self, caller: Caller, random: Stream) -> None:
        self.caller = caller
        self.random = random
        self.kind = caller.persona.name

    def pick(self, *options: str) -> str:
        """One of several ways to say it."""
        return self.random.choose(options)

    def by_kind(self, *, none: str, easy: str, hard: str) -> str:
        """What this persona says."""
        return {"Easy": easy, "Hard": hard}.get(self.kind, none)

    def opening(self) -> str:
        """The first words: what is wrong, as the caller would put it; nothing else."""
        what = self.pick(
            *{
                "mobile_data": (
                    "my mobile data isn't working properly: it either stops or it is very slow",
                    "the internet on my phone has stopped or crawls, and I have no Wi-Fi here",
                ),
                "mms": (
                    "I can't send picture messages (MMS), and that for a few hours now",
                    "picture messages (MMS) won't go out from my phone, for a few hours now",
                ),
                "service": (
                    'my phone has said "No Service" for a few hours and I can\'t call anybody',
                    'my phone shows "No Service", since a few hours ago, and no call goes through',
                ),
            }[self.caller.goal]
        )
        return self.by_kind(
            none=f"Hello, {what}. Can you help me with that?",
            easy=f"Hi there! I hope you can help me: {what}. Happy to try whatever you need.",
            hard=f"Hello? I don't know much about phones, I'm afraid, but {what}.",
        )

    def report(self, deeds: Sequence[Deed], topics: Sequence[str]) -> list[str]:
        """What has been done since the last message, and what the phone shows for it.

        `topics` are the parts, and the looks by name, that were asked about. A look that was not
        asked for as a whole is told only as far as it was asked about: a caller volunteers nothing.
        Where the same look was taken twice, the later one counts.
        """
        said: list[str] = []
        told: set[str] = set()
        done: list[Deed] = []
        last_look = {deed.tool: number for number, deed in enumerate(deeds) if not deed.writes}
        for number, deed in enumerate(deeds):
            if deed.error:
                answer = deed.text[:120].replace("#", "")
                said.append(f"Something went wrong with that: the phone answered {answer!r}.")
            elif deed.writes:
                done.append(deed)
            elif last_look[deed.tool] == number:
                if done:
                    said += self._steps(done, told)
                    done = []
                said += self._look(deed, topics, told)
        if done:
            said += self._steps(done, told)
        return said

    def _look(self, deed: Deed, topics: Sequence[str], told: set[str]) -> list[str]:
        fields = _OF_LOOK.get(deed.tool, ())
        facts = dict(deed.facts)
        if not facts:
            return ["I looked, but I can't make out what the phone says there."]
        if len(fields) > 1 and not _WHOLE[deed.tool] & set(topics):
            fields = tuple(field for field in fields if field in topics) or ("signal",)
        if "wifi" not in topics and facts.get("wifi") == "off" and len(fields) > 1:
            fields = tuple(field for field in fields if field != "wifi")
        parts = [words for field in fields if field not in told and (words := shown(field, facts))]
        told.update(fields)
        if not parts:
            return []
        if len(fields) == 1:
            return [_sentence(_join(parts))]
        lead = self.pick("On the phone: ", "I can see this: ", "It shows: ")
        return [lead + _join(parts) + "."]

    def _steps(self, done: Sequence[Deed], told: set[str]) -> list[str]:
        """Steps taken, and what the status bar shows after the last of them."""
        steps = _sentence(_join([self._done(deed) for deed in done]))
        lead = self.by_kind(
            none="",
            easy=self.pick("Done! ", "All right, done: ", "Okay, that's done. "),
            hard=self.pick("I think I managed it. ", "Let me see... ", ""),
        )
        said = [lead + steps]
        last = done[-1]
        bar = dict(last.facts)
        fields = ("signal", "data") if self.kind == "Hard" else ("airplane", "signal", "data")
        parts = [
            words
            for field in fields
            if field != _OF_WRITE.get(last.tool) and (words := shown(field, bar))
        ]
        told.update(fields)
        if parts:
            said.append(self.pick("At the top of the screen ", "Now ") + _join(parts) + ".")
        return said

    def _done(self, deed: Deed) -> str:
        facts = dict(deed.facts)
        low = deed.text.lower().partition(" status bar")[0]
        if deed.tool == "make_payment":
            if facts.get("paid") == "yes":
                return "I paid the bill"
            return "I tried to pay, but there is no payment request on my phone"
        if low.startswith("nothing changed") or " stays " in low:
            return "I tried that, but the phone says nothing changed"
        if deed.tool == "reboot_device":
            more = ", and the APN settings are back to their defaults" if "default" in low else ""
            return "I restarted the phone" + more
        if deed.tool == "reseat_sim_card":
            return "I took the SIM card out and put it back in"
        if deed.tool == "reset_apn_settings":
            return "I reset the APN settings; the phone will change them at the next restart"
        if deed.tool == "grant_app_permission":
            name = "SMS" if facts.get("sms") == "yes" else "storage"
            return f"I gave the messaging app the permission for {name}"
        if deed.tool == "set_network_mode_preference":
            mode = facts.get("mode", "")
            return f"I changed it, and now the network mode is {MODES.get(mode, mode)}"
        field = _OF_WRITE.get(deed.tool, "")
        if field == "vpn":
            connected = facts.get("vpn") == "connected"
            return f"the VPN is now {'connected' if connected else 'disconnected'}"
        now = shown(field, facts)
        return now.replace(" is ", " is now ", 1) if now else "I did that"

    def recall(self, parts: Sequence[str], sight: Mapping[str, str], lead: str) -> list[str]:
        """What is known from before about these parts; `lead` may say "already"."""
        said = [_sentence(words) for part in parts if (words := shown(part, sight))]
        return [words.replace(" is ", f" is {lead} ", 1) for words in said] if lead else said

    def outcome(self, *, good: bool, failures: int) -> str:
        """How it stands with what the caller wants, once it has been tried."""
        if good:
            return {
                "mobile_data": "That's the excellent speed I wanted.",
                "mms": "So it works now.",
                "service": "So I have service again.",
            }[self.caller.goal]
        if failures < 2:
            return self.pick("So it isn't fixed yet.", "That still isn't good enough.")
        return self.pick(
            "It's getting a bit frustrating that it still doesn't work.",
            "Still not right, and I'm losing patience a little. What else can we try?",
            "That didn't help either.",
            "Still the same trouble, I'm afraid. What next?",
        )

    def thanks(self) -> str:
        """The end of a call that helped."""
        good = {
            "mobile_data": "My data is excellent now",
            "mms": "Picture messages work again",
            "service": "I have a signal again",
        }[self.caller.goal]
        return f"{good}, that's all I needed. " + self.pick("Thank you!", "Thanks for your help!")

    def asks(self) -> str:
        """Words for a message that could not be followed."""
        return self.by_kind(
            none=self.pick(
                "I'm not sure what you mean. What should I do on my phone?",
                "Sorry, what exactly would you like me to do or check?",
            ),
            easy="Sorry, I didn't get that. What would you like me to do on the phone?",
            hard="I'm sorry, I don't quite understand. What should I press or look at?",
        )
