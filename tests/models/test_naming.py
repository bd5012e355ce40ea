from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ringback.errors import InputError
from ringback.models import Ledger, ModelEntry, Models, PriceEntry, open_model
from ringback.models.entries import config_path
from ringback.models.providers import PROVIDERS


def test_a_name_is_opened_once() -> None:
    models = Models()
    assert models.open("openai:gpt-5.2") is models.open("openai:gpt-5.2")
    assert models.open("openai:gpt-5.2").name == "openai:gpt-5.2"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("opnai:gpt-5.2", "did you mean openai:gpt-5.2"),
        ("claude-haiku-4-6", "did you mean anthropic:claude-haiku-4-5"),
        ("lap", "did you mean lab"),
        ("zzz", "write provider:model"),
        ("openai:", "write openai:MODEL"),
        ("local:", "write local:MODEL"),
        (":x", "write provider:model"),
        ("", "write provider:model"),
    ],
)
def test_an_unknown_name_is_refused_with_a_hint(name: str, hint: str) -> None:
    with pytest.raises(InputError, match=hint):
        open_model(name, {"lab": ModelEntry("openai:x")})


def test_the_study_goes_before_the_users_own() -> None:
    path = config_path()
    path.parent.mkdir(parents=True)
    path.write_text(
        '[models.lab]\nmodel = "openai:theirs"\n[models.mine]\nmodel = "ollama:qwen3"\n',
        encoding="utf-8",
    )
    models = Models({"lab": ModelEntry("openai:ours")})
    assert models.open("lab").identity["model"] == "openai:ours"
    assert models.open("mine").identity == {
        "model": "ollama:qwen3",
        "endpoint": "http://localhost:11434/v1",
    }


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_is_one_that_the_library_knows(provider: str) -> None:
    from pydantic_ai.providers import infer_provider_class

    try:
        infer_provider_class(provider)
    except ImportError:
        model = open_model(f"{provider}:some-model")
        with pytest.raises(InputError, match=r"pip install '(pydantic-ai-slim|ringback)\["):
            model.ready()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


def test_an_address_for_a_provider_that_takes_none_is_refused() -> None:
    entry = ModelEntry("deepseek:chat", base_url="http://127.0.0.1:1/v1")
    models = Models({"m": entry})
    models.open("m")
    with pytest.raises(InputError, match="write openai:chat"):
        models.ready()


def test_a_budget_needs_a_price() -> None:
    entry = ModelEntry("openai:x", base_url="http://127.0.0.1:1/v1")
    priced = ModelEntry("openai:x", base_url="http://127.0.0.1:1/v1", price=PriceEntry(1.0, 2.0))
    models = Models({"m": entry, "p": priced}, ledger=Ledger(1.0))
    models.open("p")
    models.ready()
    models.open("m")
    with pytest.raises(InputError, match="price is not known"):
        models.ready()


def test_opening_loads_no_client_library() -> None:
    code = (
        "import sys; from ringback.models import Models, ModelEntry;"
        "m = Models({'lab': ModelEntry('openai:x', base_url='http://127.0.0.1:1/v1')});"
        "m.open('openai:gpt-5.2').identity; m.open('lab'); m.open('anthropic:claude').holds_form;"
        "print([n for n in ('pydantic_ai', 'openai', 'httpx2', 'genai_prices', 'pydantic')"
        " if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_package_that_is_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "pydantic_ai.py").write_text("import nowhere.there", encoding="utf-8")
    code = (
        "import asyncio\n"
        "from ringback.models import open_model\n"
        "from ringback.episode.wire import Request\n"
        "try: asyncio.run(open_model('openai:x').ask(Request('', ()), seconds=1))\n"
        "except Exception as problem: print(type(problem).__name__, problem)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(tmp_path)},
    )
    assert done.stdout.startswith(
        "InputError openai:x needs a package that is not installed (nowhere); "
    )
    assert "pip install 'ringback[openai]'" in done.stdout
