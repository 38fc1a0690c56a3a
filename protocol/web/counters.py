"""Counters of merchants and bankers as messages of this game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.web.packets.counters import Bank, Shop, Ware
from world import shops

if TYPE_CHECKING:
    from collections.abc import Iterable

    from protocol.web.belongings import Possessions
    from protocol.web.looks import WebLooks
    from world.content import Content
    from world.events import ShopOpened, Traded, VaultOpened
    from world.offers import Catalogue, Priced


def shop(event: ShopOpened, looks: WebLooks) -> Shop:
    """A counter that is opened, or shown anew."""
    return _shop(event, event.catalogue, looks, anew=False)


def left(event: Traded, looks: WebLooks) -> Shop:
    """Shop as a deal has left it."""
    return _shop(event, shops.catalogue(event.host), looks, anew=True)


def bank(event: VaultOpened, possessions: Possessions) -> Bank:
    """A vault."""
    things = possessions.listed(event.things)
    return Bank(event.host.serial, event.host.name, event.gold, things, event.anew)


def _shop(event: ShopOpened | Traded, catalogue: Catalogue, looks: WebLooks, *, anew: bool) -> Shop:
    content = event.thing.world.content
    sells, buys = (_wares(rows, content, looks) for rows in (catalogue.sells, catalogue.buys))
    return Shop(event.host.serial, event.host.name, sells, buys, anew)


def _wares(rows: Iterable[Priced], content: Content, looks: WebLooks) -> tuple[Ware, ...]:
    return tuple(
        Ware(
            row.item,
            content.items[row.item].name,
            looks.item(content.items[row.item]),
            row.price,
            -1 if row.left is None else row.left,
        )
        for row in rows
    )
