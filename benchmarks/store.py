"""The session store: a turn's transaction, reading back, and a store of 100,000 sessions."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks.rows import Row
from ringback.canonical import digest
from ringback.episode.events import (
    Arm,
    Call,
    Condition,
    Draw,
    Limits,
    ModelCall,
    Result,
    Results,
    Setup,
    Start,
    Turn,
)
from ringback.episode.wire import (
    Answer,
    Message,
    Price,
    RecordedRequest,
    Text,
    Usage,
)

__all__ = ["rows"]

_TEXT = "The line is active and its data plan has 5 GB left in this month. " * 4
_MANY = 100_000
_STUDY = 240


def _start(number: int, cell: str) -> Start:
    return Start(
        seq=0,
        at=float(number),
        session=digest([cell, 0])[:16],
        condition=Condition("none", "1", "1", Setup("user", "1"), "Hello.", "", Limits()),
        arm=Arm(Setup("agent", "1"), "short", ""),
        arm_name="base",
        draw=Draw(f"task-{number % 114}", number // 114, 1),
        user_seed="0" * 32,
        agent_seed="1" * 32,
        world="2" * 32,
        versions={"ringback": "0"},
    )


def _turn(seq: int) -> list[Turn | Results]:
    call = Call("look_up", {"customer_id": "C1001", "line_id": "L1002"})
    result = Result(_TEXT, "3" * 32)
    return [
        Turn(seq=seq, at=1.0, by="user", calls=(call,), seconds=0.1),
        Results(seq=seq + 1, at=1.0, turn=seq, by="user", results=(result,)),
    ]


def _seconds(action: Callable[[], object], times: int = 5) -> float:
    """The best of some runs, in seconds."""
    best = float("inf")
    for _ in range(times):
        began = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - began)
    return best


def rows() -> Iterable[Row]:
    """Measure, in a fresh folder."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _one_session(Path(folder) / "one.db", paid=False)
        yield from _one_session(Path(folder) / "paid.db", paid=True)
        yield from _many_sessions(Path(folder) / "many.db")


def _one_session(path: Path, *, paid: bool) -> Iterable[Row]:
    from ringback.sessions import Store

    with Store.open(path, paid=paid) as store:
        turns = 200 if paid else 4000
        began = time.perf_counter()
        for number in range(200):
            start = _start(number, f"cell-{number}")
            store.begin(start, family="none", cell=f"cell-{number}", condition="", arm="")
        begun = (time.perf_counter() - began) / 200
        session = _start(0, "cell-0").session
        batches = (
            [[_call(1 + place)] for place in range(turns)]
            if paid
            else [_turn(1 + 2 * place) for place in range(turns)]
        )
        began = time.perf_counter()
        for batch in batches:
            store.append(session, batch)
        appended = (time.perf_counter() - began) / turns
        if paid:
            yield Row("store: append a model call, waiting for the disk", appended * 1e6, "us")
            return
        yield Row("store: begin a session", begun * 1e6, "us", 300)
        yield Row("store: append a turn (2 events)", appended * 1e6, "us", 100)
        read = _seconds(lambda: store.events(session)) / (2 * turns)
        yield Row("store: read events back", read * 1e6, "us/event", 10)
    size = path.stat().st_size / (2 * turns)
    yield Row("store: size on disk", size, "bytes/event", 700)


def _call(seq: int) -> ModelCall:
    said = Message("assistant", (Text("Please look at the status bar. " * 9),))
    answer = Answer(said, "m-1", 0.8, Usage(9000, 60, 8900), Price(0.001, "a table"))
    request = RecordedRequest("0" * 32, (Message("user", (Text("No service. " * 9),)),), "1" * 32)
    return ModelCall(
        seq=seq, cause=seq - 1, by="agent", model="p:m", request=request, answer=answer
    )


def _many_sessions(path: Path) -> Iterable[Row]:
    import sqlalchemy as sa

    from ringback.sessions import Store, parse_selection, schema

    Store.open(path).close()
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        connection.execute(sa.insert(schema.sessions), [_row(number) for number in range(_MANY)])
    engine.dispose()
    cells = [f"cell-{number}" for number in range(0, _MANY, _MANY // _STUDY)][:_STUDY]
    with Store.open(path) as store:
        store.join("study", "base", cells)
        asked = {
            "list the newest 20": (lambda: store.rows(newest=True, limit=20), 5),
            "find by the beginning of an id": (
                lambda: store.rows(parse_selection([digest([cells[7], 0])[:12]])),
                5,
            ),
            f"select a study of {_STUDY}": (
                lambda: store.rows(parse_selection(["study=study"])),
                150,
            ),
            "latest by task": (lambda: store.rows(parse_selection(["latest", "task=task-7"])), 20),
            "walk through all": (lambda: store.rows(), 3000),
        }
        for name, (ask, limit) in asked.items():
            took = _seconds(lambda ask=ask: list(ask()), 2)
            yield Row(f"store of 100,000: {name}", took * 1e3, "ms", limit)
        wanted = [f"cell-{number}" for number in range(0, 2285 * 43, 43)]
        took = _seconds(lambda: store.latest(wanted))
        yield Row("store of 100,000: latest attempts of 2,285 cells", took * 1e3, "ms", 200)


def _row(number: int) -> dict[str, object]:
    cell = f"cell-{number}"
    return {
        "id": digest([cell, 0])[:16],
        "cell": cell,
        "attempt": 0,
        "condition": "0" * 32,
        "arm": "1" * 32,
        "arm_name": "base",
        "domain": "none",
        "task": f"task-{number % 114}",
        "family": "none",
        "trial": number // 114,
        "seed": 1,
        "agent": "agent",
        "user": "user",
        "created_at": float(number),
        "ending": "user_stop",
        "steps": 40,
        "errors": 0,
        "seconds": 1.5,
        "finished_at": float(number) + 1,
    }
