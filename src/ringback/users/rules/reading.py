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

from ringback.users.rules.acts import acts_in
from ringback.users.rules.clauses import clauses
from ringback.users.rules.conditions import Condition, condition_in
from ringback.users.rules.elliptic import (
    asks_how_it_is,
    bare,
    is_either,
    is_of_old,
    is_whole,
    the_same,
)
from ringback.users.rules.intents import talk_in
from ringback.users.rules.looks import looks_in
from ringback.users.rules.merging import merged
from ringback.users.rules.moods import mood_of
from ringback.users.rules.plain import plainly
from ringback.users.rules.request import Request
from ringback.users.rules.text import Sentence, bounded, sentences
from ringback.users.rules.vague import asks_again, is_topical, vague_in
from ringback.users.rules.words import (
    SWITCHES,
    TOOLS,
    direction,
    mentions,
    mode_in,
)

__all__ = ["Reading", "read"]


class Reading(Struct, frozen=True):
    """A message as the customer understands it; see `Request` and `Talk` for the parts.

    `vague` is what a message seems to be about that asks something and from which no request was
    made out; `topical` whether it is about phones or lines at all; `again` whether it asks for the
    same once more.
    """

    requests: tuple[Request, ...]
    questions: tuple[str, ...]
    news: tuple[str, ...]
    gigabytes: float | None
    vague: tuple[Request, ...] = ()
    topical: bool = False
    again: bool = False


def read(text: str, context: tuple[str, ...] = (), before: tuple[Request, ...] = ()) -> Reading:
    """Read one message. Takes time linear in its length up to a bound; never raises.

    `context` are the parts of the phone that were spoken of last, for an "it" or "both" that the
    message does not explain itself; `before` what the message before asked for, for "the same".
    """
    return _read(bounded(text), context, before)


@lru_cache(maxsize=2048)
def _read(text: str, context: tuple[str, ...], before: tuple[Request, ...]) -> Reading:
    found = sentences(text)
    talk = talk_in(found)
    found = plainly(found)
    requests = _requests(found, context, before)
    vague = ()
    if all(request.topic == "outcome" for request in requests):
        vague = vague_in(found, () if requests or talk.questions else context)
    if requests and vague:
        requests, vague = merged([*vague, *requests]), ()
    return Reading(
        requests,
        talk.questions,
        talk.news,
        talk.gigabytes,
        vague,
        topical=is_topical(found),
        again=asks_again(found),
    )


