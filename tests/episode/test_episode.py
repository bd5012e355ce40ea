"""An episode is a fold over its events; the loop only asks and appends."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from ringback.domain import Did, Side, Task, Tool
from ringback.episode.episode import Episode
from ringback.episode.events import (
    AnyEvent,
    Call,
    Draw,
    End,
    Limits,
    ModelCall,
    Note,
    Nudge,
    Rejected,
    Results,
    Setup,
    Start,
    Turn,
    decode,
    encode,
)
from ringback.episode.identity import arm, condition, opening
from ringback.episode.participants import (
    Aside,
    InfrastructureFailure,
    ParticipantFailure,
    Reply,
    View,
)
from ringback.episode.protocol import ProtocolError
from ringback.episode.run import SystemClock, play
from ringback.episode.seeds import Stream, agent_seed, user_seed
from ringback.episode.wire import Answer, Message, Price, Request, Text, Usage, recorded
from ringback.errors import InputError
from tests.lamp import LAMP, Lamp, LampScenario


class Scripted:
    """Replies in order, chosen by how many turns of its own it sees: no memory of its own."""

    def __init__(self, side: str, *replies: Reply) -> None:
        self.side, self.replies = side, replies

    async def act(self, view: View, random: Stream) -> Reply:
        mine = [e for e in view.events if isinstance(e, Turn) and e.by == self.side]
        return self.replies[min(len(mine), len(self.replies) - 1)]


class Raising:
    def __init__(self, problem: BaseException) -> None:
        self.problem = problem

    async def act(self, view: View, random: Stream) -> Reply:
        raise self.problem


class Sleeping:
    async def act(self, view: View, random: Stream) -> Reply:
        await asyncio.sleep(60)
        return Reply("late")


class Ticks:
    """A clock that moves half a second a look."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return 1000.0 + self.time

    def monotonic(self) -> float:
        self.time += 0.5
        return self.time


FUSE = Reply(calls=(Call("set_fuse", {}),))
FLIP = Reply(calls=(Call("flip_switch", {}),))
USER = Scripted("user", Reply("It is dark."), FLIP, Reply("Light! ###STOP###", rule="content"))
AGENT = Scripted("agent", FUSE, Reply("Flip the switch, please."))


def begin(task: str = "dark", **limits: Any) -> Start:
    shared = condition(LAMP, Setup("u", "1"), Limits(**limits))
    return opening(LAMP, shared, arm(LAMP, Setup("a", "1"), "short"), "a", Draw(task, 0, 7), at=1.0)


def played(agent: Any = AGENT, user: Any = USER, **limits: Any) -> list[AnyEvent]:
    events: list[AnyEvent] = []
    episode = Episode(begin(**limits), LAMP)
    asyncio.run(play(episode, agent, user, lambda new, _: events.extend(new), Ticks()))
    return [*episode.events[:1], *events]


def ending(agent: Any, **limits: Any) -> tuple[str, str]:
    """How it ended, and by which rule."""
    end = played(agent, **limits)[-1]
    assert isinstance(end, End)
    return end.ending, end.rule


def test_a_call_is_played_to_its_end_and_committed_turn_by_turn() -> None:
    kinds = [type(event).__name__ for event in played()]
    assert kinds == ["Start", "Turn", "Turn", "Results", "Turn", "Turn", "Results", "Turn", "End"]


def test_events_survive_storage_to_the_byte() -> None:
    events = played()
    assert [decode(encode(event)) for event in events] == events


@pytest.mark.parametrize("cut", range(1, 10))
def test_from_any_beginning_the_same_end_is_reached(cut: int) -> None:
    events = played()
    episode = Episode.from_events(events[:cut], LAMP)
    if episode.end is None:
        asyncio.run(play(episode, AGENT, USER, lambda _, __: None, Ticks()))
    assert [replace(e, at=None) for e in episode.events] == [replace(e, at=None) for e in events]
    assert episode.world.digest() == Episode.from_events(events, LAMP).world.digest()


