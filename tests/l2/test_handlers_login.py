"""The login door: Init, and who are you."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, TypeVar

import attrs
import pytest
import trio

from protocol.denials import Denial, Denied
from protocol.endings import Ending
from protocol.l2 import rsa
from protocol.l2.handlers.login import LOGIN, REASONS
from protocol.l2.packets import (
    AuthGameGuard,
    GGAuth,
    Init,
    LoginFail,
    LoginFailReason,
    LoginOk,
    PlayOk,
    RequestAuthLogin,
    RequestServerList,
    RequestServerLogin,
)
from protocol.session import Phase
from tests.kit.desk import PASSWORD
from tests.kit.l2_desk import Desk
from tests.kit.l2_login import block, in_menu
from tests.kit.observed import Observed

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.l2.packets import LoginMessage
    from tests.kit.l2_desk import Player

T = TypeVar("T")

STATES = {
    Phase.GREETING: {"AuthGameGuard"},
    Phase.LOGIN: {"RequestAuthLogin"},
    Phase.MENU: {"RequestServerList", "RequestServerLogin"},
}
"""What may be said when."""

EVERYTHING = [
    AuthGameGuard(0),
    RequestAuthLogin(bytes(128)),
    RequestServerList(0, 0),
    RequestServerLogin(0, 0, 1),
]


async def says_block(player: Player, *blocks: bytes, tail: bytes = bytes(43)) -> None:
    """RequestAuthLogin with these blocks."""
    ciphers = [rsa.encrypt(player.init.modulus, plain) for plain in blocks]
    await player.says(RequestAuthLogin(ciphers[0], b"".join(ciphers[1:]) + tail))


# The first words


async def test_the_server_speaks_first() -> None:
    desk = Desk()
    player = await desk.greeted()
    assert player.kinds() == ["Init"]
    init = player.only(Init)
    assert init.session_id == player.at_login.challenge
    assert init.key == player.at_login.codec.session_key
    assert player.session.phase is Phase.GREETING


async def test_every_connection_has_a_number_of_its_own() -> None:
    desk = Desk()
    inits = [(await desk.greeted()).init for _ in range(30)]
    assert len({init.session_id for init in inits}) == 30
    assert 1 < len({init.modulus for init in inits}) <= rsa.POOL_SIZE


async def test_whoever_repeats_the_number_may_log_in() -> None:
    desk = Desk()
    player = await desk.authorised()
    assert player.kinds() == ["Init", "GGAuth"]
    assert player.only(GGAuth).response == player.init.session_id
    assert player.session.phase is Phase.LOGIN
    assert player.line.ending is None


@pytest.mark.parametrize("difference", [1, 0x80000000, 0xFFFFFFFF])
async def test_whoever_repeats_another_number_is_refused(difference: int) -> None:
    desk = Desk()
    player = await desk.greeted()
    await player.says(AuthGameGuard(player.init.session_id ^ difference))
    assert player.only(LoginFail).reason == LoginFailReason.ACCESS_FAILED
    assert player.took(GGAuth) == []
    assert player.line.ending is Ending.REFUSED
    assert player.session.phase is Phase.GREETING


# What may be said when


def test_the_table_has_the_states_of_the_protocol() -> None:
    """Other phases have nothing."""
    found = {phase: {entry.name for entry in LOGIN if phase in entry.phases} for phase in Phase}
    assert {phase: names for phase, names in found.items() if names} == STATES


@pytest.mark.parametrize("message", EVERYTHING[1:])
async def test_nothing_is_heard_before_game_guard(message: LoginMessage) -> None:
    desk = Desk()
    player = await desk.greeted()
    player.got.clear()
    await player.says(message)
    assert player.line.ending is Ending.WRONG_PHASE
    assert player.got == []


@pytest.mark.parametrize("message", [EVERYTHING[0], *EVERYTHING[2:]])
async def test_nothing_else_is_heard_before_the_password(message: LoginMessage) -> None:
    desk = Desk()
    player = await desk.authorised()
    player.got.clear()
    await player.says(message)
    assert player.line.ending is Ending.WRONG_PHASE
    assert player.got == []


@pytest.mark.parametrize("message", EVERYTHING[:2])
async def test_what_comes_again_after_the_password_is_skipped(message: LoginMessage) -> None:
    desk = Desk()
    player, _ = await in_menu(desk)
    player.got.clear()
    await player.says(message)
    assert (player.got, player.line.ending, player.session.ignored) == ([], None, 1)


async def test_other_opcodes_are_skipped() -> None:
    desk = Desk()
    player = await desk.greeted()
    await player.sends(b"\x0e" + bytes(15), b"\xff")
    assert player.line.ending is None


# Who are you


async def test_a_right_password_opens_the_menu() -> None:
    desk = Desk()
    desk.account("alric")
    player = await desk.authorised()
    await player.shows_password("Alric", PASSWORD)
    player.only(LoginOk)
    session = player.session
    assert session.phase is Phase.MENU
    assert session.account is not None
    assert (session.account.name, session.account_name) == ("alric", "alric")
    assert desk.claimed == [session.id]
    assert player.line.ending is None


@pytest.mark.parametrize("at", [0x6C, 0x6E])
async def test_a_password_is_found_where_either_client_puts_it(at: int) -> None:
    desk = Desk()
    password = "sixteen.letters."[: 0x7C - at]
    desk.account("alric", password)
    player = await desk.authorised()
    await says_block(player, block(b"alric", password.encode(), at))
    assert len(player.took(LoginOk)) == 1


async def test_two_blocks_are_read_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Newer clients: a name of up to 64 letters from 0x4E on, the password in the second block."""
    desk = Desk()
    name = "averylongname".ljust(64, "x")
    tried: list[tuple[str, str]] = []

    async def login(session: object, name: str, password: str) -> None:
        tried.append((name, password))
        raise Denied(Denial.BAD_CREDENTIALS)

    monkeypatch.setattr(desk.app.accounts, "login", login)
    player = await desk.authorised()
    first, second = bytearray(128), bytearray(128)
    first[0x4E:0x80] = name[:50].encode()
    second[0x4E:0x5C] = name[50:].encode()
    second[0x5C : 0x5C + len(PASSWORD)] = PASSWORD.encode()
    await says_block(player, bytes(first), bytes(second))
    assert tried == [(name, PASSWORD)]


