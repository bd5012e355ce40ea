"""What the figures of a study cannot say, and what running it again gives."""

from __future__ import annotations

from ringback.episode.events import Setup
from ringback.report import wording
from ringback.report.facts import is_candidate
from ringback.report.model import StudyFacts
from ringback.report.wording import listing

__all__ = ["again", "limits"]

_OURS = ("telecom", "telecom-solo")  # domains that this project wrote


def limits(facts: StudyFacts) -> tuple[str, ...]:
    """What the figures do not say, one or two sentences each."""
    ours = facts.domain in _OURS
    found = [
        f"One world. All tasks come from {facts.domain}, one {'made-up ' if ours else ''}business. "
        "The figures do not carry over to another business, nor to customers unlike the ones here.",
        f"One simulated customer. {facts.user.name} plays every caller. It is not a person, and an "
        "agent that does well with it may do otherwise with people, or with another simulator.",
        ("Our own texts." if ours else "The domain's own texts.")
        + " Policy, tool descriptions, tool results and what the customer is told are "
        + ("this project's" if ours else "its package's")
        + " writing. Where the tasks follow a public benchmark, such as tau2-bench, "
        "these rates are still not its scores and must not be set beside them.",
        "An end state is not a good call. A task counts as solved when everything ends as it "
        "should. Needless steps, poor manners and other conduct do not lower the "
        "rate; the conduct that could be noted is counted apart.",
        f"A sample of tasks. The intervals treat the {len(facts.tasks):,} tasks as drawn at random "
        "from many like them. They share a small set of faults, so they are more alike than that.",
    ]
    if sum(map(is_candidate, facts.arms)) > 1:
        found.append(
            "Several comparisons. The more arms, the likelier that one looks different by chance. "
            "Our reading, and the short answer with it, is adjusted for that; the unadjusted one "
            "beside it is not, and says too much of an arm that is picked out of many."
        )
    if facts.trials == 1:
        found.append(
            "One trial of each task. How much an agent varies on the same task is visible only "
            "through the noise arm."
            if any(arm.role == "noise" for arm in facts.arms)
            else "One trial of each task, and no noise arm. How much an agent varies on the same "
            "task cannot be seen."
        )
    else:
        found.append(
            "Repeated trials. Trials of one task resemble each other. Intervals on single rates "
            "go by the number of independent episodes that they are worth, which is itself an "
            "estimate; the paired ones resample whole tasks."
        )
    if text := wording.answered(facts.answered):
        found.append(
            f"More than one model as the customer. It answered under several names: {text}. Calls "
            "of one task and trial were answered by the same one in every arm where arms are "
            "compared, but over all the tasks no single model was the customer."
        )
    if facts.notes:
        found.append(f"What the models' calls show. {' '.join(facts.notes)}")
    scripted = _scripted(facts.user)
    steady = [
        arm.name
        for arm in facts.arms
        if arm.deterministic
        or (scripted and "identity" in arm.agent.settings and _scripted(arm.agent))
    ]
    if steady:
        found.append(
            f"Deterministic arms ({listing(steady)}). They do the same thing each time, so their "
            "intervals speak of the choice of tasks, not of chance in the agent."
        )
    return tuple(found)


def _scripted(found: Setup) -> bool:
    """Whether no model plays it but one that reads its replies from a script."""
    identity = found.settings.get("identity")
    return identity is None or (isinstance(identity, dict) and "script" in identity)


def again(facts: StudyFacts) -> str:
    """What the command does that runs the study again."""
    text = "Sessions that are already recorded are not run again, and give these same figures. "
    if facts.seeded:
        return text + (
            "With the same versions and seed a fresh run comes out the same to the last digit."
        )
    return text + (
        "A fresh run need not come out the same: those who take part may do otherwise each time, "
        "whatever the seed."
    )
