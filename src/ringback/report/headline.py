"""The short answer, by rule.

An arm is called better or worse only when its interval stays clear of zero, and only when the
episodes without a graded outcome do not decide it. Arms were each compared with the baseline, never
with one another, so no winner is named among several.
"""

from __future__ import annotations

from collections.abc import Sequence

from ringback.report import wording
from ringback.report.model import FEW_PAIRS, ArmFacts, ArmResults, Comparison, Totals

__all__ = ["headline"]


def headline(
    totals: Totals, arms: Sequence[ArmResults], facts: Sequence[ArmFacts]
) -> tuple[str, ...]:
    """Plain sentences, the most needed first.

    `facts` says what each of the `arms` is. In order: what is missing, the baseline, the arms by
    verdict, what may be tied, what could not differ, the noise, the floor.
    """
    baseline = arms[0]
    agent = wording.agent(facts[0].agent, facts[0].own_settings)
    sentences: list[str] = []
    if totals.ungraded:
        one = totals.ungraded == 1
        sentences.append(
            f"{totals.ungraded:,} of {totals.planned:,} planned episodes "
            f"{'has' if one else 'have'} no graded outcome ({wording.counts(totals.reasons)}) and "
            f"{'counts' if one else 'count'} as unsolved."
        )
    sentences.append(f"The baseline ({agent}) solved {wording.rate(baseline.rate)}.")
    others = [arm for arm in arms if arm.role == "arm"]
    sentences += _verdicts([arm for arm in others if not _versus(arm).unread])
    sentences += _unread([arm for arm in others if _versus(arm).unread])
    sentences += _noise(arms, steady=facts[0].deterministic)
    sentences += _floor([arm for arm in arms if arm.role == "floor"])
    return tuple(sentences)


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


def _verdicts(arms: Sequence[ArmResults]) -> list[str]:
    settled = [arm for arm in arms if _versus(arm).settled]
    open_ = [arm for arm in arms if not _versus(arm).settled]
    better = [arm for arm in settled if _versus(arm).difference.verdict == "better"]
    worse = [arm for arm in settled if _versus(arm).difference.verdict == "worse"]
    rest = [arm for arm in settled if _versus(arm).difference.verdict == "not distinguishable"]
    short = [arm for arm in rest if wording.too_few_tasks(_versus(arm).difference)]
    tied = [arm for arm in rest if arm not in short]
    sentences: list[str] = []
    if better:
        sentences.append(f"Better than the baseline: {_named(better)}.")
    if worse:
        sentences.append(f"Worse than the baseline: {_named(worse)}.")
    if tied:
        sentences.append(f"Not distinguishable from the baseline: {_named(tied)}.")
    if short:
        sentences.append(f"Too few tasks to tell from the baseline: {_named(short)}.")
    if open_:
        names = wording.listing([arm.name for arm in open_])
        sentences.append(
            f"Undecided, because the answer depends on episodes without a graded outcome: {names}."
        )
    few = [arm.name for arm in better + worse if _versus(arm).few]
    if few:
        sentences.append(
            f"Fewer than {FEW_PAIRS} pairs changed in {wording.listing(few)}: an interval from so "
            "few is rough, and more tasks or trials would make it surer."
        )
    if len(better) > 1:
        names = wording.listing([arm.name for arm in better])
        sentences.append(
            f"{names} were compared with the baseline and not with one another: "
            "none of them is called the best."
        )
    elif tied and not better:
        names = wording.listing(["the baseline", *(arm.name for arm in tied)])
        sentences.append(f"As far as this study can tell {names} are tied: there is no winner.")
    return sentences


def _unread(arms: Sequence[ArmResults]) -> list[str]:
    sentences: list[str] = []
    for arm in arms:
        found, changed = _versus(arm), _changed(arm)
        text = f"{arm.name} changes only the wording of the policy, which its agent does not read: "
        if not found.by_construction:
            text += f"it differs by chance alone ({_shown(found)}), and says nothing of the policy."
        elif changed:
            of = wording.plural(found.difference.pairs, "pair")
            text = (
                f"Warning: {text}it could not differ, and yet {changed:,} of {of} changed outcome. "
                "Distrust every figure until it is known why."
            )
        else:
            text += "equal by construction, and no evidence about the policy."
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
