"""Reading anyone's outcomes: the forms, and a sentence with file and line for all that is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringback.errors import InputError
from ringback.stats.outcomes import Columns, Outcomes, Result, names_of, read_outcomes


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(folder: Path, name: str, content: str | bytes, **columns: str) -> Outcomes:
    return read_outcomes(put(folder, name, content), Columns(**columns))


WANTED = {"a": {"0": Result(True, 0.5), "1": Result(False, None)}, "b": {"0": Result(True, 2.0)}}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.csv", "case,trial,outcome,cost\na,0,1,0.5\na,1,0,\nb,0,true,2\n"),
        ("x.csv", "\ufeffcase,trial,outcome,cost\r\na,0,1,0.5\r\na,1,0,\r\nb,0,TRUE,2\r\n"),
        ("x.csv", 'cost;outcome;"case";trial\n2;1.0;b;0\n\n0.5;1;"a";0\n;False;a;1'),
        ("x.tsv", "case\ttrial\toutcome\tcost\tmore\na\t0\t1\t5e-1\tx\na\t1\t0\t\t\nb\t0\t1\t2\t"),
        ("x", "case,trial,outcome,cost\na,0,1,.5\na,1,0,\nb,0,1,2.\n"),
        (
            "x.json",
            '[{"case":"a","trial":0,"outcome":true,"cost":0.5},'
            '{"case":"a","trial":1,"outcome":0},{"case":"b","trial":0.0,"outcome":1,"cost":2}]',
        ),
        (
            "x.jsonl",
            '{"case":"a","trial":0,"outcome":1.0,"cost":0.5}\n\n'
            '{"case":"a","trial":"1","outcome":false,"cost":null}\n'
            '{"case":"b","trial":0,"outcome":"1","cost":2}',
        ),
        (
            "x.txt",
            '{"case":"a","trial":0,"outcome":1,"cost":0.5}\n'
            '{"case":"a","trial":1,"outcome":0}\n{"case":"b","trial":0,"outcome":1,"cost":2}',
        ),
    ],
)
def test_one_table_in_many_forms(tmp_path: Path, name: str, content: str) -> None:
    assert read(tmp_path, name, content) == Outcomes("x", WANTED, True)


def test_a_column_that_is_named_for_something_is_nothing_else_by_default(tmp_path: Path) -> None:
    rows = "trial,cost\na,1\nb,0\n"
    found = read(tmp_path, "x.csv", rows, case="trial", outcome="cost")
    assert found == Outcomes(
        "x", {"a": {"": Result(True, None)}, "b": {"": Result(False, None)}}, costs=False
    )
    with pytest.raises(InputError, match="case 'a' occurs a second time"):
        read(tmp_path, "x.csv", rows + "a,1\n", case="trial", outcome="cost")


def test_a_cost_of_more_digits_than_a_float_holds_is_no_amount(tmp_path: Path) -> None:
    whole = f'[{{"case":"a","outcome":1,"cost":{"9" * 400}}}]'
    with pytest.raises(InputError, match=r"x\.json, item 1: cost 9+… is no amount"):
        read(tmp_path, "x.json", whole)


def test_the_order_of_rows_does_not_matter(tmp_path: Path) -> None:
    lines = [f"c{n},{n % 2}" for n in range(20)]
    one = read(tmp_path, "x.csv", "\n".join(["case,outcome", *lines]))
    other = read(tmp_path, "x.csv", "\n".join(["case,outcome", *lines[::-1]]))
    assert list(one.cases) == list(other.cases)
    assert (one.costs, one.episodes) == (False, 20)


def test_columns_by_other_names(tmp_path: Path) -> None:
    text = "id,run,reward,usd\na,1,1.0,3\na,2,0.0,4\n"
    found = read(tmp_path, "x.csv", text, case="id", trial="run", outcome="reward", cost="usd")
    assert found.cases == {"a": {"1": Result(True, 3.0), "2": Result(False, 4.0)}}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "x.csv is empty"),
        ("\n\n", "x.csv is empty"),
        ("\ufeff", "x.csv is empty"),
        ("case,outcome\n", "a header and no row"),
        ("case,result\na,1\n", "x.csv, line 1: has no column 'outcome'; it has 'case', 'result'."),
        ("case,outcome\na,1\na,0\n", "line 3: case 'a' occurs a second time; if these are trials"),
        (
            "case,outcome,trial\na,1,0\na,0,0\n",
            "line 3: case 'a', trial '0', occurs a second time.",
        ),
        ("case,outcome\na,2\n", "line 2: outcome '2' is not 0, 1, true or false"),
        ("case,outcome\na,yes\n", "line 2: outcome 'yes' is not"),
        ("case,outcome\na,\n", "line 2: outcome '' is not"),
        ("case,outcome\na,nan\n", "line 2: outcome 'nan' is not"),
        ("case,outcome\n,1\n", "line 2: column 'case' names nothing"),
        ("case,outcome\na\n", "line 2: has another number of cells (1) than the header (2)."),
        ("case,outcome\na,1,2\n", "line 2: has another number of cells (3) than the header (2)."),
        ("case,outcome,outcome\na,1,1\n", "line 1: has two columns named 'outcome'"),
        ("case,outcome,cost\na,1,nan\n", "line 2: cost 'nan' is no number"),
        ("case,outcome,cost\na,1,$3\n", "line 2: cost '$3' is no number"),
        ("case,outcome,cost\na,1,-3\n", "line 2: cost -3.0 is no amount"),
        ("case,outcome,cost\na,1,1e999\n", "line 2: cost inf is no amount"),
        ('case,outcome\n"a,1\n', "line 2: is no CSV"),
        ('case,outcome\n"a"b,1\n', "line 2: is no CSV"),
        ('case,outcome\n"a\nb",1\nc,3\n', "line 4: outcome '3'"),
        ('"case,outcome\n', "line 1: is no CSV"),
        ("\n\ncase,outcome\na,7\n", "line 4: outcome '7'"),
        (b"case,outcome\na,1\n\xff,1\n", "line 3: is not UTF-8"),
        ("case,outcome\na,1\n".encode("utf-16"), "is UTF-16"),
        (b"PK\x03\x04\0\0", "holds a NUL"),
        ("case,outcome\n" + "a" * (1 << 21) + ",1\n", "line 2: is longer than"),
        ("case,outcome\n" + "a" * 200_000 + ",1\n", "line 2: is no CSV"),
    ],
)
def test_what_is_wrong_with_a_csv_is_said_with_its_line(
    tmp_path: Path, content: str | bytes, said: str
) -> None:
    with pytest.raises(InputError) as refused:
        read(tmp_path, "x.csv", content)
    assert said in str(refused.value)
    assert "x.csv" in str(refused.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        ("[]", "is empty"),
        ("{}", "should hold a list of objects, not an object"),
        ("[1]", "item 1: should be an object, not a number"),
        ("[[], null]", "item 1: should be an object, not a list"),
        ('[{"case":"a"}]', "item 1: has no column 'outcome'; it has 'case'."),
        ('[{"case":"a","outcome":1},{"case":"b"}]', "item 2: has no column 'outcome'"),
        ('[{"case":null,"outcome":1}]', "item 1: column 'case' names nothing"),
        ('[{"case":true,"outcome":1}]', "item 1: column 'case' names nothing"),
        ('[{"case":"a","outcome":null}]', "item 1: outcome None is not"),
        ('[{"case":"a","outcome":[1]}]', "item 1: outcome [1] is not"),
        ('[{"case":"a","outcome":0.5}]', "item 1: outcome 0.5 is not"),
        ('[{"case":"a","outcome":1,"cost":NaN}]', "NaN is no JSON"),
        ('[{"case":"a","outcome":1,"cost":true}]', "item 1: cost True is no number"),
        ('[{"case":"a","case":"b","outcome":1}]', "an object has 'case' twice"),
        ('[{"case":"a",\n"outcome":}]', "line 2: is no JSON"),
        ("[" * 100_000, "is nested too deeply"),
        ('[{"case":"a","outcome":' + "1" * 5000 + "}]", "too many digits"),
        ('[{"case":"a","trial":1,"outcome":1},{"case":"a","outcome":1}]', "no column 'trial'"),
        ('[{"case":"a","outcome":1},{"case":"b","trial":1,"outcome":1}]', "rows before it lack"),
        (b"[\n\xff]", "line 2: is not UTF-8"),
    ],
)
def test_what_is_wrong_with_json_is_said(tmp_path: Path, content: str | bytes, said: str) -> None:
    with pytest.raises(InputError) as refused:
        read(tmp_path, "x.json", content)
    assert said in str(refused.value)
    assert "x.json" in str(refused.value)


def test_jsonl_is_said_by_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x.jsonl, line 3: is no JSON"):
        read(tmp_path, "x.jsonl", '{"case":"a","outcome":1}\n\n{"case"\n')
    with pytest.raises(InputError, match=r"x.jsonl is empty"):
        read(tmp_path, "x.jsonl", "\n")


def test_a_column_cannot_hold_two_things(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="two things"):
        read(tmp_path, "x.csv", "case,outcome\na,1", case="outcome")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        read_outcomes(tmp_path, Columns())


@given(st.binary(max_size=200), st.sampled_from(["x.csv", "x.json", "x.jsonl", "x"]))
@settings(max_examples=150, deadline=None)
def test_whatever_a_file_holds_there_is_a_sentence_or_a_table(content: bytes, name: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        try:
            found = read(Path(folder), name, b"case,outcome\n" + content)
        except InputError:
            return
    assert found.episodes > 0


@given(st.dictionaries(st.text(min_size=1), st.booleans(), min_size=1))
@settings(max_examples=60, deadline=None)
def test_any_text_can_name_a_case(results: dict[str, bool]) -> None:
    import tempfile

    rows = [{"case": case, "outcome": outcome} for case, outcome in results.items()]
    with tempfile.TemporaryDirectory() as folder:
        found = read(Path(folder), "x.json", json.dumps(rows))
    assert {case: trials[""].solved for case, trials in found.cases.items()} == results


def test_names_come_of_files_and_of_paths_where_alike() -> None:
    assert names_of([Path("a.csv"), Path("b/c.json")]) == ["a", "c"]
    assert names_of([Path("a/r.csv"), Path("b/r.csv")]) == ["a/r", "b/r"]
    with pytest.raises(InputError, match="are called 'a'"):
        names_of([Path("a.csv"), Path("a.csv")])
