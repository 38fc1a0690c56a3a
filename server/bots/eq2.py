"""An EverQuest II bot: version 546, over datagrams.

Its client says where it is and is answered by nobody; only the stream acknowledges what came. So what counts
as the answer to a step is that all that was sent is acknowledged, and who wants to know how long a turn takes
has to ask a neighbour.

A bot that decodes nothing still acknowledges all that comes, or the server would send it again and give up.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, ClassVar, Final

import attrs

from protocol.eq2 import packets as eq2
from protocol.eq2.packing import pack, unpack, xor
from protocol.eq2.stream import EqStream, StreamSettings
from protocol.eq2.stream.frames import Reason
from protocol.eq2.versions import Eq2Versions
from protocol.wire.args import Role
from server.bots.bot import LEG, PASSWORD, ROUND, Bot, LoginFailed
from server.bots.bundle import bundle, unbundle
from server.content.families import DATA
from server.content.loading import load
from world.heading import OFFSETS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from protocol.eq2.packets import Message
    from protocol.eq2.versions import Eq2Version

VERSION: Final = 546

MOVEMENT: Final = 152
"""Bytes of what a client says of its own motion."""

POSITION: Final = 88
"""Bytes of the first structure of a ghost."""

RUNNING: Final = 5.0
"""Units a second: how fast its client says that it goes."""

HUMAN: Final = 9
"""The race of new characters, by the client's number."""

_SETTINGS: Final = StreamSettings()


@functools.cache
def _version() -> Eq2Version:
    return Eq2Versions.from_content(load(DATA), eq2.CATALOGUE).newest


class BotStream(EqStream):
    """A client's stream that can do without reading."""

    def discard(self) -> None:
        """Forget the messages that have come, undecrypted: none that comes later can be read then."""
        self._decoder.forget()


