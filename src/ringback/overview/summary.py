"""``summary.md``: a report over sessions on one screen, to paste into a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ringback.overview import words
from ringback.overview.model import Arm, Condition, Overview
from ringback.report import wording
from ringback.report.markdown import code, table, text

__all__ = ["summary"]

_ARMS = (
    "Arm",
    "What it is",
    "Sessions",
    "Solved",
    "Rate (95% interval)",
    "Without an outcome",
    "Repairable",
    "Unrepairable",
    "Steps, median",
    "Cost of the agent",
    "Failures laid to",
)
_ARMS_RIGHT = (False, False, True, True, False, False, True, True, True, False, False)
_MOST = 20


def summary(found: Overview) -> str:
    """The results as Markdown, with a newline at the end. Whatever was recorded is escaped."""
    lines = [f"# {text(words.title(found), 150)}", ""]
    lines += [f"- {text(sentence, 2000)}" for sentence in found.headline]
    for condition in found.conditions:
        lines += ["", *_condition(condition, alone=len(found.conditions) == 1)]
    if found.forks:
        forks = "; ".join(
            f"{each.arm}: {each.sessions:,}, {each.solved:,} of {each.graded:,} graded solved"
            for each in found.forks
        )
        lines += ["", text(f"Forks, which have counts and no rate: {forks}.", 2000)]
    out = [f"- {text(sentence, 2000)}" for sentence in words.left_out(found)]
    lines += ["", *out] if out else []
    left = [*found.left_out.operated, *found.left_out.unreadable]
    lines += [f"  - {text(f'{each.session}: {each.why}.')}" for each in left[:_MOST]]
    if len(left) > _MOST:
        lines.append(f"  - {len(left) - _MOST:,} more in results.json.")
    versions = ", ".join(f"{name} {each}" for name, each in found.facts.versions.items())
    lines += ["", text(f"Versions: {versions}.", 1000)]
    lines += ["", f"Make it again: {code(found.facts.command, 2000)}"]
    lines += ["", "<details><summary>What these figures do not say</summary>", ""]
    lines += [f"- {text(f'{lead} {rest}', 2000)}" for lead, rest in found.limits]
    lines += ["", "</details>"]
    return "\n".join(lines) + "\n"


def _condition(condition: Condition, *, alone: bool) -> Iterator[str]:
    sessions = wording.plural(condition.sessions, "session")
    if not alone:
        yield f"## Condition {condition.name}: {sessions}"
        yield ""
    yield text(
        f"Domain {words.domain(condition)}, customer {wording.setup(condition.user)}; cut off at "
        f"{words.limits_text(condition)}; recorded by {words.origins(condition)}.",
        1000,
    )
    if condition.differs:
        yield ""
        yield text(f"Otherwise than condition A: {'; '.join(condition.differs)}.", 2000)
    yield ""
    yield from table(_ARMS, [_arm(arm) for arm in condition.arms], _ARMS_RIGHT)
    yield ""
    yield from _differences(condition)


def _arm(arm: Arm) -> list[str]:
    rate = wording.percent(arm.rate.rate) if arm.rate.rate is not None else "not read"
    rate += f": {words.picked(arm)}" if arm.picked else ""
    if arm.rate.interval is not None:
        rate += f" ({wording.percent_interval(arm.rate.interval)})"
    lacking = ""
    if arm.ungraded:
        could = words.could_be(arm)
        lacking = f"{arm.ungraded:,} ({wording.counts(arm.reasons)})"
        lacking += f"; the rate could be {could}" if could else ""
    return [
        text(arm.name, 80),
        text(words.called(arm), 200),
        f"{arm.sessions:,}",
        words.solved(arm.rate),
        rate if arm.graded else "",
        text(lacking),
        words.solved(arm.repairable) if arm.repairable.graded else "",
        words.solved(arm.unrepairable) if arm.unrepairable.graded else "",
        wording.UNKNOWN if arm.steps is None else f"{arm.steps.median:g}",
        words.agent_cost(arm),
        text(words.failures(arm)),
    ]


def _differences(condition: Condition) -> Iterator[str]:
    if condition.unread is not None:
        yield text(f"{words.SAYS_NOTHING[condition.unread]}: no difference is read.", 500)
        return
    several = sum(each.test is not None for each in condition.versus)
    heads = wording.readings(several)
    rows: list[Sequence[str]] = []
    for each in condition.versus:
        tested = ""
        if each.test is not None:
            tested = f"{wording.p_value(each.test.p)}, {wording.p_value(each.test.adjusted)}"
        rows.append(
            [
                text(each.arm, 80),
                f"{each.pairs:,}",
                text(words.unpaired(each), 300),
                words.versus(each),
                words.unadjusted(each),
                words.reading(each),
                tested,
            ]
        )
    yield text(f"Against {condition.baseline}, paired by task, trial and seed:", 200)
    yield ""
    head = ["Arm", "Pairs", "Draws without a pair", "Points (95% interval)"]
    head += [*(each[:1].upper() + each[1:] for each in heads), "p, with Holm"]
    yield from table(head, rows, [False, True, *[False] * 5])
    yield ""
    yield text(words.readings_told(condition), 1000)
