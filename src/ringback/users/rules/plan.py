"""From requests to the next calls on the phone.

The plan is made anew at every turn from the message and from what has been done since, so it needs
no memory of its own. Whatever depends on something not yet seen waits until it has been looked at.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from ringback.episode.events import Call
from ringback.telecom.scenario import Caller
from ringback.users.rules.conditions import Condition
from ringback.users.rules.memory import Deed, Memory
from ringback.users.rules.request import Request
from ringback.users.rules.words import ICONS

__all__ = ["Plan", "look_tool", "plan", "test_tool"]

_BATCH = 6
_TRIES = 3

_TOGGLES = {
    "airplane": "toggle_airplane_mode",
    "data": "toggle_data",
    "roaming": "toggle_roaming",
    "saver": "toggle_data_saver_mode",
    "wifi": "toggle_wifi",
    "wifi_calling": "toggle_wifi_calling",
}
_LOOKS = {
    "bar": "check_status_bar",
    "airplane": "check_status_bar",
    "signal": "check_status_bar",
    "data": "check_network_status",
    "network": "check_status_bar",
    "connection": "check_network_status",
    "roaming": "check_network_status",
    "saver": "check_data_restriction_status",
    "wifi": "check_wifi_status",
    "wifi_calling": "check_wifi_calling_status",
    "vpn": "check_vpn_status",
    "sim": "check_sim_status",
    "apn": "check_apn_settings",
    "mode": "check_network_mode_preference",
    "permissions": "check_app_permissions",
    "app": "check_app_status",
    "apps": "check_installed_apps",
    "payment": "check_payment_request",
    "internet": "run_speed_test",
    "calls": "check_network_status",
    "speed": "run_speed_test",
    "mms": "can_send_mms",
}
_TESTS = {"mobile_data": "run_speed_test", "mms": "can_send_mms", "service": "check_status_bar"}
# Fields that a look is for; a question about one that has been seen needs no second look.
_FIELDS = {
    "airplane": "airplane",
    "data": "data",
    "roaming": "roaming",
    "saver": "saver",
    "wifi": "wifi",
    "wifi_calling": "wifi_calling",
    "vpn": "vpn",
    "mode": "mode",
    "sim": "sim",
    "apn": "apn",
}
_SHOWS = {
    "check_status_bar": ICONS,
    "check_network_status": frozenset(
        ("airplane", "sim", "connection", "signal", "network", "data", "roaming", "wifi")
    ),
}
_HARMLESS = ("look", "test", "switch", "mode", "grant")
_STATES = {"vpn": {"on": "connected", "off": "not connected"}}


class Plan(Struct, frozen=True):
    """The next `calls`; `refused` names requests the caller will not carry out."""

    calls: tuple[Call, ...]
    refused: tuple[str, ...] = ()


def test_tool(topic: str, caller: Caller) -> str:
    """The phone's action that shows whether `topic` works; ``outcome`` is what the caller wants."""
    if topic == "outcome":
        return _TESTS[caller.goal]
    return {"speed": "run_speed_test", "mms": "can_send_mms", "internet": "run_speed_test"}.get(
        topic, "check_status_bar"
    )


def look_tool(topic: str) -> str:
    """The phone's action that shows `topic`, which may already be an action's name."""
    return _LOOKS.get(topic, topic)


def _app_call(tool: str) -> Call:
    if tool in ("check_app_status", "check_app_permissions"):
        return Call(tool, {"app_name": "messaging"})
    return Call(tool, {})


class _WaitError(Exception):
    """Something must be seen before the rest can be decided."""


