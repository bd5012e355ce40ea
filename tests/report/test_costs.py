"""What models cost and where the simulator was at fault: summed, shown, and unknown where it is."""

from __future__ import annotations

import io

import pytest
from msgspec.structs import replace
from rich.console import Console

from ringback.episode.episode import Episode
from ringback.episode.events import AnyEvent, ModelCall, Nudge, Rejected, Start
from ringback.episode.participants import Aside, Reply
from ringback.episode.wire import (
    Answer,
    Attempt,
    Message,
    Price,
    RecordedRequest,
    Text,
    Thought,
    Usage,
)
from ringback.report import wording
from ringback.report.compute import compute
from ringback.report.model import Cost, Faults
from ringback.report.page import study_page, transcript_page
from ringback.report.results_json import encode
from ringback.report.summary import summary
from ringback.report.terminal import print_transcript
from ringback.report.transcript import transcript
from tests.report.calls import TELECOM, repair
from tests.report.studies import arm_facts, rows, study

FACTS = study([arm_facts("baseline", "baseline"), arm_facts("hasty")])


def paid() -> list[object]:
    found = rows(FACTS, {"baseline": ["yyyn"], "hasty": ["nnyi"]})
    costs = iter(
        [
            (Cost(10, 0, 0.1), Cost(8, 0, 0.0), 0),
            (Cost(10, 0, 0.2, 2), Cost(8, 0, 0.0), 3),
            (Cost(10, 0, 0.3, 1), Cost(8, 0, 0.0), 1),
            (Cost(10, 0, 0.0), Cost(8, 0, 0.0), 0),
            (Cost(10, 0, 0.5), Cost(8, 0, 0.0), 0),
            (Cost(10, 4, 0.5), Cost(8, 0, 0.0), 0),
            (None, Cost(1, 0, 0.0), 0),
            (None, None, None),
        ]
    )
    return [
        replace(row, agent_cost=agent, user_cost=user, faults=faults)
        for row, (agent, user, faults) in zip(found, costs, strict=True)
    ]


def test_sides_are_summed_apart_and_what_is_unknown_is_never_a_sum() -> None:
    found = compute(FACTS, paid())  # pyright: ignore[reportArgumentType]
    base, hasty = found.arms
    assert base.agent_cost == Cost(40, 0, 0.6, 3)
    assert base.user_cost == Cost(32, 0, 0.0)
    assert base.faults == Faults(4, 2, 4)
    assert hasty.agent_cost == Cost(20, 4, 1.0)
    assert hasty.faults == Faults(0, 0, 3)
    assert wording.cost(base.agent_cost) == (
        "$0.6 in 40 calls, and 3 tries that may have been charged"
    )
    assert wording.cost(base.user_cost) == "$0 in 32 calls"
    assert wording.cost(hasty.agent_cost) == (
        "unknown, 20 calls (4 without a price, the rest $1.00)"
    )
    assert wording.cost(Cost(3, 3, 0.0)) == "unknown, 3 calls"
    assert wording.cost(None) == "no model"
    assert wording.cost(Cost(3, 0, 0.6, 1)) == (
        "$0.6 in 3 calls, and 1 try that may have been charged"
    )
    assert wording.cost(Cost(3, 1, 0.6, 2)) == (
        "unknown, 3 calls (1 without a price, the rest $0.6), "
        "and 2 tries that may have been charged"
    )
    assert found.grid[1].cells[0][0].faults == 3


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        (None, "unknown"),
        (0.0, "$0"),
        (12.345, "$12.35"),
        (1234.5, "$1,234.50"),
        (0.031239, "$0.03124"),
        (0.0000123456, "$1.2e-05"),
    ],
)
def test_sums_of_money_are_read_at_a_glance(usd: float | None, text: str) -> None:
    assert wording.usd(usd) == text


def test_summary_and_page_have_the_costs_where_a_model_was_asked() -> None:
    found = compute(FACTS, paid())  # pyright: ignore[reportArgumentType]
    text, page = summary(found), study_page(found, lambda one: f"{one}.html").decode()
    for words in ("Cost of the agent", "$0.6 in 40 calls", "4 of 32 replies, in 2 of 4 episodes"):
        assert words in text
    assert "Costs, and where the customer was not one" in page
    assert '<a href="#cost">Costs</a>' in page
    assert "both sides’: <b>unknown, 109 calls (4 without a price, the rest $1.60)" in page
    assert "4 without a price, the rest $1.00" in page
    assert "3 simulator faults" in page
    assert b'"agent_cost":{"calls":40' in encode(found).replace(b" ", b"").replace(b"\n", b"")
    plain = compute(FACTS, rows(FACTS, {"baseline": ["yyyn"], "hasty": ["nnyi"]}))
    assert "Cost of the agent" not in summary(plain)
    assert "Costs, and where" not in study_page(plain, lambda _: None).decode()


