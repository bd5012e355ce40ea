"""Kitaru's session JSONL: one session a line, its model calls and tool calls as flat nodes."""

from ringback.formats.kitaru.read import read
from ringback.formats.kitaru.write import line

__all__ = ["line", "read"]
