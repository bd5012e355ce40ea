"""Keys that users put where they are recorded, and keys that come back in another spelling."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringback.errors import InputError
from ringback.models import ModelEntry, open_model
from ringback.models.secrecy import (
    HIDDEN,
    Redactor,
    keys_of,
    refuse_secrets,
    refuse_secrets_in_url,
)
from tests.models.backend import Backend, Reply, Sent, asking, completion

KEY = "zq7DISTINCTKEY42xx"


@pytest.mark.parametrize(
    "settings",
    [
        {"extra_headers": {"X-Auth": "v"}},
        {"extra_headers": {"X-Token": "v"}},
        {"extra_headers": {"Proxy-Auth": "v"}},
        {"extra_headers": {"X-Signature": "v"}},
        {"extra_headers": {"xAccessToken": "v"}},
        {"extra_body": {"token": "v"}},
        {"extra_body": {"deep": [{"auth": "v"}]}},
        {"extra_body": {"relay_token": "a1b2c3d4e5"}},
        {"extra_query": {"sig": "v"}},
        {"extra_query": {"code": "v"}},
        {"extra_body": {"user": "sk-proj-0123456789abcdefgh"}},
        {"extra_body": {"note": "Bearer 0123456789abcdefgh"}},
    ],
)
def test_a_setting_that_is_named_or_looks_like_a_key_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="key_env") as caught:
        refuse_secrets(settings, "x")
    assert "0123456789" not in str(caught.value)


@pytest.mark.parametrize(
    "settings",
    [
        {"max_tokens": 10, "temperature": 0.5, "seed": 1, "logit_bias": {"50256": -100}},
        {"openai_prompt_cache_key": "cell-1", "stop_sequences": ["token"]},
        {"extra_body": {"stop_token": "</s>", "skip_special_tokens": True, "stop_token_ids": [1]}},
        {"extra_body": {"thinking": {"type": "enabled", "budget_tokens": 1024}}},
        {"extra_headers": {"X-Title": "lab", "HTTP-Referer": "https://example.org", "X-Run": "1"}},
        {"extra_body": {"provider": {"order": ["hf-inference"]}, "language_code": "en"}},
    ],
)
def test_other_settings_are_not(settings: dict[str, Any]) -> None:
    refuse_secrets(settings, "x")


@pytest.mark.parametrize(
    "url",
    [
        f"http://h/v1?token={KEY}",
        "http://h/v1?sig=v",
        "http://h/v1?code=v",
        "http://h/v1?a=1;api_key=v",
        "http://h/v1?a=1&X-Amz-Signature=v",
        "http://h/v1?subscription%2Dkey=v",
        "http://h/v1;token=v/x",
        "http://u@h/v1",
        "http://h/sk-proj-0123456789abcdefgh/v1",
    ],
)
def test_an_address_that_names_or_shows_a_key_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="carries a key"):
        refuse_secrets_in_url(url, "x")


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8000/v1",
        "http://[::1]:8000/v1",
        "https://api.example.org/v1?api-version=2024-10-21",
        "https://router.example.org/hf-inference/models/v1",
        "https://bücher.example/v1",
        "http://ollama:11434/v1",
    ],
)
def test_other_addresses_are_not(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "ollama")
    refuse_secrets_in_url(url, "x", ["ollama"])


@pytest.mark.parametrize(
    "url",
    [
        "http://h/v1\nfoo",
        "http://h/\x1b[31m",
        "http://xn--\x00.☃:1/v1",
        " http://h/v1 ",
        "http://h/" + "a" * 70_000,
        "http://..:1/v1",
        f"http://{'a' * 80}.com/v1",
        "http://h:99999/",
        "http://",
        "",
        "\ud800",
        "http://\ud800/",
        "http://h/v1#\u202e",
    ],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="no http or https address"):
        refuse_secrets_in_url(url, "x")


def test_a_fragment_is_refused() -> None:
    with pytest.raises(InputError, match="behind #"):
        refuse_secrets_in_url("http://h/v1#part", "x")


@given(st.text() | st.text().map(lambda text: f"http://{text}"))
def test_any_address_is_taken_or_refused(url: str) -> None:
    with contextlib.suppress(InputError):
        refuse_secrets_in_url(url, "x")


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON, max_size=4), st.sampled_from(["in use", "ambient"]))
def test_a_key_is_found_by_its_value_wherever_it_stands(settings: Any, known: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if known == "ambient":
            patch.setenv("SOME_API_KEY", KEY)
        keys = [KEY] if known == "in use" else []
        with pytest.raises(InputError) as caught:
            refuse_secrets({**settings, "a": [settings, {"b": f"before {KEY} after"}]}, "x", keys)
        assert KEY not in str(caught.value)
        for url in (f"http://h/{KEY}/v1", f"http://{KEY.lower()}.h/v1?x={KEY}"):
            with pytest.raises(InputError, match="carries a key") as caught:
                refuse_secrets_in_url(url, "x", keys)
            assert KEY not in str(caught.value)


def test_a_key_as_a_name_is_not_repeated() -> None:
    with pytest.raises(InputError) as caught:
        refuse_secrets({"extra_body": {KEY: 1}}, "x", [KEY])
    assert KEY not in str(caught.value)


ODD = 'a"b\\c/d+é 1234'


@pytest.mark.parametrize("key", [KEY, ODD, "12345\t6789"])
def test_a_key_is_taken_out_in_every_spelling(key: str) -> None:
    spelled = [key, json.dumps(key), json.dumps({"k": json.dumps(key)}), repr(key)]
    for text in spelled:
        found = Redactor([key]).text(text)
        assert HIDDEN in found
        assert key not in found
        assert json.dumps(key)[1:-1] not in found


def test_the_start_of_a_key_at_the_end_of_a_long_error_is_not_left() -> None:
    said = Redactor([KEY * 10]).error(" " * 19_990 + KEY * 10)
    assert KEY[:4] not in said


def test_a_provider_has_its_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "one-key-here")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")
    monkeypatch.setenv("AWS_REGION", "here")
    assert list(keys_of("google")) == ["one-key-here"]
    assert list(keys_of("bedrock")) == ["another"]
    assert list(keys_of("openai-chat")) == []


def test_a_key_with_quotes_that_a_server_echoes_reaches_no_record(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key = 'zq7"DISTINCT\\KEY42'

    def echo(sent: Sent) -> Reply:
        given = sent.headers["authorization"].removeprefix("Bearer ")
        arguments = json.dumps({given: [given]})
        return Reply(completion(f"Your key is {given}.", calls=[("look", arguments), (given, "{")]))

    monkeypatch.setenv("LAB_KEY", key)
    with Backend(echo) as backend:
        entry = ModelEntry("openai:x", base_url=backend.url, key_env="LAB_KEY")
        answer = asyncio.run(open_model("lab", {"lab": entry}).ask(asking(), seconds=10))
    found = msgspec.json.encode(answer).decode()
    assert backend.sent[0].headers["authorization"] == f"Bearer {key}"
    assert "[key]" in found
    assert "DISTINCT" not in found
