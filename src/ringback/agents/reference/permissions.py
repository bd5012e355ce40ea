"""Reading which permissions the messaging app has."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ringback.agents.reference.clauses import Clause

__all__ = ["permissions"]

_TOPIC = re.compile(r"\bpermi(?:ssions?|tted)\b|\ballow(?:s|ed)\b|\baccess\b|\bgrant(?:ed)?\b")
_WORDS = re.compile(
    r"(?P<name>\bsms\b(?!/mms| messages?)|\b(?:storage|phone|network)\b(?!'s| mode| status))"
    r"|(?P<pre>\b(?:no|without|lacks?|lacking|missing|except|neither|nor|absent|none)\b)"
    r"|(?P<bad>\b(?:denied|off|disabled|false|blocked|unchecked|refused)\b)"
    r"|(?P<good>\b(?:has|have|grant(?:ed)?|gave|given|allow(?:s|ed)?|enabled|on|yes|true|permitted|"
    r"with|includ\w+|added|shows|lists|checked|there|use|access)\b)"
    r"|(?P<not>\bnot\b|n't\b|\bcannot\b)"
    r"|(?P<only>\b(?:only|just)\b)"
)
_LINK = re.compile(
    r"(?:\s*(?:permissions?|access))?(?:\s|,|:|=|-|\()*(?:(?:is|are|was|were|has been|have been|"
    r"both|all|also|currently|still|already|now|being|turned|set to)\b\s*)*"
    r"(?:isn't|aren't|isn|aren|not|wasn't|n't)?\s*"
)
_AND = re.compile(
    r"(?: permissions?| access)?[\s,/&]*(?:and|or|nor|plus)?\s*(?:the|also|for|to|its|both)?\s*"
    r"(?<!permission, )(?<!permissions, )(?<!access, )"
)
_BEING = re.compile(r"\b(?:is|are|was|isn|aren)\b|[:=]")
_WHOLE = re.compile(r"\bpermissions\b|\bonly\b|\bjust\b|\ballowed:|\b(?:has|have) access to\b")
_ONLY_OTHERS = re.compile(
    r"\b(?:only|just)\b.{0,40}\b(?:phone|network)\b|\b(?:phone|network)\b.{0,12}\bonly\b|"
    r"\b(?:permissions?|allowed|access|granted)\b:?(?: (?:is|are|for|to|has|the))* (?:phone|"
    r"network)\b"
)
_CHANGE = re.compile(
    r"\bi(?:'ve| have)?(?: now| just| also)* (?:granted|gave|given|added|turned on|enabled|"
    r"allowed)\b"
    r"|\bnow has\b|\bhas been (?:granted|given|added)\b|\bnow granted\b"
)


def permissions(clauses: Iterable[Clause]) -> list[tuple[str, str]]:
    """`sms_permission` and `storage_permission` with `granted` or `missing`.

    A list of what the app has is taken as whole where it is put as one ("the permissions are
    storage and phone", "only phone"): what it leaves out is missing.
    """
    said: dict[str, bool] = {}
    whole = on_topic = False
    for clause in clauses:
        text = clause.text
        on_topic = on_topic or _TOPIC.search(text) is not None
        if not on_topic or not clause.states:
            continue
        there = _names(text)
        said.update(there)
        if not there.keys() & {"sms", "storage"} and not _ONLY_OTHERS.search(text):
            continue
        granted = [name for name, has in there.items() if has]
        if granted and not _CHANGE.search(text):
            whole = whole or len(granted) > 1 or _WHOLE.search(text) is not None
        elif re.search(r"\b(?:no permissions|allowed: none|permissions: none)\b", text):
            whole = True
    return [
        (f"{name}_permission", "granted" if said.get(name, False) else "missing")
        for name in ("sms", "storage")
        if name in said or whole
    ]


def _names(text: str) -> dict[str, bool]:
    said: dict[str, bool] = {}
    group: list[str] = []
    before, negated = True, False
    end = 0
    for word in _WORDS.finditer(text):
        kind = word.lastgroup
        if kind == "name":
            if group and not _AND.fullmatch(text, end, word.start()):
                group = []
            said[word[0]] = before
            group.append(word[0])
            end = word.end()
        elif kind == "not":
            negated = True
        elif kind == "only":
            before, group = True, []
        else:
            state = (kind == "good") != negated
            gap = text[end : word.start()]
            follows = bool(group) and _LINK.fullmatch(gap) is not None
            if follows and (kind != "pre" or _BEING.search(gap)):
                if before or not state or _BEING.search(gap):
                    said.update(dict.fromkeys(group, state))
                before = True
            else:
                before = state
            group, negated = [], False
    if negated and group:
        said.update(dict.fromkeys(group, False))
    return said
