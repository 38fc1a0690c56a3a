"""A small world with Lineage II's looks, and clients without a wire: what each believes, from the messages
that its session binds."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import attrs

from protocol.family import Family
from protocol.l2.figures import Figures
from protocol.l2.looks import compile_looks
from protocol.l2.packets import CATALOGUE
from protocol.l2.places import read_places
from protocol.l2.session import GAME_DOOR, L2Session
from protocol.l2.versions import L2Versions
from protocol.l2.view import SIGHT, L2View
from protocol.session import Phase
from protocol.wire.body import Body
from server.content.loading import load
from server.turn.fanout import Fanout
from tests.kit.l2_screen import Screen
from tests.kit.worlds import person, plain_content, plain_world
from world.item import Item
from world.mobile import Mobile, Posture

if TYPE_CHECKING:
    from protocol.endings import Ending
    from protocol.l2.packets import Message
    from world.content import Content
    from world.world import World

M = TypeVar("M")

DATA = Path(__file__).parents[2] / "data"

CORNER = {"x": -80_000, "y": 250_000, "z": -3_000}
"""Of the plain, in the client's units."""


@cache
def l2_content() -> Content:
    """The plain, with the looks of data/ and the numbers of the versions. The cave has no place."""
    shipped, plain = load(DATA), plain_content()
    charts = dict(plain.charts)
    charts["plain"] = attrs.evolve(charts["plain"], atlas={"l2": CORNER})
    crier, bag = shipped.mobiles["crier"], shipped.items["bag"]
    # A baker and a sack are of the tests' own.
    kinds = {
        key: attrs.evolve(kind, look=shipped.mobiles.get(key, crier).look)
        for key, kind in plain.mobiles.items()
    }
    return attrs.evolve(
        plain,
        items={
            key: attrs.evolve(kind, look=shipped.items.get(key, bag).look)
            for key, kind in plain.items.items()
        }
        | {key: shipped.items[key] for key in ("robe", "feathered_hat", "bag", "apple")},
        mobiles=kinds | {"sheep": shipped.mobiles["sheep"]},
        charts=charts,
        people=shipped.people,
        tables=shipped.tables,
    )


def l2_view(content: Content) -> L2View:
    """The view over a content."""
    problems: list[str] = []
    places = read_places(content.charts.values(), problems)
    assert problems == []
    return L2View(L2Versions.from_content(content, CATALOGUE), Figures(compile_looks(content), places))


def middle(x: int, y: int) -> tuple[int, int, int]:
    """The middle of a tile of the plain, as the client counts it."""
    return CORNER["x"] + 24 * x + 12, CORNER["y"] + 24 * y + 12, CORNER["z"]


class Wireless:
    """A codec without a wire."""


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


class Client:
    """A session without a connection, and the screen behind it."""

    def __init__(self, scene: Scene, session: L2Session) -> None:
        self.session = session
        self.link = Ends()
        session.link = self.link
        self.screen = Screen(lambda: scene.now)
        self.screen.selected = "somebody"
        self.got: list[Message] = []
        """What came since it was asked last."""

    @property
    def mobile(self) -> Mobile:
        assert self.session.mobile is not None
        return self.session.mobile

    def flush(self) -> None:
        """Bind what is queued, as a connection does, and show it."""
        outbox, self.session.outbox = self.session.outbox, []
        for message in outbox:
            raw = message.raw if isinstance(message, Body) else message.bind(self.session)  # type: ignore[arg-type] # one of its own game
            assert isinstance(raw, bytes)
            if raw:
                self.got.append(self.session.dialect.decode_server(raw))
                self.screen.take(raw)
        self.session.unsent.clear()

    def heard(self) -> list[Message]:
        """What came since it was asked last."""
        got, self.got = self.got, []
        return got

    def only(self, kind: type[M]) -> M:
        """The one message that came."""
        (message,) = self.heard()
        assert isinstance(message, kind), message
        return message

    def appears(self) -> None:
        """It has loaded, as the handler of Appearing has it."""
        session = self.session
        session.loading, session.blind, self.screen.loading = False, True, False
        session.queue(*L2View.of(session).own(self.mobile, session.dialect))


