"""The two ends of the bridge, without I/O: game servers that come, go and err."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.endings import WireError
from protocol.l2.bridge import (
    BridgeRefused,
    FailReason,
    GamePeer,
    GameServer,
    Identity,
    LoginServer,
    ServerState,
)
from protocol.l2.bridge.packets import (
    AccountName,
    AuthRequest,
    AuthResponse,
    HostEntry,
    KickPlayer,
    LoginServerFail,
    PlayerAuthRequest,
    PlayerAuthResponse,
    PlayerInGame,
    PlayerLogout,
    ReplyCharacters,
    RequestCharacters,
    ServerStatus,
    Status,
)
from tests.kit.l2_bridge_pair import SECRETS, Pair, expect

if TYPE_CHECKING:
    from protocol.l2.bridge import BridgeMessage


@pytest.fixture
def login_server() -> LoginServer:
    return LoginServer(SECRETS)


# Game servers


def test_a_game_server_proves_itself(login_server: LoginServer) -> None:
    one = Pair(login_server).connect()
    assert one.game_server.connected
    server = login_server.servers[1]
    assert (server.host, server.port, server.most_players, server.up) == ("192.0.2.7", 7777, 100, True)
    assert [type(message) for message in one.said] == [AuthRequest, ServerStatus]
    assert [type(message) for message in one.heard] == [AuthResponse]


def test_without_a_host_it_is_found_where_it_came_from(login_server: LoginServer) -> None:
    Pair(login_server).connect(host="")
    assert login_server.servers[1].host == "198.51.100.3"


@pytest.mark.parametrize("host", ["play.example.org", "::1", "1.2.3", "300.1.1.1"])
def test_a_host_that_clients_cannot_be_told_ends_it(login_server: LoginServer, host: str) -> None:
    with pytest.raises(WireError, match="IPv4"):
        Pair(login_server).connect(host=host)
    assert login_server.servers == {}


@pytest.mark.parametrize(
    ("number", "secret"),
    [(1, "the wrong secret"), (1, SECRETS[2]), (1, ""), (1, SECRETS[1] + "x"), (3, SECRETS[1]), (0, "")],
)
def test_a_wrong_id_or_secret_is_sent_away(login_server: LoginServer, number: int, secret: str) -> None:
    with pytest.raises(BridgeRefused) as caught:
        Pair(login_server).connect(number, secret)
    assert caught.value.reason == FailReason.WRONG_SECRET
    assert login_server.servers == {}


def test_an_id_in_use_is_sent_away_and_its_owner_stays(login_server: LoginServer) -> None:
    first, second = Pair(login_server).connect(), Pair(login_server)
    with pytest.raises(BridgeRefused) as caught:
        second.connect()
    assert caught.value.reason == FailReason.ALREADY_LOGGED_IN
    login_server.gone(second.peer)
    assert login_server.servers[1].peer is first.peer
    first.vanish()
    assert second.connect().game_server.connected


def test_only_who_knows_the_secret_hears_that_an_id_is_in_use(login_server: LoginServer) -> None:
    Pair(login_server).connect()
    with pytest.raises(BridgeRefused) as caught:
        Pair(login_server).connect(1, "the wrong secret")
    assert caught.value.reason == FailReason.WRONG_SECRET


@pytest.mark.parametrize(
    "message",
    [
        PlayerInGame((AccountName("alric"),)),
        PlayerLogout("alric"),
        PlayerAuthRequest("alric", 1, 2, 3, 4),
        ServerStatus((Status(1, 0),)),
        ReplyCharacters("alric", 1),
    ],
    ids=lambda message: type(message).__name__,
)
def test_nothing_is_heard_before_the_proof(login_server: LoginServer, message: BridgeMessage) -> None:
    arrived = expect(login_server)
    with pytest.raises(BridgeRefused) as caught:
        login_server.received(GamePeer("198.51.100.3", lambda _: None), message, 0.0)
    assert caught.value.reason == FailReason.NOT_AUTHENTICATED
    assert login_server.servers == {}
    assert arrived == []


def test_it_proves_itself_once(login_server: LoginServer) -> None:
    one = Pair(login_server).connect()
    with pytest.raises(WireError, match="second time"):
        login_server.received(one.peer, AuthRequest(2, 0, 0, 1, 1, SECRETS[2].encode()), 0.0)


def test_secrets_are_not_in_what_is_printed(login_server: LoginServer) -> None:
    assert "secret" not in repr(Identity(1, SECRETS[1], 7777))
    assert "the first" not in repr(vars(login_server))


# How a server is


def test_a_closed_server_says_so_and_opens_again(login_server: LoginServer) -> None:
    one = Pair(login_server).connect()
    for up in (False, False, True):
        one.game_server.open(up)
        one.carry()
        assert login_server.servers[1].up is up
    assert len([message for message in one.said if isinstance(message, ServerStatus)]) == 3


@pytest.mark.parametrize("state", ServerState)
def test_only_one_state_is_closed(login_server: LoginServer, state: ServerState) -> None:
    one = Pair(login_server).connect()
    login_server.received(one.peer, ServerStatus((Status(1, state),)), 0.0)
    assert login_server.servers[1].up is (state is not ServerState.DOWN)


def test_numbers_about_a_server(login_server: LoginServer) -> None:
    one = Pair(login_server).connect()
    numbers = {2: 4, 3: 1, 4: 50, 6: 18, 99: 1}
    login_server.received(one.peer, ServerStatus(tuple(Status(*pair) for pair in numbers.items())), 0.0)
    server = login_server.servers[1]
    assert (server.type_bits, server.brackets, server.most_players, server.age_limit) == (4, 1, 50, 18)


# A login server that errs


@pytest.mark.parametrize(
    "message",
    [
        PlayerAuthResponse("alric", 1),
        KickPlayer("alric"),
        RequestCharacters("alric"),
        AuthResponse(2, "another"),
        PlayerLogout("alric"),
    ],
    ids=lambda message: type(message).__name__,
)
def test_a_post_hears_nothing_before_it_is_known(message: BridgeMessage) -> None:
    kicked: list[str] = []
    game_server = GameServer(kick=kicked.append, asked=lambda: None)
    game_server.connect(Identity(1, "the first secret", 7777), lambda _: None)
    with pytest.raises(WireError):
        game_server.received(message)
    assert not game_server.connected
    assert kicked == []


@pytest.mark.parametrize("message", [AuthResponse(1, "again"), PlayerLogout("alric")])
def test_a_login_server_that_talks_nonsense_ends_it(
    login_server: LoginServer, message: BridgeMessage
) -> None:
    one = Pair(login_server).connect()
    with pytest.raises(WireError):
        one.game_server.received(message)


def test_a_post_that_is_sent_away_knows_why() -> None:
    game_server = GameServer(kick=lambda _: None, asked=lambda: None)
    game_server.connect(Identity(1, "the first secret", 7777), lambda _: None)
    with pytest.raises(BridgeRefused) as caught:
        game_server.received(LoginServerFail(FailReason.ALREADY_LOGGED_IN))
    assert caught.value.reason == FailReason.ALREADY_LOGGED_IN


def test_questions_do_not_pile_up(login_server: LoginServer) -> None:
    one = Pair(login_server).connect()
    for number in range(3000):
        one.game_server.received(RequestCharacters(f"person{number}"))
    assert len(one.game_server.questions) == 1024


def test_hosts_that_stand_for_any_are_passed_over(login_server: LoginServer) -> None:
    hosts = (HostEntry("0.0.0.0/0", "*"), HostEntry("10.0.0.0/8", "10.0.0.9"))
    peer = GamePeer("198.51.100.3", lambda _: None)
    login_server.received(peer, AuthRequest(2, 1, 1, 7777, -5, SECRETS[2].encode(), hosts), 0.0)
    assert (login_server.servers[2].host, login_server.servers[2].most_players) == ("10.0.0.9", 0)
