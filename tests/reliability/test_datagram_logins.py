"""Names, guesses and keys at doors of datagrams. R-49, R-50 and R-52 for EverQuest II; what is the same for
every game is in test_accounts*.py."""

from __future__ import annotations

import contextlib
import random
from typing import TYPE_CHECKING, Final

import pytest
import trio

from protocol.denials import Denied
from protocol.endings import Ending
from protocol.eq2 import packets as eq2
from server.bots.bundle import unbundle
from server.people.tickets import LIFETIME, MOST
from tests.kit.eq2_player import Eq2Player, newest_version
from tests.kit.eq2_town import FAR, HOME, a_rogue, ending_of
from tests.kit.players import PASSWORD, UoPlayer

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.town import Town

pytestmark = pytest.mark.timeout(180)

EVERYBODY: Final = ("0.0.0.0/0",)
"""As `limits.exempt`: the number of connections is not what stops them here."""


async def answer_to(town: Town, name: str, password: str) -> tuple[list[bytes], float, int]:
    """What somebody far away hears upon a login, in plain; how long it took; and the work that it was."""
    player = Eq2Player(town, peer=FAR[0])
    await player.connects("login")
    player.raw.clear()
    before, began = town.passwords.work, trio.current_time()
    await player.end.send_all(player.client.login_bytes(name, password))
    assert await player.until(lambda: player.client.code is not None, 10)
    took = trio.current_time() - began
    await trio.sleep(3)
    sizes = [len(data) for data in unbundle(bytes(player.raw))]
    said = [newest_version().encode(message) for message in player.got]
    assert player.gone
    return [*said, bytes(str(sizes), "ascii")], round(took, 4), town.passwords.work - before


async def test_r49_nobody_learns_which_names_exist(town: Town, autojump_clock: MockClock) -> None:
    town.change("accounts", auto_create=False)
    town.change("limits", exempt=EVERYBODY, login_failures_per_address=1000)
    town.passwords.seconds = 0.02
    await town.app.accounts.staff.create("anna", "secret1")
    tries = [("anna", "wrong12"), ("nobody", "wrong12"), ("nobody", "secret1"), ("ANNA", "wrong12")]
    answers = [await answer_to(town, name, password) for name, password in tries]
    assert all(answer == answers[0] for answer in answers), answers
    assert answers[0][2] == 1


async def test_r50_a_thousand_passwords_through_the_door(town: Town, autojump_clock: MockClock) -> None:
    town.change("accounts", auto_create=False)
    town.change("limits", exempt=EVERYBODY)
    await town.app.accounts.staff.create("anna", "secret1")
    work = town.passwords.work
    for number in range(1000):
        player = Eq2Player(town, peer=FAR[0])
        await player.does(player.turns_to("login"), wait=0.05)
        await player.does(player.client.login_bytes("anna", f"wrong{number}"), wait=0.05)
        assert player.client.code != eq2.LoginCode.OK
        player.leaves()
    assert town.passwords.work - work <= 12, "five at once, and then after 2, 10, 20 and 60 s"
    # Another door of another game is the same wall.
    uo = UoPlayer(town, peer=FAR[0])
    await uo.does(uo.client.login_bytes("anna", "secret1"))
    assert not uo.client.servers
    owner = Eq2Player(town, peer="192.0.2.1")
    await owner.connects("login")
    await owner.end.send_all(owner.client.login_bytes("anna", "secret1"))
    assert await owner.until(lambda: owner.client.code == eq2.LoginCode.OK, 60), (
        "slowly, but the owner gets in"
    )


async def a_key(town: Town, name: str = "anna", character: str = "Anna") -> tuple[int, int]:
    """The account's number and the access code of somebody who was sent on to the world's door."""
    with contextlib.suppress(Denied):
        await town.app.accounts.staff.create(name, PASSWORD)
    player = Eq2Player(town, peer=HOME[0])
    await player.logs_in(name)
    if player.client.characters:
        await player.does(player.client.play_bytes())
    else:
        await player.does(player.client.create_bytes(character))
    play = player.client.play
    assert play is not None
    assert play.account_id is not None
    assert play.access_code is not None
    player.leaves()
    return play.account_id, play.access_code


async def shows(town: Town, account: int, code: int, *, peer: str = HOME[0], wait: float = 0.3) -> bool:
    """Whether the world lets in who shows that code."""
    player = Eq2Player(town, peer=peer)
    await player.does(player.turns_to("world"), wait=wait)
    await player.does(player.client.bytes_of(eq2.LoginByNum(account, code, 546)), wait=wait)
    let_in = player.client.zone is not None
    assert let_in or player.client.code != eq2.LoginCode.OK
    player.leaves()
    await trio.sleep(wait)
    return let_in


async def test_r50_guessing_access_codes_is_guessing_passwords(town: Town, autojump_clock: MockClock) -> None:
    """Counted together with them, so that neither door is the way around the other."""
    town.change("limits", exempt=EVERYBODY)
    account, _ = await a_key(town)
    dice, work = random.Random(50), town.passwords.work
    limiter = town.app.tickets._limiter
    for number in range(1000):
        assert not await shows(town, account, dice.getrandbits(32), peer=FAR[0], wait=0.05)
        if number == 4:
            assert limiter.wait(FAR[0], trio.current_time()) > 0
    assert town.passwords.work == work
    assert limiter.wait(FAR[0], trio.current_time()) > 60
    player = Eq2Player(town, peer=FAR[0])
    await player.connects("login")
    await player.does(player.client.login_bytes("anna", "secret1"))
    assert player.client.code != eq2.LoginCode.OK
    # Whoever has a code of its own is not kept out by what others tried.
    account, code = await a_key(town)
    assert await shows(town, account, code)


async def test_r52_an_access_code_is_good_once_soon_and_for_its_owner(
    town: Town, autojump_clock: MockClock
) -> None:
    town.change("limits", exempt=EVERYBODY, login_failures_per_address=1000)
    mine, code = await a_key(town)
    other, other_code = await a_key(town, "berta", character="Berta")
    assert mine != other
    assert not await shows(town, other, code), "another's"
    assert not await shows(town, mine, other_code), "another's"
    assert await shows(town, mine, code), "a wrong try does not use it up"
    assert not await shows(town, mine, code), "used"
    await trio.sleep(15)
    mine, code = await a_key(town)
    assert await shows(town, mine, code, peer=FAR[0]), "not bound to an address unless that is wished"
    await trio.sleep(15)
    town.change("limits", bind_tickets=True)
    mine, code = await a_key(town)
    assert not await shows(town, mine, code, peer=FAR[0])
    assert await shows(town, mine, code)
    await trio.sleep(15)
    mine, code = await a_key(town)
    await trio.sleep(LIFETIME + 1)
    assert not await shows(town, mine, code), "too late"
    mine, code = await a_key(town)
    await trio.sleep(LIFETIME - 5)
    assert await shows(town, mine, code), "just in time"
    assert len(town.app.tickets) <= MOST


async def test_r52_the_doors_have_messages_of_their_own(town: Town, autojump_clock: MockClock) -> None:
    """A password at the world's door, a key at the login server's."""
    mine, code = await a_key(town)
    rogue, connection = await a_rogue(town, door="world")
    rogue.says(newest_version().encode(eq2.LoginRequest("anna", "secret1", 546)))
    assert await ending_of(connection, 5) is Ending.BAD_PACKET
    rogue, connection = await a_rogue(town, FAR)
    rogue.says(newest_version().encode(eq2.LoginByNum(mine, code, 546)))
    assert await ending_of(connection, 5) is Ending.BAD_PACKET
    assert await shows(town, mine, code), "nor was it used up"
