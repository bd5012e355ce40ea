"""llama.cpp in this process, one request at a time.

xllamacpp starts llama.cpp's server on a thread of its own. It listens on a socket in a directory
that only this user can enter, not on a port, and we speak HTTP to it there: that way a prompt can
be counted, a conversation put aside and a reply broken off.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.metadata
import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from ringback.canonical import Json
from ringback.errors import InputError
from ringback.models.local.directory import own_directory, tidy
from ringback.models.local.exchange import (
    Completion,
    Exchange,
    Prompt,
    Props,
    Refused,
    Timed,
    Tokens,
    Written,
)
from ringback.models.local.known import remember_loads, was_loaded
from ringback.models.local.prefix import CHUNK, Prefixes

__all__ = ["Runtime", "installed", "load", "runtime_version"]

_NEEDED = "xllamacpp"
_MISSING = "Local models need xllamacpp; install it with: pip install 'ringback[local]'"
_ROOM = 512 * 2**20  # bytes of conversations that wait for their next turn, on disk
_PROBE_SECONDS = 600.0
_SOCKET = "s.sock"  # the ending tells the server that it is no host
_T = TypeVar("_T")


def installed() -> None:
    """Raise `InputError` if the runtime is not installed."""
    if importlib.util.find_spec(_NEEDED) is None:
        raise InputError(f"{_MISSING}.")


def runtime_version() -> str:
    """The runtime and its version, ``not installed`` where it is not."""
    try:
        return f"{_NEEDED} {importlib.metadata.version(_NEEDED)}"
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


class Runtime:
    """A loaded model. All its methods but the constructor belong to one thread at a time.

    `context` is the length of a conversation in tokens. `room` bounds, in bytes, the files with
    conversations that were put aside. With `probe`, weights that this runtime has not met yet are
    loaded in a process of their own first. Raises `InputError` if they cannot be loaded.
    """

    def __init__(
        self, path: Path, context: int, threads: int, *, room: int = _ROOM, probe: bool = True
    ) -> None:
        self.context = context
        self.process = os.getpid()
        self._directory, lock = own_directory()
        self._place = str(self._directory / _SOCKET)
        self._prefixes = Prefixes(room)
        self._reusable = True
        try:
            if probe:
                _probe(path)
            server = _serve(path, context, threads, self._directory)
        except BaseException:
            tidy([], self._directory, lock)
            raise
        held: list[object] = [server]
        self.close = weakref.finalize(self, tidy, held, self._directory, lock)
        exchange = Exchange(60)
        exchange.begin()
        # Its loop must run before it may be ended again: the one who answers this is the loop.
        exchange.call(self._place, "/slots", None, list[Json])
        self.abilities = exchange.call(self._place, "/props", None, Props).chat_template_caps

    def count(self, exchange: Exchange, body: Mapping[str, Json]) -> tuple[int, ...]:
        """The prompt that this chat request becomes, as tokens."""
        prompt = exchange.call(self._place, "/apply-template", body, Prompt).prompt
        asked: dict[str, Json] = {"content": prompt, "add_special": True, "parse_special": True}
        return exchange.call(self._place, "/tokenize", asked, Tokens).tokens

    def complete(
        self, exchange: Exchange, body: Mapping[str, Json], prompt: tuple[int, ...]
    ) -> Completion:
        """The reply to a chat request whose prompt is `prompt`.

        It does not depend on what was asked before, to the last bit.
        """
        keep = self._keep(exchange, prompt) if self._reusable else 0
        self._prefixes.loaded(prompt[:keep])
        said = exchange.call(
            self._place, "/v1/chat/completions", {**body, "cache_prompt": keep > 0}, Completion
        )
        if said.usage.prompt_tokens == len(prompt):
            self._prefixes.loaded(prompt)
        else:
            self._prefixes.loaded(())
        return said

    def _keep(self, exchange: Exchange, prompt: tuple[int, ...]) -> int:
        """Make the server hold a whole number of the prompt's chunks, and return the tokens."""
        plan = self._prefixes.plan(prompt)
        if plan.save:
            self._save(exchange)
        if plan.restore:
            self._prefixes.loaded(())
            try:
                self._slot(exchange, "restore", plan.restore, dict[str, Json])
            except Refused:
                self._prefixes.forget(plan.restore)
                return 0
        self._prefixes.loaded(prompt[: plan.keep])
        if not plan.keep:
            return 0
        # One other token after the chunks makes the server drop what it holds beyond them.
        following = prompt[plan.keep]
        cut: dict[str, Json] = {
            "prompt": [*prompt[: plan.keep], following - 1 if following else 1],
            "n_predict": 0,
            "cache_prompt": True,
        }
        timed = exchange.call(self._place, "/completion", cut, Timed)
        if timed.timings.cache_n != plan.keep:
            # Models with a sliding window or a recurrent state cannot be cut: read all anew.
            self._reusable = False
            return 0
        return plan.keep

    def _save(self, exchange: Exchange) -> None:
        name = self._prefixes.name()
        try:
            written = self._slot(exchange, "save", name, Written).n_written
        except Refused:
            self._prefixes.room = 0  # no space left, say: go on without
            return
        for old in self._prefixes.saved(name, written):
            (self._directory / old).unlink(missing_ok=True)

    def _slot(self, exchange: Exchange, action: str, name: str, kind: type[_T]) -> _T:
        return exchange.call(self._place, f"/slots/0?action={action}", {"filename": name}, kind)


