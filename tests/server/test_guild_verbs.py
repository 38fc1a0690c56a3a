"""Guilds by word, from every game alike; and what of them is there after the server was killed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.denials import Denied
from protocol.session import Phase
from server.commands.staff import TABLE
from server.store.check import check_database
from server.store.database import Database
from server.store.migrate import upgrade
from tests.kit import audits
from tests.kit.office import Office
from tests.server import test_verbs as verbs
from tests.server.test_verbs import resident
from world import granting, guild_rolls, guilds, invites, newcomers
from world.guild import Bond, Guild, Rank
from world.mobile import Access
from world.reach import Refusal
from world.wording import GOLD

if TYPE_CHECKING:
    from pathlib import Path

    import trio
    from trio.testing import MockClock

    from tests.kit.office import Client
    from world.mobile import Mobile


@pytest.fixture
async def office(nursery: trio.Nursery, autojump_clock: MockClock) -> Office:
    return await Office().open(nursery)


class Hero(verbs.Hero):
    """Somebody whose client is known."""

    def __init__(self, office: Office, client: Client, mobile: Mobile) -> None:
        super().__init__(office, client, mobile)
        self.client = client


async def hero(office: Office, name: str, x: int = 20) -> Hero:
    """Somebody with gold."""
    client, mobile = await office.player(name, x=x, y=20)
    newcomers.outfit(mobile)
    mobile.strength = 2_000
    granting.make(mobile, GOLD, 20_000)
    office.world.register(mobile)
    return Hero(office, client, mobile)


async def test_a_guild_by_word(autojump_clock: MockClock, office: Office) -> None:
    anna, berta = await hero(office, "Anna"), await hero(office, "Berta", 21)
    resident(office.world, "banker", 22)
    assert anna.does("guild info") == [Refusal.NO_GUILD.value]
    anna.does("guild found wv Weavers", "guild invite berta")
    invites.accept(berta.mobile, guilds.GUILD)
    guild = anna.mobile.guild
    assert guild is not None
    assert guild is berta.mobile.guild
    anna.does("guild promote Berta")
    assert anna.does("guild members") == [
        "Anna, leader, level 1, here; Berta, member, level 1, here",
    ]
    assert anna.does("g hello there") == []
    assert anna.said[-1].text == "hello there"
    assert anna.does("a hello there") == [Refusal.NO_ALLIANCE.value]
    berta.does("guild deposit 500", "guild deposit bread 2")
    assert berta.does("guild withdraw 1") == [Refusal.NO_RIGHT.value]
    assert anna.does("guild withdraw 100", "guild withdraw bread 1", "guild withdraw silk") == [
        "There is nothing called so here."
    ]
    assert anna.does("guild info") == [
        "Weavers [WV], led by Anna",
        "2 members, 2 of them here; 400 gold coins in the bank",
    ]
    assert "Berta put 500 gold coins into the guild's bank" in " ".join(anna.does("guild log"))
    assert anna.does("guild notice Market at noon") == ["Anna writes on the guild's notice: Market at noon"]
    assert anna.does("guild invite Nobody") == [Refusal.NOBODY.value]
    assert anna.does("guild disband") == [Refusal.BANK_LEFT.value]
    anna.does("guild leader Berta", "guild leave")
    assert anna.mobile.serial not in guild.members
    assert guild.members[berta.mobile.serial].rank == Rank.LEADER
    assert anna.does("guild war WV") == [Refusal.NO_GUILD.value]
    anna.does("guild found sp Spinners", "guild war WV")
    other = anna.mobile.guild
    assert other is not None
    assert other.bond(guild) is Bond.WAR
    anna.does("guild peace Weavers", "guild ally Weavers")
    assert other.bond(guild) is None
    berta.does("guild expel Anna", "guild demote Anna", "guild")
    assert berta.mobile.dialogs


def test_every_verb_of_guilds_is_for_players() -> None:
    rows = [row for row in TABLE if row.name.split()[0] in ("guild", "g", "a")]
    assert len(rows) >= 18
    assert all(row.access == Access.PLAYER and not row.audited for row in rows)


async def gone(office: Office, hero: Hero) -> None:
    """The client of a hero leaves, and with it the hero."""
    office.characters.leave(hero.client)
    hero.client.phase = Phase.MENU
    await office.durable()


async def back(office: Office, hero: Hero) -> None:
    """It comes in again."""

    def welcome(_: Mobile) -> None:
        hero.client.phase = Phase.IN_WORLD

    await office.characters.enter(hero.client, hero.mobile.serial, welcome)
    hero.mobile = office.world.mobiles[hero.mobile.serial]


async def weavers(office: Office) -> tuple[Hero, Hero, Guild]:
    """Anna, who leads a guild, and Berta."""
    anna, berta = await hero(office, "Anna"), await hero(office, "Berta", 21)
    resident(office.world, "banker", 22)
    anna.does("guild found wv Weavers", "guild invite berta")
    invites.accept(berta.mobile, guilds.GUILD)
    assert anna.mobile.guild is not None
    return anna, berta, anna.mobile.guild


async def test_a_guild_is_told_who_comes_and_goes(autojump_clock: MockClock, office: Office) -> None:
    anna, berta, guild = await weavers(office)
    serial = berta.mobile.serial
    await gone(office, berta)
    assert serial not in office.world.mobiles
    assert not guild_rolls.line_of(office.world, guild.members[serial]).online
    anna.does("guild promote Berta")
    await back(office, berta)
    assert berta.mobile.guild is guild
    assert guild.members[serial].rank == Rank.MEMBER
    await office.durable()
    assert audits.durable_faults(office.database, office.world) == []


async def test_who_deletes_its_character_is_in_no_guild(autojump_clock: MockClock, office: Office) -> None:
    anna, berta, guild = await weavers(office)
    await gone(office, anna)
    await office.characters.delete(anna.client, anna.mobile.serial)
    assert list(guild.members) == [berta.mobile.serial]
    assert guild.members[berta.mobile.serial].rank == Rank.LEADER
    assert check_database(office.database) == []
    assert office.database.strangers() == set()


async def test_others_characters_stay_where_they_are(autojump_clock: MockClock, office: Office) -> None:
    anna, berta, guild = await weavers(office)
    await gone(office, berta)
    with pytest.raises(Denied):
        await office.characters.delete(berta.client, anna.mobile.serial)
    assert anna.mobile.serial in guild.members


async def test_it_is_all_there_after_the_server_was_killed(
    nursery: trio.Nursery, autojump_clock: MockClock, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'world.db'}"
    upgrade(url, tmp_path / "backups")
    office = await Office(database=Database(url)).open(nursery)
    anna, berta, _ = await weavers(office)
    anna.does("guild promote Berta", "guild notice Market at noon", "guild deposit 700")
    berta.does("guild deposit bread 2")
    await office.durable()
    kept = office.database.records()
    berta.does("guild deposit 300")  # nobody waits for it: it is on disk on both sides, or on neither

    database = Database(url)
    assert check_database(database) == []
    again = await Office(database=database).open(nursery)
    (restored,) = again.world.records.all(Guild).values()
    assert (restored.name, restored.tag, restored.notice) == ("Weavers", "WV", "Market at noon")
    assert [(one.name, one.rank) for one in restored.members.values()] == [
        ("Anna", Rank.LEADER),
        ("Berta", Rank.MEMBER),
    ]
    assert guild_rolls.gold(again.world, restored) in (700, 1000)
    assert [line.deed for line in guild_rolls.sheet(again.world, restored).log][-1] == "founded the guild"
    assert [row for row in database.records() if row.table == "guild"] == [
        row for row in kept if row.table == "guild"
    ]
    box = guild_rolls.bank(again.world, restored)
    assert box is not None
    assert {item.template.key: item.amount for item in box.contents.values()}["bread"] == 2
    assert audits.holder_faults(again.world) == []
    total = sum(row for key, row in audits.stored_census(database).items() if key == GOLD)
    assert total == database.meta().gold
