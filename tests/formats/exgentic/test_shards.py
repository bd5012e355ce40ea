"""Files that are broken, of another form or hostile: one sentence each, and the rest goes on."""

from __future__ import annotations

import importlib
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ringback.errors import InputError
from ringback.formats import Skipped
from ringback.formats.exgentic import Chosen, Row, Seen, rows
from ringback.formats.exgentic.write import schema, write
from tests.formats.exgentic.made import assistant, row, said, span

pa: Any = importlib.import_module("pyarrow")
parquet: Any = importlib.import_module("pyarrow.parquet")


def taken(
    *paths: Path, whole: bool = False, seen: Seen | None = None
) -> tuple[list[Row], list[Skipped]]:
    found = list(rows(paths, Chosen(), Seen() if seen is None else seen, whole=whole))
    return (
        [each for each in found if isinstance(each, Row)],
        [each for each in found if isinstance(each, Skipped)],
    )


def table(rows_: list[dict[str, Any]], **changed: Any) -> Any:
    """Rows as a table in which columns of the form have another type, or None for no column."""
    form = schema()
    for name, kind in changed.items():
        index = form.get_field_index(name)
        form = form.remove(index) if kind is None else form.set(index, pa.field(name, kind))
    kept = [{name: each.get(name) for name in form.names} for each in rows_]
    return pa.Table.from_pylist(kept, schema=form)


