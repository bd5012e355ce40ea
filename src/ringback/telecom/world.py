"""The telecom world: a cell that holds the present state and runs the tools on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import msgspec

from ringback import domain
from ringback.canonical import Json
from ringback.domain import Outcome, Side
from ringback.telecom.arguments import bind
from ringback.telecom.carrier_tools import CARRIER_TOOLS
from ringback.telecom.fields import flat
from ringback.telecom.phone_tools import PHONE_TOOLS, status_bar
from ringback.telecom.state import State, link
from ringback.telecom.tool_error import ToolError, quoted
from ringback.telecom.tools import TOOLS, Spec

__all__ = ["World", "state_of"]


class World:
    """The state of one case. The state itself never changes; the world moves to another one."""

    __hash__ = None  # pyright: ignore[reportAssignmentType]  # equality follows the state
    __slots__ = ("_state",)

    def __init__(self, state: State) -> None:
        self._state = link(state)

    @property
    def state(self) -> State:
        """The present state, which stays as it is whatever is called later."""
        return self._state

    def call(self, side: Side, tool: str, arguments: Json) -> Outcome:
        """Run a tool for a side.

        `arguments` is an object, or "" for none. An unknown tool, a tool of the other side,
        arguments that do not fit and what the records do not allow are error outcomes; they leave
        the state as it was. What the phone refuses is not an error: its text says so.
        """
        try:
            return self._run(side, tool, arguments)
        except ToolError as error:
            return Outcome(f"Error: {error}.", error=True)

    def _run(self, side: Side, tool: str, arguments: Json) -> Outcome:
        spec = TOOLS.get(tool)
        if spec is None or not self._may(side, spec):
            raise ToolError(_not_a_tool(side, tool))
        values = bind(spec.takes, arguments)
        before = self._state
        if spec.side == "agent":
            state, record = CARRIER_TOOLS[tool](before, *values)
            self._move(state)
            encoded = msgspec.json.encode(record)
            return Outcome(encoded.decode(), record=msgspec.json.decode(encoded))
        state, text = PHONE_TOOLS[tool](before, *values)
        self._move(state)
        if spec.writes:
            text = f"{text} {status_bar(self._state.phone)}"
        return Outcome(text)

    def _may(self, side: Side, spec: Spec) -> bool:
        return spec.side == side

    def _move(self, state: State) -> None:
        old = self._state
        if state.carrier is not old.carrier or state.around is not old.around:
            state = link(state)
        self._state = state

    def copy(self) -> Self:
        """A world of its own in the same state, at the cost of a reference."""
        twin = object.__new__(type(self))
        twin._state = self._state
        return twin

    def digest(self) -> str:
        """32 hexadecimal digits that are equal exactly when the states are."""
        return self._state.digest

    def fields(self) -> Mapping[str, Json]:
        """The state as flat fields (see `ringback.telecom.fields`)."""
        return flat(self._state)

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, World):
            return NotImplemented
        return self._state is other._state or self._state == other._state

    def __repr__(self) -> str:
        return f"World({self.digest()})"


def state_of(world: domain.World) -> State:
    """The state in a telecom world; `TypeError` for another domain's world."""
    if not isinstance(world, World):
        raise TypeError(f"a telecom world is needed, not a {type(world).__name__}")
    return world.state


def _not_a_tool(side: Side, tool: str) -> str:
    if tool in TOOLS:
        if side == "agent":
            return f"{tool} is on the customer's phone, where only the customer can use it"
        return f"{tool} belongs to the support agent; you have only what your phone offers"
    own = ", ".join(name for name, spec in TOOLS.items() if spec.side == side)
    return f"there is no tool {quoted(tool)}; your tools are {own}"
