"""What was put right in a call, and what is known to have gone wrong in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from ringback.episode.events import Note, Rejected, Turn
from ringback.episode.markers import marker_in, without_markers
from ringback.record.told import Told
from ringback.report.wording import listing, plural

__all__ = ["materially", "normalized", "wrong"]

_NORMALIZED = re.compile(r"\bnormalized: ([\w, ]+)")
_SHARE, _FEWEST = 10, 3
_MENDS = {
    "farewell_without_marker": "a clear goodbye without its marker was given ###STOP###",
    "malformed_marker": "a marker was spelled right",
}


def normalized(told: Told) -> Iterator[str]:
    """What stands otherwise in the record than a participant gave it."""
    turns = [event for event in told.events if isinstance(event, Turn)]
    mended: Counter[str] = Counter()
    for turn in turns:
        found = _NORMALIZED.search(turn.rule or "") if turn.by == "user" else None
        if found is not None:
            mended.update(name.strip() for name in found[1].split(","))
    for name, count in sorted(mended.items()):
        what = _MENDS.get(name, f"a reply was normalized ({name})")
        yield f"In {plural(count, 'turn')} of the customer {what}."
    for side, other in (("user", "agent"), ("agent", "customer")):
        marked = [
            turn
            for turn in turns
            if turn.by == side and not turn.calls and turn.text and marker_in(turn.text, turn.by)
        ]
        if marked:
            who = "customer" if side == "user" else "agent"
            beside = any(without_markers(turn.text or "", turn.by) for turn in marked)
            went = (
                f"was taken out of what the {other} was given"
                if beside
                else f"was all that was said then, so the {other} was given nothing more"
            )
            yield f"The marker with which the {who} ended the call {went}."
    notes = [e for e in told.events if isinstance(e, Note) and e.what == "intake"]
    if notes:
        yield f"In {plural(len(notes), 'place')} a reply held what no record can, and was changed."


def materially(told: Told) -> bool:
    """Whether inverted roles bore on how the call ended.

    So where a limit cut it off, there were at least three, and they took at least a tenth of the
    steps that were made.
    """
    cut_off = told.end.ending in ("max_steps", "timeout")
    many = len(told.inversions) >= _FEWEST
    return cut_off and many and _SHARE * told.lost_steps >= told.episode.position.steps


def wrong(told: Told) -> Iterator[str]:
    """What is known to have gone wrong, with how often."""
    if told.inversions:
        steps, made = told.lost_steps, told.episode.position.steps
        text = (
            f"In {plural(len(told.inversions), 'turn')} the customer spoke as if it were the "
            f"agent, which took {steps} of the {made} steps that were made"
        )
        if materially(told):
            text += ": this materially affected the call, which a limit cut off"
        yield f"{text}."
    yield from _guard(told)
    yield from _lost_calls(told)
    if told.refused:
        names = Counter(did.tool for did in told.refused)
        calls = plural(len(told.refused), "call")
        what = "an error" if len(told.refused) == 1 else "errors"
        yield f"{calls} of the agent came back with {what} ({_counts(names, 3)})."
    failure = told.grade.failure
    if failure is not None:
        seen = [
            sign.text
            for sign in failure.kinds
            if sign.by == "user" and sign.kind != "roles_inverted"
        ]
        if seen:
            yield f"Of the customer it is known besides: {' '.join(seen)}"
    if told.episode.divergences:
        places = plural(len(told.episode.divergences), "place")
        yield f"In {places} the recorded states do not come out in today's world."
    stored, known = told.row.reward, told.messages_known
    if known and told.row.grader is not None and told.grade.graded and stored != told.grade.reward:
        yield (
            f"The store holds the reward {stored} by the checks of version {told.row.grader}; "
            f"today's give {told.grade.reward}."
        )


def _guard(told: Told) -> Iterator[str]:
    found = [event for event in told.events if isinstance(event, Rejected) and event.by == "user"]
    # What was merely mended is told as normalized.
    objections = [event for event in found if {*event.rules} - _MENDS.keys()]
    if not objections:
        return
    held = sum(not event.accepted for event in objections)
    rules = Counter(rule for event in objections for rule in event.rules if rule not in _MENDS)
    replies = plural(len(objections), "reply", "replies")
    rest = len(objections) - held
    outcome = [
        *([f"{held} held back and asked for again"] if held else []),
        *([f"{rest} taken all the same"] if rest else []),
    ]
    yield (
        f"The guard objected to {replies} of the customer ({_counts(rules)}): {listing(outcome)}."
    )


def _lost_calls(told: Told) -> Iterator[str]:
    for side, who in (("user", "customer"), ("agent", "agent")):
        failures = Counter(
            call.answer.failure for call in told.asked(side) if call.answer.failure is not None
        )
        if failures:
            calls = plural(failures.total(), "call")
            yield f"{calls} of the {who}'s model gave no reply ({_counts(failures)})."


def _counts(found: Mapping[str, int] | Counter[str], most: int = 20) -> str:
    def shown(names: Iterable[tuple[str, int]]) -> list[str]:
        return [f"{_word(name)} {count}" for name, count in names]

    common = Counter(found).most_common()
    rest = len(common) - most
    return ", ".join([*shown(common[:most]), *([f"{rest} more"] if rest > 0 else [])])


def _word(name: str) -> str:
    return re.sub(r"[^\w.:-]", "?", name)[:40]
