"""What a world does about logins of its accounts in other worlds, and about characters that pass to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
import trio
import trio.testing

from protocol.denials import Denied
from protocol.endings import Ending
from protocol.services import AccountInfo
from server.people.account_store import AccountStore
from server.people.departures import Departures
from server.people.presence import CHANGED, OTHER_PASSWORD, REPLACED, Presence
from server.store.records import NOT_PLAYED, Seen, Standing, mark_of
from tests.kit.office import Office
from world.mobile import Access

if TYPE_CHECKING:
    from collections.abc import Callable

    from server.store.database import Database
    from tests.kit.office import Client

ANNA = AccountInfo(7, "anna")


@pytest.fixture
async def office(nursery: trio.Nursery) -> Office:
    return await Office().open(nursery)


@pytest.fixture
def presence(office: Office) -> Presence:
    return Presence(office.tickets, lambda _: None)


@pytest.fixture
def client(office: Office, presence: Presence) -> Client:
    """Plays Anna's account by a login with the number 5."""
    client = office.client()
    presence.claim(client, ANNA)
    presence.numbered(ANNA.id, 5)
    return client


async def test_only_a_newer_login_elsewhere_ends_who_plays_here(presence: Presence, client: Client) -> None:
    assert presence.numbers() == {ANNA.id: 5}
    assert not presence.outplay(ANNA.id, 5)
    assert not client.line.detail
    assert presence.outplay(ANNA.id, 6)
    assert (client.line.ending, client.line.detail) == (Ending.REPLACED, REPLACED)
    assert presence.numbers() == {}
    assert presence.outplay(ANNA.id, 1), "nobody plays here"


async def test_whose_client_went_on_to_the_next_door_reads_nothing(
    presence: Presence, client: Client
) -> None:
    client.hang_up_means = Ending.RELAYED
    assert presence.outplay(ANNA.id, 6)
    assert client.line.ending is Ending.RELAYED
    assert not client.heard


async def test_a_login_that_has_just_begun_is_the_newest_until_its_number_says_otherwise(
    presence: Presence, client: Client
) -> None:
    with presence.begins(ANNA.id):
        assert not presence.outplay(ANNA.id, 99)
        assert presence.is_older(ANNA.id, 98)
        assert presence.numbers() == {}
        presence.numbered(ANNA.id, 8)
    assert not presence.is_older(ANNA.id, 8)
    presence.numbered(ANNA.id, 6)  # of an earlier login here, whose answer came late
    assert presence.number(ANNA.id) == 8
    presence.release(client)
    presence.numbered(ANNA.id, 9)
    assert presence.number(ANNA.id) == 0, "nobody plays"


async def test_what_another_process_did_to_an_account_ends_the_clients_of_before(
    presence: Presence, client: Client, office: Office
) -> None:
    """And nobody who has come, or set that password, since it was asked."""
    presence.prove(client, ANNA.id, "old")
    new, elder = office.client(), office.client()
    asked = presence.seen()
    assert asked == {Seen(ANNA.id, 5, "old", 0)}
    presence.prove(new, ANNA.id, "new")
    presence.prove(elder, ANNA.id)
    changed = Standing(ANNA.id, False, 5, "new", False, "")
    presence.judge(changed, asked)
    assert (client.line.ending, client.line.detail) == (Ending.KICKED, OTHER_PASSWORD)
    assert not new.line.detail
    assert not elder.line.detail
    presence.judge(changed, presence.seen())
    assert presence.seen() == {Seen(ANNA.id, NOT_PLAYED, "new")}, "whose password is not known has to go"
    assert (elder.line.ending, elder.line.detail) == (Ending.KICKED, CHANGED)
    presence.judge(changed._replace(banned=True, reason="rude"), presence.seen())
    assert (new.line.ending, new.line.detail) == (Ending.BANNED, "You are banned. rude")
    assert presence.seen() == set()


async def test_whoever_comes_with_an_account_comes_with_the_password_that_was_proven_for_it(
    presence: Presence, office: Office
) -> None:
    client = office.client()
    presence.claim(client, attrs.evolve(ANNA, mark="old"))
    assert presence.seen() == {Seen(ANNA.id, 0, "old", 0)}
    presence.judge(Standing(ANNA.id, False, 0, "new", False, ""), presence.seen())
    assert (client.line.ending, client.line.detail) == (Ending.KICKED, OTHER_PASSWORD)


async def test_another_level_that_another_process_gave_is_in_force_in_the_next_turn(office: Office) -> None:
    client, mobile = await office.player("Anna", Access.GAME_MASTER)
    other = office.client()  # in the menu, with no character yet
    await office.accounts.login(other, "annaacct", "secret1")
    asked = office.accounts.seen()
    row = await office.accounts.find("annaacct")
    assert row is not None
    mark = mark_of(row.password)
    assert asked == {Seen(row.id, 0, mark, Access.GAME_MASTER), Seen(row.id, 0, mark)}
    office.accounts.judge(Standing(row.id, False, 0, mark, False, "", Access.COUNSELOR), asked)
    await trio.sleep(0.5)
    assert client.account is not None
    assert (client.account.access, mobile.access) == (Access.COUNSELOR,) * 2
    assert not client.line.detail
    assert not other.line.detail


async def test_while_a_password_is_stored_anew_nobody_is_ended_for_either(
    presence: Presence, client: Client
) -> None:
    """Whether it was is known when that is done; and a client that has it takes it along."""
    presence.prove(client, ANNA.id, "old")
    found = Standing(ANNA.id, False, 5, "new", False, "")
    with presence.turns(ANNA.id):
        presence.judge(found, presence.seen())
        assert not client.line.detail
        presence.renew_mark(ANNA.id, "older", "new")
        assert presence.seen() == {Seen(ANNA.id, 5, "old", 0)}, "it had another one"
        presence.renew_mark(ANNA.id, "old", "new")
    assert client.account is not None
    assert client.account.mark == "new"
    presence.claim(client, attrs.evolve(ANNA, mark="old"))
    presence.judge(found, presence.seen())
    assert not client.line.detail


async def test_a_password_that_could_not_be_stored_is_nobody_s(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process was quicker. A look meanwhile ends nobody, and the next one whoever has the old one."""
    client, _ = await office.player("Anna")
    row = await office.accounts.find("annaacct")
    assert row is not None
    found, write = Standing(row.id, False, 0, mark_of("theirs"), False, ""), AccountStore.write

    async def quicker(store: AccountStore, call: Callable[[Database], object]) -> object:
        office.database.set_password(row.id, "theirs")
        office.accounts.judge(found, office.accounts.seen())
        return await write(store, call)

    monkeypatch.setattr(AccountStore, "write", quicker)
    with pytest.raises(Denied):
        await office.accounts.change_password(client, "annaacct", "secret1", "another1")
    assert not client.line.detail
    office.accounts.judge(found, office.accounts.seen())
    assert client.ending is Ending.KICKED


async def test_of_those_who_wait_for_a_character_that_passes_one_goes_on_at_a_time() -> None:
    departures, at_it, most = Departures(), 0, 0

    async def pass_it() -> None:
        nonlocal at_it, most
        await departures.settled(1)
        with departures.passes(1):
            at_it += 1
            most = max(most, at_it)
            await trio.testing.wait_all_tasks_blocked()
            at_it -= 1

    with departures.awaited():
        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(pass_it)
        assert (most, departures.passing(1), departures.count(1), departures.count(2)) == (1, 0, 3, 0)
    assert departures.count(1) == 0
    departures.note(1)
    assert departures.count(1) == 0, "nobody is about to enter"
