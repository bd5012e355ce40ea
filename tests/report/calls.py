"""Recorded calls for the tests of transcripts and pages, played by hand on the telecom world."""

from __future__ import annotations

from collections.abc import Sequence

from ringback.canonical import Json
from ringback.domain import Domain
from ringback.episode import identity
from ringback.episode.episode import Episode
from ringback.episode.events import AnyEvent, Call, Draw, Limits, Setup
from ringback.episode.participants import Reply
from ringback.telecom import domain

__all__ = ["TASK", "TELECOM", "UGLY", "call", "played", "repair", "ugly"]

TELECOM: Domain = domain
TASK = "[mobile_data_issue]airplane_mode_on|data_usage_exceeded[PERSONA:Easy]"

UGLY = (
    "<script>document.title='ran'</script>",
    "</style><style>body{display:none}</style>",
    '" onmouseover="document.title=\'ran\'" x="',
    "'><img src=x onerror=\"document.title='ran'\">",
    "</title></head><body onload=\"document.title='ran'\">",
    "{{ 7*7 }}{% raw %}$x^2$ \\input{x}",
    "\x1b[2J\x1b]0;owned\x07\x9b31m\x00\x7f",
    "safe \u202egnp.exe\u2066 \u200b\ufeff",
    "line\r\nbreak\u2028and\x0bmore",
    "&amp; &#60;b&#62; --> <!-- ]]>",
)
"""Text that must neither run nor break what shows it."""


def call(tool: str, **arguments: Json) -> Reply:
    return Reply(calls=(Call(tool, arguments),))


def played(
    replies: Sequence[Reply], *, task: str = TASK, arm: str = "reference", trial: int = 0
) -> list[AnyEvent]:
    """The events of a call in which the sides answer so, the user first."""
    condition = identity.condition(TELECOM, Setup("rules", "1"), Limits())
    made = identity.arm(TELECOM, Setup("reference", "1"), TELECOM.policies[0])
    start = identity.opening(TELECOM, condition, made, arm, Draw(task, trial, 7))
    episode = Episode(start, TELECOM)
    for reply in replies:
        episode.take(reply, seconds=0.25)
    return list(episode.events)


def repair() -> list[AnyEvent]:
    """A whole call that solves `TASK`, with a tool error and a failed look-up on the way."""
    return played(
        [
            Reply("My mobile data does not work. I am John Smith, 555-123-2002."),
            call("get_customer_by_phone", phone_number="555-123-2002"),
            call("get_data_usage", customer_id="C1001", line_id="L9999"),
            call("get_data_usage", customer_id="C1001", line_id="L1002"),
            Reply("Your data is used up. Shall I add 2 GB? And please switch airplane mode off."),
            call("toggle_airplane_mode"),
            Reply("Airplane mode is off. Yes, please add 2 GB."),
            call("refuel_data", gb_amount=2.0, line_id="L1002", customer_id="C1001"),
            Reply("I have added 2 GB. Could you run a speed test?"),
            call("run_speed_test"),
            Reply("It says 275.00 Mbps, excellent. Thank you! ###STOP###"),
        ]
    )


def ugly(text: str) -> list[AnyEvent]:
    """A call in which everything that a participant can word is this text."""
    return played(
        [
            Reply(text, rule=text),
            Reply(
                text=text, calls=(Call(text, {text: text}, text), Call("get_details_by_id", text))
            ),
            Reply(text),
            Reply(calls=(Call("check_app_status", {"app_name": text}),)),
            Reply(f"{text} ###STOP###", rule=text),
        ],
        arm=text,
    )