class _Planner:
    def __init__(self, requests: Sequence[Request], memory: Memory, caller: Caller) -> None:
        self.requests = requests
        self.memory = memory
        self.caller = caller
        self.deeds: list[Deed] = memory.deeds
        self.used: set[int] = set()
        self.cursor = 0
        self.calls: list[Call] = []
        self.refused: list[str] = []
        self.sight = dict(memory.sight)
        self.needed: dict[str, int] = {}
        self.turned: dict[str, str | None] = {}
        self.acts = 0
        self.calling = any(request.topic == "calls" for request in requests)
        self.cycled = _cycled(requests)
        self.icons = any(request.topic in ("bar", "check_status_bar") for request in requests)

    def run(self) -> Plan:
        try:
            for request in self.requests:
                if len(self.calls) >= _BATCH:
                    break
                if request.presumed and self._done_before(request):
                    continue
                if request.when is None or self._holds(request.when, request):
                    self._do(request)
        except _WaitError:
            pass
        return Plan(tuple(self.calls), tuple(self.refused))

    def _done_before(self, request: Request) -> bool:
        """Whether what the message takes for done has been done, or cannot be told."""
        tool = {
            "reboot": "reboot_device",
            "reset_apn": "reset_apn_settings",
            "reseat": "reseat_sim_card",
            "pay": "make_payment",
        }.get(request.act)
        if tool is not None:
            return not self._made(tool) and any(deed.tool == tool for deed in self.memory.all_deeds)
        field = request.value if request.act == "grant" else request.topic
        if request.act == "switch" and field in _TOGGLES:
            return False
        return request.act not in ("switch", "mode", "grant") or field not in self.sight

    def _made(self, tool: str, since: int = 0) -> int:
        return sum(deed.tool == tool for deed in self.deeds[since:])

    def _look(self, tool: str, since: int = 0) -> bool:
        """Whether `tool` has been used since then; if not, it is the next call."""
        if self._made(tool, since):
            return True
        planned = self.calls[max(since - len(self.deeds), 0) :]
        if all(call.tool != tool for call in planned):
            self.calls.append(_app_call(tool))
        return False

    def _need(self, tool: str) -> None:
        if not self._made(tool):
            self._look(tool)
            raise _WaitError
        if self.calls:
            raise _WaitError

    def _do(self, request: Request) -> None:
        match request.act:
            case "switch" if request.topic == "vpn":
                self._vpn(request)
            case "switch":
                self._switch(request)
            case "mode":
                self._mode(request)
            case "reset_apn":
                self._once(Call("reset_apn_settings", {}))
            case "reseat":
                self._once(Call("reseat_sim_card", {}))
            case "reboot":
                self._once(Call("reboot_device", {}))
            case "grant":
                self._grant(request)
            case "pay":
                self._pay()
            case "test":
                self._test(request)
            case _:
                self._see(request)

    def _once(self, call: Call) -> None:
        for number, deed in enumerate(self.deeds):
            if number not in self.used and deed.tool == call.tool and (
                not call.arguments or deed.arguments == call.arguments
            ):  # fmt: skip
                self.used.add(number)
                self.cursor = max(self.cursor, number + 1)
                return
        self.calls.append(call)
        self.cursor = len(self.deeds) + len(self.calls)

    def _switch(self, request: Request) -> None:
        topic, tool = request.topic, _TOGGLES[request.topic]
        made = self._made(tool)
        if topic not in self.turned:
            self.turned[topic] = self._state_then(topic, tool)
            self.needed[topic] = 0
        state = self.turned[topic]
        if request.value == "flip":
            self.needed[topic] += 1
            self.turned[topic] = _other(state)
        elif state is None:
            blind = request.named or topic in self.cycled
            if not blind or request.when is not None:
                self._need(look_tool(topic))
            self.needed[topic] += 1
            if self.needed[topic] > made:
                self.calls.append(Call(tool, {}))
                raise _WaitError
        elif state != request.value:
            self.needed[topic] += 1
            self.turned[topic] = request.value
        else:
            self._turn_back(request, made)
            return
        planned = sum(call.tool == tool for call in self.calls)
        if self.needed[topic] > made + planned and made + planned < _TRIES:
            self.calls.append(Call(tool, {}))
            self.cursor = len(self.deeds) + len(self.calls)
            if (turned := self.turned[topic]) is not None:
                self.sight[topic] = turned
        else:
            last = max((n for n, deed in enumerate(self.deeds) if deed.tool == tool), default=-1)
            self.cursor = max(self.cursor, last + 1)

    def _turn_back(self, request: Request, made: int) -> None:
        """A switch flipped without a look may have gone the wrong way: the result shows it."""
        topic = request.topic
        now = self.sight.get(topic, request.value)
        if made > self.needed[topic] and now != request.value and made < _TRIES:
            self.calls.append(Call(_TOGGLES[topic], {}))
            self.needed[topic] = made + 1

    def _state_then(self, topic: str, tool: str) -> str | None:
        """How the switch stood when the message came, seen then or told by its first flip."""
        known = self.memory.sight_then.get(topic)
        for deed in self.deeds:
            facts = dict(deed.facts)
            if topic in facts:
                return known or (_other(facts[topic]) if deed.tool == tool else facts[topic])
        return known

    def _vpn(self, request: Request) -> None:
        tool = "connect_vpn" if request.value == "on" else "disconnect_vpn"
        state = self.sight.get("vpn")
        if request.value == "flip" and state is not None:
            tool = "disconnect_vpn" if state == "connected" else "connect_vpn"
        if self._made(tool):
            self._once(Call(tool, {}))
            return
        if state == _STATES["vpn"].get(request.value):
            return
        if state is None and (not request.sure or request.when is not None):
            self._need("check_vpn_status")
        self._once(Call(tool, {}))

    def _mode(self, request: Request) -> None:
        call = Call("set_network_mode_preference", {"mode": request.value})
        if self._made(call.tool):
            self._once(call)
            return
        state = self.sight.get("mode")
        if state == request.value:
            return
        if state is None and not request.sure:
            self._need("check_network_mode_preference")
        self._once(call)
        self.sight["mode"] = request.value

    def _grant(self, request: Request) -> None:
        wanted = (request.value,) if request.value else ("storage", "sms")
        if not request.value or not request.sure:
            unseen = any(permission not in self.sight for permission in wanted)
            if unseen:
                self._need("check_app_permissions")
        for permission in wanted:
            call = Call("grant_app_permission", {"app_name": "messaging", "permission": permission})
            done = any(
                deed.tool == call.tool and deed.arguments == call.arguments for deed in self.deeds
            )
            if done or self.sight.get(permission) != "yes":
                self._once(call)

    def _pay(self) -> None:
        if not self.caller.pays_bill:
            self.refused.append("pay")
        elif self._made("make_payment"):
            self._once(Call("make_payment", {}))
        elif self._made("check_payment_request") and self.sight.get("request") == "none":
            pass
        else:
            self._once(Call("make_payment", {}))

    def _test(self, request: Request) -> None:
        tool = test_tool(request.topic, self.caller)
        asked = request.value == "ask"
        if request.topic == "calls" and self.caller.goal != "service":
            tool = look_tool("calls")
        if asked and request.topic in ("internet", "calls"):
            tool = look_tool("calls" if self.calling else request.topic)
        if asked and self.caller.goal == "service" and request.topic == "outcome" and self._shown():
            return
        self._look(tool, self.cursor)

    def _see(self, request: Request) -> None:
        tool = look_tool(request.topic)
        asked = request.value == "ask"
        if tool == "check_network_status" and request.topic != tool and self.icons:
            tool = "check_status_bar"
        if asked and request.topic in ICONS and self._shown():
            return
        if asked and self._covered(tool, request.topic):
            return
        if asked and tool == "check_vpn_status" and self._recent("vpn") and self._known_vpn():
            return
        field = _FIELDS.get(request.topic, "sms" if request.topic == "permissions" else "")
        if asked and request.topic != tool and field in self.sight and self._recent(field):
            return
        self._look(tool, self.cursor)

    def _known_vpn(self) -> bool:
        """Whether all that a look at the VPN would show has been seen."""
        return self.sight.get("vpn") == "not connected" or "vpn_performance" in self.sight

    def _recent(self, field: str) -> bool:
        """Whether it was seen since the message before this one, or all works: none looks again."""
        return self.memory.proof is True or (
            field in self.memory.seen and len(self.memory.heard) - self.memory.seen[field] <= 1
        )

    def _shown(self) -> bool:
        """Whether the last thing done has shown the status bar, or is about to."""
        if self.calls:
            return any(not call.tool.startswith(("check_", "run_", "can_")) for call in self.calls)
        return any("signal" in dict(deed.facts) for deed in self.deeds[max(self.cursor - 1, 0) :])

    def _covered(self, tool: str, topic: str) -> bool:
        """Whether another look of this turn will show it too."""
        tools = {call.tool for call in self.calls}
        return tool not in tools and any(topic in _SHOWS.get(name, ()) for name in tools)

    def _holds(self, condition: Condition, request: Request) -> bool:
        found = self._seen(condition)
        if found is None:
            return condition.topic == "unclear" and request.act in _HARMLESS
        return found is condition.holds

    def _seen(self, condition: Condition) -> bool | None:
        topic, value = condition.topic, condition.value
        if topic == "vpn_performance":
            if self.sight.get("vpn") != "not connected" and topic not in self.sight:
                self._need("check_vpn_status")
            return self.sight.get("vpn") == "connected" and self.sight.get(topic) != "excellent"
        if topic == "problem":
            if self.memory.proof is None or self.calls:
                self._need_fresh(test_tool("outcome", self.caller))
            return self.memory.proof is not True
        if topic == "place":
            return self.caller.abroad
        if topic == "network":
            if "network" not in self.sight:
                self._need("check_status_bar")
            return self.sight.get("network") in ("2g", "3g")
        if topic == "permissions":
            if "sms" not in self.sight or "storage" not in self.sight:
                self._need("check_app_permissions")
            return self.sight.get("sms") == self.sight.get("storage") == "yes"
        if topic == "apn":
            if "apn" not in self.sight or "mmsc" not in self.sight:
                self._need("check_apn_settings")
            return self.sight.get("apn") == "broken" or self.sight.get("mmsc") == "not set"
        if topic == "sim":
            if "sim" not in self.sight:
                self._need("check_sim_status")
            return self.sight.get("sim", "").startswith(value)
        field = _FIELDS.get(topic)
        if field is None:
            return None
        then = self.memory.sight_then.get(field) if topic in _TOGGLES else self.sight.get(field)
        if then is None and topic in _TOGGLES:
            then = self._state_then(topic, _TOGGLES[topic])
        if then is None:
            self._need(look_tool(topic))
            return None
        return then == _STATES.get(topic, {}).get(value, value)

    def _need_fresh(self, tool: str) -> None:
        """A test after the last change; before that is made, nothing can be said."""
        last = max((n for n, deed in enumerate(self.deeds) if deed.writes), default=-1)
        if self.calls or not self._made(tool, last + 1):
            self._look(tool, last + 1)
            raise _WaitError


def _cycled(requests: Sequence[Request]) -> frozenset[str]:
    """The switches that are to go one way and back: how they stand does not matter."""
    ways = {(r.topic, r.value) for r in requests if r.act == "switch" and r.when is None}
    return frozenset(topic for topic, _ in ways if {(topic, "on"), (topic, "off")} <= ways)


def _other(state: str | None) -> str | None:
    return None if state is None else "off" if state == "on" else "on"


def plan(requests: Sequence[Request], memory: Memory, caller: Caller) -> Plan:
    """The calls to make now: several where they do not depend on what is still to be seen."""
    return _Planner(requests, memory, caller).run()
