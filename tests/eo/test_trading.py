"""A trade in this game's own window: what comes of a wish, what both clients show, and that they believe what
is true."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import pytest
from eolib import TalkServerServerPacket, TradeCloseServerPacket, TradeRequestServerPacket

from tests.eo.test_handlers_things import STEPS
from tests.kit.eo_belongings import (
    ARROW,
    BAG,
    BLOUSE,
    BOW,
    BREAD,
    DAGGER,
    GOLD,
    RING,
    SHIRT,
    give,
    owns,
    pair,
)
from tests.kit.eo_peer import eolib_bytes
from world import hands, holding, life, motion, trade
from world.heading import WEST
from world.reach import Refusal
from world.trade_events import Off

if TYPE_CHECKING:
    from tests.kit.eo_desk import Desk, Player


def words(player: Player) -> list[str]:
    """Lines that came since the last time."""
    said = [packet.message for packet in player.client.received if isinstance(packet, TalkServerServerPacket)]
    player.client.received.clear()
    return said


def told(player: Player) -> list[str]:
    """Names of all that came since the last time but lines."""
    names = [type(packet).__name__.removesuffix("ServerPacket") for packet in player.client.received]
    player.client.received.clear()
    return [name for name in names if name != "TalkServer"]


async def trading() -> tuple[Desk, Player, Player]:
    """Two who trade; each has 100 gold, he 5 loaves of bread and she a dagger."""
    desk, alric, berta = await pair()
    give(alric.mobile, "bread", 5)
    give(berta.mobile, "dagger")
    await desk.settle()
    await alric.sends(alric.client.ask_to_trade(berta.client.player_id))
    await berta.sends(berta.client.accept_trade())
    for player in (alric, berta):
        player.client.received.clear()
    return desk, alric, berta


def both_own(*players: Player) -> None:
    for player in players:
        owns(player)


def shown(player: Player) -> tuple[dict[int, int], dict[int, int]]:
    """What its window shows of both."""
    window = player.client.trade
    assert window is not None
    return window.own, window.theirs


DIFFERENT = {
    # There the first of two lists is his for both, and not each one's own (facts/eo-play.md, section 10).
    ("trade add A", False): ["03feff02fe02fe33fefefeff"],
    # There it names who reads it; it is the other (eo-protocol: TradeAgreeServerPacket; sorokya/reoserv).
    ("trade agree A", False): ["02fe02"],
}
"""By the step, and whether it comes to who took it: what we answer differently."""


async def test_a_trade_is_as_in_eoserv() -> None:
    desk, alric, berta = await pair()
    for number, player, name in ((1, alric, "Tester"), (2, berta, "Freshrfnp")):  # as in that recording
        player.mobile.name = name
        desk.view.figures.ids.players.bind(player.mobile, number)
        desk.view.figures.ids.players.sessions[number] = player.session
        player.session.player_id = player.client.player_id = number
    await desk.settle()
    for step, size in (
        ("trade request", 3),
        ("trade accept", 3),
        ("trade add A", 6),
        ("trade agree A", 1),
        ("trade close", 1),
    ):
        for player in (alric, berta):
            player.client.received.clear()
        recorded = STEPS[step]
        request = bytes.fromhex(recorded["plain"])
        sender = alric if recorded["sender"] == "A" else berta
        # Between the opcode and the payload stands the sequence number of that recording.
        await sender.sends(sender.client.frame_of(request[:2] + request[-size:]))
        for player, which in ((alric, "replies_to_A"), (berta, "replies_to_B")):
            mine = [eolib_bytes(one) for one in player.client.received if type(one).__name__.startswith("Tr")]
            replies = [one["payload"] for one in recorded[which] if one["packet"].startswith("Trade")]
            replies = DIFFERENT.get((step, sender is player), replies)
            assert [frame[2:].hex() for frame in mine] == replies, step


async def test_both_see_what_is_offered_and_count_what_changed_hands() -> None:
    desk, alric, berta = await trading()
    await alric.sends(alric.client.offer(BREAD, 3))
    await alric.sends(alric.client.offer(GOLD, 40))
    await berta.sends(berta.client.offer(DAGGER, 1))
    assert shown(alric) == ({GOLD: 40, BREAD: 3}, {DAGGER: 1})
    assert shown(berta) == ({DAGGER: 1}, {GOLD: 40, BREAD: 3})
    await alric.sends(alric.client.offer(BREAD, 2))  # so many from now on
    assert shown(berta)[1] == {GOLD: 40, BREAD: 2}
    assert "TalkServer" not in {type(one).__name__ for one in alric.client.received}
    await alric.sends(alric.client.agree())
    assert alric.client.trade is not None
    assert alric.client.trade.agrees
    assert berta.client.trade is not None
    assert berta.client.trade.partner_agrees
    told(alric)
    await berta.sends(berta.client.agree())
    await desk.settle()
    assert not any(player.client.trade for player in (alric, berta))
    assert told(alric) == ["TradeUse", "ItemKick"], "and its weight"
    assert hands.carried(alric.mobile) == {"gold": 60, "bread": 3, "dagger": 1}
    assert hands.carried(berta.mobile) == {"gold": 140, "bread": 2}
    both_own(alric, berta)


async def test_r59_a_change_is_shown_and_who_had_agreed_is_warned() -> None:
    _, alric, berta = await trading()
    await alric.sends(alric.client.offer(BREAD, 3))
    await berta.sends(berta.client.agree())
    await alric.sends(alric.client.offer(BREAD, 1))
    assert berta.client.trade is not None
    assert alric.client.trade is not None
    assert (berta.client.trade.agrees, berta.client.trade.warned) == (False, True)
    assert (alric.client.trade.partner_agrees, alric.client.trade.warned) == (False, False)
    await alric.sends(alric.client.agree())
    assert alric.mobile.trade is not None, "she does not agree to that"
    await alric.sends(alric.client.agree(agree=False))
    assert not berta.client.trade.partner_agrees
    assert not alric.client.trade.agrees
    await alric.sends(alric.client.withdraw(BREAD))
    assert shown(berta) == ({}, {})


async def test_an_offer_that_was_not_shown_yet_is_not_agreed_to() -> None:
    _, alric, berta = await trading()
    await alric.sends(alric.client.offer(BREAD, 3))
    berta.client.received.clear()
    trade.offer_kind(alric.mobile, "bread", 1)
    await berta.sends(berta.client.agree())
    assert words(berta) == [Refusal.ALTERED.value]
    assert shown(berta)[1] == {BREAD: 1}


async def test_r59_what_cannot_be_offered_is_refused_in_words() -> None:
    _, alric, berta = await trading()
    for frame, why in (
        (alric.client.offer(BREAD, 6), Refusal.AMOUNT),
        (alric.client.offer(BREAD, 0), Refusal.AMOUNT),
        (alric.client.offer(BREAD, 4_000_000_000), Refusal.AMOUNT),
        (alric.client.offer(GOLD, 101), Refusal.POOR),
        (alric.client.offer(GOLD, 4_000_000_000), Refusal.POOR),
        (alric.client.offer(SHIRT, 1), Refusal.AMOUNT),  # which is worn
        (alric.client.offer(BLOUSE, 1), Refusal.GONE),
        (alric.client.offer(0, 1), Refusal.GONE),
        (alric.client.offer(64_000, 1), Refusal.GONE),
        (alric.client.offer(DAGGER, 1), Refusal.AMOUNT),
        (alric.client.withdraw(BREAD), Refusal.NOT_OFFERED),
        (alric.client.withdraw(64_000), Refusal.GONE),
        (alric.client.agree(), Refusal.NO_OFFER),
    ):
        await alric.desk.wait(1.1)
        alric.client.received.clear()
        await alric.sends(frame)
        assert words(alric) == [why.value]
    assert shown(alric) == shown(berta) == ({}, {})


async def test_r59_who_cannot_be_asked_is_refused_in_words() -> None:
    desk, alric, berta = await pair()
    stranger = desk.resident("stranger", 22, 20)
    await desk.settle()
    number = desk.view.figures.player_id(stranger)
    for frame, why in (
        (alric.client.ask_to_trade(alric.client.player_id), Refusal.ONESELF),
        (alric.client.ask_to_trade(number), Refusal.NO_PLAYER),
        (alric.client.ask_to_trade(64_000), Refusal.UNSEEN),
        (alric.client.ask_to_trade(0), Refusal.UNSEEN),
        (alric.client.offer(BREAD, 1), Refusal.NO_TRADE),
        (alric.client.withdraw(BREAD), Refusal.NO_TRADE),
        (alric.client.agree(), Refusal.NO_TRADE),
        (alric.client.agree(agree=False), Refusal.NO_TRADE),
    ):
        await desk.wait(1.1)
        alric.client.received.clear()
        await alric.sends(frame)
        assert words(alric) == [why.value]
    for asker in (0, 64_000, alric.client.player_id, berta.client.player_id):
        await desk.wait(1.1)
        alric.client.received.clear()
        alric.client.trade_asker = asker or 1
        await alric.sends(alric.client.accept_trade())
        assert words(alric) == [Refusal.NOT_ASKED.value]
    alric.client.received.clear()
    await alric.sends(alric.client.end_trade())
    assert alric.client.received == [], "a window that closes when all is over says nothing"


async def test_who_is_asked_by_whom_it_asked_trades() -> None:
    _, alric, berta = await pair()
    await alric.sends(alric.client.ask_to_trade(berta.client.player_id))
    assert berta.client.last(TradeRequestServerPacket).partner_player_name == "alric"
    await berta.sends(berta.client.ask_to_trade(alric.client.player_id))
    assert alric.client.trade is not None
    assert alric.client.trade.name == "berta"


@pytest.mark.parametrize("why", [Off.CLOSED, Off.DIED, Off.WARPED, Off.FAR, Off.LEFT])
async def test_what_ends_a_trade_closes_the_window(why: Off) -> None:
    desk, alric, berta = await trading()
    await alric.sends(alric.client.offer(BREAD, 3))
    berta.client.received.clear()
    match why:
        case Off.CLOSED:
            await alric.sends(alric.client.end_trade())
        case Off.DIED:
            life.kill(alric.mobile)
        case Off.WARPED:
            desk.world.warp(alric.mobile, desk.world.realms["cave"], 5, 5)
        case Off.FAR:
            while alric.mobile.trade is not None:
                motion.step(alric.mobile, WEST)
                await desk.wait(0.6)
        case _:
            desk.world.leave(alric.mobile)
    await desk.wait(1.0)
    closed = [one for one in berta.client.received if isinstance(one, TradeCloseServerPacket)]
    assert len(closed) == 1
    assert berta.client.trade is None
    assert why.value[1].format("Alric") in words(berta)
    if why is not Off.LEFT:
        assert alric.client.trade is None
    if why not in (Off.DIED, Off.LEFT):  # whose things are with the remains, or in the store
        assert hands.carried(alric.mobile)["bread"] == 5


async def test_what_is_in_a_bag_is_listed_and_comes_along() -> None:
    desk, alric, berta = await trading()
    bag = give(alric.mobile, "backpack")
    give(alric.mobile, "ring", into=bag)
    give(alric.mobile, "gold", 30, into=bag)
    await desk.settle()
    await alric.sends(alric.client.offer(BAG, 1))
    assert shown(berta)[1] == {BAG: 1, RING: 1, GOLD: 30}
    for player in (alric, berta):
        await player.sends(player.client.agree())
    await desk.settle()
    assert hands.carried(berta.mobile) == {"gold": 130, "backpack": 1, "ring": 1, "dagger": 1}
    both_own(alric, berta)


async def test_a_womans_shirt_is_a_mans_once_it_is_his() -> None:
    desk, alric, berta = await trading()
    give(berta.mobile, "shirt")
    await desk.settle()
    await berta.sends(berta.client.offer(BLOUSE, 1))
    assert (shown(berta)[0], shown(alric)[1]) == ({BLOUSE: 1}, {SHIRT: 1})
    for player in (alric, berta):
        await player.sends(player.client.agree())
    await desk.settle()
    both_own(alric, berta)
    assert alric.client.inventory[SHIRT] == 1


async def test_what_the_window_cannot_tell_is_told_in_words() -> None:
    desk, alric, berta = await trading()
    give(alric.mobile, "dagger").name = "Sting"
    bag = give(alric.mobile, "backpack")
    kinds = "robe", "shoes", "hat", "shield", "ring", "bow", "arrow", "crown", "shirt"
    for key in kinds:
        give(alric.mobile, key, into=bag)
    alric.mobile.strength = berta.mobile.strength = 60
    await desk.settle()
    berta.client.received.clear()
    await alric.sends(alric.client.offer(DAGGER, 1))
    assert words(berta) == ["Alric also offers Sting."]
    await alric.sends(alric.client.offer(BAG, 1))
    assert len(shown(berta)[1]) == 10, "and there is no more room"
    assert words(berta) == ["Alric also offers Sting and shirt."]
    await alric.sends(alric.client.offer(GOLD, 1))
    assert words(berta) == ["Alric also offers Sting, crown and shirt."]
    await alric.sends(alric.client.withdraw(GOLD))
    words(berta)
    await berta.sends(berta.client.offer(GOLD, 1))
    assert words(berta) == [], "what she has read she does not read again"
    for player in (alric, berta):
        await player.sends(player.client.agree())
    await desk.settle()
    assert hands.carried(berta.mobile)["crown"] == 1
    both_own(alric, berta)


async def test_arrows_that_hang_on_its_back_go_too() -> None:
    desk, alric, berta = await trading()
    give(alric.mobile, "bow")
    give(alric.mobile, "arrow", 5)
    await desk.settle()
    await alric.sends(alric.client.put_on(BOW))
    trade.offer_kind(alric.mobile, "arrow", 5)
    await desk.settle()
    assert shown(berta)[1] == {ARROW: 5}
    for player in (alric, berta):
        await player.sends(player.client.agree())
    await desk.settle()
    assert alric.client.trade is None
    both_own(alric, berta)


async def test_nobody_agrees_any_more_when_one_cannot_take_it() -> None:
    desk, alric, berta = await trading()
    alric.mobile.strength = 0
    give(alric.mobile, "gold", holding.capacity(alric.mobile) * 100)
    await desk.settle()
    await berta.sends(berta.client.offer(DAGGER, 1))
    await berta.sends(berta.client.agree())
    words(berta)
    await alric.sends(alric.client.agree())
    assert alric.mobile.trade is not None
    assert berta.client.trade is not None
    assert not berta.client.trade.agrees
    assert words(alric) in ([trade.TOO_HEAVY], [trade.NO_ROOM])
    assert words(berta)
    both_own(alric, berta)


@pytest.mark.parametrize("seed", range(3))
async def test_whatever_both_do_their_windows_and_packs_are_true(seed: int) -> None:
    desk, alric, berta = await trading()
    alric.mobile.strength = berta.mobile.strength = 60
    chance = Random(seed)
    for _ in range(60):
        player, other = chance.sample((alric, berta), 2)
        client = player.client
        match chance.randrange(8):
            case 0 | 1 | 2:
                await player.sends(client.offer(chance.choice((GOLD, BREAD, DAGGER)), chance.randrange(1, 4)))
            case 3:
                await player.sends(client.withdraw(chance.choice((GOLD, BREAD, DAGGER))))
            case 4:
                await player.sends(client.agree(agree=chance.random() < 0.8))
            case 5:
                await player.sends(client.drop(chance.choice((GOLD, BREAD)), 1))
            case 6:
                await player.sends(client.agree())
                await other.sends(other.client.agree())
            case _ if player.mobile.trade is None:
                await desk.wait(7.0)
                trade.ask(player.mobile, other.mobile)
                trade.accept(other.mobile)
        await desk.settle()
        for one in (alric, berta):
            owns(one)
            window, deal = one.client.trade, one.mobile.trade
            assert (window is None) == (deal is None)
            if window is not None and deal is not None:
                side, against = deal.side(one.mobile), deal.against(one.mobile)
                assert sum(window.own.values()) == side.gold + sum(it.amount for it in side.offers.values())
                assert (window.agrees, window.partner_agrees) == (side.agreed, against.agreed)
    everything = hands.carried(alric.mobile), hands.carried(berta.mobile)
    lying = Counter(item.template.key for item in desk.world.items.values() if item.realm is not None)
    assert sum(each.get("dagger", 0) for each in everything) + lying["dagger"] == 1
