"""Files as large as anybody likes: in time that grows with them, and in little memory."""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ringback.formats import Recording, Skipped, files
from ringback.formats.regrade import regrade
from ringback.formats.tau2 import read, streaming
from tests.formats.tau2.made import result_file, solved, write

texts = st.text(st.sampled_from('a"\\[]{},é\n'), max_size=8) | st.just("simulations")
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
quick = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@quick
@given(
    before=st.dictionaries(texts.filter(lambda key: key != "simulations"), values, max_size=2),
    entries=st.lists(values, max_size=5),
    indent=st.sampled_from([None, 1]),
    chunk=st.sampled_from([1, 2, 3, 7, 20, 1000]),
    name=st.sampled_from(['"simulations"', '"simul\\u0061tions"']),
)
def test_piece_by_piece_is_what_a_decoder_gives(
    tmp_path: Path,
    before: dict[str, Any],
    entries: list[Any],
    indent: Any,
    chunk: int,
    name: str,
) -> None:
    body = json.dumps({**before, "*": None}, indent=indent, ensure_ascii=False)
    text = body.replace('"*": null', f'{name}: {json.dumps(entries, indent=indent)}, "end": [1]')
    path = tmp_path / "x.json"
    path.write_text(text, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "_CHUNK", chunk)
        found = [msgspec.json.decode(each) for each in streaming.simulations(path) if each]
        beside = json.loads(streaming.skeleton(path))
    assert found == entries
    assert beside == {**before, "simulations": [], "end": [1]}


def long_file(path: Path, **fields: Any) -> Path:
    """Three simulations; the second, or what stands beside them, has these fields too."""
    value = result_file([solved().simulation(id=name) for name in "abc"])
    value["simulations"][1] |= fields.pop("simulation", {})
    return write(path, value | fields)


def cost(path: Path) -> float:
    began = time.process_time()
    list(streaming.simulations(path))
    return time.process_time() - began


@pytest.mark.parametrize("text", ["x", "\n", '"'])
def test_a_long_text_takes_time_that_grows_with_it(tmp_path: Path, text: str) -> None:
    short = long_file(tmp_path / "short.json", simulation={"long": text * (2 << 20)})
    long = long_file(tmp_path / "long.json", simulation={"long": text * (20 << 20)})
    taken = min(cost(short) for _ in range(3))
    assert cost(long) < 10 * (taken + 0.1)  # it was a hundred times as long


def test_what_is_too_large_costs_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "MOST", 100_000)
    monkeypatch.setattr("ringback.formats.tau2.reading.read_bytes", _too_large)
    path = long_file(tmp_path / "one.json.gz", simulation={"long": "x" * 200_000})
    first, second, third = read(path)
    assert isinstance(first, Recording)
    assert isinstance(third, Recording)
    assert isinstance(second, Skipped)
    assert (second.place, second.broken) == (1, True)
    assert "larger than" in second.why
    (found,) = read(long_file(tmp_path / "beside.json.gz", long="x" * 200_000))
    assert isinstance(found, Skipped)
    assert "beside its simulations" in found.why


def _too_large(path: Path, *, most: int = 0) -> bytes:
    raise files.TooLarge(f"holds more than {most} bytes")


def test_more_values_than_memory_holds_are_gone_through_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = long_file(tmp_path / "many.json", simulation={"long": [1] * 20_000})
    whole = list(read(path))
    monkeypatch.setattr("ringback.formats.tau2.reading._MOST_VALUES", 10_000)
    assert list(read(path)) == whole
    (found,) = read(long_file(tmp_path / "beside.json", long=[1] * 20_000))
    assert isinstance(found, Skipped)
    assert "more than 10,000 values beside its simulations" in found.why


def test_a_bomb_of_one_long_text_is_refused_soon(tmp_path: Path) -> None:
    path = tmp_path / "bomb.json.gz"
    with gzip.open(path, "wb") as file:
        file.write(b'{"info": "')
        for _ in range(80):
            file.write(b"x" * (1 << 20))
        file.write(b'"}')
    began = time.process_time()
    (found,) = read(path)
    assert isinstance(found, Skipped)
    assert "as no recording does" in found.why
    assert time.process_time() - began < 5


def test_a_file_of_things_that_are_none_is_left_in_the_end(tmp_path: Path) -> None:
    value = result_file([])
    value["simulations"] = [1] * 9_000 + [solved().simulation()] + [1] * 20_000
    found = list(read(write(tmp_path / "many.json", value)))
    assert len(found) == 19_002
    assert isinstance(found[9_000], Recording)
    last = found[-1]
    assert isinstance(last, Skipped)
    assert "10,000 entries in a row could not be read" in last.why


