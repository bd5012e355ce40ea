"""What an arm came to: its sessions counted, as a study's results have them where both do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from ringback.domain import SIDES, Domain, Side
from ringback.episode.events import ENDINGS, Start
from ringback.errors import InputError
from ringback.overview.model import Arm, Asked, Facts, Solved, ToolUse
from ringback.overview.picked import Choice
from ringback.overview.reading import Seen, domain_of
from ringback.report.amounts import per_solved_of, steps_of
from ringback.report.comparing import is_graded, is_solved
from ringback.report.compute import total_cost, total_faults
from ringback.report.failing import counted, failures_of, unblamed
from ringback.report.model import Cell, Count
from ringback.stats import single_rate

__all__ = ["arm_of", "by_case"]


def arm_of(
    facts: Facts, name: str, start: Start, sessions: Sequence[Seen], choice: Choice | None = None
) -> Arm:
    """The figures of these sessions, which are one arm's; `start` is that of any of them.

    `choice` says by what their cases were picked, where they were.
    """
    cases = by_case(sessions)
    trials = {case: tuple(seen.cell for seen in some) for case, some in cases.items()}
    cells = [seen.cell for seen in sessions]
    graded, solved = sum(map(is_graded, cells)), sum(map(is_solved, cells))
    ungraded = len(cells) - graded
    picked = choice.picked if choice is not None and choice.all_of_it else None
    said = facts.unread not in ("outcome", "alike") and picked is None
    endings = Counter(cell.ending for cell in cells)
    known = {seen.row.task for seen in sessions} - {None}
    return Arm(
        name=name,
        recorded_as=start.arm_name,
        digest=sessions[0].row.arm,
        origin=None if start.origin is None else start.origin.form,
        agent=start.arm.agent,
        policy=start.arm.policy,
        asked=_asked(sessions),
        sessions=len(cells),
        tasks=len(known),
        unknown_tasks=sum(seen.row.task is None for seen in sessions),
        graded=graded,
        ungraded=ungraded,
        reasons=counted(cell.reason for cell in cells if cell.reason is not None),
        rate=_rate(facts, trials.values(), said),
        least=solved / len(cells) if said else None,
        most=(solved + ungraded) / len(cells) if said else None,
        repairable=_part(facts, said, cases, lambda seen: _repairable(seen) is True),
        unrepairable=_part(facts, said, cases, lambda seen: _repairable(seen) is False),
        endings=tuple(Count(ending, endings[ending]) for ending in ENDINGS if endings[ending]),
        steps=steps_of(facts, trials),
        agent_cost=total_cost(cell.agent_cost for cell in cells),
        user_cost=total_cost(cell.user_cost for cell in cells),
        cost_per_solved=per_solved_of(facts, trials) if said else None,
        faults=total_faults(cells),
        failures=failures_of(cells),
        unblamed=unblamed(cells),
        conduct=counted(kind for cell in cells for kind in cell.conduct),
        strict_differs=sum(cell.strict_differs for cell in cells if is_graded(cell)),
        tools=_tools(sessions),
        graders=counted(seen.grader for seen in sessions if seen.grader is not None),
        picked=picked,
    )


def by_case(sessions: Iterable[Seen]) -> dict[str, list[Seen]]:
    """The sessions by case, cases in an order that follows from which they are alone.

    It is that of the smallest of the domain's sets that has them all, as in a study of that set,
    and else by their ids. A session of no known task is a case of its own.
    """
    found: dict[str, list[Seen]] = {}
    domains: set[str] = set()
    lone: dict[str, list[Seen]] = {}
    for seen in sessions:
        domains.add(seen.row.domain)
        if seen.row.task is None:
            lone[f"session {seen.row.id}"] = [seen]
        else:
            found.setdefault(seen.row.task, []).append(seen)
    order = _order(next(iter(domains)), found) if len(domains) == 1 else dict[str, int]()
    last = len(order)
    tasks = sorted(found, key=lambda task: (order.get(task, last), task))
    return {task: found[task] for task in tasks} | lone


def _order(name: str, tasks: Iterable[str]) -> Mapping[str, int]:
    wanted = set(tasks)
    fitting = [each for each in _sets(name) if wanted <= each.keys()]
    return min(fitting, key=len, default=dict[str, int]())


@cache
def _sets(name: str) -> tuple[Mapping[str, int], ...]:
    """The tasks of each of the domain's sets, with their places."""
    domain = domain_of(name)
    return () if domain is None else tuple(_set(domain, split) for split in domain.splits)


def _set(domain: Domain, split: str) -> Mapping[str, int]:
    try:
        return {task.id: place for place, task in enumerate(domain.tasks(split))}
    except InputError:  # a world that is there for recordings alone has none to play
        return {}


def _repairable(seen: Seen) -> bool | None:
    return None if seen.task is None else seen.task.repairable


def _part(
    facts: Facts, said: bool, cases: Mapping[str, Sequence[Seen]], kept: Callable[[Seen], bool]
) -> Solved:
    some = [[seen.cell for seen in case if kept(seen)] for case in cases.values()]
    return _rate(facts, some, said)


def _rate(facts: Facts, cases: Iterable[Sequence[Cell]], said: bool) -> Solved:
    graded = [[cell for cell in some if is_graded(cell)] for some in cases]
    found = single_rate(
        [(sum(map(is_solved, some)), len(some)) for some in graded if some], facts.level
    )
    if not said:
        return Solved(found.episodes, found.solved, None, None)
    effective = None if found.effective == found.episodes else found.effective
    return Solved(found.episodes, found.solved, found.rate, found.interval, effective)


def _asked(sessions: Sequence[Seen]) -> tuple[Asked, ...]:
    found: Counter[tuple[Side, str | None]] = Counter()
    for seen in sessions:
        found.update(seen.calls.models)
    return tuple(
        Asked(side, model, count)
        for (side, model), count in sorted(
            found.items(), key=lambda each: (SIDES.index(each[0][0]), -each[1], each[0][1] or "")
        )
    )


def _tools(sessions: Sequence[Seen]) -> tuple[ToolUse, ...]:
    """The commonest of each side first, the agent's before the customer's."""
    made: Counter[tuple[Side, str]] = Counter()
    errors: Counter[tuple[Side, str]] = Counter()
    unanswered: Counter[tuple[Side, str]] = Counter()
    for seen in sessions:
        made.update(seen.calls.tools)
        errors.update(seen.calls.errors)
        unanswered.update(seen.calls.unanswered)
    ordered = sorted(made, key=lambda each: (SIDES.index(each[0]), -made[each], each[1]))
    return tuple(ToolUse(*each, made[each], errors[each], unanswered[each]) for each in ordered)
