"""The statements, in SQLAlchemy Core that SQLite and PostgreSQL both take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from ringback.sessions.rows import SessionRow
from ringback.sessions.schema import (
    contents,
    events,
    grades,
    memberships,
    sessions,
    spending,
)
from ringback.sessions.selection import Selection

__all__ = [
    "ADD_SPENDING",
    "BEGUN_MEMBERS",
    "BEGUN_SINCE",
    "BODIES",
    "CLAIM",
    "CLOSE",
    "CLOSE_UNREAD",
    "CONTENTS",
    "FIRST_OF_ARMS",
    "FORGET_GRADE",
    "GRADE",
    "GRADES",
    "HOLDER",
    "IS_THERE",
    "MEMBERS",
    "MODEL_CALLS",
    "NEWEST",
    "NEW_CONTENTS",
    "NEW_EVENTS",
    "NEW_GRADE",
    "NEW_MEMBERS",
    "NEW_SESSION",
    "NEW_SPENDING",
    "NOTE_GRADER",
    "OF_CELLS",
    "OF_ID",
    "OF_MEMBERS",
    "OUTCOMES",
    "PLANNED",
    "RELEASE",
    "RENEW",
    "SPENT",
    "WITH_PREFIX",
    "page",
    "row",
    "values",
]

NEW_SESSION = sa.insert(sessions)
NEW_EVENTS = sa.insert(events)
NEW_MEMBERS = sa.insert(memberships)
NEW_GRADE = sa.insert(grades)
NEW_CONTENTS = sa.insert(contents)
NEW_SPENDING = sa.insert(spending)

IS_THERE = sa.select(sessions.c.number).where(
    sa.or_(
        sessions.c.id == sa.bindparam("id"),
        sa.and_(
            sessions.c.cell == sa.bindparam("cell"),
            sessions.c.attempt == sa.bindparam("attempt"),
        ),
    )
)
NEWEST = sa.select(sa.func.coalesce(sa.func.max(sessions.c.number), 0))
BEGUN_SINCE = (
    sa.select(sessions.c.number)
    .where(sessions.c.number > sa.bindparam("since"), sessions.c.agent == sa.bindparam("agent"))
    .limit(1)
)
HOLDER = sa.select(
    sessions.c.number, sessions.c.ending, sessions.c.owner, sessions.c.lease_until
).where(sessions.c.id == sa.bindparam("id"))
BODIES = (
    sa.select(events.c.body, events.c.coding)
    .join(sessions, sessions.c.number == events.c.session)
    .where(sessions.c.id == sa.bindparam("id"))
    .order_by(events.c.seq)
)

MODEL_CALLS = (
    sa.select(sessions.c.id, events.c.body, events.c.coding)
    .join(sessions, sessions.c.number == events.c.session)
    .where(sessions.c.id.in_(sa.bindparam("ids", expanding=True)), events.c.kind == "model_call")
    .order_by(events.c.session, events.c.seq)
)
CONTENTS = sa.select(contents.c.digest, contents.c.body).where(
    contents.c.digest.in_(sa.bindparam("digests", expanding=True))
)
ADD_SPENDING = (
    sa.update(spending)
    .where(spending.c.session == sa.bindparam("which"), spending.c.side == sa.bindparam("of"))
    .values(
        {
            column: column + sa.bindparam(f"more_{column.name}", type_=column.type)
            for column in (
                spending.c.calls,
                spending.c.unpriced,
                spending.c.usd,
                spending.c.rejected,
                spending.c.maybe_charged,
            )
        }
    )
)
SPENT = (
    sa.select(
        sessions.c.id,
        spending.c.side,
        spending.c.calls,
        spending.c.unpriced,
        spending.c.usd,
        spending.c.rejected,
        spending.c.maybe_charged,
    )
    .join(sessions, sessions.c.number == spending.c.session)
    .where(sessions.c.id.in_(sa.bindparam("ids", expanding=True)))
)

CLOSE = (
    sa.update(sessions)
    .where(sessions.c.number == sa.bindparam("which"))
    .values(owner=None, lease_until=None)
)
CLOSE_UNREAD = (
    sa.update(sessions)
    .where(sessions.c.number == sa.bindparam("which"), sessions.c.ending.is_(None))
    .values(
        ending=sa.bindparam("how"), finished_at=sa.bindparam("at"), owner=None, lease_until=None
    )
)
CLAIM = (
    sa.update(sessions)
    .where(
        sessions.c.number == sa.bindparam("which"),
        sessions.c.ending.is_(None),
        sessions.c.owner.is_not_distinct_from(sa.bindparam("seen", type_=sa.Text)),
    )
    .values(owner=sa.bindparam("me"), lease_until=sa.bindparam("until"))
)
RENEW = (
    sa.update(sessions)
    .where(sessions.c.number == sa.bindparam("which"), sessions.c.owner == sa.bindparam("me"))
    .values(lease_until=sa.bindparam("until"))
)
RELEASE = (
    sa.update(sessions)
    .where(sessions.c.number == sa.bindparam("which"), sessions.c.owner == sa.bindparam("me"))
    .values(owner=None, lease_until=None)
)

FORGET_GRADE = sa.delete(grades).where(
    grades.c.session == sa.bindparam("which"), grades.c.grader == sa.bindparam("by")
)
NOTE_GRADER = (
    sa.update(sessions)
    .where(sessions.c.number == sa.bindparam("which"))
    .values(grader=sa.bindparam("by"))
)
GRADE = (
    sa.select(grades.c.body)
    .join(sessions, sessions.c.number == grades.c.session)
    .where(
        sessions.c.id == sa.bindparam("id"),
        grades.c.grader == sa.func.coalesce(sa.bindparam("by", type_=sa.Text), sessions.c.grader),
    )
)
GRADES = (
    sa.select(sessions.c.id, grades.c.body)
    .join(grades, grades.c.session == sessions.c.number)
    .where(
        grades.c.grader == sessions.c.grader,
        sessions.c.id.in_(sa.bindparam("ids", expanding=True)),
    )
)

OUTCOMES = (
    sa.select(grades.c.solved)
    .join(sessions, grades.c.session == sessions.c.number)
    .where(
        sessions.c.condition == sa.bindparam("of_condition"),
        sessions.c.arm == sa.bindparam("of_arm"),
        sessions.c.arm_name == sa.bindparam("called"),
        grades.c.grader == sessions.c.grader,
        grades.c.graded.is_(sa.true()),
    )
    .distinct()
)

OF_MEMBERS = sa.select(memberships.c.cell).where(
    memberships.c.study == sa.bindparam("study"),
    memberships.c.arm_name == sa.bindparam("arm"),
    memberships.c.cell.in_(sa.bindparam("cells", expanding=True)),
)
PLANNED = sa.select(memberships.c.cell).where(
    memberships.c.study != "",
    memberships.c.cell.in_(sa.bindparam("cells", expanding=True)),
)
MEMBERS = (
    sa.select(memberships.c.arm_name, memberships.c.cell, sessions.c.condition, sessions.c.arm)
    .outerjoin(sessions, sa.and_(sessions.c.cell == memberships.c.cell, sessions.c.attempt == 0))
    .where(memberships.c.study == sa.bindparam("study"))
    .order_by(memberships.c.arm_name, memberships.c.cell)
)
BEGUN_MEMBERS = MEMBERS.where(sessions.c.condition.is_not(None))

_FIRST = (
    sa.select(sa.func.min(sessions.c.number))
    .where(
        sessions.c.agent == sa.bindparam("agent"),
        sessions.c.number.not_in(sa.bindparam("but", expanding=True)),
    )
    .group_by(sessions.c.arm)
)
FIRST_OF_ARMS = (
    sa.select(sessions.c.number, sessions.c.arm, events.c.body, events.c.coding)
    .join(events, sessions.c.number == events.c.session)
    .where(events.c.seq == 0, sessions.c.number.in_(_FIRST))
    .order_by(sessions.c.number)
)

_FIELDS = SessionRow.__struct_fields__
_GRADED = ("reward", "solved", "graded")
_COLUMNS = [(grades if name in _GRADED else sessions).c[name] for name in _FIELDS]
_ROWS = sa.select(*_COLUMNS, sessions.c.number).select_from(
    sessions.outerjoin(
        grades,
        sa.and_(grades.c.session == sessions.c.number, grades.c.grader == sessions.c.grader),
    )
)
OF_ID = _ROWS.where(sessions.c.id == sa.bindparam("id"))
OF_CELLS = _ROWS.where(sessions.c.cell.in_(sa.bindparam("cells", expanding=True))).order_by(
    sessions.c.cell, sessions.c.attempt
)
WITH_PREFIX = (
    sa.select(sessions.c.id)
    .where(sessions.c.id >= sa.bindparam("low"), sessions.c.id < sa.bindparam("high"))
    .order_by(sessions.c.id)
    .limit(sa.bindparam("most"))
)


def row(found: sa.Row[Any]) -> SessionRow:
    """The row that a statement over `SessionRow`'s columns found."""
    return SessionRow(*found[: len(_FIELDS)])


