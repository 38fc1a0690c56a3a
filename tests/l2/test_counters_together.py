"""A whole server, and the tests' own Lineage II client at the counters: everything that was bought, sold,
kept and taken back adds up."""

from __future__ import annotations

import re
from math import inf
from typing import TYPE_CHECKING

from tests.kit.l2_counters import shipped_with_counters
from tests.kit.l2_player import L2Player
from tests.kit.town import Town
from world import hands, safes
from world.heading import apart

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock

    from tests.kit.l2_shown import Catalogue
    from world.mobile import Mobile

ADENA = 57


class Customer:
    """Dora, before a baker and a banker."""

    def __init__(self, town: Town) -> None:
        self.town = town
        self.player = L2Player(town)
        self.client = self.player.client

    def forgets(self) -> None:
        """No window is open."""
        self.client.screen.html = self.client.screen.counter = None

    async def comes_to(self, host: Mobile) -> str:
        """Click somebody until it talks; its page."""
        self.forgets()
        for _ in range(2):
            await self.player.does(self.client.click_bytes(host.serial, shift=True))
        html = self.client.screen.html
        assert html is not None
        return html.text

    async def opens(self, host: Mobile, label: str) -> Catalogue:
        """The list behind a link of its page."""
        page = await self.comes_to(host)
        (link,) = re.findall(rf'<a action="bypass -h ([^"]*)">{re.escape(label)}</a>', page)
        self.forgets()
        await self.player.does(self.client.bypass_bytes(link))
        counter = self.client.screen.counter
        assert counter is not None
        return counter

    def read(self) -> list[str]:
        """Lines of the server's since it was asked last."""
        lines = self.client.screen.lines()
        self.client.screen.notices.clear()
        return lines


async def test_all_that_changes_hands_at_counters_adds_up(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    town = Town(nursery, content=shipped_with_counters(), games=("l2",))
    await town.open()
    dora = Customer(town)
    await dora.player.enters("dora", "Dora")
    client, does = dora.client, dora.player.does
    mobile, world = town.mobile("Dora"), town.app.world
    near = sorted(world.mobiles.values(), key=lambda one: apart(one, mobile) if one.realm else inf)
    baker = next(one for one in near if one.template.key == "baker")
    banker = next(one for one in near if one.has_role("banker"))
    before = hands.carried(mobile)

    wares = await dora.opens(baker, "Show me your wares.")
    bread = wares.rows[0]
    assert (wares.opcode, wares.money, bread.price) == (0x11, before["gold"], 4)
    dora.read()
    await does(client.buy_bytes(wares.number, (bread.kind, 3)))
    assert [line for line in dora.read() if line.startswith("You buy 3 ")], "once it is on disk"
    assert hands.carried(mobile)["gold"] == before["gold"] - 12

    sales = await dora.opens(baker, "I have something to sell.")
    mine = next(row for row in sales.rows if row.kind == bread.kind)
    assert mine.price == 2
    await does(client.sell_bytes(sales.number, (mine.number, mine.kind, 1)))
    assert hands.carried(mobile)["gold"] == before["gold"] - 10

    goods = await dora.opens(banker, "Put something in.")
    chosen = [(row.number, row.amount) for row in goods.rows if row.kind in (ADENA, bread.kind)]
    await does(client.deposit_bytes(*chosen))
    assert "gold" not in hands.carried(mobile)
    assert safes.gold(mobile) == before["gold"] - 10
    assert ADENA not in [owned.kind for owned in client.screen.pack.values()]

    assert f"I keep {before['gold'] - 10} gold" in await dora.comes_to(banker)
    kept = await dora.opens(banker, "Take something out.")
    assert (kept.rows[0].kind, kept.rows[0].amount) == (ADENA, before["gold"] - 10)
    await does(client.withdraw_bytes(*((row.number, row.amount) for row in kept.rows)))
    wanted = {**before, "gold": before["gold"] - 10, "bread": before.get("bread", 0) + 2}
    assert hands.carried(mobile) == wanted
    assert (safes.gold(mobile), safes.things(mobile)) == (0, [])
    assert client.screen.faults == []
