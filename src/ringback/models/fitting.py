"""Whether a setting is of the kind that the client library takes, looked up in the library itself.

What does not fit would break the library when a model is asked, as if the way there were at fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pydantic
from pydantic_ai.settings import ModelSettings

from ringback.canonical import Json
from ringback.errors import InputError

__all__ = ["refuse_unfit"]

_WORDS: Mapping[object, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    list[str]: "a list of texts",
    dict[str, str]: "a table of texts",
    dict[str, int]: "a table of whole numbers",
}


def refuse_unfit(settings: Mapping[str, Json], whose: str) -> None:
    """Raise `InputError` for a setting of the wrong kind; its value is not repeated.

    Looks at the settings that all providers share; those of one provider alone are its to refuse.
    """
    for name, value in settings.items():
        fits = _adapter(name)
        if fits is None:
            continue
        try:
            fits.validate_python(value)
        except pydantic.ValidationError:
            hint = get_type_hints(ModelSettings)[name]
            raise InputError(
                f"Setting {name} of {whose} is not what it can be; give {_described(hint)}."
            ) from None


@cache
def _adapter(name: str) -> pydantic.TypeAdapter[Any] | None:
    hint = get_type_hints(ModelSettings).get(name)
    if hint is None:
        return None
    try:
        return pydantic.TypeAdapter(hint)
    except pydantic.PydanticSchemaGenerationError:
        return None


def _described(hint: Any) -> str:
    if get_origin(hint) is Literal:
        return ", ".join(map(str, get_args(hint)))
    if get_origin(hint) in (Union, UnionType):
        named = [_described(one) for one in get_args(hint) if one is not NoneType]
        return " or ".join(one for one in named if one)
    return _WORDS.get(hint, "")
