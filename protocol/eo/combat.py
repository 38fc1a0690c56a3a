"""Fights as this game's packets: blows, deaths, healing, levels.

EO has three pictures of a blow: a player strikes an NPC, an NPC a player, a player another. Where an NPC
strikes another it is drawn striking nobody, and the other as struck by nobody (an id that is no player's);
words say who it was. The blow that kills an NPC is told by its death
alone, which carries what somebody gained by it, too; so that is finished for each client.

Who is killed falls: clients let the figure fall and forget it, and wait for the warp that takes their own
one home (sorokya/eoweb: animation-controller; eoserv: src/npc.cpp). Here a player stays as a ghost. So it is
placed anew when it has fallen, and its own client is warped to where it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias
from weakref import ref

import attrs
from eolib import (
    AttackPlayerServerPacket,
    AvatarReplyServerPacket,
    Coords,
    EffectPlayerServerPacket,
    ItemAcceptServerPacket,
    NpcAcceptServerPacket,
    NpcKilledData,
    NpcKillStealProtectionState,
    NpcPlayerServerPacket,
    NpcReplyServerPacket,
    NpcSpecServerPacket,
    NpcUpdateAttack,
    PlayerEffect,
    PlayerKilledState,
    RecoverAgreeServerPacket,
)

from protocol.eo.looks import to_direction
from protocol.eo.packets import bodies, body, encode
from protocol.eo.packets.base import THREE_MAX
from protocol.eo.sheets import growth_of, level_up
from protocol.eo.status import percent, points
from protocol.eo.words import line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eolib import Packet

    from protocol.eo.figures import Figures
    from protocol.eo.session import EoSession
    from protocol.outgoing import Outgoing
    from protocol.wire.body import Body
    from world.events import Advanced, Died, Mended, Struck
    from world.mobile import Mobile


NOBODY: Final = 0
"""An id that no player has (`protocol.eo.ids.FIRST_PLAYER`)."""


HEALED: Final = 9
"""Picture of healing: the tenth of the client's effects, of which Effect_Player counts from 0 (sorokya/eoweb:
src/handlers/effect.ts)."""

FALL_SECONDS: Final = 1.5
"""Until who was killed stands there as a ghost: eoserv waits so long with the warp, so that the fall is
seen."""

Rise: TypeAlias = "Callable[[EoSession, Mobile], None]"
"""What follows for a client that has seen somebody fall."""


def struck(figures: Figures, event: Struck, rise: Rise, *, own: bool, victim: bool) -> Sequence[Outgoing]:
    """A blow; `own` for who strikes, `victim` for whom a creature fights, which is told its bars as well."""
    attacker, target = event.thing, event.target
    if figures.is_npc(attacker):
        if figures.is_npc(target):
            return _npc_strikes_npc(figures, event)
        attack = _npc_strikes(figures, event, victim=victim)
        if attack is None:
            return ()
        return (_fatal(event, attack, rise) if not event.left else body(attack, droppable=not victim),)
    number, direction = figures.player_id(attacker), to_direction(attacker.heading)
    # Its own client has drawn its blow already.
    swing = AttackPlayerServerPacket(player_id=number, direction=direction)
    swings = () if own else (body(swing, droppable=True),)
    if not figures.is_npc(target):
        hurt = _player_strikes_player(figures, event)
        return (*swings, body(hurt, droppable=not own) if event.left else _fatal(event, hurt, rise))
    index = _index(figures, target)
    if index is None:
        return swings
    if not event.left:
        return (*swings, Kill(figures, index, target, attacker, event.damage))
    hit = NpcReplyServerPacket(
        player_id=number,
        player_direction=direction,
        npc_index=index,
        damage=min(event.damage, THREE_MAX),
        hp_percentage=percent(event.left, target.hits_max),
        kill_steal_protection=NpcKillStealProtectionState.Unprotected if own else None,
    )
    return (*swings, body(hit, droppable=not own))


def _npc_strikes_npc(figures: Figures, event: Struck) -> Sequence[Outgoing]:
    attacker, target = _index(figures, event.thing), _index(figures, event.target)
    direction, bar = to_direction(event.thing.heading), percent(event.left, event.target.hits_max)
    words = event.words(own=False)
    told: list[Outgoing] = [] if words is None else [*line(words)]
    if attacker is not None:
        attack = NpcUpdateAttack(
            npc_index=attacker,
            killed=PlayerKilledState.Alive,
            direction=direction,
            player_id=NOBODY,
            damage=min(event.damage, THREE_MAX),
            hp_percentage=bar,
        )
        told.append(body(NpcPlayerServerPacket(positions=[], attacks=[attack], chats=[]), droppable=True))
    if target is not None and event.left:  # or it is taken away
        hit = NpcReplyServerPacket(
            player_id=NOBODY,
            player_direction=direction,
            npc_index=target,
            damage=min(event.damage, THREE_MAX),
            hp_percentage=bar,
            kill_steal_protection=None,
        )
        told.append(body(hit, droppable=True))
    return told


def _npc_strikes(figures: Figures, event: Struck, *, victim: bool) -> NpcPlayerServerPacket | None:
    index = _index(figures, event.thing)
    if index is None:
        return None
    attack = NpcUpdateAttack(
        npc_index=index,
        killed=PlayerKilledState.Alive if event.left else PlayerKilledState.Killed,
        direction=to_direction(event.thing.heading),
        player_id=figures.player_id(event.target),
        damage=min(event.damage, THREE_MAX),
        hp_percentage=percent(event.left, event.target.hits_max),
    )
    return NpcPlayerServerPacket(
        positions=[],
        attacks=[attack],
        chats=[],
        hp=points(event.target.hits) if victim else None,
        tp=points(event.target.mana) if victim else None,
    )


def _player_strikes_player(figures: Figures, event: Struck) -> AvatarReplyServerPacket:
    return AvatarReplyServerPacket(
        player_id=figures.player_id(event.thing),
        victim_id=figures.player_id(event.target),
        damage=min(event.damage, THREE_MAX),
        direction=to_direction(event.thing.heading),
        hp_percentage=percent(event.left, event.target.hits_max),
        dead=not event.left,
    )


def _fatal(event: Struck, packet: Packet, rise: Rise) -> Outgoing:
    """The blow of which somebody dies who is drawn as a player; characters come back as ghosts."""
    return Fall(event.target, packet, rise) if event.target.is_character else body(packet)


class Fall:
    """The blow that kills a character, for one client, which is to see the ghost later."""

    droppable = False

    def __init__(self, dead: Mobile, packet: Packet, rise: Rise) -> None:
        self._dead = dead
        self._packet = encode(packet)
        self._rise = rise

    def bind(self, session: EoSession) -> bytes:
        """The packet; notes what follows."""
        mobile = session.mobile
        if mobile is not None:
            mobile.world.timers.after(
                FALL_SECONDS, _fallen, ref(session), mobile, self._dead, self._rise, owner=mobile
            )
        return self._packet


def _fallen(reference: ref[EoSession], mobile: Mobile, dead: Mobile, rise: Rise) -> None:
    session = reference()
    if session is not None and session.mobile is mobile and not session.loading:
        rise(session, dead)


class Kill:
    """Tells one client that an NPC was killed by a player, and what its own character gained by that, if it
    does not know of that yet: Npc_Spec, and Npc_Accept if the killer has reached a level."""

    droppable = False

    def __init__(self, figures: Figures, index: int, dead: Mobile, killer: Mobile, damage: int) -> None:
        self._dead = dead
        self._killer = killer
        self._data = NpcKilledData(
            killer_id=figures.player_id(killer),
            killer_direction=to_direction(killer.heading),
            npc_index=figures.npc_index(dead)
            if dead.realm is not None
            else figures.ids.last_npc_index(dead) or 0,
            # What it leaves was put on the ground before, item by item, also for who is told of no death.
            # Clients draw what a death drops and do not look whether it lies there: it would lie twice.
            drop_index=0,
            drop_id=0,
            drop_coords=Coords(x=0, y=0),
            drop_amount=0,
            damage=min(damage, THREE_MAX),
        )

    def bind(self, session: EoSession) -> bytes:
        """The packet for this client, none if it was told of that death before; notes what it knows then."""
        if session.has_buried(self._dead):
            return b""
        session.bury(self._dead)
        known, mobile = session.growth, session.mobile
        now = growth_of(mobile) if mobile is not None else known
        if mobile is None or now.experience <= known.experience:
            return encode(NpcSpecServerPacket(npc_killed_data=self._data))
        if mobile is self._killer and now.level > known.level:
            packet = NpcAcceptServerPacket(
                npc_killed_data=self._data, experience=now.experience, level_up=level_up(session, mobile)
            )
            return encode(packet)
        session.growth = attrs.evolve(known, experience=now.experience)
        return encode(NpcSpecServerPacket(npc_killed_data=self._data, experience=now.experience))


class Unburied:
    """A packet about an NPC that is dead and gone, for those clients that were not told that it died: the
    others take it away when it has fallen."""

    droppable = False

    def __init__(self, dead: Mobile, packet: Body) -> None:
        self._dead = dead
        self._packet = packet

    def bind(self, session: EoSession) -> bytes:
        """The packet, if this client needs it."""
        return b"" if session.has_buried(self._dead) else self._packet.raw


def died(figures: Figures, event: Died, *, own: bool) -> Sequence[Outgoing]:
    """A death: of an NPC its fall, of anybody else a line of words."""
    dead, killer = event.thing, event.by
    if not figures.is_npc(dead):
        words = event.words(own=own)
        return () if words is None else line(words)
    if killer is None or figures.is_npc(killer):
        return ()  # the client knows no such death: it is taken away
    index = _index(figures, dead)
    return () if index is None else (Kill(figures, index, dead, killer, 0),)


def _index(figures: Figures, npc: Mobile) -> int | None:
    """The index of an NPC, which may have left the world in this turn; None if no client ever saw it."""
    return figures.ids.last_npc_index(npc) if npc.realm is None else figures.npc_index(npc)


def mended(figures: Figures, event: Mended, *, own: bool) -> Sequence[Outgoing]:
    """The light over somebody who was healed, and to others a green number; NPCs have neither."""
    mobile = event.thing
    if figures.is_npc(mobile):
        return ()
    light = PlayerEffect(player_id=figures.player_id(mobile), effect_id=HEALED)
    shown = body(EffectPlayerServerPacket(effects=[light]), droppable=True)
    if own:
        return (shown,)
    bar = percent(mobile.hits, mobile.hits_max)
    healed = RecoverAgreeServerPacket(
        player_id=figures.player_id(mobile), heal_hp=points(event.hits), hp_percentage=bar
    )
    return (shown, body(healed, droppable=True))


def advanced(figures: Figures, event: Advanced) -> Sequence[Outgoing]:
    """The picture of a new level over somebody else."""
    if figures.is_npc(event.thing):
        return ()
    return bodies(ItemAcceptServerPacket(player_id=figures.player_id(event.thing)))
