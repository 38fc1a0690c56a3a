"""Endless Online as harnesses see it (`tests.kit.game`)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, cast

from eolib import (
    CharacterPlayerServerPacket,
    CharacterRemoveClientPacket,
    CharacterTakeClientPacket,
    Direction,
    EmotePlayerServerPacket,
    FileType,
    RefreshReplyServerPacket,
    TalkMsgServerPacket,
    TalkPlayerServerPacket,
    TalkRequestServerPacket,
    TalkServerServerPacket,
    TalkTellServerPacket,
    WarpRequestServerPacket,
    WelcomeAgreeClientPacket,
    encode_number,
)
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, BytesMessage, Request

from protocol.eo.codec import LARGEST_FRAME, EoCodec
from protocol.eo.packets import CLIENT_PACKETS as EO_PACKETS
from protocol.eo.packets import encode as eo_encode
from protocol.eo.packets.base import encode_short
from protocol.eo.packets.describe import fields_of, notes_of
from protocol.session import Phase
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from tests.kit import eo_strategies
from tests.kit.eo_picture import NAKED, Dolls
from tests.kit.game import MARK, Game, Heard, Pair, Sight, Step, who_is
from tests.kit.pipe import End
from tests.kit.players import PASSWORD, EoPlayer, Player
from world.item import Item
from world.mobile import Mobile

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hypothesis import strategies as st

    from protocol.eo.view import EoView
    from protocol.family import Family
    from protocol.session import Session
    from tests.kit.eo_client import EoClient
    from tests.kit.players import Line


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


MOST_OF: Final = {2: 253**2, 4: 253**4}
"""By the width of a number: how many there are."""


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
            numbers += [mobile.x, mobile.y, figures.player_id(mobile), *figures.amounts(mobile)]
            for thing in session.known.values():
                if isinstance(thing, Mobile):
                    is_npc = figures.is_npc(thing)
                    numbers.append(figures.npc_index(thing) if is_npc else figures.player_id(thing))
                numbers += [thing.x, thing.y]
        return [encode_number(number)[:size] for number in numbers for size in (1, 2)]

    def number_of(self, session: Session, mobile: Mobile) -> int:
        """See Game."""
        return cast("EoView", session.family.view).figures.player_id(mobile)

    def spelled(self, number: int) -> Sequence[bytes]:
        """See Game."""
        return [encode_number(number % MOST_OF[size])[:size] for size in (4, 2)]

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
        kinds = TalkPlayerServerPacket, TalkMsgServerPacket, TalkServerServerPacket, TalkRequestServerPacket
        assert isinstance(player, EoPlayer)
        return [packet.message for packet in player.got if isinstance(packet, kinds)]

    def spoken_to(self, player: Player) -> list[Heard]:
        """See Game. Who says something nearby is told by number alone, and shouts and gestures in words look
        the same."""
        assert isinstance(player, EoPlayer)
        found = []
        for packet in player.got:
            if isinstance(packet, TalkPlayerServerPacket):
                drawn = _eo(player).characters.get(packet.player_id)
                who = drawn.info.name if drawn is not None and drawn.info is not None else ""
                found.append(Heard("say", who.capitalize(), packet.message))
            elif isinstance(packet, TalkTellServerPacket):
                found.append(Heard("tell", packet.player_name.capitalize(), packet.message))
            elif isinstance(packet, TalkMsgServerPacket):
                found.append(Heard("global", packet.player_name.capitalize(), packet.message))
        return found

    def gestures_of(self, player: Player, mobile: Mobile) -> list[object]:
        """See Game: pictures, or words where there is none."""
        assert isinstance(player, EoPlayer)
        number, found = _number(player.client, mobile), list[object]()
        for packet in player.got:
            if isinstance(packet, EmotePlayerServerPacket) and packet.player_id == number:
                found.append(packet.emote)
            elif isinstance(packet, TalkPlayerServerPacket) and packet.player_id == number:
                found += [packet.message] if packet.message.startswith("*") else []
        return found

    def sees(self, player: Player, mobile: Mobile) -> Sight | None:
        """See Game. A ghost is who wears nothing but a robe; how others are is not shown."""
        number = _number(_eo(player), mobile)
        if number is None:
            return None
        seen = _eo(player).characters[number]
        assert seen.info is not None
        heading = next(heading for heading, side in _EO_SIDES.items() if side is seen.direction)
        ghost = seen.dolls == Dolls(armor=seen.dolls.armor) != NAKED
        return Sight(seen.info.name.capitalize(), seen.x, seen.y, heading, None, ghost, bool(seen.sitting))

    def own_hits(self, player: Player) -> tuple[int, int]:
        """See Game."""
        client = _eo(player)
        assert client.selected is not None
        return client.hp, client.selected.stats.max_hp

    def corrections(self, player: Player) -> int:
        """See Game."""
        assert isinstance(player, EoPlayer)
        return len(player.of(WarpRequestServerPacket)) + len(player.of(RefreshReplyServerPacket))

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


def _number(client: EoClient, mobile: Mobile) -> int | None:
    """What the client knows somebody by."""
    drawn = client.characters.items()
    name = mobile.name.lower()
    return next((n for n, it in drawn if it.info is not None and it.info.name.lower() == name), None)


_EO_PONG: Final = bytes((240, 1))
_EO_SIDES: Final = {0: Direction.Up, 2: Direction.Right, 4: Direction.Down, 6: Direction.Left}

_MARK_BYTES: Final = MARK.encode()
