"""``summary.md``: a study on one screen, to paste into a pull request."""

from __future__ import annotations

from ringback.report import step_words, wording
from ringback.report.arm_lines import per_solved_words
from ringback.report.held import HELD, held_of_differences
from ringback.report.limits import limits
from ringback.report.markdown import code, table, text
from ringback.report.method import arm_text
from ringback.report.model import ArmFacts, ArmResults, StudyFacts, StudyResults
from ringback.report.step_model import StepCheckResults
from ringback.report.took import TOOK, steps_mean, took

__all__ = ["summary"]

_TABLES = "index.html#held"


def summary(results: StudyResults) -> str:
    """The results as Markdown, with a newline at the end. Whatever was recorded is escaped."""
    facts = results.facts
    lines = [f"# {text(facts.name, 100)}", "", text(facts.question), ""]
    lines += [f"- {text(sentence, 2000)}" for sentence in results.headline]
    sure = wording.level(facts.level)
    head = [
        "Arm",
        "What it is, or changes",
        "Solved",
        f"Rate ({sure} interval)",
        f"Against the baseline, points ({sure} interval)",
        *(name[:1].upper() + name[1:] for name in wording.readings(results.compared)),
        "p, with Holm",
        "Tasks better, worse",
        "Repairable",
        "Unrepairable",
        "Steps, median",
        "Ungraded",
    ]
    numbers = [False, False, True, *[False] * 5, *[True] * 5]
    lines += [
        "",
        *table(
            head,
            [_row(arm, about) for arm, about in zip(results.arms, facts.arms, strict=True)],
            numbers,
        ),
        "",
    ]
    if results.asked_models:
        lines += [*_took(results), "", *_costs(results), ""]
    if results.step_check is not None:
        lines += [*_step_check(results.step_check), ""]
    lines += _how(facts, results)
    lines += ["", f"Run it again: {code(facts.command)}"]
    lines += ["", "<details><summary>What these figures do not say</summary>", ""]
    lines += [f"- {text(sentence, 2000)}" for sentence in limits(facts)]
    lines += ["", "</details>", "", *_held(facts)]
    return "\n".join(lines) + "\n"


def _held(facts: StudyFacts) -> list[str]:
    """How often the interval of a difference holds the truth, and where the rest of it stands."""
    found = [f"<details><summary>{HELD}</summary>", ""]
    for block in held_of_differences(facts.trials).blocks:
        if isinstance(block, str):
            found += [text(block, 2000), ""]
        else:
            rows = [[text(cell) for cell in row] for row in block.rows]
            right = [False, *[True] * (len(block.heads) - 1)]
            found += [*table([text(head) for head in block.heads], rows, right), ""]
    found.append(f"Those of all other figures are [on the study's page]({_TABLES}).")
    return [*found, "", "</details>"]


def _took(results: StudyResults) -> list[str]:
    """Steps, time and tokens of an episode: the agent's, and the customer's where it is a model."""
    asked = {
        side: [took(each) for each in found]
        for side, found in (
            ("agent", [arm.agent_took for arm in results.arms]),
            ("customer", [arm.user_took for arm in results.arms]),
        )
        if any(found)
    }
    head = ["Arm", "Steps", *(f"{name}, {side}" for side in asked for name in TOOK)]
    rows = [
        [
            text(arm.name, 80),
            steps_mean(arm.steps).line,
            *(words.line for found in asked.values() for words in found[place]),
        ]
        for place, arm in enumerate(results.arms)
    ]
    said = (
        "An episode's steps, and what models took in it: means with their "
        f"{wording.level(results.facts.level)} intervals by a bootstrap over tasks, over the "
        "episodes that ended."
    )
    return [
        *table([name[:1].upper() + name[1:] for name in head], rows, [False] * len(head)),
        "",
        said,
    ]


def _costs(results: StudyResults) -> list[str]:
    head = ["Arm", "Cost of the agent", "A solved task", "Cost of the customer"]
    head.append("Faults of the simulator")
    rows = [
        [
            text(arm.name, 80),
            wording.cost(arm.agent_cost),
            _per_solved(arm),
            wording.cost(arm.user_cost),
            wording.faults(arm.faults, arm.user_cost),
        ]
        for arm in results.arms
    ]
    total = f"All model calls of this study, both sides: {wording.cost(results.cost)}."
    return [*table(head, rows, [False] * 5), "", total]


def _per_solved(arm: ArmResults) -> str:
    value, interval = per_solved_words(arm.cost_per_solved)
    return f"{value} ({interval})" if interval else value


def _step_check(found: StepCheckResults) -> list[str]:
    sure = wording.level(found.level)
    head = [
        "Model",
        "Same reply",
        f"Rate ({sure} interval)",
        "Against the repeat, points",
        "Unadjusted, by the interval alone",
    ]
    rows = [
        [
            text(f"{target.model} (repeat)" if target.repeat else target.model, 80),
            step_words.same(target.whole),
            step_words.rate(target.whole)[1],
            "" if target.versus is None else step_words.versus(target.versus),
            "" if target.versus is None else step_words.reading(target.versus),
        ]
        for target in found.targets
    ]
    sampled = f"Step check: {step_words.sampled(found.sample)}."
    left = [sentence for target in found.targets for sentence in step_words.not_sent(target)]
    beside = [f"- {text(sentence, 400)}" for sentence in [*left, *found.notes]]
    return [sampled, "", *table(head, rows, [False] * 5), *([""] if beside else []), *beside]


def _row(arm: ArmResults, facts: ArmFacts) -> list[str]:
    rate = wording.percent(arm.rate.rate)
    if arm.rate.interval is not None:
        rate += f" ({wording.percent_interval(arm.rate.interval)})"
    against = changed = tested = ""
    if arm.versus is not None:
        found = arm.versus.difference
        against = wording.points(found.difference)
        against += f" ({wording.difference_ends(found)})"
        changed = f"{found.tasks_better:,}, {found.tasks_worse:,} of {found.tasks:,}"
        if (test := arm.versus.test) is not None:
            tested = f"{wording.p_value(test.p)}, {wording.p_value(test.adjusted)}"
    return [
        text(arm.name, 80),
        text(arm_text(facts), 200),
        wording.solved(arm.rate),
        rate,
        against,
        wording.unadjusted(arm.versus),
        wording.reading(arm.versus),
        tested,
        changed,
        wording.solved(arm.repairable),
        wording.solved(arm.unrepairable),
        wording.UNKNOWN if arm.steps is None else f"{arm.steps.median:g}",
        f"{arm.totals.ungraded:,} of {arm.totals.planned:,}",
    ]


def _how(facts: StudyFacts, results: StudyResults) -> list[str]:
    totals = results.totals
    versions = ", ".join(f"{name} {version}" for name, version in sorted(facts.versions.items()))
    sentences = [
        f"{wording.plural(len(facts.tasks), 'task')} of {facts.domain} ({facts.selection}), "
        f"{wording.plural(facts.trials, 'trial')} of each in every arm, seed {facts.seed}, user "
        f"simulator {wording.setup(facts.user)}, "
        f"at most {wording.known(facts.limits.steps)} steps.",
        f"{totals.planned:,} episodes planned, {totals.run:,} run, {totals.graded:,} graded.",
        f"Rates: Wilson. Differences: paired by task and trial, {facts.resamples:,} resamples of "
        "whole tasks, percentile interval; one that includes zero is not distinguishable. "
        f"{wording.readings_told(results.compared)}",
        f"Versions: {versions}. Condition {facts.condition}.",
    ]
    return [text(" ".join(sentences), 3000)]
