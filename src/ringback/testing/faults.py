"""What can go wrong with a model's server, by name, and whether it does for a given request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

from ringback.episode.seeds import Stream

__all__ = ["FAULTS", "Fault", "draw", "spread"]

Fault: TypeAlias = Literal[
    "rate_limit",
    "server_error",
    "hang",
    "cut",
    "malformed_json",
    "malformed_arguments",
    "empty",
    "reasoning_only",
    "parallel_calls",
    "unknown_tool",
    "wrong_model",
    "context_overflow",
    "refusal",
]
"""``rate_limit``: 429 with Retry-After. ``server_error``: 500. ``hang``: no answer while the client
waits. ``cut``: the body ends early. ``malformed_json``: a 200 that is no JSON. The others are whole
answers of a model that goes astray: arguments that are no JSON, neither text nor call, reasoning
alone, a call made twice in parallel, a call of a tool that does not exist, another model's name,
the error of a conversation that is too long, a refusal."""

FAULTS: tuple[Fault, ...] = get_args(Fault)


def spread(total: float, *faults: Fault) -> dict[Fault, float]:
    """A probability shared evenly by some faults, by all of them if none is named."""
    among = faults or FAULTS
    return dict.fromkeys(among, total / len(among))


def draw(faults: Mapping[Fault, float], seed: int, request: str, seen: int) -> Fault | None:
    """The fault for the `seen`-th sight of the request with this digest, None for none.

    Nothing else plays a part, so episodes side by side meet the same faults in whatever order they
    come. The probabilities should not add up to more than 1.
    """
    point = Stream(f"{seed} {request}", seen).uniform()
    for fault, probability in faults.items():
        point -= probability
        if point < 0:
            return fault
    return None
