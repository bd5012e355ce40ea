"""From the sessions of a store to the model of a report over them."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from typing import TypeAlias

from msgspec import Struct

import ringback
from ringback.episode.events import Start
from ringback.errors import InputError
from ringback.overview.arms import arm_of
from ringback.overview.chosen import Chosen, choose
from ringback.overview.comparing import baseline_of, comparisons
from ringback.overview.conditions import differences, otherwise_equal
from ringback.overview.headline import headline
from ringback.overview.limits import limits
from ringback.overview.model import (
    Condition,
    Facts,
    Forks,
    Held,
    LeftOut,
    Nothing,
    Overview,
    SessionLine,
)
from ringback.overview.reading import Seen, domain_of, read
from ringback.report.comparing import is_graded
from ringback.report.failing import counted
from ringback.report.model import Count
from ringback.report.wording import listing
from ringback.sessions import Selection, Store, unread

__all__ = ["overview_of"]

_HERE = "ringback"
_Key: TypeAlias = tuple[str, str, str | None]  # an arm's content, name and origin


class _Arm(Struct):
    """The sessions of one arm, as they are found; `start` is the first one's."""

    start: Start
    sessions: list[Seen]


class _Condition(Struct):
    """The arms of a condition by content, name and origin, in the order of their beginning."""

    digest: str
    start: Start
    arms: dict[_Key, _Arm]

    @property
    def sessions(self) -> int:
        """How many sessions it has."""
        return sum(len(arm.sessions) for arm in self.arms.values())

    @property
    def graded(self) -> int:
        """How many of them have a graded outcome."""
        return sum(is_graded(seen.cell) for arm in self.arms.values() for seen in arm.sessions)


def overview_of(
    store: Store,
    selection: Selection,
    *,
    baseline: str | None = None,
    command: str = "",
    reading: Callable[[int], Callable[[], object]] | None = None,
) -> Overview:
    """The report over the selected sessions; events are read a session at a time.

    `baseline` names the arm that the others are compared with. `command` is the line that makes the
    report again. `reading` is told how many sessions are read, and gives what is called after each.

    Raises `InputError` where nothing is selected, where nothing may be told, and where no arm has
    the baseline's name.
    """
    chosen = choose(store, selection)
    one = (lambda: None) if reading is None else reading(len(chosen.rows))
    readable: list[tuple[Seen, Start]] = []
    unreadable: list[Held] = []
    for found in read(store, chosen.rows, one):
        if isinstance(found, Held):
            unreadable.append(found)
        else:
            readable.append(found)
    if not readable:
        raise InputError(_nothing(chosen, unreadable))
    everything = [seen for seen, _ in readable]
    forks = [seen for seen in everything if seen.forked is not None]
    places = _places(readable)
    conditions: dict[str, _Condition] = {}
    for seen, start in readable:
        if seen.forked is None and seen.row.id not in chosen.replaced:
            place = places[seen.row.id]
            of = conditions.setdefault(place, _Condition(place, start, {}))
            of.arms.setdefault(_key(seen), _Arm(start, [])).sessions.append(seen)
    replaced = sum(seen.row.id in chosen.replaced for seen in everything)
    left = LeftOut(chosen.operated, chosen.others, replaced, tuple(unreadable))
    facts = _facts(selection, baseline, command, everything)
    ordered = sorted(conditions.values(), key=lambda each: (-each.graded, -each.sessions))
    letters = {each.digest: _letters(place) for place, each in enumerate(ordered)}
    names = {each.digest: _names(each) for each in ordered}
    made = tuple(
        _condition(facts, letters[each.digest], each, names[each.digest], ordered[0])
        for each in ordered
    )
    if baseline is not None and all(each.baseline is None for each in made):
        raise InputError(_no_baseline(baseline, made))
    lines = tuple(
        _line(
            seen,
            letters.get(places[seen.row.id]),
            names.get(places[seen.row.id], {}).get(_key(seen), seen.name),
            chosen,
        )
        for seen in everything
    )
    told_forks = tuple(_forks(forks))
    moved = sum(places[seen.row.id] != seen.row.condition for seen in everything)
    now = sum(seen.now and seen.grader is not None for seen in everything)
    older = _older(everything)
    return Overview(
        facts=facts,
        headline=headline(facts, made, len(lines), len(forks), left),
        selected=chosen.selected,
        conditions=made,
        forks=told_forks,
        sessions=lines,
        left_out=left,
        graded_now=now,
        older_grades=older,
        limits=tuple(limits(made, lines, told_forks, left, now, older, moved)),
    )


def _key(seen: Seen) -> _Key:
    return seen.row.arm, seen.name, seen.row.origin


def _places(readable: Sequence[tuple[Seen, Start]]) -> dict[str, str]:
    """The condition of each session by its id, as a digest.

    It is the recorded one. A recording without a turn does not say what the agent opened with,
    which makes no condition: such a session is told under the one that is equal in all else.
    """
    known = {seen.row.condition: start.condition for seen, start in readable if seen.heard}
    found: dict[str, str] = {}
    for seen, start in readable:
        place = None
        if not (seen.heard or start.condition.greeting):
            place = otherwise_equal(start.condition, known)
        found[seen.row.id] = place or seen.row.condition
    return found


