"""What an agent's message asks of the customer: a pure function of its text.

Sentences are cut into clauses; each clause has a mood (an order, a question, a condition, a plan of
the agent's own, a statement), and orders and questions are turned into requests. What a message
says twice, once as a wish and once as directions, becomes one request.
"""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from ringback.users.rules.acts import Condition, Request, acts_in, condition_in, looks_in
from ringback.users.rules.intents import talk_in
from ringback.users.rules.text import Sentence, clauses, sentences
from ringback.users.rules.words import SWITCHES, mentions

__all__ = ["Reading", "read"]

_MOST = 24


class Reading(Struct, frozen=True):
    """A message as the customer understands it; see `Request` and `Talk` for the parts."""

    requests: tuple[Request, ...]
    questions: tuple[str, ...]
    news: tuple[str, ...]
    gigabytes: float | None

    @property
    def understood(self) -> bool:
        """Whether there was anything in it for the customer."""
        return bool(self.requests or self.questions or self.news)


@lru_cache(maxsize=2048)
def read(text: str) -> Reading:
    """Read one message. Takes time linear in its length; never raises."""
    found = sentences(text)
    talk = talk_in(found)
    return Reading(_requests(found), talk.questions, talk.news, talk.gigabytes)


_FILLER = re.compile(
    r"(?:(?:please|kindly|then|next|first(?: of all| off)?|firstly|second(?:ly)?|third(?:ly)?"
    r"|final(?:ly)?|last(?:ly)?|now|also|and|so|but|ok(?:ay)?|great|good|perfect|thanks|thank you|sure"
    r"|yes|yeah|no problem|absolutely|certainly|of course|al(?:l )?right(?:ly)?|again|instead|just"
    r"|simply|quickly|carefully|gently|to (?:begin|start)(?: with)?|after (?:that|this|doing (?:this"
    r"|that|so|both))|from there|in the meantime|meanwhile|if possible|for now|additionally"
    r"|afterwards?|step \d{1,2}|to do (?:this|that|so)|john|mr\.? smith|or|plus|in addition|go ahead"
    r"(?: and)?|manually|next step|here|when (?:you're )?ready|safely|you can safely|try to|trying to"
    r"|at this point|whenever you're ready|let me guide you|as a next step|be sure to|remember to"
    r"|don't forget to|feel free to|proceed to)\b[,:.]?\s+)+"
)
_POLITE = re.compile(
    r"(?:could|can|would|will) you(?: (?:please|kindly|also|now|just|first|quickly|then|try to|try|"
    r"go ahead and|be able to|mind|possibly|help me by|do me a favor and))*\s+"
)
_WE = re.compile(
    r"(?:let's|let us|we(?:'ll)? (?:need|have|should|must|want)(?: to)?|why don't (?:we|you)|how about"
    r"(?: we| you)?|i'll have you|i(?:'d| would) (?:like|want|need) (?:you )?to|i(?:'ll| will)? need "
    r"you to|i(?:'ll| will)? (?:ask|want) you to|i'm going to ask you to|i(?:'d| would)? (?:recommend"
    r"|suggest|advise)(?: that)?(?: you| we)?|i(?:'d| would) ask you to)\s+(?:please |also |first |now |"
    r"just |to |try (?:to )?|start (?:with|by) |begin (?:with|by) |go ahead and |quickly |continue by |"
    r"double )*"
)
_STARTING = re.compile(r"\b(?:start|begin|starting|beginning) (?:with|by)\b|\bfocus on\b|^first\b")
_YOU = re.compile(
    r"you(?:'ll| will| should| must| may| might| can| could)?(?: now| first| then| also| usually)?(?: "
    r"(?:need|have|want|ought) to| should| go ahead and)?\s+(?:please |also |now |first |then |go ahead "
    r"and |try (?:to )?|do this by |do that by |do so by |usually |safely |just )*"
)
_NEXT_IS = re.compile(
    r"(?:the|your|our|one|a) (?:\w+ ){0,4}(?:step|thing|action|option|fix|solution|way)(?: \w+){0,5}? "
    r"(?:is|would be|will be)(?: to| by)?\s+"
)
_HAVE_TRIED = re.compile(r"have you (?:already |yet )?(?:tried |had a chance to )?")
_AGENT = re.compile(
    r"(?:i|i'll|i've|i'm|i'd|we|we'll|we've|we're|my|our|this|these|that(?:'s| is| will| should| means)"
    r"|it|there|your|the|since|because|as|which|while|although|though|here's|here are|here is)\b"
)
_LATER = re.compile(
    r"(?:and |then |next |after that |so )*(?:i'll|we'll|i will|we will|then we|we can then|i can then)\b"
)
_TELL = re.compile(
    r"(?:let me know|tell me|report(?: back)?|inform me|share|confirm|advise me|reply|respond|describe"
    r"|give me|send me|note|update me|see|look|watch)\b"
)
_QUESTION = re.compile(
    r"(?:is|are|do|does|did|has|have|what|what's|which|how|any|whether|was|were|who|where|when did|can "
    r"you see|could you see|do you see)\b"
)
_ASKS_YOU = re.compile(
    r"(?:could|can|would|are) you(?: \w+){0,2} (?:see|tell|let me know|able to (?:see|make|use|browse"
    r"|access|load|send|call|connect|get)|make (?:calls|a call|regular)|currently|using|connected"
    r"|browse|use|on|in|send|access|seeing|getting|having)\b"
)
_OFFERED = re.compile(
    r"(?:would you like|do you want|would you prefer|should i|shall i|shall we|may i|can i|do you need"
    r"|are you (?:comfortable|able|ready|willing|ok|okay)|would you be (?:able|willing|comfortable))\b"
)
_IF = re.compile(r"(?:if|in case|unless|only if|should you)\b")
_SUB = re.compile(
    r"(?:once|when|whenever|after|before|until|since|because|as soon as|as|while|which|although|though"
    r"|so that|so (?:you|we|i|it)|to (?!turn|switch|do|run|set|reset|reboot|restart|enable|disable|check))"
)
_GERUND = re.compile(
    r"(?:by |with |try |trying )?(?:turning|switching|toggling|enabling|disabling|disconnecting"
    r"|rebooting|restarting|resetting|reseating|removing|running|checking|changing|setting|granting"
    r"|tapping|paying|sending|using|performing|making sure|activating|swiping|going|selecting"
    r"|re-?inserting|taking|looking|opening)\b"
)
_ORDER = re.compile(
    r"(?:please )?(?:re-?)?(?:turn|switch|toggle|flip|flick|put|set|enable|disable|activate|deactivate"
    r"|disconnect|connect|make|ensure|check|double|verify|confirm|look|run|perform|do|use|try|test"
    r"|restart|reboot|power|reset|restore|revert|remove|take|eject|pull|pop|reseat|insert|reinsert|re"
    r"|grant|give|allow|pay|complete|accept|approve|authorize|settle|make|send|open|go|tap|select|choose"
    r"|change|update|adjust|modify|pick|keep|leave|exit|shut|slide|move|view|see|inspect|review|read|find"
    r"|start|begin|navigate|scroll|press|swipe|locate|click|access|head|hold|enter|visit|load|browse"
    r"|stream|call|place|attempt|retry|retest|initiate|measure|repeat|execute|call|get|stop|add|wait"
    r"|force|refresh|cycle|follow|rule|clear|continue|proceed|tell|unlock|plug|slot|carefully|both"
    r"|monitor|observe|note|deny|report|share|return|come|bring|quit|kill|take|let|ask|pause|end|first"
    r"|set_|toggle_|check_|run_|reboot_|reset_|reseat_|grant_|make_|can_|connect_|disconnect_)"
)


