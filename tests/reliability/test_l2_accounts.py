"""Guessing, keys and double logins at Lineage II's doors, and that the doors of all games are one wall: R-50
to R-53. What is the same for every game is in test_accounts*.py, doors of datagrams in
test_datagram_logins.py."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
import trio

from protocol.l2.bridge.login_server import LIFETIME
from server.store.check import check_database
from tests.kit.actor import CannotEnter
from tests.kit.actors import make_actor
from tests.kit.eq2_player import Eq2Player
from tests.kit.l2_bridge import bridge_of
from tests.kit.l2_client import Keys
from tests.kit.l2_player import L2Player
from tests.kit.players import PASSWORD, EoPlayer, UoPlayer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from trio.testing import MockClock

    from tests.kit.actor import Actor
    from tests.kit.town import Town

pytestmark = pytest.mark.timeout(120)

FAR, HOME = "203.0.113.9", "192.0.2.1"
EVERYBODY = ("0.0.0.0/0",)
"""As `limits.exempt`: the number of connections is not what stops them here."""

USER_OR_PASSWORD_WRONG, TRY_LATER = 0x03, 0x04
"""Reasons of LoginFail."""


@pytest.fixture
async def guarded(town: Town) -> Town:
    """A town where anna and thief have accounts and nobody gets one by coming."""
    town.change("accounts", auto_create=False)
    town.change("limits", exempt=EVERYBODY)
    for name in ("anna", "thief"):
        await town.app.accounts.staff.create(name, PASSWORD)
    return town


# Each says whether it let somebody in.


async def try_l2(town: Town, password: str, peer: str = FAR) -> bool:
    player = L2Player(town, peer=peer)
    await player.does(player.turns_to("login"), wait=0.01)
    await player.does(player.client.guard_bytes(), wait=0.01)
    await player.does(player.client.login_bytes("anna", password), wait=0.01)
    assert player.client.refused in (None, USER_OR_PASSWORD_WRONG, TRY_LATER)
    player.leaves()
    return bool(player.client.keys.login1)


async def try_l2_game(town: Town, password: str, peer: str = FAR) -> bool:
    """The game's door knows no passwords: who does not have the keys has guessed them."""
    player = L2Player(town, peer=peer)
    player.client.account = "anna"
    player.client.keys = Keys(*random.Random(password).choices(range(1 << 32), k=4))
    await player.does(player.turns_to("game") + player.client.version_bytes(), wait=0.01)
    await player.does(player.client.auth_bytes(), wait=0.01)
    player.leaves()
    return player.client.screen.menu is not None


async def try_uo(town: Town, password: str, peer: str = FAR) -> bool:
    player = UoPlayer(town, peer=peer)
    await player.does(player.client.login_bytes("anna", password), wait=0.01)
    player.leaves()
    return bool(player.client.servers)


async def try_eo(town: Town, password: str, peer: str = FAR) -> bool:
    player = EoPlayer(town, peer=peer)
    await player.does(player.client.init(), wait=0.01)
    if not player.gone:
        await player.does(player.client.accept(), wait=0.01)
        await player.does(player.client.login("anna", password), wait=0.01)
    player.leaves()
    return bool(player.client.menu)


async def try_eq2(town: Town, password: str, peer: str = FAR) -> bool:
    player = Eq2Player(town, peer=peer)
    await player.does(player.turns_to("login"), wait=0.05)
    await player.does(player.client.login_bytes("anna", password), wait=0.05)
    player.leaves()
    return player.client.code == 0


DOORS: Mapping[str, Callable[[Town, str], Awaitable[bool]]] = {
    "l2 login": try_l2,
    "l2 game": try_l2_game,
    "uo": try_uo,
    "eo": try_eo,
    "eq2": try_eq2,
}
PASSWORDS = [door for door in DOORS if door != "l2 game"]
"""Doors where the right word lets in."""


#


