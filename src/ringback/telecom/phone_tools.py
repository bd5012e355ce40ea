"""The customer's 30 tools, as functions from a state to a state and what the customer reads.

Each takes the state and the tool's arguments in the order of its schema, already checked for type.
Reads answer in the form ``Key: value; key: value.``; writes answer in a sentence, to which the
world adds the status bar. What the phone refuses changes nothing and says so; that is no error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from msgspec.structs import asdict, replace

from ringback.telecom.phone import (
    MODES,
    PERMISSIONS,
    Apn,
    App,
    Phone,
    can_send_mms,
    has_signal,
    sim_status,
    speed,
)
from ringback.telecom.state import State, searched

__all__ = ["PHONE_TOOLS", "PhoneTool", "status_bar"]

PhoneTool: TypeAlias = Callable[..., tuple[State, str]]


def status_bar(phone: Phone) -> str:
    """The top line of the phone's screen.

    Without a signal it says that no data is flowing and nothing about the data switch, for which
    the customer has to look at the network status.
    """
    if not has_signal(phone):
        signal, data = "none (no service)", "no data flowing (no signal)"
    else:
        signal = phone.network_signal_strength
        data = f"mobile data {_on(phone.data_enabled)}"
    wifi = "connected" if phone.wifi_connected else _on(phone.wifi_enabled)
    return (
        f"Status bar: airplane mode {_on(phone.airplane_mode)}; signal {signal}; "
        f"network {phone.network_technology_connected}; {data}; "
        f"data saver {_on(phone.data_saver_mode)}; Wi-Fi {wifi}; "
        f"VPN {_connected(phone.vpn_connected)}; battery {phone.battery_level}%."
    )


def _on(value: bool) -> str:
    return "on" if value else "off"


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _connected(value: bool) -> str:
    return "connected" if value else "not connected"


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words) or "none"


def _set(value: str | int | None) -> str:
    return "not set" if value is None else str(value)


# Reads


def _check_status_bar(state: State) -> tuple[State, str]:
    return state, status_bar(state.phone)


def _check_network_status(state: State) -> tuple[State, str]:
    phone = state.phone
    return state, (
        f"Airplane mode: {_on(phone.airplane_mode)}; SIM card: {sim_status(phone)}; "
        f"connection: {phone.network_connection_status}; "
        f"signal: {phone.network_signal_strength}; "
        f"network: {phone.network_technology_connected}; "
        f"mobile data: {_on(phone.data_enabled)}; data roaming: {_on(phone.roaming_enabled)}; "
        f"Wi-Fi: {_on(phone.wifi_enabled)}; Wi-Fi connected: {_yes(phone.wifi_connected)}."
    )


def _check_network_mode_preference(state: State) -> tuple[State, str]:
    return state, f"Network mode preference: {state.phone.network_mode_preference}."


def _run_speed_test(state: State) -> tuple[State, str]:
    mbps, label = speed(state.phone, state.around)
    result = "no result" if mbps is None else f"{mbps:.2f} Mbps"
    return state, f"Speed: {result}; rating: {label}."


def _check_sim_status(state: State) -> tuple[State, str]:
    return state, f"SIM card: {sim_status(state.phone)}."


def _check_data_restriction_status(state: State) -> tuple[State, str]:
    return state, f"Data saver: {_on(state.phone.data_saver_mode)}."


def _check_apn_settings(state: State) -> tuple[State, str]:
    apn = state.phone.active_apn_settings
    return state, (
        f"APN name: {apn.apn_name}; MMSC URL: {_set(apn.mmsc_url)}; MMS APN: {_set(apn.mms_apn)}; "
        f"MMS proxy: {_set(apn.mms_proxy)}; MMS port: {_set(apn.mms_port)}; "
        f"reset at reboot: {_yes(apn.reset_at_reboot)}."
    )


def _check_wifi_status(state: State) -> tuple[State, str]:
    phone = state.phone
    return state, (
        f"Wi-Fi: {_on(phone.wifi_enabled)}; connected: {_yes(phone.wifi_connected)}; "
        f"network name: {phone.wifi_ssid or 'none'}; signal: {phone.wifi_signal_strength}."
    )


def _check_wifi_calling_status(state: State) -> tuple[State, str]:
    phone = state.phone
    return state, (
        f"Wi-Fi calling: {_on(phone.wifi_calling_enabled)}; "
        f"MMS over Wi-Fi: {_on(phone.wifi_calling_mms_over_wifi)}."
    )


def _check_vpn_status(state: State) -> tuple[State, str]:
    phone = state.phone
    vpn = phone.vpn_details
    details = (
        ""
        if vpn is None
        else f"; server: {vpn.server_address}; protocol: {vpn.protocol}; "
        f"performance: {vpn.server_performance}"
    )
    return state, (
        f"VPN: {_connected(phone.vpn_connected)}{details}; "
        f"setting: {_on(phone.vpn_enabled_setting)}."
    )


def _installed(phone: Phone) -> str:
    return _listed(app.app_name for app in phone.app_statuses)


def _check_installed_apps(state: State) -> tuple[State, str]:
    return state, f"Apps: {_installed(state.phone)}."


def _check_app(state: State, app_name: str) -> tuple[State, str]:
    app = state.phone.app(app_name)
    if app is None:
        return state, f"App: not found; installed apps: {_installed(state.phone)}."
    allowed = asdict(app.permissions)
    return state, (
        f"App: {app.app_name}; allowed: {_listed(p for p in PERMISSIONS if allowed[p])}; "
        f"not allowed: {_listed(p for p in PERMISSIONS if not allowed[p])}."
    )


def _can_send_mms(state: State) -> tuple[State, str]:
    return state, f"MMS can be sent: {_yes(can_send_mms(state.phone, state.around))}."


def _check_payment_request(state: State) -> tuple[State, str]:
    request = state.around.payment_request
    if request is None:
        return state, "Payment request: none."
    return state, (
        f"Payment request: bill {request.bill_id}; amount: {request.amount_due:.2f} USD; "
        f"paid: {_yes(request.paid)}."
    )


# Writes


def _without_vpn(phone: Phone) -> Phone:
    return replace(phone, vpn_connected=False, vpn_details=None)


def _without_wifi_connection(phone: Phone) -> Phone:
    return replace(phone, wifi_connected=False, wifi_ssid=None, wifi_signal_strength="none")


def _with(state: State, **changes: Any) -> State:
    return replace(state, phone=replace(state.phone, **changes))


def _toggle_airplane_mode(state: State) -> tuple[State, str]:
    phone = replace(state.phone, airplane_mode=not state.phone.airplane_mode)
    if phone.airplane_mode:
        phone = _without_vpn(_without_wifi_connection(phone))
    elif phone.wifi_enabled:
        phone = _without_wifi_connection(phone)
    state = searched(replace(state, phone=phone))
    return state, f"Airplane mode is now {_on(phone.airplane_mode)}."


def _reseat_sim_card(state: State) -> tuple[State, str]:
    state = searched(_with(state, sim_card_missing=False))
    return state, "The SIM card has been taken out and put back."


def _toggle_data(state: State) -> tuple[State, str]:
    state = searched(_with(state, data_enabled=not state.phone.data_enabled))
    return state, f"Mobile data is now {_on(state.phone.data_enabled)}."


def _toggle_roaming(state: State) -> tuple[State, str]:
    state = searched(_with(state, roaming_enabled=not state.phone.roaming_enabled))
    return state, f"Data roaming is now {_on(state.phone.roaming_enabled)}."


def _toggle_data_saver_mode(state: State) -> tuple[State, str]:
    state = _with(state, data_saver_mode=not state.phone.data_saver_mode)
    return state, f"Data saver is now {_on(state.phone.data_saver_mode)}."


def _set_network_mode_preference(state: State, mode: str) -> tuple[State, str]:
    if mode not in MODES:
        return state, (
            f"Network mode preference stays {state.phone.network_mode_preference}, because the "
            f"phone knows only {', '.join(MODES[:-1])} and {MODES[-1]}."
        )
    state = searched(_with(state, network_mode_preference=mode))
    return state, f"Network mode preference is now {mode}."


def _set_apn_settings(state: State, apn_settings: dict[str, Any]) -> tuple[State, str]:
    state = searched(_with(state, active_apn_settings=Apn(**apn_settings)))
    return state, "APN settings are saved."


def _reset_apn_settings(state: State) -> tuple[State, str]:
    apn = replace(state.phone.active_apn_settings, reset_at_reboot=True)
    state = searched(_with(state, active_apn_settings=apn))
    return state, "APN settings will go back to their defaults at the next reboot."


def _reboot_device(state: State) -> tuple[State, str]:
    if state.phone.active_apn_settings.reset_at_reboot:
        state = searched(_with(state, active_apn_settings=Apn()))
        return state, "The phone has restarted. APN settings are back to their defaults."
    return searched(state), "The phone has restarted."


def _toggle_wifi(state: State) -> tuple[State, str]:
    phone = state.phone
    if phone.airplane_mode:
        return state, f"Wi-Fi stays {_on(phone.wifi_enabled)}, because airplane mode is on."
    phone = replace(phone, wifi_enabled=not phone.wifi_enabled)
    if not phone.wifi_enabled:
        phone = _without_wifi_connection(phone)
    return replace(state, phone=phone), f"Wi-Fi is now {_on(phone.wifi_enabled)}."


def _toggle_wifi_calling(state: State) -> tuple[State, str]:
    state = _with(state, wifi_calling_enabled=not state.phone.wifi_calling_enabled)
    return state, f"Wi-Fi calling is now {_on(state.phone.wifi_calling_enabled)}."


def _connect_vpn(state: State) -> tuple[State, str]:
    if state.phone.vpn_connected:
        return state, "VPN was already connected."
    state = _with(state, vpn_connected=True, vpn_details=state.phone.vpn_server)
    return state, "VPN is now connected."


def _disconnect_vpn(state: State) -> tuple[State, str]:
    if not state.phone.vpn_connected:
        return state, "VPN was not connected."
    return replace(state, phone=_without_vpn(state.phone)), "VPN is now disconnected."


def _grant_app_permission(state: State, app_name: str, permission: str) -> tuple[State, str]:
    phone = state.phone
    app = phone.app(app_name)
    if app is None:
        return state, (
            "Nothing changed, because there is no such app; "
            f"the installed apps are {_installed(phone)}."
        )
    permission = permission.lower()
    if permission not in PERMISSIONS:
        return state, (
            "Nothing changed, because there is no such permission; "
            f"an app can have {_listed(PERMISSIONS)}."
        )
    granted = App(app.app_name, replace(app.permissions, **{permission: True}))
    apps = tuple(granted if old is app else old for old in phone.app_statuses)
    return _with(state, app_statuses=apps), f"App {app_name} now has the permission {permission}."


def _make_payment(state: State) -> tuple[State, str]:
    request = state.around.payment_request
    if request is None:
        return state, "Nothing changed, because there is no payment request."
    around = replace(state.around, payment_request=replace(request, paid=True))
    return (
        replace(state, around=around),
        f"Bill {request.bill_id} is paid: {request.amount_due:.2f} USD.",
    )


PHONE_TOOLS: dict[str, PhoneTool] = {
    "check_status_bar": _check_status_bar,
    "check_network_status": _check_network_status,
    "check_network_mode_preference": _check_network_mode_preference,
    "run_speed_test": _run_speed_test,
    "check_sim_status": _check_sim_status,
    "check_data_restriction_status": _check_data_restriction_status,
    "check_apn_settings": _check_apn_settings,
    "check_wifi_status": _check_wifi_status,
    "check_wifi_calling_status": _check_wifi_calling_status,
    "check_vpn_status": _check_vpn_status,
    "check_installed_apps": _check_installed_apps,
    "check_app_status": _check_app,
    "check_app_permissions": _check_app,
    "can_send_mms": _can_send_mms,
    "check_payment_request": _check_payment_request,
    "toggle_airplane_mode": _toggle_airplane_mode,
    "reseat_sim_card": _reseat_sim_card,
    "toggle_data": _toggle_data,
    "toggle_roaming": _toggle_roaming,
    "toggle_data_saver_mode": _toggle_data_saver_mode,
    "set_network_mode_preference": _set_network_mode_preference,
    "set_apn_settings": _set_apn_settings,
    "reset_apn_settings": _reset_apn_settings,
    "reboot_device": _reboot_device,
    "toggle_wifi": _toggle_wifi,
    "toggle_wifi_calling": _toggle_wifi_calling,
    "connect_vpn": _connect_vpn,
    "disconnect_vpn": _disconnect_vpn,
    "grant_app_permission": _grant_app_permission,
    "make_payment": _make_payment,
}
"""The function behind each phone tool, in the order in which they are listed."""
