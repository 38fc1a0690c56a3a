"""Scenes for tests of what clients are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.eo_scene import Scene

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def scene() -> Scene:
    return Scene()


@pytest.fixture(scope="module")
def lasting() -> Iterator[Scene]:
    """One for many examples."""
    made = Scene()
    yield made
    made.desk.database.close()
