"""What a harness has to know of each game, so that it is written once and parametrised with `GAMES`.

A further game joins with a class here or beside (nearly all of it names of its client's methods) and a line
in `GAMES`:

    class Conquer(Game):
        name, doors = "co", ("login", "game")
        variants = {"5065": lambda town: CoPlayer(town)}
        steps = (Step("login", ...), Step("enter", ..., phase=Phase.MENU), Step("walk", ..., phase=IN_WORLD))

Its player is a `tests.kit.players.Player` over a client without I/O; the port of its door goes into
`tests.kit.town.PORTS`. What a test asks of a game is documented at `tests.kit.game.Game`.
"""

from __future__ import annotations

import string
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, cast

import trio
from eolib import (
    CharacterPlayerServerPacket,
    CharacterRemoveClientPacket,
    CharacterTakeClientPacket,
    Direction,
    FileType,
    TalkMsgServerPacket,
    TalkPlayerServerPacket,
    TalkServerServerPacket,
    WelcomeAgreeClientPacket,
    encode_number,
)
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, BytesMessage, Request

from protocol.eo.codec import LARGEST_FRAME, EoCodec
from protocol.eo.numbers import encode_short
from protocol.eo.packets import CLIENT_PACKETS as EO_PACKETS
from protocol.eo.packets import encode as eo_encode
from protocol.eo.packets import fields_of, notes_of
from protocol.session import Phase
from protocol.uo.codec import LARGEST_PACKET, UoClientCodec, UoCodec
from protocol.uo.lengths import VARIABLE, Version, client_lengths
from protocol.uo.packets import CLIENT_PACKETS as UO_PACKETS
from protocol.uo.packets.base import CountedUtf16
from protocol.uo.packets.speech import UnicodeSpeech
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from protocol.wire.fields import CountedText, FixedText, ZeroText
from tests.kit import eo_strategies, strategies
from tests.kit.eq2_game import EverQuest2
from tests.kit.game import MARK, Game, Pair, Person, Step, who_is
from tests.kit.pipe import End
from tests.kit.players import PASSWORD, EoPlayer, Player, UoPlayer
from world.item import Item
from world.mobile import Mobile
from world.newcomers import all_items

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hypothesis import strategies as st

    from protocol.eo.view import EoView
    from protocol.family import Family
    from protocol.session import Session
    from protocol.wire.declare import Packet
    from tests.kit.eo_client import EoClient
    from tests.kit.players import Line
    from tests.kit.town import Town
    from tests.kit.uo_client import UoClient

# Ultima Online


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
_UO_NEWEST: Final[Version] = (7, 0, 102, 3)
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
        for size in (max(least, 5), max(least, 5) + 33):
            frame = bytearray(bytes([opcode]) + size.to_bytes(2, "big") + bytes(size - 3))
            if number > 0xFF:
                frame[4] = number & 0xFF
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
        serials = [session.mobile.serial, *_belongings(session.mobile)] if session.mobile is not None else []
        return [
            serial.to_bytes(4, "big") for serial in (*serials, *session.known, 0, 1, 0x7E000001, 0xFFFFFFFF)
        ]

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

    def steps_to(self, player: Player, heading: int) -> bytes:
        """See Game."""
        return _uo(player).walk_bytes(heading)

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


# Endless Online


class WebSocketEnd(End):
    """A browser's end of a connection: each send is one binary message."""

    def __init__(self, end: End) -> None:
        super().__init__(end._in, end._out, end.peer, end.local)
        self._ws = WSConnection(ConnectionType.CLIENT)
        self._open = False
        self._held = bytearray()
        super().send_nowait(self._ws.send(Request(host="localhost", target="/")))

    async def send_all(self, data: bytes) -> None:
        """In one message, as soon as the server has agreed to speak WebSocket."""
        if not self._open:
            self._held += data
        elif data:
            await super().send_all(self._ws.send(BytesMessage(data)))

    async def receive_some(self) -> bytes:
        """The contents of the messages that have arrived; b"" at the end."""
        found = b""
        while not found:
            data = await super().receive_some()
            if not data:
                return b""
            self._ws.receive_data(data)
            for event in self._ws.events():
                if isinstance(event, AcceptConnection):
                    self._open = True
                    held, self._held = bytes(self._held), bytearray()
                    await self.send_all(held)
                elif isinstance(event, BytesMessage):
                    found += bytes(event.data)
        return found


