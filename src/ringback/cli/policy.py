"""``ringback policy``: what the agent is told."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

__all__ = ["show"]


def show(
    *,
    variant: Annotated[
        str | None, Parameter(help="Which wording; the first if left out.", metavar="NAME")
    ] = None,
) -> int:
    """Print the agent's policy, as the agent reads it."""
    from ringback.cli.output import print_text
    from ringback.domains import load

    domain = load()
    print_text(domain.policy(domain.policies[0] if variant is None else variant))
    return 0
