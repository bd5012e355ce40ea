"""Keeping keys out of records, logs and error sentences."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import cast
from urllib.parse import parse_qsl, quote, urlsplit

from ringback.canonical import Json
from ringback.errors import InputError

__all__ = ["HIDDEN", "Redactor", "refuse_secrets", "refuse_secrets_in_url"]

HIDDEN = "[key]"
"""What stands where a key stood."""

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS)$")
_LOOKS_SECRET = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|ghp|AIza)[-_][\w*.-]{6,}|\bAIza[\w-]{20,}|\bBearer\s+[^\s\"',}]+",
    re.IGNORECASE,
)
_HOLDS_SECRET = re.compile(
    r"authori[sz]ation|api[-_]?key|x-[\w-]*key|access[-_]?key|subscription[-_]?key"
    r"|cookie|secret|password|auth[-_]?token|access[-_]?token|bearer",
    re.IGNORECASE,
)
_SHORTEST = 6


class Redactor:
    """Takes known keys, and what looks like one, out of texts that others wrote.

    Known are the values given, and for `error` also those of environment variables whose name
    says key, token, secret or password.
    """

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._keys = _spelled(keys)

    @property
    def keys(self) -> tuple[str, ...]:
        """The spellings of the known keys, longest first."""
        return self._keys

    def text(self, text: str) -> str:
        """The text without the known keys."""
        for key in self._keys:
            text = text.replace(key, HIDDEN)
        return text

    def error(self, text: str, limit: int = 300) -> str:
        """An error's text in one line of at most `limit` characters, fit for a record."""
        ambient = (value for name, value in os.environ.items() if _SECRET_NAME.search(name.upper()))
        text = self.text(text)
        for key in _spelled(ambient):
            text = text.replace(key, HIDDEN)
        text = " ".join(_LOOKS_SECRET.sub(HIDDEN, text).split())
        text = text.encode("utf-8", "replace").decode()
        return text if len(text) <= limit else f"{text[: limit - 3]}..."


def _spelled(keys: Iterable[str]) -> tuple[str, ...]:
    found = {key.strip() for key in keys}
    found = {key for key in found if len(key) >= _SHORTEST}
    found |= {quote(key, safe="") for key in found}
    return tuple(sorted(found, key=len, reverse=True))


def refuse_secrets(settings: Mapping[str, Json], whose: str) -> None:
    """Raise `InputError` if a setting would carry a key, since settings are recorded."""

    def walk(value: Json, path: str) -> None:
        if isinstance(value, Mapping):
            for name, inner in cast("Mapping[str, Json]", value).items():
                here = f"{path}.{name}" if path else name
                if _HOLDS_SECRET.search(name):
                    raise InputError(
                        f"Setting {here} of {whose} would put a key into the record; name the "
                        "environment variable that holds it as key_env in [models.NAME]."
                    )
                walk(inner, here)
        elif isinstance(value, list):
            for inner in value:
                walk(inner, path)

    walk(dict(settings), "")


def refuse_secrets_in_url(url: str, whose: str) -> None:
    """Raise `InputError` if an address is none or carries a password or key, as it is recorded."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - looking it up checks it
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(
            f"The base_url of {whose} is no http or https address; "
            "write one such as http://127.0.0.1:8000/v1."
        )
    named = any(_HOLDS_SECRET.search(name) or name == "key" for name, _ in parse_qsl(parts.query))
    if parts.username is not None or parts.password is not None or named:
        raise InputError(
            f"The base_url of {whose} carries a key, and addresses are recorded; name the "
            "environment variable that holds the key as key_env in [models.NAME]."
        )
