"""A session's grade: the domain's checks, then the rule of its ending."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

import ringback
from ringback.domain import Domain, Verdict
from ringback.episode.episode import Episode
from ringback.episode.events import STOPS, UNPLAYED, AnyEvent, Ending, Start, Turn
from ringback.episode.protocol import ProtocolError
from ringback.errors import InputError
from ringback.grading.blame import VERSION, Failure, failure

__all__ = ["Grade", "grade", "grade_of", "is_told"]


class Grade(Struct, frozen=True):
    """What an episode was worth.

    `reward` is 1.0 or 0.0: the product of the checks in the basis where the user or the agent ended
    the call, 0.0 for every other ending. `solved` is reward 1.0. `strict` is the reward with the
    strict action checks in place of the reference's. `graded` is False where the ending says
    nothing about the agent (infrastructure, abandoned): what the episode was worth is then
    unknown, and these three are None. `verdict` holds every check, counted or not. `failure` says
    whom it is laid to where the episode was not solved. It is None where it was, and in a grade
    whose `versions` do not name ``blame``: nobody has asked then.

    Of a recording that holds no message of the call only the ending is known. Where the checks
    would have to judge it is not graded either; `verdict` holds no checks, and only what neither
    side did is laid to anybody.
    """

    reward: float | None
    solved: bool | None
    graded: bool
    strict: float | None
    ending: Ending
    verdict: Verdict
    versions: dict[str, str]
    divergences: int = 0
    failure: Failure | None = None


def grade(episode: Episode, *, blame: bool = True) -> Grade:
    """Grade an ended episode; `ValueError` if it has not ended.

    Source of the rule: the reference's reward (docs/grading.md). Whom a failure is laid to never
    moves it; without `blame` nobody asks, which is quicker.
    """
    end = episode.end
    if end is None:
        raise ValueError("the episode has not ended")
    counts, told = end.ending in STOPS, is_told(episode.start, episode.events)
    verdict = Verdict(False, (), (), ())
    if told:
        verdict = episode.domain.check(episode.task, episode.happenings, episode.world)
    graded = end.ending not in UNPLAYED and (told or not counts)
    reward = float(counts and verdict.satisfied) if graded else None
    strictly = all(check.met for check in verdict.end if check.counted) and all(
        check.strict for check in verdict.actions if check.counted
    )
    laid = reward != 1.0 and (told or end.ending in UNPLAYED)
    return Grade(
        reward=reward,
        solved=reward == 1.0 if graded else None,
        graded=graded,
        strict=float(counts and strictly) if graded else None,
        ending=end.ending,
        verdict=verdict,
        versions={
            "ringback": ringback.__version__,
            "world": episode.domain.version,
            "grader": episode.domain.grader_version,
            **({"blame": VERSION} if blame else {}),
        },
        divergences=len(episode.divergences),
        failure=failure(episode, end, verdict, told=told) if blame and laid else None,
    )


def is_told(start: Start, events: Iterable[AnyEvent]) -> bool:
    """Whether the record of a session, its `start` and its events, says what was said and done.

    Another program's recording without a turn does not: its world is as it was at the start because
    nobody wrote down what became of it.
    """
    return start.origin is None or any(isinstance(each, Turn) for each in events)


def grade_of(events: Sequence[AnyEvent], domain: Domain, *, blame: bool = True) -> Grade | None:
    """The grade of a session's events in this domain; `blame` as for `grade`.

    None while it is not over, or where there is no telling: its task is not known here, or the
    events are no session's.
    """
    try:
        episode = Episode.from_events(events, domain)
    except (InputError, ProtocolError):
        return None
    return None if episode.end is None else grade(episode, blame=blame)
