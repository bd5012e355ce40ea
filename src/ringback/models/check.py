"""One small real call, and what it shows of a model."""

from __future__ import annotations

from msgspec import Struct

from ringback.canonical import Json
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


class Finding(Struct, frozen=True):
    """One thing looked at: `holds` is None where the call does not show it."""

    what: str
    holds: bool | None
    detail: str


class CheckReport(Struct, frozen=True):
    """What a call showed. `works` says whether the model answered and can call a tool."""

    name: str
    answered: str | None
    findings: tuple[Finding, ...]
    answer: Answer

    @property
    def works(self) -> bool:
        """Whether it answered and called the tool as it should."""
        return all(
            finding.holds for finding in self.findings if finding.what in ("answers", "tools")
        )


async def check(model: Model, *, seconds: float = _SECONDS) -> CheckReport:
    """Ask the model once, with a tool, and report what works.

    Raises what `Model.ask` raises; what goes wrong at the model is in the report.
    """
    answer = await model.ask(_REQUEST, seconds=seconds)
    findings = (_answers(answer), *_calls(answer), _seed(answer), *_counts(answer))
    return CheckReport(model.name, answer.model, findings, answer)


def _answers(answer: Answer) -> Finding:
    tries = len(answer.attempts) + (answer.failure is None)
    took = f"{answer.seconds:.1f} s" + (f", {tries} tries" if tries > 1 else "")
    if answer.failure is not None:
        return Finding("answers", False, f"{answer.failure}: {answer.why} ({took})")
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


def _city(arguments: Json) -> bool:
    return isinstance(arguments, dict) and isinstance(arguments.get("city"), str)


def _seed(answer: Answer) -> Finding:
    if "seed" in answer.sent:
        return Finding("seed", True, "it is sent one; whether it keeps to it is another matter")
    return Finding("seed", False, answer.dropped.get("seed", "it is not sent one"))


def _counts(answer: Answer) -> tuple[Finding, Finding]:
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
