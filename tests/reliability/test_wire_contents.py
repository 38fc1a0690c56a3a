"""What stands in packets: numbers that nobody should believe, texts that nobody should see. R-07 and R-08,
for every game of `tests.kit.games`."""

from __future__ import annotations

import logging
import random
import re
import tracemalloc
from typing import TYPE_CHECKING

import pytest
import trio
import trio.lowlevel
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text as sql

from protocol.endings import Ending, WireError
from protocol.session import Phase
from server.store.check import check_database
from tests.kit.co_player import CoPlayer
from tests.kit.eq2_player import Eq2Player
from tests.kit.games import GAMES, Person, Witnesses
from tests.kit.l2_player import L2Player
from tests.kit.players import PASSWORD, EoPlayer, UoPlayer
from tests.kit.portions import SOME_OR_ALL, portion
from tests.kit.web_player import WebPlayer
from tests.kit.wire_faults import (
    NASTY,
    RAW,
    families,
    harmless,
    loud,
    newest,
    rows,
    tables,
)
from world.speech import LONGEST

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from trio.testing import MockClock

    from tests.kit.town import Town

pytestmark = pytest.mark.timeout(180)


#

EXTREMES = [
    b"\xff",
    b"\xff\xff",
    b"\xff\xff\xff\xff",
    b"\x7f\xff\xff\xff",
    b"\x80\0\0\0",
    b"\x80",
    b"\xfe\xfe\xfe\xfe",
    bytes(4),
]


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=2, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_r07_no_number_in_a_packet_is_believed(game: str, data: st.DataObject) -> None:
    """Each packet that a client may send, with the largest and smallest numbers at every place, cut or not:
    its decoder refuses it or not, by WireError only, and never allocates by a count."""
    record, table = GAMES[game], families()[game].doors[GAMES[game].doors[0]].table
    chance = random.Random(1)
    tracemalloc.start()
    try:
        for strategy in record.valid().values():
            frame = data.draw(strategy)
            entry = table.entry(table.opcode_of_frame(frame))
            if entry is None:
                continue
            entry.decode(frame)
            for at in range(2, min(len(frame), 40)):
                for extreme in chance.sample(EXTREMES, 3):
                    spoilt = frame[:at] + extreme + frame[at + len(extreme) :]
                    for tried in (spoilt, spoilt[: max(at + len(extreme), 3)], record.mended(spoilt)):
                        try:
                            entry.decode(tried)
                        except WireError:
                            continue
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


#

SHARES = 6


@SOME_OR_ALL
@pytest.mark.parametrize("game", GAMES)
async def test_r08_nasty_texts_in_every_text_of_every_packet(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, game: str, amount: str
) -> None:
    """`make test` has a sixth of them in each text, and others in the next one."""
    record, town = GAMES[game], easy_town
    table = town.families[game].doors[GAMES[game].doors[0]].table
    witnesses = Witnesses(town)
    await witnesses.enter()
    texts = 0
    for entry in table:
        for name, make in record.with_text(entry.opcode):
            texts += 1
            phase = min(entry.phases & {step.phase for step in record.steps}, default=Phase.IN_WORLD)
            upto = record.first(phase)
            connection, player = None, record.player(town)
            raws = [raw for text in NASTY.values() if len(text) < 3000 for raw in record.texts(text)] + RAW
            for raw in portion(raws, amount, SHARES, begin=texts % SHARES):
                if connection is None or connection.ending is not None:
                    player = record.player(town)
                    await record.plays(player, Person(1), upto=upto)
                    assert player.end
                    await trio.sleep(0.01)
                    connection = newest(town)
                if upto == 0 and game == "uo":
                    await player.sends(b"\x7f\0\0\1", wait=0)
                await player.sends(record.wire(player, make(raw)), wait=0.02)
                assert connection.ending is not Ending.OUR_BUG, (entry.name, name, raw)
            player.leaves()
            await trio.sleep(11)
    await witnesses.are_well()
    assert loud(caplog.records, logging.ERROR) == []
    for other, player, _ in witnesses.players:
        assert all(harmless(line) for line in other.heard(player))
    assert "account" in {row.lower() for row in tables(town)}
    assert all(harmless(text) for text in rows(town)), [text for text in rows(town) if not harmless(text)]
    assert check_database(town.database) == []


@pytest.mark.parametrize("speaker", GAMES)
async def test_r08_what_is_said_is_heard_without_what_harms(
    easy_town: Town, autojump_clock: MockClock, speaker: str
) -> None:
    record, town = GAMES[speaker], easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    said = next(player for game, player, _ in witnesses.players if game is record)
    for what, text in NASTY.items():
        if what in ("64 KiB", "surrogates"):
            continue
        before = {game.name: len(game.heard(player)) for game, player, _ in witnesses.players}
        await said.sends(record.says(said, text[:900]))
        await trio.sleep(3)
        for game, player, _ in witnesses.players:
            for line in game.heard(player)[before[game.name] :]:
                assert harmless(line), (what, line)
                assert len(line) <= LONGEST
        heard = [
            line for game, player, _ in witnesses.players for line in game.heard(player)[before[game.name] :]
        ]
        if what in ("markup", "format", "sql", "sql like", "gump markup"):
            assert text[:LONGEST] in heard, (what, heard)
    await witnesses.are_well()


