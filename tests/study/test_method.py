"""The example of the whole method: it runs offline, and every figure is the same to the digit.

The figures in ``method.golden.json`` were the same on Python 3.11 with numpy 2.4 and on 3.12 and
3.13 with numpy 2.5; whoever runs this test on another of either checks it there. To accept a
change: ``.venv/bin/python -m tests.study.test_method``.
"""

from __future__ import annotations

import json
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ringback.canonical import digest
from tests import warm
from tests.cli.conftest import environment
from tests.warm import Done

ROOT = Path(__file__).parents[2]
FILE = ROOT / "examples" / "method.toml"
GOLDEN = Path(__file__).with_name("method.golden.json")


def ringback(*words: str) -> Done:
    return warm.run(*words, cwd=ROOT, env=environment(), seconds=300)


def run(folder: Path) -> dict[str, Any]:
    """The results of the example, played into this folder."""
    done = ringback(
        "study",
        "run",
        "examples/method.toml",
        *("--store", str(folder / "store.db")),
        *("--out", str(folder / "report")),
    )
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "report" / "results.json").read_text("utf-8"))


def figures(found: dict[str, Any]) -> dict[str, Any]:
    """What is held: every number of the arms and of the step check, and the digest of it all."""
    made = dict(found["facts"])
    del made["made_with"], made["command"]
    return {
        "headline": found["headline"],
        "arms": {
            arm["name"]: {
                "rate": arm["rate"],
                "steps": arm["steps"],
                "difference": arm["versus"] and arm["versus"]["difference"],
                "test": arm["versus"] and arm["versus"]["test"],
            }
            for arm in found["arms"]
        },
        "tied": found["tied"],
        "step_check": {
            target["model"]: [target["whole"]["rate"], target["versus"]]
            for target in found["step_check"]["targets"]
        },
        "digest of all results": digest({**found, "facts": made}),
    }


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("method")
    run(folder)
    return folder


def results(played: Path) -> dict[str, Any]:
    return json.loads((played / "report" / "results.json").read_text("utf-8"))


def test_every_figure_is_the_one_written_down(played: Path) -> None:
    assert figures(results(played)) == json.loads(GOLDEN.read_text("utf-8"))


def test_it_has_all_parts_of_the_method(played: Path) -> None:
    found = results(played)
    roles = [arm["role"] for arm in found["arms"]]
    assert roles == ["baseline", "noise", *["arm"] * 5, "floor", "floor"]
    assert found["facts"]["seeded"] is True
    noise = found["arms"][1]["versus"]
    assert noise["by_construction"] is False
    assert noise["difference"]["better"] + noise["difference"]["worse"] > 0
    assert {flip["pairs"][0]["parts"]["kind"] for flip in noise["flips"]} <= {
        "text",
        "speech",
        "tool",
        "arguments",
    }
    page = (played / "report" / "index.html").read_text("utf-8")
    for part in ("Noise", "Floor controls", "What changed", "Step check", "Task by arm", "Limits"):
        assert part in page
    assert "come out the same to the last digit" in page


def test_the_gate_lets_the_rule_pass_and_stops_the_weaker_ones(played: Path) -> None:
    store = ("--store", str(played / "store.db"))
    passed = ringback("gate", "examples/method.toml", "--arm", "rule", *store)
    assert (passed.returncode, passed.stdout[:5]) == (0, "pass:")
    failed = ringback("gate", "examples/method.toml", *store)
    assert failed.returncode == 1
    unsure = ringback("gate", "examples/method.toml", "--arm", "impatient", *store)
    assert unsure.returncode == 3
    assert "about 41 tasks like these would settle it" in unsure.stdout


def test_a_plan_says_what_the_study_could_tell(played: Path) -> None:
    store = ("--store", str(played / "store.db"))
    words = ("study", "plan", "examples/method.toml", "--detect", "0.1", *store)
    plan = ringback(*words).stdout
    assert "in which 12 of 40 pairs changed outcome (30.0%" in plan
    assert "A difference of 10.0 points needs 312 tasks" in plan
    power = json.loads(ringback(*words, "--json").stdout)["power"]
    assert power["needed"]["tasks"] == 312
    assert 0 < power["detectable"]["difference"] < power["detectable"]["difference_upper"] < 1


def test_the_example_names_no_model_of_others() -> None:
    study = tomllib.loads(FILE.read_text("utf-8"))
    assert all(entry["model"].startswith("script:") for entry in study["models"].values())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        GOLDEN.write_text(json.dumps(figures(run(Path(name))), indent=1, ensure_ascii=False) + "\n")
