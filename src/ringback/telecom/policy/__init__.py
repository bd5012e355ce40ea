"""The agent's policy in two named variants, in words of our own.

`workflow` is ordered decision steps, rendered from the data in `workflow`; `manual` gives the same
knowledge as background, causes and remedies by topic. Both begin with the same rules.
"""

from __future__ import annotations

from ringback.errors import InputError
from ringback.telecom.policy import render

__all__ = ["POLICIES", "policy"]

POLICIES: tuple[str, ...] = ("workflow", "manual")
"""The names of the variants, the default first."""


def policy(variant: str) -> str:
    """The agent's instructions in words; `InputError` if there is no such variant."""
    match variant:
        case "workflow":
            return render.workflow()
        case "manual":
            return render.manual()
        case _:
            raise InputError(
                f"There is no policy variant {variant!r}; choose one of {', '.join(POLICIES)}."
            )
