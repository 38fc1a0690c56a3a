"""Conquer Online as harnesses see it (`tests.kit.game`)."""

from __future__ import annotations

import copy
import struct
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, cast

from protocol.co.blowfish import BLOCK_SIZE, Blowfish, CfbDecryption, CfbEncryption
from protocol.co.ciphers import TqCipher
from protocol.co.codec import CfbGameCodec, CoAccountCodec, TqGameCodec
from protocol.co.exchange import CLIENT_FOOTER
from protocol.co.handlers.table import ACTIONS
from protocol.co.handlers.unread import UNREAD
from protocol.co.packets import (
    ACCOUNT_MESSAGES,
    CLIENT_MESSAGES,
    Action,
    ActionType,
    Channel,
    ItemAction,
    ItemActionType,
    Message,
    Talk,
)
from protocol.co.packets.base import StringPack
from protocol.co.versions import CoVersion
from protocol.session import Phase
from protocol.wire.args import CodecArgs, Role
from protocol.wire.fields import FixedText
from tests.kit import co_screen, co_strategies
from tests.kit.co_client import heading_of
from tests.kit.co_player import CoPlayer
from tests.kit.game import MARK, Game, Heard, Pair, Sight, Step, who_is
from tests.kit.players import PASSWORD
from tests.kit.town import shipped_content
from world.newcomers import all_items

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hypothesis import strategies as st

    from protocol.co.codec import CoCodec
    from protocol.co.view import CoView
    from protocol.family import Family
    from protocol.session import Session
    from tests.kit.co_client import CoClient
    from tests.kit.co_seen import Seen
    from tests.kit.players import Player
    from world.mobile import Mobile

HERO: Final = 0x5EED_5EED
"""Stands in a valid frame where a client's own number has to be."""

_NEW_KEY: Final = Blowfish(bytes(range(64)))
_NEW_IV: Final = bytes(BLOCK_SIZE)

CONNECT: Final = struct.pack("<HHIIH10sI", 28, 1052, 0x12345678, 0x9ABCDEF0, 123, b"En", 10)
"""What a client of version 5017 says first where no server has given it a token."""


def _client(player: Player) -> CoClient:
    assert isinstance(player, CoPlayer)
    return player.client


def _login(player: Player) -> bytes:
    """To the account server."""
    assert isinstance(player, CoPlayer)
    player.client.hesitates = True
    return player.turns_to("account") + player.client.login_bytes(who_is(player).account, PASSWORD)


def _connect(player: Player) -> bytes:
    """To the game's door, and the first packet there."""
    assert isinstance(player, CoPlayer)
    return player.turns_to("game") + player.client.connect_bytes()


def _enter(player: Player) -> bytes:
    client = _client(player)
    client.hesitates = False
    return client.enter_bytes()


