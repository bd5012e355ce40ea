"""What the episodes that are begun at a desk are like, as its command line says."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from ringback.canonical import Json
from ringback.domain import Domain
from ringback.domains import load
from ringback.episode.events import Limits
from ringback.errors import InputError
from ringback.operating import Desk, named_case
from ringback.operating.begin import refuse_unusable
from ringback.operating.cases import number_of

__all__ = ["Opening"]


class Opening(Struct, frozen=True, kw_only=True):
    """What is the same in all episodes of a desk, and what its start page offers first.

    `split` None is the domain's default one; `case` None is the next one of it.
    """

    domain: str
    split: str | None
    case: str | None
    seed: int
    trial: int
    user: str
    user_settings: Mapping[str, Json]
    called: str
    policy: str | None
    limits: Limits

    def check(self) -> None:
        """Raise `InputError` for what the domain does not know, before anybody opens a page."""
        refuse_unusable(self.seed, self.trial, self.limits, self.called)
        domain = self.world()
        domain.tasks(domain.splits[0] if self.split is None else self.split)
        if self.case is not None:
            named_case(domain, self.case)
        if self.policy is not None:
            domain.policy(self.policy)

    def world(self) -> Domain:
        """The domain."""
        return load(self.domain)

    def offered(self) -> str:
        """The case that the start page offers, by its number: an id would tell what it is."""
        if self.case is None:
            return ""
        domain = self.world()
        return number_of(domain, named_case(domain, self.case)) or self.case

    def begin(self, desk: Desk, case: str, seed: str, trial: str) -> str:
        """Begin an episode with what was typed; empty takes the next case. Gives its id."""
        if self.split is not None and case.strip().isdigit():
            case = f"{self.split}:{case.strip()}"
        return desk.begin(
            case.strip() or None,
            split=self.split,
            seed=_whole("The seed", seed),
            trial=_whole("The trial", trial),
            user=self.user,
            user_settings=self.user_settings,
            called=self.called,
            policy=self.policy,
            limits=self.limits,
            domain=self.domain,
        )


def _whole(what: str, text: str) -> int:
    if not text.strip().isascii() or not text.strip().isdigit() or len(text.strip()) > 19:
        raise InputError(f"{what} is a whole number from 0 on.")
    return int(text)
