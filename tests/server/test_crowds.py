"""Crowds: each client is shown some of many, and believes in these alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from server.turn.crowds import MORE, MOST_IDLE
from tests.kit.meadow import SIDE, Meadow
from world import dealing, dialogs, holding, motion, speech
from world.audience import in_sight
from world.companions import Party
from world.events import Manner, Outcome, Struck
from world.guild import Guild, Member
from world.mobile import Mobile
from world.space import Sight

if TYPE_CHECKING:
    from tests.kit.meadow import Player
    from world.item import Item

CROWD = 8


def others(meadow: Meadow, player: Player) -> dict[int, Mobile]:
    """Everybody in its sight."""
    assert player.session.viewport is not None
    seen = meadow.world.realms["plain"].space.seen_by(player.session.viewport)
    return {serial: thing for serial, thing in seen.items() if isinstance(thing, Mobile)}


def mobile_of(player: Player) -> Mobile:
    assert player.session.mobile is not None
    return player.session.mobile


@pytest.mark.parametrize("side", [6, 14, SIDE], ids=["spot", "square", "meadow"])
@pytest.mark.parametrize("stirs", [3, 30, 120], ids=["calm", "busy", "wild"])
@pytest.mark.parametrize("seed", range(3))
def test_beliefs_are_what_is_known_and_at_rest_as_many_as_there_is_room_for(
    seed: int, stirs: int, side: int
) -> None:
    meadow = Meadow(seed, 40, crowd=CROWD, side=side)
    for _ in range(30):
        for _ in range(stirs):
            meadow.stir()
        meadow.world.now += 0.05
        meadow.turn()
        for player in meadow.players:
            known = player.session.known
            assert known.keys() <= others(meadow, player).keys()
            assert player.places == {serial: (thing.x, thing.y) for serial, thing in known.items()}
            assert known.company == len(known) <= CROWD * MORE + 1
    meadow.rest()
    full = 0
    for player in meadow.players:
        known, seen = player.session.known, others(meadow, player)
        assert known.company == min(CROWD, len(seen))
        full += len(seen) > CROWD
        assert player.places == {serial: (thing.x, thing.y) for serial, thing in known.items()}
    assert not full or meadow.crowds.due() is not None
    assert all(
        set(mobile_of(player).onlookers)
        == {one.session.id for one in meadow.players if mobile_of(player).serial in one.session.known}
        for player in meadow.players
    )


def test_who_comes_near_takes_the_place_of_the_far() -> None:
    meadow = Meadow(1, 40, crowd=CROWD, side=6)
    first, plain = meadow.players[0], meadow.world.realms["plain"]
    assert first.session.viewport is not None
    first.session.viewport.sight = Sight(18)
    for player in meadow.players[1:]:
        meadow.world.warp(mobile_of(player), plain, 37, 20)
    meadow.world.warp(mobile_of(first), plain, 20, 20)
    meadow.rest()
    assert first.session.known.company == CROWD
    near = [mobile_of(player) for player in meadow.players[20:24]]
    for mobile in near:
        meadow.world.warp(mobile, plain, 19, 20)
    meadow.rest(10 * (1 + MOST_IDLE) + 10)
    assert {mobile.serial for mobile in near} <= first.session.known.keys()
    assert first.session.known.company == CROWD


def test_with_another_limit_each_is_shown_more_or_fewer() -> None:
    """As after a reload of the configuration (`server.turn.loop`)."""
    meadow = Meadow(5, 40, crowd=CROWD, side=10)
    meadow.rest()
    for crowd in (CROWD // 2, 0):
        meadow.world.crowd = crowd
        meadow.crowds.full.update(meadow.sessions)
        meadow.rest(80)
        for player in meadow.players:
            seen = others(meadow, player)
            assert player.session.known.company == min(crowd or len(seen), len(seen))
            assert player.places.keys() == player.session.known.keys()


@pytest.mark.parametrize("tied", ["party", "guild"])
def test_companions_are_shown_before_all_others_and_stay(tied: str) -> None:
    meadow = Meadow(4, 40, crowd=CROWD, side=4)
    meadow.rest()
    own = mobile_of(meadow.players[0])
    unseen = [
        serial
        for serial in others(meadow, meadow.players[0])
        if serial not in meadow.players[0].session.known
    ]
    fellows = unseen[:3]
    for mobile in (own, *(meadow.world.mobiles[serial] for serial in fellows)):
        if tied == "party":
            mobile.party = mobile.party or own.party or Party(members=[own.serial, *fellows])
        else:
            mobile.guild = own.guild or Guild()
            mobile.guild.members[mobile.serial] = Member()
    meadow.rest(10 * (1 + MOST_IDLE) + 10)
    assert set(fellows) <= meadow.players[0].places.keys()
    assert meadow.players[0].session.known.company == CROWD
    meadow.world.crowd = 4
    meadow.crowds.full.update(meadow.sessions)
    meadow.rest(80)
    assert set(fellows) <= meadow.players[0].places.keys()
    assert meadow.players[0].session.known.company == 4
    strangers = {serial for serial in meadow.players[0].places if serial not in fellows}
    assert len(strangers) == 1, "there is still room for one other"


def test_who_speaks_or_strikes_is_seen_at_once() -> None:
    meadow = Meadow(2, 40, crowd=CROWD, side=4)
    meadow.rest()
    listener = meadow.players[0]
    unseen = [one for one in others(meadow, listener).values() if one.serial not in listener.session.known]
    assert len(unseen) > 10
    for speaker in unseen:
        speech.say(speaker, "Hear me")
        meadow.turn()
        assert speaker.serial in listener.places
        assert listener.session.known.company <= CROWD * MORE + 1
    meadow.rest()
    assert listener.session.known.company == CROWD
    striker = next(
        one for one in others(meadow, listener).values() if one.serial not in listener.session.known
    )
    target = mobile_of(listener)
    blow = Struck(striker, target, Outcome.HIT, 1, Manner.SLASH, 1000, in_sight(target))
    meadow.world.events.append(blow)
    meadow.turn()
    assert striker.serial in listener.places


def test_who_asks_a_player_something_or_trades_with_it_is_seen_before_the_window_opens() -> None:
    meadow = Meadow(2, 40, crowd=CROWD, side=4)
    meadow.rest()
    asked = meadow.players[0]
    own = mobile_of(asked)
    unseen = [one for one in others(meadow, asked).values() if one.serial not in asked.session.known]
    asker, trader = unseen[:2]
    dialogs.ask(
        own, "MatrixDialog", title="", text="Well?", buttons=(), answered=lambda *_: None, asker=asker
    )
    meadow.turn()
    assert asker.serial in asked.places
    assert trader.serial not in asked.places
    dealing.begin(trader, own)
    meadow.turn()
    assert trader.serial in asked.places


def test_whom_a_player_trades_with_does_not_make_room_for_others() -> None:
    meadow = Meadow(2, 40, crowd=CROWD, side=4)
    meadow.rest()
    trading = meadow.players[0]
    own = mobile_of(trading)
    partner = next(iter(others(meadow, trading).values()))
    dealing.begin(partner, own)
    meadow.turn()
    for speaker in others(meadow, trading).values():
        if speaker is not partner:
            speech.say(speaker, "Hear me")
            meadow.turn()
            assert partner.serial in trading.places
    for _ in range(20):
        for player in meadow.players[1:]:
            motion.step(mobile_of(player), meadow.dice.randrange(8))
        meadow.rest(2)
        assert own.trade is not None
        viewport = trading.session.viewport
        assert viewport is not None
        assert partner.serial in trading.places or not viewport.sees(partner)


def test_what_one_does_in_a_crowd_is_told_to_those_who_know_it_and_nobody_else_is_asked() -> None:
    meadow = Meadow(3, 40, crowd=CROWD, side=4)
    meadow.rest()
    mobile = mobile_of(meadow.players[0])
    motion.turn(mobile, (mobile.heading + 1) % 8)
    (event,) = meadow.world.events
    assert {viewport.key for viewport in event.viewers} == {1, *mobile.onlookers}
    assert len(mobile.onlookers) < 30


def test_things_on_the_ground_are_shown_whatever_the_crowd() -> None:
    meadow = Meadow(4, 40, crowd=CROWD, side=4)
    meadow.rest()
    lying: list[Item] = []
    for x in range(4):
        item = holding.make(meadow.world, "candle", stored=False)
        meadow.world.register(item)
        meadow.world.enter(item, meadow.world.realms["plain"], x, 2)
        lying.append(item)
    meadow.turn()
    for player in meadow.players:
        assert {item.serial for item in lying} <= player.places.keys() or player.session.viewport is None