def _nothing(chosen: Chosen, unreadable: Sequence[Held]) -> str:
    if unreadable:
        first = unreadable[0]
        more = f", nor can {len(unreadable) - 1:,} others" if len(unreadable) > 1 else ""
        return f"No session can be read: {first.session}, since {first.why}{more}."
    if chosen.operated:
        first = chosen.operated[0]
        return (
            f"There is nothing to report yet: session {first.session} is left out, since "
            f"{first.why}; bring what is open to its end, or give it up with `ringback operate "
            "abandon`."
        )
    return (
        "There is nothing to report yet: the cases of these sessions are being played by hand, and "
        "are not told before that is over."
    )


def _facts(
    selection: Selection, baseline: str | None, command: str, sessions: Sequence[Seen]
) -> Facts:
    versions = {"ringback": ringback.__version__}
    for name in sorted({seen.row.domain for seen in sessions}):
        domain = domain_of(name)
        if domain is not None:
            versions[f"checks of {name}"] = domain.grader_version
    return Facts(
        selection=selection.text,
        baseline=baseline,
        command=command,
        unread=unread(selection, [seen.row for seen in sessions]),
        versions=versions,
        made_with={"python": platform.python_version(), "numpy": version("numpy")},
    )


def _letters(place: int) -> str:
    """``A`` to ``Z``, then ``AA`` and so on."""
    before, last = divmod(place, 26)
    return (_letters(before - 1) if before else "") + chr(ord("A") + last)


def _names(found: _Condition) -> dict[_Key, str]:
    """What each arm is called: its name, with a number where that is another's too."""
    names: dict[_Key, str] = {}
    taken = {name for _, name, _ in found.arms}
    used: set[str] = set()
    for key in found.arms:
        name, count = key[1], 1
        while name in used or (count > 1 and name in taken):
            count += 1
            name = f"{key[1]} ({count})"
        used.add(name)
        names[key] = name
    return names


def _condition(
    facts: Facts,
    letter: str,
    found: _Condition,
    names: dict[_Key, str],
    first: _Condition,
) -> Condition:
    arms = tuple(
        arm_of(facts, names[key], each.start, each.sessions) for key, each in found.arms.items()
    )
    sessions = {names[key]: each.sessions for key, each in found.arms.items()}
    base = baseline_of(arms, facts.baseline)
    why: Nothing | None = facts.unread
    if why is None and base is None:
        why = "no such arm"
    elif why is None and len(arms) < 2:
        why = "one arm"
    here = found.start.condition
    rows = [seen.row for some in sessions.values() for seen in some]
    return Condition(
        name=letter,
        digest=found.digest,
        origins=counted(row.origin or _HERE for row in rows),
        domain=here.domain,
        world=here.world,
        grader=here.grader,
        user=here.user,
        texts=here.texts,
        limits=here.limits,
        sessions=len(rows),
        differs=() if found is first else differences(first.start.condition, here),
        arms=arms,
        baseline=base,
        unread=why,
        versus=() if why is not None or base is None else comparisons(facts, arms, sessions, base),
    )


def _no_baseline(baseline: str, conditions: Sequence[Condition]) -> str:
    there = list(dict.fromkeys(arm.name for each in conditions for arm in each.arms))
    shown = [*there[:10], *([f"{len(there) - 10} more"] if len(there) > 10 else [])]
    return f"There is no arm {baseline!r} among these sessions; there is {listing(shown)}."


def _line(
    seen: Seen,
    letter: str | None,
    arm: str,
    chosen: Chosen,
) -> SessionLine:
    row, cell = seen.row, seen.cell
    return SessionLine(
        id=row.id,
        condition=letter,
        arm=arm,
        task=row.task,
        family=row.family,
        trial=row.trial,
        seed=row.seed,
        attempt=row.attempt,
        counted=seen.forked is None and row.id not in chosen.replaced,
        outcome=cell.outcome,
        reason=cell.reason,
        ending=cell.ending,
        reward=cell.reward,
        steps=cell.steps,
        agent_cost=cell.agent_cost,
        user_cost=cell.user_cost,
        faults=cell.faults,
        blame=cell.blame,
        kinds=cell.kinds,
        conduct=cell.conduct,
        strict_differs=cell.strict_differs,
        grader=seen.grader,
        now=seen.now,
        origin=row.origin,
        origin_file=row.origin_file,
        origin_id=row.origin_id,
        parent=row.parent,
        forked=seen.forked,
    )


def _forks(forks: Sequence[Seen]) -> Iterator[Forks]:
    by_arm: dict[str, list[Seen]] = {}
    for seen in forks:
        by_arm.setdefault(seen.name, []).append(seen)
    for name, some in by_arm.items():
        outcomes = Counter(seen.cell.outcome for seen in some)
        graded = outcomes["solved"] + outcomes["unsolved"]
        yield Forks(name, len(some), graded, outcomes["solved"])


def _older(sessions: Sequence[Seen]) -> tuple[Count, ...]:
    """The grades by other versions of the checks than today's, by domain and version."""
    found: list[str] = []
    for seen in sessions:
        domain = domain_of(seen.row.domain)
        if seen.grader is not None and domain is not None and seen.grader != domain.grader_version:
            found.append(f"{seen.row.domain} {seen.grader}")
    return counted(found)
