"""Secrets out of what other programs wrote beside a conversation, before any of it is kept.

A secret is told by the name it stands under, and within an address by its place. What was said is
no such thing: messages' contents, calls' arguments and results, the definitions of tools stay as
they are, whatever they hold.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any, cast
from urllib.parse import unquote

import msgspec

__all__ = ["REMOVED", "without_credentials", "without_secrets"]

REMOVED = "(removed: it may be a secret)"
"""What stands where a secret stood."""

_SECRET = re.compile(
    r"key|secret|passw|passphrase|pwd|authorization|(?:^|[-_.])auth$|credential|cookie|bearer|jwt"
    r"|token$",
    re.IGNORECASE,
)
_PLAINLY = re.compile(r"passw|passphrase|pwd|secret|credential|api[-_.]?key|token$", re.IGNORECASE)
"""Names under which a number is a secret too: of the others it may be a count or a place."""
_PARAMETER = re.compile(
    r"key|token|secret|passw|passphrase|pwd|auth(?:$|orization)|credential|signature|(?:^|[-_.])sig$"
    r"|jwt|^code$",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"""://[^\s"'<>]+""")
_WHO = re.compile(r"^://[^/?#]*@")
_QUERY = re.compile(r"([?&#;])([^=&#?;]+)=([^&#;]+)")
_GONE = "(removed)"
_CACHED = 100  # characters of a name that is remembered
_IN_TEXT = re.compile(r'"[^"\\]*"\s*:')  # a member's name, in a text that may be JSON

_PARTS = {
    "function",
    "input_text",
    "output_text",
    "reasoning",
    "text",
    "thinking",
    "tool_call",
    "tool_call_response",
    "tool_result",
    "tool_use",
}
_OF_PART = ("text", "content", "thinking", "input", "arguments", "response", "result")
_OF_NAMED = ("arguments", "description")  # a call, an expected step, a tool
_SAID_BESIDE = {
    "role": ("content",),
    "messages": ("system",),
    "logprob": ("token",),
    "name": _OF_NAMED,
    "func_name": _OF_NAMED,
}
"""What was said, called or defined, by what stands beside it."""


def without_credentials(text: str) -> str:
    """The text, of whose addresses names with passwords and secret parameters are removed.

    An address is what stands before and after ``://``, up to a space, a quote or a bracket.
    """
    if "://" not in text:
        return text
    found = _ADDRESS.sub(_address, text)
    return text if found == text else found


def without_secrets(value: Any, but: Collection[str] = ()) -> Any:
    """A JSON value without what may be a secret; the same object where nothing is.

    Texts under a secret's name, and all texts in what stands under one, become `REMOVED`; numbers
    under the plainest of these names too. A name may stand beside its ``value``, or before it in a
    list of pairs. Other texts lose the credentials in their addresses, and a text that is JSON is
    looked into. What was said stays: see the module. `but` names members that stay as they are
    wherever they stand.
    """
    return _clean(value, but, paired=False)


def _clean(value: Any, but: Collection[str], *, paired: bool) -> Any:
    if isinstance(value, str):
        return _text(value, but)
    if isinstance(value, dict):
        return _members(cast("dict[Any, Any]", value), but)
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if paired and len(items) == 2 and isinstance(items[0], str) and _is_secret(items[0]):
            return [items[0], _emptied(items[1], numbers=True)]
        cleaned = [_clean(item, but, paired=True) for item in items]
        return cleaned if any(map(_differ, cleaned, items)) else items
    return value


def _differ(one: Any, other: Any) -> bool:
    return one is not other


def _members(members: dict[Any, Any], but: Collection[str]) -> dict[Any, Any]:
    names = tuple(members)
    secret, others = _sorted_out(names) if len(names) <= _CACHED else _by_name(names)
    changed: dict[Any, Any] = {}
    said = _said(members) if "type" in members or "properties" in members else ()
    if "value" in members:
        secret, others = _paired(members, secret, others)
    for name in secret:
        item = members[name]
        if not (item is None or item is True or item is False or name in said or name in but):
            plainly = name == "value" or _PLAINLY.search(name) is not None
            new = _emptied(item, numbers=plainly)
            if new is not item:
                changed[name] = new
    for name in others:
        item = members[name]
        if isinstance(item, str | dict | list) and name not in said and name not in but:
            new = _clean(item, but, paired=False)
            if new is not item:
                changed[name] = new
    return {**members, **changed} if changed else members


def _by_name(names: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The members of an object that are secrets, and those that may hold some.

    Without those that are what was said, called, answered or defined, so far as names say so.
    """
    said = {said for beside, what in _SAID_BESIDE.items() if beside in names for said in what}
    left = [name for name in names if name not in said]
    secret = tuple(name for name in left if _is_secret(name))
    return secret, tuple(name for name in left if name not in secret)


_sorted_out = lru_cache(maxsize=4096)(_by_name)


def _paired(
    members: Mapping[Any, Any], secret: tuple[Any, ...], others: tuple[Any, ...]
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The same where a name may stand beside its value."""
    pair = next((name for name in ("name", "key") if isinstance(members.get(name), str)), None)
    if pair is None:
        return secret, others
    secret = tuple(name for name in secret if name != pair)
    if _is_secret(members[pair]):
        secret = (*secret, "value")
    return secret, tuple(name for name in others if name not in secret)


def _said(members: Mapping[Any, Any]) -> tuple[str, ...]:
    """Which members are what was said or defined, so far as the values of others say so."""
    kind, properties = members.get("type"), members.get("properties")
    said: tuple[str, ...] = _OF_PART if isinstance(kind, str) and kind in _PARTS else ()
    if isinstance(properties, dict) and all(
        isinstance(each, dict | bool) for each in cast("dict[str, Any]", properties).values()
    ):
        said = (*said, "properties")  # of a schema: what stands under a name describes it
    return said


@lru_cache(maxsize=4096)
def _is_secret_name(name: str) -> bool:
    return _SECRET.search(name) is not None


def _is_secret(name: object) -> bool:
    if not isinstance(name, str):
        return False
    return _is_secret_name(name) if len(name) <= _CACHED else _SECRET.search(name) is not None


def _emptied(value: Any, *, numbers: bool) -> Any:
    """The value with every text in it removed, and where asked for every number."""
    match value:
        case bool() | None | "":
            return value
        case str() | bytes():
            return value if value == REMOVED else REMOVED
        case int() | float():
            return REMOVED if numbers else value
        case dict():
            members = cast("dict[Any, Any]", value)
            return {name: _emptied(item, numbers=numbers) for name, item in members.items()}
        case list() | tuple():
            items = cast("Iterable[Any]", value)
            return [_emptied(item, numbers=numbers) for item in items]
        case _:
            return value


def _text(text: str, but: Collection[str]) -> str:
    if text[:1] in ("{", "[") and any(
        _is_secret(found[0].rstrip(": \t\r\n")[1:-1]) for found in _IN_TEXT.finditer(text)
    ):
        try:
            inner = msgspec.json.decode(text)
            cleaned = _clean(inner, but, paired=False)
        except (msgspec.DecodeError, RecursionError):  # no JSON, or nested too deeply
            return without_credentials(text)
        if cleaned is not inner:
            return msgspec.json.encode(cleaned).decode()
    return without_credentials(text)


def _address(found: re.Match[str]) -> str:
    return _QUERY.sub(_parameter, _WHO.sub(f"://{_GONE}@", found[0]))


def _parameter(found: re.Match[str]) -> str:
    mark, name, _ = found.groups()
    return f"{mark}{name}={_GONE}" if _PARAMETER.search(unquote(name)) else found[0]
