"""Worlds of one database, for the tests of what passes between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.realms import Worlds

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.kit.postgres import Cluster


@pytest.fixture
def worlds(cluster: Cluster, url: str, tmp_path: Path) -> Iterator[Worlds]:
    """Three of them."""
    made = Worlds(cluster, url, tmp_path, 3)
    yield made
    made.close()