class EoWebPlayer(EoPlayer):
    """Somebody in front of eoweb."""

    door = "websocket"

    @property
    def end(self) -> Line:
        """Its end of the connection, in WebSocket messages."""
        if self._end is None:
            end = self.town.connect(self.game, self.door, peer=self.peer)
            assert isinstance(end, End)
            self._end = WebSocketEnd(end)
            self.gone = False
            self.town.nursery.start_soon(self._receive, self._end)
        return self._end


def _eo(player: Player) -> EoClient:
    assert isinstance(player, EoPlayer)
    return player.client


def _eo_login(player: Player) -> bytes:
    return _eo(player).login(who_is(player).account, PASSWORD)


def _eo_create(player: Player) -> bytes:
    """The form; a player who has a character asks for another instead."""
    client = _eo(player)
    return client.request_character() if client.menu else client.create_character(who_is(player).character)


def _eo_file(player: Player) -> bytes:
    client = _eo(player)
    wanted = WelcomeAgreeClientPacket.FileTypeDataEcf(file_id=1)
    return client.bytes_of(
        WelcomeAgreeClientPacket(file_type=FileType.Ecf, session_id=client.session_id, file_type_data=wanted)
    )


def _eo_take(player: Player) -> bytes:
    return _eo(player).bytes_of(CharacterTakeClientPacket(character_id=_eo(player).menu[0].id))


def _eo_remove(player: Player) -> bytes:
    client = _eo(player)
    allowed = client.last(CharacterPlayerServerPacket)
    return client.bytes_of(
        CharacterRemoveClientPacket(session_id=allowed.session_id, character_id=allowed.character_id)
    )


_EO_NOISE: Final = 24
_EO_UNKNOWN: Final = [
    bytes((action, family))
    for family in (0, 1, 5, 14, 50, 51, 128, 254, 255)
    for action in (0, 1, 9, 100, 254, 255)
    if family << 8 | action not in EO_PACKETS
]


