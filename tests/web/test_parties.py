"""Parties in the browser's own frames and panel, over a whole server: with browsers and with another game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from tests.kit.players import UoPlayer
from tests.kit.web_actor import WebActor
from tests.kit.web_player import WebPlayer
from tests.kit.web_scene import anna_and, gather, settled
from world import invites, life, party
from world.companions import LootRule

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town

INT_MAX = 0x7FFF_FFFF


async def test_a_party_from_the_question_to_its_end(town: Town, autojump_clock: MockClock) -> None:
    bert, carla = WebPlayer(town), UoPlayer(town)
    anna = await anna_and(town, bert, carla)
    mobile, other, third = (town.mobile(name) for name in ("Anna", "Bert", "Carla"))
    await anna.says("invite", id=other.serial)
    (question,) = bert.screen.questions.values()
    assert (question.title, question.asker) == ("Party", mobile.serial)
    await bert.answers(invites.YES)
    await anna.says("invite", name="carla")
    invites.accept(third, party.KIND)
    await settled(town, anna, bert)
    for player in (anna, bert):
        panes = player.screen.panes
        assert [(one.name, one.game, one.online) for one in panes.party.values()] == [
            ("Anna", "web", True),
            ("Bert", "web", True),
            ("Carla", "uo", True),
        ]
        assert panes.loot == "finder"
        shown = panes.party[third.serial]
        assert (shown.level, shown.hits) == (third.level, (third.hits, third.hits_max))
        assert shown.place == ("confluence", "Confluence", third.x, third.y)
    # Bars and places, wherever the others are; nothing while nothing happens.
    realm = next(it for it in town.app.world.realms.values() if it.name != "confluence")
    town.app.world.warp(third, realm, *next(realm.free_near(*realm.chart.spawns[0])))
    third.hits -= 3
    await settled(town, anna, bert)
    shown = anna.screen.panes.party[third.serial]
    assert shown.place == (realm.name, realm.chart.title, third.x, third.y)
    assert shown.hits == (third.hits, third.hits_max)
    await anna.sends(b"", wait=20)  # hits come back
    stirred = anna.screen.panes.stirred
    await anna.sends(b"", wait=5)
    assert anna.screen.panes.stirred == stirred
    life.kill(third)
    await settled(town, anna, bert)
    assert bert.screen.panes.party[third.serial].dead
    # The leader leads, and hands over.
    await anna.says("loot", rule="turns")
    await anna.says("lead", id=other.serial)
    await settled(town, anna, bert)
    assert bert.screen.panes.loot == "turns"
    assert bert.screen.notices()[-1] == "You lead the party now."
    assert list(anna.screen.panes.party) == [other.serial, mobile.serial, third.serial]
    # Who is away is waited for, and knows its party when it comes back.
    await anna.says("leave")
    await settled(town, bert)
    assert not bert.screen.panes.party[mobile.serial].online
    await anna.plays()
    await settled(town, anna, bert)
    assert list(anna.screen.panes.party) == list(bert.screen.panes.party)
    assert bert.screen.panes.party[mobile.serial].online
    await bert.says("expel", id=third.serial)
    await settled(town, anna, bert)
    assert list(anna.screen.panes.party) == [other.serial, mobile.serial]
    await anna.says("leave_party")
    await settled(town, anna, bert)
    assert not anna.screen.panes.party
    assert not bert.screen.panes.party
    assert bert.screen.notices()[-1] == "The party is no more."


async def test_what_a_party_does_not_do_is_refused_in_words(town: Town, autojump_clock: MockClock) -> None:
    bert = WebPlayer(town)
    anna = await anna_and(town, bert)
    mobile, other = town.mobile("Anna"), town.mobile("Bert")

    async def asks(player: WebPlayer, t: str, **fields: object) -> list[str]:
        player.screen.forgets()
        await player.says(t, **fields)
        await settled(town, anna, bert)
        return player.screen.notices()

    for t in ("party", "leave_party", "loot"):
        assert await asks(anna, t) == ["You are in no party."], t
    for t in ("expel", "lead"):
        assert await asks(anna, t, id=other.serial) == ["You are in no party."], t
    nobody = "There is nobody of that name here."
    assert await asks(anna, "invite", name="Zoe") == [nobody]
    assert await asks(anna, "invite") == [nobody]
    assert await asks(anna, "invite", id=INT_MAX) == ["You cannot see that."]
    assert await asks(anna, "invite", id=mobile.serial) == ["You cannot do that to yourself."]
    assert await asks(anna, "invite", id=other.serial) == ["You ask Bert into your party."]
    await bert.answers(0)
    await settled(town, anna, bert)
    assert anna.screen.notices()[-1] == "Bert does not want to."
    party.invite(mobile, other, LootRule.LEADER)
    invites.accept(other, party.KIND)
    await settled(town, anna, bert)
    assert await asks(anna, "invite", id=other.serial) == ["They are in your party already."]
    for t, fields in (("expel", {"id": mobile.serial}), ("lead", {"id": mobile.serial}), ("loot", {})):
        assert await asks(bert, t, **fields) == ["Only the leader of the party may do that."], t
    for t in ("expel", "lead"):
        assert await asks(anna, t, id=INT_MAX) == ["Nobody of that name is in your party."]
    assert await asks(anna, "party") == ["Your party: Anna, Bert. Loot: the leader."]
    assert anna.screen.panes.loot == "leader"


async def test_actors_make_a_party_with_the_panel(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = WebActor(town), WebActor(town)
    await anna.enters("anna", "Anna")
    await bert.enters("bert", "Bert")
    gather(town, "Anna", "Bert")
    await trio.sleep(1)
    await anna.invites("Bert")
    await trio.sleep(1)
    await bert.accepts_invite()
    await trio.sleep(1)
    assert (list(anna.party_shown()), list(bert.party_shown())) == (["Bert"], ["Anna"])
    await bert.leaves_party()
    await trio.sleep(1)
    assert anna.party_shown() == bert.party_shown() == {}