class ConquerOnline(Game):
    """Two connections, one after the other, and both of them twice where a character is made. A frame is a
    packet with its size and type; those of the harnesses are the game door's."""

    name = "co"
    doors = ("game", "account")
    variants: ClassVar = {"5017": CoPlayer, "5065": lambda town: CoPlayer(town, version=5065)}
    steps = (
        Step("login", _login, redials=True),
        Step("report", lambda p: _client(p).report_bytes(), Phase.MENU),
        Step("connect", _connect, redials=True),
        Step("create", lambda p: _client(p).register_bytes(who_is(p).character), Phase.MENU),
        Step("again", _login, redials=True),
        Step("return", _connect, redials=True),
        Step("enter", _enter, Phase.ENTERING),
        Step("walk", lambda p: _client(p).walk_bytes(2), Phase.IN_WORLD),
        Step("jump", lambda p: _client(p).jump_bytes(-2, 1), Phase.IN_WORLD),
        Step("say", lambda p: _client(p).say_bytes("Hail!"), Phase.IN_WORLD),
        Step("turn", lambda p: _client(p).turn_bytes(0), Phase.IN_WORLD),
        Step("gesture", lambda p: _client(p).emotion_bytes(), Phase.IN_WORLD),
        Step("sit", lambda p: _client(p).emotion_bytes(250), Phase.IN_WORLD),
        Step("ping", lambda p: _client(p).ping_bytes(), Phase.IN_WORLD),
        Step("surroundings", lambda p: _client(p).action_bytes(114), Phase.IN_WORLD),
    )
    deleting = "", ()
    lengths: ClassVar = [
        (struct.pack("<H", size), 4 <= size <= 1024) for size in (0, 1, 2, 3, 4, 1024, 1025, 0x7FFF, 0xFFFF)
    ]

    def first(self, phase: Phase) -> int:
        """See Game."""
        door = self.step("connect")
        return next(n for n, step in enumerate(self.steps) if n >= door and step.phase is phase)

    async def first_words(self, player: Player, door: str) -> bytes:
        """See Game."""
        assert isinstance(player, CoPlayer)
        if door == "account":
            return player.turns_to(door) + player.client.login_bytes("nobody", PASSWORD)
        await player.sends(player.turns_to(door))
        return player.client.connect_bytes()

    def valid_at(self, door: str) -> Mapping[str, st.SearchStrategy[bytes]]:
        """See Game."""
        if door == "game":
            return self.valid()
        return {cls.__name__: co_strategies.record_of(cls).map(_encoded) for cls in ACCOUNT_MESSAGES}

    @property
    def unknown(self) -> Sequence[bytes]:  # type: ignore[override] # the types are data
        """See Game."""
        types = (
            1,
            2,
            255,
            256,
            999,
            1000,
            1013,
            1021,
            1059,
            1060,
            1086,
            1100,
            1200,
            2029,
            2037,
            0x7FFF,
            0xFFFF,
        )
        known = {cls.type for cls in CLIENT_MESSAGES}
        return [struct.pack("<HHI", 8, kind, 0) for kind in types if kind not in known]

    def silences(self, player: Player) -> None:
        """From now on it answers nothing. What is deciphered has to be, to have the keys."""
        _client(player).mute = True

    def wire(self, player: Player, frame: bytes) -> bytes:
        """See Game. Before MsgConnect the client's codec would not say anything else."""
        codec = _client(player).codec
        if isinstance(codec, TqGameCodec) and not codec._connected and frame[:4] != CONNECT[:4]:
            return codec._cipher.encrypt(frame)
        return _client(player).raw_bytes(frame)

    def begins(self, player: Player, beginning: bytes) -> bytes:
        """See Game."""
        codec = _client(player).codec
        assert isinstance(codec, TqGameCodec | CoAccountCodec)
        return codec._cipher.encrypt(beginning)

    def wire_to(self, session: Session, frame: bytes) -> bytes:
        """See Game."""
        theirs = session.codec
        if session.mobile is not None:
            ids = cast("CoView", session.family.view).figures.ids
            frame = frame.replace(HERO.to_bytes(4, "little"), ids.of(session.mobile).to_bytes(4, "little"))
        if isinstance(theirs, CfbGameCodec):
            # Where in its stream it is cannot be seen, so it begins a new one.
            theirs._decryption = CfbDecryption(_NEW_KEY, _NEW_IV)
            return CfbEncryption(_NEW_KEY, _NEW_IV).apply(frame + CLIENT_FOOTER)
        assert isinstance(theirs, TqGameCodec | CoAccountCodec)
        mine = TqCipher(Role.CLIENT)
        mine._sent = copy.copy(theirs._cipher._received)
        return mine.encrypt(frame)

    def pair(self, door: str, family: Family, entropy: Callable[[int], bytes]) -> Pair:
        """See Game."""
        made = family.doors[door].codec
        server, client = (
            cast("CoCodec", made(CodecArgs(role, entropy))) for role in (Role.SERVER, Role.CLIENT)
        )
        return Pair(server, client, lambda frame: None)

    def legal(self, number: int) -> Sequence[bytes]:
        """See Game."""
        cls = _KNOWN.get(number)
        if number in UNREAD:
            return [_packet(number, bytes(size)) for size in (24, 0)]
        if cls is None:
            return ()
        least = sum(member.field.minimum for member in cls.layouts[CoVersion.V5017].members)
        return [_packet(number, bytes(size)) for size in (least, least + 30, 0)]

    def random_frame(self, chance: random.Random, family: Family) -> bytes:
        """See Game."""
        numbers = [entry.opcode for entry in family.doors["game"].table if entry.opcode]
        number = chance.choice(numbers)
        if number in UNREAD:
            return _packet(number, chance.randbytes(chance.choice((0, 1, 8, 24))))
        least = sum(member.field.minimum for member in _KNOWN[number].layouts[CoVersion.V5017].members)
        return _packet(number, chance.randbytes(max(0, least + chance.choice((-1, 0, 0, 0, 0, 1, 8, 90)))))

    def spices(self, session: Session) -> Sequence[bytes]:
        """See Game."""
        ids = cast("CoView", session.family.view).figures.ids
        numbers = [0, 1, 2, 3, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 400_001, 1_000_001]
        numbers += [ids.of(thing) for thing in session.known.values()]
        if session.mobile is not None:
            numbers += [ids.of(session.mobile), *(item.serial for item in all_items(session.mobile))]
        x, y = _middle()
        places = [x, y, x + 5, y << 16 | x, (y + 3) << 16 | x + 4]
        actions = [struct.pack("<H", number) for number in (74, 79, 81, 86, 102, 114, 117, 130, 133)]
        return [struct.pack("<I", number & 0xFFFFFFFF) for number in (*numbers, *places)] + actions

    def number_of(self, session: Session, mobile: Mobile) -> int:
        """See Game."""
        return cast("CoView", session.family.view).figures.ids.of(mobile)

    def mended(self, frame: bytes) -> bytes:
        """See Game."""
        return struct.pack("<H", max(4, len(frame))) + frame[2:].ljust(2, b"\1")

    def forgets(self, player: Player) -> None:
        """See Game."""
        assert isinstance(player, CoPlayer)
        screen = player.client.screen
        player.got.clear()
        for kept in (
            *(player.client.received, screen.said, screen.notices, screen.gestures, screen.echoed),
            *(screen.answers, screen.inspected, screen.strangers, screen.risen),
        ):
            kept.clear()
        player.raw.clear()

    def valid(self) -> Mapping[str, st.SearchStrategy[bytes]]:
        """See Game."""
        found: dict[str, st.SearchStrategy[Message]] = {
            cls.__name__: co_strategies.record_of(cls) for cls in _KNOWN.values()
        }
        found |= co_strategies.played(_middle(), HERO)
        return {name: messages.map(_encoded) for name, messages in found.items()}

    def kind_of(self, name: str, packet: object) -> str:
        """See Game: actions are told apart, as far as somebody handles them, and so are channels."""
        match packet:
            case Action(action=number) if number in ACTIONS:
                return ActionType(number).name
            case ItemAction(action=number) if number in ItemActionType.__members__.values():
                return f"item {ItemActionType(number).name}"
            case Talk(channel=number) if number in Channel.__members__.values():
                return f"channel {Channel(number).name}"
        return name

    def with_text(self, number: int) -> Iterator[tuple[str, Callable[[bytes], bytes]]]:
        """See Game."""
        cls = _KNOWN.get(number)
        if cls is None:
            return
        for member in cls.layouts[CoVersion.V5017].members:
            if not isinstance(member.field, FixedText | StringPack):
                continue
            least = sum(other.field.minimum for other in cls.layouts[CoVersion.V5017].members)
            plainest = cls.decode(_packet(number, bytes(least)), CoVersion.V5017)
            if isinstance(member.field, FixedText):
                setattr(plainest, member.name, MARK)
                frame, size = plainest.encode(CoVersion.V5017), member.field.size
                if MARK.encode() not in frame:
                    continue  # it has not room enough
                yield member.name, partial(_with_fixed, frame, frame.index(MARK.encode()), size)
            else:
                setattr(plainest, member.name, (MARK,) * 4)
                yield member.name, partial(_with_pack, plainest.encode(CoVersion.V5017))

    def texts(self, text: str) -> Sequence[bytes]:
        """See Game."""
        return [text.encode("cp1252", "replace"), text.encode("utf-8", "surrogatepass")]

    def says(self, player: Player, text: str) -> bytes:
        """See Game."""
        return _client(player).say_bytes(text)

    def heard(self, player: Player) -> list[str]:
        """See Game."""
        return _client(player).screen.lines()

    def spoken_to(self, player: Player) -> list[Heard]:
        """See Game."""
        said = _client(player).screen.said
        return [Heard(_WAYS[channel], who, words) for channel, who, _, words in said if channel in _WAYS]

    def gestures_of(self, player: Player, mobile: Mobile) -> list[object]:
        """See Game. Who sits down or stands up makes a gesture, too."""
        seen = self._drawn(player, mobile)
        gestures = _client(player).screen.gestures
        return [number for who, number in gestures if seen is not None and who == seen.id]

    def sees(self, player: Player, mobile: Mobile) -> Sight | None:
        """See Game. It is told how much somebody has left, and not how much that was."""
        seen = self._drawn(player, mobile)
        if seen is None:
            return None
        hits = seen.values[co_screen.LIFE] * 100 / mobile.hits_max if co_screen.LIFE in seen.values else None
        heading, sits = heading_of(seen.direction), seen.pose == co_screen.SIT
        return Sight(seen.name, seen.x, seen.y, heading, hits, seen.ghost, sits)

    def _drawn(self, player: Player, mobile: Mobile) -> Seen | None:
        screen = _client(player).screen
        found = [*screen.people.values(), *([screen.me] if screen.me is not None else [])]
        return next((seen for seen in found if seen.name == mobile.name), None)

    def own_hits(self, player: Player) -> tuple[int, int]:
        """See Game."""
        values = _client(player).screen.values
        return values[co_screen.LIFE], values[co_screen.MAX_LIFE]

    def faults(self, player: Player) -> list[object]:
        """See Game."""
        client = _client(player)
        return [*client.screen.faults, *client.screen.strangers, *([client.why] if client.why else [])]

    def corrections(self, player: Player) -> int:
        """See Game."""
        return _client(player).screen.kicked_back

    def steps_to(self, player: Player, heading: int) -> bytes:
        """See Game."""
        client = _client(player)
        return client.walk_bytes(heading) if client.in_world else b""

    def logs_out(self, player: Player) -> bytes:
        """See Game."""
        return b""

    def keeps_alive(self, player: Player) -> bytes:
        """See Game: the ping, every ten seconds in the original."""
        return _client(player).ping_bytes() if _client(player).in_world else b""

    def believes(self, player: Player) -> set[object]:
        """See Game."""
        screen = _client(player).screen
        return {*screen.people, *screen.npcs, *screen.ground}

    def should_believe(self, session: Session) -> set[object]:
        """See Game."""
        ids = cast("CoView", session.family.view).figures.ids
        return {ids.of(thing) for thing in session.known.values()}


