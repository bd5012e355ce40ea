"""What a clause wants to hear about."""

from __future__ import annotations

import re

from ringback.users.rules.request import Request
from ringback.users.rules.words import mentions

__all__ = ["looks_in", "request_part"]

_EXPLAINS = re.compile(
    r"\b(?:(?:that|which|it|they|is|are|be|might|may|can|could|sometimes|often|be) )+(?:be )?"
    r"(?:interfer|affect|block|prevent|caus|impact|limit|slow|stop|restrict|hinder)\w*"
    r"|\bfor (?:sending|receiving|using|browsing)\b|, as\b|\b(?:cause|reason)s? (?:of|for)\b"
    r"|(?<=permissions )to (?:send|receive)\b|(?<=permission )to (?:send|receive)\b"
)
_RATHER = re.compile(r"\b(?:instead of|rather than)\b")


def request_part(clause: str) -> str:
    """The clause without its explanation: "settings that can affect MMS" asks nothing of MMS."""
    explained = _EXPLAINS.search(clause) or _RATHER.search(clause, 1)
    return clause[: explained.start()] if explained else clause


_HELP = re.compile(
    r"\b(?:need|help|questions?|trouble|stuck|unsure|not sure|would like|you'd like|you(?:'d"
    r"| would)? prefer"
    r"|instructions?|further|anything else|step-by-step|comfortable|ready)\b"
)
_OUTCOME = re.compile(
    r"\b(?:works?|working|worked|improv\w+|resolv\w+|fix\w*|helps?|helped|success\w*"
    r"|go(?:es)? through|luck"
    r"|better|happens?|results?|restored|connects?|faster|differences?|changed"
    r"|does the trick"
    r"|did the trick|do the trick|sort(?:s|ed) (?:it|that|things)|cures?|cured|solve[sd]?"
    r"|makes? it through|went through|leaves us|gone|effect|impact|needle|came back|comes back"
    r"|good now|okay now)\b"
)


_CARRIES = ("data", "connection")
_AGAIN = re.compile(
    r"(?:,? \w+){0,2}? (?:works?|working|restored|resolved|fixed|improv\w+|back(?! on| off)"
    r"|better|faster)\b"
)
_DETAIL = re.compile(r"\b(?:perform\w*|server|protocol|quality|details?|doing|fast|slow)\b")
_CHOSEN = re.compile(r"\b(?:settings?|prefer\w*|select\w*|set to|options?|chosen|configured)\b")
_PATHS = ("data", "internet", "connection")


def looks_in(clause: str, item: bool) -> list[Request]:
    """What a question or "let me know ..." wants to hear about."""
    found = mentions(request_part(clause))
    about_speed = any(mention.topic == "speed" for mention in found)
    about_permissions = any(mention.topic == "permissions" for mention in found)
    requests: list[Request] = []
    for mention in found:
        topic = mention.word if mention.topic == "tool" else mention.topic
        if (topic == "app" and about_permissions) or (topic in _PATHS and about_speed):
            continue
        if topic == "phone" or any(request.topic == topic for request in requests):
            continue
        if topic == "vpn" and _DETAIL.search(clause):
            topic = "check_vpn_status"
        if topic == "network" and _CHOSEN.search(clause):
            topic = "mode"
        if topic in _CARRIES and _AGAIN.match(clause[mention.end :]):
            topic = "internet"
        if any(request.topic == topic for request in requests):
            continue
        act = "test" if topic in ("speed", "mms", "internet", "calls") else "look"
        requests.append(Request(act, topic, "ask", sure=False, item=item))
    if _HELP.search(clause) and not re.search(r"\b(?:see|shows?|says?)\b", clause):
        return []
    if not requests and _OUTCOME.search(clause):
        requests.append(Request("test", "outcome", "ask", sure=False, item=item))
    return requests
