"""Real files of others, read where they lie: every figure the reference computes comes out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ringback.formats import Recording, Skipped
from ringback.formats.regrade import regrade
from ringback.formats.tau2 import read


@pytest.mark.parametrize("lean", [True, False])
def test_every_simulation_is_graded_as_by_the_reference(shared: Path, lean: bool) -> None:
    folder = shared / "recordings"
    lines = (folder / "expected.jsonl").read_text().splitlines()
    expected: dict[tuple[str, int], dict[str, Any]] = {
        (one["file"], one["i"]): one for one in map(json.loads, lines)
    }
    for path in sorted(folder.glob("*-tau2.json.gz")):
        for found in read(path, lean=lean):
            if isinstance(found, Skipped):
                assert found.why == "it holds no simulation"
                continue
            graded = regrade(found.events)
            wanted = expected.pop((path.name, found.origin.place))
            assert graded.reward == wanted["reward"]
            assert graded.env == (None if wanted["env"] is None else tuple(wanted["env"]))
            assert graded.act == (None if wanted["act"] is None else tuple(wanted["act"]))
            assert graded.stored == wanted["stored"]
            assert (graded.id, graded.task, graded.ending) == (
                wanted["id"],
                wanted["task"],
                wanted["term"],
            )
            assert graded.divergences == ()
    assert not expected


def test_files_of_other_forms_are_said_to_be(shared: Path) -> None:
    for path in sorted((shared / "recordings").glob("*-areal.json.gz")):
        (found,) = read(path)
        assert isinstance(found, Skipped)
        assert found.broken


def test_nothing_of_real_files_is_lost(shared: Path) -> None:
    """All that a file says of a message is in the events or in what is kept beside them."""
    import gzip

    for path in sorted((shared / "recordings").glob("*-tau2.json.gz")):
        simulations = json.loads(gzip.decompress(path.read_bytes()))["simulations"]
        for found in read(path):
            if not isinstance(found, Recording):
                continue
            simulation = simulations[found.origin.place]
            rest = json.loads(found.contents[found.origin.contents["rest"]])
            for kept, said in zip(rest["messages"], simulation["messages"], strict=True):
                assert set(said) - set(kept) <= {"content", "tool_calls"}
                assert all(said[name] == value for name, value in kept.items())
            assert set(simulation) - set(rest) <= {"policy"}
