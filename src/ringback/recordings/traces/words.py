"""What the figures come to, and what they cannot say, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from ringback.formats.exgentic.columns import SCHEMA
from ringback.recordings.traces.model import Count, ModelFigures, Slice, TraceResults
from ringback.report import wording

__all__ = [
    "chosen",
    "cost_known",
    "cost_text",
    "counts",
    "headline",
    "limits",
    "name",
    "of_rows",
    "per_solved",
    "place",
]

_MOST_SLICES = 4
_MOST_NAMED = 12


def name(value: str | None) -> str:
    """A name as it stands in the data; that none is said where none is."""
    return "(none)" if value is None else value or '""'


def place(found: Slice) -> str:
    """A slice in words: ``tau2_telecom with tool_calling``."""
    return f"{name(found.benchmark)} with {name(found.harness)}"


def counts(items: tuple[Count, ...]) -> str:
    """Names with their counts: ``unknown 288, success 150``."""
    return ", ".join(f"{name(item.name)} {item.count:,}" for item in items) or "none"


def cost_text(found: ModelFigures) -> str:
    """A model's agent cost; what is unknown of it is said, with what is known."""
    more = cost_known(found)
    return wording.usd(found.cost) + (f" ({more})" if more else "")


def cost_known(found: ModelFigures) -> str:
    """What is known of a cost that is unknown as a whole; nothing where that is nothing, or all."""
    if found.unpriced in (0, found.runs):
        return ""
    runs = wording.plural(found.unpriced, "run")
    return f"{runs} without one, the rest {wording.usd(found.priced)}"


def per_solved(found: ModelFigures) -> str:
    """A model's agent cost per solved run; why there is none where there is none."""
    if found.cost is not None and not found.solved:
        return "none solved"
    return wording.usd(found.cost_per_solved)


def chosen(results: TraceResults) -> str:
    """What was asked for, in words."""
    files = results.files
    parts = [
        *([f"benchmark {wording.listing(files.benchmarks)}"] if files.benchmarks else []),
        *([f"harness {wording.listing(files.harnesses)}"] if files.harnesses else []),
    ]
    return " and ".join(parts) or "every benchmark and harness"


def of_rows(results: TraceResults) -> Iterator[str]:
    """What became of the rows: stated, met, wanted, dropped."""
    files = results.files
    asked = "all of them asked for"
    if files.benchmarks or files.harnesses:
        asked = f"{files.chosen:,} of them of {chosen(results)}"
    yield (
        f"{wording.plural(files.rows, 'row')} in {wording.plural(len(files.files), 'file')}, "
        f"{asked}."
    )
    if files.card_rows is not None:
        yield _against("row", files.card_rows, files.rows)
    if files.card_spans is not None:
        if files.chosen == files.rows:
            yield _against("span", files.card_spans, files.spans)
        else:
            yield (
                f"The card states {files.card_spans:,} spans; they were counted in the rows asked "
                f"for alone, which have {files.spans:,}, so nothing is said of the rest."
            )
    if files.stated != files.rows:
        yield f"The files themselves state {files.stated:,} rows."
    if not results.dropped:
        yield "No row was dropped."
    else:
        yield f"{_unread(results)} could not be read, and are in no figure."
    if files.repeated:
        yield (
            f"{wording.plural(files.repeated, 'row')} with the run and session ids of an earlier "
            "one, counted all the same."
        )


def _unread(results: TraceResults) -> str:
    """What could not be read: rows, whole files, or both."""
    rows, files = results.files.unread, results.files.unopened
    found = [
        *([wording.plural(rows, "row")] if rows else []),
        *([wording.plural(files, "whole file")] if files else []),
    ]
    return wording.listing(found)


def _against(what: str, card: int, found: int) -> str:
    if card == found:
        return f"The card states {wording.plural(card, what)}, and as many were read."
    more = "more" if found > card else "fewer"
    return (
        f"The card states {wording.plural(card, what)}; {found:,} were read, "
        f"{abs(found - card):,} {more}."
    )


def headline(results: TraceResults) -> tuple[str, ...]:
    """The short answer: who solved most and at what cost, slice by slice, and what does not fit."""
    if not any(found.runs for found in results.slices):
        return (_nothing(results),)
    sentences: list[str] = []
    for found in results.slices[:_MOST_SLICES]:
        sentences += _of_slice(found)
    left = len(results.slices) - _MOST_SLICES
    if left > 0:
        pairs = wording.plural(left, "more pair")
        sentences.append(f"The page has {pairs} of benchmark and harness.")
    wrong = sum("label" in each.what for each in results.disagreements)
    if wrong:
        runs = "1 run carries" if wrong == 1 else f"{wrong:,} runs carry"
        sentences.append(f"{runs} another model's label and are counted under what the calls name.")
    if results.dropped:
        sentences.append(f"{_unread(results)} could not be read, and are in no figure.")
    return tuple(sentences)


