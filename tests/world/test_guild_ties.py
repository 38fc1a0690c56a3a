"""Alliances and wars: how they begin and end, whose colours change, and what is no crime then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.guilds import joins, member, town, weavers
from tests.kit.worlds import lines_of
from world import guild_rolls, guild_ties, guilds, invites, law, speech
from world.audience import Relation, relation
from world.events import Said, Speech
from world.guild import Bond, Guild, Tie
from world.item import Remains
from world.mobile import Notoriety
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from world.mobile import Mobile
    from world.world import World


@pytest.fixture
def world() -> World:
    """A town with a banker."""
    return town()[0]


@pytest.fixture
def anna(world: World) -> Mobile:
    """She leads the Weavers."""
    anna = member(world, "Anna")
    weavers(anna)
    return anna


@pytest.fixture
def berta(world: World) -> Mobile:
    """She leads the Spinners."""
    berta = member(world, "Berta", 11)
    weavers(berta, name="Spinners", tag="SP")
    return berta


@pytest.fixture
def carl(world: World, berta: Mobile) -> Mobile:
    """A recruit of the Spinners."""
    carl = member(world, "Carl", 12)
    guilds.invite(berta, carl)
    invites.accept(carl, guilds.GUILD)
    world.events.clear()
    return carl


def refused(why: Refusal, deed: Callable[[], object]) -> None:
    with pytest.raises(Cannot) as caught:
        deed()
    assert caught.value.why is why


def bond(one: Mobile, other: Mobile) -> Bond | None:
    assert one.guild is not None
    assert other.guild is not None
    assert one.guild.bond(other.guild) is other.guild.bond(one.guild)
    return one.guild.bond(other.guild)


def test_a_war_is_declared_by_one_and_there_for_both(
    world: World, anna: Mobile, berta: Mobile, carl: Mobile
) -> None:
    refused(Refusal.NO_RIGHT, lambda: guild_ties.declare_war(carl, "Weavers"))
    refused(Refusal.NO_SUCH_GUILD, lambda: guild_ties.declare_war(anna, "Dyers"))
    refused(Refusal.ONESELF, lambda: guild_ties.declare_war(anna, "WV"))
    world.take_changes()
    guild_ties.declare_war(anna, "sp")
    assert bond(anna, berta) is Bond.WAR
    assert relation(anna, carl) is relation(carl, anna) is Relation.ENEMY
    assert relation(berta, carl) is Relation.GUILD
    assert lines_of(carl) == ["Weavers has declared war on Spinners."]
    changed = {thing for thing, flags in world.take_changes().dirty if flags & guild_rolls.SHOWN}
    assert changed == {anna, berta, carl}
    refused(Refusal.BOND, lambda: guild_ties.declare_war(berta, "Weavers"))
    refused(Refusal.BOND, lambda: guild_ties.ask_alliance(berta, "Weavers"))
    refused(Refusal.NO_ALLIANCE, lambda: speech.to_company(anna, Speech.ALLIANCE, "hello"))
    (line,) = guild_rolls.sheet(world, berta.guild or Guild()).ties
    assert (line.name, line.tag, line.bond, line.ours) == ("Weavers", "WV", Bond.WAR, False)


def test_who_declared_a_war_ends_it_and_the_other_asks(world: World, anna: Mobile, berta: Mobile) -> None:
    refused(Refusal.NO_BOND, lambda: guild_ties.end(anna, "Spinners"))
    guild_ties.declare_war(anna, "Spinners")
    guild_ties.end(anna, "Spinners")
    assert bond(anna, berta) is None
    assert not world.records.all(Tie)
    guild_ties.declare_war(anna, "Spinners")
    guild_ties.end(berta, "Weavers")
    assert bond(anna, berta) is Bond.WAR
    invites.refuse(anna, guild_ties.PEACE)
    assert bond(anna, berta) is Bond.WAR
    guild_ties.end(berta, "Weavers")
    invites.accept(anna, guild_ties.PEACE)
    assert bond(anna, berta) is None
    assert relation(anna, berta) is Relation.OTHER


def test_an_alliance_needs_both_and_is_heard_by_both(
    world: World, anna: Mobile, berta: Mobile, carl: Mobile
) -> None:
    guild_ties.ask_alliance(anna, "Spinners")
    assert bond(anna, berta) is None
    invites.accept(berta, guild_ties.ALLIANCE)
    assert bond(anna, berta) is Bond.ALLIED
    assert relation(anna, carl) is Relation.GUILD
    world.events.clear()
    speech.to_company(carl, Speech.ALLIANCE, "hello")
    (said,) = [event for event in world.events if isinstance(event, Said) and event.how is Speech.ALLIANCE]
    assert {ear.mobile for ear in said.viewers} == {anna, berta, carl}
    speech.to_company(carl, Speech.GUILD, "us")
    said = [event for event in world.events if isinstance(event, Said)][-1]
    assert {ear.mobile for ear in said.viewers} == {berta, carl}
    guild_ties.end(berta, "Weavers")
    assert bond(anna, berta) is None


def test_only_what_is_meant_ends(world: World, anna: Mobile, berta: Mobile) -> None:
    refused(Refusal.NO_ALLIANCE, lambda: guild_ties.end_alliances(anna))
    guild_ties.declare_war(anna, "Spinners")
    refused(Refusal.NO_BOND, lambda: guild_ties.end(anna, "Spinners", Bond.ALLIED))
    weavers(dora := member(world, "Dora", 13), name="Dyers", tag="DY")
    guild_ties.ask_alliance(anna, "Dyers")
    invites.accept(dora, guild_ties.ALLIANCE)
    refused(Refusal.NO_BOND, lambda: guild_ties.end(anna, "Dyers", Bond.WAR))
    guild_ties.end_alliances(anna)
    assert bond(anna, dora) is None
    assert bond(anna, berta) is Bond.WAR
    guild_ties.end(anna, "Spinners", Bond.WAR)
    assert bond(anna, berta) is None


def test_nobody_answers_for_a_guild_whose_leader_is_away(world: World, anna: Mobile, berta: Mobile) -> None:
    berta.online = False
    refused(Refusal.NO_ENVOY, lambda: guild_ties.ask_alliance(anna, "Spinners"))


def test_there_is_an_end_to_allies_and_enemies(
    monkeypatch: pytest.MonkeyPatch, world: World, anna: Mobile, berta: Mobile
) -> None:
    monkeypatch.setattr(guild_ties, "MOST", 1)
    weavers(member(world, "Dora", 13), name="Dyers", tag="DY")
    guild_ties.declare_war(anna, "Dyers")
    refused(Refusal.BONDS, lambda: guild_ties.declare_war(anna, "Spinners"))
    refused(Refusal.BONDS, lambda: guild_ties.declare_war(berta, "Weavers"))


def test_a_guild_that_ends_leaves_no_war_behind(world: World, anna: Mobile, berta: Mobile) -> None:
    guild_ties.declare_war(anna, "Spinners")
    guilds.disband(berta)
    assert anna.guild is not None
    assert anna.guild.ties == {}
    assert not world.records.all(Tie)
    assert lines_of(anna)[-1] == "Spinners is no more."


def test_allies_and_enemies_are_seen_anew_by_who_joins_and_by_who_leaves(
    world: World, anna: Mobile, berta: Mobile, carl: Mobile
) -> None:
    """Those of the Weavers are orange to the Spinners: to Dora when she joins them, and no more when she, or
    all of them, leave."""
    dora = member(world, "Dora", 13)
    guild_ties.declare_war(anna, "SP")

    def seen_anew(deed: Callable[[], object]) -> set[str]:
        world.take_changes()
        deed()
        return {thing.name for thing, flags in world.take_changes().dirty if flags & guild_rolls.SHOWN}

    berta.spoken = None
    everybody = {"Anna", "Berta", "Carl", "Dora"}
    assert seen_anew(lambda: joins(berta, dora)) == everybody
    assert seen_anew(lambda: guilds.leave(dora)) == everybody
    assert seen_anew(lambda: guilds.disband(berta)) == everybody - {"Dora"}


def test_in_a_war_it_is_no_crime_to_strike_to_kill_and_to_loot(
    world: World, anna: Mobile, berta: Mobile, carl: Mobile
) -> None:
    law.assaulted(anna, carl)
    assert anna.notoriety == Notoriety.CRIMINAL
    anna.notoriety, anna.criminal_until = Notoriety.INNOCENT, 0.0
    carl.aggressors.clear()
    assert not law.invites_blows(anna, carl)
    guild_ties.declare_war(anna, "Spinners")
    assert law.invites_blows(anna, carl)
    law.assaulted(anna, carl)
    law.murdered(anna, carl, innocent=True)
    law.looted(anna, Remains("player", owner=carl.serial))
    assert anna.notoriety == Notoriety.INNOCENT
    assert anna.murders == 0
    guild_ties.end(anna, "Spinners")
    law.looted(anna, Remains("player", owner=berta.serial))
    assert anna.notoriety == Notoriety.CRIMINAL


# What was asked, and is answered when much has changed


ASKS: Mapping[str, Callable[[Mobile], None]] = {
    guild_ties.ALLIANCE: lambda anna: guild_ties.ask_alliance(anna, "Spinners"),
    guild_ties.PEACE: lambda anna: guild_ties.end(anna, "Spinners"),
}


def asks(kind: str, anna: Mobile, berta: Mobile) -> None:
    """The Weavers' leader asks that of the Spinners', who have declared war if it is peace."""
    if kind == guild_ties.PEACE:
        guild_ties.declare_war(berta, "Weavers")
    ASKS[kind](anna)


def check_whole(world: World) -> None:
    """Fail unless the sheet of each guild can be made, and each tie is of two that are there."""
    for guild in world.records.all(Guild).values():
        guild_rolls.sheet(world, guild)
    known = world.records.all(Guild)
    assert all(tie.guild in known and tie.other in known for tie in world.records.all(Tie).values())


@pytest.mark.parametrize("kind", ASKS)
def test_no_bond_of_a_guild_that_is_no_more(kind: str, world: World, anna: Mobile, berta: Mobile) -> None:
    asks(kind, anna, berta)
    guilds.disband(anna)
    guilds.found(anna, "Others", "OT")
    invites.accept(berta, kind)
    assert lines_of(berta)[-1] == Refusal.NO_SUCH_GUILD.value
    assert berta.guild is not None
    assert berta.guild.ties == {}
    check_whole(world)


@pytest.mark.parametrize("kind", ASKS)
def test_no_bond_with_a_guild_that_is_another(kind: str, world: World, anna: Mobile, berta: Mobile) -> None:
    asks(kind, anna, berta)
    guilds.disband(berta)
    other = guilds.found(berta, "Spinners", "SP")
    invites.accept(berta, kind)
    assert lines_of(berta)[-1] == Refusal.NO_SUCH_GUILD.value
    assert other.ties == {}
    check_whole(world)


@pytest.mark.parametrize("kind", ASKS)
def test_who_leads_no_more_binds_nobody(
    kind: str, world: World, anna: Mobile, berta: Mobile, carl: Mobile
) -> None:
    asks(kind, anna, berta)
    before = dict(berta.guild.ties) if berta.guild is not None else {}
    guilds.hand_over(berta, "Carl")
    invites.accept(berta, kind)
    assert lines_of(berta)[-1] == Refusal.NO_RIGHT.value
    assert carl.guild is not None
    assert carl.guild.ties == before


@pytest.mark.parametrize("kind", ASKS)
def test_who_asked_and_leads_no_more_binds_nobody(
    kind: str, world: World, anna: Mobile, berta: Mobile
) -> None:
    dora = member(world, "Dora", 12)
    joins(anna, dora)
    asks(kind, anna, berta)
    before = dict(anna.guild.ties) if anna.guild is not None else {}
    guilds.hand_over(anna, "Dora")
    invites.accept(berta, kind)
    assert lines_of(berta)[-1] == Refusal.NO_RIGHT.value
    assert dora.guild is not None
    assert dora.guild.ties == before
