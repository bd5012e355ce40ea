"""How long a model took, where it must have said so."""

from __future__ import annotations

from ringback.episode.wire import Answer


def took(answer: Answer) -> float:
    """Seconds."""
    assert answer.seconds is not None
    return answer.seconds
