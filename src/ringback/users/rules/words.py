"""The words for the parts of a phone, and where a sentence names them."""

from __future__ import annotations

import re

from msgspec import Struct

__all__ = [
    "ICONS",
    "NEGATED",
    "SWITCHES",
    "TOOLS",
    "Mention",
    "direction",
    "mentions",
    "mode_in",
    "permissions_in",
]

SWITCHES = frozenset({"airplane", "data", "roaming", "saver", "wifi_calling", "wifi", "vpn"})
"""Parts that are on or off."""

ICONS = frozenset({"airplane", "signal", "bar", "network", "data", "saver", "vpn", "wifi"})
"""Parts that the status bar shows."""

TOOLS = (
    "check_status_bar",
    "check_network_status",
    "check_network_mode_preference",
    "set_network_mode_preference",
    "run_speed_test",
    "toggle_airplane_mode",
    "check_sim_status",
    "reseat_sim_card",
    "toggle_data_saver_mode",
    "toggle_data",
    "toggle_roaming",
    "check_data_restriction_status",
    "check_apn_settings",
    "reset_apn_settings",
    "set_apn_settings",
    "check_wifi_status",
    "check_wifi_calling_status",
    "toggle_wifi_calling",
    "toggle_wifi",
    "check_vpn_status",
    "connect_vpn",
    "disconnect_vpn",
    "check_installed_apps",
    "check_app_status",
    "check_app_permissions",
    "grant_app_permission",
    "can_send_mms",
    "reboot_device",
    "check_payment_request",
    "make_payment",
)

