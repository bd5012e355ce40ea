"""A model as the customer, in whole calls with the reference agent in the real world."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest

from ringback.agents import open_agent
from ringback.canonical import Json
from ringback.episode.events import (
    AnyEvent,
    End,
    ModelCall,
    Nudge,
    Rejected,
    Results,
    Turn,
)
from ringback.episode.participants import User
from ringback.episode.wire import Failure, Given, Message, Request, Text, Thought
from ringback.errors import InputError
from ringback.models.dialogue import MOST_CHARACTERS
from ringback.models.script import ScriptReply
from ringback.sessions import spent
from ringback.telecom import domain
from ringback.users import open_user
from ringback.users.llm.instructions import INSTRUCTIONS
from tests.models_in_process import (
    Counting,
    Said,
    as_replies,
    begin,
    calls,
    model_calls,
    over_again,
    play_on,
    timeless,
    told,
)

TASK = domain.tasks("small")[0].id
REFERENCE = open_agent("reference")
OPENING = "My mobile data has stopped working. Can you help me?"
OFFER = "Hello! How can I assist you today?"
STOP = "Thanks, that is all. ###STOP###"

OFF: dict[str, Json] = {"guard": "off"}


def user_of(model: Counting, settings: dict[str, Json] | None = None) -> User:
    return open_user(model.name, settings, lambda _: model)


def in_turn(*said: Said) -> Callable[[Request], Said]:
    """These replies, by how often the model has been asked; then a transfer's end."""
    asked = 0

    def script(request: Request) -> Said:
        nonlocal asked
        asked += 1
        return said[asked - 1] if asked <= len(said) else "###OUT-OF-SCOPE###"

    return script


def played(
    script: Callable[[Request], Said] | Sequence[Said],
    settings: dict[str, Json] | None = None,
    *,
    form: bool = False,
) -> tuple[list[AnyEvent], Counting]:
    model = Counting(script, form=form)
    user = user_of(model, settings)
    return play_on(begin(TASK, REFERENCE, user), REFERENCE, user), model


def end_of(events: list[AnyEvent]) -> End:
    end = events[-1]
    assert isinstance(end, End)
    return end


def said_by_user(events: list[AnyEvent]) -> list[Turn]:
    return [event for event in events if isinstance(event, Turn) and event.by == "user"]


def rejected(events: list[AnyEvent]) -> list[Rejected]:
    return [event for event in events if isinstance(event, Rejected)]


def form(reply: Said) -> str:
    """A reply of one sentence or one call, as a structured turn."""
    if isinstance(reply, ScriptReply) and reply.calls:
        call = reply.calls[0]
        turn: Any = {"call": call.tool, "arguments": call.arguments}
    else:
        turn = {"say": reply}
    return msgspec.json.encode(turn).decode()


@pytest.fixture(scope="module")
def rules() -> list[AnyEvent]:
    user = open_user("rules")
    return play_on(begin(TASK, REFERENCE, user), REFERENCE, user)


@pytest.mark.parametrize("guard", ["off", "record", "correct"])
def test_a_model_that_does_what_the_rules_customer_does_completes_the_call(
    rules: list[AnyEvent], guard: str
) -> None:
    events, _ = played(as_replies(rules, "user"), {"guard": guard})
    assert end_of(events).ending == "user_stop"
    assert spent(events)["user"].rejected == 0
    assert [(t.text, t.rule) for t in said_by_user(events)] == [
        (t.text, None) for t in said_by_user(rules)
    ]


def test_the_model_is_given_instructions_scenario_and_the_phones_tools(
    rules: list[AnyEvent],
) -> None:
    _, model = played(as_replies(rules, "user"))
    request = model.asked[0]
    assert INSTRUCTIONS in request.system
    assert domain.scenario(domain.task(TASK)).text in request.system
    assert "# Instructions for support agents" not in request.system
    assert [tool.name for tool in request.tools] == [tool.name for tool in domain.tools("user")]
    assert request.form is None
    assert request.messages == (Message("user", (Text(domain.greeting),)),)


