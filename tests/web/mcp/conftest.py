"""The program, run as people run it."""

from __future__ import annotations

from tests.cli.conftest import cli

__all__ = ["cli"]
