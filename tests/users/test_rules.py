"""The simulated customer in whole calls: what it does, says, holds back, and how it ends."""

from __future__ import annotations

import asyncio

import pytest

from ringback.domain import Task
from ringback.episode.events import Call, Result, Results, Turn
from ringback.episode.participants import Reply, UserBrief, View
from ringback.episode.seeds import Stream
from ringback.errors import InputError
from ringback.telecom import domain
from ringback.telecom.scenario import scenario
from ringback.users import USERS, open_user
from ringback.users.rules.decide import turn
from tests.users.calls import Talk, any_task

AIRPLANE = any_task("service_issue", "airplane_mode_on")
SIM = any_task("service_issue", "unseat_sim_card")
BILL = any_task("service_issue", "overdue_bill_suspension")
LOCKED = any_task("service_issue", "lock_sim_card_pin")
SAVER = any_task("mobile_data_issue", "data_saver_mode_on")
VPN_SAVER = any_task("mobile_data_issue", "bad_vpn", "data_saver_mode_on")
USAGE = any_task("mobile_data_issue", "data_usage_exceeded")
WIFI_CALLING = any_task("mms_issue", "bad_wifi_calling")
PERMISSIONS = any_task("mms_issue", "break_app_both_permissions")
MODE = any_task("mobile_data_issue", "bad_network_preference")


def test_names() -> None:
    assert "rules" in USERS
    user = open_user("rules")
    assert user.setup.name == "rules"
    assert user.deterministic


def test_an_unknown_name_or_setting_is_said() -> None:
    with pytest.raises(InputError, match="known are rules"):
        open_user("ghost")
    with pytest.raises(InputError, match="no settings; leave out patience"):
        open_user("rules", {"patience": 3})


def test_another_domains_scenario_is_refused() -> None:
    class Other:
        text = "You want a flight."

    with pytest.raises(InputError, match="airline"):
        open_user("rules").take(UserBrief("airline", Other(), ()))


def test_the_opening_says_the_trouble_and_nothing_of_its_cause() -> None:
    for task in (AIRPLANE, SAVER, WIFI_CALLING):
        talk = Talk(task)
        assert talk.rule == "opens"
        low = talk.said.lower()
        assert "airplane" not in low
        assert "data saver" not in low
        assert "wi-fi calling" not in low


def test_a_hidden_fault_is_not_volunteered() -> None:
    talk = Talk(SAVER)
    for text in ("May I have your name?", "And your phone number?", "Where are you right now?"):
        assert "saver" not in talk.say(text).lower()
        assert talk.deeds == []


def test_the_phone_is_looked_at_before_anything_is_said_of_it() -> None:
    talk = Talk(AIRPLANE)
    answer = talk.say("Is airplane mode on?")
    assert talk.deeds == ["check_status_bar"]
    assert "airplane mode is on" in answer.lower()


def test_what_has_been_seen_is_answered_without_another_look() -> None:
    talk = Talk(VPN_SAVER)
    talk.say("Please check your status bar.")
    answer = talk.say("Is data saver on?")
    assert talk.deeds == []
    assert "data saver is on" in answer.lower()


def test_a_switch_is_looked_at_first_and_turned_only_where_that_helps() -> None:
    talk = Talk(SAVER)
    answer = talk.say("Please turn off airplane mode.")
    assert talk.deeds == ["check_status_bar"]
    assert "airplane mode is off" in answer.lower()
    talk.say("Please turn off data saver.")
    assert talk.deeds == ["toggle_data_saver_mode"]


def test_a_switch_named_by_its_action_is_turned_back_if_it_went_the_wrong_way() -> None:
    talk = Talk(SAVER)
    talk.say("Please turn Wi-Fi calling off: run `toggle_wifi_calling()`.")
    assert talk.deeds == ["toggle_wifi_calling", "toggle_wifi_calling"]
    assert talk.episode.world.fields()["phone.wifi_calling_enabled"] is False


