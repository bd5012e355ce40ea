"""What a server or the way to it can do to a call: said in words that tell what to look at."""

from __future__ import annotations

import asyncio
import gzip
import json
import resource
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from ringback.episode.wire import Answer
from ringback.errors import InputError
from ringback.models import ModelEntry, open_model
from ringback.models.bounds import MOST_BYTES, MOST_KEPT
from tests.models.backend import Backend, Reply, asking, completion

QUICK: dict[str, Any] = {"max_retries": 0}


def ask(url: str, **more: Any) -> Answer:
    settings = {**QUICK, **more.pop("settings", {})}
    entry = ModelEntry(more.pop("model", "openai:x"), base_url=url, settings=settings, **more)
    return asyncio.run(open_model("mine", {"mine": entry}).ask(asking(), seconds=20))


@contextmanager
def raw(*sent: bytes, context: ssl.SSLContext | None = None) -> Generator[str]:
    """A server that reads a head, sends these bytes and hangs up."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        for reply in sent:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with closing(connection):
                try:
                    if context is not None:
                        connection = context.wrap_socket(connection, server_side=True)
                    connection.recv(1_000_000)
                    connection.sendall(reply)
                except OSError:
                    pass

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.close()


def test_a_closed_port_and_an_unknown_host_are_named() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(InputError) as caught:
        ask(f"http://127.0.0.1:{port}/v1")
    assert f"cannot connect to 127.0.0.1:{port}: Connection refused" in str(caught.value)
    with pytest.raises(InputError) as caught:
        ask("http://no-such-host.invalid/v1")
    why = str(caught.value).lower()
    assert "cannot connect to no-such-host.invalid: " in why
    assert "known" in why or "resolution" in why


def test_no_tls_where_some_is_expected_is_the_users_to_mend() -> None:
    with raw(b"HTTP/1.1 400 no\r\n\r\n") as host, pytest.raises(InputError) as caught:
        ask(f"https://{host}/v1")
    assert "over TLS" in str(caught.value)
    assert host in str(caught.value)


def test_a_certificate_that_nobody_signed_is_the_users_to_mend(tmp_path: Path) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl to make a certificate with")
    key, certificate = str(tmp_path / "k.pem"), str(tmp_path / "c.pem")
    made = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x"]
    subprocess.run([*made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with raw(b"", context=context) as host, pytest.raises(InputError, match="SSL_CERT_FILE") as one:
        ask(f"https://{host}/v1")
    assert "certificate verify failed" in str(one.value)


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (b"", ""),  # the system says "disconnected" or "reset", as it comes
        (b"HTTP/1.1 200 O", "broke"),
        (b"SSH-2.0 x\r\n\r\n", "illegal status line"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", "broke"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope",
            "cannot be read",
        ),
    ],
)
def test_how_a_reply_broke_off_is_said(sent: bytes, why: str) -> None:
    with raw(sent) as host:
        answer = ask(f"http://{host}/v1")
    assert answer.failure == "infrastructure"
    assert host in (answer.why or "")
    assert why in (answer.why or "")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": {"message": "the model is loading"}}, "the model is loading"),
        ({"error": "plain words"}, "plain words"),
        ({"object": "error", "message": "no such adapter", "code": 40303}, "no such adapter"),
        ({"error": {"message": "busy", "code": 503}}, "busy"),
        ({"id": "x"}, "It is no chat completion"),
    ],
)
def test_an_error_with_the_status_of_a_success_is_read(body: dict[str, Any], said: str) -> None:
    with Backend(Reply(body)) as backend:
        answer = ask(backend.url)
    assert answer.failure in ("infrastructure", "malformed")
    assert said in (answer.why or "")
    assert "HTTP" not in (answer.why or "")


def test_a_quota_that_is_spent_is_the_users_to_mend_whatever_the_status() -> None:
    error = {"message": "no quota", "type": "insufficient_quota", "code": "insufficient_quota"}
    with Backend(Reply({"error": error})) as backend, pytest.raises(InputError, match="no quota"):
        ask(backend.url)


@pytest.mark.parametrize(
    "body",
    [{"error": {"message": "the reason"}}, {"message": "the reason"}, {"detail": "the reason"}],
)
def test_the_reason_in_a_refusal_is_read(body: dict[str, Any]) -> None:
    with Backend(Reply(body, 400)) as backend:
        answer = ask(backend.url)
    assert answer.failure == "rejected"
    assert (answer.why or "").startswith("HTTP 400")
    assert "the reason" in (answer.why or "")


def test_a_huge_error_is_shortened() -> None:
    with Backend(Reply({"error": {"message": "E" * 5_000_000}}, 400)) as backend:
        answer = ask(backend.url)
    assert len(answer.why or "") <= 300


@pytest.mark.parametrize("key", ["ab\ncdefgh", "abcdéfgh", "a\rbcdefg", "ab\x1bcdefg"])
@pytest.mark.parametrize("variable", ["LAB_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"])
def test_a_key_that_no_header_can_hold_is_named_and_nothing_is_sent(
    key: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, key)
    provider = "anthropic" if variable.startswith("ANTHROPIC") else "openai"
    with Backend(completion()) as backend:
        monkeypatch.setenv(f"{provider.upper()}_BASE_URL", backend.url)
        own = variable == "LAB_KEY"
        entry = ModelEntry(
            f"{provider}:x",
            base_url=backend.url if own else None,
            key_env=variable if own else None,
        )
        with pytest.raises(InputError) as caught:
            asyncio.run(open_model("mine", {"mine": entry}).ask(asking(), seconds=20))
    assert variable in str(caught.value)
    assert key not in str(caught.value)
    assert not backend.sent


@pytest.mark.parametrize("value", ["a\r\nb: c", "a\nb"])
def test_a_header_that_would_be_two_is_refused(value: str) -> None:
    with Backend(completion()) as backend, pytest.raises(InputError, match="extra_headers"):
        ask(backend.url, settings={"extra_headers": {"X-A": value}})
    assert not backend.sent


def test_an_address_of_the_environment_that_is_none_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://h/\x01")
    with pytest.raises(InputError, match="address"):
        open_model("openai:gpt-5.2")
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "http://h/\x01")
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "0123456789")
    monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
    with pytest.raises(InputError, match="address"):
        open_model("azure:gpt-5.2").ready()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize("packed", [True, False])
def test_a_reply_without_end_is_not_read_to_its_end(status: int, packed: bool) -> None:
    plain = b" " * (300 * 2**20 if packed else MOST_BYTES + 2**20)
    body = gzip.compress(plain, 9) if packed else plain
    headers = {"Content-Encoding": "gzip"} if packed else {}
    del plain
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with Backend(Reply(body, status, headers)) as backend:
        answer = ask(backend.url, settings={"max_retries": 3})
    assert answer.failure == "malformed"
    assert "longer than 16 MiB" in (answer.why or "")
    assert len(backend.sent) == 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 120_000


def test_a_packed_reply_within_bounds_is_read() -> None:
    body = gzip.compress(json.dumps(completion("Hello." * 200_000)).encode())
    with Backend(Reply(body, 200, {"Content-Encoding": "gzip"})) as backend:
        answer = ask(backend.url)
    assert answer.failure is None


def test_a_reply_that_is_too_long_to_be_sent_again_is_not_kept() -> None:
    with Backend(completion("Hi.", reasoning_content="R" * (MOST_KEPT + 1))) as backend:
        answer = ask(backend.url, settings={"max_retries": 3})
    assert (answer.failure, answer.message) == ("malformed", None)
    assert "longer than 4 MiB" in (answer.why or "")
    assert len(backend.sent) == 1
