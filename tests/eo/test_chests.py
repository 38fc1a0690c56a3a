"""Chests: their tiles in the map, their keys in the list of items, the bytes of what a client says and is
told, and refusals.

Bytes: eo-protocol, xml/net/client and xml/net/server, Chest_*; what a client does with them:
tests.kit.eo_picture. In a number of EO's each digit is one more than it says, and 254 stands for none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
from eolib import (
    ChestAddClientPacket,
    ChestAgreeServerPacket,
    ChestCloseServerPacket,
    ChestGetServerPacket,
    ChestOpenServerPacket,
    ChestReplyServerPacket,
    ChestSpecServerPacket,
    Coords,
    EoReader,
    ItemType,
    ThreeItem,
)
from eolib.protocol.map import Emf, MapTileSpec
from eolib.protocol.pub import Eif

from protocol.eo.files import build
from protocol.eo.looks import compile_looks
from tests.eo.test_handlers_counters import payload, recorded, words
from tests.eo.test_renewal import renews
from tests.kit.eo_belongings import BREAD, DAGGER, GOLD, HAT, RING, SHOES, give, owns
from tests.kit.eo_desk import START, Desk, Player, fresh, small_content
from world import chests, fixtures, hands, holding, life
from world.containers import MOST_IN_CONTAINER
from world.content import Chest, Fixture, ItemTemplate, Loot
from world.reach import Refusal

if TYPE_CHECKING:
    from eolib import Packet

    from world.content import Content
    from world.item import Item

PLACE = START[0] + 1, START[1]
FAR = START[0] + 7, START[1]
KEY = 20
TELLS = (
    ChestOpenServerPacket,
    ChestGetServerPacket,
    ChestReplyServerPacket,
    ChestAgreeServerPacket,
    ChestCloseServerPacket,
    ChestSpecServerPacket,
)


def content(*places: tuple[int, int], lock: str = "key") -> Content:
    """A chest at each of these places, with 20 gold and two daggers."""
    small = small_content()
    key = ItemTemplate("key", "iron key", look={"eo": {"id": KEY, "graphic": 9}})
    box = ItemTemplate(
        "chest",
        "iron chest",
        container=True,
        movable=False,
        chest=Chest((Loot("gold", 20, 20), Loot("dagger", 2, 2)), seconds=60.0, lock=lock),
        look={"eo": {"id": 21, "graphic": 25}},
    )
    return attrs.evolve(
        small,
        items={**small.items, "key": key, "chest": box},
        charts={
            **small.charts,
            "plain": attrs.evolve(
                small.charts["plain"], fixtures=tuple(Fixture("chest", *place) for place in places)
            ),
        },
    )


@attrs.frozen
class Before:
    """A player before a chest."""

    player: Player
    chest: Item

    @property
    def is_open(self) -> bool:
        """Whether its client has a chest's window open."""
        return self.player.client.chest_at is not None

    async def says(self, data: bytes) -> list[Packet]:
        """What comes of chests upon it."""
        self.player.client.received.clear()
        await self.player.sends(data)
        return [packet for packet in self.player.client.received if isinstance(packet, TELLS)]


async def before(*, lock: str = "") -> Before:
    desk = Desk(content(PLACE, FAR, lock=lock))
    fixtures.settle(desk.world)
    alric = await desk.enter("alric")
    return Before(alric, chests.at(alric.mobile, *PLACE))


async def opened() -> Before:
    scene = await before()
    await scene.says(scene.player.client.open_chest(*PLACE))
    return scene


def is_gone(packet: Packet) -> bool:
    """Chest_Close without a key, by which a client tells it from a locked one."""
    return isinstance(packet, ChestCloseServerPacket) and packet.byte_size < 2


def inside(chest: Item) -> dict[str, int]:
    amounts: dict[str, int] = {}
    for item in chest.contents.values():
        amounts[item.template.key] = amounts.get(item.template.key, 0) + item.amount
    return amounts


def test_its_tile_is_a_chest_and_its_key_is_a_key() -> None:
    found = content(PLACE, FAR)
    files = build(found, compile_looks(found))
    emf = Emf.deserialize(EoReader(files.maps[5].data))
    specs = {(tile.x, row.y): tile.tile_spec for row in emf.tile_spec_rows for tile in row.tiles}
    assert (specs[PLACE], specs[FAR]) == (MapTileSpec.Chest, MapTileSpec.Chest)
    record = Eif.deserialize(EoReader(files.items.data)).items[KEY - 1]
    assert (record.type, record.spec1) == (ItemType.Key, KEY), "its client looks it up by this number"


