"""How an agent's words close a call, hand it over, or wait for an answer."""

from __future__ import annotations

import re

__all__ = ["announces_hand_over", "asks", "awaits", "closes", "hands_over", "offers_hand_over"]

_CLOSED = re.compile(
    r"\b(?:anything else|good ?bye|bye|have an? \w+ (?:day|evening|one|night|weekend|time|rest)"
    r"|take care|glad (?:it|that|to hear|we|i could|everything)|happy (?:it|that|to hear)"
    r"|(?:is|are|been|was) (?:now )?(?:resolved|fixed|solved|restored)|works? again|working (?:now"
    r"|again|well|properly)|you(?:'re| are) (?:very )?welcome|thank you for (?:calling|contacting"
    r"|your patience|choosing|letting)|my pleasure|enjoy)\b"
)
_HANDED = re.compile(
    r"\b(?:transfer\w*|hand(?:ed|ing)? (?:you|this|it|the case|your case|over)|colleague|human"
    r"|specialist|supervisor|representative|another agent|escalat\w*|connect(?:ed|ing)? you"
    r"|team (?:will|can)|stay on the line|hold on)\b"
)
_SENTENCE = re.compile(r"[^.!?]+[.!?]*")
_CLAUSE = re.compile(r"[,;:]\s+|\s[-*\u2022]+\s+|\s?[\u2013\u2014]+\s?")
_PIECE = re.compile(r"\b(?:and then|and|but|then)\b")
_FINE = (
    r"(?:(?:very|really|great|good|nice|lovely|wonderful|pleasant|fantastic|fine|safe|relaxing"
    r"|amazing|beautiful|happy|productive|excellent|splendid|awesome|terrific|super|enjoyable"
    r"|brilliant|restful),? (?:and )?)+"
)
_FAREWELL = re.compile(
    r"\b(?:good ?bye|bye|good ?night|farewell|cheers|until next time|all the best|best wishes"
    r"|see you (?:soon|later|next|again|around|tomorrow)|safe travels"
    r"|take (?:good )?care(?: of yourself)?(?! of)"
    rf"|have (?:yourself )?an? {_FINE}(?:rest of (?:your|the) )?(?:day|afternoon|evening|night"
    r"|morning|one|week|weekend|time|rest|trip|flight|journey|stay|holiday)"
    r"|(?:i|we)(?:'d like to| would like to)? wish you (?:an?|all|well|the|much|lots|every|good))\b"
    r"|(?:^\W*|\b(?:please|and) |[,;:!] )(?:do )?enjoy (?:your|the|a)\b"
)
_NOT_YET = re.compile(r"\b(?:before|until|till|rather than)\b[^.!?]*$")
# Something to do or to answer some other day, and only if need be.
_SOON = r"(?:again|later|anew|once more|back)"
_LATER = re.compile(
    r"\b(?:(?:in|for) (?:the )?future|from (?:now|here) on|going forward|next time|periodically"
    r"|regularly|occasionally|from time to time|every (?:now and then|so often|day|week|month|few"
    r"|once in a while)|at your convenience|any ?time|at any time|day or night|tomorrow"
    r"|some other (?:day|time)|next (?:week|month)|afterwards|you ever|ever (?:need|want|happen)"
    rf"|(?:happen|occur|come|return|drop|appear|fail|slow)s? (?:up )?{_SOON}|acts? up {_SOON}"
    rf"|stop(?:s)? working {_SOON}|run into (?:this|it|that) {_SOON}|(?:problem|issue) (?:returns"
    r"|persists)|if (?:anything|something) (?:changes|else|goes wrong|comes up)"
    r"|should (?:you (?:need|have|notice|see|experience|run|encounter|ever|want)"
    r"|(?:it|this|that|the \w+|anything) (?:happen|return|come|occur|stop|drop|fail|persist))"
    r"|(?:if|when|in case) (?:you|any|anything|there)\b[^.!?]{0,30}?"
    r"\b(?:any(?:thing)?(?: \w+)?|more|further|another|additional|other) ?"
    r"(?:questions?|help|assistance|support|concerns?|issues?|problems?|troubles?|difficult\w+"
    r"|else|comes? up|slow\w*|occurs?|arises?|happens?)"
    r"|if you (?:have|need|experience|encounter|run into|notice|face) (?:\w+ )?(?:questions?|help"
    r"|assistance|support|concerns?|issues?|problems?|trouble|us|me|slow\w*|similar)"
    r"|(?:any|some) (?:other|further|more|new) (?:trouble|problem|issue|question)s?"
    r"|when(?:ever)? you(?:'re| are) (?:back|home|on a plane|abroad|travel\w*)"
    r"|before (?:you )?(?:your next|you travel|travel\w*|boarding|you board))\b"
)
# A question after which the agent is done whatever the answer.
_MORE = re.compile(
    r"(?<!before )(?<!above )(?<!than )"
    r"\b(?:(?:any|some)(?:thing|body|one)? (?:else|other|further|more|besides)"
    r"|(?:any|some)thing(?: \w+){0,2} (?:besides|apart from)|(?:what|how|who|where|which) else"
    r"|any (?:\w+ )?questions?|(?:with|about) (?:another|other|a different|something different)"
    r"|(?:further|more|additional|other) (?:help|questions?|assistance|support|concerns|issues"
    r"|matters?)|anything (?:that )?(?:i|we) (?:can|could|may) (?:do|help|assist)"
    r"|(?:is|will|would) (?:that|this|it) be (?:all|everything)|(?:is|was) that all"
    r"|(?:are|is) (?:you|that|everything) all set"
    r"|(?:does|did) (?:that|this) (?:cover|answer|settle|conclude|help)"
    r"|(?:may|can|shall|should|could) (?:i|we) (?:now )?(?:close|end|finish|wrap|conclude))\b"
)
_SHOWN = re.compile(
    r"\b(?:see|sees|seen|show|shows|shown|screen|status|open|opened|running|listed|displayed|icon"
    r"|symbol|apps?|installed|connected|bars?|settings|result)\b"
)
_TIPS = re.compile(
    r"\b(?:tips?|advice|recommendations?|reminders?|(?:for|in) (?:the )?future"
    r"|to (?:prevent|avoid) (?:this|it|that|such|the same|similar))\b"
)
_LEAD = (
    r"^\W*(?:(?:great|good|perfect|excellent|wonderful|ok|okay|thanks?|thank you|alright|all right"
    r"|well|sorry|first|second|third|next|now|then|so|also|finally|lastly|just|step \d+|\d+|and"
    r"|in that case|for (?:that|this|now)|as a (?:last|next|first) (?:step|test))\b\W*)*"
)
_ORDER = re.compile(
    rf"{_LEAD}(?:go ahead|go (?:in)?to|open|turn|switch|toggle|flip|run|check|look (?:at|up|for|in"
    r"|under|whether)|restart|reboot|power|reset|re-?seat|re-?insert|insert|remove|take (?:out|the"
    r"|your|it)|put|tap|press|hold (?:down|the)|swipe|scroll|select|choose|pick|disable|enable"
    r"|activate|deactivate|disconnect|connect|set(?! up)|change|pay|accept|approve|grant|allow|give"
    r"|try|test|send|confirm|tell me|read|describe|make sure|verify|repeat|type|enter|reply|respond"
    r"|answer|say)\b"
)
_ASKS = re.compile(
    r"\b(?:please|kindly|let me know|tell me|(?:could|can|will) you|would you"
    r"|i(?:'d| would|'ll| will)?(?: \w+)? (?:like|need|want|require) (?:you to|your)"
    r"|i(?:'d| would)? (?:suggest|recommend|advise) (?:you|that you|\w+ing)"
    r"|you(?:'ll| will| would)? (?:need|have) to|you must"
    r"|let's|try (?:to|this|that|the|again|\w+ing)|do(?:n't| not) forget to|take your time"
    r"|i(?:'ll| will|'m| am) wait(?:ing)?)\b"
)
_FIRST = re.compile(
    rf"{_LEAD}(?:once|after|when|as soon as) (?:you(?:'ve| have| are|'re)?|that(?:'s| is)) \w+.*"
    r"\b(?:i'll|we'll|i will|we will|i can|we can|let me|let's)\b"
)
# Said in the form of a request, and none: it goes on without an answer.
_SHOP = (
    r"(?:\w+ ){0,6}?(?:stores?|shops?|branch|branches|outlets?|counter"
    r"|locations?)\b"
)
_IDLE = re.compile(
    r"\b(?:note|be (?:aware|advised|assured|patient)|rest assured|remember|recall|bear (?:with|in)"
    r"|keep(?:ing)?(?! me)|leav(?:e|ing)|enjoy|accept (?:my|our)|excuse|forgive|pardon"
    r"|do(?:n't| not)(?! forget)|never|avoid|feel free|hesitate|reach out|get in touch"
    r"|(?:contact|call|write to|phone)(?:ing)? (?:us|me|back|our)|call (?:us )?back|rate|monitor"
    r"|watch|hold(?! (?:down|the \w+ (?:button|key)))"
    r"|stay|stand by|wait|allow (?:me|us|a|some|up)|give (?:me|us) an?|have an? (?!look)"
    r"|take (?:good )?care"
    r"|try again (?:later|another|tomorrow)"
    rf"|(?:go (?:in)?to|come (?:in)?to|stop by|drop by|bring (?:it|\w+ \w+) (?:in)?to|see) {_SHOP}"
    r"|visit(?:ing)?|let's (?:hope|leave|call it|end|close|wrap|keep it"
    r"|get you (?:over|to|transferred|connected))|come back)\b"
)
_REPORT = re.compile(r"\b(?:let me know|tell me|report)\b")
_OFFERS = re.compile(
    r"\b(?:i(?:'ll| will| can| could|'m| am|'ve| have)?|let me|me to|we(?:'ll| will| can)?|being"
    r"|be(?:en)?|recommend|take over|takes over|taking over|option)\b"
)
_ANNOUNCES = re.compile(
    r"\b(?:i(?:'ll| will|'m| am|'ve| have)|let me|we(?:'ll| will|'re| are|'ve| have)"
    r"|(?:you|your (?:call|case))(?:'re| are| is|'ll| will|'ve| have)? (?:now )?be(?:en|ing)?"
    r"|takes? over|taking over|is being|are being)\b"
)
_UNCERTAIN = re.compile(r"\?|\b(?:if|unless|would|could|can|may|might|should|before|not|n't)\b")


