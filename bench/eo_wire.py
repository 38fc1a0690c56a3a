"""What Endless Online's wire costs per packet: python bench/eo_wire.py

Prints microseconds per call, the best of several repeats, ours beside eolib's byte loops, and their ratio.
"""

import random
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from timeit import repeat

sys.path.insert(0, str(Path(__file__).parents[1]))

import eolib
from eolib import Packet

from protocol.eo.ciphers import decrypt, encrypt
from protocol.eo.codec import EoCodec
from protocol.eo.packets import decoder, encode
from protocol.eo.websocket import WebSocketCodec
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from tests.kit.eo_peer import eolib_bytes, eolib_read

MULTIPLE = 7


def microseconds(call: Callable[[], object]) -> float:
    """Best of five runs of at least some milliseconds each."""
    number = 1
    while min(repeat(call, number=number, repeat=1)) < 0.005:
        number *= 2
    return min(repeat(call, number=number, repeat=5)) / number * 1e6


def eolib_encrypt(data: bytes) -> bytes:
    buffer = bytearray(data)
    eolib.swap_multiples(buffer, MULTIPLE)
    eolib.flip_msb(buffer)
    eolib.interleave(buffer)
    return bytes(buffer)


def eolib_decrypt(data: bytes) -> bytes:
    buffer = bytearray(data)
    eolib.deinterleave(buffer)
    eolib.flip_msb(buffer)
    eolib.swap_multiples(buffer, MULTIPLE)
    return bytes(buffer)


def compare(title: str, ours: Callable[[], object], theirs: Callable[[], object]) -> None:
    """One line: ours, eolib's, how many times faster."""
    mine, other = microseconds(ours), microseconds(theirs)
    print(f"{title:34} {mine:9.2f} us   eolib {other:9.2f} us   {other / mine:6.1f} x")


def encryption() -> None:
    """Both directions at three sizes."""
    for size in (12, 64, 1000):
        data = random.Random(size).randbytes(size)
        cipher = encrypt(data, MULTIPLE)
        assert cipher == eolib_encrypt(data)
        compare(f"encrypt {size} bytes", partial(encrypt, data, MULTIPLE), partial(eolib_encrypt, data))
        compare(f"decrypt {size} bytes", partial(decrypt, cipher, MULTIPLE), partial(eolib_decrypt, cipher))


def decoding() -> None:
    """The packets a server reads most."""
    coords = eolib.Coords(x=10, y=20)
    walk = eolib.WalkAction(direction=eolib.Direction.Up, timestamp=1234567, coords=coords)
    for packet in (
        eolib.WalkPlayerClientPacket(walk_action=walk),
        eolib.FacePlayerClientPacket(direction=eolib.Direction.Left),
        eolib.TalkReportClientPacket(message="hello everybody out there"),
        eolib.EmoteReportClientPacket(emote=eolib.Emote.Happy),
        eolib.RangeRequestClientPacket(player_ids=[1, 2, 300], npc_indexes=[1, 2]),
    ):
        frame, cls = encode(packet), type(packet)
        compare(f"decode {cls.__name__}", partial(decoder(cls), frame), partial(eolib_read, cls, frame))


def encoding() -> None:
    """The packets a server says most, made already."""
    coords = eolib.Coords(x=10, y=20)
    packets: list[Packet] = [
        eolib.WalkPlayerServerPacket(player_id=300, direction=eolib.Direction.Up, coords=coords),
        eolib.TalkPlayerServerPacket(player_id=300, message="hello everybody out there"),
        eolib.NpcPlayerServerPacket(
            positions=[
                eolib.NpcUpdatePosition(npc_index=index, coords=coords, direction=eolib.Direction.Up)
                for index in range(20)
            ],
            attacks=[],
            chats=[],
        ),
    ]
    for packet in packets:
        compare(f"encode {type(packet).__name__}", partial(encode, packet), partial(eolib_bytes, packet))


def codecs() -> None:
    """A broadcast to one more client with known multiple, and a whole walk from the stream to its frame."""
    body = Body(encode(eolib.TalkPlayerServerPacket(player_id=300, message="hello everybody out there")))
    for cls in (EoCodec, WebSocketCodec):
        args = CodecArgs(Role.SERVER, random.Random(1).randbytes)
        server = cls(args)
        server.begin(MULTIPLE, MULTIPLE, 0)

        def one_more(server: EoCodec = server) -> None:
            server.send(body)
            server.outgoing(0.0)

        print(f"{cls.__name__ + ' send, shared':34} {microseconds(one_more):9.2f} us")

    client = EoCodec(CodecArgs(Role.CLIENT, random.Random(1).randbytes))
    client.begin(MULTIPLE, MULTIPLE, 0)
    coords = eolib.Coords(x=10, y=20)
    walk = eolib.WalkAction(direction=eolib.Direction.Up, timestamp=1234567, coords=coords)
    for _ in range(10):
        client.send(Body(encode(eolib.WalkPlayerClientPacket(walk_action=walk))))
    ten = b"".join(client.outgoing(0.0))
    reader = EoCodec(CodecArgs(Role.SERVER, random.Random(1).randbytes))
    reader.begin(MULTIPLE, MULTIPLE, 0)

    def ten_walks() -> None:
        reader.receive(ten, 0.0)
        while reader.next_frame() is not None:
            pass

    print(f"{'EoCodec next_frame, a walk':34} {microseconds(ten_walks) / 10:9.2f} us")


if __name__ == "__main__":
    encryption()
    decoding()
    encoding()
    codecs()
