"""Trades between players in this game's window, and byte by byte.

The order and the sizes of the fields are those of the sheet (facts/eq2-play.md, section 7), which has them
from emagi/eq2emu, server/WorldStructs.xml: WS_PlayerTrade 546. Kinds and what stands behind the commands are
those of its Trade.cpp and Commands.cpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.eq2 import packets as eq2
from protocol.eq2.counters import COPPER
from protocol.eq2.handlers.counters import WHOLE_COINS
from protocol.eq2.handlers.trading import NO_PARTNER
from protocol.eq2.packets import (
    CANCELED,
    DONE,
    NOBODY,
    OFFERS,
    PARTNER_AGREES,
    DialogOpen,
    DisplayText,
    EntityVerbsReply,
    EntityVerbsRequest,
    EntityVerbsVerb,
    Target,
    UpdatePlayerTrade,
)
from protocol.eq2.view import Eq2View
from tests.kit.eq2_desk import Desk, Player
from tests.kit.eq2_player import newest_version
from world import granting, hands, holding, trade
from world.reach import Refusal

if TYPE_CHECKING:
    from world.item import Item


def lines(player: Player) -> list[str]:
    """What the player was told since it was asked last."""
    told = [line.text for line in player.took(DisplayText)]
    player.got.clear()
    return told


class Pair:
    """Two players of this game next to each other, each with some gold and nothing else."""

    def __init__(self, desk: Desk, anna: Player, bert: Player) -> None:
        self.desk = desk
        self.anna = anna
        self.bert = bert

    @classmethod
    async def met(cls, gold: int = 100) -> Pair:
        desk = Desk()
        pair = cls(desk, await desk.enter("anna"), await desk.enter("bert", (21, 20)))
        for player in (pair.anna, pair.bert):
            pack = player.mobile.backpack
            assert pack is not None
            for item in list(pack.contents.values()):
                desk.world.delete(item)
            player.gives("gold", gold)
        await desk.wait(0.1)
        return pair

    @classmethod
    async def trading(cls, gold: int = 100) -> Pair:
        """They have begun, and looked at it."""
        pair = await cls.met(gold)
        await pair.anna.types(f"start_trade {pair.bert.mobile.serial}")
        pair.forget()
        return pair

    def forget(self) -> None:
        for player in (self.anna, self.bert):
            player.got.clear()

    async def gets(self, player: Player, kind: str, amount: int = 1) -> Item:
        """Something new in its pack, of which its client knows."""
        item = player.gives(kind, amount)
        await self.desk.wait(0.1)
        self.forget()
        return item

    async def offers(self, player: Player, item: Item, amount: int = 1, place: int = 255) -> None:
        await player.types(f"add_trade_item {player.row_of(item)} {place} {amount}")

    async def refused(self, player: Player, line: str) -> str:
        """The one line in which a command is refused, upon which the offers are as before."""
        bargain = player.mobile.trade
        before = bargain.changes if bargain is not None else None
        player.got.clear()
        await player.types(line)
        assert player.mobile.trade is bargain
        assert bargain is None or bargain.changes == before
        (told,) = lines(player)
        return told


def window(player: Player) -> UpdatePlayerTrade:
    """What the window shows: the last message of it."""
    return [message for message in player.got if isinstance(message, UpdatePlayerTrade)][-1]


def things(rows: tuple[eq2.TradeItem, ...]) -> list[tuple[str, int, int]]:
    return [(row.name, row.slot, row.quantity) for row in rows]


# The wire


def test_an_offer_byte_by_byte() -> None:
    shown = UpdatePlayerTrade(
        0x01020304,
        OFFERS,
        (eq2.TradeItem("ax", 2, 0x0506, 0x0708),),
        gold=9,
        their_things=(eq2.TradeItem("b", 0), eq2.TradeItem("c", 1)),
        their_gold=0x0A0B0C0D,
    )
    body = bytes.fromhex(
        "ff c401 04030201 0100"  # 452, with whom, kind
        " 01 02 6178 02 000000 0605 0807 00000000 00 00000000000000"
        " 00000000 00000000 09000000 00000000"
        " 02 01 62 00 000000 0100 0000 00000000 00 00000000000000"
        " 01 63 01 000000 0100 0000 00000000 00 00000000000000"
        " 00000000 00000000 0d0c0b0a 00000000"
    )
    expected = b"\x32" + len(body).to_bytes(4, "little") + body
    assert newest_version().encode(shown) == expected
    assert newest_version().decode_server(expected) == [shown]


@pytest.mark.parametrize(("kind", "raw"), [(CANCELED, "0200"), (PARTNER_AGREES, "1000"), (DONE, "1800")])
def test_kinds_byte_by_byte(kind: int, raw: str) -> None:
    body = bytes.fromhex("ff c401 07000000" + raw + "00" * 34)
    assert newest_version().encode(UpdatePlayerTrade(7, kind)) == b"\x32" + b"\x2b\0\0\0" + body


# Beginning


async def test_the_window_opens_for_both_without_asking() -> None:
    pair = await Pair.met()
    ghost = pair.anna.session.ghosts.of(pair.bert.mobile.serial)
    assert ghost is not None
    await pair.anna.says(Target(ghost.index))
    pair.forget()
    await pair.anna.types("start_trade")
    for player, other in ((pair.anna, pair.bert), (pair.bert, pair.anna)):
        shown = player.only(UpdatePlayerTrade)
        assert (shown.spawn_id, shown.kind) == (other.mobile.serial, OFFERS)
        assert (shown.things, shown.their_things, shown.gold, shown.their_gold) == ((), (), 0, 0)
        assert player.took(DialogOpen) == []
        (line,) = lines(player)
        assert line.startswith(f"You trade with {other.mobile.name}")


async def test_one_begins_by_a_name_and_by_the_menu() -> None:
    pair = await Pair.met()
    await pair.anna.types("start_trade bert")
    assert pair.anna.mobile.trade is pair.bert.mobile.trade is not None
    await pair.anna.types("cancel_trade")
    pair.forget()
    await pair.anna.says(EntityVerbsRequest(pair.bert.mobile.serial))
    assert "start_trade" in [verb.command for verb in pair.anna.only(EntityVerbsReply).verbs]
    await pair.anna.says(EntityVerbsVerb(pair.bert.mobile.serial, "start_trade"))
    assert pair.anna.mobile.trade is pair.bert.mobile.trade is not None


async def test_players_of_games_that_ask_are_asked() -> None:
    pair = await Pair.met()
    pair.bert.mobile.windows -= {trade.UNASKED}
    await pair.anna.types("start_trade bert")
    assert pair.anna.mobile.trade is None
    assert lines(pair.anna) == [f"You ask {pair.bert.mobile.name} to trade."]
    trade.accept(pair.bert.mobile, pair.anna.mobile)
    await pair.desk.wait(0.1)
    assert window(pair.anna).kind == OFFERS


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", NO_PARTNER),
        ("0", NO_PARTNER),
        ("4294967295", NO_PARTNER),
        ("9" * 30, Refusal.AMOUNT.value),
        ("nobody", Refusal.NOBODY.value),
        ("-1", Refusal.NOBODY.value),
        ("anna", Refusal.ONESELF.value),
    ],
)
async def test_nobody_trades_with_nobody(text: str, words: str) -> None:
    pair = await Pair.met()
    assert await pair.refused(pair.anna, f"start_trade {text}".strip()) == words


async def test_a_resident_a_third_and_who_is_far_do_not_trade() -> None:
    pair = await Pair.met()
    crier = pair.desk.resident("crier", 20, 21)
    await pair.desk.wait(0.1)
    assert await pair.refused(pair.anna, f"start_trade {crier.serial}") == Refusal.NO_PLAYER.value
    carl = await pair.desk.enter("carl", (50, 50))
    assert await pair.refused(pair.anna, "start_trade carl") in (Refusal.FAR.value, Refusal.UNSEEN.value)
    pair.desk.world.warp(carl.mobile, pair.desk.world.realms["plain"], 20, 21)
    await pair.anna.types("start_trade bert")
    await pair.desk.wait(0.1)
    assert await pair.refused(carl, "start_trade anna") == Refusal.OCCUPIED.value
    pair.anna.got.clear()
    assert await pair.refused(pair.anna, "start_trade carl") == Refusal.TRADING.value


# Offers


async def test_things_lie_at_their_places_until_they_are_taken_out() -> None:
    pair = await Pair.trading()
    bread = await pair.gets(pair.anna, "bread", 10)
    dagger = await pair.gets(pair.anna, "dagger")
    name, plain = bread.template.name, dagger.template.name
    await pair.offers(pair.anna, bread, 4, place=3)
    await pair.offers(pair.anna, dagger, 0)
    assert things(window(pair.anna).things) == [(name, 3, 4), (plain, 0, 1)]
    assert things(window(pair.bert).their_things) == [(name, 0, 4), (plain, 1, 1)]
    assert "4 " in lines(pair.bert)[0], "the same is told in words"
    await pair.offers(pair.anna, bread, 6, place=5)
    assert things(window(pair.anna).things) == [(name, 5, 6), (plain, 0, 1)], "it was moved"
    await pair.anna.types("remove_trade_item 5")
    assert things(window(pair.anna).things) == [(plain, 0, 1)]
    await pair.offers(pair.anna, bread, 10, place=0)
    assert things(window(pair.anna).things) == [(plain, 0, 1), (name, 1, 10)], "that place was taken"
    assert things(window(pair.bert).their_things) == [(plain, 0, 1), (name, 1, 10)]
    assert (window(pair.anna).things[1].icon, window(pair.bert).things) == (
        pair.anna.session.icon(bread.template),
        (),
    )


async def test_of_more_than_a_client_counts_all_is_offered() -> None:
    pair = await Pair.trading()
    bread = await pair.gets(pair.anna, "bread", 300)
    await pair.offers(pair.anna, bread, 255)
    assert things(window(pair.anna).things) == [(bread.template.name, 0, 300)]


async def test_coins_of_each_kind_add_up_and_go_again() -> None:
    pair = await Pair.trading(gold=1000)
    for line, sum_ in (
        ("add_trade_gold 5", 5),
        ("add_trade_silver 300", 8),
        ("add_trade_copper 20000", 10),
        ("add_trade_plat 2", 210),
        ("remove_trade_plat 1", 110),
        ("remove_trade_silver 100", 109),
        (f"set_trade_coin {7 * COPPER}", 7),
        ("remove_trade_gold 7", 0),
    ):
        await pair.anna.types(line)
        assert window(pair.anna).gold == window(pair.bert).their_gold == sum_, line


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("add_trade_gold 0", Refusal.AMOUNT.value),
        ("add_trade_gold -5", Refusal.AMOUNT.value),
        ("add_trade_gold", Refusal.AMOUNT.value),
        ("add_trade_gold x", Refusal.AMOUNT.value),
        ("add_trade_gold 101", Refusal.POOR.value),
        ("add_trade_gold 4294967296", Refusal.POOR.value),
        ("add_trade_plat 99999999999999999999", Refusal.POOR.value),
        ("add_trade_copper 1", WHOLE_COINS),
        ("add_trade_silver 150", WHOLE_COINS),
        ("remove_trade_gold 1", trade.NO_GOLD),
        ("set_trade_coin 1 2 3 4", Refusal.AMOUNT.value),
        ("set_trade_coin 99999999999990000", Refusal.POOR.value),
        ("remove_trade_item 0", Refusal.NOT_OFFERED.value),
        ("remove_trade_item", Refusal.UNFIT.value),
        ("remove_trade_item x", Refusal.UNFIT.value),
        ("accept_trade", Refusal.NO_OFFER.value),
        ("start_trade bert", Refusal.TRADING.value),
    ],
)
async def test_no_coins_and_places_that_cannot_be(line: str, words: str) -> None:
    pair = await Pair.trading()
    assert await pair.refused(pair.anna, line) == words


async def test_no_things_that_cannot_be() -> None:
    pair = await Pair.trading()
    bread = await pair.gets(pair.anna, "bread", 5)
    row = pair.anna.row_of(bread)
    for text, words in (
        ("", Refusal.UNFIT.value),
        ("x 0 1", Refusal.UNFIT.value),
        ("1 2 3 4", Refusal.UNFIT.value),
        (f"{row} 0 6", Refusal.AMOUNT.value),
        (f"{row} 0 -1", Refusal.AMOUNT.value),
        ("249 0 1", Refusal.GONE.value),
        ("-1 0 1", Refusal.GONE.value),
    ):
        assert await pair.refused(pair.anna, f"add_trade_item {text}".strip()) == words


async def test_a_refused_or_unchanged_offer_is_shown_as_it_is() -> None:
    pair = await Pair.trading()
    bread = await pair.gets(pair.anna, "bread", 5)
    await pair.offers(pair.anna, bread, 2)
    for amount in (2, 9):
        pair.forget()
        await pair.offers(pair.anna, bread, amount)
        assert things(pair.anna.only(UpdatePlayerTrade).things) == [(bread.template.name, 0, 2)]
        assert pair.bert.took(UpdatePlayerTrade) == []


async def test_gold_in_a_bag_is_coins_and_a_bag_tells_what_is_in_it() -> None:
    pair = await Pair.trading()
    bag = await pair.gets(pair.anna, "bag")
    for key, amount in (("apple", 3), ("gold", 20)):
        item = holding.make(pair.desk.world, key, amount=amount)
        pair.desk.world.register(item)
        holding.put(bag, item)
    await pair.desk.wait(0.1)
    gold = next(item for item in bag.contents.values() if item.template.key == "gold")
    pair.forget()
    await pair.offers(pair.anna, gold, 15)
    assert (window(pair.bert).their_gold, window(pair.bert).their_things) == (15, ())
    await pair.offers(pair.anna, bag)
    (row,) = window(pair.bert).their_things
    assert "apple" in row.name
    assert len(row.name) <= 200


async def test_nothing_is_done_without_a_trade() -> None:
    pair = await Pair.met()
    for line in (
        *("add_trade_item 1 0 1", "remove_trade_item 0", "accept_trade", "add_trade_gold 1"),
        *("remove_trade_gold 1", "set_trade_coin 10000"),
    ):
        assert await pair.refused(pair.anna, line) == Refusal.NO_TRADE.value
    for line in ("cancel_trade", "reject_trade"):
        pair.forget()
        await pair.anna.types(line)
        assert pair.anna.got == [], "a window may be closed after the end"


# Agreeing and the end


async def test_who_agrees_is_shown_to_the_other_until_something_changes() -> None:
    pair = await Pair.trading()
    await pair.anna.types("add_trade_gold 5")
    pair.forget()
    await pair.anna.types("accept_trade")
    assert pair.anna.took(UpdatePlayerTrade) == []
    shown = pair.bert.only(UpdatePlayerTrade)
    assert (shown.kind, shown.their_gold) == (PARTNER_AGREES, 5)
    pair.forget()
    await pair.bert.types("add_trade_gold 1")
    assert window(pair.anna).kind == window(pair.bert).kind == OFFERS
    assert pair.anna.mobile.trade is not None
    assert not pair.anna.mobile.trade.first.agreed


async def test_all_changes_hands_when_both_agree() -> None:
    pair = await Pair.trading()
    bread = await pair.gets(pair.bert, "bread", 4)
    await pair.anna.types("add_trade_gold 5")
    await pair.offers(pair.bert, bread, 3)
    await pair.anna.types("accept_trade")
    pair.forget()
    await pair.bert.types("accept_trade")
    for player in (pair.anna, pair.bert):
        assert player.only(UpdatePlayerTrade).kind == DONE
    has = [dict(hands.carried(player.mobile)) for player in (pair.anna, pair.bert)]
    assert has == [{"gold": 95, "bread": 3}, {"gold": 105, "bread": 1}]
    pair.forget()
    await pair.anna.types("cancel_trade")
    assert pair.anna.got == []


async def test_whoever_has_no_room_makes_both_agree_no_more() -> None:
    pair = await Pair.trading()
    bread = await pair.gets(pair.bert, "bread", 4)
    await pair.offers(pair.bert, bread, 3)
    pack = pair.anna.mobile.backpack
    assert pack is not None
    while granting.has_room(pack, {"bread": 3}):
        holding.put(pack, holding.make(pair.desk.world, "dagger"))
    await pair.anna.types("accept_trade")
    pair.forget()
    await pair.bert.types("accept_trade")
    assert window(pair.anna).kind == window(pair.bert).kind == OFFERS
    assert any(word in "".join(lines(pair.bert)) for word in ("no room", "cannot carry"))
    assert pair.bert.mobile.trade is not None


@pytest.mark.parametrize("word", ["cancel_trade", "reject_trade"])
async def test_the_window_closes_for_both(word: str) -> None:
    pair = await Pair.trading()
    await pair.anna.types("add_trade_gold 5")
    pair.forget()
    await pair.anna.types(word)
    for player in (pair.anna, pair.bert):
        assert player.only(UpdatePlayerTrade).kind == CANCELED
    assert lines(pair.bert) == [f"{pair.anna.mobile.name} ends the trade."]
    assert dict(hands.carried(pair.anna.mobile)) == {"gold": 100}


async def test_the_window_closes_when_the_other_is_gone() -> None:
    pair = await Pair.trading()
    pair.bert.hang_up()
    pair.desk.world.leave(pair.bert.mobile)
    await pair.desk.wait(1)
    shown = pair.anna.only(UpdatePlayerTrade)
    assert (shown.kind, shown.spawn_id) in ((CANCELED, pair.bert.mobile.serial), (CANCELED, NOBODY))
    assert pair.anna.mobile.trade is None


async def test_without_the_window_one_is_asked_and_told_in_words() -> None:
    pair = await Pair.met()
    view = pair.desk.view
    assert trade.UNASKED in view.windows
    view.figures.rendering = attrs.evolve(view.figures.rendering, trade_window=False)
    assert trade.UNASKED not in Eq2View(view.versions, view.figures, view.scenery).windows
    await pair.anna.types("start_trade bert")
    await pair.anna.types("add_trade_gold 5")
    for player in (pair.anna, pair.bert):
        assert player.took(UpdatePlayerTrade) == []
    assert "5 gold" in "".join(lines(pair.bert))
