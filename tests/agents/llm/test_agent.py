"""A model as the agent, in whole calls with the rules customer in the real world."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest

from ringback.agents import open_agent
from ringback.agents.llm import INSTRUCTIONS, NUDGE
from ringback.canonical import Json
from ringback.episode.episode import Episode
from ringback.episode.events import AnyEvent, End, ModelCall, Nudge, Results, Turn
from ringback.episode.participants import Agent
from ringback.episode.wire import (
    Answer,
    Asked,
    Failure,
    Given,
    Message,
    Opaque,
    Request,
    Text,
    Thought,
    restored,
)
from ringback.errors import InputError, RingbackError
from ringback.grading.grade import grade
from ringback.models.dialogue import MOST_CALLS, MOST_CHARACTERS
from ringback.models.script import ScriptReply
from ringback.telecom import domain
from ringback.users import open_user
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
RULES = open_user("rules")


def agent_of(model: Counting, settings: dict[str, Json] | None = None) -> Agent:
    return open_agent(model.name, settings, lambda _: model)


def played(script: Callable[[Request], Said] | Sequence[Said]) -> tuple[list[AnyEvent], Counting]:
    model = Counting(script)
    agent = agent_of(model)
    return play_on(begin(TASK, agent, RULES), agent, RULES), model


@pytest.fixture(scope="module")
def reference() -> list[AnyEvent]:
    agent = open_agent("reference")
    return play_on(begin(TASK, agent, RULES), agent, RULES)


@pytest.fixture(scope="module")
def whole(reference: list[AnyEvent]) -> tuple[list[AnyEvent], Counting]:
    return played(as_replies(reference, "agent"))


def test_a_model_that_does_what_the_reference_does_solves_the_case_like_it(
    reference: list[AnyEvent], whole: tuple[list[AnyEvent], Counting]
) -> None:
    events, model = whole
    own, other = (
        [
            (t.text, [c.tool for c in t.calls])
            for t in each
            if isinstance(t, Turn) and t.by == "agent"
        ]
        for each in (reference, events)
    )
    assert own == other
    assert grade(Episode.from_events(events, domain)).solved
    assert len(model.asked) == sum(isinstance(e, Turn) and e.by == "agent" for e in events)


def test_the_model_is_given_instructions_policy_and_the_tools(
    whole: tuple[list[AnyEvent], Counting],
) -> None:
    request = whole[1].asked[0]
    assert INSTRUCTIONS in request.system
    assert domain.policy("workflow").strip() in request.system
    assert domain.greeting in request.system
    assert [tool.name for tool in request.tools] == [tool.name for tool in domain.tools("agent")]
    assert all(tool.parameters for tool in request.tools)
    assert len({request.system for request in whole[1].asked}) == 1


def test_conversations_begin_with_the_customer_and_grow_at_their_end(
    whole: tuple[list[AnyEvent], Counting],
) -> None:
    asked = whole[1].asked
    assert asked[0].messages[0].role == "user"
    for before, after in pairwise(asked):
        assert after.messages[: len(before.messages)] == before.messages


def test_every_request_is_given_back_by_the_record(
    whole: tuple[list[AnyEvent], Counting],
) -> None:
    events, model = whole
    contents: dict[str, str] = {}
    agent = agent_of(Counting(as_replies(events, "agent")))
    play_on(begin(TASK, agent, RULES), agent, RULES, contents)
    known: dict[int, tuple[Message, ...]] = {}
    for call, sent in zip(model_calls(events), model.asked, strict=True):
        before = known[call.request.extends] if call.request.extends is not None else ()
        request = restored(call.request, before, contents)
        assert request == sent
        assert call.answer.message is not None
        known[call.seq] = (*request.messages, call.answer.message)
        assert len(call.request.added) <= 3


def test_an_answer_stands_in_the_record_before_anything_is_made_of_it(
    whole: tuple[list[AnyEvent], Counting],
) -> None:
    for before, event in pairwise(whole[0]):
        if isinstance(event, Turn) and event.by == "agent":
            assert isinstance(before, ModelCall)
            assert before.by == "agent"


def test_gone_on_from_any_event_it_comes_out_the_same_and_asks_nothing_twice(
    whole: tuple[list[AnyEvent], Counting], reference: list[AnyEvent]
) -> None:
    events, _ = whole
    for upto in range(1, len(events)):
        model = Counting(as_replies(reference, "agent"))
        agent = agent_of(model)
        again = play_on(over_again(events, upto), agent, RULES)
        assert timeless(again) == timeless(events)
        assert len(model.asked) == len(model_calls(events[upto:]))


# Replies of every shape


def first_then(*first: Said) -> Callable[[Request], Said]:
    """These replies first, by how often the model has been asked; then a farewell."""
    asked = 0

    def script(request: Request) -> Said:
        nonlocal asked
        asked += 1
        return first[asked - 1] if asked <= len(first) else "Goodbye. ###STOP###"

    return script


def end_of(events: list[AnyEvent]) -> End:
    end = events[-1]
    assert isinstance(end, End)
    return end


def test_parallel_calls_all_run_in_order_and_words_beside_them_are_kept_but_not_said() -> None:
    tools: list[tuple[str, Json]] = [
        ("get_customer_by_phone", {"phone_number": "555-123-2002"}),
        ("get_details_by_id", {"id": "L1002"}),
    ]
    events, model = played(first_then(calls(*tools, text="I will look that up.")))
    turn = next(e for e in events if isinstance(e, Turn) and e.calls)
    results = next(e for e in events if isinstance(e, Results))
    assert [call.tool for call in turn.calls] == [name for name, _ in tools]
    assert turn.text == "I will look that up."
    assert not any(result.error for result in results.results)
    given = model.asked[1].messages[-1].parts
    assert [part.text for part in given if isinstance(part, Given)] == [
        result.text for result in results.results
    ]
    user_turns = [e for e in events if isinstance(e, Turn) and e.by == "user"]
    assert len(user_turns) == 1


@pytest.mark.parametrize(
    "nothing",
    [
        "",
        "  \n",
        ScriptReply(thought="Let me think about ###STOP###."),
        "<think>I should call get_customer_by_phone.</think>",
        "I should answer.</think>",
        "<think>never closed",
        Message("assistant", ()),
        Message("assistant", (Opaque({"id": "rs_1"}),)),
    ],
)
def test_a_reply_with_nothing_in_it_is_asked_for_once_more(nothing: Said) -> None:
    events, model = played(first_then(nothing, "How can I help?"))
    kinds = [type(event) for event in events[:7]]
    assert kinds[2:6] == [ModelCall, Nudge, ModelCall, Turn]
    assert told(model.asked[1]) == NUDGE
    assert [part.role for part in model.asked[1].messages] == ["user", "user"]
    assert NUDGE not in str(model.asked[2].messages)
    nudge = events[3]
    assert isinstance(nudge, Nudge)
    assert nudge.cause == 2


@pytest.mark.parametrize("nothing", ["", ScriptReply(thought="Hm.")])
def test_nothing_twice_ends_as_the_agents_error(nothing: Said) -> None:
    events, model = played(first_then(nothing, nothing, "Too late."))
    assert (end_of(events).ending, end_of(events).rule) == ("agent_error", "empty_reply")
    assert len(model.asked) == 2


@pytest.mark.parametrize(
    ("long", "rule"),
    [
        (lambda: calls(*["toggle_data"] * (MOST_CALLS + 1)), "too_many_calls"),
        (lambda: "A" * (MOST_CHARACTERS + 1), "reply_too_long"),
    ],
)
def test_a_reply_beyond_all_bounds_is_kept_and_nothing_of_it_is_done(
    long: Callable[[], Said], rule: str
) -> None:
    events, _ = played(first_then(long()))
    assert (end_of(events).ending, end_of(events).rule) == ("agent_error", rule)
    assert not any(isinstance(event, Turn) and event.by == "agent" for event in events)
    call = next(event for event in events if isinstance(event, ModelCall))
    assert call.answer.message is not None


def test_a_reply_at_the_bounds_is_taken() -> None:
    events, _ = played(first_then("A" * MOST_CHARACTERS, calls(*["toggle_data"] * MOST_CALLS)))
    results = next(event for event in events if isinstance(event, Results) and event.by == "agent")
    assert len(results.results) == MOST_CALLS


def test_each_turn_has_its_own_nudge() -> None:
    events, _ = played(first_then("", "What is your number?", "", "Thank you. ###STOP###"))
    assert sum(isinstance(event, Nudge) for event in events) == 2
    assert end_of(events).ending == "agent_stop"


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ('{"phone_number": ', True),
        ("[1, 2", True),
        ([1, 2], True),
        ({"phone": "555-123-2002"}, True),
        ({"phone_number": float("nan")}, True),
        ({"phone_number": 2**70}, True),
        ("", True),
        (None, True),
        ({"phone_number": "555-123-2002"}, False),
    ],
)
def test_arguments_that_do_not_fit_are_an_error_that_the_model_sees(
    given: Json, wrong: bool
) -> None:
    events, model = played(first_then(calls(("get_customer_by_phone", given))))
    results = next(e for e in events if isinstance(e, Results))
    assert results.results[0].error is wrong
    part = model.asked[1].messages[-1].parts[0]
    assert isinstance(part, Given)
    assert (part.text, part.error) == (results.results[0].text, wrong)
    assert end_of(events).ending == "agent_stop"


def test_malformed_arguments_are_kept_as_they_came_and_no_arguments_are_none() -> None:
    events, _ = played(
        first_then(calls(("get_customer_by_phone", "{oops"), ("get_customer_by_phone", "")))
    )
    turn = next(e for e in events if isinstance(e, Turn) and e.calls)
    assert [call.arguments for call in turn.calls] == ["{oops", {}]


def test_an_unknown_tool_and_a_tool_of_the_phone_are_errors_not_ends() -> None:
    events, _ = played(first_then(calls("no_such_tool", "toggle_data")))
    results = next(e for e in events if isinstance(e, Results))
    assert [result.error for result in results.results] == [True, True]
    assert end_of(events).ending == "agent_stop"


@pytest.mark.parametrize("ids", [("same", "same"), ("", ""), ("", "other")])
def test_ids_that_tell_no_calls_apart_are_replaced_in_what_goes_back(ids: tuple[str, str]) -> None:
    parts = tuple(Asked("get_details_by_id", {"id": "L1002"}, name) for name in ids)
    _, model = played(first_then(Message("assistant", parts), Message("assistant", parts)))
    for request in model.asked[1:]:
        asked = [p.id for m in request.messages for p in m.parts if isinstance(p, Asked)]
        given = [p.id for m in request.messages for p in m.parts if isinstance(p, Given)]
        assert asked == given
        assert all(asked)
        assert len({*asked}) == len(asked)


def test_a_provider_that_gives_every_turns_calls_the_same_ids_is_told_results_apart() -> None:
    def looked_up(phone: str) -> Message:
        call = Asked("get_customer_by_phone", {"phone_number": phone}, "call_0")
        return Message("assistant", (call,), "script")

    script = (looked_up("555-123-2002"), looked_up("1"), looked_up("2"))
    events, model = played(first_then(*script))
    parts = [part for message in model.asked[-1].messages for part in message.parts]
    asked = [part.id for part in parts if isinstance(part, Asked)]
    given = [(part.id, part.text) for part in parts if isinstance(part, Given)]
    results = [e for e in events if isinstance(e, Results) and e.by == "agent"]
    assert len({*asked}) == len(asked) == 3
    assert asked[0] == "call_0"
    assert given == list(
        zip(asked, (r.text for each in results for r in each.results), strict=True)
    )


def test_reasoning_and_the_providers_blocks_go_back_to_the_model_and_nowhere_else() -> None:
    secret = "The customer is at fault, I think."
    said = Message(
        "assistant",
        (Thought(secret, {"signature": "abc"}), Opaque({"id": "b"}), Text("What is your number?")),
        "script",
    )
    model = Counting(first_then(said))
    agent = agent_of(model)
    episode = begin(TASK, agent, RULES)
    play_on(episode, agent, RULES)
    assert said in model.asked[1].messages
    assert secret not in str(episode.view("user").events)
    assert "abc" not in str(episode.view("user").events)
    assert secret in str(episode.view("agent").events)


@pytest.mark.parametrize(
    "leak",
    [
        "<think>secret ###STOP###</think>\n\nWhat is your number?",
        "<Thinking>secret</Thinking>What is your number?<reasoning>secret",
        "secret, so I ask ###STOP###\n</think>\nWhat is your number?",
        "What is your number? <think>secret ###STOP###",
        "[THINK]secret ###STOP###[/THINK]What is your number?",
    ],
)
def test_reasoning_in_tags_does_not_cross_and_ends_nothing(leak: str) -> None:
    events, _ = played(first_then(leak))
    turn = next(e for e in events if isinstance(e, Turn) and e.by == "agent")
    assert turn.text == "What is your number?"
    assert not isinstance(events[events.index(turn) + 1], End)


@pytest.mark.parametrize(
    ("failure", "ending", "rule"),
    [
        ("infrastructure", "infrastructure_error", "failure"),
        ("malformed", "infrastructure_error", "failure"),
        ("context_overflow", "agent_error", "context_overflow"),
        ("refusal", "agent_error", "refusal"),
        ("rejected", "agent_error", "rejected"),
    ],
)
def test_a_failure_is_recorded_and_ends_the_call_as_what_it_is(
    failure: Failure, ending: str, rule: str
) -> None:
    events, _ = played(first_then("What is your number?", ScriptReply(failure=failure)))
    assert (end_of(events).ending, end_of(events).rule) == (ending, rule)
    assert model_calls(events)[-1].answer.failure == failure
    assert end_of(events).why


def test_a_budget_that_is_spent_leaves_the_call_where_it_was() -> None:
    class Spent(Counting):
        async def ask(self, request: Request, *, seconds: float) -> Answer:
            raise RingbackError("spent")

    agent = agent_of(Spent([]))
    episode = begin(TASK, agent, RULES)
    with pytest.raises(RingbackError, match="spent"):
        play_on(episode, agent, RULES)
    assert episode.end is None
    assert episode.position.next == "agent"


def test_half_characters_and_endless_numbers_are_stored_and_read_again_alike() -> None:
    hostile = Message(
        "assistant",
        (
            Thought("\ud800"),
            Text("\udfff words"),
            Asked("get_details_by_id", {"id": float("inf"), "\ud800": 2**80}, "\ud800"),
        ),
    )
    script = [hostile, "Goodbye. ###STOP###"]
    agent = agent_of(Counting(first_then(*script)))
    events = play_on(begin(TASK, agent, RULES), agent, RULES)
    upto = next(i for i, e in enumerate(events) if isinstance(e, ModelCall)) + 1
    agent = agent_of(Counting(first_then(*script[1:])))
    assert timeless(play_on(over_again(events, upto), agent, RULES)) == timeless(events)


# Settings


def test_settings_are_in_the_setup_as_what_they_are_and_open_the_agent_again() -> None:
    model = Counting([], settings={"temperature": 0.5})
    given: dict[str, Json] = {
        "instructions_append": "Speak like a pirate.",
        "model": {"temperature": 0},
    }
    setup = agent_of(model, given).setup
    assert setup.name == "script:test"
    assert setup.settings == {
        "instructions": INSTRUCTIONS,
        "instructions_append": "Speak like a pirate.",
        "model": {"temperature": 0},
        "seed": True,
        "identity": {"model": "script:test", "settings": {"temperature": 0.5}},
    }
    assert agent_of(model, setup.settings).setup == setup


def test_instructions_of_ones_own_stand_around_the_policy() -> None:
    model = Counting(first_then())
    agent = agent_of(model, {"instructions": "BEFORE", "instructions_append": "AFTER"})
    play_on(begin(TASK, agent, RULES), agent, RULES)
    system = model.asked[0].system
    assert INSTRUCTIONS not in system
    assert system.index("BEFORE") < system.index("# Instructions for") < system.index("AFTER")


def test_the_models_settings_go_out_with_a_seed_that_follows_from_the_cell() -> None:
    def seeds(settings: dict[str, Json]) -> list[Json]:
        model = Counting(first_then("What is your number?"))
        agent = agent_of(model, settings)
        play_on(begin(TASK, agent, RULES), agent, RULES)
        return [request.settings for request in model.asked]

    once = seeds({"model": {"temperature": 0.3}})
    assert once == seeds({"model": {"temperature": 0.3}})
    assert once[0] != once[1]
    assert seeds({"seed": False}) == [{}, {}]
    assert seeds({"model": {"seed": 7}}) == [{"seed": 7}, {"seed": 7}]


def test_a_model_that_is_asked_again_within_a_turn_gets_another_seed() -> None:
    model = Counting(first_then("", "What is your number?"))
    agent = agent_of(model)
    play_on(begin(TASK, agent, RULES), agent, RULES)
    seeds = [str(request.settings["seed"]) for request in model.asked]
    assert len({*seeds}) == len(seeds) == 3


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"temperature": 0}, "under model"),
        ({"model": 3}, "cannot be used"),
        ({"identity": {"model": "other"}}, "not the model that was planned with"),
    ],
)
def test_settings_that_cannot_be_used_are_said(settings: dict[str, Json], message: str) -> None:
    with pytest.raises(InputError, match=message):
        agent_of(Counting([]), settings)


def test_without_an_opener_a_models_name_is_no_agent() -> None:
    with pytest.raises(InputError, match="There is no agent 'openai:gpt'"):
        open_agent("openai:gpt")
