"""Somebody who plays EverQuest II by the sheet of facts: one line to the login server, then one to the world.

Everything that comes is read by `reader`; what no client may get is kept in `faults` with its bytes.
"""

from __future__ import annotations

import random
import struct
from typing import TYPE_CHECKING, TypeVar

import trio

from tests.eq2.independent.fields import Fields
from tests.eq2.independent.ghosts import Ghost, Ghosts
from tests.eq2.independent.line import LONGEST, Line
from tests.eq2.independent.login import LOGIN
from tests.eq2.independent.messages import (
    NOBODY,
    SHEET,
    Blow,
    Camp,
    CharacterList,
    ClientCommands,
    Commands,
    Control,
    Created,
    CreateGhost,
    Death,
    DefaultVerb,
    Deleted,
    DestroyGhost,
    Display,
    Emoted,
    Heard,
    LoginReply,
    Loot,
    Packed,
    Play,
    Targeted,
    Teleport,
    UpdateGhost,
    View,
    WorldList,
    ZoneInfo,
)
from tests.eq2.independent.packed import Malformed, pack, xor
from tests.eq2.independent.reader import read
from tests.eq2.independent.world import WORLD

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.kit.datagrams import ClientEnd, Faults
    from tests.kit.town import Town

T = TypeVar("T")

BUILD = 546
STATE = 152
"""Bytes of what a client tells of its own movement."""


def s16(text: str) -> bytes:
    """A string behind its length."""
    data = text.encode("cp1252")
    return struct.pack("<H", len(data)) + data


def typed(kind: int, body: bytes = b"") -> bytes:
    """A message of the client's."""
    return (bytes([kind]) if kind < 0xFF else b"\xff" + struct.pack("<H", kind)) + body


