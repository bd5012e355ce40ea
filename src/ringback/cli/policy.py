"""``ringback policy``: what the agent is told."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from ringback.cli.options import DomainName

__all__ = ["show"]


def show(
    *,
    variant: Annotated[
        str | None, Parameter(help="Which wording; the first if left out.", metavar="NAME")
    ] = None,
    domain: DomainName = "telecom",
) -> int:
    """Print the agent's policy, as the agent reads it."""
    from ringback.cli.output import print_paragraphs
    from ringback.domains import load

    world = load(domain)
    text = world.policy(world.policies[0] if variant is None else variant)
    print_paragraphs(text.splitlines())
    return 0
