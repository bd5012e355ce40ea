"""Which results of a tau2 file answer which calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ringback.formats.tau2.wire import Message, ToolCall

__all__ = ["answers_after", "flat", "paired"]


def answers_after(messages: Sequence[Message], place: int) -> tuple[list[tuple[int, Message]], int]:
    """The results that follow directly, each with its place, and the place after them."""
    found: list[tuple[int, Message]] = []
    while place < len(messages) and messages[place].role == "tool":
        found += [(place, result) for result in flat(messages[place])]
        place += 1
    return found, place


def flat(message: Message) -> Iterator[Message]:
    """A message with several results as its results, any other as it is."""
    if message.role == "tool" and message.tool_messages is not None:
        yield from message.tool_messages
    else:
        yield message


def paired(
    calls: Sequence[ToolCall], answers: list[tuple[int, Message]]
) -> tuple[list[ToolCall], list[Message], list[ToolCall], list[tuple[int, Message]]]:
    """Calls that were answered with their answers, calls that were not, answers to no call.

    By their ids where each has one of its own and no answer names another, else in their order.
    """
    ids = [call.id for call in calls]
    theirs = [answer.id for _, answer in answers]
    if ids != theirs and _all_own(ids) and _all_own(theirs) and set(theirs) <= set(ids):
        by_id = {answer.id: answer for _, answer in answers}
        answered = [call for call in calls if call.id in by_id]
        left = [call for call in calls if call.id not in by_id]
        return answered, [by_id[call.id] for call in answered], left, []
    known = min(len(calls), len(answers))
    return (
        list(calls[:known]),
        [answer for _, answer in answers[:known]],
        list(calls[known:]),
        answers[known:],
    )


def _all_own(ids: list[Any]) -> bool:
    return all(isinstance(one, str) and one for one in ids) and len(set(ids)) == len(ids)
