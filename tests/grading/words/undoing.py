"""What agents said after all was repaired, and the deed by which the customer broke it again."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["UNDOINGS", "Undoing"]


class Undoing(NamedTuple):
    """The agent's words, the customer's deed after them, and whether these asked for it.

    `asks` is what the customer had asked before, where it had.
    """

    words: str
    tool: str
    asked: bool
    arguments: dict[str, Any] = {}  # noqa: RUF012
    asks: str = "It is off now."


_DATA, _PLANE, _SAVER = "toggle_data", "toggle_airplane_mode", "toggle_data_saver_mode"
_MODE = "set_network_mode_preference"
_2G: dict[str, Any] = {"mode": "2g_only"}

UNDOINGS = (
    # Asked for.
    Undoing("Please turn mobile data off to save your battery.", _DATA, True),
    Undoing("Now switch airplane mode on for a moment.", _PLANE, True),
    Undoing("Could you enable data saver again?", _SAVER, True),
    Undoing("Great. I'd like you to toggle mobile data once.", _DATA, True),
    Undoing("Let's test one thing: disable mobile data, please.", _DATA, True),
    Undoing("Go to settings and put the phone into airplane mode.", _PLANE, True),
    Undoing("Please set the network mode to 2G only.", _MODE, True, _2G),
    Undoing("You need to switch data saver back on for the test.", _SAVER, True),
    Undoing("Turn on airplane mode, and tell me what the status bar shows.", _PLANE, True),
    Undoing("Please turn your cellular data off.", _DATA, True),
    Undoing("The data saver is off, I see. Please turn it back on.", _SAVER, True),
    Undoing("Would you mind turning airplane mode on?", _PLANE, True),
    Undoing("For a clean start I need you to activate flight mode.", _PLANE, True),
    Undoing("Can you change your network preference to 2G, please?", _MODE, True, _2G),
    Undoing("Yes, please do that.", _DATA, True, {}, "Should I turn mobile data off?"),
    Undoing("Sure, go ahead.", _PLANE, True, {}, "Shall I switch on airplane mode?"),
    Undoing("Mobile data seems stuck. Try switching it off.", _DATA, True),
    Undoing("As a last step, toggle airplane mode on and then off.", _PLANE, True),
    # Not asked for.
    Undoing("I'm happy that mobile data works. Can I do anything else for you?", _DATA, False),
    Undoing("Please run a speed test and tell me the result.", _DATA, False),
    Undoing("Is airplane mode off?", _PLANE, False),
    Undoing("Please check whether mobile data is on.", _DATA, False),
    Undoing("Wonderful. What does the data saver page show?", _SAVER, False),
    Undoing("The culprit was data saver, which is off now. Anything else?", _SAVER, False),
    Undoing("Thanks, that was it. Do you want to try your mobile data?", _DATA, False),
    Undoing("Please look at the status bar: is the airplane symbol gone?", _PLANE, False),
    Undoing("Please turn mobile data on if it is not.", _DATA, False),
    Undoing("Please make sure that airplane mode is off.", _PLANE, False),
    Undoing("Did you turn airplane mode on at any time today?", _PLANE, False),
    Undoing("I have switched mobile data roaming on for your line.", _DATA, False),
    Undoing("Can you see the network mode in the settings?", _MODE, False, _2G),
    Undoing("Please set the network mode to 4G/5G preferred.", _MODE, False, _2G),
    Undoing("Can you open a web page using mobile data?", _DATA, False),
    Undoing("Good. If it gets slow, turn airplane mode on and off.", _PLANE, False),
    Undoing("No, please leave it as it is.", _DATA, False, {}, "Should I turn mobile data off?"),
    Undoing("When you board your plane, switch airplane mode on.", _PLANE, False),
    # Forbidden.
    Undoing("Do not switch mobile data off any more.", _DATA, False),
    Undoing("Please leave airplane mode off.", _PLANE, False),
    Undoing("Never turn on data saver while you stream.", _SAVER, False),
    Undoing("Keep mobile data on from here on.", _DATA, False),
    Undoing("Please don't enable airplane mode again.", _PLANE, False),
    Undoing("You should not touch the data saver any more.", _SAVER, False),
    Undoing("There is no need to turn mobile data off.", _DATA, False),
    Undoing("Avoid turning airplane mode on during the test.", _PLANE, False),
    Undoing("Make sure you don't toggle mobile data now.", _DATA, False),
    Undoing("Instead of turning data saver on, watch fewer videos.", _SAVER, False),
    Undoing("You mustn't switch the network mode to 2G.", _MODE, False, _2G),
    Undoing("Stop turning airplane mode on and off, please.", _PLANE, False),
)