def _mood(clause: str, sentence: Sentence) -> tuple[str, str]:
    """What kind of clause it is, and the clause without its courtesies."""
    filler = _FILLER.match(clause)
    rest = clause[filler.end() :] if filler else clause
    if _IF.match(rest) or rest.startswith("otherwise"):
        return "if", rest
    if _ASKS_YOU.match(rest):
        return "ask", rest
    if _OFFERED.match(rest):
        return "offer", rest
    if polite := _POLITE.match(rest):
        rest = rest[polite.end() :]
        return ("ask" if _TELL.match(rest) and not _DOING.match(rest) else "do"), rest
    if tried := _HAVE_TRIED.match(rest):
        inner = rest[tried.end() :]
        if _GERUND.match(inner) or re.match(r"(?:restarted|rebooted|reset)\b", inner):
            return "do", re.sub(r"^(restart|reboot|reset)ed\b", r"\1", inner)
        return "ask", rest
    if we := _WE.match(rest):
        return "do", rest[we.end() :]
    if next_is := _NEXT_IS.match(rest):
        return "do", rest[next_is.end() :]
    if you := _YOU.match(rest):
        inner = rest[you.end() :]
        return ("do" if _ORDER.match(inner) or _GERUND.match(inner) else "none"), inner
    if _SUB.match(rest):
        return "sub", rest
    if _TELL.match(rest) and not _DOING.match(rest):
        return "ask", rest
    if _QUESTION.match(rest):
        return "ask", rest
    if _LATER.match(rest):
        return "later", rest
    if _GERUND.match(rest):
        return ("do" if sentence.item or rest[:3] in ("by ", "try") else "gerund"), rest
    if _AGENT.match(rest):
        return "none", rest
    if _ORDER.match(rest):
        return "do", rest
    return ("ask" if sentence.asks else "none"), rest


