"""R-49 to R-51: guessing names and passwords, at the doors of a whole server."""

from __future__ import annotations

import json
import logging
import random
from functools import partial
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing
from eolib import LoginReplyServerPacket

from protocol.denials import Denial, Denied
from server.commands.machinery import Answer
from server.operate.admin import AdminChannel, proof
from server.people.limiter import OWNERS_FADE
from tests.kit.actors import make_actor
from tests.kit.eo_game import EoWebPlayer
from tests.kit.logins import EVERYBODY, FAR, HOME, an_account, is_kept_out, playing
from tests.kit.players import EoPlayer, UoPlayer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import TypeVar

    from trio.testing import MockClock

    from tests.kit.town import Town

    T = TypeVar("T")


def was_answered(player: UoPlayer | EoPlayer) -> bool:
    """Whether it has heard what came of its login."""
    if isinstance(player, UoPlayer):
        return player.client.rejected is not None
    return bool(player.of(LoginReplyServerPacket))


# guessing


async def test_r49_nobody_learns_which_names_exist(town: Town, autojump_clock: MockClock) -> None:
    town.change("accounts", auto_create=False)
    town.change("limits", exempt=EVERYBODY, login_failures_per_address=1000)
    await an_account(town)
    answers: dict[str, list[object]] = {"uo": [], "eo": [], "web": []}
    taken: list[float] = []
    for name, password in (("anna", "wrong12"), ("nobody", "wrong12"), ("nobody", "secret1")):
        uo = UoPlayer(town, peer=FAR)
        before, start = town.passwords.work, trio.current_time()
        await uo.end.send_all(uo.client.login_bytes(name, password))
        await uo.until(partial(was_answered, uo), 10)
        taken.append(trio.current_time() - start)
        assert town.passwords.work - before == 1
        answers["uo"].append(bytes(uo.raw))
        for kind, maker in (("eo", EoPlayer), ("web", EoWebPlayer)):
            eo = maker(town, peer=FAR)
            await eo.greets()
            before, start = town.passwords.work, trio.current_time()
            await eo.end.send_all(eo.client.login(name, password))
            await eo.until(partial(was_answered, eo), 10)
            taken.append(trio.current_time() - start)
            assert town.passwords.work - before == 1
            (reply,) = eo.of(LoginReplyServerPacket)
            answers[kind].append((repr(reply), reply.byte_size))
    assert all(len(set(found)) == 1 for found in answers.values()), answers
    assert len({round(seconds, 3) for seconds in taken}) == 1, taken


async def _try_uo(town: Town, number: int) -> None:
    player = UoPlayer(town, peer=FAR)
    await player.does(player.client.login_bytes("anna", f"wrong{number}"), wait=0.01)
    assert player.client.rejected is not None
    player.leaves()


async def _try_game(town: Town, number: int) -> None:
    """0x91 with a guessed key."""
    player = UoPlayer(town, peer=FAR)
    player.client.relay = "127.0.0.1", 2593, random.Random(number).randbytes(4)
    await player.does(player.client.game_bytes("anna", f"wrong{number}"), wait=0.01)
    assert not player.client.characters
    player.leaves()


async def _try_eo(maker: type[EoPlayer], town: Town, number: int) -> None:
    player = maker(town, peer=FAR)
    await player.does(player.client.init(), wait=0.005)
    if player.gone:
        return
    await player.does(player.client.accept(), wait=0.005)
    await player.does(player.client.login("anna", f"wrong{number}"), wait=0.01)
    assert not player.client.menu
    player.leaves()


DOORS: Mapping[str, Callable[[Town, int], object]] = {
    "uo login": _try_uo,
    "uo game": _try_game,
    "eo tcp": partial(_try_eo, EoPlayer),
    "eo websocket": partial(_try_eo, EoWebPlayer),
}


