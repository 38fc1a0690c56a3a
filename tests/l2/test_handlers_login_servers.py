"""The login door: the list of servers, and the keys of the game's door."""

from __future__ import annotations

import struct
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import attrs
import pytest

from protocol.denials import Denial, Denied
from protocol.endings import Ending
from protocol.l2 import rsa
from protocol.l2.bridge.game_side import MOST_PLAYERS
from protocol.l2.codec import L2LoginCodec
from protocol.l2.handlers import login
from protocol.l2.packets import (
    GGAuth,
    Init,
    KeyPacket,
    LoginFail,
    LoginFailReason,
    LoginOk,
    PlayFail,
    PlayOk,
    ProtocolVersion,
    RequestServerList,
    RequestServerLogin,
    ServerList,
)
from protocol.l2.session import GAME_DOOR, LOGIN_DOOR, SessionKeys
from protocol.services import NewCharacter
from protocol.session import Phase
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from tests.kit.desk import PASSWORD
from tests.kit.l2_desk import Desk
from tests.kit.l2_login import block, in_menu

if TYPE_CHECKING:
    from protocol.l2.packets import LoginMessage

# The servers


async def test_the_list_has_this_server() -> None:
    desk = Desk()
    player, ok = await in_menu(desk)
    await player.says(RequestServerList(ok.login_key1, ok.login_key2))
    servers = player.only(ServerList)
    (entry,) = servers.servers
    assert (entry.server_id, entry.address, entry.port) == (1, b"\x7f\0\0\x01", 7777)
    assert (entry.online, entry.maximum, entry.up, entry.type) == (0, MOST_PLAYERS, 1, 1)
    assert servers.last_server_id == 1
    assert player.session.phase is Phase.MENU


async def test_the_list_tells_how_many_play_now() -> None:
    desk = Desk()
    player, ok = await in_menu(desk)
    for expected in (0, 1, 2):
        await player.says(RequestServerList(ok.login_key1, ok.login_key2))
        assert player.only(ServerList).servers[0].online == expected
        await desk.enter(f"other{'ab'[expected % 2]}")


async def test_a_closed_world_is_down() -> None:
    desk = Desk()
    player, ok = await in_menu(desk)
    desk.app.shut = "the disk is behind"
    await player.says(RequestServerList(ok.login_key1, ok.login_key2))
    assert player.only(ServerList).servers[0].up == 0


async def test_the_list_counts_characters_and_those_that_await_deletion() -> None:
    desk = Desk()
    for name in ("anna", "bert", "cora"):
        mobile = desk.make_character("alric", NewCharacter(name, False, 3, 1104, 1003))
    desk.dooms("alric", mobile.serial, 99.5)
    player, ok = await in_menu(desk)
    await player.says(RequestServerList(ok.login_key1, ok.login_key2))
    (mine,) = player.only(ServerList).characters
    assert (mine.server_id, mine.characters, mine.deletions) == (1, 3, (100,))


async def test_whoever_does_not_repeat_the_keys_is_refused() -> None:
    desk = Desk()
    for wrong in ((1, 0), (0, 1), (0x80000000, 0), (1, 1)):
        for asks_for_list in (True, False):
            player, ok = await in_menu(desk)
            keys = ok.login_key1 ^ wrong[0], ok.login_key2 ^ wrong[1]
            await player.says(RequestServerList(*keys) if asks_for_list else RequestServerLogin(*keys, 1))
            assert player.only(LoginFail).reason == LoginFailReason.ACCESS_FAILED
            assert player.line.ending is Ending.REFUSED
            assert player.took(PlayOk) == []
    assert desk.on_the_way == 0


async def test_a_list_that_cannot_be_made_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk()
    player, ok = await in_menu(desk)

    async def unavailable(account: object, *, doomed: bool = False) -> None:
        raise Denied(Denial.UNAVAILABLE)

    monkeypatch.setattr(desk.app.characters, "all", unavailable)
    await player.says(RequestServerList(ok.login_key1, ok.login_key2))
    assert player.only(LoginFail).reason == LoginFailReason.MAINTENANCE


# The way to the game's door


async def test_whoever_chooses_the_server_gets_its_keys() -> None:
    desk = Desk()
    player, ok = await in_menu(desk)
    await player.says(RequestServerLogin(ok.login_key1, ok.login_key2, 1))
    play = player.only(PlayOk)
    keys = player.session.keys
    assert keys == SessionKeys(play.play_key1, play.play_key2, ok.login_key1, ok.login_key2)
    assert desk.on_the_way == 1
    assert player.session.hang_up_means is Ending.RELAYED
    assert player.line.ending is None


