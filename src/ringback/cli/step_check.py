"""``ringback step-check``: recorded calls sent again, each reply beside the recorded one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from cyclopts import Parameter

from ringback.cli.options import AsJson, StorePath, Whole, named_path

if TYPE_CHECKING:
    from ringback.models import Models
    from ringback.report.step_model import StepCheckResults, StepTarget
    from ringback.stepcheck.results import Replied
    from ringback.stepcheck.run import Asked
    from ringback.stepcheck.targets import Check

__all__ = ["check", "lines", "print_results", "step_check"]

_REASONS, _LONGEST = 3, 200
"""How many reasons for a failure are told, and in how many characters each."""

_From: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(
        name="--from",
        consume_multiple=True,
        help="The sessions: ids or unique beginnings of them, latest, or filters such as "
        "agent=openai:gpt-5.2, as `ringback sessions list` takes them.",
        metavar="SELECTION",
        show_default=False,
    ),
]


def step_check(
    *,
    from_: _From,
    models: Annotated[
        tuple[str, ...],
        Parameter(help="Whom the calls are sent to, separated by commas.", metavar="A,B"),
    ],
    repeat: Annotated[
        str | None,
        Parameter(
            help="The model that is asked as the repeat, if the recorded one has another name "
            "here; none for no repeat.",
            metavar="MODEL",
        ),
    ] = None,
    recorded: Annotated[
        str | None,
        Parameter(help="Only calls of the model with this name in the record.", metavar="NAME"),
    ] = None,
    sample: Annotated[Whole, Parameter(help="How many calls are drawn.", metavar="N")] = 160,
    seed: Annotated[Whole, Parameter(help="What the draw starts from.", metavar="N")] = 0,
    out: Annotated[
        Path | None,
        Parameter(
            name=("--out", "-o"),
            converter=named_path,
            help="A file for the results with every call and reply, as JSON.",
            metavar="FILE",
        ),
    ] = None,
    models_file: Annotated[
        Path | None,
        Parameter(
            help="A file with [models.NAME] tables, such as a study file, for models beside your "
            "own.",
            converter=named_path,
            metavar="FILE",
        ),
    ] = None,
    budget: Annotated[
        float | None,
        Parameter(
            help="Stop before this command's model calls cost more; then it exits with 3.",
            metavar="USD",
        ),
    ] = None,
    jobs: Annotated[Whole, Parameter(help="Calls in flight.", metavar="N")] = 8,
    store: StorePath = None,
    json: AsJson = False,
) -> int:
    """Send recorded calls to models again and say how often the reply is the recorded one.

    Every reply is kept as it comes. Stopped and started again, the same command goes on where it
    was and sends nothing twice that was answered.
    """
    from ringback.cli.described import described
    from ringback.cli.options import store_path
    from ringback.cli.output import complain, print_json
    from ringback.cli.playing import UNFINISHED
    from ringback.cli.playing import models as opening
    from ringback.cli.writing import is_replies, refuse_other
    from ringback.sessions import Store, parse_selection
    from ringback.stepcheck.targets import Check

    if out is not None:
        refuse_other(out, "--out", is_replies)
    named = tuple(name.strip() for each in models for name in each.split(","))
    path = store_path(store)
    with Store.open(path, create=False, write=False) as opened:
        # Quoted, as a setting of a script often is, several words come as one.
        selection = parse_selection(word for each in from_ for word in _words(each))
        rows = opened.rows(selection, counting=not selection.ids)
        sessions = [row.id for row in rows]
    wanted = Check(named, repeat, sample, seed, recorded)
    entries = None if models_file is None else described(models_file)
    found, stopped = check(sessions, wanted, path, opening(entries, budget), jobs=jobs)
    if out is not None:
        _write(found, out, path)
    if json:
        print_json({"step_check": found.results, "stopped": stopped})
    else:
        print_results(found.results)
    if stopped is not None:
        complain(stopped)
        return UNFINISHED
    return 0


def _words(given: str) -> list[str]:
    """The words of a selection that was quoted as one; a value with blanks in it stays one."""
    from ringback.sessions.selection import FILTERS

    words = given.split()
    keys = (*(f"{key}=" for key in FILTERS), "latest")
    return words if all(word.startswith(keys) for word in words) and words else [given]


def check(
    sessions: Iterable[str],
    wanted: Check,
    path: Path,
    models: Models,
    *,
    jobs: int,
    send: bool = True,
) -> tuple[Replied, str | None]:
    """Draw from these sessions, send what is left, and give what there is then.

    With `send` False nothing is sent, and what there is is what was replied before.
    The second value says what is left: by a spent budget, or because the way to a model broke. None
    where all is answered. Interrupted, it raises `KeyboardInterrupt` with a sentence how to go on.
    """
    from ringback.cli.counting import Counting
    from ringback.cli.output import complain
    from ringback.models import BudgetSpent
    from ringback.report.plain import one_line
    from ringback.report.wording import plural
    from ringback.sessions import Store
    from ringback.stepcheck.results import results
    from ringback.stepcheck.run import ask
    from ringback.stepcheck.targets import prepare

    with (
        Store.open(path, create=False, write=False) as store,
        Counting("sessions read") as reading,
    ):
        prepared = prepare(store, sessions, wanted, models.open, reading.one)
    if not send:
        with Store.open(path, create=False, write=False) as store:
            return results(prepared, store), None
    total, stopped = len(prepared.calls) * len(prepared.targets), None
    broken: Counter[str] = Counter()
    with Counting("calls sent") as sending:

        def done(asked: Asked) -> None:
            sending.reach(sending.done + 1, total)
            if asked.broken is not None:
                broken[f"{asked.target}: {one_line(asked.broken, _LONGEST).rstrip('.')}"] += 1

        def waiting(flying: int) -> None:
            if flying:
                complain(
                    "Stopping; waiting for what is in flight and paid for, "
                    f"{plural(flying, 'call')}. Ctrl-C again drops it."
                )

        try:
            ask(prepared, path, models, jobs=jobs, done=done, waiting=waiting)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"Stopped with {sending.done:,} of {plural(total, 'call')} sent; every reply is "
                "kept, and the same command goes on from there."
            ) from None
        except BudgetSpent as spent:
            left = f"{total - sending.done:,} of {plural(total, 'call')}"
            stopped = f"{spent} {left} are left, and what was replied is kept."
    if stopped is None and (assumed := models.assumed) is not None:
        complain(assumed)
    if broken:
        stopped = f"{stopped or ''} {_unanswered(broken, total)}".strip()
    with Store.open(path, create=False, write=False) as store:
        return results(prepared, store), stopped


def _unanswered(broken: Counter[str], total: int) -> str:
    """How many calls got no answer, and the most frequent reasons."""
    from ringback.report.wording import plural

    common = [f"{why} ({count:,})" for why, count in broken.most_common(_REASONS)]
    if more := len(broken) - len(common):
        common.append(plural(more, "other reason"))
    return (
        f"{sum(broken.values()):,} of {plural(total, 'call')} got no answer ({'; '.join(common)}); "
        "the same command sends them again."
    )


def _write(found: Replied, out: Path, store: Path) -> None:
    import msgspec

    from ringback.formats.output import write

    text = msgspec.json.format(msgspec.json.encode(found), indent=1)
    write(out, [text, b"\n"], beside=store)


def print_results(found: StepCheckResults) -> None:
    """The tables and sentences of a step check, on stdout."""
    from ringback.cli.output import print_lines, print_paragraphs, print_table
    from ringback.report import step_words as words
    from ringback.report.wording import cost

    print_lines([*lines(found), ""])
    print_table(
        [
            ("model", "left"),
            ("same reply", "right"),
            ("95% interval", "left"),
            ("points to the repeat, 95% interval", "left"),
            ("reads, unadjusted", "left"),
        ],
        (_rates(target) for target in found.targets),
        fit=False,
    )
    print_lines([""])
    print_table(
        [
            ("model", "left"),
            ("calls, same", "right"),
            ("texts, same", "right"),
            ("to the byte", "right"),
            ("design effect", "right"),
            ("studentized", "left"),
            ("cost", "left"),
        ],
        (
            [
                _name(target),
                words.same(target.call),
                words.same(target.text),
                words.exact(target),
                _effect(target),
                "" if target.versus is None else words.interval_ends(target.versus.studentized),
                cost(target.cost) if target.cost.calls else "",
            ]
            for target in found.targets
        ),
        fit=False,
    )
    print_paragraphs(["", *_outcomes(found), "", *_beside(found)])


def lines(found: StepCheckResults) -> list[str]:
    """What was drawn of what, and what was left out, a line each."""
    from ringback.report import step_words as words
    from ringback.report.wording import counts, plural

    sample = found.sample
    can = f"{sample.candidates:,} of {plural(sample.calls, 'recorded call')}"
    told = [f"{can} in {plural(sample.sessions, 'session')} can be sent again"]
    told += [f"  not {reason}" for reason in words.excluded(sample.excluded)]
    told.append(f"drawn: {words.sampled(sample)} ({counts(sample.kinds)})")
    told.append(f"recorded of {', '.join(f'{one.name} {one.count:,}' for one in sample.recorded)}")
    return told


def _name(target: StepTarget) -> str:
    return f"{target.model} (repeat)" if target.repeat else target.model


def _rates(target: StepTarget) -> list[str]:
    from ringback.report import step_words as words

    rate = target.whole.rate
    cells = [
        _name(target),
        words.same(target.whole),
        words.rate(target.whole)[1] if rate.calls else "",
    ]
    if target.versus is None:
        return [*cells, "", "what chance alone does" if target.repeat else ""]
    return [*cells, words.versus(target.versus), words.reading(target.versus)]


def _effect(target: StepTarget) -> str:
    from ringback.report.step_words import design_effect

    rate = target.whole.rate
    return design_effect(rate.design_effect) if rate.calls else ""


def _outcomes(found: StepCheckResults) -> Iterator[str]:
    from ringback.report.step_words import outcome
    from ringback.report.wording import plural

    for target in found.targets:
        told = ", ".join(
            f"{outcome(count.name)} {count.count:,}" for count in target.whole.outcomes
        )
        of = f"of {plural(target.whole.rate.calls, 'reply', 'replies')}, {told}"
        yield f"{_name(target)}: {of if told else 'nothing was answered yet'}."


def _beside(found: StepCheckResults) -> Iterator[str]:
    from ringback.report import step_words as words

    for target in found.targets:
        yield from words.not_sent(target)
    yield from found.notes
