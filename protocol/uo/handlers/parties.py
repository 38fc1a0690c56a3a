"""Parties: what the client's window and its words with a slash ask for (0xBF 0x06), and its map (0xF0)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.session import ANY_PHASE
from protocol.uo.handlers.looking import seen
from protocol.uo.handlers.table import TABLE, Kinds
from protocol.uo.packets.misc import Target
from protocol.uo.packets.parties import MapGranted, MapRequest, PartyDeed, PartyRequest
from protocol.uo.parties import on_map
from protocol.uo.view import UoView
from protocol.uo.words import TELL_HUE, system_message
from protocol.wishes import Wish
from world import invites, party, speech
from world.events import Speech
from world.mobile import Mobile
from world.reach import Cannot, Refusal
from world.speech import notice

if TYPE_CHECKING:
    from protocol.uo.packets.misc import TargetAnswer
    from protocol.uo.session import UoSession

PARTY: Final[Kinds[PartyRequest]] = Kinds("0xBF:0x06", Wish.UNKNOWN)
"""Kinds of 0xBF 0x06."""

THINGS: Final = 0
POINT: Final = "Whom do you want to have in your party?"
LOOT: Final = "What creatures leave is shared as the leader says: party loot finder, turns or leader."
OF_PARTY: Final = 0


@TABLE.while_playing(PartyRequest)
def party_request(session: UoSession, mobile: Mobile, packet: PartyRequest) -> None:
    """Something for one's party."""
    PARTY.handle(session, mobile, packet.kind, packet)


def _serial(packet: PartyRequest) -> int:
    return int.from_bytes(packet.rest[:4], "big")


def _text(raw: bytes) -> str:
    return raw.decode("utf-16-be", "replace").partition("\0")[0]


@PARTY.on(PartyDeed.INVITE, "PartyInvite")
def _invite(session: UoSession, mobile: Mobile, packet: PartyRequest) -> None:
    """Ask somebody into the party: with a cursor (0x6C), if the client names nobody."""
    serial = _serial(packet)
    if serial:
        ask(session, mobile, serial)
        return
    session.cursor = session.cursor % 0xFFFF + 1
    session.pointing = True
    session.send(system_message(POINT), Target(THINGS, session.cursor, 0))


def pointed(session: UoSession, mobile: Mobile, packet: TargetAnswer) -> bool:
    """Ask whom the player pointed at; returns False if it was not asked to point, or by another cursor.
    Raises Cannot, as `ask`."""
    if not session.pointing or packet.cursor != session.cursor:
        return False
    session.pointing = False
    if packet.serial or (packet.x, packet.y) != (0xFFFF, 0xFFFF):
        ask(session, mobile, packet.serial)
    return True


def ask(session: UoSession, mobile: Mobile, serial: int) -> None:
    """Ask somebody in sight into the party. Raises Cannot: UNSEEN, NO_PLAYER for a thing, and as
    `party.invite`."""
    other = seen(session, serial)
    if not isinstance(other, Mobile):
        raise Cannot(Refusal.NO_PLAYER)
    party.invite(mobile, other)


@PARTY.on(PartyDeed.REMOVE, "PartyRemove")
def _remove(session: UoSession, mobile: Mobile, packet: PartyRequest) -> None:
    """Send somebody out of the party; or leave it, for 0 and for oneself."""
    party.expel(mobile, _serial(packet) or mobile.serial)


@PARTY.on(PartyDeed.TELL, "PartyTell")
def _tell(session: UoSession, mobile: Mobile, packet: PartyRequest) -> None:
    """Say something to one member alone. Raises Cannot: NO_PARTY, NO_FELLOW, and as `speech.tell`."""
    if mobile.party is None:
        raise Cannot(Refusal.NO_PARTY)
    fellow = mobile.party.fellows.get(_serial(packet))
    if fellow is None:
        raise Cannot(Refusal.NO_FELLOW)
    text = speech.clean(_text(packet.rest[4:]))
    if text:
        line = system_message(f"You tell {fellow.name}: {text}", TELL_HUE)
        speech.tell(mobile, fellow.name, text, lambda _: session.send(line))


@PARTY.on(PartyDeed.SAY, "PartySay")
def _say(session: UoSession, mobile: Mobile, packet: PartyRequest) -> None:
    """Say something to one's party."""
    speech.to_company(mobile, Speech.PARTY, _text(packet.rest))


@PARTY.on(PartyDeed.LOOT, "PartyLoot")
def _loot(session: UoSession, mobile: Mobile, packet: PartyRequest) -> None:
    """Whether the others may have what one leaves oneself: nobody may here, and how they share what creatures
    leave is read. Raises Cannot(NO_PARTY)."""
    if mobile.party is None:
        raise Cannot(Refusal.NO_PARTY)
    notice(mobile, LOOT)


@PARTY.on(PartyDeed.ACCEPT, "PartyAccept")
def _accept(session: UoSession, mobile: Mobile, packet: PartyRequest) -> None:
    """Come into the party of who asked. Raises Cannot, as `invites.accept`."""
    invites.accept(mobile, party.KIND, _asker(mobile, packet))


@PARTY.on(PartyDeed.DECLINE, "PartyDecline")
def _decline(session: UoSession, mobile: Mobile, packet: PartyRequest) -> None:
    """Stay out of it. Raises Cannot, as `invites.refuse`."""
    invites.refuse(mobile, party.KIND, _asker(mobile, packet))


def _asker(mobile: Mobile, packet: PartyRequest) -> Mobile:
    """Whom its player answers."""
    asker = mobile.world.mobiles.get(_serial(packet))
    if asker is None:
        raise Cannot(Refusal.NOT_ASKED)
    return asker


@TABLE.on(MapRequest, during=ANY_PHASE)
def map_request(session: UoSession, packet: MapRequest) -> None:
    """Tell ClassicUO's map where the others of the party are; the first time, that it may ask for that. It
    asks by itself, and where a guild is as well, which is not told."""
    mobile = session.playing
    if mobile is None:
        return
    if not session.tracks:
        session.tracks = True
        session.send(MapGranted(0))
    if packet.kind == OF_PARTY:
        session.send(on_map(mobile, UoView.of(session).places))
