"""The short answer of a report over sessions, by rule: at most four sentences."""

from __future__ import annotations

from collections.abc import Sequence

from ringback.grading.blame import BLAMES, Blame
from ringback.overview import words
from ringback.overview.model import Arm, Condition, Facts, LeftOut, Versus
from ringback.report import wording
from ringback.report.failing import LAID_TO, counted
from ringback.report.plain import one_line

__all__ = ["headline"]

_MOST_NAMED = 3
_LONGEST = 80


def headline(
    facts: Facts, conditions: Sequence[Condition], told: int, forks: int, left: LeftOut
) -> tuple[str, ...]:
    """Plain sentences: what there is, the rates, the differences, whose fault failures were.

    `told` sessions are told, of which `forks` are forks. Where there are several conditions, rates
    and differences are those of the first.
    """
    arms = [arm for condition in conditions for arm in condition.arms]
    found = [_what(conditions, arms, told, forks, left)]
    if facts.unread in ("outcome", "alike"):
        found.append(
            f"{words.SAYS_NOTHING[facts.unread]}: no rate and no difference is read from them."
        )
    elif conditions:
        found.append(_rates(conditions))
        if any(arm.graded for arm in arms):
            found += _differences(
                conditions[0], several=len(conditions) > 1, asked=facts.baseline is not None
            )
    return (*found, *_failures(arms))


def _what(
    conditions: Sequence[Condition], arms: Sequence[Arm], told: int, forks: int, left: LeftOut
) -> str:
    text = wording.plural(told, "session")
    if arms:
        text += (
            f" in {wording.plural(len(arms), 'arm')} under "
            f"{'one condition' if len(conditions) == 1 else f'{len(conditions):,} conditions'}"
        )
    graded, ungraded = sum(arm.graded for arm in arms), sum(arm.ungraded for arm in arms)
    clauses = [f"{graded:,} graded"]
    if ungraded:
        reasons = counted(
            each.name for arm in arms for each in arm.reasons for _ in range(each.count)
        )
        clauses.append(f"{ungraded:,} without a graded outcome ({wording.counts(reasons)})")
    if forks:
        clauses.append(f"{wording.plural(forks, 'fork')} counted apart")
    if left.replaced:
        clauses.append(f"{wording.plural(left.replaced, 'attempt')} replaced by a later one")
    out = len(left.operated) + left.others
    if out:
        clauses.append(f"{out:,} left out, since an operator is still at them")
    if left.unreadable:
        clauses.append(f"{len(left.unreadable):,} that cannot be read")
    return f"{text}: {', '.join(clauses)}."


def _rates(conditions: Sequence[Condition]) -> str:
    first = conditions[0]
    arms = [arm for arm in first.arms if arm.graded]
    if not arms:
        return "No session has a graded outcome, so there is no rate."
    arms.sort(key=lambda arm: arm.name != first.baseline)
    text = "; ".join(
        f"{_name(arm.name)} solved {words.solved_share(arm.rate)}"
        + (f", which is no rate, since {words.picked(arm)}" if arm.picked else "")
        for arm in arms[:_MOST_NAMED]
    )
    if len(arms) > _MOST_NAMED:
        text += f"; {wording.plural(len(arms) - _MOST_NAMED, 'more arm')} below"
    if len(conditions) > 1:
        return f"Under condition {first.name}, which has most graded sessions: {text}."
    return f"{text}."


def _differences(condition: Condition, *, several: bool, asked: bool) -> list[str]:
    where = f"Under condition {condition.name}: " if several else ""
    if condition.unread == "one arm":
        return ["Sessions of different conditions are not compared."] if several else []
    if condition.unread is not None:
        return [
            _clause(where, f"{words.SAYS_NOTHING[condition.unread]}, so no difference is read.")
        ]
    read = [each for each in condition.versus if each.difference is not None]
    base = _name(condition.baseline or "")
    said: list[str] = []
    for standing in ("better", "worse"):
        some = [_versus(each) for each in read if each.claimed == standing]
        if some:
            said.append(f"{standing} than {base}: {'; '.join(some)}")
    rest = [each for each in read if each.claimed not in ("better", "worse")]
    for lead, some in (
        ("not told from", [each for each in rest if not words.too_few(each)]),
        ("too few changes to tell from", [each for each in rest if words.too_few(each)]),
        ("no difference is read from", [each for each in condition.versus if each.unread]),
    ):
        if some:
            said.append(f"{lead} {base}: {_listed(some)}")
    if said:
        return [_clause(where, f"{'; '.join(said)}.")]
    other = "; --baseline ARM names another" if asked else ""
    return [
        _clause(where, f"no draw is in {base} and in another arm with two graded outcomes{other}.")
    ]


def _listed(some: Sequence[Versus]) -> str:
    names = [_name(each.arm) for each in some]
    more = [f"{len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else []
    why = f", since {words.not_read(some[0])}" if some[0].unread else ""
    return wording.listing([*names[:_MOST_NAMED], *more]) + why


def _clause(where: str, words: str) -> str:
    """A sentence of these words, or, after where it holds, the clause."""
    first = words[:1].lower() if where else words[:1].upper()
    return f"{where}{first}{words[1:]}"


def _versus(value: Versus) -> str:
    assert value.difference is not None
    pairs = wording.plural(value.pairs, "pair")
    few = ", few changes" if words.few_told(value) else ""
    return f"{_name(value.arm)} ({wording.difference(value.difference)}, {pairs}{few})"


def _failures(arms: Sequence[Arm]) -> list[str]:
    by: dict[Blame, int] = {
        blame: sum(each.episodes for arm in arms for each in arm.failures if each.blame == blame)
        for blame in BLAMES
    }
    unasked = sum(arm.unblamed for arm in arms)
    failed = sum(by.values()) + unasked
    if not failed:
        return []
    said = [f"{LAID_TO[blame]} {count:,}" for blame, count in by.items() if count]
    if unasked:
        said.append(f"not asked {unasked:,}")
    what = (
        "session that ended and was not solved is"
        if failed == 1
        else "sessions that ended and were not solved are"
    )
    return [f"{failed:,} {what} laid to: {', '.join(said)}."]


def _name(name: str) -> str:
    return one_line(name, _LONGEST)