_TOPICS = (
    ("tool", r"\b(?:" + "|".join(sorted(TOOLS, key=len, reverse=True)) + r")\b"),
    (
        "wifi_calling",
        r"\bmms over wi-?fi\b|\b(?:wi-?fi|wlan)[ -]call(?:ing|s)?\b|\b(?:mak(?:e|ing) )?call(?:s"
        r"|ing) over wi-?fi\b",
    ),
    (
        "airplane",
        r"\b(?:air|aero)plane(?:[ -]?mode)?(?: icon| symbol)?\b|\b(?:flight|plane"
        r"|aircraft)[ -]?(?:mode|icon|symbol)\b",
    ),
    ("roaming", r"\b(?:(?:mobile |cellular )?data |international |global )?roaming\b"),
    (
        "saver",
        r"\b(?:low[- ])?data[- ]?(?:sav(?:er|ing)s?|mode|restrictions?)(?: mode)?\b|\bsav(?:es?"
        r"|ing) (?:mobile )?data\b|\brestrict(?:s"
        r"|ed)? (?:on )?background data\b|\bbackground data(?: restrictions?)?\b",
    ),
    (
        "permissions",
        r"(?<!have your )(?<!with your )(?<!need your )(?<!without your )\bpermissions?\b"
        r"|\bapp (?:may|can|has to|should|is allowed to|gets to) (?:use|access|read|have)\b"
        r"|\ballowed to (?:do|use|access|see)\b|\blet the (?:\w+ )?app (?:use|access|read|have)\b"
        r"|\baccess to (?:\w+ ){0,2}(?:storage|sms|files|photos|messages|media)\b"
        r"|\baccess (?:\w+ )?(?:storage|sms|files|photos)\b|\bpermitted to\b|\b(?:sms|storage"
        r"|photos?|files?|media) access\b",
    ),
    (
        "mms",
        r"\battach(?:ing)? (?:an?|any|some|the|one) (?:\w+ )?(?:photo|picture|image|pic)s?\b"
        r"|\b(?:photo|picture|image|multimedia) (?:text|send)s?\b"
        r"|\bmms(?! (?:apn|proxy|port|url|cent|setting))\b|\b(?:picture|photo|multimedia"
        r"|image)(?: \(?mms\)?)?[- ]messag(?:e|es|ing)\b|\b(?:send|sending|text|texting|try"
        r"|retry) (?:an? "
        r"|the |your |some )?(?:\w+ )?(?:picture|photo|image|pic)s?\b",
    ),
    ("apn", r"\bapns?\b|\baccess[- ]point(?: name)?s?\b|\bmmsc\b|\bmms (?:settings?|cent)"),
    (
        "mode",
        r"\bnetwork type\b(?=[^.?]{0,20}\bprefer)|\bvoice (?:&|and) data\b"
        r"|\b(?:type|kind|generation) of network (?:that )?(?:your|the) (?:phone|device|handset)"
        r" (?:uses|prefers|is (?:set|allowed|limited|locked|told)|may|should)\b"
        r"|\b(?:which|what) network(?: type| mode| generation)? (?:your|the|does your|does the"
        r"|is your"
        r"|is the)(?: phone| device| handset)? (?:phone |device |handset )?(?:set|prefers?)\b|"
        r"\b(?:preferred |prefer(?:ence)? )(?:network|mode)(?: type| mode)?s?\b"
        r"|\bnetwork(?:[- ](?:mode|type))? (?:preferences?|selection|mode)\b|\bnetwork[- ]modes?\b"
        r"|\bmode preferences?\b|\b[2345]g_(?:only|5g_preferred)\b|\bpreferred (?:\w+ )?network\b",
    ),
    (
        "speed",
        r"\bspeed[ -]?(?:tests?|measurements?|readings?|checks?|results?|figures?)\b"
        r"|\bthe speed(?= *$| *[.?!,]| again| now| once| please| for| you| after| a )"
        r"|\b(?:internet|data"
        r"|connection|download|network|browsing|current) speeds?\b"
        r"|\bspeeds?\b(?=[^.]{0,30}\b(?:improve|better|excellent|result|get|change))"
        r"|\byour speed\b|\bspeeds? (?:of|on) (?:the|your)\b|\bat (?:an? )?(?:\w+ )?speeds?\b"
        r"|^(?:the |your |and |current )*speed(?= *$| *[.?!,])|\band (?:the |your )?speed$"
        r"|\bmbps\b|\b(?:what|which|how)(?:'s| is)? (?:the |that )?(?:current )?"
        r"(?:speed|rating)\b|\bhow fast\b",
    ),
    ("sim", r"\b(?:e|nano[- ]?)?sim(?:[- ]?card| tray| slot)?s?\b"),
    ("vpn", r"\bvpns?\b|\bvirtual private network\b"),
    (
        "bar",
        r"\bstatus[- ](?:bar|line|icons?)\b|\bnotification bar\b|\b(?:top|upper|edge|corner)"
        r"(?: (?:part|edge|line|row|bit|end|strip|corner|right|left))? of (?:\w+ ){0,2}"
        r"(?:phone(?:'s)?|screen|display)\b|\b(?:row|strip|line|set) of (?:icons|symbols)\b"
        r"|\b(?:the|which|what|any|all|all the|little|small) (?:icons|symbols|indicators)\b"
        r"|\b(?:screen|display|phone)'s (?:top|upper)\b|\b(?:along|across|at) the (?:very )?top\b"
        r"|\bicons?\b(?= (?:at|along|you"
        r"|do|are|in|show))|\bwhat icons\b|\bany icons?\b",
    ),
    (
        "payment",
        r"\b(?:payment requests?|(?:the|this|that) request)\b|\bpay(?:ment)?s?\b(?! plan"
        r"| method)|\b(?:overdue|open|unpaid"
        r"|outstanding|that|the|your) bills?\b|\bpaying\b",
    ),
    (
        "apps",
        r"\b(?:installed|list of) app(?:lication)?s\b|\b(?:which|what) app(?:lication)?s\b"
        r"|\bapp(?:lication)?s (?:are |you have |that are )?(?:installed|on (?:the|your) phone)\b",
    ),
    (
        "app",
        r"\b(?:messaging|messages?|texting|sms|default) app(?:lication)?(?:'s)?\b|\bapp status\b",
    ),
    (
        "network",
        r"\b(?:you're|you are|are you|phone is|phone's|it's|you) (?:on|using|getting"
        r"|connected (?:to|over|via)) (?:an? )?(?:[2345]g|lte)\b(?! (?:only|preferred))"
        r"|\bwhat network\b(?! (?:mode|preference))|\bnetwork (?:type|technology|indicator)\b"
        r"|\btype of network\b",
    ),
    (
        "connection",
        r"\bnetwork (?:status|connection|information|info|settings(?! (?:menu|page|screen"
        r"|and (?:select|choose|find|tap|look"
        r"|open)))|overview|details)\b|\bstate of the (?:network|connection)\b"
        r"|\bconnection status\b|\bcellular (?:status"
        r"|connection)\b",
    ),
    ("wifi", r"\bwi-?fi\b|\bwlan\b"),
    (
        "data",
        r"\b(?:mobile|cellular|cell|mobile/cellular|cellular/mobile)[ -](?:data"
        r"|internet)(?! (?:plan|usage|limit|allow|speed|saver|network))(?: connection)?\b"
        r"|\b(?:your|the|using) data(?= (?:back )?(?:on|off|connection|switch|is|and|again|now"
        r"|icon|enabled|disabled)\b|[.,;:?!]|$)|\bdata (?:connection|switch|icon)\b"
        r"|\bturn(?:ing)? (?:on |off )?data(?: on| off)?\b(?! (?:saver|roaming))",
    ),
    (
        "internet",
        r"\b(?:internet|web(?:site|page| page)?s?|browse|browsing|online|stream|streaming|video)\b"
        r"|\bload(?:ing)? (?:a |any )?(?:page|site)s?\b",
    ),
    (
        "calls",
        r"\b(?:phone |regular |voice |test |make (?:a )?|making )calls?\b|\bcalls?\b(?= or)",
    ),
    (
        "signal",
        r"\bsignals?(?: strength| bars?)?\b|\bbars?\b|\breception\b|\bcoverage\b|\b(?:no "
        r"|cellular |cell |phone |your |have |regains? |get |has )service\b|\bservice (?:is "
        r"|has )?(?:back|return|restor|again)\w*",
    ),
    ("phone", r"\b(?:phone|device|handset|smartphone|cell ?phone|mobile)\b"),
)
_ALL = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _TOPICS))

