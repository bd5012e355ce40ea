"""Model calls: what the harness adds to each, and many episodes that wait for a slow server."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.rows import Row
from ringback.episode.events import Limits
from ringback.episode.wire import Answer, Request
from ringback.models import Ledger, ModelEntry, Models, ScriptCall, ScriptModel, ScriptReply
from ringback.models.protocol import Model, PriceEntry
from ringback.study.plan import Plan, plan_run
from ringback.study.run import run_plan

__all__ = ["rows"]

_EPISODES = 64
_CALLS = 40
_SECONDS = 0.25
_TASKS = "base"
_KEY = "RINGBACK_BENCHMARK_KEY"
_CALL = ScriptReply(calls=(ScriptCall("get_customer_by_phone", {"phone_number": "555-123-2002"}),))


def _again(_request: Request) -> ScriptReply:
    return _CALL


class _Scripted(Models):
    """A model that answers at once, in place of any."""

    def open(self, name: str) -> Model:
        """The one that there is."""
        return ScriptModel(_again, name)


class _Waiting(ScriptModel):
    async def ask(self, request: Request, *, seconds: float) -> Answer:
        """The answer, when a slow provider's would come."""
        await asyncio.sleep(_SECONDS)
        return await super().ask(request, seconds=seconds)


class _Slow(Models):
    """A model that lets one wait, without a client or a network."""

    def open(self, name: str) -> Model:
        """The one that there is."""
        return _Waiting(_again, name)


def rows() -> Iterator[Row]:
    """CPU per call without a client, with it, and the wall time of waiting side by side."""
    with tempfile.TemporaryDirectory() as folder:
        ours, _ = _measured(_Scripted(), Path(folder) / "a.db", "script:any")
        yield Row("harness CPU a model call, recorded", 1e3 * ours, "ms", 2.0)
        with _server(0.0) as url:
            cpu, _ = _measured(_models(url), Path(folder) / "b.db", "slow")
        yield Row("  and with the client, over HTTP", 1e3 * cpu, "ms")
        _, alone = _measured(_Slow(), Path(folder) / "c.db", "script:any")
        with _server(_SECONDS) as url:
            _, wall = _measured(_models(url), Path(folder) / "d.db", "slow")
    ideal = _CALLS * _SECONDS
    name = f"{_EPISODES} episodes side by side, replies after 250 ms"
    yield Row(name, alone / ideal, "x ideal", 1.2, note=f"{_CALLS} calls each; ideal {ideal:g} s")
    share = f"the client takes {1e3 * (cpu - ours):.1f} of {1e3 * cpu:.1f} ms of CPU a call"
    yield Row("  and with the client, over HTTP", wall / ideal, "x ideal", note=share)


def _plan(models: Models, agent: str) -> Plan:
    full = plan_run(
        tasks=_TASKS,
        agent=agent,
        user="rules",
        limits=Limits(steps=2 * _CALLS + 1, errors=10_000),
        opener=models.open,
    )
    ids = [task.id for task in full.tasks[:_EPISODES]]
    return plan_run(
        tasks=ids,
        agent=agent,
        user="rules",
        limits=full.condition.limits,
        opener=models.open,
    )


def _measured(models: Models, store: Path, agent: str) -> tuple[float, float]:
    """CPU seconds a call, and wall seconds in all."""
    plan = _plan(models, agent)
    models.ready()
    cpu, wall = time.process_time(), time.perf_counter()
    run_plan(plan, store, jobs=_EPISODES, done=lambda _: None, models=models)
    calls = _EPISODES * _CALLS
    return (time.process_time() - cpu) / calls, time.perf_counter() - wall


def _models(url: str) -> Models:
    entry = ModelEntry("openai:slow", base_url=url, key_env=_KEY, price=PriceEntry(1.0, 4.0))
    os.environ[_KEY] = "none"
    return Models({"slow": entry}, ledger=Ledger())


@contextmanager
def _server(seconds: float) -> Generator[str]:
    command = [sys.executable, "-m", "benchmarks._served", str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
