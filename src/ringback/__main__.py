"""``python -m ringback``, for where the command is not on the path."""

from __future__ import annotations

from ringback.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
