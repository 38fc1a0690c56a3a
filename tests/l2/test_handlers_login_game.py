"""The game's door up to the menu: version, key, and the numbers of the login door."""

from __future__ import annotations

import attrs
import pytest

from protocol.endings import Ending
from protocol.l2.handlers.login import NO_KEY
from protocol.l2.packets import (
    PING_VERSION,
    AuthLogin,
    AuthLoginFail,
    AuthLoginFailReason,
    CharacterSelect,
    CharSelectInfo,
    EnterWorld,
    KeyPacket,
    Message,
    ProtocolVersion,
)
from protocol.l2.session import GAME_DOOR, SessionKeys
from protocol.session import Phase
from tests.kit.l2_desk import Desk


def auth(name: str, keys: SessionKeys) -> AuthLogin:
    """What a client shows at the game's door, in the order of its packet."""
    return AuthLogin(name, keys.play2, keys.play1, keys.login1, keys.login2, 1)


# Version and key


@pytest.mark.parametrize("version", [740, 746])
async def test_a_version_that_is_let_in_gets_a_key(version: int) -> None:
    player = Desk().connect(GAME_DOOR)
    await player.says(ProtocolVersion(version))
    answer = player.only(KeyPacket)
    assert (answer.result, answer.cipher, answer.server_id) == (1, 1, 1)
    assert answer.key == player.wire.key
    assert player.wire.plain_until == 1, "the key itself has to leave in plain"
    assert player.session.phase is Phase.LOGIN


async def test_the_key_packet_is_23_bytes_long_and_no_key_comes_twice() -> None:
    desk = Desk()
    keys = set()
    for _ in range(20):
        player = desk.connect(GAME_DOOR)
        await player.says(ProtocolVersion(746))
        answer = player.only(KeyPacket)
        assert len(player.session.dialect.encode(answer)) == 23
        keys.add(answer.key)
    assert len(keys) == 20


async def test_without_encryption_the_client_is_told_so() -> None:
    player = Desk(packet_encryption=False).connect(GAME_DOOR)
    await player.says(ProtocolVersion(746))
    assert player.only(KeyPacket).cipher == 0
    assert player.wire.key == b""


@pytest.mark.parametrize(
    ("version", "detail"),
    [
        (739, "protocol 739"),
        (747, "protocol 747"),
        (273, "protocol 273 (High Five)"),
        (0, "protocol 0"),
        (-1, "protocol -1"),
    ],
)
async def test_another_version_is_refused(version: int, detail: str) -> None:
    player = Desk().connect(GAME_DOOR)
    await player.says(ProtocolVersion(version))
    answer = player.only(KeyPacket)
    assert (answer.result, answer.key) == (0, NO_KEY)
    assert (player.line.ending, player.line.detail) == (Ending.REFUSED, detail)
    assert player.session.phase is Phase.GREETING


async def test_only_configured_versions_are_let_in() -> None:
    desk = Desk(protocols=[660])
    for version, result in ((746, 0), (660, 1)):
        player = desk.connect(GAME_DOOR)
        await player.says(ProtocolVersion(version))
        assert player.only(KeyPacket).result == result


async def test_who_only_asks_whether_anybody_is_there_is_let_go() -> None:
    player = Desk().connect(GAME_DOOR)
    await player.says(ProtocolVersion(PING_VERSION))
    assert player.got == []
    assert player.line.ending is Ending.CLIENT_LEFT


async def test_a_short_version_packet_is_enough() -> None:
    player = Desk().connect(GAME_DOOR)
    await player.sends(bytes.fromhex("00ea020000"))
    assert player.only(KeyPacket).result == 1


# The four numbers


async def test_the_numbers_of_the_login_door_open_this_one_once() -> None:
    desk = Desk()
    before, keys = await desk.sent_on("alric")
    player = await desk.greeted_game()
    await player.says(auth("alric", keys))
    assert player.took(CharSelectInfo)
    assert player.session.phase is Phase.MENU
    assert player.session.account is not None
    assert player.session.account.name == "alric"
    assert desk.claimed[-1] == player.session.id
    assert before.line.ending is Ending.RELAYED
    again = await desk.greeted_game()
    await again.says(auth("alric", keys))
    assert again.only(AuthLoginFail).reason == AuthLoginFailReason.ACCESS_FAILED_TRY_LATER
    assert again.line.ending is Ending.REFUSED


async def test_the_account_counts_without_regard_to_case() -> None:
    desk = Desk()
    _, keys = await desk.sent_on("alric")
    player = await desk.greeted_game()
    await player.says(auth("ALRIC", keys))
    assert player.session.phase is Phase.MENU
    assert player.session.account_name == "alric"


@pytest.mark.parametrize("wrong", ["play1", "play2", "login1", "login2", "name", "late", "swapped"])
async def test_numbers_that_do_not_fit_open_nothing(wrong: str) -> None:
    desk = Desk()
    _, keys = await desk.sent_on("alric")
    name = "alric"
    match wrong:
        case "name":
            name = "betty"
        case "late":
            desk.now += 61
        case "swapped":
            keys = attrs.evolve(keys, play1=keys.play2, play2=keys.play1)
        case _:
            keys = attrs.evolve(keys, **{wrong: getattr(keys, wrong) ^ 1})
    player = await desk.greeted_game()
    await player.says(auth(name, keys))
    assert player.took(AuthLoginFail)
    assert player.line.ending is Ending.REFUSED
    assert player.session.account is None
    assert player.session.phase is Phase.LOGIN


async def test_the_numbers_live_for_a_minute() -> None:
    desk = Desk()
    _, keys = await desk.sent_on("alric")
    desk.now += 59
    player = await desk.greeted_game()
    await player.says(auth("alric", keys))
    assert player.session.phase is Phase.MENU


async def test_without_a_licence_the_login_pair_proves_nothing() -> None:
    desk = Desk(show_licence=False)
    _, keys = await desk.sent_on("alric")
    player = await desk.greeted_game()
    await player.says(auth("alric", attrs.evolve(keys, login1=0, login2=0)))
    assert player.session.phase is Phase.MENU


async def test_nobody_gets_in_while_the_server_is_closed() -> None:
    desk = Desk()
    _, keys = await desk.sent_on("alric")
    desk.app.shut = "going down"
    player = await desk.greeted_game()
    await player.says(auth("alric", keys))
    assert player.took(AuthLoginFail)
    assert player.line.ending is Ending.REFUSED


async def test_the_newest_login_counts() -> None:
    desk = Desk()
    first = await desk.enter("alric")
    second = await desk.enter("alric")
    assert first.line.ending is Ending.REPLACED
    assert second.mobile.name == "Alric"


async def test_the_numbers_are_written_nowhere() -> None:
    desk = Desk()
    player = await desk.greeted_game()
    message = AuthLogin("alric", 0x12345678, 2, 3, 4)
    entry = player.table.entry(AuthLogin.role)
    assert entry is not None
    for shown in (entry.shown(message), entry.shown(player.session.dialect.encode(message))):
        assert "305419896" not in shown
        assert "78563412" not in shown


@pytest.mark.parametrize("message", [CharacterSelect(0), EnterWorld()])
async def test_nothing_else_is_heard_before_the_numbers(message: Message) -> None:
    player = await Desk().greeted_game()
    await player.says(message)
    assert player.line.ending is Ending.WRONG_PHASE
