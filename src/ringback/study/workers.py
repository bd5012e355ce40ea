"""Playing cells in several processes, each with its own connection to the store."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Iterable
from multiprocessing.connection import wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from ringback.errors import RingbackError
from ringback.sessions import Store
from ringback.stopping import stoppable
from ringback.study.engine import Engine, Heard, Played, Take
from ringback.study.plan import Cell, Plan

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from ringback.models import Models

__all__ = ["WorkerError", "run_here", "run_in_workers"]


class WorkerError(RingbackError):
    """A worker process ended before its work was done."""


_Answer: TypeAlias = "Played | Literal['next', 'over'] | BaseException"
"""What a worker says: an outcome, that it can take a cell, that it is through, what stopped it."""


def run_here(
    plan: Plan,
    cells: Iterable[Cell],
    count: int,
    store: Store,
    jobs: int,
    done: Callable[[Played], None],
    models: Models | None = None,
    waiting: Callable[[int], None] | None = None,
    heard: Heard | None = None,
) -> None:
    """Play the cells, `count` of them, in this process, `jobs` episodes in flight.

    Ctrl-C, once or often, ends it between two turns with `KeyboardInterrupt`, also while another
    process keeps the store locked. Where models are asked the first one waits for the calls in
    flight, since they are paid for, and `waiting` hears how many they are; what waits for its
    turn or for another try is not sent any more. The second one drops them.
    """
    engine = Engine(plan, store, models, heard)
    stoppable(
        engine.run(_one_by_one(cells), min(jobs, count), done),
        gently=engine.stop if plan.models else None,
        hurry=store.hurry,
        waiting=waiting,
    )


def _one_by_one(cells: Iterable[Cell]) -> Take:
    left = iter(cells)

    async def take() -> Cell | None:
        return next(left, None)

    return take


def run_in_workers(
    plan: Plan,
    cells: Iterable[Cell],
    count: int,
    store: Path,
    workers: int,
    jobs: int,
    done: Callable[[Played], None],
) -> None:
    """Play the cells, `count` of them, in `workers` processes, `jobs` in flight in each.

    A worker asks for a cell whenever it can take one, so that none waits for another. Stopped
    (Ctrl-C included), the workers are ended at once: what they had recorded are whole turns.
    Raises what a worker raised, and `WorkerError` if one was killed.
    """
    context = multiprocessing.get_context("spawn")
    left = iter(cells)
    crew: dict[Connection[Any, Any], SpawnProcess] = {}
    try:
        for _ in range(min(workers, count)):
            ours, theirs = context.Pipe()
            process = context.Process(
                target=_work,
                args=(plan, store, min(jobs, count), theirs),
                name="ringback",
                daemon=True,
            )
            _start(process)
            theirs.close()
            crew[ours] = process
        while crew:
            for ready in cast("list[Connection[Any, Any]]", wait(list(crew))):
                try:
                    answer: _Answer = ready.recv()
                    if answer == "next":
                        ready.send(next(left, None))
                except (EOFError, OSError):
                    raise _gone(crew[ready]) from None
                if isinstance(answer, Played):
                    done(answer)
                elif isinstance(answer, BaseException):
                    raise answer
                elif answer == "over":
                    crew.pop(ready).join()
    finally:
        for process in crew.values():
            process.terminate()
        for process in crew.values():
            process.join()


def _gone(process: SpawnProcess) -> WorkerError:
    process.join()
    code = process.exitcode or 0
    how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
    return WorkerError(
        f"A worker process {how} before its work was done; what it recorded is kept, and the same "
        "command goes on from there."
    )


def _start(process: SpawnProcess) -> None:
    """Start a worker that never hears of Ctrl-C, not even while it is still importing."""
    signals = {signal.SIGINT}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(plan: Plan, path: Path, jobs: int, parent: Connection[Any, Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Store.open(path) as store:
            asyncio.run(_serve(Engine(plan, store), jobs, parent))
        parent.send("over")
    except (asyncio.CancelledError, BrokenPipeError):
        return  # the parent is gone
    except Exception as problem:  # noqa: BLE001 - whatever it is, the parent says it
        parent.send(_portable(problem))


async def _serve(engine: Engine, jobs: int, parent: Connection[Any, Any]) -> None:
    """Play what the parent gives, a cell at a time for each lane."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    inbox: asyncio.Queue[Cell | None] = asyncio.Queue()

    def listen() -> None:
        # In a thread: the parent must never have to wait until a turn is through to tell us.
        with contextlib.suppress(RuntimeError):  # the loop is closed, all is done
            try:
                while True:
                    loop.call_soon_threadsafe(inbox.put_nowait, parent.recv())
            except (EOFError, OSError):
                loop.call_soon_threadsafe(task.cancel)

    async def take() -> Cell | None:
        parent.send("next")
        return await inbox.get()

    threading.Thread(target=listen, daemon=True).start()
    await engine.run(take, jobs, parent.send)


def _portable(problem: Exception) -> Exception:
    """The exception as it can cross to another process, with where it happened."""
    where = "".join(traceback.format_exception(problem))
    try:
        pickle.loads(pickle.dumps(problem))
    except Exception:  # noqa: BLE001 - foreign exceptions fail in ways of their own
        problem = RuntimeError(f"{type(problem).__name__}: {problem}")
    problem.add_note(f"In a worker process:\n{where}")
    return problem
