"""A call told in a few sentences: one for each meaningful step, by rule.

A look and the step that follows from it are one sentence, and so are calls of the carrier in a row,
a question and what is looked up with its answer, and a refused call and its recovery. Where the
customer speaks as the agent, that is counted in the sentence of the step it delayed. What changes
something is told each time, in its order, and so is what was said before a charge.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

from ringback.domain import Did, Happening, Said
from ringback.telecom.recount.asking import asked_for
from ringback.telecom.recount.carrier import called, instead, refused
from ringback.telecom.recount.moves import Carrier, Exchange, Move, moves, writes
from ringback.telecom.recount.phone import done, in_order, past, shown
from ringback.telecom.recount.talk import (
    answer,
    closing,
    farewell,
    money,
    refuses,
    said,
    weighs,
    words,
)
from ringback.telecom.recount.words import counted, listed, sentence, times

__all__ = ["recount"]

_MOST_ACTS = 8
_MOST_SEEN = 3
_MOST_TALK = 2
_STILL = {
    "MMS failing": "MMS still failing",
    "no data connection": "still no data connection",
    "no service": "still no service",
}
_CHARGES = frozenset({"refuel_data", "send_payment_request"})


def recount(history: Sequence[Happening]) -> list[str]:
    """The call in sentences. The same history gives the same sentences."""
    found = moves(history)
    teller = _Teller(found)
    first = history[0] if history else None
    opening = first if isinstance(first, Said) and first.side == "user" else None
    if opening is not None and found and weighs(Exchange(None, [], opening)):
        teller.told.append(f"the customer opened with {answer(Exchange(None, [], opening))}")
    elif opening is not None and not found:
        teller.told.append(
            f"the customer opened with {words(opening)}, and nothing more was said or done"
        )
    teller.tell()
    return [sentence(text) for text in teller.told]


class _Teller:
    """Goes through the moves and takes as many at a time as belong into one sentence."""

    def __init__(self, found: Sequence[Move]) -> None:
        self.found, self.place = found, 0
        self.after = {id(move): after for move, after in pairwise(found)}
        self.told: list[str] = []
        self.inverted: list[Exchange] = []
        self.bad: set[str] = set()

    def tell(self) -> None:
        while self.place < len(self.found):
            move = self.found[self.place]
            if isinstance(move, Carrier):
                self._carrier()
            elif move.deeds:
                self._deeds(move)
            elif _passed_over(move):
                self.inverted.append(move)
                self.place += 1
            else:
                self._talk(move)
        if self.inverted:
            count = times(len(self.inverted))
            self.told.append(f"the customer spoke as the agent{count}, and nothing came of it")

    def _next(self, ahead: int = 1) -> Move | None:
        place = self.place + ahead
        return self.found[place] if place < len(self.found) else None

    def _ends(self, move: Exchange) -> bool:
        """Whether these are the agent's last words, and a farewell."""
        later = self.found[self.place + 1 :]
        return farewell(move) and not any(
            isinstance(each, Exchange) and each.said for each in later
        )

    def _carrier(self, lead: Sequence[str] = ()) -> None:
        """Calls of the carrier from here on; `lead` are clauses that belong before them."""
        move = self.found[self.place]
        assert isinstance(move, Carrier)
        self.place += 1
        if not move.failed:
            self.told.append(self._delayed(_joined([*lead, *called(move.deeds)])))
            return
        if lead:
            self.told.append(self._delayed(_joined(lead)))
        again = self._again(move)
        text = refused([*move.deeds, *again])
        if isinstance(after := self._next(0), Carrier) and not after.failed:
            how = instead([*move.deeds, *again][-1], after.deeds[0])
            text += "" if how is None else f"; nothing changed by it, and {how}"
        self.told.append(self._delayed(text))

    def _again(self, move: Carrier) -> list[Did]:
        """The same tool's refusals that follow with only looks between, which are passed over."""
        tools = {did.tool for did in move.deeds}
        found: list[Did] = []
        ahead = 0
        while isinstance(after := self._next(ahead), Carrier):
            if after.failed and {did.tool for did in after.deeds} == tools:
                found.extend(after.deeds)
                self.place += ahead + 1
                ahead = 0
            elif after.failed or after.writes:
                break
            else:
                ahead += 1
        return found

    def _talk(self, move: Exchange) -> None:
        """Words alone, with the calls of the carrier that follow from them."""
        if self._ends(move):
            self.told.append(self._delayed(self._closed(move)))
            self.place += 1
            return
        run = [move]
        while isinstance(after := self._next(), Exchange) and _only_talk(after):
            self.place += 1
            run.append(after)
        self.place += 1
        after = self._next(0)
        clauses = _short(run, whole=isinstance(after, Carrier) and after.writes)
        while len(clauses) > _MOST_TALK:
            self.told.append(self._delayed(_joined(clauses[:_MOST_TALK])))
            clauses = clauses[_MOST_TALK:]
        if isinstance(after, Carrier):
            self._carrier(clauses)
        else:
            self.told.append(self._delayed(_joined(clauses)))

    def _deeds(self, move: Exchange) -> None:
        """What the customer did, with the look before it or the carrier's step after it."""
        last = move
        if self._ends(move) and not move.writes:
            self.told.append(self._delayed(self._closed(move)))
        elif move.writes or not _all_worked(move):
            self.told.append(self._had(move))
        else:
            looked = self._looked(move)
            between, after = self._ahead()
            alone = bool(self._decided(move)) or not _asked(move)
            if isinstance(after, Exchange) and after.deeds and after.writes:
                looked = self._delayed(looked)
                self.inverted += [move] if move.inverted else []
                self.inverted += between
                self.told.append(f"{looked}; {self._had(after)}")
                self.place += len(between) + 1
                last = after
            elif (
                isinstance(after, Carrier)
                and after.writes
                and not after.failed
                and not between
                and not alone
            ):
                self.told.append(self._delayed(_joined([looked, *called(after.deeds)])))
                self.place += 1
            else:
                self.told.append(self._delayed(looked))
        if last.inverted:
            self.inverted.append(last)
        self.place += 1

    def _ahead(self) -> tuple[list[Exchange], Move | None]:
        """The next move that is no mere inversion of roles, and those that lie between."""
        between: list[Exchange] = []
        while True:
            after = self._next(len(between) + 1)
            if not (isinstance(after, Exchange) and _passed_over(after)):
                return between, after
            between.append(after)

    def _delayed(self, text: str) -> str:
        """The sentence, with how often roles were inverted before it, once."""
        count, self.inverted = len(self.inverted), []
        return f"{text} (the customer had spoken as the agent{times(count)})" if count else text

    def _had(self, move: Exchange) -> str:
        """What the customer was made to do, and what had to be corrected before it did."""
        acts = _acts(move)
        if not _asked(move):
            return self._delayed(self._reacted(move, acts))
        pending = self.inverted
        verb = "had the customer"
        if pending and all(_asks_same(each, move) for each in pending):
            self.inverted = []
            count = times(len(pending))
            verb = f"corrected the customer's role inversion{count} until it would"
        return self._delayed(f"{verb} {_commas(acts)}" + self._showed(move) + self._decided(move))

    def _reacted(self, move: Exchange, acts: Sequence[str]) -> str:
        """What the customer did where it was not asked for, beside what was said to it."""
        if move.said is None:
            text = f"saw the customer {_commas(acts)}"
        else:
            text = f"said {words(move.said)}; the customer {_past(acts)}"
        return text + self._showed(move) + self._decided(move)

    def _showed(self, move: Exchange) -> str:
        """What the looks of an exchange showed; of the same look taken twice, the later one."""
        last = {(did.tool, str(did.arguments)): shown(did) for did in move.deeds}
        seen = list(dict.fromkeys(each for found in last.values() for each in found))
        parts = [_STILL.get(each, each) if each in self.bad else each for each in seen]
        amiss = [each for each in parts if not in_order(each)]
        if len(parts) > _MOST_SEEN and amiss:
            parts = amiss if len(amiss) == len(parts) else [*amiss, "the rest in order"]
        self.bad |= {*seen} & {*_STILL}
        if "MMS working" in seen:
            self.bad.discard("MMS failing")
        if any("Mbps" in each for each in seen):
            self.bad.discard("no data connection")
        return f", which showed {listed(parts)}" if parts else ""

    def _looked(self, move: Exchange) -> str:
        tools = list(dict.fromkeys(did.tool for did in move.deeds))
        if not _asked(move):
            return self._reacted(move, [f"run {tool}" for tool in tools])
        return f"asked for {listed(tools)}{self._showed(move)}{self._decided(move)}"

    def _decided(self, move: Exchange) -> str:
        """The customer's words after what it did, where they bear on a charge or refuse a step."""
        following = self.after.get(id(move))
        changes = isinstance(following, Carrier) and following.writes
        tells = weighs(move) or _charges(following) or (changes and refuses(move.reply))
        return f"; the customer said {answer(move)}" if move.reply is not None and tells else ""

    def _closed(self, move: Exchange) -> str:
        text = closing(move)
        if move.deeds:
            tools = list(dict.fromkeys(did.tool for did in move.deeds))
            acts = [f"run {tool}" for tool in tools] if _all_worked(move) else _acts(move)
            text += f"; the customer {_past(acts)}{self._showed(move)}"
        return text + self._decided(move)


