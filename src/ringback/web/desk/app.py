"""The desk as an application: addresses, and what a command in a page does.

A command is answered with the pieces of the page that it changes. It names the step that its page
showed, so that one from a page that is behind is refused and what was typed stays where it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from ringback.domains import load
from ringback.episode.events import Start
from ringback.errors import InputError, RingbackError
from ringback.grading.grade import Grade
from ringback.models import CredentialError
from ringback.operating import Desk, Seen, Taken
from ringback.operating.texts import LONGEST
from ringback.report.transcript import Transcript
from ringback.report.transcript import transcript as transcript_of
from ringback.sessions import Store
from ringback.web.desk import pages
from ringback.web.desk.forms import arguments, free_calls, pairs
from ringback.web.desk.opening import Opening
from ringback.web.desk.under_way import UnderWay
from ringback.web.desk.views import Standing, Turn, standing

__all__ = ["DeskApp"]

_MOST_BYTES = 16 * LONGEST  # of a form, in which a character may have twelve
_SESSION = re.compile(r"[0-9a-f]{8,64}")
_BEHIND = (
    "This page was behind: the call had gone on, in another tab or another program. It is shown as "
    "it stands now. Nothing was sent, and what you wrote is still here."
)


class _TooLong(InputError):  # noqa: N818 - what it is
    """A form that nobody types."""


class DeskApp:
    """The application of one desk. `customer` says in words who calls.

    `key_refused` is told where the customer's model has no key, or one that was refused.
    """

    def __init__(
        self,
        desk: Desk,
        store: Store,
        opening: Opening,
        *,
        customer: str,
        key_refused: Callable[[CredentialError], None] | None = None,
    ) -> None:
        self._desk, self._store, self._opening, self._customer = desk, store, opening, customer
        self._under_way = UnderWay(key_refused)

    def application(self) -> Starlette:
        """The ASGI application; it belongs behind a `ringback.web.guard.Guard`."""
        episode = "/e/{session}"
        return Starlette(
            routes=[
                Route("/", self._start, methods=["GET"]),
                Route("/start", self._begin, methods=["POST"]),
                Route(episode, self._console, methods=["GET"]),
                Route(f"{episode}/now", self._now, methods=["GET"]),
                Route(f"{episode}/transcript", self._transcript, methods=["GET"]),
                Route(f"{episode}/{{command}}", self._command, methods=["POST"]),
                Route("/static/{name}", _static, methods=["GET"]),
            ],
            exception_handlers={HTTPException: _nowhere, RingbackError: _cannot},
        )

    async def close(self) -> None:
        """Drop what is under way; all that was said is recorded."""
        await self._under_way.close()

    # --- the start page

    async def _start(self, _: Request) -> Response:
        return self._start_page(self._untyped())

    def _untyped(self) -> pages.Typed:
        opening = self._opening
        return pages.Typed(opening.offered(), str(opening.seed), str(opening.trial))

    async def _begin(self, request: Request) -> Response:
        try:
            filled = await _filled(request)
        except InputError as problem:
            status = 413 if isinstance(problem, _TooLong) else 400
            return self._start_page(self._untyped(), str(problem), status)
        typed = pages.Typed(*(filled.get(name, "") for name in ("case", "seed", "trial")))
        try:
            session = await self._opening.begin(self._desk, typed.case, typed.seed, typed.trial)
        except Taken as taken:
            if taken.ending is None:  # it is open: that is where one wants to go
                return RedirectResponse(f"/e/{taken.session}", 303)
            words = (
                "You have played this case with this seed, and one outcome counts. Another trial "
                "or seed plays it once more, and then both count."
            )
            return self._start_page(typed, words, 409)
        except RingbackError as problem:
            return self._start_page(typed, str(problem), 409)
        await self._under_way.begin(session, self._desk.wait(session))
        return RedirectResponse(f"/e/{session}", 303)

    def _start_page(self, typed: pages.Typed, notice: str = "", status: int = 200) -> Response:
        # Of a record that cannot be read nobody knows whose it is: that it is there is said.
        mine = (self._opening.called, None)
        episodes = [each for each in self._desk.episodes() if each.operator in mine]
        page = pages.start(self._opening, episodes, typed, self._customer, notice)
        return HTMLResponse(page, status)

    # --- an episode

    async def _console(self, request: Request) -> Response:
        session = self._meant(request)
        look = self._desk.look(session)
        told = self._told(session, look.stands)
        page = pages.console(look, self._standing(look.stands), self._under_way.told(session), told)
        return HTMLResponse(page)

    async def _now(self, request: Request) -> Response:
        """What has changed since a page was made; nothing where it is as it was."""
        session = self._meant(request)
        now = self._standing(self._desk.seen(session))
        if now.tag == request.query_params.get("tag"):
            return Response(status_code=204)
        return self._pieces(session, self._under_way.told(session))

    async def _command(self, request: Request) -> Response:
        session = self._meant(request)
        try:
            filled = await _filled(request)
        except InputError as problem:
            return self._pieces(session, str(problem), 409)
        name = request.path_params["command"]
        if name in ("stop", "abandon") and _fits(self._desk.seen(session), filled):
            await self._under_way.stop(session)
        if name == "stop":
            return self._pieces(session, self._under_way.told(session))
        # From here to the command nothing is waited for: what is seen is what it is done to.
        seen, before = self._desk.seen(session), self._desk.recorded(session)
        try:
            command = self._asked(name, session, seen, filled)
        except InputError as problem:
            return self._pieces(session, str(problem), 409)

        def taken() -> bool:
            return name == "wait" or self._desk.recorded(session) != before

        await self._under_way.begin(session, command, taken)
        if self._desk.recorded(session) == before:
            # Nothing came of it, if it failed: that is for this page alone, which keeps its text.
            notice = self._under_way.forget(session)
            if notice and self._desk.seen(session).steps != seen.steps:
                notice = _BEHIND
            if notice:
                return self._pieces(session, notice, 409)
        return self._pieces(session, self._under_way.told(session))

    def _asked(
        self, command: str, session: str, seen: Seen, filled: dict[str, str]
    ) -> Coroutine[Any, Any, object]:
        """The command that a form asks for; raises `InputError` where it cannot be done now."""
        if not _fits(seen, filled):
            raise InputError(_BEHIND)
        if self._under_way.busy(session):
            raise InputError("The customer is being asked; wait for the answer. Nothing was sent.")
        desk, steps = self._desk, seen.steps
        if command == "wait":
            return desk.wait(session, expect_step=steps)
        if command == "abandon":
            why = filled.get("text", "").strip() or None
            return desk.abandon(session, why, expect_step=steps)
        if seen.state == "customer":
            raise InputError("The customer has not answered yet. Nothing was sent.")
        match command:
            case "say":
                return desk.say(session, _text(filled), expect_step=steps)
            case "call":
                return desk.call(session, self._calls(session, filled), expect_step=steps)
            case "end":
                return desk.end(session, filled.get("text", ""), expect_step=steps)
            case "transfer":
                return desk.transfer(session, filled.get("text", ""), expect_step=steps)
            case _:
                raise HTTPException(404)

    def _calls(self, session: str, filled: dict[str, str]) -> list[tuple[str, Any]]:
        name = filled.get("tool", "")
        if "free" in filled:
            return free_calls(name, filled.get("json", ""))
        tools = {tool.name: tool for tool in self._desk.look(session).tools}
        if name not in tools:
            raise InputError("There is no form for this tool; load the page again.")
        return [(name, arguments(tools[name], filled))]

    async def _transcript(self, request: Request) -> Response:
        session = self._meant(request)
        told = self._told(session, self._desk.seen(session))
        if told is None:
            raise HTTPException(404)
        headers = {"content-security-policy": pages.transcript_policy()}
        return HTMLResponse(pages.transcript(told, session), headers=headers)

    # --- within

    def _meant(self, request: Request) -> str:
        """The episode in the address, if it is one of this desk's operator."""
        session: str = request.path_params["session"]
        if not _SESSION.fullmatch(session):
            raise HTTPException(404)
        try:
            session = self._desk.only(session, self._opening.called)
        except InputError:
            raise HTTPException(404) from None
        if self._desk.seen(session).operator != self._opening.called:
            raise HTTPException(404)
        return session

    def _standing(self, seen: Seen) -> Standing:
        session, at = seen.session, None
        turn: Turn = "yours" if seen.state == "yours" else "over"
        if seen.state == "customer":
            at = self._desk.at(session)
            turn = "asking" if self._under_way.busy(session) else "elsewhere" if at else "cut"
        return standing(seen, turn, at=at, ended=self._under_way.ended(session))

    def _pieces(self, session: str, notice: str, status: int = 200) -> Response:
        look = self._desk.look(session)
        now = self._standing(look.stands)
        # Of a call that is over everything is another, so the page is loaded anew.
        headers = {"HX-Refresh": "true"} if now.turn == "over" else None
        return HTMLResponse(pages.pieces(look, now, notice), status, headers)

    def _told(self, session: str, seen: Seen) -> Transcript | None:
        """The transcript of an episode whose case may be seen now, None of any other."""
        if seen.over is None or seen.over.grade is None:
            return None
        events = self._store.events(session)
        start = events[0]
        world = load(start.condition.domain) if isinstance(start, Start) else None
        return transcript_of(events, world, self._store.grade(session, Grade))