def test_figures_leave_the_conversations_on_the_disk(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", [row(1)])
    (lean,), _ = taken(tmp_path)
    (whole,), _ = taken(tmp_path, whole=True)
    assert lean.spans is not None
    assert lean.spans[0] is not None
    assert whole.spans is not None
    assert whole.spans[0] is not None
    assert "gen_ai.input.messages" not in lean.spans[0]["attributes"]
    assert "gen_ai.input.messages" in whole.spans[0]["attributes"]
    assert lean.cells == whole.cells


def test_progress_ends_with_all_rows(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", (row(number) for number in range(50)), group=20)
    write(tmp_path / "b.parquet", [row(1)])
    told: list[tuple[int, int]] = []
    done = list(
        rows([tmp_path], Chosen(), Seen(), whole=False, progress=lambda a, b: told.append((a, b)))
    )
    assert len(done) == 51
    assert told[-1] == (51, 51)
    assert [a for a, _ in told] == sorted(a for a, _ in told)


def test_a_file_named_twice_is_read_once(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", [row(1)])
    found, _ = taken(tmp_path, tmp_path / "a.parquet", tmp_path / "." / "a.parquet")
    assert len(found) == 1


def test_files_that_are_no_parquet_are_said_and_the_rest_is_read(tmp_path: Path) -> None:
    write(tmp_path / "good.parquet", [row(1)])
    data = (tmp_path / "good.parquet").read_bytes()
    (tmp_path / "zero.parquet").write_bytes(b"")
    (tmp_path / "text.parquet").write_text("session_id,success\n1,true\n")
    (tmp_path / "half.parquet").write_bytes(data[: len(data) // 2])
    (tmp_path / "magic.parquet").write_bytes(b"PAR1" + b"\xff" * 64 + b"PAR1")
    (tmp_path / "long.parquet").write_bytes(data[:-8] + b"\xff\xff\xff\x7fPAR1")
    seen = Seen()
    found, skipped = taken(tmp_path, tmp_path / "none.parquet", seen=seen)
    assert len(found) == 1
    names = {each.source for each in skipped}
    inside = {f"{tmp_path.name}/{n}.parquet" for n in ("zero", "text", "half", "magic", "long")}
    assert names == {*inside, "none.parquet"}
    assert all(each.broken and "\n" not in each.why for each in skipped)
    assert seen.files == [f"{tmp_path.name}/good.parquet"]


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"success": pa.string()}, "success"),
        ({"success": None}, "success"),
        ({"session_id": pa.int64()}, "session_id"),
        ({"models": pa.string()}, "models"),
        ({"agent_cost": pa.string()}, "agent_cost"),
        ({"steps": pa.float64()}, "steps"),
        ({"spans": pa.string()}, "spans"),
        ({"spans": pa.list_(pa.string())}, "spans"),
        ({"spans": pa.list_(pa.struct([("name", pa.string())]))}, "attributes"),
        ({"spans": pa.list_(pa.struct([("attributes", pa.string())]))}, "attributes"),
        (
            {
                "spans": pa.list_(
                    pa.struct([("attributes", pa.struct([("gen_ai.request.model", pa.int64())]))])
                )
            },
            "gen_ai.request.model",
        ),
        ({"spans": None}, "spans"),
    ],
)
def test_columns_of_another_type_are_not_guessed_at(
    tmp_path: Path, changed: dict[str, Any], word: str
) -> None:
    parquet.write_table(table([{}], **changed), tmp_path / "a.parquet")
    found, skipped = taken(tmp_path)
    assert not found
    assert len(skipped) == 1
    assert word in skipped[0].why
    assert skipped[0].broken


def test_columns_that_lack_are_named_and_unknown(tmp_path: Path) -> None:
    parquet.write_table(table([row(1)], agent_cost=None, status=None), tmp_path / "a.parquet")
    seen = Seen()
    (found,), _ = taken(tmp_path, seen=seen)
    assert "agent_cost" not in found.cells
    assert seen.missing == {"a.parquet": ("status", "agent_cost")}


def test_a_column_without_a_value_may_have_no_type(tmp_path: Path) -> None:
    data = table([{"session_id": "a"}], agent_cost=pa.null(), status=pa.null(), models=pa.null())
    parquet.write_table(data, tmp_path / "a.parquet")
    found, skipped = taken(tmp_path)
    assert len(found) == 1
    assert not skipped


def test_large_and_dictionary_texts_are_texts(tmp_path: Path) -> None:
    kinds = {
        "harness": pa.large_string(),
        "status": pa.dictionary(pa.int32(), pa.string()),
        "models": pa.large_list(pa.large_string()),
        "steps": pa.int32(),
        "score": pa.float32(),
    }
    parquet.write_table(table([row(1)], **kinds), tmp_path / "a.parquet")
    (found,), _ = taken(tmp_path)
    assert (found.cells["harness"], found.cells["status"]) == ("tool_calling", "unknown")


def test_a_repeated_column_is_refused(tmp_path: Path) -> None:
    data = table([row(1)])
    parquet.write_table(data.append_column("success", data["success"]), tmp_path / "a.parquet")
    _, skipped = taken(tmp_path)
    assert "success" in skipped[0].why


def test_text_that_is_no_text_costs_its_row_alone(tmp_path: Path) -> None:
    data = table([row(1), row(2), row(3)])
    bad = pa.array([b"ok", b"\xff\xfe", b"ok"]).cast(pa.binary())
    wrong = pa.StringArray.from_buffers(3, bad.buffers()[1], bad.buffers()[2])
    index = data.schema.get_field_index("run_id")
    parquet.write_table(data.set_column(index, "run_id", wrong), tmp_path / "a.parquet")
    seen = Seen()
    found, skipped = taken(tmp_path, seen=seen)
    assert [each.place for each in found] == [0, 2]
    assert [(each.place, each.broken) for each in skipped] == [(1, True)]
    assert seen.unread == 1


def test_a_schema_nested_without_end_is_refused(tmp_path: Path) -> None:
    deep: Any = pa.string()
    for _ in range(300):
        deep = pa.struct([("x", deep)])
    field = pa.field("deep", deep)
    data = pa.Table.from_arrays([pa.nulls(1, deep)], schema=pa.schema([field]))
    parquet.write_table(data, tmp_path / "a.parquet")
    found, skipped = taken(tmp_path)
    assert not found
    assert skipped[0].broken


def test_a_group_that_is_broken_leaves_the_others(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    write(path, (row(number) for number in range(30)), group=10)
    held = parquet.ParquetFile(path).metadata.row_group(1)
    column = next(
        held.column(i) for i in range(held.num_columns) if held.column(i).path_in_schema == "run_id"
    )
    data = bytearray(path.read_bytes())
    start = column.dictionary_page_offset or column.data_page_offset
    data[start : start + column.total_compressed_size] = b"\xff" * column.total_compressed_size
    path.write_bytes(data)
    seen = Seen()
    found, skipped = taken(path, seen=seen)
    assert [each.place for each in found] == [*range(10), *range(20, 30)]
    assert len(skipped) == 1
    assert "rows 10 to 19" in skipped[0].why
    assert seen.unread == 10


def test_what_damage_does_to_a_file_is_a_sentence_or_nothing(tmp_path: Path) -> None:
    """Bytes changed anywhere, in a process of its own: no crash, no traceback, no endless wait."""
    path = tmp_path / "a.parquet"
    write(path, (row(n, span([said("hello")] * 9, assistant("x"))) for n in range(40)), group=15)
    whole = path.read_bytes()
    chance = random.Random(7)
    folder = tmp_path / "damaged"
    folder.mkdir()
    for number in range(120):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 3, 30))):
            data[chance.randrange(len(data))] = chance.randrange(256)
        if chance.random() < 0.2:
            del data[chance.randrange(len(data)) :]
        (folder / f"{number:03}.parquet").write_bytes(data)
    code = (
        "import sys; from pathlib import Path; from ringback.formats.exgentic import read, Seen\n"
        "from ringback.formats import Skipped\n"
        "n = [isinstance(e, Skipped) for e in read([Path(sys.argv[1])], seen=Seen())]\n"
        "print(len(n), sum(n))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONFAULTHANDLER": "1"},
    )
    assert done.returncode == 0, done.stderr
    entries, skipped = map(int, done.stdout.split())
    assert entries > skipped > 20


