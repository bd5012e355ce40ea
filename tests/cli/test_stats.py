"""``ringback stats``, as people use it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli, refused
from tests.cli.test_terminal import in_terminal


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Three arms of 40 cases, one of them with trials and costs, one with a case too many."""
    (tmp_path / "old.csv").write_text(
        "case,outcome\n" + "".join(f"c{n},{int(n % 4 > 0)}\n" for n in range(40))
    )
    (tmp_path / "new.jsonl").write_text(
        "".join(
            json.dumps({"case": f"c{n}", "outcome": n % 4 > 1, "cost": 0.25}) + "\n"
            for n in range(41)
        )
    )
    (tmp_path / "none.json").write_text(
        json.dumps([{"case": f"c{n}", "outcome": 0, "cost": 1} for n in range(40)])
    )
    return tmp_path


def test_a_table_of_rates_and_one_of_differences(cli: Cli, results: Path) -> None:
    done = cli("stats", "old.csv", "new.jsonl", "none.json", "--control", "none")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["old", "40", "30", "of", "40", "75.0%", "59.8%", "to", "85.8%"] in lines
    assert ["new", "0,", "10", "of", "40", "−25.0", "−40.0", "to", "−12.5", "worse"] in lines
    assert ["new", "worse", "0.0020", "0.0020", "exact", "McNemar"] in lines
    assert ["none", "worse", "none:", "a", "control"] in lines
    assert ["none", "40", "undefined", "none", "solved"] in lines
    assert (
        "Left out of the comparison of new with old: 1 episode that only new has and "
        "0 episodes that only old has." in done.stdout
    )
    assert "Best over the 40 episodes that all have: old" in done.stdout
    assert "\x1b" not in done.stdout


def test_nothing_is_cut_off_in_a_narrow_terminal(results: Path) -> None:
    (results / "same.csv").write_text((results / "old.csv").read_text())
    files = ("old.csv", "new.jsonl", "none.json", "same.csv")
    code, out = in_terminal("stats", *files, cwd=results, COLUMNS="80")
    assert code == 0
    assert "…" not in out
    assert "not distinguishable" in out
    assert "\x1b[" in out


