"""The tables of both doors: what they have a handler for, and what they skip."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from protocol.dispatch import Where
from protocol.l2 import packets as l2
from protocol.l2.handlers import LOGIN, make_table
from protocol.l2.packets import EnterWorld, MoveBackwardToLocation, ProtocolVersion
from protocol.l2.session import GAME_DOOR
from protocol.l2.view import L2View
from protocol.session import Phase
from tests.kit.l2_desk import Desk, place_of

if TYPE_CHECKING:
    from protocol.l2.packets import Message
    from protocol.l2.versions import L2Versions


def _versions() -> L2Versions:
    return L2View.of(Desk().connect(GAME_DOOR).session).versions


def test_every_handler_is_in_the_table_under_the_number_of_its_packet() -> None:
    versions = _versions()
    table = make_table(versions)
    entries = list(table)
    assert len(entries) > 50
    for entry in entries:
        packet = cast("type[Message]", entry.packet)
        frame = versions.newest.encode(packet.read(bytes(512), 0)[0])
        assert table.entry(table.opcode_of_frame(frame)) is entry
        assert isinstance(entry.decode(frame), packet)


@pytest.mark.parametrize(("opcode", "packet"), [(0x00, ProtocolVersion), (0x01, MoveBackwardToLocation)])
def test_the_numbers_are_those_of_interlude(opcode: int, packet: type) -> None:
    table = make_table(_versions())
    entry = table.entry(table.opcode_of_frame(bytes((opcode,)) + bytes(40)))
    assert entry is not None
    assert entry.packet is packet


@pytest.mark.parametrize("frame", [b"\xce", b"\xff\xff\xff", b"\xd0", b"\xd0\xff", b"\xd0\xff\xff"])
def test_what_nobody_knows_is_skipped(frame: bytes) -> None:
    table = make_table(_versions())
    assert table.entry(table.opcode_of_frame(frame)) is None
    assert table.tolerant


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (b"\xce", "unknown packet RequestSendMsnChatLog to version 746"),
        (
            b"\x75\0\0",
            "unknown packet 0x75 (273: RequestMoveToLocationInVehicle) to version 746; "
            "a client of another chronicle?",
        ),
        (b"\xd0\xff\xff", "unknown packet 0xd0:ffff to version 746"),
    ],
)
def test_a_log_says_what_a_packet_nobody_handles_is_called(frame: bytes, words: str) -> None:
    assert make_table(_versions()).unknown(frame) == words


NONSENSE = 0x7FFF_FFFF


@pytest.mark.parametrize(
    "packet",
    [
        l2.Action(NONSENSE, 0, 0, 0, 0),
        l2.AttackRequest(NONSENSE, 0, 0, 0, 0),
        l2.MoveBackwardToLocation(NONSENSE, NONSENSE, 0, 0, 0, 0, 1),
        l2.MoveBackwardToLocation(*place_of(20, 20), *place_of(20, 20), 1),
        l2.RequestTargetCancel(1),
        l2.RequestActionUse(NONSENSE, 0, 0),
        l2.RequestActionUse(0, 0, 0),
        l2.RequestChangeWaitType(0),
        l2.RequestChangeMoveType(0),
        l2.RequestSocialAction(NONSENSE),
        l2.UseItem(NONSENSE, 0),
        l2.RequestUnEquipItem(0),
        l2.RequestDropItem(NONSENSE, 1, 0, 0, 0),
        l2.RequestDestroyItem(NONSENSE, 1),
        l2.RequestBypassToServer("npc_1_Chat 1"),
        l2.RequestLinkHtml("../../config.toml"),
        l2.RequestMagicSkillUse(NONSENSE, 0, 0),
        l2.RequestFriendInvite("Nobody"),
        l2.RequestMakeMacro(0, "", "", "", 0, ()),
        l2.TradeRequest(NONSENSE),
        l2.RequestJoinParty("Nobody", 0),
        l2.RequestRestartPoint(0),
    ],
    ids=lambda packet: type(packet).__name__,
)
async def test_whoever_is_refused_may_want_something_else(packet: l2.Message) -> None:
    """The client takes no click until the last one is answered, if only with ActionFailed."""
    alric = await Desk().enter("alric")
    await alric.says(packet)
    assert len(alric.took(l2.ActionFailed)) == 1
    assert alric.line.ending is None


def test_the_login_door_skips_what_it_does_not_know() -> None:
    assert LOGIN.tolerant
    assert {entry.opcode for entry in LOGIN} == {0x00, 0x02, 0x05, 0x07}
    assert all(entry.where is Where.HERE for entry in LOGIN)


def test_every_handler_is_for_some_phase_and_none_is_for_the_way_in_by_mistake() -> None:
    table = make_table(_versions())
    assert all(entry.phases for entry in table)
    greeting = {entry.packet for entry in table if entry.phases == {Phase.GREETING}}
    assert greeting == {ProtocolVersion}
    assert {entry.packet for entry in table if entry.phases == {Phase.ENTERING}} >= {EnterWorld}


async def test_nobody_acts_while_the_client_loads() -> None:
    desk = Desk()
    session = desk.connect(GAME_DOOR).session
    assert session.playing is None
    alric = await desk.enter("alric")
    assert alric.session.playing is alric.mobile
    alric.session.loading = True
    assert alric.session.playing is None
