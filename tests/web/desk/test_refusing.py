"""What a desk refuses, asked without a browser: strangers, old forms, addresses that lead out."""

from __future__ import annotations

import http.client
import socket
import sqlite3
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from tests.web.desk.serving import Desk, open_desk


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Generator[Desk]:
    with open_desk(tmp_path_factory.mktemp("desk") / "s.db", "--as", "Ada") as opened:
        yield opened


@pytest.fixture(scope="module")
def client(desk: Desk) -> Generator[httpx2.Client]:
    with desk.client() as let_in:
        yield let_in


def begun(client: httpx2.Client, case: str) -> str:
    """The address of a call that has begun."""
    answer = client.post("/start", data={"case": case, "seed": "0", "trial": "0"})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Origin": "http://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Cookie": ""},
    ],
)
def test_strangers_get_nothing_and_change_nothing(
    client: httpx2.Client, headers: dict[str, str]
) -> None:
    form = {"case": "30", "seed": "0", "trial": "0"}
    for answer in (client.post("/start", data=form, headers=headers),):
        assert answer.status_code in (401, 403, 421)
        assert "<" not in answer.text
    assert "case test:30" not in client.get("/").text


def test_without_the_address_nothing_is_served(desk: Desk) -> None:
    for path in ("/", "/static/desk.css", "/e/0123456789abcdef", "/open/guess"):
        answer = httpx2.get(desk.place + path)
        assert answer.status_code == 401
        assert "<" not in answer.text


def test_a_form_that_is_sent_again_is_refused(client: httpx2.Client) -> None:
    call = begun(client, "3")
    form = {"text": "Hello.", "expect_step": "1"}
    assert client.post(f"{call}/say", data=form).status_code == 200
    again = client.post(f"{call}/say", data=form)
    assert again.status_code == 409
    assert "was behind" in again.text
    assert client.get(call).text.count('<p class="words" dir="auto">Hello.</p>') == 1


@pytest.mark.parametrize("expected", ["", "0", "2", "-1", "x", "1 ", "１"])
def test_a_command_names_the_step_of_its_page(client: httpx2.Client, expected: str) -> None:
    call = begun(client, "4")
    for command in ("say", "call", "end", "transfer", "abandon", "wait"):
        form = {"text": "Hello.", "expect_step": expected}
        assert client.post(f"{call}/{command}", data=form).status_code == 409
    assert client.post(f"{call}/say", data={"text": "Hello."}).status_code == 409
    assert 'name="expect_step" value="1"' in client.get(call).text


@pytest.mark.parametrize(
    ("command", "form", "said"),
    [
        ("say", {"text": " \n "}, "the text is empty"),
        ("call", {"tool": "reboot_device"}, "no form for this tool"),
        ("call", {"tool": "get_customer_by_id"}, "customer_id is needed"),
        ("call", {"free": "1", "json": "{"}, "The text is no JSON"),
        ("call", {"free": "1", "json": "[]"}, "Name a tool"),
        ("call", {"free": "1", "json": '[{"tool": 1}]'}, "names no tool"),
    ],
)
def test_what_cannot_be_sent_is_said(
    client: httpx2.Client, command: str, form: dict[str, str], said: str
) -> None:
    call = begun(client, "5")
    answer = client.post(f"{call}/{command}", data={**form, "expect_step": "1"})
    assert answer.status_code == 409
    assert said in answer.text
    assert 'name="expect_step" value="1"' in client.get(call).text


def test_a_text_that_is_too_long_is_refused(client: httpx2.Client) -> None:
    call = begun(client, "6")
    for length in (100_001, 2_000_000):
        form = {"text": "w" * length, "expect_step": "1"}
        answer = client.post(f"{call}/say", data=form)
        assert answer.status_code == 409
        assert "100,000" in answer.text
        assert 'name="expect_step" value="1"' in client.get(call).text
    longest = {"text": "\U0001f600" * 100_000, "expect_step": "1"}
    assert client.post(f"{call}/say", data=longest).status_code == 200


def test_a_form_that_cannot_be_read_is_no_fault_of_the_desk(client: httpx2.Client) -> None:
    long = client.post("/start", data={"case": "9" * 2_000_000})
    assert (long.status_code, "100,000 characters" in long.text) == (413, True)
    odd = client.post("/start", content=b"case=%ff")
    assert (odd.status_code, "cannot be read" in odd.text) == (400, True)


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/%2e%2e/app.py",
        "/static/..\\app.py",
        "/static//etc/passwd",
        "/static/htmx.LICENSE.txt%00.js",
        "/static/README.md",
        "/static/",
        "/e/../static",
        "/e/..%2f..%2fs.db",
        "/e/latest",
        "/e/0123456789abcdef",
        "/e/0123456789abcdef/transcript",
        "/nowhere",
    ],
)
def test_no_address_leads_out(desk: Desk, client: httpx2.Client, path: str) -> None:
    host, _, port = desk.place.removeprefix("http://").partition(":")
    raw = http.client.HTTPConnection(host, int(port))  # which sends the path as it stands here
    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    raw.putrequest("GET", path, skip_host=True)
    raw.putheader("Host", f"{host}:{port}")
    raw.putheader("Cookie", cookie)
    raw.endheaders()
    answer = raw.getresponse()
    assert answer.status in (404, 405)
    text = answer.read().decode()
    assert "import" not in text
    assert "root:" not in text
    raw.close()


