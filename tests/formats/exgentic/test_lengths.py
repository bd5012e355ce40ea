"""What a row's texts hold is known before one of them is made, and hostile files take no memory."""

from __future__ import annotations

import importlib
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from ringback.formats import Skipped
from ringback.formats.exgentic import Chosen, Row, Seen, rows
from ringback.formats.exgentic.footer import groups
from ringback.formats.exgentic.sizes import long_texts
from ringback.formats.exgentic.write import schema, write
from tests.formats.exgentic.made import row

pa: Any = importlib.import_module("pyarrow")
parquet: Any = importlib.import_module("pyarrow.parquet")

NESTED = pa.list_(pa.struct([("x", pa.string()), ("y", pa.list_(pa.string()))]))


def _cell(chance: random.Random) -> Any:
    word = lambda: chance.choice([None, "", "a", "é" * 20, "w" * chance.randrange(200)])  # noqa: E731
    spans = [
        None
        if chance.random() < 0.1
        else {
            "x": word(),
            "y": chance.choice([None, [], [word() for _ in range(chance.randrange(4))]]),
        }
        for _ in range(chance.randrange(6))
    ]
    return chance.choice([None, [], spans, spans, spans])


def _bytes(cell: Any) -> int:
    """The bytes of all texts in a value."""
    if isinstance(cell, str):
        return len(cell.encode())
    if isinstance(cell, dict):
        return sum(_bytes(each) for each in cast("dict[str, Any]", cell).values())
    return sum(_bytes(each) for each in cast("list[Any]", cell)) if isinstance(cell, list) else 0


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("codec", ["none", "snappy", "zstd", "gzip", "brotli", "lz4"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_the_texts_of_each_row_are_added_up(
    tmp_path: Path, version: str, codec: str, dictionary: bool
) -> None:
    for seed in range(4):
        chance = random.Random(seed)
        cells = [_cell(chance) for _ in range(chance.randrange(1, 300))]
        plain = [chance.choice(["", "abc", "same", "x" * 70]) for _ in cells]
        made = pa.table({"spans": pa.array(cells, NESTED), "plain": pa.array(plain)})
        parquet.write_table(
            made,
            tmp_path / "a.parquet",
            compression=codec,
            data_page_version=version,
            use_dictionary=dictionary,
            dictionary_pagesize_limit=chance.choice([64, 1 << 20]),
            data_page_size=chance.choice([100, 1 << 20]),
            write_batch_size=chance.choice([3, 1024]),
            row_group_size=chance.choice([7, 1000]),
        )
        schema = parquet.read_metadata(tmp_path / "a.parquet").schema
        columns = [schema.column(index) for index in range(len(schema))]
        found: list[int] = []
        with (tmp_path / "a.parquet").open("rb") as file:
            for group in groups(file):
                found += long_texts(file, columns, group, None, ())
        assert found == [_bytes(a) + _bytes(b) for a, b in zip(cells, plain, strict=True)]


def _bomb(path: Path, *, text: int, spans: list[int], texts: int = 1) -> None:
    """A file of a row for each number of spans, whose messages are a few texts of so many bytes."""
    form = schema()
    made = pa.Table.from_pylist([row(number) for number in range(len(spans))], schema=form)
    span = made["spans"].combine_chunks().flatten()[:1]
    total = sum(spans)
    fields = {name: span.field(name) for name in ("attributes", "status")}
    messages = pa.DictionaryArray.from_arrays(
        pa.array([number % texts for number in range(total)], pa.int32()),
        pa.array([chr(97 + number) * text for number in range(texts)]),
    )
    attributes = _many(fields["attributes"], total, {"gen_ai.input.messages": messages})
    inner = _many(span, total, {"attributes": attributes})
    offsets = [0]
    for count in spans:
        offsets.append(offsets[-1] + count)
    index = form.get_field_index("spans")
    made = made.set_column(index, "spans", pa.ListArray.from_arrays(pa.array(offsets), inner))
    parquet.write_table(
        made,
        path,
        compression="zstd",
        write_statistics=False,
        dictionary_pagesize_limit=1 << 30,
        store_schema=False,
    )


def _many(one: Any, count: int, instead: dict[str, Any]) -> Any:
    """A structure so many times, with other values in some of its fields."""
    names = [one.type.field(index).name for index in range(one.type.num_fields)]
    places = pa.array([0] * count)
    return pa.StructArray.from_arrays(
        [instead.get(name, one.field(name).take(places)) for name in names], names=names
    )


def _peak(folder: Path, command: str) -> tuple[str, int]:
    """What a process says that reads a folder, and its peak in MB."""
    code = (
        "import sys; from pathlib import Path\n"
        "from ringback.formats import Skipped\n"
        "from ringback.formats.exgentic import Chosen, Seen, rows\n"
        f"for each in rows([Path(sys.argv[1])], Chosen(), Seen(), whole={command == 'import'}):\n"
        "    skipped = isinstance(each, Skipped)\n"
        "    print(each.source, each.place, each.why if skipped else 'read')\n"
        "status = Path('/proc/self/status').read_text()\n"
        "print(int(status.partition('VmHWM:')[2].split()[0]) // 1024)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    *said, peak = done.stdout.splitlines()
    return "\n".join(said), int(peak)


@pytest.mark.skipif(sys.platform != "linux", reason="a peak is told in other units elsewhere")
@pytest.mark.parametrize("command", ["import", "report"])
@pytest.mark.parametrize(
    ("text", "texts", "spans", "good"),
    [
        (70 << 20, 1, [1, 40, 1], 1),  # one text of 70 MB in forty cells
        (20 << 20, 5, [1, 60, 60], 1),
        (1 << 20, 70, [60, 3000, 60], 1),
        (300_000, 250, [200, 5000, 200], 1),
    ],
)
def test_texts_that_stand_in_many_cells_take_up_no_gigabyte(
    tmp_path: Path, command: str, text: int, texts: int, spans: list[int], good: int
) -> None:
    _bomb(tmp_path / "a.parquet", text=text, spans=spans, texts=texts)
    held = parquet.read_metadata(tmp_path / "a.parquet").row_group(0)
    assert held.total_byte_size > 64 << 20  # as it says itself
    assert (tmp_path / "a.parquet").stat().st_size < 1_000_000
    write(tmp_path / "b.parquet", [row(9)])
    said, peak = _peak(tmp_path, command)
    *lines, last = said.splitlines()
    assert last == "b.parquet 0 read"
    assert peak < 800, said
    if command == "import":
        assert sum(line.endswith(" read") for line in lines) == good
        assert lines[good].startswith(
            f"a.parquet None rows {good} to {len(spans) - 1} cannot be read"
        )
        assert "too much" in lines[good]


def _one(**columns: Any) -> Any:
    """A row as a table, with other values in some of its columns."""
    made = pa.Table.from_pylist([row(0)], schema=schema())
    for name, values in columns.items():
        made = made.set_column(made.schema.get_field_index(name), name, values)
    return made


def _many_values(path: Path) -> None:
    """Forty million texts in a list, which are one run of numbers."""
    count = 40_000_000
    same = pa.DictionaryArray.from_arrays(pa.nulls(count, pa.int8()).fill_null(0), pa.array(["a"]))
    models = pa.ListArray.from_arrays(pa.array([0, count], pa.int32()), same)
    parquet.write_table(
        _one(models=models), path, compression="zstd", write_statistics=False, store_schema=False
    )


def _prefixes(path: Path) -> None:
    """Texts that say how much they have in common with the one before: all of it, again and again.

    In a column that a file may hold beside those of the form.
    """
    texts = ["x" * 1_000_000 + str(number) for number in range(100)]
    made = _one().append_column("more", pa.array([texts]))
    parquet.write_table(
        made,
        path,
        compression="zstd",
        use_dictionary=False,
        column_encoding={"more.list.element": "DELTA_BYTE_ARRAY"},
        write_statistics=False,
    )


def _page(path: Path) -> None:
    """One page of 300 MB of nothing."""
    parquet.write_table(
        pa.concat_tables([_one(run_id=pa.array(["x" * (300 << 20)])), _one(), _one()]),
        path,
        compression="zstd",
        use_dictionary=False,
        write_statistics=False,
    )


def _understated(path: Path) -> None:
    """A footer that says of a column that it holds a kilobyte."""
    _bomb(path, text=20 << 20, spans=[1, 1], texts=2)
    data = path.read_bytes()
    size = int.from_bytes(data[-8:-4], "little")
    footer = bytearray(data[-8 - size : -8])
    stated = max(
        parquet.read_metadata(path).row_group(0).column(index).total_uncompressed_size
        for index in range(parquet.read_metadata(path).num_columns)
    )
    spelled = _varint(2 * stated)
    assert footer.count(spelled) == 1
    place = footer.index(spelled)
    footer[place : place + len(spelled)] = _padded(2048, len(spelled))
    path.write_bytes(data[: -8 - size] + footer + data[-8:])


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def _padded(number: int, length: int) -> bytes:
    """The number in just so many bytes."""
    parts = [number >> 7 * place & 127 for place in range(length)]
    return bytes([*(part | 128 for part in parts[:-1]), parts[-1]])


@pytest.mark.skipif(sys.platform != "linux", reason="a peak is told in other units elsewhere")
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (_many_values, "beside their texts, which is too much"),
        (_prefixes, "spelled by prefixes and may unpack to any size"),
        (_page, "unpacks to 314,572,8"),
        (_understated, "pages hold more than the file says"),
    ],
)
def test_what_would_unpack_to_very_much_is_a_sentence(
    tmp_path: Path, make: Callable[[Path], None], words: str
) -> None:
    make(tmp_path / "a.parquet")
    assert (tmp_path / "a.parquet").stat().st_size < 1_000_000
    write(tmp_path / "b.parquet", [row(9)])
    said, peak = _peak(tmp_path, "import")
    first, last = said.splitlines()
    assert first.startswith("a.parquet None rows 0 to ")
    assert words in first
    assert last == "b.parquet 0 read"
    assert peak < 500, said


def test_statistics_that_do_not_fit_are_a_sentence_and_end_no_process(tmp_path: Path) -> None:
    """There pyarrow ends the process: where a histogram of levels is of a column without any."""
    write(tmp_path / "a.parquet", [row(1)])
    data = (tmp_path / "a.parquet").read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    may_be_empty = data.index(b"\x25\x02\x18", start)
    (tmp_path / "a.parquet").write_bytes(
        data[: may_be_empty + 1] + b"\x00" + data[may_be_empty + 2 :]
    )
    write(tmp_path / "b.parquet", [row(9)])
    for command in ("import", "report"):
        said, _ = _peak(tmp_path, command)
        assert said.splitlines()[-1] == "b.parquet 0 read"


@pytest.mark.parametrize(
    ("before", "kept", "after", "words"),
    [
        (b"PARX", slice(4, None), b"", "it does not begin as such a file does"),
        (b"", slice(-4), b"PARE", "it does not end as such a file does"),
        (b"", slice(-20), b"", "it does not end as such a file does"),
        (b"", slice(-8), b"\xff\xff\xff\x7fPAR1", "it does not end as such a file does"),
        (b"", slice(0), b"", "it is empty"),
        (b"PAR1", slice(0), b"", "it does not end as such a file does"),
    ],
    ids=["begins", "ends", "cut", "footer", "empty", "mark"],
)
def test_a_file_that_is_cut_off_or_no_parquet_says_so(
    tmp_path: Path, before: bytes, kept: slice, after: bytes, words: str
) -> None:
    write(tmp_path / "a.parquet", [row(1)])
    write(tmp_path / "b.parquet", [row(9)])
    path = tmp_path / "a.parquet"
    path.write_bytes(before + path.read_bytes()[kept] + after)
    first, second = rows([tmp_path], Chosen(), Seen(), whole=True)
    assert isinstance(first, Skipped)
    assert (first.source, first.broken) == ("a.parquet", True)
    assert first.why == f"it cannot be read as Parquet: {words}"
    assert isinstance(second, Row)
