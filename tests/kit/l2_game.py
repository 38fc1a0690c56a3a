"""Lineage II as harnesses see it (`tests.kit.game`)."""

from __future__ import annotations

import copy
import struct
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from protocol.l2.codec import L2GameCodec, L2LoginCodec
from protocol.l2.packets import (
    CLIENT_MESSAGES,
    AuthGameGuard,
    Logout,
    RequestAuthLogin,
    RequestRestart,
    RequestServerList,
    RequestServerLogin,
)
from protocol.l2.versions import UNKNOWN
from protocol.l2.versions import prefix as prefixed
from protocol.session import Phase
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from protocol.wire.fields import ZeroText
from tests.kit import l2_shown, l2_strategies
from tests.kit.game import MARK, Game, Heard, Pair, Sight, Step, who_is
from tests.kit.l2_client import heading_of
from tests.kit.l2_player import L2Player
from tests.kit.players import PASSWORD
from tests.kit.town import shipped_content

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hypothesis import strategies as st

    from protocol.family import Family
    from protocol.l2.packets import Message
    from protocol.session import Session
    from tests.kit.l2_client import L2Client
    from tests.kit.players import Player
    from world.mobile import Mobile

KEY: Final = b"roll1ngX"
"""What KeyPacket says where no server says it."""


def _client(player: Player) -> L2Client:
    assert isinstance(player, L2Player)
    return player.client


def _connect(player: Player) -> bytes:
    """To the login door, which speaks first."""
    assert isinstance(player, L2Player)
    return player.turns_to("login")


def _login(player: Player) -> bytes:
    return _client(player).login_bytes(who_is(player).account, PASSWORD)


def _version(player: Player) -> bytes:
    """To the game's door, and the first word there."""
    assert isinstance(player, L2Player)
    return player.turns_to("game") + player.client.version_bytes()


def _create(player: Player) -> bytes:
    """The form; a player who has a character asks to have it back instead, for what was said in the menu
    before may have doomed it."""
    client = _client(player)
    if client.screen.menu:
        return client.restore_bytes()
    return client.create_bytes(who_is(player).character)


def _by_number(number: int) -> Callable[[Player], bytes]:
    return lambda player: _client(player).raw_bytes(bytes((number,)))


