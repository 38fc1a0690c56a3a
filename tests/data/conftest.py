"""The shipped data, and a copy of it to be spoilt."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.kit.in_memory import wild_shipped_content

if TYPE_CHECKING:
    from world.content import Chart, Content

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="session")
def content() -> Content:
    return wild_shipped_content()


@pytest.fixture(scope="session")
def confluence(content: Content) -> Chart:
    return content.charts["confluence"]


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    shutil.copytree(DATA, tmp_path / "data")
    return tmp_path / "data"
