"""What everybody can do by word in a party, and a connection that is lost and found again."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import attrs
import pytest

from protocol.endings import Ending
from protocol.session import Phase
from server.commands.parties import TABLE
from tests.kit.office import Office
from world import party
from world.events import Closed
from world.mobile import Access

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock

    from tests.kit.office import Client
    from world.mobile import Mobile


@pytest.fixture
async def office(nursery: trio.Nursery, autojump_clock: MockClock) -> Office:
    return await Office().open(nursery)


@attrs.define
class Hero:
    """A player, and what it does by word and reads then."""

    office: Office
    client: Client
    mobile: Mobile

    def does(self, *lines: str, reader: Hero | None = None) -> list[str]:
        """Type commands; what the player, or another, reads by that."""
        world, read = self.office.world, []
        for line in lines:
            world.begin(world.now + 5)
            world.events.clear()
            self.office.commands.in_game(self.client, line)
            read += [
                words
                for event in world.events
                if (reader or self).mobile.viewport in event.viewers
                and not isinstance(event, Closed)
                and (words := event.words(own=event.thing is (reader or self).mobile))
            ]
        return read


async def heroes_of(office: Office, *names: str) -> list[Hero]:
    """Players side by side; the last is one of the staff."""
    found = []
    for number, name in enumerate(names):
        staff = Access.SEER if number == len(names) - 1 else Access.PLAYER
        client, mobile = await office.player(name, staff, x=20 + number, y=20)
        found.append(Hero(office, client, mobile))
    return found


def test_verbs_of_parties_are_for_everybody_and_no_audit() -> None:
    assert all(row.access == Access.PLAYER and not row.audited for row in TABLE)


async def test_a_party_by_word(office: Office, autojump_clock: MockClock) -> None:
    alric, berta, carl = await heroes_of(office, "Alric", "Berta", "Carl")
    assert alric.does("party", "party invite Nobody", "party invite Alric") == [
        "You are in no party.",
        "There is nobody of that name here.",
        "You cannot do that to yourself.",
    ]
    assert alric.does("party invite berta") == ["You ask Berta into your party."]
    assert berta.does("party accept", "party accept") == [
        "You join the party of Alric.",
        "Nobody asks you that.",
    ]
    question = "Party: Carl asks to join your party."
    assert carl.does("party join berta", reader=alric) == [question]
    assert alric.does("party refuse", reader=carl) == ["Alric does not want to."]
    assert alric.does("party invite carl", reader=carl) == [
        "Party: Alric asks you into a party. Loot: whoever finds it."
    ]
    assert carl.does("answer 1", reader=berta) == ["Carl joins the party."]
    assert berta.does("party") == ["Your party: Alric, Berta, Carl. Loot: whoever finds it."]
    assert berta.does("p Hello there", reader=carl) == ["Berta: Hello there"]
    only = "Only the leader of the party may do that."
    assert berta.does("party loot turns", "party kick carl", "party disband") == [only] * 3
    assert alric.does("party loot all", "party loot turns", "party kick nobody") == [
        "The loot of a party is for its finder, by turns, or for its leader.",
        "Loot of the party: each in turn.",
        "Nobody of that name is in your party.",
    ]
    assert alric.does("party leader carl") == ["Carl leads the party now."]
    assert '"party": ["Carl", "Alric", "Berta"]' in "".join(carl.does("info Alric"))
    assert carl.does("party kick berta", reader=berta) == ["You are sent out of the party."]
    assert '"party": null' in "".join(carl.does("info Berta"))
    assert alric.does("party leave") == ["You leave the party."]
    alric.does("party invite carl")
    carl.does("party accept")
    assert alric.does("party disband", reader=carl) == ["The party is no more."]


async def test_who_loses_the_connection_and_comes_back_is_of_the_party_still(
    office: Office, autojump_clock: MockClock
) -> None:
    alric, berta = await heroes_of(office, "Alric", "Berta")
    alric.does("party invite berta")
    berta.does("party accept")
    for ending in (Ending.CONNECTION_LOST, Ending.CLIENT_LEFT):
        await office.in_world(None, partial(office.characters.left, session=berta.client, ending=ending))
        assert alric.does("party") == ["Your party: Alric, Berta (away). Loot: whoever finds it."]
        berta = await again(office, berta)
        company = berta.mobile.party
        assert company is not None
        assert company is alric.mobile.party
        assert [one.online for one in party.states(company)] == [True, True]
        assert berta.does("p Back") == ["Berta: Back"]


async def again(office: Office, hero: Hero) -> Hero:
    """Somebody comes back with another client."""
    client, account = office.client(), hero.client.account
    assert account is not None
    await office.accounts.claim(client, account)

    def welcome(_: Mobile) -> None:
        client.phase = Phase.IN_WORLD

    await office.characters.enter(client, hero.mobile.serial, welcome)
    assert client.mobile is not None
    return Hero(office, client, client.mobile)
