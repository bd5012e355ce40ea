"""Reading which of the phone's switches are on and off, however it is put.

One pass over the words of each clause: switches are named, states are named, and the two find each
other in either order ("Data Saver and the VPN are off", "I turned off airplane mode", "no VPN").
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ringback.agents.reference.clauses import NEW_LINE, Clause

__all__ = ["SWITCHES", "switches"]

SWITCHES = ("airplane", "data", "roaming", "saver", "vpn", "wifi_calling", "mms_over_wifi")

_KIND = r"(?:'s)?(?: (?:switch|toggle|setting|option|feature|mode|status|connection|app)\b)?"
_GROUP = r"(?: (?:it|them|that|this|both|those|all))?(?: back)?"
_NOT_FIRMLY_ON = r"(?! (?:my|the|this|your|that|an?|here|top|line|it|hold|[2345]g)\b)"
_SIGHT = r" (?:see|seeing|have|having|show|showing|notice|find|any|using|(?<!can't )use)\b"
_WORDS = re.compile(
    r"(?P<mms_over_wifi>\b(?:mms|picture messages?|messages?|messaging|pictures)"
    r"(?: is| are| being| to be)*(?: sent| going| set to go| sending| go)?"
    r" (?:over|via|through|by) (?:the )?wi-?fi\b|\bwifi_calling_mms_over_wifi)"
    r"|(?P<wifi_calling>\bwi-?fi[ _-]?call(?:ing|s)" + _KIND + r"|\bcall(?:ing|s) over wi-?fi)"
    r"|(?P<saver>\bdata[ -]?sav(?:er|ing)s?" + _KIND + r"|\bdata restrictions?(?: status)?|"
    r"\blow[ -]data mode)"
    r"|(?P<roaming>\b(?:(?:mobile |international )?data |international |mobile )?roaming"
    + _KIND
    + r")"
    r"|(?P<other>\bdata (?:is |are )?flow(?:s|ing)?\b|"
    r"\b(?:mobile )?data (?:usage|plan|allowance|limit|speed|connection|service|icon|transfer)\b|"
    r"\b(?:more|extra|additional|enough) data\b|\b(?:gb|gigs?|gigabytes?)(?: of)? data\b|"
    r"\b(?:wi-?fi|bluetooth|hotspot|sim(?: card)?|pin|puk|signal|bars?|network(?: type| mode)?|"
    r"service|battery|apn|mmsc|mms|sms|storage|proxy|ports?|permissions?|settings?|speed(?: test)?|"
    r"server|protocol|performance|payment|bill|paid|reboot|internet|mode|line|account|screen|"
    r"apps?|phone|device)\b)"
    r"|(?P<data>\b(?:mobile|cellular|cell|phone's|phone) data" + _KIND + r"|\bdata\b)"
    r"|(?P<airplane>\b(?:air ?plane|aero ?plane|flight|plane)(?:[ _-]?mode)?\b)"
    r"|(?P<vpn>\bvpns?\b" + _KIND + r")"
    r"|(?P<leave>\b(?:out of|exited|left|leaving)(?= (?:airplane|flight))|"
    r"\bdisconnect(?:ed|ing)?(?: from)?\b|\bdisabl(?:ed|ing)\b|\bdeactivat(?:ed|ing)\b|"
    r"\b(?:turn|switch|shut|toggl|flipp)(?:ed|ing)?" + _GROUP + r" off\b)"
    r"|(?P<enter>\bin(?= (?:airplane|flight))|\b(?:re-?)?enabl(?:ed|ing)\b|"
    r"\b(?:re)?activat(?:ed|ing)\b|"
    r"\b(?:turn|switch|toggl|flipp)(?:ed|ing)?" + _GROUP + r" on\b)"
    r"|(?P<off>\boff\b|\binactive\b|\bfalse\b|(?<=[:=] )no\b|(?<=[:=] )none\b|\bgone\b)"
    r"|(?P<on>\bon\b" + _NOT_FIRMLY_ON + r"|\bactive\b|"
    r"\bconnected\b(?! to (?:the |a |an )?(?:[2345]g|network|mobile|cell|internet|wi-?fi))|"
    r"\btrue\b|(?<=[:=] )yes\b|\brunning\b|\bin use\b)"
    r"|(?P<not>(?:n't|\b(?:not|never))\b(?!" + _SIGHT + r")|\bno longer\b)"
    r"|(?P<no>\bno\b(?! (?:problem|worries|luck|change|idea|matter)|,)|\bwithout\b|\bneither\b|"
    r"\bnor\b|\bnothing\b|\bnone of\b|(?:n't|\bnot|\bnever)(?=" + _SIGHT + r"))"
    r"|(?P<icon>\b(?:icon|symbol|logo|(?:at|on|along) the top|in the (?:status )?bar)\b)"
    r"|(?P<comma>,)"
)
_AND = re.compile(
    r"[\s,&/]*(?:and|or|nor|plus|as well as)?[\s,]*(?:also|then|even)?\s*"
    r"(?:the|my|your|both|for|that)?\s*"
)
_ARTICLE = re.compile(r"\s*(?:the|my|both|your|all|its|that|this|on)?\s*")
_POINTING = re.compile(
    r"(?:and |so |now |ok(?:ay)?,? |yes,? |yep,? |no,? |but |then |alright,? |i |i've |i have )*"
    r"(?:it|that|this|which|they|both|those|these|turned|switched|toggled|on|off|enabled|disabled|"
    r"still|currently|already|disconnected)\b"
)
_ELSE = re.compile(r"\b(?:everything|anything|all of|rest|other)\b")
_SEEING = re.compile(r"\b(?:see|sees|seeing|shows?|showing|says|there's|there is|noticed?)\b")
_LOOKING = re.compile(r"\b(?:check|checked|look|looked|find|found)\b")
_WHERE = re.compile(r" on (?:my|the|your|this) (?:phone|device|screen|handset|end|side)\b")
_AGAIN = re.compile(r" (?:on|off)(?:,| and)(?: then)?(?: back)? (on|off)(?: again)?\b")
_NO_FLOW = re.compile(r"\bno (?:signal|service)\b")
_SHOWN = ("airplane", "saver", "vpn")


def switches(clauses: Iterable[Clause]) -> list[tuple[str, bool]]:
    """The switches that are said to be on (True) or off, in the order of the statements."""
    reader = _Pass()
    for clause in clauses:
        if clause.states:
            reader.state(clause.text)
        else:
            reader.mention(clause.text)
    return [item for item in reader.found if item[0] != "other"]


class _Pass:
    """What is known while the words go by."""

    def __init__(self) -> None:
        self.found: list[tuple[str, bool]] = []
        self.last: str | None = None

    def mention(self, text: str) -> None:
        if text == NEW_LINE.text:
            self.last = None
        for word in _WORDS.finditer(text):
            if word.lastgroup in SWITCHES:
                self.last = word.lastgroup

    def state(self, text: str) -> None:
        text = _AGAIN.sub(r" \1", _WHERE.sub("", text))
        if _NO_FLOW.search(text):
            text = text.replace("data disabled", "").replace("data is disabled", "")
        words = list(_WORDS.finditer(text))
        waiting: list[str] = []  # named, and waiting for a state to follow
        soft: list[str] = []  # given a state from before, which one that follows overrules
        before: bool | None = None  # a state that waits for what is named next
        negated = fresh = named = False
        end = 0
        for index, word in enumerate(words):
            kind = word.lastgroup or ""
            if kind == "comma":
                negated = False
            elif kind == "not":
                negated = True
            elif kind == "no":
                negated, before, fresh, soft, waiting = True, False, False, [], []
            elif kind == "icon":
                looking = _LOOKING.search(text) and not _SEEING.search(text)
                if waiting and waiting[-1] in _SHOWN and not looking:
                    self.found.append((waiting[-1], True))
            elif kind in ("on", "off", "enter", "leave"):
                state = (kind in ("on", "enter")) != negated
                negated = False
                if kind in ("enter", "leave") and _leads(words, index, text):
                    before, fresh, soft, waiting = state, True, [], []
                    continue
                targets = waiting or soft
                if not targets and not named and self.last and _points(text):
                    targets = [self.last]
                self.found += [(topic, state) for topic in targets]
                waiting, soft, before = [], [], None
            else:
                joined = _AND.fullmatch(text, end, word.start()) is not None
                if named and not joined and not fresh:
                    waiting, soft = [], []
                    if not negated or before is None:
                        before, negated = None, False
                if before is None:
                    waiting.append(kind)
                else:
                    self.found.append((kind, before))
                    if not fresh:
                        soft.append(kind)
                fresh, named, end = False, True, word.end()
                if kind in SWITCHES:
                    self.last = kind
                elif not joined:
                    negated = False
        if waiting and waiting[-1] in _SHOWN and _SEEING.search(text):
            self.found.append((waiting[-1], True))


def _leads(words: list[re.Match[str]], index: int, text: str) -> bool:
    """Whether the verb at `index` is followed at once by what it acts on."""
    if index + 1 == len(words):
        return False
    word, following = words[index], words[index + 1]
    named = following.lastgroup in SWITCHES or following.lastgroup == "other"
    return named and _ARTICLE.fullmatch(text, word.end(), following.start()) is not None


def _points(text: str) -> bool:
    return _POINTING.match(text) is not None and _ELSE.search(text) is None
