"""The two ends of the bridge, without I/O: logins on their way to a game server, and who is where."""

from __future__ import annotations

import attrs
import pytest

from protocol.endings import WireError
from protocol.l2.bridge import LoginServer
from protocol.l2.bridge.packets import MOST_NAMES, AccountName, PlayerAuthResponse, PlayerInGame, PlayerLogout
from protocol.l2.session import SessionKeys
from tests.kit.l2_bridge_pair import KEYS, SECRETS, Pair, expect


@pytest.fixture
def login_server() -> LoginServer:
    return LoginServer(SECRETS)


# Logins on their way


def test_a_login_works_once(login_server: LoginServer) -> None:
    one = Pair(login_server).connect()
    arrived = expect(login_server)
    assert one.asks("alric", KEYS) is True
    assert arrived == ["alric"]
    assert one.asks("alric", KEYS) is False
    assert login_server.waiting(0.0) == 0


@pytest.mark.parametrize("field", ["play1", "play2", "login1", "login2"])
def test_each_number_counts_and_a_wrong_one_uses_nothing_up(login_server: LoginServer, field: str) -> None:
    one = Pair(login_server).connect()
    arrived = expect(login_server)
    for bit in (0, 17, 31):
        assert one.asks("alric", attrs.evolve(KEYS, **{field: getattr(KEYS, field) ^ 1 << bit})) is False
    assert arrived == []
    assert one.asks("alric", KEYS) is True


def test_without_a_licence_only_the_play_pair_counts(login_server: LoginServer) -> None:
    one = Pair(login_server).connect()
    expect(login_server, licence=False)
    assert one.asks("alric", attrs.evolve(KEYS, play2=1)) is False
    assert one.asks("alric", attrs.evolve(KEYS, login1=0, login2=5)) is True


def test_signed_numbers_are_the_same(login_server: LoginServer) -> None:
    one = Pair(login_server).connect()
    expect(login_server)
    assert one.asks("alric", SessionKeys(*(n - (n >> 31 << 32) for n in attrs.astuple(KEYS)))) is True


def test_a_login_is_for_one_account_and_one_server(login_server: LoginServer) -> None:
    one, two = Pair(login_server).connect(1), Pair(login_server).connect(2)
    expect(login_server)
    assert one.asks("berta", KEYS) is False
    assert two.asks("alric", KEYS) is False
    assert one.asks("alric", KEYS) is True


@pytest.mark.parametrize(("seconds", "good"), [(59.9, True), (60.0, False), (1000.0, False)])
def test_a_login_is_good_for_a_minute(login_server: LoginServer, seconds: float, good: bool) -> None:
    one = Pair(login_server).connect()
    expect(login_server)
    one.now = seconds
    assert one.asks("alric", KEYS) is good


def test_where_it_came_from_counts_if_that_is_asked(login_server: LoginServer) -> None:
    one = Pair(login_server).connect()
    expect(login_server)
    assert one.asks("alric", KEYS, "203.0.113.6") is False
    assert one.asks("alric", KEYS, "203.0.113.5") is True


def test_whatever_changes_about_an_account_ends_its_way(login_server: LoginServer) -> None:
    one = Pair(login_server).connect()
    for end in (lambda: login_server.revoke(7), lambda: login_server.claim("alric")):
        expect(login_server)
        expect(login_server, "berta", number=8)
        end()
        assert one.asks("alric", KEYS) is False
        assert one.asks("berta", KEYS) is True


def test_the_number_of_those_on_the_way_is_bounded(login_server: LoginServer) -> None:
    one = Pair(login_server).connect()
    for number in range(5000):
        expect(login_server, f"person{number}", number=number)
    assert login_server.waiting(0.0) == 4096
    assert one.asks("person0", KEYS) is False
    assert one.asks("person4999", KEYS) is True
    assert login_server.waiting(61.0) == 0


def test_answers_about_one_account_come_to_those_who_asked_in_their_order(login_server: LoginServer) -> None:
    one = Pair(login_server).connect()
    expect(login_server)
    answers: list[tuple[str, bool | None]] = []
    one.game_server.ask("alric", attrs.evolve(KEYS, play1=1), "", lambda ok: answers.append(("thief", ok)))
    one.game_server.ask("alric", KEYS, "", lambda ok: answers.append(("alric", ok)))
    one.carry()
    assert answers == [("thief", False), ("alric", True)]