async def test_every_connection_is_read_with_its_own_pair() -> None:
    desk = Desk()
    moduli = set()
    for number in range(20):
        player, _ = await in_menu(desk, f"person{number}")
        moduli.add(player.init.modulus)
    assert len(moduli) > 1


async def test_a_wrong_name_and_a_wrong_password_are_told_by_the_same_code() -> None:
    desk = Desk()
    desk.account("alric")
    answers = []
    for name, password in (("alric", "wrong12"), ("nobody", PASSWORD), ("", "")):
        player = await desk.authorised()
        player.got.clear()
        await player.shows_password(name, password)
        answers.append((player.got, player.line.ending, player.line.detail))
    assert answers[0] == answers[1] == answers[2]
    assert answers[0][:2] == ([LoginFail(LoginFailReason.USER_OR_PASSWORD_WRONG)], Ending.REFUSED)


def test_every_denial_has_a_reason() -> None:
    assert set(REASONS) == set(Denial)


@pytest.mark.parametrize(
    ("denial", "reason", "ending"),
    [
        (Denial.BAD_CREDENTIALS, 0x03, Ending.REFUSED),
        (Denial.BAD_PASSWORD, 0x03, Ending.REFUSED),
        (Denial.BAD_NAME, 0x03, Ending.REFUSED),
        (Denial.BANNED, 0x09, Ending.BANNED),
        (Denial.BUSY, 0x04, Ending.REFUSED),
        (Denial.IN_USE, 0x07, Ending.REFUSED),
        (Denial.NOT_APPROVED, 0x15, Ending.REFUSED),
        (Denial.UNAVAILABLE, 0x10, Ending.REFUSED),
        (Denial.FULL, 0x0F, Ending.REFUSED),
        (Denial.EXISTS, 0x01, Ending.REFUSED),
        (Denial.NO_CHARACTER, 0x01, Ending.REFUSED),
    ],
)
async def test_whoever_is_denied_is_told_why(denial: Denial, reason: int, ending: Ending) -> None:
    desk = Desk()
    desk.deny = denial
    player = await desk.authorised()
    await player.shows_password("alric", PASSWORD)
    assert player.only(LoginFail).reason == reason
    assert player.line.ending is ending
    assert player.session.account is None
    assert desk.claimed == []


