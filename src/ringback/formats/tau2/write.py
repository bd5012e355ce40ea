"""Sessions of one arm as a results file of tau2-bench, written as they come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

import msgspec
from msgspec import Struct

import ringback
from ringback.canonical import Json
from ringback.domain import Domain
from ringback.domains import load
from ringback.episode.events import Setup, Start
from ringback.errors import InputError
from ringback.formats.session import Session, iso
from ringback.formats.tau2.head import DOMAINS
from ringback.formats.tau2.write_simulation import simulation_object
from ringback.formats.tau2.write_tasks import task_object

__all__ = ["Run", "results_file"]

_Object = dict[str, Any]
_OURS = ("telecom", "telecom-solo")
_encode = msgspec.json.encode


class Run(Struct, frozen=True):
    """What a file says once for all its sessions, beside what each of them says of itself.

    `trials` is how often the tasks were played, `seed` the one that all sessions share.
    """

    trials: int
    seed: int | None
    at: float | None = None


def results_file(run: Run, sessions: Iterable[Session]) -> Iterator[bytes]:
    """The file in pieces, holding one session at a time and each task's text once.

    All sessions have ended, have a task and are of one arm under one condition; what the file says
    of both is taken from the first. Raises `InputError` for a domain that tau2 does not have.
    """
    tasks: dict[str, bytes] = {}
    first = True
    for session in sessions:
        start = session.start
        if start.condition.domain not in _OURS:
            raise InputError(
                f"Session {start.session} is of the domain {start.condition.domain!r}; a file of "
                "tau2-bench is written for telecom alone."
            )
        domain = load(start.condition.domain)
        if first:
            stamp = iso(run.at) or iso(start.at)
            yield b'{"timestamp":' + _encode(stamp) + b',"info":'
            yield _encode(_info(session, domain, run)) + b',"simulations":[\n'
        else:
            yield b",\n"
        first = False
        yield _encode(simulation_object(session))
        name = start.draw.task
        if name is not None and name not in tasks:
            tasks[name] = _task(session, domain, name)
    if first:
        raise InputError("There is no session to write.")
    yield b'\n],"tasks":[\n' + b",\n".join(tasks.values()) + b"\n]}\n"


def _task(session: Session, domain: Domain, name: str) -> bytes:
    """The task as the file had it that the session was read from, else ours."""
    origin = session.start.origin
    if origin is not None and origin.form == "tau2":
        recorded = session.contents.get(origin.contents.get("task", ""))
        if recorded is not None:
            return _encode(msgspec.json.decode(recorded))
    return _encode(task_object(domain, domain.task(name)))


def _info(session: Session, domain: Domain, run: Run) -> _Object:
    start = session.start
    limits = start.condition.limits
    return {
        "git_commit": _program(start),
        "num_trials": run.trials,
        # The form asks for numbers; below zero stands for a limit that is not known.
        "max_steps": -1 if limits.steps is None else limits.steps,
        "max_errors": -1 if limits.errors is None else limits.errors,
        "user_info": _who(start.condition.user)
        | {"global_simulation_guidelines": _content(session, "guidelines")},
        "agent_info": _who(start.arm.agent),
        "environment_info": {
            "domain_name": _domain_name(start),
            "policy": _policy(session, domain),
            "tool_defs": None,
        },
        "seed": run.seed,
    }


def _program(start: Start) -> str:
    """What made the recording: tau2's commit where it was tau2, else this program's version."""
    if start.origin is not None:
        return start.origin.versions.get("tau2", "")
    return f"ringback {ringback.__version__}"


def _who(setup: Setup) -> _Object:
    """A participant: what kind it is, and its model if it is one."""
    settings = setup.settings
    if "implementation" in settings or "llm_args" in settings:  # as read from a tau2 file
        kind = settings.get("implementation")
        model = None if setup.name == kind else setup.name
        return {
            "implementation": kind or "unknown",
            "llm": model,
            "llm_args": settings.get("llm_args"),
        }
    if "identity" in settings:  # a model; its instructions are no argument of it
        given: Json = settings.get("model")
        arguments = cast("_Object", given) if isinstance(given, dict) else {}
        return {"implementation": "ringback", "llm": setup.name, "llm_args": arguments}
    return {"implementation": setup.name, "llm": None, "llm_args": settings or None}


def _domain_name(start: Start) -> str:
    policy = start.arm.policy
    if policy in DOMAINS:  # as read from a tau2 file
        return policy
    return "telecom-workflow" if policy == "workflow" else "telecom"


def _policy(session: Session, domain: Domain) -> str:
    recorded = _content(session, "policy")
    if recorded is not None:
        return recorded
    name = session.start.arm.policy
    return domain.policy(name) if name in domain.policies else ""


def _content(session: Session, name: str) -> str | None:
    origin = session.start.origin
    return None if origin is None else session.contents.get(origin.contents.get(name, ""))
