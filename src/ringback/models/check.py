"""A small real call or two, and what they show of a model.

An agent calls its tools natively. A customer does too, except where its model can be held to a
form: then its turns are structured, and a second call looks at those.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from ringback.canonical import Json
from ringback.domain import Side
from ringback.episode.wire import Answer, Asked, Message, Request, Text, ToolSpec
from ringback.models.protocol import Model

__all__ = ["CheckReport", "Finding", "check"]

_SECONDS = 120.0
_CITIES = ("Oslo", "Bergen")
_TOOL = ToolSpec(
    "get_weather",
    "The weather in a city now.",
    {
        "type": "object",
        "properties": {"city": {"type": "string", "description": "The city's name."}},
        "required": ["city"],
        "additionalProperties": False,
    },
)
_REQUEST = Request(
    system="You answer questions about the weather. You know it only from your tool.",
    messages=(
        Message(
            "user",
            (
                Text(
                    "What is the weather in Oslo, and what in Bergen? "
                    "Call the tool for both cities at once."
                ),
            ),
        ),
    ),
    tools=(_TOOL,),
    settings={"seed": 1, "max_tokens": 1000},
)
_STRUCTURED = Request(
    system=(
        "You answer questions about the weather. You know it only from your tool get_weather, "
        'which you call by answering with {"call": "get_weather", "arguments": {"city": "..."}}.'
    ),
    messages=(Message("user", (Text("What is the weather in Oslo?"),)),),
    settings={"seed": 1, "max_tokens": 100},
    form={
        "type": "object",
        "properties": {
            "call": {"const": _TOOL.name},
            "arguments": {
                "type": "object",
                "properties": {"city": {"type": "string", "minLength": 1, "maxLength": 40}},
                "required": ["city"],
                "additionalProperties": False,
            },
        },
        "required": ["call", "arguments"],
        "additionalProperties": False,
    },
)


class _Called(Struct):
    call: str
    arguments: Json


class Finding(Struct, frozen=True):
    """One thing looked at: `holds` is None where the call does not show it."""

    what: str
    holds: bool | None
    detail: str


class CheckReport(Struct, frozen=True):
    """What the calls showed; `answer` is the first one's."""

    name: str
    answered: str | None
    findings: tuple[Finding, ...]
    answer: Answer

    @property
    def fit_as(self) -> tuple[Side, ...]:
        """The sides that it can take.

        An agent has to call tools natively. A customer's turns are structured where its model can
        be held to a form; else it has to call tools natively as well.
        """
        held = {finding.what: finding.holds for finding in self.findings}
        if not held["answers"]:
            return ()
        agent: tuple[Side, ...] = ("agent",) if held["tools"] else ()
        user: tuple[Side, ...] = ("user",) if held.get("structured turns", held["tools"]) else ()
        return agent + user

    @property
    def works(self) -> bool:
        """Whether it is fit for either side."""
        return bool(self.fit_as)


async def check(model: Model, *, seconds: float = _SECONDS) -> CheckReport:
    """Ask the model with a tool, and again with a form if it can hold one; report what works.

    Raises what `Model.ask` raises; what goes wrong at the model is in the report.
    """
    answer = await model.ask(_REQUEST, seconds=seconds)
    findings = [_answers(answer, model), *_calls(answer)]
    if model.holds_form and answer.failure is None:
        findings.append(_structured(await model.ask(_STRUCTURED, seconds=seconds)))
    findings += [_seed(answer), *_counts(answer)]
    return CheckReport(model.name, answer.model, tuple(findings), answer)


def _answers(answer: Answer, model: Model) -> Finding:
    tries = len(answer.attempts) + (answer.failure is None)
    took = f"{answer.seconds:.1f} s" + (f", {tries} tries" if tries > 1 else "")
    if answer.failure is not None:
        endpoint = model.identity.get("endpoint")
        where = f" at {endpoint}" if endpoint and str(endpoint) not in str(answer.why) else ""
        return Finding("answers", False, f"{answer.failure}{where}: {answer.why} ({took})")
    return Finding("answers", True, f"{answer.model or 'a model without a name'} in {took}")


def _calls(answer: Answer) -> tuple[Finding, Finding]:
    if answer.message is None:
        return Finding("tools", None, "no reply"), Finding("parallel calls", None, "no reply")
    calls = [part for part in answer.message.parts if isinstance(part, Asked)]
    good = [call for call in calls if call.tool == _TOOL.name and _city(call.arguments)]
    if not calls:
        tools = Finding("tools", False, "it did not call the tool")
    elif len(good) < len(calls):
        bad = next(call for call in calls if call not in good)
        tools = Finding("tools", False, f"it called {bad.tool} with {bad.arguments!r}"[:200])
    else:
        tools = Finding("tools", True, "it called the tool with valid arguments")
    if len(good) >= len(_CITIES):
        return tools, Finding("parallel calls", True, f"{len(good)} in one reply")
    return tools, Finding("parallel calls", None, f"{len(good)} in one reply, two were asked for")


def _structured(answer: Answer) -> Finding:
    what = "structured turns"
    if answer.message is None:
        return Finding(what, False, f"{answer.failure}: {answer.why}")
    if not answer.form_held:
        return Finding(what, False, answer.dropped.get("form", "it was not held to the form"))
    text = "".join(part.text for part in answer.message.parts if isinstance(part, Text))
    try:
        called = msgspec.json.decode(text.encode("utf-8", "replace"), type=_Called)
    except msgspec.DecodeError:
        return Finding(what, False, f"it did not keep to the form: {text!r}"[:200])
    holds = called.call == _TOOL.name and _city(called.arguments)
    return Finding(what, holds, f"held to a form, it answered {text}"[:200])


def _city(arguments: Json) -> bool:
    return isinstance(arguments, dict) and isinstance(arguments.get("city"), str)


def _seed(answer: Answer) -> Finding:
    if answer.failure is not None:
        return Finding("seed", None, "no reply")
    if "seed" in answer.sent:
        return Finding("seed", True, "it is sent one; whether it keeps to it is another matter")
    return Finding("seed", False, answer.dropped.get("seed", "it is not sent one"))


def _counts(answer: Answer) -> tuple[Finding, Finding]:
    if answer.failure is not None:
        return Finding("usage", None, "no reply"), Finding("price", None, "no reply")
    usage = answer.usage
    if usage.input is None or usage.output is None:
        counted = Finding("usage", False, "it does not say how many tokens it used")
    else:
        more = [
            f"{count} {word}"
            for count, word in ((usage.cached, "cached"), (usage.reasoning, "of reasoning"))
            if count is not None
        ]
        text = f"{usage.input} tokens in, {usage.output} out"
        counted = Finding("usage", True, f"{text} ({', '.join(more)})" if more else text)
    usd = answer.price.usd
    if usd is None:
        return counted, Finding("price", False, f"unknown: {answer.price.source}")
    return counted, Finding("price", True, f"{usd:.6f} USD ({answer.price.source})")