def _is_legal(name: str, password: str) -> bool:
    """Whether an account may have them, as they came."""
    return bool(re.fullmatch("[a-z0-9]{3,16}", name) and re.fullmatch("[!-~]{4,30}", password))


async def _log_in_uo(town: Town, name: str, password: str) -> tuple[bool, bool]:
    """Log in: whether one was let in, and whether one should be."""
    uo = UoPlayer(town)
    await uo.sends(_uo_login(name, password), wait=1)
    uo.leaves()
    return bool(uo.client.servers), _is_legal(name, _latin(password))


async def _log_in_eo(town: Town, name: str, password: str) -> tuple[bool, bool]:
    """Log in: nobody makes an account by it here."""
    eo = EoPlayer(town)
    await eo.greets()
    await eo.does(eo.client.login(_cp1252(name), _cp1252(password)))
    eo.leaves()
    return bool(eo.client.menu), False


async def _log_in_eq2(town: Town, name: str, password: str) -> tuple[bool, bool]:
    eq2 = Eq2Player(town)
    await eq2.connects("login")
    await eq2.does(eq2.client.login_bytes(name, password))
    eq2.leaves()
    return eq2.client.code == 0, _is_legal(_in_eq2(name), _in_eq2(password))


async def _log_in_co(town: Town, name: str, password: str) -> tuple[bool, bool]:
    co = CoPlayer(town)
    co.turns_to("account")
    await co.does(co.client.login_bytes(name, password))
    co.leaves()
    return any(co.client.token), _is_legal(_in_co(name).lower(), _in_co(password))


async def _log_in_l2(town: Town, name: str, password: str) -> tuple[bool, bool]:
    l2 = L2Player(town)
    await l2.greets()
    sent, word = _in_block(name, 14), _in_block(password, 16)
    await l2.does(l2.client.login_bytes(sent, word))
    l2.leaves()
    return bool(l2.client.keys.login1), _is_legal(sent.strip("\0 ").lower(), word.strip("\0 "))


async def _log_in_web(town: Town, name: str, password: str) -> tuple[bool, bool]:
    web = WebPlayer(town)
    await web.does(web.client.login_bytes(name, password))
    web.leaves()
    return bool(web.screen.account), _is_legal(_in_json(name), _in_json(password))


LOGINS: Mapping[str, Callable[[Town, str, str], Awaitable[tuple[bool, bool]]]] = {
    "uo": _log_in_uo,
    "eo": _log_in_eo,
    "eq2": _log_in_eq2,
    "co": _log_in_co,
    "l2": _log_in_l2,
    "web": _log_in_web,
}


@pytest.mark.parametrize("game", GAMES)
async def test_r08_names_and_passwords_are_refused_or_kept_as_they_are(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, game: str
) -> None:
    town = easy_town
    await EoPlayer(town).enters("anna", "Anna")
    for number, (what, text) in enumerate(NASTY.items()):
        fits = text[:30]
        for name, password in ((fits, PASSWORD), (f"berta{number}", fits)):
            accepted, legal = await LOGINS[game](town, name, password)
            assert accepted is legal, (what, name, password)
            await trio.sleep(2)
    assert loud(caplog.records, logging.ERROR) == []
    with town.database.read() as connection:
        accounts = list(connection.execute(sql("select name from account")).scalars())
        characters = list(connection.execute(sql("select name from character")).scalars())
    assert "anna" in accounts
    assert all(re.fullmatch("[a-z0-9]{3,16}", name) for name in accounts), accounts
    assert characters == ["Anna"]
    later = EoPlayer(town)
    await later.enters("anna")
    assert later.client.characters


def _cp1252(text: str) -> str:
    return text.encode("cp1252", "replace").decode("cp1252", "replace")


def _latin(text: str) -> str:
    """As it arrives: up to the first NUL."""
    return text.encode("latin-1", "replace").decode("latin-1").partition("\0")[0]


def _in_eq2(text: str) -> str:
    """As it arrives: texts there are counted, and cannot hold a NUL."""
    return text.replace("\0", "").encode("latin-1", "replace").decode("latin-1")


def _in_json(text: str) -> str:
    """As it arrives: all of it, with a sign in the place of what no text may hold."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _in_co(text: str) -> str:
    """As it arrives in 16 bytes: up to the first NUL."""
    return text.encode("cp1252", "replace")[:16].decode("cp1252", "replace").partition("\0")[0]


def _in_block(text: str, size: int) -> str:
    """As it fits the block of credentials."""
    return text.encode("latin-1", "replace").decode("latin-1")[:size]


def _uo_login(name: str, password: str) -> bytes:
    fields = [_latin(text).encode("latin-1")[:30].ljust(30, b"\0") for text in (name, password)]
    return b"\x7f\0\0\1\x80" + fields[0] + fields[1] + b"\x5d"