async def test_what_is_in_it_is_taken_and_put_back() -> None:
    scene = await before()
    client, mobile = scene.player.client, scene.player.mobile
    (shown,) = await scene.says(client.open_chest(*PLACE))
    x, y = PLACE[0] + 1, PLACE[1] + 1
    gold, daggers = b"\x02\xfe\x15\xfe\xfe", b"\x08\xfe\x03\xfe\xfe"
    assert payload(shown) == bytes((x, y)) + gold + daggers
    (got,) = await scene.says(client.take_out(DAGGER))
    weight = payload(got)[5:7]
    assert payload(got) == daggers + weight + gold
    assert hands.carried(mobile)["dagger"] == 2
    owns(scene.player)
    (reply,) = await scene.says(client.put_in(DAGGER, 1))
    one, left = b"\x08\xfe\x02\xfe\xfe", b"\x08\xfe" + b"\x02\xfe\xfe\xfe"
    assert payload(reply) == left + payload(reply)[6:8] + gold + one
    assert inside(scene.chest) == {"gold": 20, "dagger": 1}
    owns(scene.player)
    (reply,) = await scene.says(client.put_in(GOLD, 30))
    assert client.chest == {GOLD: 50, DAGGER: 1}, "money goes onto the money"
    owns(scene.player)


async def test_it_is_as_in_eoserv() -> None:
    """Its recording: a chest at (3, 8) with 50 gold, into which 10 are put, and all is taken."""
    place = (3, 8)
    found = content(place, lock="")
    kind = found.items["chest"]
    kind = attrs.evolve(kind, chest=Chest((Loot("gold", 50, 50),)))
    desk = Desk(attrs.evolve(found, items={**found.items, "chest": kind}))
    fixtures.settle(desk.world)
    alric = await desk.enter("alric", (3, 9))
    alric.mobile.strength = 60  # gold weighs something here
    give(alric.mobile, "gold", 3685 - 100)
    await desk.settle()
    scene = Before(alric, chests.at(alric.mobile, *place))
    for wish, step in (
        (alric.client.open_chest(*place), "chest open near"),
        (alric.client.put_in(GOLD, 10, at=place), "chest add"),
        (alric.client.take_out(GOLD, at=place), "chest take"),
    ):
        (answer,) = await scene.says(wish)
        mine, theirs = payload(answer), recorded(step)
        if not isinstance(answer, ChestOpenServerPacket):
            at = 6 if isinstance(answer, ChestReplyServerPacket) else 5
            mine, theirs = (  # nothing weighs anything there, and who can carry what is ours
                one[:at] + one[at + 2 :] for one in (mine, theirs)
            )
        assert mine == theirs


async def test_a_click_on_its_picture_opens_it_too() -> None:
    scene = await before()
    number = scene.player.desk.view.figures.ids.items.number(scene.chest)
    assert number is not None
    (shown,) = await scene.says(scene.player.client.pick_up(number))
    assert isinstance(shown, ChestOpenServerPacket)


async def test_without_the_key_it_is_locked_and_with_it_opens() -> None:
    scene = await before(lock="key")
    client = scene.player.client
    (closed,) = await scene.says(client.open_chest(*PLACE))
    assert isinstance(closed, ChestCloseServerPacket)
    assert not is_gone(closed)
    assert payload(closed) == b"\x15\xfe", "the number of the key, which its client knows by name"
    assert words(scene.player) == [Refusal.LOCKED.value]
    for wish in (client.take_out(GOLD, at=PLACE), client.put_in(BREAD, 1, at=PLACE)):
        give(scene.player.mobile, "bread")
        assert not await scene.says(wish)
        assert words(scene.player) == [Refusal.LOCKED.value]
    give(scene.player.mobile, "key")
    (shown,) = await scene.says(client.open_chest(*PLACE))
    assert isinstance(shown, ChestOpenServerPacket)


async def test_what_cannot_be_done_is_refused_in_words_and_an_open_window_closes() -> None:
    scene = await opened()
    client, player = scene.player.client, scene.player
    (closed,) = await scene.says(client.open_chest(*FAR))
    assert is_gone(closed)
    assert words(player) == [Refusal.FAR.value]
    await scene.says(client.open_chest(*PLACE))
    for wish, why in (
        (client.take_out(RING), Refusal.GONE.value),
        (client.take_out(999), Refusal.GONE.value),
        (client.put_in(BREAD, 1), Refusal.AMOUNT.value),
        (client.put_in(GOLD, 0), Refusal.AMOUNT.value),
        (client.put_in(GOLD, 101), Refusal.AMOUNT.value),
        (client.take_out(GOLD, at=FAR), Refusal.FAR.value),
    ):
        assert not await scene.says(wish)
        assert words(player) == [why]
    assert inside(scene.chest) == {"gold": 20, "dagger": 2}
    (closed,) = await scene.says(client.take_out(GOLD, at=START))
    assert (is_gone(closed), words(player)) == (True, [chests.NO_CHEST])
    life.kill(player.mobile)
    await player.desk.settle()
    assert not await scene.says(client.take_out(GOLD, at=PLACE))
    assert Refusal.DEAD.value in words(player)


