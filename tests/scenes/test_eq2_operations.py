"""EverQuest II for whoever runs the server: what is logged, traced and counted while a client plays."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import attrs
import trio

from server.settings.config import parse
from tests.kit.eq2_player import Eq2Player
from tests.kit.players import PASSWORD
from tests.kit.split import ONE_PROCESS
from tests.kit.town import CONFIG, Town

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from trio.testing import MockClock

UNKNOWN = (b"\xff\x0a\x01abc", b"\xc8")
"""Types 266 and 200, of which no layout is known."""


async def test_an_unknown_message_is_logged_once_and_the_stream_lives_on(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "net.eq2")
    cora = Eq2Player(town)
    await cora.enters("cora", "Cora")
    for _ in range(3):
        await cora.does(cora.client.raw_bytes(*UNKNOWN))
    told = [record.getMessage() for record in caplog.records if "is ignored" in record.getMessage()]
    assert len(told) == len(UNKNOWN)
    assert "0x1010a" in told[0]
    await cora.does(cora.client.say_bytes("still here"))
    assert ("Cora", "still here") in cora.client.heard()
    session = next(session for session in town.app.sessions() if session.mobile is not None)
    assert session.ignored == 3 * len(UNKNOWN)
    assert cora.client.faults == []


@ONE_PROCESS
async def test_a_trace_of_an_account_follows_it_through_both_doors_without_its_secrets(
    nursery: trio.Nursery, autojump_clock: MockClock, tmp_path: Path
) -> None:
    settings = parse(CONFIG)
    town = Town(nursery, attrs.evolve(settings, server=attrs.evolve(settings.server, state_dir=tmp_path)))
    await town.open()
    cora = Eq2Player(town)
    await cora.logs_in("cora")
    tracer = town.app.tracing.start("cora", 10)
    await cora.does(cora.client.create_bytes("Cora"))
    await cora.arrives()
    await cora.does(cora.client.say_bytes("good evening"))
    await trio.sleep(2)
    town.app.tracing.stop("cora")
    text = tracer.path.read_text()
    for part in ("eq2/login", "eq2/world", "ACK seq=", "opcode=0x0009 PACKET", "RemoteCmd", "good evening"):
        assert part in text, part
    assert cora.client.play is not None
    code = cora.client.play.access_code
    assert code
    for secret in (PASSWORD, PASSWORD.encode().hex(" "), code.to_bytes(4, "little").hex(" "), str(code)):
        assert secret not in text
    assert not any(session.codec.trace for session in town.app.sessions())


@ONE_PROCESS
async def test_the_last_line_of_a_session_counts_what_its_stream_did(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "net.eq2")
    cora = Eq2Player(town)
    await cora.enters("cora", "Cora")
    lines = town.app.statistics()
    assert any(line.startswith("eq2 world: 1 sessions") for line in lines)
    assert any(line.startswith("eq2 world: of ") and "sent again" in line for line in lines)
    cora.leaves()
    await trio.sleep(30)
    (ended,) = [record.getMessage() for record in caplog.records if "account cora" in record.getMessage()][
        -1:
    ]
    for part in ("rtt ", "loss ", "compression ", "timeouts"):
        assert part in ended
