"""A whole server, and Conquer Online's clients who trade, go about together, are of one guild and friends in
their own windows, over the wire of both versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.kit import co_circle as circle
from tests.kit.co_actor import CoActor
from tests.kit.co_company import SUCCESS
from tests.kit.co_player import CoPlayer
from tests.kit.dealings import Offer, Table
from tests.kit.town import Town
from world import friends, granting, guilds, hands
from world.wording import GOLD

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock

    from world.mobile import Mobile


class Somebody(CoActor):
    """At a client of a version."""

    version = 5017

    def make_player(self) -> CoPlayer:
        """See CoActor."""
        return CoPlayer(self.town, version=self.version, peer=self.peer)


class Newer(Somebody):
    """At one of the newer version."""

    version = 5065


async def both(nursery: trio.Nursery) -> tuple[Town, list[Somebody]]:
    """Anna and Bert, in sight of each other."""
    town = Town(nursery, games=("co",))
    await town.open()
    people = [Somebody(town), Newer(town)]
    for who, name in zip(people, ("Anna", "Bert"), strict=True):
        await who.enters(name.lower(), name)
        await who.echo()
    return town, people


def mobiles(town: Town) -> list[Mobile]:
    """Their characters."""
    found = [town.app.world.online_by_name(name) for name in ("Anna", "Bert")]
    assert None not in found
    return [mobile for mobile in found if mobile is not None]


async def test_they_trade_in_their_windows(nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    town, (anna, bert) = await both(nursery)
    annas, berts = mobiles(town)
    for mobile in (annas, berts):
        for item in list(hands.carried_items(mobile)):
            hands.consume(item, item.amount)
    granting.make(annas, "gold", 50)
    granting.make(berts, "bread", 10)
    await anna.echo()
    await anna.asks_to_trade("Bert")
    assert await bert.until(lambda: bert.client.screen.trading.asked_by != 0)
    await bert.accepts_trade()
    assert await anna.until(lambda: anna.trade_shown() is not None)
    await anna.offers_gold(20)
    await bert.offers("bread", 10)
    await bert.offers("bread", 4)  # less than the stack has to be typed
    assert await anna.until(lambda: anna.trade_shown() == Table(Offer({}, 20), Offer({"bread": 4})))
    assert await bert.until(
        lambda: bert.trade_shown() == Table(Offer({"bread": 10}), Offer({}, 20))
    )  # the stack
    await anna.agrees()
    assert await bert.until(lambda: bert.client.screen.trading.window.agreed)  # type: ignore[union-attr]
    await bert.agrees()
    assert await anna.until(lambda: SUCCESS in anna.client.screen.trading.endings)
    assert hands.carried(annas) == {"gold": 30, "bread": 4}
    assert hands.carried(berts) == {"gold": 20, "bread": 6}
    await anna.echo()
    assert {4, 30} <= {one.amount for one in anna.carries().values()}
    assert anna.client.screen.faults == bert.client.screen.faults == []


async def test_they_go_about_together(nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    town, (anna, bert) = await both(nursery)
    await anna.invites("Bert")
    assert await bert.until(lambda: bert.client.screen.company.asked is not None)
    await bert.accepts_invite()
    assert await anna.until(lambda: list(anna.party_shown()) == ["Bert"])
    assert await bert.until(lambda: list(bert.party_shown()) == ["Anna"])
    assert mobiles(town)[0].party is mobiles(town)[1].party is not None
    await bert.leaves_party()
    assert await anna.until(lambda: anna.party_shown() == {})
    assert anna.client.screen.faults == bert.client.screen.faults == []


async def test_they_are_of_one_guild_and_friends(nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    town, (anna, bert) = await both(nursery)
    annas, berts = mobiles(town)
    annas.strength = 2_000
    granting.make(annas, GOLD, guilds.FEE)
    await anna.say("/guild found WV Weavers")
    assert await anna.until(lambda: annas.guild is not None)
    numbers = {"Anna": bert._number("Anna"), "Bert": anna._number("Bert")}
    page, other = anna.client.screen.syndicate, bert.client.screen.syndicate
    await anna.sends(anna.client.guild_bytes(circle.INVITE, numbers["Bert"]))
    assert await bert.until(lambda: other.asked == (circle.INVITE, numbers["Anna"]))
    await bert.sends(bert.client.guild_bytes(circle.JOIN, numbers["Anna"]))
    assert await bert.until(lambda: other.own is not None and other.own.members == 2)
    await anna.sends(anna.client.name_bytes(circle.MEMBERS))
    assert await anna.until(lambda: page.roll == ["Anna 1 1", "Bert 1 1"])
    await anna.sends(anna.client.friend_bytes(circle.APPLY, numbers["Bert"]))
    assert await bert.until(lambda: bert.client.screen.acquaintances.asked_by == (numbers["Anna"], "Anna"))
    await bert.sends(bert.client.friend_bytes(circle.APPLY, numbers["Anna"]))
    listed = anna.client.screen.acquaintances
    assert await anna.until(lambda: listed.friends == {numbers["Bert"]: ("Bert", True)})
    assert annas.serial in friends.friends_of(berts)
    bert.leaves()
    assert await anna.until(lambda: listed.friends == {numbers["Bert"]: ("Bert", False)}, 30)
    assert anna.client.screen.faults == bert.client.screen.faults == []
