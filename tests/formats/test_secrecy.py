"""Secrets that stand beside a conversation are kept by no reader; what was said is kept whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ringback.canonical import encode
from ringback.formats import Recording, exgentic, kitaru, tau2
from ringback.formats.exgentic.write import write as write_shard
from ringback.formats.secrecy import REMOVED, without_credentials, without_secrets
from ringback.formats.session import Session
from ringback.formats.tau2.write import Run, results_file
from tests.formats.exgentic.made import assistant, row, said, span
from tests.formats.kitaru.test_foreign import node, record
from tests.formats.tau2.made import Talk, result_file, solved, write

WORD = "hunter2"  # what must be nowhere


def _all_of(recording: Recording) -> str:
    return encode([list(recording.events), recording.contents]).decode()


@pytest.mark.parametrize(
    "value",
    [
        {"api_key": WORD},
        {"headers": {"Authorization": WORD, "x-auth-token": [WORD], "Set-Cookie": WORD}},
        {"credentials": {"who": WORD, "more": [{"a": WORD}]}},
        {"accessToken": WORD, "client_secret": WORD, "PASSWORD": WORD, "auth": WORD},
        {"name": "OPENAI_API_KEY", "value": WORD},
        {"key": "http.header.authorization", "value": {"stringValue": WORD}},
        {"headers": [["authorization", WORD], ["accept", "json"]]},
        {"body": json.dumps({"password": WORD})},
        {"base": f"https://who:{WORD}@host/v1"},
        {"base": f"it failed at https://host/v1?a=1&key={WORD}&b=2 (twice)"},
        {"base": f"wss://host/?X-Amz-Signature={WORD}#access_token={WORD}"},
        {"k" * 3000 + "_key": WORD},
        f"postgres://{WORD}@host",
    ],
)
def test_what_may_be_a_secret_is_removed_once_and_for_all(value: Any) -> None:
    found = without_secrets(value)
    assert WORD not in json.dumps(found)
    assert without_secrets(found) == found


@pytest.mark.parametrize(
    "value",
    [
        {"max_tokens": 5, "prompt_tokens": 7, "monkey": 3, "password": None, "api_key": ""},
        {"role": "user", "content": f"My password is {WORD}, see https://a:{WORD}@b"},
        {"name": "log_in", "arguments": {"password": WORD}},
        {"type": "object", "properties": {"api_key": {"type": "string"}}, "required": ["api_key"]},
        {"required": ["api_key", "user"], "enum": [["a", "b"]]},
        {"token": "Hello", "logprob": -0.5},
        {"base": "https://host:8443/v1?page=2&order=up", "at": "a@b.example"},
        {"body": '{"half'},
    ],
)
def test_what_is_none_stays_the_very_object(value: Any) -> None:
    assert without_secrets(value) is value


def test_numbers_go_under_the_plainest_names_alone() -> None:
    value = {"password": 1234, "token": 5, "key": 6, "private_key_size": 7}
    assert without_secrets(value) == value | {"password": REMOVED, "token": REMOVED}


def test_an_address_keeps_what_is_no_credential() -> None:
    text = "GET https://a:b@host:1/p?page=2&sig=xyz&%6Bey=q ok"
    assert without_credentials(text) == (
        "GET https://(removed)@host:1/p?page=2&sig=(removed)&%6Bey=(removed) ok"
    )
    assert without_credentials("://" * 200_000 + "a@" * 200_000)


def _simulation(word: str) -> dict[str, Any]:
    simulation = solved().simulation(info={"api_key": word, "note": f"https://a:{word}@b/"})
    simulation["messages"][1]["raw_data"] = {"headers": {"authorization": f"Bearer {word}"}}
    simulation["messages"][1]["content"] = "My password is 1234, and my page http://a:b@c."
    return simulation


def _file(path: Path, word: str) -> Path:
    arguments = {"api_base": f"https://who:{word}@host/v1?key={word}", "api_key": word}
    agent = {"implementation": "llm_agent", "llm": "made-up", "llm_args": arguments}
    content = result_file([_simulation(word)], agent_info=agent)
    content["tasks"][0]["notes"] = {"secret": word}
    return write(path, content)


def test_tau2_files_are_kept_and_written_without_them(tmp_path: Path) -> None:
    (found,) = tau2.read(_file(tmp_path / "a.json", WORD))
    assert isinstance(found, Recording)
    data = b"".join(results_file(Run(1, None), [Session(found.events, found.contents)]))
    for kept in (_all_of(found), data.decode(), kitaru.line(Session(found.events, found.contents))):
        assert WORD not in str(kept)
        assert "My password is 1234, and my page http://a:b@c." in str(kept)
    (tmp_path / "b.json").write_bytes(data)
    (again,) = tau2.read(tmp_path / "b.json")
    (other,) = tau2.read(_file(tmp_path / "c.json", "another"))
    assert isinstance(again, Recording)
    assert isinstance(other, Recording)
    assert again.start.session == other.start.session == found.start.session


def test_what_has_no_place_in_a_tau2_call_is_kept_without_them(tmp_path: Path) -> None:
    talk = Talk().say("user", "Hello.")
    talk.messages.insert(1, {"role": "system", "content": "Psst.", "usage": {"api_key": WORD}})
    simulation = talk.simulation(reward_info={"reward": {"secret": WORD}})
    (found,) = tau2.read(write(tmp_path / "a.json", result_file([simulation])))
    assert isinstance(found, Recording)
    assert WORD not in _all_of(found)
    assert "Psst." in _all_of(found)


def test_kitaru_sessions_are_kept_without_them(tmp_path: Path) -> None:
    asked: dict[str, Any] = {
        "inputs": {"messages": [{"role": "user", "content": "My key is A."}], "api_key": WORD},
        "outputs": {"message": {"role": "assistant", "content": "B"}, "headers": {"cookie": WORD}},
        "model_params": {"extra_headers": {"authorization": WORD}, "temperature": 0},
        "attributes": {"url": f"https://a:{WORD}@b"},
        "requested_model": "x",
    }
    line = record(
        node(0, "llm_call", **asked),
        node(1, "tool_call", tool_name="log_in", inputs={"password": "kept"}, outputs="kept"),
        node(2, "span", attributes={"secrets": [WORD]}),
        inputs={"prompt": "Hello https://a:b@c", "token": WORD},
        input_text_selector="/prompt",
        metadata={"password": WORD},
    )
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(line))
    (found,) = kitaru.read(path)
    assert isinstance(found, Recording)
    kept = _all_of(found)
    assert WORD not in kept
    for words in ("My key is A.", '"password":"kept"', "Hello https://a:b@c"):
        assert words in kept


def test_exgentic_runs_are_kept_without_them(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    failed = span([said("My password is A.")], error=f"at http://a:{WORD}@b", code=2)
    good = span([said("Hello.", api_key=WORD)], assistant("Yes."))
    good["events"] = [json.dumps({"authorization": WORD})]
    path = tmp_path / "a.parquet"
    write_shard(path, [row(1, good, failed, config_path=f"https://{WORD}@host/x")])
    (found,) = exgentic.read([path], exgentic.Chosen(), exgentic.Seen())
    assert isinstance(found, Recording)
    assert WORD not in _all_of(found)
    assert "My password is A." in _all_of(found)
