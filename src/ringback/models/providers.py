"""The providers that a model can be named by, and what each needs installed."""

from __future__ import annotations

from collections.abc import Mapping

from ringback.errors import InputError

__all__ = ["COMPATIBLE", "PROVIDERS", "base_url_of", "family", "install", "lacking"]

COMPATIBLE = "openai-compatible"
"""What an endpoint that speaks OpenAI's protocol elsewhere is called in messages."""

_OPENAI = (
    "openai",
    "openai-chat",
    "openai-responses",
    "alibaba",
    "azure",
    "azure-responses",
    "cerebras",
    "crusoe",
    "deepseek",
    "fireworks",
    "github",
    "heroku",
    "litellm",
    "meta",
    "moonshotai",
    "nebius",
    "ollama",
    "openrouter",
    "ovhcloud",
    "sambanova",
    "snowflake",
    "together",
    "vercel",
    "vllm",
    "zai",
)
_APART = ("bedrock", "cohere", "groq", "huggingface", "mistral", "xai")

PROVIDERS: Mapping[str, str] = {
    **dict.fromkeys(_OPENAI, "ringback[openai]"),
    "anthropic": "ringback[anthropic]",
    "google": "ringback[google]",
    "google-cloud": "ringback[google]",
    **{name: f"pydantic-ai-slim[{name}]" for name in _APART},
}
"""A provider's name, as pydantic-ai's users know it, and the package it needs."""

_AT_HOME = {
    "ollama": "http://localhost:11434/v1",
    "vllm": "http://localhost:8000/v1",
}


def install(provider: str) -> str:
    """The command that installs what the provider needs."""
    return f"pip install '{PROVIDERS[provider]}'"


def lacking(name: str, provider: str, problem: ImportError) -> InputError:
    """What to say where a package of the provider's is not there: which, as far as it is known."""
    cause = problem.__cause__ or problem.__context__
    module = problem.name or (cause.name if isinstance(cause, ImportError) else None)
    which = f" ({module.partition('.')[0]})" if module else ""
    return InputError(f"{name} needs a package that is not installed{which}; {install(provider)}")


def family(provider: str) -> str:
    """The provider whatever its interface: ``openai`` of ``openai-responses``."""
    return provider.removesuffix("-chat").removesuffix("-responses")


def base_url_of(provider: str, given: str | None, environment: Mapping[str, str]) -> str | None:
    """The endpoint: as given, as the provider's own variable says, or where its server usually is.

    None where it is the provider's one and only.
    """
    variable = f"{family(provider).upper().replace('-', '_')}_BASE_URL"
    return given or environment.get(variable) or _AT_HOME.get(provider)