class Scene:
    """A world, the view, and clients whose turns are rendered by the real fan-out."""

    def __init__(self, content: Content | None = None, *, seed: int = 1) -> None:
        self.content = content or l2_content()
        self.world: World = plain_world(self.content, seed=seed)
        self.view = l2_view(self.content)
        self.version = self.view.versions.newest
        self.family = Family.of(name="l2", doors={}, view=self.view, goodbye=lambda session, reason: None)
        self.clients: dict[int, Client] = {}
        self.now = 0.0

    def client(self, name: str, x: int, y: int) -> Client:
        """A player of this game who is in the world, and was shown itself and its things."""
        mobile = person(self.world, name, x, y)
        mobile.gait.walk_ms, mobile.gait.run_ms = self.view.gait_ms
        number = len(self.clients) + 1
        session = L2Session(
            number=number,
            family=self.family,
            door=GAME_DOOR,
            peer="192.0.2.1",
            local="192.0.2.2:7777",
            codec=Wireless(),  # type: ignore[arg-type] # nothing is sent
            services=None,  # type: ignore[arg-type] # nothing is asked
        )
        session.phase = Phase.IN_WORLD
        session.mobile = mobile
        session.viewport = self.world.open_viewport(mobile, number, SIGHT)
        self.view.players.add(session)
        session.queue(*self.view.own(mobile, self.version), *self.view.item_list(mobile, self.version))
        client = self.clients[number] = Client(self, session)
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

    def turn(self, seconds: float = 0.05) -> None:
        """One turn after that time: everybody is told what happened, and shows it."""
        self.fan_out(seconds)
        for client in self.clients.values():
            client.flush()

    def fan_out(self, seconds: float = 0.05) -> None:
        """The same, but nobody has heard of it yet."""
        self.now += seconds
        self.world.begin(self.now)
        self.world.run_timers()
        sessions = {number: client.session for number, client in self.clients.items()}
        woken = [session for session in sessions.values() if session.blind and not session.loading]
        Fanout(sessions, self.world.take_changes()).run(woken)

    def wait(self, seconds: float) -> None:
        """Time passes in turns."""
        for _ in range(round(seconds / 0.05)):
            self.turn()

    def agree(self) -> None:
        """Every client shows what its eyes see, each as it is and where it is or, of those on their way,
        where they are going to be; and nothing came that the original would have choked on."""
        for client in self.clients.values():
            session, screen = client.session, client.screen
            realm, viewport = client.mobile.realm, session.viewport
            assert realm is not None
            assert viewport is not None
            assert screen.faults == []
            seen = realm.space.seen_by(viewport)
            assert session.known.keys() == seen.keys()
            assert {*screen.people, *screen.living(), *screen.ground} == seen.keys()
            for thing in (client.mobile, *seen.values()):
                if isinstance(thing, Mobile):
                    self._agree_on(client, thing)
                elif isinstance(thing, Item):
                    lies = screen.ground[thing.serial]
                    assert (lies.x, lies.y, lies.z) == middle(thing.x, thing.y)
                    assert lies.amount == thing.amount
            assert screen.pack.keys() == {
                entry.object_id for entry in self.view.figures.inventory(client.mobile)
            }

    def _agree_on(self, client: Client, mobile: Mobile) -> None:
        shown = client.screen.everybody()[mobile.serial]
        journey = mobile.gait.journey
        x, y = (journey.x, journey.y) if journey is not None else (mobile.x, mobile.y)
        assert (shown.goal or (shown.x, shown.y, shown.z)) == middle(x, y), mobile.name
        assert shown.name == mobile.name
        assert shown.title == mobile.title
        assert shown.standing is (mobile.posture == Posture.STANDING)
        if mobile is not client.mobile:
            assert shown.dead is mobile.dead
            assert shown.running is (journey.run if journey is not None else mobile.running), mobile.name
