"""Parts of a server whose making depends on which world of a database it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from server.cluster.claims import Claims
from server.edge.crossings import Crossings
from server.people.crossing import host_of
from world.serials import Serials
from world.world import World

if TYPE_CHECKING:
    import random

    from server.boot.parts import Parts
    from server.store.database import Database
    from world.content import Content


def begun(content: Content, database: Database, chance: random.Random, now: float) -> World:
    """An empty world with the realms and the serials that this process has."""
    reserved = database.reserve_serials()
    serials = Serials(reserved.mobile_first, reserved.item_first, reserved.mobile_mark, reserved.item_mark)
    world = World(content, serials, chance=chance, now=now, realms=database.only_realms)
    world.records.kept = database.home
    return world


def crossings_of(app: Parts) -> Crossings:
    """The border of a world among others."""
    return Crossings(
        host_of(app),
        app.storage,
        Claims(app.storage, entropy=app.entropy),
        app.gateway,
        start=app.start,
    )
