"""Reading what a customer says of the phone that is more than on or off."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ringback.agents.reference.clauses import Clause

__all__ = ["states"]

_NOT = re.compile(
    r"\b(?:not|no|never|cannot|unable|without|fail(?:s|ed|ing)?|trouble|problems?|stuck)\b|n't\b"
)
_NO_SIM = re.compile(
    r"\bno (?:\w+ )?sim\b|\bsim(?: card)?\b[^;,]{0,40}?\b(?:missing|not|n't|absent|unseated|"
    r"isn't|undetected)\b(?! (?:lock|pin|puk|block|an? problem))[^;,]{0,20}|"
    r"(?:n't|\bnot|\bcannot|\bno)\b[^;,]{0,20}\b(?:find|see|detect|recogni[sz]e|"
    r"read)\w*\b[^;,]{0,12}\bsim\b|"
    r"\bsim(?: card)?\b[^;]{0,30}\bnone\b|\binsert (?:a |the |your )?sim\b|\bmissing sim\b"
)
_LOCK = re.compile(
    r"\blocked_(?P<code>pin|puk)\b|\b(?P<code2>pin|puk)[- _]?(?:code )?lock(?:ed)?\b|"
    r"\block(?:ed)?\b[^;]{0,30}?\b(?P<code3>pin|puk)\b|"
    r"\b(?:ask\w*|need\w*|want\w*|requir\w*|enter|request\w*|wait\w*)\b[^;]{0,25}\b(?P<code4>pin|"
    r"puk)\b|"
    r"\b(?P<code5>pin|puk)(?: code)? (?:is )?(?:required|needed)\b|"
    r"\bsim\b[^;]{0,30}\b(?P<plain>locked|blocked)\b|\b(?:locked|blocked) sim\b"
)
_UNLOCKED = re.compile(
    r"(?:\bnot|n't|\bno|\bun)[ -]?(?:\w+ ){0,2}(?:locked|lock|blocked)\b|\bunlocked\b"
)
_SIM_FINE = re.compile(
    r"\b(?:sim(?: card)?)\b(?: card| status| state)?[^;,]{0,30}?\b(?:active|working|fine|ok|okay|"
    r"ready|detected|recogni[sz]ed|in place|inserted|good|unlocked|normal|present|seated)\b|"
    r"\b(?:active|working|unlocked|detected) sim\b"
)
_MODE_WORDS = re.compile(
    r"(?P<new>\b4g_5g_preferred\b|\b(?:4g|lte)\s*(?:/|and|or|&|\+|,|-|_)\s*5g\b|"
    r"\b5g\s*(?:/|and|or|&|\+|,|-)\s*(?:4g|lte)\b|\bprefer\w* (?:for )?(?:4g|5g)\b|"
    r"\b5g (?:auto|preferred)\b|\bauto(?:matic)?\b)"
    r"|(?P<only>\b(?P<g1>[234])g(?:[_ -]only\b)|\bonly (?:use |uses |using |allow\w* |set |on |to |"
    r"the )*"
    r"(?P<g2>[234])g\b|\b(?P<g3>[234])g\b)"
)
_MODE_TOPIC = re.compile(
    r"\bnetwork[ _](?:type )?(?:mode|preference|setting)|\bpreferred network|\bmode preference|"
    r"\bpreference\b|\bpreferred\b|\bmode\b|_only\b|\b[234]g[ -]only\b|\bonly (?:\w+ ){0,3}[234]g\b"
)
_FROM = re.compile(r"\b(?:from|was|were|before|previously)\b(?: \w+){0,3}? (?:[2345]g\w*)")
_APN = re.compile(
    r"\bapn\b(?!s? (?:proxy|port))[^;]{0,40}?\b(?P<good>internet|correct|fine|okay|ok|default)\b|"
    r"\bapn\b[^;]{0,40}?\b(?P<bad>broken|wrong|incorrect|invalid|corrupt\w*|garbled|damaged)\b|"
    r"\b(?P<worse>broken|wrong|incorrect|invalid) (?:apn|access point)\b"
)
_MMSC = re.compile(
    r"\bno mmsc\b|\bmmsc\b(?P<rest>(?:(?! and )[^;,])*)|\bwithout (?:an? |any )?mmsc\b|"
    r"(?:n't|\bnot)\b[^;]{0,25}\bmmsc\b"
)
_NEXT_KEY = re.compile(r"\b(?:mms[ _]?(?:apn|proxy|port)|proxy|port|apn|reset)\b")
_EMPTY = re.compile(
    r"\b(?:not|unset|empty|blank|missing|none|null|nothing|no|without|absent|gone|cleared)\b|n't\b"
)
_FILLED = re.compile(
    r"<url>|\b(?:set|filled|present|there|right|fine|correct|okay|ok|listed|default|in place)\b"
)
_SPEED = re.compile(
    r"\b(\d{1,6}(?:[.,]\d{1,4})?)\s?(?:mbps|mbit/?s|mb/s|mbit|megabits?(?: per second)?)"
)
_LABEL = re.compile(
    r"\b(?:speed|rat(?:ed|ing|es)|test|result|connection|internet|download\w*|it's|it is|says|"
    r"reads|"
    r"shows?|as)\b(?:(?!\bsignal\b|\bneed|\bwant)[^;]){0,40}?"
    r"\b(very poor|poor|fair|good|excellent)\b(?! (?:5g |4g |3g |2g )?signal)|"
    r"\b(very poor|poor|fair|good|excellent) (?:internet |data |download |connection )?speeds?\b"
)
_SPEED_TOPIC = re.compile(r"\b(?:speed|mbps|test|rating|internet|download\w*)\b")
_NO_SPEED = re.compile(
    r"\bno connection\b|\bno result\b|\b(?:test|speed)\b[^;]{0,40}\b(?:fail\w*|error)\b|"
    r"\b(?:test|speed)\b[^;]{0,25}(?:n't|\bnot|\bcannot|\bunable)\b[^;]{0,25}\b(?:run|complete|"
    r"work\w*|"
    r"connect|finish|load|start)\b|(?:n't|\bnot|\bunable to|\bcannot)\b[^;]{0,12}\b(?:run|"
    r"complete)\b"
    r"[^;]{0,20}\b(?:speed )?test\b|(?:\bno|n't (?:have|get|see) (?:any|an)|\bwithout)(?: \w+)? "
    r"(?:internet|data) (?:connection|access)\b|\binternet\b[^;]{0,12}(?:n't|\bnot) (?:working|"
    r"connect\w*)"
)
_MMS_TOPIC = re.compile(
    r"\bmms\b|\b(?:picture|photo|multimedia|media|pic) ?(?:messages?|texts?|msgs?)\b|"
    r"\b(?:send|sent|sending)\b[^;]{0,20}\b(?:pictures?|photos?|pics?|images?|message)\b"
)
_MMS_NOT_HERE = re.compile(
    r"\bmms[ _](?:apn|proxy|port)\b|\bmms (?:over|via|through) wi-?fi\b|\bmmsc\b"
)
_MMS_GOOD = re.compile(
    r"\b(?:can|able|works?|working|went|goes|go|sent|sends|succe\w+|yes|possible|through|fixed|"
    r"delivered|resolved)\b"
)
_MMS_BAD = re.compile(
    r"\b(?:not|cannot|unable|never|fail(?:s|ed|ing)?|no|trouble|issues?|problems?|impossible|stuck|"
    r"error|won't)\b|n't\b|\bstill (?:failing|stuck)\b"
)
_NO_TROUBLE = re.compile(r"\b(?:no|without(?: any)?) (?:more )?(?:problems?|issues?|trouble)\b")
_SIGNAL = re.compile(
    r"\bno (?:cell(?:ular)? |network |mobile |phone )?(?P<none>service|signal|bars|reception|"
    r"network|"
    r"coverage)\b(?! (?:icon|symbol))|\b(?P<none2>no_service|emergency[_ ](?:calls )?only|"
    r"searching)\b|"
    r"\b(?P<q1>none|very poor|poor|weak|fair|good|strong|excellent|full|great|low|perfect)\b"
    r"(?: (?:[2345]g|lte|cell(?:ular)?|network|mobile|phone|quality|strength))* (?:signal|bars|"
    r"service|"
    r"reception|coverage)\b|"
    r"\b(?:signal|bars|reception|service)\b(?: (?:strength|level|quality|bars|status))*"
    r"(?:,|:|=| is| are| at| as| shows?| reads?| says| now| currently| still| looks?| to be|"
    r" seems?|"
    r" of|\()*\s*(?P<q2>none|no_service|very poor|poor|weak|fair|good|strong|excellent|full|great|"
    r"low|"
    r"back|perfect|restored|zero|gone|0)\b|"
    r"\b(?:connection|network)(?: status)?: (?P<link>connected|no_service|no service|none|"
    r"searching)\b|"
    r"\bconnected to (?:the |a |an )?(?:(?P<q3>excellent|good|fair|poor) )?(?:[2345]g|network|"
    r"lte)\b|"
    r"\b(?P<have>(?:have|has|got|getting|see|showing|shows?|there are|there is|there's) (?:a |"
    r"some |my "
    r"|the |all |\d )*(?:signal|service|bars|reception))\b"
)
_SIGNAL_WORDS = {
    "none": "none",
    "no_service": "none",
    "no service": "none",
    "searching": "none",
    "zero": "none",
    "gone": "none",
    "0": "none",
    "very poor": "poor",
    "poor": "poor",
    "weak": "poor",
    "low": "poor",
    "fair": "fair",
    "good": "good",
    "strong": "good",
    "great": "excellent",
    "full": "excellent",
    "perfect": "excellent",
    "excellent": "excellent",
}
_HERE = re.compile(
    r"(?P<abroad>\babroad\b|\boverseas\b|\bfrance\b|\bparis\b|\bforeign\b|\broaming in\b|"
    r"\b(?:out of|outside) (?:the |my )?(?:country|home country|us|u\.s\.|united states|states)\b|"
    r"\banother country\b|\btravel(?:ing|ling) (?:in|abroad|outside|through)\b|\binternationally\b)"
    r"|(?P<home>\bat home\b|\bin the (?:united )?states\b|\bunited states\b|\bin the u\.?s\.?a?\b|"
    r"\bdomestic\w*|\bhome (?:country|network|area)\b|\bin my (?:own|home) country\b|"
    r"\bnot travel\w+)"
)
_QUALITY = re.compile(
    r"\b(?:performance|performing|perform(?:s|ed)?|quality)\b[^;]{0,20}?"
    r"\b(poor|bad\w*|slow\w*|fair|good|well|excellent|unknown)\b|"
    r"\b(poor|bad|slow|fair|good|excellent) (?:server )?(?:performance|vpn|quality)\b|"
    r"\bvpn\b[^;]{0,40}\b(poor|slow|bad)\b"
)
_QUALITY_WORDS = {"bad": "poor", "badly": "poor", "slow": "poor", "slowly": "poor", "well": "good"}


def states(clauses: Iterable[Clause]) -> list[tuple[str, str]]:
    """Fact and state pairs, in the order of the statements, in the states' words of the policy.

    `vpn_quality` is how well a connected VPN performs; whether it is connected is a switch.
    """
    found: list[tuple[str, str]] = []
    for clause in clauses:
        if clause.states:
            for read in (_sim, _mode, _apn, _mmsc, _speed, _mms, _signal, _here, _quality):
                item = read(clause.text)
                if item is not None:
                    found.append(item)
    return found


def _sim(text: str) -> tuple[str, str] | None:
    if "sim" not in text and "pin" not in text and "puk" not in text:
        return None
    lock = _LOCK.search(text)
    if lock is not None and not _UNLOCKED.search(text):
        codes = [value for key, value in lock.groupdict().items() if value and key != "plain"]
        return "sim", f"locked_{codes[0] if codes else _code(text)}"
    there = re.search(r"(?:\bno|\bnot|n't) (?:longer )?(?:missing|absent)\b", text)
    if _NO_SIM.search(text) and not there:
        return "sim", "missing"
    if there or _SIM_FINE.search(text):
        return "sim", "active"
    return None


def _code(text: str) -> str:
    return "puk" if "puk" in text else "pin"


def _mode(text: str) -> tuple[str, str] | None:
    if not _MODE_TOPIC.search(text):
        return None
    text = _FROM.sub(" ", text)
    chosen: str | None = None
    for word in _MODE_WORDS.finditer(text):
        if word["new"]:
            if word["new"].startswith("auto") and "network" not in text:
                continue
            chosen = "4g_5g_preferred"
        elif word["g1"] or word["g2"]:
            if not re.search(r"\b(?:not|n't|isn't)\s+\S*$", text[: word.start()]):
                chosen = f"{word['g1'] or word['g2']}g_only"
        elif chosen is None and re.search(r"\b(?:mode|preference|preferred)\b", text):
            chosen = f"{word['g3']}g_only"
    return None if chosen is None else ("mode", chosen)


def _apn(text: str) -> tuple[str, str] | None:
    if "apn" not in text and "access point" not in text:
        return None
    text = text.replace("access point name", "apn name").replace("mms apn", " ")
    word = _APN.search(text)
    if word is None:
        return None
    bad = word["bad"] or word["worse"]
    if bad is None and re.search(r"\breset\b|\brestored?\b", text):
        return None
    negated = re.search(
        r"(?:\bnot|n't)\s+(?:\w+ )?$", text[: word.end() - len(bad or word["good"])]
    )
    return "apn", "broken" if bool(bad) != bool(negated) else "internet"


def _mmsc(text: str) -> tuple[str, str] | None:
    word = _MMSC.search(text) if "mmsc" in text else None
    if word is None:
        return None
    rest = word["rest"]
    if rest is None:
        return "mmsc", "not set"
    key = _NEXT_KEY.search(rest)
    if key is not None:
        rest = rest[: key.start()]
    before = text[: word.start()]
    if "<url>" in rest:
        return "mmsc", "set"
    if _EMPTY.search(rest) or re.search(
        r"\b(?:no|without|nothing|missing|empty|blank)\b|n't\b", before[-25:]
    ):
        return "mmsc", "not set"
    return ("mmsc", "set") if _FILLED.search(rest) else None


def _speed(text: str) -> tuple[str, str] | None:
    number = _SPEED.search(text)
    if number is not None:
        mbps = float(number[1].replace(",", "."))
        bounds = ((1.0, "very poor"), (5.0, "poor"), (25.0, "fair"), (100.0, "good"))
        return "speed", next((label for bound, label in bounds if mbps < bound), "excellent")
    if not _SPEED_TOPIC.search(text) and "no connection" not in text:
        return None
    if _NO_SPEED.search(text):
        return "speed", "none"
    label = _LABEL.search(text)
    if label is None or not re.search(r"\b(?:speed|test|rat\w+|result|download\w*)\b", text):
        return None
    state = label[1] or label[2]
    if re.search(r"(?:\bnot|n't)(?: \w+){0,2} $", text[: label.start(1 if label[1] else 2)]):
        return "speed", "good" if state == "excellent" else "poor"
    return "speed", state


def _mms(text: str) -> tuple[str, str] | None:
    if not _MMS_TOPIC.search(text):
        return None
    text = _MMS_NOT_HERE.sub(" ", text)
    topic = _MMS_TOPIC.search(text)
    if topic is None:
        return None
    text = _NO_TROUBLE.sub("", text)
    parts = [part for part in text.split(",") if _MMS_TOPIC.search(part)]
    for piece in (*reversed(parts), text):
        if _MMS_BAD.search(piece):
            return "mms", "not possible"
        if _MMS_GOOD.search(piece):
            return "mms", "possible"
    return None


def _signal(text: str) -> tuple[str, str] | None:
    found: str | None = None
    for word in _SIGNAL.finditer(text):
        if re.search(r"\b(?:sim|wi-?fi|vpn)\b[^,;]{0,12}$", text[: word.start()]):
            continue
        if word["none"] or word["none2"]:
            gone = re.search(r"\b(?:no longer|not|n't)\b[^,;]{0,20}$", text[: word.start()])
            found = "good" if gone else "none"
        else:
            word_said = word["q1"] or word["q2"] or word["q3"] or word["link"] or ""
            state = _SIGNAL_WORDS.get(word_said, "good")
            negated = re.search(r"(?:n't|\bnot|\bany|\bno)\b[^,;]{0,14}$", text[: word.start()])
            if state != "none" and negated:
                state = "none"
            if word["link"] == "connected" and found is not None:
                continue
            found = state
    return None if found is None else ("signal", found)


def _here(text: str) -> tuple[str, str] | None:
    word = _HERE.search(text)
    if word is None:
        return None
    negated = re.search(r"(?:n't|\bnot)(?: \w+){0,2} $", text[: word.start()])
    return "whereabouts", "abroad" if bool(word["abroad"]) != bool(negated) else "home"


def _quality(text: str) -> tuple[str, str] | None:
    if "vpn" not in text and "performance" not in text:
        return None
    word = _QUALITY.search(text)
    if word is None:
        return None
    said = word[1] or word[2] or word[3]
    return "vpn_quality", _QUALITY_WORDS.get(said, said)
