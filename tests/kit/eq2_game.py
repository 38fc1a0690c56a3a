"""EverQuest II as harnesses see it (`tests.kit.game`)."""

from __future__ import annotations

import random
import struct
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, cast

from protocol.eq2.fields import Text
from protocol.eq2.handlers.table import NAMES
from protocol.eq2.mail import FIRST_NUMBER
from protocol.eq2.packets import CLIENT_MESSAGES, Camp, HearChat, LoginRequest, RemoteCmd
from protocol.eq2.packets.talk import CannedEmote
from protocol.eq2.versions import UNKNOWN
from protocol.session import Phase
from protocol.wire.args import CodecArgs, Role
from server.bots.bundle import bundle
from tests.kit import eq2_strategies
from tests.kit.eq2_client import OOC, SAY, SHOUT, TELL
from tests.kit.eq2_ghost import heading_of
from tests.kit.eq2_player import CLIENTS, Eq2Player, newest_version
from tests.kit.game import MARK, Game, Heard, Pair, Sight, Step, who_is
from tests.kit.players import PASSWORD
from tests.kit.town import shipped_content
from world import mail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hypothesis import strategies as st

    from protocol.eq2.codec import Eq2Codec
    from protocol.eq2.packets import Message
    from protocol.eq2.session import Eq2Session
    from protocol.family import Family
    from protocol.session import Session
    from tests.kit.eq2_client import Eq2Client
    from tests.kit.players import Player
    from world.mobile import Mobile


def _client(player: Player) -> Eq2Client:
    assert isinstance(player, Eq2Player)
    return player.client


def _login(player: Player) -> bytes:
    return _client(player).login_bytes(who_is(player).account, PASSWORD)


def _play(player: Player) -> bytes:
    """A player who has no character fills in the form, and is sent on with the new one."""
    client = _client(player)
    return client.play_bytes() if client.characters else client.create_bytes(who_is(player).character)


def _begin(player: Player, door: str) -> bytes:
    assert isinstance(player, Eq2Player)
    return player.turns_to(door)


_NUMBERS: Final = (3, 20, 60, 130, 199, 254, 255, 300, 410, 411, 495, 0x7FFF, 0xFFFF)
"""Type ids to look for unknown ones among."""


