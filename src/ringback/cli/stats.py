"""``ringback stats``: what a study says of its arms, for results that anyone has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ringback.cli.options import AsJson, Whole, named_paths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ringback.stats import CostPerSolved
    from ringback.stats.figures import ArmFigures, Figures, Versus

__all__ = ["stats"]


def stats(
    files: Annotated[
        tuple[Path, ...],
        Parameter(
            name="FILE...",
            converter=named_paths,
            help="Results, an arm a file: CSV, JSON or JSONL, a row an episode.",
            show_default=False,
        ),
    ],
    /,
    *,
    baseline: Annotated[
        str | None,
        Parameter(help="The arm that others are held against: the first.", metavar="NAME"),
    ] = None,
    control: Annotated[
        tuple[str, ...],
        Parameter(
            help="An arm that is no candidate: noise, a floor.", metavar="NAME", show_default=False
        ),
    ] = (),
    case: Annotated[str, Parameter(help="The column that names the case.", metavar="COLUMN")] = (
        "case"
    ),
    outcome: Annotated[
        str, Parameter(help="The column with 0, 1, true or false.", metavar="COLUMN")
    ] = "outcome",
    trial: Annotated[
        str | None,
        Parameter(help="The column of trials: `trial`, if there is one.", metavar="COLUMN"),
    ] = None,
    cost: Annotated[
        str | None,
        Parameter(help="The column of costs: `cost`, if there is one.", metavar="COLUMN"),
    ] = None,
    seed: Annotated[Whole, Parameter(help="What the resamples are drawn from.", metavar="N")] = 0,
    resamples: Annotated[Whole, Parameter(help="How many there are.", metavar="N")] = 10_000,
    json: AsJson = False,
) -> int:
    """Compare arms by their outcomes: rates, paired differences, who may be best."""
    from ringback.cli.output import print_json
    from ringback.errors import InputError
    from ringback.stats.figures import figures
    from ringback.stats.outcomes import Columns, names_of, read_outcomes

    if seed < 0:
        raise InputError(f"--seed {seed} is negative; give 0 or more.")
    if not _FEWEST <= resamples <= _MOST:
        raise InputError(f"--resamples {resamples} is not between {_FEWEST} and {_MOST:,}.")
    columns = Columns(case=case, outcome=outcome, trial=trial, cost=cost)
    arms = [
        read_outcomes(path, columns, name)
        for path, name in zip(files, names_of(files), strict=True)
    ]
    found = figures(arms, baseline=baseline, controls=control, seed=seed, resamples=resamples)
    if json:
        print_json(found)
    else:
        _print(found)
    return 0


_FEWEST, _MOST = 100, 1_000_000


def _print(found: Figures) -> None:
    from ringback.cli.output import print_lines, print_paragraphs

    _print_rates(found)
    if any(len(arm.pass_k) > 1 for arm in found.arms):
        print_lines([""])
        _print_pass_k(found)
    if any(arm.cost for arm in found.arms):
        print_lines([""])
        _print_costs(found)
    if len(found.arms) > 1:
        print_lines(["", f"Against {found.baseline}, paired by case and trial"])
        _print_differences(found)
    print_paragraphs(["", *_sentences(found)])


def _print_rates(found: Figures) -> None:
    from ringback.cli.output import print_table
    from ringback.report.wording import percent, percent_interval

    print_table(
        [
            ("arm", "left"),
            ("cases", "right"),
            ("solved", "right"),
            ("rate", "right"),
            ("95% interval", "left"),
        ],
        (
            [
                arm.name,
                f"{arm.rate.tasks:,}",
                f"{arm.rate.solved:,} of {arm.rate.episodes:,}",
                percent(arm.rate.rate),
                percent_interval(arm.rate.interval),
            ]
            for arm in found.arms
        ),
    )


def _print_costs(found: Figures) -> None:
    from ringback.cli.output import print_table

    print_table(
        [
            ("arm", "left"),
            ("cost of all runs", "right"),
            ("per solved", "right"),
            ("95% interval", "wrap"),
        ],
        ([arm.name, *_cost_cells(arm.cost)] for arm in found.arms),
    )


def _cost_cells(found: CostPerSolved | None) -> tuple[str, str, str]:
    if found is None:
        return "not stated", "", ""
    all_runs = "unknown" if found.cost is None else _amount(found.cost)
    if found.lacking == "none solved":
        return all_runs, "undefined", "none solved"
    if found.value is None:
        return all_runs, "unknown", f"{found.unknown:,} of {found.tasks:,} cases lack a cost"
    if found.low is None:
        return all_runs, _amount(found.value), "none: no spread"
    high = "unbounded" if found.high is None else _amount(found.high)
    return all_runs, _amount(found.value), f"{_amount(found.low)} to {high}"


def _amount(value: float) -> str:
    return f"{value:,.2f}" if value >= 100 else f"{value:.4g}"


def _print_pass_k(found: Figures) -> None:
    from ringback.cli.output import print_table
    from ringback.report.wording import percent, percent_interval, plural

    print_table(
        [("arm", "left"), ("all of", "left"), ("pass^k", "right"), ("95% interval", "wrap")],
        (
            [
                arm.name,
                plural(each.k, "trial"),
                "undefined" if each.value is None else percent(each.value),
                f"{plural(each.short, 'case')} with fewer trials"
                if each.value is None
                else "none: the same in every case"
                if each.interval is None
                else percent_interval(each.interval),
            ]
            for arm in found.arms
            for each in arm.pass_k
        ),
    )


def _print_differences(found: Figures) -> None:
    """Two tables, so that neither is too wide for a terminal: the differences, and the tests."""
    from ringback.cli.output import print_lines, print_table

    others = [(arm, arm.versus) for arm in found.arms if arm.versus is not None]
    print_table(
        [
            ("arm", "left"),
            ("better, worse", "right"),
            ("points", "right"),
            ("95% interval", "wrap"),
            (_ours(others), "wrap"),
        ],
        (_difference_cells(arm.name, versus) for arm, versus in others),
    )
    print_lines([""])
    print_table(
        [
            ("arm", "left"),
            ("unadjusted", "left"),
            ("p", "right"),
            ("Holm's p", "right"),
            ("test", "left"),
        ],
        (_test_cells(arm, versus) for arm, versus in others),
    )


def _ours(others: Sequence[tuple[ArmFigures, Versus]]) -> str:
    from ringback.report.wording import readings

    return readings(sum(versus.test is not None for _, versus in others))[1]


def _difference_cells(name: str, versus: Versus) -> list[str]:
    from ringback.report.wording import points

    found = versus.difference
    if found is None:
        return [name, "0, 0 of 0", "", "none: no episode in common", ""]
    ends = "none"
    if found.interval is not None:
        ends = f"{points(found.interval.low)} to {points(found.interval.high)}"
    return [
        name,
        f"{found.better:,}, {found.worse:,} of {found.pairs:,}",
        points(found.difference),
        f"{ends} ({found.remark})" if found.remark else ends,
        versus.claimed or "",
    ]


def _test_cells(arm: ArmFigures, versus: Versus) -> list[str]:
    unadjusted = versus.difference.unadjusted if versus.difference else ""
    if versus.test is None:
        return [arm.name, unadjusted, "", "", "none: a control" if arm.control else "none"]
    test = versus.test
    return [arm.name, unadjusted, _p(test.p), _p(test.adjusted), test.test]


def _p(value: float) -> str:
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _sentences(found: Figures) -> Iterator[str]:
    from ringback.report.wording import plural

    for arm in found.arms:
        versus = arm.versus
        if versus is not None and (versus.only_arm or versus.only_baseline):
            yield (
                f"Left out of the comparison of {arm.name} with {found.baseline}: "
                f"{plural(versus.only_arm, 'episode')} that only {arm.name} has and "
                f"{plural(versus.only_baseline, 'episode')} that only {found.baseline} has."
            )
    yield from _best(found)
    yield (
        f"Differences: {found.resamples:,} resamples of cases, seed {found.seed}. `unadjusted` "
        "goes by the interval alone. `ours` never says more: where fewer than 10 cases changed it "
        "also asks for an exact p of 0.05, of several arms for Holm's p, which is for all of them "
        "together (controls stand outside), and it says nothing of fewer than 6 cases."
        if len(found.arms) > 1
        else f"Intervals over cases: {found.resamples:,} resamples, seed {found.seed}."
    )


def _best(found: Figures) -> Iterator[str]:
    """Which arms may be best, and which take no part in that and why."""
    from ringback.report.wording import listing, plural

    candidates = [arm for arm in found.arms if not arm.control]
    apart = [arm.name for arm in candidates if arm.versus and arm.versus.difference is None]
    tied = found.tied
    if tied is not None:
        best = tied.arms[tied.found.best]
        may = [tied.arms[each.arm] for each in tied.found.contenders if each.may_be_best]
        have = f"{listing(tied.arms)} have" if apart else "all have"
        over = f"over the {plural(tied.episodes, 'episode')} that {have}"
        if len(may) == 1:
            yield f"Best {over}: {best}; no other may be (simultaneous 95% intervals)."
        else:
            yield (
                f"May be best {over}: {listing(may)} (simultaneous 95% intervals). That they are "
                "not told apart does not make them equal."
            )
    elif len(candidates) - len(apart) > 1:
        yield "Which may be best cannot be told: there is no episode that all of them have."
    if apart:
        share = "shares" if len(apart) == 1 else "share"
        yield (
            f"Left out of which may be best: {listing(apart)}, which {share} no episode with "
            f"{found.baseline}."
        )
