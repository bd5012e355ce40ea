"""What whoever starts a server decides beforehand, so that its clients cannot."""

from __future__ import annotations

from ringback.errors import InputError
from ringback.operating import Terms, named_case

__all__ = ["Host"]


class Host(Terms, frozen=True, kw_only=True):
    """The terms on which episodes are begun here, and which cases.

    With `cases` (numbers or task ids, as `named_case` reads them) a client gets these, in this
    order, and chooses nothing. Else it may name a number of `split`, the domain's default one if
    None, or take the next. `seed` and `trial` are never the client's: with another of them it
    could play a case again that it was told of.
    """

    cases: tuple[str, ...] = ()

    @property
    def policy_text(self) -> str:
        """What the operator is told; `InputError` if there is no such wording."""
        return self.world.policy(self.variant)

    @property
    def chooses(self) -> tuple[str, ...]:
        """What a client may name when it begins an episode."""
        return () if self.cases else ("case",)

    def check(self) -> None:
        """Raise `InputError` for what is not there, before a client comes to ask for it."""
        if self.cases and self.split is not None:
            raise InputError("--case and --tasks both say what is played; give one of them.")
        for case in self.cases:
            named_case(self.world, case)
        if self.operator.called != self.called:
            raise InputError(f"The operator's name {self.called!r} has spaces around it.")
        super().check()
