"""A model in safetensors from a Hugging Face cache, through transformers, on the CPU.

For weights that nobody has made a GGUF file of: it holds no reply to a form, and calls of tools
are lines of JSON in its words. Reading works as for llama.cpp: in chunks from the beginning, of
which whole ones are kept, so that a reply never depends on what was asked before.
"""

from __future__ import annotations

import importlib.metadata
import os
import threading
from pathlib import Path
from weakref import WeakValueDictionary

from ringback.canonical import Json, digest
from ringback.episode.wire import Answer, Message, Request, Usage
from ringback.models.halt import Halt
from ringback.models.local.chat import PROVIDER, called_in_words, chat, reply_parts, unspecial
from ringback.models.local.got import Got, broken, broken_off, overflow
from ringback.models.local.known import sha256_of
from ringback.models.local.settings import patience, sampling
from ringback.models.local.turns import BrokenOff, Turn, in_turn
from ringback.models.local.weights import Weights, generate, stops_of

__all__ = ["SafetensorsModel"]

_TAKEN = {"temperature", "top_p", "top_k", "min_p", "max_tokens", "seed", "stop"}


_shared: WeakValueDictionary[tuple[str, int, int], Weights] = WeakValueDictionary()
_shared_lock = threading.Lock()


class SafetensorsModel:
    """Answers with the weights in a snapshot of a Hugging Face cache. Loaded when it is asked.

    One request at a time, as for `LlamaModel`.
    """

    def __init__(
        self,
        name: str,
        directory: Path,
        revision: str,
        *,
        context: int | None,
        threads: int,
        settings: dict[str, Json],
    ) -> None:
        self._name, self._revision = name, revision
        self._context, self._settings = context, settings
        key = (str(directory.resolve()), threads, os.getpid())
        with _shared_lock:
            weights = _shared.get(key)
            if weights is None:
                weights = _shared[key] = Weights(directory, threads)
        self._weights = weights
        self._halt = Halt()

    @property
    def name(self) -> str:
        """The name as asked for."""
        return self._name

    @property
    def identity(self) -> dict[str, Json]:
        """The revision, the digest of all its weights, how and by what they are run."""
        files = sorted(self._weights.directory.glob("*.safetensors"))
        found: dict[str, Json] = {
            "model": self._repo,
            "revision": self._revision,
            "weights": digest([[path.name, sha256_of(path)] for path in files]),
            "threads": self._weights.threads,
            "runtime": ", ".join(_version(name) for name in ("transformers", "torch")),
        }
        if self._context is not None:
            found["context"] = self._context
        if self._settings:
            found["settings"] = self._settings
        return found

    @property
    def holds_form(self) -> bool:
        """False: transformers writes what the model will."""
        return False

    @property
    def _repo(self) -> str:
        home = self._weights.directory.parent.parent.name
        return home.removeprefix("models--").replace("--", "/", 1)

    def ready(self) -> None:
        """Load the weights, unless they are. Raises `InputError` where they cannot be."""
        self._weights.load()

    def stop(self) -> int:
        """Begin no more calls. Returns how many are in flight."""
        return self._halt.stop()

    async def close(self) -> None:
        """Let calls be begun again."""
        self._halt.go_on()

    async def ask(self, request: Request, *, seconds: float) -> Answer:
        """The model's answer within `seconds` from the moment it is this request's turn.

        Raises `InputError` where the weights cannot be loaded, and `CallsStopped`.
        """
        settings = {**self._settings, **request.settings}
        turn = Turn(patience(settings, seconds))
        return await in_turn(
            self._weights.pool, turn, lambda: self._answer(request, settings, turn)
        )

    def _answer(self, request: Request, settings: dict[str, Json], turn: Turn) -> Answer:
        self._halt.check()
        with self._halt.flight():
            self._weights.load()
            turn.begin()
            chosen = sampling(settings)
            sent = {key: value for key, value in chosen.sent.items() if key in _TAKEN}
            dropped = dict(chosen.dropped)
            dropped |= {
                key: "transformers is not asked for it here"
                for key in chosen.sent
                if key not in sent
            }
            if request.form is not None:
                dropped["form"] = "transformers holds no reply to a form"
            try:
                got = self._reply(request, sent, turn)
            except BrokenOff:
                got = broken_off(turn)
            except Exception as problem:  # noqa: BLE001 - the libraries below raise kinds of their own
                got = broken(f"transformers failed ({type(problem).__name__}: {problem})"[:2000])
            return got.answer(self._repo, turn, sent=sent, dropped=dropped)

    def _reply(self, request: Request, sent: dict[str, Json], turn: Turn) -> Got:
        weights = self._weights
        tokenizer = weights.tokenizer
        tools = request.tools if request.form is None else ()
        clean = unspecial([str(token) for token in tokenizer.all_special_tokens])
        try:
            messages = chat(request, tools, native=False, system=True, clean=clean)
            text = tokenizer.apply_chat_template(
                messages, tokenize=False, add_generation_prompt=True
            )
        except Exception as problem:  # noqa: BLE001 - a template is a program of the model's own
            return Got(failure="rejected", why=f"The chat template refused: {problem}")
        prompt = tuple(tokenizer(text, add_special_tokens=False)["input_ids"])
        context = min(self._context or weights.context, weights.context)
        if len(prompt) >= context:
            return overflow(Usage(len(prompt)), context)
        most = min(int(str(sent["max_tokens"])), context - len(prompt))
        kept, words, finish = generate(weights, prompt, sent, most, turn)
        usage = Usage(len(prompt), len(words), kept)
        if finish == "length" and len(prompt) + len(words) >= context:
            return overflow(usage, context)
        said = _stopped(tokenizer.decode(words, skip_special_tokens=True), sent)
        call = called_in_words(said) if tools else None
        parts = reply_parts(None if call else said, None, [call] if call else [], len(messages))
        return Got(Message("assistant", parts, PROVIDER), usage, finish)


def _stopped(text: str, sent: dict[str, Json]) -> str:
    for stop in stops_of(sent):
        text = text.partition(stop)[0]
    return text


def _version(name: str) -> str:
    try:
        return f"{name} {importlib.metadata.version(name)}"
    except importlib.metadata.PackageNotFoundError:
        return f"{name} not installed"