def test_a_command_that_is_none_and_a_method_that_is_not_meant(client: httpx2.Client) -> None:
    call = begun(client, "7")
    form = {"text": "Hello.", "expect_step": "1"}
    assert client.post(f"{call}/shout", data=form).status_code == 404
    assert client.get(f"{call}/say").status_code == 405
    assert client.put("/").status_code == 405


def test_another_operators_call_is_not_there(client: httpx2.Client, tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    with open_desk(store, "--as", "Ada") as first, first.client() as ada:
        call = begun(ada, "8")
        assert ada.get(call).status_code == 200
    with open_desk(store, "--as", "Bob") as second, second.client() as bob:
        assert bob.get(call).status_code == 404
        assert bob.post(f"{call}/say", data={"text": "x", "expect_step": "1"}).status_code == 404
        assert "case test:8" not in bob.get("/").text


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"case": "100000", "seed": "0", "trial": "0"}, "There is no case"),
        ({"case": "2", "seed": "x", "trial": "0"}, "The seed is a whole number"),
        ({"case": "2", "seed": "0", "trial": "-1"}, "The trial is a whole number"),
        ({"case": "<script>", "seed": "0", "trial": "0"}, "&lt;script&gt;"),
    ],
)
def test_a_start_that_cannot_be_is_said_and_what_was_typed_stays(
    client: httpx2.Client, form: dict[str, str], said: str
) -> None:
    answer = client.post("/start", data=form)
    assert answer.status_code == 409
    assert said in answer.text
    assert "<script>" not in answer.text.replace("<script src=", "")
    assert f'name="seed" value="{form["seed"]}"' in answer.text


def test_a_case_that_is_open_is_gone_on_with_and_one_that_was_played_is_refused(
    client: httpx2.Client,
) -> None:
    call = begun(client, "9")
    assert begun(client, "9") == call
    ended = client.post(f"{call}/end", data={"text": "", "expect_step": "1"})
    assert ended.headers["hx-refresh"] == "true"
    played = client.post("/start", data={"case": "9", "seed": "0", "trial": "0"})
    assert played.status_code == 409
    assert "one outcome counts" in played.text
    assert begun(client, "") != call


def test_a_case_that_was_configured_by_its_id_is_offered_by_its_number(tmp_path: Path) -> None:
    task = "[mobile_data_issue]data_mode_off|data_usage_exceeded[PERSONA:None]"
    with open_desk(tmp_path / "s.db", "--case", task) as opened, opened.client() as client:
        page = client.get("/").text
        assert "data_mode_off" not in page
        assert 'name="case" value="train:57"' in page


def test_a_record_that_cannot_be_read_is_said_and_the_others_stay(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    with open_desk(store) as opened, opened.client() as client:
        broken, whole = begun(client, "3"), begun(client, "4")
        form = {"text": "Hello.", "expect_step": "1"}
        assert client.post(f"{broken}/say", data=form).status_code == 200
        with closing(sqlite3.connect(store)) as database, database:
            database.execute(
                "DELETE FROM events WHERE seq = 1 AND session ="
                " (SELECT number FROM sessions WHERE id = ?)",
                [broken.rpartition("/")[2]],
            )
        page = client.get(broken)
        assert page.status_code == 503
        assert "Nothing here" not in page.text
        assert "an older copy of the file" in page.text
        piece = client.post(f"{broken}/say", data=form, headers={"HX-Request": "true"})
        assert piece.status_code == 503
        assert piece.headers["content-type"].startswith("text/plain")
        assert client.get(whole).status_code == 200
        start = client.get("/").text
        assert "an older copy of the file" in start
        assert f'href="{whole}"' in start
        assert f'href="{broken}"' not in start


def test_clients_that_hang_up_or_speak_another_protocol_are_no_news(tmp_path: Path) -> None:
    with open_desk(tmp_path / "s.db") as desk, desk.client() as client:
        call = begun(client, "3")
        host, _, port = desk.place.removeprefix("http://").partition(":")
        cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        common = f"Host: {host}:{port}\r\nOrigin: {desk.place}\r\nCookie: {cookie}\r\n"
        for head in (
            f"GET {call} HTTP/1.1\r\n{common}Connection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            f"POST {call}/say HTTP/1.1\r\n{common}Content-Length: 400\r\n\r\ntext=Hel",
        ):
            with socket.create_connection((host, int(port))) as line:
                line.sendall(head.encode())
                assert client.get(call).status_code == 200  # the head was read before
        assert client.get(call).status_code == 200
        form = {"text": "Hello.", "expect_step": "1"}
        assert client.post(f"{call}/say", data=form).status_code == 200
    assert desk.said["err"] == ""