def test_each_side_sees_its_own_calls_and_the_others_sentences_only() -> None:
    episode = Episode.from_events(played(), LAMP)
    for side in ("agent", "user"):
        view = episode.view(side)
        for event in view.events:
            if event.by != side:
                assert isinstance(event, Turn)
                assert not event.calls
                assert (event.rule, event.seconds, event.at) == (None, None, None)
    spoken = [e.text for e in episode.view("agent").events if isinstance(e, Turn) and e.text]
    assert spoken == ["It is dark.", "Flip the switch, please.", "Light!"]


def test_deeds_carry_the_world_on_both_sides() -> None:
    happenings = Episode.from_events(played(), LAMP).happenings
    deeds = [item for item in happenings if isinstance(item, Did)]
    assert [(d.before.fields()["lamp.fuse"], d.after.fields()["lamp.fuse"]) for d in deeds] == [
        (False, True),
        (True, True),
    ]


@pytest.mark.parametrize(
    ("agent", "user", "ending", "rule"),
    [
        (AGENT, Raising(KeyError("x")), "user_error", "exception"),
        (Raising(TimeoutError("socket")), USER, "agent_error", "exception"),
        (Raising(InfrastructureFailure("down")), USER, "infrastructure_error", "failure"),
        (Scripted("agent", Reply("")), USER, "agent_error", "empty_turn"),
        (Scripted("agent", Reply("Bye. ###STOP###")), USER, "agent_stop", "stop"),
        (Scripted("agent", FUSE), USER, "max_steps", "steps"),
        (Scripted("agent", Reply(calls=(Call("nope", {}),))), USER, "too_many_errors", "errors"),
    ],
)
def test_every_way_to_end(agent: Any, user: Any, ending: str, rule: str) -> None:
    end = played(agent, user)[-1]
    assert isinstance(end, End)
    assert (end.ending, end.rule) == (ending, rule)


def test_the_clock_runs_inside_a_turn() -> None:
    began = time.monotonic()
    end = played(Sleeping(), USER, seconds=0.6)[-1]
    assert isinstance(end, End)
    assert (end.ending, end.rule) == ("timeout", "clock")
    assert end.why is not None
    assert time.monotonic() - began < 30


class Queued(Sleeping):
    """Waits for a model's turn, which is nobody's time, and then speaks."""

    keeps_time = True

    async def act(self, view: View, random: Stream) -> Reply:
        await asyncio.sleep(0.2)
        return Reply("Flip the switch, please. ###STOP###")


def test_whoever_keeps_the_time_itself_is_not_cut_off() -> None:
    episode = Episode(begin(seconds=0.1), LAMP)
    asyncio.run(play(episode, Queued(), USER, lambda _, __: None, SystemClock()))
    assert episode.end is not None
    assert episode.end.ending == "agent_stop"


def call_of(seconds: float, failure: Any = None, *, seq: int = 2, by: Side = "agent") -> ModelCall:
    """A call that took so long, with or without an answer."""
    message = None if failure else Message("assistant", (Text("Hm."),))
    answer = Answer(message, "m", seconds, Usage(), Price(0.0, "free"), failure=failure)
    record, _ = recorded(Request("", ()), None)
    return ModelCall(seq=seq, cause=seq - 1, by=by, model="m", request=record, answer=answer)


class Asking:
    """Asks a model so often, by what its calls are to be, and never comes to a turn."""

    keeps_time = True

    def __init__(self, *calls: tuple[float, Any]) -> None:
        self.calls = calls

    async def act(self, view: View, random: Stream) -> Reply | Aside:
        done = sum(isinstance(event, ModelCall) for event in view.events)
        seconds, failure = self.calls[done]
        return Aside((call_of(seconds, failure, seq=view.seq),))


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ([(9.0, None), (1.0, "infrastructure")], ("timeout", "clock")),
        ([(9.0, None), (3.0, None)], ("timeout", "clock")),
        ([(10.0, "infrastructure")], ("infrastructure_error", "no_answer")),
        ([(2.0, None), (8.0, "infrastructure")], ("infrastructure_error", "no_answer")),
    ],
)
def test_a_slow_model_is_a_timeout_and_one_that_never_answers_is_not(
    calls: list[tuple[float, Any]], expected: tuple[str, str]
) -> None:
    assert ending(Asking(*calls), seconds=10.0) == expected


