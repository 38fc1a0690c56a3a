"""Things go from hand to hand, and from game to game."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, cast

import pytest
from eolib import (
    AvatarAgreeServerPacket,
    ItemAddServerPacket,
    ItemDropServerPacket,
    ItemGetServerPacket,
    ItemObtainServerPacket,
    ItemRemoveServerPacket,
    PaperdollAgreeServerPacket,
)

from protocol.eo.view import EoView
from tests.kit.eo_belongings import check_belongings
from tests.kit.eo_picture import SLOTS
from tests.kit.players import EoPlayer, UoPlayer
from world import hands, holding, motion
from world.item import Item, Layer

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.eo.session import EoSession
    from tests.kit.town import Town
    from world.mobile import Mobile

GOLD = 1


class Scene:
    """Anna at an Ultima Online client and Bert at an Endless Online client, side by side."""

    def __init__(self, town: Town) -> None:
        self.town, self.world = town, town.app.world
        self.anna, self.bert = UoPlayer(town), EoPlayer(town)

    async def begin(self) -> None:
        """Both enter, and meet."""
        await self.anna.enters("anna", "Anna")
        await self.bert.enters("bert", "Bert")
        realm = self.world.realms["confluence"]
        x, y = realm.chart.spawns[0]
        near = [
            (a, b)
            for a, b in realm.free_near(x, y, 8)
            if all(motion.can_step(realm, a, b, heading) for heading in range(8))
            and not any(isinstance(thing, Item) for thing in realm.space.at(a, b).things.values())
        ]
        (x, y), (other_x, other_y) = next(
            (spot, other)
            for spot in near
            for other in near
            if abs(spot[0] - other[0]) == 1 and spot[1] == other[1]
        )
        self.world.warp(self.hers, realm, x, y)
        self.world.warp(self.his, realm, other_x, other_y)
        await self.rest()
        self.forget()

    @property
    def hers(self) -> Mobile:
        """Anna's character."""
        return self.town.mobile("Anna")

    @property
    def his(self) -> Mobile:
        """Bert's character."""
        return self.town.mobile("Bert")

    @property
    def session(self) -> EoSession:
        """Bert's session."""
        return cast("EoSession", next(s for s in self.town.app.sessions() if s.mobile is self.his))

    async def rest(self) -> None:
        """Let both hear what there is to hear."""
        self.town.app.loop.wake()
        await self.anna.does(b"")
        await self.bert.does(b"")

    def forget(self) -> None:
        """What both were told up to now."""
        self.anna.got.clear()
        self.bert.got.clear()

    def give(self, mobile: Mobile, key: str, amount: int = 1) -> Item:
        """Something new in a pack."""
        pack = mobile.backpack
        assert pack is not None
        item = holding.make(self.world, key, amount=amount)
        self.world.register(item)
        holding.put(pack, item)
        return item

    def at(self, x: int, y: int) -> tuple[int, int]:
        """A tile as Anna's client counts it."""
        me = self.anna.client.player
        assert me is not None
        return me.x - self.hers.x + x, me.y - self.hers.y + y

    def lying(self) -> list[tuple[int, int]]:
        """Serial and amount of what Anna's client sees near Bert."""
        near = {self.at(self.his.x + dx, self.his.y + dy) for dx in range(-2, 3) for dy in range(-2, 3)}
        return [
            (item.serial, item.amount)
            for item in self.anna.client.items.values()
            if (item.x, item.y) in near and item.serial in self.world.items
        ]

    def check(self) -> None:
        """Both believe what is true."""
        check_belongings(self.session, self.bert.client)


@pytest.fixture
async def scene(town: Town) -> Scene:
    """The two of them."""
    scene = Scene(town)
    await scene.begin()
    return scene


async def test_what_a_uo_player_lays_down_an_eo_player_picks_up(
    scene: Scene, autojump_clock: MockClock
) -> None:
    bread = scene.give(scene.hers, "bread", 3)
    await scene.rest()
    anna, bert = scene.anna, scene.bert
    await anna.does(anna.client.open_bytes(scene.hers.serial))
    await anna.does(anna.client.lift_bytes(bread.serial, 3))
    assert not bert.of(ItemAddServerPacket), "what is in a hand is drawn nowhere"
    await anna.does(anna.client.drop_bytes(bread.serial, *scene.at(scene.hers.x, scene.hers.y)))
    (shown,) = bert.of(ItemAddServerPacket)
    assert (shown.item_amount, shown.coords.x, shown.coords.y) == (3, scene.hers.x, scene.hers.y)
    scene.check()
    assert (bread.serial, 3) in scene.lying()
    scene.forget()
    await bert.does(bert.client.pick_up(shown.item_index))
    (got,) = bert.of(ItemGetServerPacket)
    assert (got.taken_item.id, got.taken_item.amount) == (shown.item_id, 3)
    assert not bert.of(ItemRemoveServerPacket), "the answer took it off the ground"
    assert not bert.of(ItemObtainServerPacket)
    await scene.rest()
    assert scene.lying() == []
    scene.check()


async def test_of_an_eo_players_gold_a_uo_player_takes_half(scene: Scene, autojump_clock: MockClock) -> None:
    anna, bert = scene.anna, scene.bert
    before = holding.gold(scene.his)
    await bert.does(bert.client.drop(GOLD, 60))
    (dropped,) = bert.of(ItemDropServerPacket)
    assert (dropped.remaining_amount, dropped.dropped_item.amount) == (before - 60, 60)
    assert not bert.of(ItemAddServerPacket), "the answer put it on the ground"
    await scene.rest()
    ((serial, amount),) = scene.lying()
    assert amount == 60
    scene.check()
    scene.forget()
    await anna.does(anna.client.lift_bytes(serial, 30))
    await scene.rest()
    ((rest, amount),) = scene.lying()
    assert amount == 30
    assert rest != serial, "the lifted part keeps the serial"
    (gone,) = bert.of(ItemRemoveServerPacket)
    (left,) = bert.of(ItemAddServerPacket)
    assert gone.item_index == dropped.item_index != left.item_index
    assert (left.item_id, left.item_amount) == (GOLD, 30)
    scene.check()
    await bert.does(bert.client.pick_up(left.item_index))
    assert holding.gold(scene.his) == before - 30
    scene.check()