def page(
    selection: Selection,
    ids: tuple[str, ...] | None,
    arms: Iterable[str] | None = None,
    *,
    newest: bool,
    counting: bool,
) -> sa.Select[*tuple[Any, ...]]:
    """One page of a selection in the order of beginning; the last column is the place.

    `ids` are whole ids, and `arms` the contents that the filter ``as`` means; None for no limit to
    some. Binds `after`, the last place of the page before (None for the first page), and `most`,
    how many rows.
    """
    number = sessions.c.number
    after = sa.bindparam("after", type_=sa.Integer)
    query = _ROWS.where(number < after if newest else number > after).limit(sa.bindparam("most"))
    query = query.order_by(number.desc() if newest else number)
    if ids is not None:
        query = query.where(sessions.c.id.in_(ids))
    if arms is not None:
        query = query.where(sessions.c.arm.in_(tuple(arms)))
    for condition in _conditions(selection.filters):
        query = query.where(condition)
    if counting:
        later = sessions.alias("later")
        query = query.where(
            ~sa.exists().where(
                later.c.cell == sessions.c.cell, later.c.attempt > sessions.c.attempt
            )
        )
    return query


def values(key: str) -> sa.Select[str] | None:
    """The different values of a filter's key that are there, `most` of them; None for numbers."""
    column: sa.ColumnElement[str]
    match key:
        case "study":
            column = memberships.c.study
        case "arm":
            # No plan asks for what another program recorded: its arm is the one it came with.
            theirs = sa.select(sessions.c.arm_name).where(sessions.c.origin.is_not(None))
            both = sa.union(sa.select(memberships.c.arm_name), theirs).subquery()
            column = both.c.arm_name
        case "agent" | "user" | "family" | "task" | "origin":
            column = sessions.c[key]
        case "file":
            column = sessions.c.origin_file
        case _:
            return None
    known = sa.select(column).where(column.is_not(None))
    return known.distinct().order_by(column).limit(sa.bindparam("most"))


