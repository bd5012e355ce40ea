"""What the commands at the desk print: the conversation as the agent's side sees it.

What the customer said and a tool answered stands behind ``│``, calls behind ``┊``, as in a
transcript, so that no text can pass for a line of ours.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ringback.cli.operate_at import Seat
    from ringback.operating import Item, Look, Opened, Seen

__all__ = [
    "listed",
    "look_object",
    "print_begun",
    "print_heard",
    "print_list",
    "print_look",
    "print_stands",
]

_WHO = 8  # columns of "customer" and "greeting"
_MOST_LISTED = 12


class _Lane(NamedTuple):
    """How an item is marked: who, the bar, and its colour."""

    who: str
    bar: str
    colour: str


_LANES: dict[str, _Lane] = {
    "greeting": _Lane("greeting", "│", "cyan"),
    "said": _Lane("you", "│", "cyan"),
    "called": _Lane("you", "┊", "cyan"),
    "result": _Lane("tool", "│", "yellow"),
    "customer": _Lane("customer", "│", "green"),
}


def print_begun(look: Look, seat: Seat) -> None:
    """What is said when an episode begins: what it is, and how to go on."""
    from ringback.cli.output import print_paragraphs

    seen = look.stands
    case = "" if seen.case is None else f", case {seen.case}"
    print_paragraphs(
        [
            f"Episode {seen.session}{case}, answered by {seen.operator}.",
            f"You are the support agent. {seat.hint('operate', 'look')} shows the policy "
            f"({look.variant}), your {len(look.tools)} tools and all that was said; `say`, `call`, "
            "`transfer` and `end` are what you can do.",
            "",
        ]
    )


def print_heard(seen: Seen, seat: Seat) -> None:
    """What a turn came to: what is new, then where the episode stands."""
    _print_items(seen.news)
    print_stands(seen, seat)


def print_stands(seen: Seen, seat: Seat) -> None:
    """Where an episode stands, or how it ended and what it was worth."""
    from ringback.cli.output import print_paragraphs

    if seen.over is not None:
        _print_over(seen, seat)
        return
    whose = "your turn" if seen.changed is None else "cannot be gone on with here"
    if seen.state == "customer" and seen.changed is not None:
        whose = "the customer has not answered yet"
    elif seen.state == "customer":
        look = seat.hint("operate", "look", "--session", seen.session)
        whose = f"the customer has not answered yet, and {look} asks on"
    print_paragraphs(
        [
            "",
            _points(
                f"step {seen.steps}{_left(seen.steps_left)}",
                f"tool errors {seen.errors}{_left(seen.errors_left)}",
                whose,
            ),
            *([] if seen.changed is None else [f"{seen.changed} {seat.gives_up(seen.session)}"]),
        ]
    )


def print_look(look: Look, shown: Sequence[str], seat: Seat) -> None:
    """The parts of a look that were asked for, and where the episode stands."""
    from ringback.cli.output import print_lines, print_paragraphs
    from ringback.cli.tools import print_tools

    seen = look.stands
    if shown == ("policy",):
        print_paragraphs(look.policy.splitlines())
        return
    if "policy" in shown:
        print_paragraphs([f"The policy ({look.variant})", "", *look.policy.splitlines(), ""])
    if "tools" in shown:
        print_lines([f"Your {len(look.tools)} tools"])
        print_tools(look.tools, whole=True)
        print_lines([""] if len(shown) > 1 else [])
    if "conversation" in shown:
        case = "" if seen.case is None else f", case {seen.case}"
        print_lines([f"Episode {seen.session}{case}, answered by {seen.operator}", ""])
        _print_items(look.conversation)
    if shown != ("tools",):
        print_stands(seen, seat)


def look_object(look: Look, shown: Sequence[str]) -> dict[str, Any]:
    """A look as one JSON object, of the parts that were asked for."""
    whole: dict[str, Any] = {"stands": look.stands}
    if "conversation" in shown:
        whole["conversation"] = look.conversation
    if "tools" in shown:
        whole["tools"] = look.tools
    if "policy" in shown:
        whole |= {"variant": look.variant, "policy": look.policy}
    return whole


def print_list(episodes: Iterable[Opened], at: Callable[[str], str | None]) -> None:
    """Episodes as a table, the oldest first."""
    from ringback.cli.listing import print_listing
    from ringback.cli.output import complain

    broken: list[Opened] = []

    def rows() -> Iterator[list[str]]:
        for each in episodes:
            if each.problem is not None:
                broken.append(each)
            yield [
                each.session,
                "?" if each.operator is None else each.operator,
                each.case or "-",
                "?" if each.steps is None else str(each.steps),
                _ago(each.last_at),
                _how(each, at),
            ]

    print_listing(
        [
            ("episode", "left"),
            ("operator", "left"),
            ("case", "left"),
            ("steps", "right"),
            ("last", "left"),
            ("stands", "left"),
        ],
        rows(),
    )
    for each in broken[:_MOST_LISTED]:
        complain(each.problem or "")


def listed(episodes: Iterable[Opened], at: Callable[[str], str | None]) -> Iterator[dict[str, Any]]:
    """Episodes for JSON: each with who is at it now."""
    import msgspec

    for each in episodes:
        yield msgspec.structs.asdict(each) | {"at": at(each.session)}


def _how(each: Opened, at: Callable[[str], str | None]) -> str:
    if each.problem is not None:
        return "cannot be read"
    if each.ending is not None:
        outcome = "" if each.solved is None else ", solved" if each.solved else ", not solved"
        return f"{each.ending}{outcome}"
    if (who := at(each.session)) is not None:
        return f"{who} is at it"
    return "your turn" if each.state == "yours" else "the customer is to answer"


def _ago(at: float | None) -> str:
    """A time as how long it is ago."""
    if at is None:
        return "?"
    seconds = max(time.time() - at, 0.0)
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{int(seconds // length)} {unit} ago"
    return "just now"


def _print_over(seen: Seen, seat: Seat) -> None:
    from ringback.cli.output import console, print_lines, print_paragraphs
    from ringback.domains import load
    from ringback.grading.grade import Grade
    from ringback.report.terminal import print_outcome
    from ringback.report.transcript import transcript

    over = seen.over
    assert over is not None
    why = f" ({over.why})" if over.why else ""
    if over.waits_for is not None:
        print_paragraphs(
            [
                "",
                f"The episode is over: {over.ending}{why}. Episode {over.waits_for} of the same "
                "case is open, so what the case was and what this was worth is told once that is "
                f"over, with {seat.hint('operate', 'look', '--session', seen.session)}.",
            ]
        )
        return
    if over.task is None or over.grade is None:
        print_paragraphs(
            [
                "",
                f"The episode is over: {over.ending}{why}. It counts for nothing, and the case can "
                f"be begun again{_again(seen, seat)}, so nothing of it is told.",
            ]
        )
        return
    print_paragraphs(["", f"The episode is over. {over.how}"])
    store, session = seat.store, seen.session
    domain, grade = load(store.row(session).domain), store.grade(session, Grade)
    print_outcome(transcript(store.events(session), domain, grade), console())
    print_lines(["", f"Read it all with {seat.hint('sessions', 'show', session)}."])


def _again(seen: Seen, seat: Seat) -> str:
    """With which command the same case is begun once more; nothing where it has no number."""
    if seen.case is None:
        return ""
    row = seat.store.row(seen.session)
    usual = {"--as": "operator", "--seed": "0", "--trial": "0", "--user": "rules"}
    own = (seen.operator, str(row.seed), str(row.trial), row.user)
    more = [
        (name, word)
        for (name, value), word in zip(usual.items(), own, strict=True)
        if word != value
    ]
    words = [part for pair in more for part in pair]
    return f" with {seat.hint('operate', 'start', seen.case, *words)}"


def _print_items(items: Iterable[Item]) -> None:
    """What was said, called and answered, each with who it was."""
    from rich.text import Text

    from ringback.cli.output import console
    from ringback.report.plain import visible

    out = console()
    ascii_only = out.options.ascii_only
    for item in items:
        lane = _LANES[item.kind]
        bar = {"│": "|", "┊": ":"}[lane.bar] if ascii_only else lane.bar
        words = visible(_words(item)).expandtabs(4)
        if ascii_only:
            words = words.encode("ascii", "backslashreplace").decode()
        who = lane.who
        style = "red" if item.error else "bold" if item.kind == "called" else ""
        room = max(20, out.width - _WHO - 3)
        for line in Text(words, style=style).wrap(out, room) or [Text("")]:
            line.rstrip()
            gutter = Text(f"{who:>{_WHO}} {bar} ", style=lane.colour)
            gutter.append_text(line)
            gutter.rstrip()
            out.print(gutter, no_wrap=True, overflow="ignore", crop=False, soft_wrap=True)
            who = ""


def _words(item: Item) -> str:
    from ringback.episode.markers import without_markers
    from ringback.report.plain import result_text, single_line
    from ringback.report.terminal import call_text

    if item.kind == "called":
        return single_line(call_text(item.tool or "", item.arguments))
    text = item.text or ""
    if item.kind == "result":
        if item.error:
            return text if text.lower().startswith("error") else f"error: {text}"
        return result_text(text)
    if item.kind == "said" and not without_markers(text, "agent"):
        return "(you ended the call)"
    return text


def _points(*parts: str) -> str:
    """Parts on one line, with a point between them where the terminal has one."""
    from ringback.cli.output import console

    return (" - " if console().options.ascii_only else " · ").join(parts)


def _left(count: int | None) -> str:
    return "" if count is None else f", {count} left"
