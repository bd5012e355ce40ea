"""What ``replay`` and ``fork`` share: the options that change something, and what they print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Parameter

if TYPE_CHECKING:
    from ringback.models import Models
    from ringback.replay.changes import Changes
    from ringback.replay.fork import ForkPlan
    from ringback.replay.outcome import Outcome, Pair
    from ringback.replay.parents import Passed
    from ringback.replay.rerun import ReplayPlan
    from ringback.sessions import SessionRow, Store

__all__ = [
    "Agent",
    "Guard",
    "Instructions",
    "InstructionsAppend",
    "Model",
    "Name",
    "Policy",
    "Selection",
    "Setting",
    "User",
    "UserSetting",
    "changes",
    "play_and_tell",
    "selected",
]

_MOST_LISTED = 40

Selection: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(
        name="SELECTION",
        help="Session ids or unique beginnings of them, latest, or filters such as solved=no; keys "
        "are study, arm, task, family, trial, seed, ending, solved, agent, user, origin.",
        show_default=False,
    ),
]
Agent: TypeAlias = Annotated[
    str | None,
    Parameter(help="Another agent answers, scripted or a model; the recorded one.", metavar="NAME"),
]
Model: TypeAlias = Annotated[
    str | None,
    Parameter(help="Another model answers; settings stay from model to model.", metavar="NAME"),
]
Setting: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(
        help="A setting of the agent, such as skip=0.5, or of its model, such as "
        "model.temperature=0, over the recorded ones; may be given several times.",
        metavar="KEY=VALUE",
        show_default=False,
    ),
]
Instructions: TypeAlias = Annotated[
    Path | None,
    Parameter(help="Text in place of the recorded instructions to a model.", metavar="FILE"),
]
InstructionsAppend: TypeAlias = Annotated[
    Path | None,
    Parameter(help="Text after the policy, in place of the recorded one.", metavar="FILE"),
]
Policy: TypeAlias = Annotated[
    str | None,
    Parameter(help="Another wording of the policy (telecom has workflow, manual).", metavar="NAME"),
]
User: TypeAlias = Annotated[
    str | None,
    Parameter(
        help="Another customer calls: another condition. The recorded one; rules where another "
        "program made the recording.",
        metavar="NAME",
    ),
]
UserSetting: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(
        help="A setting of the customer; may be given several times.",
        metavar="KEY=VALUE",
        show_default=False,
    ),
]
Guard: TypeAlias = Annotated[
    str | None,
    Parameter(
        help="What to do when a customer that is a model stops being one: off, record or correct.",
        metavar="HOW",
    ),
]
Name: TypeAlias = Annotated[
    str,
    Parameter(
        help="The arm's name. The agent's draws go by it: another name is a second draw.",
        metavar="ARM",
    ),
]


def changes(
    agent: str | None,
    model: str | None,
    setting: tuple[str, ...],
    instructions: Path | None,
    instructions_append: Path | None,
    policy: str | None,
    user: str | None,
    user_setting: tuple[str, ...],
    guard: str | None,
) -> Changes:
    """What the options say is to be other than recorded."""
    from ringback import agents
    from ringback.cli.settings import agent_settings, user_settings
    from ringback.errors import InputError
    from ringback.replay.changes import Changes

    if agent is not None and model is not None:
        raise InputError("--agent and --model both say who answers; give one of them.")
    if model in agents.names():
        raise InputError(f"{model} is a scripted agent and no model; give it as --agent {model}.")
    return Changes(
        agent=agent or model,
        policy=policy,
        settings=agent_settings(setting, instructions, instructions_append),
        user=user,
        user_settings=user_settings(user_setting, guard),
    )


def selected(store: Store, words: tuple[str, ...]) -> list[SessionRow]:
    """The selected sessions, of a cell the attempt that counts.

    Raises `InputError` if nothing is said or found.
    """
    from ringback.errors import InputError
    from ringback.sessions import parse_selection

    if not words:
        raise InputError(
            "Say which sessions: ids, latest, or filters such as solved=no; "
            "`ringback sessions list` shows them."
        )
    return list(store.rows(parse_selection(words), counting=True))


def play_and_tell(
    plans: Sequence[ReplayPlan] | Sequence[ForkPlan],
    passed: Sequence[Passed],
    what: tuple[str, str],
    store: Path,
    opened: Models,
    *,
    jobs: int,
    workers: int,
    json: bool,
    notes: Sequence[str] = (),
) -> int:
    """Play what is missing, prove what was changed, print what became of it.

    `what` are the words for one of them and for what was done: ("replay", "replayed").
    """
    from ringback.cli import playing
    from ringback.cli.output import complain, print_json, print_text
    from ringback.replay.outcome import outcome
    from ringback.sessions import Store

    reused, stopped = playing.play(plans, store, opened, jobs=jobs, workers=workers)
    with Store.open(store, write=False) as there:
        found = outcome(plans, there)
    found_notes = [*notes, *found.notes]
    if json:
        shown = _object(plans, found, passed, reused)
        print_json(shown | {"notes": found_notes, "store": str(store), "stopped": stopped})
    else:
        print_text("\n".join(_report(plans, found, passed, reused, what, found_notes)))
    if stopped is not None:
        complain(stopped)
        return playing.UNFINISHED
    return 0


def _object(
    plans: Sequence[ReplayPlan] | Sequence[ForkPlan],
    found: Outcome,
    passed: Sequence[Passed],
    reused: int,
) -> dict[str, Any]:
    pairs = [pair for pair in found.pairs if pair.paired]
    return {
        "arms": [
            {
                "name": entry.name,
                "agent": entry.arm.agent,
                "policy": entry.arm.policy,
                "changes": entry.changes,
                "user": plan.condition.user,
                "limits": plan.condition.limits,
            }
            for plan in plans
            for entry in plan.arms
        ],
        "planned": sum(plan.episodes for plan in plans),
        "reused": reused,
        "paired": len(pairs),
        "solved_before": sum(pair.before is True for pair in pairs),
        "solved_after": sum(pair.after is True for pair in pairs),
        "sessions": found.pairs,
        "passed_over": passed,
    }


def _report(
    plans: Sequence[ReplayPlan] | Sequence[ForkPlan],
    found: Outcome,
    passed: Sequence[Passed],
    reused: int,
    what: tuple[str, str],
    notes: Sequence[str],
) -> Iterator[str]:
    from ringback.report.wording import plural

    one, done = what
    total = sum(plan.episodes for plan in plans)
    yield f"{plural(total, one)}" + (f", {reused} of them there before" if reused else "")
    for line in dict.fromkeys(_changes(plans)):
        yield f"  {line}"
    yield ""
    yield from _figures(found)
    yield from _not_paired(found, one)
    for each in passed[:_MOST_LISTED]:
        yield f"Not {done}: session {each.session}, since {each.why}."
    yield from _more(len(passed))
    for note in notes:
        yield f"Note: {note}"
    yield ""
    yield "Read two side by side with `ringback compare A B`."


def _changes(plans: Sequence[ReplayPlan] | Sequence[ForkPlan]) -> Iterator[str]:
    from ringback.report.wording import settings

    for plan in plans:
        for entry in plan.arms:
            changed = {name: value for name, value in entry.changes.items() if name != "settings"}
            within = entry.changes.get("settings")
            if isinstance(within, dict):
                changed |= within
            words = settings(changed) if changed else "nothing, a second draw of the same"
            yield f"arm {entry.name}, agent {entry.arm.agent.name}; changed: {words}"


def _figures(found: Outcome) -> Iterator[str]:
    from ringback.report.wording import plural

    for arm in dict.fromkeys(pair.arm for pair in found.pairs):
        pairs = [pair for pair in found.pairs if pair.arm == arm and pair.paired]
        if not pairs:
            continue
        before = sum(pair.before is True for pair in pairs)
        after = sum(pair.after is True for pair in pairs)
        yield (
            f"{arm}: of {plural(len(pairs), 'pair')}, {before} solved as recorded and {after} as "
            "replayed."
        )
        flips = [pair for pair in pairs if pair.flipped]
        better = sum(pair.after is True for pair in flips)
        if not flips:
            yield "No outcome changed."
            continue
        yield f"Changed: {better} to solved, {len(flips) - better} to not solved."
        for pair in flips[:_MOST_LISTED]:
            yield f"  {'now solved' if pair.after else 'no longer '}  {_pair(pair)}"
        yield from _more(len(flips))


def _not_paired(found: Outcome, one: str) -> Iterator[str]:
    from ringback.report.wording import plural

    others: dict[str, list[Pair]] = {}
    for pair in found.pairs:
        if not pair.paired:
            others.setdefault(pair.why or "", []).append(pair)
    for why, pairs in others.items():
        solved = sum(pair.after is True for pair in pairs)
        graded = sum(pair.after is not None for pair in pairs)
        yield (
            f"{plural(len(pairs), one)} not paired, since {why}. Of {graded} with an outcome, "
            f"{solved} solved; these counts are no rate of an arm."
        )
        for pair in pairs[:_MOST_LISTED]:
            yield f"  {_solved(pair.before)} -> {_solved(pair.after)}  {_pair(pair)}"
        yield from _more(len(pairs))


def _pair(pair: Pair) -> str:
    return f"{pair.parent[:12]} {(pair.session or '-')[:12]}  {pair.task}, trial {pair.trial}"


def _solved(value: bool | None) -> str:
    return f"{'no outcome' if value is None else 'solved' if value else 'not solved':<10}"


def _more(count: int) -> Iterator[str]:
    if count > _MOST_LISTED:
        yield f"  and {count - _MOST_LISTED} more; --json lists all"
