"""Options that the commands at the desk share."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from cyclopts import Parameter

from ringback.cli.options import Whole

__all__ = ["Budget", "Guard", "Session", "Step", "Text", "User"]

Session: TypeAlias = Annotated[
    str | None,
    Parameter(
        name="--session",
        help="Which episode, by its id or the beginning of it; needed where several are open.",
        metavar="ID",
    ),
]
Step: TypeAlias = Annotated[
    Whole | None,
    Parameter(
        name="--expect-step",
        help="Do nothing unless the episode is at this step: it has not moved on since you looked.",
        metavar="N",
    ),
]
Budget: TypeAlias = Annotated[
    float | None,
    Parameter(
        name="--budget",
        help="Ask the customer's model no more before this command costs more; it then exits with "
        "3, and the episode stands.",
        metavar="USD",
    ),
]
User: TypeAlias = Annotated[str, Parameter(help="Who calls: rules, or a model.", metavar="NAME")]
Guard: TypeAlias = Annotated[
    str | None,
    Parameter(
        help="What to do when a model stops being a customer: off, record or correct.",
        metavar="HOW",
    ),
]
Text: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(
        name="TEXT",
        help="What to say, in 'single quotes'; - takes it from standard input. A text with "
        "###STOP### in it ends the call, as any agent's does.",
        show_default=False,
        allow_leading_hyphen=True,
    ),
]
