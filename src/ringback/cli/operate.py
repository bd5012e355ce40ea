"""``ringback operate``: answer a simulated customer yourself, one command a turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ringback.cli.operate_options import Budget, Guard, Session, Step, Text, User
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

if TYPE_CHECKING:
    from ringback.cli.operate_at import Seat
    from ringback.errors import RingbackError
    from ringback.operating import Desk, Seen

__all__ = ["abandon", "call", "end", "say", "start", "transfer"]


def start(
    task: Annotated[
        str | None,
        Parameter(
            name="TASK",
            help="A case's number, such as 17 (of the default split) or base:17, or a task's id, "
            "which names its faults. Left out, the next case that you have not played, in an order "
            "drawn by the seed.",
        ),
    ] = None,
    /,
    *,
    seed: Annotated[
        Whole, Parameter(help="What the customer's draws start from.", metavar="N")
    ] = 0,
    trial: Annotated[
        Whole,
        Parameter(help="Which call of this case, from 0; each is played once.", metavar="N"),
    ] = 0,
    user: User = "rules",
    user_setting: UserSetting = (),
    guard: Guard = None,
    as_: Annotated[
        str,
        Parameter(
            name="--as",
            help="Your name in the record; whoever has another name plays cases of their own.",
            metavar="NAME",
        ),
    ] = "operator",
    policy: PolicyVariant = None,
    steps: MostSteps = 100,
    errors: MostErrors = 10,
    seconds: Annotated[
        float,
        Parameter(
            help="Active time of the customer's model; what you take to think is in no limit.",
            metavar="SECONDS",
        ),
    ] = 1200.0,
    models: ModelsFile = None,
    budget: Budget = None,
    domain: DomainName = "telecom",
    store: StorePath = None,
    json: AsJson = False,
) -> int:
    """Begin an episode, and hear the customer's first words."""
    from ringback.cli.operate_at import seated
    from ringback.cli.operate_said import print_begun
    from ringback.cli.settings import user_settings
    from ringback.episode.events import Limits
    from ringback.errors import InputError
    from ringback.models import CredentialError
    from ringback.operating import Taken, Terms

    with seated(store, begins=True, models_file=models, budget=budget) as seat:
        desk = seat.desk
        try:
            session = desk.begin(
                task,
                Terms(
                    domain=domain,
                    seed=seed,
                    trial=trial,
                    user=user,
                    user_settings=user_settings(user_setting, guard),
                    called=as_,
                    policy=policy,
                    limits=Limits(steps, errors, seconds),
                ),
            )
        except CredentialError as problem:
            seat.refused(user, problem)
            raise
        except Taken as taken:
            if taken.ending is not None:
                raise
            raise InputError(f"{taken} {seat.gives_up(taken.session)}") from None
        look = desk.look(session)

        def head() -> None:
            print_begun(look, seat)

        return _told(seat, session, lambda: desk.wait(session), json=json, head=head)


def say(
    text: Text = (),
    /,
    *,
    session: Session = None,
    expect_step: Step = None,
    models: ModelsFile = None,
    budget: Budget = None,
    store: StorePath = None,
    json: AsJson = False,
) -> int:
    """Say something to the customer, and hear the answer."""
    from ringback.cli.operate_typed import spoken
    from ringback.errors import InputError

    words = spoken(text, "say")
    if words is None:
        raise InputError("`ringback operate say` needs a TEXT; - takes it from standard input.")

    def turn(desk: Desk, which: str) -> Awaitable[Seen]:
        return desk.say(which, words, expect_step=expect_step)

    return _turn(turn, session, models, budget, store, json=json)


def call(
    tool: Annotated[str, Parameter(name="TOOL", help="One of the tools that `look` shows.")],
    argument: Annotated[
        tuple[str, ...],
        Parameter(
            name="KEY=VALUE",
            help="An argument. Numbers, true and false are read where the tool wants them, JSON "
            "where it wants a list or an object; a string is what is typed. A + and another TOOL "
            "with its arguments make it two calls in one turn, and so on.",
            show_default=False,
        ),
    ] = (),
    /,
    *,
    args: Annotated[
        str | None,
        Parameter(help="All arguments at once, as a JSON object.", metavar="JSON"),
    ] = None,
    session: Session = None,
    expect_step: Step = None,
    models: ModelsFile = None,
    budget: Budget = None,
    store: StorePath = None,
    json: AsJson = False,
) -> int:
    """Call one of your tools, or several in one turn, and see the answers."""
    from ringback.cli.operate_typed import calls

    def turn(desk: Desk, which: str) -> Awaitable[Seen]:
        typed = calls(tool, argument, args, desk.look(which).tools)
        return desk.call(which, typed, expect_step=expect_step)

    return _turn(turn, session, models, budget, store, json=json)


