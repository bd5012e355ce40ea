"""What went wrong in a telecom call that was not solved, from its deeds, worlds and sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from ringback.domain import Diagnosis, Did, Happening, Said, Side, Sign, Task, Verdict, World
from ringback.telecom.checks import end_checks
from ringback.telecom.faults import FAULTS, REFUEL_GB, USER_LINE, start_state
from ringback.telecom.scenario import CALLER_NAME
from ringback.telecom.speech.closing import awaits, offers_hand_over
from ringback.telecom.speech.roles import inverted
from ringback.telecom.speech.text import plain, spoken
from ringback.telecom.standing import CLOSING, broken, fewest_steps, standing
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
_GOODBYES = 2  # sentences in which a customer who has seen it work can say so and take its leave
_GENERIC = frozenset({"toggle", "set", "reset", "mode", "device", "settings", "card", "app"})


def diagnose(
    task: Task,
    history: Sequence[Happening],
    end: World,
    verdict: Verdict,
    closed_by: Side | None,
) -> Diagnosis:
    """What went wrong in a call that was not solved; pure.

    `closed_by` is who ended it, None where it was cut off. Nothing is read from the texts of
    results, so that recordings of another program can be judged.
    """
    case = _Case(task, history, state_of(end), verdict, closed_by)
    signs = [
        *_conduct(case),
        *_refuel(case),
        *_roles(case),
        *_claims(case),
        *_afterwards(case),
        *_unfinished(case),
        *(_repairable(case) if task.repairable else _hopeless(case)),
    ]
    return Diagnosis(tuple(sorted(signs, key=lambda sign: sign.seq)), fewest_steps(task))


class _Case:
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
    def left(self) -> tuple[str, ...]:
        """What is still to be repaired at the end, what was broken on the way included."""
        return (*standing(self.task, self.end), *broken(self.task, self.start, self.end))

    @cached_property
    def denied(self) -> tuple[Denied, ...]:
        """What the customer told and the world denies."""
        return denied(self.task, self.history, self.start)

    @cached_property
    def misled(self) -> bool:
        """Whether all that is left was hidden from the agent by what the customer told."""
        told = {name for claim in self.denied for name in claim.hides}
        return bool(self.left) and told.issuperset(self.left)

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


def _conduct(case: _Case) -> Iterator[Sign]:
    for note in case.verdict.conduct:
        kind = _FROM_CONDUCT.get(note.kind)
        if kind is not None:
            spoiled = kind == "resumed_after_contract" and case.unmet and not case.task.repairable
            yield Sign(kind, note.seq, note.text, "agent", decisive=spoiled)


def _refuel(case: _Case) -> Iterator[Sign]:
    before, after = case.start.carrier.line(USER_LINE), case.end.carrier.line(USER_LINE)
    if before is None or after is None:
        return
    added = after.data_refueling_gb - before.data_refueling_gb
    wanted = REFUEL_GB if "data_usage_exceeded" in case.task.faults else 0.0
    if added <= _SAME_GB or abs(added - wanted) <= _SAME_GB:
        return
    seq = max(
        did.seq
        for _, did, old, new in case.changes()
        if did.tool == "refuel_data" and old.carrier.line(USER_LINE) != new.carrier.line(USER_LINE)
    )
    text = f"{added:g} GB were refuelled; the case asks for {wanted:g} GB."
    spoiled = any(
        check.name == "assert_data_refueling_amount" and not check.met for check in case.verdict.end
    )
    yield Sign("wrong_refuel", seq, text, "agent", decisive=spoiled)


def _roles(case: _Case) -> Iterator[Sign]:
    heard = ""
    names = [CALLER_NAME.split()[0].lower()]
    progress = max(
        (place for place, _, old, new in case.changes() if _less(case, old, new)), default=-1
    )
    found: list[tuple[int, Said]] = []
    for place, said in enumerate(case.history):
        if not isinstance(said, Said):
            continue
        if said.side == "agent":
            heard = spoken(said.text)
        elif inverted(spoken(said.text), heard, names) is not None:
            found.append((place, said))
    # Each took a step and had to be answered, which took another.
    used_up = 2 * len(found) >= CLOSING and not case.left and not case.unmet
    for place, said in found:
        lost = place > progress and bool(case.left) and case.handed_over is None
        text = "The customer spoke as if it were the agent."
        if used_up:
            text = (
                f"The customer spoke as if it were the agent, {len(found)} times, and what that "
                "took was missing at the end, when all was repaired."
            )
        yield Sign("roles_inverted", said.seq, text, "user", decisive=lost or used_up)


def _less(case: _Case, before: State, after: State) -> bool:
    return len(standing(case.task, after)) < len(standing(case.task, before))


def _claims(case: _Case) -> Iterator[Sign]:
    for claim in case.denied:
        hides = case.misled and bool({*claim.hides} & {*case.left})
        yield Sign("denied_claim", claim.seq, claim.text, "user", decisive=hides)


def _afterwards(case: _Case) -> Iterator[Sign]:
    """What became of a repair that was whole at some time."""
    if not case.task.repairable:
        return
    met, whole, spoiler = case.met(case.start), -1, None
    for place, did, _, after in case.changes():
        was, met = met, case.met(after)
        if met and not was:
            whole = place
        elif was and not met:
            spoiler = place, did
    if whole < 0:
        return
    if case.unmet and spoiler is not None:
        yield from _spoiled(case, whole, *spoiler)
    elif seen := _seen(case, whole):
        later = [h for h in case.history[seen:] if isinstance(h, Said) and h.side == "user"]
        if len(later) > _GOODBYES:
            text = "The customer went on after it had seen that everything works."
            yield Sign("went_on", later[_GOODBYES].seq, text, "user", decisive=True)


def _seen(case: _Case, whole: int) -> int | None:
    tests = _TESTS[case.task.family]
    for place in range(whole + 1, len(case.history)):
        did = case.history[place]
        if isinstance(did, Did) and did.side == "user" and did.tool in tests:
            return place
    return None


def _spoiled(case: _Case, whole: int, place: int, did: Did) -> Iterator[Sign]:
    asked = did.side == "agent" or _asked_for(case.history[whole:place], did.tool)
    who: Side = "agent" if asked else "user"
    doer = "agent" if did.side == "agent" else "customer"
    request = "" if did.side == "agent" else ", as asked" if asked else ", unasked"
    text = f"Everything was repaired, then the {doer} broke it again with {did.tool}{request}."
    yield Sign("undone", did.seq, text, who, decisive=True)
    if who == "user":
        text = "The customer went on after everything was repaired."
        yield Sign("went_on", did.seq, text, "user")


def _asked_for(history: Sequence[Happening], tool: str) -> bool:
    """Whether the agent's last sentence, if there is one, names what a tool of the phone does."""
    for said in reversed(history):
        if isinstance(said, Said) and said.side == "agent":
            words = plain(spoken(said.text))
            if tool == "reboot_device":
                return re.search(r"\b(?:reboot|restart|power)", words) is not None
            wanted = {*tool.split("_")} - _GENERIC
            return all(word in words.replace("-", "") for word in wanted)
    return False


