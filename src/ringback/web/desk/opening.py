"""What the episodes that are begun at a desk are like, as its command line says."""

from __future__ import annotations

from msgspec.structs import replace

from ringback.errors import InputError
from ringback.operating import Desk, Terms, named_case
from ringback.operating.cases import number_of

__all__ = ["Opening"]


class Opening(Terms, frozen=True, kw_only=True):
    """The terms of a desk, of which its start page offers seed and trial, and a case, to change.

    `case` None is the next one of `split`.
    """

    case: str | None

    def check(self) -> None:
        """Raise `InputError` for what cannot be, before anybody opens a page."""
        super().check()
        if self.case is not None:
            named_case(self.world, self.case)

    def offered(self) -> str:
        """The case that the start page offers, by its number: an id would tell what it is."""
        if self.case is None:
            return ""
        domain = self.world
        return number_of(domain, named_case(domain, self.case)) or self.case

    async def begin(self, desk: Desk, case: str, seed: str, trial: str) -> str:
        """Begin an episode with what was typed; empty takes the next case. Gives its id."""
        if self.split is not None and case.strip().isdigit():
            case = f"{self.split}:{case.strip()}"
        draw = replace(self, seed=_whole("The seed", seed), trial=_whole("The trial", trial))
        return await desk.begin_when_free(case.strip() or None, draw)


def _whole(what: str, text: str) -> int:
    if not text.strip().isascii() or not text.strip().isdigit() or len(text.strip()) > 19:
        raise InputError(f"{what} is a whole number from 0 on.")
    return int(text)
