"""Into the world, and to another place of it; and the time of day there.

    client                                      server                                  phase afterwards
    CharacterSelect (`characters`)              CharSelected                            ENTERING
    RequestManorList, RequestSkillCoolTime
    EnterWorld                                  UserInfo, lists, a welcome              IN_WORLD

Clients say these in one go and in any order. UserInfo takes the loading screen away, and a client forgets
whom it was shown before it. So that comes first, and only once; the surroundings follow by themselves when
the turn ends. A client that was put elsewhere says by Appearing that it has loaded what is there.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from protocol.denials import Denied
from protocol.dispatch import Interval
from protocol.endings import Ending, Refused
from protocol.hours import every_hour
from protocol.l2 import notes
from protocol.l2.figures import DAWN_HOUR, clock, sky
from protocol.l2.handlers.friends import adopt
from protocol.l2.handlers.leaving import keep_pinging, stop_timers
from protocol.l2.handlers.shortcuts import macro_list
from protocol.l2.handlers.table import ROWS, loaded
from protocol.l2.looks import calling_of
from protocol.l2.packets import (
    AbnormalStatusUpdate,
    ActionFailed,
    Appearing,
    CompassZone,
    EnterWorld,
    EtcStatusUpdate,
    ExSetCompassZoneCode,
    ExStorageMaxCount,
    HennaInfo,
    QuestList,
    RequestQuestList,
    RequestSkillCoolTime,
    RequestSkillList,
    ServerClose,
    ShortCutInit,
    SkillCoolTime,
    SkillList,
    SystemMessage,
    SystemMessageId,
)
from protocol.l2.view import L2View
from protocol.l2.words import friend_list
from protocol.session import Phase
from world import journeys, motion, quests, speech
from world.daytime import daytime

if TYPE_CHECKING:
    from protocol.l2.session import L2Session, Notes
    from world.mobile import Mobile

log = logging.getLogger("net.l2")


@ROWS.on(EnterWorld, during=Phase.ENTERING)
async def enter(session: L2Session, packet: EnterWorld) -> None:
    """EnterWorld: the client has loaded what is around its character. What it sends along, the route its
    packets take among it, is nobody's business. Raises Refused if the character cannot enter."""
    info = session.selected
    if info is None:
        return
    try:
        kept = await notes.read(session, info.serial)
        await session.services.characters.enter(session, info.serial, partial(welcome, session, kept))
    except Denied as denied:
        raise Refused(str(denied), ServerClose()) from denied


def welcome(session: L2Session, kept: Notes, mobile: Mobile) -> None:
    """The character stands in the world: tell its client all about it."""
    world = mobile.world
    if not L2View.of(session).figures.places.atlas(mobile.realm):
        session.send(ServerClose())
        session.end(Ending.REFUSED, f"{mobile.name} stands where Lineage II has no place")
        return
    motion.halt(mobile)
    session.phase = Phase.IN_WORLD
    session.notes = kept
    adopt(session, mobile)
    session.landmarks = None  # of the character before, which the client has forgotten
    notes.forget_lost(kept, {item.object_id for item in L2View.of(session).figures.inventory(mobile)})
    session.last_played = mobile.serial
    L2View.of(session).players.add(session)
    session.running = True
    journeys.set_running(mobile, True)  # here people run until they are told to walk
    set_calling(session, mobile, kept.class_id)
    session.queue(*L2View.of(session).own(mobile, session.dialect))
    session.queue(*L2View.of(session).item_list(mobile, session.dialect))
    session.send(
        *macro_list(session),
        ShortCutInit(tuple(kept.shortcuts.values())),
        SkillList(()),
        HennaInfo(),
        QuestList(()),
        EtcStatusUpdate(),
        AbnormalStatusUpdate(),
        ExSetCompassZoneCode(CompassZone.PEACE),
        ExStorageMaxCount(),
        friend_list(mobile),
        SkillCoolTime(()),
        clock(world),
        SystemMessage(SystemMessageId.WELCOME),
        ActionFailed(),
    )
    speech.notice(mobile, f"Welcome to {session.services.server_name}, {mobile.name}.")
    stop_timers(session)
    keep_pinging(session)
    every_hour(session, tell_time)


def set_calling(session: L2Session, mobile: Mobile, class_id: int) -> None:
    """Remember its class, which only this game knows. If it stood there before, played from another one, it
    changes before everybody's eyes."""
    figures, world, calling = L2View.of(session).figures, session.world, calling_of(class_id)
    was = figures.calling(mobile)
    figures.remember(mobile.serial, calling)
    if calling is not was and not world.is_new(mobile):
        world.redraw(mobile)


# What a client asks for again


@ROWS.on(RequestSkillCoolTime, during=frozenset({Phase.MENU, Phase.ENTERING, Phase.IN_WORLD}))
def tell_cool_times(session: L2Session, packet: RequestSkillCoolTime) -> None:
    """RequestSkillCoolTime: all skills are ready. Who has not entered yet is told when it does."""
    if session.playing is not None:
        session.send(SkillCoolTime(()))


@ROWS.on(RequestSkillList, during=Phase.IN_WORLD, every=Interval(1.0, burst=3, coalesced=True))
def tell_skills(session: L2Session, packet: RequestSkillList) -> None:
    """RequestSkillList: the world has no skills yet."""
    session.send(SkillList(()))


@ROWS.while_playing(RequestQuestList, every=Interval(1.0, burst=3, coalesced=True))
def tell_quests(session: L2Session, mobile: Mobile, packet: RequestQuestList) -> None:
    """RequestQuestList: the world's quests are none of those that the client knows by number; they are on a
    page."""
    session.send(QuestList(()))
    quests.show_journal(mobile)


# Elsewhere


@ROWS.on(Appearing, during=Phase.IN_WORLD)
def appear(session: L2Session, packet: Appearing) -> None:
    """Appearing: the client has loaded the place where its character was put."""
    mobile = session.mobile
    if mobile is not None and session.loading:
        loaded(session, mobile)
        session.send(ActionFailed())  # for a click that it took along


def tell_time(session: L2Session) -> None:
    """The hour is over: set the client's clock right, and its sky."""
    hour = daytime(session.world).hour
    turns = hour in (0, DAWN_HOUR)
    if session.playing is not None:
        session.send(clock(session.world))
        if turns:
            session.send(sky(hour))
    elif turns:
        session.sky_missed = True