def test_a_folder_without_parquet_files_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no Parquet file"):
        taken(tmp_path)


def test_a_cell_that_unpacks_to_very_much_is_not_unpacked(tmp_path: Path) -> None:
    """A few kilobytes on the disk; the figures do not need it, the conversation is refused."""
    path = tmp_path / "a.parquet"
    bomb = pa.array(["x" * (140 << 20)], type=pa.string())
    data = table([row(1)])
    index = data.schema.get_field_index("run_id")
    parquet.write_table(
        data.set_column(index, "run_id", bomb), path, compression="zstd", write_statistics=False
    )
    assert path.stat().st_size < 200_000
    write(tmp_path / "b.parquet", [row(2)])
    found, skipped = taken(tmp_path)
    assert [each.source for each in found] == ["b.parquet"]
    assert "too much" in skipped[0].why


@pytest.mark.parametrize("says", [30, 15])
@pytest.mark.parametrize("whole", [False, True])
def test_a_group_that_holds_other_rows_than_it_says_is_said(
    tmp_path: Path, says: int, whole: bool
) -> None:
    path = tmp_path / "a.parquet"
    write(path, (row(number) for number in range(23)))
    data = bytearray(path.read_bytes())
    place = data.rfind(b"\x16\x2e")  # 23 as the footer spells it, the row group's last number
    data[place + 1] = says * 2
    path.write_bytes(data)
    assert parquet.ParquetFile(path).metadata.row_group(0).num_rows == says
    write(tmp_path / "b.parquet", [row(99)])
    seen = Seen()
    found, skipped = taken(tmp_path, whole=whole, seen=seen)
    assert [each.source for each in found][-1] == "b.parquet"
    assert [each.broken for each in skipped] == [True]
    assert seen.unread == says


