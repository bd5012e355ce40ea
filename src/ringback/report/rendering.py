"""How a page is made of a template: escaped, whole in itself, written whole or not at all.

Pages carry their style sheet and a content policy that allows it alone: no script, no network. A
room with pages of its own keeps its templates beside its code and finds these ones too.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ringback.replacing import replacing
from ringback.report.plain import visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

__all__ = ["both", "fragment", "policy", "render", "replace_file", "sheet_text"]

_HOME = "ringback.report"


def both(
    draw: Callable[..., str], name: str, title: str, marks: Sequence[object]
) -> tuple[Markup, Markup]:
    """The drawing for a wide page and for a phone; the style sheet shows one of them."""
    from markupsafe import Markup

    return (
        Markup(draw(f"{name}-wide", title, marks)),
        Markup(draw(f"{name}-narrow", title, marks, narrow=True)),
    )


def render(name: str, *, sheet: str | None = None, package: str = _HOME, **values: Any) -> bytes:
    """The page of the template ``name.html`` as UTF-8; text in `values` is escaped.

    `sheet` is the name of its style sheet, that of the template if None. `package` is where both
    are looked for before the report's own.
    """
    from markupsafe import Markup

    found = _sheet(sheet or name, package)
    template = _environment(package).get_template(f"{name}.html")
    return template.render(css=Markup(found.css), csp=found.policy, **values).encode()


def fragment(name: str, *, package: str, **values: Any) -> str:
    """What the template ``name.html`` makes, escaped as ever, without a style sheet of its own.

    For pages that a server sends, whose sheet and content policy come beside them.
    """
    return _environment(package).get_template(f"{name}.html").render(**values)


def sheet_text(name: str, *, package: str = _HOME) -> str:
    """The style sheet of the template `name`: what is common to all pages, then its own."""
    return _sheet(name, package).css


def policy(name: str, *, package: str = _HOME) -> str:
    """The content policy of pages with this style sheet inside them."""
    return _sheet(name, package).policy


def replace_file(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    with replacing(path) as file:
        file.write(data)


class _Sheet(Struct, frozen=True):
    """A page's style sheet and the content policy that allows it and nothing else."""

    css: str
    policy: str


@cache
def _sheet(name: str, package: str) -> _Sheet:
    home, own = (resources.files(each) / "templates" for each in (_HOME, package))
    sheet = own / f"{name}.css"
    if not sheet.is_file():
        sheet = home / f"{name}.css"
    css = (home / "common.css").read_text("utf-8") + sheet.read_text("utf-8")
    css = re.sub(r"\s*\n\s*", "\n", css).strip()
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return _Sheet(css, policy)


@cache
def _environment(package: str) -> Environment:
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def harmless(value: Any) -> Any:
        """What every expression of a template passes through, before it is escaped."""
        return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    return Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in dict.fromkeys([package, _HOME])]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=harmless,
        trim_blocks=True,
    )
