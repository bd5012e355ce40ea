"""From a sentence to its clauses: where a conjunction or a comma begins something new."""

from __future__ import annotations

import re

__all__ = ["clauses"]

_WORD = re.compile(r"[a-z0-9_$%/.'\"=:&+()-]+,?")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STARTERS = _words(
    """
    turn turning switch switching toggle toggling set setting put change changing select choose
    enable enabling disable disabling activate deactivate disconnect connect make ensure check
    checking verify confirm see look tell let report run perform try trying restart restarting
    reboot rebooting power reset resetting restore remove removing take taking reseat reinsert
    re-insert insert grant give allow pay complete accept approve send use open go tap test read
    describe note find wait keep leave flip pop pull shut view inspect review update adjust also
    please could can would will let's we'll we i'll i you your you'll is are do does did has
    have share respond reply call place pick start begin what which don't whether how if once
    when after ask repeat re-run rerun retry re-test retest re-check recheck proceed
    set_network_mode_preference feel measure attempt visit load browse press swipe scroll search
    hold finish execute kindly reconnect slot slide slot flick hit attach move bring list name ie
    examine close exit quit swap relaunch launch dial again correct fix redo sort apply
    subsequently thereafter anything any whichever
    """
)
_JOINERS = _words(
    """
    and then but or plus so
    """
)
_SKIP = _words(
    """
    then please also again just afterwards finally now next subsequently thereafter lastly kindly
    """
)
_SUBORDINATE = _words(
    """
    if once when after before until unless because since which while whenever although though as
    """
)
_AS = _words(
    """
    it this that they we i you these mms missing an
    """
)
_SAYING = _words(
    """
    show shows showing shown list listed report reports reported say says appear appears marked
    """
)
_ASKING = _words(
    """
    know check see tell verify confirm whether me us checking seeing sure report ask out say
    only even and or
    """
)
_TO_KEEPS = _words(
    """
    need want try sure like have able going you ask ought proceed begin continue start
    """
)
_STEPS = _words(
    """
    next first best last only simplest easiest final
    """
)
_REASONS = _words(
    """
    since because although though as now
    """
)
_SUBJECTS = _words(
    """
    it they that this both these those
    """
)
_ANOTHER = _words(
    """
    one another
    """
)
_PAST = _words(
    """
    set reset put run let read
    """
)
_TAKES = _words(
    """
    take taking
    """
)
_PURPOSE = _words(
    """
    see help ensure refresh determine improve make get allow force apply identify narrow figure
    diagnose have regain bring find let establish re-establish re-register reconnect resolve fix
    troubleshoot rule pinpoint understand restore confirm
    """
)


def clauses(sentence: str) -> list[str]:
    """The sentence cut at conjunctions, commas and subordinate clauses that begin anew.

    "If it is on, turn it off and run a speed test" gives three clauses; "check if it is on" and
    "storage and SMS" stay whole.
    """
    words = _WORD.findall(sentence)
    bare = [word.rstrip(",.:") for word in words] + [""] * 8
    parts: list[list[str]] = [[]]
    for index, word in enumerate(words):
        if parts[-1] and _begins(bare, index, parts[-1]):
            parts.append([])
        parts[-1].append(word)
    return [" ".join(part) for part in parts if part]


def _begins(bare: list[str], index: int, current: list[str]) -> bool:
    here, following, last = bare[index], bare[index + 1], bare[index - 1]
    if here == "once" and following in ("more", "again"):
        return False
    if here == "ie":
        return True
    if here in _SUBORDINATE:
        if here == "as":
            return following in _AS and last not in _SAYING
        return last not in _ASKING
    if here in _JOINERS:
        if here == "so" and last == "if":
            return False
        if here == "then" and current[0] in _SUBORDINATE:
            return True
        return last not in _JOINERS and _next_word(bare, index + 1) in _STARTERS
    if here == "please" and (current[0] in _SUBORDINATE or current[-1].endswith(",")):
        return True
    if here == "the" and current[-1].endswith(","):
        return following in _STEPS
    if current[0] in _REASONS and here in _PAST:
        return False
    if here == "then" and current[-1].endswith(","):
        return True
    if here in _ANOTHER and current[0] in _SUBORDINATE and current[-1].endswith(","):
        return True
    if here in _SUBJECTS and current[0] in _REASONS and current[-1].endswith(","):
        return True
    if here == "to" and following in _PURPOSE:
        return last not in _TO_KEEPS and bare[max(index - 3, 0)] not in _TAKES
    return current[-1].endswith(",") and _next_word(bare, index) in _STARTERS


def _next_word(bare: list[str], index: int) -> str:
    stop = min(index + 6, len(bare) - 1)
    while index < stop and (bare[index] in _SKIP or bare[index] in _JOINERS):
        index += 1
    return bare[index]
