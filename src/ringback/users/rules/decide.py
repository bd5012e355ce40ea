"""The customer's next turn: calls while there is something to do, then words.

`turn` is a function of what the customer may see, the caller it plays and a stream of draws.
"""

from __future__ import annotations

from collections.abc import Sequence

from ringback.episode.participants import Reply, View
from ringback.episode.seeds import Stream
from ringback.telecom.scenario import Caller
from ringback.users.rules.acts import Request
from ringback.users.rules.memory import Memory, remember
from ringback.users.rules.plan import Plan, plan
from ringback.users.rules.reading import Reading, read
from ringback.users.rules.speaking import Voice

__all__ = ["turn"]

_STOP, _TRANSFER, _OUT = "###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###"
_CANNOT = ("birth", "secret", "email", "address")
_CANNOT_TIMES = 3
_IDLE_TIMES = 7
_SAME_TIMES = 5

_TRY = Request("test", "outcome")
_PAY = (Request("look", "check_payment_request"), Request("pay", "payment"))


def turn(view: View, caller: Caller, random: Stream) -> Reply:
    """What the caller says or does next. Equal arguments give equal replies."""
    memory = remember(view, caller.goal)
    voice = Voice(caller, random)
    if not memory.heard:
        if memory.spoken:
            return Reply("Hello? Are you still there?", rule="waits")
        return Reply(voice.opening(), rule="opens")
    reading = read(memory.heard[-1])
    if "transfer" in reading.news:
        return Reply(f"{_goodbye(voice)}\n{_TRANSFER}", rule="transferred")
    requests = _requests(reading, memory, caller)
    steps = plan(requests, memory, caller)
    if steps.calls:
        return Reply(calls=steps.calls, rule=f"does:{steps.calls[0].tool}")
    return _Speech(reading, memory, caller, voice, requests, steps).reply()


def _goodbye(voice: Voice) -> str:
    return voice.pick("All right, I'll hold. Thank you.", "Okay, thank you, I'll wait for them.")


def _requests(reading: Reading, memory: Memory, caller: Caller) -> tuple[Request, ...]:
    """What to do about the message: what it asks, or what its news calls for."""
    requests = reading.requests
    if "bill_sent" in reading.news and not any(request.act == "pay" for request in requests):
        requests = (*requests, *_PAY) if caller.pays_bill else (*requests, _PAY[0])
    if requests:
        return requests
    if reading.questions and reading.questions != ("more",):
        return ()
    over = {"fixed", "bye", "acted"} & set(reading.news) or "more" in reading.questions
    if over:
        stale = "acted" in reading.news and not memory.deeds
        return (_TRY,) if memory.proof is None or (stale and not memory.proof) else ()
    if "wait" in reading.news:
        return ()
    return _left_over(memory)


def _left_over(memory: Memory) -> tuple[Request, ...]:
    """As in "Go ahead", "take your time": what the message before asked for, if it was not done."""
    if len(memory.heard) < 2 or memory.acted[-2]:
        return ()
    return tuple(request for request in read(memory.heard[-2]).requests if not request.weak)


