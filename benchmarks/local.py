"""A small model on this machine: how fast it reads and writes, and what a turn costs as calls grow.

Needs SmolLM2 (``ringback models fetch smollm2``); where it or xllamacpp is missing, nothing is
measured.
"""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.rows import Row

if TYPE_CHECKING:
    from ringback.episode.wire import Answer

__all__ = ["rows"]

_TURNS = 20
_SIDE_BY_SIDE = 4
_SYSTEM = (
    "You are John Smith, a customer of a phone company, and you call its support line. Your mobile "
    "data stopped working this morning while you are travelling in France. You want to send "
    "pictures to your family. You answer what the agent asks from what you see on your phone. "
)
_SAYS = (
    "Thank you, John. Please open the settings of your phone, look at the network status, and tell "
    "me whether airplane mode and mobile data are on or off, and what it says about the SIM card."
)


def rows() -> Iterator[Row]:
    """Speed, memory, and the time of a turn at the beginning and the end of a long call."""
    from ringback.episode.wire import Message, Request, Text
    from ringback.errors import InputError
    from ringback.models.local import open_local

    try:
        model = open_local("local:smollm2", None)
        before, began = _memory(), time.perf_counter()
        model.ready()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    except InputError as problem:
        print(f"local: {problem}", file=sys.stderr)
        return
    yield Row("loading SmolLM2-135M", time.perf_counter() - began, "s")

    def said(text: str) -> Message:
        return Message("user", (Text(text),))

    def ask(system: str, messages: list[Message], most: int = 40) -> tuple[Answer, float]:
        request = Request(system, tuple(messages), settings={"temperature": 0, "max_tokens": most})
        began = time.process_time()
        answer = asyncio.run(model.ask(request, seconds=600))
        return answer, time.process_time() - began

    def count(answer: Answer) -> tuple[int, int, int]:
        usage = answer.usage
        return usage.input or 0, usage.cached or 0, usage.output or 0

    story = [said("Tell me the whole history of the telephone, from the beginning, at length.")]
    cold, _ = ask("1. " + _SYSTEM * 8, story, most=1)
    read = count(cold)[0]
    yield Row("reading", read / _took(cold), "tokens/s", note=f"{read} tokens, nothing kept")
    warm, _ = ask("1. " + _SYSTEM * 8, story, most=200)
    written = count(warm)[2]
    yield Row("writing", written / _took(warm), "tokens/s", note=f"{written} tokens")

    system, messages = "2. " + _SYSTEM * 8, [said("Hello, how can I help you?")]
    answers: list[Answer] = []
    work: list[float] = []
    for turn in range(_TURNS):
        answer, cpu = ask(system, messages)
        answers.append(answer)
        work.append(cpu)
        messages += [answer.message or said("..."), said(f"{turn}. {_SAYS}")]
    first, last = count(answers[0]), count(answers[-1])
    for turn in (1, 2, 10, _TURNS):
        note = "" if turn > 1 else f"reads the instructions: {first[0]} tokens"
        if turn == _TURNS:
            note = f"{last[0]} tokens, of which {last[1]} kept from before"
        yield Row(f"turn {turn} of a call", _took(answers[turn - 1]), "s", note=note)
    again, anew = ask("3. " + system, messages[:-2])
    yield Row(f"turn {_TURNS} with nothing kept", _took(again), "s")
    yield Row(f"turn {_TURNS}, kept over not kept, CPU", work[-1] / anew, "times", 0.4)
    share = median(work[-4:]) / median(work[1:5])
    note = f"the conversation is {last[0] / first[0]:.1f} times as long"
    yield Row(f"turns {_TURNS - 3}-{_TURNS} over turns 2-5, CPU", share, "times", 2.0, note=note)

    calls = [
        (f"{number}. {system}", [said("Hello, how can I help you?")])
        for number in range(_SIDE_BY_SIDE)
    ]
    among: list[float] = []
    for turn in range(6):
        for place, talk in calls:
            answer, cpu = ask(place, talk)
            if turn:
                among.append(cpu)
            talk += [answer.message or said("..."), said(f"{turn}. {_SAYS}")]
    over = median(among) / median(work[1:6])
    note = f"{_SIDE_BY_SIDE} calls take turns with one loaded model"
    yield Row("a turn among other calls over one alone, CPU", over, "times", 1.5, note=note)
    yield Row(
        "memory", (_memory() - before) / 1e6, "MB", 450, note="weights, 8,192 tokens, buffers"
    )


def _memory() -> float:
    """Resident bytes of this process."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0
    return float(pages * os.sysconf("SC_PAGE_SIZE"))


def _took(answer: Answer) -> float:
    assert answer.seconds is not None
    return answer.seconds
