"""The account server: a name and a password for a key and the way to the game, or a code why not."""

from __future__ import annotations

import pytest

from protocol.co import rc5
from protocol.co.handlers.login import REASONS
from protocol.co.packets import Account, ConnectEx, ConnectReject, FileReport, RejectCode
from protocol.denials import Denial, Denied
from protocol.endings import Ending
from protocol.session import Phase
from tests.kit.co_desk import Desk, Player
from tests.kit.desk import PASSWORD


def account(name: str, password: str = PASSWORD) -> Account:
    return Account(name, rc5.encipher_password(password), "Causeway")


def desk_of(*names: str) -> Desk:
    """With these accounts."""
    desk = Desk()
    for name in names:
        desk.account(name)
    return desk


def refusal(player: Player) -> int:
    """The code with which it was refused, once, and with nothing else."""
    assert player.line.ending in (Ending.REFUSED, Ending.BANNED)
    assert player.kinds() == ["ConnectReject"]
    told = player.only(ConnectReject)
    assert told.zero == 0
    return told.code


async def test_name_and_password_give_a_key_and_the_way_to_the_game() -> None:
    desk = desk_of("alric")
    player = desk.connect()
    await player.says(account("alric"))
    answer = player.only(ConnectEx)
    assert (answer.address, answer.port) == ("127.0.0.1", 5816)
    assert answer.token_low
    assert player.session.phase is Phase.MENU
    assert player.session.account is not None
    assert player.session.account.name == "alric"
    assert player.session.hang_up_means is Ending.RELAYED
    assert desk.claimed == [], "who only asks for a key ends nobody's game"


async def test_the_answer_byte_by_byte() -> None:
    desk = desk_of("alric")
    player = desk.connect()
    await player.says(account("alric"))
    (packet,) = player.raw
    assert len(packet) == 32
    assert packet[:4].hex() == "20001f04"
    assert packet[12:].hex() == "3132372e302e302e3100000000000000" + "b8160000"


async def test_all_bits_of_a_key_are_chance_and_no_key_comes_twice() -> None:
    desk = desk_of("alric")
    lows, highs = 0, 0
    keys = set()
    for _ in range(64):
        player = desk.connect()
        await player.says(account("alric"))
        answer = player.only(ConnectEx)
        keys.add((answer.token_low, answer.token_high))
        lows |= answer.token_low
        highs |= answer.token_high
    assert len(keys) == 64
    assert (lows, highs) == (0xFFFF_FFFF, 0xFFFF_FFFF)


@pytest.mark.parametrize(("name", "password"), [("alric", "wrong"), ("nobody", PASSWORD), ("", "")])
async def test_an_unknown_name_and_a_wrong_password_have_the_same_word(name: str, password: str) -> None:
    player = desk_of("alric").connect()
    await player.says(account(name, password))
    assert refusal(player) == RejectCode.BAD_PASSWORD
    assert player.raw[-1].hex() == "0c001f04" + "00000000" + "01000000"


@pytest.mark.parametrize("why", list(Denial))
async def test_every_refusal_has_its_code(why: Denial) -> None:
    desk = desk_of("alric")
    desk.deny = why
    player = desk.connect()
    await player.says(account("alric"))
    assert refusal(player) == REASONS[why]
    assert (player.line.ending is Ending.BANNED) is (why is Denial.BANNED)
    assert player.session.account is None


@pytest.mark.parametrize(
    ("why", "code"),
    [
        (Denial.BAD_CREDENTIALS, 1),
        (Denial.UNAVAILABLE, 10),
        (Denial.BANNED, 12),
        (Denial.BUSY, 20),
        (Denial.FULL, 21),
        (Denial.NOT_APPROVED, 30),
        (Denial.BAD_NAME, 57),
    ],
)
def test_the_codes_are_those_of_the_client(why: Denial, code: int) -> None:
    assert REASONS[why] == code


async def test_nobody_gets_in_while_the_server_is_closed() -> None:
    desk = desk_of("alric")
    desk.app.shut = "going down"
    player = desk.connect()
    await player.says(account("alric"))
    assert refusal(player) == RejectCode.SERVER_DOWN


async def test_who_failed_too_often_is_kept_out(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = desk_of("alric")
    monkeypatch.setattr(desk.app.accounts, "kept_out", lambda _: 30.0)
    player = desk.connect()
    await player.says(account("alric"))
    assert refusal(player) == RejectCode.TOO_MANY_ATTEMPTS


@pytest.mark.parametrize("block", [bytes(16), b"\xff" * 16, bytes(range(16)), PASSWORD.encode().ljust(16)])
async def test_a_password_that_is_garbage_is_a_wrong_one(block: bytes) -> None:
    """Enciphered with another key, or not at all."""
    player = desk_of("alric").connect()
    await player.says(Account("alric", block, "Causeway"))
    assert refusal(player) == RejectCode.BAD_PASSWORD


async def test_a_short_packet_lacks_its_password() -> None:
    player = desk_of("alric").connect()
    await player.sends(account("alric").encode(player.desk.version)[:20])
    assert player.line.ending is Ending.BAD_PACKET or refusal(player) == RejectCode.BAD_PASSWORD


async def test_what_is_behind_a_nul_does_not_count_and_letters_are_those_of_the_west(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk = desk_of("alric")
    frame = account("alric").encode(desk.version)
    player = desk.connect()
    await player.sends(frame[:10] + b"junk" + frame[14:])  # alric, NUL, junk
    assert player.took(ConnectEx)
    tried: list[str] = []

    async def login(session: object, name: str, password: str) -> None:
        tried.append(name)
        raise Denied(Denial.BAD_CREDENTIALS)

    monkeypatch.setattr(desk.app.accounts, "login", login)
    await desk.connect().says(account("zo\xeb"))
    assert tried == ["zo\xeb"]


async def test_bytes_that_are_no_letters_are_nobodys_name() -> None:
    desk = desk_of("alric")
    frame = account("").encode(desk.version)
    player = desk.connect()
    await player.sends(frame[:4] + bytes((0x81, 0x8D, 0x8F, 0x90, 0x9D, 0x01, 0x1B)) + frame[11:])
    assert refusal(player) == RejectCode.BAD_PASSWORD


async def test_what_the_client_has_in_its_file_is_of_no_interest() -> None:
    desk = desk_of("alric")
    player = desk.connect()
    await player.says(account("alric"))
    player.got.clear()
    await player.says(FileReport(1, 2, "Res.dat"), FileReport(0xFFFF_FFFF, 0, "x"))
    assert player.got == []
    assert player.line.ending is None


async def test_nothing_is_heard_before_the_password_and_no_second_one_after_it() -> None:
    desk = desk_of("alric", "betty")
    player = desk.connect()
    await player.says(FileReport(1, 2, "Res.dat"))
    assert player.line.ending is Ending.WRONG_PHASE
    player = desk.connect()
    await player.says(account("alric"))
    player.got.clear()
    await player.says(account("betty"))
    assert player.got == []
    assert player.session.account is not None
    assert player.session.account.name == "alric"


async def test_name_and_password_are_written_nowhere() -> None:
    player = desk_of().connect()
    message = account("alric", "hunter22")
    entry = player.table.entry(Account.type)
    assert entry is not None
    for shown in (entry.shown(message), entry.shown(message.encode(player.desk.version))):
        assert "alric" not in shown
        assert b"alric".hex() not in shown
        assert message.password.hex() not in shown
