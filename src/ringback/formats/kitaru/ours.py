"""The events of a session that we wrote into Kitaru's form, read back as they were."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, cast

import msgspec

from ringback.canonical import Json, digest
from ringback.episode.events import (
    AnyEvent,
    Call,
    End,
    ModelCall,
    Note,
    Nudge,
    Rejected,
    Reported,
    Result,
    Results,
    Start,
    Turn,
)
from ringback.episode.identity import cell_hash, imported_ids, session_id
from ringback.episode.protocol import BEGINNING, ProtocolError, advance
from ringback.episode.wire import Answer, Message, Price, RecordedRequest, Request, Usage
from ringback.formats.kitaru.nodes import OURS
from ringback.formats.kitaru.write import FORM
from ringback.formats.messages import conversation_of, tools_of
from ringback.formats.recording import Recording
from ringback.formats.values import usd
from ringback.sessions import named_contents

__all__ = ["Changed", "OtherForm", "restored"]

_Object = dict[str, Any]
_MOST = 2**63 - 1
_SIDE_EVENTS = Rejected | Nudge | Note


class OtherForm(ValueError):  # noqa: N818 - likewise
    """Another version of Ringback wrote the line, in a form that is not known here."""


class Changed(ValueError):  # noqa: N818 - it says what happened to the line
    """What is ours in a line does not make a session any more."""


def restored(record: _Object) -> Recording | None:
    """The session that we wrote into this record; None if it is not one of ours.

    Raises `Changed` if it was ours and something has changed it since, `OtherForm` if another
    version wrote it in another form.
    """
    found: Any = record.get("metadata")
    metadata = cast("_Object", found) if isinstance(found, dict) else {}
    mark: Any = metadata.get(OURS)
    ours = cast("_Object", mark) if isinstance(mark, dict) else {}
    if "start" not in ours:
        return None
    if ours.get("form") != FORM:
        stated: Any = ours.get("form")
        form = str(stated) if isinstance(stated, int) and abs(stated) < 1000 else "unknown"
        raise OtherForm(
            f"Ringback wrote it in form {form}, and this version reads form {FORM} alone; export "
            "the session again with this one, or read the line with the version that wrote it"
        )
    try:
        return _restored(record, ours)
    except ProtocolError as problem:
        raise Changed(f"its events make no session: {problem}") from problem
    except Changed:
        raise
    except (KeyError, TypeError, AttributeError, ValueError) as problem:
        raise Changed(f"part of it is not as Ringback writes it ({problem!r})") from problem


def _restored(record: _Object, ours: _Object) -> Recording:
    start = msgspec.convert(ours["start"], Start)
    if start.session != _id(start):
        raise Changed("its id does not follow from what it says of itself")
    if any(abs(number or 0) > _MOST for number in (start.draw.trial, start.draw.seed)):
        raise Changed("its trial or its seed is no number that a session has")
    events: dict[int, AnyEvent] = {start.seq: start}
    contents = _contents(ours.get("contents", {}))
    turns: dict[int, Turn] = {}
    calls: defaultdict[int, dict[int, _Object]] = defaultdict(dict)
    for node in record["nodes"]:
        mark = node["attributes"][OURS]
        match mark["kind"]:
            case "turn":
                turns[mark["seq"]] = _turn(node, mark)
            case "call":
                calls[mark["turn"]][mark["place"]] = node
            case "model_call":
                events[mark["seq"]] = _model_call(node, mark, contents)
            case "reported":
                events[mark["seq"]] = _reported(node, mark)
            case _:
                event = msgspec.convert(mark, _SIDE_EVENTS)
                events[event.seq] = event
    for seq, turn in turns.items():
        made = [calls[seq][place] for place in range(len(calls[seq]))]
        events[seq] = msgspec.structs.replace(turn, calls=tuple(map(_call, made)))
        if results := _results(turn, made):
            events[results.seq] = results
    if ours["end"] is not None:
        end = msgspec.convert(ours["end"], End)
        events[end.seq] = end
    whole = _in_order(events)
    if digest(whole) != ours["whole"]:
        raise Changed("its events are not those that were written")
    if missing := named_contents(whole) - contents.keys():
        raise Changed(f"the text {min(missing)}, which its events name, is not in it")
    return Recording(whole, contents)


def _contents(given: Any) -> dict[str, str]:
    found = msgspec.convert(given, dict[str, str])
    if any(digest(text) != name for name, text in found.items()):
        raise Changed("a text that it names is another one")
    return found


def _id(start: Start) -> str:
    if start.origin is not None:
        return imported_ids(start.origin)[0]
    cell = cell_hash(start.condition, start.arm, start.arm_name, start.draw)
    return session_id(cell, start.attempt)


def _in_order(events: dict[int, AnyEvent]) -> tuple[AnyEvent, ...]:
    position = BEGINNING
    found: list[AnyEvent] = []
    for seq in range(len(events)):
        if seq not in events:
            raise Changed(f"event {seq} is missing")
        position = advance(position, events[seq])
        found.append(events[seq])
    return tuple(found)


def _turn(node: _Object, mark: _Object) -> Turn:
    given = {name: mark[name] for name in ("seq", "at", "by", "seconds", "rule")}
    return msgspec.convert({"kind": "turn", **given, "text": node["outputs"]["text"]}, Turn)


def _call(node: _Object) -> Call:
    mark = node["attributes"][OURS]
    return msgspec.convert(
        {"tool": node["tool_name"], "arguments": node["inputs"], "id": mark["id"]}, Call
    )


def _results(turn: Turn, made: list[_Object]) -> Results | None:
    marks = [node["attributes"][OURS] for node in made]
    if not made or "answer" not in marks[0]:
        return None
    results = [
        {**node["outputs"], "world": mark["world"]} for node, mark in zip(made, marks, strict=True)
    ]
    return Results(
        seq=marks[0]["answer"],
        at=marks[0]["at"],
        turn=turn.seq,
        by=turn.by,
        results=msgspec.convert(results, tuple[Result, ...]),
    )


def _usage(node: _Object, mark: _Object) -> Usage:
    tokens: _Object = node.get("tokens") or {}
    return msgspec.convert(
        {
            "input": tokens.get("input_tokens"),
            "output": tokens.get("output_tokens"),
            "cached": tokens.get("cached_input_tokens"),
            "reasoning": tokens.get("reasoning_tokens"),
            "written": mark["written"],
        },
        Usage,
    )


def _price(mark: _Object) -> Price:
    stated = mark["usd"]
    if stated is not None and usd(stated) is None:
        raise Changed("a price in it is none")
    return msgspec.convert({"usd": stated, "source": mark["price_source"]}, Price)


def _reported(node: _Object, mark: _Object) -> Reported:
    given = {name: mark[name] for name in ("seq", "at", "cause", "by", "model", "seconds")}
    usage, price = _usage(node, mark), _price(mark)
    blank = {"kind": "reported", **given, "usage": {}, "price": {"usd": None, "source": ""}}
    return msgspec.structs.replace(msgspec.convert(blank, Reported), usage=usage, price=price)


def _model_call(node: _Object, mark: _Object, contents: dict[str, str]) -> ModelCall:
    request = _request(node)
    kept: _Object = dict(mark["request"])
    if digest(request) != kept["whole"]:
        raise Changed(f"the request of event {mark['seq']} is not what was sent")
    named: dict[str, str] = {}
    for name, value in (("tools", request.tools), ("form", request.form)):
        if value:  # another program may have spelled the same value anew, and then it has
            text = msgspec.json.encode(value).decode()  # another digest
            named[name] = digest(text)
            contents[named[name]] = text
    contents[digest(request.system)] = request.system
    before = kept.get("kept", 0)
    recorded = RecordedRequest(
        system=digest(request.system),
        tools=named.get("tools"),
        form=named.get("form"),
        added=request.messages[before:],
        settings=request.settings,
        extends=kept.get("extends"),
        kept=before,
        whole=kept["whole"],
    )
    outputs: Any = node["outputs"]
    answer = msgspec.convert(
        {"message": None, "usage": {}, "price": {"usd": None, "source": ""}, **mark["answer"]},
        Answer,
    )
    answer = msgspec.structs.replace(
        answer,
        message=None if outputs is None else _messages([outputs["message"]])[0],
        usage=_usage(node, mark),
        price=_price(mark),
    )
    return ModelCall(
        seq=mark["seq"],
        at=mark["at"],
        cause=mark["cause"],
        by=mark["by"],
        model=node["requested_model"],
        request=recorded,
        answer=answer,
    )


def _request(node: _Object) -> Request:
    inputs = node["inputs"]
    tools = tools_of(inputs.get("tools", []))
    if tools is None:
        raise Changed("the tools of a model call are none")
    settings: dict[str, Json] = node["model_params"]
    return Request(
        system=inputs["system"],
        messages=_messages(inputs["messages"]),
        tools=tools,
        settings=settings,
        form=inputs.get("form"),
    )


def _messages(value: object) -> tuple[Message, ...]:
    found = conversation_of(value)
    if found is None or found.system is not None:
        raise Changed("the messages of a model call are none")
    return found.messages
