"""Two who sit at whole clients of EverQuest II are of one guild and friends, over the wire, with what their
windows show, through a loss of the line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from tests.kit.eq2_actor import Eq2Actor
from tests.kit.eq2_lists import Lists
from world import guilds, holding
from world.wording import GOLD

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town


async def types(actor: Eq2Actor, word: str, text: str = "") -> None:
    """Type a slash command, and wait for what comes of it."""
    await actor.sends(actor.client.command_bytes(word, text))
    await trio.sleep(1)


def lists(town: Town, actor: Eq2Actor) -> Lists:
    """What its client has of guild and friends."""
    found = Lists(actor.client.version, town.mobile(actor.name).serial)
    found.hear(actor.client.received)
    return found


async def test_clients_show_their_guild_and_friends(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = Eq2Actor(town), Eq2Actor(town)
    await anna.enters("anna", "Anna")
    await bert.enters("bert", "Bert")
    await trio.sleep(3)
    leader = town.mobile("Anna")
    leader.strength = 2_000
    assert leader.backpack is not None
    holding.put(leader.backpack, holding.make(town.app.world, GOLD, amount=guilds.FEE))
    await types(anna, "causeway", "guild found WV Weavers")
    await types(anna, "guild", "invite Bert")
    assert bert.client.offered == "Anna"
    await types(bert, "guild", "accept")
    assert not bert.client.offered, "the window is closed"
    for actor in (anna, bert):
        assert lists(town, actor).names() == {"Anna": 0, "Bert": 7}
    await types(anna, "gu", "hail")
    assert ("Anna", "hail") in bert.client.heard(18)
    await types(anna, "friend_add", "Bert")
    assert lists(town, anna).friends == {"Bert": "Confluence"}
    await bert.logs_out()
    await trio.sleep(3)
    assert lists(town, anna).friends == {"Bert": ""}
    members = lists(town, anna).members.values()
    assert {one.name: one.zone for one in members} == {"Anna": "Confluence", "Bert": ""}
    await types(anna, "guild", "promote Bert")
    again = Eq2Actor(town)
    await again.enters("bert", "Bert")
    await trio.sleep(3)
    assert lists(town, again).names() == {"Anna": 0, "Bert": 4}
    assert lists(town, anna).friends == {"Bert": "Confluence"}
    await types(again, "guild", "leave")
    assert lists(town, again).guild is None
    assert lists(town, anna).names() == {"Anna": 0}
    assert anna.client.faults == bert.client.faults == again.client.faults == []
