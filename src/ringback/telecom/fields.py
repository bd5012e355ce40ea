"""A state as flat fields, in the names and order in which walks and readers know it."""

from __future__ import annotations

from typing import Any

from msgspec.structs import asdict

from ringback.canonical import Json
from ringback.telecom.phone import (
    Phone,
    Surroundings,
    can_send_mms,
    mobile_data_works,
    sim_status,
    speed,
)
from ringback.telecom.state import State

__all__ = ["flat"]


def flat(state: State) -> dict[str, Json]:
    """Every field that can matter to a reader, under one name each.

    ``line.<id>.…``, ``bill.<id>.…``, ``customer.<id>.…``, ``phone.…``, ``around.…`` and
    ``derived.…``. A record that is absent stands as one field with the value None.
    """
    fields = dict(state.carrier.flat)
    _phone(fields, state.phone)
    _around(fields, state.around)
    mbps, label = speed(state.phone, state.around)
    fields["derived.sim_status"] = sim_status(state.phone)
    fields["derived.mobile_data_working"] = mobile_data_works(state.phone, state.around)
    fields["derived.speed_mbps"] = mbps
    fields["derived.speed_label"] = label
    fields["derived.can_send_mms"] = can_send_mms(state.phone, state.around)
    return fields


def _phone(fields: dict[str, Json], phone: Phone) -> None:
    for name, value in asdict(phone).items():
        match name:
            case "active_apn_settings":
                _spread(fields, "phone.active_apn_settings", value)
            case "vpn_details" if value is not None:
                _spread(fields, "phone.vpn_details", value)
            case "app_statuses":
                for app in phone.app_statuses:
                    prefix = f"phone.app_statuses.{app.app_name}"
                    fields[f"{prefix}.app_name"] = app.app_name
                    _spread(fields, f"{prefix}.permissions", app.permissions)
            case "vpn_server":
                pass  # shows once it is connected
            case _:
                fields[f"phone.{name}"] = value


def _around(fields: dict[str, Json], around: Surroundings) -> None:
    for name, value in asdict(around).items():
        match name:
            case "reception":
                for technology, signal in asdict(around.reception).items():
                    fields[f"around.signal_strength.{technology[1:]}G"] = signal
            case "payment_request" if value is not None:
                _spread(fields, "around.payment_request", value)
            case _:
                fields[f"around.{name}"] = value


def _spread(fields: dict[str, Json], prefix: str, record: Any) -> None:
    for name, value in asdict(record).items():
        fields[f"{prefix}.{name}"] = value
