"""The short answer, by rule.

An arm is called better or worse only when its interval stays clear of zero, and only when the
episodes without a graded outcome do not decide it; among several arms its adjusted test must say so
too, and what the unadjusted interval alone tells is said apart. Who may be best comes of intervals
over all pairs of arms at once, and gives way where these comparisons say otherwise. Where the
figures say nothing about the agents, that comes first and no arm is called anything.
"""

from __future__ import annotations

from collections.abc import Sequence

from ringback.report import wording
from ringback.report.facts import unread
from ringback.report.model import FEW_TASKS, ArmFacts, ArmResults, Comparison, Tied, Totals
from ringback.stats import Standing

__all__ = ["headline", "silence"]


def silence(totals: Totals, arms: Sequence[ArmResults]) -> str | None:
    """Why the figures say nothing about the agents: a clause without a full stop, None if they do.

    So where most planned episodes have no graded outcome, or where the customer's simulator was at
    fault in most of its replies.
    """
    found: list[str] = []
    if 2 * totals.ungraded > totals.planned:
        found.append(wording.without_outcome(totals))
    faults = sum(arm.faults.count for arm in arms if arm.faults)
    replies = sum(arm.user_cost.calls for arm in arms if arm.faults and arm.user_cost)
    if 2 * faults > replies:
        found.append(
            f"the simulated customer was at fault in {faults:,} of its {replies:,} replies"
        )
    return " and ".join(found) or None


def headline(
    totals: Totals,
    arms: Sequence[ArmResults],
    facts: Sequence[ArmFacts],
    tied: Tied | None,
    silent: str | None,
) -> tuple[str, ...]:
    """Plain sentences, the most needed first.

    `facts` says what each of the `arms` is. In order: that the figures are `silent` about the
    agents, what is missing, the baseline, who may be best, the arms by verdict, what could not
    differ, the noise, the floor.
    """
    baseline = arms[0]
    agent = wording.agent(facts[0].agent, facts[0].own_settings)
    sentences: list[str] = []
    if silent is not None:
        sentences.append(f"These figures say nothing about the agents: {silent}.")
    if totals.ungraded:
        one = totals.ungraded == 1
        sentences.append(
            f"{wording.without_outcome(totals)} ({wording.counts(totals.reasons)}) and "
            f"{'counts' if one else 'count'} as unsolved."
        )
    sentences.append(f"The baseline ({agent}) solved {wording.rate(baseline.rate)}.")
    if silent is not None:
        return tuple(sentences)
    others = [arm for arm in arms if arm.role == "arm"]
    if not any(wording.too_few(_versus(arm).difference) for arm in others):
        sentences += _best(tied, others, baseline.name)
    sentences += _verdicts([arm for arm in others if not _versus(arm).unread])
    sentences += _unread([arm for arm in others if _versus(arm).unread], facts)
    sentences += _noise(arms, steady=facts[0].deterministic)
    sentences += _floor([arm for arm in arms if arm.role == "floor"])
    return tuple(sentences)


def _best(tied: Tied | None, arms: Sequence[ArmResults], baseline: str) -> list[str]:
    """Who may be best, where that does not hang on episodes without a graded outcome.

    Between the baseline and an arm the comparison of the two decides what is called beaten.
    """
    if tied is None:
        return []
    if not tied.settled:
        return ["Who may be best depends on episodes without a graded outcome: no winner is named."]
    named = {each.name: each for each in tied.arms}
    arms = [arm for arm in arms if arm.name in named and not _versus(arm).unread]
    claims: dict[str, Standing] = {arm.name: _versus(arm).claimed for arm in arms}
    best: list[str] = []
    beaten: dict[str, list[str]] = {}
    for name, each in named.items():
        by = [other for other in each.beaten_by if _agreed(name, other, claims, baseline)]
        lost = "better" in claims.values() if name == baseline else claims[name] == "worse"
        if by:
            beaten[name] = by
        elif not lost:
            best.append(_called(name, baseline))
    names = wording.listing(best)
    if len(best) == len(named):
        return [f"As far as this study can tell {names} are tied: there is no winner."]
    if not best or (len(best) == 1 and len(named) == 2 and not beaten):
        return []
    if len(best) == 1 and len(beaten) == len(named) - 1:
        others = "the other is" if len(beaten) == 1 else "each of the others is"
        return [f"Only {names} may be the best: {others} shown to be beaten."]
    text = f"Tied, as far as this study can tell: {names} may each be the best."
    if len(best) == 1:
        text = f"No other is shown to be better than {names}."
    if beaten:
        losers = [_beaten(name, by, claims, baseline) for name, by in beaten.items()]
        text += f" Shown not to be the best, over all pairs at once: {wording.listing(losers)}."
    return [text]


def _agreed(name: str, other: str, claims: dict[str, Standing], baseline: str) -> bool:
    """Whether the comparison with the baseline, where it is one, also says that `other` won."""
    if name == baseline:
        return claims[other] == "better"
    return other != baseline or claims[name] == "worse"


def _beaten(name: str, by: Sequence[str], claims: dict[str, Standing], baseline: str) -> str:
    """A loser's name, with who beat it where it is not worse than the baseline."""
    if name == baseline or claims[name] == "worse":
        return _called(name, baseline)
    return f"{name} (beaten by {wording.listing([_called(each, baseline) for each in by])})"


def _called(name: str, baseline: str) -> str:
    return "the baseline" if name == baseline else name


def _versus(arm: ArmResults) -> Comparison:
    assert arm.versus is not None, "every arm but the baseline has a comparison"
    return arm.versus


