"""Exgentic's traces at the size of the published shards: time and memory of the report and import.

The shards are made here, with the published counts of rows and spans, about as many bytes decoded,
and each shard one row group, which is the worst case for a reader. That takes minutes and 250 MB of
disk, so they are made only where RINGBACK_FULL_SHARDS is set; without it a fiftieth of them is.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.rows import Row
from ringback.formats.exgentic.write import write

SHARDS, ROWS, SPANS = 9, 10_056, 241_473
BENCHMARKS = ("tau2_telecom", "tau2_retail", "tau2_airline", "swebench", "browsecomp", "appworld")
HARNESSES = ("tool_calling", "smolagents_code", "openai_solo", "claude_code", "react")
MODELS = ("gpt-5.2-2025-12-11", "kimi-k2-thinking", "deepseek-v3.2", "claude-opus-4-5", "gemini-3")
GB = 1024 * 1024  # of the kilobytes in which a process's peak is told


def rows() -> Iterator[Row]:
    """Make the shards, report on them, import one benchmark of them and then all."""
    full = bool(os.environ.get("RINGBACK_FULL_SHARDS"))
    part = 1 if full else 50
    with tempfile.TemporaryDirectory(prefix="ringback-shards-") as made:
        folder = Path(made)
        _process([sys.executable, "-m", "benchmarks.exgentic", made, str(part)])
        size = sum(path.stat().st_size for path in folder.glob("*.parquet"))
        said = f"{ROWS // part:,} rows, {SPANS // part:,} spans, {size / 1e6:.0f} MB"
        base = [sys.executable, "-m", "ringback"]
        store = ["--store", str(folder / "s.db"), "--json"]
        telecom = ["--benchmark", "tau2_telecom", "--harness", "tool_calling"]
        for name, command, limit in (
            ("report", ["recordings", "report", made, "--out", str(folder / "out"), "--json"], 300),
            ("import, telecom", ["import", "exgentic", made, *telecom, *store], 300),
            ("import, again", ["import", "exgentic", made, *telecom, *store], 300),
            ("import, all", ["import", "exgentic", made, *store], 1800),
        ):
            seconds, peak = _process([*base, *command])
            note = said if name == "report" else ""
            yield Row(f"exgentic {name}", seconds, "s", limit if full else None, note=note)
            yield Row(f"exgentic {name}, peak memory", peak / GB, "GB", 1.0)
        stored = sum(path.stat().st_size for path in folder.glob("s.db*"))
        yield Row("exgentic, the store of all", stored / 1e6, "MB")


def _process(command: list[str]) -> tuple[float, float]:
    """Seconds and the peak in kilobytes of a process of its own."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} exited with {process.returncode}")
    return time.perf_counter() - began, float(used.ru_maxrss)


def _make(folder: Path, part: int) -> None:
    """Write the shards, or the stated part of each."""
    left, spans = ROWS // part, SPANS // part
    number = 0
    for shard in range(SHARDS):
        here = left // (SHARDS - shard)
        counts: list[int] = []
        for index in range(here):
            counts.append(spans // (left - index))
            spans -= counts[-1]
        write(
            folder / f"{shard:04}.parquet",
            (_run(number + index, count) for index, count in enumerate(counts)),
            group=here,
        )
        number += here
        left -= here


def _run(number: int, count: int) -> dict[str, Any]:
    chance = random.Random(number)
    model = MODELS[number % len(MODELS)]
    benchmark = BENCHMARKS[number // 5 % len(BENCHMARKS)]
    harness = HARNESSES[number // 30 % len(HARNESSES)]
    tools = _tools(benchmark)
    said: list[str] = [_message("user", [{"type": "text", "content": _words(benchmark, 32_000)}])]
    spans: list[dict[str, Any]] = []
    for step in range(count):
        call = {
            "type": "tool_call",
            "id": f"call_{number}_{step}",
            "name": f"look_up_{step % 13}",
            "arguments": {"key": chance.randbytes(8).hex(), "amount": step},
        }
        reply = _message("assistant", [call], finish="tool_calls")
        spans.append(
            {
                "span_id": chance.randbytes(8).hex(),
                "trace_id": f"{number:032x}",
                "name": f"chat {model}",
                "kind": "SPAN_KIND_INTERNAL",
                "start_time": f"2026-01-28T20:{step // 60 % 60:02}:{step % 60:02}.420387+00:00",
                "end_time": f"2026-01-28T20:{step // 60 % 60:02}:{step % 60:02}.9+00:00",
                "status": {"code": 1, "message": ""},
                "attributes": {
                    "gen_ai.operation.name": "chat",
                    "gen_ai.request.model": model,
                    "gen_ai.response.model": model,
                    "gen_ai.response.finish_reasons": ["tool_calls"],
                    "gen_ai.usage.input_tokens": 9000 + 400 * step,
                    "gen_ai.usage.output_tokens": 60,
                    "gen_ai.tool.definitions": tools,
                    "gen_ai.input.messages": f"[{','.join(said)}]",
                    "gen_ai.output.messages": f"[{reply}]",
                },
                "events": [],
                "resource_attributes": {"service.name": "exgentic"},
            }
        )
        result = {"record": chance.randbytes(650).hex(), "status": "ok"}
        answer = {"type": "tool_call_response", "id": call["id"], "result": json.dumps(result)}
        said += [_message("assistant", [call]), _message("tool", [answer])]
    solved = chance.random() < 0.7
    return {
        "schema_version": "1.2",
        "config_path": f"experiments/{benchmark}/{harness}/openai_Azure_{model}/config.json",
        "run_id": f"{number:012x}",
        "session_id": f"{number:012x}_{number:08x}",
        "harness": harness,
        "benchmark": benchmark,
        "models": [model],
        "score": float(solved),
        "success": solved,
        "status": "unknown" if number % 2 else "success" if solved else "unsuccessful",
        "steps": count,
        "agent_cost": round(chance.random(), 6),
        "spans": spans,
    }


def _message(role: str, parts: list[dict[str, Any]], finish: str | None = None) -> str:
    whole: dict[str, Any] = {"role": role, "parts": parts}
    if finish is not None:
        whole["finish_reason"] = finish
    return json.dumps(whole)


_KEPT: dict[tuple[str, int], str] = {}


def _words(name: str, length: int) -> str:
    """The same nonsense for the same name, which nobody wrote."""
    if (name, length) not in _KEPT:
        chance, words = random.Random(name), list[str]()
        while sum(map(len, words)) + len(words) < length:
            letters = chance.randint(2, 9)
            words.append("".join(chance.choice("aeioulnrst") for _ in range(letters)))
        _KEPT[name, length] = " ".join(words)
    return _KEPT[name, length]


def _tools(name: str) -> str:
    return json.dumps(
        [
            {
                "type": "function",
                "name": f"look_up_{index}",
                "description": _words(f"{name} {index}", 700),
            }
            for index in range(13)
        ]
    )


if __name__ == "__main__":
    _make(Path(sys.argv[1]), int(sys.argv[2]))