async def test_the_four_numbers_are_different_for_everybody() -> None:
    desk = Desk()
    keys = [(await desk.sent_on(f"person{number}"))[1] for number in range(50)]
    assert len({number for one in keys for number in attrs.astuple(one)}) == 200
    for numbers in zip(*map(attrs.astuple, keys), strict=True):
        assert min(numbers) < 0x80000000 <= max(numbers) <= 0xFFFFFFFF


async def test_whoever_asks_again_and_again_has_one_key() -> None:
    desk = Desk()
    player, ok = await in_menu(desk)
    for _ in range(20):
        await player.says(RequestServerLogin(ok.login_key1, ok.login_key2, 1))
    plays = player.took(PlayOk)
    assert len(plays) == 20
    assert desk.on_the_way == 1
    assert all(before.play_key1 != after.play_key1 for before, after in pairwise(plays))


@pytest.mark.parametrize("server", [0, 2, 255])
async def test_there_is_no_other_server(server: int) -> None:
    desk = Desk()
    player, ok = await in_menu(desk)
    await player.says(RequestServerLogin(ok.login_key1, ok.login_key2, server))
    assert player.only(PlayFail).reason == LoginFailReason.ACCESS_FAILED
    assert (player.line.ending, desk.on_the_way) == (Ending.REFUSED, 0)


async def test_nobody_goes_to_a_closed_world() -> None:
    desk = Desk()
    player, ok = await in_menu(desk)
    desk.app.shut = "the server is shutting down"
    await player.says(RequestServerLogin(ok.login_key1, ok.login_key2, 1))
    assert player.only(PlayFail).reason == LoginFailReason.MAINTENANCE
    assert (player.line.detail, desk.on_the_way) == ("the server is shutting down", 0)


# At the game's door


async def test_the_keys_open_the_games_door_once() -> None:
    desk = Desk()
    left, keys = await desk.sent_on("alric")
    arrived = desk.connect(GAME_DOOR).session
    account = await login.redeem(arrived, "ALRIC", keys)
    assert account.name == "alric"
    assert left.line.ending is Ending.RELAYED
    with pytest.raises(Denied):
        await login.redeem(arrived, "alric", keys)


async def test_the_keys_outlive_the_login_connection() -> None:
    """Clients hang up before they go on."""
    desk = Desk()
    left, keys = await desk.sent_on("alric")
    left.hang_up()
    assert left.session.id not in desk.sessions
    assert (await login.redeem(desk.connect(GAME_DOOR).session, "alric", keys)).name == "alric"


@pytest.mark.parametrize("field", ["play1", "play2", "login1", "login2"])
async def test_each_of_the_four_numbers_counts(field: str) -> None:
    desk = Desk()
    _, keys = await desk.sent_on("alric")
    arrived = desk.connect(GAME_DOOR).session
    for bit in (0, 15, 31):
        wrong = attrs.evolve(keys, **{field: getattr(keys, field) ^ 1 << bit})
        with pytest.raises(Denied):
            await login.redeem(arrived, "alric", wrong)
    await login.redeem(arrived, "alric", keys)


async def test_the_play_keys_are_not_taken_the_wrong_way_round() -> None:
    desk = Desk()
    _, keys = await desk.sent_on("alric")
    swapped = attrs.evolve(keys, play1=keys.play2, play2=keys.play1)
    with pytest.raises(Denied):
        await login.redeem(desk.connect(GAME_DOOR).session, "alric", swapped)


async def test_the_keys_are_for_one_account() -> None:
    desk = Desk()
    _, keys = await desk.sent_on("alric")
    await desk.sent_on("berta")
    with pytest.raises(Denied):
        await login.redeem(desk.connect(GAME_DOOR).session, "berta", keys)


async def test_signed_and_unsigned_numbers_are_the_same_keys() -> None:
    desk = Desk()
    for number in range(8):
        _, keys = await desk.sent_on(f"person{number}")
        signed = SessionKeys(*(key - (key >> 31 << 32) for key in attrs.astuple(keys)))
        await login.redeem(desk.connect(GAME_DOOR).session, f"person{number}", signed)


@pytest.mark.parametrize(("seconds", "good"), [(59.5, True), (60.5, False)])
async def test_the_keys_are_good_for_a_minute(seconds: float, good: bool) -> None:
    desk = Desk()
    _, keys = await desk.sent_on("alric")
    desk.now += seconds
    session = desk.connect(GAME_DOOR).session
    if good:
        await login.redeem(session, "alric", keys)
    else:
        with pytest.raises(Denied):
            await login.redeem(session, "alric", keys)


