"""What the caller of a telecom task knows and wants, and how that caller is.

Nothing here names a fault: a caller sees symptoms only. The same facts serve the simulated customer
that works by rules and, as `Caller.text`, one that reads.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from ringback.domain import Task
from ringback.errors import InputError
from ringback.telecom.faults import USER_NAME, USER_NUMBER

__all__ = ["CALLER_NAME", "Caller", "Goal", "Persona", "scenario"]

CALLER_NAME = USER_NAME
"""The name of everyone who calls."""

Goal: TypeAlias = Literal["mobile_data", "mms", "service"]


class Persona(Struct, frozen=True):
    """How a caller is: `text` is empty where nothing is said about it. `age` is in years."""

    name: Literal["None", "Easy", "Hard"]
    age: int | None = None
    occupation: str | None = None
    text: str = ""


class Caller(Struct, frozen=True):
    """One caller: facts, wishes and limits.

    `goal` is what must work again; `problem` and `since` are how the caller would put it; `content`
    is the condition for hanging up satisfied. `country` is where the caller is, None where the
    scenario does not say; `abroad` likewise. `refuel_gb` is how much extra data the caller would
    pay for, in GB, None for none; `pays_bill` whether an open bill is paid when asked.
    """

    name: str
    phone_number: str
    goal: Goal
    problem: str
    since: str | None
    content: str
    country: str | None
    abroad: bool | None
    refuel_gb: float | None
    pays_bill: bool
    changes_plan: bool
    persona: Persona

    @property
    def text(self) -> str:
        """The scenario in words, for a user simulator that reads."""
        parts = [
            f"You are {self.name}. You call your phone company about the line {self.phone_number}.",
            f"Why you call: {self.problem}" + (f" It began {self.since}." if self.since else ""),
        ]
        if self.country is not None:
            trip = (
                f"You are travelling in {self.country}, outside your home country."
                if self.abroad
                else f"You are at home in {self.country}."
            )
            parts.append(trip)
        parts.append(f"When you are content: {self.content}")
        parts.append(
            f"You would pay for {self.refuel_gb:.1f} GB of extra data, no more and no less, if "
            "that is what it takes."
            if self.refuel_gb is not None
            else "You did not call to buy extra data."
        )
        if self.pays_bill:
            parts.append("If the agent asks you to pay an open bill, you pay it.")
        parts.append("You keep the plan you have, whatever is offered.")
        parts.append(
            "You know nothing about the account beyond this. Birth date, address, e-mail, PINs and "
            "passwords are not part of what you know: if the agent asks for one in order to verify "
            "you, say that you cannot give it and offer your name and number. Never make one up."
        )
        parts.append(
            "You do what the agent asks on your phone, with the phone's own actions. You do not "
            "know what is wrong. Everything you say about the phone comes from the result of an "
            "action you took; where you have not looked, look first. Where an instruction is "
            "unclear, ask. Once a step has not helped you are a little frustrated."
        )
        if self.persona.text:
            parts.append(f"How you are: {self.persona.text}")
        return "\n".join(parts)


_PERSONAS: dict[str, Persona] = {
    "None": Persona("None"),
    "Easy": Persona(
        "Easy",
        41,
        "office administrator",
        "You are 41 and run the front desk of a small office. Phones are a tool to you: you find "
        "your way around settings when told what to look for. You are friendly and patient, and "
        "after each step you say that it is done.",
    ),
    "Hard": Persona(
        "Hard",
        64,
        "retired librarian",
        "You are 64, a librarian until you retired. You use the phone for calls, messages and "
        "pictures of your grandchildren. Technical words fluster you, you worry about breaking "
        "something, and you answer just what was asked.",
    ),
}

_GOALS: dict[str, tuple[Goal, str, str | None, str]] = {
    "mobile_data_issue": (
        "mobile_data",
        "Mobile data on your phone has stopped or crawls, and there is no Wi-Fi where you are.",
        None,
        "only when a speed test on the phone comes out as Excellent. A lower grade is not enough.",
    ),
    "mms_issue": (
        "mms",
        "Picture messages (MMS) will not go out from your phone.",
        "a few hours ago",
        "when the phone says that it can send MMS.",
    ),
    "service_issue": (
        "service",
        'Your phone has shown "No Service" and you cannot call anybody.',
        "a few hours ago",
        "when the status bar shows a signal again.",
    ),
}


def scenario(task: Task) -> Caller:
    """What the caller of this task knows and wants.

    Raises `InputError` if the task's family or persona is not one of telecom's.
    """
    goal = _GOALS.get(task.family)
    persona = _PERSONAS.get(task.persona or "None")
    if goal is None or persona is None:
        what, known = (
            (f"family {task.family!r}", _GOALS)
            if goal is None
            else (f"persona {task.persona!r}", _PERSONAS)
        )
        raise InputError(
            f"Task {task.id!r} has the unknown {what}; telecom knows {', '.join(known)}."
        )
    kind, problem, since, content = goal
    says_where = kind != "service"
    abroad = any(fault.startswith("user_abroad_") for fault in task.faults)
    return Caller(
        name=CALLER_NAME,
        phone_number=USER_NUMBER,
        goal=kind,
        problem=problem,
        since=since,
        content=content,
        country=("France" if abroad else "the United States") if says_where else None,
        abroad=abroad if says_where else None,
        refuel_gb=2.0 if says_where else None,
        pays_bill=kind == "service",
        changes_plan=False,
        persona=persona,
    )
