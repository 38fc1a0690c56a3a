"""Players of Ultima Online in a running server, what they have, and whether their clients believe what is so.

The belief is that of `tests.kit.uo_client`, which keeps hand, containers and bodies by ClassicUO's rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import trio

from protocol.uo.scenery import FIRST_SERIAL
from tests.kit.players import UoPlayer
from tests.kit.uo_seen import ANYWHERE, GROUND, Seen
from world import holding
from world.item import Item, Layer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from protocol.uo.session import UoSession
    from protocol.uo.versions import VersionNumber
    from tests.kit.town import Town
    from tests.kit.uo_client import UoClient
    from world.mobile import Mobile
    from world.world import World

NEWEST: VersionNumber = (7, 0, 102, 3)
TURN = 0.04


class Person:
    """A player, its mobile, and the way from tiles to the client's coordinates."""

    def __init__(self, town: Town, player: UoPlayer, name: str) -> None:
        self.town = town
        self.player = player
        self.name = name

    @property
    def client(self) -> UoClient:
        return self.player.client

    @property
    def mobile(self) -> Mobile:
        return self.town.mobile(self.name)

    @property
    def pack(self) -> Item:
        pack = self.mobile.backpack
        assert pack is not None
        return pack

    def has(self, key: str) -> Item:
        """The first thing of a kind in the pack."""
        return next(item for item in self.pack.contents.values() if item.template.key == key)

    def tile(self, dx: int = 0, dy: int = 0) -> tuple[int, int]:
        """A tile near it, as the client says it."""
        assert self.mobile.realm is not None
        at = self.mobile.realm.chart.place("uo")
        return at["x"] + self.mobile.x + dx, at["y"] + self.mobile.y + dy

    async def does(self, *frames: bytes) -> list[bytes]:
        """Send in one piece; what came back."""
        return list(await self.player.does(b"".join(frames), wait=TURN))

    async def lifts(self, item: Item, amount: int | None = None) -> list[bytes]:
        return await self.does(self.client.lift_bytes(item.serial, amount or item.amount))

    async def puts(self, item: Item, target: int, x: int = ANYWHERE, y: int = ANYWHERE) -> list[bytes]:
        return await self.does(self.client.drop_bytes(item.serial, x, y, 0, target))

    async def lays(self, item: Item, dx: int = 0, dy: int = 0) -> list[bytes]:
        return await self.puts(item, GROUND, *self.tile(dx, dy))


async def enters(town: Town, name: str, version: VersionNumber = NEWEST) -> Person:
    player = UoPlayer(town, version)
    await player.enters(name.lower(), name)
    return Person(town, player, name)


async def pair(town: Town, version: VersionNumber = NEWEST) -> tuple[Person, Person]:
    """Two players side by side, the first with a client of that version."""
    anna, bert = await enters(town, "Anna", version), await enters(town, "Bert")
    await act(town, clear)
    await act(town, lambda world: gather(anna.mobile, bert.mobile))
    return anna, bert


def clear(world: World) -> None:
    """Nobody of the realm walks through the picture."""
    for mobile in [mobile for mobile in world.mobiles.values() if not mobile.is_character]:
        world.leave(mobile)


def gather(*mobiles: Mobile) -> None:
    """On open ground, on neighbouring tiles."""
    realm = mobiles[0].realm
    assert realm is not None
    x, y = realm.chart.spawns[0]
    free = list(realm.free_near(x, y, 12))
    place = next(
        (a, b) for a, b in free if all((a + dx, b + dy) in free for dx in range(-3, 4) for dy in range(-3, 4))
    )
    for step, mobile in enumerate(mobiles):
        mobile.world.warp(mobile, realm, place[0] + step, place[1])


async def act(town: Town, call: Callable[[World], object]) -> None:
    """Something happens in the world, and the clients hear of it."""
    await town.app.in_world(None, call)
    await trio.sleep(TURN)


def make(world: World, key: str, amount: int = 1) -> Item:
    item = holding.make(world, key, amount=amount, stored=False)
    world.register(item)
    return item


def numbers(frames: Iterable[bytes]) -> list[int]:
    return [frame[0] for frame in frames]


def check(*people: Person) -> None:
    """What each client shows is what there is: lying, worn, in the packs and in what it has opened."""
    for person in people:
        client, mobile = person.client, person.mobile
        assert mobile.viewport is not None
        session = cast("UoSession", person.town.app.loop.sessions[mobile.viewport.key])
        assert client.orphans == []
        held = mobile.held
        assert client.in_hand == (held.serial if held is not None else None)
        assert mobile.realm is not None
        lying = {n: item for n, item in client.items.items() if n < FIRST_SERIAL}
        known = {n: thing for n, thing in session.known.items() if isinstance(thing, Item)}
        assert {n: (item.x, item.y) for n, item in lying.items()} == {
            n: person.tile(thing.x - mobile.x, thing.y - mobile.y) for n, thing in known.items()
        }
        # The amount of a corpse is the body that it was.
        assert {n: item.amount for n, item in lying.items() if known[n].remains is None} == {
            n: thing.amount for n, thing in known.items() if thing.remains is None
        }
        assert body(client.player) == worn(mobile)
        for other in people:
            if other is not person and other.mobile.serial in client.mobiles:
                assert body(client.mobiles[other.mobile.serial]) == worn(other.mobile)
        assert inside(client, person.pack.serial) == contents(person.pack)
        for serial in client.opened:
            container = mobile.world.items.get(serial)
            if container is not None and serial in session.opened:
                assert inside(client, serial) == contents(container)


def body(seen: Seen | None) -> dict[int, int]:
    assert seen is not None
    return {layer: serial for layer, (serial, _, _) in seen.worn.items() if serial < FIRST_SERIAL}


def worn(mobile: Mobile) -> dict[int, int]:
    if mobile.dead:
        return {Layer.BACKPACK: mobile.worn[Layer.BACKPACK].serial}
    return {layer: item.serial for layer, item in mobile.worn.items()}


def inside(client: UoClient, container: int) -> dict[int, int]:
    return {serial: amount for serial, (_, amount, holder) in client.pack.items() if holder == container}


def contents(container: Item) -> dict[int, int]:
    return {serial: item.amount for serial, item in container.contents.items()}


def total(world: World, key: str) -> int:
    return sum(item.amount for item in world.items.values() if item.template.key == key)


def far(mobile: Mobile) -> None:
    """Where one sees nothing of where one was."""
    assert mobile.realm is not None
    spots = [
        (a, b)
        for a in range(mobile.realm.chart.width)
        for b in range(mobile.realm.chart.height)
        if mobile.realm.walkable(a, b) and max(abs(a - mobile.x), abs(b - mobile.y)) > 25
    ]
    mobile.world.warp(mobile, mobile.realm, *spots[0])