def test_more_files_than_can_be_open_at_once_are_read(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    del resource
    for number in range(60):
        write(tmp_path / f"{number:02}.parquet", [row(number)])
    code = (
        "import resource, sys; from pathlib import Path\n"
        "from ringback.formats.exgentic import Chosen, Seen, rows\n"
        "import pyarrow.parquet\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))\n"
        "seen = Seen(); n = len(list(rows([Path(sys.argv[1])], Chosen(), seen, whole=False)))\n"
        "print(n, seen.unopened)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.stdout == "60 0\n", done.stderr


def test_what_goes_wrong_in_telling_is_not_laid_to_the_file(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", [row(1)])

    def tell(done: int, of: int) -> None:
        raise OSError(f"no terminal for {done} of {of}")

    with pytest.raises(OSError, match="no terminal"):
        list(rows([tmp_path], Chosen(), Seen(), whole=False, progress=tell))


def test_rows_of_another_version_are_read_counted_and_said_once_a_file(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", [row(place, schema_version="1.3") for place in range(3)])
    write(tmp_path / "b.parquet", [row(9), row(10, schema_version=None)])
    seen = Seen()
    found, skipped = taken(tmp_path, whole=True, seen=seen)
    assert (len(found), skipped) == (5, [])
    (remark,) = seen.remarks()
    assert remark.startswith("a.parquet: schema_version is not 1.2 in 3 of its rows but '1.3';")
    odd = [row(place, schema_version=f"{place}\n" * 50) for place in range(1200)]
    write(tmp_path / "c.parquet", odd)
    taken(tmp_path / "c.parquet", seen=seen)
    said = list(seen.remarks())
    assert len(said) <= 3
    assert all(len(each) < 400 and "\n" not in each for each in said)
    assert sum(seen.versions.values()) == 1203


def test_of_files_of_one_name_each_keeps_its_columns(tmp_path: Path) -> None:
    files = [tmp_path / name / "0000.parquet" for name in ("p1", "p2")]
    for file in files:
        file.parent.mkdir()
        one = table([row(1)], models=None).append_column(file.parent.name, pa.array([1]))
        parquet.write_table(one, file)
    seen = Seen()
    found, _ = taken(*files, seen=seen)
    names = ["p1/0000.parquet", "p2/0000.parquet"]
    assert [each.source for each in found] == names
    assert seen.missing == dict.fromkeys(names, ("models",))
    assert seen.extra == {name: (name[:2],) for name in names}


def test_a_text_that_a_dictionary_holds_once_counts_wherever_it_stands(tmp_path: Path) -> None:
    text = said("x" * 4_000_000)
    many = row(1, *[span([text], assistant("hi"))] * 40)
    write(tmp_path / "a.parquet", [row(0), many, row(2)])
    assert (tmp_path / "a.parquet").stat().st_size < 100_000
    found, (broken,) = taken(tmp_path, whole=True)
    assert [each.place for each in found] == [0, 2]
    assert (broken.place, broken.broken) == (1, True)
    assert "bytes, which is too much" in broken.why


@pytest.mark.parametrize("whole", [True, False])
def test_a_date_out_of_range_costs_its_row(tmp_path: Path, whole: bool) -> None:
    made = table([row(0), row(1)])
    far = pa.array([0, 2**62], pa.int64()).cast(pa.timestamp("us"))
    parquet.write_table(made.append_column("x", far), tmp_path / "a.parquet")
    found, skipped = taken(tmp_path, whole=whole)
    assert len(found) + len(skipped) == 2
    assert [each.place for each in skipped] == ([1] if whole else [])


def test_a_footer_that_states_more_rows_than_memory_is_a_sentence(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", [row(number) for number in range(70)])
    data = (tmp_path / "a.parquet").read_bytes()
    size = int.from_bytes(data[-8:-4], "little")
    footer, stated = data[-8 - size : -8], b"\x8c\x01"  # 70, as Thrift writes it
    assert stated in footer
    forged = footer.replace(stated, b"\x80\x80\x80\x80\x80\x80\x10")
    path = tmp_path / "b.parquet"
    end = len(forged).to_bytes(4, "little") + b"PAR1"
    path.write_bytes(data[: -8 - size] + forged + end)
    for whole in (True, False):
        found, (broken,) = taken(path, whole=whole)
        assert not found
        assert "which is too much" in broken.why
