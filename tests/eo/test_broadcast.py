"""What a word to many costs: one ciphertext, whoever listens through which door."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from eolib import (
    GlobalCloseClientPacket,
    GlobalOpenClientPacket,
    TalkMsgServerPacket,
    TalkPlayerServerPacket,
)
from wsproto.frame_protocol import FrameProtocol, Opcode

from protocol.eo import codec
from protocol.eo.ciphers import encrypt
from protocol.eo.websocket import WebSocketCodec
from protocol.wire.args import CodecArgs, Role
from tests.kit.eo_desk import Desk, Player

if TYPE_CHECKING:
    import pytest
    from eolib import Packet

LISTENERS = "abcd"
"""Names that differ by their last letter, and do not look alike."""


def through_a_browser(player: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on this client is reached through a WebSocket, which `wsproto` unpacks."""
    before, client = player.session.codec, player.client
    after = WebSocketCodec(CodecArgs(Role.SERVER, random.Random(1).randbytes))
    after.begin(before.server_multiple, before.client_multiple, before.sequence.start)
    player.session.codec = after
    frames, feed = FrameProtocol(client=True, extensions=[]), client.feed

    def unpack(data: bytes) -> list[Packet]:
        frames.receive_bytes(data)
        packets: list[Packet] = []
        for frame in frames.received_frames():
            assert frame.opcode is Opcode.BINARY
            assert isinstance(frame.payload, bytes | bytearray)
            packets += feed(bytes(frame.payload))
        return packets

    monkeypatch.setattr(client, "feed", unpack)


def heard(player: Player, kind: type[Packet], text: str) -> int:
    return sum(
        isinstance(packet, kind) and getattr(packet, "message", "") == text
        for packet in player.client.received
    )


async def test_a_word_costs_one_ciphertext(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk()
    speaker = await desk.enter("alric")
    listeners = [await desk.enter(f"berta{letter}") for letter in LISTENERS]
    deaf, browser, *_ = listeners
    await deaf.sends(deaf.client.bytes_of(GlobalCloseClientPacket()))  # type: ignore[no-untyped-call]
    through_a_browser(browser, monkeypatch)
    encrypted: list[bytes] = []

    def counted(data: bytes, multiple: int) -> bytes:
        encrypted.append(data)
        return encrypt(data, multiple)

    monkeypatch.setattr(codec, "encrypt", counted)
    await speaker.sends(speaker.client.say("hail"))
    assert [heard(player, TalkPlayerServerPacket, "hail") for player in listeners] == [1] * len(LISTENERS)
    assert len(encrypted) == 1

    encrypted.clear()
    await speaker.sends(speaker.client.say_to_all("news"))
    assert [heard(p, TalkMsgServerPacket, "news") for p in listeners] == [
        int(p is not deaf) for p in listeners
    ]
    assert len(encrypted) == 1


async def test_ears_that_were_closed_can_be_opened() -> None:
    desk = Desk()
    speaker, deaf = await desk.enter("alric"), await desk.enter("berta")
    await deaf.sends(deaf.client.bytes_of(GlobalCloseClientPacket()))  # type: ignore[no-untyped-call]
    await speaker.sends(speaker.client.say_to_all("news"))
    await deaf.sends(deaf.client.bytes_of(GlobalOpenClientPacket()))  # type: ignore[no-untyped-call]
    await speaker.sends(speaker.client.say_to_all("more news"))
    assert heard(deaf, TalkMsgServerPacket, "news") == 0
    assert heard(deaf, TalkMsgServerPacket, "more news") == 1
