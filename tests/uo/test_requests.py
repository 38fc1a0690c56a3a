"""Everything that clients are known to send has a row, and whatever is a wish is answered."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from protocol.session import Phase
from protocol.uo.handlers import TABLE
from protocol.uo.packets import number_of_frame
from protocol.uo.packets.dialogs import (
    GumpAnswer,
)
from protocol.uo.packets.fighting import DeathAnswer
from protocol.uo.packets.misc import UNREAD, TargetAnswer
from protocol.uo.requests import requests
from protocol.uo.versions import (
    VARIABLE,
    client_lengths,
)
from protocol.wishes import Idle, Unmet, Wish
from tests.kit.uo_stage import NEWEST, Scene, heard, pressed
from world.reach import Refusal

ROOT = Path(__file__).parents[2]
KNOWN = tomllib.loads((ROOT / "data/uo/requests.toml").read_text())["requests"]
GOLDEN = json.loads((ROOT / "tests/golden/uo/packet_lengths.json").read_text())


def frame_of(number: int) -> bytes:
    """A packet of that number with nothing but zeros in it."""
    opcode, kind = (number, 0) if number <= 0xFF else (number >> 8, number & 0xFF)
    size = client_lengths(NEWEST)[opcode]
    frame = bytearray(size if size != VARIABLE else 24)
    frame[0] = opcode
    if size == VARIABLE:
        frame[1:3] = len(frame).to_bytes(2, "big")
    if number > 0xFF:
        at = 3 if opcode == 0xBF else 7
        frame[at : at + 2] = (kind or 0x7FFF).to_bytes(2, "big")
    return bytes(frame)


def test_the_list_names_what_clients_are_known_to_send_and_nothing_else() -> None:
    rows = [request.key for request in requests() if not request.key.endswith(":other")]
    assert len(rows) == len(set(rows))
    others = {"0xBF:0x00", "0xD7:0x00"}  # any other of their kind
    assert set(rows) - others == set(KNOWN)


def test_the_list_holds_every_opcode_that_a_client_sends() -> None:
    opcodes = {key.partition(":")[0] for key in KNOWN}
    sent = {f"0x{op}" for op in GOLDEN["sent_by_client_7_0_102"]}
    servuo = {f"0x{row['op']}" for row in GOLDEN["servuo_incoming"]}
    assert sent | servuo <= opcodes
    assert opcodes == {f"0x{op:02X}" for op in client_lengths(NEWEST)}


def test_only_what_carries_no_wish_is_passed_over() -> None:
    silent = {request.key for request in requests() if isinstance(request.answer, Idle)}
    god_client = "04 0A 14 47 48 58 61 79 7E 96 9D"
    telemetry = "8D A4 BB BE C9 CA D0 D9 E1 F4 FB"
    assert silent == {f"0x{op}" for op in f"{god_client} {telemetry}".split()} | {
        *("0xBF:0x05", "0xBF:0x0B", "0xBF:0x0C", "0xBF:0x0F", "0xBF:0x1E", "0xBF:0x24", "0x12:0x00")
    }


@pytest.mark.parametrize("number", UNREAD, ids="{:04X}".format)
def test_what_nothing_reads_is_told_in_words_if_it_is_a_wish(number: int) -> None:
    scene = Scene()
    session = scene.session(scene.person())
    frame = frame_of(number)
    assert number_of_frame(frame) == number
    entry = TABLE.entry(number)
    assert entry is not None
    assert entry.phases == frozenset(Phase)
    assert pressed(scene, session, frame) == []
    expected = [entry.handler.wish.value] if isinstance(entry.handler, Unmet) else []
    assert heard(scene) == expected
    pressed(scene, session, frame)
    assert heard(scene) == [], "within a second the same line does not come again"
    session.mobile = None
    assert pressed(scene, session, frame) == []


def test_answers_to_what_nobody_asked() -> None:
    scene = Scene()
    mobile = scene.person()
    session = scene.session(mobile)
    scene.send(session, TargetAnswer(0, 1, 0, 0, 0xFFFF, 0xFFFF, 0, 0))
    assert heard(scene) == [], "the cursor was closed"
    scene.send(session, TargetAnswer(0, 1, 0, mobile.serial, 0, 0, 0, 0))
    assert heard(scene) == [Wish.UNASKED.value]
    scene.send(session, GumpAnswer(5, 5, 0, (), ()))
    assert heard(scene) == [], "a window was closed"
    scene.send(session, GumpAnswer(5, 5, 1, (), ()))
    assert heard(scene) == [Refusal.GONE.value]
    # ClassicUO's answer of the virtue symbol ends behind the button.
    pressed(scene, session, bytes.fromhex("b1 000f 00000001 000001cd 00000001"))
    assert heard(scene) == [Wish.VIRTUES.value]
    scene.send(session, DeathAnswer(2))
    assert heard(scene) == []
    scene.send(session, DeathAnswer(1))
    assert heard(scene) == [Refusal.ALIVE.value]
    mobile.dead = True
    scene.send(session, DeathAnswer(1))
    assert heard(scene) == [Refusal.NO_HEALER.value]
