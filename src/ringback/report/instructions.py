"""What each side of a recorded call was told before it, whole: for those who read the record.

A model's instructions are those that its recorded calls were sent with. What a simulated customer
without a model goes by is in no call; it is the task's scenario.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from ringback.domain import Domain, Side, Task
from ringback.episode.events import AnyEvent, ModelCall, Start

__all__ = ["Instructions", "instructions"]


class Instructions(Struct, frozen=True):
    """One text: whose it is (None where that is not known), what it is, and the text.

    `text` is None where the store does not have it.
    """

    side: Side | None
    what: str
    text: str | None


def instructions(
    events: Sequence[AnyEvent],
    domain: Domain | None,
    task: Task | None,
    contents: Mapping[str, str],
) -> tuple[Instructions, ...]:
    """The instructions in these events, the agent's first; texts are looked up in `contents`.

    Several where a side was sent several; nothing for an agent that is a program.
    """
    start = events[0]
    found = [*_sent(events, "agent", contents), *_sent(events, "user", contents)]
    if not isinstance(start, Start):
        return tuple(found)
    if start.origin is not None:
        found += [
            Instructions(None, f"recorded as {name}", contents.get(digest))
            for name, digest in start.origin.contents.items()
        ]
    elif domain is not None and task is not None and not any(f.side == "user" for f in found):
        text = domain.scenario(task).text
        found.append(Instructions("user", "the task’s scenario, as this world tells it", text))
    return tuple(found)


def _sent(
    events: Sequence[AnyEvent], side: Side, contents: Mapping[str, str]
) -> Iterator[Instructions]:
    """What a side's calls were sent with; of a fork those that were copied are told apart."""
    start = events[0]
    forked = start.condition.forked if isinstance(start, Start) else None
    calls = [event for event in events if isinstance(event, ModelCall) and event.by == side]
    copied = [call for call in calls if forked is not None and call.seq < forked.seq]
    own = dict.fromkeys(call.request.system for call in calls[len(copied) :])
    for what, digests in (
        ("as its model was sent them", own),
        (
            "as the model before the fork was sent them",
            {call.request.system: None for call in copied if call.request.system not in own},
        ),
    ):
        for number, digest in enumerate(digests, 1):
            which = "" if len(digests) == 1 else f", {number} of {len(digests)}"
            yield Instructions(side, f"{what}{which}", contents.get(digest))
