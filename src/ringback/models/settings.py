"""Settings of a model and of who asks it: known by name, of the right kind, and in effect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ringback.canonical import Json
from ringback.errors import InputError
from ringback.models.patience import patience_of
from ringback.models.protocol import Model
from ringback.models.secrecy import refuse_secrets
from ringback.models.values import refuse_unstorable

__all__ = ["Asking", "check_settings", "settled"]


class Asking(Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of a participant that asks a model.

    `instructions` stand before what it is given to know, `instructions_append` after it. `model`
    are settings for the model (such as ``temperature``), over those of its entry. With `seed` each
    request carries one that follows from the cell's seed and its place in the call. `identity` is
    the model's own, filled in when it is opened; a value that differs from it is an error.
    """

    instructions: str = ""
    instructions_append: str | None = None
    model: dict[str, Json] = {}
    seed: bool = True
    identity: dict[str, Json] | None = None


S = TypeVar("S", bound=Asking)


def settled(kind: type[S], model: Model, given: Mapping[str, Json], who: str) -> S:
    """The settings in effect, with the model's identity.

    `who` names the participant in the sentence of an `InputError`: for a setting that is not known
    or cannot be used, and where the model is no longer the one that was planned with.
    """
    refuse_unstorable(given, f"the {who}")
    refuse_secrets(given, f"the {who}")
    known = [name for name in kind.__struct_fields__ if name != "identity"]
    for key in given:
        if key not in kind.__struct_fields__:
            raise InputError(
                f"The {who} has no setting {key!r}; {_choose(key, known)}, and put the model's own "
                "under model."
            )
    try:
        settings = msgspec.convert(dict(given), kind)
    except msgspec.ValidationError as problem:
        raise InputError(f"A setting of the {who} cannot be used: {_said(problem, kind)}") from None
    check_settings(settings.model, f"the {who}")
    identity = model.identity
    if settings.identity is not None and settings.identity != identity:
        raise InputError(
            f"The {who} is not the model that was planned with: its endpoint, weights or settings "
            "have changed since."
        )
    return replace(settings, identity=identity)


def _choose(key: str, known: list[str]) -> str:
    close = get_close_matches(key, known, 1)
    return f"did you mean {close[0]}?" if close else f"choose from {', '.join(known)}"


def _said(problem: msgspec.ValidationError, kind: type[Asking]) -> str:
    """The complaint, with what there is to choose from."""
    said, _, place = str(problem).partition(" - at `$")
    name = place.rstrip("`").lstrip(".")
    hint = get_type_hints(kind).get(name)
    if get_origin(hint) is Literal:
        return f"{name} is one of {', '.join(map(str, get_args(hint)))}."
    return f"{said}{f' at {name}' if name else ''}."


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_flag(value: Json) -> bool:
    return isinstance(value, bool)


def _is_texts(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_table(value: Json) -> bool:
    return isinstance(value, dict)


def _is_any(_: Json) -> bool:
    return True


_NUMBER = (_is_number, "a number")
_WHOLE = (_is_whole, "a whole number")
_FLAG = (_is_flag, "true or false")
_TEXTS = (_is_texts, "a list of texts")
_TABLE = (_is_table, "a table")
_ANY = (_is_any, "")

_KNOWN: Mapping[str, tuple[Callable[[Json], bool], str]] = {
    "temperature": _NUMBER,
    "top_p": _NUMBER,
    "top_k": _WHOLE,
    "min_p": _NUMBER,
    "max_tokens": _WHOLE,
    "seed": _WHOLE,
    "presence_penalty": _NUMBER,
    "frequency_penalty": _NUMBER,
    "repeat_penalty": _NUMBER,
    "logit_bias": _TABLE,
    "stop": _ANY,
    "stop_sequences": _TEXTS,
    "parallel_tool_calls": _FLAG,
    "tool_choice": _ANY,
    "thinking": _ANY,
    "citations": _FLAG,
    "cache": _ANY,
    "service_tier": _ANY,
    "timeout": _ANY,  # with the next, looked at by our patience, whose they are
    "max_retries": _ANY,
    "request_timeout": _NUMBER,
    "first_event_timeout": _NUMBER,
    "framing_announcement": _ANY,
    "extra_headers": _TABLE,
    "extra_body": _TABLE,
}
"""What some model takes under its plain name, at a provider or on this machine."""

_RECORDED = (
    "messages",
    "input",
    "contents",
    "system",
    "instructions",
    "tools",
    "model",
    "stream",
    "n",
)
"""What makes up a request: sent otherwise than it stands in the record it would be none."""
_OPENED_WITH = ("threads",)
_APART = (
    "anthropic",
    "bedrock",
    "cerebras",
    "cohere",
    "google",
    "groq",
    "huggingface",
    "mistral",
    "openai",
    "openrouter",
    "snowflake",
    "xai",
    "zai",
)
"""Providers with settings of their own in pydantic-ai, each with its name before them."""


def check_settings(settings: Mapping[str, Json], whose: str, *, entry: bool = False) -> None:
    """Raise `InputError` for a setting that no model takes, or for a value of the wrong kind.

    Whether this very model takes it is found out when it is asked, and stands in its answers. A
    provider's own setting, such as ``openai_reasoning_effort``, is looked for in the client
    library, which this loads. Not so for an `entry` of a configuration file, which may be of a
    model that is not asked; such a one may also say what a model is opened with.
    """
    patience_of(settings, whose)
    for name, value in settings.items():
        if name in _KNOWN:
            fits, kind = _KNOWN[name]
            if not fits(value):
                raise InputError(f"Setting {name} of {whose} is {value!r}; give {kind}.")
            if name == "extra_body" and isinstance(value, dict):
                _check_body(value, whose)
            continue
        prefix = name.partition("_")[0]
        theirs: frozenset[str] | None = frozenset(_OPENED_WITH if entry else ())
        if prefix in _APART and name != prefix:
            theirs = None if entry else _declared(prefix)
        if theirs is not None and name not in theirs:
            close = get_close_matches(name, [*_KNOWN, *theirs], 1)
            raise InputError(
                f"No model takes the setting {name!r} of {whose}"
                f"{f' (did you mean {close[0]}?)' if close else ''}; what a server of your own "
                "alone understands goes into extra_body, a table."
            )


def _check_body(extra: Mapping[str, Json], whose: str) -> None:
    for name in extra:
        if name in _RECORDED:
            raise InputError(
                f"Setting extra_body.{name} of {whose} would take the place of what is asked and "
                "recorded; leave it out."
            )


@cache
def _declared(provider: str) -> frozenset[str] | None:
    """The settings with this provider's name before them; None where that cannot be looked up."""
    try:
        module = import_module(f"pydantic_ai.models.{provider}")
    except ImportError:
        return None
    kinds = [kind for name, kind in vars(module).items() if name.endswith("ModelSettings")]
    names = {name for kind in kinds for name in cast("dict[str, Any]", kind.__annotations__)}
    return frozenset(name for name in names if name.startswith(f"{provider}_"))
