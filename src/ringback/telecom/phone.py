"""The customer's phone and what surrounds it, as immutable values, and what follows from them."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

__all__ = [
    "BASE_PHONE",
    "BASE_SURROUNDINGS",
    "MODES",
    "PERMISSIONS",
    "SPEED_LABELS",
    "Apn",
    "App",
    "PaymentRequest",
    "Permissions",
    "Phone",
    "Reception",
    "Surroundings",
    "Vpn",
    "can_send_mms",
    "has_signal",
    "mobile_data_works",
    "search_network",
    "sim_status",
    "speed",
]

Signal: TypeAlias = Literal["none", "poor", "fair", "good", "excellent"]
Technology: TypeAlias = Literal["none", "2G", "3G", "4G", "5G"]

MODES = ("4g_5g_preferred", "4g_only", "3g_only", "2g_only")
PERMISSIONS = ("sms", "storage", "phone", "network")


class Apn(Struct, frozen=True):
    """The access point record; the defaults are the working ones."""

    apn_name: str = "internet"
    reset_at_reboot: bool = False
    mms_apn: str | None = "mms"
    mmsc_url: str | None = "http://mms.carrier.com/mms/wapenc"
    mms_proxy: str | None = None
    mms_port: int | None = None


class Vpn(Struct, frozen=True):
    """The server a connected VPN uses. Performance: unknown, poor, fair, good, excellent."""

    server_address: str = "192.168.1.1"
    protocol: str = "OpenVPN"
    server_performance: str = "excellent"


class Permissions(Struct, frozen=True):
    """What an app may use."""

    sms: bool = False
    storage: bool = False
    phone: bool = False
    network: bool = False


class App(Struct, frozen=True):
    """An installed app."""

    app_name: str
    permissions: Permissions


class Phone(Struct, frozen=True):
    """Everything the phone itself holds.

    `vpn_details` is None without a connection; `vpn_server` is what the next connection gets. A
    fault makes that one poor, for this world only.
    """

    sim_card_status: str = "active"
    sim_card_missing: bool = False
    airplane_mode: bool = False
    network_signal_strength: Signal = "good"
    network_technology_connected: Technology = "5G"
    network_connection_status: str = "connected"
    battery_level: int = 80
    data_enabled: bool = True
    roaming_enabled: bool = False
    network_mode_preference: str = "4g_5g_preferred"
    active_apn_settings: Apn = Apn()
    wifi_enabled: bool = False
    wifi_connected: bool = False
    wifi_ssid: str | None = None
    wifi_signal_strength: Signal = "none"
    wifi_calling_enabled: bool = False
    wifi_calling_mms_over_wifi: bool = False
    data_saver_mode: bool = False
    vpn_enabled_setting: bool = False
    vpn_connected: bool = False
    vpn_details: Vpn | None = None
    app_statuses: tuple[App, ...] = (
        App("messaging", Permissions(sms=True, storage=True, phone=True)),
        App("browser", Permissions(storage=True, network=True)),
    )
    vpn_server: Vpn = Vpn()

    def app(self, name: str) -> App | None:
        """The installed app with this name."""
        return next((app for app in self.app_statuses if app.app_name == name), None)


class Reception(Struct, frozen=True):
    """The signal of each network technology where the customer is."""

    g2: Signal = "poor"
    g3: Signal = "fair"
    g4: Signal = "good"
    g5: Signal = "excellent"


class PaymentRequest(Struct, frozen=True):
    """A bill the carrier asks the customer to pay. Amount in USD."""

    bill_id: str
    amount_due: float
    paid: bool = False


class Surroundings(Struct, frozen=True):
    """Who holds the phone, where, and what the carrier's records mean for it."""

    name: str | None = None
    phone_number: str | None = None
    is_abroad: bool = False
    roaming_allowed: bool = False
    reception: Reception = Reception()
    mobile_data_usage_exceeded: bool = False
    line_active: bool = True
    payment_request: PaymentRequest | None = None


