"""Belongings for tests of Endless Online: given, laid down, and whether a client believes to own what its
character owns and sees what lies around it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar, cast

from eolib import Packet

from protocol.eo.view import EoView
from tests.kit.eo_desk import Desk, Player
from tests.kit.eo_picture import Lying
from world import arms, hands, holding
from world.item import Item
from world.mobile import Mobile

if TYPE_CHECKING:
    from protocol.eo.session import EoSession
    from tests.kit.eo_client import EoClient

UNLUCKY_WEIGHT = 126
"""Is told as 127: eoweb would misread the packet."""
MOST_WEIGHT = 250


def check_belongings(session: EoSession, client: EoClient) -> None:
    """Fail unless it is so."""
    mobile, figures = cast("Mobile", session.mobile), EoView.of(session).figures
    looks, female = figures.looks, mobile.female
    assert mobile.held is None
    carried = {looks.item_id(key, female=female): amount for key, amount in hands.carried(mobile).items()}
    arrows = arms.ammunition_of(mobile)
    if arrows is not None:  # one is worn, as the client sees it
        number = looks.item_id(arrows.template.key, female=female)
        carried = {kind: amount - (kind == number) for kind, amount in carried.items()}
        carried = {kind: amount for kind, amount in carried.items() if amount}
    assert client.inventory == carried
    weight = min(holding.weight(mobile), MOST_WEIGHT)
    assert client.weight == weight + (weight == UNLUCKY_WEIGHT)
    paper = figures.equipment_paperdoll(mobile)
    by_slot = [paper.boots, paper.accessory, paper.gloves, paper.belt, paper.armor, paper.necklace]
    by_slot += [paper.hat, paper.shield, paper.weapon, *paper.ring, *paper.armlet, *paper.bracer]
    assert client.equipment == {slot: item_id for slot, item_id in enumerate(by_slot) if item_id}
    assert session.viewport is not None
    assert mobile.realm is not None
    seen = mobile.realm.space.seen_by(session.viewport).values()
    lying = Counter(
        Lying(looks.item_id(thing.template.key, female=female), thing.amount, thing.x, thing.y)
        for thing in seen
        if isinstance(thing, Item)
    )
    assert Counter(client.items.values()) == lying
    for person in [*(thing for thing in seen if isinstance(thing, Mobile)), mobile]:
        if not figures.is_npc(person):
            dolls = figures.dolls(person)
            drawn = client.characters[figures.player_id(person)].dolls
            assert drawn == (dolls.boots, dolls.armor, dolls.hat, dolls.shield, dolls.weapon)


P = TypeVar("P", bound=Packet)


GOLD, BAG, SHIRT, BLOUSE, ROBE, SHOES, DAGGER, HAT, SHROUD, BREAD, RING = 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12
BOW, ARROW = 14, 15
"""Item ids of `tests.kit.eo_desk`."""


ARMOR_SLOT, BOOTS_SLOT, HAT_SLOT, SHIELD_SLOT, WEAPON_SLOT, RING_SLOT = 4, 0, 6, 7, 8, 9


def give(mobile: Mobile, key: str, amount: int = 1, *, hue: int = 0, into: Item | None = None) -> Item:
    """Put a new thing into a pack, as the server's staff would."""
    item = holding.make(mobile.world, key, amount=amount, hue=hue, stored=False)
    pack = into or mobile.backpack
    assert pack is not None
    mobile.world.register(item)
    holding.put(pack, item)
    return item


def ground(desk: Desk, key: str, x: int = 20, y: int = 20, amount: int = 1) -> Item:
    """Put a new thing on the ground."""
    item = holding.make(desk.world, key, amount=amount, stored=False)
    desk.world.enter(item, desk.world.realms["plain"], x, y)
    return item


def of(player: Player, *kinds: type[P]) -> list[P]:
    """What the client received of these kinds since the last time."""
    found = [packet for packet in player.client.received if isinstance(packet, kinds)]
    player.client.received.clear()
    return found


def about_items(player: Player) -> list[str]:
    """Names of what the client received about items."""
    words = ("Item", "Paperdoll", "Avatar")
    names = [type(packet).__name__.removesuffix("ServerPacket") for packet in player.client.received]
    player.client.received.clear()
    return [name for name in names if name.startswith(words)]


def owns(player: Player) -> None:
    """Fail unless the client believes what is true."""
    check_belongings(player.session, player.client)
    player.believes()
    assert player.line.ending is None


async def pair() -> tuple[Desk, Player, Player]:
    """A man and a woman side by side."""
    desk = Desk()
    alric = await desk.enter("alric", (20, 20))
    berta = await desk.enter("berta", (21, 20), female=True)
    await desk.settle()
    for player in (alric, berta):
        player.client.received.clear()
    return desk, alric, berta
