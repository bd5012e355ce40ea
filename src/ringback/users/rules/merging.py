"""One request for what a message says several times: as a wish, as directions, as a question."""

from __future__ import annotations

from msgspec.structs import replace

from ringback.users.rules.request import Request
from ringback.users.rules.words import SWITCHES

__all__ = ["merged"]

_MOST = 24


def merged(requests: list[Request]) -> tuple[Request, ...]:
    """The requests without repetitions, in order; at most 24 of them."""
    strong = [request for request in requests if not request.weak]
    kept: list[Request] = []
    for request in _announced_gone(strong or requests):
        at = next(
            (
                number
                for number in range(len(kept) - 1, -1, -1)
                if (kept[number].act, kept[number].topic) == (request.act, request.topic)
                and (request.act != "grant" or request.value in (kept[number].value, ""))
            ),
            None,
        )
        if request.topic == "outcome" and request.value == "ask" and _tested(kept):
            continue
        if at is None:
            kept.append(request)
        elif request.act == "switch":
            old = kept[at]
            turned = {r.value for r in kept if (r.act, r.topic) == ("switch", request.topic)}
            same = request.value in (old.value, "flip")
            if old.value == "flip" and request.value != "flip":
                kept[at] = replace(old, value=request.value)
            elif (
                same
                and request.when is None
                and (request.sure, request.named)
                > (
                    old.sure,
                    old.named,
                )
            ):
                kept[at] = replace(old, sure=True, named=request.named or old.named)
            elif turned >= {"on", "off"}:
                continue
            elif request.value not in (old.value, "flip"):
                kept.append(request)
            elif (
                old.when is not None and request.when is None and request.sure and not request.item
            ):
                kept[at] = request
        elif request.act == "mode":
            if kept[at].when is not None and request.when is None and request.sure:
                kept[at] = request
        elif _stale(request, kept[at + 1 :]):
            kept.append(request)
        elif request.when is None and kept[at].when is not None:
            kept[at] = replace(kept[at], when=None)
        elif request.act == "look" and request.value != "ask" and kept[at].value == "ask":
            kept[at] = replace(kept[at], value="", sure=True)
    return tuple(_unneeded_looks_gone(_vague_gone(kept))[:_MOST])


def _announced_gone(requests: list[Request]) -> list[Request]:
    """As in "We'll do A and B. Steps: 1) B 2) A": the list has the order, not the sentence."""
    listed: set[tuple[str, str]] = set()
    kept: list[Request] = []
    for request in reversed(_purposes_gone(requests)):
        what = (request.act, request.topic)
        if request.item or what not in listed or request.when is not None:
            kept.append(request)
        if request.item and request.when is None:
            listed.add(what)
    return kept[::-1]


_WORKS = frozenset(("data", "internet", "connection", "signal", "mms", "speed", "outcome"))


def _purposes_gone(requests: list[Request]) -> list[Request]:
    """As in "Let's see if your data is back. Run `run_speed_test()`": the action is the way to."""
    by_name = [n for n, r in enumerate(requests) if r.named and r.act in ("look", "test")]
    if not by_name:
        return requests
    return [
        request
        for number, request in enumerate(requests)
        if number > by_name[0]
        or request.named
        or request.item
        or request.act not in ("look", "test")
        or request.topic not in _WORKS
    ]


def _vague_gone(requests: list[Request]) -> list[Request]:
    """As in "tell me the results": those of the looks and tests that the message names, if any."""
    acts = [n for n, request in enumerate(requests) if request.act not in ("look", "test")]
    return [
        request
        for number, request in enumerate(requests)
        if request.topic != "outcome"
        or request.value != "ask"
        or len(requests) == 1
        or (acts and acts[0] < number)
    ]


_INSTEAD = {"apn": ("reset_apn",), "sim": ("reseat",)} | dict.fromkeys(SWITCHES, ("switch",))


def _unneeded_looks_gone(requests: list[Request]) -> list[Request]:
    """As in "Let's check X. Please turn X off.": the look only announced the order."""

    def ordered(number: int, look: Request) -> bool:
        return look.act == "look" and any(
            later.act in _INSTEAD.get(look.topic, ())
            and later.topic == look.topic
            and later.when is None
            and later.sure
            and not later.presumed
            for later in requests[number + 1 : number + 3]
        )

    return [request for number, request in enumerate(requests) if not ordered(number, request)]


def _tested(kept: list[Request]) -> bool:
    """Whether a test comes after all that is to be done."""
    for request in reversed(kept):
        if request.act != "look":
            return request.act == "test"
    return False


def _stale(request: Request, since: list[Request]) -> bool:
    """Whether the same request means something new after what came between."""
    acted = [r.act for r in since if r.act not in ("look", "test")]
    if request.act in ("look", "test"):
        return bool(acted)
    if request.act == "reboot":
        return bool({"reset_apn", "reseat"} & set(acted))
    return False