class EndlessOnline(Game):
    """One connection; numbered and enciphered frames behind a length of two bytes."""

    name = "eo"
    doors = ("game", "websocket")
    variants: ClassVar = {"tcp": EoPlayer, "websocket": EoWebPlayer}
    steps = (
        Step("init", lambda p: _eo(p).init()),
        Step("accept", lambda p: _eo(p).accept()),
        Step("login", _eo_login, Phase.LOGIN),
        Step("request", lambda p: _eo(p).request_character(), Phase.MENU),
        Step("create", _eo_create, Phase.MENU),
        Step("select", lambda p: _eo(p).select(_eo(p).menu[0].id), Phase.MENU),
        Step("file", _eo_file, Phase.ENTERING),
        Step("enter", lambda p: _eo(p).enter(), Phase.ENTERING),
        Step("walk", lambda p: _eo(p).walk(Direction.Right), Phase.IN_WORLD),
        Step("say", lambda p: _eo(p).say("Hail!"), Phase.IN_WORLD),
        Step("face", lambda p: _eo(p).face(Direction.Up), Phase.IN_WORLD),
        Step("sit", lambda p: _eo(p).sit(), Phase.IN_WORLD),
        Step("refresh", lambda p: _eo(p).refresh(), Phase.IN_WORLD),
    )
    deleting = "select", (Step("take", _eo_take, Phase.MENU), Step("remove", _eo_remove, Phase.MENU))
    unknown: ClassVar = _EO_UNKNOWN
    lengths: ClassVar = [
        (encode_short(size), 2 <= size <= 8192)
        for size in (0, 1, 2, 3, 8191, 8192, 8193, LARGEST_FRAME - 3, LARGEST_FRAME - 2)
    ]

    def wire(self, player: Player, frame: bytes) -> bytes:
        """See Game."""
        return _eo(player).frame_of(frame)

    def wire_to(self, session: Session, frame: bytes) -> bytes:
        """See Game."""
        theirs = cast("EoCodec", session.codec)
        mine = EoCodec(CodecArgs(Role.CLIENT, bytes))
        upcoming = theirs.sequence.upcoming
        switches = frame[:2] == _EO_PONG and upcoming is not None
        start = upcoming if switches and upcoming is not None else theirs.sequence.start
        mine.begin(theirs.server_multiple, theirs.client_multiple, start)
        mine.sequence.counter = theirs.sequence.counter
        mine.send(Body(frame))
        return b"".join(mine.outgoing(0.0))

    def pair(self, door: str, family: Family, entropy: Callable[[int], bytes]) -> Pair:
        """See Game."""
        made = family.doors[door].codec
        server = cast("EoCodec", made(CodecArgs(Role.SERVER, entropy)))
        client = cast("EoCodec", made(CodecArgs(Role.CLIENT, entropy)))

        def heard(frame: bytes) -> None:
            if frame.startswith(b"\xff\xff"):
                greeting = server.greet()
                client.begin(greeting.server_multiple, greeting.client_multiple, server.sequence.start)

        return Pair(server, client, heard)

    def legal(self, number: int) -> Sequence[bytes]:
        """See Game. A number of 0 is written as 1, and a missing one reads as 0."""
        head = bytes((number & 0xFF, number >> 8))
        return head, head + b"\1" * _EO_NOISE, head + b"\0" * _EO_NOISE

    def random_frame(self, chance: random.Random, family: Family) -> bytes:
        """See Game."""
        opcodes = [entry.opcode for entry in family.doors["game"].table if entry.opcode != 0xFFFF]
        opcode = chance.choice(opcodes)
        noise = (chance.choice((chance.randrange(1, 254), 254, 255, 0)) for _ in range(chance.randrange(24)))
        return bytes((opcode & 0xFF, opcode >> 8)) + bytes(noise)

    def spices(self, session: Session) -> Sequence[bytes]:
        """See Game."""
        numbers = [0, 1, 2, 3, 10, 100, 252, 253, 64008, 64009, 16194276]
        if session.mobile is not None:
            mobile, figures = session.mobile, cast("EoView", session.family.view).figures
            numbers += [mobile.x, mobile.y, figures.player_id(mobile)]
            for thing in session.known.values():
                if isinstance(thing, Mobile):
                    is_npc = figures.is_npc(thing)
                    numbers.append(figures.npc_index(thing) if is_npc else figures.player_id(thing))
                numbers += [thing.x, thing.y]
        return [encode_number(number)[:size] for number in numbers for size in (1, 2)]

    def mended(self, frame: bytes) -> bytes:
        """See Game."""
        return frame

    def forgets(self, player: Player) -> None:
        """See Game."""
        assert isinstance(player, EoPlayer)
        player.got.clear()
        player.client.received.clear()
        player.raw.clear()

    def valid(self) -> Mapping[str, st.SearchStrategy[bytes]]:
        """See Game."""
        return {
            cls.__name__: eo_strategies.packets(cls).map(eo_encode)
            for number, cls in EO_PACKETS.items()
            if number != 0xFFFF
        }

    def with_text(self, number: int) -> Iterator[tuple[str, Callable[[bytes], bytes]]]:
        """See Game."""
        cls = EO_PACKETS.get(number)
        if cls is None:
            return
        for name, hint in fields_of(cls).items():
            if hint is str and "Length must be" not in notes_of(cls).get(name, ""):
                frame = eo_encode(eo_strategies.plainest(cls, {name: MARK}))
                if _MARK_BYTES in frame:  # one is the same in every packet
                    yield name, partial(frame.replace, _MARK_BYTES)

    def texts(self, text: str) -> Sequence[bytes]:
        """See Game."""
        return [text.encode("cp1252", "replace"), text.encode("utf-8", "surrogatepass")]

    def says(self, player: Player, text: str) -> bytes:
        """See Game."""
        return _eo(player).say(text)

    def heard(self, player: Player) -> list[str]:
        """See Game."""
        kinds = TalkPlayerServerPacket, TalkMsgServerPacket, TalkServerServerPacket
        assert isinstance(player, EoPlayer)
        return [packet.message for packet in player.got if isinstance(packet, kinds)]

    def steps_to(self, player: Player, heading: int) -> bytes:
        """See Game."""
        return _eo(player).walk(_EO_SIDES[heading])

    def logs_out(self, player: Player) -> bytes:
        """See Game."""
        return b""

    def keeps_alive(self, player: Player) -> bytes:
        """See Game."""
        return b""

    def believes(self, player: Player) -> set[object]:
        """See Game."""
        client = _eo(player)
        return {
            *(("player", number) for number in client.characters if number != client.player_id),
            *(("npc", number) for number in client.npcs),
            ("items", len(client.items)),
        }

    def should_believe(self, session: Session) -> set[object]:
        """See Game."""
        figures = cast("EoView", session.family.view).figures
        mobiles = [thing for thing in session.known.values() if isinstance(thing, Mobile)]
        return {
            *(("player", figures.player_id(mobile)) for mobile in mobiles if not figures.is_npc(mobile)),
            *(("npc", figures.npc_index(mobile)) for mobile in mobiles if figures.is_npc(mobile)),
            ("items", sum(isinstance(thing, Item) for thing in session.known.values())),
        }