def closes(message: str) -> bool:
    """Whether a message, in `plain` words, brings the call to its end."""
    return _CLOSED.search(message) is not None


def hands_over(message: str) -> bool:
    """Whether a message, in `plain` words, speaks of a colleague taking over."""
    return _HANDED.search(message) is not None


def awaits(message: str) -> bool:
    """Whether a message, in `plain` words, leaves the other side something to do or to answer now.

    A goodbye leaves nothing, whatever else is in it, nor do advice for another day and the question
    whether there is anything else: with these an agent is done.
    """
    sentences = _SENTENCE.findall(message)
    if any(_takes_leave(sentence) for sentence in sentences):
        return False
    tips = False
    for sentence in sentences:
        tips = tips or _TIPS.search(sentence) is not None
        if tips and not (sentence.endswith("?") or _REPORT.search(sentence)):
            continue
        if asks(sentence):
            return True
    return False


def asks(sentence: str) -> bool:
    """Whether a sentence, in `plain` words, asks for something to be done or answered now."""
    if _LATER.search(sentence) is not None:
        return False
    if _MORE.search(sentence) is not None and _SHOWN.search(sentence) is None:
        return False
    if "?" in sentence or _FIRST.search(sentence) is not None:
        return True
    return any(_tells(clause) for clause in _CLAUSE.split(sentence))


def _tells(clause: str) -> bool:
    """Whether a clause tells to do something; after an `and` only where it told before it too."""
    telling = True
    for piece in _PIECE.split(clause):
        if not piece.strip():
            continue
        if _IDLE.search(piece) is not None:
            continue
        if _ASKS.search(piece) is not None or (telling and _ORDER.search(piece) is not None):
            return True
        telling = False
    return False


def _takes_leave(sentence: str) -> bool:
    found = _FAREWELL.search(sentence)
    return found is not None and _NOT_YET.search(sentence[: found.start()]) is None


def offers_hand_over(message: str) -> bool:
    """Whether a message, in `plain` words, offers or announces a colleague of the agent's."""
    return any(
        hands_over(sentence) and _OFFERS.search(sentence) is not None
        for sentence in _SENTENCE.findall(message)
    )


def announces_hand_over(message: str) -> bool:
    """Whether a message, in `plain` words, says that a colleague takes over, and does not ask."""
    return any(
        hands_over(sentence)
        and _ANNOUNCES.search(sentence) is not None
        and _UNCERTAIN.search(sentence) is None
        for sentence in _SENTENCE.findall(message)
    )
