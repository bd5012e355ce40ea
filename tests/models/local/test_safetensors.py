"""Weights in safetensors, with a tiny model of random ones that is made here."""

from __future__ import annotations

import asyncio
import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from ringback.canonical import Json
from ringback.episode.wire import Answer, Message, Request, Text
from ringback.errors import InputError
from ringback.models.local import open_local
from ringback.models.local.prefix import CHUNK
from ringback.models.protocol import Model, ModelEntry

SCENE = "You are John, who calls a phone company. " * 6
TEMPLATE = (
    "{% for m in messages %}<|{{m.role}}|>{{m.content}}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Hugging Face cache with a model that knows bytes and nothing else."""
    reason = "models in safetensors need the extra ringback[hf]"
    torch: Any = pytest.importorskip("torch", reason=reason)
    transformers: Any = pytest.importorskip("transformers", reason=reason)
    tokenizers: Any = importlib.import_module("tokenizers")
    hub = tmp_path_factory.mktemp("hub")
    place = hub / "models--tiny--Talker" / "snapshots" / "abc"
    place.mkdir(parents=True)
    bytes_: Any = tokenizers.pre_tokenizers.ByteLevel
    special = ["<|end|>", "<|user|>", "<|assistant|>", "<|system|>"]
    vocabulary = {token: at for at, token in enumerate([*special, *sorted(bytes_.alphabet())])}
    raw = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, []))
    raw.pre_tokenizer = bytes_(add_prefix_space=False)
    raw.decoder = tokenizers.decoders.ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=raw, eos_token="<|end|>", additional_special_tokens=special[1:]
    )
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(place)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=1024,
        eos_token_id=0,
        bos_token_id=None,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(place)
    return hub


@pytest.fixture
def model(hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    monkeypatch.setenv("HF_HUB_CACHE", str(hub))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return open_local("local:tiny/Talker", None)


def said(*words: str | Message, system: str = SCENE, **settings: Json) -> Request:
    messages = tuple(
        word if isinstance(word, Message) else Message("user", (Text(word),)) for word in words
    )
    return Request(system, messages, settings={"max_tokens": 20, "seed": 1, **settings})


def ask(model: Model, request: Request, seconds: float = 60) -> Answer:
    return asyncio.run(model.ask(request, seconds=seconds))


@pytest.mark.parametrize("temperature", [0, 0.8])
def test_equal_requests_have_equal_answers(model: Model, temperature: float) -> None:
    words: list[str | Message] = ["Hello?"]
    call: list[tuple[Request, Answer]] = []
    for turn in range(3):
        request = said(*words, temperature=temperature)
        answer = ask(model, request)
        assert answer.message is not None
        assert (answer.usage.cached or 0) >= (len(SCENE) // CHUNK * CHUNK if turn else 0)
        call.append((request, answer))
        words += [answer.message, f"And now, at step {turn}?"]
    for number in range(5):
        ask(model, said("Hi", system=f"{number} something else. " * 20))
    for request, answer in reversed(call):
        assert ask(model, request).message == answer.message


def test_says_what_it_does_not_take(model: Model) -> None:
    answer = ask(model, Request("", said("Hi").messages, settings={"presence_penalty": 1}, form={}))
    assert set(answer.dropped) == {"presence_penalty", "form"}
    assert not model.holds_form
    assert not answer.form_held


def test_failures_have_their_kinds(model: Model) -> None:
    assert ask(model, said("x" * 2000)).failure == "context_overflow"
    assert ask(model, said("x" * 700, max_tokens=900, temperature=0)).failure in (
        "context_overflow",
        None,
    )
    late = ask(model, said("Hi", max_tokens=900), seconds=0.01)
    assert late.failure == "infrastructure"


def test_a_context_above_that_of_the_weights_is_refused(model: Model) -> None:
    with pytest.raises(InputError, match="1,024 tokens at most"):
        open_local("mine", ModelEntry("local:tiny/Talker", context=1025))
    assert open_local("mine", ModelEntry("local:tiny/Talker", context=1024)).name == "mine"


def test_what_a_library_raises_is_the_infrastructures(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("not enough memory")

    monkeypatch.setattr("ringback.models.local.safetensors.generate", fails)
    answer = ask(model, said("Hi"))
    assert answer.failure == "infrastructure"
    assert "not enough memory" in (answer.why or "")


def test_identity_names_revision_and_weights(model: Model) -> None:
    identity = model.identity
    assert (identity["model"], identity["revision"]) == ("tiny/Talker", "abc")
    assert len(str(identity["weights"])) == 32
    assert "torch " in str(identity["runtime"])


def test_weights_without_a_template_are_refused(
    hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "hub" / "models--tiny--Mute" / "snapshots" / "abc"
    home.mkdir(parents=True)
    for file in (hub / "models--tiny--Talker" / "snapshots" / "abc").iterdir():
        if file.name == "chat_template.jinja":
            continue
        text = file.read_bytes()
        if file.name == "tokenizer_config.json":
            kept = {key: value for key, value in json.loads(text).items() if key != "chat_template"}
            text = json.dumps(kept).encode()
        (home / file.name).write_bytes(text)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    model = open_local("mute", ModelEntry("local:tiny/Mute"))
    with pytest.raises(InputError, match="no chat template"):
        ask(model, said("Hi"))


def test_damaged_weights_are_refused(
    hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "hub" / "models--tiny--Torn" / "snapshots" / "abc"
    home.mkdir(parents=True)
    for file in (hub / "models--tiny--Talker" / "snapshots" / "abc").iterdir():
        text = file.read_bytes()
        (home / file.name).write_bytes(
            text[: len(text) // 2] if file.suffix == ".safetensors" else text
        )
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    with pytest.raises(InputError, match="transformers cannot load"):
        ask(open_local("local:tiny/Torn", None), said("Hi"))
