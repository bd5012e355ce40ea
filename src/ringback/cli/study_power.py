"""The power part of ``ringback study plan``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ringback.study.power import Power

__all__ = ["power_lines"]


def power_lines(found: Power) -> Iterator[str]:
    """What the plan could tell, in sentences."""
    from ringback.report.wording import level, listing, percent, plural

    could = found.detectable
    if could.noise is None or could.noise_upper is None:
        yield f"What it could tell is {_why(found)}."
        return
    sure = f"with {level(could.power)} power at a level of {level(could.level)}"
    seen = (
        f"by {listing(list(found.noise))}, in which {found.changed:,} of "
        f"{plural(found.pairs, 'pair')} changed outcome ({percent(could.noise)}, and at most "
        f"{percent(could.noise_upper)} by its interval)"
    )
    if could.difference is None:
        yield f"It could not tell even a difference of 100 points from none {sure}, {seen}."
    else:
        upper = could.difference_upper
        most = "not even one of 100 points" if upper is None else f"one of {_points(upper)}"
        yield (
            f"It could tell a difference of {_points(could.difference)} or more from none {sure}, "
            f"{seen}; {most} by that upper end."
        )
    needed = found.needed
    if needed is not None and needed.tasks is not None and needed.tasks_upper is not None:
        yield (
            f"A difference of {_points(needed.difference)} needs {plural(needed.tasks, 'task')}, "
            f"{needed.tasks_upper:,} by the upper end."
        )


def _why(found: Power) -> str:
    if found.detectable.remark == "zero by construction":
        return (
            "undefined: with equal seeds nothing in its noise arm can differ, so that its zero is "
            "by construction and says nothing of noise"
        )
    if not found.noise:
        return "not known: it has no noise arm"
    return "not known: its noise arm has not been played beside the baseline yet"


def _points(value: float) -> str:
    return f"{100 * value:.1f} points"
