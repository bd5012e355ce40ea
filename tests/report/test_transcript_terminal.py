"""What a person sees of a session in the terminal, and that nothing recorded acts there."""

from __future__ import annotations

import io
import re
import unicodedata
from collections import Counter

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Console

from ringback.canonical import Json
from ringback.episode.events import AnyEvent, Draw, ModelCall, Note, Origin, Start
from ringback.episode.participants import Reply
from ringback.episode.wire import (
    Answer,
    Asked,
    Given,
    Message,
    Price,
    RecordedRequest,
    Text,
    Usage,
)
from ringback.report.session_view import Fact, session_view
from ringback.report.terminal import CLIP, call_text, print_outcome, print_transcript
from ringback.report.transcript import transcript
from tests.report.calls import TELECOM, UGLY, call, played, repair, ugly

OWN = re.compile(r"\x1b\[[0-9;]*m")
"""Colours, the only sequences that are ours."""


def printed(
    events: list[AnyEvent],
    *,
    width: int = 100,
    terminal: bool = False,
    limit: int | None = CLIP,
    encoding: str = "utf-8",
    outcome: bool = False,
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
    told = transcript(events, TELECOM)
    if outcome:
        print_outcome(told, console)
    else:
        print_transcript(told, console, limit=limit)
    file.flush()
    assert isinstance(file.buffer, io.BytesIO)
    return file.buffer.getvalue().decode(encoding)


def test_three_lanes_with_what_changed() -> None:
    text = printed(repair())
    lines = text.splitlines()
    agent = next(line for line in lines if "get_customer_by_phone(" in line)
    user = next(line for line in lines if "toggle_airplane_mode()" in line)
    tools = next(line for line in lines if "Airplane mode is now off" in line)
    assert agent.index("┊") < user.index("┊") < tools.index("│")
    assert "agent ┊" in agent
    assert "user ┊" in user
    assert "tools │" in tools
    assert "agent │ Your data is used up." in text
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


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_no_text_can_pass_for_a_line_of_ours(encoding: str) -> None:
    # Every text holds a whole transcript, and each line of one behind each gutter there is.
    whole = printed(repair(), width=400, encoding=encoding).splitlines()
    behind = [line.split(bar, 1)[1] for line in whole for bar in "│|┊:" if bar in line]
    forged = "\r\n".join(["Yes.", *whole, *behind]).replace("###STOP###", "")
    shown, harmless = (
        Counter(printed(ugly(text), width=400, encoding=encoding, limit=None).splitlines())
        for text in (forged, "Yes.")
    )
    assert not [line for line in whole if line and shown[line] > harmless[line]]


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


def calls_alone(text: str) -> list[AnyEvent]:
    """A session of another program of which only the agent's model calls are recorded."""
    first = repair()[0]
    assert isinstance(first, Start)
    origin = Origin("exgentic", "0.parquet", 3, "d1", "theirs-1")
    start = replace(first, draw=Draw(None, None, None), origin=origin)
    reply = Message("assistant", (Text(text), Asked("look", {"n": text}, "c1")))
    gave = Message("user", (Given("c1", "look", f"It shows {text}."),))
    last = Message("assistant", (Asked("shut", {}, "c2"),))

    def call(seq: int, added: tuple[Message, ...], answered: Message) -> ModelCall:
        answer = Answer(answered, "m", 1.25, Usage(12, 3), Price(None, "nobody says"))
        request = RecordedRequest("0" * 32, added, "1" * 32)
        return ModelCall(
            seq=seq, cause=seq - 1, by="agent", model="m", request=request, answer=answer
        )

    note = Note(seq=2, cause=1, what="extra", detail={"a": 1})
    return [start, call(1, (), reply), note, call(3, (reply, gave), last)]


def test_a_session_of_model_calls_alone_shows_what_was_said_and_called() -> None:
    lines = printed(calls_alone("Let me see.")).splitlines()
    text = "\n".join(lines)
    order = [
        "Let me see.",
        'look(n="Let me see.")',
        "It shows Let me see.",
        "1 more field",
        "shut()",
    ]
    places = [text.index(words) for words in order]
    assert places == sorted(places)
    assert "(no answer is recorded)" in text
    assert "never answered" not in text
    assert text.count("model m") == 2
    assert "exgentic: 0.parquet, entry 3, there called theirs-1" in text


@pytest.mark.parametrize("text", [*UGLY, "x" * 5000, "\x1b]8;;http://x\x1b\\link"])
def test_what_such_a_session_says_cannot_act_and_is_cut(text: str) -> None:
    shown = printed(calls_alone(text))
    assert not {
        char
        for char in shown
        if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    }
    assert len(shown) < 30_000


def test_the_page_of_such_a_session_shows_it_too() -> None:
    view = session_view(transcript(calls_alone("<b>Let me see.</b>"), None))
    where = "exgentic: 0.parquet, entry 3, there called theirs-1"
    assert Fact("Recorded by", where) in view.facts
    said, shut = [row for row in view.rows if row.step_words == "Model asked, no step"]
    assert said.text == "<b>Let me see.</b>"
    assert [deed.tool for deed in (*said.deeds, *shut.deeds)] == ["look", "shut"]
    assert said.deeds[0].result == "It shows <b>Let me see.</b>."
    assert shut.deeds[0].result == "no answer is recorded"


LONG = (
    "[mms_issue]airplane_mode_on|bad_network_preference|bad_wifi_calling|break_apn_mms_setting|"
    "break_app_both_permissions|data_mode_off|unseat_sim_card[PERSONA:Hard]"
)


@pytest.mark.parametrize("outcome", [False, True])
@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_long_task_id_is_broken_at_its_joints_and_hangs(width: int, outcome: bool) -> None:
    events = played([Reply("Hello?")], task=LONG)
    shown = printed(events, width=width, terminal=True, outcome=outcome)
    lines = OWN.sub("", shown).splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith("task"))
    last = next(place for place, line in enumerate(lines) if "[PERSONA:Hard]" in line)
    block = lines[first : last + 1]
    assert len(block) > 1
    assert max(map(len, block)) <= width
    assert all(line.startswith(" " * 12) for line in block[1:])
    assert "".join(line[10:].strip() for line in block) == LONG
    assert all(line.endswith(("|", "]")) or "[PERSONA:Hard]" in block[-1] for line in block)
    piped = printed(events, width=width, outcome=True)
    assert f"task      {LONG}\n" in piped


def test_a_step_of_which_the_name_alone_counts_is_shown_as_it_was_called() -> None:
    task = next(each for each in TELECOM.tasks("test") if not each.repairable).id
    ours = call("transfer_to_human_agents", summary="Locked SIM, sent on.")
    said = [Reply("Hello?"), ours, Reply("A colleague goes on."), Reply("Bye. ###TRANSFER###")]
    text = printed(played(said, task=task))
    (line,) = [line for line in text.splitlines() if line.startswith("action") and "agent" in line]
    assert 'met     agent: transfer_to_human_agents(summary="Locked SIM, sent on.")' in line
    assert "cannot fix" not in text
    without = printed(played([Reply("Hello?"), Reply("Bye. ###STOP###")], task=task))
    assert "not met agent: transfer_to_human_agents()" in without