@pytest.mark.parametrize(("door", "tries"), [("l2 login", 80), ("l2 game", 200)])
async def test_r50_many_tries_are_few_checks_and_close_every_door(
    guarded: Town, autojump_clock: MockClock, door: str, tries: int
) -> None:
    town = guarded
    owner = L2Player(town, peer=HOME)
    await owner.gets_keys("anna")  # on the way while others guess
    work, began = town.passwords.work, trio.current_time()
    for number in range(tries):
        assert not await DOORS[door](town, f"wrong{number}")
    assert trio.current_time() - began < 55
    # Five, and one after each of the waits of 2, 10 and 20 seconds. Of keys none is a password.
    assert town.passwords.work - work <= (9 if door == "l2 login" else 0)
    work = town.passwords.work
    for other in PASSWORDS:
        assert not await DOORS[other](town, PASSWORD), other
    assert town.passwords.work == work, "the right password is not even looked at"
    # Neither did that use up what the owner has, nor is somebody elsewhere concerned.
    await owner.arrives()
    assert owner.client.screen.menu == []


@pytest.mark.parametrize("last", DOORS)
async def test_r50_tries_spread_over_the_doors_of_all_games_meet_one_limiter(
    guarded: Town, autojump_clock: MockClock, last: str
) -> None:
    """One at each of five doors; whichever was the last, all of them are closed."""
    town = guarded
    for door in [*(door for door in DOORS if door != last), last]:
        assert town.app.tickets._limiter.wait(FAR, trio.current_time()) == 0, door
        assert not await DOORS[door](town, "wrong12")
    waits = town.app.tickets._limiter.wait(FAR, trio.current_time())
    assert 1.5 < waits <= 2
    work = town.passwords.work
    for other in PASSWORDS:
        assert not await DOORS[other](town, PASSWORD), other
    assert town.passwords.work == work
    assert await try_l2(town, PASSWORD, HOME), "another address"
    await trio.sleep(2.1)
    assert await try_l2(town, PASSWORD), "two seconds later it may"


async def test_r50_who_has_to_wait_learns_nothing_from_keys(guarded: Town, autojump_clock: MockClock) -> None:
    """With the right keys of a login from elsewhere a closed address is not let in; whoever logged in from
    there before it was closed is."""
    town = guarded
    mine, elsewhere = L2Player(town, peer=FAR), L2Player(town, peer=HOME)
    await mine.gets_keys("thief")
    await elsewhere.gets_keys("anna")
    for number in range(5):
        assert not await try_l2(town, f"wrong{number}")
    stolen = L2Player(town, peer=FAR)
    stolen.client.account, keys = "anna", elsewhere.client.keys
    await stolen.does(stolen.turns_to("game") + stolen.client.version_bytes(), wait=0.1)
    stolen.client.keys = keys
    await stolen.does(stolen.client.auth_bytes(), wait=0.1)
    assert stolen.client.screen.menu is None
    await mine.does(mine.turns_to("game") + mine.client.version_bytes(), wait=0.1)
    await mine.does(mine.client.auth_bytes(), wait=0.1)
    assert mine.client.screen.menu == []
    await elsewhere.arrives()
    assert elsewhere.client.screen.menu == [], "and what was tried with them has not used them up"


#


async def test_r51_strangers_slow_down_one_another_and_never_the_owner(
    guarded: Town, autojump_clock: MockClock
) -> None:
    town = guarded
    owner = L2Player(town, peer=HOME)
    await owner.enters("anna", "Anna")
    owner.leaves()
    await trio.sleep(20)

    async def one_try(peer: str, password: str) -> float:
        """Seconds until the answer."""
        player = L2Player(town, peer=peer)
        await player.greets()
        began, client = trio.current_time(), player.client
        await player.end.send_all(client.login_bytes("anna", password))
        await player.until(lambda: client.refused is not None or bool(client.keys.login1), 60)
        player.leaves()
        return trio.current_time() - began

    waited = [await one_try(f"10.0.0.{number}", "wrong12") for number in range(14)]
    assert max(waited[:10]) < 0.1
    assert min(waited[10:]) >= 4.9
    assert await one_try(HOME, PASSWORD) < 0.1


#


async def shows(town: Town, keys: Keys, *, name: str = "anna", peer: str = HOME) -> bool:
    """Whether the game's door lets in who shows these."""
    player = L2Player(town, peer=peer)
    await player.does(player.turns_to("game") + player.client.version_bytes(), wait=0.1)
    player.client.account, player.client.keys = name, keys
    await player.does(player.client.auth_bytes(), wait=0.1)
    let_in = player.client.screen.menu is not None
    player.leaves()
    await trio.sleep(0.1)
    return let_in