def _fits(seen: Seen, filled: dict[str, str]) -> bool:
    """Whether a form is of a page that shows the episode as it stands."""
    return filled.get("expect_step", "") == str(seen.steps) and seen.state != "over"


def _text(filled: dict[str, str]) -> str:
    text = filled.get("text", "")
    if not text.strip():
        raise InputError("There is nothing to send: the text is empty.")
    return text


async def _filled(request: Request) -> dict[str, str]:
    """The form in a request; `InputError` where it is too long or none."""
    body = bytearray()
    try:
        async for piece in request.stream():
            body += piece
            if len(body) > _MOST_BYTES:
                raise _TooLong(f"This is too long to be sent: {LONGEST:,} characters are the most.")
    except ClientDisconnect:  # nobody is there to be answered
        raise HTTPException(400) from None
    return pairs(bytes(body))


async def _static(request: Request) -> Response:
    found = pages.static(request.path_params["name"])
    if found is None:
        raise HTTPException(404)
    return Response(found[0], media_type=found[1])


async def _nowhere(_: Request, problem: Exception) -> Response:
    status = problem.status_code if isinstance(problem, HTTPException) else 404
    words = "There is nothing here, or nothing that this desk's operator may see."
    return HTMLResponse(pages.nothing_here(words), status)


async def _cannot(request: Request, problem: Exception) -> Response:
    """What the store or the record does not let us do; a piece of a page is told in words alone."""
    if "hx-request" in request.headers:
        return PlainTextResponse(str(problem), 503)
    return HTMLResponse(pages.nothing_here(str(problem), "This cannot be shown now"), 503)