class Person:
    """One player in front of one client."""

    def __init__(
        self,
        town: Town,
        account: str,
        *,
        faults: Faults | None = None,
        seed: int = 1,
        longest: int = LONGEST,
    ) -> None:
        self.town = town
        self.account = account
        self.password = "secret1"
        self.wrong = faults
        self.chance = random.Random(seed)
        self.longest = longest
        self.line = Line(self.chance, longest)
        self.lines: list[Line] = []
        self.door = ""
        self.said: list[tuple[int, object]] = []
        """All messages on this line, by type."""
        self.faults: list[str] = []
        self.ghosts = Ghosts()
        self.commands: tuple[str, ...] = ()
        self.sheet = bytes(SHEET)
        self.lists: dict[tuple[int, int], bytes] = {}
        self.me = 0
        """The id of what it controls."""
        self.loaded = False
        self._end: ClientEnd | None = None
        self._state = bytes(STATE)
        self._news = trio.Event()

    # The line

    async def opens(self, door: str) -> None:
        """A line of its own, up to the key."""
        self.hangs_up()
        self.door = door
        self.said = []
        self.ghosts = Ghosts()
        self.me, self.loaded = 0, False
        self._state = bytes(STATE)
        self.sheet, self.lists = bytes(SHEET), {}
        self.line = Line(self.chance, self.longest)
        self.lines.append(self.line)
        self._end = self.town.datagrams("eq2", door, faults=self.wrong)
        self.line.connect(trio.current_time())
        self.town.nursery.start_soon(self._listen, self.line, self._end)
        self.town.nursery.start_soon(self._tick, self.line, self._end)
        self._carry(self.line, self._end)
        await self.until(lambda: self.line.keyed, 20)

    def hangs_up(self) -> None:
        """Nothing more comes or goes; the server is told."""
        if self._end is not None and not self._end.closed:
            self.line.close()
            self._carry(self.line, self._end)
            self._end.close()

    def vanishes(self) -> None:
        """Nothing more comes or goes, and the server is not told."""
        if self._end is not None:
            self.line.closed = True
            self._end.close()

    def sends(self, *messages: bytes) -> None:
        """Messages, at once."""
        assert self._end is not None
        for message in messages:
            self.line.send(message)
        self.line.flush(trio.current_time())
        self._carry(self.line, self._end)

    def sends_loosely(self, message: bytes) -> None:
        """A message that nobody acknowledges."""
        assert self._end is not None
        self.line.send_loosely(message)
        self._carry(self.line, self._end)

    def _carry(self, line: Line, end: ClientEnd) -> None:
        waiting, line.datagrams = line.datagrams, []
        for datagram in waiting:
            if not end.closed:
                end.send(datagram)

    async def _listen(self, line: Line, end: ClientEnd) -> None:
        try:
            while True:
                datagram = await end.receive()
                try:
                    line.receive(datagram, trio.current_time())
                except Malformed as error:
                    self.faults.append(f"{self.door}: {error}")
                while line.messages and line is self.line:
                    self._take(line.messages.popleft())
                self._carry(line, end)
                self._tell()
        except trio.ClosedResourceError:
            pass

    async def _tick(self, line: Line, end: ClientEnd) -> None:
        while not line.closed and not end.closed:
            await trio.sleep(0.25)
            try:
                line.tick(trio.current_time())
            except Malformed as error:
                self.faults.append(f"{self.door}: {error}")
                line.closed = True
            self._carry(line, end)
        self._tell()

    def _tell(self) -> None:
        self._news.set()
        self._news = trio.Event()

    async def until(self, predicate: Callable[[], bool], seconds: float = 20.0) -> None:
        """Wait until something is so. It is an error if it is not in time."""
        with trio.move_on_after(seconds):
            while not predicate():
                if self.line.closed:
                    break
                await self._news.wait()
        assert predicate(), (self.door, self.faults, [kind for kind, _ in self.said][-12:], self.line.reason)

    def all(self, kind: type[T]) -> list[T]:
        """All that came of one kind, in order."""
        return [said for _, said in self.said if isinstance(said, kind)]

    async def next(self, kind: type[T], since: int = 0, seconds: float = 20.0) -> T:
        """The first of one kind after so many others."""
        await self.until(lambda: len(self.all(kind)) > since, seconds)
        return self.all(kind)[since]

    def types(self) -> list[int]:
        """The types of all messages on this line."""
        return [kind for kind, _ in self.said]

    # What comes in

    def _take(self, message: bytes) -> None:
        try:
            kind, said = read(message, LOGIN if self.door == "login" else WORLD)
            self.said.append((kind, said))
            if isinstance(said, ClientCommands):
                for command in said.commands:
                    self.said.append((0, command))
                    self._applies(command)
            else:
                self._notes(kind, said)
        except Malformed as error:
            self.faults.append(f"{self.door}: {error}")

    def _notes(self, kind: int, said: object) -> None:
        if isinstance(said, Commands):
            self.commands = said.names
        elif isinstance(said, Packed):
            key = kind, said.equipment
            last = self.lists.get(key, b"")[: len(said.data)]
            self.lists[key] = xor(said.data, last + bytes(len(said.data) - len(last)))
            if kind == 55:
                self.sheet = self.lists[key]
        elif kind == 31 and self.types().count(31) > 1:
            raise Malformed("31 a second time")

    def _applies(self, command: object) -> None:
        if isinstance(command, (CreateGhost, UpdateGhost, DestroyGhost)) and 29 not in self.types():
            raise Malformed(f"{command} before there is a zone")
        if isinstance(command, CreateGhost):
            self.ghosts.create(command)
        elif isinstance(command, UpdateGhost):
            self.ghosts.update(command)
        elif isinstance(command, DestroyGhost):
            self.ghosts.destroy(command)
        elif isinstance(command, (Control, View, Emoted)):
            ghost = self.ghosts.by_id(command.id)
            if ghost is None:
                raise Malformed(f"{command}, whom the client was not shown")
            if isinstance(command, Control):
                self.me = command.id
            if isinstance(command, (Control, View)) and ghost.index != 1:
                raise Malformed(f"the own character has the index {ghost.index}")
        elif isinstance(command, (DefaultVerb, Loot)):
            spawn = command.id if isinstance(command, DefaultVerb) else command.corpse
            if self.ghosts.by_id(spawn) is None:
                raise Malformed(f"{command}, which the client was not shown")
        elif isinstance(command, Targeted):
            if command.id not in (0, 0xFFFFFFFF) and self.ghosts.by_id(command.id) is None:
                raise Malformed(f"{command}, whom the client was not shown")
        elif isinstance(command, (Blow, Death)):
            known = self.ghosts.by_id(command.attacker) if command.attacker != NOBODY else command
            if known is None or self.ghosts.by_id(command.defender) is None:
                raise Malformed(f"{command} between those whom the client was not shown")
        elif isinstance(command, Heard) and command.speaker != 0xFFFFFFFF:
            ghost = self.ghosts.by_id(command.speaker)
            if ghost is None:
                raise Malformed(f"{command} by whom the client was not shown")

    # The login server

    async def logs_in(self) -> LoginReply:
        """Account and password; what the server says to that."""
        await self.opens("login")
        body = s16("") + s16("") + s16(self.account) + s16(self.password) + struct.pack("<IIH", 0, 0, BUILD)
        self.sends(typed(0, body))
        return await self.next(LoginReply)

    def uploads_a_log(self, size: int = 5) -> None:
        """As the client does with the last crash, behind its first reply."""
        self.sends(typed(216, struct.pack("<II", size, 9000) + self.chance.randbytes(size)))

    async def lists_worlds(self) -> tuple[WorldList, CharacterList]:
        """The worlds, and the characters there."""
        worlds, characters = len(self.all(WorldList)), len(self.all(CharacterList))
        self.sends(typed(7), typed(9))
        return await self.next(WorldList, worlds), await self.next(CharacterList, characters)

    async def creates(self, name: str, server: int, *, race: int = 9, gender: int = 1) -> Created:
        """A new character, with all that the client's page of looks has."""
        since = len(self.all(Created))
        body = struct.pack("<BII", 0, 0, 0) + struct.pack("<I", server) + s16(name)
        body += bytes([race, gender, 0, 1, 1, 0, 0, 4])
        body += s16("ec/pc/human/human_male") + struct.pack("<15f", *[0.5] * 15)
        for file in ("accessories/hair/hair_01", "", "", ""):
            body += s16(file) + struct.pack("<6f", *[0.25] * 6)
        body += struct.pack("<24f", *[0.0] * 24) + struct.pack("<2f", 0.5, 0.5)
        self.sends(typed(11, body))
        return await self.next(Created, since)

    async def deletes(self, character: int, server: int, name: str) -> Deleted:
        """Take a character away."""
        since = len(self.all(Deleted))
        self.sends(typed(16, struct.pack("<iii", character, server, 0) + s16(name)))
        return await self.next(Deleted, since)

    async def plays(self, character: int, server: int, name: str) -> Play:
        """Ask for the way into the world."""
        since = len(self.all(Play))
        self.sends(typed(18, struct.pack("<iiB", character, server, 0) + s16(name)))
        return await self.next(Play, since)

    # The world

    async def knocks(self, play: Play) -> LoginReply:
        """A new line, to the world, with the code that the login server gave."""
        await self.opens("world")
        self.sends(typed(1, struct.pack("<IIH", play.account, play.access, BUILD) + bytes(20)))
        return await self.next(LoginReply)

    async def enters(self, play: Play) -> ZoneInfo:
        """From the code to the picture of the world."""
        assert (await self.knocks(play)).code == 0
        zone = await self.next(ZoneInfo)
        await self.loads()
        return zone

    async def loads(self, *, asks_for_resources: bool = True) -> None:
        """The steps of a loading screen: 30 (which some builds leave out), 32, 33 and its echo."""
        if asks_for_resources:
            self.sends(typed(30, struct.pack("<I2H", 2, 17, 4711)))
        await self.until(lambda: 31 in self.types())
        self.sends(typed(32))
        await self.until(lambda: self.me != 0 and bool(self.all(View)) and 55 in self.types())
        await trio.sleep(0.6)
        self.sends(typed(33))
        await self.until(lambda: 33 in self.types())
        self.loaded = True

    def its_own(self) -> Ghost:
        """Itself."""
        ghost = self.ghosts.by_id(self.me)
        assert ghost is not None
        return ghost

    def moves(
        self, place: tuple[float, float, float], heading: float, speed: float = 0.0, *, loosely: bool = False
    ) -> None:
        """Tell where it stands: what is different from the last time."""
        plain = bytearray(self._state)
        struct.pack_into("<f", plain, 8, heading)
        struct.pack_into("<f", plain, 44, speed)
        struct.pack_into("<3f", plain, 56, *place)
        struct.pack_into("<3f", plain, 116, *place)
        struct.pack_into("<f", plain, 128, heading)
        new = bytes(plain)
        blob = pack(xor(new, self._state))
        self._state = new
        (self.sends_loosely if loosely else self.sends)(
            typed(34, b"\0" + struct.pack("<II", 1, len(blob)) + blob)
        )

    async def walks(
        self,
        way: tuple[float, float, float],
        to: tuple[float, float, float],
        heading: float,
        pace: float = 2.0,
    ) -> None:
        """From here to there in a straight line, telling it four times a second, and a stop at the end."""
        distance = max(abs(a - b) for a, b in zip(way, to, strict=True))
        steps = max(1, round(distance / pace * 4))
        for step in range(1, steps + 1):
            part = step / steps
            here = (
                way[0] + (to[0] - way[0]) * part,
                way[1] + (to[1] - way[1]) * part,
                way[2] + (to[2] - way[2]) * part,
            )
            self.moves(here, heading, pace)
            await trio.sleep(0.25)
        self.moves(to, heading)
        await trio.sleep(1)

    def types_command(self, name: str, arguments: str = "") -> None:
        """A slash command, by the number that the server gave it."""
        self.sends(typed(36, struct.pack("<H", self.commands.index(name)) + s16(arguments)))

    def targets(self, index: int) -> None:
        """Click on somebody."""
        self.sends(typed(53, struct.pack("<H", index)))

    def loots(self, corpse: int, *things: int) -> None:
        """Take some things, or all, out of the window of a corpse."""
        wanted = struct.pack(f"<B{len(things)}I", len(things), *things) if things else b""
        self.sends(typed(163, struct.pack("<IB", corpse, not things) + wanted + struct.pack("<I", corpse)))

    def camps(self, *, quits: bool = True) -> None:
        """Ask to leave."""
        self.sends(typed(42, bytes([quits, 0])))

    def heard(self, channel: int | None = None) -> list[tuple[str, str]]:
        """(who, what) of all that was said."""
        return [(h.name, h.text) for h in self.all(Heard) if channel in (None, h.channel)]

    def shown(self) -> list[str]:
        """All texts that are nobody's."""
        return [display.text for display in self.all(Display)]

    def camp(self) -> list[Camp]:
        """What the server said about leaving."""
        return self.all(Camp)

    def teleports(self) -> list[Teleport]:
        """Where the server put it."""
        return self.all(Teleport)

    def experience(self) -> tuple[int, int]:
        """Percent of the way to the next level, and of the tenth of it that has begun."""
        fields = Fields(self.sheet[262:], "the experience")
        return fields.u16(), fields.u16()

    def strikes(self) -> bool:
        """Whether the button of its blows is lit."""
        return self.sheet[3532] == 1

    def about_me(self) -> tuple[str, int, int, int]:
        """(name, level, hits, most hits) of its sheet."""
        fields = Fields(self.sheet, "sheet")
        name = fields.chars(41)
        fields.take(26)
        level = fields.u16()
        fields.take(125 - 69)
        return name, level, fields.u32(), fields.u32()
