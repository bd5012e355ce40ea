"""Two sessions side by side: where they part, what is shown from there, how the worlds differ."""

from __future__ import annotations

import io
from collections import Counter

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Console

from ringback.episode.events import AnyEvent, Results, Start
from ringback.episode.participants import Reply
from ringback.errors import InputError
from ringback.replay.compare import Compared, Recorded, compare
from ringback.replay.side_by_side import print_side_by_side
from tests.report.calls import TELECOM, UGLY, call, played, repair, ugly

HELLO = Reply("My mobile data does not work. I am John Smith, 555-123-2002.")
ASK = Reply("Please switch airplane mode off.")
OTHER = [HELLO, ASK, call("toggle_data"), call("toggle_data"), Reply("Done. ###STOP###")]
ONE = [HELLO, ASK, call("toggle_airplane_mode"), Reply("Done."), Reply("Thank you.")]


def of(a: list[AnyEvent], b: list[AnyEvent]) -> Compared:
    return compare(Recorded(a, TELECOM), Recorded(b, TELECOM))


def printed(found: Compared, width: int, encoding: str = "utf-8", limit: int | None = 700) -> str:
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(file=out, width=width, highlight=False, markup=False, emoji=False)
    print_side_by_side(found, console, limit=limit)
    out.flush()
    return out.buffer.getvalue().decode(encoding)  # pyright: ignore[reportAttributeAccessIssue]


def test_turns_before_the_parting_are_counted_and_those_from_there_shown() -> None:
    found = of(played(ONE), played(OTHER))
    assert found.parting is not None
    assert (found.parting.kind, found.parting.step) == ("tool", 3)
    assert found.same == 2
    assert [beat.parts for beat in found.beats] == [True, False, False]
    assert found.beats[0].a is not None
    assert found.beats[0].a.deeds[0].tool == "toggle_airplane_mode"


def test_fields_are_told_when_they_begin_to_differ_and_when_they_are_equal_again() -> None:
    found = of(played(ONE), played(OTHER))
    first, second, _ = found.beats
    unlike = {each.field: (each.a, each.b) for each in first.unlike}
    assert unlike["phone.airplane_mode"] == ("false", "true")
    assert unlike["phone.data_enabled"] == ("true", "false")
    assert [each.field for each in second.unlike if each.field == "phone.data_enabled"] == []
    assert "phone.data_enabled" in second.alike
    assert found.last is not None
    assert "phone.airplane_mode" in {each.field for each in found.last}
    assert "phone.data_enabled" not in {each.field for each in found.last}


def test_a_result_alone_can_be_where_they_part() -> None:
    a = played([HELLO, call("get_customer_by_id", customer_id="C1001")])
    b = [
        replace(event, results=(replace(event.results[0], text="changed"),))
        if isinstance(event, Results)
        else event
        for event in a
    ]
    found = of(a, b)
    assert found.parting is not None
    assert (found.parting.kind, found.same, len(found.beats)) == ("result", 1, 1)


def test_the_same_conversation_is_said_to_be_the_same() -> None:
    found = of(repair(), repair())
    assert (found.parting, found.beats, found.last) == (None, (), ())
    text = printed(found, 80)
    assert "the same to the end" in text
    assert "In the end the two worlds are in the same state." in text


def test_a_session_that_goes_on_where_the_other_is_over_stands_alone() -> None:
    events = repair()
    found = of(events, events[:6])
    assert found.parting is not None
    assert found.parting.kind == "ending"
    assert all(beat.b is None for beat in found.beats)
    assert "(over)" in printed(found, 100)


def test_other_cases_can_be_laid_side_by_side_and_it_is_said() -> None:
    found = of(repair(), played([HELLO], task="[service_issue]airplane_mode_on[PERSONA:None]"))
    assert found.parting is not None
    assert (found.parting.kind, found.same) == ("task", 0)
    text = printed(found, 80)
    assert "They part (task): The two sessions are of different cases." in text
    assert "[service_issue]airplane_mode_on" in text


def test_without_a_world_the_conversations_are_compared_all_the_same() -> None:
    a, b = played(ONE), played(OTHER)
    found = compare(Recorded(a, TELECOM), Recorded(b, None))
    assert found.last is None
    assert found.parting is not None
    assert any("Nothing is known about the two worlds" in remark for remark in found.remarks)
    start = b[0]
    assert isinstance(start, Start)
    unknown = [replace(start, draw=replace(start.draw, task=None)), *b[1:]]
    assert compare(Recorded(a, TELECOM), Recorded(unknown, TELECOM)).last is None
    with pytest.raises(InputError):
        compare(Recorded(a[1:], TELECOM), Recorded(b, TELECOM))


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_no_line_is_wider_than_the_terminal(width: int, encoding: str) -> None:
    found = of(played(ONE), played(OTHER))
    lines = printed(found, width, encoding).splitlines()
    assert max(map(cell_len, lines)) <= width
    assert not any(line.endswith(" ") for line in lines)
    both = [line for line in lines if "│" in line or " | " in line]
    assert len({line.find("│" if "│" in line else " | ") for line in both}) == 1


@pytest.mark.parametrize("text", UGLY)
def test_recorded_text_can_do_nothing_to_the_terminal(text: str) -> None:
    shown = printed(of(ugly(text), repair()), 80)
    assert not set(shown) & {"\x1b", "\x00", "\x07", "\x9b", "\u202e", "\u2066", "\ufeff", "\r"}


def test_long_texts_are_clipped_unless_asked_for() -> None:
    found = of(played([Reply("long " * 400)]), played([HELLO]))
    assert "more characters" in printed(found, 90)
    assert "more characters" not in printed(found, 90, limit=None)


def test_no_text_can_pass_for_a_line_of_ours() -> None:
    whole = printed(of(ugly("Yes."), repair()), 400).splitlines()
    columns = [part for line in whole if "│" in line for part in line[6:].split(" │ ")]
    lines = ["Yes.", *whole, *columns, "agent", "→ done", "      ≠ a: A 1, B 2"]
    forged = "\r\n".join(lines).replace("###STOP###", "")

    def own(text: str) -> Counter[str]:
        """Our lines, and those of the left column that are not indented as recorded ones are."""
        found = printed(of(ugly(text), repair()), 400, limit=None).splitlines()
        left = [line[6:].split(" │")[0] if " │" in line else line for line in found]
        return Counter(part.rstrip() for part in left if not part.startswith("  "))

    ours = own("Yes.")
    assert ours["agent"]
    found = own(forged)
    assert not [line for line in (*ours, *lines) if line and found[line] > ours[line]]
