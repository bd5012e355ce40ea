"""How a study was run and what its figures cannot say, in sentences made from its facts.

The page and the summary both print these, so that they cannot tell two stories.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from ringback.report import wording
from ringback.report.model import FEW_PAIRS, ArmFacts, Role, StudyFacts
from ringback.report.wording import level, listing

__all__ = ["Clause", "arm_text", "clauses", "limits"]


class Clause(Struct, frozen=True):
    """One part of the method: its title and a few plain sentences, not escaped for any medium."""

    title: str
    text: str


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


def clauses(facts: StudyFacts) -> tuple[Clause, ...]:
    """How the study was run, clause by clause."""
    found = [
        Clause("Tasks", _tasks(facts)),
        Clause("Agents", _agents(facts)),
        Clause("Customer", _customer(facts)),
        Clause("Limits of an episode", _limits(facts)),
        Clause("Grading", _grading()),
        Clause("Uncertainty", _uncertainty(facts)),
    ]
    if noise := _named(facts, "noise"):
        found.append(Clause("Noise", _noise(noise)))
    if floor := _named(facts, "floor"):
        found.append(Clause("Floor controls", _floor(floor)))
    return tuple(found)


def limits(facts: StudyFacts) -> tuple[str, ...]:
    """What the figures do not say, one or two sentences each."""
    found = [
        f"One world. All tasks come from {facts.domain}, one made-up business. The figures do not "
        "carry over to another business, nor to customers unlike the ones here.",
        f"One simulated customer. {facts.user.name} plays every caller. It is not a person, and an "
        "agent that does well with it may do otherwise with people, or with another simulator.",
        "Our own texts. Policy, tool descriptions, tool results and what the customer is told are "
        "this project's writing. Where the tasks follow a public benchmark, such as tau2-bench, "
        "these rates are still not its scores and must not be set beside them.",
        "An end state is not a good call. A task counts as solved when everything ends as it "
        "should. Needless steps, poor manners and other conduct do not lower the "
        "rate; the conduct that could be noted is counted apart.",
        f"A sample of tasks. The intervals treat the {len(facts.tasks):,} tasks as drawn at random "
        "from many like them. They share a small set of faults, so they are more alike than that.",
    ]
    if len(facts.arms) > 2:
        found.append(
            "Several comparisons. Each arm is compared with the baseline on its own and nothing is "
            "adjusted for their number: the more arms, the likelier that one looks different by "
            "chance."
        )
    if facts.trials == 1:
        found.append(
            "One trial of each task. How much an agent varies on the same task is visible only "
            "through the noise arm."
        )
    else:
        found.append(
            "Repeated trials. Intervals on single rates count every episode as independent. Trials "
            "of one task resemble each other, so those intervals are too narrow; the paired ones "
            "resample whole tasks and are not affected."
        )
    if text := wording.answered(facts.answered):
        found.append(
            f"More than one model as the customer. It answered under several names: {text}. Calls "
            "of one task and trial were answered by the same one in every arm where arms are "
            "compared, but over all the tasks no single model was the customer."
        )
    if steady := [arm.name for arm in facts.arms if arm.deterministic]:
        found.append(
            f"Deterministic arms ({listing(steady)}). They do the same thing each time, so their "
            "intervals speak of the choice of tasks, not of chance in the agent."
        )
    return tuple(found)


def _tasks(facts: StudyFacts) -> str:
    families = Counter(task.family for task in facts.tasks)
    parts = listing([f"{count:,} of {family}" for family, count in families.items()])
    right = sum(not task.repairable for task in facts.tasks)
    trials = "once" if facts.trials == 1 else f"{facts.trials} times"
    return (
        f"{len(facts.tasks):,} tasks of the domain {facts.domain} (selection: {facts.selection}): "
        f"{parts}. {len(facts.tasks) - right:,} can be repaired; in the other {right:,} the right "
        f"outcome is a transfer to a human. Each arm plays every task {trials}."
    )


def _agents(facts: StudyFacts) -> str:
    base = facts.arms[0]
    text = (
        f"The baseline is the agent {wording.setup(base.agent)}, under the policy {base.policy}. "
        "Every other arm plays the same tasks afresh, with only the named things changed."
    )
    for arm in facts.arms[1:]:
        if arm.role == "noise":
            continue
        text += f" {arm.name}: {arm_text(arm)}"
        if "agent" in arm.changes and arm.agent.settings:
            text += f" (in full {wording.setup(arm.agent)})"
        text += "."
    if unread := [arm.name for arm in facts.arms if not arm.reads_policy]:
        text += (
            f" The agents of {listing(unread)} execute their steps and do not read the policy's "
            "prose."
        )
    return text


def _customer(facts: StudyFacts) -> str:
    return (
        f"The user simulator {wording.setup(facts.user)}, the same in every arm. Its random "
        f"numbers come from the study's seed ({facts.seed}), the task and the trial, never from "
        "the arm, so that all arms meet the same caller. It uses its own tools itself; the agent "
        "cannot."
    )


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
        "customer or the agent ended can count as solved. The rate is over every planned episode: "
        "one without a graded outcome counts as unsolved."
    )


def _uncertainty(facts: StudyFacts) -> str:
    sure = level(facts.level)
    return (
        f"Single rates have Wilson score {sure} intervals. Differences are paired with the "
        f"baseline by task and trial, and have percentile {sure} intervals from "
        f"{facts.resamples:,} resamples of whole tasks (bootstrap seed {facts.bootstrap_seed}). "
        "A difference whose interval includes zero reads “not distinguishable”; on so few tasks "
        "that an exact sign test could tell nothing apart there is no verdict. A verdict on fewer "
        f"than {FEW_PAIRS} changed pairs reads “few changes”: such an interval is rough."
    )


def _noise(arms: Sequence[ArmFacts]) -> str:
    names = listing([arm.name for arm in arms])
    text = (
        f"{names} runs the baseline again with nothing changed but the agent's random numbers. "
        "What it differs by is what a difference of nothing looks like."
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
