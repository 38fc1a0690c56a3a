"""The rest: pings, and everything a client may send that nothing here acts on yet."""

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

from protocol.uo.packets.base import ClientPacket, ServerPacket, packet
from protocol.wire.declare import Header
from protocol.wire.fields import U8


@packet(0x73, length=2)
class Ping(ClientPacket):
    """Are you there? (0x73, PingReq)"""

    number: U8


@packet(0x73, length=2)
class Pong(ServerPacket):
    """I am (0x73, PingAck): the same number."""

    number: U8


UNHEEDED: Final[Mapping[int, str]] = {
    0x04: "god mode",
    0x0A: "god client: edit",
    0x14: "god client",
    0x3A: "skill lock",
    0x3B: "buy items",
    0x47: "god client: new terrain",
    0x48: "god client: new animation",
    0x56: "map pins",
    0x58: "god client: new region",
    0x61: "god client: delete static",
    0x66: "book pages",
    0x6F: "trade",
    0x71: "bulletin board",
    0x75: "rename a pet",
    0x79: "god client: resources",
    0x7D: "menu choice",
    0x7E: "god client: view",
    0x8D: "create a character (Kingdom Reborn and enhanced clients)",
    0x93: "book title",
    0x95: "dye",
    0x96: "god client: game monitor",
    0x9A: "answer to an ASCII prompt",
    0x9D: "god client: GM tool",
    0x9F: "sell items",
    0xA4: "the machine it runs on (old)",
    0xA7: "next tip",
    0xAC: "answer to a text entry",
    0xB6: "help text of a thing",
    0xBB: "account id",
    0xBE: "assist version",
    0xC2: "answer to a Unicode prompt",
    0xC9: "trip time",
    0xCA: "trip time",
    0xD0: "configuration file",
    0xD4: "book title (new)",
    0xD7: "extended: houses, abilities, guild, quests",
    0xD9: "the machine it runs on",
    0xDA: "mahjong",
    0xE1: "client type",
    0xEC: "equip macro",
    0xED: "unequip macro",
    0xF0: "assistant protocol",
    0xF4: "crash report",
    0xFA: "open the store",
    0xFB: "public house content",
    0xBF05: "screen size",
    0xBF07: "quest arrow",
    0xBF09: "disarm",
    0xBF0A: "stun",
    0xBF0B: "language",
    0xBF0C: "status bar closed",
    0xBF0E: "action of the 3D client",
    0xBF0F: "client type",
    0xBF13: "context menu",
    0xBF15: "context menu choice",
    0xBF1A: "stat lock",
    0xBF1C: "cast a spell",
    0xBF1E: "house design",
    0xBF24: "nothing known",
    0xBF2A: "race change",
    0xBF2C: "use a bandage on a target",
    0xBF2D: "spell on a target",
    0xBF2E: "skill on a target",
    0xBF30: "target by resource",
    0xBF32: "fly",
    0xBF33: "steer a boat",
    0xBF00: "any other extended packet",
}
"""By packet number: what clients send that changes nothing here. Known, so that it ends nobody."""


class Unheeded(ClientPacket):
    """Base of the packets that nothing here acts on: the whole frame, unread."""

    __slots__ = ("frame",)

    header: ClassVar[Header] = Header(b"")
    title: ClassVar[str] = ""

    def __init__(self, frame: bytes) -> None:
        self.frame = frame

    @classmethod
    def read(cls, data: bytes, at: int) -> "tuple[Unheeded, int]":
        """The frame as it is."""
        return cls(data[at:]), len(data)

    def write(self, out: bytearray) -> None:
        """Append the frame."""
        out += self.frame


def unheeded() -> Iterator[type[Unheeded]]:
    """One class for each of `UNHEEDED`."""
    for opcode, title in UNHEEDED.items():
        name = f"Unheeded{opcode:02X}"
        text = f"{title[0].upper()}{title[1:]} (0x{opcode:02X}): tolerated, not acted on."
        scope = {"__slots__": (), "__doc__": text, "__module__": __name__, "opcode": opcode, "title": title}
        yield type(name, (Unheeded,), scope)
