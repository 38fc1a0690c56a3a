"""The two ends of the bridge, without I/O: how many characters an account has on each server."""

from __future__ import annotations

import pytest

from protocol.endings import WireError
from protocol.l2.bridge import GamePeer, LoginServer
from protocol.l2.bridge.login_server import LONGEST_ACCOUNT
from protocol.l2.bridge.packets import (
    AccountName,
    AuthRequest,
    PlayerInGame,
    ReplyCharacters,
    RequestCharacters,
    ServerStatus,
    Status,
    proof_of,
)
from tests.kit.l2_bridge_pair import SECRETS, Pair


@pytest.fixture
def login_server() -> LoginServer:
    return LoginServer(SECRETS)


# How many characters


def test_all_servers_are_asked_for_characters(login_server: LoginServer) -> None:
    one, two = Pair(login_server).connect(1), Pair(login_server).connect(2)
    done: list[str] = []
    question = login_server.ask("alric", lambda: done.append("done"))
    one.carry()
    two.carry()
    assert list(one.game_server.questions) == ["alric"]
    one.game_server.reply("alric", 3, [1_700_000_000.25])
    one.carry()
    assert done == []
    two.game_server.reply("alric", 0, [])
    two.carry()
    assert done == ["done"]
    assert question.answers == {1: (3, (1_700_000_000.25,)), 2: (0, ())}


def test_a_server_that_goes_is_not_waited_for(login_server: LoginServer) -> None:
    one, two = Pair(login_server).connect(1), Pair(login_server).connect(2)
    done: list[str] = []
    question = login_server.ask("alric", lambda: done.append("done"))
    one.carry()
    two.carry()
    one.game_server.reply("alric", 1, [])
    one.carry()
    two.vanish()
    assert (done, question.answers) == (["done"], {1: (1, ())})


def test_without_servers_there_is_nothing_to_wait_for(login_server: LoginServer) -> None:
    done: list[str] = []
    assert login_server.ask("alric", lambda: done.append("done")).answers == {}
    assert done == ["done"]


def test_a_server_that_does_not_know_the_question_is_waited_for_once(login_server: LoginServer) -> None:
    """As older L2J servers are: its players do not wait seconds for every list. What it does say counts."""
    one = Pair(login_server).connect(1)
    done: list[int] = []
    question = login_server.ask("alric", lambda: done.append(1))
    one.down.clear()
    login_server.forget(question, late=True)
    assert done == []
    login_server.ask("alric", lambda: done.append(2))
    assert done == [2]
    assert one.down.popleft() == RequestCharacters("alric")
    login_server.received(one.peer, ReplyCharacters("alric", 2), 0.0)
    asked = login_server.ask("alric", lambda: done.append(3))
    assert done == [2]
    login_server.received(one.peer, ReplyCharacters("alric", 2), 0.0)
    assert done == [2, 3]
    assert asked.answers == {1: (2, ())}


@pytest.mark.parametrize(
    ("secret", "proof"),
    [
        ("hexid:-5fa3c0de", "a05c3f22"),
        ("hexid:5fa3c0de", "5fa3c0de"),
        ("hexid:80", "0080"),
        ("hexid:-80", "80"),
        ("hexid:-1", "ff"),
        ("a secret", b"a secret".hex()),
    ],
)
def test_a_secret_may_be_the_number_of_an_l2j_server(secret: str, proof: str) -> None:
    """Bytes as Java's `new BigInteger(text, 16).toByteArray()` gives them."""
    assert proof_of(secret).hex() == proof
    login_server = LoginServer({1: secret})
    peer = GamePeer("192.0.2.7", lambda _: None)
    login_server.received(peer, AuthRequest(1, 1, 0, 7777, 100, bytes.fromhex(proof)), 0.0)
    assert list(login_server.servers) == [1]


def test_what_an_l2j_server_says_of_itself(login_server: LoginServer) -> None:
    """It has a number of its own for the age, and promises to say nothing again."""
    one = Pair(login_server).connect(1)
    server = login_server.servers[1]
    assert server.speaks_again == 10
    login_server.received(
        one.peer, ServerStatus((Status(3, 1), Status(2, 1), Status(1, 0), Status(5, 15))), 0.0
    )
    assert (server.age_limit, server.brackets, server.speaks_again) == (15, 1, 0)


def test_a_name_that_no_account_can_have_is_none(login_server: LoginServer) -> None:
    """What is kept of a game server's players is bounded in names and in letters."""
    one = Pair(login_server).connect()
    login_server.received(one.peer, PlayerInGame((AccountName("a" * LONGEST_ACCOUNT),)), 0.0)
    with pytest.raises(WireError, match="33 letters"):
        login_server.received(one.peer, PlayerInGame((AccountName("a" * (LONGEST_ACCOUNT + 1)),)), 0.0)


def test_what_nobody_waits_for_is_forgotten(login_server: LoginServer) -> None:
    one = Pair(login_server).connect()
    done: list[str] = []
    question = login_server.ask("alric", lambda: done.append("done"))
    login_server.forget(question, late=False)
    login_server.forget(question, late=False)
    one.carry()
    one.game_server.reply("alric", 1, [])
    one.carry()
    assert done == []
    login_server.received(one.peer, ReplyCharacters("nobody", 3), 0.0)


def test_a_server_that_had_no_time_to_answer_is_waited_for_the_next_time(login_server: LoginServer) -> None:
    """The client hung up, which is no word about the server."""
    Pair(login_server).connect()
    login_server.forget(login_server.ask("alric", lambda: None), late=False)
    done: list[str] = []
    login_server.ask("berta", lambda: done.append("done"))
    assert done == []
