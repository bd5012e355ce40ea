"""From the sessions of a store to the model of a report over them."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version

from msgspec import Struct
from msgspec.structs import replace

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
from ringback.overview.naming import Key, arm_names, key_of, letters
from ringback.overview.picked import Choices
from ringback.overview.reading import Seen, domain_of, read
from ringback.report.comparing import is_graded, is_solved
from ringback.report.failing import counted
from ringback.report.model import Count
from ringback.report.plain import one_line
from ringback.report.wording import listing
from ringback.sessions import Selection, SessionRow, Store, Unread, unread

__all__ = ["overview_of"]

_HERE = "ringback"


class _Arm(Struct):
    """The sessions of one arm, as they are found; `start` is the first one's."""

    start: Start
    sessions: list[Seen]


class _Condition(Struct):
    """The arms of a condition by content, name and origin, in the order of their beginning."""

    digest: str
    start: Start
    arms: dict[Key, _Arm]

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
    forks = [
        seen
        for seen in everything
        if seen.forked is not None and seen.row.id not in chosen.replaced
    ]
    places = _places(readable)
    conditions: dict[str, _Condition] = {}
    for seen, start in readable:
        if seen.forked is None and seen.row.id not in chosen.replaced:
            place = places[seen.row.id]
            of = conditions.setdefault(place, _Condition(place, start, {}))
            of.arms.setdefault(key_of(seen), _Arm(start, [])).sessions.append(seen)
    replaced = sum(seen.row.id in chosen.replaced for seen in everything)
    left = LeftOut(chosen.operated, chosen.others, replaced, tuple(unreadable))
    choices = Choices(store, everything)
    facts = _facts(selection, baseline, command, everything, conditions.values(), choices)
    ordered = sorted(conditions.values(), key=lambda each: (-each.graded, -each.sessions))
    called = {each.digest: letters(place) for place, each in enumerate(ordered)}
    names = arm_names(map(key_of, everything))
    made = tuple(
        _condition(facts, called[each.digest], each, names, ordered[0], choices) for each in ordered
    )
    if baseline is not None and all(each.baseline is None for each in made):
        raise InputError(_no_baseline(baseline, made))
    lines = tuple(
        _line(seen, called.get(places[seen.row.id]), names[key_of(seen)], chosen)
        for seen in everything
    )
    told_forks = tuple(_forks(forks, names))
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
    selection: Selection,
    baseline: str | None,
    command: str,
    sessions: Sequence[Seen],
    conditions: Iterable[_Condition],
    choices: Choices,
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
        unread=_unread(
            selection, [arm for each in conditions for arm in each.arms.values()], choices
        ),
        versions=versions,
        made_with={"python": platform.python_version(), "numpy": version("numpy")},
    )


def _unread(selection: Selection, arms: Sequence[_Arm], choices: Choices) -> Unread | None:
    """Why nothing is read from the sessions that count, which are these arms'.

    Where single ones were named, they are not to be those of an arm that came out in one way: they
    may have been named for it, whatever the other arms' did.
    """
    named = [[_as_told(seen) for seen in arm.sessions] for arm in arms]
    found = unread(selection, [row for rows in named for row in rows])
    if found is None and any(
        unread(selection, rows) and choices.alike(arm.sessions)
        for arm, rows in zip(arms, named, strict=True)
    ):
        return "alike"
    return found


def _as_told(seen: Seen) -> SessionRow:
    return replace(seen.row, graded=is_graded(seen.cell), solved=is_solved(seen.cell))


def _condition(
    facts: Facts,
    letter: str,
    found: _Condition,
    names: Mapping[Key, str],
    first: _Condition,
    choices: Choices,
) -> Condition:
    picked = {names[key]: choices.of(each.sessions) for key, each in found.arms.items()}
    arms = tuple(
        arm_of(facts, names[key], each.start, each.sessions, picked[names[key]])
        for key, each in found.arms.items()
    )
    sessions = {names[key]: each.sessions for key, each in found.arms.items()}
    base = baseline_of(arms, sessions, facts.baseline)
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
        versus=()
        if why is not None or base is None
        else comparisons(facts, arms, sessions, base, picked),
    )


def _no_baseline(baseline: str, conditions: Sequence[Condition]) -> str:
    there = list(dict.fromkeys(arm.name for each in conditions for arm in each.arms))
    shown = [*there[:10], *([f"{len(there) - 10} more"] if len(there) > 10 else [])]
    asked = one_line(repr(baseline), 80)
    return f"There is no arm {asked} among these sessions; there is {listing(shown)}."


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


def _forks(forks: Sequence[Seen], names: Mapping[Key, str]) -> Iterator[Forks]:
    by_arm: dict[str, list[Seen]] = {}
    for seen in forks:
        by_arm.setdefault(names[key_of(seen)], []).append(seen)
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
