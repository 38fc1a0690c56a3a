"""Parties as this game's own (0xBF 0x06), and their members' bars.

    PartyChanged   ->  the list of members, the leader first; bars of those that are new to the client
    PartyStirred   ->  0xA1 0xA2 0xA3   of who is somewhere else, too
    an invite      ->  0xBF 0x06        "/accept" or "/decline", or what ClassicUO asks

Bars are in hundredths, as others' bars always are. A client knows names only of whom it has seen, so whoever
comes and goes is told in words as well. Members that are away are in the list: the party waits for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from protocol.others import ToOthers
from protocol.uo.packets import bodies
from protocol.uo.packets.parties import OnMap, PartyDeed, PartyInvited, PartyLeft, PartyList, PartyOnMap
from protocol.uo.packets.status import Attributes, Hits, Mana, Stamina, StatusCompact
from protocol.uo.sheets import HITS_SCALE
from protocol.uo.words import system_message
from protocol.wire.body import Body
from world import party
from world.companions import Stir
from world.events import PartyChanged, PartyShared, PartyStirred
from world.party_events import PartyTurn

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from protocol.outgoing import Outgoing
    from protocol.rendering import Renderings
    from protocol.uo.packets.base import ServerPacket
    from protocol.uo.places import Places
    from protocol.uo.versions import UoVersion
    from world.companions import MemberState
    from world.mobile import Dialog, Mobile
    from world.party_events import Stirred

V = TypeVar("V")

LISTS: Final = 1
TAKES_OUT: Final = 2
ON_MAP: Final = 1
"""Kinds of what the server says, in 0xBF 0x06 and 0xF0."""

_GOES: Final = frozenset({PartyTurn.LEFT, PartyTurn.EXPELLED, PartyTurn.LOST, PartyTurn.OUT})

HOW_TO_ANSWER: Final = "{} Type /accept or /decline."


def is_invite(dialog: Dialog) -> bool:
    """Whether a dialog is one that this client has a question of its own for: to come into the party of who
    asks. To be let in nobody can ask there, so that is asked as anything is."""
    return dialog.name == party.KIND and dialog.about == party.INVITE and dialog.asker is not None


def asked(dialog: Dialog) -> Sequence[ServerPacket]:
    """0xBF 0x06 and a line: somebody asks into its party."""
    leader = dialog.asker.serial if dialog.asker is not None else 0
    line = system_message(HOW_TO_ANSWER.format(dialog.text))
    return PartyInvited(PartyDeed.INVITED, leader), line


def withdrawn(player: Mobile) -> Sequence[ServerPacket]:
    """0xBF 0x06 of an empty party, by which the client forgets who asked (ClassicUO, PartyManager). Who is
    asked is in none."""
    return () if player.party is not None else (gone(player.serial),)


def gone(serial: int) -> PartyLeft:
    """Its player is in no party."""
    return PartyLeft(TAKES_OUT, 0, serial, ())


def changed(view: object, event: PartyChanged, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
    """0xBF 0x06: who is in the party; 0x2D for the bars of those whom the client has not heard of; and a
    line."""
    own, members = event.thing.serial, event.members
    serials = tuple(one.serial for one in members)
    told: list[ServerPacket] = []
    if not members:
        told.append(gone(own))
    elif event.what in _GOES and event.who is not None:
        told.append(PartyLeft(TAKES_OUT, len(serials), event.who.serial, serials))
    elif event.what is not PartyTurn.LOOT:
        told.append(PartyList(LISTS, serials))
    if event.begins:
        told += _bars(one for one in members if one.serial != own)
    elif event.what in (PartyTurn.JOINED, PartyTurn.BACK) and event.who is not None:
        told += _bars(one for one in (event.who,) if one.serial != own)
    words = event.words(own=True)
    return bodies(*told, *((system_message(words),) if words else ()))


def _bars(members: Iterable[MemberState]) -> Iterable[ServerPacket]:
    for one in members:
        yield status(one)
        yield Attributes(
            one.serial,
            *(HITS_SCALE, _scaled(one.hits, one.hits_max)),
            *(HITS_SCALE, _scaled(one.mana, one.mana_max)),
            *(HITS_SCALE, _scaled(one.stam, one.stam_max)),
        )


def status(one: MemberState) -> StatusCompact:
    """0x11 of a member, wherever it is."""
    return StatusCompact(one.serial, one.name, _scaled(one.hits, one.hits_max), HITS_SCALE, False)


def stirred(view: object, event: PartyStirred, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
    """0xA1, 0xA2 and 0xA3 to the others of its party, in hundredths. Where somebody is the client's map asks
    itself (0xF0)."""
    return [
        ToOthers(one.member.serial, Body(packet.encode()), droppable=packet.droppable)
        for one in event.stirred
        for packet in _stirred(one)
    ]


def _stirred(one: Stirred) -> Sequence[ServerPacket]:
    member, what = one.member, one.what
    told: list[ServerPacket] = []
    if what & (Stir.HITS | Stir.LIFE):
        told.append(Hits(member.serial, HITS_SCALE, _scaled(member.hits, member.hits_max)))
    if what & Stir.MANA:
        told.append(Mana(member.serial, HITS_SCALE, _scaled(member.mana, member.mana_max)))
    if what & Stir.STAM:
        told.append(Stamina(member.serial, HITS_SCALE, _scaled(member.stam, member.stam_max)))
    return told


def _scaled(now: int, most: int) -> int:
    """In hundredths: 0 only for nothing."""
    return max(1, min(HITS_SCALE, now * HITS_SCALE // most)) if now > 0 and most > 0 else 0


def on_map(player: Mobile, places: Places) -> PartyOnMap:
    """0xF0: where the others of a player's party are, as it was told of them last."""
    found: list[OnMap] = []
    for one in party.states(player.party) if player.party is not None else ():
        at = places.realms.get(one.realm)
        if at is not None and one.online and one.serial != player.serial:
            found.append(OnMap(one.serial, at.x + one.x, at.y + one.y, at.map))
    return PartyOnMap(ON_MAP, tuple(found))


def show(events: Renderings[V, UoVersion]) -> None:
    """Declare how parties are shown."""
    events.renders(PartyChanged)(changed)
    events.renders(PartyStirred)(stirred)
    events.leaves_out(PartyShared, because="each reads its own share, and nothing draws those of the others")