@pytest.mark.parametrize("task", [AIRPLANE, SAVER])
def test_a_condition_is_looked_up_and_obeyed(task: str) -> None:
    talk = Talk(task)
    talk.say("If airplane mode is on, turn it off. If it is off, just tell me.")
    assert ("toggle_airplane_mode" in talk.deeds) is (task == AIRPLANE)
    assert talk.episode.world.fields()["phone.airplane_mode"] is False


def test_several_things_in_one_message_are_done_in_order_in_as_few_turns_as_possible() -> None:
    talk = Talk(VPN_SAVER)
    talk.say("Please check the status bar.")
    before = len(talk.events)
    talk.say("Please turn data saver off, disconnect the VPN, and then run a speed test.")
    assert talk.deeds == ["toggle_data_saver_mode", "disconnect_vpn", "run_speed_test"]
    assert len(talk.events) - before == 4  # the message, one turn of calls, results, the answer


def test_the_network_mode_depends_on_what_it_shows() -> None:
    text = "Check the network mode. If it's 2G or 3G, change it to 4G/5G preferred."
    talk = Talk(MODE)
    talk.say(text)
    assert talk.deeds == ["check_network_mode_preference", "set_network_mode_preference"]
    talk = Talk(SAVER)
    talk.say(text)
    assert talk.deeds == ["check_network_mode_preference"]


def test_only_missing_permissions_are_granted() -> None:
    talk = Talk(any_task("mms_issue", "break_app_sms_permission"))
    talk.say("Check the messaging app's permissions. If SMS or storage is missing, grant it.")
    grants = [
        call.arguments
        for event in talk.events
        if isinstance(event, Turn)
        for call in event.calls
        if call.tool == "grant_app_permission"
    ]
    assert grants == [{"app_name": "messaging", "permission": "sms"}]


def test_if_it_still_does_not_work_is_found_out_by_trying() -> None:
    talk = Talk(WIFI_CALLING)
    talk.say("Please restart the phone. If it still doesn't work, turn Wi-Fi calling off.")
    assert talk.deeds[:2] == ["reboot_device", "can_send_mms"]
    assert "toggle_wifi_calling" in talk.deeds


def test_consent_is_given_within_the_scenario_and_ends_nothing() -> None:
    talk = Talk(USAGE)
    answer = talk.say("You are out of data. Would you like me to add 2.0 GB for $4.00?")
    assert "yes" in answer.lower()
    assert "2.0 GB" in answer
    assert "###" not in answer
    assert "2.0 GB" in talk.say("Or shall I add 5 GB of extra data instead?")
    assert "yes" not in talk.said.lower()
    assert "don't want to change" in talk.say("Would you like to upgrade to a bigger plan?")


def test_no_bill_is_paid_in_a_family_that_has_none() -> None:
    talk = Talk(USAGE)
    answer = talk.say("I've sent you a payment request. Please pay it.")
    assert "make_payment" not in talk.deeds
    assert "bill" in answer


def test_a_call_about_service_from_number_to_thanks() -> None:
    talk = Talk(BILL)
    assert "555-123-2002" in talk.say("May I have the phone number, please?")
    answer = talk.say("There is an overdue bill of $65.00. Would you like to pay it now?")
    assert "yes" in answer.lower()
    assert talk.deeds == []
    talk.call("send_payment_request", customer_id="C1001", bill_id="B1234321")
    answer = talk.say("I have sent you the payment request. Please check it and pay it.")
    assert talk.deeds == ["check_payment_request", "make_payment"]
    assert "65.00 USD" in answer
    assert not talk.ended
    talk.call("resume_line", customer_id="C1001", line_id="L1002")
    answer = talk.say("Thank you. Your line is active again, please restart the phone.")
    assert talk.deeds == ["reboot_device"]
    assert "signal is excellent" in answer
    assert not talk.ended
    talk.say("Wonderful. Is there anything else I can do for you?")
    assert talk.rule == "content"
    assert talk.ended
    assert talk.episode.end is not None
    assert talk.episode.end.ending == "user_stop"