_DOING = re.compile(
    r"(?:confirm (?:the |your )?payment|see if you can send|look for|look at|look in|note that)\b"
)
_TRY_OUT = re.compile(r"(?:go ahead|please do|try (?:it|that|this) now|take your time|i'll wait)\b")


def _requests(found: list[Sentence]) -> tuple[Request, ...]:
    reader = _Reader()
    for sentence in found:
        reader.sentence(sentence)
    return _merged(reader.requests)


class _Reader:
    """Walks through a message once, remembering what "it", "if so" and a list's heading refer to."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.before: tuple[str, ...] = ()
        self.asked: Condition | None = None
        self.heading: str | None = None
        self.carried: Condition | None = None
        self.last_if: Condition | None = None

    def sentence(self, sentence: Sentence) -> None:
        condition, self.carried = self.carried, None
        parts = clauses(sentence.text)
        began = len(self.requests)
        mood = "none"
        for number, part in enumerate(parts):
            mood, rest = _mood(part, sentence)
            if mood == "if":
                if rest.startswith("otherwise"):
                    last = self.last_if
                    condition = last and replace(last, holds=not last.holds)
                    rest = rest.removeprefix("otherwise").lstrip(" ,")
                    mood, rest = _mood(rest, sentence)
                    if mood != "if":
                        self._clause(mood, rest, sentence, condition)
                        continue
                trailing = number == len(parts) - 1 and number > 0
                new = condition_in(rest, self.before, self.asked)
                self._remember(rest)
                if new is not None and new.topic == "never":
                    if trailing:
                        continue
                    break
                self.last_if = new or self.last_if
                if trailing and not sentence.opens:
                    self.requests[began:] = [
                        replace(request, when=request.when or new)
                        for request in self.requests[began:]
                    ]
                else:
                    condition = new
                    if sentence.opens and number == len(parts) - 1:
                        self.carried = new
                continue
            self._clause(mood, rest, sentence, condition)
        if sentence.opens:
            wants = mood == "ask" or re.search(
                r"\b(?:know|tell me|check|confirm|see)\b", sentence.text
            )
            self.heading = "ask" if wants else "do"
        elif not sentence.item:
            self.heading = None

    def _clause(
        self, mood: str, rest: str, sentence: Sentence, condition: Condition | None
    ) -> None:
        new: list[Request] = []
        if mood == "do":
            if _STARTING.search(sentence.text):
                self._narrow(rest)
            new = acts_in(rest, self.before, sentence.item)
        elif mood == "ask" or (mood == "none" and self.heading == "ask" and sentence.item):
            new = looks_in(rest, sentence.item)
        elif mood == "offer":
            new = [replace(request, weak=True) for request in acts_in(rest, self.before, False)]
        elif mood in ("none", "gerund"):
            named = [m for m in mentions(rest) if m.topic == "tool"]
            if named and (sentence.item or re.search(r"\b(?:us|perform|run|by|action|tool)", rest)):
                new = acts_in(rest, self.before, sentence.item)
            elif (
                re.search(r"\b(?:should|needs? to|must|has to) be\b", rest)
                and "you should be" not in rest
            ):
                new = [r for r in acts_in(rest, self.before, sentence.item) if r.act == "switch"]
        elif mood == "later":
            self._put_off(rest)
        self._remember(rest)
        for request in new:
            if request.act in ("switch", "look") and not request.sure or request.act == "look":
                self._ask_about(request, rest)
        self.requests += [
            replace(request, when=condition) if condition else request for request in new
        ]

    def _ask_about(self, request: Request, rest: str) -> None:
        topic = {
            "check_wifi_calling_status": "wifi_calling",
            "check_vpn_status": "vpn",
            "check_data_restriction_status": "saver",
            "check_network_mode_preference": "mode",
            "check_app_permissions": "permissions",
            "check_sim_status": "sim",
        }.get(request.topic, request.topic)
        if topic in SWITCHES:
            off = re.search(r"\b(?:off|disabled)\b", rest) and not re.search(
                r"\bon\b|enabled", rest
            )
            self.asked = Condition(topic, "off" if off else "on")
        elif topic == "permissions":
            self.asked = Condition("permissions", "granted")
        elif topic == "mode":
            self.asked = Condition("mode", "4g_5g_preferred")

    def _remember(self, clause: str) -> None:
        named = {
            "check_wifi_calling_status": "wifi_calling",
            "check_vpn_status": "vpn",
            "check_data_restriction_status": "saver",
            "check_network_mode_preference": "mode",
            "check_app_permissions": "permissions",
            "toggle_wifi_calling": "wifi_calling",
            "toggle_airplane_mode": "airplane",
            "toggle_data": "data",
            "toggle_roaming": "roaming",
            "toggle_data_saver_mode": "saver",
        }
        new = [
            named.get(m.word, "") if m.topic == "tool" else m.topic
            for m in mentions(clause)
            if m.topic != "phone"
        ]
        kept = [topic for topic in self.before if topic not in new]
        self.before = tuple((kept + [topic for topic in dict.fromkeys(new) if topic])[-8:])

    def _narrow(self, clause: str) -> None:
        """ "Let's start with ...": of the list before, only this is meant for now."""
        if any(request.item for request in self.requests):
            self.requests = [request for request in self.requests if not request.item]
        del clause

    def _put_off(self, clause: str) -> None:
        """ "... and then we'll go on to ...": not yet."""
        topics = {mention.topic for mention in mentions(clause)}
        self.requests = [
            request
            for request in self.requests
            if not (request.item and request.act != "look" and request.topic in topics)
        ]


def _merged(requests: list[Request]) -> tuple[Request, ...]:
    strong = [request for request in requests if not request.weak]
    merged: list[Request] = []
    for request in strong or requests:
        at = next(
            (
                number
                for number in range(len(merged) - 1, -1, -1)
                if (merged[number].act, merged[number].topic) == (request.act, request.topic)
                and (request.act != "grant" or request.value in (merged[number].value, ""))
            ),
            None,
        )
        if at is None:
            merged.append(request)
        elif request.act == "switch":
            old = merged[at]
            if old.value == "flip" and request.value != "flip":
                merged[at] = replace(old, value=request.value)
            elif request.value not in (old.value, "flip"):
                merged.append(request)
            elif (
                old.when is not None and request.when is None and request.sure and not request.item
            ):
                merged[at] = request
        elif request.act == "mode":
            if merged[at].when is not None and request.when is None and request.sure:
                merged[at] = request
        elif _stale(request, merged[at + 1 :]):
            merged.append(request)
        elif request.when is None and merged[at].when is not None:
            merged[at] = replace(merged[at], when=None)
    return tuple(merged[:_MOST])


def _stale(request: Request, since: list[Request]) -> bool:
    """Whether the same request means something new after what came between."""
    acted = [r.act for r in since if r.act not in ("look", "test")]
    if request.act in ("look", "test"):
        return bool(acted)
    if request.act == "reboot":
        return bool({"reset_apn", "reseat"} & set(acted))
    return False
