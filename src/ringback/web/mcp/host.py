"""What whoever starts a server decides beforehand, so that its clients cannot."""

from __future__ import annotations

from msgspec import Struct

from ringback.agents.operator import OPERATOR, operator_of
from ringback.canonical import Json
from ringback.domain import Domain
from ringback.domains import load
from ringback.episode.events import Limits
from ringback.errors import InputError
from ringback.operating import named_case
from ringback.operating.begin import refuse_unusable

__all__ = ["Host"]


class Host(Struct, frozen=True, kw_only=True):
    """The terms on which episodes are begun here.

    With `cases` (numbers or task ids, as `named_case` reads them) a client gets these, in this
    order, and chooses nothing. Else it may name a number of `split`, the domain's default one if
    None, or take the next. `seed` and `trial` are never the client's: with another of them it
    could play a case again that it was told of. `called` is the operator's name in the record.
    """

    domain: str = "telecom"
    cases: tuple[str, ...] = ()
    split: str | None = None
    seed: int = 0
    trial: int = 0
    user: str = "rules"
    user_settings: dict[str, Json] = {}
    called: str = OPERATOR
    policy: str | None = None
    limits: Limits = Limits()

    @property
    def world(self) -> Domain:
        """The support world; `InputError` if there is none of this name."""
        return load(self.domain)

    @property
    def drawn_from(self) -> str:
        """The split in which a client's numbers count, and of which the next case is."""
        return self.world.splits[0] if self.split is None else self.split

    @property
    def policy_text(self) -> str:
        """What the operator is told; `InputError` if there is no such wording."""
        world = self.world
        return world.policy(world.policies[0] if self.policy is None else self.policy)

    @property
    def chooses(self) -> tuple[str, ...]:
        """What a client may name when it begins an episode."""
        return () if self.cases else ("case",)

    def check(self) -> None:
        """Raise `InputError` for what is not there, before a client comes to ask for it."""
        world = self.world
        if self.cases and self.split is not None:
            raise InputError("--case and --tasks both say what is played; give one of them.")
        for case in self.cases:
            named_case(world, case)
        world.tasks(self.drawn_from)
        _ = self.policy_text
        if operator_of({"as": self.called}).called != self.called:
            raise InputError(f"The operator's name {self.called!r} has spaces around it.")
        refuse_unusable(self.seed, self.trial, self.limits, self.called)