def test_fixed_is_believed_only_on_proof() -> None:
    talk = Talk(SAVER)
    answer = talk.say("I'm glad we could solve it. Have a nice day!")
    assert talk.deeds == ["run_speed_test"]
    assert not talk.ended
    assert "###" not in answer


def test_proof_alone_does_not_end_a_call_in_which_the_agent_has_still_something_to_do() -> None:
    talk = Talk(SAVER)
    talk.say("Please turn off data saver and run a speed test.")
    assert "Excellent" in talk.said
    assert not talk.ended
    talk.say("Would you like me to add 2.0 GB of data for $4.00?")
    assert not talk.ended
    talk.say("Good. Anything else?")
    assert talk.ended


def test_a_transfer_ends_with_its_marker() -> None:
    talk = Talk(LOCKED)
    talk.say("If this does not help, I will transfer you to a human agent.")
    assert not talk.ended
    answer = talk.say("I can't unlock it. I'm transferring you to a human agent now.")
    assert answer.endswith("###TRANSFER###")
    assert talk.rule == "transferred"


def test_a_birth_date_is_never_given_and_asking_on_and_on_is_out_of_scope() -> None:
    talk = Talk(SAVER)
    answers = [
        talk.say("I need your date of birth to verify you."),
        talk.say("Could you give me your date of birth, please?"),
        talk.say("Please tell me your date of birth."),
    ]
    assert not any("19" in answer for answer in answers)
    assert "555-123-2002" in answers[0]
    assert answers[2].endswith("###OUT-OF-SCOPE###")
    assert talk.rule == "asked_too_often"


@pytest.mark.parametrize(
    "text",
    ["Bananas are yellow.", "Let me check that, one moment.", "Run a speed test.", "Thanks."],
)
def test_a_call_that_goes_nowhere_ends(text: str) -> None:
    talk = Talk(SAVER)
    for _ in range(12):
        talk.say(text)
        if talk.ended:
            break
    assert talk.rule == "gave_up"
    assert "###OUT-OF-SCOPE###" in talk.said


@pytest.mark.parametrize(
    "question",
    [
        "What is the speed now?",
        "What does the speed test say?",
        "How fast is it? Which speed do you get?",
        "Could you tell me the speed you are getting at this moment?",
    ],
)
def test_a_speed_that_may_have_changed_since_is_measured_again(question: str) -> None:
    talk = Talk(USAGE)
    assert "No Connection" in talk.say("Please run a speed test.")
    talk.call("refuel_data", customer_id="C1001", line_id="L1002", gb_amount=2.0)
    assert "Excellent" in talk.say(question)
    assert talk.deeds == ["run_speed_test"]


def test_what_is_not_understood_is_asked_about() -> None:
    talk = Talk(SAVER)
    answer = talk.say("Bananas are yellow.")
    assert talk.rule == "asks"
    assert "?" in answer


def test_go_ahead_takes_up_what_was_asked_before() -> None:
    caller = scenario(domain.task(SIM))
    events = [
        Turn(seq=1, by="user", text="There is no service."),
        Turn(seq=2, by="agent", text="Please take the SIM card out and put it back in."),
        Turn(seq=3, by="user", text="Will that delete my pictures?"),
        Turn(seq=4, by="agent", text="No, it won't. Go ahead, I'll stay on the phone."),
    ]
    reply = turn(View("user", "Hello", events, 60.0), caller, Stream("s", 5))
    assert [call.tool for call in reply.calls] == ["reseat_sim_card"]


def test_personas_speak_differently() -> None:
    replies = {
        persona: turn(
            View("user", "Hello", [], 60.0),
            scenario(Task("x", "mms_issue", ("bad_wifi_calling",), persona, True)),
            Stream("s", 1),
        ).text
        for persona in ("None", "Easy", "Hard")
    }
    assert len(set(replies.values())) == 3


