"""Settings of a model, from whoever they come: known by name and of the right kind, or refused."""

from __future__ import annotations

from typing import Literal

import pytest

from ringback.canonical import Json
from ringback.errors import InputError
from ringback.models import ScriptModel
from ringback.models.settings import Asking, check_settings, settled


class Chatty(Asking, frozen=True, forbid_unknown_fields=True):
    mood: Literal["glad", "sad"] = "glad"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"temprature": 0}, r"'temprature' of the agent \(did you mean temperature\?\)"),
        ({"Temperature": 0}, "did you mean temperature"),
        ({"nucleus": 0.5}, "'nucleus' of the agent; .* goes into extra_body, a table"),
        ({"threads": 2}, "No model takes the setting 'threads'"),  # it is opened with them
        ({"openai_reasoning_efort": "low"}, "did you mean openai_reasoning_effort"),
        ({"temperature": "hot"}, "Setting temperature of the agent is 'hot'; give a number"),
        ({"temperature": True}, "give a number"),
        ({"max_tokens": 2.5}, "give a whole number"),
        ({"parallel_tool_calls": 1}, "give true or false"),
        ({"stop_sequences": "x"}, "give a list of texts"),
        ({"extra_body": 3}, "give a table"),
        ({"timeout": 0}, "more than 0"),
        ({"max_retries": "many"}, "give 0 or more"),
    ],
)
def test_what_no_model_takes_is_refused(settings: dict[str, Json], said: str) -> None:
    with pytest.raises(InputError, match=said):
        check_settings(settings, "the agent")


def test_what_some_model_takes_is_taken() -> None:
    known: dict[str, Json] = {
        "temperature": 0,
        "top_k": 4,
        "tool_choice": "auto",
        "thinking": "high",
        "timeout": 2.5,
        "openai_reasoning_effort": "low",
        "extra_body": {"nucleus": 0.5},
    }
    check_settings(known, "the agent")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"mode": "sad"}, r"The agent x has no setting 'mode'; did you mean m"),
        ({"zest": 1}, "choose from .*mood"),
        ({"mood": "sloppy"}, "mood is one of glad, sad"),
        ({"seed": 3}, "Expected `bool`, got `int` at seed"),
        ({"model": {"temprature": 0}}, "did you mean temperature"),
        ({"identity": {"model": "other"}}, "not the model that was planned with"),
    ],
)
def test_a_participants_settings_name_what_there_is(given: dict[str, Json], said: str) -> None:
    with pytest.raises(InputError, match=said):
        settled(Chatty, ScriptModel(["Hello."]), given, "agent x")


def test_settings_in_effect_settle_again() -> None:
    model = ScriptModel(["Hello."])
    found = settled(Chatty, model, {"mood": "sad", "model": {"temperature": 0}}, "agent x")
    assert (found.mood, found.identity) == ("sad", model.identity)
