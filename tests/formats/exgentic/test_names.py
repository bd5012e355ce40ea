"""Which model a run is of, and which spellings are one model."""

from __future__ import annotations

from typing import Any

import pytest

from ringback.formats.exgentic.names import agree, config_agrees, who
from tests.formats.exgentic.made import span


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("gpt-5.2", "gpt-5.2", True),
        ("Azure/gpt-5.2-2025-12-11", "gpt-5.2-2025-12-11", True),
        ("gpt-5.2", "openai/gpt-5.2-2025-12-11", True),
        ("gpt-5.2-2025-12-11", "gpt-5.2-2026-03-01", False),
        ("gpt-5.2", "gpt-5.2-mini", False),
        ("gpt-5", "gpt-5.2", False),
        ("Kimi-K2-Thinking", "moonshotai/kimi-k2-thinking", True),
        ("us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5", True),
        ("claude-opus-4-5@20251101", "claude-opus-4-5-20251101", False),
        ("deepseek-v3.2-maas", "DeepSeek-V3.2", True),
        ("", "gpt-5.2", False),
    ],
)
def test_spellings_of_one_model_agree(one: str, other: str, same: bool) -> None:
    assert agree(one, other) is same
    assert agree(other, one) is same


@pytest.mark.parametrize(
    ("path", "model", "same"),
    [
        ("e/t/tool_calling/openai_Azure_gpt-5.2-2025-12-11/config.json", "gpt-5.2", True),
        ("e/t/tool_calling/openai_Azure_gpt-5.2/config.json", "gpt-5.2-2025-12-11", True),
        (
            "e/t/tool_calling/openai_Azure_gpt-5.2-2025-12-11/config.json",
            "gpt-5.2-2026-01-01",
            False,
        ),
        ("e/t/tool_calling/openai_Azure_gpt-5.2/config.json", "kimi-k2", False),
        ("e/t/tool_calling/xgpt-5.2/config.json", "gpt-5.2", False),
        ("config.json", "gpt-5.2", False),
    ],
)
def test_a_configuration_names_its_folders_model(path: str, model: str, same: bool) -> None:
    assert config_agrees(path, model) is same


def call(model: str | None, tokens: int | None = 10, **more: Any) -> dict[str, Any]:
    found = span(model=model, **more)
    found["attributes"]["gen_ai.usage.input_tokens"] = tokens
    found["attributes"]["gen_ai.usage.output_tokens"] = None
    return found


def test_calls_that_agree_name_the_model_against_the_label() -> None:
    found = who([call("kimi-k2"), None, call("moonshot/Kimi-K2")], "gpt-5.2")
    assert (found.basis, found.spelled) == ("calls", {"kimi-k2": 1, "moonshot/Kimi-K2": 1})
    assert found.model == "kimi-k2"


def test_of_several_models_the_one_with_most_tokens_counts() -> None:
    spans = [call("haiku", 10), call("haiku", 10), call("haiku", 10), call("opus", 1000)]
    assert (who(spans, None).model, who(spans, None).basis) == ("opus", "several")


def test_without_tokens_most_calls_count_and_on_a_tie_the_label() -> None:
    spans = [call("a", None), call("b", None), call("b", None)]
    assert who(spans, "a").model == "b"
    assert who(spans[:2], "b").model == "b"
    assert who(spans[:2], "c").model == "a"


def test_where_no_call_names_one_the_label_counts_and_that_is_said() -> None:
    assert (who([call(None)], "a").model, who([call(None)], "a").basis) == ("a", "label")
    assert (who([], None).model, who([], None).basis) == (None, "nothing")


def test_failed_calls_are_heard_only_where_no_other_names_a_model() -> None:
    broken = call("a", None, code=2, error="Timeout")
    assert who([broken, broken, call("b")], None).model == "b"
    assert who([broken], "b").model == "a"


def test_the_model_that_answered_goes_before_the_one_asked() -> None:
    found = span(model="asked")
    found["attributes"]["gen_ai.response.model"] = "answered"
    assert who([found], "asked").model == "answered"
    found["attributes"]["gen_ai.response.model"] = None
    assert who([found], None).model == "asked"
