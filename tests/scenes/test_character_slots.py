"""The character screen: as many lines as there may be characters, and none that promises too much."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.uo.packets.login import DeletionRefusal
from protocol.uo.session import UoSession
from tests.kit.players import UoPlayer

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town

NAMES = ("Anna", "Berta", "Carla", "Dora", "Emma", "Frieda", "Gerda", "Hanna")
OLD, NEW = (5, 0, 9, 1), (7, 0, 102, 3)


async def at_the_screen(town: Town, version: tuple[int, int, int, int] = NEW) -> UoPlayer:
    player = UoPlayer(town, version)
    await player.logs_in("anna")
    return player


async def makes(town: Town, count: int) -> None:
    """Characters, one after the other."""
    for name in NAMES[:count]:
        player = await at_the_screen(town)
        await player.does(player.client.create_bytes(name))
        assert player.client.in_world, name
        await player.does(player.client.logout_bytes())
        player.leaves()


@pytest.mark.parametrize("version", [OLD, NEW])
@pytest.mark.parametrize("limit", range(1, 8))
async def test_a_client_offers_as_many_characters_as_there_may_be(
    town: Town, autojump_clock: MockClock, limit: int, version: tuple[int, int, int, int]
) -> None:
    town.change("accounts", characters=limit)
    await makes(town, limit - 1)
    player = await at_the_screen(town, version)
    client = player.client
    rows = max(5, limit)
    assert client.slots == [*NAMES[: limit - 1], *[""] * (rows - limit + 1)]
    assert client.offers_new
    await player.does(client.create_bytes(NAMES[limit - 1]))
    assert client.in_world
    await player.does(client.logout_bytes())
    player.leaves()
    full = await at_the_screen(town, version)
    assert full.client.slots == [*NAMES[:limit], *[f"(room for {limit} only)"] * (rows - limit)]
    assert not full.client.offers_new


async def test_one_character_too_many_is_refused_in_other_words_than_a_fault(
    town: Town, autojump_clock: MockClock
) -> None:
    """The oldest clients have their button always, and another client may have been faster."""
    town.change("accounts", characters=2)
    await makes(town, 2)
    player = await at_the_screen(town)
    client = player.client
    await player.does(client.create_bytes("Carla"))
    assert (client.popup, client.unwilling) == (None, DeletionRefusal.BAD_REQUEST)
    assert not client.in_world
    assert (await at_the_screen(town)).client.characters == ["Anna", "Berta"]


async def test_a_line_without_a_character_is_neither_played_nor_deleted(
    town: Town, autojump_clock: MockClock
) -> None:
    town.change("accounts", characters=2)
    await makes(town, 2)
    player = await at_the_screen(town)
    client = player.client
    no_such = bytes([0x85, DeletionRefusal.NO_CHARACTER])
    for wish in (client.play_bytes(3, client.slots[3]), client.delete_bytes(3)):
        assert await player.does(wish) == [no_such]
    await player.does(client.delete_bytes(0))
    assert client.slots == ["Berta", *[""] * 4]
    assert client.offers_new


async def test_one_that_awaits_deletion_takes_room_and_is_not_shown(
    town: Town, autojump_clock: MockClock
) -> None:
    town.change("accounts", characters=2)
    await makes(town, 2)
    player = await at_the_screen(town)
    (session,) = (one for one in town.app.sessions() if isinstance(one, UoSession))
    await town.app.characters.schedule_deletion(session, session.characters[0].serial, 86400)
    player.leaves()
    again = await at_the_screen(town)
    assert again.client.slots == ["Berta", *["(room for 2 only)"] * 4]
    assert not again.client.offers_new


async def test_more_characters_than_there_may_be_are_all_shown(town: Town, autojump_clock: MockClock) -> None:
    """After an operator has lowered the limit."""
    town.change("accounts", characters=7)
    await makes(town, 6)
    town.change("accounts", characters=1)
    player = await at_the_screen(town)
    assert player.client.slots == list(NAMES[:6])
    assert player.client.most_slots == 6
    assert not player.client.offers_new
