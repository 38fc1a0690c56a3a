"""The messages of the login door: a recorded conversation, what no recording has, and garbage."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.endings import WireError
from protocol.l2 import packets as l2
from protocol.l2.packets import LOGIN_CLIENT_MESSAGES, LOGIN_SERVER_MESSAGES

if TYPE_CHECKING:
    from protocol.l2.packets import LoginMessage

GOLDEN: Final = Path(__file__).parents[1] / "golden" / "l2"
SESSION: Final = json.loads((GOLDEN / "login_session_c6.json").read_text())
PLAIN: Final = {row["name"]: bytes.fromhex(row["plain"]) for row in SESSION["packets"] if "plain" in row}
KEYS: Final = SESSION["session_keys"]
SESSION_ID: Final = int.from_bytes(PLAIN["AuthGameGuard"][1:5], "little")
LOCALHOST: Final = b"\x7f\0\0\x01"


def test_the_recorded_init() -> None:
    plain = PLAIN["Init"]
    init = l2.Init.decode(plain)
    assert init.session_id == SESSION_ID
    assert init.modulus == plain[9:137]
    assert init.key == plain[153:169]
    assert len(init.encode()) == 170
    # C6 sends zeros where the original servers have GameGuard's numbers; nothing of it is read.
    assert init.encode()[:137] == plain[:137]
    assert init.encode()[137:153] == bytes.fromhex("4e95dd29 fc9cc377 20b6ad97 f7e0bd07")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("GGAuth", l2.GGAuth(SESSION_ID)),
        ("LoginOk", l2.LoginOk(login_key1=KEYS["l1"], login_key2=KEYS["l2"])),
        ("PlayOk", l2.PlayOk(play_key1=KEYS["p1"], play_key2=KEYS["p2"])),
        (
            "ServerList",
            l2.ServerList(
                (
                    l2.ServerEntry(server_id=1, address=LOCALHOST, port=7877, pvp=1, maximum=2000, type=0),
                    l2.ServerEntry(server_id=2, address=LOCALHOST, port=0, pvp=1, up=0, type=0),
                ),
            ),
        ),
        ("AuthGameGuard", l2.AuthGameGuard(SESSION_ID)),
        ("RequestServerList", l2.RequestServerList(login_key1=KEYS["l1"], login_key2=KEYS["l2"])),
        (
            "RequestServerLogin",
            l2.RequestServerLogin(login_key1=KEYS["l1"], login_key2=KEYS["l2"], server_id=1),
        ),
    ],
)
def test_the_recorded_conversation(name: str, message: LoginMessage) -> None:
    assert type(message).decode(PLAIN[name]) == message
    if type(message) in LOGIN_SERVER_MESSAGES:
        # C6 ends its list of servers three bytes earlier, without the characters.
        surplus = 3 if name == "ServerList" else 0
        assert PLAIN[name].startswith(message.encode()[: len(message.encode()) - surplus])


def test_the_recorded_credentials() -> None:
    asked = l2.RequestAuthLogin.decode(PLAIN["RequestAuthLogin"])
    assert asked.block == PLAIN["RequestAuthLogin"][1:129]
    assert asked.tail[:4] == PLAIN["AuthGameGuard"][1:5]
    assert asked.second_block is None
    two = l2.RequestAuthLogin.decode(b"\0" + bytes(range(128)) * 2 + bytes(47))
    assert two.second_block == bytes(range(128))


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        (l2.LoginFail(l2.LoginFailReason.ACCOUNT_IN_USE), "01 07"),
        (l2.AccountKicked(l2.KickReason.PERMANENT_BAN), "02 20000000"),
        (l2.PlayFail(l2.LoginFailReason.SERVER_OVERLOADED), "06 0f"),
        (l2.PlayOk(play_key1=1, play_key2=0xFFFFFFFF), "07 01000000 ffffffff"),
        (l2.GGAuth(l2.SKIP_AUTHORISATION), "0b 0b000000" + "00" * 16),
        (l2.LoginOk(login_key1=1, login_key2=2), "03 01000000 02000000" + "00" * 8 + "ea030000" + "00" * 28),
        (
            l2.ServerList(
                servers=(
                    l2.ServerEntry(
                        server_id=1,
                        address=LOCALHOST,
                        port=7777,
                        age_limit=15,
                        pvp=1,
                        online=3,
                        maximum=500,
                        up=1,
                        type=5,
                        brackets=1,
                    ),
                ),
                last_server_id=1,
                characters=(l2.ServerCharacters(server_id=1, characters=2, deletions=(60,)),),
            ),
            "04 01 01 01 7f000001 611e0000 0f 01 0300 f401 01 05000000 01 0000 01 01 02 01 3c000000",
        ),
    ],
)
def test_messages_lie_as_the_community_says(message: LoginMessage, wanted: str) -> None:
    assert message.encode() == bytes.fromhex(wanted)
    assert type(message).decode(bytes.fromhex(wanted)) == message


def test_a_list_of_servers_without_characters() -> None:
    short = l2.ServerList(
        servers=(l2.ServerEntry(server_id=1, address=LOCALHOST, port=7777),), last_server_id=1
    ).encode()[:-3]
    assert l2.ServerList.decode(short) == l2.ServerList(
        servers=(l2.ServerEntry(server_id=1, address=LOCALHOST, port=7777),), last_server_id=1
    )


def test_short_requests_are_filled_with_zeros() -> None:
    assert l2.AuthGameGuard.decode(b"\x07") == l2.AuthGameGuard(0)
    assert l2.RequestServerList.decode(b"\x05\x01\0\0\0") == l2.RequestServerList(login_key1=1, login_key2=0)
    assert l2.RequestServerLogin.decode(b"\x02" + bytes(8)) == l2.RequestServerLogin(
        login_key1=0, login_key2=0, server_id=0
    )
    assert len(l2.RequestAuthLogin.decode(b"\0abc").block) == 128


def test_opcodes_are_told_apart() -> None:
    for messages in (LOGIN_CLIENT_MESSAGES, LOGIN_SERVER_MESSAGES):
        assert len({cls.opcode for cls in messages}) == len(messages)
    assert {cls.__name__ for cls in (*LOGIN_CLIENT_MESSAGES, *LOGIN_SERVER_MESSAGES) if cls.secret} == {
        "Init",
        "LoginOk",
        "PlayOk",
        "RequestAuthLogin",
        "RequestServerList",
        "RequestServerLogin",
    }


@given(st.sampled_from((*LOGIN_CLIENT_MESSAGES, *LOGIN_SERVER_MESSAGES)), st.binary(max_size=300))
def test_garbage_is_read_or_refused(cls: type[LoginMessage], body: bytes) -> None:
    with contextlib.suppress(WireError):
        assert type(cls.decode(bytes([cls.opcode]) + body)) is cls