def load() -> Any:
    """The runtime's module; `InputError` if it is missing or does not load.

    Its threads are told to sleep while they wait: on a busy machine they would stall each other.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    try:
        import xllamacpp  # pyright: ignore[reportMissingTypeStubs]
    except ModuleNotFoundError:
        raise InputError(f"{_MISSING}.") from None
    except ImportError as problem:
        raise InputError(
            f"xllamacpp is installed but does not load ({problem}); install that library "
            "(Debian: apt install libgomp1)."
        ) from None
    return xllamacpp


def _serve(path: Path, context: int, threads: int, directory: Path) -> object:
    xllamacpp = load()
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.hostnames = [str(directory / _SOCKET)]
    params.slot_save_path = f"{directory}/"
    params.n_ctx = context
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = CHUNK
    params.n_ctx_checkpoints = 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.n_threads_http = 2
    params.cache_ram_mib = 0
    # On a CPU flash attention halves the speed of writing in a call of some length.
    params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    params.swa_full = True
    params.check_tensors = True
    params.fit_params = False
    params.warmup = False
    params.prefill_assistant = False
    params.offline = True
    params.ui = False
    params.verbosity = -1
    with _signals_kept():
        try:
            return xllamacpp.Server(params)
        except (RuntimeError, MemoryError):
            raise InputError(
                f"llama.cpp cannot load {path}: it is damaged, of a kind that "
                f"{runtime_version()} does not know, or too large for this machine."
            ) from None


@contextlib.contextmanager
def _signals_kept() -> Generator[None]:
    """Keep Ctrl-C and SIGTERM as they are: the server takes both for itself, from any thread."""
    libc = ctypes.CDLL(None)
    room = [(number, ctypes.create_string_buffer(1024)) for number in _TAKEN]
    for number, before in room:
        libc.sigaction(number, None, before)
    try:
        yield
    finally:
        for number, before in room:
            libc.sigaction(number, before, None)


_TAKEN = (signal.SIGINT, signal.SIGTERM)


def _probe(path: Path) -> None:
    """Load the weights once in a process of its own: llama.cpp ends its process on some files."""
    version = runtime_version()
    if was_loaded(path, version):
        return
    load()
    command = [sys.executable, "-m", "ringback.models.local.probe", str(path)]
    with tempfile.TemporaryDirectory(prefix="ringback-probe-") as place:
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                timeout=_PROBE_SECONDS,
                check=False,
                env={**os.environ, "TMPDIR": place},
            )
            code = done.returncode
        except subprocess.TimeoutExpired:
            code = 1
    if code:
        how = signal.Signals(-code).name if code < 0 else "an error"
        raise InputError(
            f"llama.cpp cannot load {path} ({how}): it is damaged, of a kind that {version} does "
            "not know, or too large for this machine."
        )
    remember_loads(path, version)
