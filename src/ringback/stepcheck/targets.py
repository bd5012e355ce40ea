"""Which calls are sent to which models: what is asked for, and what it comes to in this store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches

from msgspec import Struct

from ringback.canonical import Json, digest
from ringback.errors import InputError
from ringback.models.protocol import Model, Opener
from ringback.sessions import Store
from ringback.stepcheck.candidates import Candidate, Found, calls_at, find
from ringback.stepcheck.sample import draw

__all__ = ["NO_REPEAT", "Check", "Prepared", "Target", "prepare"]

NO_REPEAT = "none"
"""What stands for a repeat that is not wanted, as where the recorded model is gone."""


class Check(Struct, frozen=True):
    """What is asked for: `sample` calls drawn with `seed`, sent to `models` and to the repeat.

    `repeat` None is the model that was recorded, `NO_REPEAT` none at all. With `recorded` only
    calls of the model with this name in the record are candidates.
    """

    models: tuple[str, ...]
    repeat: str | None = None
    sample: int = 160
    seed: int = 0
    recorded: str | None = None


class Target(Struct, frozen=True):
    """A model that calls are sent to; `identity` is all that could move its replies."""

    model: Model
    identity: dict[str, Json]
    repeat: bool

    @property
    def name(self) -> str:
        """What it is asked for as."""
        return self.model.name


class Prepared(Struct, frozen=True):
    """What there is, what was drawn of it, and whom it is sent to; the repeat stands first."""

    check: Check
    found: Found
    calls: tuple[Candidate, ...]
    targets: tuple[Target, ...]


def prepare(
    store: Store,
    sessions: Iterable[str],
    check: Check,
    opener: Opener,
    seen: Callable[[], None] = lambda: None,
) -> Prepared:
    """Look at the sessions, draw the sample and open the models; nothing is sent.

    `seen` is called after each session. Raises `InputError` where there is nothing to send, for a
    model that is not known, named twice or not to be told from another, and where it cannot be told
    which one the repeat is.
    """
    _once(check.models)
    found = find(store, sessions, seen)
    if not found.places:
        raise InputError(_nothing(found))
    if check.recorded is not None:
        _keep(found, check.recorded)
    targets = _targets(check, Counter(place.model for place in found.places), opener)
    drawn = draw(found.places, check.sample, check.seed)
    return Prepared(check, found, tuple(calls_at(store, drawn)), targets)


def _once(models: Sequence[str]) -> None:
    if not models or not all(name.strip() for name in models):
        raise InputError("No model is named to send the calls to; name one or several.")
    if twice := [name for place, name in enumerate(models) if name in models[:place]]:
        raise InputError(f"The model {twice[0]!r} is named twice; name each once.")
    if NO_REPEAT in models:
        raise InputError(f"There is no model {NO_REPEAT!r}; it leaves out the repeat alone.")


def _nothing(found: Found) -> str:
    sessions = f"{found.sessions:,} session{'' if found.sessions == 1 else 's'}"
    if found.calls == 0 and found.unreadable == 0:
        return (
            f"No agent asked a model in {sessions}, so there is no call to send again; choose "
            "sessions whose agent is a model, or of Exgentic's traces."
        )
    reasons = [f"{name.replace('_', ' ')} {count:,}" for name, count in found.excluded.items()]
    if found.unreadable:
        reasons.append(f"sessions that cannot be read {found.unreadable:,}")
    return (
        f"None of the {found.calls:,} recorded calls in {sessions} can be sent again "
        f"({', '.join(reasons)}); choose other sessions."
    )


def _keep(found: Found, model: str) -> None:
    """Leave out the calls of other models than this one."""
    kept = [place for place in found.places if place.model == model]
    if not kept:
        there = dict.fromkeys(place.model for place in found.places)
        close = get_close_matches(model, there, 1)
        raise InputError(
            f"No call that can be sent again was recorded of {model!r}; there are calls of "
            f"{', '.join(close or there)}."
        )
    if others := len(found.places) - len(kept):
        found.excluded["other_model"] += others
    found.places = kept


def _targets(check: Check, recorded: Counter[str], opener: Opener) -> tuple[Target, ...]:
    names = list(check.models)
    repeat = _repeat(check, recorded, opener)
    if repeat is not None:
        names = [repeat, *(name for name in names if name != repeat)]
    targets: list[Target] = []
    for name in names:
        model = opener(name)
        target = Target(model, dict(model.identity), name == repeat)
        for other in targets:
            if digest(other.identity) == digest(target.identity):
                raise InputError(
                    f"{other.name} and {name} are one and the same model; name it once."
                )
        targets.append(target)
    return tuple(targets)


def _repeat(check: Check, recorded: Counter[str], opener: Opener) -> str | None:
    if check.repeat == NO_REPEAT:
        return None
    if check.repeat is not None:
        return check.repeat
    if len(recorded) > 1:
        told = ", ".join(f"{name} {count:,}" for name, count in recorded.most_common())
        raise InputError(
            f"The calls were recorded of several models ({told}), and the repeat is of one; choose "
            "the calls of one with --recorded, or name the repeat with --repeat MODEL."
        )
    (name,) = recorded
    try:
        opener(name)
    except InputError as problem:
        close = get_close_matches(name, [*check.models, *(_bare(m) for m in check.models)], 1)
        like = next((m for m in check.models if close and close[0] in (m, _bare(m))), None)
        raise InputError(
            f"The calls were recorded of {name!r}, which cannot be asked under that name "
            f"({str(problem).removesuffix('.')}); name the repeat with --repeat "
            f"{like or 'MODEL'}, or leave it out with --repeat {NO_REPEAT}."
        ) from None
    return name


def _bare(name: str) -> str:
    return name.partition(":")[2] or name
