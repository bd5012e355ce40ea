"""The failed calls that were labelled before any rule was written, and what the rules say of them.

``python -m tests.grading.labelled_calls`` prints the figures of docs/grading.md. The recordings are
read where they lie; of them only the place of each call is kept here.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.events import AnyEvent, End, Results, Start, Turn
from ringback.formats.recording import Recording
from ringback.formats.tau2 import read
from ringback.grading.blame import Failure
from ringback.grading.grade import grade

__all__ = ["HALVES", "Call", "calls", "kappa", "labels", "met"]

HERE = Path(__file__).parent / "labelled"
HALVES = ("development", "held_out")


class Label(NamedTuple):
    """One labeller's word: whom the call is laid to, each kind with the message that shows it."""

    blame: str
    kinds: Mapping[str, int]


class Call(NamedTuple):
    """A labelled call: the two labels, what the rules found, the message of each event."""

    file: str
    place: int
    half: str
    a: Label
    b: Label
    found: Failure
    message: Mapping[int, int]


@cache
def labels(who: str) -> Mapping[tuple[str, int], tuple[str, Label]]:
    """A labeller's labels by file and place, each with the half that the call belongs to."""
    found: dict[tuple[str, int], tuple[str, Label]] = {}
    for line in (HERE / f"{who}.jsonl").read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        kinds = {item["kind"]: item["message"] for item in row["kinds"]}
        found[row["file"], row["i"]] = row["half"], Label(row["blame"], kinds)
    return found


def calls(recordings: Path) -> Iterator[Call]:
    """Every labelled call, judged by the rules."""
    first, second = labels("a"), labels("b")
    for name in sorted({file for file, _ in first}):
        for recording in read(recordings / name, lean=True):
            if not isinstance(recording, Recording):
                continue
            key = name, recording.origin.place
            if key not in first:
                continue
            episode = Episode.from_events(recording.events, load(recording.start.condition.domain))
            failure = grade(episode).failure
            assert failure is not None, key
            half, a = first[key]
            yield Call(*key, half, a, second[key][1], failure, _messages(recording.events))


def _messages(events: Sequence[AnyEvent]) -> Mapping[int, int]:
    """The number of the message that each event was made of; the last one's for the end."""
    found: dict[int, int] = {}
    count = 0
    for event in events:
        match event:
            case Start():
                count += bool(event.condition.greeting)
            case Turn() if event.rule != "not_recorded":
                found[event.seq] = count
                count += 1
            case Results():
                count += len(event.results)
            case End():
                found[event.seq] = count - 1
            case _:
                pass
    return found


def kappa(pairs: Sequence[tuple[str, str]]) -> float:
    """Cohen's kappa of two labellings (Cohen 1960)."""
    count = len(pairs)
    observed = sum(a == b for a, b in pairs) / count
    first, second = (Counter(pair[which] for pair in pairs) for which in (0, 1))
    chance = sum(first[name] * second[name] for name in first) / count**2
    return (observed - chance) / (1 - chance)


def met(found: Iterable[Call], kind: str) -> tuple[int, int, int]:
    """A kind where the labellers agree: found rightly, found wrongly, missed."""
    right = wrong = missed = 0
    for call in found:
        if (kind in call.a.kinds) == (kind in call.b.kinds):
            there, said = kind in call.a.kinds, kind in {sign.kind for sign in call.found.kinds}
            right, wrong, missed = (
                right + (there and said),
                wrong + (said and not there),
                missed + (there and not said),
            )
    return right, wrong, missed


def _report(recordings: Path, half: str) -> None:
    found = [call for call in calls(recordings) if call.half == half]
    say = sys.stdout.write
    say(f"## {half}: {len(found)} calls\n")
    for name in ("a", "b"):
        pairs = [(getattr(call, name).blame, call.found.blame) for call in found]
        right = sum(x == y for x, y in pairs)
        say(f"rule and {name}: {right} of {len(pairs)}, kappa {kappa(pairs):.2f}\n")
    both = [(call.a.blame, call.found.blame) for call in found if call.a.blame == call.b.blame]
    say(f"where both agree: {sum(x == y for x, y in both)} of {len(both)}\n")
    for pair, count in sorted(Counter(both).items()):
        say(f"  labelled {pair[0]}, rule {pair[1]}: {count}\n")
    for call in found:
        if {call.a.blame, call.b.blame, call.found.blame} != {call.a.blame}:
            say(f"  {call.file} {call.place}: a {call.a.blame}, b {call.b.blame}, ")
            say(f"rule {call.found.blame}: {call.found.why}\n")
    kinds = {kind for call in found for label in (call.a, call.b) for kind in label.kinds}
    kinds |= {sign.kind for call in found for sign in call.found.kinds}
    for kind in sorted(kinds):
        say(f"{kind}: right, wrong, missed {met(found, kind)}")
        steps = [
            min(abs(call.message[sign.seq] - label.kinds[kind]) for label in (call.a, call.b))
            for call in found
            for sign in call.found.kinds
            if sign.kind == kind and kind in call.a.kinds and kind in call.b.kinds
        ]
        say(f"; same message {steps.count(0)} of {len(steps)}\n")


if __name__ == "__main__":
    for one in sys.argv[2:] or HALVES:
        _report(Path(sys.argv[1]), one)
