"""A merchant and a banker for Conquer Online's clients."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import attrs

from protocol.co.packets import ItemAction, Package, PackageKind, TaskDialog
from tests.kit.co_desk import Desk, Player, small_content
from tests.kit.in_memory import shipped_content
from tests.kit.worlds import BAKER
from world import granting, hands, holding
from world.content import Resident
from world.offers import Offers, Shop, Ware

if TYPE_CHECKING:
    from protocol.co.packets import Message
    from protocol.co.versions import CoVersion
    from world.content import Content
    from world.item import Item
    from world.mobile import Mobile

SHOP = Shop(
    (
        Ware("bread", 4, stock=20, restock=60.0),
        Ware("dagger", 30),
        *(Ware(key, 8) for key in ("torch", "candle", "bandage", "apple", "healing_potion")),
    ),
    {"bread": 2, "dagger": 15, "apple": 1},
)
BREAD = 710003
"""The client's item type (data/looks/items.toml)."""
START_GOLD = 100


@cache
def market_content() -> Content:
    """The small content, where there is a baker, too."""
    return with_baker(small_content())


def with_baker(content: Content) -> Content:
    """A content with one more kind of people, who trades in a few things."""
    baker = attrs.evolve(BAKER, offers=Offers(SHOP), look=content.mobiles["crier"].look)
    return attrs.evolve(content, mobiles={**content.mobiles, "baker": baker})


@cache
def shipped_with_counters() -> Content:
    """The shipped content, with a baker and a banker where newcomers begin."""
    content = with_baker(shipped_content())
    chart = content.charts[content.start_realm]
    x, y = chart.spawns[0]
    more = (Resident("baker", x + 1, y), Resident("banker", x - 1, y))
    chart = attrs.evolve(chart, residents=(*chart.residents, *more))
    return attrs.evolve(content, charts={**content.charts, content.start_realm: chart})


class Market:
    """Alric with a hundred gold, before a baker and a banker; what he was sent so far is forgotten."""

    def __init__(self, desk: Desk, player: Player, baker: Mobile, banker: Mobile) -> None:
        self.desk = desk
        self.player = player
        self.baker = baker
        self.banker = banker

    @classmethod
    async def of(cls, version: CoVersion) -> Market:
        """Everybody in their places."""
        desk = Desk(market_content(), version=version)
        baker, banker = desk.resident("baker", 21, 20), desk.resident("banker", 20, 21)
        player = await desk.enter("alric")
        mobile = player.mobile
        for item in list(hands.carried_items(mobile)):
            hands.consume(item, item.amount)
        granting.make(mobile, "gold", START_GOLD)
        await desk.wait(1.0)
        player.got.clear()
        player.raw.clear()
        return cls(desk, player, baker, banker)

    @property
    def mobile(self) -> Mobile:
        """Alric."""
        return self.player.mobile

    def number(self, thing: Mobile | Item) -> int:
        """The client's number."""
        return self.player.figures.ids.of(thing)

    def gold(self) -> int:
        """What he carries."""
        return holding.gold(self.mobile)

    def given(self, key: str, amount: int = 1) -> Item:
        """Something of his own, in his pack, of which his client knows."""
        pack = self.mobile.backpack
        assert pack is not None
        item = holding.make(self.desk.world, key, amount=amount, stored=True)
        self.desk.world.register(item)
        holding.put(pack, item)
        self.desk.turn()
        return item

    async def opens_shop(self) -> dict[int, str]:
        """Click the baker; the answers of the window."""
        await self.player.clicks(self.baker)
        return self.options()

    def options(self) -> dict[int, str]:
        """Those of the window that is open."""
        window = self.player.screen.window
        return dict(window.options) if window is not None else {}

    def text(self) -> str:
        """That of the window that is open."""
        window = self.player.screen.window
        return window.text if window is not None else ""

    def first(self) -> str:
        """The first of them."""
        return next(iter(self.options().values()))

    async def presses(self, label: str) -> None:
        """The answer that begins so; the window is closed by it."""
        number = next(number for number, text in self.options().items() if text.startswith(label))
        await self.answers(number)

    async def answers(self, option: int, *typed: str) -> None:
        """MsgTaskDialog; then nothing is open."""
        self.player.screen.window = None
        await self.desk.wait(0.3)
        await self.player.says(TaskDialog(0, 0, option, 101, typed))

    async def acts(self, kind: int, number: int, data: int = 0, amount: int = 0) -> None:
        """MsgItem."""
        await self.desk.wait(0.3)
        await self.player.says(ItemAction(number, data, kind, 7, amount))

    async def stores(self, action: int, number: int = 0, *, npc: int | None = None) -> None:
        """MsgPackage."""
        await self.desk.wait(0.3)
        named = self.number(self.banker) if npc is None else npc
        await self.player.says(Package(named, action, PackageKind.STORAGE, 0, number & 0xFFFF, number >> 16))

    def promised(self) -> list[str]:
        """What he will read once it is on disk."""
        return [text for mobile, text in self.desk.world.promises if mobile is self.mobile]

    def sent(self, *kinds: type[Message]) -> list[str]:
        """The bytes of what came of these kinds, as hex; all that came counts no more."""
        types = {kind.type.to_bytes(2, "little") for kind in kinds}
        found = [raw.hex() for raw in self.player.raw if raw[2:4] in types]
        self.player.raw.clear()
        self.player.got.clear()
        return found