async def test_of_what_is_too_heavy_it_takes_as_much_as_it_can_carry() -> None:
    scene = await opened()
    mobile = scene.player.mobile
    room = holding.capacity(mobile) - holding.weight(mobile)
    for _ in range(2):
        stone = holding.make(mobile.world, "bread", amount=room)
        mobile.world.register(stone)
        holding.put(scene.chest, stone)
    await scene.says(scene.player.client.take_out(BREAD))
    assert hands.carried(mobile)["bread"] == room
    assert words(scene.player) == [Refusal.HEAVY.value]
    assert scene.player.client.chest[BREAD] == room
    owns(scene.player)


async def test_what_its_window_has_no_row_for_is_told_and_comes_up() -> None:
    scene = await before()
    for key in ("hat", "ring", "bread", "shoes"):
        give(scene.player.mobile, key, into=scene.chest)
    await scene.says(scene.player.client.open_chest(*PLACE))
    assert scene.player.client.chest.keys() == {GOLD, DAGGER, HAT, RING, BREAD}
    assert words(scene.player) == ["Below that lies more: shoes."]
    await scene.says(scene.player.client.take_out(HAT))
    assert scene.player.client.chest.keys() == {GOLD, DAGGER, RING, BREAD, SHOES}


async def test_a_full_chest_is_told_as_its_client_knows_it() -> None:
    scene = await opened()
    while len(scene.chest.contents) < MOST_IN_CONTAINER:
        give(scene.player.mobile, "dagger", into=scene.chest)
    give(scene.player.mobile, "hat")
    await scene.player.desk.settle()
    (full,) = await scene.says(scene.player.client.put_in(HAT, 1))
    assert isinstance(full, ChestSpecServerPacket)
    assert payload(full) == b"\x00"
    assert words(scene.player) == [Refusal.FULL.value]
    (reply,) = await scene.says(scene.player.client.put_in(GOLD, 10))
    assert isinstance(reply, ChestReplyServerPacket), "a stack has no need of room"


async def test_others_at_it_see_what_is_taken_and_put_and_nobody_else() -> None:
    scene = await opened()
    desk = scene.player.desk
    berta, carl = await desk.enter("berta", (PLACE[0] + 1, PLACE[1])), await desk.enter("carl", FAR)
    await berta.sends(berta.client.open_chest(*PLACE))
    for player in (berta, carl):
        player.client.received.clear()
    answers = await scene.says(scene.player.client.take_out(GOLD))
    assert [type(one) for one in answers] == [ChestGetServerPacket], "its own answer was all"
    (agree,) = fresh(berta, ChestAgreeServerPacket)
    assert payload(agree) == b"\x08\xfe\x03\xfe\xfe"
    await scene.says(scene.player.client.put_in(GOLD, 5))
    assert berta.client.chest == scene.player.client.chest == {DAGGER: 2, GOLD: 5}
    desk.world.warp(berta.mobile, desk.world.realms["plain"], *FAR)
    await desk.settle()
    fresh(berta, ChestAgreeServerPacket)
    await scene.says(scene.player.client.take_out(GOLD))
    assert not fresh(berta, ChestAgreeServerPacket), "who has gone is told no more"
    assert not fresh(carl, ChestAgreeServerPacket)


async def test_two_take_the_same_thing_in_one_turn_and_one_has_it() -> None:
    scene = await opened()
    desk = scene.player.desk
    berta = await desk.enter("berta", (PLACE[0] + 1, PLACE[1]))
    await berta.sends(berta.client.open_chest(*PLACE))
    for player in (scene.player, berta):
        codec = player.session.codec
        codec.receive(player.client.take_out(GOLD), desk.now)
        frame = codec.next_frame()
        assert frame is not None
        await player.line.takes(frame)
    await desk.settle()
    assert Refusal.GONE.value in words(berta)
    for player in (scene.player, berta):
        assert player.client.chest == {DAGGER: 2}
        owns(player)


async def test_a_chest_that_a_reload_takes_away_closes() -> None:
    scene = await opened()
    await renews(scene.player.desk, content(FAR, lock=""))
    assert scene.chest.serial not in scene.player.desk.world.items
    assert not scene.is_open
    (closed,) = await scene.says(scene.player.client.take_out(GOLD, at=PLACE))
    assert (is_gone(closed), words(scene.player)) == (True, [chests.NO_CHEST])


@pytest.mark.parametrize("amount", [1, 3])
async def test_several_that_do_not_stack_go_in_together(amount: int) -> None:
    scene = await opened()
    for _ in range(3):
        give(scene.player.mobile, "ring")
    place = Coords(x=PLACE[0], y=PLACE[1])
    await scene.says(
        scene.player.client.bytes_of(
            ChestAddClientPacket(coords=place, add_item=ThreeItem(id=RING, amount=amount))
        )
    )
    assert inside(scene.chest)["ring"] == scene.player.client.chest[RING] == amount
    owns(scene.player)