_HIGH = re.compile(
    r"4g_5g_preferred|\b(?:4g|lte) ?(?:/|\||,|or|and|&|to) ?(?:the )?5g\b|\b5g ?(?:/|,|or|and"
    r"|&) ?(?:4g|lte)\b|\b(?:highest|fastest|best) available\b|\b(?:prefer|allow|include|use"
    r"|select|choose|set|change)\w* (?:\w+ ){0,3}(?:4g|5g|lte)\b|\b5g (?:auto|preferred)"
    r"|\bauto(?:matic)?\b"
)
_ONLY = re.compile(r"\b([234]g)[_ ]only\b")


class Mention(Struct, frozen=True):
    """Where a clause names a part of the phone, or one of its actions by name (topic ``tool``)."""

    topic: str
    start: int
    end: int
    word: str


def mentions(clause: str) -> list[Mention]:
    """All of them, in order."""
    return [
        Mention(match.lastgroup or "", match.start(), match.end(), match.group())
        for match in _ALL.finditer(clause)
    ]


def mode_in(clause: str) -> str | None:
    """The network mode that the clause asks for, by its name."""
    if _HIGH.search(clause):
        return "4g_5g_preferred"
    only = _ONLY.search(clause)
    return f"{only.group(1)}_only" if only else None


_SMS = re.compile(r"\bsms\b(?! app)|\btext(?: message)? permission")
_STORAGE = re.compile(r"\bstorage\b|\bphotos?\b|\bfiles\b|\bmedia\b|\bgallery\b")


def permissions_in(clause: str) -> tuple[str, ...]:
    """Which of the messaging app's permissions the clause names."""
    found: list[tuple[int, str]] = []
    for name, pattern in (("sms", _SMS), ("storage", _STORAGE)):
        if match := pattern.search(clause):
            found.append((match.start(), name))
    return tuple(name for _, name in sorted(found))


_ON = re.compile(
    r"\b(?:(?:turn|switch|toggl|flip)\w* (?:it |them |back )?on"
    r"|(?<!\bgo )(?<!going )(?<!move )(?<!moving )(?<!carry )(?<!come )(?<!hold )(?<!hang"
    r" )(?<!based )"
    r"(?<!later )(?<!keep )(?<!depending )(?<!so )on(?! (?:mobile|cellular|wi|your"
    r"|the|my|this|that|its?|an?|our|their|which|top|screen|side|both|any|all"
    r"|each|how|whether)\b)|enabl(?:e|ed|ing)|activat(?:e|ed|ing)|active|allow(?:ed)?|lights? up"
    r"|lit(?: up)?|highlighted|blue|running)\b"
)
_OFF = re.compile(
    r"\b(?:off|disabl(?:e|ed|ing)|deactivat(?:e|ed|ing)|inactive|no longer (?:highlighted|lit"
    r"|active)|gr[ae]yed(?: out)?|gr[ae]y|dimmed|unlit|disengaged|quiet|disconnect(?:ed|ing)?"
    r"|out of"
    r"|leave|exit|not (?:on|enabled|active|connected|turned on))\b"
)
NEGATED = re.compile(r"\b(?:is|are|be|it's|was) ?(?:not|n't)\b|\bisn't\b|\baren't\b")
"""Says that something is not so."""


def direction(part: str) -> str | None:
    """The first of on and off that the words name; None where they name neither."""
    on, off = _ON.search(part), _OFF.search(part)
    if on and off:
        return "on" if on.start() < off.start() else "off"
    return "on" if on else "off" if off else None
