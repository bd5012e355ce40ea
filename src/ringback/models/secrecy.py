"""Keeping keys out of records, logs and error sentences.

What is known is kept out by its value: the key in use, and what stands in variables of the
environment that say key, token, secret or password. What is not known is kept out by its look and
by the name it has.
"""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import quote, unquote_plus, urlsplit

from ringback.canonical import Json
from ringback.errors import InputError

__all__ = [
    "HIDDEN",
    "NO_KEY",
    "Redactor",
    "blank_key",
    "keys_of",
    "refuse_secrets",
    "refuse_secrets_in_url",
]

HIDDEN = "[key]"
"""What stands where a key stood."""

NO_KEY = "api-key-not-set"
"""What goes out where an endpoint needs no key; client libraries insist on something."""

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS|_PAT)$")
_LOOKS_SECRET = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|ghp|AIza)[-_][\w*.-]{6,}|\bAIza[\w-]{20,}|\bBearer\s+[^\s\"',}]+",
    re.IGNORECASE,
)
_IS_SECRET = re.compile(
    r"(?<!\w)(?:sk|pk|rk|gsk|xai|hf|ghp|ghu|glpat)[-_](?=[\w-]*\d)[\w-]{16,}|(?<!\w)AIza[\w-]{30,}"
    r"|\b(?:Bearer|Basic)\s+[\w.+/=~-]{16,}",
)
"""Narrower: what a setting or an address is refused for."""

_HOLDS_SECRET = re.compile(
    r"authori[sz]ation|api[-_]?key|x-[\w-]*key|access[-_]?key|subscription[-_]?key"
    r"|cookie|secret|password|auth[-_]?token|access[-_]?token|bearer",
    re.IGNORECASE,
)
_SECRET_WORD = re.compile(
    "(?:api)?key|(?:auth|access)?token|auth|sig(?:nature)?|sas|secret|pass(?:wd|word|phrase)?|pwd"
    "|cred(?:ential)?s?|cookie|jwt|bearer|pat"
)
"""Of what the name of a header or of a part of an address may not be made up."""
_SECRET_SETTINGS = frozenset(
    ["key", "token", "auth", "sig", "signature", "jwt", "pat", "passwd", "pwd"]
)
_SECRET_ENDS = ("token", "auth", "sig", "signature")
_LETTERS_OF_A_KEY = re.compile(r"[\w.+/=~-]{8,}")
_SENT_APART = ("extra_headers", "extra_query", "headers", "query")

_SHORTEST = 6
_SHORTEST_AMBIENT = 8
_A_WORD = 16
_LONGEST_READ = 20_000
_LONGEST_ADDRESS = 2_000
_LONGEST_LABEL = 63

_VARIABLES = {
    "bedrock": ("AWS_",),
    "cohere": ("CO_", "COHERE_"),
    "google": ("GOOGLE_", "GEMINI_"),
    "google-cloud": ("GOOGLE_", "GEMINI_"),
    "huggingface": ("HF_", "HUGGING"),
}


class Redactor:
    """Takes known keys, and what looks like one, out of texts that others wrote.

    Known are the values given, and for `error` also those of environment variables whose name
    says key, token, secret or password.
    """

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._keys = _spelled(keys)

    @property
    def keys(self) -> tuple[str, ...]:
        """The known keys in all spellings in which they may come back, longest first."""
        return self._keys

    def text(self, text: str) -> str:
        """The text without the known keys."""
        for key in self._keys:
            text = text.replace(key, HIDDEN)
        return text

    def error(self, text: str, limit: int = 300) -> str:
        """An error's text in one line of at most `limit` characters, fit for a record."""
        keys = sorted({*self._keys, *_spelled(_ambient())}, key=len, reverse=True)
        cut = len(text) > _LONGEST_READ
        text = text[:_LONGEST_READ]
        for key in keys:
            text = text.replace(key, HIDDEN)
        if cut:  # the first half of a key may stand at the end
            text = text[: -max(map(len, keys), default=_A_WORD)]
        text = " ".join(_LOOKS_SECRET.sub(HIDDEN, text).split())
        text = text.encode("utf-8", "replace").decode()
        return text if len(text) <= limit else f"{text[: limit - 3]}..."


def keys_of(provider: str) -> Iterator[str]:
    """What stands in the environment variables for this provider's keys."""
    return (value for _, value in _held(provider))


def blank_key(provider: str) -> str | None:
    """The variable for this provider's key that is set to nothing, if no other holds one."""
    held = dict(_held(provider))
    if any(value.strip() for value in held.values()):
        return None
    return next(iter(held), None)


def _held(provider: str) -> Iterator[tuple[str, str]]:
    family = provider.removesuffix("-chat").removesuffix("-responses")
    prefixes = _VARIABLES.get(family, (f"{family.upper().replace('-', '_')}_",))
    for name, value in os.environ.items():
        if name.upper().startswith(prefixes) and _SECRET_NAME.search(name.upper()):
            yield name, value


