"""One EverQuest II client with a merchant, a banker and somebody with an errand, in a whole server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from protocol.eq2.counters import COPPER
from protocol.eq2.packets import (
    DialogOpen,
    DialogSelect,
    OfferQuest,
    QuestJournalReply,
    QuestJournalUpdate,
    SetControlGhost,
    UpdateBank,
    UpdateMerchant,
)
from tests.kit.eq2_player import Eq2Player
from world import hands, holding, residents, safes
from world.content import Resident
from world.offers import Offers, Shop, Ware

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town
    from world.mobile import Mobile


async def test_one_buys_sells_banks_and_does_an_errand(town: Town, autojump_clock: MockClock) -> None:
    player = Eq2Player(town)
    await player.enters("alric", "Alric")
    alric, client, world = town.mobile("Alric"), player.client, town.app.world
    assert player.of(SetControlGhost)

    def come(_: object) -> Mobile:
        assert alric.realm is not None
        x, y = alric.x, alric.y
        merchant = residents.place(world, alric.realm, Resident("crier", x + 1, y))
        shop = Shop((Ware("bread", 4, stock=20),), {"bread": 2})
        merchant.template = attrs.evolve(merchant.template, roles=("merchant",), offers=Offers(shop))
        banker = residents.place(world, alric.realm, Resident("crier", x - 1, y))
        banker.template = attrs.evolve(banker.template, roles=("banker",))
        residents.place(world, alric.realm, Resident("farmer", x, y + 1))
        return merchant

    merchant = await town.app.in_world(None, come)
    await player.does(b"", wait=3)
    had, eaten = holding.gold(alric), hands.carried(alric).get("bread", 0)

    await player.does(client.command_bytes("start_merchant"))
    wares = player.of(UpdateMerchant)[-2]
    (bread,) = wares.rows
    assert (wares.spawn_id, bread.price) == (merchant.serial, 4 * COPPER)
    await player.does(client.command_bytes("buy_from_merchant", f"{bread.item} 6"))
    (own,) = [row for row in player.of(UpdateMerchant)[-1].rows if row.item == bread.item]
    await player.does(client.command_bytes("sell_to_merchant", f"{own.unique << 32 | own.item} 2"))
    await player.does(client.command_bytes("cancel_merchant"))
    paid = 6 * 4 - 2 * 2
    assert holding.gold(alric) == had - paid
    assert hands.carried(alric)["bread"] == eaten + 4

    await player.does(client.command_bytes("start_bank"))
    await player.does(client.command_bytes("bank_deposit", str(9 * COPPER)))
    await player.does(client.command_bytes("bank_withdraw", str(2 * COPPER)))
    await player.does(client.command_bytes("cancel_bank"))
    window = player.of(UpdateBank)[-1]
    assert (window.coins, window.gold) == (7 * COPPER, had - paid - 7)
    assert safes.gold(alric) + holding.gold(alric) == had - paid

    farmer = client.by_name("Edwin") or next(
        ghost for ghost in client.ghosts.values() if "farmer" in ghost.name.lower()
    )
    await player.does(client.target_bytes(farmer.index) + client.command_bytes("hail"))
    asked = player.of(DialogOpen)[-1]
    wanted = next(at for at, answer in enumerate(asked.responses) if "Bread for Edwin" in answer)
    await player.does(client.bytes_of(DialogSelect(asked.conversation, wanted)))
    window_of_offer = next(each for each in player.of(OfferQuest) if each.title == "Bread for Edwin")
    word, _, number = window_of_offer.accept.partition(" ")
    await player.does(client.command_bytes(word, number))
    assert [row.name for row in player.of(QuestJournalUpdate)[-1].rows] == ["Bread for Edwin"]
    await player.does(client.command_bytes("hail"))
    assert player.of(QuestJournalReply)[-1].complete == 1
    assert hands.carried(alric).get("bread", 0) == eaten + 4 - 5
    assert safes.gold(alric) + holding.gold(alric) == had - paid + 25
    assert not client.faults
