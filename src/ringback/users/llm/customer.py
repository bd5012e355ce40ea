"""One customer on the line that is a model.

What it does next follows from the end of its view: nothing of its own there, or a nudge, and the
model is asked; an answer, and it is looked at; a rejection, and the model is told, or the turn is
taken all the same. One side event at a time, so that whatever was recorded is gone on from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ringback.canonical import Json
from ringback.domain import Scenario
from ringback.episode.events import ModelCall, Nudge, Rejected, Setup
from ringback.episode.participants import Aside, ParticipantFailure, Reply, UserBrief, View, Visible
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
from ringback.users.guard import Candidate, Finding, Known, inspect
from ringback.users.guard.endings import mended
from ringback.users.llm.form import KEYS, form_of, listed, read_form
from ringback.users.llm.instructions import FORM
from ringback.users.llm.settings import LlmUserSettings, settled

__all__ = ["LlmUser"]

VERSION = "2"
"""Changes whenever the same model's same answers may make other turns; the guard's rules count."""

_AGAIN = "A reply of yours was held back; the agent has not heard it. Reply again as the customer."
_MENDED = frozenset({"malformed_marker", "farewell_without_marker"})
_NEVER_TAKEN = frozenset({"empty"})


class _Judged(Struct, frozen=True):
    """A reply as it would be taken, what there is against it, and what was mended in it."""

    taken: Candidate
    findings: tuple[Finding, ...] = ()
    mended: tuple[str, ...] = ()

    @property
    def rules(self) -> tuple[str, ...]:
        return (*(finding.rule for finding in self.findings), *self.mended)

    @property
    def rule(self) -> str | None:
        """What the turn says about itself."""
        against = [finding.rule for finding in self.findings]
        parts = [("accepted", against), ("normalized", self.mended)]
        return "; ".join(f"{word}: {', '.join(names)}" for word, names in parts if names) or None


class _Customer(Struct, frozen=True):
    keeps_time: ClassVar[bool] = True
    model: Model
    scenario: Scenario
    system: str
    tools: tuple[ToolSpec, ...]
    form: Json
    settings: LlmUserSettings

    async def act(self, view: View, random: Stream) -> Reply | Aside:
        """The turn that stands at the end of the view, or what has to be recorded before it."""
        tail = open_part(view)
        match tail[-1] if tail else None:
            case ModelCall() as call:
                return self._look_at(call, view, tail)
            case Rejected() as rejected if rejected.accepted:
                judged = self._judge(_answered(tail), view)
                return _reply(judged)
            case Rejected() as rejected:
                return self._tell(rejected, view, tail)
            case _:
                return await ask(self.model, view, self._request(view, random))

    def _request(self, view: View, random: Stream) -> Request:
        names = KEYS if self.settings.structured else None
        return Request(
            system=self.system,
            messages=conversation(view, view.greeting, names),
            tools=self.tools,
            settings=sent_with(self.settings, view, random),
            form=self.form,
        )

    def _look_at(self, call: ModelCall, view: View, tail: Sequence[Visible]) -> Reply | Aside:
        judged = self._judge(call, view)
        if not judged.rules:
            return _reply(judged)
        return Aside(
            (
                Rejected(
                    seq=view.seq,
                    cause=call.seq,
                    by=view.side,
                    rules=judged.rules,
                    text=_spelled(self._candidate(call)),
                    accepted=self._accepts(judged, tail),
                ),
            )
        )

    def _accepts(self, judged: _Judged, tail: Sequence[Visible]) -> bool:
        rules = {finding.rule for finding in judged.findings}
        if rules & _NEVER_TAKEN:
            return False
        if not rules or self.settings.guard == "record":
            return True
        return _rejections(tail) >= self.settings.retries and (
            self.settings.on_exhausted == "accept"
        )

    def _tell(self, rejected: Rejected, view: View, tail: Sequence[Visible]) -> Aside:
        retries = self.settings.retries if self.settings.guard == "correct" else 0
        if _rejections(tail) > retries:
            rule = "empty_reply" if {*rejected.rules} & _NEVER_TAKEN else "guard"
            raise ParticipantFailure(
                rule, f"The customer's model did not stay a customer: {', '.join(rejected.rules)}."
            )
        call = _answered(tail)
        advice = [finding.advice for finding in self._judge(call, view).findings]
        text = "\n".join([_AGAIN, *advice])
        return Aside((Nudge(seq=view.seq, cause=call.seq, by=view.side, text=text),))

    def _judge(self, call: ModelCall, view: View) -> _Judged:
        said = self._candidate(call)
        if self.settings.guard == "off":
            return _Judged(said)
        known = Known.of(view, self.scenario)
        findings = inspect(said, known)
        if not self.settings.normalize:
            return _Judged(said, findings)
        against = tuple(finding for finding in findings if finding.rule not in _MENDED)
        mends = tuple(finding.rule for finding in findings if finding.rule in _MENDED)
        if not mends or said.text is None:
            return _Judged(said, findings)
        taken = replace(said, text=mended(said.text, known))
        found = {finding.rule for finding in against}
        late = [item for item in inspect(taken, known) if item.rule not in found | _MENDED]
        return _Judged(taken, (*against, *late), mends)

    def _candidate(self, call: ModelCall) -> Candidate:
        message = message_of(call.answer)
        if self.settings.structured:
            text = spoken(message)
            return read_form(text) if text else Candidate(None)
        return Candidate(spoken(message) or None, calls_in(message))


def _reply(judged: _Judged) -> Reply:
    return Reply(judged.taken.text, judged.taken.calls, judged.rule)


def _answered(tail: Sequence[Visible]) -> ModelCall:
    return next(event for event in reversed(tail) if isinstance(event, ModelCall))


def _rejections(tail: Sequence[Visible]) -> int:
    return sum(isinstance(event, Rejected) and not event.accepted for event in tail)


def _spelled(candidate: Candidate) -> str | None:
    if not candidate.calls:
        return candidate.text
    return msgspec.json.encode([[call.tool, call.arguments] for call in candidate.calls]).decode()


class LlmUser:
    """A model as a user simulator."""

    def __init__(self, model: Model, settings: Mapping[str, Json]) -> None:
        """Raises `InputError` for a setting that is not known or not usable."""
        self.models = (model,)
        self._model = model
        self._settings = settled(model, settings)

    @property
    def deterministic(self) -> bool:
        """True only for a model that is known to repeat itself, such as a list of replies."""
        return is_steady(self._model)

    @property
    def setup(self) -> Setup:
        """The model's name, this simulator's version, every setting in effect."""
        return Setup(self._model.name, VERSION, msgspec.to_builtins(self._settings))

    def take(self, brief: UserBrief) -> _Customer:
        """A customer for one episode."""
        settings = self._settings
        parts = [settings.instructions]
        tools: tuple[ToolSpec, ...] = ()
        form: Json = None
        if settings.structured:
            parts.append(FORM + listed(brief.tools))
            form = form_of(brief.tools)
        else:
            tools = specs(brief.tools)
        parts.append(f"# Who you are\n\n{brief.scenario.text}")
        parts.append(settings.instructions_append or "")
        system = "\n\n".join(part.strip() for part in parts if part)
        return _Customer(self._model, brief.scenario, system, tools, form, settings)
