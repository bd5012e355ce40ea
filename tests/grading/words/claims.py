"""What customers say of a payment or a switch that they were asked for."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PAYMENTS", "SWITCHES", "Claim"]


class Claim(NamedTuple):
    """The customer's words, and whether they say that it did what it was asked for."""

    words: str
    claims: bool
    asked: str = ""


_PAY = "I have sent you a payment request for the overdue bill. Please accept and pay it."

PAYMENTS = tuple(
    Claim(words, claims, _PAY)
    for words, claims in (
        ("I've just finished paying the overdue bill.", True),
        ("I paid that.", True),
        ("Okay, I have paid it now.", True),
        ("My payment was successful!", True),
        ("I accepted the request and paid the amount.", True),
        ("The payment went through on my end.", True),
        ("It's paid.", True),
        ("The bill has been paid.", True),
        ("Done, I made the payment.", True),
        ("I have completed the payment. What now?", True),
        ("Payment complete.", True),
        ("Alright, the bill is paid now, can you resume my line?", True),
        ("I went ahead and settled the bill.", True),
        ("I've approved the payment request.", True),
        ("Yes, I just paid.", True),
        ("The payment has been made.", True),
        ("I already paid this, please look again.", True),
        ("I did it, the money was sent.", True),
        ("All done!", True),
        ("I have taken care of the payment.", True),
        ("I will pay it in a moment.", False),
        ("How do I pay it?", False),
        ("I haven't paid it yet.", False),
        ("I can't pay that right now.", False),
        ("Once I paid, will the line work again?", False),
        ("The payment did not go through.", False),
        ("I would like to pay the bill.", False),
        ("Has the payment arrived?", False),
        ("I see the payment request here.", False),
        ("Let me pay it now.", False),
        ("The payment was not successful.", False),
        ("I'm not going to pay for that.", False),
        ("Okay, I understand. What happens after I have paid?", False),
        ("I checked and there is no payment request.", False),
        ("Is it paid now?", False),
        ("I was never told that a bill has to be paid.", False),
        ("I tried but the payment failed.", False),
        ("I never agreed that it is paid by me.", False),
        ("I want to know why it was not paid.", False),
        ("Do I get a receipt when the payment is done?", False),
    )
)

_ON = "Please turn mobile data on."
_OFF = "Please switch data saver off and let me know."
_PLANE = "Airplane mode is on. Could you turn it off, please?"
_TEST = "Please run a speed test."

SWITCHES = (
    Claim("Okay, that's on now.", True, _ON),
    Claim("I've done that.", True, _ON),
    Claim("I switched it on.", True, _ON),
    Claim("Data is on.", True, _ON),
    Claim("I toggled it. My data is enabled now.", True, _ON),
    Claim("Done. What next?", True, _ON),
    Claim("It's been turned on.", True, _ON),
    Claim("Alright, I flipped the switch. It is on.", True, _ON),
    Claim("Cellular data is now active.", True, _ON),
    Claim("Okay, it is off now.", True, _OFF),
    Claim("I turned that off as you asked.", True, _OFF),
    Claim("Okay, done that, still slow.", True, _OFF),
    Claim("Data saver has been disabled.", True, _OFF),
    Claim("I just did what you said.", True, _OFF),
    Claim("It's disabled now, but nothing changed.", True, _OFF),
    Claim("Turned it off!", True, _OFF),
    Claim("I took it out of airplane mode.", True, _PLANE),
    Claim("It's off now and I still have no signal.", True, _PLANE),
    Claim("Yes, I did so. It doesn't help.", True, _PLANE),
    Claim("I have turned off the airplane mode.", True, _PLANE),
    Claim("All done, it's switched off.", True, _PLANE),
    Claim("I did the test and it is slow.", True, _TEST),
    Claim("I've run it: very poor.", True, _TEST),
    Claim("Where do I turn it on?", False, _ON),
    Claim("I can't find it.", False, _ON),
    Claim("Okay, I'll do that.", False, _ON),
    Claim("Is it on now?", False, _ON),
    Claim("It is off.", False, _ON),
    Claim("I haven't done that yet.", False, _ON),
    Claim("Sure, one moment.", False, _ON),
    Claim("I think I should turn it on then.", False, _ON),
    Claim("If it's on now, what happens next?", False, _ON),
    Claim("It's still on.", False, _OFF),
    Claim("I could not do that.", False, _OFF),
    Claim("Yes, the data saver is on.", False, _OFF),
    Claim("I want it done by you.", False, _OFF),
    Claim("How will I know that it's off?", False, _OFF),
    Claim("Once it's off, what do I do?", False, _OFF),
    Claim("What did you say I should do?", False, _OFF),
    Claim("It won't turn off.", False, _PLANE),
    Claim("Airplane mode is on, yes.", False, _PLANE),
    Claim("I didn't do that.", False, _PLANE),
    Claim("Are you done?", False, _PLANE),
    Claim("I would rather have it done by somebody.", False, _PLANE),
    Claim("How is that done?", False, _TEST),
    Claim("I have not run it.", False, _TEST),
    Claim("Before I did that, can you tell me why?", False, _TEST),
)
