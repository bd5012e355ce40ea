"""The facts of the rules that arms add to a prompt: when each was first seen, what it names."""

from __future__ import annotations

from collections.abc import Iterable

from ringback.domains import load
from ringback.report.rules import RuleFacts, Seen
from ringback.sessions import SessionRow, Store
from ringback.study.naming import named_in, searched
from ringback.study.plan import ArmPlan, Plan, rules_of
from ringback.study.run import recorded

__all__ = ["rule_facts"]


def rule_facts(
    plan: Plan,
    store: Store | None,
    *,
    baseline: Iterable[SessionRow] | None = None,
) -> dict[str, tuple[RuleFacts, ...]]:
    """By arm, the facts of each text of instructions that the first arm does not have.

    `baseline` are the recorded sessions that the arms are compared with; None for those of the
    plan's first arm. A store that has seen a text only as a part of sessions, as one of an older
    Ringback has, first saw it when the first of them was begun. Nothing for an arm without such a
    text; `store` None where there is none yet.
    """
    base, *others = plan.arms
    theirs = rules_of(base)
    ours = [
        (entry, own)
        for entry in others
        if (own := {name: text for name, text in rules_of(entry).items() if name not in theirs})
    ]
    if not ours:
        return {}
    rows = _rows(plan, base, store) if baseline is None else list(baseline)
    found: dict[str, tuple[RuleFacts, ...]] = {}
    for entry, own in ours:
        first = _first(_rows(plan, entry, store))
        found[entry.name] = tuple(
            _facts(name, text, plan, store, rows, first) for name, text in own.items()
        )
    return found


def _facts(
    name: str,
    text: str,
    plan: Plan,
    store: Store | None,
    baseline: list[SessionRow],
    used: float | None,
) -> RuleFacts:
    noted = None if store is None else store.texts.seen([name]).get(name)
    seen_at = min((at for at in (noted, used) if at is not None), default=None)
    began = _first(baseline)
    ended = [row.finished_at for row in baseline if row.finished_at is not None]
    last = max(ended) if ended and len(ended) == len(baseline) else None
    domain = load(plan.domain)
    return RuleFacts(
        digest=name,
        seen_at=seen_at,
        baseline_from=began,
        baseline_to=last,
        seen=_order(seen_at, began, last),
        tasks=len(searched(domain)),
        names=named_in(text, domain),
    )


def _order(seen_at: float | None, began: float | None, ended: float | None) -> Seen:
    if seen_at is None or began is None:
        return "unknown"
    if seen_at <= began:
        return "before"
    return "after" if ended is not None and seen_at >= ended else "during"


def _first(rows: Iterable[SessionRow]) -> float | None:
    return min((row.created_at for row in rows if row.created_at is not None), default=None)


def _rows(plan: Plan, entry: ArmPlan, store: Store | None) -> list[SessionRow]:
    if store is None:
        return []
    states = recorded(plan, store, entry.name)
    return [state.row for state in states if state.row is not None]
