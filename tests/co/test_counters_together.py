"""A whole server, and Conquer Online's clients at the counters; what one puts into the bank the same
character takes out through Ultima Online."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.co.dialogs import BOX
from protocol.co.packets import ItemActionType, PackageAction
from tests.kit.co_counters import BREAD, shipped_with_counters
from tests.kit.co_player import CoPlayer
from tests.kit.town import Town
from tests.kit.uo_people import enters, inside, total
from world import hands, safes
from world.wording import GOLD

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock

    from tests.kit.co_seen import Seen


class Customer:
    """Dora, before a baker and a banker."""

    def __init__(self, town: Town, version: int) -> None:
        self.player = CoPlayer(town, version=version)
        self.client = self.player.client
        self.screen = self.client.screen

    def npc(self, name: str) -> Seen:
        """Somebody she sees."""
        return next(seen for seen in self.screen.npcs.values() if seen.name == name)

    async def answers(self, label: str, text: str = "") -> None:
        """The answer that begins so, or what is typed."""
        window = self.screen.window
        assert window is not None
        option = BOX
        if not text:
            option = next(number for number, one in window.options.items() if one.startswith(label))
        await self.player.does(self.client.answer_bytes(option, text))

    async def acts(self, action: int, number: int, data: int = 0) -> None:
        """MsgItem."""
        await self.player.does(self.client.item_bytes(number, action, data))

    async def stores(self, action: int, npc: int, number: int = 0) -> None:
        """MsgPackage."""
        await self.player.does(self.client.package_bytes(npc, action, number))


@pytest.mark.parametrize("version", [5017, 5065])
async def test_all_that_changes_hands_at_counters_adds_up(
    version: int, nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    town = Town(nursery, content=shipped_with_counters(), games=("co", "uo"))
    await town.open()
    dora = Customer(town, version)
    await dora.player.enters("dora", "Dora")
    mobile, screen = town.mobile("Dora"), dora.screen
    before, all_gold = hands.carried(mobile), total(town.app.world, GOLD)
    baker, banker = dora.npc("Greta"), dora.npc("Osric")

    await dora.player.does(dora.client.talk_to_bytes(baker.id))
    await dora.answers("bread")
    await dora.answers("", "3")
    assert any(line.startswith("You buy 3 ") for line in screen.notices), "once it is on disk"
    await dora.answers("I have something")
    await dora.answers(f"{before.get('bread', 0) + 3} bread")
    await dora.answers("Just one.")
    gold = before["gold"] - 12 + 2
    bread = before.get("bread", 0) + 2
    assert (hands.carried(mobile)["gold"], hands.carried(mobile)["bread"]) == (gold, bread)

    osric = next(one for one in town.app.world.mobiles.values() if one.name == "Osric")
    assert osric.realm is not None
    town.app.world.warp(mobile, osric.realm, osric.x, osric.y)
    await dora.player.does(dora.client.talk_to_bytes(banker.id))
    loaves = next(number for number, owned in screen.owned.items() if owned.kind == BREAD)
    await dora.stores(PackageAction.CHECK_IN, banker.id, loaves)
    await dora.acts(ItemActionType.DEPOSIT, banker.id, gold)
    assert (screen.warehouse, screen.stored_silver) == ({loaves: BREAD}, gold)
    assert loaves not in screen.owned
    await dora.acts(ItemActionType.WITHDRAW, banker.id, 5)
    assert (safes.gold(mobile), hands.carried(mobile)["gold"]) == (gold - 5, 5)
    assert screen.faults == []
    assert total(town.app.world, GOLD) == all_gold - 10, "what the baker got"
    dora.player.leaves()

    other = await enters(town, "Dora")
    mobile, item = other.mobile, town.app.world.items[loaves]
    assert item.root is mobile.vault
    await other.player.does(other.client.say_bytes("bank"))
    await other.lifts(item)
    await other.puts(item, other.pack.serial)
    await other.player.does(other.client.say_bytes(f"withdraw {gold - 5}"))
    assert inside(other.client, other.pack.serial)[other.has("gold").serial] == gold
    assert hands.carried(mobile) == {**before, "gold": gold, "bread": bread}
    assert (safes.gold(mobile), safes.things(mobile)) == (0, [])
    assert total(town.app.world, GOLD) == all_gold - 10
    assert other.client.orphans == []