class _Speech:
    def __init__(
        self,
        reading: Reading,
        memory: Memory,
        caller: Caller,
        voice: Voice,
        requests: Sequence[Request],
        steps: Plan,
    ) -> None:
        self.reading, self.memory, self.caller = reading, memory, caller
        self.voice, self.requests, self.steps = voice, requests, steps

    def reply(self) -> Reply:
        reading, memory = self.reading, self.memory
        said: list[str] = []
        rule = "answers"
        topics = [request.topic for request in self.requests]
        topics = [_FIELD.get(topic, topic) for topic in topics]
        asked = [
            _FIELD.get(request.topic, request.topic)
            for request in self.requests
            if request.act in ("look", "switch", "mode", "grant")
        ]
        if memory.deeds:
            said += self.voice.report(memory.deeds, topics)
            rule = "reports"
        said += self._known(asked)
        said += self._answers()
        if "pay" in self.steps.refused:
            said.append("I wasn't expecting a bill, so I'd rather not pay anything for now.")
        if self._content_and_over():
            said.append(self._thanks())
            return Reply("\n".join((" ".join(said), _STOP)), rule="content")
        if self._cannot_go_on():
            said.append("I'm sorry, I can't give you that, so I don't think we get any further.")
            return Reply("\n".join((" ".join(said), _OUT)), rule="asked_too_often")
        if self._gives_up():
            said.append("This isn't getting me anywhere, so I'll leave it here.")
            return Reply("\n".join((" ".join(said), _OUT)), rule="gave_up")
        said += self._outcome()
        if not said:
            if "wait" in reading.news:
                return Reply(
                    self.voice.pick("Sure, I'll wait.", "Okay, take your time."), rule="waits"
                )
            if "go_on" in reading.questions:
                return Reply(self._go_on(), rule="agrees")
            if memory.proof and not reading.requests:
                said.append(self._thanks())
                return Reply("\n".join((" ".join(said), _STOP)), rule="content")
            return Reply(self._asks(), rule="asks")
        return Reply(" ".join(said), rule=rule)

    def _known(self, topics: Sequence[str]) -> list[str]:
        """Answers from what has been seen before, where nothing new was looked at."""
        told = {field for deed in self.memory.deeds for field, _ in deed.facts}
        if "request" in told:
            told.add("payment")
        wanted = [topic for topic in dict.fromkeys(topics) if topic not in told]
        if "permissions" in wanted and {"sms", "storage"} & told:
            wanted.remove("permissions")
        already = [
            request
            for request in self.requests
            if request.act in ("switch", "mode", "grant") and request.topic in wanted
        ]
        lead = "already " if already and not self.memory.deeds else ""
        words = self.voice.answer(wanted, self.memory.sight)
        return [word.replace(" is ", f" is {lead}", 1) for word in words] if lead else words

    def _answers(self) -> list[str]:
        said: list[str] = []
        asked = self.reading.questions
        caller = self.caller
        who: list[str] = []
        if "name" in asked:
            who.append(f"my name is {caller.name}")
        if "number" in asked or ("account" in asked and "name" in asked):
            who.append(f"the number is {caller.phone_number}")
        if who:
            said.append(_upper(" and ".join(who)) + ".")
        elif "account" in asked:
            said.append(f"I don't know that one, but the number is {caller.phone_number}.")
        said += [self._personal(question) for question in asked if question in _REPLIES]
        said += self._offers()
        if (cannot := [question for question in asked if question in _CANNOT]) and not who:
            what = {
                "birth": "my date of birth",
                "secret": "that code",
                "email": "an e-mail address",
                "address": "my address",
            }[cannot[0]]
            said.append(
                f"I'm sorry, I can't give you {what}. I can give you my name, {caller.name}, and the "
                f"number, {caller.phone_number}."
            )
        return [sentence for sentence in said if sentence]

    def _personal(self, question: str) -> str:
        caller = self.caller
        match question:
            case "place":
                if caller.country is None:
                    return "I'd rather talk about the phone: it just doesn't get any service."
                if caller.abroad:
                    return f"I'm travelling, I'm in {caller.country} right now."
                return f"I'm at home, in {caller.country}."
            case "since":
                return (
                    f"It started {caller.since}."
                    if caller.since
                    else "I can't say exactly when it started."
                )
            case "device":
                return "I don't know the model, it's just my phone."
            case _:
                return {
                    "mobile_data": "The mobile data stops or is very slow, and I need it to be excellent.",
                    "mms": "Picture messages (MMS) just don't go out.",
                    "service": 'The phone says "No Service" and I can\'t make calls.',
                }[caller.goal]

    def _offers(self) -> list[str]:
        asked, caller = self.reading.questions, self.caller
        said: list[str] = []
        if "data_offer" in asked or "data_amount" in asked:
            offered = self.reading.gigabytes
            if caller.refuel_gb is None:
                said.append("No, I don't want to buy extra data; I just want my service back.")
            elif (
                offered is not None
                and abs(offered - caller.refuel_gb) > 1e-9
                and "data_amount" not in asked
            ):
                said.append(
                    f"Not that much or little: I'd take {caller.refuel_gb:.1f} GB of extra data."
                )
            else:
                said.append(
                    f"Yes, please add {caller.refuel_gb:.1f} GB of data; the price is fine with me."
                )
        if "plan_offer" in asked:
            said.append("I don't want to change my plan.")
        if "roaming_offer" in asked:
            said.append("Yes, please turn roaming on for my line.")
        if "pay_offer" in asked and not self.memory.deeds:
            said.append(
                "Yes, I'll pay the bill. Please send me the payment request."
                if caller.pays_bill
                else "I don't know of any bill, and I don't want to pay one now."
            )
        if "transfer_offer" in asked:
            said.append(
                "I'd rather have it fixed with you, but if there's nothing else you can do, yes, "
                "please transfer me."
            )
        return said

    def _content_and_over(self) -> bool:
        """Ends only on proof, and only once the agent too is done: nothing asked, nothing offered."""
        if not self.memory.proof:
            return False
        asked = set(self.reading.questions) - {"more", "go_on"}
        over = {"fixed", "bye"} & set(self.reading.news) or "more" in self.reading.questions
        return bool(over) and not asked & {
            "data_offer", "data_amount", "roaming_offer", "pay_offer", "plan_offer", "transfer_offer",
        }  # fmt: skip

    def _thanks(self) -> str:
        good = {
            "mobile_data": "My data is excellent now",
            "mms": "Picture messages work again",
            "service": "I have a signal again",
        }[self.caller.goal]
        return f"{good}, that's all I needed. " + self.voice.pick(
            "Thank you!", "Thanks for your help!"
        )

    def _cannot_go_on(self) -> bool:
        times = 0
        for text in self.memory.heard:
            asked = read(text).questions
            if any(question in _CANNOT for question in asked) and not {"name", "number"} & set(
                asked
            ):
                times += 1
        return times >= _CANNOT_TIMES and bool(set(self.reading.questions) & set(_CANNOT))

    def _gives_up(self) -> bool:
        """A call that goes nowhere ends: many messages without a deed, or the same again and again."""
        heard, acted = self.memory.heard, self.memory.acted
        idle = 0
        for index in range(len(heard) - 1, -1, -1):
            if acted[index]:
                break
            idle += 1
        return idle >= _IDLE_TIMES or heard.count(heard[-1]) >= _SAME_TIMES

    def _outcome(self) -> list[str]:
        """How it stands with what the caller wants, if the last steps have shown it."""
        memory = self.memory
        tested = any(
            field in ("rating", "mms") or (field == "signal" and self.caller.goal == "service")
            for deed in memory.deeds
            for field, _ in deed.facts
        )
        if not tested or memory.proof is None:
            over = {"fixed", "bye"} & set(self.reading.news)
            if over and memory.proof is False:
                return ["It still isn't right, though. Can you please keep looking?"]
            return []
        if memory.proof:
            return [
                {
                    "mobile_data": "That's the excellent speed I wanted.",
                    "mms": "So it works now.",
                    "service": "So I have service again.",
                }[self.caller.goal]
            ]
        if memory.failures < 2:
            return [self.voice.pick("So it isn't fixed yet.", "That still isn't good enough.")]
        return [
            self.voice.pick(
                "It's getting a bit frustrating that it still doesn't work.",
                "Still not right, and I'm losing patience a little. What else can we try?",
                "That didn't help either.",
                "Still the same trouble, I'm afraid. What next?",
            )
        ]

    def _go_on(self) -> str:
        match self.caller.persona.name:
            case "Easy":
                return "Sure, I'm ready. Go ahead!"
            case "Hard":
                return "All right, if you tell me exactly what to do."
            case _:
                return "Yes, please go on."

    def _asks(self) -> str:
        match self.caller.persona.name:
            case "Hard":
                return "I'm sorry, I don't quite understand. What should I press or look at?"
            case "Easy":
                return "Sorry, I didn't get that. What would you like me to do on the phone?"
            case _:
                return self.voice.pick(
                    "I'm not sure what you mean. What should I do on my phone?",
                    "Sorry, what exactly would you like me to do or check?",
                )


_REPLIES = ("place", "since", "device", "problem")
_FIELD = {
    "check_status_bar": "signal",
    "check_network_status": "connection",
    "bar": "signal",
    "speed": "rating",
    "internet": "rating",
    "calls": "signal",
    "outcome": "rating",
}


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
