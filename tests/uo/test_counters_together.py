"""A client buys, sells and goes to the bank in a running server: what it believes is so, and no gold is made
or lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.uo.packets.counters import BuyOrder, Offered, SellOrder, Wanted
from protocol.uo.packets.dialogs import MenuChoice
from tests.kit.in_memory import shipped_content
from tests.kit.town import Town
from tests.kit.uo_people import act, check, enters, inside, total
from tests.kit.uo_seen import ANYWHERE
from world import residents, safes
from world.content import Resident
from world.offers import Offers, Shop, Ware
from world.wording import GOLD

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock

    from world.mobile import Mobile
    from world.world import World

BANK, BUY, SELL = 4, 5, 6


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    """A running server whose content has a baker."""
    content = shipped_content()
    offers = Offers(Shop((Ware("bread", 4, stock=20), Ware("dagger", 30)), {"bread": 2, "dagger": 15}))
    banker = content.mobiles["banker"]
    baker = attrs.evolve(banker, key="test_baker", name="Gerda", roles=("merchant",), offers=offers)
    running = Town(
        nursery,
        content=attrs.evolve(content, mobiles={**content.mobiles, "test_baker": baker}),
        games=("uo",),
    )
    running.change("limits", exempt=("127.0.0.0/8",), packets_per_second=100_000.0, packet_burst=100_000)
    await running.open()
    return running


async def test_buying_selling_and_banking_keep_all_gold(town: Town, autojump_clock: MockClock) -> None:
    anna = await enters(town, "Anna")
    hosts: list[Mobile] = []

    def settle(world: World) -> None:
        mobile = anna.mobile
        assert mobile.realm is not None
        at = next((x, y) for x, y in mobile.realm.free_near(mobile.x, mobile.y, 4) if x != mobile.x)
        hosts.extend(
            residents.move_in(world, mobile.realm, Resident(kind, *at)) for kind in ("test_baker", "banker")
        )

    await act(town, settle)
    baker, banker = hosts
    before = total(town.app.world, GOLD)

    async def does(*packets: object) -> list[bytes]:
        return await anna.does(anna.client.pack_bytes(*packets))  # type: ignore[arg-type] # client packets

    await does(MenuChoice(baker.serial, BUY))
    assert anna.client.shop == baker.serial
    wares = anna.client.wares()
    assert {name: price for name, (_, price) in wares.items()} == {"bread loaf": 4, "dagger": 30}
    wanted = (Wanted(0x1A, wares["bread loaf"][0], 5), Wanted(0x1A, wares["dagger"][0], 1))
    await does(BuyOrder(baker.serial, 2, wanted))
    assert anna.client.shop == 0
    assert total(town.app.world, GOLD) == before - 50
    check(anna)
    await does(MenuChoice(baker.serial, SELL))
    dagger = anna.has("dagger").serial
    assert anna.client.offered[dagger] == (1, 15)
    await does(SellOrder(baker.serial, (Offered(dagger, 1),)))
    assert dagger not in anna.client.pack
    assert total(town.app.world, GOLD) == before - 35
    check(anna)
    await does(MenuChoice(banker.serial, BANK))
    box = anna.mobile.vault
    assert box is not None
    bread, gold = anna.has("bread"), anna.has("gold")
    await anna.lifts(bread)
    await anna.puts(bread, box.serial)
    assert inside(anna.client, box.serial) == {bread.serial: bread.amount}
    await anna.lifts(gold)
    await anna.puts(gold, box.serial, ANYWHERE, ANYWHERE)
    assert inside(anna.client, box.serial) == {bread.serial: bread.amount}, "gold is no thing there"
    assert safes.gold(anna.mobile) == gold.amount
    await anna.lifts(bread)
    assert inside(anna.client, box.serial) == {}
    await anna.puts(bread, anna.pack.serial)
    await anna.player.does(anna.client.say_bytes("withdraw 20"))
    assert inside(anna.client, anna.pack.serial)[anna.has("gold").serial] == 20
    assert anna.client.in_hand is None
    assert anna.client.orphans == []
    assert total(town.app.world, GOLD) == before - 35
    told = [line for line in anna.client.said() if "bank" in line or line.startswith("You ")]
    assert "You buy 5 bread loaves and 1 dagger for 50 gold coins." in told
    assert any(line.startswith("You take 20 gold coins out of the bank") for line in told)
