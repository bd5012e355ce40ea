"""Replies to calls sent again: kept each, found by what was asked, and one asker at a time."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from ringback.canonical import Json
from ringback.episode.wire import Answer, Message, Price, Text, Usage
from ringback.errors import InputError, StoreError
from ringback.sessions import StepReply, Store
from ringback.sessions.stepchecks import STATEMENTS
from tests.sessions.made import ended, python

TARGET: Json = {"model": "script:one", "settings": {"temperature": 0}}
OTHER: Json = {"model": "script:two"}


def answer(text: str | None) -> Answer:
    message = None if text is None else Message("assistant", (Text(text),), "script")
    failure = "infrastructure" if text is None else None
    return Answer(message, "one", 0.5, Usage(7, 2), Price(0.25, "a test"), failure=failure)


def test_every_reply_is_kept_and_found_by_its_target(store: Store) -> None:
    session, replies = ended(store).start.session, store.step_checks
    for target, name in ((TARGET, "one"), (OTHER, "two")):
        replies.claim(target, name)
    replies.add(TARGET, session, 3, "asked", answer(None))
    replies.add(TARGET, session, 3, "asked", answer("again"))
    replies.add(TARGET, session, 3, "asked otherwise", answer("x" * 4000))
    replies.add(OTHER, session, 1, "asked", answer("two"))
    assert list(replies.of(TARGET, [session])) == [
        StepReply(session, 3, "asked", 0, answer(None)),
        StepReply(session, 3, "asked otherwise", 0, answer("x" * 4000)),
        StepReply(session, 3, "asked", 1, answer("again")),
    ]
    assert [found.answer for found in replies.of(OTHER, [session])] == [answer("two")]
    assert list(replies.of(OTHER, [])) == list(replies.of({"model": "three"}, [session])) == []


def test_a_reply_needs_its_session_and_its_target(store: Store) -> None:
    session = ended(store).start.session
    with pytest.raises(InputError, match="no target"):
        store.step_checks.add(TARGET, session, 0, "asked", answer("hi"))
    store.step_checks.claim(TARGET, "one")
    with pytest.raises(InputError, match="no session 00"):
        store.step_checks.add(TARGET, "00", 0, "asked", answer("hi"))


def test_what_is_no_answer_is_said(store: Store, path: Path) -> None:
    session = ended(store).start.session
    store.step_checks.claim(TARGET, "one")
    store.step_checks.add(TARGET, session, 0, "asked", answer("hi"))
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE step_replies SET body = x'7b7d'"))
    engine.dispose()
    with pytest.raises(StoreError, match=f"event 0 of session {session}.*cannot be read"):
        list(store.step_checks.of(TARGET, [session]))


def test_one_process_asks_a_target_until_it_lets_go_or_dies(store: Store, path: Path) -> None:
    code = (
        "import sys; from ringback.sessions import Store\n"
        "store = Store.open(sys.argv[1]); store.step_checks.claim({'model': 'script:two'}, 'two')\n"
        "print('claimed', flush=True); sys.stdin.readline()\n"
    )
    other = python(code, path)
    assert other.line() == "claimed\n"
    with pytest.raises(InputError, match=f"sent to two by process {other.pid} on this machine"):
        store.step_checks.claim(OTHER, "two")
    store.step_checks.claim(TARGET, "one")
    store.step_checks.renew()
    other.signal(9)
    other.rest(None)
    store.step_checks.claim(OTHER, "two")
    store.step_checks.claim(OTHER, "two")
    with Store.open(path) as second:
        with pytest.raises(InputError, match="by process"):
            second.step_checks.claim(OTHER, "two")
        store.step_checks.release()
        second.step_checks.claim(OTHER, "two")


def test_the_statements_are_postgresqls_too() -> None:
    for statement in STATEMENTS:
        assert str(statement.compile(dialect=postgresql.dialect()))
