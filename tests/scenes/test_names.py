"""Names as people write them, in clients that can show them and in clients that cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
from eolib import TalkPlayerServerPacket, TalkTellServerPacket

from tests.kit.co_player import CoPlayer
from tests.kit.eq2_player import Eq2Player
from tests.kit.l2_player import L2Player
from tests.kit.players import EoPlayer, UoPlayer
from tests.kit.web_player import WebPlayer
from world import speech

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town


@pytest.mark.parametrize(
    ("typed", "name", "short"),
    [
        ("Bob", "Bob", "Boban"),
        ("John Smith", "John Smith", "Johnsmith"),
        ("D'Artagnan", "D'Artagnan", "Dartagnan"),
        ("mary-ann", "Mary-ann", "Maryann"),
        ("Oldy", "Oldy", "Oldy"),
    ],
)
async def test_a_uo_player_keeps_the_name_it_typed(
    town: Town, autojump_clock: MockClock, typed: str, name: str, short: str
) -> None:
    player = UoPlayer(town)
    await player.logs_in("first")
    await player.does(player.client.create_bytes(typed))
    (mobile,) = [m for m in town.app.world.mobiles.values() if m.is_character]
    assert (mobile.name, mobile.short_name) == (name, short)
    assert not any("cannot be had" in line for line in player.client.said())


async def test_each_client_is_told_a_name_that_it_can_show(town: Town, autojump_clock: MockClock) -> None:
    john = UoPlayer(town)
    await john.enters("john", "John Smith")
    mobile = town.mobile("John Smith")
    uo, eo, eq2, co, l2, web = (
        UoPlayer(town),
        EoPlayer(town),
        Eq2Player(town),
        CoPlayer(town),
        L2Player(town),
        WebPlayer(town),
    )
    for player, name in (
        (uo, "Bert"),
        (eo, "Cora"),
        (eq2, "Dora"),
        (co, "Emil"),
        (l2, "Fred"),
        (web, "Gina"),
    ):
        await player.enters(name.lower(), name)
        other = town.mobile(name)
        assert other.realm is not None
        town.app.world.warp(other, other.realm, mobile.x, mobile.y + 1)
    await john.does(john.client.say_bytes("hello there"))
    await trio.sleep(2)

    assert [drawn.info.name for drawn in eo.client.characters.values() if drawn.info is not None].count(
        "johnsmith"
    ) == 1
    assert eq2.client.by_name("Johnsmith") is not None
    assert eq2.client.by_name("John Smith") is None
    assert {one.name for one in co.client.screen.people.values()} >= {"Johnsmith"}
    assert l2.client.screen.by_name("Johnsmith") is not None
    assert "John Smith" in {one.name for one in web.screen.things.values()}
    assert ("Johnsmith", "hello there") in [one[1:] for one in l2.client.screen.said]
    assert ("John Smith", "hello there") in [(name, words) for _, name, _, words in web.screen.said]
    assert any(isinstance(packet, TalkPlayerServerPacket) for packet in eo.client.received)

    # Either name will do, for whoever types it.
    for called in ("john smith", "JOHNSMITH", "Johnsmith"):
        assert town.app.world.online_by_name(called) is mobile
    speech.tell(mobile, "cora", "psst")
    await trio.sleep(1)
    told = [packet for packet in eo.client.received if isinstance(packet, TalkTellServerPacket)]
    assert [packet.player_name for packet in told] == ["johnsmith"]
