"""What the record alone shows of a failed call, in any support world."""

from __future__ import annotations

from collections.abc import Iterator

from ringback.canonical import encode
from ringback.domain import Did, Side, Sign
from ringback.episode.episode import Episode
from ringback.episode.events import End, Results, Turn
from ringback.episode.markers import without_markers

__all__ = ["KINDS", "signs"]

KINDS = {
    "step_limit": "cut off by the number of steps",
    "error_limit": "cut off by the number of tool errors",
    "clock": "cut off by the time limit",
    "infrastructure": "a failure of provider, network or harness",
    "abandoned": "an operator gave the call up before it was over",
    "agent_failed": "the agent gave no usable turn",
    "user_failed": "the simulated customer gave no usable turn",
    "turn_rules": "the agent spoke beside calls, or called several tools at once where that is not "
    "allowed",
    "agent_repeated": "the agent made the same call again and again and nothing had changed",
    "repeated_itself": "the customer said or did the same again and again",
}
"""What `signs` can find, with what it means."""

_ONE_CALL = frozenset({"tau2"})
"""Forms of recordings whose agents are told to make one call at a time. Ours may make several."""

_TIMES = 3
_LEAST = 25  # characters; "Yes, that is right." may be said twice


def signs(episode: Episode, end: End) -> Iterator[Sign]:
    """The signs of a failed episode that need no knowledge of its world."""
    yield from _ending(episode, end)
    yield from _turn_rules(episode)
    yield from _same_calls(episode, "agent", "agent_repeated")
    yield from _same_calls(episode, "user", "repeated_itself")
    yield from _same_words(episode)


def _ending(episode: Episode, end: End) -> Iterator[Sign]:
    limits = episode.start.condition.limits
    match end.ending:
        case "max_steps":
            limit = "" if limits.steps is None else f" of {limits.steps} steps"
            yield Sign("step_limit", end.seq, f"The call was cut off by its limit{limit}.")
        case "too_many_errors":
            yield from _errors(episode, end)
        case "timeout":
            yield Sign("clock", end.seq, "The call was cut off because its time was up.")
        case "infrastructure_error":
            text = "A provider, the network or the harness failed."
            yield Sign("infrastructure", end.seq, text, decisive=True)
        case "abandoned":
            yield Sign("abandoned", end.seq, "The operator gave the call up before it was over.")
        case "agent_error":
            text = "The agent gave no turn that could be taken."
            yield Sign("agent_failed", end.seq, text, "agent", decisive=True)
        case "user_error":
            text = "The simulated customer gave no turn that could be taken."
            yield Sign("user_failed", end.seq, text, "user", decisive=True)
        case _:
            pass


def _errors(episode: Episode, end: End) -> Iterator[Sign]:
    count: dict[Side, int] = {"agent": 0, "user": 0}
    for event in episode.events:
        if isinstance(event, Results):
            count[event.by] += sum(result.error for result in event.results)
    agent, user = count["agent"], count["user"]
    who: Side | None = None if agent == user else "agent" if agent > user else "user"
    text = f"Tool errors cut the call off: {agent} of the agent's, {user} of the customer's."
    yield Sign("error_limit", end.seq, text, who, decisive=who is not None)


def _turn_rules(episode: Episode) -> Iterator[Sign]:
    origin = episode.start.origin
    one = origin is not None and origin.form in _ONE_CALL
    for event in episode.events:
        if not isinstance(event, Turn) or event.by != "agent" or not event.calls:
            continue
        # Reasoning that a relay failed to strip is not said to anybody.
        if event.text and event.text.rpartition("</think>")[2].strip():
            yield Sign("turn_rules", event.seq, "The agent spoke beside a call.", "agent")
        elif one and len(event.calls) > 1:
            text = f"The agent made {len(event.calls)} calls at once; its rules allow one."
            yield Sign("turn_rules", event.seq, text, "agent")


def _same_calls(episode: Episode, side: Side, kind: str) -> Iterator[Sign]:
    """The third of equal calls of a side between which nothing changed and the other was silent.

    A look is taken again with good reason when something was done since, or was asked for.
    """
    made: dict[bytes, int] = {}
    for did in episode.happenings:
        if not isinstance(did, Did):
            if did.side != side:
                made.clear()
            continue
        if did.side == side:
            call = encode([did.tool, did.arguments])
            made[call] = made.get(call, 0) + 1
            if made[call] == _TIMES:
                who = "agent" if side == "agent" else "customer"
                text = f"The {who} called {did.tool} {_TIMES} times and nothing had changed."
                yield Sign(kind, did.seq, text, side, decisive=True)
        if did.before.digest() != did.after.digest():
            made.clear()


def _same_words(episode: Episode) -> Iterator[Sign]:
    """The customer says what it has just said, though it did nothing since and was not asked again.

    Or it says one thing for the third time.
    """
    spoken: dict[str, int] = {}
    last, heard, acted = "", ["", ""], False
    for event in episode.happenings:
        if isinstance(event, Did):
            acted = acted or event.side == "user"
            continue
        words = " ".join(without_markers(event.text, event.side).lower().split())
        if event.side == "agent":
            heard = [heard[1], words]
            continue
        if len(words) >= _LEAST:
            spoken[words] = spoken.get(words, 0) + 1
            again = words == last and not acted and heard[0] != heard[1]
            if again or spoken[words] == _TIMES:
                text = "The customer said the same words again."
                yield Sign("repeated_itself", event.seq, text, "user", decisive=True)
        last, acted = words, False
