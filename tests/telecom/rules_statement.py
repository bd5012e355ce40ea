"""The rules of the telecom world, stated a second time and in another way.

The state is one flat dictionary of fields; each tool is a few assignments to it. Nothing here comes
from the package under test: where the two disagree, one of them is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, cast

Fields = dict[str, Any]

TODAY = "2025-02-25"
PLANS = {  # data limit, monthly price, refuel price per GB
    "P1001": (5.0, 40.0, 5.0),
    "P1002": (15.0, 65.0, 2.0),
    "P1003": (999.0, 85.0, 0.1),
    "P1004": (25.0, 120.0, 3.0),
    "P1005": (1.0, 15.0, 10.0),
}
OWNED = {
    "C1001": ["L1001", "L1002", "L1003"],
    "C1002": ["L1004", "L1005", "L1006", "L1007", "L1008"],
    "C1003": ["L1009"],
    "C1004": [],
}
OWN_NUMBER = {
    "C1001": "555-123-2002",
    "C1002": "555-123-1002",
    "C1003": "555-123-1003",
    "C1004": "555-123-1004",
}
ACCOUNT_STATUS = {
    "C1001": "Active",
    "C1002": "Active",
    "C1003": "Suspended",
    "C1004": "Pending Verification",
}
LINES = """
L1001 555-123-2001 Active P1001 D1001 3.2 0.0 no 2026-12-31 2025-01-10 - -
L1002 555-123-2002 Active P1002 D1002 8.7 0.0 yes 2026-12-31 2024-12-15 2025-01-20 -
L1003 555-123-2003 Suspended P1001 D1003 0.0 0.0 no 2026-06-30 2024-10-05 - 2025-02-01
L1004 555-123-2004 Active P1003 D1004 15.3 0.0 yes 2027-02-28 2025-01-10 - -
L1005 555-123-2005 Active P1003 D1005 12.8 0.0 yes 2027-02-28 2025-01-10 - -
L1006 555-123-2006 Active P1003 D1006 18.1 0.0 yes 2027-02-28 2025-01-10 - -
L1007 555-123-2007 Active P1003 D1007 9.5 0.0 yes 2027-02-28 2025-01-10 - -
L1008 555-123-2008 Active P1003 D1008 11.2 0.0 yes 2027-02-28 2025-01-10 - -
L1009 555-123-2009 Suspended P1002 D1009 0.0 0.0 no 2026-08-15 2024-08-20 2025-01-15 2025-01-15
"""
LINE_COLUMNS = [
    "line_id",
    "phone_number",
    "status",
    "plan_id",
    "device_id",
    "data_used_gb",
    "data_refueling_gb",
    "roaming_enabled",
    "contract_end_date",
    "last_plan_change_date",
    "last_sim_replacement_date",
    "suspension_start_date",
]
BILLS = """
B1001 C1001 2025-01-01 2025-01-31 2025-01-05 160.5 2025-01-19 Paid
B1002 C1001 2025-02-01 2025-02-28 2025-02-05 150.0 2025-02-19 Issued
B1003 C1001 2025-03-01 2025-03-31 2025-03-01 0.0 2025-03-15 Draft
B1004 C1002 2025-01-01 2025-01-31 2025-01-05 425.0 2025-01-19 Paid
B1005 C1002 2025-02-01 2025-02-28 2025-02-05 425.0 2025-02-26 Overdue
B1006 C1003 2025-02-01 2025-02-28 2025-02-05 70.0 2025-02-19 Disputed
"""
BILL_COLUMNS = [
    "bill_id",
    "customer_id",
    "period_start",
    "period_end",
    "issue_date",
    "total_due",
    "due_date",
    "status",
]
ITEMS: dict[str, list[list[Any]]] = {
    "B1001": [
        [40.0, "Plan Charge"],
        [65.0, "Plan Charge"],
        [40.0, "Plan Charge"],
        [15.5, "Overage"],
    ],
    "B1002": [[40.0, "Plan Charge"], [65.0, "Plan Charge"], [40.0, "Plan Charge"], [5.0, "Fee"]],
    "B1003": [],
    "B1004": [[425.0, "Plan Charge"]],
    "B1005": [[425.0, "Plan Charge"]],
    "B1006": [[65.0, "Plan Charge"], [5.0, "Fee"]],
}
APN: Fields = {
    "apn_name": "internet",
    "reset_at_reboot": False,
    "mms_apn": "mms",
    "mmsc_url": "http://mms.carrier.com/mms/wapenc",
    "mms_proxy": None,
    "mms_port": None,
}
PHONE: Fields = {
    "sim_card_status": "active",
    "sim_card_missing": False,
    "airplane_mode": False,
    "network_signal_strength": "good",
    "network_technology_connected": "5G",
    "network_connection_status": "connected",
    "battery_level": 80,
    "data_enabled": True,
    "roaming_enabled": False,
    "network_mode_preference": "4g_5g_preferred",
    "wifi_enabled": False,
    "wifi_connected": False,
    "wifi_ssid": None,
    "wifi_signal_strength": "none",
    "wifi_calling_enabled": False,
    "wifi_calling_mms_over_wifi": False,
    "data_saver_mode": False,
    "vpn_enabled_setting": False,
    "vpn_connected": False,
    "vpn_details": None,
}
APPS = {
    "messaging": {"sms": True, "storage": True, "phone": True, "network": False},
    "browser": {"sms": False, "storage": True, "phone": False, "network": True},
}
SIGNAL_HERE = {"2G": "poor", "3G": "fair", "4G": "good", "5G": "excellent"}
TECHNOLOGY = {"4g_5g_preferred": "5G", "4g_only": "4G", "3g_only": "3G", "2g_only": "2G"}
RANGE = {"2G": (0.1, 0.4), "3G": (1, 5), "4G": (10, 100), "5G": (50, 500)}
FACTOR = {"poor": 0.2, "fair": 0.5, "good": 0.8, "excellent": 1.0}

STR, INT, NUM, OBJ = "string", "whole number", "number", "object"
ARGUMENTS: dict[str, dict[str, str]] = {  # a trailing question mark: may be left out
    "get_customer_by_phone": {"phone_number": STR},
    "get_customer_by_id": {"customer_id": STR},
    "get_customer_by_name": {"full_name": STR, "dob": STR},
    "get_details_by_id": {"id": STR},
    "suspend_line": {"customer_id": STR, "line_id": STR, "reason": STR},
    "resume_line": {"customer_id": STR, "line_id": STR},
    "get_bills_for_customer": {"customer_id": STR, "limit?": INT},
    "send_payment_request": {"customer_id": STR, "bill_id": STR},
    "get_data_usage": {"customer_id": STR, "line_id": STR},
    "enable_roaming": {"customer_id": STR, "line_id": STR},
    "disable_roaming": {"customer_id": STR, "line_id": STR},
    "refuel_data": {"customer_id": STR, "line_id": STR, "gb_amount": NUM},
    "transfer_to_human_agents": {"summary": STR},
}
NO_ARGUMENTS = [
    "check_status_bar",
    "check_network_status",
    "check_network_mode_preference",
    "run_speed_test",
    "check_sim_status",
    "check_data_restriction_status",
    "check_apn_settings",
    "check_wifi_status",
    "check_wifi_calling_status",
    "check_vpn_status",
    "check_installed_apps",
    "can_send_mms",
    "check_payment_request",
    "toggle_airplane_mode",
    "reseat_sim_card",
    "toggle_data",
    "toggle_roaming",
    "toggle_data_saver_mode",
    "reset_apn_settings",
    "reboot_device",
    "toggle_wifi",
    "toggle_wifi_calling",
    "connect_vpn",
    "disconnect_vpn",
    "make_payment",
]
PHONE_ARGUMENTS: dict[str, dict[str, str]] = {
    **{name: {} for name in NO_ARGUMENTS},
    "check_app_status": {"app_name": STR},
    "check_app_permissions": {"app_name": STR},
    "set_network_mode_preference": {"mode": STR},
    "set_apn_settings": {"apn_settings": OBJ},
    "grant_app_permission": {"app_name": STR, "permission": STR},
}


def is_of(kind: str, value: Any) -> bool:
    if kind == STR:
        return isinstance(value, str)
    if kind == OBJ:
        return isinstance(value, dict)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return kind == NUM or float(value).is_integer()


def is_apn(value: Fields) -> bool:
    def text(item: Any) -> bool:
        return item is None or isinstance(item, str)

    allowed: dict[str, Callable[[Any], bool]] = {
        "apn_name": lambda item: item in ("internet", "broken"),
        "reset_at_reboot": lambda item: isinstance(item, bool),
        "mms_apn": text,
        "mmsc_url": text,
        "mms_proxy": text,
        "mms_port": lambda item: item is None or is_of(INT, item),
    }
    return all(key in allowed and allowed[key](item) for key, item in value.items())


class Statement:
    """The world as rules over flat fields."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        self.f: Fields = {}
        self.next_vpn = "excellent"
        self.fill()
        self.f["around.name"], self.f["around.phone_number"] = "John Smith", "555-123-2002"
        for fault in sorted(faults):
            self.break_with(fault)
        self.link()

    def copy(self) -> Statement:
        """Another of the same state; values are replaced, never changed in place."""
        twin = copy(self)
        twin.f = dict(self.f)
        return twin

    def fill(self) -> None:
        f = self.f
        for row in LINES.split("\n"):
            for column, cell in zip(LINE_COLUMNS, row.split(), strict=False):
                value: Any = {"-": None, "yes": True, "no": False}.get(cell, cell)
                f[f"line.{row[:5]}.{column}"] = float(cell) if column.endswith("_gb") else value
        for row in BILLS.split("\n"):
            for column, cell in zip(BILL_COLUMNS, row.split(), strict=False):
                f[f"bill.{row[:5]}.{column}"] = float(cell) if column == "total_due" else cell
        for bill, items in ITEMS.items():
            f[f"bill.{bill}.line_items"] = [list(item) for item in items]
        for customer, status in ACCOUNT_STATUS.items():
            f[f"customer.{customer}.account_status"] = status
            f[f"customer.{customer}.bill_ids"] = [
                bill for bill in ITEMS if f[f"bill.{bill}.customer_id"] == customer
            ]
        f.update({f"phone.{name}": value for name, value in PHONE.items()})
        f.update({f"phone.active_apn_settings.{name}": value for name, value in APN.items()})
        for app, permissions in APPS.items():
            f[f"phone.app_statuses.{app}.app_name"] = app
            for name, value in permissions.items():
                f[f"phone.app_statuses.{app}.permissions.{name}"] = value
        f["around.name"] = f["around.phone_number"] = None
        f["around.is_abroad"] = f["around.roaming_allowed"] = False
        f["around.mobile_data_usage_exceeded"] = False
        f["around.line_active"] = True
        f["around.payment_request"] = None
        for technology, signal in SIGNAL_HERE.items():
            f[f"around.signal_strength.{technology}"] = signal

    # What follows from the fields

    def sim(self) -> str:
        return "missing" if self.f["phone.sim_card_missing"] else self.f["phone.sim_card_status"]

    def data_works(self) -> bool:
        f = self.f
        if f["phone.airplane_mode"] or not f["phone.data_enabled"]:
            return False
        if f["phone.network_signal_strength"] == "none":
            return False
        if f["phone.network_connection_status"] == "no_service":
            return False
        if f["around.mobile_data_usage_exceeded"]:
            return False
        roams = f["phone.roaming_enabled"] and f["around.roaming_allowed"]
        return bool(roams or not f["around.is_abroad"])

    def speed(self) -> tuple[float | None, str]:
        f = self.f
        if not self.data_works():
            return None, "No Connection"
        low, high = RANGE[f["phone.network_technology_connected"]]
        mbps = (low + high) / 2 * FACTOR[f["phone.network_signal_strength"]]
        if f.get("phone.vpn_details.server_performance") == "poor":
            mbps *= 0.1
        if f["phone.data_saver_mode"]:
            mbps *= 0.2
        mbps = round(mbps, 2)
        for bound, label in ((1, "Very Poor"), (5, "Poor"), (25, "Fair"), (100, "Good")):
            if mbps < bound:
                return mbps, label
        return mbps, "Excellent"

    def mms(self) -> bool:
        f = self.f
        over_wifi = f["phone.wifi_calling_enabled"] and f["phone.wifi_calling_mms_over_wifi"]
        return bool(
            self.data_works()
            and f["phone.network_technology_connected"] != "2G"
            and not over_wifi
            and f["phone.active_apn_settings.mmsc_url"] is not None
            and f["phone.app_statuses.messaging.permissions.sms"]
            and f["phone.app_statuses.messaging.permissions.storage"]
        )

    def fields(self) -> Fields:
        mbps, label = self.speed()
        return {
            **self.f,
            "derived.sim_status": self.sim(),
            "derived.mobile_data_working": self.data_works(),
            "derived.speed_mbps": mbps,
            "derived.speed_label": label,
            "derived.can_send_mms": self.mms(),
        }

    # Link and search

    def search(self) -> None:
        f = self.f
        dead = (
            self.sim() != "active"
            or f["phone.airplane_mode"]
            or f["phone.active_apn_settings.apn_name"] == "broken"
            or not f["around.line_active"]
        )
        technology = "none" if dead else TECHNOLOGY[f["phone.network_mode_preference"]]
        f["phone.network_connection_status"] = "no_service" if dead else "connected"
        f["phone.network_technology_connected"] = technology
        f["phone.network_signal_strength"] = SIGNAL_HERE.get(technology, "none")

    def link(self) -> None:
        f = self.f
        line = next(x for x in self.lines() if f[f"line.{x}.phone_number"] == "555-123-2002")
        limit = PLANS[f[f"line.{line}.plan_id"]][0] + f[f"line.{line}.data_refueling_gb"]
        f["around.line_active"] = f[f"line.{line}.status"] == "Active"
        f["around.roaming_allowed"] = f[f"line.{line}.roaming_enabled"]
        f["around.mobile_data_usage_exceeded"] = f[f"line.{line}.data_used_gb"] >= limit
        if f.get("around.payment_request.paid"):
            f[f"bill.{f['around.payment_request.bill_id']}.status"] = "Paid"
            for part in ("bill_id", "amount_due", "paid"):
                del f[f"around.payment_request.{part}"]
            f["around.payment_request"] = None
        if "around.payment_request" in f:
            for bill in f["customer.C1001.bill_ids"]:
                if f[f"bill.{bill}.status"] == "Awaiting Payment":
                    del f["around.payment_request"]
                    f["around.payment_request.bill_id"] = bill
                    f["around.payment_request.amount_due"] = f[f"bill.{bill}.total_due"]
                    f["around.payment_request.paid"] = False
                    break

    def lines(self) -> list[str]:
        return [line for lines in OWNED.values() for line in lines]

    # Faults

    def break_with(self, fault: str) -> None:
        f = self.f
        sms = "phone.app_statuses.messaging.permissions.sms"
        storage = "phone.app_statuses.messaging.permissions.storage"
        changes: dict[str, Fields] = {
            "airplane_mode_on": {"phone.airplane_mode": True},
            "unseat_sim_card": {"phone.sim_card_missing": True},
            "lock_sim_card_pin": {"phone.sim_card_status": "locked_pin"},
            "break_apn_settings": {"phone.active_apn_settings.apn_name": "broken"},
            "overdue_bill_suspension": {},
            "contract_end_suspension": {"line.L1002.contract_end_date": "2025-01-31"},
            "data_mode_off": {"phone.data_enabled": False},
            "data_saver_mode_on": {"phone.data_saver_mode": True},
            "bad_network_preference": {"phone.network_mode_preference": "2g_only"},
            "bad_vpn": {},
            "data_usage_exceeded": {"line.L1002.data_used_gb": 15.1},
            "data_usage_exceeded_no_refuel": {
                "line.L1002.data_used_gb": 17.1,
                "line.L1002.data_refueling_gb": 2.0,
            },
            "user_abroad_roaming_enabled_off": {"line.L1002.roaming_enabled": True},
            "user_abroad_roaming_disabled_on": {"line.L1002.roaming_enabled": False},
            "user_abroad_roaming_disabled_off": {"line.L1002.roaming_enabled": False},
            "bad_wifi_calling": {
                "phone.wifi_calling_enabled": True,
                "phone.wifi_calling_mms_over_wifi": True,
            },
            "break_apn_mms_setting": {"phone.active_apn_settings.mmsc_url": None},
            "break_app_sms_permission": {sms: False},
            "break_app_storage_permission": {storage: False},
            "break_app_both_permissions": {sms: False, storage: False},
        }
        f.update(changes[fault])
        if fault.startswith("user_abroad"):
            f["around.is_abroad"] = True
            f["phone.roaming_enabled"] = fault.endswith("_on")
        if fault == "bad_vpn":
            self.next_vpn = "poor"
            self.do_connect_vpn()
        if fault.endswith("_suspension"):
            bill = "B1234321"
            f["customer.C1001.bill_ids"] = [*f["customer.C1001.bill_ids"], bill]
            self.new_bill(bill, "C1001", "2025-01-01 2025-01-31 2025-01-01 2025-01-15")
            f[f"bill.{bill}.status"] = "Overdue"
            f[f"bill.{bill}.total_due"] = 65.0
            f[f"bill.{bill}.line_items"] = [[65.0, "Charge"]]
            f["line.L1002.status"] = "Suspended"
            f["line.L1002.suspension_start_date"] = TODAY
            self.link()
        silent = ("data_saver", "bad_vpn", "data_usage", "bad_wifi", "break_apn_mms", "break_app_")
        if not fault.startswith(silent):
            self.search()

    def new_bill(self, bill: str, customer: str, dates: str) -> None:
        start, end, issued, due = dates.split()
        fresh: Fields = {"bill_id": bill, "customer_id": customer, "period_start": start}
        fresh |= {"period_end": end, "issue_date": issued, "due_date": due}
        self.f.update({f"bill.{bill}.{name}": value for name, value in fresh.items()})

    # Calls

    def call(self, side: str, tool: str, arguments: Any) -> bool:
        """Run a tool; True for an error, which changes nothing."""
        known = ARGUMENTS if side == "agent" else PHONE_ARGUMENTS
        if tool not in known or not isinstance(arguments, dict):
            return True
        given = cast("Fields", arguments)
        wanted = {name.rstrip("?"): kind for name, kind in known[tool].items()}
        needed = [name for name in known[tool] if not name.endswith("?")]
        if any(name not in given for name in needed) or any(name not in wanted for name in given):
            return True
        if not all(is_of(kind, given[name]) for name, kind in wanted.items() if name in given):
            return True
        if "apn_settings" in given and not is_apn(given["apn_settings"]):
            return True
        if side == "agent":
            failed = self.at_the_desk(tool, given)
        else:
            act = getattr(self, f"do_{tool}", None)
            if act is not None:
                act(**given)
            failed = False
        if not failed:
            self.link()
        return failed

    def at_the_desk(self, tool: str, given: Fields) -> bool:
        f = self.f
        customer, line = given.get("customer_id"), given.get("line_id")
        if customer is not None and customer not in OWNED:
            return True
        if line is not None and line not in OWNED[str(customer)]:
            return True
        match tool:
            case "get_customer_by_phone":
                numbers = [f[f"line.{each}.phone_number"] for each in self.lines()]
                return given["phone_number"] not in (*numbers, *OWN_NUMBER.values())
            case "get_details_by_id":
                devices = [f"D{number}" for number in range(1001, 1010)]
                bills = [name.split(".")[1] for name in f if name.startswith("bill.")]
                return given["id"] not in (*self.lines(), *devices, *bills, *OWNED, *PLANS)
            case "get_bills_for_customer":
                return given.get("limit", 12) < 0
            case "suspend_line" if f[f"line.{line}.status"] == "Active":
                f[f"line.{line}.status"] = "Suspended"
                f[f"line.{line}.suspension_start_date"] = TODAY
            case "resume_line" if f[f"line.{line}.status"] in ("Suspended", "Pending Activation"):
                f[f"line.{line}.status"] = "Active"
                f[f"line.{line}.suspension_start_date"] = None
            case "suspend_line" | "resume_line":
                return True
            case "send_payment_request":
                bills = f[f"customer.{customer}.bill_ids"]
                waits = any(f[f"bill.{bill}.status"] == "Awaiting Payment" for bill in bills)
                if given["bill_id"] not in bills or waits:
                    return True
                f[f"bill.{given['bill_id']}.status"] = "Awaiting Payment"
            case "enable_roaming" | "disable_roaming":
                f[f"line.{line}.roaming_enabled"] = tool == "enable_roaming"
            case "refuel_data":
                return self.refuel(str(customer), str(line), given["gb_amount"])
            case _:
                pass
        return False

    def refuel(self, customer: str, line: str, amount: float) -> bool:
        f = self.f
        if amount <= 0:
            return True
        charge = amount * PLANS[f[f"line.{line}.plan_id"]][2]
        f[f"line.{line}.data_refueling_gb"] += amount
        bills = f[f"customer.{customer}.bill_ids"]
        drafts = [bill for bill in bills if f[f"bill.{bill}.status"] == "Draft"]
        if not drafts:
            bill = f"B{2001 + sum(name.endswith('.bill_id') and '.B2' in name for name in f)}"
            f[f"customer.{customer}.bill_ids"] = [*bills, bill]
            self.new_bill(bill, customer, "2025-03-01 2025-03-31 2025-03-01 2025-03-15")
            f[f"bill.{bill}.status"] = "Draft"
            f[f"bill.{bill}.total_due"] = 0.0
            f[f"bill.{bill}.line_items"] = []
            drafts = [bill]
        first = f"bill.{drafts[0]}"
        f[f"{first}.total_due"] += charge
        f[f"{first}.line_items"] = [*f[f"{first}.line_items"], [charge, "Charge"]]
        return False

    # The phone's tools that write

    def flip(self, name: str) -> bool:
        self.f[f"phone.{name}"] = not self.f[f"phone.{name}"]
        return self.f[f"phone.{name}"]

    def do_toggle_airplane_mode(self) -> None:
        if self.flip("airplane_mode"):
            self.f["phone.wifi_connected"] = False
            self.do_disconnect_vpn()
        elif self.f["phone.wifi_enabled"]:
            self.f["phone.wifi_connected"] = False
        self.search()

    def do_reseat_sim_card(self) -> None:
        self.f["phone.sim_card_missing"] = False
        self.search()

    def do_toggle_data(self) -> None:
        self.flip("data_enabled")
        self.search()

    def do_toggle_roaming(self) -> None:
        self.flip("roaming_enabled")
        self.search()

    def do_toggle_data_saver_mode(self) -> None:
        self.flip("data_saver_mode")

    def do_toggle_wifi_calling(self) -> None:
        self.flip("wifi_calling_enabled")

    def do_set_network_mode_preference(self, mode: str) -> None:
        if mode in TECHNOLOGY:
            self.f["phone.network_mode_preference"] = mode
            self.search()

    def do_set_apn_settings(self, apn_settings: Fields) -> None:
        for name, usual in APN.items():
            self.f[f"phone.active_apn_settings.{name}"] = apn_settings.get(name, usual)
        self.search()

    def do_reset_apn_settings(self) -> None:
        self.f["phone.active_apn_settings.reset_at_reboot"] = True
        self.search()

    def do_reboot_device(self) -> None:
        if self.f["phone.active_apn_settings.reset_at_reboot"]:
            self.do_set_apn_settings({})
        self.search()

    def do_toggle_wifi(self) -> None:
        if not self.f["phone.airplane_mode"] and not self.flip("wifi_enabled"):
            self.f["phone.wifi_connected"] = False

    def do_connect_vpn(self) -> None:
        if not self.f["phone.vpn_connected"]:
            self.f["phone.vpn_connected"] = True
            del self.f["phone.vpn_details"]
            self.f["phone.vpn_details.server_address"] = "192.168.1.1"
            self.f["phone.vpn_details.protocol"] = "OpenVPN"
            self.f["phone.vpn_details.server_performance"] = self.next_vpn

    def do_disconnect_vpn(self) -> None:
        if self.f["phone.vpn_connected"]:
            self.f["phone.vpn_connected"] = False
            for part in ("server_address", "protocol", "server_performance"):
                del self.f[f"phone.vpn_details.{part}"]
            self.f["phone.vpn_details"] = None

    def do_grant_app_permission(self, app_name: str, permission: str) -> None:
        name = f"phone.app_statuses.{app_name}.permissions.{permission.lower()}"
        if app_name in APPS and name in self.f:
            self.f[name] = True

    def do_make_payment(self) -> None:
        if "around.payment_request.paid" in self.f:
            self.f["around.payment_request.paid"] = True