class Lineage2(Game):
    """Two connections: one that logs in, enciphered in blocks, and one that plays, enciphered as it rolls. A
    frame is opcode and body; those of the harnesses are the game door's."""

    name = "l2"
    doors = ("game", "login")
    variants: ClassVar = {"746": L2Player, "746-other": lambda town: L2Player(town, original=False)}
    steps = (
        Step("connect", _connect),
        Step("guard", lambda p: _client(p).guard_bytes()),
        Step("login", _login, Phase.LOGIN),
        Step("servers", lambda p: _client(p).worlds_bytes(), Phase.MENU),
        Step("play", lambda p: _client(p).play_bytes(), Phase.MENU),
        Step("version", _version, redials=True),
        Step("auth", lambda p: _client(p).auth_bytes(), Phase.LOGIN),
        Step("create", _create, Phase.MENU),
        Step("select", lambda p: _client(p).select_bytes(), Phase.MENU),
        Step("enter", lambda p: _client(p).enter_bytes(), Phase.ENTERING),
        Step("walk", lambda p: _client(p).walk_bytes(2), Phase.IN_WORLD),
        Step("say", lambda p: _client(p).say_bytes("Hail!"), Phase.IN_WORLD),
        Step("turn", lambda p: _client(p).turn_bytes(0), Phase.IN_WORLD),
        Step("validate", lambda p: _client(p).validate_bytes(), Phase.IN_WORLD),
        Step("gesture", lambda p: _client(p).gesture_bytes(), Phase.IN_WORLD),
        Step("items", lambda p: _client(p).items_bytes(), Phase.IN_WORLD),
        Step("restart", lambda p: _client(p).restart_bytes(), Phase.IN_WORLD),
    )
    deleting = "select", (Step("delete", lambda p: _client(p).delete_bytes(), Phase.MENU),)
    lengths: ClassVar = [
        (size.to_bytes(2, "little"), 2 <= size <= 8192) for size in (0, 1, 2, 3, 4, 8192, 0x7FFF, 0xFFFF)
    ]

    def first(self, phase: Phase) -> int:
        """See Game."""
        door = self.step("version")
        return next(n for n, step in enumerate(self.steps) if n >= door and step.phase is phase)

    async def first_words(self, player: Player, door: str) -> bytes:
        """See Game. At the login door the server speaks first."""
        assert isinstance(player, L2Player)
        await player.sends(player.turns_to(door))
        return player.client.guard_bytes() if door == "login" else player.client.version_bytes()

    def valid_at(self, door: str) -> Mapping[str, st.SearchStrategy[bytes]]:
        """See Game."""
        if door == "game":
            return self.valid()
        classes = (AuthGameGuard, RequestAuthLogin, RequestServerList, RequestServerLogin)
        return {
            cls.__name__: l2_strategies.record_of(cls).map(lambda message: message.encode())
            for cls in classes
        }

    @property
    def unknown(self) -> Sequence[bytes]:  # type: ignore[override] # the numbers are data
        """See Game."""
        version = l2_strategies.newest()
        frames = [bytes((number, 0, 0)) for number in range(256)]
        frames += [bytes((0xD0, number, 0, 0)) for number in (0, 2, 9, 0x40, 0xFF)]
        frames += [b"\xd0", b"\xd0\1"]
        return [frame for frame in frames if version.role_of(frame) >= UNKNOWN]

    def handed_out(self, door: str, frame: bytes) -> bytes:
        """See Game. What goes to the login door is filled up to whole blocks, with room for a checksum; the
        last of them is never full."""
        return frame if door == "game" else frame.ljust((len(frame) + 4) // 8 * 8 + 4, b"\0")

    def silences(self, player: Player) -> None:
        """From now on it looks at nothing. What is deciphered has to be, to have the keys."""
        _client(player).mute = True

    def wire(self, player: Player, frame: bytes) -> bytes:
        """See Game."""
        return _client(player).raw_bytes(frame)

    def wire_to(self, session: Session, frame: bytes) -> bytes:
        """See Game."""
        theirs = session.codec
        args = CodecArgs(Role.CLIENT, bytes)
        mine: L2GameCodec | L2LoginCodec
        if isinstance(theirs, L2GameCodec):
            mine = L2GameCodec(args)
            mine._encrypt = copy.copy(theirs._decrypt)
        else:
            assert isinstance(theirs, L2LoginCodec)
            mine = L2LoginCodec(args)
            mine.session_key, mine._init_passed = theirs.session_key, True
        mine.send(Body(frame))
        return b"".join(mine.outgoing(0.0))

    def pair(self, door: str, family: Family, entropy: Callable[[int], bytes]) -> Pair:
        """See Game."""
        made = family.doors[door].codec
        server = made(CodecArgs(Role.SERVER, entropy))
        client = made(CodecArgs(Role.CLIENT, bytes))
        if isinstance(server, L2LoginCodec):
            assert isinstance(client, L2LoginCodec)
            client.session_key, client._init_passed = server.session_key, True
            return Pair(server, client, lambda frame: None)

        def heard(frame: bytes) -> None:
            for codec in (server, client):
                assert isinstance(codec, L2GameCodec)
                if not codec.enciphered:
                    codec.encipher(KEY)

        return Pair(server, client, heard)

    def legal(self, number: int) -> Sequence[bytes]:
        """See Game."""
        cls = _KNOWN.get(number)
        if number >= UNKNOWN:
            return (prefixed(number - UNKNOWN) + bytes(8),)
        if cls is None:
            return ()
        head, size = _head(cls), sum(member.field.minimum for member in cls.MEMBERS)
        return head + bytes(size), head + bytes(size + 30), head

    def random_frame(self, chance: random.Random, family: Family) -> bytes:
        """See Game. None by which a client leaves."""
        table = family.doors["game"].table
        known = [entry.opcode for entry in table if entry.opcode not in _LEAVING and entry.opcode in _KNOWN]
        cls = _KNOWN[chance.choice(known)]
        size = sum(member.field.minimum for member in cls.MEMBERS) + chance.choice((-1, 0, 0, 0, 0, 1, 8, 90))
        return _head(cls) + chance.randbytes(max(0, size))

    def spices(self, session: Session) -> Sequence[bytes]:
        """See Game."""
        numbers = [0, 1, 2, 3, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x40000000]
        numbers += [*session.known]
        if session.mobile is not None:
            numbers.append(session.mobile.serial)
        row = shipped_content().charts["confluence"].atlas["l2"]
        places = [int(row[axis]) + 40 * 24 for axis in ("x", "y")]
        return [struct.pack("<I", number & 0xFFFFFFFF) for number in (*numbers, *places)]

    def mended(self, frame: bytes) -> bytes:
        """See Game."""
        return frame

    def forgets(self, player: Player) -> None:
        """See Game."""
        assert isinstance(player, L2Player)
        player.got.clear()
        screen = player.client.screen
        for kept in (player.client.received, screen.said, screen.notices, screen.gestures):
            kept.clear()
        player.raw.clear()

    def valid(self) -> Mapping[str, st.SearchStrategy[bytes]]:
        """See Game."""
        version = l2_strategies.newest()
        row = shipped_content().charts["confluence"].atlas["l2"]
        x, y, z = (int(row[axis]) for axis in ("x", "y", "z"))
        found: dict[str, st.SearchStrategy[Message]] = {
            cls.__name__: l2_strategies.record_of(cls) for cls in CLIENT_MESSAGES if cls.role not in _LEAVING
        }
        found |= l2_strategies.played((x + 40 * 24, y + 40 * 24, z))
        return {name: messages.map(version.encode) for name, messages in found.items()}

    def with_text(self, number: int) -> Iterator[tuple[str, Callable[[bytes], bytes]]]:
        """See Game."""
        cls = _KNOWN.get(number)
        if cls is None:
            return
        version, head = l2_strategies.newest(), _head(cls)
        for member in cls.MEMBERS:
            if isinstance(member.field, ZeroText):
                size = sum(other.field.minimum for other in cls.MEMBERS)
                plainest = version.decode_client(head + bytes(size))
                setattr(plainest, member.name, MARK)
                yield member.name, partial(version.encode(plainest).replace, MARK.encode("utf-16-le"))

    def texts(self, text: str) -> Sequence[bytes]:
        """See Game."""
        return [text.encode("utf-16-le", "surrogatepass"), text.encode("utf-8", "surrogatepass")]

    def says(self, player: Player, text: str) -> bytes:
        """See Game."""
        return _client(player).say_bytes(text)

    def heard(self, player: Player) -> list[str]:
        """See Game."""
        return _client(player).screen.lines()

    def spoken_to(self, player: Player) -> list[Heard]:
        """See Game. A whisper of its own comes back under the name it went to, behind an arrow."""
        said = _client(player).screen.said
        return [Heard(_WAYS[kind], who, words) for kind, who, words in said if kind in _WAYS]

    echoes = frozenset({"say", "yell", "global"})

    def gestures_of(self, player: Player, mobile: Mobile) -> list[object]:
        """See Game."""
        return [number for who, number in _client(player).screen.gestures if who == mobile.serial]

    def sees(self, player: Player, mobile: Mobile) -> Sight | None:
        """See Game. It does not hear that it is dead itself, or its player could not walk to a healer; and
        how others are it shows once that has changed."""
        screen = _client(player).screen
        seen = screen.everybody().get(mobile.serial)
        if seen is None or (seen.npc and seen.dead):
            return None
        x, y, _ = seen.place(screen.now())
        status = seen.status
        hits = None
        if l2_shown.MAX_HP in status:
            hits = status[l2_shown.CUR_HP] * 100 / status[l2_shown.MAX_HP]
        ghost = None if seen is screen.me else seen.dead
        return Sight(seen.name, x, y, heading_of(seen.heading), hits, ghost, not seen.standing)

    def own_hits(self, player: Player) -> tuple[int, int]:
        """See Game."""
        me = _client(player).screen.me
        assert me is not None
        return me.status[l2_shown.CUR_HP], me.status[l2_shown.MAX_HP]

    def faults(self, player: Player) -> list[object]:
        """See Game."""
        client = _client(player)
        return [*client.screen.faults, *([client.why] if client.why else [])]

    def corrections(self, player: Player) -> int:
        """See Game."""
        screen = _client(player).screen
        return screen.corrections + screen.teleports

    async def walks(self, player: Player, heading: int) -> None:
        """See Game: until its client draws it there."""
        assert isinstance(player, L2Player)
        await player.walks(heading)

    def steps_to(self, player: Player, heading: int) -> bytes:
        """See Game."""
        client = _client(player)
        return client.walk_bytes(heading) if client.in_world else b""

    def logs_out(self, player: Player) -> bytes:
        """See Game."""
        return _client(player).logout_bytes()

    def keeps_alive(self, player: Player) -> bytes:
        """See Game: it is asked."""
        return b""

    def believes(self, player: Player) -> set[object]:
        """See Game."""
        screen = _client(player).screen
        return {*screen.people, *screen.living(), *screen.ground}

    def should_believe(self, session: Session) -> set[object]:
        """See Game."""
        return set(session.known)


_KNOWN: Final = {cls.role: cls for cls in CLIENT_MESSAGES}
_LEAVING: Final = (Logout.role, RequestRestart.role)


_WAYS: Final = {
    l2_shown.ALL: "say",
    l2_shown.SHOUT: "yell",
    l2_shown.TELL: "tell",
    l2_shown.TRADE: "global",
}
"""Kinds of what is said."""


def _head(cls: type[Message]) -> bytes:
    """The opcode, or both of an extended message."""
    number = l2_strategies.newest().number_of(cls)
    if number <= 0xFF:
        return bytes((number,))
    return bytes((number >> 16,)) + (number & 0xFFFF).to_bytes(2, "little")
