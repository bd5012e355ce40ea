"""What the agents of the shared recordings said, and the customer played without what one suggests.

``python -m tests.users.recorded`` prints the agreement on each file, whole and with every wording
left out that occurs in that file and in no other.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ringback.episode.events import Turn
from ringback.formats import tau2
from ringback.formats.recording import Recording
from ringback.recordings.agreement import Compared, agreement
from tests.users.wording import Wording, occurs, without, wordings

__all__ = ["RECORDINGS", "agreed", "only_in", "said"]

RECORDINGS = Path(__file__).resolve().parents[3] / "shared" / "recordings"


def said(folder: Path) -> dict[str, list[str]]:
    """File by file, the texts that agents say to a customer."""
    texts: dict[str, list[str]] = {}
    for path in sorted(folder.glob("*-tau2.json.gz")):
        for found in tau2.read(path, lean=True):
            if isinstance(found, Recording) and found.start.condition.domain == "telecom":
                texts.setdefault(path.name, []).extend(
                    event.text
                    for event in found.events
                    if isinstance(event, Turn)
                    and event.by == "agent"
                    and event.text
                    and not event.calls
                )
    return texts


def only_in(found: dict[Wording, set[str]], name: str) -> list[Wording]:
    """The wordings that occur in this file and in no other."""
    return [wording for wording, names in found.items() if names == {name}]


def agreed(path: Path) -> tuple[int, int]:
    """Turns, and those in which `rules` did the same."""
    turns = [found for found in agreement(path) if isinstance(found, Compared)]
    return len(turns), sum(turn.same for turn in turns)


def _main(names: Iterable[str], found: dict[Wording, set[str]]) -> None:
    all_turns = all_same = all_without = 0
    for name in names:
        turns, same = agreed(RECORDINGS / name)
        gone = only_in(found, name)
        with without(gone):
            held_out = agreed(RECORDINGS / name)[1]
        print(f"{name}: {turns} turns, {same} same, {held_out} without {len(gone)} wordings")  # noqa: T201
        all_turns, all_same = all_turns + turns, all_same + same
        all_without += held_out
    print(f"{all_turns} turns, {all_same} same, {all_without} with each file left out")  # noqa: T201


if __name__ == "__main__":
    _texts = said(RECORDINGS)
    _main(_texts, occurs(wordings(), _texts))
