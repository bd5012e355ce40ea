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
from ringback.users.rules.words import SWITCHES, TOOLS, mentions

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
    r"|final(?:ly)?|last(?:ly)?|now(?! that)|also|and|so|but|ok(?:ay)?|great|good|perfect|thanks|thank you|sure"
    r"|yes|yeah|no problem|absolutely|certainly|of course|al(?:l )?right(?:ly)?|again|instead|just"
    r"|simply|quickly|carefully|gently|to (?:begin|start)(?: with)?|after (?:that|this|doing (?:this"
    r"|that|so|both))|from there|in the meantime|meanwhile|if possible|for now|additionally"
    r"|afterwards?|step \d{1,2}|to do (?:this|that|so)|john|mr\.? smith|or|plus|in addition|go ahead"
    r"(?: and)?|manually|next step|here|when (?:you're )?ready|safely|you can safely|try to|trying to"
    r"|at this point|whenever you're ready|take (?:a moment|your time) (?:to|and)|follow (?:these|the|this)(?: \w+){0,2} (?:steps?|instructions?) to|let me guide you|as a next step|be sure to|remember to"
    r"|don't forget to|feel free to|proceed to)\b[,:.]?\s+)+"
)
_HOW_TO = re.compile(
    r"(?:here(?:'s| is| are)? )(?:exactly )?(?:how (?:to|you can|you)|(?:the |some )?(?:step-by-step |"
    r"detailed |simple )*(?:steps|instructions) (?:to|for|on how to))\s+"
)
_POLITE = re.compile(
    r"(?:could|can|would|will) you(?: be (?:able|willing|so kind as) to)?(?: (?:please|kindly|also|now|just|first|quickly|then|try to|try|"
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
_SEEING = re.compile(
    r"(?:see|notice|find|have|be|get|lose|receive|still|now see|are|can|experience)\b"
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
    r"|browse|use|send|access|seeing|getting|having)\b|are you (?:on|in)\b"
)
_OFFERED = re.compile(
    r"(?:would you like|do you want|would you prefer|should i|shall i|shall we|may i|can i|do you need"
    r"|are you (?:comfortable|able|ready|willing|ok|okay)|would you be comfortable)\b"
)
_IF = re.compile(r"(?:if|in case|unless|only if|should you)\b")
_SUB = re.compile(
    r"(?:now that|once|when|whenever|after|before|until|since|because|as soon as|as|while|which|although|though"
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
    r"|monitor|observe|note|deny|report|share|return|come|bring|quit|kill|take|let|ask|pause|end|first)"
    r"(?=_|\b)|can_send"
)


def _mood(clause: str, sentence: Sentence) -> tuple[str, str]:
    """What kind of clause it is, and the clause without its courtesies."""
    filler = _FILLER.match(clause)
    rest = clause[filler.end() :] if filler else clause
    if how_to := _HOW_TO.match(rest):
        return "do", rest[how_to.end() :]
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
        if _SEEING.match(inner):
            return "none", inner
        return ("do" if _ORDER.match(inner) or _GERUND.match(inner) else "none"), inner
    if _SUB.match(rest) and not (sentence.asks and rest.startswith("which ")):
        return "sub", rest
    if _TELL.match(rest) and not _DOING.match(rest):
        return "ask", rest
    if _QUESTION.match(rest):
        return "ask", rest
    if _LATER.match(rest):
        return "later", rest
    if _GERUND.match(rest):
        if _HELPS.search(rest):
            return "none", rest
        return ("do" if sentence.item or rest[:3] in ("by ", "try") else "gerund"), rest
    if _AGENT.match(rest):
        return "none", rest
    if _ORDER.match(rest):
        return "do", rest
    return ("ask" if sentence.asks else "none"), rest


_HELPS = re.compile(
    r"\b(?:can|may|might|could|will|should|often|usually|helps|does) ?(?:also |often )?(?:help|improve|fix|resolve|not|restore|make|be)?\w*\b"
)
_PRESUMED = re.compile(
    r"(?:once|after|when|as soon as) you(?:'ve|'re| have| are)?(?: have| successfully| already| both)? "
)
_AGENT_DOES = re.compile(
    r"(?:once|after|when|as soon as) (?:it|that|this|the (?:line|service|bill|payment)|i|we|your (?:line"
    r"|service|bill|payment))\b.*\b(?:resumed|restored|reactivated|paid|active|added|enabled|confirmed"
    r"|processed|complete|completed|received)\b"
)
_DO_THIS = re.compile(
    r"(?:you can |this can be )?(?:usually |easily )?(?:do (?:this|that|so|it)|done) by\b"
)
_DOING = re.compile(
    r"(?:confirm (?:the |your )?payment|see if you can send|look for|look at|look in|note that)\b"
)
_TRY_OUT = re.compile(r"(?:go ahead|please do|try (?:it|that|this) now|take your time|i'll wait)\b")


_DOWN = re.compile(
    r"\b(?:turn|switch|power|shut)\w* (?:(?:off|down) (?:your|the) (?:phone|device|handset)|(?:your |the )"
    r"(?:phone|device|handset) (?:completely |fully )?(?:off|down))\b"
)
_UP = re.compile(r"\b(?:turn|switch|power|start)\w* (?:\w+ ){0,2}(?:back )?(?:on|up)\b")
_CHECK_IF = re.compile(
    r"\b(?:check|see|confirm|verify|test) (?:if|whether|that) you(?:'re| are| can)"
)
_ABLE = re.compile(r"(?:and|or) (?:use|make|send|browse|receive|access|load|open|get|connect)\b")
_IT = re.compile(
    r"^(?:is|are)\b[^.]{0,20}\b(?:it|that|one)\b[^.]{0,20}(?:on|off|enabled|disabled|active|now|connected)?$"
    r"|\b(?:connected to|using|have) (?:it|one)\b"
)
_BY_NAME = re.compile(
    r"\b(?:us(?:e|ing)|perform\w*|run(?:ning)?|by|via|with|action|tool|command)\b"
)
_SHOULD_BE = re.compile(r"\b(?:should|needs? to|must|has to) be\b")


def _inherits(part: str, rest: str, previous: str) -> bool:
    """Whether "and ...", "or ..." goes on in the mood of the clause before."""
    if not part.startswith(("and ", "or ", "but ")) or "please" in part[:24]:
        return False
    if previous == "ask":
        return not rest.startswith(("run ", "turn ", "try ", "then "))
    return previous in ("none", "later", "sub") and not part.startswith("and then ")


def _governed(request: Request, condition: Condition) -> bool:
    """ "If it is on, turn it off, then run a speed test": the test comes either way."""
    return not (
        request.act == "test"
        and condition.topic in SWITCHES | {"mode", "permissions", "sim", "apn"}
    )


def _heading(mood: str, text: str) -> str:
    if mood == "later" or re.search(r"\bi'?ll\b|\bwe'?ll\b", text):
        return "later"
    if re.search(r"\b(?:check|verify|look)\b", text):
        return "check"
    if mood == "ask" or re.search(r"\b(?:know|tell me|confirm|see|reply|report)\b", text):
        return "ask"
    return "do"


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
        self.latest = 0
        self.down: int | None = None

    def sentence(self, sentence: Sentence) -> None:
        condition, self.carried = self.carried, None
        parts = clauses(sentence.text)
        began = len(self.requests)
        mood = "none"
        asking = put_off = False
        for number, part in enumerate(parts):
            previous = mood
            mood, rest = _mood(part, sentence)
            last = number == len(parts) - 1
            if mood == "if" and rest.startswith("otherwise"):
                said = self.last_if
                condition = said and replace(said, holds=not said.holds)
                mood, rest = _mood(rest.removeprefix("otherwise").lstrip(" ,"), sentence)
            if mood == "if":
                if asking and (last or _mood(parts[number + 1], sentence)[0] != "do"):
                    self._clause("ask", rest, sentence, None)
                    continue
                if self.heading in ("ask", "check") and sentence.item and last and number == 0:
                    self._clause("none", rest, sentence, None)
                    continue
                new = condition_in(rest, self.before, self.asked)
                self._remember(rest)
                if new is not None and new.topic == "never":
                    if last and number:
                        continue
                    break
                self.last_if = new or self.last_if
                if last and sentence.opens:
                    self.carried = condition = new
                elif last:
                    self._add_condition(new, began if number else self.latest, part)
                else:
                    condition = new
                continue
            if _inherits(part, rest, previous):
                mood = previous
            elif previous == "do" and _CHECK_IF.search(parts[number - 1]) and _ABLE.match(part):
                mood = "ask"
            asking = asking or mood == "ask"
            if mood == "ask":
                self._opened(began)
            put_off = put_off or mood == "later" or _AGENT_DOES.match(rest) is not None
            if mood == "do" and put_off and not part.startswith("please"):
                mood = "none"
            self._clause(mood, rest, sentence, condition)
        self.latest = began
        if sentence.opens:
            self._opened(began)
        if sentence.opens:
            self.heading = _heading(mood, sentence.text)
        elif not sentence.item:
            self.heading = None

    def _opened(self, since: int) -> None:
        """ "Open X and tell me ...", "Open X:": X is to be looked at, not just passed through."""
        self.requests[since:] = [
            replace(request, weak=False) if request.act == "look" else request
            for request in self.requests[since:]
        ]

    def _add_condition(self, condition: Condition | None, since: int, part: str) -> None:
        """ "Turn it off if it is on": the condition comes last."""
        if condition is None or part.startswith(("or ", "and ")):
            return
        self.requests[since:] = [
            replace(request, when=request.when or condition) for request in self.requests[since:]
        ]

    def _clause(
        self, mood: str, rest: str, sentence: Sentence, condition: Condition | None
    ) -> None:
        new: list[Request] = []
        if mood == "do" and self.heading == "later" and sentence.item:
            mood = "none"
        if mood == "do":
            if _STARTING.search(sentence.text):
                self._narrow()
            new = acts_in(rest, self.before, sentence.item) or self._powered(rest, sentence.item)
            if _DO_THIS.match(rest) and any(request.act != "look" for request in new):
                self._replace_look()
        elif mood == "ask":
            new = looks_in(rest, sentence.item) or self._asked_of(rest)
        elif mood == "none" and self.heading in ("ask", "check") and sentence.item:
            new = looks_in(rest, sentence.item)
        elif mood == "offer":
            new = [
                replace(request, weak=True)
                for request in acts_in(rest, self.before, False)
                if request.act != "pay"
            ]
        elif mood == "sub":
            if presumed := _PRESUMED.match(rest):
                new = [
                    replace(request, presumed=True)
                    for request in acts_in(rest[presumed.end() :], self.before, False)
                    if request.act not in ("look", "test")
                ]
        elif mood in ("none", "gerund"):
            new = self._stated(rest, sentence)
        elif mood == "later":
            self._put_off(rest)
        if self.heading == "check" and sentence.item:
            new = [replace(r, value="") if r.act == "look" else r for r in new]
        self._remember(rest)
        for request in new:
            if request.act == "look" or (request.act == "switch" and not request.sure):
                self._ask_about(request, rest)
        if condition is not None:
            new = [replace(r, when=condition) if _governed(r, condition) else r for r in new]
        self.requests += new

    def _powered(self, rest: str, item: bool) -> list[Request]:
        """A phone that is switched off in one clause and on in another is restarted."""
        if _DOWN.search(rest):
            self.down = len(self.requests)
        elif self.down is not None and _UP.search(rest):
            since, self.down = self.requests[self.down :], None
            if all(request.act != "reseat" for request in since):
                return [Request("reboot", "phone", item=item)]
        return []

    def _stated(self, rest: str, sentence: Sentence) -> list[Request]:
        """What a statement asks for: an action by its name, or how a switch should be."""
        named = any(mention.topic == "tool" for mention in mentions(rest))
        if named and (
            sentence.item or _BY_NAME.search(rest) or rest.lstrip("\"' ").startswith(TOOLS)
        ):
            return acts_in(rest, self.before, sentence.item)
        if _SHOULD_BE.search(rest) and "you should" not in rest:
            return [r for r in acts_in(rest, self.before, sentence.item) if r.act == "switch"]
        return []

    def _asked_of(self, rest: str) -> list[Request]:
        """ "Are you connected to one?", "is it on?": the part named last."""
        switches = [topic for topic in self.before if topic in SWITCHES]
        if switches and _IT.search(rest):
            return [Request("look", switches[-1], "ask", sure=False)]
        return []

    def _replace_look(self) -> None:
        """ "You can do this by ...": the way to do it takes the wish's place."""
        if self.requests and self.requests[-1].act == "look":
            self.requests.pop()

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

    def _narrow(self) -> None:
        """ "Let's start with ...": of the list before, only this is meant for now."""
        if any(request.item for request in self.requests):
            self.requests = [request for request in self.requests if not request.item]

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
        if request.topic == "outcome" and request.value == "ask" and _tested(merged):
            continue
        if at is None:
            merged.append(request)
        elif request.act == "switch":
            old = merged[at]
            turned = {r.value for r in merged if (r.act, r.topic) == ("switch", request.topic)}
            if old.value == "flip" and request.value != "flip":
                merged[at] = replace(old, value=request.value)
            elif (
                request.value in (old.value, "flip")
                and request.sure
                and not old.sure
                and not request.when
            ):
                merged[at] = replace(old, sure=True)
            elif turned >= {"on", "off"}:
                continue
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
        elif request.act == "look" and request.value != "ask" and merged[at].value == "ask":
            merged[at] = replace(merged[at], value="", sure=True)
    return tuple(_unneeded_looks_gone(_vague_gone(merged))[:_MOST])


def _vague_gone(requests: list[Request]) -> list[Request]:
    """ "Tell me the results" is of the looks and tests that the message names, where it names any."""
    acts = [n for n, request in enumerate(requests) if request.act not in ("look", "test")]
    return [
        request
        for number, request in enumerate(requests)
        if request.topic != "outcome"
        or request.value != "ask"
        or len(requests) == 1
        or (acts and acts[0] < number)
    ]


_INSTEAD = {"apn": ("reset_apn",), "sim": ("reseat",)} | dict.fromkeys(SWITCHES, ("switch",))


def _unneeded_looks_gone(requests: list[Request]) -> list[Request]:
    """ "Let's check X. Please turn X off.": the order stands, the look was its announcement."""

    def ordered(number: int, look: Request) -> bool:
        return look.act == "look" and any(
            later.act in _INSTEAD.get(look.topic, ())
            and later.topic == look.topic
            and later.when is None
            and later.sure
            and not later.presumed
            for later in requests[number + 1 : number + 3]
        )

    return [request for number, request in enumerate(requests) if not ordered(number, request)]


def _tested(merged: list[Request]) -> bool:
    """Whether a test comes after all that is to be done."""
    for request in reversed(merged):
        if request.act != "look":
            return request.act == "test"
    return False


def _stale(request: Request, since: list[Request]) -> bool:
    """Whether the same request means something new after what came between."""
    acted = [r.act for r in since if r.act not in ("look", "test")]
    if request.act in ("look", "test"):
        return bool(acted)
    if request.act == "reboot":
        return bool({"reset_apn", "reseat"} & set(acted))
    return False
