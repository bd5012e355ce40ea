"""Playing cells in several processes, each with its own connection to the store."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import threading
from collections.abc import Callable, Coroutine, Sequence
from multiprocessing.connection import wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from ringback.errors import RingbackError
from ringback.sessions import Store
from ringback.study.engine import Engine, Played
from ringback.study.plan import Cell, Plan

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from ringback.models import Models

__all__ = ["WorkerError", "run_here", "run_in_workers"]

_BATCH = 8
_GONE = "A worker process was ended from outside; start the same command again and it goes on."


class WorkerError(RingbackError):
    """A worker process ended before its work was done."""


_Answer: TypeAlias = "Played | str | None"


def run_here(
    plan: Plan,
    cells: Sequence[Cell],
    store: Store,
    jobs: int,
    done: Callable[[Played], None],
    models: Models | None = None,
    waiting: Callable[[int], None] | None = None,
) -> None:
    """Play the cells in this process, `jobs` episodes in flight.

    Ctrl-C, once or often, ends it between two turns with `KeyboardInterrupt`. Where models are
    asked the first one waits for the calls in flight, since they are paid for, and `waiting` hears
    how many episodes that is; the second drops them.
    """
    engine = Engine(plan, store, models)
    patient = bool(plan.models)

    def interrupt(task: asyncio.Task[None]) -> None:
        if engine.stopping or not patient:
            task.cancel()
            return
        episodes = engine.stop()
        if waiting is not None:
            waiting(episodes)

    try:
        asyncio.run(_stoppable(engine.run(cells, jobs, done), interrupt))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    if engine.stopping:
        raise KeyboardInterrupt


async def _stoppable(
    work: Coroutine[None, None, None], interrupt: Callable[[asyncio.Task[None]], None]
) -> None:
    task = asyncio.current_task()
    assert task is not None
    if threading.current_thread() is threading.main_thread():
        # asyncio's own handler lets a second Ctrl-C strike anywhere, in a task of ours too.
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, interrupt, task)
    await work


def run_in_workers(
    plan: Plan,
    cells: Sequence[Cell],
    store: Path,
    workers: int,
    jobs: int,
    done: Callable[[Played], None],
) -> None:
    """Play the cells in `workers` processes that are handed a few cells at a time.

    Stopped (Ctrl-C included), the workers are ended at once: what they had recorded are whole
    turns. Raises what a worker raised, and `WorkerError` if one was killed.
    """
    context = multiprocessing.get_context("spawn")
    batches = [cells[at : at + _BATCH] for at in range(0, len(cells), _BATCH)]
    batches.reverse()
    crew: dict[Connection[Any, Any], SpawnProcess] = {}
    try:
        for _ in range(min(workers, len(batches))):
            ours, theirs = context.Pipe()
            process = context.Process(
                target=_work, args=(plan, store, jobs, theirs), name="ringback", daemon=True
            )
            _start(process)
            theirs.close()
            crew[ours] = process
            _send(ours, batches.pop())
        while crew:
            for ready in cast("list[Connection[Any, Any]]", wait(list(crew))):
                try:
                    answer: _Answer = ready.recv()
                except (EOFError, OSError):
                    raise WorkerError(_GONE) from None
                if isinstance(answer, Played):
                    done(answer)
                elif isinstance(answer, str):
                    raise RingbackError(answer)
                elif batches:
                    _send(ready, batches.pop())
                else:
                    _send(ready, None)
                    crew.pop(ready).join()
    finally:
        for process in crew.values():
            process.terminate()
        for process in crew.values():
            process.join()


def _start(process: SpawnProcess) -> None:
    """Start a worker that never hears of Ctrl-C, not even while it is still importing."""
    signals = {signal.SIGINT}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _send(worker: Connection[Any, Any], batch: Sequence[Cell] | None) -> None:
    try:
        worker.send(batch)
    except OSError:
        raise WorkerError(_GONE) from None


def _work(plan: Plan, path: Path, jobs: int, parent: Connection[Any, Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Store.open(path) as store:
            engine = Engine(plan, store)
            while (batch := parent.recv()) is not None:
                asyncio.run(engine.run(batch, jobs, parent.send))
                parent.send(None)
    except (EOFError, BrokenPipeError):
        return
    except RingbackError as problem:
        parent.send(str(problem))