class EverQuest2(Game):
    """Two sessions over datagrams, each with its handshake and keys: one that logs in, one that plays. A
    frame is the number of the client's version, the message's type and its body."""

    name = "eq2"
    doors = ("login", "world")
    datagrams = True
    variants: ClassVar = {"546": Eq2Player}
    steps = (
        Step("request", lambda p: _begin(p, "login")),
        Step("login", _login),
        Step("worlds", lambda p: _client(p).worlds_bytes(), Phase.MENU),
        Step("play", _play, Phase.MENU),
        Step("world", lambda p: _begin(p, "world"), redials=True),
        Step("enter", lambda p: _client(p).enter_bytes()),
        Step("walk", lambda p: _client(p).walk_bytes(2), Phase.IN_WORLD),
        Step("say", lambda p: _client(p).say_bytes("Hail!"), Phase.IN_WORLD),
        Step("turn", lambda p: _client(p).turn_bytes(6), Phase.IN_WORLD),
        Step("target", lambda p: _client(p).target_bytes(1), Phase.IN_WORLD),
        Step("gesture", lambda p: _client(p).command_bytes("bow"), Phase.IN_WORLD),
        Step("camp", lambda p: _client(p).camp_bytes(), Phase.IN_WORLD),
    )
    deleting = "play", (Step("delete", lambda p: _client(p).delete_bytes(), Phase.MENU),)
    lengths = ()

    @property
    def unknown(self) -> Sequence[bytes]:  # type: ignore[override] # the numbers are data
        """See Game."""
        version = newest_version()
        heads = [bytes((n,)) if n < 0xFF else b"\xff" + n.to_bytes(2, "little") for n in _NUMBERS]
        frames = [bytes((version.index,)) + head + b"\0\0" for head in heads]
        return [frame for frame in frames if version.role_of(frame) >= UNKNOWN]

    def wire(self, player: Player, frame: bytes) -> bytes:
        """See Game."""
        return _client(player).raw_bytes(frame[1:])

    def silences(self, player: Player) -> None:
        """From now on it reads nothing. Its stream goes on: it is the client's system that acknowledges."""
        _client(player).mute = True

    def transcript(self, player: Player) -> bytes:
        """See Game: the messages, in their order."""
        return "\n".join(map(repr, _client(player).received)).encode()

    def wire_to(self, session: Session, frame: bytes) -> bytes:
        """See Game. It comes from the session's own client: nobody else can number and encipher it."""
        return self._client_of(session).raw_bytes(frame[1:])

    def delivered(self, session: Session, datagrams: Sequence[bytes]) -> None:
        """See Game."""
        self._client_of(session).feed(bundle(datagrams))

    def _client_of(self, session: Session) -> Eq2Client:
        return CLIENTS[cast("Eq2Codec", session.codec).stream.session_id]

    def pair(self, door: str, family: Family, entropy: Callable[[int], bytes]) -> Pair:
        """See Game."""
        server = family.doors[door].codec(CodecArgs(Role.SERVER, entropy))
        # Of its own chance, so that the server's end is the same if only its messages come again.
        args = CodecArgs(Role.CLIENT, random.Random(7).randbytes)
        client = cast("Eq2Codec", family.doors[door].codec(args))
        return Pair(server, client, lambda frame: None, lambda: client.stream.connect(0.0))

    def legal(self, number: int) -> Sequence[bytes]:
        """See Game."""
        cls = _KNOWN.get(number)
        if cls is None:
            return (_headed(number - UNKNOWN) + bytes(40),) if number >= UNKNOWN else ()
        head = _head(cls)
        size = newest_version().layouts[cls].minimum
        return head + bytes(size), head + bytes(size + 40)

    def random_frame(self, chance: random.Random, family: Family) -> bytes:
        """See Game. None by which a client leaves."""
        table = family.doors[self.doors[0]].table
        read = [entry.opcode for entry in table if entry.opcode < UNKNOWN and entry.opcode != Camp.role]
        cls = _KNOWN[chance.choice(read)]
        size = max(0, newest_version().layouts[cls].minimum + chance.choice((-1, 0, 0, 0, 0, 1, 5, 20, 200)))
        return _head(cls) + chance.randbytes(size)

    def spices(self, session: Session) -> Sequence[bytes]:
        """See Game."""
        numbers = [0, 1, 2, 3, 0xFFFE, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF]
        serials = [*session.known]
        if session.mobile is not None:
            letters = mail.letters_of(session.mobile)
            serials += [session.mobile.serial, *(FIRST_NUMBER + letter.number for letter in letters)]
        return [
            *(number.to_bytes(4, "little") for number in (*numbers, *serials)),
            *(number.to_bytes(2, "little") for number in (1, 2, 3, 0xFFFE, 0xFFFF)),
            *(struct.pack("<f", number) for number in (0.0, -1.0, 1e9, float("inf"), float("nan"))),
        ]

    def mended(self, frame: bytes) -> bytes:
        """See Game."""
        return frame

    def forgets(self, player: Player) -> None:
        """See Game."""
        assert isinstance(player, Eq2Player)
        player.got.clear()
        player.client.received.clear()
        player.raw.clear()

    def valid(self) -> Mapping[str, st.SearchStrategy[bytes]]:
        """See Game."""
        version = newest_version()
        head = bytes((version.index,))
        row = shipped_content().charts["confluence"].atlas["eq2"]
        x, y, z = (float(row[axis]) for axis in ("x", "y", "z"))
        found: dict[str, st.SearchStrategy[Message]] = {
            cls.__name__: eq2_strategies.record_of(cls, version) for cls in CLIENT_MESSAGES
        }
        found |= eq2_strategies.played(version, len(NAMES), (x + 40, y, z + 40))
        return {name: messages.map(lambda m: head + version.encode(m)) for name, messages in found.items()}

    def kind_of(self, name: str, packet: object) -> str:
        """See Game."""
        if isinstance(packet, RemoteCmd) and packet.index < len(NAMES):
            return f"/{NAMES[packet.index]}"
        return name

    def with_text(self, number: int) -> Iterator[tuple[str, Callable[[bytes], bytes]]]:
        """See Game."""
        cls = _KNOWN.get(number)
        if cls is None or number in _SECRET:
            return
        version, head = newest_version(), _head(cls)
        for name, kind in version.layouts[cls].kinds.items():
            if isinstance(kind, Text):
                plainest = version.decode_client(head[1:] + bytes(version.layouts[cls].minimum))
                setattr(plainest, name, MARK)
                yield name, partial(_filled, head[:1] + version.encode(plainest), kind.width)

    def texts(self, text: str) -> Sequence[bytes]:
        """See Game."""
        return [
            text.encode("latin-1", "replace"),
            text.encode("utf-8", "surrogatepass"),
            text.encode("utf-16-le", "surrogatepass"),
        ]

    def says(self, player: Player, text: str) -> bytes:
        """See Game."""
        return _client(player).say_bytes(text)

    def heard(self, player: Player) -> list[str]:
        """See Game."""
        return _client(player).lines()

    def spoken_to(self, player: Player) -> list[Heard]:
        """See Game."""
        return [
            Heard(_WAYS[chat.channel], chat.sender, chat.text)
            for chat in _client(player).of(HearChat)
            if chat.channel in _WAYS
        ]

    echoes = frozenset({"say", "yell", "tell", "global"})

    def gestures_of(self, player: Player, mobile: Mobile) -> list[object]:
        """See Game: words."""
        return [emote.text for emote in _client(player).of(CannedEmote) if emote.spawn_id == mobile.serial]

    def sees(self, player: Player, mobile: Mobile) -> Sight | None:
        """See Game. Where it is itself and how, its client knows best."""
        client = _client(player)
        try:
            ghost = client.by_id(mobile.serial)
        except KeyError:
            return None
        x, _, y = ghost.place
        sits: bool | None
        heading, sits = ghost.heading, bool(ghost.position.state & _SITTING)
        if ghost.id == client.control:
            x, y, heading, sits = client.motion.x, client.motion.z, heading_of(client.motion.heading), None
        health = 100 ^ ghost.about.hits_code
        return Sight(ghost.name, x, y, heading, health, bool(ghost.about.corpse), sits)

    def own_hits(self, player: Player) -> tuple[int, int]:
        """See Game."""
        sheet = _client(player).sheet
        assert sheet is not None
        return sheet.hits, sheet.max_hits

    def faults(self, player: Player) -> list[object]:
        """See Game."""
        return [*_client(player).faults]

    def corrections(self, player: Player) -> int:
        """See Game."""
        return _client(player).teleports

    def steps_to(self, player: Player, heading: int) -> bytes:
        """See Game."""
        return _client(player).walk_bytes(heading)

    async def walks(self, player: Player, heading: int) -> None:
        """See Game: it stops there."""
        assert isinstance(player, Eq2Player)
        await player.walks(heading)

    def logs_out(self, player: Player) -> bytes:
        """See Game."""
        return _client(player).camp_bytes(desktop=True)

    def keeps_alive(self, player: Player) -> bytes:
        """See Game: the stream does that by itself."""
        return b""

    def believes(self, player: Player) -> set[object]:
        """See Game."""
        return {*_client(player).others}

    def should_believe(self, session: Session) -> set[object]:
        """See Game. A corpse goes on under the name of who died."""
        return {cast("Eq2Session", session).ghosts.called(serial) for serial in session.known}


_KNOWN: Final = {cls.role: cls for cls in CLIENT_MESSAGES}
_SECRET: Final = (LoginRequest.role,)
"""Of these no text may be shown, so that none is looked for."""


_WAYS: Final = {SAY: "say", SHOUT: "yell", TELL: "tell", OOC: "global"}
"""Channels."""

_SITTING: Final = 64
"""Among the bits of a state."""


def _head(cls: type[Message]) -> bytes:
    """Build and type id of a frame."""
    return _headed(newest_version().number_of(cls))


def _headed(number: int) -> bytes:
    return bytes((newest_version().index,)) + (
        bytes((number,)) if number < 0xFF else b"\xff" + number.to_bytes(2, "little")
    )


def _filled(frame: bytes, width: int, raw: bytes) -> bytes:
    """The frame with other bytes where its mark is, behind a count of so many bytes."""
    raw = raw[: (1 << 8 * width) - 1]
    mark = MARK.encode()
    counted = len(mark).to_bytes(width, "little") + mark
    return frame.replace(counted, len(raw).to_bytes(width, "little") + raw)
