"""The square of six games (`tests/scenes/test_square.py`) with an edge between clients and world."""

from __future__ import annotations

import pytest

from tests.kit import split
from tests.scenes.conftest import happened as happened
from tests.scenes.conftest import town as town
from tests.scenes.test_square import *  # noqa: F403 # the same tests


@pytest.fixture(autouse=True)
def _split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(split.SWITCH, "1")
