"""Letters in the browser's own panel, over a whole server: to another browser, and from another game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.kit.web_player import WebPlayer
from tests.kit.web_scene import anna_and, gather, settled
from world import granting, holding, mail
from world.wording import GOLD

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town
    from tests.kit.web_society import Letter

NO_COUNTER = ["Letters and parcels are handed in and given out by bankers, and at boards."]


def goes_to_the_bank(town: Town, name: str) -> None:
    """Before the banker."""
    banker = next(it for it in town.app.world.mobiles.values() if it.template.key == "banker")
    assert banker.realm is not None
    spot = next(banker.realm.free_near(banker.x, banker.y + 1))
    town.app.world.warp(town.mobile(name), banker.realm, *spot)


def newest(player: WebPlayer) -> Letter:
    """The letter that came last."""
    return list(player.screen.society.letters.values())[-1]


async def test_a_parcel_from_the_counter_to_the_pack(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    mobile, other = town.mobile("Anna"), town.mobile("Bert")
    granting.make(mobile, GOLD, 50)
    granting.make(other, GOLD, 50)
    await settled(town, anna, bert)
    bread = next(one for one in anna.screen.owned.values() if one.kind == "bread")
    things = [{"id": bread.id, "amount": 2}]
    letter = {"to": "bert", "subject": "Bread", "text": "Eat.", "things": things, "gold": 7, "price": 5}
    before = holding.gold(mobile), holding.gold(other)
    await anna.says("send_letter", **letter)
    assert anna.screen.notices()[-1:] == NO_COUNTER
    assert not anna.screen.society.sent
    goes_to_the_bank(town, "Anna")
    await settled(town, anna)
    await anna.says("send_letter", **letter)
    await settled(town, anna, bert)
    assert anna.screen.society.sent == ["Bert"]
    assert "Your letter to Bert with 2 bread loaves and 7 gold coins is on its way." in anna.screen.notices()
    assert "A parcel from Anna has come for you: Bread." in bert.screen.notices()
    # It is read anywhere, and what it brings is taken at a counter.
    told = newest(bert)
    assert (told.sender, told.subject, told.text) == ("Anna", "Bread", "Eat.")
    assert (told.parcel, told.price, told.read) == ({"bread loaf": 2, "gold coin": 7}, 5, False)
    assert told.times[1] - told.times[0] == mail.DAYS * mail.DAY
    await bert.says("read_letter", id=told.id)
    assert newest(bert).read
    await bert.says("take_letter", id=told.id)
    assert bert.screen.notices()[-1:] == NO_COUNTER
    goes_to_the_bank(town, "Bert")
    await settled(town, bert)
    await bert.says("take_letter", id=told.id)
    await settled(town, anna, bert)
    assert newest(bert).parcel == {}
    assert (holding.gold(mobile), holding.gold(other)) == (before[0] - 7, before[1] + 7 - 5)
    await bert.says("discard_letter", id=told.id)
    assert not bert.screen.society.letters
    # What was paid comes as a letter.
    assert newest(anna).subject == "Paid: Bread"
    await town.app.durable()


async def test_parcels_are_refused_and_what_is_not_there_is_told(
    town: Town, autojump_clock: MockClock
) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)

    async def asks(player: WebPlayer, t: str, **fields: object) -> list[str]:
        player.screen.forgets()
        await player.says(t, **fields)
        await settled(town, anna, bert)
        return player.screen.notices()

    await bert.says("mail")
    assert bert.screen.counts["mail"] == 1
    for t in ("read_letter", "take_letter", "refuse_letter", "discard_letter"):
        assert await asks(bert, t, id=1) == ["There is no such letter for you."], t
    goes_to_the_bank(town, "Anna")
    await settled(town, anna)
    assert await asks(anna, "send_letter", to="Zoe", text="Hi") == ["There is nobody of that name."]
    gone = {"id": 0x7FFF_FFFF}
    assert await asks(anna, "send_letter", to="Bert", things=[gone]) == ["That is not there any more."]
    assert not anna.screen.society.sent
    bread = next(one for one in anna.screen.owned.values() if one.kind == "bread")
    await anna.says("send_letter", to="Bert", things=[{"id": bread.id, "amount": 1}])
    await settled(town, anna, bert)
    told = newest(bert)
    await bert.says("refuse_letter", id=told.id)
    await settled(town, anna, bert)
    assert not bert.screen.society.letters
    assert newest(anna).subject.startswith("Back: ")
    assert newest(anna).parcel == {"bread loaf": 1}
    # What waits is there when one comes in again, and asks for it.
    gather(town, "Anna")
    await anna.says("leave")
    await anna.plays()
    await anna.says("mail")
    assert newest(anna).parcel == {"bread loaf": 1}
