"""What the tests of local models share: real weights, and a model loaded once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from ringback.canonical import Json
from ringback.episode.wire import Answer, Message, Request, Text, ToolSpec
from ringback.models.local import open_local
from ringback.models.local.llama import LlamaModel
from ringback.models.local.places import smollm2_path
from ringback.models.protocol import ModelEntry
from tests.models.local.weights import at_home, fetched

Ask = Callable[..., Answer]


@pytest.fixture
def home() -> Generator[None]:
    """The user's cache with SmolLM2 in it."""
    if why := fetched():
        pytest.skip(why)
    with at_home():
        yield


@pytest.fixture
def smollm2(home: None) -> Path:
    return smollm2_path()


@pytest.fixture(scope="session")
def model() -> LlamaModel:
    """SmolLM2 with a context of 1,024 tokens."""
    pytest.importorskip("xllamacpp", reason="local models need the extra ringback[local]")
    if why := fetched():
        pytest.skip(why)
    with at_home():
        found = open_local("small", ModelEntry("local:smollm2", context=1024))
        assert isinstance(found, LlamaModel)
        found.ready()
    return found


@pytest.fixture
def ask(model: LlamaModel) -> Ask:
    def asked(
        *words: str | Message,
        system: str = "",
        form: Json = None,
        tools: tuple[ToolSpec, ...] = (),
        seconds: float = 120,
        **settings: Json,
    ) -> Answer:
        messages = tuple(
            word if isinstance(word, Message) else Message("user", (Text(word),)) for word in words
        )
        sent: dict[str, Json] = {"temperature": 0, "max_tokens": 24, **settings}
        request = Request(system, messages, tools, sent, form)
        return asyncio.run(model.ask(request, seconds=seconds))

    return asked
