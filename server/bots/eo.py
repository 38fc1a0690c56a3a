"""An Endless Online bot: client 0.0.28 on plain TCP.

A step is answered to its maker by Walk_Reply, a turn is not: who wants to know how long a turn takes has to
ask a neighbour when it saw Face_Player. A step costs 480 ms in this game, so at 2.5 moves a second every
other move is a turn.

The server pings once a minute, and every answer changes the numbers that all later packets carry. A bot that
decodes nothing finds the ping by its pattern: it is the only packet of seven bytes with its action and
family, and their ciphertext does not depend on the connection's key (Connection_Player is 8, 1: 1 is
divisible by none of the keys 6 to 12, so both stay where they are).
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, ClassVar, Final

from eolib import (
    CharacterCreateClientPacket,
    CharacterMapInfo,
    CharacterReplyServerPacket,
    CharacterRequestClientPacket,
    CharacterSelectionListEntry,
    ConnectionAcceptClientPacket,
    ConnectionPingClientPacket,
    ConnectionPlayerServerPacket,
    Coords,
    Direction,
    FacePlayerClientPacket,
    FacePlayerServerPacket,
    Gender,
    InitInitClientPacket,
    InitInitServerPacket,
    LoginReplyServerPacket,
    LoginRequestClientPacket,
    RefreshReplyServerPacket,
    TalkAnnounceServerPacket,
    TalkPlayerServerPacket,
    TalkReportClientPacket,
    TalkServerServerPacket,
    Version,
    WalkAction,
    WalkPlayerClientPacket,
    WalkReplyServerPacket,
    WarpAcceptClientPacket,
    WarpAgreeServerPacket,
    WarpRequestServerPacket,
    WelcomeCode,
    WelcomeMsgClientPacket,
    WelcomeReplyServerPacket,
    WelcomeRequestClientPacket,
    decode_number,
)

from protocol.eo.ciphers import decrypt
from protocol.eo.codec import LARGEST_START, EoCodec, init_start, ping_start
from protocol.eo.packets import decode_server, encode, opcode_of_class, opcode_of_frame
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from server.bots.bot import LEG, PASSWORD, ROUND, Bot, LoginFailed
from world.heading import EAST, NORTH, OFFSETS, SOUTH, WEST

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eolib import Packet

STEP_CENTISECONDS: Final = 48
"""What the client's clock advances from step to step."""

DIRECTIONS: Final = {
    SOUTH: Direction.Down,
    WEST: Direction.Left,
    NORTH: Direction.Up,
    EAST: Direction.Right,
}
HEADINGS: Final = {direction: heading for heading, direction in DIRECTIONS.items()}

_FACE_PLAYER: Final = opcode_of_class(FacePlayerServerPacket)
_WALK_REPLY: Final = opcode_of_class(WalkReplyServerPacket)

_PING_BODY: Final = bytes((8, 1))
"""Connection_Player, action first."""
_PING: Final = re.compile(rb"\x06\xfe\x88.\x81..", re.DOTALL)
"""The ping's frame: its length (5, encoded), and the five bytes dealt out from both ends, their top bits
turned."""


@functools.cache
def _faces() -> Sequence[bytes]:
    """Face_Player, by direction."""
    return [encode(FacePlayerClientPacket(direction=Direction(number))) for number in range(4)]


