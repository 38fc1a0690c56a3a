"""Parties on the line between two worlds: somebody elsewhere is asked, and how members fare is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import trio

from server.cluster.bus import Bus
from server.cluster.messages import MOST_BYTES, MOST_FARES, Fares, Faring, decode, encode
from tests.kit.neighbours import two as two
from tests.kit.party_land import Courier
from tests.kit.square import FIRST, SECOND
from world import afar, dialogs, invites, party, party_afar, party_pulse
from world.companions import Fellow, LootRule, MemberState, Party
from world.elsewhere import Order
from world.reach import Refusal
from world.serials import LAST_MOBILE

if TYPE_CHECKING:
    import pytest
    from trio.testing import MockClock

    from tests.kit.neighbours import Two
    from tests.kit.square import Guest
    from world.world import World

SILENT, YES, NO = range(3)


def lines(guest: Guest) -> list[str]:
    return [*guest.game.heard(guest.player), *guest.wishes.notices()]


async def test_somebody_elsewhere_is_asked_into_a_party_through_all_games(
    two: Two, autojump_clock: MockClock
) -> None:
    north, south = await two.gather(FIRST, SECOND)
    courier = two.south.app.world.elsewhere.books = Courier()
    pairs = list(zip(north, south, strict=True))
    for number, (asker, asked) in enumerate(pairs):
        await asker.does(asker.wishes.order(f"party invite {asked.name}"))
        assert any(party.ASKS.format(asked.name) in line for line in lines(asker)), asker
        question = invites.pending(asked.mobile, party.KIND)
        assert question is not None, asked
        assert question.text == party.QUESTION.format(asker.name, "whoever finds it")
        if number % 3 == SILENT:
            continue
        await asked.does(asked.wishes.order("party accept" if number % 3 == YES else "party refuse"))
        assert not asked.mobile.dialogs
    await trio.sleep(invites.ANSWER_SECONDS + 2)
    for number, (asker, asked) in enumerate(pairs):
        said = {
            SILENT: invites.NO_ANSWER.format(asked.name),
            NO: invites.DECLINED.format(asked.name),
        }
        told = [line for line in lines(asker) if any(words in line for words in said.values())]
        assert len(told) == (0 if number % 3 == YES else 1), (asker, told)
        assert number % 3 == YES or said[number % 3] in told[0]
        assert any(party.SENT in line for line in lines(asked)) == (number % 3 == YES)
    assert courier.orders == [
        Order(asked.mobile.serial, "party _follow", ("finder",), asker.mobile.serial)
        for number, (asker, asked) in enumerate(pairs)
        if number % 3 == YES
    ]
    for square in (north, south):
        square.is_well()


async def test_somebody_elsewhere_is_asked_to_let_one_in_through_all_games(
    two: Two, autojump_clock: MockClock
) -> None:
    """Each of one world asks one of the other."""
    north, south = await two.gather(FIRST, SECOND)
    courier = two.south.app.world.elsewhere.books = Courier()
    pairs = list(zip(north, south, strict=True))
    for number, (asker, asked) in enumerate(pairs):
        await asker.does(asker.wishes.order(f"party join {asked.name}"))
        assert any(party.JOIN_ASKS.format(asked.name) in line for line in lines(asker)), asker
        question = invites.pending(asked.mobile, party.KIND)
        assert question is not None, asked
        assert question.text == party.JOIN_QUESTION.format(asker.name)
        await asked.does(asked.wishes.order("party accept" if number % 2 else "party refuse"))
        assert not asked.mobile.dialogs
    for number, (asker, asked) in enumerate(pairs):
        declined = invites.DECLINED.format(asked.name)
        assert any(declined in line for line in lines(asker)) == (number % 2 == 0), asker
        assert any(party.SENT in line for line in lines(asked)) == (number % 2 == 1), asked
    assert courier.orders == [
        Order(asked.mobile.serial, "party _welcome", ("finder",), asker.mobile.serial)
        for number, (asker, asked) in enumerate(pairs)
        if number % 2
    ]
    for square in (north, south):
        square.is_well()


async def test_who_cannot_be_asked_to_let_one_in_there(two: Two, autojump_clock: MockClock) -> None:
    north, south = await two.gather(("Anna",), ("Dora", "Curt"))
    anna, dora, curt = north["Anna"], south["Dora"], south["Curt"]
    of = Party(leader=curt.mobile.serial, members=[dora.mobile.serial, curt.mobile.serial])
    dora.mobile.party = of
    for leader, members, why in (
        (curt, [1, 2], party.NO_LEADER.format("Dora")),
        (dora, [1, 2, 3, 4, 5], Refusal.PARTY_FULL.value),
        (dora, [anna.mobile.serial, 2], Refusal.FELLOW.value),
    ):
        of.leader = leader.mobile.serial
        of.members[:] = members
        await anna.does(anna.wishes.order("party join Dora"))
        assert any(why in line for line in lines(anna)), why
        assert not dora.mobile.dialogs
    dora.mobile.party = None
    await trio.sleep(10)  # as often as one may ask
    anna.mobile.party = Party(leader=anna.mobile.serial, members=[anna.mobile.serial])
    await anna.does(anna.wishes.order("party join Dora"))
    assert any(Refusal.HAS_PARTY.value in line for line in lines(anna))
    anna.mobile.party = None
    two.exchange.silent = True
    await anna.does(anna.wishes.order("party join Dora"))
    await trio.sleep(invites.ANSWER_SECONDS + 4)
    assert any(invites.NO_ANSWER.format("Dora") in line for line in lines(anna))


async def test_who_cannot_be_asked_there(two: Two, autojump_clock: MockClock) -> None:
    north, south = await two.gather(("Anna", "Wanda"), ("Dora",))
    anna, dora = north["Anna"], south["Dora"]
    dora.mobile.party = Party(members=[dora.mobile.serial])
    await anna.does(anna.wishes.order("party invite Dora"))
    assert any(Refusal.IN_PARTY.value in line for line in lines(anna))
    assert not dora.mobile.dialogs
    dora.mobile.party = None
    two.exchange.silent = True
    await anna.does(anna.wishes.order("party invite Dora"))
    await trio.sleep(invites.ANSWER_SECONDS + 4)
    assert sum(invites.NO_ANSWER.format("Dora") in line for line in lines(anna)) == 1
    await anna.does(anna.wishes.order("party invite Nobody"))
    assert any(Refusal.NOBODY.value in line for line in lines(anna))


async def test_whose_acceptance_is_not_sent_or_who_goes_has_not_accepted(
    two: Two, autojump_clock: MockClock
) -> None:
    north, south = await two.gather(("Anna",), ("Dora",))
    anna, dora = north["Anna"], south["Dora"]
    courier = two.south.app.world.elsewhere.books = Courier()
    courier.cut = True
    await anna.does(anna.wishes.order("party invite Dora"))
    await dora.does(dora.wishes.order("party accept"))
    await trio.sleep(1)
    for one in (anna, dora):
        assert any(party.AWAY in line for line in lines(one)), one
    await anna.does(anna.wishes.order("party invite Dora"))
    dialogs.forget_all(dora.mobile)
    await trio.sleep(3)
    assert any(invites.NO_ANSWER.format("Dora") in line for line in lines(anna))


async def test_how_members_fare_is_told_once_a_second_and_only_what_has_changed(
    two: Two, autojump_clock: MockClock
) -> None:
    north, south = await two.gather(("Anna",), ("Dora",))
    anna, dora = north["Anna"].mobile, south["Dora"].mobile
    # One party, as both have read it of one database, and where each was found.
    for number, world in enumerate((two.north.app.world, two.south.app.world)):
        of = world.records.add(Party(leader=anna.serial, members=[anna.serial, dora.serial]))
        for mobile in (anna, dora):
            fellow = of.fellows[mobile.serial] = Fellow(
                of.number, mobile.serial, mobile.name, mobile.short_name
            )
            fellow.state, fellow.world = fellow.unseen(online=True), 2 - number
            world.parties[mobile.serial] = of
        (anna, dora)[number].party = of
    two.exchange.said.clear()
    for hits in range(1, 31):
        dora.hits = hits
        await trio.sleep(0.1)
    await trio.sleep(2)
    told = [
        (channel, one)
        for channel, data in two.exchange.said
        if isinstance(body := decode(data).body, Fares)
        for one in body.members
        if one.serial == dora.serial
    ]
    assert 2 <= len(told) <= 6
    assert all(channel.endswith("1") for channel, _ in told), "to that world alone"
    here = anna.party
    assert here is not None
    assert here.fellows[dora.serial].state == party_pulse.state_of(dora)
    two.exchange.said.clear()
    await trio.sleep(25)
    again = [data for _, data in two.exchange.said if isinstance(decode(data).body, Fares)]
    assert 2 <= len(again) <= 3 * 2, "now and then, for who came meanwhile"
    dora.online = False
    await trio.sleep(2)
    assert not here.fellows[dora.serial].state.online


async def test_how_members_fare_holds_up_nothing_else(
    two: Two, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither if it cannot be told, nor where there is much to say."""
    missed: list[float] = []
    asked: list[float] = []

    def fails(world: World, turn: int) -> NoReturn:
        asked.append(world.now)
        raise ValueError("no news")

    monkeypatch.setattr(afar, "miss", lambda world: missed.append(world.now))
    monkeypatch.setattr(party_afar, "news", fails)
    await trio.sleep(3)
    assert missed
    assert asked
    monkeypatch.setattr(Bus, "busy", True)
    asked.clear()
    await trio.sleep(3)
    assert not asked


def test_the_longest_message_of_members_fits() -> None:
    most = MemberState(
        serial=LAST_MOBILE,
        name="",
        level=2**40,
        hits=-(2**40),
        hits_max=-(2**40),
        mana=-(2**40),
        mana_max=-(2**40),
        stam=-(2**40),
        stam_max=-(2**40),
        realm="\N{GRINNING FACE}" * 99,
        x=-1,
        y=-1,
        game="x" * 99,
    )
    data = encode(1, Fares([Faring.of(most)] * MOST_FARES))
    assert len(data) <= MOST_BYTES
    body = decode(data).body
    assert isinstance(body, Fares)
    assert {one.state().realm for one in body.members} == {most.realm[:64]}


def test_rules_are_words_of_the_messages() -> None:
    assert {rule.value for rule in LootRule} == {"finder", "turns", "leader"}
