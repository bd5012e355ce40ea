"""The settings of a model as a customer: part of the condition, so every one in effect is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec.structs import replace

from ringback.canonical import Json
from ringback.errors import InputError
from ringback.models import settings
from ringback.models.protocol import Model
from ringback.users.llm.instructions import INSTRUCTIONS

__all__ = ["LlmUserSettings", "settled"]


class LlmUserSettings(settings.Asking, frozen=True, forbid_unknown_fields=True):
    """The settings of a model as a customer.

    `guard`: ``off`` takes every reply as it comes, ``record`` notes what the rules object to and
    goes on, ``correct`` asks again up to `retries` times for a turn and then, by `on_exhausted`,
    goes on with the last reply or ends the episode as the customer's error. `normalize` (not where
    the guard is off) spells markers right and lets a clear goodbye end the call.

    `structured` holds replies to a form; None means wherever the model can be held to one. The
    others are those of `Asking`; `instructions` stand before the scenario.
    """

    instructions: str = INSTRUCTIONS
    guard: Literal["off", "record", "correct"] = "correct"
    retries: int = 2
    on_exhausted: Literal["accept", "user_error"] = "accept"
    normalize: bool = True
    structured: bool | None = None


def settled(model: Model, given: Mapping[str, Json]) -> LlmUserSettings:
    """The settings in effect; `InputError` for one that is not known or cannot be used."""
    who = f"user {model.name}"
    found = settings.settled(LlmUserSettings, model, given, who)
    if not 0 <= found.retries <= 20:
        raise InputError(f"Setting retries of the {who} is {found.retries}; give 0 to 20.")
    if found.structured and not model.holds_form:
        raise InputError(
            f"The {who} cannot be held to a form; leave out the setting structured, or say false."
        )
    structured = model.holds_form if found.structured is None else found.structured
    return replace(found, structured=structured)
