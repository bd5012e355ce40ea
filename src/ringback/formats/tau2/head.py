"""What a tau2 file says once for all its simulations, as it goes into each session's start."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import msgspec

from ringback.canonical import Json, digest
from ringback.domain import Side
from ringback.episode.events import Limits, Setup
from ringback.formats.secrecy import without_credentials, without_secrets
from ringback.formats.tau2.wire import Environment, Info
from ringback.formats.tau2.wire import Side as Who
from ringback.formats.values import count, text

__all__ = ["DOMAINS", "Head", "spelled"]

DOMAINS = ("telecom", "telecom-workflow", "telecom_workflow")
"""The names under which tau2 has the world that we know."""

_LONGEST = 1000  # characters of a name, which stands in every event of a side
_S = TypeVar("_S", Environment, Who)
_NOBODY = "dummy_user"  # who stands where the caller would, in solo runs


class Head:
    """The opening of a file, read once.

    `raw` is the file's ``info``; `lean` leaves out what grading does not need. Raises
    `msgspec.DecodeError` where it cannot be read.
    """

    def __init__(self, raw: bytes | msgspec.Raw | None, *, lean: bool) -> None:
        info = Info() if raw is None else msgspec.json.decode(raw, type=Info)
        environment = _object(info.environment_info, Environment)
        agent, user = _object(info.agent_info, Who), _object(info.user_info, Who)
        for name in (agent.llm, agent.implementation, user.llm, user.implementation):
            if isinstance(name, str) and len(name) > _LONGEST:
                raise msgspec.ValidationError(f"a name in it has {len(name):,} characters")
        commit = _name(info.git_commit)
        self.domain = text(environment.domain_name)
        self.program = f"tau2 {commit[:7]}" if commit else "tau2, version unknown"
        self.versions = {"tau2": commit} if commit else {}
        self.limits = Limits(
            steps=count(info.max_steps), errors=count(info.max_errors), seconds=None
        )
        self.agent = self._setup(agent, "agent")
        self.user = self._setup(user, "user")
        self.models: dict[Side, str | None] = {
            "agent": _name(agent.llm),
            "user": _name(user.llm),
        }
        self.solo = user.implementation == _NOBODY
        self.policy = text(environment.policy)
        self.guidelines = text(user.global_simulation_guidelines)
        self.contents: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        """The digests of the long texts, by what they are."""
        if not lean:
            self._keep("policy", self.policy)
            self._keep("guidelines", self.guidelines)
            self._keep("info", None if raw is None else _rest(raw))

    def _setup(self, who: Who, side: str) -> Setup:
        settings: dict[str, Json] = {}
        kind = _name(who.implementation)
        if kind is not None:
            settings["implementation"] = kind
        if who.llm_args is not None:
            settings["llm_args"] = without_secrets(who.llm_args)
        return Setup(_name(who.llm) or kind or f"{side} unknown", self.program, settings)

    def _keep(self, name: str, content: str | None) -> None:
        if content is not None:
            self.texts[name] = digest(content)
            self.contents[self.texts[name]] = content


def _name(value: Any) -> str | None:
    """A name as a text that is not empty, without the credentials of an address in it."""
    found = text(value)
    return None if found is None else without_credentials(found)


def _object(value: Any, kind: type[_S]) -> _S:
    """The part of an opening that this is, with nothing in it where it is no object."""
    return msgspec.convert(value if isinstance(value, dict) else {}, kind)


def _rest(raw: bytes | msgspec.Raw) -> str:
    """The whole of it as JSON text, without the two long texts that are kept apart."""
    info = msgspec.json.decode(raw)
    if isinstance(info, dict):
        for holder, name in (
            ("environment_info", "policy"),
            ("user_info", "global_simulation_guidelines"),
        ):
            inner = cast("dict[str, Any]", info).get(holder)
            if isinstance(inner, dict) and isinstance(cast("dict[str, Any]", inner).get(name), str):
                del inner[name]
    return spelled(without_secrets(info))


def spelled(value: Any) -> str:
    """A JSON value as text that is equal where the values are."""
    return msgspec.json.encode(value, order="sorted").decode()
