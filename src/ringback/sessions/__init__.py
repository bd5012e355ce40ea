"""The store of recorded sessions: append as they happen, ask for them later.

Open one with `Store.open`. `parse_selection` reads what people type to name sessions.
"""

from __future__ import annotations

from ringback.sessions.calls import Spent, Used, named_contents, requests, spent, used
from ringback.sessions.probes import Probe
from ringback.sessions.reading import Unreadable
from ringback.sessions.rows import Member, SessionRow
from ringback.sessions.selection import FILTERS, Selection, Unread, parse_selection, unread
from ringback.sessions.sqlite import Locked
from ringback.sessions.stepchecks import Replies, StepReply
from ringback.sessions.store import DEFAULT_PATH, Conflict, Store, default_path

__all__ = [
    "DEFAULT_PATH",
    "FILTERS",
    "Conflict",
    "Locked",
    "Member",
    "Probe",
    "Replies",
    "Selection",
    "SessionRow",
    "Spent",
    "StepReply",
    "Store",
    "Unread",
    "Unreadable",
    "Used",
    "default_path",
    "named_contents",
    "parse_selection",
    "requests",
    "spent",
    "unread",
    "used",
]