def transfer(
    summary: Annotated[
        tuple[str, ...],
        Parameter(
            name="SUMMARY",
            help="For the colleague who takes the call, in 'single quotes'; - takes it from "
            "standard input.",
            show_default=False,
            allow_leading_hyphen=True,
        ),
    ] = (),
    /,
    *,
    session: Session = None,
    expect_step: Step = None,
    models: ModelsFile = None,
    budget: Budget = None,
    store: StorePath = None,
    json: AsJson = False,
) -> int:
    """Hand the customer over to a colleague: the tool for it, then the words for it."""
    from ringback.cli.operate_typed import spoken

    words = spoken(summary, "transfer")

    def turn(desk: Desk, which: str) -> Awaitable[Seen]:
        return desk.transfer(which, words, expect_step=expect_step)

    return _turn(turn, session, models, budget, store, json=json)


def end(
    text: Text = (),
    /,
    *,
    session: Session = None,
    expect_step: Step = None,
    models: ModelsFile = None,
    budget: Budget = None,
    store: StorePath = None,
    json: AsJson = False,
) -> int:
    """End the call from your side, with a last word or without, and see what it was worth."""
    from ringback.cli.operate_typed import spoken

    words = spoken(text, "end")

    def turn(desk: Desk, which: str) -> Awaitable[Seen]:
        return desk.end(which, words, expect_step=expect_step)

    return _turn(turn, session, models, budget, store, json=json)


def abandon(
    why: Annotated[
        tuple[str, ...],
        Parameter(
            name="WHY",
            help="A word for the record, in 'single quotes'; - takes it from standard input.",
            show_default=False,
            allow_leading_hyphen=True,
        ),
    ] = (),
    /,
    *,
    session: Session = None,
    expect_step: Step = None,
    store: StorePath = None,
    json: AsJson = False,
) -> int:
    """Give an episode up: it stays in the record, counts for nothing, and can be begun again."""
    from ringback.cli.operate_typed import spoken
    from ringback.sessions import Unreadable

    words = spoken(why, "abandon")

    def turn(desk: Desk, which: str) -> Awaitable[Seen]:
        return desk.abandon(which, words, expect_step=expect_step)

    try:
        return _turn(turn, session, None, None, store, json=json)
    except Unreadable as problem:
        return _close_unread(problem, session, store, json=json)


def _close_unread(
    problem: RingbackError, session: str | None, store: Path | None, *, json: bool
) -> int:
    """Give an episode up of which no more is known than that it is there."""
    import asyncio

    from ringback.cli.operate_at import seated
    from ringback.cli.output import complain, print_json, print_lines

    with seated(store) as seat:
        which = seat.desk.only(session)
        asyncio.run(seat.desk.close_unread(which))
    complain(str(problem))
    if json:
        print_json({"session": which, "ending": "abandoned"})
    else:
        print_lines([f"Episode {which} is given up all the same, and its case can be begun again."])
    return 0


def _turn(
    turn: Callable[[Desk, str], Awaitable[Seen]],
    session: str | None,
    models: Path | None,
    budget: float | None,
    store: Path | None,
    *,
    json: bool,
) -> int:
    """Take a turn in the episode that is meant, and print what it came to."""
    from ringback.cli.operate_at import seated

    with seated(store, models_file=models, budget=budget) as seat:
        which = seat.desk.only(session)
        return _told(seat, which, lambda: turn(seat.desk, which), json=json)


def _told(
    seat: Seat,
    session: str,
    work: Callable[[], Awaitable[Seen]],
    *,
    json: bool,
    head: Callable[[], None] | None = None,
) -> int:
    """Do what may have to wait for the customer, and print what it came to."""
    from ringback.cli.operate_at import AWAY
    from ringback.cli.operate_said import print_heard
    from ringback.cli.output import complain, print_json
    from ringback.models import BudgetSpent
    from ringback.operating import CustomerAway

    try:
        seen = seat.hear(session, work)
    except CustomerAway as problem:
        complain(f"{problem} {seat.hint('operate', 'look', '--session', session)} asks once more.")
        return AWAY
    except BudgetSpent as problem:
        look = seat.hint("operate", "look", "--session", session)
        complain(f"{problem} Episode {session} stands; {look} asks on.")
        return AWAY
    if json:
        print_json(seen)
    else:
        if head is not None:
            head()
        print_heard(seen, seat)
    seat.heed()
    return 0
