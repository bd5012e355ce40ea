"""Answers about the caller: who, where, since when, and what is agreed to. Nothing is invented."""

from __future__ import annotations

from ringback.telecom.scenario import Caller
from ringback.users.rules.reading import Reading

__all__ = ["CANNOT_GIVE", "OFFERS", "answers"]

CANNOT_GIVE = {
    "birth": "my date of birth",
    "secret": "a code or a password",
    "email": "an e-mail address",
    "address": "my address",
}
"""Questions whose answer no scenario holds, and how the caller names the thing."""

OFFERS = frozenset(
    ("data_offer", "data_amount", "roaming_offer", "pay_offer", "plan_offer", "transfer_offer")
)
"""Questions after which the agent has still to act."""


def answers(reading: Reading, caller: Caller) -> list[str]:
    """A sentence for each question of the message that is about the caller."""
    asked = reading.questions
    said: list[str] = []
    who: list[str] = []
    if "name" in asked:
        who.append(f"my name is {caller.name}")
    if "number" in asked or ("account" in asked and who):
        who.append(f"the number is {caller.phone_number}")
    if who:
        words = " and ".join(who)
        said.append(words[:1].upper() + words[1:] + ".")
    elif "account" in asked:
        said.append(f"I don't know that one, but the number is {caller.phone_number}.")
    cannot = next((CANNOT_GIVE[question] for question in asked if question in CANNOT_GIVE), None)
    if cannot and not who:
        said.append(
            f"I'm sorry, I can't give you {cannot}. My name is {caller.name} and the number is "
            f"{caller.phone_number}."
        )
    said += [words for question in asked if (words := _fact(question, caller))]
    said += [words for question in asked if (words := _consent(question, reading, caller))]
    return list(dict.fromkeys(said))


def _fact(question: str, caller: Caller) -> str | None:
    match question:
        case "place" if caller.country is None:
            return "I'd rather talk about the phone: it just doesn't get any service."
        case "place":
            where = "I'm travelling, I'm in" if caller.abroad else "I'm at home, in"
            return f"{where} {caller.country}."
        case "since" if caller.since is not None:
            return f"It started {caller.since}."
        case "since":
            return "I can't say exactly when it started."
        case "device":
            return "I don't know the model, it's just my phone."
        case "problem":
            return {
                "mobile_data": "The mobile data stops or is very slow; I need it to be excellent.",
                "mms": "Picture messages (MMS) just don't go out.",
                "service": 'The phone says "No Service" and I can\'t make calls.',
            }[caller.goal]
        case _:
            return None


def _consent(question: str, reading: Reading, caller: Caller) -> str | None:
    match question:
        case "data_offer" | "data_amount" if caller.refuel_gb is None:
            return "No, I don't want to buy extra data; I just want my service back."
        case "data_offer" | "data_amount":
            offered = reading.gigabytes
            amount = f"{caller.refuel_gb:.1f} GB"
            if "data_amount" in reading.questions or offered in (None, caller.refuel_gb):
                return f"Yes, please add {amount} of data; the price is fine with me."
            return f"Only {amount} of extra data, please, nothing else."
        case "plan_offer":
            return "I don't want to change my plan."
        case "roaming_offer":
            return "Yes, please turn roaming on for my line."
        case "pay_offer" if caller.pays_bill:
            return "Yes, I'll pay the bill. Please send me the payment request."
        case "pay_offer":
            return "I don't know of any bill, and I don't want to pay one now."
        case "transfer_offer":
            return (
                "I'd rather have it fixed with you, but if there's nothing else you can do, yes, "
                "please transfer me."
            )
        case _:
            return None
