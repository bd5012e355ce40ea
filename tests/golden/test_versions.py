"""A version stands for its content: whoever changes the content must change the version.

Each version is listed here with the digest of what it stands for. If a test fails, you have changed
what a version promises: give the thing its next version (and the changelog a line marked **moves
scores**), then put the new pair here: ``python -m tests.golden.test_versions`` prints them all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import pytest

from ringback.agents import AGENTS, open_agent
from ringback.canonical import Json, digest
from ringback.domain import SIDES, Did, Happening, Said, Side, Task
from ringback.episode.events import Turn
from ringback.grading.blame import VERSION
from ringback.grading.grade import grade
from ringback.telecom import domain
from ringback.telecom.tasks import repair
from ringback.users import open_user
from ringback.users.rules.reading import read
from tests.agents.calls import play_call
from tests.agents.customer import Customer
from tests.grading.stories import story
from tests.grading.test_kinds import SHOWN
from tests.users.calls import Talk

VERSIONS: dict[str, tuple[str, str]] = {
    "world": ("1", "50c6bb19c164bf7e01c58361cafb202a"),
    "grader": ("3", "c868d981a93d7d847f7fe62ebb2d8920"),
    "blame": ("4", "d70d78b871c080b4a899e0800b72f2f7"),
    "rules": ("4", "99d413efb1eb4c610878f81c91173ff4"),
    "scenarios": ("", "7866c294989e59ec51ee42bc2f30dd35"),
    "reference": ("2", "a56be579da8b0ef7f6b02f89e9d8a4bf"),
    "hasty": ("2", "99910fafb930c1f00a408476aae13d72"),
    "careless": ("2", "68933f6f6037852ab000ebaf2f78a743"),
    "transfer-at-once": ("1", "6b9ff900ec472a0e5fc8e3cf4a25df44"),
    "do-nothing": ("1", "4c07b2b4f0a74baa5b1f51ac907a1787"),
}


def _some(every: int) -> list[Task]:
    return list(domain.tasks("full"))[::every]


LINE: dict[str, Json] = {"customer_id": "C1001", "line_id": "L1002"}


def _arguments(tool: str) -> list[dict[str, Json]]:
    """A few calls of a tool: what fits, what does not, what another customer has."""
    line = LINE
    ids = [f"{kind}100{n}" for kind in "LDBCPX" for n in range(1, 10)]
    known: dict[str, list[dict[str, Json]]] = {
        "get_customer_by_phone": [{"phone_number": "555-123-2002"}, {"phone_number": "1"}, {}],
        "get_customer_by_id": [{"customer_id": f"C100{n}"} for n in range(1, 6)],
        "get_customer_by_name": [{"full_name": "john SMITH", "dob": "1985-06-15"}, {"dob": 1}],
        "get_details_by_id": [{"id": name} for name in (*ids, "B1234321")],
        "suspend_line": [{**line, "reason": "r"}, {**line, "line_id": "L1004", "reason": "r"}],
        "resume_line": [line, {**line, "line_id": "L1004"}],
        "get_bills_for_customer": [
            {"customer_id": "C1001"},
            {"customer_id": "C1002", "limit": 1},
            {"customer_id": "C1001", "limit": -1},
        ],
        "send_payment_request": [
            {"customer_id": "C1001", "bill_id": bill} for bill in ("B1002", "B1234321", "B9")
        ],
        "get_data_usage": [line, {**line, "line_id": "L1"}],
        "enable_roaming": [line],
        "disable_roaming": [line],
        "refuel_data": [{**line, "gb_amount": gb} for gb in (2, 0, "2", 1.5)],
        "transfer_to_human_agents": [{"summary": "s"}, {"sumary": "s"}],
        "check_app_status": [{"app_name": "messaging"}, {"app_name": "chess"}],
        "check_app_permissions": [{"app_name": "messaging"}, {"app_name": "browser"}],
        "set_network_mode_preference": [
            {"mode": mode} for mode in ("4g_only", "2g_only", "5g", "4g_5g_preferred")
        ],
        "set_apn_settings": [
            {"apn_settings": {"apn_name": "broken", "mmsc_url": None}},
            {"apn_settings": {"mms_port": 1.5}},
            {"apn_settings": {}},
        ],
        "grant_app_permission": [
            {"app_name": "messaging", "permission": each} for each in ("sms", "storage", "camera")
        ],
    }
    return known.get(tool, [{}, {"x": 1}])


def world() -> Iterator[object]:
    """Every task's start, and every tool called in many states, twice over."""
    for task in domain.tasks("full"):
        yield task.id, domain.world(task).digest()
    for task in _some(60):
        live = domain.world(task)
        yield live.fields()
        for _ in range(2):
            for side in reversed(SIDES):
                for tool in domain.tools(side):
                    for arguments in _arguments(tool.name):
                        outcome = live.call(side, tool.name, arguments)
                        yield tool.name, outcome.text, outcome.error, live.digest()
        yield live.fields()
        yield live.call("agent", "no_such_tool", {}).text


Event: TypeAlias = tuple[Side, str] | tuple[Side, str, dict[str, Json]]

OFFER: Event = ("agent", "Your data is used up. Shall I add 2 GB for 4 dollars?")
ANSWERS: tuple[str, ...] = (
    "Yes, please.",
    "No, thanks.",
    "Messages don't go out. Yes, add it.",
    "I don't want to change my plan, but that is fine.",
    "I'd rather not.",
    "How much is it?",
    "I’d like to add 2 GB of data.",
)