async def test_a_new_login_makes_the_keys_of_an_earlier_one_worthless() -> None:
    desk = Desk()
    _, before = await desk.sent_on("alric")
    _, after = await desk.sent_on("alric")
    session = desk.connect(GAME_DOOR).session
    with pytest.raises(Denied):
        await login.redeem(session, "alric", before)
    await login.redeem(session, "alric", after)


async def test_the_games_door_says_which_of_the_servers_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk()
    monkeypatch.setattr(desk.game_side, "server_id", 7)
    player = desk.connect(GAME_DOOR)
    await player.says(ProtocolVersion(746))
    assert player.only(KeyPacket).server_id == 7


# Without a licence


async def test_without_a_licence_the_list_comes_at_once() -> None:
    desk = Desk(show_licence=False)
    player = await desk.logged_in("alric")
    assert player.kinds() == ["Init", "GGAuth", "ServerList"]
    assert player.session.phase is Phase.MENU


async def test_without_a_licence_the_login_pair_proves_nothing() -> None:
    desk = Desk(show_licence=False)
    player = await desk.logged_in("alric")
    await player.says(RequestServerList(1, 2), RequestServerLogin(3, 4, 1))
    assert len(player.took(ServerList)) == 2
    play = player.only(PlayOk)
    session = desk.connect(GAME_DOOR).session
    with pytest.raises(Denied):
        await login.redeem(session, "alric", SessionKeys(play.play_key1, play.play_key2 ^ 1, 0, 0))
    keys = SessionKeys(play.play_key1, play.play_key2, 5, 6)
    assert (await login.redeem(session, "alric", keys)).name == "alric"


async def test_a_listener_shows_the_licence_if_it_does_not_say() -> None:
    desk = Desk()
    del desk.settings["show_licence"]
    player = await desk.logged_in("alric")
    assert len(player.took(LoginOk)) == 1
    assert player.session.door == LOGIN_DOOR


# On the wire


@pytest.mark.parametrize("original", [True, False])
async def test_a_login_has_the_sizes_seen_on_the_wire(original: bool) -> None:
    """In the frames of a public client, with the checksum in either place. The lengths are those of a public
    server, but for that of the list, which says more here."""
    desk = Desk()
    desk.account("alric")
    player = await desk.greeted()
    server = L2LoginCodec(CodecArgs(Role.SERVER, lambda size: player.init.key[-size:]))
    client = L2LoginCodec(CodecArgs(Role.CLIENT, desk.dice.randbytes), original=original)
    received: list[int] = []

    def hear() -> list[bytes]:
        """What the server has queued, at the client."""
        for message in player.got:
            server.send(Body(cast("LoginMessage", message).encode()))
        player.got.clear()
        for frame in server.outgoing(0):
            received.append(len(frame))
            client.receive(frame, 0)
        return list(iter(client.next_frame, None))

    async def say(frame: bytes) -> bytes:
        """The answer to a frame."""
        client.send(Body(frame))
        (wire,) = client.outgoing(0)
        server.receive(wire, 0)
        while (arrived := server.next_frame()) is not None:
            await player.sends(arrived)
        (answer,) = hear()
        return answer

    (greeting,) = hear()
    init = Init.decode(greeting)
    assert client.session_key == init.key == player.at_login.codec.session_key
    number = init.session_id.to_bytes(4, "little")
    guard = b"".join(value.to_bytes(4, "little") for value in (0x123, 0x4567, 0x89AB, 0xCDEF))
    answer = await say(b"\x07" + number + guard + bytes(19))
    assert GGAuth.decode(answer).response == init.session_id
    cipher = rsa.encrypt(init.modulus, block(b"Alric", PASSWORD.encode()))
    ok = LoginOk.decode(await say(b"\0" + cipher + number + guard + bytes(27)))
    pair = struct.pack("<II", ok.login_key1, ok.login_key2)
    listed = await say(b"\x05" + pair + b"\x04" + bytes(22))
    assert listed[:3] == b"\x04\x01\x01"
    (entry,) = ServerList.decode(listed).servers
    assert (entry.address, entry.port) == (b"\x7f\0\0\x01", 7777)
    play = PlayOk.decode(await say(b"\x02" + pair + b"\x01" + bytes(22)))
    assert received == [186, 34, 58, 42, 18]
    keys = SessionKeys(play.play_key1, play.play_key2, ok.login_key1, ok.login_key2)
    await login.redeem(desk.connect(GAME_DOOR).session, "Alric", keys)
