"""Ultima Online as harnesses see it (`tests.kit.game`)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Final, cast

from protocol.session import Phase
from protocol.uo.codec import LARGEST_PACKET, UoClientCodec, UoCodec
from protocol.uo.packets import CLIENT_PACKETS as UO_PACKETS
from protocol.uo.packets.base import CountedUtf16
from protocol.uo.packets.talk import UnicodeSpeech
from protocol.uo.trading import boxes, numbered
from protocol.uo.versions import VARIABLE, VersionNumber, client_lengths
from protocol.wire.args import CodecArgs, Role
from protocol.wire.fields import CountedText, FixedText, ZeroText
from tests.kit import strategies
from tests.kit.game import Game, Heard, Pair, Sight, Step, who_is
from tests.kit.players import PASSWORD, Player, UoPlayer
from world.newcomers import all_items

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hypothesis import strategies as st

    from protocol.family import Family
    from protocol.session import Session
    from protocol.wire.declare import Packet
    from tests.kit.uo_client import UoClient
    from world.mobile import Mobile


def _uo(player: Player) -> UoClient:
    assert isinstance(player, UoPlayer)
    return player.client


def _uo_login(player: Player) -> bytes:
    return _uo(player).login_bytes(who_is(player).account, PASSWORD)


def _uo_game(player: Player) -> bytes:
    return _uo(player).game_bytes(who_is(player).account, PASSWORD)


def _uo_enter(player: Player) -> bytes:
    client = _uo(player)
    if client.characters:
        return client.play_bytes(0, client.characters[0])
    return client.create_bytes(who_is(player).character)


_UO: Final = UoCodec(CodecArgs(Role.SERVER, bytes))
_UO_NEWEST: Final[VersionNumber] = (7, 0, 102, 3)
_UO_LENGTHS: Final = client_lengths(_UO_NEWEST)
_UO_KNOWN: Final = {cls.opcode: cls for cls in UO_PACKETS}


class UltimaOnline(Game):
    """Two connections: one that logs in, one that plays. Framing is a table of lengths."""

    name = "uo"
    doors = ("game",)
    variants: ClassVar = {
        "7.0.102.3": UoPlayer,
        "7.0.102.3-encrypted": lambda town: UoPlayer(town, encrypted=True),
        "5.0.9.1": lambda town: UoPlayer(town, (5, 0, 9, 1)),
        "5.0.9.1-encrypted": lambda town: UoPlayer(town, (5, 0, 9, 1), encrypted=True),
        "2.0.4.0": lambda town: UoPlayer(town, (2, 0, 4, 0)),
    }
    steps = (
        Step("login", _uo_login),
        Step("server", lambda p: _uo(p).select_server_bytes(_uo(p).servers[0][0]), Phase.MENU),
        Step("game", _uo_game, redials=True),
        Step("enter", _uo_enter, Phase.MENU),
        Step("walk", lambda p: _uo(p).walk_bytes(2), Phase.IN_WORLD),
        Step("say", lambda p: _uo(p).say_bytes("Hail!"), Phase.IN_WORLD),
        Step("click", lambda p: _uo(p).click_bytes(1), Phase.IN_WORLD),
        Step("ping", lambda p: _uo(p).raw_bytes(b"\x73\x07"), Phase.IN_WORLD),
        Step("range", lambda p: _uo(p).view_range_bytes(16), Phase.IN_WORLD),
        Step("resync", lambda p: _uo(p).resync_bytes(), Phase.IN_WORLD),
        Step("logout", lambda p: _uo(p).logout_bytes(), Phase.IN_WORLD),
    )
    deleting = "enter", (Step("delete", lambda p: _uo(p).delete_bytes(0), Phase.MENU),)
    unknown: ClassVar = [
        *(bytes([opcode, 0, 5, 0, 0]) for opcode in range(256) if opcode not in _UO_LENGTHS),
        *(bytes([0xBF, 0, 5, number >> 8, number & 255]) for number in (0x34, 0xFF, 0x100, 0xBF05, 0xFFFF)),
    ]
    lengths: ClassVar = [
        (bytes([opcode]) + size.to_bytes(2, "big"), 3 <= size <= LARGEST_PACKET)
        for opcode in (0xAD, 0x03, 0xB1, 0xBF, 0xD6)
        for size in (0, 1, 2, 3, 4, LARGEST_PACKET - 1, LARGEST_PACKET, LARGEST_PACKET + 1, 0x7FFF, 0xFFFF)
    ]

    def wire(self, player: Player, frame: bytes) -> bytes:
        """See Game."""
        return _uo(player).raw_bytes(frame)

    def begins(self, player: Player, beginning: bytes) -> bytes:
        """See Game."""
        return _uo(player).raw_bytes(beginning)

    def wire_to(self, session: Session, frame: bytes) -> bytes:
        """See Game."""
        return frame

    def pair(self, door: str, family: Family, entropy: Callable[[int], bytes]) -> Pair:
        """See Game."""
        client = UoClientCodec(CodecArgs(Role.CLIENT, entropy, {"version": _UO_NEWEST}))
        return Pair(
            family.doors[door].codec(CodecArgs(Role.SERVER, entropy)),
            client,
            lambda frame: None,
            lambda: client.open_login(0x0100007F),
        )

    def legal(self, number: int) -> Sequence[bytes]:
        """See Game."""
        opcode = number >> 8 if number > 0xFF else number
        if number == 0x080E or opcode not in _UO_LENGTHS:
            return ()  # the old layout of 0x08 is another version's
        size = _UO_LENGTHS[opcode]
        if size != VARIABLE:
            return (bytes([opcode]) + bytes(size - 1),)
        least = _UO_KNOWN[number].minimum if number in _UO_KNOWN else 3
        frames = []
        at = 8 if opcode == 0xD7 else 4
        for size in (max(least, at + 1), max(least, at + 1) + 33):
            frame = bytearray(bytes([opcode]) + size.to_bytes(2, "big") + bytes(size - 3))
            if number > 0xFF:
                frame[at] = number & 0xFF
            frames.append(bytes(frame))
        return frames

    def random_frame(self, chance: random.Random, family: Family) -> bytes:
        """See Game."""
        opcode = chance.choice(_UO_OPCODES)
        size = _UO_LENGTHS[opcode]
        if size != VARIABLE:
            return bytes([opcode]) + chance.randbytes(size - 1)
        size = chance.choice((3, 5, 7, 9, 12, 20, 40, 200))
        body = bytearray(chance.randbytes(size - 3))
        if opcode == 0xBF and len(body) >= 2:
            body[0:2] = chance.randrange(0x40).to_bytes(2, "big")
        return bytes([opcode]) + size.to_bytes(2, "big") + bytes(body)

    def spices(self, session: Session) -> Sequence[bytes]:
        """See Game."""
        mobile = session.mobile
        serials = [mobile.serial, *_belongings(mobile)] if mobile is not None else []
        if mobile is not None and mobile.trade is not None:
            own, against = mobile.trade.side(mobile).copy(), mobile.trade.against(mobile)
            serials += [*boxes(against.mobile.serial), *numbered(own, against.copy())]
        return [
            serial.to_bytes(4, "big") for serial in (*serials, *session.known, 0, 1, 0x7E000001, 0xFFFFFFFF)
        ]

    def spelled(self, number: int) -> Sequence[bytes]:
        """See Game."""
        return [(number & 2 ** (8 * size) - 1).to_bytes(size, "big") for size in (4, 2)]

    def mended(self, frame: bytes) -> bytes:
        """See Game."""
        size = _UO_LENGTHS.get(frame[0])
        if size:
            return frame[:size].ljust(size, b"\0")
        return _sized(frame) if size == VARIABLE and 3 <= len(frame) <= LARGEST_PACKET else frame

    def forgets(self, player: Player) -> None:
        """See Game."""
        client = _uo(player)
        assert isinstance(player, UoPlayer)
        for kept in (player.got, client.packets, client.lines):
            kept.clear()
        player.raw.clear()

    def valid(self) -> Mapping[str, st.SearchStrategy[bytes]]:
        """See Game."""
        return {
            cls.__name__: strategies.strategy_for(cls).map(lambda packet: packet.encode())
            for cls in UO_PACKETS
            if cls.opcode != 0x080E
        }

    def with_text(self, number: int) -> Iterator[tuple[str, Callable[[bytes], bytes]]]:
        """See Game."""
        cls = _UO_KNOWN.get(number)
        if cls is None or number == 0x080E:
            return
        if cls is UnicodeSpeech:
            head = bytes([0xAD, 0, 0, 0, 0, 0x34, 0, 3])
            yield "language", lambda raw: _sized(head + raw[:4].ljust(4, b"\0") + b"\0h\0i\0\0")
            yield "text", lambda raw: _sized(head + b"ENU\0" + raw + b"\0\0")
            return
        members = [
            m for m in cls.MEMBERS if isinstance(m.field, FixedText | ZeroText | CountedText | CountedUtf16)
        ]
        for member in members:
            yield member.name, _filled(cls, member.name)

    def texts(self, text: str) -> Sequence[bytes]:
        """See Game."""
        return [
            text.encode("latin-1", "replace"),
            text.encode("utf-8", "surrogatepass"),
            text.encode("utf-16-be", "surrogatepass"),
            text.encode("utf-16-le", "surrogatepass"),
        ]

    def says(self, player: Player, text: str) -> bytes:
        """See Game."""
        return _uo(player).say_bytes(text)

    def heard(self, player: Player) -> list[str]:
        """See Game."""
        return _uo(player).said()

    def spoken_to(self, player: Player) -> list[Heard]:
        """See Game. What is not said aloud comes as a line of the system's."""
        found = []
        for line in _uo(player).lines:
            if line.name == "System":
                words = _FROM_AFAR.fullmatch(line.text)
                if words is not None:
                    how = "tell" if words["teller"] else "global"
                    found.append(Heard(how, words["teller"] or words["caller"], words["words"]))
            elif line.kind in _WAYS:
                found.append(Heard(_WAYS[line.kind], line.name, line.text))
        return found

    echoes = frozenset({"say", "yell", "global"})

    def gestures_of(self, player: Player, mobile: Mobile) -> list[object]:
        """See Game: animations (0xE2, 0x6E), or words over the head."""
        client = _uo(player)
        moved = [
            "animation"
            for packet in client.packets
            if packet[0] in (0xE2, 0x6E) and int.from_bytes(packet[1:5], "big") == mobile.serial
        ]
        said = [line.text for line in client.lines if line.serial == mobile.serial and line.kind == 2]
        return [*moved, *said]

    def sees(self, player: Player, mobile: Mobile) -> Sight | None:
        """See Game. Names have to be asked for, and nobody can sit."""
        client = _uo(player)
        me = client.player
        seen = me if me is not None and me.serial == mobile.serial else client.mobiles.get(mobile.serial)
        if seen is None:
            return None
        now, most = seen.hits
        hits = now * 100 / most if most else None
        return Sight(None, seen.x, seen.y, seen.heading, hits, seen.body in _GHOSTS, None)

    def own_hits(self, player: Player) -> tuple[int, int]:
        """See Game."""
        me = _uo(player).player
        assert me is not None
        return me.hits

    def corrections(self, player: Player) -> int:
        """See Game: steps that were refused."""
        assert isinstance(player, UoPlayer)
        return len(player.of(0x21))

    def steps_to(self, player: Player, heading: int) -> bytes:
        """See Game."""
        return _uo(player).walk_bytes(heading)

    async def walks(self, player: Player, heading: int) -> None:
        """See Game: the first of two turns."""
        assert isinstance(player, UoPlayer)
        await player.walks(heading)

    def logs_out(self, player: Player) -> bytes:
        """See Game."""
        return _uo(player).logout_bytes()

    def keeps_alive(self, player: Player) -> bytes:
        """See Game."""
        return _uo(player).raw_bytes(b"\x73\x00")

    def believes(self, player: Player) -> set[object]:
        """See Game."""
        client = _uo(player)
        return {*client.mobiles, *(serial for serial in client.items if serial < _FIRST_SCENERY)}

    def should_believe(self, session: Session) -> set[object]:
        """See Game."""
        return set(session.known)