def twice(path: Path, extra: str) -> list[Recording | Skipped]:
    text = json.dumps(result_file([solved().simulation()]))
    path.write_text("{" + extra + ", " + text[1:])
    return list(read(path))


def test_two_lists_of_simulations_are_both_read_and_said(tmp_path: Path) -> None:
    first = json.dumps([solved().simulation(id="x"), solved().simulation(id="y")])
    found = twice(tmp_path / "a.json", f'"simulations": {first}')
    assert [type(each) for each in found] == [Skipped, Recording, Recording, Recording]
    said = found[0]
    assert isinstance(said, Skipped)
    assert said.why == "it has the key 'simulations' twice; all of them are read"
    assert said.broken
    places = [each.origin.place for each in found if isinstance(each, Recording)]
    assert places == [0, 1, 2]


@pytest.mark.parametrize("key", ["info", "tasks", "simulation_index"])
def test_a_file_that_says_a_thing_twice_is_not_guessed_at(tmp_path: Path, key: str) -> None:
    (found,) = twice(tmp_path / "a.json", f'"{key}": [], "{key}": [1]')
    assert isinstance(found, Skipped)
    assert found.broken
    assert f"{key!r}" in found.why


def test_other_keys_twice_are_nothing_to_us(tmp_path: Path) -> None:
    (found,) = twice(tmp_path / "a.json", '"note": 1, "note": 2')
    assert isinstance(found, Recording)


def test_a_simulation_that_says_a_thing_twice_costs_itself(tmp_path: Path) -> None:
    text = json.dumps(result_file([solved().simulation(id="x"), solved().simulation(id="y")]))
    path = tmp_path / "a.json"
    path.write_text(text.replace('"id": "x"', '"messages": [], "id": "x"'))
    first, second = read(path)
    assert isinstance(first, Skipped)
    assert first.why == "it has the key 'messages' twice, and which holds is unknown"
    assert isinstance(second, Recording)


@pytest.mark.parametrize(
    ("place", "there", "beside"),
    [
        ("messages[].content", '"content": "It does not', '"content": "It works.", '),
        ("messages[].usage.prompt_tokens", '"prompt_tokens"', '"prompt_tokens": 1, '),
        ("messages[].tool_calls[].arguments.phone_number", '"phone_number"', '"phone_number": 1, '),
        ("reward_info.reward", '"reward":', '"reward": 0.0, '),
        ("messages[].raw_data.number", '"number"', '"number": 1, '),
    ],
)
def test_a_simulation_that_says_a_thing_twice_deeper_in_costs_itself(
    tmp_path: Path, place: str, there: str, beside: str
) -> None:
    text = json.dumps(result_file([solved().simulation(id="x"), solved().simulation(id="y")]))
    assert text.count(there) > 1
    path = tmp_path / "a.json"
    for spelling in (beside, beside.replace(": ", " :\n")):
        path.write_text(text.replace(there, spelling + there, 1))
        for lean in (True, False):
            first, second = read(path, lean=lean)
            assert isinstance(first, Skipped)
            assert first.why == f"it has the key {place!r} twice, and which holds is unknown"
            assert (first.place, first.broken) == (0, True)
            assert isinstance(second, Recording)


def test_an_opening_or_an_index_that_says_a_thing_twice_is_not_guessed_at(tmp_path: Path) -> None:
    whole = {**result_file([solved().simulation()]), "simulation_index": [{"id": "x"}]}
    text = json.dumps(whole)
    path = tmp_path / "a.json"
    path.write_text(text.replace('"llm": ', '"llm": "other", "llm": ', 1))
    (found,) = read(path)
    assert isinstance(found, Skipped)
    assert found.broken
    assert found.why.startswith("its info has the key ")
    path.write_text(text.replace('[{"id": "x"}]', '[{"id": "x", "id": "y"}]'))
    said, session = read(path)
    assert isinstance(said, Skipped)
    assert said.why == (
        "its simulation_index has the key '[].id' twice, and which holds is unknown"
    )
    assert isinstance(session, Recording)


def test_a_task_that_says_a_thing_twice_is_not_what_the_file_graded_by(tmp_path: Path) -> None:
    text = json.dumps(result_file([solved().simulation()]))
    there = '"reward_basis": ["ENV'
    (plain,) = read(write(tmp_path / "b.json", json.loads(text)))
    assert isinstance(plain, Recording)
    assert not regrade(plain.events).task_differs
    path = tmp_path / "a.json"
    assert text.rindex(there) > text.index('"tasks"')
    at = text.index(there, text.index('"tasks"'))
    path.write_text(f'{text[:at]}"reward_basis": ["ACTION"], {text[at:]}')
    (found,) = read(path)
    assert isinstance(found, Recording)
    line = regrade(found.events)
    assert line.task_differs == ("a task that has a key twice, of which either may hold",)
    assert line.reward == 1.0