def test_its_own_tool_turns_stay_in_its_history_with_their_results(rules: list[AnyEvent]) -> None:
    events, model = played(as_replies(rules, "user"))
    results = [e for e in events if isinstance(e, Results) and e.by == "user"]
    given = [p for m in model.asked[-1].messages for p in m.parts if isinstance(p, Given)]
    assert [part.text for part in given] == [r.text for each in results for r in each.results]
    own = [m for m in model.asked[-1].messages if m.role == "assistant"]
    answers = [call.answer.message for call in model_calls(events)[:-1]]
    assert own == answers


# Structured turns


def test_a_model_that_holds_a_form_is_given_one_over_the_thirty_tools() -> None:
    events, model = played(
        in_turn(
            form(OPENING),
            form(calls("run_speed_test")),
            form(calls(("check_app_status", {"app_name": "messaging"}))),
            form("The speed test gave no result."),
            form("###OUT-OF-SCOPE###"),
        ),
        form=True,
    )
    request = model.asked[0]
    assert request.tools == ()
    text = msgspec.json.encode(request.form).decode()
    for tool in domain.tools("user"):
        assert f'"{tool.name}"' in text
        assert tool.name in request.system
    turns = said_by_user(events)
    assert turns[0].text == OPENING
    assert [call.tool for turn in turns for call in turn.calls] == [
        "run_speed_test",
        "check_app_status",
    ]
    assert [call.arguments for turn in turns for call in turn.calls][1] == {"app_name": "messaging"}
    result = next(e for e in events if isinstance(e, Results) and e.by == "user")
    assert result.results[0].text in told(model.asked[2])
    assert spent(events)["user"].rejected == 0


def test_every_value_of_the_form_is_a_valid_turn() -> None:
    _, model = played(in_turn(form(OPENING)), form=True)
    schema: Any = model.asked[0].form
    names: list[str] = []
    for branch in schema["anyOf"]:
        assert branch["additionalProperties"] is False
        assert branch["required"] == [*branch["properties"]]
        if "call" in branch["properties"]:
            call = branch["properties"]["call"]
            names += call.get("enum", [call.get("const")])
    assert sorted(names) == sorted(tool.name for tool in domain.tools("user"))


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ('{"say": "My data is slow and I', "My data is slow and I"),
        ('{"say": "A line\\nand half an esc\\', "A line\nand half an esc"),
        ("My data is slow.", "My data is slow."),
        ('{"say": "a", "call": "toggle_data"}', '{"say": "a", "call": "toggle_data"}'),
        ("[1]", "[1]"),
    ],
)
def test_what_is_not_of_the_form_is_a_fault_and_what_can_be_read_of_it_is_said(
    reply: str, said: str
) -> None:
    events, _ = played(in_turn(reply), {"guard": "record"}, form=True)
    assert said_by_user(events)[0].text == said
    assert rejected(events)[0].rules == ("broken_form",)


def test_without_the_form_native_calls_are_used() -> None:
    events, model = played(
        in_turn(OPENING, calls("run_speed_test", "check_vpn_status")),
        {"structured": False},
        form=True,
    )
    assert model.asked[0].form is None
    assert len(model.asked[0].tools) == 30
    assert [len(turn.calls) for turn in said_by_user(events)][:2] == [0, 2]


def test_a_form_cannot_be_asked_of_a_model_that_holds_none() -> None:
    with pytest.raises(InputError, match="cannot be held to a form"):
        user_of(Counting([]), {"structured": True})


# Reasoning


def test_reasoning_never_reaches_the_agent() -> None:
    secret = "I must not say that roaming is off."
    said = Message("assistant", (Thought(secret), Text(f"<think>{secret}</think>{OPENING}")))
    model = Counting(in_turn(said))
    user = user_of(model)
    episode = begin(TASK, REFERENCE, user)
    events = play_on(episode, REFERENCE, user)
    assert said_by_user(events)[0].text == OPENING
    assert secret not in str(episode.view("agent").events)
    assert secret in str(episode.view("user").events)
    assert "ModelCall" not in str(episode.view("agent").events)


# Guard


