"""Each rule of the guard: what it objects to, and what it leaves alone."""

from __future__ import annotations

import pytest

from ringback.canonical import Json
from ringback.domain import Task
from ringback.episode.events import Call
from ringback.telecom import domain
from ringback.users.guard import Candidate, Known, inspect
from ringback.users.guard.endings import mended
from ringback.users.guard.known import Deed

BAR = (
    "Status bar: airplane mode off; signal good; network 5G; mobile data on; data saver off; "
    "Wi-Fi off; VPN not connected; battery 80%."
)
GREETING = domain.greeting


def task(family: str, persona: str = "") -> Task:
    return next(
        task for task in domain.tasks("full") if (task.family, task.persona) == (family, persona)
    )


def known(
    *heard: str, deeds: tuple[tuple[str, str], ...] = (), family: str = "mobile_data_issue"
) -> Known:
    """After a greeting, a complaint and the agent's sentences, then the customer's deeds."""
    state = Known(domain.scenario(task(family)), [GREETING])
    state.say("My phone does not work as it should.")
    for text in heard:
        state.hear(text)
    for tool, text in deeds:
        state.do(Deed(tool, {}, text, error=text.startswith("Error")))
    return state


def rules(text: str | None, state: Known, *calls: Call) -> list[str]:
    return [finding.rule for finding in inspect(Candidate(text, calls), state)]


ASKED = "Please restart the phone and tell me what you see."
DONE = "Is there anything else I can help you with?"
FAST = ("run_speed_test", "Speed: 275.00 Mbps; rating: Excellent.")
SLOW = ("run_speed_test", "Speed: 2.00 Mbps; rating: Poor.")


# Claims that the log denies


@pytest.mark.parametrize(
    ("claim", "tool", "shown"),
    [
        ("I restarted the phone, and nothing changed.", "reboot_device", f"Done. {BAR}"),
        (
            "I've turned off airplane mode.",
            "toggle_airplane_mode",
            f"Airplane mode is now off. {BAR}",
        ),
        ("I have just switched data roaming on.", "toggle_roaming", "Data roaming is now on."),
        (
            "I turned Data Saver off as you asked.",
            "toggle_data_saver_mode",
            "Data saver is now off.",
        ),
        ("I’ve disconnected the VPN.", "disconnect_vpn", "VPN is now disconnected."),
        ("I ran the speed test twice.", *SLOW),
        ("I took a while, but I reseated the SIM card.", "reseat_sim_card", "It is back."),
        ("I granted the storage permission.", "grant_app_permission", "App messaging now has it."),
        ("I paid the bill.", "make_payment", "The bill is paid."),
        ("I reset the APN settings.", "reset_apn_settings", "APN settings will go back."),
        ("I changed the network mode to 4G.", "set_network_mode_preference", "It is now 4g_only."),
        ("I checked, and it is all fine.", "check_vpn_status", "VPN: not connected; setting: off."),
    ],
)
def test_a_deed_counts_only_where_an_action_did_it(claim: str, tool: str, shown: str) -> None:
    assert rules(claim, known(ASKED)) == ["denied_deed"]
    assert rules(claim, known(ASKED, deeds=((tool, shown),))) == []
    assert rules(claim, known(ASKED, deeds=((tool, "Error: no."),))) == ["denied_deed"]


@pytest.mark.parametrize(
    "text",
    [
        "Should I say when I restarted the phone?",
        "I haven't turned off airplane mode yet.",
        "What happens after I restarted it?",
        "Once I've turned off airplane mode I will tell you.",
        "I can restart the phone if you like.",
        "I restarted it, is that right?",
        "I'm going to run the speed test now.",
    ],
)
def test_plans_and_questions_claim_nothing(text: str) -> None:
    assert rules(text, known(ASKED)) == []


def test_what_no_action_can_do_is_never_claimed() -> None:
    assert rules("I entered my SIM PIN.", known(ASKED, deeds=(FAST,))) == ["denied_deed"]


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ("Airplane mode is on.", False),
        ("Airplane mode is off.", True),
        ("Airplane mode is not on.", True),
        ("Mobile data is disabled.", False),
        ("The Wi-Fi is now on.", False),
        ("The VPN is connected.", False),
        ("No VPN is connected.", True),
        ("The signal is excellent.", False),
        ("The signal is good, and mobile data is turned on.", True),
        ("Is it right that airplane mode is on?", True),
        ("If airplane mode is on, tell me.", True),
        ("Wi-Fi calling is on.", True),
    ],
)
def test_a_state_is_what_the_last_look_showed(text: str, fine: bool) -> None:
    looked = known(ASKED, deeds=(("check_status_bar", BAR),))
    assert rules(text, looked) == ([] if fine else ["denied_state"])
    assert rules(text, known(ASKED)) == []


