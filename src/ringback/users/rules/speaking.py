"""The customer's own English: what the phone shows, in words, and the rest of the talk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ringback.episode.seeds import Stream
from ringback.telecom.scenario import Caller
from ringback.users.rules.memory import Deed

__all__ = ["Voice", "shown"]

_MODES = {
    "4g_5g_preferred": "4G/5G preferred",
    "4g_only": "4G only",
    "3g_only": "3G only",
    "2g_only": "2G only",
}
_SIMS = {
    "active": "the SIM card is active",
    "missing": "it says there is no SIM card",
    "locked_pin": "the SIM card is locked and it wants a PIN",
    "locked_puk": "the SIM card is locked and it wants a PUK code",
}


def shown(topic: str, sight: Mapping[str, str]) -> str | None:
    """One part of the phone in words, as last seen; None where it has not been seen."""
    word = sight.get(topic)
    match topic:
        case "signal":
            if word is None:
                return None
            net = sight.get("network", "none").upper()
            if word == "none":
                return "there is no signal"
            return f"the signal is {word}" + (f" on {net}" if net != "NONE" else "")
        case "network":
            net = word.upper() if word else None
            return net and ("there is no network" if net == "NONE" else f"the network is {net}")
        case "connection":
            words = {"no_service": "no service", "emergency_only": "emergency calls only"}
            return word and f"the connection says {words.get(word, word)}"
        case "airplane":
            return word and f"airplane mode is {word}"
        case "data":
            return word and f"mobile data is turned {word}"
        case "roaming":
            return word and f"data roaming is {word}"
        case "saver":
            return word and f"data saver is {word}"
        case "wifi":
            if word == "on" and sight.get("wifi_connected") == "yes":
                return "Wi-Fi is on and connected"
            return word and f"Wi-Fi is {word}"
        case "wifi_calling":
            over = sight.get("mms_over_wifi")
            more = f", and MMS over Wi-Fi is {over}" if word == "on" and over else ""
            return word and f"Wi-Fi calling is {word}{more}"
        case "vpn":
            if word is None:
                return None
            slow = sight.get("vpn_performance") if word == "connected" else None
            return ("a VPN is connected" if word == "connected" else "no VPN is connected") + (
                f" and its performance is {slow}" if slow else ""
            )
        case "sim":
            return word and _SIMS.get(word, f"the SIM card says {word}")
        case "mode":
            return word and f"the network mode is set to {_MODES.get(word, word)}"
        case "rating":
            if word is None:
                return None
            if word == "no connection":
                return "the speed test says No Connection"
            return f"the speed test says {sight.get('speed', '').replace('mbps', 'Mbps')}, rated {word.title()}"
        case "mms":
            return word and (
                "the phone says it can send picture messages (MMS)"
                if word == "yes"
                else "the phone says it cannot send picture messages (MMS)"
            )
        case "apn":
            if word is None:
                return None
            mmsc = sight.get("mmsc")
            end = "" if mmsc is None else (
                " and the MMSC address is not set" if mmsc == "not set" else f" and the MMSC URL is {mmsc}"
            )  # fmt: skip
            wait = (
                ", with a reset waiting for the next restart"
                if sight.get("apn_reset") == "yes"
                else ""
            )
            return f"the APN name is {word}{end}{wait}"
        case "permissions":
            if "sms" not in sight and "storage" not in sight:
                return None
            allowed = [name for name in ("sms", "storage") if sight.get(name) == "yes"]
            lacking = [name for name in ("sms", "storage") if sight.get(name) == "no"]
            names = {"sms": "SMS", "storage": "storage"}
            has = " and ".join(names[name] for name in allowed)
            lacks = " and ".join(names[name] for name in lacking)
            return "the messaging app " + ", but ".join(
                part
                for part in (
                    f"has the permission for {has}" if has else "",
                    f"does not have the permission for {lacks}" if lacks else "",
                )
                if part
            )
        case "apps":
            return word and f"these apps are installed: {word}"
        case "payment":
            request = sight.get("request")
            if request is None:
                return None
            if request == "none":
                return "there is no payment request on my phone"
            return (
                f"there is a payment request for bill {request} over "
                f"{sight.get('amount', 'an unknown amount').upper()}"
            )
        case _:
            return None


_BAR = ("airplane", "signal", "data", "saver", "vpn", "wifi")
_OF_TOOL: dict[str, tuple[str, ...]] = {
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

    def opening(self) -> str:
        """The first words: what is wrong, as the caller would put it; nothing else."""
        caller = self.caller
        problem = {
            "mobile_data": (
                "my mobile data isn't working properly: it either stops or it is very slow",
                "the internet on my phone has stopped or crawls, and I have no Wi-Fi here",
            ),
            "mms": (
                "I can't send picture messages (MMS), and it has been like that for a few hours",
                "picture messages (MMS) won't go out from my phone, for a few hours now",
            ),
            "service": (
                'my phone has been saying "No Service" for a few hours and I can\'t call anybody',
                'my phone shows "No Service", since a few hours ago, and no call goes through',
            ),
        }[caller.goal]
        what = self.pick(*problem)
        match self.kind:
            case "Easy":
                return f"Hi there! I hope you can help me: {what}. Happy to try whatever you need."
            case "Hard":
                return f"Hello? I don't know much about phones, I'm afraid, but {what}."
            case _:
                return f"Hello, {what}. Can you help me with that?"

    def report(self, deeds: Sequence[Deed], topics: Sequence[str]) -> list[str]:
        """What has been done since the last message, and what the phone shows for it.

        `topics` are the parts that were asked about; a caller of few words tells only those where
        there are any.
        """
        said: list[str] = []
        told: set[str] = set()
        sight: dict[str, str] = {}
        done: list[str] = []
        last_write: Deed | None = None
        for deed in deeds:
            sight.update(deed.facts)
        for number, deed in enumerate(deeds):
            if deed.error:
                said.append(
                    f"Something went wrong with that: the phone answered {deed.text[:120]!r}."
                )
                continue
            if deed.writes:
                last_write = deed
                done.append(self._done(deed, dict(deed.facts)))
                continue
            later = any(
                other.tool == deed.tool and not other.error for other in deeds[number + 1 :]
            )
            if later:
                continue
            if done:
                said += self._finished(done, last_write, told)
                done = []
            fields = _OF_TOOL.get(deed.tool, ())
            if self.kind == "Hard" and len(fields) > 1 and topics:
                fields = tuple(field for field in fields if field in topics) or fields
            facts = dict(deed.facts)
            parts = [
                words
                for field in fields
                if field not in told and (words := shown(field, {**sight, **facts}))
                and (field != "wifi" or facts.get("wifi") == "on" or "wifi" in topics
                     or deed.tool == "check_wifi_status")
            ]  # fmt: skip
            told.update(fields)
            if parts:
                lead = (
                    ""
                    if len(fields) == 1
                    else self.pick("On the phone: ", "I can see this: ", "It shows: ")
                )
                said.append(
                    _sentence(lead + _join(parts)) if not lead else lead + _join(parts) + "."
                )
            elif not facts:
                said.append("I looked, but I can't make out what the phone says there.")
        if done:
            said += self._finished(done, last_write, told)
        return said

    def _finished(self, done: Sequence[str], last: Deed | None, told: set[str]) -> list[str]:
        """Steps taken, and what the status bar shows after the last of them."""
        said = [self._steps(done)]
        if last is None:
            return said
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

    def _steps(self, done: Sequence[str]) -> str:
        steps = _join(done)
        match self.kind:
            case "Easy":
                return self.pick("Done! ", "All right, done: ", "Okay, that's done. ") + _sentence(
                    steps
                )
            case "Hard":
                return self.pick("I think I managed it. ", "Let me see... ", "") + _sentence(steps)
            case _:
                return _sentence(steps)

    def _done(self, deed: Deed, facts: Mapping[str, str]) -> str:
        low = deed.text.lower()
        if low.startswith("nothing changed") or " stays " in low.partition(" status bar")[0]:
            return "I tried that, but the phone says nothing changed"
        match deed.tool:
            case "reboot_device":
                more = (
                    ", and the APN settings are back to their defaults" if "default" in low else ""
                )
                return "I restarted the phone" + more
            case "reseat_sim_card":
                return "I took the SIM card out and put it back in"
            case "reset_apn_settings":
                return "I reset the APN settings, and the phone says they change back at the next restart"
            case "make_payment":
                if facts.get("paid") == "yes":
                    return "I paid the bill"
                return "I tried to pay, but there is no payment request on my phone"
            case "grant_app_permission":
                names = [name for name in ("sms", "storage") if facts.get(name) == "yes"]
                what = {"sms": "SMS", "storage": "storage"}
                return "I gave the messaging app the permission for " + " and ".join(
                    what[name] for name in names
                )
            case "set_network_mode_preference":
                mode = facts.get("mode", "")
                return f"I changed it, and now the network mode is {_MODES.get(mode, mode)}"
            case _:
                field = _OF_WRITE.get(deed.tool, "")
                if field == "vpn":
                    return f"the VPN is now {facts.get('vpn', '').replace('not connected', 'disconnected')}"
                now = shown(field, facts)
                return now.replace(" is ", " is now ", 1) if now else "I did that"

    def answer(self, topics: Sequence[str], sight: Mapping[str, str]) -> list[str]:
        """What is already known about the parts asked for, in one sentence each."""
        return [_sentence(words) for topic in topics if (words := shown(topic, sight))]
