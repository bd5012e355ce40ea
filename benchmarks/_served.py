"""A server in a process of its own that answers every request alike, after a while.

``python -m benchmarks._served SECONDS`` prints its address and serves until it is ended.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from ringback.testing import ChaosServer, ChatCall, ChatReply

REPLY = ChatReply(calls=(ChatCall("get_customer_by_phone", {"phone_number": "555-123-2002"}),))


def brain(_request: dict[str, Any]) -> ChatReply:
    """A look at the customer's record, again and again."""
    return REPLY


if __name__ == "__main__":
    with ChaosServer(brain, delay=float(sys.argv[1])) as server:
        print(server.base_url, flush=True)
        while True:
            time.sleep(60)
