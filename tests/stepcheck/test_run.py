"""Sending calls again: as recorded, each once, kept as it comes, and counted right."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from ringback.canonical import Json
from ringback.episode.wire import Attempt, Opaque, Price, Request, Text, Thought, ToolSpec
from ringback.errors import InputError
from ringback.models.protocol import BudgetSpent
from ringback.models.script import ScriptCall, ScriptReply
from ringback.report.step_model import StepCheckResults, StepTarget
from ringback.sessions import Store
from ringback.stepcheck.results import Replied, results
from ringback.stepcheck.run import Asked, ask
from ringback.stepcheck.targets import NO_REPEAT, Check, Prepared, prepare
from tests.sessions.conftest import path, store
from tests.stepcheck.made import Bench, answered, call, conversation, reply, session

__all__ = ["path", "store"]

CHECK = Check(("script:other",), sample=100)


def echo(request: Request) -> str:
    return f"{len(request.messages)} messages."


def two_sessions(store: Store) -> list[str]:
    """Three texts and two calls; `echo` says each of the texts again."""
    return [
        session(
            store,
            trial,
            conversation(
                reply("1 messages."), reply(call("pay", {"n": 2})), reply("5 messages."), *more
            ),
        )
        for trial, more in enumerate([(), (reply(call("look_up")), reply("9  messages.\n"))])
    ]


def prepared(path: Path, sessions: Iterable[str], bench: Bench, check: Check = CHECK) -> Prepared:
    with Store.open(path, write=False) as opened:
        return prepare(opened, sessions, check, bench.open)


def sent(
    path: Path, sessions: Iterable[str], bench: Bench, check: Check = CHECK, jobs: int = 4
) -> tuple[Replied, list[Asked]]:
    ready = prepared(path, sessions, bench, check)
    heard: list[Asked] = []
    try:
        ask(ready, path, bench, jobs=jobs, done=heard.append)
    finally:
        with Store.open(path, write=False) as opened:
            found = results(ready, opened)
    return found, heard


def targets(found: Replied) -> dict[str, StepTarget]:
    return {target.model: target for target in found.results.targets}


def outcomes(target: StepTarget) -> dict[str, int]:
    return {count.name: count.count for count in target.whole.outcomes}


def test_each_call_goes_as_recorded_to_each_model_once(store: Store, path: Path) -> None:
    sessions = two_sessions(store)
    bench = Bench(base=echo, other=echo)
    found, heard = sent(path, sessions, bench)
    recorded = [call.request for call in prepared(path, sessions, bench).calls]
    assert len(recorded) == 8
    for name in ("script:base", "script:other"):
        asked = [request for model, request in bench.asked if model == name]
        assert sorted(map(repr, asked)) == sorted(map(repr, recorded))
    assert bench.most == 4
    assert (len(heard), any(one.reused for one in heard)) == (16, False)
    count = len(bench.asked)
    again, heard = sent(path, sessions, bench)
    assert len(bench.asked) == count
    assert (len(heard), all(one.reused for one in heard)) == (16, True)
    assert again == found


def test_what_they_said_is_counted_by_hand(store: Store, path: Path) -> None:
    def other(request: Request) -> str | ScriptReply:
        if len(request.messages) in (3, 7):
            return ScriptReply("Now.", calls=(pay({"n": 2.0}),))
        return "Good day." if len(request.messages) == 1 else echo(request)

    found, _ = sent(path, two_sessions(store), Bench(base=echo, other=other))
    sample = found.results.sample
    assert (sample.sessions, sample.calls, sample.candidates, sample.sampled) == (2, 8, 8, 8)
    assert (sample.clusters, sample.largest, sample.texts_beside) == (2, 5, 0)
    assert {count.name: count.count for count in sample.kinds} == {"text": 5, "call": 3}
    repeat, target = found.results.targets
    assert (repeat.model, repeat.repeat, repeat.versus) == ("script:base", True, None)
    assert outcomes(repeat) == {"same": 5, "text_for_call": 3}
    assert (repeat.whole.exact, repeat.whole.rate.hits, repeat.whole.rate.calls) == (4, 5, 8)
    assert repeat.text is not None
    assert repeat.call is not None
    assert (repeat.text.rate.rate, repeat.call.rate.rate) == (1.0, 0.0)
    assert outcomes(target) == {"same": 5, "other_tool": 1, "other_text": 2}
    assert target.versus is not None
    assert (target.versus.better, target.versus.worse, target.versus.calls) == (2, 2, 8)
    assert (target.versus.clusters, target.versus.few, target.versus.largest_share) == (
        2,
        True,
        5 / 8,
    )
    assert target.cost.calls == 8
    assert found.results.complete


def test_what_the_repeat_did_not_answer_is_no_pair(store: Store, path: Path) -> None:
    bench = Bench(base=echo, other=echo)
    bench.scripts["script:base"] = lambda request: (
        ScriptReply(failure="infrastructure") if len(request.messages) == 1 else echo(request)
    )
    found, _ = sent(path, two_sessions(store), bench)
    repeat, other = found.results.targets
    assert (repeat.whole.rate.calls, repeat.missing) == (6, 2)
    assert other.whole.rate.calls == 8
    assert other.versus is not None
    assert (other.versus.calls, other.versus.better, other.versus.worse) == (6, 0, 0)


def pay(arguments: Json) -> ScriptCall:
    return ScriptCall("pay", arguments)


def test_a_broken_way_is_gone_again_and_a_refusal_is_not(store: Store, path: Path) -> None:
    sessions = two_sessions(store)
    bench = Bench(base=echo, other=echo)
    bench.scripts["script:other"] = lambda request: ScriptReply(
        failure="infrastructure" if len(request.messages) == 1 else "refusal"
    )
    bench.more["script:other"] = {
        "price": Price(0.5, "a test"),
        "attempts": (Attempt("infrastructure", "", 1.0, charged=True),),
    }
    found, heard = sent(path, sessions, bench)
    target = targets(found)["script:other"]
    # Of a call that did not get there nothing is known: it is in no rate and no difference.
    assert {count.name: count.count for count in target.failures} == {"refusal": 6}
    assert (target.whole.rate.hits, target.whole.rate.calls, target.missing) == (0, 6, 2)
    assert target.versus is not None
    assert target.versus.calls == 6
    assert target.cost.calls == 8
    assert not found.results.complete
    assert "script:other has not answered 2 of 8 calls yet" in "\n".join(found.results.notes)
    assert [one.broken for one in heard if one.broken] == [
        "The script has a failure here: infrastructure."
    ] * 2
    del bench.more["script:other"]
    bench.scripts["script:other"] = echo
    bench.asked.clear()
    found, _ = sent(path, sessions, bench)
    assert [(name, len(request.messages)) for name, request in bench.asked] == [
        ("script:other", 1)
    ] * 2
    target = targets(found)["script:other"]
    assert outcomes(target) == {"same": 2, "failed": 6}
    assert (target.missing, found.results.complete) == (0, True)
    assert (target.cost.calls, target.cost.usd, target.cost.maybe_charged) == (10, 4.0, 8)


@pytest.mark.parametrize("problem", [BudgetSpent("No more."), InputError("No key.")])
def test_what_stops_it_loses_nothing(store: Store, path: Path, problem: Exception) -> None:
    sessions = two_sessions(store)
    bench = Bench(base=echo, other=echo)
    bench.problem, bench.after = problem, 7
    with pytest.raises(type(problem), match=str(problem)):
        sent(path, sessions, bench, jobs=2)
    assert bench.closed == 1
    ready = prepared(path, sessions, bench)
    part = results(ready, store).results
    there = sum(target.whole.rate.calls for target in part.targets)
    assert 6 <= there <= 7
    assert not part.complete
    assert sum(target.missing for target in part.targets) == 16 - there
    assert any("has not answered" in note for note in part.notes)
    bench.problem = None
    bench.asked.clear()
    whole, _ = sent(path, sessions, bench)
    assert len(bench.asked) == 16 - there
    assert whole.results.complete


def test_a_larger_sample_and_another_target_send_only_what_is_new(store: Store, path: Path) -> None:
    sessions = two_sessions(store)
    bench = Bench(base=echo, other=echo, third=echo)
    sent(path, sessions, bench, Check(("script:other",), sample=3))
    assert len(bench.asked) == 6
    sent(path, sessions, bench, Check(("script:other",), sample=5))
    assert len(bench.asked) == 10
    sent(path, sessions, bench, Check(("script:third", "script:other"), sample=5))
    assert [name for name, _ in bench.asked[10:]] == ["script:third"] * 5
    bench.identities["script:third"] = {"settings": {"temperature": 1}}
    sent(path, sessions, bench, Check(("script:third", "script:other"), sample=5))
    assert [name for name, _ in bench.asked[15:]] == ["script:third"] * 5


def test_what_did_not_go_and_who_answered_is_said(store: Store, path: Path) -> None:
    theirs = reply(
        Thought("hm", {"signature": "s"}),
        Opaque({"part": {"x": 1}}),
        Opaque({"reply": {"id": "r"}}),
        call("pay"),
        provider="anthropic",
    )
    tools = (ToolSpec("pay", "Pays.", None),)
    exchanges = conversation(theirs, reply("3 messages."), tools=tools, settings={"seed": 4})
    sessions = [session(store, 0, exchanges)]
    bench = Bench(base=echo, other=echo)
    bench.more["script:other"] = {"model": "cheaper-model"}
    found, _ = sent(path, sessions, bench)
    base, other = targets(found)["script:base"], targets(found)["script:other"]
    assert {count.name: count.count for count in other.not_sent} == {
        "setting seed: a script takes no settings": 2,
        "reasoning: written by anthropic, which alone can read it": 1,
        "opaque blocks: written by anthropic, which alone can read it": 1,
    }
    assert [(one.name, one.count, one.other) for one in other.answered] == [
        ("cheaper-model", 2, True)
    ]
    assert [one.other for one in base.answered] == [False]
    notes = "\n".join(found.results.notes)
    assert "script:other was answered under another name: cheaper-model (2 calls)." in notes
    assert "no schema of the arguments for any of the tools in 2 calls" in notes
    assert "come from 1 session" in notes
    assert found.calls[0].replies[1].answered == "cheaper-model"


def test_the_repeat_is_the_model_of_the_record(store: Store, path: Path) -> None:
    sessions = two_sessions(store)
    bench = Bench(base=echo, other=echo, again=echo)
    names = {
        None: ["script:base", "script:other"],
        "script:again": ["script:again", "script:other"],
        "script:other": ["script:other"],
        NO_REPEAT: ["script:other"],
    }
    for repeat, expected in names.items():
        check = Check(("script:other",), repeat, 100)
        ready = prepared(path, sessions, bench, check)
        assert [target.name for target in ready.targets] == expected
        assert ready.targets[0].repeat == (repeat != NO_REPEAT)
    found, _ = sent(path, sessions, bench, Check(("script:other",), NO_REPEAT, 100))
    assert found.results.targets[0].versus is None
    assert any("no repeat" in note for note in found.results.notes)
    found, _ = sent(path, sessions, bench, Check(("script:other",), "script:again", 100))
    assert any("taken for the repeat" in note for note in found.results.notes)


def refused(path: Path, sessions: Iterable[str], check: Check, *words: str) -> None:
    bench = Bench(base=echo, other=echo, twin=echo)
    bench.identities["script:twin"] = {"model": "script:other"}
    with pytest.raises(InputError) as caught:
        prepared(path, sessions, bench, check)
    said = str(caught.value)
    assert said.endswith(".")
    for word in words:
        assert word in said, said


def test_what_cannot_be_asked_for_is_said_in_a_sentence(store: Store, path: Path) -> None:
    sessions = two_sessions(store)
    refused(path, sessions, Check(()), "No model")
    refused(path, sessions, Check(("script:other", " ")), "No model")
    refused(path, sessions, Check(("script:other",) * 2), "named twice")
    refused(path, sessions, Check((NO_REPEAT,)), "no model 'none'")
    refused(path, sessions, Check(("script:gone",)), "'script:gone'")
    refused(path, sessions, Check(("script:other", "script:twin")), "one and the same")
    refused(path, sessions, Check(("script:other",), sample=0), "1 or more")
    refused(path, sessions, Check(("script:other",), seed=-1), "seed")
    odd = session(store, 7, conversation(reply("Hi.")), model="gpt-9")
    refused(path, [odd], CHECK, "'gpt-9'", "--repeat")
    refused(path, [*sessions, odd], CHECK, "script:base 8, gpt-9 1", "--repeat")
    refused(path, [*sessions, odd], Check(("script:other",), recorded="gpt-8"), "of gpt-9.")
    failed = session(store, 8, conversation(answered(None, failure="infrastructure")))
    refused(path, [failed], CHECK, "None of the 1", "failed 1")
    theirs = session(store, 9, conversation(reply("Hi.")), by="user")
    refused(path, [theirs], CHECK, "No agent asked a model in 1 session")


def test_calls_of_one_recorded_model_can_be_chosen(store: Store, path: Path) -> None:
    odd = session(store, 7, conversation(reply("Hi."), reply("3 messages.")), model="gpt-9")
    check = Check(("script:other",), "script:base", 100, recorded="gpt-9")
    found, _ = sent(path, [*two_sessions(store), odd], Bench(base=echo, other=echo), check)
    sample = found.results.sample
    assert [(count.name, count.count) for count in sample.recorded] == [("gpt-9", 2)]
    assert [(count.name, count.count) for count in sample.excluded] == [("other_model", 8)]
    assert (sample.calls, sample.candidates, sample.sampled) == (10, 2, 2)


def test_a_changed_model_is_not_taken_for_the_recorded_one(store: Store, path: Path) -> None:
    sessions = [session(store, 0, conversation(reply("1 messages.")), identity={"model": "old"})]
    found, _ = sent(path, sessions, Bench(base=echo, other=echo))
    assert any("another endpoint" in note for note in found.results.notes)
    same: dict[str, Json] = {"model": "script:base"}
    sessions = [session(store, 1, conversation(reply("1 messages.")), identity=same)]
    found, _ = sent(path, sessions, Bench(base=echo, other=echo))
    assert not any("another endpoint" in note for note in found.results.notes)


def test_hostile_replies_are_kept_as_a_record_can_hold_them(store: Store, path: Path) -> None:
    def hostile(_: Request) -> ScriptReply:
        return ScriptReply("\ud800\x1b[2J", calls=(pay({"n": float("nan"), "\udfff": 1}),))

    found, _ = sent(path, two_sessions(store), Bench(base=echo, other=hostile))
    assert outcomes(targets(found)["script:other"]) == {
        "other_arguments": 2,
        "other_tool": 1,
        "call_for_text": 5,
    }
    shown = found.calls[0].replies[1]
    assert shown.text == "\ufffd\x1b[2J"
    assert isinstance(found.results, StepCheckResults)


def test_jobs_below_one_are_refused(store: Store, path: Path) -> None:
    ready = prepared(path, two_sessions(store), Bench(base=echo, other=echo))
    with pytest.raises(InputError, match="0 jobs"):
        ask(ready, path, Bench(), jobs=0, done=lambda _: None)


def test_text_parts_of_one_reply_are_one_text(store: Store, path: Path) -> None:
    sessions = [session(store, 0, conversation(reply(Text("1"), Text("messages."))))]
    found, _ = sent(path, sessions, Bench(base=echo, other=echo))
    assert outcomes(found.results.targets[0]) == {"same": 1}
