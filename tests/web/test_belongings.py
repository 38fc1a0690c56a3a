"""What lies, what one has and what is in containers, from the web client, over a whole server."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tests.kit.players import UoPlayer
from tests.kit.web_player import WebPlayer
from world import hands, holding, life
from world.item import Layer

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.web.session import WebSession
    from tests.kit.town import Town
    from world.item import Item
    from world.mobile import Mobile


async def begins(town: Town) -> tuple[WebPlayer, Mobile]:
    """Anna, where she may lay things down, and her character."""
    anna = WebPlayer(town)
    await anna.enters("anna", "Anna")
    return anna, town.mobile("Anna")


async def settled(town: Town, *players: WebPlayer) -> None:
    """Give the server a moment; what each is told to have is what it has."""
    town.app.loop.wake()
    for player in players:
        await player.sends(b"", wait=0.5)
        assert player.screen.faults == []
        mobile = town.mobile(player.screen.name)
        pack = mobile.backpack
        assert pack is not None
        owned = {item.serial: item.amount for item in pack.contents.values()}
        owned |= {item.serial: 1 for item in mobile.worn.values() if item is not pack}
        assert {thing.id: thing.amount for thing in player.screen.owned.values()} == owned
        worn = {thing.id for thing in player.screen.owned.values() if thing.worn}
        assert worn == {item.serial for item in mobile.worn.values()} - {pack.serial}
        assert player.screen.sheet["weight"] == holding.weight(mobile)
        assert player.screen.sheet["gold"] == holding.gold(mobile)
        for serial, things in player.screen.inside.items():
            container = mobile.world.items.get(serial)
            if container is not None and serial in session_of(town, player).opened:
                assert things.keys() == container.contents.keys()


def session_of(town: Town, player: WebPlayer) -> WebSession:
    """The server's end of a player's connection."""
    mobile = town.mobile(player.screen.name)
    return cast("WebSession", next(s for s in town.app.loop.sessions.values() if s.mobile is mobile))


def lay(town: Town, near: Mobile, key: str, amount: int = 1, away: int = 1) -> Item:
    """Something on the ground beside somebody."""
    item = holding.make(town.app.world, key, amount=amount)
    realm = near.realm
    assert realm is not None
    places = [at for at in realm.free_near(near.x, near.y, away) if at != (near.x, near.y)]
    town.app.world.enter(item, realm, *places[-1])
    town.app.loop.wake()
    return item


def fill(container: Item, key: str, amount: int = 1) -> Item:
    """Something in a container."""
    item = holding.make(container.world, key, amount=amount)
    holding.put(container, item)
    container.world.register(item)
    return item


async def test_taking_and_dropping(town: Town, autojump_clock: MockClock) -> None:
    anna, mobile = await begins(town)
    bert = UoPlayer(town)
    await bert.enters("bert", "Bert")
    loaf = lay(town, mobile, "bread", 5)
    loaf.name = "odd loaf"
    await settled(town, anna)
    shown = anna.screen.things[loaf.serial]
    assert (shown.kind, shown.name, shown.amount) == ("item", "odd loaf", 5)
    await anna.does(anna.client.take_bytes(loaf.serial, 2))
    assert anna.screen.owned[anna.client.owned("odd loaf")].amount == 2
    await settled(town, anna)
    (rest,) = anna.screen.others("item")
    assert anna.screen.things[rest].amount == 3
    # All of it, onto what is there; then a part of that.
    await anna.does(anna.client.take_bytes(rest))
    await settled(town, anna)
    number = anna.client.owned("odd loaf")
    assert anna.screen.owned[number].amount == 5
    anna.got.clear()
    await anna.does(anna.client.drop_bytes(number, 4))
    # One turn tells one list, though three things changed in it.
    assert sorted(str(m["t"]) for m in anna.got) == ["belongings", "sheet", "show"]
    await settled(town, anna)
    (lies,) = anna.screen.others("item")
    there = anna.screen.things[lies]
    assert (there.x, there.y, there.amount) == (mobile.x, mobile.y, 4)
    assert town.app.world.items[lies].realm is mobile.realm
    loaf = town.app.world.items[lies]
    loaf.amount = 7
    await settled(town, anna)
    assert there.amount == 7


async def test_wearing_and_taking_off(town: Town, autojump_clock: MockClock) -> None:
    anna, mobile = await begins(town)
    bert = WebPlayer(town)
    await bert.enters("bert", "Bert")
    shirt = mobile.worn[Layer.SHIRT]
    robe = lay(town, mobile, "fancy_shirt")
    robe.hue = 33
    await settled(town, anna, bert)
    await anna.does(anna.client.take_bytes(robe.serial))
    before = dict(bert.screen.things[mobile.serial].look)
    await anna.does(anna.client.wear_bytes(robe.serial))
    assert mobile.worn[Layer.SHIRT] is robe
    assert shirt.parent is mobile.backpack
    await settled(town, anna, bert)
    assert bert.screen.things[mobile.serial].look != before
    assert anna.client.me.look == bert.screen.things[mobile.serial].look
    robe.hue = 66
    await settled(town, anna, bert)
    dyed = bert.screen.things[mobile.serial].look
    await anna.does(anna.client.unwear_bytes(robe.serial))
    assert Layer.SHIRT not in mobile.worn
    await settled(town, anna, bert)
    assert bert.screen.things[mobile.serial].look != dyed
    assert bert.screen.things[mobile.serial].look["top"] == ""
    # What cannot be worn, what is worn already, and what is not.
    bread = fill(mobile.backpack, "bread") if mobile.backpack else robe
    mobile.mark(0x100)
    await anna.does(anna.client.wear_bytes(bread.serial))
    assert anna.screen.notices()[-1] == "That cannot be worn there."
    shoes = mobile.worn[Layer.SHOES]
    said = len(anna.screen.said)
    await anna.does(anna.client.wear_bytes(shoes.serial))
    assert mobile.worn[Layer.SHOES] is shoes
    assert len(anna.screen.said) == said
    await anna.does(anna.client.unwear_bytes(robe.serial))
    assert anna.screen.notices()[-1] == "That is not there any more."
    await settled(town, anna, bert)


async def test_a_bag_on_the_ground_is_told_as_it_changes(town: Town, autojump_clock: MockClock) -> None:
    anna, mobile = await begins(town)
    bert = WebPlayer(town)
    await bert.enters("bert", "Bert")
    bag = lay(town, mobile, "bag")
    apple, inner = fill(bag, "apple", 3), fill(bag, "bag")
    bread = fill(inner, "bread")
    assert mobile.realm is not None
    town.app.world.warp(town.mobile("Bert"), mobile.realm, mobile.x, mobile.y)
    await settled(town, anna, bert)
    # What was not opened is not known.
    await anna.does(anna.client.take_bytes(apple.serial))
    await anna.does(anna.client.use_bytes(inner.serial))
    assert anna.screen.notices()[-2:] == ["That is not there any more."] * 2
    for player in (anna, bert):
        await player.does(player.client.use_bytes(bag.serial))
        assert player.screen.inside[bag.serial].keys() == {apple.serial, inner.serial}
    await anna.does(anna.client.use_bytes(inner.serial))
    assert anna.screen.inside[inner.serial].keys() == {bread.serial}
    assert inner.serial not in bert.screen.inside
    await anna.does(anna.client.take_bytes(bread.serial))
    assert anna.screen.inside[inner.serial] == {}
    assert inner.serial not in bert.screen.inside
    bert.got.clear()
    await anna.does(anna.client.take_bytes(apple.serial, 1))
    assert [m["t"] for m in bert.got] == ["content"]
    assert [thing.amount for thing in bert.screen.inside[bag.serial].values()] == [1, 2]
    await settled(town, anna, bert)
    # Whoever takes the bag takes what is in it out of the other's sight.
    await anna.does(anna.client.take_bytes(bag.serial))
    assert bag.serial not in bert.screen.inside
    assert bag.serial not in bert.screen.things
    await bert.does(bert.client.look_bytes(inner.serial))
    assert bert.screen.notices()[-1] == "You cannot see that."
    bert.got.clear()
    await anna.does(anna.client.use_bytes(bag.serial))
    await anna.does(anna.client.use_bytes(inner.serial))
    inside = next(thing.id for thing in anna.screen.inside[bag.serial].values() if thing.name == "apple")
    await anna.does(anna.client.take_bytes(inside))
    assert anna.screen.inside[bag.serial].keys() == {inner.serial}
    await settled(town, anna, bert)
    assert bert.got == []


async def test_what_is_refused_is_told_in_words(town: Town, autojump_clock: MockClock) -> None:
    anna, mobile = await begins(town)
    bert = WebPlayer(town)
    await bert.enters("bert", "Bert")
    his = town.mobile("Bert")
    theirs = [his.worn[Layer.SHIRT].serial, next(iter(his.backpack.contents))] if his.backpack else []
    assert len(theirs) == 2
    far = lay(town, mobile, "bread", away=6)
    heavy = lay(town, mobile, "bread", 2000)
    chest = lay(town, mobile, "backpack")
    await settled(town, anna, bert)
    pack = mobile.backpack
    assert pack is not None
    client = anna.client
    for said, words in (
        *((client.take_bytes(serial), "That is not there any more.") for serial in theirs),
        *((client.drop_bytes(serial), "That is not there any more.") for serial in theirs),
        *((client.wear_bytes(serial), "That is not there any more.") for serial in theirs),
        *((client.use_bytes(serial), "That is not there any more.") for serial in theirs),
        *((client.look_bytes(serial), "You cannot see that.") for serial in theirs),
        (client.take_bytes(0), "That is not there any more."),
        (client.take_bytes(0xFFFF_FFFF), "That is not there any more."),
        (client.take_bytes(his.serial), "That is not there any more."),
        (client.take_bytes(mobile.worn[Layer.SHIRT].serial), "That is not there any more."),
        (client.take_bytes(far.serial), "That is too far away."),
        (client.take_bytes(heavy.serial), "That is too heavy."),
        (client.take_bytes(heavy.serial, 0x7FFF_FFFF), "There are not that many."),
        (client.take_bytes(chest.serial), "That cannot be moved."),
        (client.drop_bytes(far.serial), "That is not there any more."),
        (client.drop_bytes(pack.serial), "That cannot be moved."),
        (client.drop_bytes(client.owned("gold coin"), 0x7FFF_FFFF), "There are not that many."),
        (client.use_bytes(far.serial), "That is too far away."),
        (client.use_bytes(client.owned("gold coin")), "You cannot think of a use for gold coin."),
    ):
        before = len(anna.screen.said)
        await anna.does(said)
        assert [line[3] for line in anna.screen.said[before:]] == [words], said
    await settled(town, anna, bert)
    await anna.does(client.look_bytes(heavy.serial))
    assert anna.screen.seen[-1] == (
        heavy.serial,
        "bread loaf",
        ["There are 2000 of them.", "It weighs 2000 stones."],
    )
    mobile.dead = True
    await anna.does(client.drop_bytes(client.owned("gold coin")))
    assert anna.screen.notices()[-1] == "You are dead and cannot do that."


async def test_a_gift_from_another_game_is_told(town: Town, autojump_clock: MockClock) -> None:
    anna, mobile = await begins(town)
    bert = UoPlayer(town)
    await bert.enters("bert", "Bert")
    his = town.mobile("Bert")
    assert mobile.realm is not None
    town.app.world.warp(his, mobile.realm, mobile.x, mobile.y)
    gold = next(hands.carried_items(his, "gold"))
    before = holding.gold(mobile)
    hands.lift(his, gold, 10)
    hands.hand_over(his, mobile)
    await settled(town, anna)
    assert anna.screen.sheet["gold"] == before + 10
    assert anna.screen.notices()[-1] == "Bert gives you 10 gold coins."


async def test_an_open_bag_goes_into_ones_corpse(town: Town, autojump_clock: MockClock) -> None:
    """The page was never shown the corpse before, and has nothing to close."""
    anna, mobile = await begins(town)
    pack = mobile.backpack
    assert pack is not None
    bag = fill(pack, "bag")
    fill(bag, "bread")
    await settled(town, anna)
    await anna.does(anna.client.use_bytes(bag.serial))
    await settled(town, anna)
    assert bag.serial in session_of(town, anna).opened
    life.kill(mobile)
    await settled(town, anna)
    (corpse,) = (number for number in anna.screen.others("item") if anna.screen.things[number].corpse)
    assert town.app.world.items[corpse].remains is not None


async def test_all_that_is_in_a_bag_is_taken_by_one_word(town: Town, autojump_clock: MockClock) -> None:
    anna, mobile = await begins(town)
    bag = lay(town, mobile, "bag")
    fill(bag, "apple", 3)
    fill(bag, "bread", 2)
    await settled(town, anna)
    take_all = anna.client.say_bytes_of("take_all", id=bag.serial)
    await anna.does(anna.client.use_bytes(bag.serial))
    said = len(anna.screen.said)
    await anna.does(take_all)
    assert anna.screen.inside[bag.serial] == {}
    assert anna.screen.notices()[-1] == "You take 3 apples, 2 bread loaves."
    assert len(anna.screen.said) == said + 1
    await anna.does(take_all)
    assert anna.screen.notices()[-1] == "There is nothing left of it."
    shirt = mobile.worn[Layer.SHIRT]
    await anna.does(anna.client.say_bytes_of("take_all", id=shirt.serial))
    assert anna.screen.notices()[-1] == "That is not there any more."
    await settled(town, anna)
