"""A telecom call that was not solved, and what is asked of it more than once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from ringback.domain import Did, Happening, Said, Side, Task, Verdict
from ringback.telecom.checks import end_checks
from ringback.telecom.faults import OVERDUE_BILL, start_state
from ringback.telecom.requests import requested
from ringback.telecom.speech.closing import announces_hand_over, awaits, offers_hand_over
from ringback.telecom.speech.text import plain, spoken
from ringback.telecom.standing import STANDS, broken, standing
from ringback.telecom.state import State
from ringback.telecom.told import Denied, denied
from ringback.telecom.world import state_of

__all__ = ["FailedCall"]

_TRANSFER = "transfer_to_human_agents"
_UNPAID = "overdue_bill_suspension"


class FailedCall:
    """A call that was not solved, and what is asked of it more than once."""

    def __init__(
        self,
        task: Task,
        history: Sequence[Happening],
        end: State,
        verdict: Verdict,
        closed_by: Side | None,
    ) -> None:
        self.task, self.history, self.end = task, history, end
        self.verdict, self.closed_by = verdict, closed_by
        self.start = start_state(task.faults)
        self.last = history[-1].seq if history else 0
        self.unmet = not all(check.met for check in verdict.end if check.counted)

    @cached_property
    def words(self) -> Said | None:
        """The agent's last sentence."""
        said = (h for h in reversed(self.history) if isinstance(h, Said) and h.side == "agent")
        return next(said, None)

    @cached_property
    def transfer(self) -> Did | None:
        """The agent's transfer."""
        dids = (h for h in self.history if isinstance(h, Did) and not h.outcome.error)
        return next((d for d in dids if (d.side, d.tool) == ("agent", _TRANSFER)), None)

    @cached_property
    def handed_over(self) -> int | None:
        """Where the agent handed over: by its tool, or in words that the customer took up."""
        if self.transfer is not None:
            return self.transfer.seq
        words = self.words
        if self.closed_by != "user" or words is None:
            return None
        return words.seq if offers_hand_over(plain(spoken(words.text))) else None

    @cached_property
    def at_work(self) -> bool:
        """Whether the agent waited for an answer when the call was ended, or had not spoken yet."""
        return self.words is None or awaits(plain(spoken(self.words.text)))

    @cached_property
    def sent_away(self) -> bool:
        """Whether the customer ended it on words that a colleague takes over, and no question."""
        words = self.words
        if self.closed_by != "user" or words is None:
            return False
        return announces_hand_over(plain(spoken(words.text)))

    @cached_property
    def left(self) -> tuple[str, ...]:
        """What is still to be repaired at the end, what was broken on the way included."""
        return (*standing(self.task, self.end), *broken(self.task, self.start, self.end))

    @cached_property
    def denied(self) -> tuple[Denied, ...]:
        """What the customer told and the world denies."""
        return denied(self.task, self.history, self.start)

    @cached_property
    def misled(self) -> bool:
        """Whether all that is left was hidden from the agent by what the customer told.

        A bill that it says it has paid and has not hides all: on a line that is suspended no step
        can be seen to help.
        """
        told = {name for claim in self.denied for name in claim.hides}
        bill = self.end.carrier.bill(OVERDUE_BILL)
        if bill is not None and bill.status != "Paid":
            if _UNPAID in told:
                return True
        else:
            told.discard(_UNPAID)  # it was paid after all
        return bool(self.left) and told.issuperset(self.left)

    @cached_property
    def whole(self) -> tuple[int, tuple[int, Did] | None]:
        """Where all came to be repaired, -1 where it never did, and the deed that broke it last."""
        met, whole, spoiler = self.met(self.start), -1, None
        for place, did, _, after in self.changes():
            was, met = met, self.met(after)
            if met and not was:
                whole = place
            elif was and not met:
                spoiler = place, did
        return whole, spoiler if self.unmet else None

    @cached_property
    def undone_by_agent(self) -> bool:
        """Whether all was repaired until the agent broke it, or had it broken."""
        spoiler = self.whole[1]
        return spoiler is not None and not self.unasked(*spoiler)

    @cached_property
    def broken_by_customer(self) -> tuple[tuple[int, Did], ...]:
        """Deeds of the customer's that nobody asked for, where without them nothing were left."""
        whole, spoiler = self.whole
        stood: frozenset[str] = frozenset()
        if spoiler is not None:
            stood = frozenset(standing(self.task, state_of(self._did(whole).after)))
        last: dict[str, tuple[int, Did]] = {}
        for place, did, before, after in self.changes():
            for name in self.left:
                if STANDS[name](self.task, after) and not STANDS[name](self.task, before):
                    last[name] = place, did
        new = [name for name in self.left if name not in stood]
        if any(name not in last for name in new):
            return ()
        found = [last[name] for name in new]
        if spoiler is not None:
            found.append(spoiler)
        return tuple(found) if all(self.unasked(*each) for each in found) else ()

    def _did(self, place: int) -> Did:
        did = self.history[place]
        assert isinstance(did, Did)
        return did

    def unasked(self, place: int, did: Did) -> bool:
        """Whether the customer did this of its own accord."""
        return did.side == "user" and not requested(self.history[:place], did)

    def changes(self) -> Iterator[tuple[int, Did, State, State]]:
        """Every deed that changed the state, with its place in the history."""
        for place, did in enumerate(self.history):
            if isinstance(did, Did):
                before, after = state_of(did.before), state_of(did.after)
                if before is not after:
                    yield place, did, before, after

    def met(self, state: State) -> bool:
        """Whether the end-state checks hold in a state."""
        return all(check.met for check in end_checks(self.task, state))