class EoBot(Bot):
    """See the module."""

    game: ClassVar[str] = "eo"
    gait: ClassVar[str] = "walks a square of 8 tiles a side, every other move a turn (a step costs 480 ms)"

    def __init__(self, name: str, entropy: Callable[[int], bytes]) -> None:
        super().__init__(name, entropy)
        self._codec = EoCodec(CodecArgs(Role.CLIENT, entropy))
        self._clock = 0
        """Centiseconds."""
        self._x = self._y = 0
        self._facing = int(Direction.Down)
        self._leg = 0
        self._gone = 0
        """Steps of this leg."""

    # Bot

    def connect(self) -> bytes:
        """Init_Init."""
        challenge = 1 + int.from_bytes(self.entropy(3), "little") % 1_000_000
        return self._bytes(
            InitInitClientPacket(
                challenge=challenge, version=Version(major=0, minor=0, patch=28), hdid="1000000001"
            )
        )

    def receive(self, data: bytes) -> bytes:
        """See Bot."""
        codec = self._codec
        codec.receive(data, 0.0)
        answer = b""
        while (frame := codec.next_frame()) is not None:
            self.packets += 1
            opcode = opcode_of_frame(frame)
            if opcode == _FACE_PLAYER:
                self.seen.append(decode_number(frame[2:4]))
            elif opcode == _WALK_REPLY:
                self.answered += 1
            else:
                answer += self._take(decode_server(frame))
        return answer

    def skim(self, buffer: bytearray, size: int) -> bytes:
        """Answer a ping."""
        found = _PING.search(buffer, 0, size)
        if found is None:
            return b""
        body = decrypt(found[0][2:], self._codec.server_multiple)
        start = ping_start(decode_number(body[2:4]), decode_number(body[4:5]))
        return self._pinged(start) if body[:2] == _PING_BODY and 0 <= start <= LARGEST_START else b""

    def turn(self) -> bytes:
        """A quarter to the right."""
        self.moves += 1
        self._facing = (self._facing + 1) % 4
        return self._raw(_faces()[self._facing])

    def step(self) -> bytes:
        """A step along its round, then a turn, and so on."""
        if self.moves % 2:
            return self.turn()
        self.moves += 1
        self.expected += 1
        heading = ROUND[self._leg]
        self._gone += 1
        if self._gone == LEG:
            self._gone, self._leg = 0, (self._leg + 1) % len(ROUND)
        dx, dy = OFFSETS[heading]
        self._x, self._y = self._x + dx, self._y + dy
        self._facing = int(DIRECTIONS[heading])
        self._clock += STEP_CENTISECONDS
        where = Coords(x=self._x, y=self._y)
        action = WalkAction(direction=DIRECTIONS[heading], timestamp=self._clock, coords=where)
        return self._bytes(WalkPlayerClientPacket(walk_action=action))

    def say(self, text: str) -> bytes:
        """See Bot."""
        return self._bytes(TalkReportClientPacket(message=text))

    # Its parts

    def _bytes(self, packet: Packet) -> bytes:
        return self._raw(encode(packet))

    def _raw(self, body: bytes) -> bytes:
        self._codec.send(Body(body))
        return b"".join(self._codec.outgoing(0.0))

    def _pinged(self, start: int) -> bytes:
        self._codec.sequence.start = start
        return self._bytes(ConnectionPingClientPacket())  # type: ignore[no-untyped-call] # eolib leaves it bare

    def _take(self, packet: Packet) -> bytes:
        """What is rare."""
        match packet:
            case InitInitServerPacket(reply_code_data=InitInitServerPacket.ReplyCodeDataOk() as ok):
                return self._accept(ok)
            case InitInitServerPacket() if not self.in_world:
                raise LoginFailed(f"{self.name}: {packet.reply_code!r}")
            case LoginReplyServerPacket(reply_code_data=LoginReplyServerPacket.ReplyCodeDataOk() as menu):
                return self._choose(menu.characters)
            case LoginReplyServerPacket():
                raise LoginFailed(f"{self.name}: {packet.reply_code!r}")
            case CharacterReplyServerPacket():
                return self._made(packet)
            case WelcomeReplyServerPacket():
                return self._welcomed(packet)
            case ConnectionPlayerServerPacket():
                return self._pinged(ping_start(packet.seq1, packet.seq2))
            case RefreshReplyServerPacket():
                # The server does not agree with where it is.
                self.refused += 1
                self._place(packet.nearby.characters)
            case WarpRequestServerPacket():
                return self._bytes(WarpAcceptClientPacket(map_id=packet.map_id, session_id=packet.session_id))
            case WarpAgreeServerPacket():
                self._place(packet.nearby.characters)
            case TalkPlayerServerPacket() | TalkServerServerPacket() | TalkAnnounceServerPacket():
                self.heard.append(packet.message)
        return b""

    def _accept(self, ok: InitInitServerPacket.ReplyCodeDataOk) -> bytes:
        start = init_start(ok.seq1, ok.seq2)
        self._codec.begin(ok.server_encryption_multiple, ok.client_encryption_multiple, start)
        self.number = ok.player_id
        return self._bytes(
            ConnectionAcceptClientPacket(
                client_encryption_multiple=ok.client_encryption_multiple,
                server_encryption_multiple=ok.server_encryption_multiple,
                player_id=ok.player_id,
            )
        ) + self._bytes(LoginRequestClientPacket(username=self.name, password=PASSWORD))

    def _choose(self, characters: Sequence[CharacterSelectionListEntry]) -> bytes:
        if not characters:
            return self._bytes(CharacterRequestClientPacket(request_string="NEW"))
        return self._bytes(WelcomeRequestClientPacket(character_id=characters[0].id))

    def _made(self, packet: CharacterReplyServerPacket) -> bytes:
        match packet.reply_code_data:
            case CharacterReplyServerPacket.ReplyCodeDataDefault():
                return self._bytes(
                    CharacterCreateClientPacket(
                        session_id=int(packet.reply_code),
                        gender=Gender(self.look % 2),
                        hair_style=1 + self.look % 20,
                        hair_color=self.look // 20 % 10,
                        skin=self.look % 3,
                        name=self.character,
                    )
                )
            case CharacterReplyServerPacket.ReplyCodeDataOk() as made:
                return self._choose(made.characters)
        raise LoginFailed(f"{self.name}: {packet.reply_code!r}")

    def _welcomed(self, packet: WelcomeReplyServerPacket) -> bytes:
        data = packet.welcome_code_data
        if isinstance(data, WelcomeReplyServerPacket.WelcomeCodeDataSelectCharacter):
            return self._bytes(
                WelcomeMsgClientPacket(session_id=data.session_id, character_id=data.character_id)
            )
        if packet.welcome_code != WelcomeCode.EnterGame or data is None:
            raise LoginFailed(f"{self.name}: {packet.welcome_code!r}")
        self._place(data.nearby.characters)
        self.in_world = True
        return b""

    def _place(self, characters: Sequence[CharacterMapInfo]) -> None:
        for character in characters:
            if character.player_id == self.number:
                self._x, self._y = character.coords.x, character.coords.y
                self._facing = int(character.direction)