@pytest.mark.parametrize("door", DOORS)
async def test_r50_a_thousand_tries_through_one_door_are_few_checks_and_close_all(
    town: Town, autojump_clock: MockClock, door: str
) -> None:
    town.change("accounts", auto_create=False)
    town.change("limits", exempt=EVERYBODY)
    await an_account(town)
    before, start = town.passwords.checks, trio.current_time()
    for number in range(1000):
        await DOORS[door](town, number)  # type: ignore[misc] # each is a coroutine function
    assert trio.current_time() - start < 60
    # Five, and one after each of the waits of 2, 10 and 20 seconds.
    assert town.passwords.checks - before <= 9
    checks = town.passwords.checks
    for player in (UoPlayer(town, peer=FAR), EoPlayer(town, peer=FAR), EoWebPlayer(town, peer=FAR)):
        await is_kept_out(player)
    assert town.passwords.checks == checks, "the right password is not even looked at"
    # Somebody elsewhere is not concerned.
    home = UoPlayer(town, peer=HOME)
    await home.enters("anna", "Anna")
    assert home.client.in_world


async def test_r50_the_admin_channel_gives_one_try_a_connection(
    tmp_path: Path, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    ran: list[str] = []

    async def run(who: str, command: str, args: Mapping[str, str] | None) -> Answer:
        await trio.lowlevel.checkpoint()
        ran.append(command)
        return Answer(True, ["done"])

    channel = AdminChannel(run, tmp_path)
    dice = random.Random(1)
    caplog.set_level(logging.CRITICAL)

    async def attempt(token: str) -> bytes:
        """What comes back for a command, three times, from somebody who believes in that token."""
        ours, theirs = trio.testing.memory_stream_pair()
        answer = b""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(channel.answer, theirs)
            nonce = dice.randbytes(16).hex()
            await ours.send_all(f'{{"nonce": "{nonce}"}}\n'.encode())
            greeting = json.loads(await ours.receive_some())
            shown = proof(token, "client", nonce, greeting["nonce"])
            line = f'{{"proof": "{shown}"}}\n{{"command": "shutdown"}}\n'.encode()
            await ours.send_all(line * 3)
            with trio.move_on_after(1):
                while data := await ours.receive_some():
                    answer += bytes(data)
            await ours.aclose()
        return answer

    for _ in range(1000):
        assert await attempt(dice.randbytes(32).hex()) == b""
    assert ran == []
    assert b"done" in await attempt(channel._token)


@pytest.mark.parametrize("maker", [UoPlayer, EoPlayer])
async def test_r51_strangers_slow_down_one_another_and_never_the_owner(
    town: Town, autojump_clock: MockClock, maker: type[UoPlayer | EoPlayer]
) -> None:
    town.change("accounts", auto_create=False)
    town.change("limits", exempt=EVERYBODY)
    await an_account(town)
    owner = maker(town, peer=HOME)
    await owner.enters("anna", "Anna")
    owner.leaves()
    await trio.sleep(20)

    async def one_try(peer: str, password: str) -> float:
        """Seconds until the answer."""
        player = UoPlayer(town, peer=peer)
        start = trio.current_time()
        await player.end.send_all(player.client.login_bytes("anna", password))
        await player.until(lambda: player.client.rejected is not None or bool(player.client.servers), 60)
        player.leaves()
        return trio.current_time() - start

    waited = [await one_try(f"10.0.{number // 200}.{number % 200}", "wrong12") for number in range(30)]
    assert max(waited[:10]) < 0.1
    assert min(waited[10:]) >= 4.9
    assert await one_try(HOME, "secret1") < 0.1
    # 89 days later the address is still the owner's, after a restart too: it is in the database.
    row = town.database.account("anna")
    assert row is not None
    assert row.last_address == HOME
    town.wall += OWNERS_FADE - 86_400
    town.app.accounts._terms.limiter._owners._values.clear()
    for number in range(12):
        await one_try(f"10.1.0.{number}", "wrong12")
    assert await one_try(HOME, "secret1") < 0.1


async def test_r50_the_menus_form_for_another_password_is_a_door_as_well(
    town: Town, autojump_clock: MockClock
) -> None:
    """Endless Online's Account_Agree."""
    town.change("accounts", auto_create=False)
    await an_account(town)
    session = make_actor("eo", town, peer=FAR)
    await session.enters("anna", "Anna")
    (played,) = playing(town)
    for number in range(1000):
        with pytest.raises(Denied) as denied:
            await town.app.accounts.change_password(played, "anna", f"wrong{number}", "another1")
    assert denied.value.why is Denial.BUSY
    assert town.passwords.checks <= 7
