"""Waiting for a store that another process has locked, while this one goes on with all else."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

from ringback.sessions import Locked, Store

__all__ = ["patiently"]

T = TypeVar("T")

_PAUSE = 0.05  # seconds between two tries


async def patiently(store: Store, action: Callable[[], T], seconds: float | None = None) -> T:
    """Do what writes in the store, and again while another process has it locked.

    Between the tries everything else of this process goes on, as other episodes of a server do. The
    action must come to nothing where it fails. After `seconds` (the store's own patience if None),
    or once the store was asked to hurry, raises `Locked`.
    """
    began = time.monotonic()
    most = store.patience if seconds is None else seconds
    while True:
        try:
            with store.patient(0):
                return action()
        except Locked:
            if store.hurried or time.monotonic() - began >= most:
                raise Locked(store.path, most) from None
        await asyncio.sleep(_PAUSE)
