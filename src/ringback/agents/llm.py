"""A model as the support agent: our short instructions, the policy, the tools, nothing hidden."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import msgspec
from msgspec import Struct

from ringback.canonical import Json
from ringback.episode.events import ModelCall, Nudge, Setup
from ringback.episode.participants import AgentBrief, Aside, ParticipantFailure, Reply, View
from ringback.episode.seeds import Stream
from ringback.episode.wire import Request, ToolSpec
from ringback.models.dialogue import (
    ask,
    calls_in,
    conversation,
    message_of,
    open_part,
    sent_with,
    specs,
    spoken,
)
from ringback.models.protocol import Model, is_steady
from ringback.models.settings import Asking, settled

__all__ = ["INSTRUCTIONS", "NUDGE", "LlmAgent", "LlmSettings", "system_text"]

VERSION = "2"
"""Changes whenever the same model's same answers may make other turns."""

INSTRUCTIONS = """\
You are the support agent on a call. The customer reads what you write, as you write it.

- Each turn of yours is either a message to the customer or calls of your tools, not both.
- Several tool calls in one turn are run in the order you give them, and you see every result before
  your next turn.
- A tool that answers with an error has changed nothing. Read the error before you try again.
- Say what you found and did, and only that. Never invent a result.
- Follow the policy below. Where it and a wish of the customer differ, the policy decides."""
"""What every model is told before the policy; nothing of it is about one kind of support."""

NUDGE = (
    "Your last reply held neither a message nor a tool call. Write a message to the customer or "
    "call a tool."
)
"""What a model is told, once, after a reply with nothing in it."""


class LlmSettings(Asking, frozen=True, forbid_unknown_fields=True):
    """The settings of a model as an agent: those of `Asking`, `instructions` before the policy."""

    instructions: str = INSTRUCTIONS


def system_text(instructions: str, policy: str, append: str | None) -> str:
    """All that a model is told, up to the agent's opening words, which end it."""
    parts = (instructions, policy, append)
    system = "\n\n".join(part.strip() for part in parts if part)
    return f"{system}\n\n# How the call began\n\nYou answered it: "


class _Playing(Struct, frozen=True):
    """One agent on the line."""

    keeps_time: ClassVar[bool] = True

    model: Model
    system: str
    tools: tuple[ToolSpec, ...]
    settings: LlmSettings

    async def act(self, view: View, random: Stream) -> Reply | Aside:
        """The turn that the last answer makes, or the next request to the model."""
        tail = open_part(view)
        last = tail[-1] if tail else None
        if not isinstance(last, ModelCall):
            return await ask(self.model, view, self._request(view, random))
        message = message_of(last.answer)
        text, calls = spoken(message), calls_in(message)
        if text or calls:
            return Reply(text or None, calls)
        if any(isinstance(event, Nudge) for event in tail):
            raise ParticipantFailure(
                "empty_reply", "The model replied with nothing, and again after it was told so."
            )
        return Aside((Nudge(seq=view.seq, cause=last.seq, by=view.side, text=NUDGE),))

    def _request(self, view: View, random: Stream) -> Request:
        return Request(
            system=f"{self.system}{view.greeting}",
            messages=conversation(view),
            tools=self.tools,
            settings=sent_with(self.settings, view, random),
        )


class LlmAgent:
    """A model as an agent."""

    reads_policy = True
    floor = False

    def __init__(self, model: Model, settings: Mapping[str, Json]) -> None:
        """Raises `InputError` for a setting that is not known or not usable."""
        self.models = (model,)
        self._model = model
        self._settings = settled(LlmSettings, model, settings, f"agent {model.name}")

    @property
    def deterministic(self) -> bool:
        """True only for a model that is known to repeat itself, such as a list of replies."""
        return is_steady(self._model)

    @property
    def setup(self) -> Setup:
        """The model's name, the harness's version, every setting in effect."""
        return Setup(self._model.name, VERSION, msgspec.to_builtins(self._settings))

    def take(self, brief: AgentBrief) -> _Playing:
        """An agent for one episode."""
        settings = self._settings
        system = system_text(settings.instructions, brief.policy, settings.instructions_append)
        return _Playing(self._model, system, specs(brief.tools), settings)
