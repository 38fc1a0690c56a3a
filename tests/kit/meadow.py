"""A meadow on which players of a toy game step, jump, hide, leave and change their sight at random, and what
their clients believe."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, cast

import attrs

from protocol.session import Phase, Session
from server.turn.crowds import Crowds
from server.turn.fanout import NOTHING, Fanout
from tests.kit.toys import Heard, Hide, Put, Show, Stepping, ToyView, brook, toy_decode
from tests.kit.worlds import person, plain_world
from world import leaps, motion
from world.events import Why
from world.heading import OFFSETS
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from collections.abc import Set as AbstractSet

    from protocol.family import Family
    from protocol.outgoing import Outgoing, Share
    from protocol.session import Link
    from protocol.wire.body import Body
    from world.world import World

SIDE = 40


def diamond(dx: int, dy: int) -> bool:
    """A field of view that is no square."""
    return abs(dx) + abs(dy) <= 7


SIGHTS = (Sight(8), Sight(5), Sight(7, diamond))


class SharingView(ToyView):
    """A toy in which all bystanders are one audience, as in the real games."""

    bystander: Hashable = "other"
    onlooker: Hashable = "other"
    unshown = 0


class Player:
    """One client's beliefs, from what it is sent: where all is that it sees; also its session's link."""

    busy = False

    def __init__(self, session: Session) -> None:
        self.session = session
        self.places: dict[int, tuple[int, int]] = {}
        self.sent: list[Outgoing] = []
        """What has left, at once or by a flush."""
        session.link = cast("Link", self)

    def flush(self, *, force: bool = False) -> None:
        """See Link."""
        self.sent += self.session.outbox
        self.session.outbox.clear()

    def read(self) -> None:
        """Take in one turn's messages."""
        assert self.session.mobile is not None
        self.flush()
        self.sent, sent = [], self.sent
        for message in sent:
            packet = toy_decode(cast("Body", message).raw)
            match packet:
                case Show():
                    self.places[packet.serial] = packet.x, packet.y
                case Hide():
                    assert packet.serial in self.places, "nothing is taken away that is not there"
                    del self.places[packet.serial]
                case Stepping() if packet.serial != self.session.mobile.serial:
                    x, y = self.places[packet.serial]
                    dx, dy = OFFSETS[packet.heading]
                    self.places[packet.serial] = x + dx, y + dy
                case Put() | Heard():
                    pass


class Afar:
    """An edge, as far as players are told of something together."""

    def __init__(self) -> None:
        self.players: dict[int, Player] = {}
        self.casts = 0

    def cast(self, messages: Sequence[Outgoing], clients: list[int], *, waits: bool) -> bool:
        """See Multicast."""
        self.casts += 1
        for client in clients:
            assert not self.players[client].session.outbox, (
                "whoever has something waiting is told behind that"
            )
            self.players[client].sent += messages
        return True

    def share(self, share: Share, *, waits: bool) -> None:
        """See Multicast. No message of this game is numbered."""
        raise NotImplementedError

    def push(self) -> None:
        """See Multicast."""


class Meadow:
    """A world, its players, and turns."""

    def __init__(self, seed: int, count: int, *, crowd: int = 0, side: int = SIDE, edges: int = 0) -> None:
        """`count` players on so many tiles of a side, and the most others whom each is shown. With edges some
        of their sockets are at one of these."""
        self.dice = random.Random(seed)
        self.world: World = plain_world()
        self.world.crowd = crowd
        self.crowds = Crowds()
        self._side = side
        self.families = [brook(), attrs.evolve(brook(), name="sharing", view=SharingView())]
        self.sessions: dict[int, Session] = {}
        self.players: list[Player] = []
        self.woken: list[Session] = []
        self.edges = [Afar() for _ in range(edges)]
        for number in range(1, count + 1):
            self._join(number, self.dice.choice(self.families))
        self.turn()

    def _join(self, number: int, family: Family) -> None:
        session = Session(
            number=number,
            family=family,
            door="game",
            peer="",
            local="",
            codec=None,  # type: ignore[arg-type]
            services=None,  # type: ignore[arg-type]
        )
        session.phase = Phase.IN_WORLD
        mobile = person(self.world, f"P{number}", *self._tile())
        session.mobile = mobile
        session.viewport = self.world.open_viewport(mobile, number, self.dice.choice(SIGHTS))
        self.sessions[number] = session
        player = Player(session)
        self.players.append(player)
        self.woken.append(session)
        if self.edges and (place := number % (len(self.edges) + 1)):
            edge = self.edges[place - 1]
            session.multicast, session.client = edge, number + 1000
            edge.players[session.client] = player

    def turn(self) -> None:
        """One turn's fan-out, and the clients read what it sent."""
        self.tell()
        for player in self.players:
            player.read()

    def tell(self, told: AbstractSet[int] = NOTHING) -> None:
        """One turn's fan-out, but for events that their own players were told."""
        world = self.world
        again = list(self.crowds.looking(world, self.sessions, world.crowd))
        fanout = Fanout(self.sessions, world.take_changes(), self.crowds, world.crowd, told)
        fanout.run(self.woken, again=again)
        self.woken = []

    def stir(self) -> None:
        """Something happens to somebody."""
        player = self.dice.choice(self.players)
        mobile = player.session.mobile
        assert mobile is not None
        match self.dice.randrange(20):
            case 0:
                self.world.warp(mobile, self.world.realms["plain"], *self._tile())
            case 1:
                mobile.hidden = not mobile.hidden
            case 2:
                assert player.session.viewport is not None
                assert mobile.realm is not None
                player.session.viewport.sight = self.dice.choice(SIGHTS)
                mobile.realm.space.open(player.session.viewport)
                player.session.blind = True
                self.woken.append(player.session)
            case 3:
                realm, (x, y) = self.world.realms["plain"], self._tile()
                self.world.leave(mobile, Why.LEFT)
                self.world.enter(mobile, realm, x, y)
                self.woken.append(player.session)
            case 4 | 5:
                leaps.jump(mobile, *self._tile())
            case _:
                motion.step(mobile, self.dice.randrange(8))

    def rest(self, turns: int = 40) -> None:
        """A while in which nothing happens but that clients in a crowd look around."""
        for _ in range(turns):
            self.world.now += 0.1
            self.turn()

    def _tile(self) -> tuple[int, int]:
        return self.dice.randrange(self._side), self.dice.randrange(self._side)