def test_a_look_is_told_as_far_as_it_was_asked_for() -> None:
    def looked(persona: str) -> str:
        events = [
            Turn(seq=1, by="agent", text="Is airplane mode on?"),
            Turn(seq=2, by="user", calls=(Call("check_status_bar", {}),)),
            Results(
                seq=3,
                turn=2,
                by="user",
                results=(
                    Result(
                        "Status bar: airplane mode off; signal poor; network 2G; mobile data on; "
                        "data saver on; Wi-Fi off; VPN connected; battery 80%.",
                        "0",
                    ),
                ),
            ),
        ]
        task = Task("x", "mobile_data_issue", ("bad_vpn",), persona, True)
        reply = turn(View("user", "Hello", events, 60.0), scenario(task), Stream("s", 4))
        return (reply.text or "").lower()

    for persona in ("None", "Easy", "Hard"):
        assert "airplane mode is off" in looked(persona)
        assert "vpn" not in looked(persona)


def test_frustration_comes_once_a_step_did_not_help_and_not_before() -> None:
    talk = Talk(WIFI_CALLING)
    first = talk.say("Please restart your phone and try to send a picture message.")
    second = talk.say("Please take the SIM out and put it back, then try an MMS again.")
    assert "frustrat" not in first
    assert second != first


def test_equal_views_and_streams_give_equal_replies_and_nothing_is_kept() -> None:
    talk = Talk(VPN_SAVER)
    talk.say("Please check the status bar, turn data saver off and run a speed test.")
    talk.say("Is a VPN connected? If so, disconnect it.")
    caller = scenario(domain.task(VPN_SAVER))
    events = list(talk.events)
    for cut, event in enumerate(events):
        if isinstance(event, Turn) and event.by == "user":
            view = View("user", "Hello", events[:cut], 60.0)
            again = turn(view, caller, Stream(talk.episode.start.user_seed, event.seq))
            assert (again.text, again.calls, again.rule) == (event.text, event.calls, event.rule)


def test_other_seeds_may_word_it_otherwise_but_act_the_same() -> None:
    def run(seed: int) -> tuple[list[str], str]:
        talk = Talk(VPN_SAVER, seed)
        talk.say("Please turn off data saver and run a speed test.")
        return talk.deeds, talk.said

    runs = [run(seed) for seed in range(8)]
    assert len({tuple(deeds) for deeds, _ in runs}) == 1
    assert len({said for _, said in runs}) > 1


@pytest.mark.parametrize(
    "text",
    [
        "\x00" * 50,
        "airplane mode " * 5000,
        "###STOP### ###TRANSFER###",
        "<b>\x1b[31m</b>",
        "{" * 9999,
    ],
)
def test_hostile_messages_get_an_answer(text: str) -> None:
    events = [Turn(seq=1, by="agent", text=text)]
    reply = turn(View("user", "Hello", events, 60.0), scenario(domain.task(SAVER)), Stream("s", 2))
    assert isinstance(reply, Reply)
    assert reply.text or reply.calls


def test_hostile_results_cannot_end_the_call() -> None:
    for text, error in (
        ("Error: ###STOP###", True),
        ("APN name: ###STOP###; MMSC URL: ###TRANSFER###.", False),
        ("\x1b[2J nothing that is known", False),
    ):
        events = [
            Turn(seq=1, by="agent", text="Please check your APN settings."),
            Turn(seq=2, by="user", calls=(Call("check_apn_settings", {}),)),
            Results(seq=3, turn=2, by="user", results=(Result(text, "0", error),)),
        ]
        reply = turn(
            View("user", "Hello", events, 60.0), scenario(domain.task(SAVER)), Stream("s", 4)
        )
        assert "###" not in (reply.text or "")


def test_it_is_a_participant() -> None:
    user = open_user("rules").take(
        UserBrief("telecom", domain.scenario(domain.task(SAVER)), domain.tools("user"))
    )
    reply = asyncio.run(user.act(View("user", "Hello", [], 60.0), Stream("s", 1)))
    assert isinstance(reply, Reply)
    assert reply.text
