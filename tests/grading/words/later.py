"""Sentences that were written after the rules stood, to measure them once more.

docs/grading.md says how many were read wrongly; then the rules were mended on these too.
"""

from __future__ import annotations

from tests.grading.words.claims import PAYMENTS, Claim
from tests.grading.words.undoing import Undoing

__all__ = ["GOODBYES", "PAID", "SWITCHED", "UNDONE", "WAITING"]

GOODBYES = (
    "Thank you so much for your time, John. It was a pleasure helping you!",
    "I'm really glad we got that sorted. Have yourself a wonderful rest of your day!",
    "Alright, everything checks out. If there's nothing else, I'll close out this call.",
    "Excellent! Your picture messages are flowing again. Feel free to get back to us "
    "whenever you like.",
    "No problem at all. Have a great time in France and don't forget to turn off roaming "
    "once you return!",
    "Great to hear you're back online. We appreciate your loyalty. Talk to you soon!",
    "Glad that did it! Just so you know, toggling airplane mode is a handy trick if your "
    "signal ever gets weak.",
    "I've noted in your account that the issue was fixed. You don't need to do anything more.",
    "You're welcome, John! Reach out if you need us. Goodbye and take care!",
    "Your line's resumed and your bill is paid. You may need to restart your phone now and "
    "then. Bye!",
    "If you'd like to track your data use, check the app from time to time. Thanks for being "
    "with us.",
    "Is there anything else at all that I can help you with today, or are you all set?",
    "Are you all set then?",
    "Anything more I can help with?",
    "Do you have other questions for me?",
    "Thanks! I hope the rest of your trip goes smoothly.",
    "I'm sorry we couldn't fix it over the phone. You'll need to bring your device to one of "
    "our retail locations.",
    "Please be assured that your feedback has been passed on to the team.",
    "Okay! I'm closing the ticket. You can reopen it by calling us.",
    "Would you like me to help with anything else before you go?",
    "That concludes our session. Please stay on for a brief survey.",
    "You should be all set now, John. Please reach out if anything comes up.",
    "I'm pleased everything works. Remember that data saver limits speed, so keep it off if "
    "you want fast internet.",
    "Let me know if there's anything else I can assist you with!",
    "I can't do more for you here, unfortunately. Have a good one.",
)

WAITING = (
    "Let's give that a go: pop the SIM out and slide it back in. What do you see?",
    "Kindly switch off the data saver.",
    "Go ahead and flip that toggle, John.",
    'Could you double-check the APN? It should read "internet".',
    "Please see whether the network mode is on 4G/5G.",
    "The next thing to do is to reboot your device. Let me know how that goes.",
    "I'd suggest you turn off Wi-Fi calling. Then send a picture again.",
    "Mind checking whether the VPN is connected?",
    "Do you want to add 2 GB for $4?",
    "Can I have your customer ID or phone number?",
    "Are you comfortable with a charge of 4 dollars?",
    "I'll need your date of birth to verify the account.",
    "Tap Settings > Apps > Messaging > Permissions, and enable Storage.",
    "Just to make sure: is the phone still in airplane mode?",
    'Reply "yes" to confirm that you want to proceed.',
    "Hello! How can I help you today?",
    "Thanks for waiting. I have resumed your line. Please reboot the phone and check if you "
    "have signal.",
    "If it still doesn't work, try resetting the APN settings and let me know.",
    "Turn roaming on, and have a look at your signal.",
    "To enjoy fast data again, please turn data saver off.",
    "Here are the steps:\n- Open settings\n- Turn on mobile data\n- Tell me what you see",
    "I see you are on the Premium plan; which number are you calling about?",
    "So that I can go on, confirm your phone number.",
    "Your bill of $35 is overdue. Would you like to pay it now?",
    "Run the speed test again for me.",
    "While you're in the settings, also turn off the VPN.",
    "Please accept the payment request I just sent.",
    "Okay. And what does the status bar show now?",
    "Perhaps you could restart it?",
    "Then we have to check one more thing, the network mode preference. What is it set to?",
)

PAID = (
    Claim("Just paid it!", True, PAYMENTS[0].asked),
    Claim("Yep, payment's done.", True, PAYMENTS[0].asked),
    Claim("I went through with the payment, so we should be good.", True, PAYMENTS[0].asked),
    Claim("The bill is settled.", True, PAYMENTS[0].asked),
    Claim("Okay I've submitted the payment.", True, PAYMENTS[0].asked),
    Claim("I made that payment you asked for.", True, PAYMENTS[0].asked),
    Claim("I completed it.", True, PAYMENTS[0].asked),
    Claim("Yes, I've accepted it and the payment went through.", True, PAYMENTS[0].asked),
    Claim("It says my payment was successful.", True, PAYMENTS[0].asked),
    Claim("Done — what's next?", True, PAYMENTS[0].asked),
    Claim("Alright, I've taken care of that bill.", True, PAYMENTS[0].asked),
    Claim("I paid the $35.", True, PAYMENTS[0].asked),
    Claim("Everything's paid now.", True, PAYMENTS[0].asked),
    Claim("I authorized the payment request.", True, PAYMENTS[0].asked),
    Claim("Sure, I can pay that.", False, PAYMENTS[0].asked),
    Claim("I'm ready to pay the bill.", False, PAYMENTS[0].asked),
    Claim("I thought it was paid.", False, PAYMENTS[0].asked),
    Claim("I'd be happy to pay, where is the request?", False, PAYMENTS[0].asked),
    Claim("Do you know if it's paid?", False, PAYMENTS[0].asked),
    Claim("I don't see any payment request.", False, PAYMENTS[0].asked),
    Claim("My wife usually pays the bills.", False, PAYMENTS[0].asked),
    Claim("I'm paying it right now.", False, PAYMENTS[0].asked),
    Claim("Will do.", False, PAYMENTS[0].asked),
    Claim("Okay.", False, PAYMENTS[0].asked),
    Claim("I got your payment request.", False, PAYMENTS[0].asked),
    Claim("That bill should have been paid.", False, PAYMENTS[0].asked),
    Claim("Yes, go ahead with the payment request.", False, PAYMENTS[0].asked),
    Claim("Did you say it's done?", False, PAYMENTS[0].asked),
)

