"""Two who sit at whole clients of EverQuest II trade and are of one party, over the wire, with what their
windows show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from tests.kit.dealings import Offer, Table
from tests.kit.eq2_actor import Eq2Actor

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town


async def test_clients_trade_and_go_together(town: Town, autojump_clock: MockClock) -> None:
    anna, bert = Eq2Actor(town), Eq2Actor(town)
    await anna.enters("anna", "Anna")
    await bert.enters("bert", "Bert")
    await trio.sleep(3)
    await anna.asks_to_trade("Bert")
    await trio.sleep(1)
    await bert.accepts_trade()
    assert anna.trade_shown() == bert.trade_shown() == Table()
    await anna.offers_gold(3)
    await bert.offers("bread", 2)
    await trio.sleep(1)
    table = Table(Offer({}, 3), Offer({"bread": 2}))
    assert (anna.trade_shown(), bert.trade_shown()) == (table, table.turned)
    for actor in (anna, bert):
        await actor.agrees()
        await trio.sleep(1)
    assert anna.trade_shown() is bert.trade_shown() is None
    assert any("You give Bert 3 gold" in line for line in anna.client.lines())
    await anna.asks_to_trade("Bert")
    await trio.sleep(1)
    await bert.ends_trade()
    await trio.sleep(1)
    assert anna.trade_shown() is bert.trade_shown() is None
    await anna.invites("Bert")
    await trio.sleep(1)
    assert bert.client.offered == "Anna"
    await bert.accepts_invite()
    await trio.sleep(1)
    assert (list(anna.party_shown()), list(bert.party_shown())) == (["Bert"], ["Anna"])
    assert not bert.client.offered, "the window is closed"
    await bert.leaves_party()
    await trio.sleep(1)
    assert anna.party_shown() == bert.party_shown() == {}
    assert anna.client.faults == bert.client.faults == []