def _belongings(mobile: Mobile) -> Iterator[int]:
    """Serials of what it wears and carries."""
    for item in all_items(mobile):
        yield item.serial


_WAYS: Final = {0: "say", 2: "emote", 9: "yell"}
"""Kinds of lines over somebody's head."""

_FROM_AFAR: Final = re.compile(r"(?:(?P<teller>\w+) tells you: |\[(?P<caller>\w+)\] )(?P<words>.*)")

_GHOSTS: Final = (402, 403)
"""Bodies."""

_FIRST_SCENERY: Final = 0x7E000000
_UO_OPCODES: Final = [opcode for opcode in sorted(_UO_LENGTHS) if opcode not in (0x01, 0xD1)]
"""Without those by which a client leaves."""


def _sized(frame: bytes) -> bytes:
    return frame[:1] + len(frame).to_bytes(2, "big") + frame[3:]


def _filled(cls: type, name: str) -> Callable[[bytes], bytes]:
    """How to make a frame of a declared packet with given bytes in one of its texts; the rest is zeros."""
    packet = cast("type[Packet]", cls)

    def make(raw: bytes) -> bytes:
        out = bytearray(packet.header.prefix)
        for member in packet.MEMBERS:
            field = member.field
            mine = member.name == name
            match field:
                case FixedText(size=size):
                    out += (raw if mine else b"").ljust(size, b"\0")[:size]
                case ZeroText(wide=wide):
                    out += (raw if mine else b"") + bytes(2 if wide else 1)
                case CountedText(unit=unit):
                    text = raw[: len(raw) // unit * unit] if mine else b""
                    out += (len(text) // unit).to_bytes(2, "big") + text
                case CountedUtf16():
                    out += (len(raw) if mine else 0).to_bytes(2, "big") + (raw if mine else b"")
                case _:
                    out += bytes(field.minimum)
        at = packet.header.length_at
        if at is not None:
            out[at : at + 2] = len(out).to_bytes(2, "big")
        return bytes(out)

    return make
