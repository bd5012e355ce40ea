"""The tables as they stand today; `migrations` holds how they came to be."""

from __future__ import annotations

import sqlalchemy as sa

__all__ = [
    "contents",
    "events",
    "grades",
    "memberships",
    "metadata",
    "migrations",
    "probes",
    "sessions",
    "spending",
    "step_replies",
    "step_targets",
    "texts",
]

metadata = sa.MetaData()

migrations = sa.Table(
    "migrations",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("applied_at", sa.Float, nullable=False),
    sa.Column("ringback", sa.Text, nullable=False),
)

# `number` orders sessions by when they were begun, and keeps the keys of `events` small.
sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("id", sa.Text, nullable=False, unique=True),
    sa.Column("cell", sa.Text, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("condition", sa.Text, nullable=False),
    sa.Column("arm", sa.Text, nullable=False),
    sa.Column("arm_name", sa.Text, nullable=False),
    sa.Column("domain", sa.Text, nullable=False),
    sa.Column("agent", sa.Text, nullable=False),
    sa.Column("user", sa.Text, nullable=False),
    sa.Column("parent", sa.Text),
    sa.Column("created_at", sa.Float),
    sa.Column("ending", sa.Text),
    sa.Column("steps", sa.Integer),
    sa.Column("errors", sa.Integer),
    sa.Column("seconds", sa.Float),
    sa.Column("finished_at", sa.Float),
    sa.Column("grader", sa.Text),
    sa.Column("owner", sa.Text),
    sa.Column("lease_until", sa.Float),
    sa.Column("task", sa.Text),
    sa.Column("family", sa.Text),
    sa.Column("trial", sa.Integer),
    sa.Column("seed", sa.BigInteger),
    sa.Column("origin", sa.Text),
    sa.Column("origin_id", sa.Text),
    sa.Column("origin_file", sa.Text),
    sa.UniqueConstraint("cell", "attempt"),
)

events = sa.Table(
    "events",
    metadata,
    sa.Column(
        "session",
        sa.Integer,
        sa.ForeignKey("sessions.number"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("coding", sa.Integer, nullable=False, server_default=sa.text("0")),
)

# Texts that events name by digest, each once for the whole store.
contents = sa.Table(
    "contents",
    metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("body", sa.LargeBinary, nullable=False),
)

# What a side's model calls came to so far; no row for a side that asked no model.
spending = sa.Table(
    "spending",
    metadata,
    sa.Column(
        "session",
        sa.Integer,
        sa.ForeignKey("sessions.number"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("side", sa.Text, primary_key=True),
    sa.Column("calls", sa.Integer, nullable=False),
    sa.Column("unpriced", sa.Integer, nullable=False),
    sa.Column("usd", sa.Float, nullable=False),
    sa.Column("rejected", sa.Integer, nullable=False),
    sa.Column("maybe_charged", sa.Integer, nullable=False, server_default=sa.text("0")),
)

grades = sa.Table(
    "grades",
    metadata,
    sa.Column(
        "session",
        sa.Integer,
        sa.ForeignKey("sessions.number"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("grader", sa.Text, primary_key=True),
    sa.Column("reward", sa.Float),
    sa.Column("solved", sa.Boolean),
    sa.Column("graded", sa.Boolean, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("graded_at", sa.Float, nullable=False),
)

# When a text that agents are given was first seen, such as a rule in a prompt.
texts = sa.Table(
    "texts",
    metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("seen_at", sa.Float, nullable=False),
)

# Credentials that were tried, and what became of it; never the credential.
probes = sa.Table(
    "probes",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("outcome", sa.Text, nullable=False),
    sa.Column("status", sa.Integer),
    sa.Column("words", sa.Text),
)

memberships = sa.Table(
    "memberships",
    metadata,
    sa.Column("cell", sa.Text, primary_key=True),
    sa.Column("study", sa.Text, primary_key=True),
    sa.Column("arm_name", sa.Text, primary_key=True),
    sa.Index("memberships_by_study", "study", "arm_name", "cell"),
)

# Models that recorded calls are sent to again; `digest` is of all that could move a reply. Whoever
# asks one holds its lease.
step_targets = sa.Table(
    "step_targets",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("digest", sa.Text, nullable=False, unique=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("identity", sa.LargeBinary, nullable=False),
    sa.Column("owner", sa.Text),
    sa.Column("lease_until", sa.Float),
)

# What came back, by the recorded call (session and seq) and the digest of what was sent. Of the
# attempts at one the last counts; the others had no reply, and may have cost something.
step_replies = sa.Table(
    "step_replies",
    metadata,
    sa.Column(
        "session",
        sa.Integer,
        sa.ForeignKey("sessions.number"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column(
        "target",
        sa.Integer,
        sa.ForeignKey("step_targets.number"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("request", sa.Text, primary_key=True),
    sa.Column("attempt", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("asked_at", sa.Float, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("coding", sa.Integer, nullable=False),
)
