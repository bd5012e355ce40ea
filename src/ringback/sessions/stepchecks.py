"""Replies to recorded calls that were sent again: kept as they come, asked for later."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

import msgspec
import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.exc import IntegrityError

from ringback.canonical import Json, digest, encode
from ringback.episode.wire import Answer
from ringback.errors import InputError, StoreError
from ringback.sessions import lease
from ringback.sessions.packing import pack, unpack
from ringback.sessions.schema import sessions, step_replies, step_targets
from ringback.sessions.sqlite import Database

__all__ = ["STATEMENTS", "Replies", "StepReply"]

_CHUNK = 500

_KEY = (step_replies.c.session, step_replies.c.seq, step_replies.c.target, step_replies.c.request)
_TARGET = sa.select(step_targets).where(step_targets.c.digest == sa.bindparam("wanted"))
_NEW_TARGET = sa.insert(step_targets)
_CLAIM = (
    sa.update(step_targets)
    .where(
        step_targets.c.digest == sa.bindparam("wanted"),
        step_targets.c.owner.is_not_distinct_from(sa.bindparam("seen", type_=sa.Text)),
    )
    .values(owner=sa.bindparam("me"), lease_until=sa.bindparam("until"))
)
_RENEW = (
    sa.update(step_targets)
    .where(step_targets.c.owner == sa.bindparam("me"))
    .values(lease_until=sa.bindparam("until"))
)
_RELEASE = (
    sa.update(step_targets)
    .where(step_targets.c.owner == sa.bindparam("me"))
    .values(owner=None, lease_until=None)
)
_SESSION = sa.select(sessions.c.number).where(sessions.c.id == sa.bindparam("id"))
_ATTEMPTS = sa.select(sa.func.count()).where(
    *(column == sa.bindparam(f"of_{column.name}") for column in _KEY)
)
_NEW_REPLY = sa.insert(step_replies)
_REPLIES = (
    sa.select(
        sessions.c.id,
        step_replies.c.seq,
        step_replies.c.request,
        step_replies.c.attempt,
        step_replies.c.body,
        step_replies.c.coding,
    )
    .join(sessions, sessions.c.number == step_replies.c.session)
    .join(step_targets, step_targets.c.number == step_replies.c.target)
    .where(
        step_targets.c.digest == sa.bindparam("wanted"),
        sessions.c.id.in_(sa.bindparam("ids", expanding=True)),
    )
    .order_by(step_replies.c.session, step_replies.c.seq, step_replies.c.attempt)
)
STATEMENTS: tuple[sa.ClauseElement, ...] = (
    _TARGET,
    _NEW_TARGET,
    _CLAIM,
    _RENEW,
    _RELEASE,
    _SESSION,
    _ATTEMPTS,
    _NEW_REPLY,
    _REPLIES,
)
"""What is asked of the database here."""

_decoder = msgspec.json.Decoder(Answer)


class StepReply(Struct, frozen=True):
    """An answer to the recorded call of event `seq`, the `attempt`-th from 0.

    `request` is the digest of what was sent.
    """

    session: str
    seq: int
    request: str
    attempt: int
    answer: Answer


class Replies:
    """The replies that a store keeps. All methods raise `StoreError` as the store's do.

    A target is the identity of a model: all that could move its replies, as a JSON object.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._me = lease.mark()

    def of(self, target: Json, session_ids: Iterable[str]) -> Iterator[StepReply]:
        """What this target ever answered to calls of these sessions, attempts in order."""
        asked = list(dict.fromkeys(session_ids))
        for place in range(0, len(asked), _CHUNK):
            for session, seq, request, attempt, body, coding in self._database.read(
                _REPLIES, wanted=digest(target), ids=asked[place : place + _CHUNK]
            ):
                try:
                    answer = _decoder.decode(unpack(coding, body))
                except ValueError as problem:
                    raise StoreError(
                        f"A reply to event {seq} of session {session} in {self._database.path} "
                        f"cannot be read ({problem}); the file was changed by something else."
                    ) from problem
                yield StepReply(session, seq, request, attempt, answer)

    def claim(self, target: Json, name: str) -> None:
        """Take the lease of a target, so that no other process asks it for this store.

        `name` is what it was asked for as. Raises `InputError` if another process holds it.
        """
        wanted = digest(target)
        for found in self._database.read(_TARGET, wanted=wanted):
            if found.owner != self._me and not lease.is_free(
                found.owner, found.lease_until, time.time()
            ):
                raise _held(name, found.owner)
            with self._database.writing() as connection:
                values = {"wanted": wanted, "seen": found.owner, **self._mine()}
                if not connection.execute(_CLAIM, values).rowcount:
                    raise _held(name, None)
            return
        mine = self._mine()
        values = {
            "digest": wanted,
            "name": name,
            "identity": encode(target),
            "owner": mine["me"],
            "lease_until": mine["until"],
        }
        try:
            with self._database.writing() as connection:
                connection.execute(_NEW_TARGET, values)
        except IntegrityError:  # another process has just begun with it
            raise _held(name, None) from None

    def renew(self) -> None:
        """Keep the leases that we hold."""
        with self._database.writing(paid=False) as connection:
            connection.execute(_RENEW, self._mine())

    def release(self) -> None:
        """Let go of the leases that we hold."""
        with self._database.writing(paid=False) as connection:
            connection.execute(_RELEASE, {"me": self._me})

    def add(self, target: Json, session: str, seq: int, request: str, answer: Answer) -> None:
        """Keep an answer to the call of event `seq`, beside those that are there.

        The target's lease must be ours. Where replies are paid for it waits for the disk.
        """
        coding, body = pack(msgspec.json.encode(answer))
        sessions_there = self._database.read(_SESSION, id=session)
        targets_there = self._database.read(_TARGET, wanted=digest(target))
        if not sessions_there or not targets_there:
            what = "target" if sessions_there else f"session {session}"
            raise InputError(f"There is no {what} in {self._database.path}.")
        key: dict[str, object] = {
            "session": sessions_there[0].number,
            "seq": seq,
            "target": targets_there[0].number,
            "request": request,
        }
        with self._database.writing() as connection:
            before = {f"of_{name}": value for name, value in key.items()}
            values = {
                **key,
                "attempt": connection.execute(_ATTEMPTS, before).scalar_one(),
                "asked_at": time.time(),
                "body": body,
                "coding": coding,
            }
            connection.execute(_NEW_REPLY, values)

    def _mine(self) -> dict[str, object]:
        return {"me": self._me, "until": time.time() + lease.LEASE_SECONDS}


def _held(name: str, owner: str | None) -> InputError:
    who = "another process" if owner is None else lease.describe(owner)
    return InputError(
        f"Recorded calls are being sent to {name} by {who}, into the same store; wait until that "
        "one is done, then ask again: what it has asked is not asked twice."
    )