def _nothing(results: TraceResults) -> str:
    """That nothing fits, and what there would be."""
    if not results.kinds:
        return "There is no run in these files."
    benchmarks = [name(kind.benchmark) for kind in results.kinds]
    harnesses = sorted({name(item.name) for kind in results.kinds for item in kind.harnesses})
    return (
        f"There is no run of {chosen(results)}; the files have the benchmarks "
        f"{wording.listing(benchmarks[:_MOST_NAMED])} and the harnesses "
        f"{wording.listing(harnesses[:_MOST_NAMED])}."
    )


def _of_slice(found: Slice) -> Iterator[str]:
    rated = [model for model in found.models if model.rate is not None]
    if not rated:
        yield f"{place(found)}: no run has a recorded outcome."
        return
    best = [model for model in rated if model.rate == rated[0].rate]
    names = wording.listing([model.model for model in best])
    rates = _rate(best[0]) if len(best) == 1 else f"{wording.percent(best[0].rate)} each"
    yield (
        f"{place(found)}, {wording.plural(found.runs, 'run')} of "
        f"{wording.plural(len(found.models), 'model')}: {names} solved most, {rates}."
    )
    of_each = ((model.model, model.cost_per_solved) for model in rated)
    costs = {model: cost for model, cost in of_each if cost is not None}
    if len(costs) > 1:
        low, high = (wording.usd(end(costs.values())) for end in (min, max))
        if low == high:
            yield f"Agent cost per solved run: {low} with each of {wording.listing(list(costs))}."
        else:
            yield (
                f"Agent cost per solved run: from {low} with {_at(low, costs)} to {high} with "
                f"{_at(high, costs)}."
            )


def _at(cost: str, costs: dict[str, float]) -> str:
    """The models of this cost, as it is shown."""
    return wording.listing([name for name, usd in costs.items() if wording.usd(usd) == cost])


def _rate(model: ModelFigures) -> str:
    known = model.runs - model.unknown
    return (
        f"{model.solved:,} of {known:,} ({wording.percent(model.rate)}; 95% interval "
        f"{wording.percent_interval(model.interval)})"
    )


def limits(results: TraceResults) -> tuple[tuple[str, str], ...]:
    """What the figures do not say: a lead and the rest of each sentence."""
    return tuple(_limits(results))


def _limits(results: TraceResults) -> Iterator[tuple[str, str]]:
    yield (
        "Nothing here was run or graded by Ringback.",
        "A run counts as solved when its success field is true, the benchmark's own evaluation as "
        'recorded. A status of "unknown" does not change that; such runs are counted apart.',
    )
    yield (
        "The simulated customer is not in the data.",
        "Neither its model nor its cost is recorded; the cost here is the agent's alone. A "
        "different customer would give different rates.",
    )
    yield (
        "Prices and cached tokens are not in the data.",
        "The agent cost is each run's as recorded, solved or not. The prices behind it are not "
        "documented, no field counts tokens read from a cache, and harnesses may treat them "
        "differently: costs are not comparable across harnesses.",
    )
    yield (
        "There are no task ids.",
        "So runs of two models cannot be paired by task: the intervals are of single rates, and "
        "two that overlap do not say that the models are equal, nor two that do not by how much "
        "they differ.",
    )
    yield (
        "Seeds and tool choice are not in the data.",
        "No run can be repeated from it, and whether a model was made to call a tool is unknown.",
    )
    yield (
        "Failed calls are what was left after retries.",
        "Retries are collapsed into one span, and a failed one has no usage; the failures counted "
        "here are the least that there were.",
    )
    schemas = [found.tools for found in results.slices]
    without = sum(each.none + each.some for each in schemas)
    if without:
        yield (
            "Tool definitions lack schemas.",
            f"In {wording.plural(without, 'call')} some or all tools are recorded without a schema "
            "of their arguments: a model that is asked again sees names and descriptions alone.",
        )
    if any(model.spans.renamed for found in results.slices for model in found.models):
        renamed = sum(found.spans.renamed for found in results.slices)
        yield (
            "Some calls were answered under another name.",
            f"{wording.plural(renamed, 'call')} asked for one model and name another in the "
            "answer; such a call counts for the one that answered.",
        )
    for file, columns in results.missing.items():
        yield (
            f"{file} lacks {wording.plural(len(columns), 'column')}.",
            f"{wording.listing(columns)}: unknown in all its rows.",
        )
    for item in results.odd:
        said = {
            "agent_cost": "an agent cost that is negative, over a million USD or no number, taken "
            "for unknown",
            "steps": "a negative number of steps, taken for unknown",
            "models": "more than one label; the first is used",
            "schema_version": f"another schema version than {SCHEMA}; they are read as that one",
        }[item.name or ""]
        yield ("Some cells are odd.", f"{wording.plural(item.count, 'run')} with {said}.")
