"""llama.cpp in this process, one request at a time.

xllamacpp starts llama.cpp's server on a thread of its own. It listens on a socket in a directory
that only this user can enter, not on a port, and we speak HTTP to it there: that way a prompt can
be counted, a conversation put aside and a reply broken off.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import importlib.metadata
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Generator, Mapping, Sequence
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from ringback.canonical import Json
from ringback.errors import InputError
from ringback.models.local.known import remember_loads, was_loaded
from ringback.models.local.prefix import CHUNK, Prefixes

__all__ = [
    "Abilities",
    "BrokenOff",
    "Completion",
    "Exchange",
    "Refused",
    "Runtime",
    "TooLong",
    "installed",
    "load",
    "runtime_version",
]

_NEEDED = "xllamacpp"
_MISSING = "Local models need xllamacpp; install it with: pip install 'ringback[local]'"
_ROOM = 512 * 2**20  # bytes of conversations that wait for their next turn, on disk
_PROBE_SECONDS = 600.0
_STALE = 3600.0
_PREFIX = "ringback-local-"
_SOCKET = "s.sock"  # the ending tells the server that it is no host
_T = TypeVar("_T")


class BrokenOff(Exception):  # noqa: N818 - says what happened
    """The caller no longer wants the answer, or its time is over."""


class Refused(Exception):  # noqa: N818 - says what happened
    """llama.cpp does not take the request; the text is its own."""


class TooLong(Refused):
    """The prompt is longer than the context."""


class _Function(Struct, frozen=True):
    name: str = ""
    arguments: Json = ""


class _Call(Struct, frozen=True):
    function: _Function = _Function()


class _Said(Struct, frozen=True):
    content: str | None = None
    reasoning_content: str | None = None
    tool_calls: tuple[_Call, ...] = ()


class _Choice(Struct, frozen=True):
    message: _Said
    finish_reason: str | None = None


class _Details(Struct, frozen=True):
    cached_tokens: int = 0


class _Counts(Struct, frozen=True):
    prompt_tokens: int
    completion_tokens: int
    prompt_tokens_details: _Details = _Details()


class Completion(Struct, frozen=True):
    """What llama.cpp answered."""

    choices: tuple[_Choice, ...]
    usage: _Counts


class _Timings(Struct, frozen=True):
    cache_n: int = 0


class _Timed(Struct, frozen=True):
    timings: _Timings = _Timings()


class _Prompt(Struct, frozen=True):
    prompt: str


class _Tokens(Struct, frozen=True):
    tokens: tuple[int, ...]


class _Written(Struct, frozen=True):
    n_written: int


class Abilities(Struct, frozen=True):
    """What the model's chat template knows."""

    supports_tools: bool = False
    supports_tool_calls: bool = False
    supports_system_role: bool = True


class _Props(Struct, frozen=True):
    chat_template_caps: Abilities = Abilities()


class _Error(Struct, frozen=True):
    message: str = ""
    type: str = ""


class _Failed(Struct, frozen=True):
    error: _Error = _Error()


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


class _Connection(HTTPConnection):
    """HTTP over a socket in the file system."""

    def __init__(self, place: str, seconds: float) -> None:
        super().__init__("localhost", timeout=seconds)
        self._place = place

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._place)


