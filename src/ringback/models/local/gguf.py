"""What a GGUF file says of itself, read before llama.cpp sees it.

llama.cpp ends the whole process on some files that it cannot read, so a file that is none, or that
stops early, is found out here.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias, cast

from msgspec import Struct

from ringback.errors import InputError

__all__ = ["Gguf", "read_gguf"]

Value: TypeAlias = "bool | int | float | str | list[int] | list[str] | None"

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q"}
_SCALARS[12] = "d"
_STRING, _ARRAY = 8, 9
_WANTED_ARRAYS = ("tokenizer.ggml.tokens", "tokenizer.ggml.token_type")
_MOST_KEYS, _MOST_TENSORS, _MOST_DIMENSIONS = 100_000, 1_000_000, 4
_CONTROL = 3  # the token type of <|im_start|> and its like

# fmt: off
_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22),
    7: (32, 24), 8: (32, 34), 9: (32, 36), 10: (256, 84), 11: (256, 110),
    12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292), 16: (256, 66),
    17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110),
    22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4),
    27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54),
    35: (256, 66), 39: (32, 17),
}
# fmt: on
"""Elements and bytes of a block, by tensor type."""

# fmt: off
_QUANTISATIONS = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0",
    9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S", 12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S",
    15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS",
    21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S",
    27: "IQ3_M", 28: "IQ2_S", 29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16",
    36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4",
}
# fmt: on


class Gguf(Struct, frozen=True):
    """A model file's own words.

    `context` is the length in tokens it was trained for, `token_bytes` what its cache takes for
    each token of a conversation at 16 bits a number, None where the file does not say enough.
    `controls` are the texts of the tokens that stand for roles and ends.
    """

    architecture: str
    quantisation: str
    size: int
    context: int | None
    token_bytes: int | None
    controls: tuple[str, ...]


def read_gguf(path: Path) -> Gguf:
    """The header of this file. Raises `InputError` if it is no whole GGUF model."""
    try:
        if path.is_dir():
            raise InputError(f"{path} is a directory; name the .gguf file in it.")
        size = path.stat().st_size
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise InputError(
                    f"{path} is not a GGUF file; local:PATH takes weights in llama.cpp's format."
                )
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _Reader(data, path, size).read()
    except OSError as problem:
        raise InputError(
            f"The model file {path} cannot be read ({problem.strerror}); check the path."
        ) from None


class _Reader:
    """A walk over the header. Every length is held against the bytes that are there."""

    def __init__(self, data: mmap.mmap, path: Path, size: int) -> None:
        self.data, self.path, self.size, self.at = data, path, size, 4

    def read(self) -> Gguf:
        try:
            version = self.scalar("I")
            if version not in (2, 3):
                raise InputError(
                    f"{self.path} is GGUF of version {version}; versions 2 and 3 are read."
                )
            tensors, keys = cast("int", self.scalar("Q")), cast("int", self.scalar("Q"))
            if keys > _MOST_KEYS or not 0 < tensors <= _MOST_TENSORS:
                raise self.damaged("its counts make no sense")
            found = dict(self.pair() for _ in range(keys))
            self.hold_tensors(tensors, found)
        except (struct.error, UnicodeDecodeError, ValueError, OverflowError, MemoryError):
            raise self.damaged("its header cannot be read") from None
        return _described(found, self.path, self.size)

    def damaged(self, what: str) -> InputError:
        return InputError(f"The model file {self.path} is damaged ({what}); download it again.")

    def scalar(self, form: str) -> bool | int | float:
        (value,) = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return value

    def step(self, count: int) -> int:
        """Skip `count` bytes; where they began."""
        began = self.at
        if not 0 <= count <= self.size - began:
            raise ValueError("past the end")
        self.at += count
        return began

    def text(self) -> str:
        count = cast("int", self.scalar("Q"))
        began = self.step(count)
        return self.data[began : began + count].decode()

    def pair(self) -> tuple[str, Value]:
        key = self.text()
        kind = cast("int", self.scalar("I"))
        if kind == _STRING:
            return key, self.text()
        if kind != _ARRAY:
            return key, self.scalar(_SCALARS.get(kind, "x"))
        return key, self.array(key)

    def array(self, key: str) -> Value:
        kind, count = cast("int", self.scalar("I")), cast("int", self.scalar("Q"))
        wanted = key in _WANTED_ARRAYS or key.endswith(".head_count_kv")
        if kind == _STRING:
            if count * 8 > self.size:
                raise ValueError("more texts than bytes")
            if wanted:
                return [self.text() for _ in range(count)]
            for _ in range(count):
                self.step(cast("int", self.scalar("Q")))
            return None
        form = _SCALARS.get(kind)
        if form is None:
            raise ValueError("an array of what is unknown")
        began = self.step(count * struct.calcsize("<" + form))
        if not wanted:
            return None
        return [int(item) for item in struct.unpack_from(f"<{count}{form}", self.data, began)]

    def hold_tensors(self, count: int, found: Mapping[str, Value]) -> None:
        """Raise `InputError` unless every tensor lies within the file."""
        furthest = 0
        for _ in range(count):
            self.text()
            dimensions = cast("int", self.scalar("I"))
            if dimensions > _MOST_DIMENSIONS:
                raise ValueError("too many dimensions")
            elements = 1
            for _ in range(dimensions):
                elements *= cast("int", self.scalar("Q"))
            kind, offset = cast("int", self.scalar("I")), cast("int", self.scalar("Q"))
            in_block, of_bytes = _BLOCKS.get(kind, (1, 0))
            furthest = max(furthest, offset + elements // in_block * of_bytes)
        aligned = found.get("general.alignment", 32)
        alignment = aligned if isinstance(aligned, int) and aligned > 0 else 32
        ends = -(-self.at // alignment) * alignment + furthest
        if ends > self.size:
            raise self.damaged(f"it ends after {self.size:,} of at least {ends:,} bytes")


def _described(found: Mapping[str, Value], path: Path, size: int) -> Gguf:
    architecture = found.get("general.architecture")
    if not isinstance(architecture, str) or not architecture:
        raise InputError(f"{path} does not say which architecture it has; it is no language model.")
    number = found.get("general.file_type")
    tokens, kinds = (found.get(key) for key in _WANTED_ARRAYS)
    if not isinstance(tokens, list) or not tokens:
        raise InputError(f"{path} has no vocabulary; it is no language model.")
    controls: tuple[str, ...] = ()
    if isinstance(kinds, list):
        controls = tuple(
            str(token)
            for token, kind in zip(tokens, kinds, strict=False)
            if kind == _CONTROL and len(str(token)) > 2
        )
    context = found.get(f"{architecture}.context_length")
    return Gguf(
        architecture=architecture,
        quantisation=(
            _QUANTISATIONS.get(number, f"file type {number}")
            if isinstance(number, int)
            else "unknown"
        ),
        size=size,
        context=context if isinstance(context, int) and context > 0 else None,
        token_bytes=_token_bytes(found, architecture),
        controls=controls,
    )


def _token_bytes(found: Mapping[str, Value], architecture: str) -> int | None:
    def number(name: str) -> int | None:
        value = found.get(f"{architecture}.{name}")
        return value if isinstance(value, int) and value > 0 else None

    layers, heads = number("block_count"), number("attention.head_count")
    width = number("embedding_length")
    if layers is None or heads is None or width is None:
        return None
    keys = number("attention.key_length") or width // heads
    values = number("attention.value_length") or width // heads
    shared = found.get(f"{architecture}.attention.head_count_kv")
    if isinstance(shared, list):
        total = sum(int(each) for each in shared)
    else:
        total = layers * (shared if isinstance(shared, int) else heads)
    return total * (keys + values) * 2
