"""The reference agent in calls: what it solves, how it behaves, what it keeps."""

from __future__ import annotations

import asyncio
import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringback.agents import open_agent
from ringback.domain import Task
from ringback.episode.episode import Episode
from ringback.episode.events import Call, Result, Results, Turn
from ringback.episode.participants import Agent, AgentBrief, Reply, UserBrief, View
from ringback.episode.seeds import Stream
from ringback.errors import InputError
from ringback.grading.grade import grade
from ringback.telecom import domain
from ringback.users import open_user
from tests.agents.calls import agent_brief, begin, calls_of, go_on, play_call
from tests.agents.customer import STYLES, Customer
from tests.agents.paraphrase import Paraphrasing

REFERENCE = open_agent("reference")
SAMPLE = tuple(domain.tasks("full")[::41])
HARDEST = max(domain.tasks("full"), key=lambda task: len(task.faults))


def _task(*faults: str, family: str = "service_issue") -> Task:
    return next(
        task
        for task in domain.tasks("full")
        if task.family == family and task.faults == tuple(sorted(faults))
    )


def _unsolved(agent: Agent, user: Customer | Paraphrasing) -> list[str]:
    return [task.id for task in SAMPLE if grade(play_call(task, agent, user)).reward != 1]


@pytest.mark.parametrize("style", STYLES)
def test_it_solves_a_sample_with_customers_who_put_things_differently(style: str) -> None:
    assert _unsolved(REFERENCE, Customer(style)) == []


def test_it_solves_a_sample_with_rules() -> None:
    user = open_user("rules")
    assert [t.id for t in SAMPLE if grade(play_call(t, REFERENCE, user)).reward != 1] == []


def test_it_solves_a_sample_with_rules_paraphrased() -> None:
    assert _unsolved(REFERENCE, Paraphrasing(open_user("rules"))) == []


def test_it_transfers_exactly_where_nothing_can_be_repaired() -> None:
    for task in (*domain.tasks("small"), *SAMPLE[::3]):
        episode = play_call(task, REFERENCE, Customer("prose"))
        transferred = "transfer_to_human_agents" in calls_of(episode.events, "agent")
        assert transferred != task.repairable, task.id


def test_the_hardest_task_stays_well_inside_the_limits() -> None:
    for style in STYLES:
        episode = play_call(HARDEST, REFERENCE, Customer(style))
        assert grade(episode).solved
        assert episode.position.steps <= 80


def test_it_never_calls_the_phones_tools_and_leaves_no_conduct_notes() -> None:
    phone = {tool.name for tool in domain.tools("user")}
    for task in SAMPLE:
        episode = play_call(task, REFERENCE, Customer("prose"))
        assert phone.isdisjoint(calls_of(episode.events, "agent"))
        assert grade(episode).verdict.conduct == ()
        assert episode.position.errors == 0


def test_it_asks_before_it_charges() -> None:
    task = _task("data_usage_exceeded", family="mobile_data_issue")
    episode = play_call(task, REFERENCE, Customer("prose"))
    turns = [event for event in episode.events if isinstance(event, Turn)]
    refuel = next(t.seq for t in turns if any(c.tool == "refuel_data" for c in t.calls))
    offers = [t.seq for t in turns if t.by == "agent" and t.text and "$4.00" in t.text]
    assert offers
    assert offers[0] < refuel


def test_on_a_no_it_transfers_and_charges_nothing() -> None:
    task = _task("data_usage_exceeded", family="mobile_data_issue")
    sentences = [
        "Mobile data is dead. My number is 555-123-2002.",
        "Airplane mode is off, SIM active, mobile data on, roaming off. I'm at home. The network "
        "mode is 4g_5g_preferred, Data Saver is off and there's no VPN.",
        "No, I'd rather not pay for more data.",
    ]
    calls = calls_of(_talk(task, sentences).events, "agent")
    assert "refuel_data" not in calls
    assert calls[-1] == "transfer_to_human_agents"


