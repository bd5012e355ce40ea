"""The page of a report over sessions, in the look of a study's."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from ringback.overview import words
from ringback.overview.model import Condition, Nothing, Overview
from ringback.overview.session_list import session_groups
from ringback.overview.view import condition_view, difference_marks, rate_marks
from ringback.report import wording
from ringback.report.charts import difference_chart, rate_chart
from ringback.report.rendering import both, render

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["page"]

_MOST_DRAWN = 4  # conditions with drawings
_MOST_ROWS = 40  # arms in a drawing


def page(found: Overview, pages: Collection[str] = ()) -> bytes:
    """The page as UTF-8; whatever was recorded is escaped in it.

    `pages` are the sessions that have a page in ``transcripts``.
    """
    arms = [arm for condition in found.conditions for arm in condition.arms]
    left = found.left_out
    return render(
        "overview",
        sheet="page",
        package="ringback.overview",
        results=found,
        title=words.title(found),
        level=wording.level(found.facts.level),
        conditions=tuple(condition_view(each, pages) for each in found.conditions),
        charts={
            each.name: _charts(each, drawn=place < _MOST_DRAWN, alone=len(found.conditions) == 1)
            for place, each in enumerate(found.conditions)
        },
        nothing=tuple(_nothing(found)),
        most_drawn=_MOST_ROWS,
        several=len(found.conditions) > 1,
        by_outcome=words.by_outcome(found),
        asked_models=any(arm.agent_cost or arm.user_cost for arm in arms),
        groups=tuple(session_groups(found, pages)),
        pages=bool(pages),
        left_out=tuple(words.left_out(found)),
        not_told=(*left.operated, *left.unreadable),
        strip=(
            (f"{found.selected:,}", "sessions selected"),
            (f"{len(found.conditions):,}", "conditions"),
            (f"{len(arms):,}", "arms"),
            (f"{sum(arm.graded for arm in arms):,}", "graded"),
            (f"{sum(arm.ungraded for arm in arms):,}", "without an outcome"),
        ),
    )


def _nothing(found: Overview) -> Iterator[tuple[str, str]]:
    """Why no difference is read under some conditions, with the names of these."""
    by_reason: dict[Nothing, list[str]] = {}
    for each in found.conditions:
        if each.unread is not None:
            by_reason.setdefault(each.unread, []).append(each.name)
    for why, names in by_reason.items():
        which = f"condition{'' if len(names) == 1 else 's'} {wording.listing(names)}"
        yield f"{words.SAYS_NOTHING[why]}: no difference is read.", which[:1].upper() + which[1:]


class _Charts(Struct, frozen=True):
    """The drawings of a condition, None where there is nothing to draw, or too many conditions."""

    rates: tuple[Markup, Markup] | None = None
    differences: tuple[Markup, Markup] | None = None


def _charts(found: Condition, *, drawn: bool, alone: bool) -> _Charts:
    rates, differences = rate_marks(found)[:_MOST_ROWS], difference_marks(found)[:_MOST_ROWS]
    if not drawn or not (alone or len(rates) > 1):
        return _Charts()
    name, which = found.name.lower(), "" if alone else f", condition {found.name}"
    return _Charts(
        both(rate_chart, f"rates-{name}", f"Solve rates by arm{which}", rates) if rates else None,
        both(
            difference_chart,
            f"differences-{name}",
            f"Paired differences by arm{which}",
            differences,
        )
        if differences
        else None,
    )
