"""The login door: Init, who are you, the list of servers, and the keys of the game's door."""

from __future__ import annotations

import random
import struct
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar, cast

import attrs
import pytest
import trio

from protocol.denials import Denial, Denied
from protocol.endings import Ending
from protocol.l2 import rsa
from protocol.l2.bridge.game_side import MOST_PLAYERS
from protocol.l2.codec import L2LoginCodec
from protocol.l2.handlers import login
from protocol.l2.handlers.login import LOGIN, REASONS
from protocol.l2.packets import (
    AuthGameGuard,
    GGAuth,
    Init,
    KeyPacket,
    LoginFail,
    LoginFailReason,
    LoginOk,
    PlayFail,
    PlayOk,
    ProtocolVersion,
    RequestAuthLogin,
    RequestServerList,
    RequestServerLogin,
    ServerList,
)
from protocol.l2.session import GAME_DOOR, LOGIN_DOOR, SessionKeys
from protocol.services import NewCharacter
from protocol.session import Phase
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from tests.kit.desk import PASSWORD, Observed
from tests.kit.l2_desk import Desk

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


def block(name: bytes, password: bytes, at: int = 0x6C) -> bytes:
    """What a client enciphers, with the password at one of the places where clients have it."""
    made = bytearray(128)
    made[0x5E : 0x5E + len(name)] = name
    made[at : at + len(password)] = password
    return bytes(made)


async def says_block(player: Player, *blocks: bytes, tail: bytes = bytes(43)) -> None:
    """RequestAuthLogin with these blocks."""
    ciphers = [rsa.encrypt(player.init.modulus, plain) for plain in blocks]
    await player.says(RequestAuthLogin(ciphers[0], b"".join(ciphers[1:]) + tail))


async def in_menu(desk: Desk, name: str = "alric") -> tuple[Player, LoginOk]:
    """A client that shows the licence."""
    player = await desk.logged_in(name)
    return player, player.only(LoginOk)


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
