"""The mood of a clause: an order, a question, a condition, a plan of the agent's, a statement."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from ringback.telecom.scenario import CALLER_NAME
from ringback.users.rules.text import Sentence

__all__ = ["Mood", "mood_of"]

Mood: TypeAlias = Literal["do", "ask", "offer", "if", "sub", "later", "gerund", "none"]
"""``do`` an order or wish; ``ask`` a question or "tell me"; ``offer`` "would you like"; ``if`` a
condition; ``sub`` "once ...", "because ..."; ``later`` what the agent will do; ``gerund``
"turning it off ..."; ``none`` a statement."""

_FIRST, _, _LAST = CALLER_NAME.lower().partition(" ")
_FILLER = re.compile(
    rf"(?:(?:{_FIRST}|mr\.? {_LAST}|"
    r"please|kindly|then|next|first(?: of all| off)?|firstly"
    r"|second(?:ly)?|third(?:ly)?|final(?:ly)?|last(?:ly)?|now(?! that)|also|and|so|but"
    r"|ok(?:ay)?|great|good|perfect|thanks|thank you|sure|yes|yeah|no problem|absolutely|certainly"
    r"|of course|al(?:l )?right(?:ly)?|again|instead|just|simply|quickly|carefully|gently"
    r"|to (?:begin|start)(?: with)?|after (?:that|this|doing (?:this|that|so|both))|from there"
    r"|in the meantime|meanwhile|if possible|for now|additionally|afterwards?|step \d{1,2}"
    r"|to do (?:this|that|so)|or|plus|in addition|go ahead(?: and)?|manually"
    r"|next step|next up|hm+|ah+|oh|well(?! as)|right(?=,)|lovely|awesome|excellent|wonderful"
    r"|brilliant"
    r"|cool|nice|super|fantastic|gotcha|got it|understood|noted|very (?:well|good)|subsequently"
    r"|thereafter|following that|with that done|that done|in that case|once again|for starters"
    r"|to be (?:safe|sure)|just to be (?:safe|sure)|while (?:you're|we're) (?:at it|there)"
    r"|real quick"
    r"|(?!reply|apply|supply|rely|only)[a-z]{3,14}ly(?= [a-z])|hey|ie|(?:go|come|carry|move|moving"
    r"|going) on(?=[,:])|right then|as well|accordingly|therefore|hence|thus|once there"
    r"|while there"
    r"|(?:on|in|from|under|at|within) (?:that|this|the)(?: very)? same (?:screen|menu|page|place"
    r"|list|section)"
    r"|(?:on|in|from|under|at|within) (?:that|this|the) (?:screen|menu|page|list|section)"
    r"|on (?:the|your) (?:phone|device|handset)(?: itself)?"
    r"|next step|here|when (?:you're )?ready|safely|try to|trying to|at this point"
    r"|whenever you're ready|take (?:a moment|your time) (?:to|and)|follow (?:these|the"
    r"|this)(?: \w+){0,2} (?:steps?|instructions?) to|let me guide you|as a next step|be sure to"
    r"|proceed to|remember to|don't forget to|feel free to|proceed to)\b[,:.]?\s+)+"
)
_SO = re.compile(r"so (?:that )?(?:you|we|i|it|they)\b")
_HOW_TO = re.compile(
    r"(?:here(?:'s| is| are)? )(?:exactly )?(?:how (?:to|you can|you)|(?:the "
    r"|some )?(?:step-by-step |detailed |simple )*(?:steps|instructions) (?:to|for|on how to))\s+"
)
_POLITE = re.compile(
    r"(?:(?:could|can|would|will) you|(?:could|can|might) we|might you)"
    r"(?: be (?:able|willing|so kind as) to)?(?: (?:please|kindly|also"
    r"|now|just|first|quickly|then|try to|try(?= \w+ing\b)|go ahead and|be able to|mind|possibly"
    r"|perhaps|maybe|carefully|gently|next|again|help me and|as well|for me|briefly|simply|at least"
    r"|help me by"
    r"|do me a favor and))*\s+"
)
_WE = re.compile(
    r"(?:let's|let us|(?:what if|suppose|maybe|perhaps) (?:you|we)(?: were to)?|we(?:'ll)? (?:need"
    r"|have|should|must|want)(?: to)?|why don't (?:we|you)"
    r"|how about(?: we| you)?|i'll have you|i(?:'d| would) (?:like|want|need) (?:you )?to|i(?:'ll"
    r"| will)? need you to|i(?:'ll| will)? (?:ask|want) you to|i'm going to ask you to|i(?:'d"
    r"| would)? (?:recommend|suggest|advise)(?: that)?(?: you| we)?|i(?:'d"
    r"| would) ask you to)\s+(?:please |also |first |now |just |to |try (?:to )?|start (?:with"
    r"|by) |begin (?:with|by) |go ahead and |quickly |continue by |double )*"
)
_YOU = re.compile(
    r"you(?:'ll| will| should| must| may| might| can| could)?(?: now| first| then| also"
    r"| usually)?(?: (?:need|have|want|ought) to| should| go ahead and)?\s+(?:please |also |now "
    r"|first |then |go ahead and |try (?:to )?|do this by |do that by |do so by |usually |safely "
    r"|just )*"
)
_SEEING = re.compile(
    r"(?:see|notice|find|have|be|get|lose|receive|still|now see|are|can|experience)\b"
)
_NEXT_IS = re.compile(
    r"(?:the|your|our|one|a|all|what) (?:\w+ ){0,4}(?:step|thing|action|option|fix|solution|need"
    r"|left"
    r"|way)(?: \w+){0,5}? (?:is|would be|will be)(?: to| by)?\s+"
)
_HAVE_TRIED = re.compile(r"have you (?:already |yet )?(?:tried |had a chance to )?")
_AGENT = re.compile(
    r"(?:i|i'll|i've|i'm|i'd|we|we'll|we've|we're|my|our|this|these|that(?:'s| is| will| should"
    r"| means)|it|there|your|the|since|because|as|which|while|although|though|here's|here are"
    r"|here is)\b"
)
_LATER = re.compile(
    r"(?:and |then |next |after that |so )*(?:i'll|we'll|i will|we will|then we|we can then"
    r"|i can then)\b"
)
_TELL = re.compile(
    r"(?:let me know|tell me|read (?:me|it|out|them)|list|name|report(?: back)?|inform me|share"
    r"|confirm|advise me|reply|respond|describe|give me|send me|note|see|look|watch)\b"
)
_SOCIAL = re.compile(
    r"(?:did|do|does|can|could|was|is) (?:you|that|this|it|all that)(?: all)? (?:understand|know"
    r"|remember"
    r"|recall|hear|mean|follow|think|agree|mind|make sense|clear|understood)\b|any questions\b"
)
_QUESTION = re.compile(
    r"(?:is|are|do(?! (?:an?|another|it|one|that|this|so|both|these|those|the|likewise|not)\b)"
    r"|does|did|has"
    r"|have(?! an?\b)|what|what's|which|how|any|anything|whether|was|were|who|where"
    r"|when did|can you see|could you see|do you see)\b"
)
_ASKS_YOU = re.compile(
    r"(?:could|can|would|are) you(?: \w+){0,2} (?:see|tell|let me know|able to (?:see|make|use"
    r"|browse|access|load|send|call|connect|get)|make (?:calls|a call|regular)|currently|using"
    r"|connected|browse|use|send|access|seeing|getting|having)\b|are you (?:on|in)\b"
)
_POLITE_LOOK = re.compile(r"(?:do|would|could|can) you mind \w+ing\b")
_OFFERED = re.compile(
    r"(?:would you like|do you want|would you prefer|should i|shall i|shall we|may i|can i"
    r"|do you need|is (?:it|that|this) (?:ok|okay|al(?:l )?right|fine)|are you (?:comfortable"
    r"|able|ready|willing|ok|okay)|would you be comfortable)\b"
)
_IF = re.compile(r"(?:if|in case|unless|only if|should you)\b")
_SUB = re.compile(
    r"(?:now that|once|when|whenever|after|before|until|since|because|as soon as|as|while|which"
    r"|although|though|so that|so (?:you|we|i|it)|to (?!turn|switch|do|run|set|reset|reboot"
    r"|restart|enable|disable|check))"
)
_GERUND = re.compile(
    r"(?:by |with |try |trying )?(?:turning|switching|toggling|enabling|disabling|disconnecting"
    r"|rebooting|restarting|resetting|reseating|removing|running|checking|changing|setting"
    r"|granting|tapping|paying|sending|using|performing|making sure|activating|swiping|going"
    r"|selecting|re-?inserting|taking|looking|opening)\b"
)
_ORDER = re.compile(
    r"(?:please )?(?:re-?)?(?:turn|switch|toggle|flip|flick|put|set|enable|disable|activate"
    r"|deactivate|disconnect|connect|make|ensure|check|double|verify|confirm|look|run|perform|do"
    r"|use|try|test|restart|reboot|power|reset|restore|revert|remove|take|eject|pull|pop|reseat"
    r"|insert|reinsert|re|grant|give|allow|pay|complete|accept|approve|authorize|settle|make|send"
    r"|open|go|tap|select|choose|change|update|adjust|modify|pick|keep|leave|exit|shut|slide|move"
    r"|view|see|inspect|review|list|name|read|find|start|begin|navigate|scroll|press|swipe|locate"
    r"|click|access|head|hold|enter|visit|load|browse|stream|call|place|attempt|retry|retest"
    r"|initiate|measure|repeat|execute|call|get|stop|add|wait|force|refresh|cycle|follow|rule"
    r"|clear|continue|proceed|finish|finali[sz]e|re-?connect|re-?start|re-?boot|re-?check"
    r"|re-?send|tell|unlock|plug|slot|hit|carefully|both|monitor|observe|note|deny"
    r"|report|share|return|come|bring|quit|kill|take|let|ask|pause|end|first|correct|fix|flick"
    r"|close"
    r"|swap|attach|dial|launch|relaunch|redo|rerun|examine|engage|reinstate|undo|drag|unlink|sort"
    r"|apply|lift|mark|tick|untick|uncheck|work|sign|log|cut|drop|bump|raise|start)(?=_|\b)"
    r"|can_send"
)
_HELPS = re.compile(
    r"\b(?:can|may|might|could|will|should|often|usually|helps|does) ?(?:also |often )?(?:help"
    r"|improve|fix|resolve|not|restore|make|be)?\w*\b"
)
_DOING = re.compile(
    r"(?:confirm (?:the |your )?payment|see if you can send|look for|look at|look in|note that)\b"
)


def mood_of(clause: str, sentence: Sentence) -> tuple[Mood, str]:
    """What kind of clause it is, and the clause without its courtesies."""
    if _SO.match(clause):
        return "sub", clause
    filler = _FILLER.match(clause)
    rest = clause[filler.end() :] if filler else clause
    if how_to := _HOW_TO.match(rest):
        return "do", rest[how_to.end() :]
    if _IF.match(rest) or rest.startswith("otherwise"):
        return "if", rest
    if _SOCIAL.match(rest) and not _POLITE_LOOK.match(rest):
        return "none", rest
    if _ASKS_YOU.match(rest):
        return "ask", rest
    if rest.startswith(("do i have your", "do we have your")):
        return "later", rest
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
