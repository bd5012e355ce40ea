"""The server's process over pipes: what is no message, how it ends, what is left by a kill."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ringback.episode.events import Turn
from ringback.sessions import Store
from ringback.testing import ChaosServer, scripted
from ringback.web.mcp.stdio import LONGEST
from tests.cli.conftest import PROGRAM, Cli, environment, refused
from tests.web.mcp.pipes import Pipe, piped, slow_customer

SAYS = "My internet is slow, can you help me?"


def begun(pipe: Pipe) -> str:
    pipe.shake_hands()
    started = pipe.call("start")
    assert not started.get("isError"), started
    return started["structuredContent"]["session"]


def test_what_is_no_message_is_answered_and_nothing_else_happens(tmp_path: Path) -> None:
    with piped(tmp_path, "--case", "2") as pipe:
        begun(pipe)
        for line, code in (
            (b"hello", -32700),
            (b"\xff\xfe{", -32700),
            (b'{"jsonrpc": "2.0", "id": 1', -32700),
            (b"[" * 5000, -32700),
            (b"7", -32600),
            (b'{"method": "x" , "params": [1]}', -32600),
            (b'"' + b"x" * (LONGEST + 5) + b'"', -32600),
        ):
            pipe.send(line)
            answer = pipe.next()
            assert (answer["id"], answer["error"]["code"]) == (None, code), line[:40]
        pipe.send(b'{"jsonrpc": "1.0", "id": "one", "method": "ping"}')
        answer = pipe.next()
        assert (answer["id"], answer["error"]["code"]) == ("one", -32600)
        pipe.send(b"")
        assert pipe.ask("tools/none", {})["code"] == -32601
        looked = pipe.call("look", {"part": "conversation"})
        assert looked["structuredContent"]["stands"]["steps"] == 1
        pipe.process.send_signal(signal.SIGTERM)
        assert pipe.ended()[::2] == (0, "")


DEEP = b'{"x": ' * 3000 + b"1" + b"}" * 3000


@pytest.mark.parametrize(
    ("number", "arguments", "answered"),
    [
        (b"7", b'{"text": "\\ud800"}', 7),
        (b'"seven"', b'{"text": "\\udfff \\ud800", "id": 8}', "seven"),
        (b"7", DEEP, 7),
        (b"7", b"[" * 3000 + b"]" * 3000, 7),
        (b"7", b'{"text": "\xed\xa0\x80"}', 7),
        (b"7", b'{"text": "a", x}', 7),
        (b"NaN", b"{}", None),
        (b"Infinity", b"{}", None),
        (b"7.5", b"{}", None),
        (b"null", b"{}", None),
        (b"true", b"{}", None),
        (b'{"id": 7}', b"{}", None),
    ],
    ids=[
        "surrogate",
        "surrogates",
        "deep",
        "deep-list",
        "bytes",
        "broken",
        "nan",
        "infinite",
        "broken-number",
        "null",
        "bool",
        "object",
    ],
)
def test_whoever_asks_what_cannot_be_read_is_answered(
    tmp_path: Path, number: bytes, arguments: bytes, answered: object
) -> None:
    with piped(tmp_path, "--case", "2") as pipe:
        begun(pipe)
        for order in (
            b'{"jsonrpc": "2.0", "id": %b, "method": "tools/call", '
            b'"params": {"name": "say", "arguments": %b}}' % (number, arguments),
            b'{"params": {"arguments": %b, "name": "say"}, "method": "tools/call", '
            b'"\\u0069d": %b, "jsonrpc": "2.0"}' % (arguments, number),
        ):
            pipe.send(order)
            answer = pipe.next()
            assert answer["id"] == answered
            assert answer["error"]["code"] in (-32700, -32600)
        looked = pipe.call("look", {"part": "conversation"})
        assert looked["structuredContent"]["stands"]["steps"] == 1


def test_arguments_that_are_no_object_are_a_turn_too(tmp_path: Path) -> None:
    with piped(tmp_path, "--case", "2") as pipe:
        session = begun(pipe)
        for odd in ("C1001", ["C1001"], 7, False, {"\0": 5}, {"\0": {"\0": 5}}):
            answer = pipe.call("get_customer_by_id", odd)
            assert answer["isError"]
            assert answer["structuredContent"]["news"][0]["error"]
        assert "as an object" in pipe.call("say", "Hello")["structuredContent"]["refused"]
    with Store.open(tmp_path / "s.db", write=False) as store:
        calls = [
            event.calls[0].arguments
            for event in store.events(session)
            if isinstance(event, Turn) and event.calls
        ]
    assert calls == ["C1001", ["C1001"], 7, False, {"\0": 5}, {"\0": {"\0": 5}}]


def test_whatever_text_comes_is_kept_or_refused(tmp_path: Path) -> None:
    with piped(tmp_path, "--case", "2") as pipe:
        begun(pipe)
        for text in ("\0\x1b[2J\u202e", "<script>alert(1)</script>", "###STOP", "x" * 100_000):
            answer = pipe.call("say", {"text": text})
            assert not answer.get("isError"), answer
        deep: list[object] = []
        for _ in range(150):
            deep = [deep]
        for odd in ({"id": "\0" * 9}, {"id": 10**400}, {"id": deep}, {"\u202e": None}):
            answer = pipe.call("get_details_by_id", odd)
            assert answer["isError"]
            assert answer["structuredContent"]["news"][0]["error"], answer
        # Half a surrogate pair is no text that UTF-8 holds.
        pipe.send(b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"text":"\\ud800"}}')
        answer = pipe.next()
        assert (answer["id"], answer["error"]["code"]) == (1, -32700)
        assert pipe.call("look", {"part": "conversation"})["structuredContent"]
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in pipe.out.splitlines())


@pytest.mark.parametrize("how", ["end of input", "SIGINT", "SIGTERM"])
def test_it_ends_within_a_second_though_a_customer_is_awaited(tmp_path: Path, how: str) -> None:
    with ChaosServer(scripted([SAYS, SAYS]), delay=20.0) as server:
        customer = slow_customer(tmp_path, server)
        with piped(tmp_path, "--case", "2", *customer, cold=True) as pipe:
            pipe.shake_hands()
            pipe.begin("tools/call", {"name": "start"})
            _until_asked(server, 1)
            if how == "end of input":
                pipe.process.stdin.close()
            else:
                pipe.process.send_signal(getattr(signal, how))
            code, took, errors = pipe.ended()
        assert took < 1.0
        assert code == (130 if how == "SIGINT" else 0)
        assert "Traceback" not in errors
        assert len(errors.splitlines()) == (1 if how == "SIGINT" else 0)
        server.delay = 0.0
        with piped(tmp_path, "--case", "2", *customer) as pipe:
            pipe.shake_hands()
            answer = pipe.call("wait")
    assert answer["structuredContent"]["state"] == "yours"
    assert SAYS in answer["content"][0]["text"]


def test_a_kill_in_the_midst_of_a_call_loses_nothing(tmp_path: Path) -> None:
    with ChaosServer(scripted([SAYS] * 3)) as server:
        customer = slow_customer(tmp_path, server)
        with piped(tmp_path, "--case", "2", *customer) as pipe:
            session = begun(pipe)
            server.delay = 20.0
            pipe.begin("tools/call", {"name": "say", "arguments": {"text": "Which number?"}})
            _until_asked(server, 2)
            pipe.process.kill()
            pipe.ended()
        server.delay = 0.0
        with piped(tmp_path, "--case", "2", *customer) as pipe:
            pipe.shake_hands()
            told = pipe.call("say", {"text": "Which number?"})
            assert "has not answered yet" in told["structuredContent"]["refused"]
            answer = pipe.call("wait")
            assert answer["structuredContent"]["steps"] == 3
            looked = pipe.call("look", {"part": "conversation"})
    said = [item.get("text") for item in looked["structuredContent"]["conversation"]]
    assert said.count("Which number?") == 1
    assert said.count(SAYS) == 2
    assert looked["structuredContent"]["stands"]["session"] == session


def test_two_servers_at_one_episode_do_not_mix(tmp_path: Path) -> None:
    with ChaosServer(scripted([SAYS] * 3)) as server:
        customer = slow_customer(tmp_path, server)
        with (
            piped(tmp_path, "--case", "2", *customer) as one,
            piped(tmp_path, "--case", "2", *customer) as other,
        ):
            begun(one)
            other.shake_hands()
            server.delay = 1.5
            asked = one.begin("tools/call", {"name": "say", "arguments": {"text": "Which one?"}})
            _until_asked(server, 2)
            told = other.call("say", {"text": "Hello?"})["structuredContent"]["refused"]
            assert f"process {one.process.pid} on this machine" in told
            while (message := one.next()).get("id") != asked:
                pass
            assert message["result"]["structuredContent"]["steps"] == 3
            server.delay = 0.0
            assert other.call("say", {"text": "Hello?"})["structuredContent"]["steps"] == 5


def test_a_lock_that_another_process_keeps_does_not_freeze_it(tmp_path: Path) -> None:
    with piped(tmp_path, "--case", "2") as pipe:
        begun(pipe)
        with contextlib.closing(sqlite3.connect(tmp_path / "s.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            began = time.monotonic()
            told = pipe.call("say", {"text": "Hello?"})["structuredContent"]["refused"]
            assert "try again in a moment" in told
            assert time.monotonic() - began < 5
            assert pipe.call("look")["structuredContent"]["stands"]["steps"] == 1
            other.execute("ROLLBACK")
        assert pipe.call("say", {"text": "Hello?"})["structuredContent"]["steps"] == 3
        with contextlib.closing(sqlite3.connect(tmp_path / "s.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            pipe.begin("tools/call", {"name": "say", "arguments": {"text": "Hello?"}})
            time.sleep(0.2)
            pipe.process.stdin.close()
            code, took, _ = pipe.ended()
            assert (code, took < 1.5) == (0, True)


def test_a_client_that_reads_nothing_does_not_keep_it(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [PROGRAM, "mcp", "--store", str(tmp_path / "s.db")],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    many = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "nothing"}).encode() + b"\n"
    process.stdin.write(many)
    process.stdin.flush()
    assert process.stdout is not None
    assert process.stdout.readline()
    os.set_blocking(process.stdin.fileno(), False)
    stuck = 0
    while stuck < 10:  # it reads no more, since it cannot write
        try:
            process.stdin.write(many * 100)
            process.stdin.flush()
            stuck = 0
        except BlockingIOError:
            stuck += 1
            time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    assert process.wait(timeout=20) == 0
    assert time.monotonic() - began < 1.5
    for stream in (process.stdout, process.stderr):
        assert stream is not None
        stream.close()
    with contextlib.suppress(OSError):
        process.stdin.close()


def test_what_cannot_be_served_is_one_sentence(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    refused(cli("mcp", "--case", "99999"), "no case '99999'")
    refused(cli("mcp", "--case", "2", "--tasks", "small"), "--case and --tasks")
    refused(cli("mcp", "--tasks", "none"), "none")
    refused(cli("mcp", "--policy", "none"), "none")
    refused(cli("mcp", "--user", "none"), "none")
    refused(cli("mcp", "--port", "1"), "--port goes with --http")
    refused(cli("mcp", "--as", " "), "name")
    refused(cli("mcp", "--seed", "-1"), "seed -1")
    refused(cli("mcp", "--steps", "0"), "steps")
    refused(cli("mcp", "--user", "openai:gpt-5.2"), "OPENAI_API_KEY")
    for shut in ("<&-", ">&-", "<&- >&-"):
        command = f"exec {PROGRAM} mcp {shut} 2>err"
        done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment())
        assert done.returncode == 2, shut
        assert "one of them is closed" in (tmp_path / "err").read_text()


def test_without_the_sdk_it_says_what_to_install(tmp_path: Path) -> None:
    without = "import sys; sys.modules['mcp'] = None; from ringback.cli import main; "
    code = without + "sys.exit(main(['mcp']))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().endswith("install it with: pip install 'ringback[mcp]'\n")
    code = without + "main(['mcp', '--help'])"
    helped = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert b"ringback[mcp]" in helped.stdout


def _until_asked(server: ChaosServer, times: int) -> None:
    until = time.monotonic() + 30
    while len(server.log) < times:
        assert time.monotonic() < until
        time.sleep(0.02)