SWITCHED = (
    Claim("Sure, it's turned on now.", True, "Please turn mobile data on."),
    Claim("I went ahead and turned it on.", True, "Please turn mobile data on."),
    Claim("Okay, I enabled it.", True, "Please turn mobile data on."),
    Claim("I've toggled it on.", True, "Please turn mobile data on."),
    Claim("Got it, that's done.", True, "Please turn mobile data on."),
    Claim("Mobile data's on now.", True, "Please turn mobile data on."),
    Claim("Yep, data is now on.", True, "Please turn mobile data on."),
    Claim("I've got it switched on.", True, "Please turn mobile data on."),
    Claim("I have done as you asked.", True, "Please turn mobile data on."),
    Claim("Turned on.", True, "Please turn mobile data on."),
    Claim("It's grayed out.", False, "Please turn mobile data on."),
    Claim("Is data on?", False, "Please turn mobile data on."),
    Claim("Which one do I toggle?", False, "Please turn mobile data on."),
    Claim("Will it cost me anything?", False, "Please turn mobile data on."),
    Claim("I'm doing that now.", False, "Please turn mobile data on."),
    Claim("Sure thing.", False, "Please turn mobile data on."),
    Claim("It says no connection.", False, "Please turn mobile data on."),
    Claim("I can do that.", False, "Please turn mobile data on."),
    Claim("Mobile data? Okay.", False, "Please turn mobile data on."),
    Claim("It was on yesterday.", False, "Please turn mobile data on."),
    Claim("Okay, switched it off.", True, "Please switch data saver off and let me know."),
    Claim("It is now off.", True, "Please switch data saver off and let me know."),
    Claim("I've disabled it.", True, "Please switch data saver off and let me know."),
    Claim("Data saver mode is off now.", True, "Please switch data saver off and let me know."),
    Claim("I turned the data saver off.", True, "Please switch data saver off and let me know."),
    Claim("That's been done.", True, "Please switch data saver off and let me know."),
    Claim(
        "Alright, all done. Still slow though.",
        True,
        "Please switch data saver off and let me know.",
    ),
    Claim("Off?", False, "Please switch data saver off and let me know."),
    Claim("I don't know how.", False, "Please switch data saver off and let me know."),
    Claim("It was on.", False, "Please switch data saver off and let me know."),
    Claim("Yes, it's on.", False, "Please switch data saver off and let me know."),
    Claim("Should I turn it off?", False, "Please switch data saver off and let me know."),
    Claim(
        "Does turning it off use more data?", False, "Please switch data saver off and let me know."
    ),
    Claim(
        "It's already been slow for days.", False, "Please switch data saver off and let me know."
    ),
)

UNDONE = (
    Undoing("Go ahead and switch off mobile data for me.", "toggle_data", True),
    Undoing("Flip on airplane mode for 10 seconds.", "toggle_airplane_mode", True),
    Undoing("I'd suggest turning data saver on again.", "toggle_data_saver_mode", True),
    Undoing("Let's toggle airplane mode on, wait a bit.", "toggle_airplane_mode", True),
    Undoing(
        "Turn on airplane mode and then turn it off again after ten seconds.",
        "toggle_airplane_mode",
        True,
    ),
    Undoing("Kindly disable mobile data.", "toggle_data", True),
    Undoing("Mobile data: please switch it off.", "toggle_data", True),
    Undoing("Put your device in airplane mode.", "toggle_airplane_mode", True),
    Undoing("Let's do one more speed test over mobile data.", "toggle_data", False),
    Undoing("Your mobile data has been restored. Is there anything else?", "toggle_data", False),
    Undoing("Please verify that airplane mode isn't on.", "toggle_airplane_mode", False),
    Undoing(
        "Earlier, airplane mode was on, which blocked your service. Glad it's fixed!",
        "toggle_airplane_mode",
        False,
    ),
    Undoing("You shouldn't need to turn data saver on again.", "toggle_data_saver_mode", False),
    Undoing("Confirm that mobile data is enabled, please.", "toggle_data", False),
    Undoing("Can you tell me whether data saver is on?", "toggle_data_saver_mode", False),
    Undoing("Please ensure mobile data stays on.", "toggle_data", False),
    Undoing("Thanks for turning mobile data on!", "toggle_data", False),
    Undoing("Try loading a page with mobile data on.", "toggle_data", False),
    Undoing("Please confirm you turned airplane mode off.", "toggle_airplane_mode", False),
    Undoing("Let me know if airplane mode turns on again.", "toggle_airplane_mode", False),
)
