"""Which model a run is of: by what its calls name, since labels are sometimes another run's.

One model is spelled in many ways: with its provider before it, in another case, with or without the
date of its release. Two names agree if they are the same but for that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from ringback.formats.exgentic.columns import MODELS
from ringback.formats.exgentic.spans import attribute, failed, is_call

__all__ = ["Basis", "Named", "agree", "config_agrees", "config_model", "plain", "undated", "who"]

Basis: TypeAlias = Literal["calls", "several", "label", "nothing"]
"""What a run's model was taken from: its calls, which all name one; its calls, which name several;
its label, since no call names one; nothing, since there is no label either."""

_VENDOR = re.compile(
    r"^(?:(?:us|eu|apac|global)\.)?"
    r"(?:anthropic|openai|google|deepseek|moonshot|moonshotai|meta|mistral|amazon|qwen|xai)\."
)
_BUILD = re.compile(r"(?:-v\d+:\d+|-maas)$")
_DATE = re.compile(r"[-@](?:20\d\d-?[01]\d-?[0-3]\d)$")


class Named(Struct, frozen=True):
    """A run's model: the name as spelled, what it rests on, and all that its calls name.

    `spelled` counts the calls by the name that they spell.
    """

    model: str | None
    basis: Basis
    spelled: dict[str, int]


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """A name without its provider, case and build: ``Azure/GPT-5.2`` is ``gpt-5.2``."""
    bare = "-".join(name.strip().lower().rsplit("/", 1)[-1].split())
    return _BUILD.sub("", _VENDOR.sub("", bare)) or name


def undated(name: str) -> str:
    """The plain name without the date of its release."""
    return _DATE.sub("", plain(name))


def agree(one: str, other: str) -> bool:
    """Whether two names may be of one model: equal, or one of them has a date and the other none.

    Two dates are two releases, and do not agree.
    """
    first, second = plain(one), plain(other)
    bare = undated(first)
    return first == second or (bare == undated(second) and bare in (first, second))


def config_model(path: str | None) -> str | None:
    """The part of a ``config_path`` that names a model: the folder that the file is in."""
    if not path:
        return None
    parts = [part for part in path.split("/") if part]
    return parts[-2] if len(parts) > 1 else None


def config_agrees(path: str, model: str) -> bool:
    """Whether the folder of a ``config_path`` ends in this model's name, dated or not."""
    folder = config_model(path)
    if folder is None:
        return False
    ours = {plain(model), undated(model)}
    theirs = {folder.lower(), _BUILD.sub("", folder.lower()), _DATE.sub("", folder.lower())}
    dates = [_DATE.search(plain(model)), _DATE.search(folder.lower())]
    if all(dates) and len({found[0] for found in dates if found}) > 1:
        return False
    return any(
        text == name or (text.endswith(name) and not text[-len(name) - 1].isalnum())
        for text in theirs
        for name in ours
    )


def who(spans: Iterable[Mapping[str, Any] | None], label: str | None) -> Named:
    """The model that a run is counted under.

    A call names the model that answered, or where that is not said the one that was asked. Calls
    that failed are heard only where no other names one. Where calls name several, it is the model
    whose calls hold the most recorded tokens, in and out; if none are recorded or they are equal,
    the one with the most calls; then the run's label if it is among them; then the one named first.
    Where no call names any it is the label.
    """
    answered: dict[str, list[int]] = {}
    broken: dict[str, list[int]] = {}
    for span in spans:
        if span is None or not is_call(span):
            continue
        name = next((found for key in MODELS if (found := attribute(span, key))), None)
        if name is None:
            continue
        into = (broken if failed(span) else answered).setdefault(name, [0, 0])
        into[0] += _tokens(span)
        into[1] += 1
    heard = answered or broken
    spelled = {name: calls for name, (_, calls) in heard.items()}
    groups: dict[str, list[str]] = {}
    for name in heard:
        key = next((known for known in groups if agree(known, name)), name)
        groups.setdefault(key, []).append(name)
    if not groups:
        return Named(label, "label" if label else "nothing", {})
    if len(groups) == 1:
        return Named(_longest(next(iter(groups.values()))), "calls", spelled)

    def weight(group: list[str]) -> tuple[int, int, bool]:
        tokens = sum(heard[name][0] for name in group)
        calls = sum(heard[name][1] for name in group)
        return tokens, calls, label is not None and agree(group[0], label)

    return Named(_longest(max(groups.values(), key=weight)), "several", spelled)


def _longest(names: list[str]) -> str:
    """Of names that agree the one that says most: dated before undated."""
    return max(names, key=lambda name: len(plain(name)))


def _tokens(span: Mapping[str, Any]) -> int:
    found = (attribute(span, f"gen_ai.usage.{way}_tokens") for way in ("input", "output"))
    return sum(max(value, 0) for value in found if value)
