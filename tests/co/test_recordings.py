"""Every recorded packet about fights, numbers and actions, replayed; and this server's own beside them.

Recorded are a public server and an encoder of clients' magic (tests/golden/co, with examples that servers
took); nobody has recorded a blow. What this server sends is compared byte by byte, but for what only its own
world can say.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Final

import pytest

from protocol.co.packets import Action, ActionType, Interact, UserAttrib, decode_client, decode_server
from protocol.co.versions import CoVersion
from protocol.wishes import Wish
from tests.kit.co_desk import Desk, Player, place_of

GOLDEN: Final = Path(__file__).parents[1] / "golden" / "co"
CAPTURE: Final = json.loads((GOLDEN / "java_server_capture_5017.json").read_text())
EXAMPLES: Final = json.loads((GOLDEN / "packets_5017.json").read_text())["packets"]
MAGIC: Final = json.loads((GOLDEN / "magic_attack_obfuscation.json").read_text())["cases"]

KINDS: Final = {Action.type: Action, UserAttrib.type: UserAttrib, Interact.type: Interact}
FROM_SERVER: Final = [
    bytes.fromhex(row["hex"])
    for row in (*CAPTURE["existing_character"], *CAPTURE["new_character"], *EXAMPLES)
]
FROM_CLIENT: Final = [bytes.fromhex("1c00fe03" + case["body_hex"]) for case in MAGIC]

OLD: Final = CoVersion.V5017
TIMESTAMP: Final = slice(4, 8)


def type_of(frame: bytes) -> int:
    return int.from_bytes(frame[2:4], "little")


ABOUT_US: Final = [frame for frame in FROM_SERVER if type_of(frame) in KINDS]


def test_none_is_left_out() -> None:
    counts = {kind: sum(type_of(frame) == kind for frame in (*ABOUT_US, *FROM_CLIENT)) for kind in KINDS}
    assert counts == {Action.type: 10, UserAttrib.type: 2, Interact.type: 3}


@pytest.mark.parametrize("frame", ABOUT_US, ids=lambda frame: f"{type_of(frame)}-{frame[-2:].hex()}")
def test_what_servers_sent_is_read_and_written_the_same(frame: bytes) -> None:
    packet = decode_server(frame, OLD)
    assert type(packet) is KINDS[type_of(frame)]
    assert packet.encode(OLD) == frame


@pytest.mark.parametrize("frame", FROM_CLIENT, ids=[str(case["magic_type"]) for case in MAGIC])
def test_what_clients_sent_is_read_and_written_the_same(frame: bytes) -> None:
    packet = decode_client(frame, OLD)
    assert isinstance(packet, Interact)
    assert packet.encode(OLD) == frame


# Ours beside theirs


def theirs(kind: ActionType) -> bytes:
    """The first recorded Action of a kind of a server that ran."""
    return next(
        frame
        for frame in FROM_SERVER
        if type_of(frame) == Action.type and int.from_bytes(frame[22:24], "little") == kind
    )


def ours(player: Player, kind: ActionType) -> bytes:
    """The first of this server's own character's."""
    return next(
        raw
        for raw in player.raw
        if type_of(raw) == Action.type and int.from_bytes(raw[22:24], "little") == kind
    )


def with_(frame: bytes, *changes: tuple[int, str, int]) -> bytes:
    """A recorded frame with other values at some offsets, and no time."""
    changed = bytearray(frame)
    changed[TIMESTAMP] = bytes(4)
    for offset, layout, value in changes:
        struct.pack_into(layout, changed, offset, value)
    return bytes(changed)


@pytest.mark.parametrize(
    "kind",
    [
        *(ActionType.FRIENDS, ActionType.WEAPON_SKILLS, ActionType.MAGIC),
        *(ActionType.GUILD, ActionType.LOGIN_COMPLETE),
    ],
)
async def test_what_a_client_asks_on_its_way_in_is_answered_alike(kind: ActionType) -> None:
    desk = Desk(version=OLD)
    alric = await desk.enter("alric")
    assert with_(ours(alric, kind)) == with_(theirs(kind), (8, "<I", alric.number))


async def test_where_a_client_enters_is_told_alike() -> None:
    """Number 8, document 12, place 16 and 18: co.md, section 5."""
    desk = Desk(version=OLD)
    alric = await desk.enter("alric", (20, 20))
    x, y = place_of(20, 20)
    told = with_(ours(alric, ActionType.ENTER_MAP))
    document = int.from_bytes(told[12:16], "little")
    assert document == alric.screen.document
    here = (8, "<I", alric.number), (12, "<I", document), (16, "<H", x), (18, "<H", y)
    heading = (20, "<H", int.from_bytes(told[20:22], "little"))
    assert told == with_(theirs(ActionType.ENTER_MAP), *here, heading)


async def test_a_jump_comes_back_alike() -> None:
    """The recorded server leaves out from where; this one does not, nor does the recorded client."""
    desk = Desk(version=OLD)
    alric = await desk.enter("alric", (20, 20))
    await desk.wait(1.0)
    await alric.jumps(23, 23)
    x, y = place_of(20, 20)
    to_x, to_y = place_of(23, 23)
    changes = (8, "<I", alric.number), (12, "<I", to_y << 16 | to_x), (16, "<H", x), (18, "<H", y)
    told = with_(ours(alric, ActionType.JUMP))
    heading = (20, "<H", int.from_bytes(told[20:22], "little"))
    assert told == with_(theirs(ActionType.JUMP), *changes, heading)
    (sample,) = (bytes.fromhex(row["hex"]) for row in EXAMPLES if row["name"].startswith("MsgAction jump"))
    assert told == with_(sample, *changes, heading)


async def test_one_s_numbers_are_told_alike() -> None:
    """Of the recorded ones all are told but XP and one unknown, each in 12 bytes behind number and count."""
    desk = Desk(version=OLD)
    alric = await desk.enter("alric")
    whole = next(raw for raw in alric.raw if type_of(raw) == UserAttrib.type)
    recorded = next(frame for frame in FROM_SERVER if type_of(frame) == UserAttrib.type)
    for frame in (whole, recorded):
        count = int.from_bytes(frame[8:12], "little")
        assert len(frame) == int.from_bytes(frame[:2], "little") == 12 + 12 * count

    def attributes(frame: bytes) -> list[int]:
        return [int.from_bytes(frame[at : at + 4], "little") for at in range(12, len(frame), 12)]

    assert set(attributes(recorded)) - set(attributes(whole)) == {28, 0xFF}
    (sample,) = (bytes.fromhex(row["hex"]) for row in EXAMPLES if row["name"].startswith("MsgUserAttrib"))
    assert attributes(sample) == [0], "life"
    alric.raw.clear()
    alric.mobile.hits_max, alric.mobile.hits = 200, 100
    desk.turn()
    (told,) = (raw for raw in alric.raw if type_of(raw) == UserAttrib.type)
    entry = sample[12:24]
    assert told[4:8] == alric.number.to_bytes(4, "little")
    assert entry in [told[at : at + 12] for at in range(12, len(told), 12)]


# Magic, as clients disguise it


@pytest.mark.parametrize("frame", FROM_CLIENT, ids=[str(case["magic_type"]) for case in MAGIC])
async def test_a_recorded_spell_is_refused_in_words_once(frame: bytes) -> None:
    desk = Desk(version=OLD)
    alric = await desk.enter("alric")
    await alric.sends(frame[:8] + alric.number.to_bytes(4, "little") + frame[12:])
    assert alric.lines() == ["Nobody casts spells here yet."]
    await desk.wait(1.0)
    await alric.sends(frame[:8] + (alric.number + 1).to_bytes(4, "little") + frame[12:])
    assert alric.lines() == [Wish.FORGED.value]
    assert alric.ended() is None
