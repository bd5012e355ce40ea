"""``ringback desk``: a console in the browser, where a person is the support agent."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from ringback.cli.operate_options import Guard, User
from ringback.cli.options import (
    AsJson,
    DomainName,
    ModelsFile,
    MostErrors,
    MostSteps,
    PolicyVariant,
    StorePath,
    UserSetting,
    Whole,
)

__all__ = ["desk"]

_PATIENCE = 2.0  # seconds a page waits for another process's lock; all tabs wait meanwhile
_CLOSED = (
    "The desk is closed; every call is kept, and `ringback desk` goes on with those that are open."
)


def desk(
    *,
    port: Annotated[Whole, Parameter(help="The port; 0 takes a free one.", metavar="N")] = 0,
    host: Annotated[
        str, Parameter(help="The address of this machine to listen on.", metavar="IP")
    ] = "127.0.0.1",
    others: Annotated[
        bool,
        Parameter(
            name="--i-know-others-can-reach-it",
            help="Allow an address that other machines reach: all that is said, and the address "
            "that lets one in, then go over the network unencrypted.",
            show_default=False,
        ),
    ] = False,
    no_browser: Annotated[
        bool,
        Parameter(
            name="--no-browser",
            help="Print the address alone, where a screen would have it opened in your browser.",
            show_default=False,
        ),
    ] = False,
    case: Annotated[
        str | None,
        Parameter(
            help="What the start page offers: a number (17, base:17) or a task's id; the next "
            "case if left out.",
            metavar="CASE",
        ),
    ] = None,
    tasks: Annotated[
        str | None,
        Parameter(
            help="The split of which the next case is taken; the domain's first one if left out.",
            metavar="SPLIT",
        ),
    ] = None,
    seed: Annotated[Whole, Parameter(help="What the start page offers.", metavar="N")] = 0,
    trial: Annotated[Whole, Parameter(help="What the start page offers.", metavar="N")] = 0,
    user: User = "rules",
    user_setting: UserSetting = (),
    guard: Guard = None,
    as_: Annotated[
        str,
        Parameter(
            name="--as",
            help="Your name in the record; the desk shows the episodes of this name.",
            metavar="NAME",
        ),
    ] = "operator",
    policy: PolicyVariant = None,
    steps: MostSteps = 100,
    errors: MostErrors = 10,
    seconds: Annotated[
        float,
        Parameter(
            help="Active time of the customer's model to an episode; what you take to think is in "
            "no limit.",
            metavar="SECONDS",
        ),
    ] = 1200.0,
    models: ModelsFile = None,
    budget: Annotated[
        float | None,
        Parameter(
            help="Ask the customer's model no more before this desk costs more.", metavar="USD"
        ),
    ] = None,
    domain: DomainName = "telecom",
    store: StorePath = None,
    json: AsJson = False,
) -> int:
    """Answer simulated customers yourself, in the browser."""
    import sys

    from ringback.cli import playing
    from ringback.cli.described import described
    from ringback.cli.options import store_path
    from ringback.cli.output import complain, print_json, print_lines
    from ringback.cli.serving import make_sure, note_key, until_stopped
    from ringback.cli.settings import user_settings
    from ringback.episode.events import Limits
    from ringback.operating import Desk
    from ringback.sessions import Store

    _refuse_without_extra()
    from ringback.web.desk.app import DeskApp
    from ringback.web.desk.opening import Opening
    from ringback.web.guard import ENTRY, Guard, listening, new_token
    from ringback.web.serving import serve

    opening = Opening(
        domain=domain,
        split=tasks,
        case=case,
        seed=seed,
        trial=trial,
        user=user,
        user_settings=user_settings(user_setting, guard),
        called=as_.strip(),
        policy=policy,
        limits=Limits(steps, errors, seconds),
    )
    opening.check()
    token = new_token()
    opened = playing.models(None if models is None else described(models), budget)
    with Store.open(store_path(store), paid=True, patience=_PATIENCE) as kept:
        customer = make_sure(user, opening.user_settings, kept, opened)
        listener, place = listening(host, port, outside=others)
        app = DeskApp(
            Desk(kept, opened.open, door="browser", ready=opened.ready),
            kept,
            opening,
            customer=customer,
            key_refused=lambda problem: note_key(user, problem, kept),
        )
        door = Guard(app.application(), place, token, cookie=f"ringback-desk-{place.port}")
        url = f"{place.url}{ENTRY}{token}"
        if place.warning is not None:
            complain(place.warning)
        if json:
            print_json({"url": url})
        else:
            print_lines([f"The desk is open at {url}", "Ctrl-C closes it; every call is kept."])
        sys.stdout.flush()
        if not no_browser:
            _show(place.url + door.entry_once())
        work = serve(door, listener, on_stop=app.close)
        return until_stopped(work, kept, opened, _CLOSED)


def _show(url: str) -> None:
    """Open the address in the user's browser, if there is a screen for one.

    The address is on the browser's command line, which others on the machine can read: it lets in
    once. Without a screen none is opened, since a browser in the terminal would take that away.
    """
    import contextlib
    import os
    import sys
    import webbrowser

    apart = sys.platform == "darwin" or sys.platform == "win32"
    if "SSH_CONNECTION" in os.environ or not (
        apart or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        return
    with contextlib.suppress(webbrowser.Error):
        webbrowser.open(url)


def _refuse_without_extra() -> None:
    from importlib.util import find_spec

    from ringback.errors import InputError

    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise InputError(
            "`ringback desk` needs starlette and uvicorn; install them with: "
            "pip install 'ringback[desk]'"
        )
