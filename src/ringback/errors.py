"""The exceptions a user can meet. Each carries one sentence: what is wrong, where, what to do."""

from __future__ import annotations

__all__ = ["InputError", "RingbackError", "StoreError"]


class RingbackError(Exception):
    """Something the user can put right. The command line prints it in one line and exits with 2."""


class InputError(RingbackError):
    """An argument, a file or a name that cannot be used as given."""


class StoreError(RingbackError):
    """The session store cannot be opened, read or written."""