def _changed(arm: ArmResults) -> int:
    difference = _versus(arm).difference
    return difference.better + difference.worse


def _named(arms: Sequence[ArmResults]) -> str:
    return "; ".join(f"{arm.name} ({_shown(_versus(arm))})" for arm in arms)


def _shown(found: Comparison) -> str:
    difference = wording.difference(found.difference)
    if not found.flips:
        return difference
    return f"{difference}, {len(found.flips):,} of {found.difference.tasks:,} tasks changed"


def _lacking(arm: ArmResults) -> str:
    return wording.too_few_what(_versus(arm).difference)


def _verdicts(arms: Sequence[ArmResults]) -> list[str]:
    settled = [arm for arm in arms if _versus(arm).settled]
    open_ = [arm for arm in arms if not _versus(arm).settled]
    better = [arm for arm in settled if _versus(arm).claimed == "better"]
    worse = [arm for arm in settled if _versus(arm).claimed == "worse"]
    rest = [arm for arm in settled if _versus(arm).difference.verdict == "not distinguishable"]
    alone = [arm for arm in settled if arm not in (*better, *worse, *rest)]
    short = [arm for arm in rest if wording.too_few(_versus(arm).difference)]
    same = [arm for arm in rest if arm not in short]
    sentences: list[str] = []
    if better:
        sentences.append(f"Better than the baseline: {_named(better)}.")
    if worse:
        sentences.append(f"Worse than the baseline: {_named(worse)}.")
    if alone:
        told = "; ".join(
            f"{arm.name} {_versus(arm).difference.verdict} ({_shown(_versus(arm))})"
            for arm in alone
        )
        sentences.append(
            f"By the unadjusted interval alone: {told}; after Holm's adjustment for {len(arms)} "
            "comparisons not distinguishable from the baseline."
        )
    if same:
        sentences.append(f"Not distinguishable from the baseline: {_named(same)}.")
    by_what = {what: [a for a in short if _lacking(a) == what] for what in ("tasks", "changes")}
    sentences += [
        f"Too few {what} to tell from the baseline: {_named(some)}."
        for what, some in by_what.items()
        if some
    ]
    if open_:
        names = wording.listing([arm.name for arm in open_])
        sentences.append(
            f"Undecided, because the answer depends on episodes without a graded outcome: {names}."
        )
    few = [arm.name for arm in better + worse + alone if _versus(arm).few]
    if few:
        sentences.append(
            f"Fewer than {FEW_TASKS} tasks changed in {wording.listing(few)}: an interval from so "
            "few is rough. More tasks make it surer, more trials only where those of a task differ."
        )
    return sentences


def _unread(arms: Sequence[ArmResults], facts: Sequence[ArmFacts]) -> list[str]:
    sentences: list[str] = []
    texts = {each.name: unread(each) for each in facts}
    for arm in arms:
        found, changed = _versus(arm), _changed(arm)
        text = f"{arm.name} changes only {texts[arm.name]}, which its agent does not read: "
        if not found.by_construction:
            text += f"it differs by chance alone ({_shown(found)}), and says nothing of that text."
        elif changed:
            of = wording.plural(found.difference.pairs, "pair")
            text = (
                f"Warning: {text}it could not differ, and yet {changed:,} of {of} changed outcome. "
                "Distrust every figure until it is known why."
            )
        else:
            text += "equal by construction, and no evidence about that text."
        sentences.append(text)
    return sentences


def _noise(arms: Sequence[ArmResults], *, steady: bool) -> list[str]:
    noise = [arm for arm in arms if arm.role == "noise"]
    if not noise and steady:
        return ["Noise: with equal seeds nothing in the baseline can differ, so a rerun would not."]
    if not noise:
        return ["No noise arm was planned: how far the baseline differs from itself is unknown."]
    sentences: list[str] = []
    for arm in noise:
        found = _versus(arm)
        changed = _changed(arm)
        of = wording.plural(found.difference.pairs, "pair")
        if not found.settled:
            text = (
                f"Noise: {arm.name} cannot be read yet, because too many episodes have no graded "
                "outcome."
            )
        elif found.by_construction and not changed:
            text = (
                f"Noise: {arm.name} repeats a baseline in which, with equal seeds, nothing can "
                "differ: its zero is by construction and no evidence."
            )
        elif found.by_construction:
            text = (
                f"Warning: {arm.name} repeats a baseline in which, with equal seeds, nothing can "
                f"differ, and yet {changed:,} of {of} changed outcome. Distrust every figure until "
                "it is known why."
            )
        elif not changed:
            text = f"Noise: with nothing changed, {arm.name} had the same outcome in all {of}."
        else:
            text = (
                f"Noise: with nothing changed, {arm.name} had another outcome in {changed:,} of "
                f"{of} ({_shown(found)})."
            )
            if found.difference.verdict != "not distinguishable":
                text += " Read every difference here with that in mind."
        sentences.append(text)
    return sentences


def _floor(arms: Sequence[ArmResults]) -> list[str]:
    if not arms:
        return []
    solved = wording.listing([f"{arm.name} {wording.solved(arm.rate)}" for arm in arms])
    sentences = [f"Floor, without any support work: {solved} solved."]
    level = [
        arm.name
        for arm in arms
        if _versus(arm).settled and _versus(arm).difference.verdict != "worse"
    ]
    if level:
        sentences.append(
            f"Warning: the baseline is not shown to be better than {wording.listing(level)}."
        )
    return sentences
