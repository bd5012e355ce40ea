"""Load weights, say a word and end: ``python -m ringback.models.local.probe PATH``.

A process of its own, so that a file on which llama.cpp ends its process ends this one only.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ringback.canonical import Json
from ringback.errors import InputError
from ringback.models.local.exchange import Exchange, Refused
from ringback.models.local.runtime import Runtime

__all__: list[str] = []


def _main(path: Path) -> int:
    hello: dict[str, Json] = {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 1}
    try:
        runtime = Runtime(path, context=512, threads=1, probe=False)
        exchange = Exchange(300)
        exchange.begin()
        runtime.complete(exchange, hello, runtime.count(exchange, hello))
    except Refused:
        return 0  # it loads; what it does not take is said when it is asked
    except InputError:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(_main(Path(sys.argv[1])))
