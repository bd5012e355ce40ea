"""Files that went wrong or mean harm: one sentence each, every simulation accounted for."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.events import decode, encode
from ringback.formats import Recording, Skipped, files
from ringback.formats.regrade import regrade
from ringback.formats.tau2 import read
from tests.formats.tau2.made import DATA_OFF, Json, Talk, result_file, solved, write, write_folder


def _some() -> Json:
    talk = Talk().say("user", "Hello.")
    talk.call("agent", ("get_details_by_id", {"id": "L1002"}), ("nothing", {}), text="So.")
    talk.say("agent", "Switch it on.").call("user", ("toggle_data", {}))
    simulations = [solved(new=False).simulation(), talk.say("user", "###STOP###").simulation()]
    return result_file(simulations)


SOME = json.dumps(_some())


def accounted(path: Path, entries: int) -> list[Recording | Skipped]:
    """Everything a file gives, each session checked as a store and a grader would."""
    found = list(read(path))
    places = [each.origin.place if isinstance(each, Recording) else each.place for each in found]
    assert None in places or places == list(range(entries)), (places, found)
    for each in found:
        if isinstance(each, Skipped):
            assert each.why
            assert "\n" not in each.why
            continue
        assert [decode(encode(event)) for event in each.events] == list(each.events)
        regrade(each.events)
        if each.start.draw.task is not None:
            Episode.from_events(each.events, load(each.start.condition.domain))
    lean = list(read(path, lean=True))
    assert [type(each) for each in lean] == [type(each) for each in found]
    return found


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict):
        for name, item in cast("dict[str, Any]", value).items():
            yield from _paths(item, (*path, name))
    elif isinstance(value, list):
        for place, item in enumerate(cast("list[Any]", value)):
            yield from _paths(item, (*path, place))


PLACES = [path for path in _paths(json.loads(SOME)) if len(path) > 1]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(2**62, 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(
        ["assistant", "user", "tool", "system", "###STOP###", "toggle_data", "L1002", "telecom"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "role", "content", "x"]), inner, max_size=3)
    ),
    max_leaves=5,
)
quick = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@quick
@given(changes=st.lists(st.tuples(st.sampled_from(PLACES), st.none() | st.just("drop") | JSON)))
def test_any_change_within_a_simulation_costs_that_simulation_at_most(
    tmp_path: Path, changes: list[tuple[tuple[Any, ...], Any]]
) -> None:
    value = json.loads(SOME)
    for path, new in changes:
        inner: Any = value
        try:
            for key in path[:-1]:
                inner = inner[key]
            if new == "drop":
                del inner[path[-1]]
            else:
                inner[path[-1]] = new
        except (KeyError, IndexError, TypeError):
            continue
    simulations = value["simulations"]
    count = len(simulations) if isinstance(simulations, list) else 0  # pyright: ignore[reportUnknownArgumentType]
    accounted(write(tmp_path / "some.json", value), count)


@quick
@given(
    place=st.integers(0, len(SOME) - 1),
    cut=st.integers(0, 40),
    new=st.binary(max_size=12)
    | st.sampled_from([b"\\ud800", b'"', b"\\", b"[" * 2000, b'{"a":' * 2000, b"NaN", b"\xff"]),
)
def test_any_damage_to_the_bytes_is_survived(
    tmp_path: Path, place: int, cut: int, new: bytes
) -> None:
    data = SOME.encode()
    path = tmp_path / "some.json"
    path.write_bytes(data[:place] + new + data[place + cut :])
    list(read(path))
    found = accounted(path, 2) if _is_whole(path) else list(read(path))
    assert found


def _is_whole(path: Path) -> bool:
    try:
        value = json.loads(path.read_bytes())
        return len(value["simulations"]) == 2
    except (ValueError, KeyError, TypeError, RecursionError):
        return False


@pytest.mark.parametrize("end", [0, 1, 100, 5000, -1])
def test_a_half_written_file_is_one_sentence(tmp_path: Path, end: int) -> None:
    path = tmp_path / "half.json"
    path.write_text(SOME[:end])
    (found,) = read(path)
    assert isinstance(found, Skipped)
    assert found.broken
    assert found.place is None


@pytest.mark.parametrize("text", ["[" * 200_000, '{"info":' * 100_000, "1", "[]", "null", "{}"])
def test_other_json_is_one_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    (found,) = read(path)
    assert isinstance(found, Skipped)


def test_half_a_surrogate_pair_costs_its_simulation_alone(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_text(SOME.replace('"So."', '"So\\ud83d."'))
    first, second = read(path)
    assert isinstance(first, Recording)
    assert isinstance(second, Skipped)
    assert second.broken


def test_no_path_in_a_file_is_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    write(secret, solved().simulation())
    run = write_folder(tmp_path / "runs" / "run", result_file([solved().simulation()]))
    head = json.loads((run / "results.json").read_text())
    head["simulation_index"] = [{"id": "../../../secret"}, *head["simulation_index"]]
    write(run / "results.json", head)
    found = list(read(run))
    assert [type(each) for each in found] == [Recording, Skipped]
    assert isinstance(found[1], Skipped)
    assert "../../../secret" in found[1].why
    assert found[1].broken


def test_a_folder_goes_on_after_each_bad_file(tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    write(folder / "a.json", json.loads(SOME))
    (folder / "b.json").write_bytes(b"")
    os.mkfifo(folder / "c.json")
    (folder / "d.json").mkdir()
    (folder / "e.json").write_bytes(b"\x1f\x8b\x08half")
    (folder / "f.txt").write_text("Hello.")
    write(folder / "g.json", {"something": "else"})
    write(folder / "h.json", json.loads(SOME))
    (folder / "i.json").symlink_to(folder)
    found = list(read(folder))
    sessions = [each.origin.source for each in found if isinstance(each, Recording)]
    assert sessions == ["a.json", "a.json", "h.json", "h.json"]
    rest = {each.source: each.broken for each in found if isinstance(each, Skipped)}
    assert rest == {
        "b.json": True,
        "c.json": True,
        "e.json": True,
        "f.txt": False,
        "g.json": False,
        "i.json": False,
    }


def test_simulations_beside_a_file_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    run = write_folder(tmp_path / "runs" / "run", result_file([solved().simulation()]))
    assert [type(each) for each in read(tmp_path / "runs")] == [Recording]
    (run / "results.json").write_text('{"info":')
    first, second = read(tmp_path / "runs")
    assert isinstance(first, Skipped)
    assert isinstance(second, Skipped)
    assert (first.broken, second.broken) == (True, False)
    assert second.source.startswith("run/simulations/")


def test_result_files_in_a_folder_of_that_name_are_read_as_such(tmp_path: Path) -> None:
    (tmp_path / "simulations").mkdir()
    write(tmp_path / "all.json", result_file([solved().simulation()]))
    write(tmp_path / "simulations" / "more.json", result_file([solved().simulation(id="x")]))
    found = [each.origin.source for each in read(tmp_path) if isinstance(each, Recording)]
    assert found == ["all.json", "simulations/more.json"]


@pytest.mark.parametrize("chunk", [64, 1000, 1 << 20])
def test_a_file_too_large_for_memory_gives_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    value = json.loads(SOME)
    value["simulations"] += [None, [1], "x", {"task_id": "x"}]
    value["note"] = {"simulations": ['a "quoted" [text]', "simulations"]}
    path = write(tmp_path / "large.json.gz", value)
    whole = list(read(path))
    monkeypatch.setattr(files, "_CHUNK", chunk)
    monkeypatch.setattr("ringback.formats.tau2.reading.read_bytes", _too_large)
    assert list(read(path)) == whole
    assert len(whole) == 6
    path.write_bytes(path.read_bytes()[:-30])
    (found,) = read(path)
    assert isinstance(found, Skipped)
    assert "cut off" in found.why


def _too_large(path: Path, *, most: int = 0) -> bytes:
    raise files.TooLarge(f"holds more than {most} bytes")


def test_another_form_is_a_mistake_where_it_is_named_and_passed_over_in_a_folder(
    tmp_path: Path,
) -> None:
    lines = '{"a": 1}\n{"a": 2}\n'
    other, rows = "it is not a tau2 result file", "it is JSON lines, not a tau2 file"
    folder = tmp_path / "many"
    folder.mkdir()
    for name, text, why in (
        ("other.json", '{"a": 1}', other),
        ("lines.json", lines, rows),
        ("lines.jsonl", lines, rows),
        ("LINES.JSONL", lines, rows),
    ):
        (folder / name).write_text(text)
        (named,) = read(folder / name)
        assert isinstance(named, Skipped)
        assert (named.why, named.broken) == (why, True)
        (within,) = read(folder)
        assert isinstance(within, Skipped)
        assert (within.why, within.broken) == (why, False)
        (folder / name).unlink()
    # A run without a simulation, or of another domain, is of this form.
    (none,) = read(write(tmp_path / "none.json", result_file([])))
    assert isinstance(none, Skipped)
    assert not none.broken


def test_endings_of_names_may_be_capital(tmp_path: Path) -> None:
    write(tmp_path / "A.JSON", json.loads(SOME))
    write(tmp_path / "b.Json.gz", json.loads(SOME))
    assert [type(each) for each in read(tmp_path)] == [Recording] * 4


def test_a_folder_within_the_simulations_is_read_once(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "run", json.loads(SOME))
    deeper = folder / "simulations" / "more"
    deeper.mkdir()
    first = min(path for path in (folder / "simulations").iterdir() if path.is_file())
    first.rename(deeper / first.name)
    found = list(read(tmp_path))
    assert [type(each) for each in found] == [Recording] * 2


@pytest.mark.parametrize("where", ["beside", "in it", "in its task"])
def test_about_as_deep_as_is_read_is_read_or_said(tmp_path: Path, where: str) -> None:
    file = _some()
    text = json.dumps(file | {"tasks": [{"id": file["simulations"][0]["task_id"], "x": "deep"}]})
    if where == "beside":
        text = text[:-1] + ', "x": "deep"}'
    elif where == "in it":
        text = text.replace('"trial"', '"x": "deep", "trial"', 1)
    for depth in (*range(880, 1010, 3), 5_000, 100_000):
        path = tmp_path / "a.json"
        path.write_text(text.replace('"deep"', "[" * depth + "]" * depth))
        found = list(read(path))
        assert len(found) in (1, 2)
        assert all(isinstance(each, Recording) or each.broken for each in found)


@pytest.mark.parametrize("lean", [True, False])
def test_a_task_in_another_encoding_is_said(tmp_path: Path, lean: bool) -> None:
    file = _some()
    file["tasks"] = [{"id": DATA_OFF, "description": "T\u00e9l\u00e9phone"}]
    file["simulations"][1]["task_id"] = "[mobile_data_issue]unheard_of"
    path = tmp_path / "a.json"
    path.write_text(json.dumps(file, ensure_ascii=False), encoding="latin-1")
    broken, other = read(path, lean=lean)
    assert isinstance(broken, Skipped)
    assert (broken.place, broken.broken, broken.why) == (0, True, "its task is not UTF-8 text")
    assert isinstance(other, Recording)
    path.write_text(json.dumps(file, ensure_ascii=False), encoding="utf-8")
    assert all(isinstance(each, Recording) for each in read(path, lean=lean))


def test_a_simulation_of_very_many_messages_costs_itself(tmp_path: Path) -> None:
    file = _some()
    file["simulations"][0]["messages"] = [{"role": "user"}] * 200_001
    file["simulations"][1]["x"] = '{"' * 300_000
    (tmp_path / "a.json").write_text(json.dumps(file))
    broken, other = read(tmp_path / "a.json")
    assert isinstance(broken, Skipped)
    assert broken.broken
    assert "more than 200,000 messages" in broken.why
    assert isinstance(other, Recording)


@pytest.mark.parametrize("side", ["agent_info", "user_info"])
def test_a_name_has_a_length(tmp_path: Path, side: str) -> None:
    file = _some()
    file["info"][side]["llm"] = "x" * 60_000
    (tmp_path / "a.json").write_text(json.dumps(file))
    (broken,) = read(tmp_path / "a.json")
    assert isinstance(broken, Skipped)
    assert "60,000 characters" in broken.why