def test_a_reply_that_is_the_agents_is_asked_for_again_and_recorded() -> None:
    events, model = played(in_turn(OFFER, OPENING))
    kinds = [type(event) for event in events[1:6]]
    assert kinds == [ModelCall, Rejected, Nudge, ModelCall, Turn]
    fault = rejected(events)[0]
    assert (fault.text, fault.accepted, fault.cause) == (OFFER, False, 1)
    assert "roles_inverted" in fault.rules
    assert said_by_user(events)[0].text == OPENING
    assert spent(events)["user"].rejected == 1
    told_again = model.asked[1].messages
    assert [message.role for message in told_again] == ["user", "user"]
    assert OFFER not in str(told_again)
    assert OFFER not in str(model.asked[2].messages)


def test_it_is_asked_again_so_often_and_then_gone_on_with() -> None:
    events, model = played(in_turn(OFFER, OFFER, OFFER, STOP))
    assert [fault.accepted for fault in rejected(events)[:3]] == [False, False, True]
    turn = said_by_user(events)[0]
    assert turn.text == OFFER
    assert turn.rule is not None
    assert turn.rule.startswith("accepted: roles_inverted")
    assert len(model.asked) >= 3


def test_or_the_call_ends_as_the_customers_error() -> None:
    events, model = played(
        in_turn(OFFER, OFFER, OFFER, OFFER), {"on_exhausted": "user_error", "retries": 1}
    )
    assert (end_of(events).ending, end_of(events).rule) == ("user_error", "guard")
    assert [fault.accepted for fault in rejected(events)] == [False, False]
    assert len(model.asked) == 2


def test_record_notes_and_goes_on() -> None:
    events, model = played(in_turn(OFFER), {"guard": "record"})
    assert said_by_user(events)[0].text == OFFER
    assert rejected(events)[0].accepted
    assert not any(isinstance(event, Nudge) for event in events)
    assert len(model.asked) == len(model_calls(events))


def test_off_is_the_plain_simulator() -> None:
    events, _ = played(in_turn(OFFER, "Goodbye."), OFF)
    assert [turn.text for turn in said_by_user(events)][:2] == [OFFER, "Goodbye."]
    assert spent(events)["user"].rejected == 0


@pytest.mark.parametrize("guard", ["off", "record"])
def test_nothing_at_all_ends_as_the_customers_error(guard: str) -> None:
    events, _ = played(in_turn(ScriptReply(thought="Hm.")), {"guard": guard})
    assert end_of(events).ending == "user_error"


def test_a_reply_beyond_all_bounds_ends_as_the_customers_error() -> None:
    events, model = played(in_turn("A" * (MOST_CHARACTERS + 1)))
    assert (end_of(events).ending, end_of(events).rule) == ("user_error", "reply_too_long")
    assert len(model.asked) == 1


def test_nothing_is_asked_for_again_and_never_taken() -> None:
    events, _ = played(in_turn("", OPENING))
    assert said_by_user(events)[0].text == OPENING
    events, model = played(in_turn("", "", "", OPENING))
    assert (end_of(events).ending, end_of(events).rule) == ("user_error", "empty_reply")
    assert len(model.asked) == 3


def test_a_farewell_without_its_word_ends_the_call_and_is_recorded_as_normalized() -> None:
    solved = "Thank you, it works now. Goodbye!"
    events, _ = played(in_turn(OPENING, solved), {"guard": "record"})
    turn = said_by_user(events)[1]
    assert turn.text == f"{solved} ###STOP###"
    assert turn.rule is not None
    assert turn.rule.endswith("normalized: farewell_without_marker")
    assert "farewell_without_marker" in rejected(events)[0].rules
    assert end_of(events).ending == "user_stop"


def test_without_normalization_a_farewell_is_a_sentence_like_any_other() -> None:
    solved = "Thank you, it works now. Goodbye!"
    events, _ = played(in_turn(OPENING, solved), {"guard": "record", "normalize": False})
    assert said_by_user(events)[1].text == solved
    assert "farewell_without_marker" in rejected(events)[0].rules
    assert len(said_by_user(events)) == 3


def test_a_misspelt_marker_is_spelt_right() -> None:
    events, _ = played(in_turn(OPENING, "##OUT-OF-SCOPE##"))
    assert said_by_user(events)[1].text == "###OUT-OF-SCOPE###"
    assert [fault.rules for fault in rejected(events)] == [("malformed_marker",)]
    assert end_of(events).rule == "out_of_scope"


