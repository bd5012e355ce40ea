"""``ringback operate look`` and ``list``: what an operator may see, of one episode and of all."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ringback.cli.operate_options import Budget, Session
from ringback.cli.options import AsJson, ModelsFile, StorePath

if TYPE_CHECKING:
    from ringback.cli.operate_at import Seat

__all__ = ["list_", "look"]

_PATIENCE = 3.0  # seconds to wait for another process's lock before a look shows what there is


def look(
    *,
    only: Annotated[
        tuple[str, ...],
        Parameter(
            help="Only this part: policy, tools, conversation, or stands for where it stands "
            "alone; may be given several times.",
            metavar="PART",
            show_default=False,
        ),
    ] = (),
    session: Session = None,
    models: ModelsFile = None,
    budget: Budget = None,
    store: StorePath = None,
    json: AsJson = False,
) -> int:
    """Show the conversation so far, your tools, the policy, and the steps that are left.

    Where a command was cut short before the customer had answered, the customer is asked on, unless
    another command is at it or the store cannot be written.
    """
    from ringback.cli.operate_at import AWAY, seated
    from ringback.cli.operate_said import look_object, print_look
    from ringback.cli.operate_typed import parts
    from ringback.cli.output import complain, print_json
    from ringback.errors import RingbackError, StoreError
    from ringback.models import BudgetSpent
    from ringback.operating import CustomerAway

    def ask_on(which: str) -> Seat:
        """Ask the customer on, which alone has to be written."""
        with seated(store, patience=_PATIENCE, models_file=models, budget=budget) as seat:
            seat.hear(which, lambda: seat.desk.wait(which))
            return seat

    shown = parts(only)
    code, problem, asked = 0, None, None
    with seated(store, reads=True, models_file=models, budget=budget) as seat:
        desk = seat.desk
        which = desk.only(session)
        if desk.seen(which).state == "customer":
            if (who := desk.at(which)) is not None:
                problem = f"Another command is at the episode ({who}); the customer is being asked."
            else:
                try:
                    asked = ask_on(which)
                except RingbackError as why:  # what there is can be seen all the same
                    code = AWAY if isinstance(why, CustomerAway | BudgetSpent | StoreError) else 2
                    problem = str(why)
        elif _ungraded(seat, which):
            with contextlib.suppress(RingbackError):
                ask_on(which)
        found = desk.look(which)
        if json:
            print_json(look_object(found, shown))
        else:
            print_look(found, shown, seat)
        if asked is not None:
            asked.heed()
    if problem is not None:
        complain(problem)
    return code


def _ungraded(seat: Seat, which: str) -> bool:
    """Whether a command was cut short between an episode's end and its grade."""
    row = seat.store.row(which)
    return row.ending is not None and row.graded is None


def list_(
    *,
    open_: Annotated[
        bool, Parameter(name="--open", help="Only those that are not over.", show_default=False)
    ] = False,
    as_: Annotated[
        str | None, Parameter(name="--as", help="Only this operator's.", metavar="NAME")
    ] = None,
    store: StorePath = None,
    json: AsJson = False,
) -> int:
    """List operated episodes, the oldest first: where each stands, or how it ended."""
    from ringback.cli.listing import print_json_list
    from ringback.cli.operate_at import seated
    from ringback.cli.operate_said import listed, print_list
    from ringback.cli.output import print_lines

    with seated(store, reads=True) as seat:
        desk = seat.desk
        found = desk.open_episodes(as_) if open_ else desk.episodes(as_)
        if json:
            print_json_list("episodes", listed(found, desk.at))
        elif found:
            print_list(found, desk.at)
        else:
            print_lines(["No episode fits; `ringback operate start` begins one."])
    return 0
