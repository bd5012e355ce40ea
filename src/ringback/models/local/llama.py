"""A GGUF model on this machine's CPU, through llama.cpp."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from weakref import WeakValueDictionary

from ringback.canonical import Json
from ringback.episode.wire import Answer, Request, Usage
from ringback.errors import InputError
from ringback.models.halt import Halt
from ringback.models.local.chat import unspecial
from ringback.models.local.exchange import Broken, Exchange, Refused, TooLong
from ringback.models.local.gguf import Gguf
from ringback.models.local.got import Got, broken, broken_off, overflow
from ringback.models.local.known import sha256_of
from ringback.models.local.memory import hold_memory
from ringback.models.local.prepare import Prepared, prepare, read
from ringback.models.local.runtime import Runtime, installed, load, runtime_version
from ringback.models.local.settings import patience
from ringback.models.local.turns import BrokenOff, in_turn, one_at_a_time

__all__ = ["LlamaModel"]


class _Loaded:
    """Weights in memory and the one thread that asks them, shared by all who use them alike."""

    def __init__(self, path: Path, context: int, threads: int, weights: int, cache: int) -> None:
        self.path, self.context, self.threads = path, context, threads
        self.weights, self.cache = weights, cache
        self.pool = one_at_a_time()
        self._lock = threading.Lock()
        self._runtime: Runtime | None = None

    def runtime(self) -> Runtime:
        with self._lock:
            found = self._runtime
            if found is None or found.process != os.getpid():
                hold_memory(self.path.name, self.weights, self.cache)
                found = self._runtime = Runtime(self.path, self.context, self.threads)
            return found


_shared: WeakValueDictionary[tuple[str, int, int, int], _Loaded] = WeakValueDictionary()
_shared_lock = threading.Lock()


class LlamaModel:
    """Answers with weights from a file. Opening it reads the header only; asking it loads it.

    One request at a time is worked on; others wait for their turn, and the wait counts neither in
    `Answer.seconds` nor against the caller's seconds. At temperature 0, or with a seed, equal
    requests have equal answers whatever was asked in between, on the same machine with the same
    number of threads.
    """

    def __init__(
        self,
        name: str,
        path: Path,
        header: Gguf,
        *,
        context: int,
        threads: int,
        settings: dict[str, Json],
    ) -> None:
        self._name = name
        self._path = path
        self._header = header
        self._settings = settings
        self._clean = unspecial(header.controls)
        cache = context * (header.token_bytes or 0)
        key = (str(path.resolve()), context, threads, os.getpid())
        with _shared_lock:
            loaded = _shared.get(key)
            if loaded is None:
                loaded = _shared[key] = _Loaded(path, context, threads, header.size, cache)
        self._loaded = loaded
        self._halt = Halt()

    @property
    def name(self) -> str:
        """The name as asked for."""
        return self._name

    @property
    def identity(self) -> dict[str, Json]:
        """The file and its digest, how it is run and by what, and the settings of the entry."""
        found: dict[str, Json] = {
            "model": self._path.name,
            "sha256": sha256_of(self._path),
            "quantisation": self._header.quantisation,
            "context": self._loaded.context,
            "threads": self._loaded.threads,
            "runtime": runtime_version(),
        }
        if self._settings:
            found["settings"] = self._settings
        return found

    @property
    def holds_form(self) -> bool:
        """True: a grammar holds every reply to the form."""
        return True

    def ready(self) -> None:
        """Load the weights, unless they are. Raises `InputError` where they cannot be."""
        installed()
        try:
            self._loaded.runtime()
        except (BrokenOff, Broken, Refused) as problem:
            raise InputError(
                f"llama.cpp has loaded {self._path} and does not answer ({problem}); try again "
                "when this machine is less busy."
            ) from None

    def stop(self) -> int:
        """Begin no more calls. Returns how many are in flight."""
        return self._halt.stop()

    async def close(self) -> None:
        """Let calls be begun again."""
        self._halt.go_on()

    async def ask(self, request: Request, *, seconds: float) -> Answer:
        """The model's answer within `seconds` from the moment it is this request's turn.

        A form that no grammar can hold stands in `Answer.dropped`. A reply that ended at
        max_tokens before its form was complete has the finish ``length``. Raises `InputError` where
        the weights cannot be loaded, and `CallsStopped`.
        """
        settings = {**self._settings, **request.settings}
        exchange = Exchange(patience(settings, seconds))
        return await in_turn(
            self._loaded.pool, exchange, lambda: self._answer(request, settings, exchange)
        )

    def _answer(self, request: Request, settings: dict[str, Json], exchange: Exchange) -> Answer:
        self._halt.check()
        name = self._path.name
        with self._halt.flight():
            try:
                runtime = self._loaded.runtime()
            except (BrokenOff, Broken, Refused) as problem:
                exchange.begin()
                why = f"llama.cpp does not answer: {problem or 'not within a minute'}."
                return broken(why).answer(name, exchange)
            exchange.begin()
            prepared = prepare(
                request,
                settings,
                runtime.abilities,
                self._clean,
                load().json_schema_to_grammar,
            )
            return _ask(runtime, exchange, request, prepared).answer(
                name, exchange, sent=prepared.sent, dropped=prepared.dropped, held=prepared.held
            )


def _ask(runtime: Runtime, exchange: Exchange, request: Request, prepared: Prepared) -> Got:
    prompt: tuple[int, ...] = ()
    try:
        prompt = runtime.count(exchange, prepared.body)
        if len(prompt) >= runtime.context:
            return overflow(Usage(len(prompt)), runtime.context)
        said = runtime.complete(exchange, prepared.body, prompt)
    except BrokenOff:
        return broken_off(exchange)
    except TooLong:
        return overflow(Usage(len(prompt)), runtime.context)
    except Refused as problem:
        return Got(failure="rejected", why=f"llama.cpp refused the request: {problem}.")
    except Broken as problem:
        return broken(f"llama.cpp gave no answer: {problem}.")
    usage = Usage(
        input=said.usage.prompt_tokens,
        output=said.usage.completion_tokens,
        cached=said.usage.prompt_tokens_details.cached_tokens,
    )
    finish = said.choices[0].finish_reason
    if finish == "length" and len(prompt) + said.usage.completion_tokens >= runtime.context:
        return overflow(usage, runtime.context, finish)
    return Got(read(said, request, prepared), usage, finish)
