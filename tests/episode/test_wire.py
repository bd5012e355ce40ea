"""Requests in the record: what comes back is what was sent."""

from __future__ import annotations

import pytest

from ringback.canonical import Json
from ringback.episode.wire import Message, Request, Text, Thread, ToolSpec, recorded, restored

SAID = Message("user", (Text("Hello?"),))
ANSWERED = Message("assistant", (Text("Yes?"),))
TOOLS = (ToolSpec("look", "Looks.", None),)


@pytest.mark.parametrize("form", [None, {}, False, True, {"type": "string"}, "", 0, []])
@pytest.mark.parametrize("tools", [(), TOOLS])
def test_every_form_and_none_come_back(form: Json, tools: tuple[ToolSpec, ...]) -> None:
    request = Request("You help.", (SAID,), tools, {"temperature": 0}, form)
    record, contents = recorded(request, None)
    assert restored(record, (), contents) == request


def test_a_thread_of_calls_gives_each_what_it_goes_on_from() -> None:
    thread = Thread()
    assert thread.last is None
    first, _ = recorded(Request("You help.", (SAID,)), thread.last)
    thread.add(3, first, ANSWERED)
    assert thread.last == (3, (SAID, ANSWERED))
    request = Request("You help.", (SAID, ANSWERED, SAID))
    second, contents = recorded(request, thread.last)
    assert (second.extends, second.kept, second.added) == (3, 2, (SAID,))
    assert restored(second, thread.before(second), contents) == request
    # a reply that was not taken is left out of the next request
    third, contents = recorded(Request("You help.", (SAID, SAID)), thread.last)
    assert (third.kept, third.added) == (1, (SAID,))
    thread.add(5, third, None)
    assert thread.last == (5, (SAID, SAID))
    with pytest.raises(ValueError, match="goes on from event 3, which is no call"):
        Thread().before(second)
