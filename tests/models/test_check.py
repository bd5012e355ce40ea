from __future__ import annotations

import asyncio

from msgspec.structs import replace

from ringback.episode.wire import Answer, Request
from ringback.models import CheckReport, Model, ModelEntry, ScriptModel, check, open_model
from ringback.models.script import ScriptCall, ScriptReply
from tests.models.backend import USAGE, Backend, Reply, completion

OSLO = ScriptCall("get_weather", {"city": "Oslo"})
BOTH = [("get_weather", '{"city": "Oslo"}'), ("get_weather", '{"city": "Bergen"}')]


def report(reply: Reply | dict[str, object], name: str = "openai:x") -> CheckReport:
    with Backend(reply) as backend:
        entry = ModelEntry(name, base_url=backend.url, settings={"max_retries": 0})
        return asyncio.run(check(open_model("m", {"m": entry})))


def held(found: CheckReport) -> dict[str, bool | None]:
    return {finding.what: finding.holds for finding in found.findings}


def test_a_model_that_can_do_it_all() -> None:
    found = report(completion(None, calls=BOTH, usage=USAGE))
    assert found.works
    assert held(found) == {
        "answers": True,
        "tools": True,
        "parallel calls": True,
        "seed": True,
        "usage": True,
        "price": False,
    }
    assert found.answered == "served"


def test_a_model_that_only_talks() -> None:
    found = report(completion("Sunny."))
    assert not found.works
    assert (held(found)["tools"], held(found)["usage"]) == (False, False)


def test_one_call_shows_nothing_about_parallel_ones() -> None:
    found = report(completion(None, calls=BOTH[:1]))
    assert found.works
    assert held(found)["parallel calls"] is None


def test_bad_arguments_are_no_working_tools() -> None:
    found = report(completion(None, calls=[("get_weather", '{"town": "Oslo"}')]))
    assert held(found)["tools"] is False


def test_no_answer_is_in_the_report_with_where_and_shows_nothing_else() -> None:
    with Backend(Reply({"error": {"message": "down"}}, 503)) as backend:
        entry = ModelEntry("openai:x", base_url=backend.url, settings={"max_retries": 0})
        found = asyncio.run(check(open_model("m", {"m": entry})))
    assert not found.works
    first, *rest = found.findings
    assert first.holds is False
    assert "down" in first.detail
    assert backend.url in first.detail
    assert {finding.holds for finding in rest} == {None}


def test_one_that_calls_no_tool_of_itself_can_be_a_customer_held_to_a_form() -> None:
    class Held(ScriptModel):
        @property
        def holds_form(self) -> bool:
            return True

        async def ask(self, request: Request, *, seconds: float) -> Answer:
            return replace(await super().ask(request, seconds=seconds), form_held=True)

    call = '{"call": "get_weather", "arguments": {"city": "Oslo"}}'

    def found_in(plain: str | ScriptReply, structured: str) -> CheckReport:
        return asyncio.run(check(Held(lambda request: structured if request.form else plain)))

    found = found_in("Sunny.", call)
    assert (found.works, found.fit_as) == (True, ("user",))
    assert held(found)["structured turns"] is True
    assert held(found)["tools"] is False
    broken = found_in("Sunny.", call[:-4])
    assert (broken.works, broken.fit_as) == (False, ())
    assert found_in(ScriptReply(None, (OSLO,)), call).fit_as == ("agent", "user")
    assert "structured turns" not in held(report(completion("Sunny.")))


def test_any_model_can_be_checked() -> None:
    model: Model = ScriptModel(["It rains."])
    found = asyncio.run(check(model))
    assert held(found)["seed"] is False
    assert held(found)["price"] is True
    assert found.fit_as == ()
