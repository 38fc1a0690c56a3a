"""Counters of merchants and bankers as messages of this game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.web.packets.counters import Bank, Shop, Ware
from protocol.wire.body import Body
from world import shops

if TYPE_CHECKING:
    from collections.abc import Iterable

    from protocol.web.belongings import Possessions
    from protocol.web.looks import WebLooks
    from world.content import Content
    from world.events import ShopOpened, Traded, VaultOpened
    from world.mobile import Mobile
    from world.offers import Catalogue, Priced


def shop(event: ShopOpened, looks: WebLooks) -> Body:
    """A counter that is opened, or shown anew."""
    return _shop(event.host, event.catalogue, looks, anew=False)


def left(event: Traded, looks: WebLooks) -> Body:
    """Shop as a deal has left it."""
    return _shop(event.host, shops.catalogue(event.host), looks, anew=True)


def bank(event: VaultOpened, possessions: Possessions) -> Bank:
    """A vault."""
    things = possessions.listed(event.things)
    return Bank(event.host.serial, event.host.name, event.gold, things, event.anew)


def _shop(host: Mobile, catalogue: Catalogue, looks: WebLooks, *, anew: bool) -> Body:
    """The message, the same for all players."""

    def make() -> Body:
        content = host.world.content
        sells, buys = (_wares(rows, content, looks) for rows in (catalogue.sells, catalogue.buys))
        return Body(Shop(host.serial, host.name, sells, buys, anew).encode())

    return catalogue.kept(("web", host.serial, host.name, anew), make)


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
