"""Who took part in a call: what the record says of the agent's side and of the customer's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ringback.episode.events import Setup, Turn
from ringback.episode.participants import OPERATOR
from ringback.record.told import Told, operator_name
from ringback.report.plain import one_line
from ringback.report.wording import listing, plural, usd
from ringback.sessions import Spent, spent

__all__ = ["facts"]

_DOORS = {
    "shell": "the shell",
    "mcp": "MCP",
    "browser": "the browser",
    "python": "Python",
}
_LONG = 80


def facts(told: Told) -> Iterator[str]:
    """The sentences on both sides of one call."""
    yield from _agent(told)
    yield from _customer(told)
    origin = told.start.origin
    if origin is not None:
        yield f"The call was recorded by another program and read from the form {origin.form}."
        if not told.messages_known:
            yield "The recording holds no message of the call."
    if told.start.condition.forked is not None:
        forked = told.start.condition.forked
        yield (
            f"The call goes on from session {forked.session}, of which it has the events before "
            f"number {forked.seq}."
        )
    elif told.start.parent is not None:
        yield f"The call replays session {told.start.parent}."


def _agent(told: Told) -> Iterator[str]:
    agent = told.start.arm.agent
    asked = told.asked("agent")
    name = _name(operator_name(told.start))
    if agent.name == OPERATOR:
        doors = _doors(told)
        through = f" through {doors}" if doors else ""
        who = "no model was asked" if not asked else f"{plural(len(asked), 'model call')} was made"
        yield (
            f"The support agent's side was operated turn by turn by {name}{through}; on that side "
            f"{who} by Ringback."
        )
    elif asked:
        yield f"The support agent was {_model(agent, told, 'agent')}."
    else:
        yield (
            f"The support agent was {name}, version {_name(agent.version)}; the record holds no "
            "model call of its side."
        )


def _doors(told: Told) -> str:
    """By which doors the operator's turns came, as each turn says."""
    rules = Counter(
        event.rule for event in told.events if isinstance(event, Turn) and event.by == "agent"
    )
    return listing([_DOORS.get(rule, one_line(rule, 30)) for rule in sorted(filter(None, rules))])


def _customer(told: Told) -> Iterator[str]:
    user = told.start.condition.user
    if not told.asked("user"):
        yield (
            f"The customer was the simulator {_name(user.name)}, version {_name(user.version)}; "
            "the record holds no model call of its side."
        )
        return
    yield f"The customer was {_model(user, told, 'user')}."
    match user.settings.get("guard"):
        case "off":
            yield "The customer's replies were taken as they came: its guard was off."
        case "record":
            yield "The customer's guard noted what it objected to and let every reply through."
        case "correct":
            yield (
                "The customer's guard asked it again where it objected to a reply, up to "
                f"{user.settings.get('retries')} times a turn."
            )
        case _:
            pass


def _model(setup: Setup, told: Told, side: str) -> str:
    calls = told.asked(side)
    names = sorted({call.answer.model for call in calls if call.answer.model is not None})
    sources = sorted({call.answer.price.source for call in calls})
    answered = listing([_name(name) for name in names[:3]]) + (" and more" if names[3:] else "")
    as_ = f", which answered as {answered}" if names and names != [setup.name] else ""
    spending = spent(told.events).get("agent" if side == "agent" else "user", Spent())
    cost = "of unknown cost" if spending.cost is None else f"for {usd(spending.cost)}"
    why = f" ({one_line(sources[0], _LONG)})" if len(sources) == 1 else ""
    return (
        f"the model {_name(setup.name)}{as_}, asked {plural(len(calls), 'time')} {cost}{why}, as "
        f"version {_name(setup.version)} of Ringback's {'agent' if side == 'agent' else 'customer'}"
    )


def _name(text: str) -> str:
    return one_line(text, _LONG)