def test_json_is_the_figures(cli: Cli, results: Path) -> None:
    done = cli("stats", "old.csv", "new.jsonl", "none.json", "--baseline", "new", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["baseline"] == "new"
    assert [arm["name"] for arm in found["arms"]] == ["old", "new", "none"]
    old = found["arms"][0]
    assert old["versus"]["difference"]["difference"] == 0.25
    assert old["versus"]["difference"]["verdict"] == "better"
    assert old["cost"] is None
    none = found["arms"][2]
    assert (none["cost"]["value"], none["cost"]["lacking"]) == (None, "none solved")
    assert found["tied"]["arms"] == ["old", "new", "none"]


def test_an_unadjusted_verdict_is_never_taken_for_ours(cli: Cli, results: Path) -> None:
    """Six of six is p 0.03 alone, and 0.09 as one of three."""
    for name, lost in (("base", 0), ("less", 6), ("same", 0), ("also", 0)):
        rows = "".join(f"c{n},{int(n >= lost)}\n" for n in range(40))
        (results / f"{name}.csv").write_text(f"case,outcome\n{rows}")
    several = cli("stats", "base.csv", "less.csv", "same.csv", "also.csv").stdout
    ours, plain = [line for line in several.splitlines() if line.startswith("less ")][1:3]
    assert ours.split()[-2:] == ["not", "distinguishable"]
    assert plain.split()[1] == "worse"
    assert "ours, adjusted" in several
    alone = cli("stats", "base.csv", "less.csv").stdout
    assert "ours, adjusted" not in alone
    assert [line for line in alone.splitlines() if line.startswith("less ")][1].endswith("worse")
    found = json.loads(cli("stats", "base.csv", "less.csv", "same.csv", "--json").stdout)
    assert found["arms"][1]["versus"]["claimed"] == "not distinguishable"


def test_the_same_to_the_digit_whatever_the_order_of_rows(cli: Cli, results: Path) -> None:
    rows = (results / "old.csv").read_text().splitlines()
    (results / "again").mkdir()
    (results / "again" / "old.csv").write_text("\n".join([rows[0], *rows[:0:-1]]))
    one = cli("stats", "old.csv", "new.jsonl", "--json").stdout
    assert cli("stats", "again/old.csv", "new.jsonl", "--json").stdout == one


def test_no_change_is_said_with_its_interval(cli: Cli, results: Path) -> None:
    (results / "same.csv").write_text((results / "old.csv").read_text())
    done = cli("stats", "old.csv", "same.csv")
    assert "−8.8 to +8.8 (no task changed outcome)" in done.stdout
    assert "May be best over the 40 episodes that all have: old and same" in done.stdout


def test_one_common_case_tells_nothing_apart(cli: Cli, results: Path) -> None:
    (results / "one.csv").write_text("case,outcome\nc0,1\n")
    done = cli("stats", "old.csv", "one.csv")
    assert "−58.7 to +100.0" in done.stdout
    reads = [line.split() for line in done.stdout.splitlines() if line.startswith("one")]
    assert reads[-1][:4] == ["one", "not", "distinguishable", "1.0000"]


def test_an_arm_without_a_common_case_does_not_hide_which_may_be_best(
    cli: Cli, results: Path
) -> None:
    (results / "same.csv").write_text((results / "old.csv").read_text())
    (results / "apart.csv").write_text("case,outcome\nelsewhere,1\n")
    done = cli("stats", "old.csv", "apart.csv", "same.csv")
    text = " ".join(done.stdout.split())
    assert "May be best over the 40 episodes that old and same have: old and same" in text
    assert "Left out of which may be best: apart, which shares no episode with old." in text
    alone = " ".join(cli("stats", "old.csv", "apart.csv").stdout.split())
    assert "May be best" not in alone
    assert "Left out of which may be best: apart" in alone
    for name, cases in (("low", range(20)), ("high", range(20, 40))):
        rows = "".join(f"c{n},1\n" for n in cases)
        (results / f"{name}.csv").write_text(f"case,outcome\n{rows}")
    none = " ".join(cli("stats", "old.csv", "low.csv", "high.csv").stdout.split())
    assert "Which may be best cannot be told: there is no episode that all of them have." in none


def test_trials_give_pass_k(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "id,n,ok\n" + "".join(f"c{c},{t},{int(t <= c % 3)}\n" for c in range(9) for t in range(3))
    )
    done = cli("stats", "t.csv", "--case", "id", "--trial", "n", "--outcome", "ok")
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert any(line[:5] == ["t", "3", "trials", "33.3%", "0.0%"] for line in lines)
    missing = cli("stats", "t.csv", "--case", "id", "--outcome", "ok")
    refused(missing, "t.csv, line 3", "occurs a second time", "--trial")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.csv"], ["missing.csv", "No such file"]),
        (["old.csv", "old.csv"], ["called 'old'"]),
        (["old.csv", "--baseline", "nobody"], ["no baseline 'nobody'", "'old'"]),
        (["old.csv", "--control", "old"], ["both the baseline and a control"]),
        (["old.csv", "--outcome", "solved"], ["old.csv, line 1", "no column 'solved'"]),
        (["old.csv", "--cost", "usd"], ["old.csv, line 1", "no column 'usd'"]),
        (["old.csv", "--seed", "-1"], ["--seed -1"]),
        (["old.csv", "--resamples", "10"], ["--resamples 10"]),
        (["old.csv", "--resamples", "1.5"], ["1.5"]),
        (["."], ["is a folder"]),
    ],
)
def test_refusals(cli: Cli, results: Path, arguments: list[str], words: list[str]) -> None:
    refused(cli("stats", *arguments), *words)


def test_without_a_file_it_is_a_sentence(cli: Cli) -> None:
    refused(cli("stats"))


def test_hostile_names_do_nothing_to_a_terminal(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a\x1b[31m.csv").write_text("case,outcome\n[bold]\x1b]0;x\x07,1\n")
    done = cli("stats", "a\x1b[31m.csv")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    (tmp_path / "b.csv").write_text("case,outcome\n\x1b]0;x\x07,5\n\x1b]0;x\x07,5\n")
    sentence = refused(cli("stats", "b.csv"), "b.csv, line 2")
    assert "\x1b" not in sentence


def test_a_huge_file_is_read_and_too_many_cases_are_a_sentence(cli: Cli, tmp_path: Path) -> None:
    with (tmp_path / "huge.csv").open("w") as file:
        file.write("case,outcome\n")
        file.writelines(f"case number {n},{n % 2}\n" for n in range(100_000))
    refused(cli("stats", "huge.csv"), "100,000 cases", "--resamples 5000 or fewer")
    done = cli("stats", "huge.csv", "--resamples", "200", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["arms"][0]["rate"]["solved"] == 50_000
