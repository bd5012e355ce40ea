"""Operated episodes: somebody outside answers the call, one turn at a time, over hours if need be.

A person or a coding agent is the support agent. All state is in the store, so a turn can come from
any process: the shell (`ringback operate`), a server of the Model Context Protocol, the desk in
the browser. What is seen here is what an agent sees, and nothing else of the case.
"""

from ringback.operating.begin import NoneLeft, Taken
from ringback.operating.cases import named_case
from ringback.operating.changed import Changed
from ringback.operating.customer import CustomerAway
from ringback.operating.desk import Desk
from ringback.operating.reading import Hints, NotOne
from ringback.operating.seen import Item, Look, Opened, Over, Seen, Word
from ringback.operating.terms import Terms

__all__ = [
    "Changed",
    "CustomerAway",
    "Desk",
    "Hints",
    "Item",
    "Look",
    "NoneLeft",
    "NotOne",
    "Opened",
    "Over",
    "Seen",
    "Taken",
    "Terms",
    "Word",
    "named_case",
]
