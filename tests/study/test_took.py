"""What models took stands in a study's results; what a script took, and its noise, is nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from ringback.episode.wire import Answer, Message, Price, Request, Text, Usage
from ringback.models import Models, ScriptModel
from ringback.report.model import StudyResults
from ringback.report.took import took
from ringback.sessions import Store
from ringback.study.file import read
from ringback.study.plan import plan_study
from ringback.study.results import results
from ringback.study.run import run_plan

STUDY = """
name = "took"
tasks = "small"
seed = 3
[user]
name = "rules"
[models.said]
model = "script:said.json"
[baseline]
agent = "said"
[arms.noise]
[arms.reference]
agent = "reference"
"""
TRANSFER = '{"calls": [{"tool": "transfer_to_human_agents", "arguments": {"summary": "s"}}]}'


class Metered(ScriptModel):
    """A script of which every call took 1.5 s and so many tokens, but for the first."""

    async def ask(self, request: Request, *, seconds: float) -> Answer:
        found = await super().ask(request, seconds=seconds)
        first = not any(message.role == "assistant" for message in request.messages)
        usage = Usage(100, 10, None if first else 40)
        price = Price(0.25, "by the test")
        return Answer(found.message, "said", 1.5, usage, price, failure=found.failure)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "said.json").write_text(f'[{TRANSFER}, "Goodbye."]')
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path


def played(folder: Path, models: Models) -> StudyResults:
    file = read(folder / "study.toml")
    plan = plan_study(file, models.open)
    run_plan(plan, folder / "store.db", jobs=4, done=lambda _: None, models=models)
    with Store.open(folder / "store.db", write=False) as store:
        return results(plan, store, "ringback study run study.toml")


def test_the_noise_of_a_script_is_zero_by_construction(folder: Path) -> None:
    found = played(folder, Models(read(folder / "study.toml").models))
    base, noise, reference = found.arms
    assert noise.versus is not None
    assert noise.versus.by_construction
    assert any("its zero is by construction" in sentence for sentence in found.headline)
    assert base.agent_took is not None
    assert (base.agent_took.seconds.mean, base.agent_took.seconds.interval) == (0.0, None)
    assert (base.agent_took.input.mean, base.agent_took.input.unknown) == (None, len(found.grid))
    assert (reference.agent_took, base.user_took) == (None, None)
    # As docs/statistics.md says: no time, and tokens that nobody counted.
    assert [words.line for words in took(base.agent_took)] == ["0.0", *["unknown"] * 3]


def test_time_and_tokens_of_each_episode_are_summed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = Models(read(folder / "study.toml").models)
    said = Metered([Message("assistant", (Text("Please hold the line."),)), "Goodbye."], "said")

    def opened(name: str) -> Metered:
        assert name == "said"
        return said

    monkeypatch.setattr(models, "open", opened)
    found = played(folder, models)
    took = found.arms[0].agent_took
    assert took is not None
    for row in found.grid:
        used, cost = row.cells[0][0].agent_used, row.cells[0][0].agent_cost
        assert used is not None
        assert cost is not None
        assert (used.seconds, used.input, used.output, used.cached) == (
            1.5 * cost.calls,
            100 * cost.calls,
            10 * cost.calls,
            None,  # of the first call it is not known
        )
    assert took.seconds.mean is not None
    assert took.input.mean == pytest.approx(took.seconds.mean / 1.5 * 100)
    assert (took.cached.mean, took.cached.unknown) == (None, len(found.grid))
