"""A call in sentences: what belongs together is one, and hostile words stay in their quotes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringback.agents import AGENTS, open_agent
from ringback.domain import Did, Said, Task
from ringback.episode.events import Limits
from ringback.telecom import domain
from ringback.telecom.recount import inversions, recount
from ringback.telecom.tools import TOOLS
from tests.agents.calls import play_call
from tests.agents.customer import Customer
from tests.grading.stories import LINE, Line, story, task

NONE: dict[str, Any] = {}
SAVER = task("mobile_data_issue", "data_saver_mode_on")
USED = task("mobile_data_issue", "data_usage_exceeded")
BILLED = task("service_issue", "overdue_bill_suspension")
HELLO: Line = ("user", "Hello, it is slow.")


def told(of: Task, *lines: Line) -> list[str]:
    return recount(
        story(
            of, HELLO, *lines, ending="max_steps", limits=Limits(steps=None, errors=None)
        ).happenings
    )


def test_looks_of_the_carrier_in_a_row_are_one_sentence_with_the_question_before_them() -> None:
    assert told(
        SAVER,
        ("agent", "What is your phone number?"),
        ("user", "555-123-2002."),
        ("agent", "get_customer_by_phone", {"phone_number": "555-123-2002"}),
        ("agent", "get_details_by_id", {"id": "L1001"}),
        ("agent", "get_details_by_id", {"id": "L1002"}),
        ("agent", "get_data_usage", LINE),
    ) == [
        "Asked for the phone number, looked up 555-123-2002 with get_customer_by_phone, inspected "
        "L1001 and L1002 with get_details_by_id, which showed L1002 as the line of 555-123-2002, "
        "and called get_data_usage for C1001/L1002 and found 8.7 GB used of 15 GB."
    ]


def test_a_look_and_the_step_that_follows_from_it_are_one_sentence() -> None:
    assert told(
        SAVER,
        ("agent", "Please run check_data_restriction_status."),
        ("user", "check_data_restriction_status", NONE),
        ("user", "Data saver is on."),
        ("agent", "Data saver is on. Turn it off and run a speed test."),
        ("user", None, [("toggle_data_saver_mode", NONE), ("run_speed_test", NONE)]),
        ("user", "It is excellent."),
    ) == [
        "Asked for check_data_restriction_status, which showed Data Saver on; had the customer "
        "switch Data Saver off and run a speed test, which showed 220 Mbps (Excellent)."
    ]


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (
            [
                ("agent", "get_line_by_id", {"id": "L1001"}),
                ("agent", "get_details_by_id", {"id": "L1001"}),
            ],
            [
                "Called get_line_by_id with id L1001, which is no tool; nothing changed by it, and "
                "get_details_by_id was used instead.",
                "Inspected L1001 with get_details_by_id.",
            ],
        ),
        (
            [("agent", "toggle_data", NONE)],
            ["Called toggle_data, which only the customer can use."],
        ),
        (
            [
                ("agent", "resume_line", LINE),
                ("agent", "get_data_usage", LINE),
                ("agent", "resume_line", LINE),
            ],
            [
                "Called resume_line with customer_id C1001, line_id L1002 twice, which was "
                'refused ("line L1002 is Active; only a line that is Suspended or Pending '
                'Activation can be resumed").',
            ],
        ),
        (
            [
                ("agent", "get_data_usage", {**LINE, "line_id": "L9"}),
                ("agent", "get_data_usage", LINE),
            ],
            [
                "Called get_data_usage with customer_id C1001, line_id L9, which was refused "
                "(\"customer C1001 has no line 'L9'\"); nothing changed by it, and it was called "
                "again.",
                "Called get_data_usage for C1001/L1002 and found 8.7 GB used of 15 GB.",
            ],
        ),
    ],
    ids=["no-tool", "not-ours", "again-and-again", "mended"],
)
def test_a_refused_call_and_its_recovery_are_told(lines: Sequence[Line], wanted: list[str]) -> None:
    assert told(SAVER, *lines) == wanted


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            "Yes, please.",
            'had the customer\'s agreement ("Yes, please."), and called refuel_data for 2 GB',
        ),
        ("No, thank you.", 'heard "No, thank you."'),
        ("Yes, but only if it is free.", 'heard "Yes, but only if it is free."'),
    ],
)
def test_a_refuel_names_price_agreement_and_charge(answer: str, words: str) -> None:
    (sentence,) = told(
        USED,
        ("agent", "Would you like 2 GB of extra data for $4?"),
        ("user", answer),
        ("agent", "refuel_data", {**LINE, "gb_amount": 2}),
    )
    assert sentence.startswith("Offered extra data, named the price and ")
    assert words in sentence
    assert sentence.endswith("on C1001/L1002 ($4).")


def test_a_bill_is_told_from_request_to_payment_and_the_line_back() -> None:
    sentences = told(
        BILLED,
        ("agent", "get_bills_for_customer", {"customer_id": "C1001"}),
        ("agent", "send_payment_request", {"customer_id": "C1001", "bill_id": "B1234321"}),
        ("agent", "Please check for the payment request and pay it."),
        ("user", None, [("check_payment_request", NONE), ("make_payment", NONE)]),
        ("user", "I paid."),
        ("agent", "resume_line", LINE),
        ("agent", "Please restart the phone."),
        ("user", "reboot_device", NONE),
    )
    assert sentences == [
        "Listed the bills of C1001 and found B1002 Issued ($150) and B1234321 Overdue ($65), and "
        "sent a payment request for B1234321 ($65).",
        "Had the customer run check_payment_request and pay bill B1234321 ($65), which showed a "
        "request to pay B1234321 ($65).",
        "Brought the line C1001/L1002 back with resume_line.",
        "Had the customer restart the phone.",
    ]


def test_what_does_not_help_is_still_so_and_once_it_helps_no_longer() -> None:
    sentences = told(
        USED,
        *[
            line
            for said in ("First.", "Second.")
            for line in (
                ("agent", "Run a speed test."),
                ("user", "run_speed_test", NONE),
                ("user", said),
            )
        ],
        ("agent", "refuel_data", {**LINE, "gb_amount": 2}),
        ("agent", "Run a speed test."),
        ("user", "run_speed_test", NONE),
    )
    assert "showed no data connection" in sentences[0]
    assert "showed still no data connection" in sentences[1]
    assert sentences[-1].endswith("which showed 220 Mbps (Excellent).")


def test_inverted_roles_are_counted_in_the_step_that_they_delayed() -> None:
    lines: list[Line] = [
        ("agent", "Please turn data saver off."),
        ("user", "How can I help you today?"),
        ("agent", "You have the phone. Please turn data saver off."),
        ("user", "I am here to help you."),
        ("agent", "You have the phone. Please turn data saver off."),
        ("user", "toggle_data_saver_mode", NONE),
        ("user", "Data saver is off."),
    ]
    assert told(SAVER, *lines) == [
        "Corrected the customer's role inversion twice until it would switch Data Saver off."
    ]
    assert list(inversions(story(SAVER, HELLO, *lines, ending="timeout").happenings)) == [3, 5]
    assert told(SAVER, *lines[:4]) == [
        "The customer spoke as the agent twice, and nothing came of it."
    ]


def test_the_last_words_are_quoted_and_what_the_customer_does_then_is_told() -> None:
    assert told(
        SAVER,
        ("agent", "Data saver was on. Anything else? Goodbye."),
        ("user", "run_speed_test", NONE),
        ("user", "It is slow."),
    ) == [
        'Closed with "Data saver was on. Anything else? Goodbye."; the customer ran '
        "run_speed_test, which showed 44 Mbps (Good)."
    ]


def test_what_nobody_asked_for_is_not_said_to_have_been_asked_for() -> None:
    assert told(
        SAVER,
        ("agent", "Thank you. I am looking at your account."),
        ("user", None, [("toggle_data", NONE), ("run_speed_test", NONE)]),
        ("user", "I switched something."),
        ("agent", "I see."),
        ("user", "check_sim_status", NONE),
        ("user", "It is active."),
        ("agent", "get_data_usage", LINE),
    ) == [
        'Said "Thank you. I am looking at your account."; the customer switched mobile data off '
        "and ran a speed test, which showed no data connection.",
        'Said "I see."; the customer ran check_sim_status, which showed the SIM card active.',
        "Called get_data_usage for C1001/L1002 and found 8.7 GB used of 15 GB.",
    ]


def refuel(amount: float) -> Line:
    return ("agent", "refuel_data", {**LINE, "gb_amount": amount})


def test_what_changes_something_is_told_each_time_and_in_its_order() -> None:
    assert told(USED, refuel(1), refuel(1), refuel(0.5)) == [
        "Called refuel_data for 1 GB on C1001/L1002 ($2) twice and called refuel_data for 0.5 GB "
        "on C1001/L1002 ($1)."
    ]
    on_and_off: list[Line] = [
        ("agent", f"{name}_line", {**LINE, "reason": "lost"} if name == "suspend" else LINE)
        for name in ("suspend", "resume", "suspend")
    ]
    (sentence,) = told(USED, *on_and_off)
    assert [sentence.count(name) for name in ("suspend_line", "resume_line")] == [2, 1]
    assert sentence.index("suspend_line") < sentence.index("resume_line")
    (sentence,) = told(
        USED,
        ("agent", "Please toggle airplane mode a few times."),
        ("user", None, [("toggle_airplane_mode", NONE)] * 3),
    )
    assert sentence == (
        "Had the customer switch airplane mode on, switch airplane mode off and switch airplane "
        "mode on."
    )
    (sentence,) = told(
        USED,
        ("agent", "Toggle airplane mode."),
        ("user", None, [("toggle_airplane_mode", NONE)] * 12 + [("check_sim_status", NONE)] * 2),
    )
    assert sentence.count("switched airplane mode") == 12
    assert "did 2 more things that changed nothing" in sentence


def test_refusals_with_other_arguments_are_not_told_as_the_same_twice() -> None:
    (sentence,) = told(
        USED,
        ("agent", "refuel_data", {**LINE, "gb_amount": -1}),
        ("agent", "refuel_data", {**LINE, "gb_amount": -5}),
    )
    assert "gb_amount -1," in sentence
    assert "gb_amount -5," in sentence
    assert "twice" not in sentence


@pytest.mark.parametrize("refusal", ["No, do not charge me anything!", "Do not bill me for it."])
def test_what_is_said_before_a_charge_is_told_and_a_refusal_quoted(refusal: str) -> None:
    small: list[Line] = [
        line
        for words in ("One moment.", "I am still here.", "It takes a while.")
        for line in (("agent", words), ("user", "Take your time."))
    ]
    whole = "\n".join(
        told(
            USED,
            *small,
            ("agent", "Would you like 2 GB for $4 in all?"),
            ("user", f"I have been thinking about this for a long time now. {refusal}"),
            ("agent", "I see."),
            ("user", "Good."),
            refuel(2),
        )
    )
    assert refusal in whole
    assert "exchanged words" not in whole
    assert "agreement" not in whole


def test_a_refusal_is_told_wherever_it_was_said() -> None:
    no = "No, I do not want to pay for more data."
    for lines in (
        [("agent", "Run a speed test."), ("user", "run_speed_test", NONE), ("user", no)],
        [("agent", "What is your phone number?"), ("user", no)],
        [("agent", "Hm."), ("user", f"How can I help you today? {no}")],
        [("agent", "Your data is back. Anything else? Goodbye."), ("user", no)],
    ):
        assert no in "\n".join(told(USED, *lines, refuel(1) if len(lines) < 3 else lines[0]))
    opened = story(USED, ("user", f"It is slow. {no}"), refuel(1), ending="max_steps")
    assert no in recount(opened.happenings)[0]


def test_what_is_said_right_before_a_charge_is_told_beside_what_was_done() -> None:
    assert told(
        USED,
        ("agent", "I will add 2 GB for $4. Please run a speed test."),
        ("user", "run_speed_test", NONE),
        ("user", "It's slow. Don't add it."),
        refuel(2),
    ) == [
        "Asked for run_speed_test, which showed no data connection; the customer said \"... Don't "
        'add it."',
        "Called refuel_data for 2 GB on C1001/L1002 ($4).",
    ]


def test_a_refusal_of_one_who_speaks_as_the_agent_is_told_once_and_in_its_place() -> None:
    assert told(
        USED,
        ("agent", "Would you like extra data?"),
        ("user", "I am here to help you. No, I won't pay for a refuel."),
        refuel(2),
    ) == [
        'Offered extra data and heard "... No, I won\'t pay for a refuel." (the customer spoke as '
        "the agent), and called refuel_data for 2 GB on C1001/L1002 ($4)."
    ]


def test_what_failed_after_the_last_words_is_not_told_as_done() -> None:
    (sentence,) = told(
        SAVER,
        ("agent", "It works again. Goodbye."),
        ("user", None, [("fly_away", NONE), ("run_speed_test", NONE)]),
    )
    assert 'the customer called "fly_away", which a phone does not have' in sentence
    assert "ran a speed test" in sentence
    assert "ran fly_away" not in sentence


def test_much_talk_that_bears_on_nothing_is_counted() -> None:
    lines: list[Line] = []
    for count in (3, 4):
        lines = [
            line
            for number in range(count)
            for line in (("agent", f"Well, {number}."), ("user", f"Well, {number}."))
        ]
        (first, last) = told(SAVER, *lines)
        assert (
            first == 'Said "Well, 0." and heard "Well, 0.", and said "Well, 1." and heard '
            '"Well, 1."'
        )
        assert last == f"Exchanged words {'once more' if count == 3 else '2 more times'}."


@pytest.mark.parametrize(
    "words",
    [
        "I have found your phone number 555-123-2002 in our records.",
        "You can now travel anywhere. Does it work?",
        "It is on your bill. Is it fine?",
        "Did you get your phone number back?",
        "Which phone number do you see on the screen?",
        "Hold on, I am looking.",
        "How much more data did you use?",
        "Which phone number did the stranger call you from?",
        "Are you travelling to work?",
        "Were you abroad?",
        "What did they say your name was?",
        "Please never tell me your phone number.",
        "Well,, let us see.",
    ],
)
def test_words_that_ask_for_nothing_in_particular_are_quoted(words: str) -> None:
    assert told(SAVER, ("agent", words), ("user", "Hm, well.")) == [
        f'Said "{words}" and heard "Hm, well."'
    ]


@pytest.mark.parametrize(
    ("words", "tool", "did"),
    [
        ("Please restart the phone.", "check_status_bar", "ran check_status_bar"),
        (
            "Could you tell me your name please?",
            "toggle_airplane_mode",
            "switched airplane mode on",
        ),
        ("Please turn airplane mode off.", "toggle_airplane_mode", "switched airplane mode on"),
        ("Please do not restart the phone.", "reboot_device", "restarted the phone"),
        ("Please wait, I will restart the phone.", "reboot_device", "restarted the phone"),
        ("Did you restart the phone?", "reboot_device", "restarted the phone"),
        ("Mobile data is on. Please restart it.", "toggle_data", "switched mobile data off"),
        ("Please turn Wi-Fi on.", "toggle_data", "switched mobile data off"),
        ("Tell me more about your VPN please.", "check_vpn_status", "ran check_vpn_status"),
        ("Well,, let us see.", "check_vpn_status", "ran check_vpn_status"),
        ("Please check airplane mode.", "toggle_airplane_mode", "switched airplane mode on"),
    ],
)
def test_what_was_done_is_no_answer_to_a_request_of_something_else(
    words: str, tool: str, did: str
) -> None:
    (sentence,) = told(SAVER, ("agent", words), ("user", tool, NONE))
    assert sentence.startswith(f'Said "{words}"; the customer {did}')


@pytest.mark.parametrize(
    ("words", "tool"),
    [
        ("Could you switch airplane mode on for a moment?", "toggle_airplane_mode"),
        ("I see that mobile data is on. Can you turn it off?", "toggle_data"),
        ("Please open the settings and turn Wi-Fi and airplane mode on.", "toggle_airplane_mode"),
        ("Now reboot your phone.", "reboot_device"),
        ("You need to take the SIM card out and put it back.", "reseat_sim_card"),
        ("If the VPN is on, please disconnect the VPN.", "disconnect_vpn"),
        ("Reset the APN settings, please.", "reset_apn_settings"),
    ],
)
def test_what_was_done_as_asked_is_told_so(words: str, tool: str) -> None:
    (sentence,) = told(SAVER, ("agent", words), ("user", tool, NONE))
    assert sentence.startswith("Had the customer ")


def test_an_inversion_was_corrected_only_where_the_request_was_made_again() -> None:
    lines: list[Line] = [
        ("agent", "Please restart the phone."),
        ("user", "How can I help you today?"),
        ("agent", "Lovely weather today."),
        ("user", "reboot_device", NONE),
    ]
    assert told(SAVER, *lines) == [
        'Said "Lovely weather today."; the customer restarted the phone (the customer had spoken '
        "as the agent)."
    ]
    lines[2] = ("agent", "You are the customer. Please restart the phone.")
    assert told(SAVER, *lines) == [
        "Corrected the customer's role inversion until it would restart the phone."
    ]


def test_a_price_is_named_only_where_it_is_that_of_the_offer() -> None:
    assert told(
        USED,
        ("agent", "Would you like 2 GB more data? Your bill is $160."),
        ("user", "Yes please."),
    ) == ['Offered extra data and had the customer\'s agreement ("Yes please.").']


def test_a_call_given_up_after_the_first_words_tells_them() -> None:
    assert told(SAVER) == [
        'The customer opened with "Hello, it is slow.", and nothing more was said or done.'
    ]


def test_a_call_that_does_something_else_is_no_recovery_of_a_refused_one() -> None:
    for refused, after in (
        (("agent", "resume_line", LINE), ("agent", "transfer_to_human_agents", {"summary": "It."})),
        (("agent", "resume_line", LINE), ("agent", "get_data_usage", LINE)),
        (
            ("agent", "get_details_by_id", {"id": "L9"}),
            ("agent", "get_customer_by_phone", {"phone_number": "555-123-2002"}),
        ),
    ):
        assert "instead" not in "\n".join(told(SAVER, refused, after))


@pytest.mark.parametrize("name", AGENTS)
def test_every_call_can_be_told_in_sentences_of_one_line(name: str) -> None:
    for of in list(domain.tasks("full"))[::150]:
        episode = play_call(of, open_agent(name), Customer("prose"))
        found = recount(episode.happenings)
        assert bool(found) == bool(episode.happenings)
        for sentence in found:
            assert sentence.isprintable()
            assert sentence[:1] == sentence[:1].upper()
            assert sentence.rstrip('"').endswith((".", "!", "?"))


_TOLD = (
    ("refuel_data", "called refuel_data for 0.25 GB on C1001/L1002 ($0.50)"),
    ("toggle_airplane_mode", "airplane mode o"),
    ("toggle_data", "mobile data o"),
    ("toggle_wifi", "Wi-Fi o"),
)
_REFUSALS = ("No, do not charge me.", "I don't want to pay.")
_SAYS = st.sampled_from(
    ["Please restart the phone.", "Turn on airplane mode.", "2 GB for $4?", "Run a speed test."]
)
_ANSWERS = st.sampled_from([*_REFUSALS, "Fine.", "How can I help you today?", "Yes."])
_OURS = st.sampled_from([("refuel_data", {**LINE, "gb_amount": 0.25}), ("get_data_usage", LINE)])
_THEIRS = st.sampled_from([*(name for name, _ in _TOLD[1:]), "run_speed_test", "check_sim_status"])
_OFTEN = re.compile(r"(?:n|ff)?(?:, without effect,?)?(?: (twice|\d+(?= times)))?")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(_SAYS, st.lists(_THEIRS, max_size=4), _ANSWERS,
                          st.lists(_OURS, max_size=3)), min_size=1, max_size=5))  # fmt: skip
def test_what_changes_something_and_what_refuses_a_charge_is_told_as_often_as_it_happened(
    rounds: list[tuple[str, list[str], str, list[tuple[str, Any]]]],
) -> None:
    lines: list[Line] = []
    for said, theirs, answer, ours in rounds:
        lines += [("agent", said), *[("user", tool, NONE) for tool in theirs], ("user", answer)]
        lines += [("agent", tool, given) for tool, given in ours]
    happened = story(
        USED, HELLO, *lines, ending="max_steps", limits=Limits(steps=None, errors=None)
    ).happenings
    whole = "\n".join(text[:1].lower() + text[1:] for text in recount(happened))
    for name, words in _TOLD:
        made = sum(isinstance(one, Did) and one.tool == name for one in happened)
        told_of = 0
        for found in re.finditer(re.escape(words), whole):
            often = _OFTEN.match(whole, found.end())
            many = None if often is None else often[1]
            told_of += 2 if many == "twice" else int(many or 1)
        assert told_of == made, (name, whole)
    refused = sum(isinstance(one, Said) and one.text in _REFUSALS for one in happened)
    assert sum(whole.count(words) for words in _REFUSALS) == refused or re.search(
        r"heard \"[^\"]*\"[^,.]* (?:twice|\d+ times)", whole
    )


_WORDS = st.text(min_size=1, max_size=200).filter(lambda text: text.strip() != "")
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**31), 2**31) | _WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_WORDS, inner, max_size=3),
    max_leaves=6,
)
_CALL = st.tuples(st.sampled_from([*TOOLS, "no_tool"]) | _WORDS, _JSON)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(_WORDS, st.lists(_CALL, max_size=2), st.lists(_CALL, max_size=2), _WORDS),
                max_size=4))  # fmt: skip
def test_no_words_and_no_arguments_break_a_sentence(
    rounds: list[tuple[str, list[tuple[str, Any]], list[tuple[str, Any]], str]],
) -> None:
    lines: list[Line] = []
    for said, ours, theirs, answer in rounds:
        lines += [("agent", None, [call]) for call in ours]
        lines += [("agent", f"Do this: {said}")]
        lines += [("user", None, [call]) for call in theirs]
        lines += [("user", f"Well, {answer}")]
    lines = [line for line in lines if "###" not in str(line)]
    for sentence in told(SAVER, *_alternating(lines)):
        assert sentence.isprintable()
        assert len(sentence) < 3000


def _alternating(lines: list[Line]) -> list[Line]:
    """The lines without those that would be out of turn."""
    turn, kept = "agent", list[Line]()
    for line in lines:
        if line[0] == turn:
            kept.append(line)
            spoke = len(line) == 2
            turn = ("user" if turn == "agent" else "agent") if spoke else turn
    return kept