def _without(field: str, tool: str, task: Task) -> list[str]:
    """What the agent does where this field is missing from every answer of a tool."""
    agent, user = REFERENCE.take(agent_brief()), Customer("prose")
    caller = user.take(UserBrief("telecom", domain.scenario(task), domain.tools("user")))
    done: list[str] = []
    episode = begin(task, REFERENCE, user)
    while episode.position.next is not None:
        side = episode.position.next
        assert side != "world"
        view = episode.view(side)
        if side == "user":
            reply = asyncio.run(caller.act(view, Stream("u", episode.position.steps)))
        else:
            reply = asyncio.run(agent.act(_leaving_out(view, field, tool), Stream("a", 0)))
            assert isinstance(reply, Reply)
            done += [reply.text or ""] + [call.tool for call in reply.calls]
        assert isinstance(reply, Reply)
        episode.take(reply)
    return done


def _leaving_out(view: View, field: str, tool: str) -> View:
    events: list[Turn | Results] = []
    calls: tuple[Call, ...] = ()
    for event in view.events:
        if isinstance(event, Turn):
            calls = event.calls or calls
            events.append(event)
            continue
        assert isinstance(event, Results)
        found: list[Result] = []
        for call, result in zip(calls, event.results, strict=False):
            if call.tool == tool and not result.error:
                record = json.loads(result.text)
                record.pop(field, None)
                result = msgspec.structs.replace(result, text=json.dumps(record))
            found.append(result)
        events.append(msgspec.structs.replace(event, results=tuple(found)))
    return msgspec.structs.replace(view, events=tuple(events))


@pytest.mark.parametrize(
    ("field", "tool"),
    [
        ("data_used_gb", "get_data_usage"),
        ("data_limit_gb", "get_data_usage"),
        ("data_refueling_gb", "get_data_usage"),
        ("data_refueling_price_per_gb", "get_details_by_id"),
    ],
)
@pytest.mark.parametrize("faults", [("data_usage_exceeded",), ("data_saver_mode_on",)])
def test_nothing_is_sold_on_figures_that_are_not_known(
    field: str, tool: str, faults: tuple[str, ...]
) -> None:
    done = _without(field, tool, _task(*faults, family="mobile_data_issue"))
    assert "refuel_data" not in done
    assert "$" not in " ".join(done)
    assert len(done) < 40


@pytest.mark.parametrize("field", ["status", "contract_end_date"])
def test_a_line_is_not_put_back_in_service_on_a_record_that_leaves_it_open(field: str) -> None:
    done = _without(field, "get_details_by_id", _task("overdue_bill_suspension"))
    assert len(done) < 40
    assert "resume_line" not in done


def test_less_data_than_offered_is_added_as_agreed() -> None:
    task = _task("data_usage_exceeded", family="mobile_data_issue")
    sentences = [
        "Mobile data is dead. My number is 555-123-2002.",
        "Airplane mode is off, SIM active, mobile data on, roaming off. I'm at home. The network "
        "mode is 4g_5g_preferred, Data Saver is off and there's no VPN.",
        "Yes, but just 1 GB please.",
    ]
    episode = _talk(task, sentences)
    assert calls_of(episode.events, "agent")[-1] == "refuel_data"
    assert episode.world.fields()["line.L1002.data_refueling_gb"] == 1


def _talk(task: Task, sentences: list[str]) -> Episode:
    """A call in which the customer says these sentences, whatever is asked, and then waits."""
    episode = begin(task, REFERENCE, Customer())
    taken = REFERENCE.take(agent_brief())
    said = iter(sentences)
    while episode.position.next is not None and episode.position.steps < 60:
        if episode.position.next == "user":
            text = next(said, None)
            if text is None:
                break
            episode.take(Reply(text=text))
        else:
            stream = Stream("seed", episode.position.steps)
            reply = asyncio.run(taken.act(episode.view("agent"), stream))
            assert isinstance(reply, Reply)
            episode.take(reply)
    return episode


def test_identification_by_name_and_birth_date_and_by_id() -> None:
    task = _task("airplane_mode_on")
    by_name = _talk(task, ["No service!", "I'm John Smith, born on June 15, 1985."])
    assert "get_customer_by_name" in calls_of(by_name.events, "agent")
    by_id = _talk(task, ["No service! My customer id is C1001."])
    assert "get_customer_by_id" in calls_of(by_id.events, "agent")
    for episode in (by_name, by_id):
        last = episode.events[-1]
        assert isinstance(last, Turn)
        assert last.text is not None
        assert "555-123-2002" in last.text
        assert last.text.endswith("Which line is giving you trouble?")


