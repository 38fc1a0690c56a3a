"""Trades by word, as everybody can type them in every game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from server.commands.dealing import TABLE
from server.commands.staff import TABLE as ALL
from tests.kit.office import Office
from tests.kit.traders import lines
from world import newcomers, trade
from world.mobile import Access

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock

    from tests.kit.office import Client
    from world.mobile import Mobile


class Trader:
    """Somebody with what newcomers have, and what it types."""

    def __init__(self, office: Office, client: Client, mobile: Mobile) -> None:
        self.mobile = mobile
        self._office, self._client = office, client

    def does(self, *typed: str) -> list[str]:
        """Type commands, five seconds after one another; what is read after the last one, in lines and in
        the words of events."""
        world = self._office.world
        for line in typed:
            world.begin(world.now + 5)
            world.run_timers()
            world.events.clear()
            self._office.commands.in_game(self._client, line)
        own = [
            one for one in world.events if one.thing is self.mobile and one.viewers == [self.mobile.viewport]
        ]
        return [*lines(world, self.mobile), *filter(None, (one.words(own=True) for one in own))]


@pytest.fixture
async def office(nursery: trio.Nursery, autojump_clock: MockClock) -> Office:
    return await Office().open(nursery)


async def pair(office: Office) -> tuple[Trader, Trader]:
    traders = []
    for name, x in (("Alric", 20), ("Berta", 22)):
        client, mobile = await office.player(name, x=x, y=20)
        newcomers.outfit(mobile)
        office.world.register(mobile)
        traders.append(Trader(office, client, mobile))
    return traders[0], traders[1]


def test_they_are_for_everybody_and_no_audit() -> None:
    assert {row.name for row in TABLE} == {"trade", "offer", "retract", "agree", "endtrade"}
    assert {(row.access, row.audited) for row in TABLE} == {(Access.PLAYER, False)}
    assert {row.name for row in TABLE} < {row.name for row in ALL}


async def test_a_trade_from_the_question_to_the_end(office: Office, autojump_clock: MockClock) -> None:
    alric, berta = await pair(office)
    assert alric.does("trade berta") == ["You ask Berta to trade."]
    berta.does("answer 1")
    assert alric.does("offer bread 2") == ["You offer 2 loaf of bread; Berta offers nothing."]
    assert alric.does("offer 30")[-1] == "You offer 2 loaf of bread and 30 gold coins; Berta offers nothing."
    assert berta.does("offer dagger")[-1].startswith("You offer dagger; Alric offers 2")
    assert alric.does("retract bread")[-1] == "You offer 30 gold coins; Berta offers dagger."
    assert alric.does("trade") == ["You offer 30 gold coins; Berta offers dagger."]
    assert alric.does("agree")[-1].endswith("You agree, Berta does not yet.")
    assert berta.does("trade")[-1].endswith("Alric agrees.")
    berta.does("agree")
    assert alric.mobile.trade is None
    assert [text for _, text in office.world.promises] == [
        "You give Berta 30 gold coins and receive dagger.",
        "You give Alric dagger and receive 30 gold coins.",
    ]


async def test_who_asks_back_accepts_and_either_ends_it(office: Office, autojump_clock: MockClock) -> None:
    alric, berta = await pair(office)
    alric.does("trade berta")
    assert berta.does("trade alric")[-1] == "You trade with Alric: offer, retract, agree, or endtrade."
    alric.does("offer 5")
    assert alric.does("retract gold") == ["You offer nothing; Berta offers nothing."]
    assert berta.does("endtrade") == ["You end the trade."]
    assert alric.mobile.trade is None


async def test_what_cannot_be_is_said(office: Office, autojump_clock: MockClock) -> None:
    alric, berta = await pair(office)
    for line, words in (
        ("trade", "You are trading with nobody."),
        ("trade nobody", "There is nobody of that name here."),
        ("trade alric", "You cannot do that to yourself."),
        ("offer bread", "You are trading with nobody."),
        ("retract bread", "You are trading with nobody."),
        ("agree", "You are trading with nobody."),
        ("endtrade", "You are trading with nobody."),
    ):
        assert alric.does(line) == [words], line
    trade.ask(alric.mobile, berta.mobile)
    trade.accept(berta.mobile)
    for line, words in (
        ("offer unicorn", "There is nothing called so here."),
        ("offer 101", "You have not enough gold for that."),
        ("offer -3", "-3 is no number"),
        ("offer bread 9", "There are not that many."),
        ("retract unicorn", "There is nothing called so here."),
        ("retract bread", "You do not offer that."),
        ("retract gold", "You do not offer that."),
        ("agree", "Nothing is offered yet."),
    ):
        assert alric.does(line) == [words], line
