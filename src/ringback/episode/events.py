"""The recorded truth: a session is its events, and everything else is a fold over them.

Main events (`Start`, `Turn`, `Results`, `End`) decide what happens next; side events (`ModelCall`,
`Reported`, `Rejected`, `Nudge`, `Note`) name the event that caused them and decide nothing. `seq`
orders everything, from 0 without gaps; `at` is data and may be unknown.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct

from ringback.canonical import Json
from ringback.domain import Side
from ringback.episode.wire import Answer, Price, RecordedRequest, Usage

__all__ = [
    "ENDINGS",
    "STOPS",
    "UNPLAYED",
    "AnyEvent",
    "Arm",
    "Call",
    "Condition",
    "Draw",
    "End",
    "Ending",
    "Event",
    "Forked",
    "Limits",
    "ModelCall",
    "Note",
    "Nudge",
    "Origin",
    "Rejected",
    "Reported",
    "Result",
    "Results",
    "Setup",
    "SideEvent",
    "Start",
    "Turn",
    "decode",
    "encode",
]

Ending: TypeAlias = Literal[
    "user_stop",
    "agent_stop",
    "max_steps",
    "too_many_errors",
    "timeout",
    "agent_error",
    "user_error",
    "infrastructure_error",
    "abandoned",
]
ENDINGS: tuple[Ending, ...] = (
    "user_stop",
    "agent_stop",
    "max_steps",
    "too_many_errors",
    "timeout",
    "agent_error",
    "user_error",
    "infrastructure_error",
    "abandoned",
)
UNPLAYED: tuple[Ending, ...] = ("infrastructure_error", "abandoned")
"""The endings that say nothing about the agent: no grade, and the case can be played again."""
STOPS: tuple[Ending, ...] = ("user_stop", "agent_stop")
"""The endings by which a side hung up, and so the ones of which the checks decide the reward."""


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """When an episode is cut off: steps, tool errors, and seconds of participants' active time.

    None where another program made the recording and does not say what its limit was.
    """

    steps: int | None = 100
    errors: int | None = 10
    seconds: float | None = 1200.0


class Setup(Struct, frozen=True):
    """A participant as far as it can move a score: its name, its version, its settings."""

    name: str
    version: str
    settings: dict[str, Json] = {}


class Forked(Struct, frozen=True):
    """Where a session goes on from another: its id, and the first event that is not taken over."""

    session: str
    seq: int


class Condition(Struct, frozen=True, omit_defaults=True):
    """What must be equal before two sessions may be averaged or paired.

    `texts` is the digest of what the user's side reads: every task's scenario and its tools.
    `forked` is there where a session does not begin at the task's beginning, so that a fork is
    paired only with forks from the same place, and is never taken for a fresh episode.
    """

    domain: str
    world: str
    grader: str
    user: Setup
    greeting: str
    texts: str
    limits: Limits
    forked: Forked | None = None


class Arm(Struct, frozen=True):
    """What a study varies. `texts` is the digest of what the agent reads: policy and tools."""

    agent: Setup
    policy: str
    texts: str


class Draw(Struct, frozen=True):
    """One cell's place in the sample: the task, the trial (from 0) and the study's seed.

    Each is known for what we played, and may be None where another program made the recording.
    """

    task: str | None
    trial: int | None
    seed: int | None


class Origin(Struct, frozen=True):
    """Where a session that another program recorded comes from.

    `form` names the form it was read from, `source` the file (its name, not its path) and `place`
    the entry in it, from 0. `id` is the other program's id of it. `digest` is of what was read: the
    same recording in two files is one session. `versions` names the programs that made it. `more`
    keeps what the form says of the whole recording and our events have no place for; what of it is
    long or shared by many stands in `contents`, by name, as the digest of a text in the store.
    """

    form: str
    source: str
    place: int
    digest: str
    id: str | None = None
    versions: dict[str, str] = {}
    more: dict[str, Json] = {}
    contents: dict[str, str] = {}


class Call(Struct, frozen=True, omit_defaults=True):
    """A tool call as made. `arguments` is an object, or the raw text if it was not valid JSON.

    Our id of a call is (seq of its turn, index); `id` is the other side's, kept as data.
    """

    tool: str
    arguments: Json
    id: str | None = None


class Result(Struct, frozen=True, omit_defaults=True):
    """A tool's answer as the caller saw it; `world` is the digest of the state after it."""

    text: str
    world: str
    error: bool = False


