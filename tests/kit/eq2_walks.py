"""What a player of EverQuest II does besides walking when it is sent on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.kit.eq2_player import Eq2Player

if TYPE_CHECKING:
    from tests.kit.eq2_actor import Eq2Actor


async def loads_its_zone(actor: Eq2Actor) -> None:
    """Its client was told to load its zone anew, which it does over a new connection."""
    client, player = actor.client, actor.player
    assert isinstance(player, Eq2Player)
    client.in_world = False
    request = player.turns_to("world")
    await player.end.send_all(request + client.enter_bytes())
    assert await actor.until(lambda: client.in_world)