def _history(task: Task, story: Sequence[Event]) -> object:
    live = domain.world(task)
    history: list[Happening] = []
    for seq, event in enumerate(story):
        side = event[0]
        if len(event) == 2:
            history.append(Said(seq, side, event[1]))
            continue
        before = live.copy()
        outcome = live.call(side, event[1], event[2])
        history.append(Did(seq, 0, side, event[1], event[2], outcome, before, live.copy()))
    return domain.check(task, history, live)


def grader() -> Iterator[object]:
    """What the checks say of repairs, whole and broken off, and of calls that should not be."""
    astray: list[Event] = [
        (side, name, arguments)
        for side in SIDES
        for name in [*(tool.name for tool in domain.tools("agent")), "toggle_data", "nothing"]
        for arguments in _arguments(name)
    ]
    for task in _some(40):
        steps: list[Event] = [(step.side, step.tool, dict(step.arguments)) for step in repair(task)]
        for answer in ANSWERS:
            yield _history(task, [OFFER, ("user", answer), *steps])
        yield _history(task, steps[:-1])
        yield _history(task, steps[1:])
        yield _history(task, [*astray, *steps])
        yield _history(task, [])


def blame() -> Iterator[object]:
    """What is said of calls that were not solved, and of repairs that were broken off."""
    for _, *cases in SHOWN:
        for of, lines, ending in cases:
            yield grade(story(of, *lines, ending=ending)).failure
    for task in _some(200):
        for step in range(1, len(repair(task))):
            done = [s for s in repair(task)[:step] if s.side == "user"]
            acts = [("user", s.tool, dict(s.arguments)) for s in done]
            asked = [("user", "Help."), ("agent", "Please do it."), *acts]
            yield grade(story(task, *asked, ending="max_steps")).failure


def agent(name: str) -> Iterator[object]:
    """What an agent does in whole calls of a fixed customer that is none of the product's."""
    for task in _some(150):
        for event in play_call(task, open_agent(name), Customer("prose")).events:
            if isinstance(event, Turn) and event.by == "agent":
                yield event.text, event.calls, event.rule


def rules() -> Iterator[object]:
    """How fixed messages are read, and what the customer does and says when it hears them."""
    for message in MESSAGES:
        yield read(message)
    for task in _some(100):
        for order in (MESSAGES, MESSAGES[::-1]):
            talk = Talk(task.id)
            for message in order:
                if not talk.ended:
                    talk.say(message)
            for event in talk.episode.events:
                if isinstance(event, Turn) and event.by == "user":
                    yield event.text, event.calls, event.rule


MESSAGES = (
    "Could you please turn on **Airplane Mode**, wait 10 seconds, and then turn it off again?",
    "1. Open Settings\n2. Go to Network\n3. Make sure mobile data is ON\n\nLet me know the result.",
    "If data saver is on, turn it off; otherwise just run a speed test and tell me the result.",
    "Don't restart the phone yet. First, check whether the SIM card is detected.",
    "I've enabled roaming on your line. Please toggle roaming on your device too, then try again.",
    "Would you like me to add 2 GB of data for $4.00? It goes on your next bill.",
    "A human agent takes over now: I am transferring your call. Hold the line.",
    "I've sent a payment request for bill B1234321. Please check it and pay it if it looks right.",
    "Can you confirm your full name, date of birth and the last four digits of your card?",
    "Grant the messaging app both SMS and storage permissions, then try sending an MMS.",
    "Set the preferred network type to 4G/5G and reset your APN settings, then reboot.",
    "Is the VPN connected? Is Wi-Fi calling enabled? Are you abroad right now?",
    "Great! Is there anything else I can help you with today?",
    "Thanks for waiting. Let me check your account; one moment please.",
    "`toggle_airplane_mode()` then `run_speed_test()`",
    "Your line has more data at its disposal.",
    "Which network type does your phone prefer? And is Wi-Fi on?",
    "Please turn it off.",
    "Could you check that once more?",
    "Restarting helps at times. Could you do that? If you have other concerns, feel free to ask!",
)


def _digest(parts: Iterator[object]) -> str:
    found = hashlib.blake2b(digest_size=16)
    for part in parts:
        found.update(digest(part).encode())
    return found.hexdigest()


def _now() -> dict[str, tuple[str, str]]:
    scenarios = [domain.scenario(task).text for task in domain.tasks("full")]
    found = {
        "world": (domain.version, _digest(world())),
        "grader": (domain.grader_version, _digest(grader())),
        "blame": (VERSION, _digest(blame())),
        "rules": (open_user("rules").setup.version, _digest(rules())),
        "scenarios": ("", digest(scenarios)),
    }
    for name in AGENTS:
        found[name] = (open_agent(name).setup.version, _digest(agent(name)))
    return found


@pytest.fixture(scope="module")
def now() -> dict[str, tuple[str, str]]:
    return _now()


@pytest.mark.parametrize("what", ["world", "grader", "blame", "rules", "scenarios", *AGENTS])
def test_a_version_stands_for_its_content(what: str, now: dict[str, tuple[str, str]]) -> None:
    assert now[what] == VERSIONS[what], (
        f"what {what} stands for has changed: give it its next version, then list it here"
    )


if __name__ == "__main__":
    for what, (version, content) in _now().items():
        print(f'    "{what}": ("{version}", "{content}"),')  # noqa: T201
