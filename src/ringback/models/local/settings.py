"""Settings of a call: what a local model takes, what goes out, what does not and why."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from msgspec import Struct

from ringback.canonical import Json

__all__ = ["Sampling", "patience", "sampling"]

_RANGES: dict[str, tuple[float, float]] = {
    "temperature": (0.0, 10.0),
    "top_p": (0.0, 1.0),
    "min_p": (0.0, 1.0),
    "presence_penalty": (-2.0, 2.0),
    "frequency_penalty": (-2.0, 2.0),
    "repeat_penalty": (0.1, 10.0),
}
_COUNTS = {"top_k": 0, "max_tokens": 1}
_USUAL: dict[str, Json] = {
    "temperature": 0.8,
    "top_p": 0.95,
    "top_k": 40,
    "min_p": 0.05,
    "max_tokens": 1024,
}
_SEEDS = 2**32 - 1  # the runtime takes one of these; the next would mean "any"
_OURS = {"threads", "timeout", "max_retries"}
"""Taken when the model is opened or by the call itself; never sent."""


class Sampling(Struct, frozen=True):
    """`sent` goes out with the call; `dropped` says of each other setting why it did not."""

    sent: dict[str, Json]
    dropped: dict[str, str]


def sampling(settings: Mapping[str, Json]) -> Sampling:
    """The settings of a call, usual ones added.

    A call without a seed gets one by chance, and says so in `sent`. Seeds are taken modulo
    4,294,967,295.
    """
    sent, dropped = dict(_USUAL), dict[str, str]()
    for name, value in settings.items():
        if name in _OURS:
            continue
        taken = _taken(name, value)
        if isinstance(taken, str):
            dropped[name] = taken
        else:
            sent.update(taken)
    if "seed" not in sent:
        sent["seed"] = secrets.randbelow(_SEEDS)
    return Sampling(sent, dropped)


def patience(settings: Mapping[str, Json], seconds: float) -> float:
    """The seconds that a call may take: the caller's, or a ``timeout`` that is shorter."""
    timeout = settings.get("timeout")
    if isinstance(timeout, int | float) and not isinstance(timeout, bool) and timeout > 0:
        return min(seconds, timeout)
    return seconds


def _taken(name: str, value: Json) -> dict[str, Json] | str:
    """What goes out for a setting, or why it does not."""
    if name in _RANGES:
        low, high = _RANGES[name]
        if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
            return {name: value}
        return f"not a number from {low:g} to {high:g}"
    whole = value if isinstance(value, int) and not isinstance(value, bool) else None
    if name in _COUNTS:
        if whole is not None and whole >= _COUNTS[name]:
            return {name: min(whole, 2**31 - 1)}
        return f"not a whole number of {_COUNTS[name]} or more"
    if name == "seed":
        return {name: whole % _SEEDS} if whole is not None else "not a whole number"
    if name in ("stop", "stop_sequences"):
        texts = [value] if isinstance(value, str) else value
        if isinstance(texts, list) and all(isinstance(text, str) and text for text in texts):
            return {"stop": list(texts)}
        return "not a list of texts"
    if name in ("parallel_tool_calls", "thinking"):
        return {name: value} if isinstance(value, bool) else "not true or false"
    if name == "tool_choice":
        return {name: value} if value in ("auto", "required") else "not auto or required"
    return "llama.cpp has no such setting"
