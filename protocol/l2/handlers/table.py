"""Rows for what Lineage II's clients may send at the game's door, when and how often; modules of this package
fill it.

Numbers and layouts are those of the client's version, which are read from data at start. So handlers are
collected here by the class of their packet, and `make_table` makes the table when the versions are known. The
login door, where all clients speak alike, has a table of its own (`protocol.l2.handlers.login`).

What a player does by a click has `L2Rows.while_acting`: the client takes no other click until it is answered.
A client that was put elsewhere does nothing before it says that it has loaded; one that never says so is
taken at its deeds, and counts as loaded if it acts long afterwards.

How often one client may do what are the flood protectors of the public servers, with their default intervals
(L2JMobius/L2Jmobius_Interlude: dist/game/config/FloodProtector.ini, in ticks of 100 ms). There a packet that
comes too soon is lost. Here it waits in its place (`protocol.dispatch.Interval`), so that a client is always
answered that waits for it, and a few at once after a pause do not wait. The one for global chat is not here,
because the world counts everybody's words (`world.speech`), and neither are those for what the world does not
have (dice, pets, mail, crafting, enchanting, subclasses, auctions).
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Final, TypeVar, cast

import attrs

from protocol.dispatch import Interval, Rows, Table
from protocol.l2.figures import clock, sky
from protocol.l2.packets import ActionFailed
from protocol.l2.session import L2Session
from protocol.l2.versions import role_of_class
from protocol.l2.view import L2View
from protocol.session import Phase
from world import motion
from world.daytime import daytime
from world.reach import Cannot
from world.targets import target

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.l2.packets import Message
    from protocol.l2.versions import L2Versions
    from world.mobile import Mobile

P = TypeVar("P")


# How often

TICK_SECONDS: Final = 0.1


@attrs.frozen
class Protector:
    """A protector: its name as in FloodProtector<name>Interval, its ticks, and how many may come at once."""

    name: str
    ticks: int
    burst: int = 1

    @property
    def seconds(self) -> float:
        """Between two of one client; 0: as often as it likes."""
        return self.ticks * TICK_SECONDS

    def interval(self, *, coalesced: bool = False) -> Interval:
        """That of one kind of packet, which does not count those of the others."""
        return Interval(self.seconds, self.burst, coalesced)


PLAYER_ACTION: Final = Protector("PlayerAction", 1, burst=3)
"""Clicks on the ground, on things and on buttons, and gestures."""
USE_ITEM: Final = Protector("UseItem", 0)
"""As often as one likes: no packet has it."""
SERVER_BYPASS: Final = Protector("ServerBypass", 5, burst=3)
"""Links of windows, and the client's own commands."""
DROP_ITEM: Final = Protector("DropItem", 10, burst=3)
TRANSACTION: Final = Protector("Transaction", 10, burst=3)
"""Destroying things, buying and selling, the warehouse, and asking somebody to trade."""
CHARACTER_SELECT: Final = Protector("CharacterSelect", 30)
"""Choosing a character, and taking back that one is to be deleted."""

PROTECTORS: Final = (
    PLAYER_ACTION,
    USE_ITEM,
    SERVER_BYPASS,
    DROP_ITEM,
    TRANSACTION,
    CHARACTER_SELECT,
)


# Who may act


class L2Rows(Rows[L2Session]):
    """The handlers of the game's door."""

    def while_acting(
        self,
        packet: type[P],
        *,
        answered: bool = True,
        secret: bool | Callable[[P], bool] = False,
        every: float | Interval = 0.0,
        prompt: bool = False,
    ) -> Callable[[Callable[[L2Session, Mobile, P], None]], Callable[[L2Session, Mobile, P], None]]:
        """Register a handler of what a player does, which is given the mobile that its client may act with
        (`acting`). What the world refuses (`Cannot`) is said as for `while_playing`. `answered`: ActionFailed
        follows in the end, whatever came of it; False where not everything is answered so. All else as for
        `Registry.on`."""

        def register(
            handler: Callable[[L2Session, Mobile, P], None],
        ) -> Callable[[L2Session, Mobile, P], None]:
            @wraps(handler)
            def if_acting(session: L2Session, packet: P) -> None:
                mobile = acting(session)
                if mobile is None:
                    return
                try:
                    handler(session, mobile, packet)
                except Cannot as cannot:
                    session.refuse_wish(mobile, cannot)
                if answered:
                    session.send(ActionFailed())

            self.on(packet, during=Phase.IN_WORLD, secret=secret, every=every, prompt=prompt)(if_acting)
            return handler

        return register


ROWS: Final = L2Rows()
"""All handlers of the game's door."""


def acting(session: L2Session) -> Mobile | None:
    """The mobile this client may act with now, as `Session.playing`, for what its player does. A client that
    loads is told that it is refused."""
    mobile = session.mobile
    if mobile is not None and session.loading:
        if mobile.world.now < session.ready_at:
            session.send(ActionFailed())
            return None
        loaded(session, mobile)
    return mobile


def loaded(session: L2Session, mobile: Mobile) -> None:
    """Tell a client that has loaded about itself, and what time it is by now; what is around follows when the
    turn ends."""
    motion.halt(mobile)
    session.target = 0
    session.hunt = None
    target(mobile, None)
    session.loading = False
    session.blind = True
    view = L2View.of(session)
    session.queue(*view.own(mobile, session.dialect))
    session.queue(*view.belongings(mobile, session.dialect))
    session.send(clock(session.world))
    if session.sky_missed:
        session.sky_missed = False
        session.send(sky(daytime(session.world).hour))


def make_table(versions: L2Versions) -> Table[L2Session]:
    """The table of the game's door for clients of these versions. A packet that is not known is logged and
    skipped: clients send many that mean nothing here."""

    def decoder(packet: type) -> Callable[[bytes], object]:
        return versions.decoder(cast("type[Message]", packet))

    def name_of_frame(frame: bytes) -> str:
        name, here = versions.name_of(frame), versions.newest
        foreign = "; a client of another chronicle?" if name != here.name_of(frame) else ""
        return f"{name} to version {here.name}{foreign}"

    made: Table[L2Session] = Table(
        opcode_of_frame=versions.role_of,
        opcode_of_class=role_of_class,
        decode=decoder,
        tolerant=True,
        name_of_frame=name_of_frame,
    )
    ROWS.into(made)
    return made
