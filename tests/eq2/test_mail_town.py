"""A letter from one EverQuest II client to another that is away, in a whole server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.eq2.packets import MAIL_SENT, MailSendMessage
from tests.kit.eq2_player import Eq2Player, newest_version
from tests.kit.eq2_post import Enclosed, Postbox
from tests.kit.town import Town
from world import granting, holding, residents
from world.content import Resident

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock

    from world.mobile import Mobile

NOTHING = Enclosed((0, 0, 0, 0), 0, "", "")


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """A running server over seeded chance and virtual time."""
    running = Town(nursery)
    await running.open()
    return running


async def test_a_letter_from_one_client_to_another_that_is_away(
    town: Town, autojump_clock: MockClock
) -> None:
    bert = Eq2Player(town)
    await bert.enters("bert", "Bert")
    bert.leaves()
    anna = Eq2Player(town)
    await anna.enters("anna", "Anna")
    giver, world, client = town.mobile("Anna"), town.app.world, anna.client

    def come(_: object) -> Mobile:
        assert giver.realm is not None
        banker = residents.place(world, giver.realm, Resident("crier", giver.x + 1, giver.y))
        banker.template = attrs.evolve(banker.template, roles=("banker",))
        granting.make(giver, "dagger", 1)
        granting.make(giver, "gold", 20)
        return banker

    banker = await town.app.in_world(None, come)
    await anna.does(b"", wait=10)
    had = holding.gold(giver)
    row = next(
        at for at, one in enumerate(client.bags.records()) if one.item_id and "dagger" in one.name.lower()
    )
    await anna.does(client.command_bytes("start_mail"))
    await anna.does(client.command_bytes("set_mail_item", f"{row} 1"))
    await anna.does(client.command_bytes("add_mail_gold", "5"))
    assert holding.gold(giver) == had
    await anna.does(client.bytes_of(MailSendMessage("bert", "a dagger", "it is sharp", 0, 0, 0, bytes(26))))
    sent = Postbox(newest_version())
    sent.hear(client.received)
    assert sent.kiosk == banker.serial
    assert sent.outcome == (MAIL_SENT, "Bert")
    assert holding.gold(giver) == had - 5
    assert client.faults == []

    await bert.enters("bert")
    taker, realm = town.mobile("Bert"), giver.realm
    assert realm is not None
    await town.app.in_world(None, lambda _: world.warp(taker, realm, giver.x, giver.y))
    await bert.does(b"", wait=3)
    client, before = bert.client, holding.gold(taker)
    await bert.does(client.command_bytes("start_mail"))
    box = Postbox(newest_version())
    box.hear(client.received)
    (letter,) = box.letters
    assert (letter.texts[:2], letter.is_read) == (("a dagger", "Anna"), 0)
    assert (letter.brings.coins, letter.brings.amount) == ((0, 0, 5, 0), 1)
    box.hear(await bert.does(client.command_bytes("getmailmessage", str(letter.number))))
    assert box.opened is not None
    assert box.opened.texts == ("Anna", "a dagger", "it is sharp")
    box.hear(await bert.does(client.command_bytes("takemailattachments", str(letter.number))))
    assert box.letters[0].brings == NOTHING
    assert holding.gold(taker) == before + 5
    box.hear(await bert.does(client.command_bytes("deletemailmessage", str(letter.number))))
    assert box.letters == ()
    assert list(world.letters.all()) == []
    assert client.faults == []
