"""The guard: whoever was not given the address gets nothing, however a request is dressed up."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import httpx2
import pytest

from ringback.errors import InputError
from ringback.web.guard import ENTRY, OUTSIDE, Guard, Place, listening, new_token

TOKEN = "a-token-of-a-test-that-is-the-same-whenever-it-is-made"
PLACE = Place("127.0.0.1", 8719)
ORIGIN = "http://127.0.0.1:8719"


async def app(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"the secret within"})


def ask(
    *requests: tuple[str, str, dict[str, str]], guard: Guard | None = None, place: Place = PLACE
) -> list[httpx2.Response]:
    """Answers to requests of one client, which keeps its cookies."""
    guarded = guard or Guard(app, place, TOKEN, cookie="desk")

    async def all_of_them() -> list[httpx2.Response]:
        transport = httpx2.ASGITransport(app=guarded)
        async with httpx2.AsyncClient(transport=transport, base_url=ORIGIN) as client:
            return [
                await client.request(method, path, headers=headers)
                for method, path, headers in requests
            ]

    return asyncio.run(all_of_them())


IN: tuple[str, str, dict[str, str]] = ("GET", ENTRY + TOKEN, {})


def test_the_printed_address_is_exchanged_for_a_cookie() -> None:
    entered, within = ask(IN, ("GET", "/", {}))
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert TOKEN not in cookie + entered.text
    assert within.text == "the secret within"


def test_a_link_on_another_page_may_lead_in_and_nothing_else_may_come_from_there() -> None:
    elsewhere = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    entered, straight, image = ask(
        ("GET", ENTRY + TOKEN, elsewhere), ("GET", "/", elsewhere), ("GET", "/", elsewhere)
    )
    assert entered.status_code == 200
    assert straight.status_code == image.status_code == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_of_another_page_nothing_but_a_look_is_a_way_in(method: str) -> None:
    elsewhere = {"Sec-Fetch-Site": "cross-site"}
    (answer,) = ask((method, ENTRY + TOKEN, elsewhere))
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_who_asks_for_headers_alone_may_look_and_is_given_no_cookie() -> None:
    guard = Guard(app, PLACE, TOKEN, cookie="desk")
    path = guard.entry_once()
    head, opened, within = ask(
        ("HEAD", path, {}), ("GET", path, {}), ("HEAD", "/", {}), guard=guard
    )
    assert head.status_code == 405
    assert "set-cookie" not in head.headers
    assert opened.status_code == 200, "a program that looks at links uses none up"
    assert within.status_code == 200


@pytest.mark.parametrize("kind", ["websocket", "webtransport"])
def test_what_is_no_request_of_a_page_reaches_nothing(kind: str) -> None:
    """A page elsewhere can open such a connection, and no rule of a browser's forbids it."""
    reached: list[str] = []
    said: list[Any] = []

    async def within(scope: Any, receive: Any, send: Any) -> None:
        reached.append(scope["type"])

    async def receive() -> Any:
        return {"type": f"{kind}.connect"}

    async def send(message: Any) -> None:
        said.append(message)

    headers = [(b"host", b"127.0.0.1:8719"), (b"authorization", f"Bearer {TOKEN}".encode())]
    scope: Any = {"type": kind, "path": "/", "headers": headers}
    asyncio.run(Guard(within, PLACE, TOKEN, cookie="desk")(scope, receive, send))
    assert (reached, said) == ([], [])


def test_no_two_servers_have_one_token() -> None:
    assert len({new_token() for _ in range(100)}) == 100
    assert min(len(new_token()) for _ in range(100)) >= 43


@pytest.mark.parametrize("path", ["/", "/start", ENTRY, ENTRY + "x", ENTRY + TOKEN[:-1]])
def test_without_the_token_nothing_is_answered(path: str) -> None:
    for answer in ask(("GET", path, {}), ("POST", path, {"Origin": ORIGIN})):
        assert answer.status_code in (401, 405)
        assert "secret" not in answer.text
        assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8719",
        "127.0.0.1",
        "127.0.0.1:80",
        "localhost:8719.evil.example",
        "127.0.0.1.evil.example:8719",
        "[::2]:8719",
        "[::1]",
        "::1",
        "",
    ],
)
def test_a_foreign_host_is_refused_with_token_and_cookie(host: str) -> None:
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    _, cookie, token, entry = ask(
        IN,
        ("GET", "/", {"Host": host}),
        ("GET", "/", {"Host": host, **bearer}),
        ("GET", ENTRY + TOKEN, {"Host": host}),
    )
    assert [each.status_code for each in (cookie, token, entry)] == [421, 421, 421]


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8719", "localhost:8719", "LOCALHOST:8719", "[::1]:8719"]
)
def test_our_own_names_are_taken(host: str) -> None:
    assert ask(IN, ("GET", "/", {"Host": host}))[1].status_code == 200


@pytest.mark.parametrize("address", ["192.0.2.5", "2001:db8::5", "127.0.0.2", "::1"])
def test_on_one_address_no_other_name_or_address_is_ours(address: str) -> None:
    place = Place(address, 8719)
    ours = place.url.removeprefix("http://")
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    names = ["evil.example:8719", "192.0.2.6:8719", "[2001:db8::6]:8719", "127.0.0.3:8719"]
    if address in ("192.0.2.5", "2001:db8::5"):
        names += ["localhost:8719", "127.0.0.1:8719", f"{socket.gethostname()}:8719"]
    within, *foreign = ask(
        *(("GET", "/", {"Host": host, **bearer}) for host in (ours, *names)), place=place
    )
    assert (within.status_code, within.text) == (200, "the secret within")
    assert {each.status_code for each in foreign} == {421}