_STARTING = re.compile(r"\b(?:start|begin|starting|beginning) (?:with|by)\b|\bfocus on\b|^first\b")
_PRESUMED = re.compile(
    r"(?:once|after|when|as soon as) (?:you(?:'ve|'re| have| are)?(?: have| successfully| already"
    r"| both)? |(?=(?:resetting|turning|switching|enabling|disabling|disconnecting|changing"
    r"|granting|reseating|reinserting|setting)\b))"
)
_IDENTITY = re.compile(
    r"\b(?:phone number|customer id|account number|full name|your name|date of birth|number on)\b"
)
_WHO = re.compile(
    r"\b(?:an?|any|your|which|correct|another|right|on the) account\b|\b(?:phone|account"
    r"|wrong) number\b"
    r"|\bcustomer id\b|\bdate of birth\b|\bsurname\b|\byour (?:\w+ )?name\b"
)
_TOLD = re.compile(
    r"\b(?:i (?:can )?see|i found|i have|i've|we've|account|your (?:line|plan)|details|summary"
    r"|recap"
    r"|so far|information|current(?:ly)?|now (?:have|shows?)|you(?:'ve)? (?:said|told|reported"
    r"|mentioned)|reported|results?)\b"
)
_AGENT_DOES = re.compile(
    r"(?:once|after|when|as soon as) (?:it|that|this|the (?:line|service|bill|payment)|i|we"
    r"|your (?:line|service|bill|payment))\b.*\b(?:resumed|restored|reactivated|paid|active|added"
    r"|enabled|confirmed|processed|complete|completed|received)\b"
)
_DO_THIS = re.compile(
    r"(?:you can |this can be )?(?:usually |easily )?(?:do (?:this|that|so|it)|done) by\b"
)
_DOWN = re.compile(
    r"\b(?:turn|switch|power|shut)\w* (?:(?:off|down) (?:your|the) (?:phone|device|handset)"
    r"|(?:your |the )(?:phone|device|handset) (?:completely |fully )?(?:off|down))\b"
)
_UP = re.compile(r"\b(?:turn|switch|power|start)\w* (?:\w+ ){0,2}(?:back )?(?:on|up)\b")
_CHECK_IF = re.compile(
    r"\b(?:check|see|confirm|verify|test) (?:if|whether|that) you(?:'re| are| can)"
)
_ABLE = re.compile(r"(?:and|or) (?:use|make|send|browse|receive|access|load|open|get|connect)\b")
_IT = re.compile(
    r"^(?:is|are)\b[^.]{0,30}\b(?:it|that|one|it's|that's)\b[^.]{0,20}(?:on|off|enabled|disabled"
    r"|active|now"
    r"|connected)?$|\b(?:connected to|using|have) (?:it|one)\b"
)
_BY_NAME = re.compile(
    r"\b(?:us(?:e|ing)|perform\w*|run(?:ning)?|by|via|with|action|tool|command)\b"
)
_READ_IT = re.compile(r"(?:read|describe|report) (?:it|that|them|those)\b")
_CHECK_IT = re.compile(
    r"(?:re-?)?(?:check|see|verify|confirm|look)\b[^.]{0,12}\b(?:if|whether|that|how|it|this)\b"
)
_DO_THAT = re.compile(
    r"(?:do|try|perform)(?: (?:it|this|that|so|both|one)\b(?: of (?:these|those|them))?)"
)
_REQUIRED = re.compile(
    r"\b(?:restart|reboot)\b[^.]{0,30}\b(?:is|are|will be) (?:now |also )?(?:required|needed"
    r"|necessary)\b"
    r"|\b(?:must|needs? to|has to|have to|should|will need to) (?:now |also )?be (?:restarted"
    r"|rebooted)\b"
    r"|\b(?:needs?|requires?) (?:a |to )(?:quick |full )?(?:restart|reboot)\b"
)
_NOT_REQUIRED = re.compile(r"\b(?:no|not|n't)\b")
_PROPOSED = re.compile(r"(?:an? )?(?:\w+ )?(?:\w+ing|reset|restart|reboot)\b")
_POLITELY = re.compile(r"(?:(?:so|and|then|but) )*please\b")
_AT_HAND = re.compile(r"(?:i'm|i am|i'll be|i will be) (?:\w+ )?here\b")
_SHOULD_BE = re.compile(
    r"\b(?:should|needs? to|must|has to|have to|ought to|is to|are to|will need to)(?: \w+ly"
    r"| likewise| also| now| then| first| both| all| still| just)* be\b"
)
_STATED = ("switch", "mode", "reseat", "reset_apn", "grant")
_SOMEDAY = re.compile(
    r"\b(?:next time|in (?:the )?future|from now on|another time|whenever you travel"
    r"|should it (?:ever"
    r" )?(?:come back|happen again))\b"
)
_OWN_MOOD = re.compile(
    r"(?:and|or|but) (?:(?:then|also|now|so|perhaps|maybe) )*(?:(?:could|can|would|will) (?:you|we)"
    r"|let's|let us|kindly|i(?:'d| would) (?:like|ask|want)|i need you|i want you|go ahead)\b"
)
_NOUN = re.compile(
    r"(?:(?:and|or|plus|also|then) )*(?:the|your|its|any|whether|how|what|which|all|both|each"
    r"|anything|if)\b"
)
_QUESTION_WORD = re.compile(r"(?:(?:and|or|plus|also|then) )*(?:whether|how|what|which|if)\b")
_LOOKING_AT = re.compile(
    r"(?:re-?)?(?:check|look at|look|view|read|inspect|examine|review|verify|confirm|list|name)\b"
)
_LOOK_ONLY = re.compile(
    r"\b(?:before|without|rather than)(?: you| we)?(?: actually)? (?:chang|touch|alter|modify"
    r"|adjust)\w*"
    r" (?:anything|any(?: of (?:it|them|these|those)| settings?)?|them|it|something)(?! else| on)\b"
    r"|\b(?:don't|do not) (?:change|touch|alter|adjust|modify) (?:anything|any of (?:it|them)|them"
    r"|it)(?: just)?(?: yet| for now)?\b|\b(?:just|only) (?:look|looking|read|check)\b[^.]{0,40}"
    r"\b(?:for now|nothing else|don't|no changes)\b"
)
_LAST = re.compile(
    r"\bat the (?:very )?end\b|\bwhen (?:you(?:'re| are| have|'ve)|that's|all of that is|it's all)?"
    r" ?(?:all )?(?:done|finished|through)\b|\bonce (?:you(?:'re| are)|that's|it's all) (?:all )?"
    r"(?:done|finished|through)\b|\bafterwards?\b(?! ?,)"
)
_IS_IT = re.compile(r"(?:is|are|does|do) (?:it|that|this|they|both|those)\b[^.]{0,20}$")
_WILLING = re.compile(r"\b(?:willing|would you like|do you want|prepared|happy) to\b")
_PAYING = ("payment", "check_payment_request")
_TOGETHER = re.compile(r"(?:we'll|we will) (?:(?:now|then|next|also|just) )*")
_WITH_IT = re.compile(r"\b(?:try(?:ing)? (?:it |that |again |once )?|^)with(?:out)?\b")