def _acts(move: Exchange) -> list[str]:
    """What the customer did, in order: every step that changes, and of many looks the first."""
    acts = counted(done(did) for did in move.deeds)
    if len(acts) <= _MOST_ACTS:
        return acts
    kept: list[str] = []
    looks = 0
    for did in move.deeds:
        if writes(did) or len(kept) < _MOST_ACTS:
            kept.append(done(did))
        else:
            looks += 1
    more = {0: [], 1: ["do one more thing that changed nothing"]}
    return [*counted(kept), *more.get(looks, [f"do {looks} more things that changed nothing"])]


def _past(acts: Sequence[str]) -> str:
    """What the customer did, in the past; what it ran in a row shares the verb."""
    told: list[str] = []
    last = ""
    for act in map(past, acts):
        verb, _, rest = act.partition(" ")
        told.append(rest if verb == last == "ran" else act)
        last = verb
    return _commas(told)


def _commas(acts: Sequence[str]) -> str:
    """Acts in a row, some of which end in a comma."""
    return listed(acts).replace(",,", ",").removesuffix(",")


def _asked(move: Exchange) -> bool:
    """Whether all that the customer did was asked for in this exchange."""
    return all(asked_for(move, did) for did in move.deeds)


def _asks_same(earlier: Exchange, move: Exchange) -> bool:
    return all(asked_for(earlier, did) for did in move.deeds)