def test_all_that_was_shown_since_the_agent_spoke_may_be_told() -> None:
    poor = BAR.replace("signal good", "signal poor")
    state = known(ASKED, deeds=(("reboot_device", poor), ("check_status_bar", BAR)))
    assert rules("First the signal is poor. Then the signal is good.", state) == []
    state.hear("Look again, please.")
    assert rules("The signal is poor.", state) == ["denied_state"]


# Facts


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ("My number is 555-123-2002.", True),
        ("My number is 5551232002.", True),
        ("My number is 555-999-1234.", False),
        ("My name is John Smith.", True),
        ("My name is Robert Miller.", False),
        ("This is Alex Jones.", False),
        ("Sarah Smith", False),
        ("John Smith.", True),
        ("I'm Sorry to bother you.", True),
        ("I was born on 1985-06-15.", False),
        ("My date of birth is 06/15/1985.", False),
        ("My customer id is C1001.", False),
        ("Write to me at john@example.com.", False),
        ("I am in Germany at the moment.", False),
        ("I am in Airplane Mode.", True),
        ("The test showed 99 Mbps.", False),
        ("The test showed 2 Mbps.", True),
        ("I would pay $40 for it.", False),
        ("I would pay for 2 GB.", True),
        ("My PIN is 1234.", False),
        ("I'm 100% sure.", True),
    ],
)
def test_facts_come_from_the_scenario_the_agent_or_the_phone(text: str, fine: bool) -> None:
    assert rules(text, known(ASKED, deeds=(SLOW,))) == ([] if fine else ["unfounded_fact"])


def test_what_the_agent_said_may_be_said_back() -> None:
    state = known("The bill B1001 of January 15, 2025 is $42.50, on account C1001. Pay it?")
    assert rules("Yes, I will pay $42.50 for B1001 on C1001.", state) == []


def test_places_of_the_scenario_are_known() -> None:
    abroad = next(
        task
        for task in domain.tasks("full")
        if task.family == "mobile_data_issue" and "user_abroad" in "".join(task.faults)
    )
    state = Known(domain.scenario(abroad), [GREETING, ASKED])
    assert rules("I'm currently in France.", state) == []
    assert rules("I'm currently in Spain.", state) == ["unfounded_fact"]


# Markers and farewells


@pytest.mark.parametrize(
    ("text", "state", "fine"),
    [
        ("Great. ###STOP###", known(ASKED, deeds=(FAST,)), True),
        ("###STOP###", known(ASKED, deeds=(SLOW,)), False),
        ("###STOP###", known(ASKED), False),
        ("No, thank you. ###STOP###", known(DONE), True),
        ("Yes, please go ahead. ###STOP###", known(ASKED, deeds=(FAST,)), False),
        ("Can you check that? ###STOP###", known(ASKED, deeds=(FAST,)), False),
        ("###STOP###", known(), False),
        ("###TRANSFER###", known("I am handing you over to a colleague."), True),
        ("###TRANSFER###", known(ASKED), False),
        ("###TRANSFER###", known(), False),
        ("###OUT-OF-SCOPE###", known("Which plan do you want?"), True),
        ("###OUT-OF-SCOPE###", known(), False),
    ],
)
def test_a_marker_waits_for_its_condition(text: str, state: Known, fine: bool) -> None:
    assert rules(text, state) == ([] if fine else ["early_marker"])


@pytest.mark.parametrize(
    ("family", "tool", "shown"),
    [
        ("mms_issue", "can_send_mms", "MMS can be sent: yes."),
        ("service_issue", "check_status_bar", BAR),
        ("mobile_data_issue", *FAST),
    ],
)
def test_each_goal_is_reached_where_it_was_seen(family: str, tool: str, shown: str) -> None:
    assert rules("###STOP###", known(ASKED, deeds=((tool, shown),), family=family)) == []
    assert rules("###STOP###", known(ASKED, family=family)) == ["early_marker"]


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        ("Thank you, goodbye!", True),
        ("It works. Have a great day!", True),
        ("That's all I needed, bye.", True),
        ("Goodbye? Is that all you can do?", False),
        ("Please go ahead, and have a nice day.", False),
        ("It works now.", False),
    ],
)
def test_a_clear_goodbye_asks_for_its_word(text: str, ended: bool) -> None:
    state = known(DONE, deeds=(FAST,))
    assert rules(text, state) == (["farewell_without_marker"] if ended else [])
    assert mended(text, state) == (f"{text} ###STOP###" if ended else text)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Thanks. ##STOP##", "Thanks. ###STOP###"),
        ("STOP", "###STOP###"),
        ("[TRANSFER]", "###TRANSFER###"),
        ("### OUT OF SCOPE ###", "###OUT-OF-SCOPE###"),
        ("####STOP####", "####STOP####"),
        ("Thanks. ###STOP###", "Thanks. ###STOP###"),
        ("It says stop the app.", "It says stop the app."),
    ],
)
def test_a_misspelt_marker_is_known_for_what_it_is(text: str, right: str) -> None:
    state = known("A colleague takes over. Goodbye!", deeds=(FAST,))
    assert mended(text, state) == right
    assert rules(text, state) == ([] if text == right else ["malformed_marker"])