def _inherits(part: str, rest: str, previous: str) -> bool:
    """Whether "and ...", "or ..." goes on in the mood of the clause before."""
    if not part.startswith(("and ", "or ", "but ")) or "please" in part[:24]:
        return False
    if _OWN_MOOD.match(part):
        return False
    if previous in ("ask", "offer"):
        return not rest.startswith(("run ", "turn ", "try ", "then "))
    return previous in ("none", "later", "sub") and not part.startswith("and then ")


def _goes_on(part: str, previous: str, said_before: str) -> bool:
    """As in "tell me the signal, your network mode and ...": the list of what is asked goes on."""
    listing = previous == "ask" or (previous == "do" and _LOOKING_AT.match(said_before))
    if not listing or not _NOUN.match(part):
        return False
    return _QUESTION_WORD.match(part) is not None or not is_whole(part)


def _governed(request: Request, condition: Condition) -> bool:
    """As in "If it is on, turn it off, then run a speed test": the test comes either way."""
    return not (
        request.act == "test"
        and condition.topic in SWITCHES | {"mode", "permissions", "sim", "apn"}
    )


def _only_looks(requests: list[Request]) -> bool:
    return all(request.act == "look" for request in requests)


def _heading(mood: str, text: str) -> str:
    if mood == "later" or re.search(r"\bi'?ll\b|\bwe'?ll\b", text):
        return "later"
    if re.search(r"\b(?:check|verify|look)\b", text):
        return "check"
    if mood == "none" and _TOLD.search(text):
        return "told"
    if mood == "ask" or re.search(
        r"\b(?:know|tell me|confirm|see|reply|report|status|update)\b", text
    ):
        return "ask"
    return "do"


def _requests(
    found: list[Sentence], context: tuple[str, ...], before: tuple[Request, ...]
) -> tuple[Request, ...]:
    reader = _Reader(context, before)
    for sentence in found:
        reader.sentence(sentence)
    requests = [*reader.requests, *reader.ending]
    if any(_LOOK_ONLY.search(sentence.text) for sentence in found):
        requests = [_looked_at(request) for request in requests]
        requests += [each for one in found if one.item for each in looks_in(one.text, True)]
    return merged(requests)


def _looked_at(request: Request) -> Request:
    """A look in place of a change, where nothing is to be changed yet."""
    if request.act in ("switch", "mode", "grant", "reset_apn"):
        return Request("look", request.topic, item=request.item)
    return request


