"""Calls of a world that cannot tell itself, and of other programs, get a record all the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from ringback.domain import Domain, Recounting, Task
from ringback.episode.events import Origin, Start
from ringback.episode.identity import imported_ids
from ringback.record import told
from ringback.record.making import make_record
from ringback.record.tiers import tier
from ringback.sessions import Store, parse_selection
from tests.lamp import LAMP
from tests.record.recorded import by_model, operated
from tests.record.reenacted import CALLS, Operated


@pytest.mark.parametrize(
    ("faults", "wanted"),
    [(0, "easy"), (2, "easy"), (3, "medium"), (5, "medium"), (6, "hard"), (9, "hard")],
)
def test_the_tier_is_by_the_number_of_faults(faults: int, wanted: str) -> None:
    assert tier(Task("t", "f", ("fault",) * faults, "", repairable=True)) == wanted


def test_a_world_that_cannot_tell_itself_is_told_in_general_words(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lamp: Domain = LAMP
    assert not isinstance(lamp, Recounting)
    monkeypatch.setattr(told, "load", {"lamp": lamp}.__getitem__)
    call = Operated(
        "fuse",
        4,
        (("call", "set_fuse", {}), ("call", "set_bulb", {}), ("say", "The fuse\nis in.")),
    )
    customer = by_model(["The lamp is dark.", "It is lit. Goodbye. ###STOP###"], "off")
    operated(path, call, customer, domain=lamp)
    with Store.open(path, write=False) as store:
        (case,) = make_record(store, parse_selection([])).record.cases
    assert case.about == "lamp: fuse_out."
    assert case.operator_trajectory == [
        "The customer said: 'The lamp is dark.'.",
        "The agent called set_fuse and set_bulb (refused).",
        "The agent said: 'The fuse is in.'.",
        "The customer said: 'It is lit. Goodbye.'.",
    ]
    assert case.observed_state == {"lamp.fuse": True}
    assert (case.tier, case.official_reward) == ("easy", 1.0)
    assert case.evaluation_explanation.startswith("The end-state checks found lit met.")


def test_a_call_of_another_program_is_told_where_its_task_is_known(
    path: Path, tmp_path: Path
) -> None:
    session = operated(path, CALLS["medium"])
    with Store.open(path, write=False) as store:
        start, *rest = store.events(session)
    assert isinstance(start, Start)
    theirs = tmp_path / "theirs.db"
    with Store.open(theirs) as store:
        for known, digest in ((True, "a"), (False, "b")):
            origin = Origin("tau2", "file.json", 0, digest)
            name, cell = imported_ids(origin)
            draw = start.draw if known else replace(start.draw, task=None, seed=None)
            opened = replace(start, session=name, origin=origin, draw=draw, user_seed="")
            store.add([opened, *rest], family=None, cell=cell, condition="c" * 32, arm="a" * 32)
        made = make_record(store, parse_selection(["origin=tau2"]))
    (case,) = made.record.cases
    assert (case.official_reward, case.result) == (1.0, "passed")
    boundary = made.record.compatibility_boundary
    assert "recorded by another program and read from the form tau2" in boundary
    assert [left.why for left in made.left_out] == ["its task is not known"]
