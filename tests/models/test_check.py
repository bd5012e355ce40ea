from __future__ import annotations

import asyncio

from ringback.models import CheckReport, Model, ModelEntry, ScriptModel, check, open_model
from tests.models.backend import USAGE, Backend, Reply, completion

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


def test_no_answer_is_in_the_report() -> None:
    found = report(Reply({"error": {"message": "down"}}, 503))
    assert not found.works
    assert held(found)["tools"] is None
    assert "down" in found.findings[0].detail


def test_any_model_can_be_checked() -> None:
    model: Model = ScriptModel(["It rains."])
    found = asyncio.run(check(model))
    assert held(found)["seed"] is False
    assert held(found)["price"] is True