class Event(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind"):
    """An entry of a session. `at` is Unix seconds, None where unknown."""

    seq: int
    at: float | None = None


class Start(Event, frozen=True, tag="start"):
    """The opening: everything that could move the score, and the greeting the user answers.

    `parent` is the session that this one replays or goes on from. It is no part of what a session
    is (see `ringback.episode.identity`): equal cells with other parents are one cell. `origin` is
    there where another program made the recording. The seeds, which are ours, are then empty, and
    so is the first world's digest where the task is unknown: such a session has no world and no
    grade.
    """

    session: str
    condition: Condition
    arm: Arm
    arm_name: str
    draw: Draw
    user_seed: str
    agent_seed: str
    world: str
    versions: dict[str, str]
    attempt: int = 0
    parent: str | None = None
    origin: Origin | None = None


class Turn(Event, frozen=True, tag="turn"):
    """What a participant said or did: text, or calls, or both as some models do.

    Calls win: text beside them is kept but not delivered. `rule` is the participant's own word for
    why (which rule ended the call, say); `seconds` is its active time, None where unknown.
    """

    by: Side
    text: str | None = None
    calls: tuple[Call, ...] = ()
    seconds: float | None = None
    rule: str | None = None


class Results(Event, frozen=True, tag="results"):
    """The answers to all calls of turn `turn`, in the calls' order. One step."""

    turn: int
    by: Side
    results: tuple[Result, ...]


class Note(Event, frozen=True, tag="note"):
    """A side event: something worth keeping that decides nothing, and the event it belongs to."""

    cause: int
    what: str
    detail: Json = None


class ModelCall(Event, frozen=True, tag="model_call"):
    """A side event: a participant asked a model. Committed before the reply is acted on.

    `cause` is the event before which it stands; `model` is the name as asked for.
    """

    cause: int
    by: Side
    model: str
    request: RecordedRequest
    answer: Answer


class Reported(Event, frozen=True, tag="reported"):
    """A side event: what another program says that turn `cause` cost; the call is not recorded.

    `price` names that program as its source. `seconds` is how long the reply took. What is None is
    unknown.
    """

    cause: int
    by: Side
    model: str | None
    usage: Usage
    price: Price
    seconds: float | None = None


class Rejected(Event, frozen=True, tag="rejected"):
    """A side event: a reply was not taken as a turn, and by which rules.

    `cause` is the model call. For a user simulator each is a fault of the simulator. `accepted`
    is True where the guard only records and the turn was taken all the same.
    """

    cause: int
    by: Side
    rules: tuple[str, ...]
    text: str | None
    accepted: bool = False


class Nudge(Event, frozen=True, tag="nudge"):
    """A side event: what a participant's own harness told the model before asking again."""

    cause: int
    by: Side
    text: str


class End(Event, frozen=True, tag="end"):
    """The last main event. `rule` names the rule that ended it; `why` adds a sentence.

    `seconds` is the active time of a turn that was cut off or failed, None where there was none.
    """

    ending: Ending
    rule: str
    why: str | None = None
    seconds: float | None = None


SideEvent: TypeAlias = ModelCall | Reported | Rejected | Nudge | Note
AnyEvent: TypeAlias = Start | Turn | Results | ModelCall | Reported | Rejected | Nudge | Note | End

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


def encode(event: Event) -> bytes:
    """One event as UTF-8 JSON, the form in which it is stored."""
    return _encoder.encode(event)


def decode(data: bytes | str) -> AnyEvent:
    """The event that these bytes hold; `msgspec.ValidationError` if they hold none."""
    return _decoder.decode(data)
