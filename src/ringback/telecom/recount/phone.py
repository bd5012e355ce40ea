"""What a customer did on the phone, in words: the act, and what a look showed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from ringback.canonical import Json
from ringback.domain import Did
from ringback.telecom.phone import PERMISSIONS, Phone, can_send_mms, sim_status, speed
from ringback.telecom.recount.words import amount, dollars, listed, quoted
from ringback.telecom.state import State
from ringback.telecom.tools import TOOLS
from ringback.telecom.world import state_of

__all__ = ["done", "in_order", "past", "shown", "speed_words"]


_CONNECTED = "a connection and nothing out of order"
_APN_FINE = "APN settings in order"
_NEEDS = " with what it needs"
_IN_ORDER = frozenset(
    {
        _CONNECTED,
        _APN_FINE,
        "the network mode 4g_5g_preferred",
        "the SIM card active",
        "the phone's data roaming on",
        "Data Saver off",
        "Wi-Fi off",
        "Wi-Fi Calling off",
        "no VPN connected",
    }
)


def argument(did: Did, name: str) -> str:
    """An argument as text; empty where it is not there."""
    given = did.arguments
    value = cast("dict[str, Json]", given).get(name) if isinstance(given, dict) else None
    return value if isinstance(value, str) else ""


def _fell_through(did: Did) -> bool:
    """Whether the phone took the call and changed nothing, though the call is to change it."""
    spec = TOOLS.get(did.tool)
    same = did.before.digest() == did.after.digest()
    return spec is not None and spec.writes and not did.outcome.error and same


def done(did: Did) -> str:
    """The act, as after "had the customer": ``turn airplane mode off``."""
    state = state_of(did.after)
    if did.outcome.error:
        spec = TOOLS.get(did.tool)
        if spec is None or spec.side != "user":
            return f"call {quoted(did.tool, 40)}, which a phone does not have"
        return f"call {did.tool}, which failed ({quoted(did.outcome.text, 60)})"
    words = _DOES.get(did.tool, lambda did, _: f"run {did.tool}")(did, state)
    if _fell_through(did) and did.tool != "reboot_device":
        return f"{words}, without effect,"
    return words


def past(act: str) -> str:
    """An act of `done` in the past: ``turned airplane mode off``, ``ran check_sim_status``."""
    verb, space, rest = act.partition(" ")
    return f"{_PAST.get(verb, f'{verb}ed')}{space}{rest}"


_PAST = {
    "call": "called",
    "do": "did",
    "pay": "paid",
    "reset": "reset",
    "run": "ran",
    "set": "set",
    "try": "tried",
    "switch": "switched",
    "write": "wrote",
}


def _switch(what: str, on: Callable[[Phone], bool]) -> Callable[[Did, State], str]:
    return lambda _, state: f"switch {what} {'on' if on(state.phone) else 'off'}"


def _mode(did: Did, _: State) -> str:
    return f"set the network mode to {quoted(argument(did, 'mode'), 30)[1:-1]}"


def _permission(did: Did, _: State) -> str:
    app, permission = (quoted(argument(did, n), 30)[1:-1] for n in ("app_name", "permission"))
    return f"grant {app} the {permission} permission"


def _paid(did: Did, _: State) -> str:
    request = state_of(did.before).around.payment_request
    if request is None:
        return "try to pay a bill"
    return f"pay bill {request.bill_id} ({dollars(request.amount_due)})"


_DOES: Mapping[str, Callable[[Did, State], str]] = {
    "run_speed_test": lambda _, __: "run a speed test",
    "can_send_mms": lambda _, __: "try to send an MMS",
    "toggle_airplane_mode": _switch("airplane mode", lambda phone: phone.airplane_mode),
    "reseat_sim_card": lambda _, __: "reseat the SIM card",
    "toggle_data": _switch("mobile data", lambda phone: phone.data_enabled),
    "toggle_roaming": _switch("data roaming", lambda phone: phone.roaming_enabled),
    "toggle_data_saver_mode": _switch("Data Saver", lambda phone: phone.data_saver_mode),
    "set_network_mode_preference": _mode,
    "set_apn_settings": lambda _, __: "write new APN settings",
    "reset_apn_settings": lambda _, __: "reset the APN settings",
    "reboot_device": lambda _, __: "restart the phone",
    "toggle_wifi": _switch("Wi-Fi", lambda phone: phone.wifi_enabled),
    "toggle_wifi_calling": _switch("Wi-Fi Calling", lambda phone: phone.wifi_calling_enabled),
    "connect_vpn": lambda _, __: "connect the VPN",
    "disconnect_vpn": lambda _, __: "disconnect the VPN",
    "grant_app_permission": _permission,
    "make_payment": _paid,
}


def shown(did: Did) -> list[str]:
    """What a look showed, as after "which showed": what is out of order, or that nothing is."""
    if did.outcome.error or did.tool not in _SHOWS:
        return []
    return _SHOWS[did.tool](did, state_of(did.after))


def in_order(words: str) -> bool:
    """Whether what a look showed is as it is to be, so that a list can leave it out."""
    return words in _IN_ORDER or words.endswith(_NEEDS)


def speed_words(state: State) -> str:
    """How fast mobile data is: ``275 Mbps (Excellent)``, ``no data connection``."""
    mbps, label = speed(state.phone, state.around)
    return "no data connection" if mbps is None else f"{amount(mbps)} Mbps ({label})"


def _network(state: State, *, whole: bool) -> list[str]:
    phone = state.phone
    parts: list[str] = []
    if phone.airplane_mode:
        parts.append("airplane mode on")
    if whole and sim_status(phone) != "active":
        parts.append(_sim(state))
    if phone.network_connection_status != "connected" and not phone.airplane_mode:
        parts.append("no service")
    if phone.network_technology_connected in ("2G", "3G"):
        parts.append(f"a {phone.network_technology_connected} network")
    if not phone.data_enabled and (whole or phone.network_connection_status == "connected"):
        parts.append("mobile data off")
    if whole and state.around.is_abroad:
        parts.append(f"the phone's data roaming {'on' if phone.roaming_enabled else 'off'}")
    if not whole and phone.data_saver_mode:
        parts.append("Data Saver on")
    if not whole and phone.vpn_connected:
        parts.append("a VPN connected")
    return parts or [_CONNECTED]


def _sim(state: State) -> str:
    status = sim_status(state.phone)
    words = {"locked_pin": "locked by its PIN", "locked_puk": "locked by its PUK"}
    return f"the SIM card {words.get(status, status)}"


def _apn(state: State) -> list[str]:
    apn = state.phone.active_apn_settings
    parts: list[str] = []
    if apn.apn_name != "internet":
        parts.append(f"the APN name {apn.apn_name}")
    if apn.mmsc_url is None:
        parts.append("the MMSC URL not set")
    if apn.reset_at_reboot:
        parts.append("a reset waiting for the next restart")
    return parts or [_APN_FINE]


def _wifi_calling(state: State) -> list[str]:
    if not state.phone.wifi_calling_enabled:
        return ["Wi-Fi Calling off"]
    over = " with MMS over Wi-Fi" if state.phone.wifi_calling_mms_over_wifi else ""
    return [f"Wi-Fi Calling on{over}"]


def _vpn(state: State) -> list[str]:
    vpn = state.phone.vpn_details
    if not state.phone.vpn_connected:
        return ["no VPN connected"]
    about = "" if vpn is None else f" ({vpn.protocol}, performance {vpn.server_performance})"
    return [f"a connected VPN{about}"]


def _app(did: Did, state: State) -> list[str]:
    app = state.phone.app(argument(did, "app_name"))
    if app is None:
        return ["no such app"]
    wanted = [name for name in PERMISSIONS[:2] if not getattr(app.permissions, name)]
    without = listed([f"the {name} permission" for name in wanted])
    return [f"{app.app_name} without {without}" if wanted else f"{app.app_name}{_NEEDS}"]


def _request(state: State) -> list[str]:
    request = state.around.payment_request
    if request is None:
        return ["no payment request"]
    return [f"a request to pay {request.bill_id} ({dollars(request.amount_due)})"]


_SHOWS: Mapping[str, Callable[[Did, State], list[str]]] = {
    "check_status_bar": lambda _, state: _network(state, whole=False),
    "check_network_status": lambda _, state: _network(state, whole=True),
    "check_network_mode_preference": lambda _, state: [
        f"the network mode {state.phone.network_mode_preference}"
    ],
    "run_speed_test": lambda _, state: [speed_words(state)],
    "check_sim_status": lambda _, state: [_sim(state)],
    "check_data_restriction_status": lambda _, state: [
        f"Data Saver {'on' if state.phone.data_saver_mode else 'off'}"
    ],
    "check_apn_settings": lambda _, state: _apn(state),
    "check_wifi_status": lambda _, state: [f"Wi-Fi {'on' if state.phone.wifi_enabled else 'off'}"],
    "check_wifi_calling_status": lambda _, state: _wifi_calling(state),
    "check_vpn_status": lambda _, state: _vpn(state),
    "check_app_status": _app,
    "check_app_permissions": _app,
    "can_send_mms": lambda _, state: [
        f"MMS {'working' if can_send_mms(state.phone, state.around) else 'failing'}"
    ],
    "check_payment_request": lambda _, state: _request(state),
}
