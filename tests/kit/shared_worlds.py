"""Several worlds of one database of PostgreSQL in one process, each a whole server in memory that has all
realms, and clients that come to whichever of them: for what worlds settle about accounts and characters."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import attrs

from server.boot.relays import relay_over
from server.content.families import build_families
from server.store.database import Database
from server.store.migrate import upgrade
from tests.kit.in_memory import shipped_content
from tests.kit.town import PORTS, Town, settings_of_a_town

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import trio

    from tests.kit.datagrams import ClientEnd
    from tests.kit.exchange import Exchange
    from tests.kit.pipe import End
    from world.mobile import Mobile


class SharedWorlds:
    """The worlds, as towns. With an exchange they hear one another; orders are heard in any case."""

    def __init__(
        self,
        nursery: trio.Nursery,
        url: str,
        folder: Path,
        games: Sequence[str],
        *,
        count: int = 2,
        exchange: Exchange | None = None,
    ) -> None:
        upgrade(url, folder)
        self.nursery = nursery
        self.towns: list[Town] = []
        content = shipped_content()
        for number in range(1, count + 1):
            settings = settings_of_a_town()
            settings = attrs.evolve(settings, world=attrs.evolve(settings.world, id=number))
            town = Town(
                nursery,
                settings,
                content=content,
                seed=number,
                database=Database(url, world=number),
                families=build_families(content, games),
            )
            if exchange is not None:
                town.app.relay = relay_over(town.app, exchange)
            self.towns.append(town)

    async def open(self) -> None:
        """Start all."""
        for town in self.towns:
            town.app.gateway.ports.update(PORTS)
            await town.app.open(self.nursery, orders=True)

    def where(self, name: str) -> list[Town]:
        """The worlds that have a character."""
        return [town for town in self.towns if town.here(name)]

    def mobile(self, name: str) -> Mobile:
        """A character, wherever it is."""
        (town,) = self.where(name)
        return town.mobile(name)


class Ways:
    """A place to play (`tests.kit.players.Host`) whose connections lead to some towns in turn: the first to
    the first, the second to the second, and so on."""

    def __init__(self, towns: Sequence[Town]) -> None:
        self.nursery = towns[0].nursery
        self._next = itertools.cycle(towns)

    def connect(self, game: str, door: str = "game", *, peer: str = "127.0.0.1") -> End:
        """See Host."""
        return next(self._next).connect(game, door, peer=peer)

    def datagrams(self, game: str, door: str, *, peer: str = "127.0.0.1") -> ClientEnd:
        """See Host."""
        return next(self._next).datagrams(game, door, peer=peer)
