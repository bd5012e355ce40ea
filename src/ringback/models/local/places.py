"""Where weights and what is known about them are kept on this machine."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["SMOLLM2", "cache_dir", "hub_dir", "smollm2_path"]

SMOLLM2 = "SmolLM2-135M-Instruct.Q4_1.gguf"
"""The file's name, here and in the package that brings it."""


def cache_dir() -> Path:
    """The user's cache for Ringback: ``$XDG_CACHE_HOME/ringback``, else ``~/.cache/ringback``."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "ringback"


def smollm2_path() -> Path:
    """Where ``ringback models fetch smollm2`` puts the weights."""
    return cache_dir() / "models" / SMOLLM2


def hub_dir() -> Path:
    """The Hugging Face cache, as its own tools find it."""
    if named := os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE"):
        return Path(named).expanduser()
    if home := os.environ.get("HF_HOME"):
        return Path(home).expanduser() / "hub"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "huggingface" / "hub"
