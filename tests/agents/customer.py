"""A customer for the tests: does on a real phone what it understands, and reports in many ways.

It knows more than a customer should (it reads the agent's requests with the agent's own reader),
because what is tested is how the agent reads and acts on the answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from msgspec import Struct

from ringback.agents.reference.asking import asked
from ringback.domain import Scenario
from ringback.episode.events import Call, Results, Setup, Turn
from ringback.episode.participants import Participant, Reply, UserBrief, View
from ringback.episode.seeds import Stream
from ringback.telecom.scenario import Caller

__all__ = ["STYLES", "Customer"]

Fields = Mapping[str, str]

_ACTIONS: Mapping[str, tuple[str, dict[str, str]]] = {
    "grant_app_permission sms": (
        "grant_app_permission",
        {"permission": "sms", "app_name": "messaging"},
    ),
    "grant_app_permission storage": (
        "grant_app_permission",
        {"permission": "storage", "app_name": "messaging"},
    ),
    "set_network_mode_preference": ("set_network_mode_preference", {"mode": "4g_5g_preferred"}),
    "check_app_permissions": ("check_app_permissions", {"app_name": "messaging"}),
}
_OPENINGS = {
    "mobile_data": "Hello, the internet on my phone is terribly slow or dead. Help?",
    "mms": "Hi! My picture messages have not been going out since this morning.",
    "service": 'Hi, my phone has said "No Service" for hours and I cannot call anyone.',
}
_GOALS = {
    "mobile_data": ("run_speed_test", "Excellent"),
    "mms": ("can_send_mms", "sent: yes"),
    "service": ("check_status_bar", "signal excellent"),
}
_DEEDS = {
    "toggle_airplane_mode": "I switched airplane mode off.",
    "reseat_sim_card": "I took the SIM card out and put it back in.",
    "toggle_data": "I have turned mobile data on.",
    "toggle_roaming": "I enabled data roaming.",
    "set_network_mode_preference": "I changed the network mode to 4g_5g_preferred.",
    "toggle_data_saver_mode": "I turned Data Saver off.",
    "disconnect_vpn": "I disconnected the VPN.",
    "toggle_wifi_calling": "Wi-Fi calling is now off.",
    "reset_apn_settings": "I reset the APN settings.",
    "reboot_device": "I restarted my phone.",
    "make_payment": "I've paid the bill.",
    "check_payment_request": "I see the request and the amount is right.",
    "grant_app_permission sms": "I gave the messaging app the sms permission.",
    "grant_app_permission storage": "I granted it storage as well, the storage permission is on.",
}


def fields(text: str) -> dict[str, str]:
    """The keys and values of a phone result."""
    text = text.removeprefix("Status bar: ").rstrip(".")
    found: dict[str, str] = {}
    for part in text.split("; "):
        key, colon, value = part.partition(": ")
        if colon:
            found[key] = value
    return found


def verbatim(need: str, text: str) -> str:
    return text


def terse(need: str, text: str) -> str:
    if need in _DEEDS:
        return "done"
    read = fields(text)
    match need:
        case "check_network_status":
            return (
                f"airplane mode {read['Airplane mode']}, SIM {read['SIM card']}, data "
                f"{read['mobile data']}, roaming {read['data roaming']}"
            )
        case "check_apn_settings":
            return f"{read['APN name']}, MMSC {read['MMSC URL']}"
        case "check_wifi_calling_status":
            return f"{read['Wi-Fi calling']}, MMS over Wi-Fi {read['MMS over Wi-Fi']}"
        case "check_vpn_status":
            return f"{read['VPN']}" + (f", {read['performance']}" if "performance" in read else "")
        case "check_app_permissions":
            return f"{read['allowed']}"
        case "run_speed_test":
            return read["Speed"] if "Mbps" in read["Speed"] else "no connection"
        case "can_send_mms":
            return read["MMS can be sent"]
        case "check_status_bar":
            return text.split("; ")[1]
        case _:
            return next(iter(read.values()))


def prose(need: str, text: str) -> str:
    if need in _DEEDS:
        return _DEEDS[need]
    read = fields(text)
    sim = {
        "active": "the SIM is working fine",
        "missing": "it says there's no SIM card",
        "locked_pin": "it tells me the SIM is locked and wants a PIN",
    }
    match need:
        case "check_network_status":
            air = read["Airplane mode"] == "on"
            return (
                ("I see that airplane mode is on" if air else "I'm not in airplane mode")
                + f", {sim[read['SIM card']]}, mobile data is "
                + ("enabled" if read["mobile data"] == "on" else "not enabled")
                + " and roaming is switched "
                + f"{read['data roaming']}."
            )
        case "check_sim_status":
            return f"I looked, and {sim[read['SIM card']]}."
        case "check_network_mode_preference":
            mode = read["Network mode preference"]
            return (
                "It only uses 2G." if mode == "2g_only" else "The network mode is 4G/5G preferred."
            )
        case "check_data_restriction_status":
            on = read["Data saver"] == "on"
            return f"Data Saver is {'turned on, should I change that?' if on else 'not on.'}"
        case "check_vpn_status":
            if read["VPN"] == "connected":
                return f"A VPN is connected; its performance is {read['performance']}."
            return "There is no VPN connected."
        case "check_apn_settings":
            url = read["MMSC URL"]
            mmsc = (
                "there's nothing under MMSC URL" if url == "not set" else f"the MMSC URL is {url}"
            )
            return f'The APN name says "{read["APN name"]}" and {mmsc}.'
        case "check_wifi_calling_status":
            if read["Wi-Fi calling"] == "off":
                return "Wi-Fi calling isn't on."
            return "Wi-Fi calling is enabled, and so MMS over Wi-Fi is on too."
        case "check_app_permissions":
            return f"The messaging app has permissions for {read['allowed'].replace(',', ' and')}."
        case "run_speed_test":
            if "Mbps" not in read["Speed"]:
                return "The speed test failed, it says no connection. I really need Excellent!"
            return f"I got {read['Speed']}, rated {read['rating']}."
        case "can_send_mms":
            if read["MMS can be sent"] == "yes":
                return "It went through, I can send MMS again!"
            return "I still can't send picture messages."
        case "check_status_bar":
            if "signal none" in text:
                return "The bar says there's still no signal."
            return "I have excellent signal now!"
        case _:
            return text


STYLES: Mapping[str, tuple[Callable[[str, str], str], str, int]] = {
    "verbatim": (verbatim, " ", 99),
    "prose": (prose, " ", 99),
    "numbered": (prose, "\n{}. ", 99),
    "terse": (terse, "\n{}. ", 99),
    "little by little": (prose, " ", 2),
}
"""A style: how a result is put, what joins the answers, how much is done for one message."""


class Customer(Struct, frozen=True):
    """A user in one of the styles."""

    style: str = "verbatim"

    @property
    def setup(self) -> Setup:
        return Setup(f"test customer, {self.style}", "1")

    @property
    def deterministic(self) -> bool:
        return True

    def take(self, brief: UserBrief) -> Participant:
        return _Calling(self.style, brief.scenario)


class _Calling(Struct, frozen=True):
    style: str
    scenario: Scenario

    async def act(self, view: View, random: Stream) -> Reply:
        caller = self.scenario
        assert isinstance(caller, Caller)
        heard = [event for event in view.events if isinstance(event, Turn) and event.by == "agent"]
        if not heard:
            return Reply(text=_OPENINGS[caller.goal])
        message = heard[-1]
        needs = asked(message.text or "")
        _, joint, most = STYLES[self.style]
        phone = [need for need in needs if "_" in need][:most]
        done = [event for event in view.events if event.seq > message.seq]
        if phone and not done:
            return Reply(calls=tuple(_call(need) for need in phone))
        results = done[-1] if done and isinstance(done[-1], Results) else None
        put = STYLES[self.style][0]
        answers = {
            needs.index(need) + 1: put(need, result.text)
            for need, result in zip(phone, results.results if results else (), strict=False)
        }
        if results is not None and answers:
            tool, good = _GOALS[caller.goal]
            content = any(
                need == tool and good in result.text
                for need, result in zip(phone, results.results, strict=False)
            )
            if "whereabouts" in needs:
                answers[needs.index("whereabouts") + 1] = _word(caller, ("whereabouts",))
            text = "".join(
                joint.format(number) + answer for number, answer in sorted(answers.items())
            ).strip()
            return Reply(text=f"{text} Thank you! ###STOP###" if content else text)
        return Reply(text=_word(caller, needs))


def _call(need: str) -> Call:
    tool, arguments = _ACTIONS.get(need, (need, {}))
    return Call(tool, dict(arguments))


def _word(caller: Caller, needs: tuple[str, ...]) -> str:
    said: list[str] = []
    for need in needs:
        match need:
            case "identity" | "number":
                said.append(f"It's {caller.name}, my number is {caller.phone_number}.")
            case "whereabouts":
                said.append(
                    "I'm travelling in France." if caller.abroad else "I'm at home, not abroad."
                )
            case "refuel":
                said.append("Yes, 2 GB is fine, but I don't want to change my plan.")
            case "payment":
                said.append("Yes, please send it.")
            case "transferred":
                return "###TRANSFER###"
            case "closing":
                return "No, that's all. ###STOP###"
            case _:
                pass
    return " ".join(said) or "I am not sure what you mean."


def bare(text: str) -> str:
    """The text without markers."""
    return re.sub(r"###\S+###", "", text).strip()
