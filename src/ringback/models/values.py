"""Values that a record can hold: what TOML, Python and a command line know and JSON does not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import cast

from ringback.errors import InputError

__all__ = ["refuse_unstorable"]

_DEPTH = 50
_MOST = 2**63 - 1


def refuse_unstorable(settings: Mapping[str, object], whose: str) -> None:
    """Raise `InputError`, naming the setting, for a value that no record could give back.

    That is a number that is not finite or has more than 64 bits, a date, half a surrogate pair, and
    what nests deeper than 50 levels. The value is not repeated.
    """
    _look(settings, "", whose, 0)


def _look(value: object, path: str, whose: str, depth: int) -> None:
    match value:
        case None | bool():
            return
        case str():
            why = None if _is_text(value) else "holds half a character; write it in UTF-8"
        case int():
            why = None if abs(value) <= _MOST else "has more than 64 bits; give a smaller number"
        case float():
            why = None if math.isfinite(value) else "is not finite; give a number that is"
        case dict() | list() | tuple() if depth >= _DEPTH:
            why = f"nests deeper than {_DEPTH} levels; say it in fewer"
        case dict():
            for name, inner in cast("dict[object, object]", value).items():
                if not isinstance(name, str) or not _is_text(name):
                    raise InputError(
                        f"A name in {path or 'the settings'} of {whose} is no text in UTF-8."
                    )
                _look(inner, f"{path}.{name}" if path else name, whose, depth + 1)
            return
        case list() | tuple():
            for inner in cast("list[object]", value):
                _look(inner, path, whose, depth + 1)
            return
        case _:
            kind = type(value).__name__
            why = f"is a {kind}, which JSON does not know; write it in quotes, as text"
    if why is not None:
        raise InputError(f"Setting {path} of {whose} {why}.")


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