async def their_keys(town: Town, name: str = "anna") -> Keys:
    """Of somebody who was sent on to the game's door."""
    player = L2Player(town, peer=HOME)
    await player.gets_keys(name)
    player.leaves()
    return player.client.keys


async def test_r52_the_four_numbers_are_good_once_soon_and_for_their_owner(
    guarded: Town, autojump_clock: MockClock
) -> None:
    town = guarded
    town.change("limits", exempt=EVERYBODY, login_failures_per_address=100_000)
    keys, other = await their_keys(town), await their_keys(town, "thief")
    assert not await shows(town, keys, name="thief"), "another's"
    assert not await shows(town, Keys(keys.login1, keys.login2, other.play1, other.play2)), "half another's"
    assert not await shows(town, Keys(0, 0, keys.play1, keys.play2)), "half"
    assert not await shows(town, Keys(keys.login1, keys.login2, 0, 0)), "the other half"
    assert not await shows(town, Keys(keys.login1, keys.login2, keys.play2, keys.play1)), "crossed"
    assert await shows(town, keys), "nothing of that has used it up"
    assert not await shows(town, keys), "used"
    assert await shows(town, await their_keys(town), peer=FAR), (
        "not bound to an address unless that is wished"
    )
    town.change("limits", bind_tickets=True)
    keys = await their_keys(town)
    assert not await shows(town, keys, peer=FAR)
    assert await shows(town, keys)
    keys = await their_keys(town)
    await trio.sleep(LIFETIME + 1)
    assert not await shows(town, keys), "too late"
    keys = await their_keys(town)
    await their_keys(town)
    assert not await shows(town, keys), "a newer login"
    chance = random.Random(52)
    keys = await their_keys(town)
    for _ in range(50):
        assert not await shows(town, Keys(*chance.choices(range(1 << 32), k=4)))
        for bit in (1, 1 << 31):
            assert not await shows(town, Keys(keys.login1, keys.login2, keys.play1 ^ bit, keys.play2))
    assert await shows(town, keys)
    assert bridge_of(town.app).login_side.login_server.waiting(trio.current_time()) <= 1


async def test_r52_a_ban_and_a_new_password_end_who_is_on_the_way(
    guarded: Town, autojump_clock: MockClock
) -> None:
    town = guarded
    row = await town.app.accounts.find("anna")
    assert row is not None
    keys = await their_keys(town)
    await town.app.accounts.staff.set_password(row, "another1")
    assert not await shows(town, keys)
    await town.app.accounts.staff.set_password(row, PASSWORD)
    keys = await their_keys(town)
    await town.app.accounts.staff.ban(row, float("inf"), "rude")
    assert not await shows(town, keys)


#


async def test_r53_ten_logins_at_once_in_all_games_leave_one(town: Town, autojump_clock: MockClock) -> None:
    town.change("limits", exempt=EVERYBODY)
    chance = random.Random(53)
    maker = make_actor("l2", town)
    await maker.enters("anna", "Anna")
    mobile = town.mobile("Anna")
    items = sorted(item.serial for item in town.app.world.items.values())
    games = ["l2"] * 4 + ["uo", "eo", "eq2"] * 2
    chance.shuffle(games)

    async def later(actor: Actor) -> None:
        await trio.sleep(chance.choice([0, 0, 0.001, 0.01, 0.1]))
        try:
            await actor.enters("anna", "Anna")
        except CannotEnter:
            return

    async with trio.open_nursery() as crowd:
        for game in games:
            crowd.start_soon(later, make_actor(game, town))
    await trio.sleep(30)
    (left,) = [session for session in town.app.sessions() if session.account is not None]
    assert left.mobile is mobile
    assert town.mobile("Anna") is mobile
    assert [one.name for one in town.app.world.mobiles.values() if one.is_character] == ["Anna"]
    assert sorted(item.serial for item in town.app.world.items.values()) == items
    assert bridge_of(town.app).login_side.login_server.waiting(trio.current_time() + LIFETIME) == 0
    assert check_database(town.database) == []
