"""What the phone shows, in the customer's words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

__all__ = ["MODES", "shown"]

Sight = Mapping[str, str]

MODES = {
    "4g_5g_preferred": "4G/5G preferred",
    "4g_only": "4G only",
    "3g_only": "3G only",
    "2g_only": "2G only",
}
"""How the customer says a network mode."""

_SIMS = {
    "active": "the SIM card is active",
    "missing": "it says there is no SIM card",
    "locked_pin": "the SIM card is locked and it wants a PIN",
    "locked_puk": "the SIM card is locked and it wants a PUK code",
}
_CONNECTIONS = {"no_service": "no service", "emergency_only": "emergency calls only"}


def shown(part: str, sight: Sight) -> str | None:
    """One part of the phone in words, as last seen; None where it has not been seen."""
    field = {"permissions": "sms", "payment": "request"}.get(part, part)
    say = _SAY.get(part)
    if say is None or (field not in sight and part != "permissions"):
        return None
    return say(sight.get(field, ""), sight)


def _signal(word: str, sight: Sight) -> str:
    if word == "none":
        return "there is no signal"
    net = sight.get("network", "none")
    return f"the signal is {word}" + (f" on {net.upper()}" if net != "none" else "")


def _network(word: str, sight: Sight) -> str:
    del sight
    return "there is no network" if word == "none" else f"the network is {word.upper()}"


def _plain(name: str) -> Callable[[str, Sight], str]:
    def say(word: str, sight: Sight) -> str:
        del sight
        return f"{name} {word}"

    return say


def _wifi(word: str, sight: Sight) -> str:
    connected = word == "on" and sight.get("wifi_connected") == "yes"
    return "Wi-Fi is on and connected" if connected else f"Wi-Fi is {word}"


def _wifi_calling(word: str, sight: Sight) -> str:
    over = sight.get("mms_over_wifi")
    more = f", and MMS over Wi-Fi is {over}" if word == "on" and over else ""
    return f"Wi-Fi calling is {word}{more}"


def _vpn(word: str, sight: Sight) -> str:
    if word != "connected":
        return "no VPN is connected"
    speed = sight.get("vpn_performance")
    return "a VPN is connected" + (f" and its performance is {speed}" if speed else "")


def _rating(word: str, sight: Sight) -> str:
    if word == "no connection":
        return "the speed test says No Connection"
    speed = sight.get("speed", "").replace("mbps", "Mbps")
    return f"the speed test says {speed}, rated {word.title()}"


def _mms(word: str, sight: Sight) -> str:
    del sight
    can = "can" if word == "yes" else "cannot"
    return f"the phone says it {can} send picture messages (MMS)"


def _apn(word: str, sight: Sight) -> str:
    mmsc = sight.get("mmsc")
    said = f"the APN name is {word}"
    if mmsc == "not set":
        said += " and the MMSC address is not set"
    elif mmsc is not None:
        said += f" and the MMSC URL is {mmsc}"
    if sight.get("apn_reset") == "yes":
        said += ", with a reset waiting for the next restart"
    return said


def _permissions(word: str, sight: Sight) -> str | None:
    del word
    names = {"sms": "SMS", "storage": "storage"}
    has = " and ".join(name for key, name in names.items() if sight.get(key) == "yes")
    lacks = " and ".join(name for key, name in names.items() if sight.get(key) == "no")
    parts = [
        f"has the permission for {has}" if has else "",
        f"does not have the permission for {lacks}" if lacks else "",
    ]
    said = ", but ".join(part for part in parts if part)
    return f"the messaging app {said}" if said else None


def _payment(word: str, sight: Sight) -> str:
    if word == "none":
        return "there is no payment request on my phone"
    amount = sight.get("amount", "an amount I can't see").replace("usd", "USD")
    return f"there is a payment request for bill {word} over {amount}"


_SAY: dict[str, Callable[[str, Sight], str | None]] = {
    "signal": _signal,
    "network": _network,
    "connection": lambda word, _: f"the connection says {_CONNECTIONS.get(word, word)}",
    "airplane": _plain("airplane mode is"),
    "data": _plain("mobile data is turned"),
    "roaming": _plain("data roaming is"),
    "saver": _plain("data saver is"),
    "wifi": _wifi,
    "wifi_calling": _wifi_calling,
    "vpn": _vpn,
    "sim": lambda word, _: _SIMS.get(word, f"the SIM card says {word}"),
    "mode": lambda word, _: f"the network mode is set to {MODES.get(word, word)}",
    "rating": _rating,
    "mms": _mms,
    "apn": _apn,
    "permissions": _permissions,
    "apps": _plain("these apps are installed:"),
    "payment": _payment,
}
