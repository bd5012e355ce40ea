"""How a study was run, clause by clause, in sentences made from its facts.

The page and the summary both print these, so that they cannot tell two stories. Nothing is said
that is not so for this study.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from ringback.canonical import Json
from ringback.report import wording
from ringback.report.facts import is_candidate
from ringback.report.held import HELD
from ringback.report.model import ArmFacts, Role, StudyFacts, StudyResults
from ringback.report.step_model import StepCheckResults
from ringback.report.wording import level, listing
from ringback.stats import FEW_TASKS

__all__ = ["ArmClause", "Clause", "arm_clauses", "arm_text", "clauses"]

_TEXTS = ("instructions", "instructions_append")


class Clause(Struct, frozen=True):
    """One part of the method: its title and a few plain sentences, not escaped for any medium.

    `part` is the part of the page that the text leads to, the id of its element; empty for none.
    """

    title: str
    text: str
    part: str = ""


class ArmClause(Struct, frozen=True):
    """An arm: what it is or changes, and everything that it is, for those who want to know."""

    name: str
    text: str
    full: tuple[tuple[str, str], ...]


def arm_text(arm: ArmFacts) -> str:
    """What an arm is, in a few words: what it changes, an agent always with its own settings.

    The baseline and noise arms, which change nothing, are told in full.
    """
    if arm.role == "noise":
        return "nothing changed"
    if arm.role == "baseline":
        return f"{wording.agent(arm.agent, arm.own_settings)}, policy {arm.policy}"
    found: list[str] = []
    if "agent" in arm.changes:
        found.append(f"agent {wording.agent(arm.agent, arm.own_settings)}")
    elif arm.changes.get("settings"):
        changed = arm.changes["settings"]
        found.append(wording.settings(changed) if isinstance(changed, dict) else "settings")
    if "policy" in arm.changes:
        found.append(f"policy {arm.policy}")
    rest = {
        name: value
        for name, value in arm.changes.items()
        if name not in ("agent", "settings", "policy")
    }
    found += [wording.settings(rest)] if rest else []
    return ", ".join(found) or "nothing changed"


def clauses(results: StudyResults) -> tuple[Clause, ...]:
    """How the study was run, clause by clause."""
    facts = results.facts
    found = [
        Clause("Tasks", _tasks(facts)),
        Clause("Agents and replays", _agents(facts)),
    ]
    found += [Clause("Prompt rule", text) for text in _rules(facts)]
    found += [
        Clause("Customer", _customer(facts)),
        Clause("Limits of an episode", _limits(facts)),
        Clause("Grading", _grading()),
        Clause("What is counted", _counted(results)),
        Clause("Intervals and verdicts", _uncertainty(facts), "held"),
    ]
    if sum(map(is_candidate, facts.arms)) > 1:
        found.append(Clause("Several arms", _several(facts)))
    if noise := _named(facts, "noise"):
        found.append(Clause("Noise", _noise(noise)))
    if floor := _named(facts, "floor"):
        found.append(Clause("Floor controls", _floor(floor)))
    if results.asked_models:
        found.append(Clause("Cost", _cost()))
    if results.step_check is not None:
        found.append(Clause("Step check", _step_check(results.step_check)))
        found.append(Clause("Step check intervals", _step_intervals(results.step_check)))
    return tuple(found)


def arm_clauses(facts: StudyFacts) -> tuple[ArmClause, ...]:
    """What each arm is, with all settings of its agent."""
    return tuple(
        ArmClause(
            arm.name,
            arm_text(arm),
            (
                ("agent", arm.agent.name),
                ("version", arm.agent.version or wording.UNKNOWN),
                ("policy", arm.policy),
                *((name, wording.value(value)) for name, value in arm.agent.settings.items()),
                ("digest", arm.digest),
            ),
        )
        for arm in facts.arms
    )


def _tasks(facts: StudyFacts) -> str:
    families = Counter(task.family for task in facts.tasks)
    parts = listing(
        [f"{count:,} of {wording.reason(family)}" for family, count in families.items()]
    )
    right = sum(not task.repairable for task in facts.tasks)
    trials = "once" if facts.trials == 1 else f"{facts.trials} times"
    return (
        f"{len(facts.tasks):,} tasks of the domain {facts.domain} (selection: {facts.selection}): "
        f"{parts}. {len(facts.tasks) - right:,} can be repaired; in the other {right:,} the right "
        f"outcome is a transfer to a human. Each arm plays every task {trials}."
    )


def _agents(facts: StudyFacts) -> str:
    base = facts.arms[0]
    text = f"The baseline is {arm_text(base)}. "
    if len(facts.arms) > 1:
        text += (
            "Every other arm plays the same tasks with only the named things changed. Each of its "
            "episodes starts afresh from the task, so it is a whole run and not a step check. "
        )
    if facts.seeded:
        text += (
            "All that take part are programs that go by their versions and the seed alone: played "
            "again, the figures come out the same to the last digit. "
        )
    if unread := [arm.name for arm in facts.arms if not arm.reads_policy]:
        text += (
            f"The agents of {listing(unread)} execute their steps and do not read the policy's "
            "prose."
        )
    return text.strip()


def _rules(facts: StudyFacts) -> Iterator[str]:
    """What is said of arms that change the instructions."""
    for arm in facts.arms[1:]:
        settings = arm.changes.get("settings")
        changed = settings if isinstance(settings, dict) else {}
        for name in _TEXTS:
            if changed.get(name) is None:
                continue
            how = "appended to" if name == "instructions_append" else "in place of"
            yield (
                f"{arm.name}: a text of its own {how} the baseline's instructions, "
                f"{_quoted(changed[name])}. {_provenance(arm)}"
            )


def _quoted(value: Json) -> str:
    return f"“{wording.value(value)}”"


def _provenance(arm: ArmFacts) -> str:
    return arm.rule or "When it was written relative to the baseline's run was not recorded."


def _customer(facts: StudyFacts) -> str:
    text = f"The user simulator {wording.setup(facts.user)}, the same in every arm. "
    drawn = f"from the study's seed ({facts.seed}), the task and the trial, never from the arm"
    if _is_model(facts):
        text += (
            f"Its seed comes {drawn}. It is a model all the same: what it says may differ from one "
            "call to the next whatever the seed, which not every provider takes. So all arms meet "
            "the same simulator, and not the same words. "
        )
    else:
        text += f"Its random numbers come {drawn}, so that all arms meet the same caller. "
    return text + "It uses its own tools itself; the agent cannot."


def _is_model(facts: StudyFacts) -> bool:
    """Whether the customer is one."""
    return bool(facts.answered) or "identity" in facts.user.settings


def _limits(facts: StudyFacts) -> str:
    limits = facts.limits
    minutes = None if limits.seconds is None else limits.seconds / 60
    return (
        f"At most {wording.known(limits.steps)} steps, {wording.known(limits.errors)} tool errors "
        f"and {wording.known(minutes)} minutes of the participants' active time. A turn is a step, "
        "and so is a batch of tool results."
    )


def _grading() -> str:
    return (
        "A program checks the state in which the world is left, and, where a task cannot be "
        "repaired, that the call was transferred. No model judges anything. Only a call that the "
        "customer or the agent ended can count as solved. Whom a failure is laid to is found by "
        "rule as well, and moves no rate."
    )


def _counted(results: StudyResults) -> str:
    totals = results.totals
    text = (
        "Every rate is over every planned episode: one without a graded outcome counts as unsolved"
    )
    text += "; none occurred. " if not totals.ungraded else f"; {totals.ungraded:,} did. "
    return text + (
        "Pairs likewise. The figures without infrastructure failures, and without episodes in "
        "which the customer's simulator was at fault, stand beside them, and tasks that only one "
        "side completed are counted. Repairable and unrepairable tasks are always shown apart too."
    )


def _uncertainty(facts: StudyFacts) -> str:
    sure = level(facts.level)
    text = f"Single rates have Wilson score {sure} intervals"
    if facts.trials > 1:
        text += ", with as many independent episodes as the trials, which hang together, are worth"
    text += (
        f". Differences are paired with the baseline by task and trial, and have percentile {sure} "
        f"intervals from a per-task bootstrap, {facts.resamples:,} resamples (seed "
        f"{facts.bootstrap_seed}). A difference whose interval includes zero is reported as not "
        "distinguishable: that is the unadjusted reading. Ours beside it never says more, and "
    )
    text += (
        f"with fewer than {FEW_TASKS} changed tasks it also wants an exact p "
        f"({'McNemar' if facts.trials == 1 else 'sign-flip over tasks'}) of "
        f"{1 - facts.level:.2g} or less, and always enough tasks that such a test could tell "
        "anything apart"
    )
    return text + (
        ". Where no task changed outcome the interval is Tango's, since resampling shows nothing. "
        f"How often such intervals hold the truth stands under “{HELD}”."
    )


def _several(facts: StudyFacts) -> str:
    count = sum(map(is_candidate, facts.arms))
    test = "exact McNemar tests" if facts.trials == 1 else "sign-flip tests over tasks"
    return (
        f"{count} arms are compared with the baseline; noise arms, floors and texts that no agent "
        f"reads are no candidates. The p of {test} stands with each, as it is and with Holm's "
        "adjustment, by which our reading and the short answer go. Which arms may "
        f"be the best goes by simultaneous {level(facts.level)} intervals, a maximum statistic "
        "over all pairs of candidates with tasks resampled jointly."
    )


def _cost() -> str:
    return (
        "By the price recorded with each call, in US dollars, cached tokens as the provider counts "
        "them. Cost per solved task uses the agent's cost of all runs, solved or not, divided by "
        "the solved ones; the simulated customer is excluded, and stands apart. It is undefined "
        "where none was solved, and unknown where a price is. Resamples that solve none count as "
        "infinite. Attempts that were replaced by a later one are not in it."
    )


def _step_check(found: StepCheckResults) -> str:
    sample, names = found.sample, [target.model for target in found.targets]
    text = (
        f"{sample.sampled:,} of {sample.candidates:,} recorded calls that can be sent again, "
        f"sampled deterministically (seed {sample.seed}), are sent as recorded (the conversation "
        f"up to that step and the recorded tool list) to {listing(names)}, and each reply is "
        "compared with the recorded one, exactly, with no judge."
    )
    if missing := [target for target in found.targets if target.missing]:
        left = listing([f"{target.model} {target.missing:,}" for target in missing])
        text += f" Not all are answered yet, and these are in no figure: {left}."
    if any(target.not_sent for target in found.targets):
        text += (
            " Not all of a request could go to every model; what did not, and why, stands with the "
            "figures."
        )
    if bare := sum(schemas.count for schemas in sample.schemas if schemas.name == "none"):
        text += (
            f" In {bare:,} of the sampled calls the recorded tools carry no argument schemas: "
            "there models saw tool names and descriptions only."
        )
    return text


def _step_intervals(found: StepCheckResults) -> str:
    text = (
        f"Wilson score {level(found.level)} intervals for single rates, as if calls were "
        "independent; the design effect says how far they are not. "
    )
    if not any(target.repeat for target in found.targets):
        return f"{text}There is no repeat, and so there are no differences."
    return (
        f"{text}Paired differences against the repeat use a cluster bootstrap over the "
        f"{found.sample.clusters:,} recorded sessions that the sampled calls came from, "
        f"{found.resamples:,} resamples, percentile and studentized. "
        "A difference whose interval includes zero is not distinguishable, nor is one without an "
        "interval."
    )


def _noise(arms: Sequence[ArmFacts]) -> str:
    names = listing([arm.name for arm in arms])
    text = (
        f"{names} runs the baseline again with nothing changed: chance alone, the agent's seed "
        "among it, can make it differ. What it differs by is what a difference of nothing looks "
        "like."
    )
    if all(arm.deterministic for arm in arms):
        text += (
            " Here, with equal seeds, nothing can differ, so its difference is zero by "
            "construction and says nothing about noise."
        )
    return text


def _floor(arms: Sequence[ArmFacts]) -> str:
    return (
        f"{listing([arm.name for arm in arms])}: agents that do no support work. What they reach "
        "is what the grading gives away for free, and no arm should be praised for that much."
    )


def _named(facts: StudyFacts, role: Role) -> list[ArmFacts]:
    return [arm for arm in facts.arms if arm.role == role]