class _Reader:
    """Walks through a message once; remembers what "it", "if so" and a list's heading mean."""

    def __init__(self, context: tuple[str, ...], before: tuple[Request, ...]) -> None:
        self.requests: list[Request] = []
        self.ending: list[Request] = []
        self.asked_before = before
        self.who = False
        self.named: tuple[str, ...] = ()
        self.colon = False
        self.latent: list[Request] = []
        self.before = context
        self.asked: Condition | None = None
        self.heading: str | None = None
        self.carried: Condition | None = None
        self.last_if: Condition | None = None
        self.latest = 0
        self.down: int | None = None

    def sentence(self, sentence: Sentence) -> None:
        if _AT_HAND.match(sentence.text) or _SOMEDAY.search(sentence.text):
            return
        if _WHO.search(sentence.text):
            self.who = True
        elif any(mention.topic != "phone" for mention in mentions(sentence.text)):
            self.who = False
        condition, self.carried = self.carried, None
        parts = clauses(sentence.text)
        began = len(self.requests)
        mood: str = "none"
        rest = ""
        asking = put_off = False
        for number, part in enumerate(parts):
            previous, said_before = mood, rest
            mood, rest = mood_of(part, sentence)
            last = number == len(parts) - 1
            if mood == "if" and rest.startswith("otherwise"):
                said = self.last_if
                condition = said and replace(said, holds=not said.holds)
                mood, rest = mood_of(rest.removeprefix("otherwise").lstrip(" ,"), sentence)
            if mood == "if":
                if asking and (last or mood_of(parts[number + 1], sentence)[0] != "do"):
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
            if number and mood not in ("later", "if") and _inherits(part, rest, previous):
                mood = previous
            elif number and mood in ("none", "ask") and _goes_on(part, previous, said_before):
                mood = "ask"
            elif mood == "gerund" and previous == "do" and part.startswith(("and ", "then ")):
                mood = "do"
            elif previous == "do" and _CHECK_IF.search(parts[number - 1]) and _ABLE.match(part):
                mood = "ask"
            asking = asking or mood == "ask"
            if mood == "ask":
                self._opened(began)
            put_off = put_off or mood == "later" or _AGENT_DOES.match(rest) is not None
            if mood == "do" and put_off and not _POLITELY.match(part):
                mood = "withheld"
            self._clause(mood, rest, sentence, condition)
        self.latest = began
        if sentence.opens:
            self._opened(began)
        if sentence.opens and not (sentence.item and self.heading == "told"):
            self.heading = _heading(mood, sentence.text)
        elif not sentence.item:
            self.heading = "ask" if sentence.asks and mood == "ask" else None
        self.colon = sentence.opens

    def _opened(self, since: int) -> None:
        """As in "Open X and tell me ...": X is to be looked at, not just passed through."""
        self.requests[since:] = [
            replace(request, weak=False) if request.act == "look" else request
            for request in self.requests[since:]
        ]

    def _add_condition(self, condition: Condition | None, since: int, part: str) -> None:
        """As in "Turn it off if it is on": the condition comes last."""
        if condition is None or part.startswith(("or ", "and ")):
            return
        if since == self.latest and (condition.topic == "unclear" or "," in part):
            return  # a sentence of its own that goes on after its condition
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
            if _WILLING.search(sentence.text):
                new = [request for request in new if request.topic not in _PAYING]
            if not new and rest.startswith(("with ", "without ")):
                new = acts_in(f"turn {rest}", self.before, sentence.item)
            if not new and _CHECK_IT.match(rest):
                new = self._asked_of(f"is {rest}")
            if not new and _DO_THAT.match(rest):
                new = self.latent
            if any(r.act == "switch" for r in new) and _WITH_IT.search(rest):
                new = [*new, Request("test", "outcome", item=sentence.item)]
            if _DO_THIS.match(rest) and any(request.act != "look" for request in new):
                self._replace_look()
        elif mood == "ask":
            new = looks_in(rest, sentence.item)
            if not new and asks_how_it_is(rest):
                new = [Request("test", "outcome", "ask", sure=False)]
            if is_of_old(sentence.text):
                new = [request for request in new if request.topic != "outcome"]
            new = new or self._asked_of(rest)
            if not new and _READ_IT.match(rest) and self.named:
                new = [Request("look", self.named[-1], item=sentence.item)]
            if _IS_IT.match(rest):
                self._only_asked(rest, new)
        elif mood == "none" and self.heading in ("ask", "check") and (sentence.item or self.colon):
            new = looks_in(rest, sentence.item)
        elif mood == "offer":
            new = [
                replace(request, weak=True)
                for request in acts_in(rest, self.before, False)
                if request.topic not in _PAYING
            ]
        elif mood == "sub":
            new = self._stated(rest, sentence) if _REQUIRED.search(rest) else []
            if presumed := _PRESUMED.match(rest):
                new = [
                    replace(request, presumed=True)
                    for request in acts_in(rest[presumed.end() :], self.before, False)
                    if request.act not in ("look", "test")
                ]
        elif mood in ("none", "gerund"):
            new = self._stated(rest, sentence) or self._listed(rest, sentence)
            proposed = mood == "gerund" or _PROPOSED.match(rest)
            if not new and proposed and (said := acts_in(rest, self.before, False)):
                self.latent = [r for r in said if r.act not in ("look", "test")]
        elif mood == "later":
            self._put_off(rest)
            if together := _TOGETHER.match(rest):
                said = acts_in(rest[together.end() :], self.before, False)
                self.latent = [r for r in said if r.act not in ("look", "test")]
        if not new and mood in ("do", "none", "ask", "gerund"):
            new = the_same(rest, (*self.asked_before, *self.requests), sentence.item)
        listed = sentence.opens or (sentence.item and self.heading not in ("do", None))
        told = mood == "do" or not sentence.asks or not direction(rest)
        if not new and told and not listed and mood in ("do", "none", "ask"):
            new = bare(rest, self.before, sentence.item)
        if _IDENTITY.search(rest):
            new = [request for request in new if request.act not in ("look", "test")]
        if self.who:
            new = [request for request in new if request.topic != "outcome"]
        if self.heading == "check" and sentence.item:
            new = [replace(r, value="") if r.act == "look" else r for r in new]
        self._remember(rest)
        for request in new:
            if request.act == "look" or (request.act == "switch" and not request.sure):
                self._ask_about(request, rest)
        if condition is not None:
            new = [replace(r, when=condition) if _governed(r, condition) else r for r in new]
        if new and mood in ("ask", "do") and _LAST.search(rest) and _only_looks(new):
            self.ending += new
        else:
            self.requests += new

    def _only_asked(self, rest: str, new: list[Request]) -> None:
        """As in "Roaming must be on. Is it?": that is to be looked at, not to be changed."""
        if not self.requests or direction(rest):
            return
        last = self.requests[-1]
        if last.act in ("switch", "mode") and not last.sure and last.when is None:
            self.requests[-1] = Request("look", last.topic, item=last.item)
            new.clear()

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
        if _REQUIRED.search(rest) and not _NOT_REQUIRED.search(rest):
            return [Request("reboot", "phone", item=sentence.item)]
        if _SHOULD_BE.search(rest) and "you should" not in rest:
            return [r for r in acts_in(rest, self.before, sentence.item) if r.act in _STATED]
        return []

    def _listed(self, rest: str, sentence: Sentence) -> list[Request]:
        """As in "Set these: - Data Saver: off": how a switch, or the mode, is to be."""
        if not sentence.item or self.heading not in ("do", "check") or is_either(rest):
            return []
        topics = [m.topic for m in mentions(rest)]
        if "mode" in (*self.before, *topics) and (mode := mode_in(rest)):
            return [Request("mode", "mode", mode, item=True)]
        way = direction(rest)
        named = [topic for topic in topics if topic in SWITCHES]
        if len(named) == 1 and way and len(rest.split()) <= 6 and not rest.startswith("if "):
            return [Request("switch", named[0], way, sure=False, item=True)]
        return []

    def _asked_of(self, rest: str) -> list[Request]:
        """As in "Are you connected to one?", "is it on?": the part named last."""
        switches = [topic for topic in self.before if topic in SWITCHES]
        if switches and _IT.search(rest):
            return [Request("look", switches[-1], "ask", sure=False)]
        return []

    def _replace_look(self) -> None:
        """As in "You can do this by ...": the way to do it takes the wish's place."""
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
        self.named = tuple(topic for topic in new if topic) or self.named
        kept = [topic for topic in self.before if topic not in new]
        self.before = tuple((kept + [topic for topic in dict.fromkeys(new) if topic])[-8:])

    def _narrow(self) -> None:
        """As in "Let's start with ...": of the list before, only this is meant for now."""
        if any(request.item for request in self.requests):
            self.requests = [request for request in self.requests if not request.item]

    def _put_off(self, clause: str) -> None:
        """As in "... and then we'll go on to ...": not yet."""
        topics = {mention.topic for mention in mentions(clause)}
        self.requests = [
            request
            for request in self.requests
            if not (request.item and request.act != "look" and request.topic in topics)
        ]
