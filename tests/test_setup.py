"""The script that sets a checkout up, with a `uv` that notes what it is asked and does no more."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
UV = f"""#!/bin/sh
echo "$*" >>asked
case "$*" in
venv*) {sys.executable} -m venv --without-pip .venv ;;
esac
case "$*" in
*--seed*|*"pip install"*" pip") cp /bin/true .venv/bin/pip ;;
*--editable*) cp /bin/true .venv/bin/ringback ;;
esac
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    if shutil.which("sh") is None or not Path("/bin/true").exists():
        pytest.skip("there is no shell here")
    (tmp_path / "scripts").mkdir()
    for name in ("scripts/setup", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/uv").write_text(UV)
    (tmp_path / "bin/uv").chmod(0o755)
    return tmp_path


def setup(checkout: Path) -> list[str]:
    """Set it up; gives what uv was asked this time."""
    noted = checkout / "asked"
    noted.write_text("")
    path = f"{checkout / 'bin'}:/usr/bin:/bin"
    subprocess.run(
        ["/bin/sh", "scripts/setup", "run"],
        cwd=checkout,
        env={"PATH": path, "PYTHON": sys.executable},
        check=True,
        capture_output=True,
    )
    return noted.read_text().splitlines()


def test_what_uv_makes_has_the_pip_that_adds_the_extras(checkout: Path) -> None:
    assert len(setup(checkout)) == 2
    assert (checkout / ".venv/bin/pip").exists()
    assert setup(checkout) == []
    (checkout / ".venv/bin/pip").unlink()  # as one that was made before
    assert setup(checkout)[0].endswith(" pip")
    assert (checkout / ".venv/bin/pip").exists()