async def test_what_a_uo_player_hands_over_arrives(scene: Scene, autojump_clock: MockClock) -> None:
    anna, bert = scene.anna, scene.bert
    apples = scene.give(scene.hers, "apple", 5)
    before = hands.carried(scene.his).get("apple", 0)
    await anna.does(anna.client.open_bytes(scene.hers.serial))
    # What is dropped on somebody is offered, and stays until both agree.
    await anna.does(anna.client.lift_bytes(apples.serial, 2))
    await anna.does(anna.client.drop_bytes(apples.serial, 0xFFFF, 0xFFFF, container=scene.his.serial))
    assert hands.carried(scene.his).get("apple", 0) == before
    scene.check()
    await anna.does(anna.client.say_bytes(".give Bert 2 apple"))
    (gift,) = bert.of(ItemObtainServerPacket)
    assert gift.item.amount == 2
    assert hands.carried(scene.his)["apple"] == before + 2
    scene.check()


async def test_what_an_eo_player_wears_everybody_sees(scene: Scene, autojump_clock: MockClock) -> None:
    anna, bert = scene.anna, scene.bert
    hat = scene.give(scene.his, "feathered_hat")
    carl = EoPlayer(scene.town)
    await carl.enters("carl", "Carl")
    await scene.rest()
    scene.forget()
    carl.got.clear()
    hat_id = EoView.of(scene.session).figures.item_id(scene.his, hat)
    await bert.does(bert.client.put_on(hat_id))
    await scene.rest()
    (told,) = bert.of(PaperdollAgreeServerPacket)
    assert (told.item_id, told.remaining_amount) == (hat_id, 0)
    assert len(carl.of(AvatarAgreeServerPacket)) == 1
    seen = anna.client.mobiles[scene.his.serial]
    assert seen.worn[Layer.HELM][0] == hat.serial
    scene.check()
    carls = cast(
        "EoSession", next(s for s in scene.town.app.sessions() if s.mobile is scene.town.mobile("Carl"))
    )
    check_belongings(carls, carl.client)
    await bert.does(bert.client.take_off(hat_id))
    await scene.rest()
    assert Layer.HELM not in anna.client.mobiles[scene.his.serial].worn
    scene.check()


async def test_who_comes_back_believes_what_is_so(scene: Scene, autojump_clock: MockClock) -> None:
    bert = scene.bert
    await bert.does(bert.client.drop(GOLD, 10))
    bert.leaves()
    await scene.rest()
    again = EoPlayer(scene.town)
    await again.enters("bert", "Bert")
    check_belongings(scene.session, again.client)
    assert again.client.inventory[GOLD] == holding.gold(scene.his)


@pytest.mark.parametrize("seed", range(3))
async def test_whatever_two_people_of_two_games_do_it_stays_true(
    scene: Scene, autojump_clock: MockClock, seed: int
) -> None:
    chance = random.Random(seed)
    anna, bert = scene.anna, scene.bert
    for mobile in (scene.hers, scene.his):
        for key in ("dagger", "robe", "bag"):
            scene.give(mobile, key)
        scene.give(mobile, "apple", 9)
    await anna.does(anna.client.open_bytes(scene.hers.serial))
    pack = scene.hers.backpack
    assert pack is not None
    await anna.does(anna.client.open_bytes(pack.serial))
    for _ in range(60):
        mine = sorted(bert.client.inventory)
        match chance.randrange(7):
            case 0 if mine:
                kind = chance.choice(mine)
                x, y = chance.choice(
                    [(255, 255), (scene.his.x, scene.his.y + 1), (scene.hers.x, scene.hers.y)]
                )
                amount = chance.randrange(bert.client.inventory[kind] + 2)
                await bert.sends(bert.client.drop(kind, amount, x, y), wait=0)
            case 1 if bert.client.items:
                await bert.sends(bert.client.pick_up(chance.choice(sorted(bert.client.items))), wait=0)
            case 2 if mine:
                wearable = [kind for kind in mine if bert.client.record(kind).type in SLOTS]
                for kind in wearable[:1]:
                    await bert.sends(bert.client.put_on(kind), wait=0)
            case 3 if bert.client.equipment:
                await bert.sends(
                    bert.client.take_off(chance.choice(sorted(bert.client.equipment.values()))), wait=0
                )
            case 4 if scene.hers.held is None:
                loose = [serial for serial, _ in scene.lying()] + sorted(pack.contents)
                if loose:
                    await anna.sends(
                        anna.client.lift_bytes(chance.choice(loose), chance.randrange(1, 5)), wait=0
                    )
            case 5 if scene.hers.held is not None:
                serial = scene.hers.held.serial
                spot = scene.at(scene.hers.x, scene.hers.y)
                await anna.sends(anna.client.drop_bytes(serial, *spot), wait=0)
            case 6 if scene.hers.held is not None:
                serial = scene.hers.held.serial
                await anna.sends(
                    anna.client.drop_bytes(serial, 0xFFFF, 0xFFFF, container=scene.his.serial), wait=0
                )
        if chance.randrange(2):
            await scene.rest()
            scene.check()
    await scene.rest()
    scene.check()
    assert not scene.bert.hung_up
    assert not scene.anna.hung_up