def test_a_state_that_does_not_come_out_as_recorded_is_named_and_not_gone_on_with() -> None:
    events = played()[:4]
    last = events[3]
    assert isinstance(last, Results)
    events[3] = replace(last, results=(replace(last.results[0], world="0" * 32),))
    episode = Episode.from_events(events, LAMP)
    assert [(d.seq, d.index) for d in episode.divergences] == [(3, 0)]
    with pytest.raises(ProtocolError, match="event 3"):
        asyncio.run(play(episode, AGENT, USER, lambda _, __: None))


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        ({"x": float("nan")}, '{"x": NaN}'),
        ({"x": {1: 2}}, '{"x": {"1": 2}}'),
        ({"x": 2**70}, '{"x": 1180591620717411303424}'),
        ("not json", "not json"),
        ({"x": "\ud83d"}, {"x": "\ufffd"}),
        ({"x": "\ud83d\ude00"}, {"x": "\U0001f600"}),
        ({"x": 1.5, "y": [True, None]}, {"x": 1.5, "y": [True, None]}),
    ],
)
def test_what_cannot_be_stored_is_kept_as_text_and_noted(arguments: Any, kept: Any) -> None:
    reply = Reply("Hm \ud800", calls=(Call("set_fuse", arguments),))
    events = played(Scripted("agent", reply, Reply("Flip it.")))
    turn = next(e for e in events if isinstance(e, Turn) and e.by == "agent")
    assert turn.calls[0].arguments == kept
    assert turn.text == "Hm \ufffd"
    assert any(isinstance(e, Note) and e.what == "intake" for e in events)
    assert [decode(encode(event)) for event in events] == events


def test_deep_nesting_is_kept_as_text() -> None:
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    events = played(Scripted("agent", Reply(calls=(Call("set_fuse", deep),)), Reply("Flip it.")))
    turn = next(e for e in events if isinstance(e, Turn) and e.by == "agent")
    assert isinstance(turn.calls[0].arguments, str)


@pytest.mark.parametrize(
    "answer",
    [None, {}, "Hi.", Reply(text=5), Reply(calls=(5,)), Reply(calls=5), Reply(rule=1, text="x")],  # pyright: ignore[reportArgumentType]
)
def test_what_is_no_reply_ends_the_episode_as_that_sides_error(answer: Any) -> None:
    end = played(Scripted("agent", answer), USER)[-1]
    assert isinstance(end, End)
    assert (end.ending, end.rule) == ("agent_error", "bad_reply")


@pytest.mark.parametrize(
    "aside",
    [
        Aside(()),
        Aside((Nudge(seq=3, cause=1, by="agent", text="too far on"),)),
        Aside((Nudge(seq=2, cause=2, by="agent", text="its own cause"),)),
        Aside((Nudge(seq=2, cause=-1, by="agent", text="no cause"),)),
        Aside((Nudge(seq=2, cause=1, by="user", text="the other side"),)),
        Aside((Nudge(seq=2, cause=1, by="agent", text=5),)),  # pyright: ignore[reportArgumentType]
        Aside((Nudge(seq=2, cause=1, by="agent", text="half \ud800"),)),
        Aside(("a nudge",)),  # pyright: ignore[reportArgumentType]
        Aside(5),  # pyright: ignore[reportArgumentType]
        Aside((call_of(1.0), Nudge(seq=2, cause=1, by="agent", text="the same number"))),
        Aside((Note(seq=2, cause=1, what="no side event"),)),  # pyright: ignore[reportArgumentType]
        Aside((replace(call_of(1.0), answer=None),)),  # pyright: ignore[reportArgumentType]
        Aside((Rejected(seq=2, cause=1, by="agent", rules=(5,), text=""),)),  # pyright: ignore[reportArgumentType]
        Aside((call_of(1.0),), {"digest": 5}),  # pyright: ignore[reportArgumentType]
        Aside((call_of(1.0),), {"digest": "half \ud800"}),
    ],
)
def test_what_is_no_aside_ends_the_episode_as_that_sides_error(aside: Any) -> None:
    assert ending(Scripted("agent", aside)) == ("agent_error", "bad_reply")


