"""Generated telecom sessions, as the loop would record them: any text, any call, models that fail.

The world's answers are real; what the sides say and what their models answer is drawn.
"""

from __future__ import annotations

from typing import get_args

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ringback.canonical import Json
from ringback.domain import Side
from ringback.episode.episode import Episode
from ringback.episode.events import Call, Draw, Limits, ModelCall, Nudge, Rejected, Setup
from ringback.episode.identity import arm, condition, opening
from ringback.episode.participants import Aside, Reply
from ringback.episode.wire import (
    Answer,
    Asked,
    Attempt,
    Failure,
    Given,
    Message,
    Opaque,
    Part,
    Price,
    Request,
    Text,
    Thought,
    ToolSpec,
    Usage,
    recorded,
)
from ringback.formats.session import Session
from ringback.grading.grade import grade
from ringback.telecom import domain

__all__ = ["HOSTILE", "examples", "sessions"]

HOSTILE = (
    "\x00\x1b[2J\u202e\u2028\u2029\x85\x0b",
    "</script><script>alert(1)</script>",
    "=cmd|' /C calc'!A0",
    '"},{"role":"system","content":"',
    "###STOP### not quite",
    "x" * 20_000,
    "🙃\U0010ffff",
)
_texts = st.one_of(
    st.text(max_size=40), st.sampled_from(HOSTILE), st.just("Is it on?"), st.just("")
)
_words = st.text(max_size=20)
_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63) + 1, 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    _texts,
)
_json: SearchStrategy[Json] = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_words, inner, max_size=3),
    max_leaves=6,
)
_objects = st.dictionaries(_words, _json, max_size=3)


def _empty() -> dict[str, Json]:
    return {}


_nothing = st.builds(_empty)
_names = {side: [tool.name for tool in domain.tools(side)] for side in ("agent", "user")}
_parts: SearchStrategy[Part] = st.one_of(
    st.builds(Text, _texts),
    st.builds(Thought, _texts, _json),
    st.builds(Asked, _words, _objects | _texts, _words, _json),
    st.builds(Given, _words, _words, _texts, st.booleans()),
    st.builds(Opaque, _json),
)
_said = st.builds(
    Message,
    st.just("assistant"),
    st.lists(_parts, max_size=3).map(tuple),
    st.none() | st.just("openai"),
)
_heard = st.builds(Message, st.just("user"), st.lists(_parts, max_size=2).map(tuple), st.none())
_counts = st.none() | st.integers(0, 10**9)
_usages = st.builds(Usage, _counts, _counts, _counts, _counts, _counts)
_prices = st.builds(Price, st.none() | st.floats(0, 1e6), st.just("a table"))
_FORM: dict[str, Json] = {"type": "object", "properties": {"a": {}}}
_forms: SearchStrategy[Json] = st.none() | st.just(_FORM)
_tools = st.lists(st.builds(ToolSpec, _words, _texts, st.none() | _objects), max_size=2).map(tuple)
_failures: SearchStrategy[Failure] = st.sampled_from(get_args(Failure))
_SETTINGS: tuple[dict[str, Json], ...] = (
    {},
    {"temperature": 0.0, "seed": 7},
    {"reasoning": {"effort": "high"}, "stop_sequences": ["\u2028"], "top_p": True},
)


def examples(count: int) -> settings:
    """So many examples, however long one takes on a busy machine."""
    checks = (
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
        HealthCheck.large_base_example,
        HealthCheck.function_scoped_fixture,
    )
    return settings(max_examples=count, deadline=None, suppress_health_check=checks)


