"""The house's floors: imports run one way, and help stays cheap. Read from the source itself."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import ringback
from ringback.episode.participants import OPERATOR

ROOT = Path(ringback.__file__).parent

GROUND = {"ringback", "canonical", "errors", "domain", "domains", "replacing", "stopping"}
FLOORS: dict[str, set[str]] = {
    "ringback": set(),
    "canonical": set(),
    "errors": set(),
    "replacing": set(),
    "stopping": {"errors"},
    "domain": {"canonical"},
    "domains": {"domain", "errors"},
    "telecom": GROUND,
    "stats": GROUND,
    "episode": GROUND,
    "models": GROUND | {"episode"},
    "agents": GROUND | {"episode", "models"},
    "users": GROUND | {"episode", "models"},
    "sessions": GROUND | {"episode"},
    "grading": GROUND | {"episode"},
    "formats": GROUND | {"episode", "sessions", "grading"},
    "report": GROUND | {"stats", "episode", "sessions", "grading"},
    "study": GROUND
    | {"stats", "episode", "models", "agents", "users", "sessions", "grading", "report"},
    "recordings": GROUND
    | {"stats", "episode", "users", "sessions", "grading", "formats", "report"},
    "stepcheck": GROUND
    | {"stats", "episode", "models", "sessions", "grading", "formats", "report"},
    "replay": GROUND
    | {"stats", "episode", "models", "agents", "users", "sessions", "grading", "report", "study"},
    "operating": GROUND
    | {"stats", "episode", "models", "agents", "users", "sessions", "grading", "report", "study"},
    "web": GROUND
    | {
        "stats",
        "episode",
        "models",
        "agents",
        "users",
        "sessions",
        "grading",
        "report",
        "study",
        "operating",
    },
    "record": GROUND | {"stats", "episode", "sessions", "grading", "report"},
    "overview": GROUND | {"stats", "episode", "sessions", "grading", "report"},
    "testing": GROUND | {"episode", "agents", "users"},
}
"""What each room may import beside itself."""

TOP = {"cli", "__main__"}
"""These stand on all of it and are imported by none of it."""

# A room about one world may know that world; these modules say so by their name.
KNOWS_TELECOM = {"agents", "users"}

HEAVY = {
    "numpy": "stats",
    "matplotlib": "report",
    "sqlalchemy": "sessions",
    "jinja2": "report",
    "pyarrow": "formats",
    "pydantic_ai": "models",
    "pydantic": "models",
    "genai_prices": "models",
    "openai": "models",
    "anthropic": "models",
    "httpx": "models",
    "xllamacpp": "models",
    "transformers": "models",
    "torch": "models",
    "mcp": "web",
    "starlette": "web",
    "uvicorn": "web",
}


def room(module: str) -> str:
    """The room of ``ringback.room.rest``."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else parts[0]


def sources() -> Iterator[tuple[str, Path]]:
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        yield ".".join(part for part in parts if part != "__init__"), path


@cache
def imported(module: str, path: Path) -> list[tuple[int, str]]:
    """Every module that a file imports, anywhere in it, with the line."""
    return list(_imported(module, path))


def _imported(module: str, path: Path) -> Iterator[tuple[int, str]]:
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield node.lineno, name.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                up = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*up, *([node.module] if node.module else [])])
            if base == "ringback":
                for name in node.names:
                    known = (ROOT / name.name).is_dir() or (ROOT / f"{name.name}.py").is_file()
                    yield node.lineno, f"ringback.{name.name}" if known else "ringback"
            else:
                yield node.lineno, base


@pytest.mark.parametrize(("module", "path"), list(sources()), ids=lambda value: str(value))
def test_imports_run_one_way(module: str, path: Path) -> None:
    own = room(module)
    if own in TOP:
        return
    allowed = {*FLOORS[own], own, *(["telecom"] if own in KNOWS_TELECOM else [])}
    wrong = [
        f"line {line}: {name}"
        for line, name in imported(module, path)
        if name.split(".")[0] == "ringback" and room(name) not in allowed
    ]
    assert not wrong, f"{module} reaches up or across: {wrong}"


def test_every_room_has_its_floor() -> None:
    rooms = {room(module) for module, _ in sources()}
    assert rooms - TOP == set(FLOORS)


def test_the_name_of_who_answers_by_hand_is_kept_once() -> None:
    kept = [
        module
        for module, path in sources()
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and node.value.value == OPERATOR
    ]
    assert kept == ["ringback.episode.participants"]


@pytest.mark.parametrize(("library", "home"), HEAVY.items())
def test_heavy_libraries_live_in_one_room(library: str, home: str) -> None:
    strays = [
        f"{module}, line {line}"
        for module, path in sources()
        if room(module) != home
        for line, name in imported(module, path)
        if name.split(".")[0] == library
    ]
    assert not strays


@pytest.mark.parametrize(
    "statement",
    [
        "import ringback.cli",
        "from ringback.cli.app import build; build()",
        "from ringback.cli import main; main(['--help'])",
        "from ringback.cli import main; main(['run', '--help'])",
        "from ringback.cli import main; main(['rnu'])",
    ],
)
def test_help_loads_no_heavy_library(statement: str) -> None:
    heavy = sorted(HEAVY)
    code = (
        f"import sys; {statement}; sys.stderr.write(repr([m for m in {heavy} if m in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.endswith("[]")


def test_a_run_without_models_loads_no_library_for_them(tmp_path: Path) -> None:
    heavy = sorted(library for library, home in HEAVY.items() if home == "models")
    command = ["run", "--tasks", "small", "--store", str(tmp_path / "s.db"), "--json"]
    code = (
        f"import sys; from ringback.cli import main; main({command}); "
        f"sys.stderr.write(repr([m for m in {heavy} if m in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.endswith("[]")


@pytest.mark.parametrize(
    ("side", "known"),
    [
        ("agents", {"ringback.telecom.policy"}),
        ("users", {"ringback.telecom.scenario", "ringback.telecom.speech"}),
    ],
)
def test_neither_side_can_look_behind_the_scenes(side: str, known: set[str]) -> None:
    """An agent knows the policy, a caller the scenario; neither knows faults, tasks or checks."""
    strays = [
        f"{module}, line {line}: {name}"
        for module, path in sources()
        if room(module) == side
        for line, name in imported(module, path)
        if room(name) == "telecom" and not any(name.startswith(allowed) for allowed in known)
    ]
    assert not strays
