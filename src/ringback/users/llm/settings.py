"""The settings of a model as a customer: part of the condition, so every one in effect is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ringback.canonical import Json
from ringback.errors import InputError
from ringback.models.protocol import Model
from ringback.users.llm.instructions import INSTRUCTIONS

__all__ = ["LlmUserSettings", "settled"]


class LlmUserSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of a model as a customer.

    `guard`: ``off`` takes every reply as it comes, ``record`` notes what the rules object to and
    goes on, ``correct`` asks again up to `retries` times for a turn and then, by `on_exhausted`,
    goes on with the last reply or ends the episode as the customer's error. `normalize` (not where
    the guard is off) spells markers right and lets a clear goodbye end the call.

    `structured` holds replies to a form; None means wherever the model can be held to one.
    `instructions` stand before the scenario, `instructions_append` after it. `model` are settings
    for the model, over those of its entry. With `seed` each request carries one that follows from
    the cell's seed and its place in the call. `identity` is the model's own, filled in when it is
    opened; a value that differs from it is an error.
    """

    guard: Literal["off", "record", "correct"] = "correct"
    retries: int = 2
    on_exhausted: Literal["accept", "user_error"] = "accept"
    normalize: bool = True
    structured: bool | None = None
    instructions: str = INSTRUCTIONS
    instructions_append: str | None = None
    model: dict[str, Json] = {}
    seed: bool = True
    identity: dict[str, Json] | None = None


def settled(model: Model, given: Mapping[str, Json]) -> LlmUserSettings:
    """The settings in effect; `InputError` for one that is not known or cannot be used."""
    who = f"user {model.name}"
    for key in given:
        if key not in LlmUserSettings.__struct_fields__:
            known = [name for name in LlmUserSettings.__struct_fields__ if name != "identity"]
            raise InputError(
                f"The {who} has no setting {key!r}; choose from {', '.join(known)}, and put the "
                "model's own under model."
            )
    try:
        settings = msgspec.convert(dict(given), LlmUserSettings)
    except msgspec.ValidationError as error:
        raise InputError(f"A setting of the {who} cannot be used: {error}.") from None
    if not 0 <= settings.retries <= 20:
        raise InputError(f"Setting retries of the {who} is {settings.retries}; give 0 to 20.")
    if settings.structured and not model.holds_form:
        raise InputError(
            f"The {who} cannot be held to a form; leave out the setting structured, or say false."
        )
    identity = model.identity
    if settings.identity is not None and settings.identity != identity:
        raise InputError(
            f"The {who} is not the model that was planned with: its endpoint, weights or settings "
            "have changed since."
        )
    structured = model.holds_form if settings.structured is None else settings.structured
    return replace(settings, identity=identity, structured=structured)
