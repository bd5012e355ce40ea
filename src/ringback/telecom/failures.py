"""What went wrong in a telecom call that was not solved, from its deeds, worlds and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ringback.domain import Diagnosis, Did, Happening, Said, Side, Sign, Task, Verdict, World
from ringback.telecom.failed_call import FailedCall
from ringback.telecom.faults import FAULTS, REFUEL_GB, USER_LINE
from ringback.telecom.scenario import CALLER_NAME
from ringback.telecom.speech.roles import inverted
from ringback.telecom.speech.text import spoken
from ringback.telecom.standing import CLOSING, fewest_steps, standing
from ringback.telecom.state import State
from ringback.telecom.world import state_of

__all__ = ["KINDS", "diagnose"]

KINDS = {
    "premature_transfer": "handed over to a human although the case can be repaired",
    "repair_left": "handed over or ended while a step was left that puts it right",
    "unfinished_repair": "at the end a fault of the task still stands",
    "undone": "what had been repaired, or was well, was broken",
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
_TESTS: Mapping[str, frozenset[str]] = {
    "mobile_data_issue": frozenset({"run_speed_test"}),
    "mms_issue": frozenset({"can_send_mms"}),
    "service_issue": frozenset({"check_status_bar", "check_network_status"}),
}
_SAME_GB = 1e-6
_GOODBYES = 2  # sentences in which a customer who has seen it work can say so and take its leave


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
    case = FailedCall(task, history, state_of(end), verdict, closed_by)
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


def _conduct(case: FailedCall) -> Iterator[Sign]:
    for note in case.verdict.conduct:
        kind = _FROM_CONDUCT.get(note.kind)
        if kind is not None:
            spoiled = kind == "resumed_after_contract" and case.unmet and not case.task.repairable
            yield Sign(kind, note.seq, note.text, "agent", decisive=spoiled)


def _refuel(case: FailedCall) -> Iterator[Sign]:
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


def _roles(case: FailedCall) -> Iterator[Sign]:
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


def _less(case: FailedCall, before: State, after: State) -> bool:
    return len(standing(case.task, after)) < len(standing(case.task, before))


def _claims(case: FailedCall) -> Iterator[Sign]:
    for claim in case.denied:
        hides = case.misled and bool({*claim.hides} & {*case.left})
        yield Sign("denied_claim", claim.seq, claim.text, "user", decisive=hides)


def _afterwards(case: FailedCall) -> Iterator[Sign]:
    """What became of a repair that was whole at some time, or would have been."""
    if not case.task.repairable:
        return
    whole, spoiler = case.whole
    if spoiler is not None:
        yield from _spoiled(case, *spoiler)
    elif case.unmet and case.broken_by_customer:
        _, did = case.broken_by_customer[-1]
        text = f"All that is left was broken by the customer with {did.tool}, unasked."
        yield Sign("undone", did.seq, text, "user", decisive=True)
    elif whole >= 0 and (seen := _seen(case, whole)):
        later = [h for h in case.history[seen:] if isinstance(h, Said) and h.side == "user"]
        if len(later) > _GOODBYES:
            text = "The customer went on after it had seen that everything works."
            yield Sign("went_on", later[_GOODBYES].seq, text, "user", decisive=True)


def _seen(case: FailedCall, whole: int) -> int | None:
    tests = _TESTS[case.task.family]
    for place in range(whole + 1, len(case.history)):
        did = case.history[place]
        if isinstance(did, Did) and did.side == "user" and did.tool in tests:
            return place
    return None


def _spoiled(case: FailedCall, place: int, did: Did) -> Iterator[Sign]:
    unasked = case.unasked(place, did)
    who: Side = "user" if unasked else "agent"
    doer = "agent" if did.side == "agent" else "customer"
    request = "" if did.side == "agent" else ", unasked" if unasked else ", as asked"
    text = f"Everything was repaired, then the {doer} broke it again with {did.tool}{request}."
    yield Sign("undone", did.seq, text, who, decisive=True)
    if who == "user":
        text = "The customer went on after everything was repaired."
        yield Sign("went_on", did.seq, text, "user")


def _unfinished(case: FailedCall) -> Iterator[Sign]:
    left = [name for name in case.left if FAULTS[name].repair is not None]
    if left:
        yield Sign("unfinished_repair", case.last, f"At the end there is still {', '.join(left)}.")


def _repairable(case: FailedCall) -> Iterator[Sign]:
    handed = case.handed_over
    if handed is not None:
        # What the customer breaks after the hand-over is no longer the agent's to repair.
        later = all(did.seq > handed for _, did in case.broken_by_customer)
        excused = case.misled or (bool(case.broken_by_customer) and later)
        text = f"The agent handed over a case that can be repaired, with {_names(case)} left."
        yield Sign("premature_transfer", handed, text, "agent", decisive=not excused)
        if case.unmet:
            yield Sign("repair_left", handed, f"Handed over with {_names(case)} left.", "agent")
    elif case.closed_by is not None and case.unmet:
        text = f"The call was ended with {_names(case)} left."
        if case.closed_by == "user" and case.at_work:
            # Who leaves when all has been repaired does no harm.
            harm = not case.undone_by_agent
            yield Sign("ended_early", case.last, _waited(case), "user", decisive=harm)
            yield Sign("repair_left", case.last, text, "user")
        elif case.broken_by_customer:
            yield Sign("repair_left", case.last, text, "user")
        else:
            yield Sign("repair_left", case.last, text, "agent", decisive=not case.misled)


def _waited(case: FailedCall) -> str:
    if case.words is None:
        return "The customer ended the call before the agent had said a word."
    return "The customer ended the call while the agent waited for an answer."


def _names(case: FailedCall) -> str:
    return ", ".join(case.left) or "a step of the repair"


def _hopeless(case: FailedCall) -> Iterator[Sign]:
    """A case that only a human can solve: what is left is to hand it over."""
    if case.closed_by is None or all(check.met for check in case.verdict.actions if check.counted):
        return
    if case.sent_away:
        text = "The agent said that a colleague takes over, and did not hand the case over."
        yield Sign("repair_left", case.last, text, "agent", decisive=True)
    elif case.closed_by == "user" and (case.at_work or case.handed_over is not None):
        text = "The customer ended the call before the agent had handed it over."
        yield Sign("ended_early", case.last, text, "user", decisive=not case.unmet)
    else:
        text = "The case cannot be repaired, and the agent did not hand it over."
        yield Sign("repair_left", case.last, text, "agent", decisive=True)