def asked() -> list[AnyEvent]:
    """A beginning in which both sides are models, with a guard that held something back."""
    start = repair()[0]
    assert isinstance(start, Start)
    episode = Episode(start, TELECOM)

    def call(seq: int, by: str, text: str, **more: object) -> ModelCall:
        parts = (Thought("It is the SIM card."), Text(text)) if by == "agent" else (Text(text),)
        answer = Answer(
            Message("assistant", parts),
            "m-2026-11-01",
            1.25,
            Usage(1200, 34, 1000, None, 12),
            Price(0.0042, "a table of 2026-11-01"),
        )
        return ModelCall(
            seq=seq,
            cause=seq - 1,
            by=by,  # pyright: ignore[reportArgumentType]
            model="p:m",
            request=RecordedRequest("0" * 32, (), "1" * 32),
            answer=replace(answer, **more),
        )

    said = "How can I help you today?"
    fault = Rejected(seq=2, cause=1, by="user", rules=("role_inversion",), text=said)
    nudge = Nudge(seq=3, cause=1, by="user", text="You are the customer.")
    local = Price(0.0, "runs on this machine")
    episode.note(Aside((call(1, "user", said, price=local), fault, nudge)))
    episode.note(Aside((call(4, "user", "I have no signal.", price=local),)))
    episode.take(Reply("I have no signal."), seconds=0.1)
    tries = (Attempt("infrastructure", "HTTP 429", 0.5),)
    dropped = {"seed": "the provider takes none"}
    unknown = Price(None, "no price is known for m-2026-11-01")
    more = {"attempts": tries, "dropped": dropped, "price": unknown}
    episode.note(Aside((call(6, "agent", "Reseat the SIM card.", **more),)))
    episode.take(Reply("Reseat the SIM card."), seconds=0.1)
    gone = {"message": None, "failure": "infrastructure", "why": "HTTP 503", "price": unknown}
    episode.note(Aside((call(8, "user", "", **gone),)))
    episode.finish("infrastructure_error", "failure", "HTTP 503")
    return episode.events


def shown(events: list[AnyEvent]) -> str:
    out = io.StringIO()
    print_transcript(transcript(events, TELECOM), Console(file=out, width=400))
    return out.getvalue()


def test_model_calls_stand_with_the_turn_that_was_made_of_them() -> None:
    told = transcript(asked(), TELECOM)
    user, agent, left = told.rows[1:]
    assert [type(aside).__name__ for aside in user.asides] == [
        "ModelCall",
        "Rejected",
        "Nudge",
        "ModelCall",
    ]
    assert [aside.seq for aside in agent.asides] == [6]
    assert (left.kind, left.side, left.asides[0].seq) == ("asked", "user", 8)
    assert told.spent["user"].calls == 3
    assert told.spent["user"].rejected == 1


def test_everything_about_a_call_is_said_at_the_terminal_and_on_the_page() -> None:
    words = [
        "model p:m (answered as m-2026-11-01)",
        "1,200 tokens in (1,000 cached), 34 out (12 of reasoning)",
        "cost $0 (runs on this machine)",
        "cost unknown (no price is known for m-2026-11-01)",
        "1 try before it without an answer: infrastructure after 0.5 s (HTTP 429)",
        "settings not taken: seed (the provider takes none)",
        "fault of the simulator, not taken (role inversion): How can I help you today?",
        "told by its harness: You are the customer.",
        "failed, infrastructure: HTTP 503",
        "agent unknown, 1 call · customer unknown, 3 calls (1 without a price, the rest $0)",
        "1 simulator fault",
    ]
    text, page = shown(asked()), transcript_page(transcript(asked(), TELECOM)).decode()
    for each in words:
        assert each in text
        assert each in page
    assert "reasoning, kept from the other side" in text


def test_a_reply_that_was_not_taken_stands_above_the_one_that_was() -> None:
    page = transcript_page(transcript(asked(), TELECOM)).decode()
    rejected = page.index("fault of the simulator, not taken (role inversion)")
    assert rejected < page.index("told by its harness") < page.index(">I have no signal.<")


def test_a_model_call_unfolds_to_what_it_sent_and_hid() -> None:
    page = transcript_page(transcript(asked(), TELECOM)).decode()
    head = "<summary>model p:m (answered as m-2026-11-01) · 1,200 tokens in (1,000 cached)"
    assert page.count('<details class="asked">') == 4
    assert head in page
    for words in ("1.2 s", "settings not taken: seed", "sent: 0 messages; request 1111"):
        assert f"<li>{words}" in page


def accepted() -> list[AnyEvent]:
    start = repair()[0]
    assert isinstance(start, Start)
    episode = Episode(start, TELECOM)
    call = ModelCall(
        seq=1,
        cause=0,
        by="user",
        model="p:m",
        request=RecordedRequest("0" * 32, (), "1" * 32),
        answer=Answer(
            Message("assistant", (Text("How may I help?"),)), "p:m", 1.0, Usage(), Price(0.0, "")
        ),
    )
    fault = Rejected(
        seq=2, cause=1, by="user", rules=("roles_inverted",), text="How may I help?", accepted=True
    )
    episode.note(Aside((call, fault)))
    episode.take(Reply("How may I help?", rule="accepted: roles_inverted"), seconds=0.1)
    return list(episode.events)


def test_a_reply_taken_under_protest_is_said_once_and_plainly() -> None:
    page = transcript_page(transcript(accepted(), TELECOM)).decode()
    assert "fault of the simulator, taken all the same: roles inverted" in page
    assert page.count("How may I help?") == 1
    assert "its own reason" not in page
    assert "accepted:" not in page
