"""The version of this program."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final

PYPROJECT: Final = Path(__file__).resolve().parent.parent / "pyproject.toml"


def version() -> str:
    """The version in pyproject.toml, which lies above the packages: Causeway runs from a checkout."""
    with PYPROJECT.open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])
