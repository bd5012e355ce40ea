"""What a report over sessions does not say, sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ringback.overview.model import Condition, Forks, LeftOut, SessionLine
from ringback.report import wording
from ringback.report.model import Count

__all__ = ["limits"]


def limits(
    conditions: Sequence[Condition],
    lines: Sequence[SessionLine],
    forks: Sequence[Forks],
    left: LeftOut,
    graded_now: int,
    older: Sequence[Count],
    unheard: int,
) -> Iterator[tuple[str, str]]:
    """Pairs of what a sentence is about and the rest of it; only those that hold here.

    `unheard` sessions stand under a condition whose opening words their recordings do not have.
    """
    yield (
        "Chosen, not planned.",
        "These sessions were selected after they were recorded. Nothing says how large a "
        "difference they could have shown, and nothing is adjusted for the choosing: a study fixes "
        "its cases before it is run.",
    )
    yield (
        "Rates are of graded sessions.",
        "A session without a graded outcome is in no rate; beside it stands what the rate would be "
        "had all of them been failed, or solved. A study counts them as unsolved.",
    )
    arms = [arm for condition in conditions for arm in condition.arms]
    if any(arm.picked for arm in arms) or any(
        each.unread for condition in conditions for each in condition.versus
    ):
        yield (
            "Replays of what had come out alike.",
            "Where the cases of an arm were picked by how they had come out, another draw of them "
            "comes out otherwise with nothing changed: no rate is read of it, and no difference "
            "from what it was picked from. A replay of all of an arm has both.",
        )
    if any(len(condition.arms) > 1 for condition in conditions):
        yield (
            "Rates of two arms are no comparison.",
            "Arms may have met other cases. Pairs of one task, trial and seed are compared and "
            "nothing else; draws that one arm lacks, or has several times, make none and are "
            "counted.",
        )
    if sum(condition.unread is None for condition in conditions) > 1:
        yield (
            "Each condition is read by itself.",
            "Holm's adjustment is over the arms of one condition, not over all of them.",
        )
    seeds = {line.seed for line in lines if line.counted}
    if len(seeds) > 1:
        unknown = ", of some unknown" if None in seeds else ""
        known = wording.plural(len(seeds - {None}), "seed")
        yield "Seeds differ.", f"There are sessions of {known}{unknown}; pairs are of equal ones."
    if any(line.origin for line in lines):
        yield (
            "Recordings of others are told as recorded.",
            "Their texts, costs and endings are those of the recording; rewards are by our checks, "
            "not what the recording says of itself (ringback regrade shows both).",
        )
    if unheard:
        have = "has" if unheard == 1 else "have"
        yield (
            "Unknown opening words.",
            f"{wording.plural(unheard, 'recording')} {have} no messages, so it is not known what "
            "the agent opened with; they stand under the condition that is equal in all else.",
        )
    if unknown := sum(arm.unknown_tasks for arm in arms):
        have = "has" if unknown == 1 else "have"
        yield (
            "Unknown tasks.",
            f"{wording.plural(unknown, 'session')} {have} no known task: no world, no grade and no "
            "place in a pair. For intervals each is taken for a case of its own.",
        )
    if left.operated or left.others:
        yield (
            "What is left out can be guessed.",
            "Of a case that is being played by hand nothing is told, but whoever knows which cases "
            "there are can see from this list which one is missing; an operator who is not to know "
            "their case is not to see this report.",
        )
    if forks:
        yield (
            "Forks are no fresh calls.",
            "They go on from where another session stood, so they have counts and no rate.",
        )
    if left.replaced:
        yield (
            "Replaced attempts.",
            "Of a call that was played again the last attempt counts.",
        )
    if graded_now:
        yield (
            "Graded for this report.",
            f"The store has no grade of {wording.plural(graded_now, 'session')} that ended; they "
            "were graded here, by today's checks, and nothing was stored.",
        )
    if older:
        yield (
            "Grades of other checks.",
            f"Some grades are by other versions of the checks than today's "
            f"({wording.counts(older)}); ringback regrade says what today's give.",
        )
    yield (
        "Blame moves no rate.",
        "Whom a failure is laid to is found by rule from the record; an episode that failed by the "
        "simulator's doing counts as unsolved like every other.",
    )