class Nudging:
    async def act(self, view: View, random: Stream) -> Aside:
        return Aside((Nudge(seq=view.seq, cause=view.seq - 1, by="agent", text="And?"),))


def test_asides_without_an_end_are_no_reply() -> None:
    assert ending(Nudging()) == ("agent_error", "bad_reply")


def test_what_is_the_users_to_put_right_stops_the_run_and_leaves_the_episode() -> None:
    episode = Episode(begin(), LAMP)
    with pytest.raises(InputError, match="KEY"):
        asyncio.run(
            play(episode, AGENT, Raising(InputError("KEY is not set.")), lambda _, __: None)
        )
    assert episode.end is None


def test_a_participant_may_name_the_rule_by_which_it_fails() -> None:
    end = played(Raising(ParticipantFailure("refusal", "It would not.")), USER)[-1]
    assert isinstance(end, End)
    assert (end.ending, end.rule, end.why) == ("agent_error", "refusal", "It would not.")


class MuteError(Exception):
    def __str__(self) -> str:
        raise ZeroDivisionError


@pytest.mark.parametrize("problem", [asyncio.CancelledError(), MuteError()])
def test_whatever_a_participant_lets_out_ends_the_episode_alone(problem: Any) -> None:
    end = played(Raising(problem), USER)[-1]
    assert isinstance(end, End)
    assert (end.ending, end.rule) == ("agent_error", "exception")


def test_a_cancelled_run_leaves_the_episode_where_it_was() -> None:
    episode = Episode(begin(), LAMP)

    async def cancelled() -> None:
        task = asyncio.create_task(play(episode, AGENT, Sleeping(), lambda _, __: None))
        await asyncio.sleep(0.01)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
    assert episode.end is None


def test_what_a_participant_does_to_its_view_stays_there() -> None:
    episode = Episode(begin(), LAMP)
    episode.take(Reply("It is dark."))
    episode.take(Reply(calls=(Call("set_fuse", {"deep": {"x": 1}}),)))
    seen = episode.view("agent").events[1]
    assert isinstance(seen, Turn)
    seen.calls[0].arguments["deep"]["x"] = 2  # pyright: ignore[reportArgumentType, reportCallIssue, reportIndexIssue, reportOptionalSubscript]
    kept = episode.events[2]
    assert isinstance(kept, Turn)
    assert kept.calls[0].arguments == {"deep": {"x": 1}}
    assert [h.arguments for h in episode.happenings if isinstance(h, Did)] == [{"deep": {"x": 1}}]


class Drawing:
    """Says what it draws."""

    async def act(self, view: View, random: Stream) -> Reply:
        return Reply(f"{random.uniform()}")


def test_side_events_move_nobodys_random_numbers() -> None:
    quiet, noted = Episode(begin(), LAMP), Episode(begin(), LAMP)
    for number in range(3):
        noted.feed(Note(seq=1 + number, cause=0, what="aside"))
    for episode in (quiet, noted):
        asyncio.run(play(episode, Drawing(), Drawing(), lambda _, __: None, Ticks()))
    said = [[e.text for e in ep.events if isinstance(e, Turn)] for ep in (quiet, noted)]
    assert said[0] == said[1]
    assert len(set(said[0])) == 100


def test_a_view_stays_as_it_was() -> None:
    episode = Episode(begin(), LAMP)
    before = episode.view("user")
    episode.take(Reply("It is dark."))
    assert before.events == ()