_WAYS: Final = {
    co_screen.TALK: "say",
    co_screen.YELL: "yell",
    co_screen.WHISPER: "tell",
    co_screen.SYSTEM: "global",
}
"""Channels."""

_KNOWN: Final[dict[int, type[Message]]] = {
    cls.type: cls for cls in CLIENT_MESSAGES if cls not in ACCOUNT_MESSAGES
}
"""What is said at the game's door, by type."""


def _encoded(message: Message) -> bytes:
    return message.encode(CoVersion.V5017)


def _packet(kind: int, body: bytes) -> bytes:
    return struct.pack("<HH", 4 + len(body), kind) + body


def _middle() -> tuple[int, int]:
    """Of the realm where people play, in the client's coordinates."""
    row = shipped_content().charts["confluence"].atlas["co"]
    return int(str(row["x"])) + 40, int(str(row["y"])) + 40


def _with_fixed(frame: bytes, at: int, size: int, raw: bytes) -> bytes:
    return frame[:at] + raw[:size].ljust(size, b"\0") + frame[at + size :]


def _with_pack(frame: bytes, raw: bytes) -> bytes:
    mark = bytes([len(MARK)]) + MARK.encode()
    return _packet(
        int.from_bytes(frame[2:4], "little"), frame[4:].replace(mark, bytes([len(raw[:255])]) + raw[:255])
    )
