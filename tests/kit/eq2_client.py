"""A client of EverQuest II, version 546, without I/O: a stream, and what the client believes of the world.

    client = Eq2Client(version, now=trio.current_time)
    client.open()                             # begin a session
    client.login_bytes("anna", "secret1")     # a bundle of datagrams to send; so is what every verb gives
    client.feed(data)                         # a bundle that came: the messages that are complete now
    client.outgoing()                         # what it sends by itself: acknowledgements, answers, repeats

It is strict where the original is: a message about a ghost that it was not given is a fault (`faults`), since
the original logs it or crashes (facts, section 6). While a zone loads it answers by itself what the loading
screen waits for.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final, TypeVar

import attrs

from protocol.endings import WireError
from protocol.eq2 import packets as eq2
from protocol.eq2.packing import pack, unpack, xor
from protocol.eq2.scenery import FIRST_NUMBER
from protocol.eq2.stream import EqStream, StreamSettings
from protocol.wire.args import Role
from server.bots.bundle import bundle, unbundle
from tests.kit.eq2_bags import Bags
from tests.kit.eq2_ghost import Ghost
from world.heading import OFFSETS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from protocol.eq2.packets import Message
    from protocol.eq2.versions import Eq2Version

M = TypeVar("M")

VERSION: Final = 546

POS, VIS, INFO = 88, 78, 1089
"""Bytes of the three structures of a ghost."""

MOVEMENT, SHEET = 152, 4897
"""Bytes of what a client says of its own motion, and of a character sheet."""

SAY, SHOUT, EMOTE, TELL, OOC = 8, 9, 10, 28, 32
"""Channels of what is heard."""

RUNNING, WALKING = 5.0, 2.5
"""Units a second."""


def degrees_of(heading: int) -> float:
    """The angle of one of the eight."""
    return (180.0 - 45.0 * heading) % 360.0


def lines_of(messages: Iterable[Message]) -> list[str]:
    """The words in them."""
    spoken = eq2.HearChat | eq2.DisplayText | eq2.OnscreenMessage | eq2.Motd | eq2.CannedEmote
    return [message.text for message in messages if isinstance(message, spoken)]


def members_of(version: Eq2Version, sheet: eq2.Sheet) -> list[eq2.GroupMember]:
    """The members of a group that a sheet shows."""
    size = version.size_of(eq2.GroupMember)
    records = [sheet.group[at : at + size] for at in range(0, len(sheet.group), size)]
    members = [version.unpack_struct(eq2.GroupMember, record) for record in records]
    return [member for member in members if member.status != eq2.NO_MEMBER]


class Eq2Client:
    """See the module. `now` tells seconds: the stream repeats what is lost."""

    def __init__(
        self,
        version: Eq2Version,
        *,
        now: Callable[[], float],
        settings: StreamSettings | None = None,
        seed: int = 1,
    ) -> None:
        self.version = version
        self.now = now
        self.settings = settings or StreamSettings()
        self._chance = random.Random(seed)
        self.over = False
        """Whether the session has ended, by whomever."""
        self.why = ""
        self.received: list[Message] = []
        self.faults: list[str] = []
        """What the original would have choked on."""
        self.mute = False
        """Whether it answers nothing by itself any more, other than that it has got something."""
        self.account_id = 0
        self.code: int | None = None
        """Of the last LoginReply."""
        self.worlds: Sequence[eq2.WorldEntry] = ()
        self.characters: Sequence[eq2.CharacterEntry] = ()
        self.created: eq2.CreateReply | None = None
        self.deleted: eq2.DeleteReply | None = None
        self.play: eq2.PlayReply | eq2.ChangeZone | None = None
        """Where to go next, and the key to it."""
        self.play_code: int | None = None
        self._forget_zone()
        self.stream = self._new_stream()

    def _forget_zone(self) -> None:
        self.zone: eq2.ZoneInfo | None = None
        self.commands: Sequence[str] = ()
        self.ghosts: dict[int, Ghost] = {}
        self.scenery: dict[int, int] = {}
        """Both by index; of landmarks only the ids."""
        self.control = self.pov = 0
        """Ids of the ghosts it steers and looks through."""
        self.target = eq2.NOBODY
        self.sheet: eq2.Sheet | None = None
        self._sheet = b""
        self.bags = Bags(self.version)
        self.offered: str | None = None
        """Who asks it into a group."""
        self.trade: eq2.UpdatePlayerTrade | None = None
        """The window of a trade, while it is open."""
        self.in_world = False
        self.leaving: int | None = None
        """Seconds until it leaves, by the last word on it."""
        self._movement = bytes(MOVEMENT)
        self.motion = eq2.MovementState()
        """Where it is, by its own reckoning, and how it moves."""
        self.teleports = 0

    # The stream

    def _new_stream(self) -> EqStream:
        return EqStream(Role.CLIENT, self._chance.randbytes, self.settings)

    def open(self) -> None:
        """Begin a session: nothing of the last one counts any more."""
        self._forget_zone()
        self.over, self.why = False, ""
        self.stream = self._new_stream()
        self.stream.connect(self.now())

    def feed(self, data: bytes) -> list[Message]:
        """A bundle that came; the messages that are complete now."""
        messages: list[Message] = []
        try:
            for datagram in unbundle(data):
                self.stream.receive(datagram, self.now())
            while (payload := self.stream.next_message()) is not None:
                messages += self._read(payload)
        except WireError as error:
            self._ended(f"{error!r}")
        if self.stream.peer_closed:
            self._ended("the server closed it")
        return messages

    def _read(self, payload: bytes) -> list[Message]:
        messages = self.version.decode_server(payload)
        for message in messages:
            self.received.append(message)
            self.take_in(message)
        return messages

    def outgoing(self) -> bytes:
        """What is to be sent now, as a bundle."""
        if self.over:
            return b""
        now = self.now()
        try:
            deadline = self.stream.deadline()
            if deadline is not None and deadline <= now:
                self.stream.expire(now)
            return bundle(self.stream.outgoing(now))
        except WireError as error:
            self._ended(f"{error!r}")
            return b""

    def deadline(self) -> float | None:
        """When to ask for `outgoing` if nothing comes."""
        return None if self.over else self.stream.deadline()

    def _ended(self, why: str) -> None:
        if not self.over:
            self.over, self.why = True, why

    def bytes_of(self, *messages: Message) -> bytes:
        """Messages on their way, and whatever else is to be sent."""
        return self.raw_bytes(*(self.version.encode(message) for message in messages))

    def raw_bytes(self, *payloads: bytes) -> bytes:
        """The same with messages that are encoded: type and body."""
        self.stream.send_many(payloads)
        return self.outgoing()

    # The way in

    def login_bytes(self, account: str, password: str, *, version: int = VERSION) -> bytes:
        """LoginRequest."""
        return self.bytes_of(eq2.LoginRequest(account, password, version))

    def worlds_bytes(self) -> bytes:
        """WorldListRequest, which the list of characters answers, too."""
        return self.bytes_of(eq2.WorldListRequest())

    def create_bytes(self, name: str, *, race: int = 9, gender: int = 1) -> bytes:
        """CreateCharacter."""
        world = self.worlds[0].id if self.worlds else 1
        return self.bytes_of(eq2.CreateCharacter(world, name, race, gender, rest=bytes(300)))

    def delete_bytes(self, slot: int = 0) -> bytes:
        """DeleteCharacter."""
        entry = self.characters[slot]
        return self.bytes_of(eq2.DeleteCharacter(entry.id, entry.server_id, entry.name))

    def play_bytes(self, slot: int = 0) -> bytes:
        """PlayCharacter."""
        entry = self.characters[slot]
        return self.bytes_of(eq2.PlayCharacter(entry.id, entry.server_id, entry.name))

    def enter_bytes(self, *, version: int = VERSION) -> bytes:
        """LoginByNum, with the key it was given last."""
        play = self.play
        assert play is not None
        assert play.account_id is not None
        assert play.access_code is not None
        return self.bytes_of(eq2.LoginByNum(play.account_id, play.access_code, version))

    # In the world

    @property
    def me(self) -> Ghost:
        """Its own ghost."""
        return self.by_id(self.control)

    def by_id(self, spawn: int) -> Ghost:
        """The ghost of an id. Raises KeyError."""
        for ghost in self.ghosts.values():
            if ghost.id == spawn:
                return ghost
        raise KeyError(spawn)

    def by_name(self, name: str) -> Ghost | None:
        """The ghost of that name."""
        return next((ghost for ghost in self.ghosts.values() if ghost.name == name), None)

    @property
    def others(self) -> dict[int, Ghost]:
        """All ghosts but its own, by id."""
        return {one.id: one for one in self.ghosts.values() if one.id != self.control}

    def command_bytes(self, word: str, arguments: str = "") -> bytes:
        """RemoteCmd, by the number that the server gave the word."""
        return self.bytes_of(eq2.RemoteCmd(self.commands.index(word), arguments))

    def say_bytes(self, text: str) -> bytes:
        """`/say`."""
        return self.command_bytes("say", text)

    def walk_bytes(self, heading: int, *, tiles: float = 1.0, speed: float = RUNNING) -> bytes:
        """Movement, to so far in one of eight directions from where it is."""
        dx, dy = OFFSETS[heading]
        return self.go_bytes(
            self.motion.x + dx * tiles, self.motion.z + dy * tiles, degrees_of(heading), speed
        )

    def turn_bytes(self, heading: int) -> bytes:
        """Movement, on the spot."""
        return self.go_bytes(self.motion.x, self.motion.z, degrees_of(heading), 0.0)

    def go_bytes(self, x: float, z: float, degrees: float, speed: float) -> bytes:
        """Movement: it is there now, looks there and goes on at that speed."""
        self.motion = attrs.evolve(
            self.motion,
            x=x,
            z=z,
            heading=degrees,
            desired_heading=degrees,
            forward_speed=speed,
            speed_modifier=1.0,
        )
        return self.motion_bytes()

    def motion_bytes(self) -> bytes:
        """Movement: `motion` as it is."""
        before, self._movement = self._movement, self.version.pack_struct(self.motion)
        return self.bytes_of(eq2.Movement(pack(xor(self._movement, before))))

    def target_bytes(self, index: int = eq2.NO_TARGET) -> bytes:
        """Target, by index."""
        return self.bytes_of(eq2.Target(index))

    def camp_bytes(self, *, desktop: bool = False) -> bytes:
        """Camp."""
        return self.bytes_of(eq2.Camp(quit=int(desktop), desktop=int(desktop)))

    # What it was told

    def of(self, kind: type[M]) -> list[M]:
        """What came of one kind."""
        return [message for message in self.received if isinstance(message, kind)]

    def heard(self, channel: int | None = None) -> list[tuple[str, str]]:
        """Who said what, of one channel or all."""
        return [
            (chat.sender, chat.text)
            for chat in self.of(eq2.HearChat)
            if channel is None or chat.channel == channel
        ]

    def lines(self) -> list[str]:
        """All words that came, whoever said them."""
        return lines_of(self.received)

    def group(self) -> list[eq2.GroupMember]:
        """The others in its group, as the sheet shows them."""
        return members_of(self.version, self.sheet) if self.sheet is not None else []

    # What it takes in

    def _answer(self, message: Message) -> None:
        if not self.mute:
            self.stream.send_many([self.version.encode(message)])

    def take_in(self, message: Message) -> None:
        """Believe a message, or note why not."""
        match message:
            case eq2.UpdateGhost():
                self._update(message)
            case eq2.CreateGhost():
                self._create(message)
            case eq2.DestroyGhost():
                if not (self.ghosts.pop(message.index, 0) or self.scenery.pop(message.index, 0)):
                    self._fault(message, "no such index")
            case eq2.HearChat():
                if message.from_id != eq2.NOBODY:
                    self._named(message, message.from_id)
            case eq2.CannedEmote() | eq2.GhostState():
                self._named(message, message.spawn_id)
            case eq2.HearCombat() | eq2.HearDeath():
                self._named(message, message.defender)
                if message.attacker != eq2.NOBODY:
                    self._named(message, message.attacker)
            case eq2.UpdateTarget():
                self.target = message.spawn_id
                if message.spawn_id not in (0, eq2.NOBODY):
                    self._named(message, message.spawn_id)
            case eq2.ReceiveOffer():
                self.offered = message.name
            case eq2.CloseGroupInviteWindow():
                self.offered = None
            case eq2.UpdatePlayerTrade():
                if message.spawn_id != eq2.NOBODY:
                    self._named(message, message.spawn_id)
                self.trade = message if message.kind in (eq2.OFFERS, eq2.PARTNER_AGREES) else None
            case eq2.SetDefaultVerb() | eq2.UpdateLoot() | eq2.StoppedLooting():
                self._named(message, message.spawn_id)
            case eq2.Teleport() | eq2.TeleportNoReload():
                self._teleported(message)
            case eq2.CampStarted():
                self.leaving = message.seconds
            case eq2.CampAborted():
                self.leaving = None
            case _:
                if not self._menu(message):
                    self._zone(message)

    def _menu(self, message: Message) -> bool:
        """The login server's; False if it is something else."""
        match message:
            case eq2.LoginReply():
                self.code = message.code
                self.account_id = message.account_id or self.account_id
            case eq2.WorldList():
                self.worlds = message.entries
            case eq2.CharacterList():
                self.characters = [entry for entry in message.entries if entry.id != eq2.NOBODY]
            case eq2.CreateReply():
                self.created = message
            case eq2.DeleteReply():
                self.deleted = message
            case eq2.PlayReply():
                self.play = message
                self.play_code = message.code
            case _:
                return False
        return True

    def _zone(self, message: Message) -> None:
        """On the way into a zone."""
        match message:
            case eq2.RemoteCmds():
                self.commands = message.names
            case eq2.ZoneInfo():
                self.zone = message
                self.motion = eq2.MovementState(x=message.x, y=message.y, z=message.z)
                self._answer(eq2.ZoneResourcesDone())
            case eq2.EntitiesSent():
                self._answer(eq2.EntityResourcesLoaded())
            case eq2.SetControlGhost():
                self.control = message.spawn_id
                ghost = self._named(message, message.spawn_id)
                if ghost is not None:
                    x, y, z = ghost.place
                    self.motion = eq2.MovementState(x=x, y=y, z=z, heading=ghost.position.heading1 / 64.0)
            case eq2.SetPovGhost():
                self.pov = message.spawn_id
                self._named(message, message.spawn_id)
            case eq2.CharacterSheet():
                self._read_sheet(message)
            case eq2.Inventory():
                self.bags.take(message)
            case eq2.UiLoaded():
                self.in_world = True
                if not (self.control and self.pov and self.sheet):
                    self._fault(message, "it has no character of its own yet")
            case eq2.ChangeZone():
                self.play = message
                self._answer(eq2.ReadyToZone())

    def _read_sheet(self, message: eq2.CharacterSheet) -> None:
        first = self.sheet is None
        plain = unpack(message.packed, SHEET)
        self._sheet = plain if first else xor(plain, self._sheet)
        self.sheet = self.version.unpack_struct(eq2.Sheet, self._sheet)
        if first:
            self._answer(eq2.UiLoaded())

    def _create(self, message: eq2.CreateGhost) -> None:
        taken = message.index in self.ghosts or message.index in self.scenery
        if taken or self.zone is None:
            self._fault(message, f"index {message.index} is taken, or no zone is loaded")
        if message.spawn_id >= FIRST_NUMBER:
            self.scenery[message.index] = message.spawn_id
            return
        if any(ghost.id == message.spawn_id for ghost in self.ghosts.values()):
            self._fault(message, "the id is another ghost's")
        plain = unpack(message.packed, POS + VIS + INFO)
        pos, vis, info = plain[:POS], plain[POS : POS + VIS], plain[POS + VIS :]
        read = self.version.unpack_struct
        self.ghosts[message.index] = Ghost(
            message.index,
            message.spawn_id,
            pos,
            vis,
            info,
            read(eq2.GhostPosition, pos),
            read(eq2.GhostVisible, vis),
            read(eq2.GhostInfo, info),
        )

    def _update(self, message: eq2.UpdateGhost) -> None:
        read = self.version.unpack_struct
        for delta in (message.info, message.position, message.visible):
            if delta is None:
                continue
            ghost = self.ghosts.get(delta.index)
            if ghost is None:
                self._fault(message, f"no ghost has index {delta.index}")
                continue
            ghost.updates += 1
            if delta is message.info:
                ghost.info = xor(ghost.info, unpack(delta.packed, INFO))
                ghost.about = read(eq2.GhostInfo, ghost.info)
            elif delta is message.position:
                ghost.pos = xor(ghost.pos, unpack(delta.packed, POS))
                ghost.position = read(eq2.GhostPosition, ghost.pos)
            else:
                ghost.vis = xor(ghost.vis, unpack(delta.packed, VIS))
                ghost.visible = read(eq2.GhostVisible, ghost.vis)

    def _teleported(self, message: eq2.Teleport | eq2.TeleportNoReload) -> None:
        self.teleports += 1
        self.motion = attrs.evolve(self.motion, x=message.x, y=message.y, z=message.z, forward_speed=0.0)
        if isinstance(message, eq2.TeleportNoReload):
            self.motion.heading = message.heading

    def _named(self, message: Message, spawn: int) -> Ghost | None:
        try:
            return self.by_id(spawn)
        except KeyError:
            self._fault(message, f"{spawn:#x} was never shown, or is gone")
            return None

    def _fault(self, message: Message, what: str) -> None:
        self.faults.append(f"{type(message).__name__}: {what}")
