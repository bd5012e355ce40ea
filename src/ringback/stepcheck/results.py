"""From the store to the model of results: every reply beside the recorded one, and the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from ringback.canonical import Json, digest
from ringback.episode.wire import Answer, Asked, Message, Opaque, Part, Text, Thought
from ringback.models.dialogue import spoken
from ringback.report.model import Cost, Count
from ringback.report.step_model import (
    OUTCOMES,
    Answered,
    StepCheckResults,
    StepKind,
    StepPart,
    StepSample,
    StepTarget,
)
from ringback.sessions import Store
from ringback.stats import ClusterDifference, Tally, cluster_difference, clustered_rate
from ringback.stepcheck.candidates import Candidate
from ringback.stepcheck.compare import Compared, compare
from ringback.stepcheck.notes import notes
from ringback.stepcheck.run import Sent, answers, final
from ringback.stepcheck.targets import Prepared, Target

__all__ = ["CallResult", "Replied", "ReplyResult", "results"]

_RESAMPLES = 10_000
_SEED = 0  # of the resamples, as a study's; the draw of the calls has its own


class ReplyResult(Struct, frozen=True):
    """What a model replied to a call. `text` and `calls` are None where there are none."""

    model: str
    outcome: str
    exact: bool
    answered: str | None
    text: str | None
    calls: tuple[dict[str, Json], ...] | None
    why: str | None
    not_sent: dict[str, str]
    usd: float | None


class CallResult(Struct, frozen=True):
    """A drawn call and what became of it, in the order of the draw."""

    session: str
    seq: int
    model: str
    kind: StepKind
    text: str | None
    calls: tuple[dict[str, Json], ...] | None
    replies: tuple[ReplyResult, ...]


class Replied(Struct, frozen=True):
    """The results, and the calls that they count one by one."""

    results: StepCheckResults
    calls: tuple[CallResult, ...]


class _Reply(Struct, frozen=True):
    """A call with what a target sent back."""

    call: Candidate
    sent: Sent
    compared: Compared
    not_sent: dict[str, str]

    @property
    def key(self) -> tuple[str, int]:
        return self.call.session, self.call.seq

    @property
    def failure(self) -> str | None:
        return self.sent.answer.failure


def results(prepared: Prepared, store: Store) -> Replied:
    """What the store has of it so far; nothing is sent.

    The rates count every call that has its final answer, one that the provider would not answer as
    a reply that is not the same. Where the way to the model broke nothing is known of it: the call
    is missing until it is answered. The difference to the repeat is over the calls that both
    answered.
    """
    replies = [
        (target, {one.key: one for one in _replies(prepared, target, store)})
        for target in prepared.targets
    ]
    base = next((_final(found.values()) for target, found in replies if target.repeat), None)
    targets = tuple(
        _target(prepared, target, list(found.values()), None if target.repeat else base)
        for target, found in replies
    )
    sample = _sample(prepared)
    repeats = [target for target in prepared.targets if target.repeat]
    changed = sum(
        call.identity is not None and digest(call.identity) != digest(repeats[0].identity)
        for call in prepared.calls
        if repeats and call.place.model == repeats[0].name
    )
    whole = StepCheckResults(
        sample=sample,
        targets=targets,
        notes=tuple(notes(sample, targets, changed)),
        resamples=_RESAMPLES,
    )
    return Replied(whole, tuple(_call(call, replies) for call in prepared.calls))


def _final(replies: Iterable[_Reply]) -> dict[tuple[str, int], _Reply]:
    """Those that are not sent again."""
    return {one.key: one for one in replies if final(one.sent.answer)}


def _replies(prepared: Prepared, target: Target, store: Store) -> Iterator[_Reply]:
    sent = answers(prepared, target, store)
    for call in prepared.calls:
        if found := sent.get((call.session, call.seq)):
            compared = compare(call.reply, found.answer)
            yield _Reply(call, found, compared, _not_sent(call, found.answer))


def _not_sent(call: Candidate, answer: Answer) -> dict[str, str]:
    """What of the recorded call did not go to this model: settings, and what another one wrote."""
    left = {
        name if name == "form" else f"setting {name}": why
        for name, why in (answer.dropped | call.held).items()
    }
    if answer.message is None:
        return left
    bound: dict[str, set[str]] = {}
    for message in call.request.messages:
        if message.role == "assistant" and message.provider != answer.message.provider:
            for name in filter(None, map(_bound, message.parts)):
                bound.setdefault(name, set()).add(message.provider or "a model that is not named")
    for name, writers in bound.items():
        left[name] = f"written by {', '.join(sorted(writers))}, which alone can read it"
    return left


def _bound(part: Part) -> str | None:
    """What of a part is for the provider alone that wrote it; None where nothing is.

    The ids of a reply are not counted: to another provider they would say nothing.
    """
    match part:
        case Thought():
            return "reasoning"
        case Asked(data=data) if data is not None:
            return "signatures of calls"
        case Opaque(data) if not (isinstance(data, dict) and data.keys() == {"reply"}):
            return "opaque blocks"
        case _:
            return None


def _target(
    prepared: Prepared,
    target: Target,
    tried: Sequence[_Reply],
    base: Mapping[tuple[str, int], _Reply] | None,
) -> StepTarget:
    replies = list(_final(tried).values())

    def part(kind: StepKind) -> StepPart | None:
        there = any(call.place.kind == kind for call in prepared.calls)
        return _figures([one for one in replies if one.call.place.kind == kind]) if there else None

    asked = _names(target)
    names = Counter(one.sent.answer.model for one in replies if one.failure is None)
    return StepTarget(
        model=target.name,
        identity=target.identity,
        repeat=target.repeat,
        missing=len(prepared.calls) - len(replies),
        answered=tuple(
            Answered(name, count, other=name is not None and name not in asked)
            for name, count in sorted(names.items(), key=lambda item: (-item[1], item[0] or ""))
        ),
        whole=_figures(replies),
        call=part("call"),
        text=part("text"),
        failures=_counts(one.failure for one in replies if one.failure is not None),
        not_sent=_counts(f"{name}: {why}" for one in replies for name, why in one.not_sent.items()),
        cost=_cost(tried),
        versus=None if base is None else _versus(replies, base),
    )


def _names(target: Target) -> tuple[str, ...]:
    """What a model may answer as without being another."""
    full = target.identity.get("model")
    named = full if isinstance(full, str) else target.name
    return target.name, named, named.partition(":")[2]


def _figures(replies: Sequence[_Reply]) -> StepPart:
    clusters: dict[str, list[bool]] = {}
    for one in replies:
        clusters.setdefault(one.call.session, []).append(one.compared.outcome == "same")
    outcomes = Counter(one.compared.outcome for one in replies)
    return StepPart(
        rate=clustered_rate([(sum(hits), len(hits)) for hits in clusters.values()]),
        outcomes=tuple(Count(name, outcomes[name]) for name in OUTCOMES if outcomes[name]),
        exact=sum(one.compared.exact for one in replies),
    )


def _versus(
    replies: Sequence[_Reply], base: Mapping[tuple[str, int], _Reply]
) -> ClusterDifference | None:
    """The difference to the repeat; None while no call was answered by both."""
    clusters: dict[str, list[tuple[bool, bool]]] = {}
    for one in replies:
        other = base.get(one.key)
        if other is not None:
            hits = one.compared.outcome == "same", other.compared.outcome == "same"
            clusters.setdefault(one.call.session, []).append(hits)
    if not clusters:
        return None
    tallies = [
        Tally(
            len(pairs),
            sum(hit and not other for hit, other in pairs),
            sum(other and not hit for hit, other in pairs),
        )
        for pairs in clusters.values()
    ]
    return cluster_difference(tallies, seed=_SEED, resamples=_RESAMPLES)


def _cost(replies: Sequence[_Reply]) -> Cost:
    tried = [answer for one in replies for answer in one.sent.all]
    return Cost(
        calls=len(tried),
        unpriced=sum(answer.price.usd is None for answer in tried),
        usd=sum(answer.price.usd or 0.0 for answer in tried),
        maybe_charged=sum(attempt.charged for answer in tried for attempt in answer.attempts),
    )


def _counts(names: Iterable[str]) -> tuple[Count, ...]:
    """The most frequent first."""
    found = Counter(names)
    return tuple(Count(name, found[name]) for name in sorted(found, key=lambda n: (-found[n], n)))


def _sample(prepared: Prepared) -> StepSample:
    found, calls = prepared.found, prepared.calls
    clusters = Counter(call.session for call in calls)
    beside = sum(call.place.kind == "call" and bool(spoken(call.reply).strip()) for call in calls)
    return StepSample(
        sessions=found.sessions,
        without_model=found.without_model,
        unreadable=found.unreadable,
        calls=found.calls,
        candidates=len(found.places),
        excluded=_counts(found.excluded.elements()),
        asked_for=prepared.check.sample,
        seed=prepared.check.seed,
        sampled=len(calls),
        clusters=len(clusters),
        largest=max(clusters.values()),
        recorded=_counts(call.place.model for call in calls),
        kinds=_counts(call.place.kind for call in calls),
        schemas=_counts(call.schemas for call in calls),
        texts_beside=beside,
    )


def _call(
    call: Candidate, replies: Sequence[tuple[Target, Mapping[tuple[str, int], _Reply]]]
) -> CallResult:
    found: list[ReplyResult] = []
    for target, theirs in replies:
        one = theirs.get((call.session, call.seq))
        if one is None:
            continue
        answer = one.sent.answer
        found.append(
            ReplyResult(
                target.name,
                one.compared.outcome,
                one.compared.exact,
                answer.model,
                *_shown(answer.message),
                answer.why,
                one.not_sent,
                answer.price.usd,
            )
        )
    place = call.place
    return CallResult(
        place.session, place.seq, place.model, place.kind, *_shown(call.reply), tuple(found)
    )


def _shown(message: Message | None) -> tuple[str | None, tuple[dict[str, Json], ...] | None]:
    if message is None:
        return None, None
    texts = [part.text for part in message.parts if isinstance(part, Text)]
    calls = tuple(
        {"tool": part.tool, "arguments": part.arguments}
        for part in message.parts
        if isinstance(part, Asked)
    )
    return "\n".join(texts) or None, calls or None