class Exchange:
    """One request's talk with the server: it has a last moment and can be broken off."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until = 0.0
        self._gone = threading.Event()
        self._open: _Connection | None = None

    def begin(self) -> None:
        """Its time runs from now."""
        self._until = time.monotonic() + self._seconds

    def cancel(self) -> None:
        """Break off, from any thread: llama.cpp stops at the next token."""
        self._gone.set()
        held = self._open
        if held is not None and held.sock is not None:
            with contextlib.suppress(OSError):
                held.sock.shutdown(socket.SHUT_RDWR)

    def call(self, place: str, path: str, body: Mapping[str, Json] | None, kind: type[_T]) -> _T:
        """Post `body` (or get, without one) and read the answer as a `kind`."""
        left = self._until - time.monotonic()
        if self._gone.is_set() or left <= 0:
            raise BrokenOff
        data = None if body is None else msgspec.json.encode(body)
        connection = self._open = _Connection(place, left)
        try:
            headers = {"Content-Type": "application/json"}
            connection.request("GET" if data is None else "POST", path, data, headers)
            response = connection.getresponse()
            status, text = response.status, response.read()
        except (OSError, HTTPException) as problem:
            if self._gone.is_set() or isinstance(problem, TimeoutError):
                raise BrokenOff from None
            raise
        finally:
            self._open = None
            connection.close()
        if self._gone.is_set():
            raise BrokenOff
        if status != 200:
            raise _refusal(text)
        return msgspec.json.decode(text, type=kind)


def _refusal(text: bytes) -> Refused:
    try:
        error = msgspec.json.decode(text, type=_Failed).error
    except msgspec.DecodeError:
        error = _Error(text.decode(errors="replace")[:200])
    kind = TooLong if error.type == "exceed_context_size_error" else Refused
    return kind(error.message or "the server gave no reason")


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
        self._directory, lock = _own_directory()
        self._place = str(self._directory / _SOCKET)
        self._prefixes = Prefixes(room)
        self._reusable = True
        try:
            if probe:
                _probe(path)
            server = _serve(path, context, threads, self._directory)
        except BaseException:
            _tidy([], self._directory, lock)
            raise
        held: list[object] = [server]
        self.close = weakref.finalize(self, _tidy, held, self._directory, lock)
        exchange = Exchange(60)
        exchange.begin()
        # Its loop must run before it may be ended again: the one who answers this is the loop.
        exchange.call(self._place, "/slots", None, list[Json])
        self.abilities = exchange.call(self._place, "/props", None, _Props).chat_template_caps

    def count(self, exchange: Exchange, body: Mapping[str, Json]) -> tuple[int, ...]:
        """The prompt that this chat request becomes, as tokens."""
        prompt = exchange.call(self._place, "/apply-template", body, _Prompt).prompt
        asked: dict[str, Json] = {"content": prompt, "add_special": True, "parse_special": True}
        return exchange.call(self._place, "/tokenize", asked, _Tokens).tokens

    def complete(
        self, exchange: Exchange, body: Mapping[str, Json], prompt: Sequence[int]
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

    def _keep(self, exchange: Exchange, prompt: Sequence[int]) -> int:
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
        timed = exchange.call(self._place, "/completion", cut, _Timed)
        if timed.timings.cache_n != plan.keep:
            # Models with a sliding window or a recurrent state cannot be cut: read all anew.
            self._reusable = False
            return 0
        return plan.keep

    def _save(self, exchange: Exchange) -> None:
        name = self._prefixes.name()
        try:
            written = self._slot(exchange, "save", name, _Written).n_written
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
    try:
        done = subprocess.run(command, capture_output=True, timeout=_PROBE_SECONDS, check=False)
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


def _own_directory() -> tuple[Path, int]:
    """A directory for this model's socket and files, and the lock that says it is in use."""
    base = Path(tempfile.gettempdir())
    if len(str(base)) > 60:  # a socket's path has 107 bytes at most
        base = Path("/tmp")
    for old in base.glob(f"{_PREFIX}*"):
        _sweep(old)
    directory = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))
    lock = os.open(directory / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return directory, lock


def _sweep(old: Path) -> None:
    """Remove what a process left that was killed."""
    with contextlib.suppress(OSError):
        if old.stat().st_uid != os.getuid() or time.time() - old.stat().st_mtime < _STALE:
            return
        lock = os.open(old / "lock", os.O_RDWR | os.O_CLOEXEC | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(old, ignore_errors=True)
        finally:
            os.close(lock)


def _tidy(held: list[object], directory: Path, lock: int) -> None:
    held.clear()  # ends the server
    shutil.rmtree(directory, ignore_errors=True)
    with contextlib.suppress(OSError):
        os.close(lock)