def test_an_address_of_version_6_is_ours_in_the_brackets_that_a_browser_sends() -> None:
    assert Place("::1", 8719).url == "http://[::1]:8719"
    assert Place("::", 8719).url == "http://[::1]:8719"
    assert Place("::1", 80).is_ours("[::1]")
    assert Place("::", 8719).is_ours("[2001:db8::7]:8719")
    assert not Place("::", 8719).is_ours("[2001:db8::7]:8720")
    assert not Place("::", 8719).is_ours("evil.example:8719")


def test_an_address_of_version_6_may_be_given_in_brackets() -> None:
    try:
        listening("::1", 0)[0].close()
    except InputError as problem:
        pytest.skip(f"this machine has no loopback of version 6: {problem}")
    listener, place = listening("[::1]", 0)
    listener.close()
    assert place == Place("::1", place.port)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": "https://127.0.0.1:8719"},
        {"Origin": "http://localhost:8719"},  # it is another origin than the Host's
        {"Origin": "null"},
        {"Origin": ORIGIN, "Sec-Fetch-Site": "cross-site"},
        {"Origin": ORIGIN, "Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "none"},
        {},
    ],
)
def test_a_change_must_come_from_our_page(headers: dict[str, str]) -> None:
    assert ask(IN, ("POST", "/start", headers))[1].status_code == 403
    assert ask(IN, ("DELETE", "/start", headers))[1].status_code == 403


@pytest.mark.parametrize("headers", [{"Origin": ORIGIN}, {"Sec-Fetch-Site": "same-origin"}])
def test_a_change_from_our_page_goes_through(headers: dict[str, str]) -> None:
    assert ask(IN, ("POST", "/start", headers))[1].status_code == 200


def test_a_header_that_is_there_twice_is_no_header_of_ours() -> None:
    async def twice(name: bytes, *values: bytes) -> int:
        said: list[Any] = []
        guard = Guard(app, PLACE, TOKEN, cookie="desk")
        headers = [(b"host", b"127.0.0.1:8719"), (b"authorization", f"Bearer {TOKEN}".encode())]
        kept = [pair for pair in headers if pair[0] != name]
        scope: Any = {"type": "http", "method": "POST", "path": "/"}
        scope["headers"] = kept + [(name, value) for value in values]

        async def send(message: Any) -> None:
            said.append(message)

        async def receive() -> Any:
            return {"type": "http.request"}

        await guard(scope, receive, send)
        return said[0]["status"]

    ours = b"127.0.0.1:8719"
    assert asyncio.run(twice(b"host", ours, b"evil.example")) == 421
    assert asyncio.run(twice(b"origin", ORIGIN.encode(), b"http://evil.example")) == 403
    assert asyncio.run(twice(b"sec-fetch-site", b"same-origin", b"cross-site")) == 403
    assert asyncio.run(twice(b"authorization", b"Bearer x", f"Bearer {TOKEN}".encode())) == 401


def test_a_program_comes_with_a_bearer_and_gets_no_cookie() -> None:
    guard = Guard(app, PLACE, TOKEN)
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    let, wrong, entry = ask(
        ("POST", "/mcp", bearer), ("POST", "/mcp", {"Authorization": "Bearer x"}), IN, guard=guard
    )
    assert (let.status_code, wrong.status_code, entry.status_code) == (200, 401, 401)
    assert wrong.headers["www-authenticate"] == "Bearer"
    foreign = ask(("POST", "/mcp", {**bearer, "Origin": "http://evil.example"}), guard=guard)
    assert foreign[0].status_code == 403


def test_what_is_shown_on_a_command_line_lets_in_once() -> None:
    guard = Guard(app, PLACE, TOKEN, cookie="desk")
    path = guard.entry_once()
    first, again, printed = ask(("GET", path, {}), ("GET", path, {}), IN, guard=guard)
    assert (first.status_code, again.status_code, printed.status_code) == (200, 401, 200)


def test_every_answer_is_kept_out_of_caches_frames_and_other_hands() -> None:
    answers = [*ask(IN, ("GET", "/", {}), ("POST", "/", {})), *ask(("GET", "/", {}))]
    assert sorted(each.status_code for each in answers) == [200, 200, 401, 403]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "form-action 'self'" in policy
        assert "base-uri 'none'" in policy
        assert "object-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] in ("same-origin", "no-referrer")


def test_nothing_listens_beyond_loopback_unasked() -> None:
    for host in ("0.0.0.0", "::", "192.0.2.1"):
        with pytest.raises(InputError, match="unencrypted") as refused:
            listening(host, 0)
        assert OUTSIDE in str(refused.value)
    listener, place = listening("0.0.0.0", 0, outside=True)
    listener.close()
    assert place.url.startswith("http://127.0.0.1:")
    assert place.warning is not None
    assert f"on every address of this machine, port {place.port}, not only the one" in place.warning
    assert "unencrypted" in (Place("192.0.2.5", 8719).warning or "")
    assert Place("127.0.0.1", 8719).warning is Place("::1", 8719).warning is None
    assert place.is_ours(f"192.0.2.7:{place.port}")
    assert place.is_ours(f"{socket.gethostname()}:{place.port}")
    assert not place.is_ours(f"evil.example:{place.port}")


def test_a_port_that_is_taken_is_said_in_one_sentence() -> None:
    listener, place = listening("localhost", 0)
    with listener, pytest.raises(InputError, match="is taken by another program"):
        listening("127.0.0.1", place.port)


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_that_is_none(port: int) -> None:
    with pytest.raises(InputError, match="is no port"):
        listening("127.0.0.1", port)


def test_a_host_that_is_no_address() -> None:
    with pytest.raises(InputError, match="is no address"):
        listening("example.org", 0, outside=True)
