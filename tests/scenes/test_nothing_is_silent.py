"""Whatever a client sends in the world, its player notices something: the deed, its game's refusal, or words.

Each row of each game's table is pressed by somebody who has nothing, knows nobody and points at nothing: the
packet of that row filled with zeros. What carries no wish says so in its row (`protocol.wishes.Idle`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
import trio

from protocol.session import Phase
from protocol.wishes import Idle
from tests.kit.game import Person
from tests.kit.games import GAMES
from tests.kit.wire_faults import newest
from world import timers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trio.testing import MockClock

    from server.net.connection import Connection
    from tests.kit.town import Town

SILENT: Final[Mapping[str, Mapping[str, str]]] = {
    "co": {},
    "web": {
        "Depart": "the page has closed its counter already",
        "EndTrade": "its trade is over already",
        "Speak": "no words",
        "Turn": "the page has turned already",
        "Stop": "nobody is fought",
    },
    "uo": {
        "DeathAnswer": "the client tells that it has read of its death",
        "AsciiSpeech": "no words",
        "Disconnecting": "the client tells that it leaves",
        "Drop": "it holds nothing, and names nothing",
        "Equip": "it holds nothing, and names nothing",
        "EquipMacro": "it names nothing",
        "GumpAnswer": "to close what is closed",
        "NameRequest": "the client asks by itself, and this is nothing",
        "PropertiesRequest": "the client asks by itself, and this is nothing",
        "PropertiesRequestOld": "the client asks by itself, and this is nothing",
        "SingleClick": "the client asks by itself, and this is nothing",
        "StatusRequest": "the client asks by itself, and this is nobody",
        "TextCommand": "no words",
        "UnequipMacro": "it names nothing",
        "UnicodeSpeech": "no words",
        "VersionAnswer": "it tells which version the client is",
    },
    "eo": {
        "AttackUseClientPacket": "the client has drawn the blow already",
        "ChairRequestClientPacket": "filled with zeros it names neither to sit nor to stand",
        "ConnectionPingClientPacket": "the answer to the server's own",
        "FacePlayerClientPacket": "the client has turned already",
        "GlobalCloseClientPacket": "it tells whether the global chat is shown",
        "GlobalOpenClientPacket": "it tells whether the global chat is shown",
        "NpcRangeRequestClientPacket": "it asks for nobody",
        "PlayerRangeRequestClientPacket": "it asks for nobody",
        "RangeRequestClientPacket": "it asks for nobody",
        "TalkAnnounceClientPacket": "no words",
        "TalkMsgClientPacket": "no words",
        "TalkPlayerClientPacket": "no words",
        "TalkReportClientPacket": "no words",
        "TalkUseClientPacket": "no words",
        "TradeCloseClientPacket": "to close what is closed",
        "WarpAcceptClientPacket": "nobody sent it to another map",
        "WarpTakeClientPacket": "nobody sent it to another map",
    },
    "eq2": {
        "AlertLogUpload": "a report of the client's own",
        "CrashLogUpload": "a report of the client's own",
        "DialogDismiss": "the window is closed",
        "EntityResourcesLoaded": "it tells how far the client has loaded",
        "Eq2CrashLogUpload": "a report of the client's own",
        "LogUpload": "a report of the client's own",
        "ReadyToZone": "it tells how far the client has loaded",
        "StoppedLooting": "the window is closed",
        "RemoteCmd": "the first of the words is to say, and there are none",
        "VerifyLogUpload": "a report of the client's own",
        "ZoneResourcesDone": "it tells how far the client has loaded",
    },
    "l2": {
        "Appearing": "the client tells that it has arrived, and nobody sent it anywhere",
        "CannotMoveAnymore": "it tells that the client has come to a stop",
        "RequestDeleteMacro": "there is none of that number, and the client has taken it away",
        "RequestManorList": "the client asks by itself when it enters",
        "RequestPledgeInfo": "the client asks by itself, and there is no such guild",
        "RequestSendFriendMsg": "no words",
        "RequestShortCutDel": "the client has changed its bar already",
        "RequestShortCutReg": "the client has changed its bar already",
        "Say2": "no words",
        "SendBypassBuildCmd": "no words",
        "ValidatePosition": "it tells where the client stands",
    },
}
"""By game, for the games that are held to it: of which rows nothing comes, and why."""

SECONDS: Final = 1.2
"""Of virtual time after each: an answer comes with the next turn, and words once a second."""


@pytest.mark.parametrize("game", SILENT)
async def test_every_row_of_the_table_is_answered(town: Town, autojump_clock: MockClock, game: str) -> None:
    town.change("limits", exempt=("127.0.0.0/8",), packets_per_second=100_000.0, packet_burst=100_000)
    record, family = GAMES[game], town.families[game]
    for mobile in town.app.world.mobiles.values():
        timers.cancel_all(mobile)  # a resident who takes a step just then would count as an answer
    silent: list[str] = []
    pressed = 0
    player, connection = record.player(town), None
    for entry in family.doors[record.doors[0]].table:
        if Phase.IN_WORLD not in entry.phases or isinstance(entry.handler, Idle):
            continue
        for frame in record.legal(entry.opcode)[:1]:
            if connection is None or connection.ending is not None or not _plays(connection):
                player.leaves()
                player = record.player(town)
                await record.enters(player, Person(pressed))
                await trio.sleep(5)
                connection = newest(town)
                record.silences(player)
                _says_nothing_by_itself(connection)
            before = connection.messages_out
            await player.sends(record.wire(player, frame), wait=SECONDS)
            pressed += 1
            if connection.ending is None and _plays(connection) and connection.messages_out == before:
                silent.append(entry.name)
    assert pressed > 10
    assert set(silent) ^ set(SILENT[game]) == set(), "either not listed, or listed and answered"


def _plays(connection: Connection) -> bool:
    """Whether its client is in the world, and not loading."""
    return connection.session.phase is Phase.IN_WORLD and not connection.session.loading


def _says_nothing_by_itself(connection: Connection) -> None:
    """What the server sends now and then, its ping and the time of day, would count as an answer."""
    for timer in (getattr(connection.session, "ping", None), connection.session.clock):
        if timer is not None:
            timer.cancel()