BASE_PHONE = Phone()
BASE_SURROUNDINGS = Surroundings()


def sim_status(phone: Phone) -> str:
    """The SIM as the phone sees it: missing if it is out of its slot, else its own status."""
    return "missing" if phone.sim_card_missing else phone.sim_card_status


def has_signal(phone: Phone) -> bool:
    """Whether the phone is on a network."""
    return phone.network_signal_strength != "none"


def search_network(phone: Phone, around: Surroundings) -> Phone:
    """The phone after it looked for a network: its connection, technology and signal anew."""
    if (
        sim_status(phone) != "active"
        or phone.airplane_mode
        or phone.active_apn_settings.apn_name == "broken"
        or not around.line_active
    ):
        return _on_network(phone, "no_service", "none", "none")
    here = around.reception
    match phone.network_mode_preference:
        case "2g_only":
            return _on_network(phone, "connected", "2G", here.g2)
        case "3g_only":
            return _on_network(phone, "connected", "3G", here.g3)
        case "4g_5g_preferred" if here.g5 != "none":
            return _on_network(phone, "connected", "5G", here.g5)
        case _:
            return _on_network(phone, "connected", "4G", here.g4)


def _on_network(phone: Phone, status: str, technology: Technology, signal: Signal) -> Phone:
    return replace(
        phone,
        network_connection_status=status,
        network_technology_connected=technology,
        network_signal_strength=signal,
    )


def mobile_data_works(phone: Phone, around: Surroundings) -> bool:
    """Whether the phone can reach the internet over the mobile network."""
    return not (
        phone.airplane_mode
        or phone.network_signal_strength == "none"
        or phone.network_connection_status == "no_service"
        or (around.is_abroad and not (phone.roaming_enabled and around.roaming_allowed))
        or not phone.data_enabled
        or around.mobile_data_usage_exceeded
    )


_MEAN_MBPS = {
    "none": 0.0,
    "2G": (0.1 + 0.4) / 2,
    "3G": (1.0 + 5.0) / 2,
    "4G": (10.0 + 100.0) / 2,
    "5G": (50.0 + 500.0) / 2,
}
_SIGNAL_FACTOR = {"none": 0.0, "poor": 0.2, "fair": 0.5, "good": 0.8, "excellent": 1.0}
_POOR_VPN_FACTOR = 0.1
_DATA_SAVER_FACTOR = 0.2

SPEED_LABELS = ((1.0, "Very Poor"), (5.0, "Poor"), (25.0, "Fair"), (100.0, "Good"))
"""Upper bounds in Mbps, exclusive; what is faster is Excellent."""


def speed(phone: Phone, around: Surroundings) -> tuple[float | None, str]:
    """The speed of mobile data in Mbps with its label; None and "No Connection" without data."""
    if not mobile_data_works(phone, around):
        return None, "No Connection"
    mbps = _MEAN_MBPS[phone.network_technology_connected]
    mbps *= _SIGNAL_FACTOR[phone.network_signal_strength]
    vpn = phone.vpn_details
    if phone.vpn_connected and vpn is not None and vpn.server_performance == "poor":
        mbps *= _POOR_VPN_FACTOR
    if phone.data_saver_mode:
        mbps *= _DATA_SAVER_FACTOR
    mbps = round(mbps, 2)
    label = next((label for bound, label in SPEED_LABELS if mbps < bound), "Excellent")
    return mbps, label


def can_send_mms(phone: Phone, around: Surroundings) -> bool:
    """Whether a picture message would go out."""
    messaging = phone.app("messaging")
    return (
        mobile_data_works(phone, around)
        and phone.network_technology_connected != "2G"
        and not (phone.wifi_calling_enabled and phone.wifi_calling_mms_over_wifi)
        and phone.active_apn_settings.mmsc_url is not None
        and messaging is not None
        and messaging.permissions.sms
        and messaging.permissions.storage
    )
