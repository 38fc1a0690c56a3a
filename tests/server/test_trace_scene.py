"""Traces of the clients of a whole server: what an operator finds in the file, and what nobody does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
import trio
from eolib.protocol.net.client import AccountAgreeClientPacket

from protocol.eq2.packets import PlayReply
from server.settings.config import parse
from tests.kit.eq2_player import Eq2Player
from tests.kit.players import PASSWORD, EoPlayer, UoPlayer
from tests.kit.town import CONFIG, Town

if TYPE_CHECKING:
    from pathlib import Path

    from trio.testing import MockClock


@pytest.fixture
async def town(nursery: trio.Nursery, tmp_path: Path) -> Town:
    town = Town(nursery, parse(CONFIG).anchored(tmp_path))
    await town.open()
    return town


async def order(town: Town, line: str) -> str:
    """A command of the console that succeeds."""
    answer = await town.app.commands.run("test", line)
    assert answer.ok, answer
    return answer.lines[0]


async def traced(town: Town, account: str) -> Path:
    """The file into which an account's packets go from now on."""
    await order(town, f"account create {account} {PASSWORD}")
    await order(town, f"trace {account} 30")
    tracer = town.app.tracing.of(account)
    assert tracer is not None
    return tracer.path


def hidden(text: str, secret: bytes) -> bool:
    """Whether something is written neither as text nor in hexadecimal, also across two lines of a dump."""
    dumped = "".join(re.findall(r"(?m)^    [0-9a-f]{4}: (.{47})", text)).replace(" ", "")
    return secret.decode("latin-1") not in text and secret.hex() not in dumped


async def test_a_player_of_ultima_online(town: Town, autojump_clock: MockClock) -> None:
    path = await traced(town, "anna")
    anna = UoPlayer(town)
    await anna.enters("anna")
    await anna.walks(2)
    await order(town, "trace anna off")
    text = path.read_text()
    assert " uo/game <- SelectServer(" in text, "the session on which it logged in, from then on"
    assert " uo/game <- WalkRequest(" in text, "the session on which it plays"
    assert " uo/game -> " in text
    begun = [line for line in text.splitlines() if " -- from 127.0.0.1 to " in line]
    assert len(begun) == 2
    assert len({line.split()[1] for line in begun}) == 2
    # What it was sent is there as it left the server, before Huffman and ciphers: the walk's 0x22.
    assert "    0000: 22 " in text
    assert anna.client.relay is not None
    key = anna.client.relay[2]
    assert hidden(text, PASSWORD.encode())
    assert hidden(text, key)
    assert "11 bytes (not shown: it carries a key)" in text


async def test_a_player_of_endless_online(town: Town, autojump_clock: MockClock) -> None:
    path = await traced(town, "berta")
    berta, other = EoPlayer(town), EoPlayer(town)
    await berta.logs_in("berta")
    change = AccountAgreeClientPacket(username="berta", old_password=PASSWORD, new_password="secret2")
    await berta.does(berta.client.frame(change))
    await berta.does(berta.client.request_character())
    await berta.does(berta.client.create_character("berta"))
    await berta.plays()
    await berta.does(berta.client.say("#account passwd berta secret3"))
    await berta.does(berta.client.say("hail"))
    await other.enters("carla", "carla")
    await order(town, "trace berta off")
    text = path.read_text()
    assert " eo/game <- " in text
    assert " eo/game -> " in text
    assert len([line for line in text.splitlines() if " -- from " in line]) == 1, "nobody else's session"
    assert hidden(text, PASSWORD.encode())
    assert hidden(text, b"secret2")
    assert hidden(text, b"secret3")
    assert not hidden(text, b"hail")
    assert "AccountAgreeClientPacket (not shown: it carries a password)" in text


async def test_a_player_of_everquest_ii(town: Town, autojump_clock: MockClock) -> None:
    """Switched on while somebody plays; what the stream does is told, too, each frame and its bytes."""
    anna, other = Eq2Player(town), Eq2Player(town)
    await anna.enters("anna", "Anna")
    await order(town, "trace anna 30")
    tracer = town.app.tracing.of("anna")
    assert tracer is not None
    path = tracer.path
    begun = path.read_text()
    await other.enters("berta", "Berta")
    await anna.walks(2)
    await anna.does(anna.client.say_bytes("hail"))
    await anna.does(anna.client.command_bytes("causeway", "account passwd anna secret3"))
    await anna.logs_in("anna")
    await anna.does(anna.client.play_bytes(0))
    code = anna.of(PlayReply)[-1].access_code
    assert code is not None
    await order(town, "trace anna off")
    text = path.read_text()
    assert begun == "", "nothing is waiting to be written"
    assert " eq2/world <- Movement(" in text
    assert " eq2/world <- RemoteCmd(" in text
    assert " eq2/login -> " in text
    assert re.search(r" eq2/world -- in opcode=0x0009 PACKET seq=\d+ size=\d+\n    0000: 00 09 ", text)
    assert re.search(r" eq2/world -- out opcode=0x0015 ACK seq=\d+ size=4\n    0000: 00 15 ", text)
    assert " eq2/world -- message in size=" in text
    begun_sessions = [line for line in text.splitlines() if " -- from 127.0.0.1 to " in line]
    assert len(begun_sessions) == 2, "nobody else's session"
    assert "not shown: it carries a key" in text
    assert hidden(text, PASSWORD.encode())
    assert hidden(text, b"secret3")
    assert hidden(text, code.to_bytes(4, "little"))
    assert not hidden(text, b"hail")
    await trio.sleep(2)
    assert all(session.codec.trace is None for session in town.app.sessions())


async def test_a_trace_that_is_over_costs_and_keeps_nothing(town: Town, autojump_clock: MockClock) -> None:
    path = await traced(town, "anna")
    anna = UoPlayer(town)
    await anna.enters("anna")
    await order(town, "trace anna off")
    size = path.stat().st_size
    await anna.walks(2)
    await trio.sleep(5)
    assert path.stat().st_size == size
    assert all(session.codec.trace is None for session in town.app.sessions())


async def test_it_ends_with_the_server(town: Town, autojump_clock: MockClock) -> None:
    path = await traced(town, "anna")
    anna = UoPlayer(town)
    await anna.enters("anna")
    town.app.stop(0)
    await trio.sleep(20)
    assert path.read_text().endswith(" the trace ends: the server stops\n")
