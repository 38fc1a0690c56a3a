"""Who reads too slowly loses what may be lost at the edge, and is told anew by the world
(`tests/reliability/test_shedding.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit import split
from tests.kit.actors import ACTORS
from tests.reliability import test_shedding as whole
from tests.reliability.conftest import easy_town as easy_town
from tests.reliability.test_shedding import thrifty_town as thrifty_town
from tests.scenes.conftest import town as town

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town


@pytest.fixture(autouse=True)
def _split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(split.SWITCH, "1")


@pytest.mark.parametrize("game", ACTORS)
async def test_who_lost_messages_ends_equal_to_a_twin_that_read(
    thrifty_town: Town, autojump_clock: MockClock, game: str, caplog: pytest.LogCaptureFixture
) -> None:
    await whole.test_who_lost_messages_ends_equal_to_a_twin_that_read(
        thrifty_town, autojump_clock, game, caplog
    )