def _conditions(filters: dict[str, str]) -> list[sa.ColumnElement[bool]]:
    conditions: list[sa.ColumnElement[bool]] = []
    member: list[sa.ColumnElement[bool]] = []
    for key, value in filters.items():
        match key:
            case "study":
                member.append(memberships.c.study == value)
            case "arm":
                member.append(memberships.c.arm_name == value)
            case "ending":
                ending = sessions.c.ending
                conditions.append(ending.is_(None) if value == "none" else ending == value)
            case "solved":
                conditions.append(_solved(value))
            case "trial":
                conditions.append(sessions.c.trial == int(value))
            case "seed":
                conditions.append(sessions.c.seed == int(value))
            case "origin" if not value:
                conditions.append(sessions.c.origin.is_(None))
            case "as":
                pass  # stands in the events alone: `page` is given the arms
            case "file":
                part = f"/{value.removeprefix('./').rstrip('/')}/"
                file = sa.literal("/") + sessions.c.origin_file + "/"
                conditions.append(sa.func.instr(file, part) > 0)
            case _:
                conditions.append(sessions.c[key.replace("-", "_")] == value)
    if member:
        asked = sa.exists().where(memberships.c.cell == sessions.c.cell, *member)
        if "study" not in filters:
            # No plan asks for what another program recorded: its arm is the one it came with.
            theirs = sessions.c.origin.is_not(None) & (sessions.c.arm_name == filters["arm"])
            asked = sa.or_(asked, theirs)
        conditions.append(asked)
    return conditions


def _solved(value: str) -> sa.ColumnElement[bool]:
    if value == "unknown":
        return sa.or_(grades.c.graded.is_(None), grades.c.graded.is_(sa.false()))
    wanted = sa.true() if value == "yes" else sa.false()
    return sa.and_(grades.c.graded.is_(sa.true()), grades.c.solved.is_(wanted))
