"""The same sentence in plainer words: courtesies shortened, rare verbs said as common ones.

Agents ask for few things in very many ways. What only decorates a request ("I would be obliged if
you would ...", "..., shall we?") is taken off here, and what only means something common ("amend",
"have a peek at", "give it another go") is said so, before anything else looks at the sentence.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from ringback.users.rules.text import Sentence

__all__ = ["plainly"]

_SORRY = re.compile(
    r"^(?:(?:and|oh|but|again|once more|once again|please|thanks?(?: you)?)[, ]+)*"
    r"(?:(?:i'm|i am|i do|i|we|we're|my|so|very|really|truly|deeply|sincere(?:ly)?) )*"
    r"(?:sorry|apologi[sz]e|apologies|hate to (?:ask|bother|trouble|be)|know (?:this|it|that) is"
    r"|realize|realise|appreciate that|understand (?:that |how |it))\b"
    r"[^.?!;]{0,160}?,? but (?=(?:please|could|can|would|will|may|might|let|we|i) )"
)
_MAY_I = re.compile(
    r"\b(?:may|might|could|can) (?:i|we) (?:(?:please|kindly|just|also|now|then|once more|again) )*"
    r"(?:ask|request|get|have|trouble|bother|beg|invite) (?:that )?you\b(?: now| please| kindly)?"
    r"(?: to)?(?! (?:for|about|how|what|when|where|which|some|a |your))"
)
_I_ASK = re.compile(
    r"\bi (?:(?:would|must|have to|do|shall|will|also|now|then|next|again|kindly|respectfully"
    r"|politely|therefore|only|just) )*(?:request|ask|beg|invite|urge|encourage)"
    r" (?:that )?you(?: now| please| kindly| also)*(?: to)?\b(?! (?:for|about|how|what|when|where"
    r"|a |your))"
)
_GRATEFUL = re.compile(
    r"\b(?:i|we)(?:'d| would|'ll| will)?(?: be)?(?: so| very| most| really| much| truly| deeply"
    r"| greatly| kindly)*(?: be)? (?:obliged|grateful|thankful|glad|happy|delighted|appreciate"
    r"|appreciative|love|like)(?: it)?(?: (?:very|so) much)? if you (?:would|could|can|might"
    r"|were to)\b"
    r"|\b(?:it|that|this)(?:'d| would|'ll| will| might| may) (?:\w+ )?(?:be|help)"
    r"(?: \w+){0,5}? if you (?:would|could|can|were to|might)\b"
    r"|\b(?:would|might|is) it (?:be )?(?:possible|ok|okay|al(?:l )?right|too much(?: trouble)?"
    r"|feasible)(?: for you)? (?:to|if you)\b"
    r"|\b(?:do you (?:think|suppose|reckon)|i was hoping(?: that)?|any chance(?: that)?"
    r"|is there any (?:chance|way)(?: that)?|perhaps|maybe|i (?:was )?wonder(?:ing)? (?:if"
    r"|whether))"
    r" you (?:could|can|might|would|'d be able to)\b"
    r"|\bwould you be (?:so (?:kind|good)(?: as to| and)?|kind enough (?:to|and)"
    r"|good enough (?:to|and)|a dear and|an angel and)\b"
    r"|\byou (?:could|can|would) do me a favou?r(?: and| by)?\b"
    r"|\b(?:could|can|would|will) you (?:do me (?:a|one more|another) favou?r|be a dear"
    r"|do something for me)(?: and| by|:)?(?=[ ,])"
)
_REQUESTED = re.compile(
    r"\byou(?:'re| are) (?:(?:kindly|hereby|now|also|then|politely) )*(?:requested|asked|advised"
    r"|invited"
    r"|required|encouraged) to\b"
)
_GIVE_ME = re.compile(
    r"\b(?:i(?:'d| would)(?: be)? (?:grateful|thankful|obliged) for"
    r"|i(?:'d| would) (?:appreciate|love|like|need|welcome)"
    r"|(?:may|might|could|can) i (?:please )?(?:have|get|see|hear)|i(?:'ll)? (?:also |now "
    r"|just )?(?:need|want|require)"
    r"|all i need is)(?! (?:you|to|your (?:full |phone |mobile |account )*(?:name|number|date)|it"
    r"|if|this"
    r"|that)\b)(?= (?:the|a|an|one|two|three|four|another|your|some|both|from|more|confirmation"
    r"|verification)\b)"
)
_HAVE_IT = re.compile(
    r"\b(?:have|let|make|get) (?:the|your) (?:phone|device|handset) (?:to )?(?=re-?boot|re-?start)"
)
_OFF_WITH = re.compile(
    r"\b(?P<way>off|on) with (?P<it>(?:it|that|this|them|both|the \w+(?: (?:saver|mode|data"
    r"|calling))?)\b)"
)
_OUT_WITH = re.compile(r"\bout with (?=(?:the|your) (?:\w+ )?(?:sim|card))")
_HAVING = re.compile(
    r"(?<!you )(?<!you'd )\b(?:having|have|getting|get)"
    r"(?= (?:(?:the|your|that) )?(?:data saver|vpn|wi-?fi calling|airplane mode|mobile data|roaming"
    r"|data roaming)(?: mode)?(?: \w+)? (?:off|on)\b)"
)
_GO_OFF = re.compile(
    r"\b(?P<must>(?:has|have|needs?|ought|must|should|wants?)(?: to)?) (?:go|come)(?= (?:off|on)\b)"
)
_SLANG = re.compile(
    r"^(?:(?:so|and|then|now|hey|ok|okay)[, ]+)*(?:d'you |do you )?(?:wanna|care to|fancy"
    r"|feel like)\b"
)
_LET_ME_KNOW = re.compile(r"\blemme know\b")
_GIMME = re.compile(r"\bgimme\b")
_IF_YOU = re.compile(
    r"^(?:(?:so|and|now|then|okay|ok)[, ]+)*if you (?:could|would)(?: please| just| kindly"
    r"| then| now| also)* (?!like|prefer|rather|want|feel|need|be |have )"
)
_WISH_TO_KNOW = re.compile(
    r"\b(?:i(?:'d| would)? (?:also |really |just |now |next |then )?(?:like|love|need|want) to"
    r" (?:know|hear|see|understand|learn|find out|be told)"
    r"|what (?:i|we) (?:(?:now|also|really) )?(?:need|want|would like) to know(?: now| next)? is"
    r"|i(?:'m| am) (?:curious(?: about| to (?:know|hear|see))?|wondering|interested (?:in"
    r"|to (?:know"
    r"|hear)))|i wonder|please (?:state|indicate|specify|advise(?: me)?|relay|disclose))"
    r"(?= (?:if|whether|what|which|how|where|the|your|about|of|is|are|any)\b)"
)
_STATE = re.compile(
    r"(?:(?<=^)|(?<=\band )|(?<=, )|(?<=kindly )|(?<=you to )|(?<=then ))"
    r"(?:state|indicate|specify|advise(?: me)?|relay|reveal|show me|let us know|jot down"
    r"|note down|write down|recite|fill me in on)"
    r"(?= (?:to me )?(?:if|whether|what|which|how|where|the|your|its|any)\b)"
)
_LOOK = re.compile(
    r"\b(?:ha(?:ve|ving)|tak(?:e|ing)|get|cast|throw) (?:a|an|another|one more|one last)"
    r"(?: (?:quick|closer|good|brief|little|second|proper|fresh|careful|final))*"
    r" (?:look|peek|glance|gander|peep|squint|eye)(?= (?:at|in|into|on|under|over|through|for"
    r"|inside|whether|if|again|to see)\b|[.,?!]|$)"
    r"|\b(?:peek|glance|peep)(?= (?:at|in|into|on|over|under|whether|if)\b)"
)
_CHECK = re.compile(
    r"(?<!to )\b(?:ascertain|examine|consult|assess|scrutini[sz]e|inquire|enquire|look up|eyeball"
    r"|re-?examine|re-?verify|re-?inspect|check up on|do a check (?:of|on)|run a check (?:of|on)"
    r"|keep an eye on|look over|go over|find out)(?! with\b)(?= )"
)
_GIVE_A_LOOK = re.compile(
    r"\bgive (?=[^.,?!]{1,40}? a (?:(?:quick|good|little) )?(?:look|check|once-over)\b)"
)
_LEAVE = re.compile(
    r"\b(?:leave|leaving|keep|let) (?=[^.,?!]{1,40}? (?:as (?:it|they) (?:is|are|stands?)|alone"
    r"|be)\b)"
)
_SURE = re.compile(
    r"\b(?:see to it(?: that)?|make (?:absolutely |quite )?certain(?: that)?|be certain(?: that)?"
    r"|take care that|get it so that|satisfy yourself that|double-?check that"
    r"|see about getting)\b"
)
_TURN_OFF = re.compile(
    r"\b(?:disengage|kill|shut off|shut down|knock off|switch out of|ditch|lose|drop|cut|nix"
    r"|sever|terminate|end|exit|quit|close|stop using|stop|suspend|pause)"
    r"(?= (?:(?:off|the|your|that|this|any|out of) )*(?:it|that|this|both|them|those|connection"
    r"|air|aero|flight|data[- ]sav|saver|saving|vpn|roaming|mobile data|cellular|wi-?fi|low"
    r"|virtual)\w*)"
    r"|\b(?:get|getting) rid of(?= (?:it|that|the|your))"
    r"|\b(?:come|get|go|hop|jump) off(?= (?:that|the|your|it\b))"
    r"|\b(?:knock|cut|kill|shut|snap|flick) (?:it|that|this|them) off\b"
    r"|\b(?:get|take|bring|pull|come|step|switch)(?: (?:it|your phone|the phone|the device|the"
    r" handset|your device|yourself))? (?:back )?out of(?= (?:that|this|it|there|air|aero|flight"
    r"|plane))"
)
_TURN_ON = re.compile(
    r"\b(?:engage|fire up|power up|bring up|re-?engage|re-?enable)"
    r"(?= (?:(?:the|your|that|this) )*(?:it|both|them|those|data|roaming|mobile|cellular|wi-?fi)\b)"
)
_CHANGE = re.compile(
    r"\b(?:amend|alter|rectify|revise|swap|bump|nudge|re-?configure|edit|move|flip|shift)"
    r"(?= (?:it|that|this|them|both|the (?:preferred|network|mode|value|setting|selection|option"
    r"|preference"
    r"|choice)|your (?:network|preferred|mode)|over|up)\b[^.]{0,40}(?:[345]g|lte|accordingly"
    r"|preferred|auto|correct|right|proper))"
)
_DEFAULTS = re.compile(
    r"\b(?:put|set|bring|return|change|take|switch|get|go|roll|send|turn)(?:ting|ing)?"
    r"(?= (?:[\w']+ ){0,5}(?:(?:back )?to (?:the |their |its |your |all )*(?:\w+ )?"
    r"(?:defaults?|factory|originals?)\b|back (?:to )?(?:how|the way)\b))"
    r"|\bwipe(?= (?:[\w']+ ){0,3}(?:apn|access point))"
)
_TRY_AGAIN = re.compile(
    r"\b(?:give|have|take) (?:it|that|this|the \w+|things|sending(?: it)?|another|one)"
    r"(?: (?:another|one more|a|one last|a second|a final|a fresh))?"
    r" ?(?:quick )?(?:go|try|shot|whirl|bash|attempt|crack|spin|stab)\b"
    r"|\b(?:another|one more|one last|a (?:second|final|fresh|last|new)) (?:go|try|shot|attempt"
    r"|crack)\b(?! ?[:,])"
    r"|^(?:last|final|one more|another) (?:try|go|attempt|shot)\b"
)
_AGAIN = re.compile(
    r"\b(?:one (?:more|last|final|further) time|once more|once again|a (?:final|second|third|last"
    r"|further) time|yet again|anew|afresh|over again|all over)\b"
)
_TAG = re.compile(
    r",? (?:shall we|shall i|will you|would you|could you|can you|won't you|if you (?:can|could"
    r"|would|please|will|don't mind|wouldn't mind|like)|if (?:that's|that is|it's|it is)"
    r" (?:ok|okay|al(?:l )?right|fine|possible|convenient|not too much(?: trouble)?)"
    r"(?: (?:with|by|for) you)?|if possible|when you (?:can|get a (?:chance|moment|second|minute))"
    r"|at your (?:earliest )?(?:convenience|leisure)|i promise|real quick|for me(?:,? please)?"
    r"|there's a (?:dear|good \w+)|thanks|thank you|mate|my friend|okay|ok|yeah|eh)[ ,]*(?=[?.!]*$)"
)


def plainly(found: list[Sentence]) -> list[Sentence]:
    """The sentences in plainer words; what they are (a list's item, a question) stays."""
    return [replace(sentence, text=_plain(sentence.text)) for sentence in found]


def _plain(text: str) -> str:
    text = _SORRY.sub("", text, count=1)
    text = _AGAIN.sub("again", _TRY_AGAIN.sub("try again", text))
    text = _GRATEFUL.sub("could you", _I_ASK.sub("could you", _MAY_I.sub("could you", text)))
    text = _GIMME.sub("give me", _LET_ME_KNOW.sub("let me know", _SLANG.sub("could you", text)))
    text = _GIVE_ME.sub("tell me", _REQUESTED.sub("could you", text))
    text = _OUT_WITH.sub("take out ", _OFF_WITH.sub(r"turn \g<it> \g<way>", text))
    text = _HAVING.sub("turn", text)
    text = _GO_OFF.sub(r"\g<must> be", _HAVE_IT.sub("", text))
    text = _IF_YOU.sub("could you ", text, count=1)
    text = _STATE.sub("tell me", _WISH_TO_KNOW.sub("tell me", text))
    text = _GIVE_A_LOOK.sub("check ", _CHECK.sub("check", _LOOK.sub("look", text)))
    text = _LEAVE.sub("don't touch ", text)
    text = _SURE.sub("make sure", text)
    text = _TURN_ON.sub("turn on", _TURN_OFF.sub("turn off", text))
    text = _DEFAULTS.sub("reset", _CHANGE.sub("change", text))
    return _untagged(text)


def _untagged(text: str) -> str:
    """Without "..., shall we?" at the end: that asks nothing of its own."""
    short = _TAG.sub("", text, count=1)
    return short if len(short) > 3 and short != text else text
