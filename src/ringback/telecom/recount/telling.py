"""A call told in a few sentences: one for each meaningful step, by rule.

A look and the step that follows from it are one sentence, and so are calls of the carrier in a row,
a question and what is looked up with its answer, and a refused call and its recovery. Where the
customer speaks as the agent, that is counted in the sentence of the step it delayed.
"""

from __future__ import annotations

from collections.abc import Sequence

from ringback.domain import Did, Happening
from ringback.telecom.recount.carrier import called, refused
from ringback.telecom.recount.moves import Carrier, Exchange, Move, moves
from ringback.telecom.recount.phone import done, in_order, shown
from ringback.telecom.recount.talk import asks, closing, farewell, said
from ringback.telecom.recount.words import listed, sentence

__all__ = ["recount"]

_MOST_ACTS = 8
_MOST_SEEN = 3
_MOST_TALK = 2
_STILL = {
    "MMS failing": "MMS still failing",
    "no data connection": "still no data connection",
    "no service": "still no service",
}


def recount(history: Sequence[Happening]) -> list[str]:
    """The call in sentences. The same history gives the same sentences."""
    teller = _Teller(moves(history))
    teller.tell()
    return [sentence(text) for text in teller.told]


class _Teller:
    """Goes through the moves and takes as many at a time as belong into one sentence."""

    def __init__(self, found: Sequence[Move]) -> None:
        self.found, self.place = found, 0
        self.told: list[str] = []
        self.inverted = 0
        self.bad: set[str] = set()

    def tell(self) -> None:
        while self.place < len(self.found):
            move = self.found[self.place]
            if isinstance(move, Carrier):
                self._carrier()
            elif move.deeds:
                self._deeds(move)
            elif move.inverted:
                self.inverted += 1
                self.place += 1
            else:
                self._talk(move)
        if self.inverted:
            self.told.append(
                f"the customer spoke as the agent{_times(self.inverted)}, and nothing came of it"
            )

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
        words = refused([*move.deeds, *again])
        if isinstance(after := self._next(0), Carrier) and not after.failed:
            tool = after.deeds[0].tool
            how = (
                "it was called again" if tool == move.deeds[-1].tool else f"{tool} was used instead"
            )
            words += f"; nothing changed by it, and {how}"
        self.told.append(self._delayed(words))

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
        clauses = [said(move)]
        while isinstance(after := self._next(), Exchange) and _only_talk(after):
            self.place += 1
            clauses.append(said(after))
        clauses = list(dict.fromkeys(clauses))
        if len(clauses) > _MOST_TALK:
            left = len(clauses) - _MOST_TALK
            clauses = [*clauses[:_MOST_TALK], f"exchanged words {left} more times"]
        if isinstance(self._next(), Carrier):
            self.place += 1
            self._carrier(clauses)
            return
        self.told.append(self._delayed(_joined(clauses)))
        self.place += 1

    def _deeds(self, move: Exchange) -> None:
        """What the customer did, with the look before it or the carrier's step after it."""
        inverted_after = int(move.inverted)
        if self._ends(move) and not move.writes:
            self.told.append(self._delayed(self._closed(move)))
        elif move.writes or not _all_worked(move):
            self.told.append(self._had(move))
        else:
            looked = self._looked(move)
            between, after = self._ahead()
            if isinstance(after, Exchange) and after.deeds and after.writes:
                looked = self._delayed(looked)
                self.inverted += between + inverted_after
                self.told.append(f"{looked}; {self._had(after)}")
                self.place += between + 1
                inverted_after = int(after.inverted)
            elif isinstance(after, Carrier) and after.writes and not after.failed and not between:
                self.told.append(self._delayed(_joined([looked, *called(after.deeds)])))
                self.place += 1
            else:
                self.told.append(self._delayed(looked))
        self.inverted += inverted_after
        self.place += 1

    def _ahead(self) -> tuple[int, Move | None]:
        """The next move that is no mere inversion of roles, and how many of those lie between."""
        between = 0
        while True:
            after = self._next(between + 1)
            if not (isinstance(after, Exchange) and after.inverted and not after.deeds):
                return between, after
            between += 1

    def _delayed(self, text: str) -> str:
        """The sentence, with how often roles were inverted before it, once."""
        count, self.inverted = self.inverted, 0
        return f"{text} (the customer had spoken as the agent{_times(count)})" if count else text

    def _had(self, move: Exchange) -> str:
        """What the customer was made to do, and what had to be corrected before it did."""
        count, self.inverted = self.inverted, 0
        acts = list(dict.fromkeys(done(did) for did in move.deeds))
        if len(acts) > _MOST_ACTS:
            acts = [*acts[:_MOST_ACTS], f"do {len(acts) - _MOST_ACTS} more things"]
        verb = "had the customer" if asks(move) else "saw the customer"
        if count:
            verb = f"corrected the customer's role inversion{_times(count)} until it would"
        return f"{verb} {listed(acts)}".replace(",,", ",").removesuffix(",") + self._showed(move)

    def _showed(self, move: Exchange) -> str:
        """What the looks of an exchange showed; of the same look taken twice, the later one."""
        last = {(did.tool, str(did.arguments)): shown(did) for did in move.deeds}
        seen = list(dict.fromkeys(words for found in last.values() for words in found))
        parts = [_STILL.get(words, words) if words in self.bad else words for words in seen]
        amiss = [words for words in parts if not in_order(words)]
        if len(parts) > _MOST_SEEN and amiss:
            parts = amiss if len(amiss) == len(parts) else [*amiss, "the rest in order"]
        self.bad |= {*seen} & {*_STILL}
        if "MMS working" in seen:
            self.bad.discard("MMS failing")
        if any("Mbps" in words for words in seen):
            self.bad.discard("no data connection")
        return f", which showed {listed(parts)}" if parts else ""

    def _looked(self, move: Exchange) -> str:
        tools = list(dict.fromkeys(did.tool for did in move.deeds))
        verb = "asked for" if asks(move) else "saw the customer run"
        return f"{verb} {listed(tools)}{self._showed(move)}"

    def _closed(self, move: Exchange) -> str:
        text = closing(move)
        if move.deeds:
            tools = listed(list(dict.fromkeys(did.tool for did in move.deeds)))
            text += f"; the customer ran {tools}{self._showed(move)}"
        return text


def _times(count: int) -> str:
    return {1: "", 2: " twice"}.get(count, f" {count} times")


def _only_talk(move: Exchange) -> bool:
    return not move.deeds and not move.inverted and not farewell(move)


def _all_worked(move: Exchange) -> bool:
    return not any(did.outcome.error for did in move.deeds)


def _joined(clauses: Sequence[str]) -> str:
    """Clauses in a row, each of which may have a list of its own."""
    parts = list(dict.fromkeys(clauses))
    if len(parts) < 2 or not any(", " in part or " and " in part for part in parts):
        return listed(parts)
    return f"{', '.join(parts[:-1])}, and {parts[-1]}"
