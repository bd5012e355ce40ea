"""``summary.md``: the report on one screen, to paste into a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from ringback.recordings.traces import words
from ringback.recordings.traces.model import ModelFigures, TraceResults
from ringback.report import wording
from ringback.report.markdown import code, table, text

__all__ = ["summary"]

_HEAD = (
    "Model",
    "Runs",
    "Solved",
    "Rate (95% interval)",
    "Agent cost",
    "Per solved",
    "Steps, median",
    "Status unknown",
    "Calls failed",
)
_RIGHT = (False, True, True, False, True, True, True, True, True)
_MOST = 20


def summary(results: TraceResults) -> str:
    """The results as Markdown, with a newline at the end. Whatever was recorded is escaped."""
    lines = ["# Recorded traces", ""]
    lines += [f"- {text(sentence, 2000)}" for sentence in results.headline]
    for found in results.slices:
        rows = [_row(model) for model in found.models]
        lines += ["", f"## {text(words.place(found), 200)}", "", *table(_HEAD, rows, _RIGHT)]
    lines += ["", *(f"- {text(sentence, 2000)}" for sentence in words.of_rows(results))]
    for each in results.dropped[:_MOST]:
        row = "" if each.place is None else f", row {each.place:,}"
        lines.append(f"  - {text(f'{each.source}{row}: {each.why}')}")
    if len(results.dropped) > _MOST:
        lines.append(f"  - {len(results.dropped) - _MOST:,} more in results.json.")
    lines += list(_labels(results))
    lines += ["", f"Run it again: {code(results.command, 2000)}"]
    lines += ["", "<details><summary>What these figures do not say</summary>", ""]
    lines += [f"- {text(f'{lead} {rest}', 2000)}" for lead, rest in results.limits]
    lines += ["", "</details>"]
    return "\n".join(lines) + "\n"


def _row(model: ModelFigures) -> list[str]:
    rate = wording.percent(model.rate)
    if model.interval is not None:
        rate += f" ({wording.percent_interval(model.interval)})"
    return [
        text(model.model, 80),
        f"{model.runs:,}",
        f"{model.solved:,}",
        rate,
        text(words.cost_text(model)),
        text(words.per_solved(model)),
        wording.UNKNOWN if model.steps is None else f"{model.steps.median:g}",
        f"{model.status_unknown:,}",
        f"{model.spans.failed:,} of {model.spans.calls:,}",
    ]


def _labels(results: TraceResults) -> Iterator[str]:
    found = results.disagreements
    if not found:
        yield "- Labels, configurations and calls name the same model in every run."
        return
    runs = wording.plural(len(found), "run")
    yield f"- In {runs} label, configuration and calls do not name one model:"
    for each in found[:_MOST]:
        named = words.counts(each.named)
        line = (
            f"{each.session or each.source} ({', '.join(each.what)}): label "
            f"{words.name(each.label)}, calls name {named}; counted under {each.counted}."
        )
        yield f"  - {text(line)}"
    if len(found) > _MOST:
        yield f"  - {len(found) - _MOST:,} more in results.json."