def _unfinished(case: _Case) -> Iterator[Sign]:
    left = [name for name in case.left if FAULTS[name].repair is not None]
    if left:
        yield Sign("unfinished_repair", case.last, f"At the end there is still {', '.join(left)}.")


def _repairable(case: _Case) -> Iterator[Sign]:
    handed = case.handed_over
    if handed is not None:
        text = f"The agent handed over a case that can be repaired, with {_names(case)} left."
        yield Sign("premature_transfer", handed, text, "agent", decisive=not case.misled)
        if case.unmet:
            yield Sign("repair_left", handed, f"Handed over with {_names(case)} left.", "agent")
    elif case.closed_by is not None and case.unmet:
        text = f"The call was ended with {_names(case)} left."
        if case.closed_by == "user" and case.at_work:
            why = "The customer ended the call while the agent waited for an answer."
            yield Sign("ended_early", case.last, why, "user", decisive=True)
            yield Sign("repair_left", case.last, text, "user")
        else:
            yield Sign("repair_left", case.last, text, "agent", decisive=not case.misled)


def _names(case: _Case) -> str:
    return ", ".join(case.left) or "a step of the repair"


def _hopeless(case: _Case) -> Iterator[Sign]:
    """A case that only a human can solve: what is left is to hand it over."""
    if case.closed_by is None or all(check.met for check in case.verdict.actions if check.counted):
        return
    offered = case.handed_over is not None
    if case.closed_by == "user" and (case.at_work or offered):
        text = "The customer ended the call before the agent had handed it over."
        yield Sign("ended_early", case.last, text, "user", decisive=not case.unmet)
    else:
        text = "The case cannot be repaired, and the agent did not hand it over."
        yield Sign("repair_left", case.last, text, "agent", decisive=True)
