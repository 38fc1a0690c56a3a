"""The tables of both doors: what they have a handler for, and what they skip."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.family import Where
from protocol.l2.handlers import HANDLERS, LOGIN, make_table
from protocol.l2.handlers.table import playing
from protocol.l2.packets import EnterWorld, MoveBackwardToLocation, ProtocolVersion
from protocol.l2.session import GAME_DOOR
from protocol.session import Phase
from tests.kit.l2_desk import Desk

if TYPE_CHECKING:
    from protocol.l2.profiles import Profiles


def _profiles() -> Profiles:
    return Desk().connect(GAME_DOOR).session.view.profiles


def test_every_handler_is_in_the_table_under_the_number_of_its_packet() -> None:
    profiles = _profiles()
    table = make_table(profiles)
    assert len(list(table)) == len(HANDLERS)
    for row in HANDLERS:
        frame = profiles.newest.encode(row.packet.read(bytes(512), 0)[0])
        entry = table.entry(table.opcode_of_frame(frame))
        assert entry is not None
        assert entry.packet is row.packet
        assert isinstance(entry.decode(frame), row.packet)


@pytest.mark.parametrize(("opcode", "packet"), [(0x00, ProtocolVersion), (0x01, MoveBackwardToLocation)])
def test_the_numbers_are_those_of_interlude(opcode: int, packet: type) -> None:
    table = make_table(_profiles())
    entry = table.entry(table.opcode_of_frame(bytes((opcode,)) + bytes(40)))
    assert entry is not None
    assert entry.packet is packet


@pytest.mark.parametrize("frame", [b"\xcc", b"\xff\xff\xff", b"\xd0", b"\xd0\xff", b"\xd0\xff\xff"])
def test_what_nobody_knows_is_skipped(frame: bytes) -> None:
    table = make_table(_profiles())
    assert table.entry(table.opcode_of_frame(frame)) is None
    assert table.tolerant


def test_the_login_door_skips_what_it_does_not_know() -> None:
    assert LOGIN.tolerant
    assert {entry.opcode for entry in LOGIN} == {0x00, 0x02, 0x05, 0x07}
    assert all(entry.where is Where.HERE for entry in LOGIN)


def test_every_handler_is_for_some_phase_and_none_is_for_the_way_in_by_mistake() -> None:
    table = make_table(_profiles())
    assert all(entry.phases for entry in table)
    greeting = {entry.packet for entry in table if entry.phases == {Phase.GREETING}}
    assert greeting == {ProtocolVersion}
    assert {entry.packet for entry in table if entry.phases == {Phase.ENTERING}} >= {EnterWorld}


async def test_nobody_acts_while_the_client_loads() -> None:
    desk = Desk()
    session = desk.connect(GAME_DOOR).session
    assert playing(session) is None
    alric = await desk.enter("alric")
    assert playing(alric.session) is alric.mobile
    alric.session.loading = True
    assert playing(alric.session) is None
