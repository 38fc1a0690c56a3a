"""A scene of Endless Online whose view is asked, and its answers read with eolib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.eo.packets import SERVER_PACKETS, opcode_of_frame
from protocol.eo.view import Audience
from protocol.services import NewCharacter
from protocol.wire.body import Body
from tests.kit.eo_desk import Desk
from tests.kit.eo_peer import eolib_bytes, eolib_read
from world import holding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eolib import Packet

    from protocol.eo.session import EoSession
    from protocol.outgoing import Outgoing
    from world.events import Event, Why
    from world.thing import Thing


def read(messages: Sequence[Outgoing], session: EoSession | None = None) -> list[Packet]:
    """The packets, checked byte by byte; those that only a client can finish, for this one."""
    if session is None:
        assert all(isinstance(message, Body) for message in messages)
        frames = [message.raw for message in messages if isinstance(message, Body)]
    else:
        frames = session.finished(messages)
    packets = []
    for frame in frames:
        packet = eolib_read(SERVER_PACKETS[opcode_of_frame(frame)], frame)
        assert eolib_bytes(packet) == frame
        packets.append(packet)
    return packets


def kinds(packets: list[Packet]) -> list[type]:
    return [type(packet) for packet in packets]


class Scene:
    """A desk with a man, a woman, an NPC, a resident without NPC record, and an item."""

    def __init__(self) -> None:
        self.desk = desk = Desk()
        self.view = desk.view
        self.figures = desk.view.figures
        self.session = desk.connect().session
        """Of a client that was told nothing yet."""
        plain = desk.world.realms["plain"]
        bert = NewCharacter("Bert", True, 20, 1111, 1002)
        self.man = desk.makes("alric", (20, 20))
        self.woman = desk.brings(desk.make_character("berta", bert, (21, 21)).serial)
        self.npc = desk.resident("healer", 24, 24)
        self.stranger = desk.resident("stranger", 25, 25)
        self.shirt = holding.make(desk.world, "shirt", stored=False)
        desk.world.enter(self.shirt, plain, 22, 22)

    def show(self, thing: Thing, audience: Audience = Audience.OTHER) -> Packet:
        (packet,) = read(self.view.show(thing, audience, None))
        return packet

    def event(self, event: Event, audience: Audience = Audience.OTHER) -> list[Packet]:
        return read(self.view.event(event, audience, None), self.session)

    def changed(self, thing: Thing, flags: int, audience: Audience = Audience.OTHER) -> list[Packet]:
        return read(self.view.changed(thing, flags, audience, None), self.session)

    def hide(self, thing: Thing, why: Why) -> list[Packet]:
        return read(self.view.hide(thing, why, Audience.OTHER, None), self.session)
