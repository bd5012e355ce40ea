"""Operated episodes as they stand in a store: reading one, listing them, finding the one meant."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.events import Start
from ringback.episode.participants import OPERATOR
from ringback.episode.protocol import ProtocolError
from ringback.errors import InputError
from ringback.operating.cases import number_of
from ringback.operating.seen import Opened, state_of
from ringback.sessions import SessionRow, Store, Unreadable
from ringback.sessions.selection import Selection

__all__ = [
    "IN_THE_SHELL",
    "Hints",
    "NotOne",
    "called",
    "meant",
    "of_operator",
    "open_one",
    "opened",
    "operated",
    "read_episode",
]

_MOST_NAMED = 5
_ID = re.compile(r"[0-9a-f]{1,16}")


class Hints(Struct, frozen=True):
    """What a door calls that by which an episode is begun, and one of several is named.

    With `yours` it is the operator who is spoken to, who need not be told their own name.
    """

    begins: str
    names: str
    yours: bool = False


IN_THE_SHELL = Hints("`ringback operate start`", "--session")


class NotOne(InputError):  # noqa: N818 - what it is
    """No episode was named, and not just one is open: these are, the oldest first."""

    def __init__(self, sentence: str, there: tuple[str, ...]) -> None:
        super().__init__(sentence)
        self.open = there


def read_episode(store: Store, session: str) -> Episode:
    """The episode as it stands.

    Raises `InputError` for a session that was not operated here, `Unreadable` for one whose record
    cannot be read.
    """
    events = store.events(session)
    start = events[0]
    if not isinstance(start, Start) or start.arm.agent.name != OPERATOR or start.origin:
        raise InputError(f"Session {session} was not operated at this desk.")
    domain = load(start.condition.domain)
    try:
        return Episode.from_events(events, domain)
    except ProtocolError as problem:
        raise Unreadable(f"Session {session} cannot be read: {problem}.") from problem
    except InputError:  # it names the case, which must not be told
        raise Unreadable(
            f"Session {session} cannot be read: its case is not known to this version of the "
            f"world {domain.name}."
        ) from None


def called(start: Start) -> str:
    """The operator's name."""
    name = start.arm.agent.settings.get("as", OPERATOR)
    return name if isinstance(name, str) else OPERATOR


def operated(store: Store, more: Mapping[str, str]) -> Iterator[SessionRow]:
    """The rows of operated episodes that fit these filters too, the oldest first."""
    words = {"agent": OPERATOR, **more}
    typed = " ".join(f"{key}={value}" for key, value in words.items())
    try:
        yield from (
            row for row in store.rows(Selection(filters=words, text=typed)) if row.origin is None
        )
    except InputError:  # nothing fits
        return


def of_operator(
    store: Store, domain: str, operator: str, more: Mapping[str, str]
) -> Iterator[SessionRow]:
    """The rows of one operator's episodes in this domain that fit these filters, oldest first.

    One whose record cannot be read is left out: it does not say whose it is.
    """
    for row in operated(store, more):
        with contextlib.suppress(Unreadable, InputError):
            start = store.events(row.id)[0]
            if isinstance(start, Start) and row.domain == domain and called(start) == operator:
                yield row


def open_one(store: Store, domain: str, task: str) -> str | None:
    """An operated episode of this task that is open in the store, whoever's; None if none is."""
    there = operated(store, {"task": task, "ending": "none"})
    return next((row.id for row in there if row.domain == domain), None)


def opened(store: Store, row: SessionRow) -> Opened:
    """An episode in a list. One that cannot be read is in it too, with why."""
    try:
        episode = read_episode(store, row.id)
    except (Unreadable, InputError) as problem:
        return Opened(
            session=row.id,
            operator=None,
            state=None,
            begun_at=row.created_at,
            last_at=row.finished_at,
            steps=row.steps,
            ending=row.ending,
            solved=row.solved if row.graded else None,
            problem=str(problem),
        )
    return Opened(
        session=row.id,
        operator=called(episode.start),
        state=state_of(episode),
        begun_at=row.created_at,
        last_at=episode.events[-1].at,
        steps=episode.position.steps,
        ending=row.ending,
        solved=row.solved if row.graded else None,
        case=number_of(episode.domain, episode.task),
    )


def meant(
    store: Store, session: str | None, operator: str | None, hints: Hints = IN_THE_SHELL
) -> str:
    """The episode that is meant: by its id or the beginning of one, or the only one open.

    Raises `InputError` where the id is not an operated one's, and `NotOne`, in words with the
    door's `hints`, where none or several are open.
    """
    if session is not None:
        if not _ID.fullmatch(session.lower()):
            raise InputError(
                f"{session!r} is no episode; give its id or the first digits of it, as "
                "`ringback operate list` shows them."
            )
        session = session.lower()
        rows = list(store.rows(Selection(ids=(session,), text=session)))
        if rows[0].agent != OPERATOR or rows[0].origin is not None:
            raise InputError(f"Session {rows[0].id} was not operated at this desk.")
        return rows[0].id
    there = [
        each
        for row in operated(store, {"ending": "none"})
        if (each := opened(store, row)).problem is None and operator in (None, each.operator)
    ]
    if len(there) == 1:
        return there[0].session
    raise NotOne(_not_one(there, operator, hints), tuple(each.session for each in there))


def _not_one(there: Sequence[Opened], operator: str | None, hints: Hints) -> str:
    if not there:
        whose = "" if operator is None else f" of {'yours' if hints.yours else operator}"
        return f"No episode{whose} is open; {hints.begins} begins one."
    last = [_named(each) for each in there[-_MOST_NAMED:]]
    few = f", the {len(last)} begun last" if len(last) < len(there) else ""
    return (
        f"{len(there)} episodes are open{few}: {', '.join(last[:-1])} and {last[-1]}; say which "
        f"with {hints.names}."
    )


def _named(each: Opened) -> str:
    """An episode with what tells it from others, to one who knows it by what was done in it."""
    case = "" if each.case is None else f"case {each.case}, "
    return f"{each.session} ({case}step {each.steps})"