async def test_a_block_that_no_client_can_have_made_ends_it() -> None:
    desk = Desk()
    player = await desk.authorised()
    await player.sends(b"\0" + b"\xff" * 128)
    assert player.line.ending is Ending.BAD_PACKET


@pytest.mark.parametrize("size", [0, 1, 127, 128])
async def test_a_short_block_is_a_wrong_password(size: int) -> None:
    desk = Desk()
    player = await desk.authorised()
    await player.sends(bytes(1 + size))
    assert player.only(LoginFail).reason == LoginFailReason.USER_OR_PASSWORD_WRONG
    assert player.line.ending is Ending.REFUSED


async def test_noise_in_a_block_is_a_wrong_password() -> None:
    """A public client forgets a leading zero now and then: what arrives then is noise."""
    desk = Desk()
    dice = random.Random(3)
    for _ in range(30):
        player = await desk.authorised()
        await player.sends(bytes((0, 0)) + dice.randbytes(127) + dice.randbytes(dice.choice((0, 43, 300))))
        assert player.line.ending in {Ending.REFUSED, Ending.BAD_PACKET}
        assert player.session.account is None


async def test_the_newest_login_wins() -> None:
    """And the older one hears why it has to go."""
    desk = Desk()
    first, _ = await in_menu(desk)
    second, _ = await in_menu(desk)
    assert first.line.ending is Ending.REPLACED
    assert first.only(LoginFail).reason == LoginFailReason.ACCOUNT_IN_USE
    assert second.line.ending is None
    assert second.took(LoginFail) == []


async def test_a_login_ends_the_one_who_plays() -> None:
    """Who is at the game's door understands nothing of this one's words."""
    desk = Desk()
    playing = await desk.enter("alric")
    await desk.logged_in("alric")
    assert playing.line.ending is Ending.REPLACED
    assert playing.took(LoginFail) == []


async def test_blocks_are_read_beside_the_event_loop_both_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tick waits for no RSA: what a client sends is deciphered by whoever checks passwords."""
    begun: list[str] = []
    here: list[bool] = []
    reading = rsa.KeyPair.decrypt

    async def offload(services: Observed, call: Callable[[], T]) -> T:
        begun.append("offload")
        here.append(True)
        await trio.lowlevel.checkpoint()
        result = call()
        here.pop()
        return result

    def decrypt(pair: rsa.KeyPair, cipher: bytes) -> bytes:
        assert here, "deciphered by the event loop"
        return reading(pair, cipher)

    monkeypatch.setattr(Observed, "offload", offload)
    monkeypatch.setattr(rsa.KeyPair, "decrypt", decrypt)
    desk = Desk()
    player, _ = await in_menu(desk)
    assert player.session.account is not None
    assert begun == ["offload"]
    newer = await desk.authorised()
    await says_block(newer, bytes(128), bytes(128))
    assert newer.took(LoginFail)
    assert begun == ["offload", "offload"]


async def test_when_too_many_blocks_wait_a_client_is_told_to_come_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def offload(services: Observed, call: Callable[[], T]) -> T:
        await trio.lowlevel.checkpoint()
        raise Denied(Denial.BUSY)

    monkeypatch.setattr(Observed, "offload", offload)
    desk = Desk()
    player = await desk.authorised()
    await says_block(player, block(b"alric", PASSWORD.encode()))
    assert player.only(LoginFail).reason == LoginFailReason.ACCESS_FAILED_TRY_LATER
    assert player.line.ending is Ending.REFUSED


async def test_what_carries_a_password_or_a_key_is_written_nowhere() -> None:
    desk = Desk()
    player, ok = await in_menu(desk)
    shown = [
        RequestAuthLogin(bytes(range(128))),
        RequestServerList(ok.login_key1, ok.login_key2),
        RequestServerLogin(ok.login_key1, ok.login_key2, 1),
    ]
    for message in shown:
        entry = LOGIN.entry(message.opcode)
        assert entry is not None
        for contents in (message, message.encode()):
            assert "not shown" in entry.shown(contents)
    for kind in (Init, LoginOk, PlayOk):
        assert kind.secret
    assert player.session.keys is not None
    for number in attrs.astuple(player.session.keys)[2:]:
        assert str(number) not in repr(player.session.keys)