def test_who_waits_for_an_answer_that_does_not_come_is_told_so(login_server: LoginServer) -> None:
    one = Pair(login_server).connect()
    answers: list[bool | None] = []
    one.game_server.ask("alric", KEYS, "", answers.append)
    one.vanish()
    assert answers == [None]
    one.game_server.ask("alric", KEYS, "", answers.append)
    assert answers == [None, None]


def test_an_answer_that_nobody_asked_for_ends_it(login_server: LoginServer) -> None:
    one = Pair(login_server).connect()
    with pytest.raises(WireError, match="nobody asked"):
        one.game_server.received(PlayerAuthResponse("alric", 1))


# Who is where


def test_the_hall_knows_who_is_where(login_server: LoginServer) -> None:
    one, two = Pair(login_server).connect(1), Pair(login_server).connect(2)
    one.game_server.online(["alric", "berta"])
    two.game_server.online(["cora"])
    one.carry()
    two.carry()
    assert [list(login_server.servers[number].online) for number in (1, 2)] == [["alric", "berta"], ["cora"]]
    one.game_server.online(["berta", "dora"])
    one.carry()
    assert list(login_server.servers[1].online) == ["berta", "dora"]
    assert one.said[-2:] == [PlayerInGame((AccountName("dora"),)), PlayerLogout("alric")]


def test_what_is_told_again_is_only_what_changed(login_server: LoginServer) -> None:
    one = Pair(login_server).connect()
    one.game_server.online(["alric"])
    one.game_server.online(["alric"])
    one.carry()
    assert len([message for message in one.said if isinstance(message, PlayerInGame)]) == 1


def test_whoever_was_let_in_is_known_at_once_and_forgotten_if_it_gives_up(login_server: LoginServer) -> None:
    one = Pair(login_server).connect()
    expect(login_server)
    assert one.asks("alric", KEYS)
    assert "alric" in login_server.servers[1].online
    one.game_server.online([])
    one.carry()
    assert "alric" not in login_server.servers[1].online


def test_a_server_that_vanishes_takes_its_marks_along(login_server: LoginServer) -> None:
    one, two = Pair(login_server).connect(1), Pair(login_server).connect(2)
    one.game_server.online(["alric"])
    two.game_server.online(["cora"])
    one.carry()
    two.carry()
    one.vanish()
    assert list(login_server.servers) == [2]
    assert not login_server.claim("alric")
    assert login_server.claim("cora")
    login_server.gone(one.peer)
    assert list(login_server.servers) == [2]


def test_it_tells_everybody_again_when_it_is_back(login_server: LoginServer) -> None:
    one = Pair(login_server).connect()
    names = [f"person{number}" for number in range(2 * MOST_NAMES + 1)]
    one.game_server.online(names)
    one.carry()
    one.vanish()
    one.game_server.online(names[1:])
    one.said.clear()
    one.connect()
    assert list(login_server.servers[1].online) == names[1:]
    told = [message for message in one.said if isinstance(message, PlayerInGame)]
    assert [len(message.accounts) for message in told] == [MOST_NAMES, MOST_NAMES]


def test_a_login_kicks_wherever_the_account_is_played(login_server: LoginServer) -> None:
    one, two = Pair(login_server).connect(1), Pair(login_server).connect(2)
    two.game_server.online(["alric"])
    two.carry()
    assert login_server.claim("alric")
    one.carry()
    two.carry()
    assert (one.kicked, two.kicked) == ([], ["alric"])
    login_server.kick("alric", but=two.peer)
    two.carry()
    assert two.kicked == ["alric"]


def test_nobody_marks_without_end(login_server: LoginServer) -> None:
    one = Pair(login_server).connect()
    for start in range(0, 66_000, MOST_NAMES):
        names = tuple(AccountName(f"p{number}") for number in range(start, start + MOST_NAMES))
        try:
            login_server.received(one.peer, PlayerInGame(names), 0.0)
        except WireError:
            break
    else:
        pytest.fail("65,536 were taken")