class Eq2Bot(Bot):
    """See the module."""

    game: ClassVar[str] = "eq2"
    gait: ClassVar[str] = "runs a square of 8 tiles a side, a position for each tile"
    datagrams: ClassVar[bool] = True

    def __init__(self, name: str, entropy: Callable[[int], bytes]) -> None:
        super().__init__(name, entropy)
        self._version = _version()
        self._stream = self._new_stream()
        self._key: tuple[int, int] | None = None
        """Account and access code for the world's door."""
        self._playing = False
        """Whether it has asked to play: the list of characters may come again."""
        self._commands: Sequence[str] = ()
        self._ids: dict[int, int] = {}
        """Whose ghost an index is."""
        self._sent = bytes(MOVEMENT)
        self._motion = eq2.MovementState()
        self._heading = 4
        self._leg = 0
        self._gone = 0
        """Steps of this leg."""

    def _new_stream(self) -> BotStream:
        return BotStream(Role.CLIENT, self.entropy, _SETTINGS)

    # Bot

    def connect(self) -> bytes:
        """A session request; who it is waits until there is a key."""
        self.reconnect = False
        self._stream = self._new_stream()
        self._stream.connect(self.now)
        self._sent = bytes(MOVEMENT)
        if self._key is None:
            return self._bytes(eq2.LoginRequest(self.name, PASSWORD, VERSION))
        return self._bytes(eq2.LoginByNum(*self._key, VERSION))

    def receive(self, data: bytes) -> bytes:
        """See Bot."""
        stream = self._stream
        for datagram in unbundle(data):
            stream.receive(datagram, self.now)
        while (payload := stream.next_message()) is not None:
            for message in self._version.decode_server(payload):
                self.packets += 1
                self._take(message)
        self._ended()
        if stream.settled:
            self.answered = self.expected
        return self.due()

    def skim(self, buffer: bytearray, size: int) -> bytes:
        """Acknowledge it."""
        stream = self._stream
        for datagram in unbundle(bytes(memoryview(buffer)[:size])):
            stream.receive(datagram, self.now)
        stream.discard()
        self._ended()
        return bundle(stream.outgoing(self.now))

    def due(self) -> bytes:
        """Acknowledgements, repeats, and what waited for either."""
        stream = self._stream
        deadline = stream.deadline()
        if deadline is not None and deadline <= self.now:
            stream.expire(self.now)
        return bundle(stream.outgoing(self.now))

    def goodbye(self) -> bytes:
        """The end of the session."""
        self._stream.close(Reason.APPLICATION)
        return self.due()

    def turn(self) -> bytes:
        """A quarter to the right."""
        self._heading = (self._heading + 2) % 8
        return self._move(0, 0, 0.0)

    def step(self) -> bytes:
        """A tile along its round."""
        self._heading = ROUND[self._leg]
        self._gone += 1
        if self._gone == LEG:
            self._gone, self._leg = 0, (self._leg + 1) % len(ROUND)
        self.expected += 1
        return self._move(*OFFSETS[self._heading], RUNNING if self.running else RUNNING / 2)

    def say(self, text: str) -> bytes:
        """See Bot."""
        return self._bytes(eq2.RemoteCmd(self._commands.index("say"), text))

    # Its parts

    def _move(self, dx: int, dy: int, speed: float) -> bytes:
        self.moves += 1
        motion, degrees = self._motion, (180.0 - 45.0 * self._heading) % 360.0
        motion.x += dx
        motion.z += dy
        motion.heading = motion.desired_heading = degrees
        motion.forward_speed = speed
        before, self._sent = self._sent, self._version.pack_struct(motion)
        return self._bytes(eq2.Movement(pack(xor(self._sent, before))))

    def _bytes(self, *messages: Message) -> bytes:
        self._say(*messages)
        return self.due()

    def _say(self, *messages: Message) -> None:
        self._stream.send_many([self._version.encode(message) for message in messages])

    def _ended(self) -> None:
        if self._stream.peer_closed:
            raise LoginFailed(f"{self.name}: the server ended the session")

    def _take(self, message: Message) -> None:
        match message:
            case eq2.UpdateGhost():
                if message.position is not None:
                    self.seen.append(self._ids[message.position.index])
            case eq2.CreateGhost():
                self._ids[message.index] = message.spawn_id
                if message.index == OWN:
                    self._place(message)
            case eq2.DestroyGhost():
                del self._ids[message.index]
            case eq2.HearChat() | eq2.DisplayText():
                self.heard.append(message.text)
            case eq2.Teleport() | eq2.TeleportNoReload():
                self.refused += 1
                self._motion = attrs.evolve(self._motion, x=message.x, y=message.y, z=message.z)
            case eq2.ChangeZone():
                self._relayed(message)
                self.in_world = False
                self._ids.clear()
            case _:
                if not self.in_world:
                    self._enter(message)

    def _place(self, message: eq2.CreateGhost) -> None:
        """Where it stands, by its own ghost."""
        self.number = message.spawn_id
        mine = unpack(message.packed, STRUCTURES)[:POSITION]
        position = self._version.unpack_struct(eq2.GhostPosition, mine)
        self._motion = eq2.MovementState(x=position.x, y=position.y, z=position.z)
        self._heading = round((180.0 - position.heading1 / 64.0) / 45.0) % 8

    def _enter(self, message: Message) -> None:
        """What is rare."""
        match message:
            case eq2.LoginReply():
                if message.code != eq2.LoginCode.OK:
                    raise LoginFailed(f"{self.name}: LoginReply {message.code}")
                if self._key is None:
                    self._say(eq2.WorldListRequest())
            case eq2.CharacterList():
                self._choose(message.entries)
            case eq2.CreateReply():
                if message.code != eq2.CreateCode.OK:
                    raise LoginFailed(f"{self.name}: CreateReply {message.code}")
            case eq2.PlayReply():
                self._relayed(message)
            case eq2.RemoteCmds():
                self._commands = message.names
            case eq2.ZoneInfo():
                self._say(eq2.ZoneResourcesDone())
            case eq2.EntitiesSent():
                self._say(eq2.EntityResourcesLoaded())
            case eq2.CharacterSheet():
                self._say(eq2.UiLoaded())
            case eq2.UiLoaded():
                self.in_world = True

    def _choose(self, entries: Sequence[eq2.CharacterEntry]) -> None:
        if self._playing:
            return
        if entries:
            self._playing = True
            first = entries[0]
            self._say(eq2.PlayCharacter(first.id, first.server_id, first.name))
        else:
            # Who made a character goes into the world with it, unasked.
            self._playing = True
            self._say(eq2.CreateCharacter(1, self.character, HUMAN, self.look % 2, rest=bytes(300)))

    def _relayed(self, message: eq2.PlayReply | eq2.ChangeZone) -> None:
        if message.address is None or message.port is None:
            raise LoginFailed(f"{self.name}: {message}")
        self._key = message.account_id or 0, message.access_code or 0
        self.address = message.address, message.port
        self.reconnect = True


OWN: Final = 1
"""The index of its own ghost."""

STRUCTURES: Final = 88 + 78 + 1089
"""Bytes of the three structures of a ghost."""