_EO_PONG: Final = bytes((240, 1))
_EO_SIDES: Final = {0: Direction.Up, 2: Direction.Right, 4: Direction.Down, 6: Direction.Left}


_MARK_BYTES: Final = MARK.encode()


GAMES: Final[Mapping[str, Game]] = {
    game.name: game for game in (UltimaOnline(), EndlessOnline(), EverQuest2())
}
VARIANTS: Final = [(game, variant) for game, record in GAMES.items() for variant in record.variants]
STREAMS: Final = [game for game, record in GAMES.items() if not record.datagrams]
"""Those whose bytes come without bounds."""
DOORS: Final = [(game, door) for game, record in GAMES.items() for door in record.doors]
STREAM_DOORS: Final = [(game, door) for game, door in DOORS if game in STREAMS]


def session_of(town: Town, who: Person) -> Session:
    """The session that plays somebody's character."""
    mobile = town.mobile(who.character)
    return next(session for session in town.app.sessions() if session.mobile is mobile)


class Witnesses:
    """One player of each game who stand together and whom nothing that others do may disturb."""

    def __init__(self, town: Town, *, first: int = 20_000) -> None:
        self.town = town
        self.players = [(game, game.player(town), Person(first + n)) for n, game in enumerate(GAMES.values())]
        self._told = 0

    async def enter(self) -> None:
        """Come into the world, and stay alive there."""
        for game, player, who in self.players:
            await game.enters(player, who)
        self.town.nursery.start_soon(self._stay)

    async def _stay(self) -> None:
        while True:
            await trio.sleep(25)
            for game, player, _ in self.players:
                if not player.gone and (data := game.keeps_alive(player)):
                    await player.end.send_all(data)

    async def are_well(self) -> None:
        """They are answered, hear each other, see each other's steps, and believe what is so."""
        self._told += 1
        line = f"line {self._told}"
        for game, player, _ in self.players:
            assert not player.gone, f"the {game} player was thrown out"
            await player.sends(game.says(player, f"{line} in {game}"))
        headings = (2, 6) if self._told % 2 else (6, 2)
        for game, player, who in self.players:
            others = [f"{line} in {other}" for other, _, _ in self.players if other is not game]
            assert set(others) <= set(game.heard(player)), f"the {game} player is deaf"
            mobile = self.town.mobile(who.character)
            for heading in headings:
                before = mobile.x, mobile.y, mobile.heading
                await player.sends(game.steps_to(player, heading))
                after = mobile.x, mobile.y, mobile.heading
                assert after != before or mobile.heading == heading
        await trio.sleep(1)
        for game, player, who in self.players:
            session = session_of(self.town, who)
            assert game.believes(player) == game.should_believe(session), f"the {game} player sees ghosts"


def readable(text: str) -> bool:
    """Whether a line holds nothing but letters, figures, signs and blanks of ASCII."""
    return set(text) <= set(string.printable) - set("\t\n\r\x0b\x0c")


__all__ = [
    "DOORS",
    "GAMES",
    "MARK",
    "STREAMS",
    "STREAM_DOORS",
    "VARIANTS",
    "Game",
    "Pair",
    "Person",
    "Step",
    "Witnesses",
    "readable",
    "session_of",
]