def test_a_word_of_the_scenario_or_a_tool_moves_the_condition() -> None:
    class Chatty(Lamp):
        def scenario(self, task: Task) -> LampScenario:
            return LampScenario("The lamp stays very dark.")

    class Renamed(Lamp):
        def tools(self, side: Side) -> Sequence[Tool]:
            return tuple(replace(tool, description="Flips.") for tool in super().tools(side))

    setup = Setup("u", "1")
    plain, others = condition(LAMP, setup, Limits()), (Chatty(), Renamed())
    assert condition(Lamp(), setup, Limits()) == plain
    assert all(condition(other, setup, Limits()) != plain for other in others)


def test_another_version_of_the_world_is_looked_at_and_not_gone_on_with() -> None:
    class Later(Lamp):
        version = "2"

    episode = Episode.from_events(played()[:4], Later())
    assert episode.divergences == []
    with pytest.raises(ProtocolError, match="version 1"):
        episode.settle()


def test_an_error_flag_that_comes_out_otherwise_is_a_divergence() -> None:
    events = played()[:4]
    last = events[3]
    assert isinstance(last, Results)
    events[3] = replace(last, results=(replace(last.results[0], error=True),))
    (found,) = Episode.from_events(events, LAMP).divergences
    assert (found.recorded, found.recomputed) == ("an error", "no error")


def test_text_beside_calls_is_kept_and_not_delivered() -> None:
    both = Reply("I flip it. ###STOP###", calls=(Call("flip_switch", {}),))
    episode = Episode(begin(), LAMP)
    episode.take(both)
    turn = episode.events[1]
    assert isinstance(turn, Turn)
    assert turn.text == both.text
    assert episode.end is None
    assert episode.view("agent").events == ()
    assert all(isinstance(item, Did) for item in episode.happenings)


def test_a_text_that_comes_out_otherwise_is_a_divergence() -> None:
    events = played()[:4]
    last = events[3]
    assert isinstance(last, Results)
    events[3] = replace(last, results=(replace(last.results[0], text="Nothing."),))
    assert len(Episode.from_events(events, LAMP).divergences) == 1


def test_anothers_marker_is_delivered_as_it_is() -> None:
    episode = Episode(begin(), LAMP)
    episode.take(Reply("It is dark."))
    episode.take(Reply("###TRANSFER###"))
    assert [e.text for e in episode.view("user").events if isinstance(e, Turn)][-1] == (
        "###TRANSFER###"
    )
    assert episode.end is None


def test_the_time_of_a_turn_that_did_not_come_is_kept() -> None:
    end = played(Raising(ValueError("x")), USER)[-1]
    assert isinstance(end, End)
    assert end.seconds == 0.5


def test_what_commit_raises_stops_the_episode_where_it_was() -> None:
    episode = Episode(begin(), LAMP)

    def full(*_: object) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        asyncio.run(play(episode, AGENT, USER, full))


def test_streams_are_a_function_of_seed_and_event_and_stay_as_they_are() -> None:
    stream = Stream("seed", 3)
    assert [stream.uniform() for _ in range(3)] == [
        0.2884018332110142,
        0.5701365320386296,
        0.4292648980794498,
    ]
    assert Stream("seed", 3).uniform() == 0.2884018332110142
    assert Stream("seed", 4).uniform() != 0.2884018332110142
    assert Stream("a", 0).choose(["only"]) == "only"


def test_the_users_seed_is_the_arms_common_one_and_the_agents_its_own() -> None:
    assert user_seed(1, "t", 0) == "a9e29f9bc74835da903365619e2ed4c3"
    assert agent_seed(1, "t", 0, "a") == "c848dba6117d0f67fa41a7ccecf55c92"
    assert agent_seed(1, "t", 0, "b") != agent_seed(1, "t", 0, "a")
    assert user_seed(1, "t", 1) != user_seed(1, "t", 0)
