"""A small world with EverQuest II's looks, and clients without a wire: what each believes, from the messages
that its session binds."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from protocol.eq2.figures import Figures, Rendering, read_rendering
from protocol.eq2.looks import compile_looks
from protocol.eq2.packets import (
    CATALOGUE,
    CharacterSheet,
    CreateGhost,
    DestroyGhost,
    GhostInfo,
    GhostPosition,
    GhostVisible,
    Sheet,
    UpdateGhost,
)
from protocol.eq2.packing import unpack, xor
from protocol.eq2.places import read_places
from protocol.eq2.scenery import Eq2Scenery
from protocol.eq2.session import Eq2Session
from protocol.eq2.versions import Eq2Versions
from protocol.eq2.view import SIGHT, Eq2View
from protocol.family import Family
from protocol.session import Phase
from server.content.loading import load
from server.turn.fanout import Fanout
from tests.kit.worlds import person, plain_content, plain_world
from world.mobile import Mobile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from protocol.endings import Ending
    from protocol.eq2.packets import GhostDelta, Message
    from protocol.eq2.versions import Eq2Version
    from world.content import Content, ItemTemplate, MobileTemplate
    from world.world import World

DATA = Path(__file__).parents[2] / "data"

PLACE: dict[str, float | str] = {
    "zone": "antonica",
    "description": "The Plain",
    "x": 100.0,
    "y": -5.0,
    "z": 200.0,
}
FAR: dict[str, float | str] = {"zone": "commonlands", "description": "The Cave", "x": 0.0, "y": 0.0, "z": 0.0}


@cache
def eq2_content(*, cave: bool = False) -> Content:
    """The plain, with the looks of data/ and the layouts of the versions; `cave`: the cave has a place,
    too."""
    shipped, plain = load(DATA), plain_content()

    def item(template: ItemTemplate) -> ItemTemplate:
        return attrs.evolve(
            template, look=shipped.items["bag" if template.key == "sack" else template.key].look
        )

    def mobile(template: MobileTemplate) -> MobileTemplate:
        return attrs.evolve(
            template, look=shipped.mobiles["villager" if template.key == "baker" else template.key].look
        )

    charts = dict(plain.charts)
    charts["plain"] = attrs.evolve(charts["plain"], atlas={"eq2": PLACE})
    if cave:
        charts["cave"] = attrs.evolve(charts["cave"], atlas={"eq2": FAR})
    {key: mobile(template) for key, template in plain.mobiles.items()}
    return attrs.evolve(
        plain,
        items={key: item(template) for key, template in plain.items.items()},
        mobiles={key: mobile(template) for key, template in plain.mobiles.items()}
        | {"sheep": shipped.mobiles["sheep"]},
        charts=charts,
        people=shipped.people,
        tables=shipped.tables,
    )


def eq2_view(content: Content) -> Eq2View:
    """The view over a content."""
    problems: list[str] = []
    versions = Eq2Versions.from_content(content, CATALOGUE)
    places = read_places(content.charts.values(), problems)
    rendering = read_rendering(content, versions.newest.name, problems)
    assert problems == []
    figures = Figures(compile_looks(content), places, rendering)
    return Eq2View(versions, figures, _scenery(content))


@cache
def _scenery(content: Content) -> Eq2Scenery:
    """As a seam keeps it: there are thousands of pieces."""
    places = read_places(content.charts.values(), [])
    props = compile_looks(content).props
    return Eq2Scenery(content.charts.values(), props, places, SIGHT.radius, Rendering())


class Wireless:
    """A codec without a wire."""

    def __init__(self, version: Eq2Version) -> None:
        self.version = version


class Ends:
    """A link that notes the end."""

    busy = False

    def __init__(self) -> None:
        self.endings: list[tuple[Ending, str]] = []

    def flush(self, *, force: bool = False) -> None:
        return

    def end(self, ending: Ending, detail: str) -> None:
        self.endings.append((ending, detail))

    def later(self, job: object) -> None:
        raise AssertionError

    def drained(self) -> None:
        return


@attrs.define
class Seen:
    """One ghost as a client has it, structs in plain bytes."""

    version: Eq2Version
    index: int
    spawn_id: int
    position_bytes: bytes
    visible_bytes: bytes
    info_bytes: bytes
    created: CreateGhost

    @property
    def position(self) -> GhostPosition:
        return self.version.unpack_struct(GhostPosition, self.position_bytes)

    @property
    def visible(self) -> GhostVisible:
        return self.version.unpack_struct(GhostVisible, self.visible_bytes)

    @property
    def info(self) -> GhostInfo:
        return self.version.unpack_struct(GhostInfo, self.info_bytes)


class Screen:
    """What a client shows, by the numbers of its own; `other` is all that is no ghost."""

    def __init__(self, version: Eq2Version) -> None:
        self.version = version
        self.ghosts: dict[int, Seen] = {}
        self.got: list[Message] = []
        self.sheet = b""

    def feed(self, payloads: Iterable[bytes]) -> None:
        """Take messages in."""
        for payload in payloads:
            if payload:
                for message in self.version.decode_server(payload):
                    self.got.append(message)
                    self._take(message)

    def of(self, serial: int) -> Seen | None:
        """The ghost with that spawn id."""
        found = [ghost for ghost in self.ghosts.values() if ghost.spawn_id == serial]
        assert len(found) <= 1, "one ghost for each thing"
        return found[0] if found else None

    def seen(self, serial: int) -> Seen:
        """The ghost with that spawn id, which has to be there."""
        ghost = self.of(serial)
        assert ghost is not None
        return ghost

    @property
    def own_sheet(self) -> Sheet:
        return self.version.unpack_struct(Sheet, self.sheet)

    def _take(self, message: Message) -> None:
        version = self.version
        if isinstance(message, CreateGhost):
            sizes = [version.size_of(kind) for kind in (GhostPosition, GhostVisible, GhostInfo)]
            plain = self._unpack(message.packed, sum(sizes))
            assert message.index not in self.ghosts, "that number is taken"
            assert self.of(message.spawn_id) is None, "it has a ghost of that"
            self.ghosts[message.index] = Seen(
                version,
                message.index,
                message.spawn_id,
                plain[: sizes[0]],
                plain[sizes[0] : sizes[0] + sizes[1]],
                plain[sizes[0] + sizes[1] :],
                message,
            )
        elif isinstance(message, UpdateGhost):
            parts = (message.info, message.position, message.visible)
            indexes = {part.index for part in parts if part is not None}
            assert len(indexes) == 1, "an update of nothing, or of several"
            ghost = self.ghosts[indexes.pop()]
            ghost.info_bytes = self._change(ghost.info_bytes, message.info)
            ghost.position_bytes = self._change(ghost.position_bytes, message.position)
            ghost.visible_bytes = self._change(ghost.visible_bytes, message.visible)
        elif isinstance(message, DestroyGhost):
            del self.ghosts[message.index]
        elif isinstance(message, CharacterSheet):
            size = version.size_of(Sheet)
            self.sheet = xor(self._unpack(message.packed, size), self.sheet or bytes(size))

    def _change(self, before: bytes, delta: GhostDelta | None) -> bytes:
        if delta is None:
            return before
        difference = self._unpack(delta.packed, len(before))
        assert any(difference), "a change that changes nothing"
        return xor(before, difference)

    def _unpack(self, packed: bytes, size: int) -> bytes:
        return unpack(packed, size, reverse=self.version.reverse)


class Client:
    """A session without a connection, and the screen behind it."""

    def __init__(self, session: Eq2Session) -> None:
        self.session = session
        self.link = Ends()
        session.link = self.link
        self.screen = Screen(session.version)

    @property
    def mobile(self) -> Mobile:
        assert self.session.mobile is not None
        return self.session.mobile

    def flush(self) -> list[Message]:
        """Bind what is queued, as a connection does, and show it; the messages."""
        outbox, self.session.outbox = self.session.outbox, []
        before = len(self.screen.got)
        self.screen.feed(self.session.finished(outbox))
        return self.screen.got[before:]


class Scene:
    """A world, the view, and clients whose turns are rendered by the real fan-out."""

    def __init__(self, content: Content | None = None, *, seed: int = 1) -> None:
        self.content = content or eq2_content()
        self.world: World = plain_world(self.content, seed=seed)
        self.view = eq2_view(self.content)
        self.version = self.view.versions.newest
        self.family = Family.of(name="eq2", doors={}, view=self.view, goodbye=lambda session, reason: None)
        self.clients: dict[int, Client] = {}
        self._now = 0.0

    def client(self, name: str, x: int, y: int, *, zone: str = "antonica") -> Client:
        """A player of this game who is in the world, and has its own ghost."""
        mobile = person(self.world, name, x, y)
        number = len(self.clients) + 1
        session = Eq2Session(
            number=number,
            family=self.family,
            door="world",
            peer="192.0.2.1",
            local="192.0.2.2:9001",
            codec=Wireless(self.version),  # type: ignore[arg-type] # nothing is sent
            services=None,  # type: ignore[arg-type] # nothing is asked
        )
        session.phase = Phase.IN_WORLD
        session.zone = zone
        session.mobile = mobile
        session.viewport = self.world.open_viewport(mobile, number, SIGHT)
        session.queue(*self.view.own(mobile, self.version))
        client = self.clients[number] = Client(session)
        client.flush()
        return client

    def resident(self, template: str, x: int, y: int) -> Mobile:
        """A resident of that kind on the plain."""
        kind = self.world.content.mobiles[template]
        mobile = Mobile(
            self.world.serials.mobile(),
            self.world,
            kind.name,
            template=kind,
            title=kind.title,
            hits=kind.hits,
            hits_max=kind.hits,
            female=kind.female,
            notoriety=kind.notoriety,
        )
        self.world.enter(mobile, self.world.realms["plain"], x, y)
        return mobile

    def turn(self, *, flush: bool = True) -> None:
        """One turn: tell everybody what happened."""
        self._now += 0.05
        self.world.begin(self._now)
        self.world.run_timers()
        sessions = {number: client.session for number, client in self.clients.items()}
        woken = [session for session in sessions.values() if session.blind and not session.loading]
        Fanout(sessions, self.world.take_changes()).run(woken)
        if flush:
            for client in self.clients.values():
                client.flush()

    def agree(self) -> None:
        """Every client shows what its eyes see, each where it is and as it is, and its session knows that."""
        for client in self.clients.values():
            session, screen = client.session, client.screen
            realm, viewport = client.mobile.realm, session.viewport
            assert realm is not None
            assert viewport is not None
            seen = realm.space.seen_by(viewport)
            assert session.known.keys() == seen.keys()
            shows = {session.ghosts.meant(ghost.spawn_id) for ghost in screen.ghosts.values()}
            assert len(shows) == len(screen.ghosts)
            assert shows == {*seen, client.mobile.serial}
            for serial in session.ghosts.serials():
                sent, shown = session.ghosts.of(serial), screen.seen(session.ghosts.called(serial))
                assert sent is not None
                assert (sent.index, sent.position, sent.visible, sent.info) == (
                    shown.index,
                    shown.position_bytes,
                    shown.visible_bytes,
                    shown.info_bytes,
                )
            for serial, thing in seen.items():
                ghost, figure = (
                    screen.seen(session.ghosts.called(serial)),
                    self.view.figures.of(thing, self.version),
                )
                assert ghost.info_bytes == figure.info.now
                assert ghost.visible_bytes == figure.seen_by(session.level).now
                place = self.view.places.of(thing)
                assert place is not None
                shown_place = ghost.position
                assert (shown_place.x, shown_place.y, shown_place.z) == (place.x, place.y, place.z)
                assert shown_place.heading1 == round(place.heading * 64)
            own = self.view.figures.of(client.mobile, self.version, own=True)
            assert screen.seen(client.mobile.serial).info_bytes == own.info.now
