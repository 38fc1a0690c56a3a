"""An account is removed with its characters and all they have, whoever plays or lingers just then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from tests.kit.games import GAMES, Person

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town


@pytest.mark.parametrize("state", ["plays", "lingers", "is gone"])
async def test_a_removed_account_leaves_nothing(state: str, town: Town, autojump_clock: MockClock) -> None:
    who, game = Person(4200), GAMES["uo"]
    player = game.player(town)
    await game.enters(player, who)
    mobile = town.mobile(who.character)
    serials = {mobile.serial, *(item.serial for item in mobile.worn.values())}
    if state != "plays":
        player.leaves()
        await trio.sleep(1 if state == "lingers" else 3600)
    stayer, other = game.player(town), Person(4201)
    await game.enters(stayer, other)
    answer = await town.app.commands.run("test", "account remove", {"name": who.account})
    assert answer.lines == [f"account {who.account} was removed, with 1 character"]
    await trio.sleep(1)
    assert player.gone or state != "plays"
    assert mobile.serial not in town.app.world.mobiles
    assert town.mobile(other.character).online
    assert not stayer.gone
    await town.app.durable()
    left = await town.app.storage.read(lambda database: database.character(mobile.serial))
    assert left is None
    assert not serials & set(town.app.world.items)
    again = game.player(town)
    await game.enters(again, who)
    assert town.mobile(who.character).serial != mobile.serial, "whoever comes by that name begins anew"
