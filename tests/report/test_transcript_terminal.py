"""What a person sees of a session in the terminal, and that nothing recorded acts there."""

from __future__ import annotations

import io
import re
import unicodedata

import pytest
from rich.cells import cell_len
from rich.console import Console

from ringback.canonical import Json
from ringback.episode.events import AnyEvent
from ringback.episode.participants import Reply
from ringback.report.terminal import CLIP, call_text, print_transcript
from ringback.report.transcript import transcript
from tests.report.calls import TELECOM, UGLY, played, repair, ugly

OWN = re.compile(r"\x1b\[[0-9;]*m")
"""Colours, the only sequences that are ours."""


def printed(
    events: list[AnyEvent],
    *,
    width: int = 100,
    terminal: bool = False,
    limit: int | None = CLIP,
    encoding: str = "utf-8",
) -> str:
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="\n")
    console = Console(
        file=file,
        width=width,
        force_terminal=terminal,
        color_system="standard" if terminal else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    print_transcript(transcript(events, TELECOM), console, limit=limit)
    file.flush()
    assert isinstance(file.buffer, io.BytesIO)
    return file.buffer.getvalue().decode(encoding)


def test_three_lanes_with_what_changed() -> None:
    text = printed(repair())
    lines = text.splitlines()
    agent = next(line for line in lines if "get_customer_by_phone(" in line)
    user = next(line for line in lines if "toggle_airplane_mode()" in line)
    tools = next(line for line in lines if "Airplane mode is now off" in line)
    assert agent.index("│") < user.index("│") < tools.index("│")
    assert "agent │" in agent
    assert "user │" in user
    assert "tools │" in tools
    assert "phone.airplane_mode: true → false" in text
    assert "by the rule 'stop'" in text
    assert "17 steps, 1 tool error" in text
    assert re.search(r"reward +1\.0 · solved", text)
    assert "assert_mobile_data_status(expected_status=true)" in text


@pytest.mark.parametrize("width", [60, 100, 160])
def test_lines_fit_the_width_and_end_in_no_spaces(width: int) -> None:
    for events in (repair(), ugly("word " * 300), ugly("x" * 3000), ugly("\u4f60\u597d" * 500)):
        for line in printed(events, width=width).splitlines():
            assert cell_len(line) <= width
            assert line == line.rstrip()


@pytest.mark.parametrize(
    "text", [*UGLY, "\n".join(UGLY), "over\rwritten", "\x1b]8;;http://x\x1b\\link"]
)
@pytest.mark.parametrize("terminal", [False, True])
def test_nothing_recorded_acts_on_a_terminal(text: str, terminal: bool) -> None:
    shown = OWN.sub("", printed(ugly(text), terminal=terminal))
    acting = {
        char
        for char in shown
        if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    }
    assert not acting


def test_a_record_reads_as_words_and_breaks_between_them() -> None:
    text = printed(repair(), width=80)
    assert "customer_id: C1001; full_name: John Smith;" in " ".join(text.split("│")).replace(
        "\n", ""
    )
    assert '{"' not in text.replace("(customer_id", "")
    words = set(re.findall(r"[a-z_]+(?=:)", text))
    assert {"phone_number", "date_of_birth"} <= words


def test_settings_and_versions_read_as_words() -> None:
    assert "reference, version 1 · policy workflow" in printed(repair())


def test_a_pipe_gets_no_colours() -> None:
    assert "\x1b" not in printed(repair())
    assert OWN.sub("", printed(repair(), terminal=True)) == printed(repair())


def test_markup_and_emoji_codes_are_text() -> None:
    assert "[bold red]:smile:[/]" in printed(ugly("[bold red]:smile:[/]"))


def test_a_terminal_without_unicode_gets_escapes() -> None:
    shown = printed(ugly("caf\u00e9 \u4f60"), encoding="ascii")
    assert "caf\\xe9 \\u4f60" in shown
    assert "agent | " in shown


def test_long_text_is_counted_or_shown_whole() -> None:
    events = played([Reply("y" * 1_000_000)])
    short, whole = printed(events), printed(events, limit=None)
    assert "996,000 more characters" in short
    assert len(short) < 20_000
    assert whole.count("y") >= 1_000_000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"id": "L1002", "n": 2}, 'tool(id="L1002", n=2)'),
        ({}, "tool()"),
        ("{oops", "tool(not JSON: {oops)"),
        ([1, 2], "tool([1,2])"),
        (None, "tool(null)"),
    ],
)
def test_a_call_reads_like_code(arguments: Json, words: str) -> None:
    assert call_text("tool", arguments) == words
