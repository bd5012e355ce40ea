"""The chaos server speaks chat completions over real HTTP, and goes wrong as asked alone."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from ringback.agents import open_agent
from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.events import AnyEvent, Call, Draw, Limits, Results, Turn
from ringback.episode.identity import arm, condition, opening
from ringback.episode.participants import AgentBrief, Reply, UserBrief, View
from ringback.episode.run import play
from ringback.episode.seeds import Stream
from ringback.errors import InputError
from ringback.models import ModelEntry, check, open_model
from ringback.testing import FAULTS, ChaosServer, ChatCall, ChatReply, played_by, scripted, spread
from ringback.users import open_user

HELLO: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Hello"}]}


def ask(
    server: ChaosServer, request: dict[str, Any], key: str = "k", seconds: float = 10
) -> tuple[int, dict[str, str], Any]:
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=seconds)
    try:
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        line.request("POST", "/v1/chat/completions", json.dumps(request), headers)
        answer = line.getresponse()
        return answer.status, dict(answer.getheaders()), json.loads(answer.read())
    finally:
        line.close()


def test_a_scripted_reply_comes_as_a_chat_completion() -> None:
    reply = ChatReply("One moment.", (ChatCall("get_bill", {"id": "B1"}),), reasoning="hm")
    with ChaosServer(scripted([reply])) as server:
        status, _, body = ask(server, HELLO)
    choice = body["choices"][0]
    assert (status, body["model"], choice["finish_reason"]) == (200, "chaos-1", "tool_calls")
    assert choice["message"]["content"] == "One moment."
    assert choice["message"]["reasoning_content"] == "hm"
    called = choice["message"]["tool_calls"][0]["function"]
    assert (called["name"], json.loads(called["arguments"])) == ("get_bill", {"id": "B1"})
    usage = body["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert usage["prompt_tokens_details"]["cached_tokens"] < usage["prompt_tokens"]
    assert usage["completion_tokens_details"]["reasoning_tokens"] == 1


@pytest.mark.parametrize(
    ("fault", "status"),
    [("rate_limit", 429), ("server_error", 500), ("context_overflow", 400)],
)
def test_errors_have_their_status_and_are_no_answers(fault: Any, status: int) -> None:
    with ChaosServer(scripted(["hi"]), faults={fault: 1.0}, retry_after=0.25) as server:
        found, headers, body = ask(server, HELLO)
        entry = server.log[0]
    assert found == status == entry.status
    assert body["error"]["message"]
    assert not entry.answered
    assert entry.fault == fault
    assert headers.get("Retry-After") == ("0.25" if fault == "rate_limit" else None)


def test_a_cut_body_and_a_body_that_is_no_json() -> None:
    with ChaosServer(scripted(["hi"] * 9), faults={"cut": 1.0}) as server:
        with pytest.raises(http.client.IncompleteRead):
            ask(server, HELLO)
        server.faults = {"malformed_json": 1.0}
        with pytest.raises(json.JSONDecodeError):
            ask(server, HELLO)
        assert server.answered == []


def test_a_hanging_request_ends_when_its_client_leaves_and_when_the_server_closes() -> None:
    with ChaosServer(scripted(["hi"]), faults={"hang": 1.0}) as server:
        with pytest.raises(TimeoutError):
            ask(server, HELLO, seconds=0.2)
        until = time.monotonic() + 5
        while server.log[0].ended is None and time.monotonic() < until:
            time.sleep(0.01)
        assert server.log[0].ended is not None
        problems: list[Exception] = []

        def wait() -> None:
            try:
                ask(server, HELLO, seconds=30)
            except (OSError, http.client.HTTPException) as problem:
                problems.append(problem)

        waiting = threading.Thread(target=wait)
        waiting.start()
        while len(server.log) < 2:
            time.sleep(0.01)
    waiting.join(10)
    assert problems


def test_answers_gone_astray_are_whole_answers() -> None:
    plain = ChatReply(None, (ChatCall("get_bill", {"id": "B1"}),))
    found: dict[str, dict[str, Any]] = {}
    for fault in FAULTS[5:]:
        if fault in ("context_overflow",):
            continue
        with ChaosServer(scripted([plain]), faults={fault: 1.0}) as server:
            _, _, body = ask(server, HELLO)
            assert server.log[0].answered
            assert server.log[0].reply == body
        found[fault] = body
    message = {fault: body["choices"][0]["message"] for fault, body in found.items()}
    with pytest.raises(json.JSONDecodeError):
        json.loads(message["malformed_arguments"]["tool_calls"][0]["function"]["arguments"])
    assert message["empty"]["content"] == ""
    assert message["empty"].get("tool_calls") is None
    assert message["reasoning_only"]["content"] is None
    assert message["reasoning_only"]["reasoning_content"]
    assert len(message["parallel_calls"]["tool_calls"]) == 2
    assert message["unknown_tool"]["tool_calls"][0]["function"]["name"] != "get_bill"
    assert found["wrong_model"]["model"] != "chaos-1"
    assert message["refusal"]["refusal"]
    assert found["refusal"]["choices"][0]["finish_reason"] == "content_filter"


def test_faults_depend_on_seed_and_request_not_on_their_order() -> None:
    requests = [
        {"model": "m", "messages": [{"role": "user", "content": f"number {n}"}]} for n in range(40)
    ]

    def faults(order: list[dict[str, Any]], seed: int) -> dict[str, str | None]:
        kinds = spread(0.5, "empty", "refusal", "wrong_model")
        with ChaosServer(scripted(["x"] * 99), faults=kinds, seed=seed) as server:
            for request in order:
                ask(server, request)
            return {entry.request["messages"][0]["content"]: entry.fault for entry in server.log}

    assert faults(requests, 1) == faults(requests[::-1], 1) != faults(requests, 2)
    drawn = list(faults(requests, 1).values())
    assert 8 <= len(drawn) - drawn.count(None) <= 32
    assert sum(spread(0.2).values()) == pytest.approx(0.2)
    assert set(spread(0.2)) == set(FAULTS)


def test_one_connection_carries_many_requests_and_many_connections_run_side_by_side() -> None:
    with ChaosServer(scripted(["x"] * 200), delay=0.2) as server:
        line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        server.delay = 0.0
        for _ in range(50):
            line.request("POST", "/v1/chat/completions", json.dumps(HELLO))
            assert line.getresponse().read()
        line.close()
        server.delay = 0.2
        began = time.monotonic()
        crew = [threading.Thread(target=ask, args=(server, HELLO)) for _ in range(16)]
        for one in crew:
            one.start()
        for one in crew:
            one.join()
        assert time.monotonic() - began < 16 * 0.2
        assert [entry.number for entry in server.log] == list(range(1, 67))


def test_a_key_is_asked_for_and_never_kept() -> None:
    with ChaosServer(scripted(["hi"]), key="sesame-5417") as server:
        assert ask(server, HELLO, key="wrong")[0] == 401
        assert server.log == []
        assert ask(server, HELLO, key="sesame-5417")[0] == 200
        assert "sesame-5417" not in repr(server.log)


def ignore(events: Sequence[AnyEvent], contents: Mapping[str, str]) -> None:
    """Keep nothing."""


class OverTheWire:
    """A participant that asks the server in the plainest way; only for this test."""

    def __init__(self, server: ChaosServer, system: str, side: Any) -> None:
        self.server, self.system, self.side = server, system, side

    async def act(self, view: View, random: Stream) -> Reply:
        messages: list[dict[str, Any]] = [{"role": "system", "content": self.system}]
        greeting = "assistant" if self.side == "agent" else "user"
        messages.append({"role": greeting, "content": view.greeting})
        for event in view.events:
            if isinstance(event, Results):
                messages += [
                    {"role": "tool", "tool_call_id": f"{event.turn}-{n}", "content": result.text}
                    for n, result in enumerate(event.results)
                ]
            elif isinstance(event, Turn) and event.by != view.side:
                messages.append({"role": "user", "content": event.text})
            elif isinstance(event, Turn):
                calls = [
                    {
                        "id": f"{event.seq}-{index}",
                        "type": "function",
                        "function": {"name": call.tool, "arguments": json.dumps(call.arguments)},
                    }
                    for index, call in enumerate(event.calls)
                ]
                one: dict[str, Any] = {"role": "assistant", "content": event.text}
                messages.append(one | ({"tool_calls": calls} if calls else {}))
        _, _, body = await asyncio.to_thread(ask, self.server, {"model": "m", "messages": messages})
        message = body["choices"][0]["message"]
        calls = tuple(
            Call(call["function"]["name"], json.loads(call["function"]["arguments"]))
            for call in message.get("tool_calls") or ()
        )
        return Reply(message["content"], calls)


def test_reference_and_rules_solve_a_task_over_the_wire() -> None:
    domain = load()
    task = domain.tasks("test")[0]
    agent, user = open_agent("reference"), open_user("rules")
    policy = domain.policies[0]
    scenario = domain.scenario(task)
    with ChaosServer(played_by("reference")) as ours, ChaosServer(played_by("rules")) as theirs:
        start = opening(
            domain,
            condition(domain, user.setup, Limits()),
            arm(domain, agent.setup, policy),
            "wire",
            Draw(task.id, 0, 0),
        )
        plain = Episode(start, domain)
        brief = AgentBrief(domain.name, policy, domain.policy(policy), domain.tools("agent"))
        caller = UserBrief(domain.name, scenario, domain.tools("user"))
        asyncio.run(play(plain, agent.take(brief), user.take(caller), ignore))
        wired = Episode(start, domain)
        asyncio.run(
            play(
                wired,
                OverTheWire(ours, "policy", "agent"),
                OverTheWire(theirs, f"You are a caller.\n{scenario.text}\n", "user"),
                ignore,
            )
        )
    assert wired.end is not None
    assert wired.end.ending == "user_stop"
    assert domain.check(task, wired.happenings, wired.world).satisfied
    assert domain.check(task, plain.happenings, plain.world).satisfied


def test_an_unknown_player_is_refused() -> None:
    with pytest.raises(InputError, match="no user simulator 'nobody'"):
        played_by("nobody")


def sent(server: ChaosServer, raw: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as line:
        line.sendall(raw)
        line.shutdown(socket.SHUT_WR)
        got = b""
        while more := line.recv(65536):
            got += more
        return got


@pytest.mark.parametrize(
    "raw",
    [
        b"nonsense\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\r\n",
        b"POST /v1/chat/completions\r\n\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: many\r\n\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nno colon\r\n\r\n",
        *(
            b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s"
            % (len(body), body)
            for body in (b"[]", b"17", b"null", b"{", b'{"messages": 3}', b'{"messages": ["x"]}')
        ),
        b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 100000\r\n\r\n" + b"[" * 100_000,
    ],
)
def test_what_is_no_request_is_told_so_and_the_server_goes_on(
    raw: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with ChaosServer(scripted(["hi"])) as server:
        assert sent(server, raw).startswith(b"HTTP/1.1 400 ")
        assert not server.log
        assert ask(server, HELLO)[0] == 200
    assert not caplog.records


def test_a_line_without_end_is_not_read() -> None:
    with ChaosServer(scripted(["hi"])) as server:
        with contextlib.suppress(OSError):  # with much unread the line is cut
            sent(server, b"POST /" + b"a" * 2_000_000)
        assert ask(server, HELLO)[0] == 200


def test_a_brain_that_raises_is_an_error_of_the_server() -> None:
    def brain(_: dict[str, Any]) -> ChatReply:
        raise ZeroDivisionError("oh no")

    with ChaosServer(brain) as server:
        status, _, body = ask(server, HELLO)
        (entry,) = server.log
    assert (status, entry.status, entry.answered) == (500, 500, False)
    assert "ZeroDivisionError: oh no" in body["error"]["message"]


def test_a_reply_that_the_client_does_not_wait_for_was_not_given() -> None:
    with ChaosServer(scripted(["A" * 20_000_000])) as server:
        body = json.dumps(HELLO).encode()
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as line:
            line.sendall(
                b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body)
                + body
            )
            line.recv(1000)
        while not server.log or server.log[0].ended is None:
            time.sleep(0.01)
        (entry,) = server.log
    assert entry.status == 200
    assert not entry.answered


@pytest.mark.parametrize("name", ["reference", "rules"])
def test_anothers_tools_are_called_and_their_answers_told(name: str) -> None:
    parameters = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city", "days"],
    }
    tool = {"type": "function", "function": {"name": "weather", "parameters": parameters}}
    asked = {"role": "user", "content": "What is it like in Oslo, and in Bergen? Look it up."}
    with ChaosServer(played_by(name)) as server:
        message = ask(server, {"messages": [asked], "tools": [tool]})[2]["choices"][0]["message"]
        results = [
            {"role": "tool", "tool_call_id": call["id"], "content": "sunny"}
            for call in message["tool_calls"]
        ]
        after = ask(server, {"messages": [asked, message, *results], "tools": [tool]})[2]
    arguments = [json.loads(call["function"]["arguments"]) for call in message["tool_calls"]]
    assert arguments == [{"city": "Oslo", "days": 1}, {"city": "Bergen", "days": 1}]
    assert "sunny" in after["choices"][0]["message"]["content"]


def test_a_model_of_this_server_passes_the_check() -> None:
    with ChaosServer(played_by("reference")) as server:
        entry = ModelEntry("openai:chaos-1", base_url=server.base_url)
        report = asyncio.run(check(open_model("chaos", {"chaos": entry})))
    assert report.works
    found = {finding.what: finding.holds for finding in report.findings}
    assert found["tools"] is True
    assert found["parallel calls"] is True