def _ambient() -> Iterator[str]:
    return (value for name, value in os.environ.items() if _SECRET_NAME.search(name.upper()))


def _spelled(keys: Iterable[str]) -> tuple[str, ...]:
    found: set[str] = set()
    for key in {key.strip() for key in keys}:
        if len(key) >= _SHORTEST:
            escaped = (_escaped(key), _escaped(key, plain=False))
            twice = (_escaped(one) for one in escaped)
            found |= {key, quote(key, safe=""), repr(key)[1:-1], html.escape(key), *escaped, *twice}
    return tuple(sorted(found, key=len, reverse=True))


def _escaped(text: str, *, plain: bool = True) -> str:
    return json.dumps(text, ensure_ascii=plain)[1:-1]


def refuse_secrets(settings: Mapping[str, Json], whose: str, keys: Iterable[str] = ()) -> None:
    """Raise `InputError` if a setting would carry a key, since settings are recorded.

    Found by its name, by its look, and by its value where that is one of `keys` or stands in the
    environment under a name that says so. The sentence does not repeat it.
    """
    known = _known(keys)

    def walk(value: Json, path: str, apart: bool) -> None:
        match value:
            case str() if _is_key(value, known):
                raise InputError(_sentence(path, whose))
            case dict():
                for name, inner in value.items():
                    if _is_key(name, known):
                        raise InputError(_sentence(path or "(a name)", whose))
                    here = f"{path}.{name}" if path else name
                    if _names_a_key(name, inner, apart=apart):
                        raise InputError(_sentence(here, whose))
                    walk(inner, here, apart or name.lower() in _SENT_APART)
            case list():
                for inner in value:
                    walk(inner, path, apart)
            case _:
                pass

    walk(dict(settings), "", False)


def _sentence(path: str, whose: str) -> str:
    return (
        f"Setting {path} of {whose} would put a key into the record; name the environment variable "
        "that holds it as key_env in [models.NAME]."
    )


def _names_a_key(name: str, value: Json, *, apart: bool) -> bool:
    if _HOLDS_SECRET.search(name):
        return True
    words = _words(name)
    if apart:
        return any(map(_SECRET_WORD.fullmatch, words)) or words[-1:] == ["code"]
    if not isinstance(value, str):
        return False
    if name.lower() in _SECRET_SETTINGS:
        return True
    return words[-1:] != [] and words[-1] in _SECRET_ENDS and _is_random(value)


def _words(name: str) -> list[str]:
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return [word for word in re.split(r"[^a-z0-9]+", parted.lower()) if word]


def _is_random(value: str) -> bool:
    return _LETTERS_OF_A_KEY.fullmatch(value) is not None


def _known(keys: Iterable[str]) -> tuple[str, ...]:
    """The values that may stand nowhere. A plain word, such as ``ollama``, is no secret."""
    found = [key.strip() for key in keys if len(key.strip()) >= _SHORTEST]
    found += [value.strip() for value in _ambient() if len(value.strip()) >= _SHORTEST_AMBIENT]
    return _spelled(one for one in found if len(one) >= _A_WORD or not one.isalpha())


def _is_key(text: str, known: Sequence[str]) -> bool:
    if any(key in text for key in known):
        return True
    return _IS_SECRET.search(text) is not None


def refuse_secrets_in_url(url: str, whose: str, keys: Iterable[str] = ()) -> None:
    """Raise `InputError` if an address is none or carries a password or key, as it is recorded.

    A key is found as `refuse_secrets` finds it, in every part of the address.
    """
    if len(url) > _LONGEST_ADDRESS or not _is_address(url):
        raise InputError(
            f"The base_url of {whose} is no http or https address; "
            "write one such as http://127.0.0.1:8000/v1."
        )
    parts = urlsplit(url)
    asked = re.split(r"[&;]", f"{parts.query}&{parts.path.partition(';')[2]}")
    names = [unquote_plus(pair.partition("=")[0]) for pair in asked]
    named = any(_names_a_key(name, "", apart=True) for name in names)
    valued = any(_is_key(text, _known(keys)) for text in (url, unquote_plus(url)))
    if parts.username is not None or parts.password is not None or named or valued:
        raise InputError(
            f"The base_url of {whose} carries a key, and addresses are recorded; name the "
            "environment variable that holds the key as key_env in [models.NAME]."
        )
    if parts.fragment:
        raise InputError(
            f"The base_url of {whose} has a part behind #, which no server gets to see; leave it "
            "out."
        )


def _is_address(url: str) -> bool:
    if any(letter.isspace() or not letter.isprintable() for letter in url):
        return False
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - looking it up checks it
        host = parts.hostname or ""
        if ":" not in host:
            host = host.encode("idna").decode()
    except ValueError:
        return False
    labels = host.removesuffix(".").split(".")
    fit = all(0 < len(label) <= _LONGEST_LABEL for label in labels)
    return parts.scheme in ("http", "https") and (fit or ":" in host)
