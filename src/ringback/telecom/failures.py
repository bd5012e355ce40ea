"""What went wrong in a telecom call that was not solved, from its deeds, worlds and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from ringback.domain import Diagnosis, Did, Happening, Said, Side, Sign, Task, Verdict, World
from ringback.telecom.checks import end_checks
from ringback.telecom.faults import REFUEL_GB, USER_LINE, start_state
from ringback.telecom.scenario import CALLER_NAME
from ringback.telecom.speech.closing import awaits, closes, offers_hand_over
from ringback.telecom.speech.roles import inverted
from ringback.telecom.speech.text import plain, spoken
from ringback.telecom.standing import fewest_steps, standing
from ringback.telecom.state import State
from ringback.telecom.told import Denied, denied
from ringback.telecom.world import state_of

__all__ = ["KINDS", "diagnose"]

KINDS = {
    "premature_transfer": "handed over to a human although the case can be repaired",
    "repair_left": "handed over or ended while a step was left that puts it right",
    "unfinished_repair": "at the end a fault of the task still stands",
    "undone": "what had been repaired was broken again",
    "wrong_refuel": "data was refuelled by another amount than the case asks for",
    "foreign_record": "a line or bill was changed that the call is not about",
    "refuel_without_consent": "data was refuelled and no agreement to it was found",
    "bill_not_overdue": "payment was asked for a bill that is not overdue",
    "resumed_after_contract": "a line was resumed after its contract had ended",
    "phone_tool_by_agent": "the agent called a tool of the customer's phone",
    "roles_inverted": "the customer spoke as the agent",
    "denied_claim": "the customer told what the world denies",
    "ended_early": "the customer ended the call while the agent was at work on it",
    "went_on": "the customer went on after it had seen the repair work",
}
"""What `diagnose` can find, with what it means."""

_FROM_CONDUCT: Mapping[str, str] = {
    "foreign_line": "foreign_record",
    "other_line": "foreign_record",
    "foreign_bill": "foreign_record",
    "refuel_without_consent": "refuel_without_consent",
    "bill_not_overdue": "bill_not_overdue",
    "resumed_after_contract": "resumed_after_contract",
    "phone_tool_by_agent": "phone_tool_by_agent",
}
_TRANSFER = "transfer_to_human_agents"
_TESTS: Mapping[str, frozenset[str]] = {
    "mobile_data_issue": frozenset({"run_speed_test"}),
    "mms_issue": frozenset({"can_send_mms"}),
    "service_issue": frozenset({"check_status_bar", "check_network_status"}),
}
_SAME_GB = 1e-6
_GOES_ON = 2


class _Case(Struct, frozen=True):
    """A call that was not solved, and what is asked of it again and again."""

    task: Task
    history: Sequence[Happening]
    end: State
    verdict: Verdict
    closed_by: Side | None

    @property
    def last(self) -> int:
        return self.history[-1].seq if self.history else 0

    @property
    def words(self) -> Said | None:
        """The agent's last sentence."""
        return next((h for h in reversed(self.history) if _said(h, "agent")), None)  # pyright: ignore

    @property
    def unmet(self) -> bool:
        return not all(check.met for check in self.verdict.end if check.counted)

    def transfer(self) -> Did | None:
        return next(
            (
                h
                for h in self.history
                if isinstance(h, Did)
                and (h.side, h.tool, h.outcome.error) == ("agent", _TRANSFER, False)
            ),
            None,
        )
