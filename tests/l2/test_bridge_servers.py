"""The two ends of the bridge, without I/O: whose login it is, who is where, and game servers that come and
go."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import attrs
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
from protocol.l2.bridge.login_server import LONGEST_ACCOUNT
from protocol.l2.bridge.packets import (
    MOST_NAMES,
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
    proof_of,
)
from protocol.l2.session import SessionKeys

if TYPE_CHECKING:
    from protocol.l2.bridge import BridgeMessage

SECRETS = {1: "the first secret", 2: "the second secret"}
KEYS = SessionKeys(0x11111111, 0x82222222, 0x33333333, 0xF4444444)


@attrs.define(eq=False)
class Pair:
    """A game server and what was said between it and the login server; `carry` takes the messages over."""

    login_server: LoginServer
    game_server: GameServer = attrs.field(init=False)
    peer: GamePeer = attrs.field(init=False)
    up: deque[BridgeMessage] = attrs.field(factory=deque)
    down: deque[BridgeMessage] = attrs.field(factory=deque)
    said: list[BridgeMessage] = attrs.field(factory=list)
    heard: list[BridgeMessage] = attrs.field(factory=list)
    kicked: list[str] = attrs.field(factory=list)
    now: float = 0.0

    def __attrs_post_init__(self) -> None:
        self.game_server = GameServer(kick=self.kicked.append, asked=lambda: None)

    def connect(self, number: int = 1, secret: str | None = None, *, host: str = "192.0.2.7") -> Pair:
        me = Identity(number, SECRETS[number] if secret is None else secret, 7777, host, 100)
        self.peer = GamePeer("198.51.100.3", self.down.append)
        self.game_server.connect(me, self.up.append)
        self.carry()
        return self

    def carry(self) -> None:
        while self.up or self.down:
            if self.up:
                message = self.up.popleft()
                self.said.append(message)
                self.login_server.received(self.peer, message, self.now)
            else:
                message = self.down.popleft()
                self.heard.append(message)
                self.game_server.received(message)

    def vanish(self) -> None:
        self.up.clear()
        self.down.clear()
        self.login_server.gone(self.peer)
        self.game_server.gone()

    def asks(self, account: str, keys: SessionKeys, address: str = "") -> bool | None:
        answers: list[bool | None] = []
        self.game_server.ask(account, keys, address, answers.append)
        self.carry()
        (answer,) = answers
        return answer


def expect(login_server: LoginServer, account: str = "alric", **changes: object) -> list[str]:
    """A login on its way to server 1; what it gives holds the account once it has arrived."""
    arrived: list[str] = []
    given = {"server_id": 1, "licence": True, "address": "203.0.113.5", "now": 0.0, "number": 7, **changes}
    login_server.expect(
        account,
        int(str(given["number"])),
        int(str(given["server_id"])),
        KEYS,
        licence=bool(given["licence"]),
        address=str(given["address"]),
        now=float(str(given["now"])),
        left=lambda: arrived.append(account),
    )
    return arrived


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
