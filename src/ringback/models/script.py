"""A model that says what it was told to: for tests, examples and a first look."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias, cast

import msgspec
from msgspec import Struct

from ringback.canonical import Json, digest
from ringback.episode.wire import (
    Answer,
    Asked,
    Attempt,
    Failure,
    Message,
    Part,
    Price,
    Request,
    Text,
    Thought,
    Usage,
)
from ringback.errors import InputError

__all__ = ["ScriptCall", "ScriptModel", "ScriptReply", "read_script"]

_PROVIDER = "script"
_LONGEST = 64 * 2**20


class ScriptCall(Struct, frozen=True, forbid_unknown_fields=True):
    """A tool call of a scripted reply; `arguments` may be text that is no valid JSON object."""

    tool: str
    arguments: Json = msgspec.field(default_factory=dict[str, Json])


class ScriptReply(Struct, frozen=True, forbid_unknown_fields=True):
    """A scripted reply: words, calls, reasoning, or the failure that comes instead."""

    text: str | None = None
    calls: tuple[ScriptCall, ...] = ()
    thought: str | None = None
    failure: Failure | None = None


Said: TypeAlias = str | ScriptReply | Message
Script: TypeAlias = Callable[[Request], Said] | Sequence[Said]


class ScriptModel:
    """Answers from a function of the request, or from a list of replies.

    From a list it gives reply n to a request in whose messages n of its replies stand, so that it
    needs no memory: any number of episodes can share it, and a resumed one goes on where it was.
    Costs nothing, takes no time that counts, counts no tokens, takes no settings.
    """

    def __init__(self, script: Script, name: str = "script:in-process") -> None:
        self._script = script
        self._name = name

    @property
    def name(self) -> str:
        """The name as asked for."""
        return self._name

    @property
    def identity(self) -> dict[str, Json]:
        """The name, and the digest of the replies where they are a list."""
        found: dict[str, Json] = {"model": self._name}
        if not callable(self._script):
            found["script"] = digest(list(self._script))
        return found

    @property
    def steady(self) -> bool:
        """Whether equal conversations get equal replies: from a list they do."""
        return not callable(self._script)

    @property
    def holds_form(self) -> bool:
        """False: a script says what it says."""
        return False

    async def ask(self, request: Request, *, seconds: float) -> Answer:  # noqa: ARG002
        """The scripted answer; a list that is at its end has the failure ``rejected``."""
        said = self._next(request)
        failure, why = None, None
        if isinstance(said, ScriptReply) and said.failure is not None:
            failure, why = said.failure, f"The script has a failure here: {said.failure}."
        elif said is None:
            failure, why = cast("Failure", "rejected"), "The script has no more replies."
        return Answer(
            message=None if failure else _message(cast("Said", said), request),
            model=self._name,
            seconds=0.0,
            usage=Usage(),
            price=Price(0.0, "a script, nothing is charged"),
            failure=failure,
            why=why,
            dropped=dict.fromkeys(request.settings, "a script takes no settings"),
            attempts=(Attempt(failure, why or "", 0.0),) if failure else (),
        )

    def _next(self, request: Request) -> Said | None:
        if callable(self._script):
            return self._script(request)
        done = sum(message.provider == _PROVIDER for message in request.messages)
        return self._script[done] if done < len(self._script) else None


def _message(said: Said, request: Request) -> Message:
    if isinstance(said, Message):
        return msgspec.structs.replace(said, role="assistant", provider=_PROVIDER)
    if isinstance(said, str):
        said = ScriptReply(said)
    number = sum(message.role == "assistant" for message in request.messages)
    parts: list[Part] = []
    if said.thought is not None:
        parts.append(Thought(said.thought))
    if said.text is not None:
        parts.append(Text(said.text))
    for index, call in enumerate(said.calls):
        parts.append(Asked(call.tool, call.arguments, f"script-{number}-{index}"))
    return Message("assistant", tuple(parts), _PROVIDER)


def read_script(path: Path) -> list[str | ScriptReply]:
    """The replies in a JSON file: a list of texts and of objects like `ScriptReply`.

    Raises `InputError`, naming the place, if there is none.
    """
    try:
        with path.open("rb") as file:
            text = file.read(_LONGEST + 1)
    except (OSError, ValueError) as problem:
        why = (isinstance(problem, OSError) and problem.strerror) or str(problem)
        raise InputError(f"The script {path} cannot be read ({why}); check the path.") from None
    if len(text) > _LONGEST:
        raise InputError(
            f"The script {path} is longer than {_LONGEST // 2**20} MiB; take a shorter one."
        )
    try:
        replies = msgspec.json.decode(text, type=list[str | ScriptReply])
        digest(replies)  # what cannot be read or written again is found here
    except (msgspec.DecodeError, UnicodeError, RecursionError, TypeError) as problem:
        deep = isinstance(problem, RecursionError)
        why = "it nests too deeply" if deep else str(problem)
        raise InputError(
            f"The script {path} is no list of replies: {why}; write a JSON list of texts and "
            'of objects such as {"calls": [{"tool": "get_details_by_id", "arguments": {}}]}.'
        ) from None
    return replies
