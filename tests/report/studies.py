"""Small studies, written by hand: outcomes as letters, a task a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ringback.domain import Task
from ringback.episode.events import Ending, Limits, Setup
from ringback.report.model import ArmFacts, EpisodeRow, Role, StudyFacts

__all__ = ["TASKS", "arm_facts", "rows", "study"]

TASKS = (
    Task("calls/airplane", "service", ("airplane_mode_on",), "", True),
    Task("calls/contract", "service", ("contract_end",), "Easy", False),
    Task("data/off", "mobile_data", ("data_mode_off",), "Hard", True),
    Task("mms/apn", "mms", ("bad_apn", "no_permission"), "", True),
)


def arm_facts(
    name: str, role: Role = "arm", *, deterministic: bool = False, agent: str = "reference"
) -> ArmFacts:
    return ArmFacts(
        name=name,
        role=role,
        agent=Setup(agent, "1"),
        policy="workflow",
        deterministic=deterministic,
        digest=f"digest-of-{agent}",
        changes={} if role in ("baseline", "noise") else {"agent": agent},
    )


def study(
    arms: Sequence[ArmFacts], *, trials: int = 1, tasks: Sequence[Task] = TASKS
) -> StudyFacts:
    return StudyFacts(
        name="four-tasks",
        question="Does the careless agent hold up?",
        domain="telecom",
        versions={"ringback": "0.1.0", "world": "1", "grader": "1"},
        made_with={"python": "3.11", "numpy": "2.4"},
        condition="00c0ffee",
        selection="four",
        tasks=tuple(tasks),
        trials=trials,
        seed=7,
        limits=Limits(),
        user=Setup("rules", "1"),
        greeting="Hello, how can I help?",
        arms=tuple(arms),
        command="ringback study run four.toml",
        resamples=2000,
        bootstrap_seed=7,
    )


def rows(
    facts: StudyFacts, outcomes: Mapping[str, Sequence[str]], *, session: str = "s"
) -> list[EpisodeRow]:
    """One row a letter; `outcomes[arm][trial]` has a letter for each task.

    `y` solved, `n` unsolved, `i` infrastructure error, `x` interrupted, `.` no row at all.
    """
    found: list[EpisodeRow] = []
    ending: dict[str, Ending | None] = {
        "y": "user_stop",
        "n": "max_steps",
        "i": "infrastructure_error",
        "x": None,
    }
    why = {"i": "infrastructure_error", "x": "interrupted"}
    for arm, trials in outcomes.items():
        for trial, letters in enumerate(trials):
            for place, (task, letter) in enumerate(zip(facts.tasks, letters, strict=True)):
                if letter == ".":
                    continue
                graded = letter in "yn"
                found.append(
                    EpisodeRow(
                        arm=arm,
                        task=task.id,
                        trial=trial,
                        session=f"{session}-{arm}-{place}-{trial}",
                        ending=ending[letter],
                        graded=graded,
                        reward=float(letter == "y") if graded else None,
                        solved=letter == "y",
                        steps=10 + place if letter == "y" else 100 if letter == "n" else 3,
                        ungraded=why.get(letter),
                    )
                )
    return found
