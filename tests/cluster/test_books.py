"""Guilds in worlds that do not keep them: seen everywhere, changed by orders that are carried out once.

On PostgreSQL. Skipped where that or psycopg is not installed; CI has both.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
import trio

from server.cluster import books
from server.store.check import check_database
from tests.kit import postgres
from tests.kit.post_land import PostLand
from world import books as world_books
from world import guild_bank, guild_books, guilds, hands, holding, mail, vaults
from world.guild import Rank
from world.guild_rolls import gold, sheet
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from tests.kit.realms import Worlds
    from world.guild import Guild
    from world.mobile import Mobile

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [
    pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY),
    pytest.mark.timeout(180),
]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What players read of their orders. Bankers are everywhere."""
    lines: list[tuple[str, str]] = []
    monkeypatch.setattr(books, "notice", lambda mobile, text: lines.append((mobile.name, text)))
    monkeypatch.setattr(vaults, "check_at", lambda *_: None)
    monkeypatch.setattr(mail, "counter", lambda actor: actor)
    monkeypatch.setattr(world_books, "check_pace", lambda *_: None)
    return lines


@pytest.fixture
async def land(worlds: Worlds) -> AsyncIterator[PostLand]:
    made = PostLand(worlds, random.Random(1))
    made.begin("Anna", "Bert", "Cora")
    async with trio.open_nursery() as running:
        await made.open(running)
        yield made
        running.cancel_scope.cancel()


def sends(deed: Callable[[], object], words: str = guild_books.SENT) -> None:
    """Do something that is done elsewhere."""
    with pytest.raises(Cannot) as caught:
        deed()
    assert caught.value.why is Refusal.LATER
    assert str(caught.value) == words


def guild_of(mobile: Mobile) -> Guild:
    assert mobile.guild is not None
    return mobile.guild


async def test_a_guild_is_the_same_in_every_world(
    worlds: Worlds, land: PostLand, told: list[tuple[str, str]]
) -> None:
    home, second, _ = land.offices
    total = worlds.say("SELECT sum(amount) FROM item WHERE template = 'gold'")
    founder = await land.brings("Anna", 1)
    guilds.found(founder, "Weavers", "WV")
    anna, bert = await land.brings("Anna", 2), await land.brings("Bert", 2)
    await land.settles()
    assert guild_of(anna).tag == "WV"
    assert anna.guild is not founder.guild
    assert [line.deed for line in sheet(second.world, guild_of(anna)).log] == ["founded the guild"]
    # Two of them agree here, and it stands in the books there.
    sends(lambda: guilds._join(anna, bert, guild_of(anna)))
    assert bert.guild is None
    await land.settles()
    assert bert.guild is anna.guild
    assert told[-1] == ("Anna", guild_books.DONE)
    sends(lambda: guilds.promote(anna, "Bert"))
    sends(lambda: guilds.set_notice(anna, "Below we meet."))
    await land.settles()
    assert guild_of(bert).rank_of(bert.serial) == Rank.MEMBER
    assert guild_of(bert).notice == "Below we meet."
    # Gold goes there with the order, and comes from there by letter.
    guild_bank.deposit_gold(anna, anna, 50)
    await land.settles()
    (kept,) = home.world.records.all(type(guild_of(anna))).values()
    assert (gold(home.world, kept), gold(second.world, guild_of(anna))) == (50, 50)
    sends(lambda: guild_bank.withdraw_gold(anna, anna, 20), guild_bank.BY_LETTER)
    await land.settles()
    (letter,) = mail.letters_of(anna)
    carried = holding.gold(anna)
    mail.take(anna, letter)
    assert holding.gold(anna) == carried + 20
    # Who leaves is out everywhere; what one may not do the books say.
    sends(lambda: guilds.leave(bert))
    sends(lambda: guilds.leave(anna))
    await land.settles()
    assert bert.guild is None
    assert [*kept.members] == [anna.serial]
    assert ("Anna", str(Cannot(Refusal.LEADS))) in told
    await land.settles()
    left = int(worlds.say("SELECT sum(amount) FROM item WHERE template = 'gold'"))
    assert left == int(total) - guilds.FEE
    assert check_database(worlds.databases[0]) == []


async def test_gold_that_the_bank_does_not_take_comes_back(
    worlds: Worlds, land: PostLand, told: list[tuple[str, str]]
) -> None:
    total = worlds.say("SELECT sum(amount) FROM item WHERE template = 'gold'")
    founder, bert = await land.brings("Anna", 1), await land.brings("Bert", 1)
    guilds.found(founder, "Weavers", "WV")
    guilds._join(founder, bert, guild_of(founder))
    bert = await land.brings("Bert", 2)
    await land.settles()
    guild_bank.deposit_gold(bert, bert, 30)
    guilds.expel(founder, "Bert")
    async with trio.open_nursery() as nursery:
        for office in land.offices * 3:  # looks that come doubled, at any time
            nursery.start_soon(office.books.look)
    await land.settles()
    assert told == [("Bert", str(Cannot(Refusal.NO_GUILD)))]
    assert bert.guild is None
    (letter,) = mail.letters_of(bert)
    assert letter.sender_name == guild_bank.BOOKS
    mail.take(bert, letter)
    await land.settles()
    left = int(worlds.say("SELECT sum(amount) FROM item WHERE template = 'gold'"))
    assert left == int(total) - guilds.FEE
    assert worlds.say("SELECT count(*) FROM parcel WHERE taken_at IS NULL") == "0"


async def test_without_the_home_world_nothing_is_sent(land: PostLand, told: list[tuple[str, str]]) -> None:
    founder = await land.brings("Anna", 1)
    guilds.found(founder, "Weavers", "WV")
    anna = await land.brings("Anna", 2)
    await land.settles()
    land.offices[1].books._answers = False
    before = holding.gold(anna)
    sends(lambda: guilds.disband(anna), guild_books.AWAY)
    sends(lambda: guild_bank.deposit_gold(anna, anna, 5), guild_books.AWAY)
    (pack,) = [item for item in hands.carried_items(anna) if item.template.key == "dagger"][:1]
    sends(lambda: guild_bank.deposit(anna, anna, pack, 1), guild_books.ONLY_THERE)
    assert holding.gold(anna) == before
