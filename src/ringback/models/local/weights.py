"""Weights in safetensors, loaded with transformers, and the writing of a reply with them."""

from __future__ import annotations

import copy
import importlib
import importlib.util
import inspect
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ringback.canonical import Json
from ringback.errors import InputError
from ringback.models.local.memory import hold_memory
from ringback.models.local.prefix import CHUNK, shared
from ringback.models.local.turns import Turn, one_at_a_time

__all__ = ["Weights", "generate", "stops_of"]

_KEPT = 4  # conversations whose states are kept in memory
_MISSING = (
    "Models in safetensors need torch and transformers; install them with: "
    "pip install 'ringback[hf]', or use weights in GGUF."
)


class Weights:
    """Tokenizer and model in memory, and the states of the last conversations.

    `load` first; all else belongs to the one thread of `pool`.
    """

    def __init__(self, directory: Path, threads: int) -> None:
        self.directory, self.threads = directory, threads
        self.pool = one_at_a_time()
        self._lock = threading.Lock()
        self._process = 0
        self._kept: list[tuple[tuple[int, ...], Any]] = []
        self.torch: Any = None
        self.tokenizer: Any = None
        self.model: Any = None
        self.state_name = ""  # what the model calls the state that it is given

    def load(self) -> None:
        """Load, unless it is. Raises `InputError` where it cannot be."""
        with self._lock:
            if self._process == os.getpid():
                return
            hold_memory(self.directory.parent.parent.name, _size(self.directory), 0)
            torch, transformers = _libraries()
            torch.set_num_threads(self.threads)
            transformers.utils.logging.disable_progress_bar()
            try:
                self.tokenizer = transformers.AutoTokenizer.from_pretrained(
                    self.directory, local_files_only=True
                )
                self.model = transformers.AutoModelForCausalLM.from_pretrained(
                    self.directory, local_files_only=True, dtype="auto"
                ).eval()
            except Exception as problem:  # noqa: BLE001 - each library below raises its own kinds
                said = str(problem).strip().splitlines() or [type(problem).__name__]
                raise InputError(
                    f"transformers cannot load {self.directory}: {said[0][:300]}"
                ) from None
            if not self.tokenizer.chat_template:
                raise InputError(
                    f"The weights in {self.directory} have no chat template; use ones that are "
                    "made for conversation (their names often end in -Instruct)."
                )
            taken = inspect.signature(self.model.forward).parameters
            self.state_name = "cache" if "cache" in taken else "past_key_values"
            self.torch, self._process = torch, os.getpid()

    @property
    def context(self) -> int:
        """The longest conversation, in tokens."""
        return int(getattr(self.model.config, "max_position_embeddings", 4096))

    def ends(self) -> set[int]:
        """The tokens that end a reply."""
        found = self.model.generation_config.eos_token_id
        if found is None:
            found = self.tokenizer.eos_token_id
        if found is None:
            return set()
        each: list[Any] = list(found) if isinstance(found, list | tuple) else [found]  # pyright: ignore[reportUnknownArgumentType]
        return {int(token) for token in each}

    def state(self, prompt: tuple[int, ...]) -> tuple[int, Any]:
        """How many of the prompt's tokens were read before, and a state that holds just these."""
        best = max(
            range(len(self._kept)), key=lambda at: shared(prompt, self._kept[at][0]), default=-1
        )
        keep = shared(prompt, self._kept[best][0]) if best >= 0 else 0
        if keep == 0:
            made: Any = importlib.import_module("transformers").DynamicCache
            return 0, made(config=self.model.config)
        tokens, cache = self._kept[best]
        if len(tokens) // CHUNK * CHUNK - keep < 2 * CHUNK:
            del self._kept[best]
        else:
            cache = copy.deepcopy(cache)
        _cut(cache, keep)
        return keep, cache

    def keep(self, prompt: tuple[int, ...], cache: Any) -> None:
        """Keep what was read of this prompt for its next turn."""
        whole = len(prompt) // CHUNK * CHUNK
        if whole:
            _cut(cache, whole)
            self._kept = [*self._kept[-(_KEPT - 1) :], (prompt[:whole], cache)]


def generate(
    weights: Weights, prompt: tuple[int, ...], sent: dict[str, Json], most: int, turn: Turn
) -> tuple[int, list[int], str]:
    """How many tokens were kept from before, the reply's tokens, and why it ended."""
    torch: Any = weights.torch
    chance = torch.Generator().manual_seed(int(str(sent["seed"])))
    ends, words, finish = weights.ends(), list[int](), "length"
    kept, cache = weights.state(prompt)
    with torch.inference_mode():
        logits: Any = None
        for at in range(kept, len(prompt), CHUNK):
            turn.left()
            logits = _step(weights, prompt[at : at + CHUNK], cache)
        while len(words) < most:
            turn.left()
            token = _pick(torch, logits, sent, chance)
            if token in ends:
                finish = "stop"
                break
            words.append(token)
            if _has_stop(weights, words, sent):
                finish = "stop"
                break
            logits = _step(weights, [token], cache)
    weights.keep(prompt, cache)
    return kept, words, finish


def _cut(cache: Any, length: int) -> None:
    """Leave the first `length` tokens of a state."""
    beyond = int(cache.get_seq_length()) - length
    if beyond > 0:
        cache.crop(-beyond)


def _step(weights: Weights, tokens: Sequence[int], cache: Any) -> Any:
    ids = weights.torch.tensor([list(tokens)])
    state = {weights.state_name: cache}
    return weights.model(input_ids=ids, use_cache=True, **state).logits[0, -1]


def _pick(torch: Any, logits: Any, sent: dict[str, Json], chance: Any) -> int:
    temperature = float(str(sent["temperature"]))
    if temperature == 0:
        return int(logits.argmax())
    odds = torch.softmax(logits.float() / temperature, dim=-1)
    odds, order = odds.sort(descending=True, stable=True)
    allowed = odds.cumsum(0) - odds < float(str(sent["top_p"]))
    allowed &= odds >= odds[0] * float(str(sent["min_p"]))
    allowed[0] = True
    if top := int(str(sent["top_k"])):
        allowed[top:] = False
    picked = torch.multinomial(odds * allowed, 1, generator=chance)
    return int(order[int(picked)])


def stops_of(sent: dict[str, Json]) -> list[str]:
    """The texts at which a reply ends."""
    stops = sent.get("stop")
    return [str(stop) for stop in stops] if isinstance(stops, list) else []


def _has_stop(weights: Weights, words: list[int], sent: dict[str, Json]) -> bool:
    stops = stops_of(sent)
    if not stops:
        return False
    text = weights.tokenizer.decode(words, skip_special_tokens=True)
    return any(stop in text for stop in stops)


def _size(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.glob("*.safetensors"))


def _libraries() -> tuple[Any, Any]:
    for name in ("torch", "transformers"):
        if importlib.util.find_spec(name) is None:
            raise InputError(_MISSING)
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    try:
        return importlib.import_module("torch"), importlib.import_module("transformers")
    except ImportError as problem:
        raise InputError(
            f"torch and transformers are installed but do not load ({problem})."
        ) from None