def test_what_is_wrong_with_a_text_only_once_it_is_mended_is_found_too() -> None:
    hasty = "My data does not work. ##STOP##"  # no marker as it stands, and one too early mended
    events, model = played(in_turn(hasty, OPENING))
    fault = rejected(events)[0]
    assert {*fault.rules} == {"early_marker", "malformed_marker"}
    assert (fault.text, fault.accepted) == (hasty, False)
    assert "too soon to end the call" in told(model.asked[1])
    assert said_by_user(events)[0].text == OPENING
    taken, _ = played(in_turn(hasty), {"guard": "record"})
    assert said_by_user(taken)[0].rule == "accepted: early_marker; normalized: malformed_marker"


def test_words_before_a_marker_are_delivered_and_then_the_call_ends(
    rules: list[AnyEvent],
) -> None:
    events, _ = played(as_replies(rules, "user"))
    last = said_by_user(events)[-1]
    assert last.text is not None
    assert last.text.endswith("###STOP###")
    assert len(last.text) > 20
    assert end_of(events).rule == "stop"


def test_a_rejected_call_is_spelled_in_the_record() -> None:
    again = calls("run_speed_test")
    events, _ = played(in_turn(OPENING, again, again, again, "It has no result."))
    assert [fault.rules for fault in rejected(events)] == [("repeated",)]
    assert rejected(events)[0].text == '[["run_speed_test",{}]]'


@pytest.mark.parametrize(
    ("failure", "ending"),
    [
        ("infrastructure", "infrastructure_error"),
        ("malformed", "infrastructure_error"),
        ("context_overflow", "user_error"),
        ("refusal", "user_error"),
        ("rejected", "user_error"),
    ],
)
def test_a_failure_is_not_charged_to_the_agent(failure: Failure, ending: str) -> None:
    events, _ = played(in_turn(OPENING, ScriptReply(failure=failure)))
    assert end_of(events).ending == ending


def by_what_was_said(request: Request) -> Said:
    """A customer without memory: inverted first, then with nothing to say, then misbehaved."""
    last = told(request)
    if last == domain.greeting:
        return OFFER
    own = sum(message.role == "assistant" for message in request.messages)
    if own == 0:
        return "" if "You offer help" in last else OPENING
    if own == 1:
        return "It is 555-123-2002."
    if own == 2:
        return calls("run_speed_test", ("set_network_mode_preference", "{oops"))
    if own == 3:
        return "I have restarted the phone. It shows 99 Mbps."
    return "Thank you. Bye!"


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"guard": "record"},
        {"guard": "off"},
        {"on_exhausted": "user_error"},
        {"retries": 0},
    ],
)
def test_gone_on_from_any_event_it_comes_out_the_same_and_asks_nothing_twice(
    settings: dict[str, Json],
) -> None:
    events, _ = played(by_what_was_said, settings)
    for upto in range(1, len(events)):
        model = Counting(by_what_was_said)
        user = user_of(model, settings)
        again = play_on(over_again(events, upto), REFERENCE, user)
        assert timeless(again) == timeless(events)
        assert len(model.asked) == len(model_calls(events[upto:]))


# Settings


def test_settings_in_effect_are_in_the_setup_and_open_the_customer_again() -> None:
    model = Counting([], form=True)
    setup = user_of(model, {"retries": 1, "model": {"temperature": 0}}).setup
    assert setup.settings == {
        "guard": "correct",
        "retries": 1,
        "on_exhausted": "accept",
        "normalize": True,
        "structured": True,
        "instructions": INSTRUCTIONS,
        "instructions_append": None,
        "model": {"temperature": 0},
        "seed": True,
        "identity": {"model": "script:test", "settings": {}},
    }
    assert user_of(model, setup.settings).setup == setup


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"temperature": 0}, "under model"),
        ({"guard": "strict"}, "cannot be used"),
        ({"retries": -1}, "0 to 20"),
        ({"identity": {"model": "other"}}, "not the model that was planned with"),
    ],
)
def test_settings_that_cannot_be_used_are_said(settings: dict[str, Json], message: str) -> None:
    with pytest.raises(InputError, match=message):
        user_of(Counting([]), settings)


def test_without_an_opener_a_models_name_is_no_user() -> None:
    with pytest.raises(InputError, match="There is no user simulator 'openai:gpt'"):
        open_user("openai:gpt")
