"""From the world to the menu and back on one connection, as Lineage II's players do it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from tests.kit.l2_player import L2Player

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town


async def test_after_hours_in_the_world_there_is_time_for_the_menu(
    town: Town, autojump_clock: MockClock
) -> None:
    seconds = town.settings.limits.login_seconds
    dora = L2Player(town)
    await dora.enters("doraacct", "Dora")
    await trio.sleep(2 * seconds)
    await dora.does(dora.client.restart_bytes(), wait=seconds - 10)
    assert not town.here("Dora")
    assert not dora.hung_up
    await dora.plays()
    assert town.here("Dora")
    await dora.does(dora.client.restart_bytes(), wait=seconds + 10)
    assert dora.hung_up