# Nothing new


@pytest.mark.parametrize("text", [None, "", "  \n"])
def test_nothing_is_one_finding(text: str | None) -> None:
    assert rules(text, known()) == ["empty"]


def test_the_same_sentence_again_is_repeated_unless_something_happened() -> None:
    said = "My phone does not work as it should."
    assert rules(said, known(ASKED)) == ["repeated"]
    assert rules(said.upper(), known(ASKED)) == ["repeated"]
    assert rules(said, known(ASKED, deeds=(SLOW,))) == []
    assert rules(said, known(ASKED, ASKED)) == []
    assert rules("Yes.", known(ASKED)) == []


def test_one_sentence_over_and_over_is_repeated() -> None:
    assert rules("I do not know what that is. " * 5, known(ASKED)) == ["repeated"]
    assert rules("It is off. It is off. And that one is on.", known(ASKED)) == []


def test_the_same_action_that_shows_the_same_is_repeated_the_third_time() -> None:
    call = Call("run_speed_test", {})
    assert rules(None, known(ASKED, deeds=(SLOW,)), call) == []
    assert rules(None, known(ASKED, deeds=(SLOW, SLOW)), call) == ["repeated"]
    assert rules(None, known(ASKED, deeds=(SLOW, FAST)), call) == []
    assert rules(None, known(ASKED, deeds=(SLOW, SLOW)), Call("check_status_bar", {})) == []


def test_flipping_a_switch_to_and_fro_is_repeated_the_fourth_time() -> None:
    flips = [("toggle_wifi", f"Wi-Fi is now {'on' if n % 2 else 'off'}.") for n in range(3)]
    call = Call("toggle_wifi", {})
    assert rules(None, known(ASKED, deeds=tuple(flips[:2])), call) == []
    assert rules(None, known(ASKED, deeds=tuple(flips)), call) == ["repeated"]


def test_words_beside_calls_are_not_delivered_and_not_looked_at() -> None:
    assert rules("I restarted it. ###STOP###", known(ASKED), Call("reboot_device", {})) == []


@pytest.mark.parametrize(
    "text",
    [
        "###" * 5000,
        "I've " * 5000,
        "in in in In In In " * 2000,
        "555-" * 5000,
        "((((((((" * 2000,
        "\x00\u202e\ud7ff" * 1000,
        "my name is " + "A" * 20000,
        "1" * 20000 + " mbps",
        "12." * 5000 + " GB",
        "31/31/9999 2025-99-99 february 31",
    ],
)
def test_hostile_text_is_looked_at_in_no_time(text: str) -> None:
    import time

    began = time.perf_counter()
    rules(text, known(text, ASKED))
    assert time.perf_counter() - began < 2.0


def test_arguments_of_any_kind_are_looked_at() -> None:
    odd: list[Json] = [None, "", "{oops", [1], {"a": {"b": []}}, 3]
    for arguments in odd:
        assert rules(None, known(ASKED), Call("run_speed_test", arguments)) == []


# Roles


@pytest.mark.parametrize(
    "text",
    [
        "How can I help you today?",
        "I'd be happy to assist you with that.",
        "Is there anything else I can help you with?",
        "We apologize for the inconvenience.",
        "Thank you for contacting us.",
        "I've found your account.",
        "Let me check your line for you.",
        "Please restart your phone and try again.",
        "Could you please check your APN settings?",
        "Please perform the following action: reboot_device()",
        "Let me know once you have restarted it.",
        "You can turn on airplane mode in the settings.",
        "Hey John, I hope you are well.",
        "You are a customer, and I am here to help.",
        "Please restart the phone and tell me what you see.",
        "Agent: How are things?",
    ],
)
def test_what_the_agent_would_say_is_not_the_customers(text: str) -> None:
    assert "roles_inverted" in rules(text, known(ASKED))


@pytest.mark.parametrize(
    "text",
    [
        "Can you help me with that?",
        "Let me know if you need anything else from me.",
        "Could you check my account, please?",
        "Please go ahead and add 2 GB to my line.",
        "Please turn on roaming on my line.",
        "So I should restart the phone and tell you what I see?",
        "I can check the status bar. One moment.",
        "Thank you so much for your help and your patience!",
        "Please let me know once you've resumed my line.",
        "You can check my account with that number.",
        "I'm sorry, I cannot give you that.",
        "Will you restart it from your side?",
    ],
)
def test_what_a_customer_would_say_is(text: str) -> None:
    assert rules(text, known(ASKED)) == []