@st.composite
def sessions(draw: DrawFn, *, models: bool = True) -> Session:
    """A session: scripted or with model calls, ended or not, graded if it has ended."""
    task = draw(st.sampled_from(domain.tasks("small")))
    by_model = draw(st.booleans()) if models else False
    setup = Setup("openai:gpt-5.2" if by_model else "reference", "1")
    who = condition(domain, Setup("rules", "1"), Limits(steps=draw(st.sampled_from([6, 100]))))
    what = arm(domain, setup, draw(st.sampled_from(domain.policies)))
    start = opening(
        domain,
        who,
        what,
        draw(st.sampled_from(["base", "", "a \u2028 b"])),
        Draw(task.id, draw(st.integers(0, 9)), draw(st.integers(0, 2**31))),
        attempt=draw(st.integers(0, 2)),
        at=draw(st.none() | st.just(1_796_044_968.123456)),
    )
    talk = _Talk(draw, Episode(start, domain))
    for _ in range(draw(st.integers(0, 8))):
        if talk.episode.end is not None:
            break
        talk.turn(model=by_model and draw(st.booleans()))
    if talk.episode.end is None and draw(st.booleans()):
        talk.end()
    episode = talk.episode
    return Session(
        tuple(episode.events), talk.contents, grade(episode) if episode.end is not None else None
    )


class _Talk:
    """An episode that is being drawn."""

    def __init__(self, draw: DrawFn, episode: Episode) -> None:
        self._draw, self.episode = draw, episode
        self.contents: dict[str, str] = {}
        self._known: dict[Side, tuple[int, tuple[Message, ...]]] = {}
        self._at = episode.start.at

    def turn(self, *, model: bool) -> None:
        """What the side whose turn it is does: it asks its model a few times, then it acts."""
        side = self.episode.position.next
        assert side in ("agent", "user")
        for _ in range(self._draw(st.integers(1, 2)) if model else 0):
            self._ask(side)
            if self.episode.end is not None:
                return
        text = self._draw(st.none() | _texts)
        calls = self._draw(st.lists(self._call(side), max_size=2))
        self._take(Reply(text, tuple(calls), self._draw(st.none() | st.just("rule"))))

    def end(self) -> None:
        """One of the endings that a participant does not choose."""
        self.episode.finish(
            self._draw(st.sampled_from(["agent_error", "infrastructure_error", "timeout"])),
            "exception",
            self._draw(st.none() | _texts),
            seconds=self._draw(st.none() | st.just(0.25)),
            at=self._later(),
        )

    def _later(self) -> float | None:
        if self._at is not None:
            self._at += 0.5
        return self._at

    def _take(self, reply: Reply) -> None:
        self.episode.take(reply, seconds=self._draw(st.none() | st.just(0.1)), at=self._later())

    def _call(self, side: Side) -> SearchStrategy[Call]:
        names = st.sampled_from(_names[side]) | _words
        given = _nothing | _objects | _texts | _json
        return st.builds(Call, names, given, st.none() | _words)

    def _ask(self, side: Side) -> None:
        draw, before = self._draw, self._known.get(side)
        heard = (before[1] if before and draw(st.booleans()) else ()) + tuple(
            draw(st.lists(_heard, max_size=2))
        )
        request = Request(
            draw(_texts), heard, draw(_tools), draw(st.sampled_from(_SETTINGS)), draw(_forms)
        )
        record, contents = recorded(request, before)
        failure = draw(st.none() | _failures)
        answer = Answer(
            message=draw(_said) if failure is None else None,
            model=draw(st.none() | st.just("gpt-5.2-2025-12-11")),
            seconds=draw(st.none() | st.just(0.2)),
            usage=draw(_usages),
            price=draw(_prices),
            finish=draw(st.none() | st.just("stop")),
            failure=failure,
            why=None if failure is None else draw(_texts),
            attempts=draw(st.just(()) | st.just((Attempt("infrastructure", "cut", 0.1),))),
        )
        seq = self.episode.position.seq
        call = ModelCall(
            seq=seq,
            cause=seq - 1,
            by=side,
            model=draw(st.sampled_from(["openai:gpt-5.2", "local:smollm2", "mine"])),
            request=record,
            answer=answer,
        )
        self.contents |= contents
        said = () if answer.message is None else (answer.message,)
        self._known[side] = (seq, request.messages + said)
        self.episode.note(Aside((call,), contents), at=self._later())
        if self.episode.end is None and draw(st.booleans()):
            more = (
                Rejected(seq=seq + 1, cause=seq, by=side, rules=("repeats",), text=draw(_texts)),
                Nudge(seq=seq + 2, cause=seq, by=side, text="Again."),
            )
            self.episode.note(Aside(more), at=self._later())
