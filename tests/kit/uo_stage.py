"""A small world with Ultima Online's looks, its view, and sessions without a connection whose answers can be
read. Whoever plays there has entered through the server's own parts (`tests.kit.desk`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import attrs
import trio

from protocol.services import AccountInfo
from protocol.uo import family
from protocol.uo.codec import UoCodec
from protocol.uo.handlers import TABLE
from protocol.uo.handlers.entering import welcome
from protocol.uo.packets import number_of_frame
from protocol.uo.session import UoSession
from protocol.uo.view import Viewer
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from tests.kit import desk as base
from tests.kit.worlds import person, plain_content
from world.content import Content, MobileTemplate, Resident
from world.events import Event, Said
from world.newcomers import outfit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from protocol.outgoing import Outgoing
    from protocol.uo.packets.base import ClientPacket
    from protocol.uo.versions import VersionNumber
    from protocol.uo.view import UoView
    from world.mobile import Mobile

NEWEST: VersionNumber = (7, 0, 102, 3)
CLIENT_VERSIONS: list[VersionNumber] = [
    NEWEST,
    (7, 0, 35, 0),
    (7, 0, 31, 0),
    (7, 0, 15, 1),
    (7, 0, 9, 0),
    (7, 0, 0, 0),
    (6, 0, 14, 2),
    (6, 0, 1, 7),
    (5, 0, 9, 1),
    (4, 0, 11, 0),
    (2, 0, 4, 0),
]
"""Versions of all layouts."""
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
    "apple": 0x09D0,
    "sack": 0x0E76,
    "bank_box": 0x0E7C,
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
    mobiles["sheep"] = MobileTemplate("sheep", "a sheep", look={"uo": {"body": 0xCF, "sound": 0xD6}})
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


CONFIG = """
[server]
name = "Confluence"
[listen.uo]
"""


class Scene(base.Desk):
    """A server with this game, and who plays there: for tests that are no tasks."""

    def __init__(self, content: Content | None = None) -> None:
        super().__init__(content or uo_content(), family, CONFIG, (10, 10))
        self.view = cast("UoView", self.family.view)

    def person(self, name: str = "Alric", x: int = 10, y: int = 10) -> Mobile:
        """A dressed character of an account of its own."""
        mobile = person(self.world, name, x, y)
        mobile.account = mobile.serial
        outfit(mobile, stored=False)
        mobile.hair = 1
        self.world.register(mobile)
        self.world.take_changes()
        return mobile

    def session(self, mobile: Mobile, version: VersionNumber = NEWEST) -> UoSession:
        """A client of that version that plays it and has just been welcomed; its outbox is empty."""
        session = self.newcomer(mobile, version)
        welcome(session, mobile)
        session.outbox.clear()
        session.steps.restart()
        self.view.moved(session)
        session.outbox.clear()
        self.world.take_changes()
        return session

    def newcomer(self, mobile: Mobile, version: VersionNumber = NEWEST) -> UoSession:
        """A client that plays it and is about to be welcomed."""
        session = UoSession(
            number=len(self.sessions) + 1,
            family=self.family,
            door="game",
            peer="127.0.0.1",
            local="127.0.0.1:2593",
            codec=UoCodec(CodecArgs(Role.SERVER, bytes)),
            services=self.app,
        )
        session.know_version(version)
        self.sessions[session.id] = session
        self.app.accounts.comes(session, AccountInfo(mobile.account, "somebody"), 0)
        trio.run(self._enters, session, mobile)
        session.outbox.clear()
        return session

    async def _enters(self, session: UoSession, mobile: Mobile) -> None:
        await self.meanwhile(self.app.characters.enter(session, mobile.serial, lambda _: None))

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
        """Timers run for so long; the clients are told nothing."""
        for _ in range(round(seconds * 100)):
            self.now += 0.01
            self.world.begin(self.now)
            self.world.run_timers()


def taken(session: UoSession) -> list[bytes]:
    """What is queued for a client, bound as at flush; nothing is queued any more."""
    found = written(session.outbox, session)
    session.outbox = []
    return found


def written(messages: Iterable[Outgoing], session: UoSession | None = None) -> list[bytes]:
    """The bytes of messages; bound ones need the session, and may be nothing to it."""
    found = []
    for message in messages:
        if isinstance(message, Body):
            found.append(message.raw)
        else:
            assert session is not None
            made = message.bind(session)  # type: ignore[arg-type] # one of its own game
            raw = made.raw if isinstance(made, Body) else made
            found += [raw] if raw else []
    return found


def numbers(frames: Iterable[bytes]) -> list[int]:
    """Opcodes, 0xBF00 plus the number for extended packets."""
    return [frame[0] if frame[0] != 0xBF else 0xBF00 | frame[4] for frame in frames]


def player(session: UoSession) -> Mobile:
    """The mobile that a client plays."""
    assert session.mobile is not None
    return session.mobile


def heard(scene: Scene) -> list[str]:
    """Lines that the world told players since it was asked last."""
    events = scene.world.take_changes().events
    return [event.text for event in events if isinstance(event, Said)]


def lines(frames: list[bytes]) -> list[str]:
    """The words of 0xAE."""
    return [frame[48:-2].decode("utf-16-be") for frame in frames if frame[0] == 0xAE]


def shown(scene: Scene, session: UoSession) -> list[bytes]:
    """What the turn tells a client of its own mobile's changes."""
    return [
        frame
        for thing, flags in scene.world.take_changes().dirty
        if thing is session.mobile
        for frame in written(scene.view.changed(thing, flags, Viewer.SELF, session.dialect), session)
    ]


def happened(scene: Scene, kind: type) -> Event:
    """The last event of a kind since the world was asked last."""
    found = [event for event in scene.world.take_changes().events if type(event) is kind]
    assert found
    return found[-1]


def pressed(scene: Scene, session: UoSession, frame: bytes) -> list[bytes]:
    """A frame into its handler."""
    entry = TABLE.entry(number_of_frame(frame))
    assert entry is not None
    entry.handler(session, entry.decode(frame))
    return taken(session)
