"""Kitaru's session JSONL: one session a line, its model calls and tool calls as flat nodes."""

from ringback.formats.kitaru.read import read
from ringback.formats.kitaru.rest import not_again
from ringback.formats.kitaru.write import line

__all__ = ["line", "not_again", "read"]
