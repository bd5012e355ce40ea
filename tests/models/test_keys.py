"""Keys: named where they are missing, and nowhere else to be found."""

from __future__ import annotations

import asyncio
import logging
import traceback
from functools import partial

import msgspec
import pytest

from ringback.errors import InputError
from ringback.models import ModelEntry, Models, open_model
from tests.models.backend import Backend, Reply, Sent, asking, completion

KEY = "sk-proj-4f9A_Zq+7/secret=="


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("openai:gpt-5.2", "OPENAI_API_KEY"),
        ("openai-chat:gpt-5.2", "OPENAI_API_KEY"),
        ("anthropic:claude-haiku-4-5", "ANTHROPIC_API_KEY"),
        ("google:gemini-3-flash", "GOOGLE_API_KEY"),
        ("openrouter:qwen/qwen3-32b", "OPENROUTER_API_KEY"),
        ("deepseek:deepseek-chat", "DEEPSEEK_API_KEY"),
        ("together:some/model", "TOGETHER_API_KEY"),
    ],
)
def test_a_missing_key_is_named(name: str, variable: str) -> None:
    models = Models()
    model = models.open(name)
    with pytest.raises(InputError, match=f"environment variable {variable}, which is not set"):
        models.ready()
    with pytest.raises(InputError, match=variable):
        asyncio.run(model.ask(asking(), seconds=5))


@pytest.mark.parametrize("value", ["", "  "])
@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("openai:gpt-5.2", "OPENAI_API_KEY"),
        ("anthropic:claude-haiku-4-5", "ANTHROPIC_API_KEY"),
        ("google:gemini-3-flash", "GOOGLE_API_KEY"),
    ],
)
def test_a_key_of_nothing_is_a_missing_one(
    name: str, variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    models = Models()
    models.open(name)
    with pytest.raises(InputError, match=f"environment variable {variable}, which is not set"):
        models.ready()


@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_missing_key_of_an_entry_is_named(
    value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if value is not None:
        monkeypatch.setenv("LAB_KEY", value)
    with Backend(completion()) as backend:
        entry = ModelEntry("openai:x", base_url=backend.url, key_env="LAB_KEY")
        with pytest.raises(InputError, match="LAB_KEY"):
            asyncio.run(open_model("lab", {"lab": entry}).ask(asking(), seconds=5))
    assert not backend.sent


def test_another_providers_key_is_not_sent_to_an_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Backend(completion()) as backend:
        entry = ModelEntry("openai:x", base_url=backend.url)
        asyncio.run(open_model("lab", {"lab": entry}).ask(asking(), seconds=5))
    assert KEY not in str(backend.sent)


def echo(sent: Sent) -> Reply:
    """A server that puts the key it was sent wherever it can."""
    key = sent.headers["authorization"].removeprefix("Bearer ")
    return Reply(
        completion(f"Your key is {key}.", calls=[("look", f'{{"at": "{key}"}}')], model=key)
        | {"id": key}
    )


def echo_error(status: int, sent: Sent) -> Reply:
    key = sent.headers["authorization"]
    headers = {"X-Echo": key, "Retry-After": "0"}
    return Reply({"error": {"message": f"{key} is no good", "code": key}}, status, headers)


@pytest.mark.parametrize("status", [200, 400, 401, 429, 500])
def test_an_echoed_key_reaches_nothing(
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LAB_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    found = ""
    with Backend(echo if status == 200 else partial(echo_error, status)) as backend:
        entry = ModelEntry(
            "openai:x", base_url=backend.url, key_env="LAB_KEY", settings={"max_retries": 1}
        )
        model = open_model("lab", {"lab": entry})
        try:
            answer = asyncio.run(model.ask(asking(), seconds=10))
            found += msgspec.json.encode(answer).decode() + repr(answer)
        except InputError as problem:
            found += "".join(traceback.format_exception(problem))
        found += msgspec.json.encode(model.identity).decode() + repr(model)
    assert KEY in str([sent.headers for sent in backend.sent])
    assert "[key]" in found  # it did come back
    assert ("LAB_KEY" in found) == (status == 401)  # it says which one is refused
    streams = capfd.readouterr()
    for text in (found, caplog.text, streams.out, streams.err):
        assert KEY not in text
        assert "4f9A_Zq" not in text


@pytest.mark.parametrize(
    "settings",
    [
        {"extra_headers": {"Authorization": "Bearer x"}},
        {"extra_headers": {"X-Api-Key": "x"}},
        {"extra_body": {"options": [{"api_key": "x"}]}},
    ],
)
def test_settings_carry_no_key(settings: dict[str, object]) -> None:
    entry = msgspec.convert({"model": "openai:x", "settings": settings}, ModelEntry)
    with pytest.raises(InputError, match="key_env"):
        Models({"lab": entry})


@pytest.mark.parametrize(
    "url", ["http://me:pass@127.0.0.1/v1", "https://host/v1?api_key=x", "https://host/v1?key=x"]
)
def test_an_address_carries_no_key(url: str) -> None:
    with pytest.raises(InputError, match="carries a key") as caught:
        Models({"lab": ModelEntry("openai:x", base_url=url)})
    assert "pass" not in str(caught.value)