def _charges(after: Move | None) -> bool:
    """Whether the carrier's next calls take money, or ask for it."""
    return isinstance(after, Carrier) and any(did.tool in _CHARGES for did in after.deeds)


def _short(run: Sequence[Exchange], *, whole: bool) -> list[str]:
    """Words as clauses. What bears on no charge is counted where there is much of it.

    Before something of the carrier's is changed it is told whole.
    """
    clauses: list[str] = []
    told = 0
    for plainly, group in groupby(run, key=lambda move: not (whole or _bears(move))):
        found = list(group)
        if plainly:
            room = max(0, _MOST_TALK - told)
            found, left = found[:room], len(found) - room
            told += len(found)
            clauses += counted(said(move) for move in found)
            if left > 0:
                more = "once more" if left == 1 else f"{left} more times"
                clauses.append(f"exchanged words {more}")
        else:
            clauses += counted(said(move) for move in found)
    return clauses


def _bears(move: Exchange) -> bool:
    return refuses(move.reply) or any(
        each is not None and money(each.text) for each in (move.said, move.reply)
    )


def _passed_over(move: Exchange) -> bool:
    """Whether a turn is no more than an inversion of roles."""
    return move.inverted and not move.deeds and not weighs(move)


def _only_talk(move: Exchange) -> bool:
    return not move.deeds and not move.inverted and not farewell(move)


def _all_worked(move: Exchange) -> bool:
    return not any(did.outcome.error for did in move.deeds)


def _joined(clauses: Sequence[str]) -> str:
    """Clauses in a row, each of which may have a list of its own."""
    parts = counted(clauses)
    if len(parts) < 2 or not any(", " in part or " and " in part for part in parts):
        return listed(parts)
    return f"{', '.join(parts[:-1])}, and {parts[-1]}"
