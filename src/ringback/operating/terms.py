"""The terms on which episodes are begun: all but the case."""

from __future__ import annotations

from msgspec import Struct

from ringback.agents.operator import Operator, operator_of
from ringback.canonical import Json
from ringback.domain import Domain
from ringback.domains import load
from ringback.episode.events import Limits
from ringback.episode.participants import OPERATOR
from ringback.errors import InputError
from ringback.study.file import unusable

__all__ = ["Terms"]

_MOST_TRIALS = 1_000_000


class Terms(Struct, frozen=True, kw_only=True):
    """Who calls, who answers, and by which draw; `called` is the operator's name in the record.

    `split` is the one that the next case is drawn from, the domain's default one if None.
    """

    domain: str = "telecom"
    split: str | None = None
    seed: int = 0
    trial: int = 0
    user: str = "rules"
    user_settings: dict[str, Json] = {}
    called: str = OPERATOR
    policy: str | None = None
    limits: Limits = Limits()

    @property
    def operator(self) -> Operator:
        """Who answers; `InputError` for a name that is none."""
        return operator_of({"as": self.called})

    @property
    def world(self) -> Domain:
        """The support world; `InputError` if there is none of this name."""
        return load(self.domain)

    @property
    def drawn_from(self) -> str:
        """The split of which the next case is."""
        return self.world.splits[0] if self.split is None else self.split

    @property
    def variant(self) -> str:
        """The name of the policy's wording."""
        return self.world.policies[0] if self.policy is None else self.policy

    def refuse_unusable(self) -> None:
        """Raise `InputError` where no episode can be begun with these, whatever the world is."""
        _ = self.operator
        if not 0 <= self.seed < 2**63:
            raise InputError(
                f"The seed {self.seed} is not usable; give a whole number from 0 to 2^63 - 1."
            )
        if not 0 <= self.trial < _MOST_TRIALS:
            raise InputError(
                f"There is no trial {self.trial}; they count from 0 to {_MOST_TRIALS - 1:,}."
            )
        if wrong := unusable(self.limits):
            raise InputError(f"The episode {wrong}.")

    def check(self) -> None:
        """Raise `InputError` for what cannot be, before anybody comes to begin an episode."""
        self.refuse_unusable()
        self.world.tasks(self.drawn_from)
        self.world.policy(self.variant)
