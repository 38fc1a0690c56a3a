"""A small world with Ultima Online's looks, its view, and sessions without a connection whose answers can be
read."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import attrs

from protocol.services import AccountInfo
from protocol.session import Phase
from protocol.uo import family
from protocol.uo.codec import UoCodec
from protocol.uo.handlers import TABLE
from protocol.uo.handlers.characters import welcome
from protocol.uo.packets import number_of_frame
from protocol.uo.session import UoSession
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from tests.kit.worlds import person, plain_content, plain_world
from world.content import Content, MobileTemplate, Resident
from world.newcomers import outfit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from protocol.family import Family
    from protocol.services import Services
    from protocol.session import Outgoing
    from protocol.uo.lengths import Version
    from protocol.uo.packets.base import ClientPacket
    from protocol.uo.view import UoView
    from world.mobile import Mobile
    from world.world import World

NEWEST: Version = (7, 0, 102, 3)
ITEM_IDS = {
    "backpack": 0x0E75,
    "shirt": 0x1517,
    "pants": 0x1539,
    "skirt": 0x1516,
    "shoes": 0x170F,
    "gold": 0x0EED,
    "dagger": 0x0F52,
    "candle": 0x0A28,
    "bread": 0x103B,
}
HUMAN = {"body": 0x190, "female_body": 0x191, "ghost": 0x192, "female_ghost": 0x193}
PLAIN = {"map": 1, "x": 5400, "y": 600, "z": 0}
CAVE = {"map": 0, "x": 100, "y": 200, "z": -5}


def uo_content(
    *,
    walls: frozenset[tuple[int, int]] = frozenset(),
    residents: tuple[Resident, ...] = (),
    width: int = 60,
    height: int = 60,
) -> Content:
    """`plain_content` as Ultima Online shows it: walls are 0x80, every third tile of the plain is a road."""
    content = plain_content(walls=walls, residents=residents, width=width, height=height)
    tiles = {
        "grass": attrs.evolve(content.tiles["grass"], look={"uo": {}}),
        "wall": attrs.evolve(content.tiles["wall"], look={"uo": {"items": (0x80,), "z": 2}}),
        "road": attrs.evolve(
            content.tiles["grass"], key="road", name="road", look={"uo": {"items": (0x519,)}}
        ),
    }
    items = {
        key: attrs.evolve(template, look={"uo": {"item": ITEM_IDS[key]}})
        for key, template in content.items.items()
    }
    mobiles = {key: attrs.evolve(template, look={"uo": HUMAN}) for key, template in content.mobiles.items()}
    mobiles["sheep"] = MobileTemplate("sheep", "a sheep", look={"uo": {"body": 0xCF}})
    plain = content.charts["plain"]
    ground = [tiles["road"] if place % 3 == 0 else kind for place, kind in enumerate(plain.ground)]
    charts = {
        "plain": attrs.evolve(plain, ground=ground, atlas={"uo": PLAIN}),
        "cave": attrs.evolve(content.charts["cave"], atlas={"uo": CAVE}),
    }
    hair = (0, 0x203B, 0x203C, *[0x203D] * 18)
    people: dict[str, dict[str, object]] = {
        "hair": {"male": hair, "female": hair},
        "beard": {"uo": (0, 0x203E, 0x203F)},
    }
    return attrs.evolve(content, tiles=tiles, items=items, mobiles=mobiles, charts=charts, people=people)


@attrs.define
class FakeServices:
    """What handlers of packets in the world reach."""

    world: World
    content: Content
    server_name: str = "Confluence"
    commands: list[str] = attrs.field(factory=list)

    def command(self, session: UoSession, line: str) -> None:
        """Note it."""
        self.commands.append(line)


class Scene:
    """A world, this game's family over it, and who plays there."""

    def __init__(self, content: Content | None = None) -> None:
        self.content = content or uo_content()
        self.world = plain_world(self.content)
        self.family: Family = family(self.content)
        self.view = cast("UoView", self.family.view)
        self.services = FakeServices(self.world, self.content)
        self.sessions: list[UoSession] = []

    def person(self, name: str = "Alric", x: int = 10, y: int = 10) -> Mobile:
        """A dressed character."""
        mobile = person(self.world, name, x, y)
        outfit(mobile, stored=False)
        mobile.hair = 1
        self.world.register(mobile)
        self.world.take_changes()
        return mobile

    def session(self, mobile: Mobile, version: Version = NEWEST) -> UoSession:
        """A client of that version that plays it and has just been welcomed; its outbox is empty."""
        session = self.newcomer(mobile, version)
        welcome(session, mobile)
        session.outbox.clear()
        session.steps.restart()
        self.view.moved(session)
        session.outbox.clear()
        self.world.take_changes()
        return session

    def newcomer(self, mobile: Mobile, version: Version = NEWEST) -> UoSession:
        """A client that is about to be welcomed."""
        number = len(self.sessions) + 1
        session = UoSession(
            number=number,
            family=self.family,
            door="game",
            peer="127.0.0.1",
            local="127.0.0.1:2593",
            codec=UoCodec(CodecArgs(Role.SERVER, bytes)),
            services=cast("Services", self.services),
        )
        session.know_version(version)
        session.account = AccountInfo(1, "somebody")
        session.phase = Phase.ENTERING
        session.mobile = mobile
        session.eyes = self.world.open_eyes(mobile, number, self.view.sight(session))
        session.known = {thing.serial: thing for thing in mobile.realm.space.seen_by(session.eyes).values()}  # type: ignore[union-attr]
        self.sessions.append(session)
        return session

    def send(self, session: UoSession, *packets: ClientPacket) -> list[bytes]:
        """Let the client send packets, straight into their handlers; what is queued for it then."""
        for packet in packets:
            frame = packet.encode()
            entry = TABLE.entry(number_of_frame(frame))
            assert entry is not None
            assert session.phase in entry.phases
            assert entry.handler(session, entry.decode(frame)) is None
        return taken(session)

    def pass_time(self, seconds: float) -> None:
        """Turns of 10 ms until so much time has passed."""
        for _ in range(round(seconds * 100)):
            self.world.begin(self.world.now + 0.01)
            self.world.run_timers()


def taken(session: UoSession) -> list[bytes]:
    """What is queued for a client, bound as at flush; nothing is queued any more."""
    found = written(session.outbox, session)
    session.outbox = []
    return found


def written(messages: Iterable[Outgoing], session: UoSession | None = None) -> list[bytes]:
    """The bytes of messages; bound ones need the session."""
    found = []
    for message in messages:
        if isinstance(message, Body):
            found.append(message.raw)
        else:
            assert session is not None
            found.append(message.bind(session))
    return found


def numbers(frames: Iterable[bytes]) -> list[int]:
    """Opcodes, 0xBF00 plus the number for extended packets."""
    return [frame[0] if frame[0] != 0xBF else 0xBF00 | frame[4] for frame in frames]