def test_whoever_cannot_be_identified_is_transferred_after_three_attempts() -> None:
    task = _task("airplane_mode_on")
    numbers = ["It's 555-000-0001.", "Then 555-000-0002.", "Maybe 555-000-0003."]
    episode = _talk(task, ["No service.", *numbers])
    assert calls_of(episode.events, "agent") == [
        *["get_customer_by_phone"] * 3,
        "transfer_to_human_agents",
    ]
    assert episode.position.errors == 3


def test_a_question_that_is_not_understood_is_asked_again_in_other_words_and_not_for_ever() -> None:
    task = _task("airplane_mode_on")
    episode = _talk(task, ["No service, 555-123-2002."] + ["Lovely weather today."] * 20)
    texts = [e.text for e in episode.events if isinstance(e, Turn) and e.by == "agent" and e.text]
    assert len(set(texts[:2])) == 2
    assert calls_of(episode.events, "agent")[-1] == "transfer_to_human_agents"


def test_the_same_call_twice_is_the_same_to_the_byte() -> None:
    for agent in (REFERENCE, open_agent("careless")):
        first, second = (play_call(HARDEST, agent, Customer("prose")) for _ in range(2))
        assert [_bare(e) for e in first.events] == [_bare(e) for e in second.events]


def _bare(event: object) -> object:
    if isinstance(event, Turn):
        return event.by, event.text, event.calls, event.rule
    return event.results if isinstance(event, Results) else type(event)


def test_a_fresh_participant_at_any_point_gives_the_same_reply() -> None:
    for agent in (REFERENCE, open_agent("careless"), open_agent("hasty")):
        whole = play_call(HARDEST, agent, Customer("prose"))
        for place, event in enumerate(whole.events):
            if not isinstance(event, Turn) or event.by != "agent":
                continue
            episode = Episode.from_events(whole.events[:place], domain)
            stream = Stream(whole.start.agent_seed, episode.position.steps)
            reply = asyncio.run(agent.take(agent_brief()).act(episode.view("agent"), stream))
            assert isinstance(reply, Reply)
            assert (reply.text, reply.calls, reply.rule) == (event.text, event.calls, event.rule)


def test_it_takes_over_a_call_that_another_agent_began() -> None:
    task = _task("airplane_mode_on", "unseat_sim_card")
    user = Customer("prose")
    episode = begin(task, REFERENCE, user)
    episode.take(Reply(text="Hi, I have no service at all, it's 555-123-2002."))
    episode.take(Reply(calls=(Call("get_customer_by_id", {"customer_id": "C1001"}),)))
    episode.take(Reply(text="Hi John! Please check the **network status** for me, would you?"))
    episode.take(Reply(text="Airplane mode is on, and it says there's no SIM."))
    assert grade(go_on(episode, REFERENCE, user)).solved


@pytest.mark.parametrize("policy", domain.policies)
def test_it_serves_either_variant_of_the_policy(policy: str) -> None:
    assert grade(play_call(HARDEST, REFERENCE, Customer("prose"), policy=policy)).solved


def test_another_domain_is_refused() -> None:
    with pytest.raises(InputError, match="banking"):
        REFERENCE.take(AgentBrief("banking", "workflow", "", ()))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.text(max_size=80),
            st.sampled_from(
                ["555-123-2002", "no service", "yes", "done", "1. off", "###", "MMS", "C1001"]
            ),
        ),
        max_size=12,
    )
)
def test_whatever_the_customer_says_the_reply_is_a_proper_turn(sentences: list[str]) -> None:
    task = _task("airplane_mode_on")
    episode = _talk(task, [f"{text} ." for text in sentences])
    for event in episode.events:
        if isinstance(event, Turn) and event.by == "agent":
            assert bool(event.text and event.text.strip()) != bool(event.calls)


def test_results_that_are_no_records_are_survived() -> None:
    call = Call("get_customer_by_phone", {"phone_number": "555-123-2002"})
    for text in ("", "not JSON", "[1, 2]", "{}", "null", '{"customer_id": 7}', "\x00\u202e"):
        events = (
            Turn(seq=1, by="user", text="No service, 555-123-2002."),
            Turn(seq=2, by="agent", calls=(call,)),
            Results(seq=3, turn=2, by="agent", results=(Result(text, "0"),)),
        )
        view = View("agent", "Hello.", events, 100.0)
        reply = asyncio.run(REFERENCE.take(agent_brief()).act(view, Stream("seed", 4)))
        assert isinstance(reply, Reply)
        assert bool(reply.text) != bool(reply.calls)
