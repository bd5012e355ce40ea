"""The figures of recorded traces: rates, costs, labels in both directions, rows, odd cells."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest

from ringback.errors import InputError
from ringback.formats.exgentic import Chosen
from ringback.formats.exgentic.write import write
from ringback.recordings.traces import trace_results
from ringback.recordings.traces.model import ModelFigures, TraceResults
from tests.formats.exgentic.made import assistant, row, said, span, tools


def results(path: Path, *rows: dict[str, Any], **options: Any) -> TraceResults:
    write(path / "made.parquet", rows)
    return trace_results([path], **options)


def by_model(found: TraceResults) -> dict[str, ModelFigures]:
    (part,) = found.slices
    return {model.model: model for model in part.models}


def runs(model: str, solved: int, of: int, dollars: float, first: int = 0) -> list[dict[str, Any]]:
    """Runs of a model whose costs, all different, add up to that many dollars."""
    weights = [1 + index % 7 for index in range(of)]
    share = dollars / sum(weights)
    return [
        row(first + index, model=model, success=index < solved, agent_cost=share * weight)
        for index, weight in enumerate(weights)
    ]


def test_counts_and_costs_give_rates_and_cost_per_solved(tmp_path: Path) -> None:
    rows = [*runs("one", 13, 20, 3.9), *runs("two", 4, 30, 60.0, 100)]
    found = by_model(results(tmp_path, *rows))
    one, two = found["one"], found["two"]
    assert (one.runs, one.solved, one.rate) == (20, 13, 0.65)
    assert one.interval is not None
    assert math.isclose(one.interval.low, 0.4329, abs_tol=5e-5)
    assert math.isclose(one.interval.high, 0.8188, abs_tol=5e-5)
    assert one.cost == pytest.approx(3.9)
    assert one.cost_per_solved == pytest.approx(0.3)
    assert two.cost_per_solved == pytest.approx(15.0)
    assert (one.steps and one.steps.median) == 10


def test_the_leaderboards_counts_and_costs_give_its_figures(tmp_path: Path, shared: Path) -> None:
    """A test of the form, not a reproduction: the rows are made up to have these sums."""
    text = (shared / "reference" / "exgentic-traces.md").read_text()
    line = text[text.index("Reference figures") :]
    board = re.findall(r"([A-Za-z][\w.-]*) (\d+)(?: solved)?, \$([\d.]+)", line)
    assert len(board) == 5
    rows = [
        each
        for number, (name, solved, dollars) in enumerate(board)
        for each in runs(name.lower(), int(solved), 100, float(dollars), 1000 * number)
    ]
    found = by_model(results(tmp_path, *rows))
    for name, solved, dollars in board:
        model = found[name.lower()]
        assert (model.runs, model.solved) == (100, int(solved))
        assert f"{model.cost:.3f}" == dollars
        assert model.cost_per_solved == pytest.approx(float(dollars) / int(solved))
    assert [model.solved for model in found.values()] == sorted(
        (int(solved) for _, solved, _ in board), reverse=True
    )


def test_an_unknown_status_is_counted_apart_and_success_decides(tmp_path: Path) -> None:
    rows = [
        row(1, status="unknown", success=True),
        row(2, status=None, success=False),
        row(3, status="success", success=False),
        row(4, status="error", success=True),
        row(5, status="success", success=None),
    ]
    found = by_model(results(tmp_path, *rows))["gpt-5.2"]
    assert (found.runs, found.solved, found.unknown) == (5, 2, 1)
    assert found.rate == 0.5
    assert (found.status_unknown, found.status_unknown_solved) == (2, 1)


def named(number: int, label: str, *models: str, **cells: Any) -> dict[str, Any]:
    spans = [span([said("a")], assistant("b"), model=model) for model in models]
    return row(number, *spans, model=label, **cells)


def test_labels_that_the_calls_contradict_count_under_what_the_calls_name(tmp_path: Path) -> None:
    """Both ways: a's label on b's runs, and b's label on a's."""
    rows = [
        *(named(number, "model-a", "model-a") for number in range(10)),
        *(named(number, "model-a", "model-b") for number in range(10, 13)),
        *(named(number, "model-b", "model-b") for number in range(20, 24)),
        *(named(number, "model-b", "prov/Model-A-2026-01-01") for number in range(30, 32)),
    ]
    found = results(tmp_path, *rows)
    (part,) = found.slices
    assert {model.model: model.runs for model in part.models} == {"model-a": 12, "model-b": 7}
    assert {(each.label, each.counted): each.runs for each in found.labels} == {
        ("model-a", "model-a-2026-01-01"): 10,
        ("model-a", "model-b"): 3,
        ("model-b", "model-b"): 4,
        ("model-b", "model-a-2026-01-01"): 2,
    }
    assert [(each.place, each.what) for each in found.disagreements] == [
        *((place, ("label", "config")) for place in (10, 11, 12, 17, 18)),
    ]
    assert any("5 runs carry another model's label" in each for each in found.headline)


def test_two_releases_are_two_models_and_a_bare_name_is_then_its_own(tmp_path: Path) -> None:
    rows = [
        named(1, "m-2025-01-01", "m-2025-01-01"),
        named(2, "m-2026-01-01", "m-2026-01-01"),
        named(3, "m", "m"),
    ]
    assert set(by_model(results(tmp_path, *rows))) == {"m-2025-01-01", "m-2026-01-01", "m"}


def test_a_wrong_configuration_several_models_and_none_are_listed(tmp_path: Path) -> None:
    rows = [
        named(1, "a", "a", config_path="e/t/openai_b/config.json"),
        named(2, "a", "a", "b", "b"),
        row(3, spans=None, model="a"),
        row(4, spans=[], model="a", models=None, config_path=None),
        named(5, "a", "a", config_path=None),
        row(6, span([said("a")], assistant("b"), model=None), model="a"),
    ]
    found = results(tmp_path, *rows)
    assert [(each.place, each.what, each.counted) for each in found.disagreements] == [
        (0, ("config", "label and config"), "a"),
        (1, ("label", "config", "several models"), "b"),
        (2, ("no model named",), "a"),
        (3, ("no model named",), "(no model named)"),
        (5, ("no model named",), "a"),
    ]
    assert sum(model.runs for model in found.slices[0].models) == 6
    assert found.slices[0].spans.runs_without == 2


def test_failed_spans_and_tools_with_and_without_schemas_are_counted(tmp_path: Path) -> None:
    talk = ([said("a")], assistant("b"))
    rows = [
        row(
            1,
            span(*talk, offered=tools("x", "y")),
            span(*talk, offered=tools("x", "y", schemas=True)),
            span(*talk, offered=[*tools("x"), *tools("y", schemas=True)]),
            span(*talk, offered="nonsense"),
            span(*talk),
            span(talk[0], code=2),
            span(talk[0], error="Timeout"),
            span(gen_ai_dot_operation_dot_name="execute_tool"),
        ),
        row(2, None, span(*talk, gen_ai_dot_response_dot_model="other")),
    ]
    (part,) = results(tmp_path, *rows).slices
    assert (part.spans.spans, part.spans.calls, part.spans.failed, part.spans.other) == (
        10,
        8,
        2,
        2,
    )
    assert part.spans.renamed == 1
    tool = part.tools
    assert (tool.all, tool.some, tool.none, tool.no_tools, tool.unreadable) == (1, 1, 1, 4, 1)
    assert (tool.definitions, tool.with_schema) == (6, 3)


def test_the_cards_rows_are_held_against_those_read(tmp_path: Path) -> None:
    rows = [row(1), row(2, harness="claude_code"), row(3, benchmark="swebench")]
    write(tmp_path / "a.parquet", rows)
    found = trace_results(
        [tmp_path], Chosen(("tau2_telecom",), ("tool_calling",)), card_rows=4, card_spans=3
    )
    assert (found.files.rows, found.files.chosen, found.files.card_rows) == (3, 1, 4)
    kinds = {
        kind.benchmark: {item.name: item.count for item in kind.harnesses} for kind in found.kinds
    }
    assert kinds == {
        "tau2_telecom": {"tool_calling": 1, "claude_code": 1},
        "swebench": {"tool_calling": 1},
    }
    assert not found.dropped


def test_costs_that_are_no_costs_are_unknown_and_counted(tmp_path: Path) -> None:
    rows = [
        row(1, agent_cost=1.0),
        row(2, agent_cost=float("nan")),
        row(3, agent_cost=-2.0),
        row(4, agent_cost=float("inf")),
        row(5, agent_cost=None, steps=-1),
        row(6, agent_cost=1e308),
        row(7, agent_cost=1e308),
    ]
    found = results(tmp_path, *rows)
    model = by_model(found)["gpt-5.2"]
    assert (model.cost, model.cost_per_solved, model.unpriced, model.priced) == (None, None, 6, 1.0)
    assert model.steps is not None
    assert model.steps.unknown == 1
    assert {item.name: item.count for item in found.odd} == {"agent_cost": 5, "steps": 1}


def test_another_version_of_the_form_is_said(tmp_path: Path) -> None:
    found = results(tmp_path, row(1), row(2, schema_version="2.0"))
    assert {item.name: item.count for item in found.odd} == {"schema_version": 1}
    assert any("another schema version than 1.2" in rest for _, rest in found.limits)


def test_a_row_of_nothing_but_nulls_is_a_run_of_which_nothing_is_known(tmp_path: Path) -> None:
    found = results(tmp_path, {}, {"spans": [None, {}]})
    (part,) = found.slices
    assert (part.benchmark, part.harness, part.runs, part.unknown) == (None, None, 2, 2)
    (model,) = part.models
    assert (model.rate, model.interval, model.cost, model.steps) == (None, None, None, None)
    assert model.solved == 0


def test_repeated_ids_are_counted_and_said(tmp_path: Path) -> None:
    found = results(tmp_path, row(1), row(1), row(2))
    assert found.files.repeated == 1
    assert found.slices[0].runs == 3


def test_no_row_fits_the_filter(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", [row(1)])
    found = trace_results([tmp_path], Chosen(("other",)))
    assert found.slices == ()
    assert found.headline == (
        "There is no run of benchmark other; the files have the benchmarks tau2_telecom and the "
        "harnesses tool_calling.",
    )


def test_where_nothing_can_be_read_that_is_the_answer(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"")
    with pytest.raises(InputError, match=r"a\.parquet"):
        trace_results([tmp_path])
    with pytest.raises(InputError, match="no Parquet file"):
        trace_results([_empty(tmp_path)])


def _empty(path: Path) -> Path:
    folder = path / "empty"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        ((0.1, 0.1, 0.1), "$0.1 with each of one, three and two."),
        ((0.1, 0.3, 0.1), "from $0.1 with one and three to $0.3 with two."),
        ((0.1, 0.3, 0.3), "from $0.1 with one to $0.3 with three and two."),
        ((0.1, 0.3, 0.2), "from $0.1 with one to $0.3 with two."),
        ((0.0, 0.0, 0.2), "from $0 with one and two to $0.2 with three."),
    ],
)
def test_models_of_one_cost_are_named_together(
    tmp_path: Path, costs: tuple[float, ...], said: str
) -> None:
    models = ("one", "two", "three")
    rows = [row(n, model=models[n], agent_cost=cost) for n, cost in enumerate(costs)]
    assert f"Agent cost per solved run: {said}" in results(tmp_path, *rows).headline
