"""The game's door: from the first word of a client to its character in the world.

    client                                      server                                  phase afterwards
    ProtocolVersion                             KeyPacket; then both encipher           LOGIN
    AuthLogin                                   CharSelectInfo                          MENU
    CharacterSelect (`characters`)              CharSelected                            ENTERING
    RequestManorList, RequestSkillCoolTime
    EnterWorld                                  UserInfo, lists, a welcome              IN_WORLD

Clients say the last three in one go and in any order. UserInfo takes the loading screen away, and a client
forgets whom it was shown before it. So that comes first, and only once; the surroundings follow by themselves
when the turn ends.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final

from protocol.dispatch import Interval
from protocol.endings import Ending, Refused
from protocol.hours import every_hour
from protocol.l2 import notes
from protocol.l2.callings import calling_of
from protocol.l2.handlers import handover
from protocol.l2.handlers.characters import send_characters
from protocol.l2.handlers.daytime import clock, tell_time
from protocol.l2.handlers.friends import friend_list, keep_watching
from protocol.l2.handlers.leaving import keep_pinging, stop_timers
from protocol.l2.handlers.shortcuts import macro_list
from protocol.l2.handlers.table import on, playing
from protocol.l2.packets import (
    KEY_SIZE,
    PING_VERSION,
    AbnormalStatusUpdate,
    ActionFailed,
    AuthLogin,
    AuthLoginFail,
    AuthLoginFailReason,
    CompassZone,
    EnterWorld,
    EtcStatusUpdate,
    ExSetCompassZoneCode,
    ExStorageMaxCount,
    HennaInfo,
    KeyPacket,
    ProtocolVersion,
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
from protocol.l2.session import SessionKeys
from protocol.services import Denial, Denied
from protocol.session import Phase
from world import motion, speech

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.l2.notes import Notes
    from protocol.l2.session import L2Session
    from world.mobile import Mobile

log = logging.getLogger("net.l2")

PROTOCOLS: Final = "protocols"
PACKET_ENCRYPTION: Final = "packet_encryption"
"""The listener's keys: which versions are let in, and whether packets are enciphered."""

NO_KEY: Final = bytes(KEY_SIZE)

REASONS: Final[Mapping[Denial, AuthLoginFailReason]] = {
    Denial.BAD_CREDENTIALS: AuthLoginFailReason.ACCESS_FAILED_TRY_LATER,
    Denial.BUSY: AuthLoginFailReason.ACCESS_FAILED_TRY_LATER,
    Denial.IN_USE: AuthLoginFailReason.ACCOUNT_IN_USE,
}
"""The client's word for why it is not let in; for any other reason, to try it later."""


@on(ProtocolVersion, during=Phase.GREETING)
async def greet(session: L2Session, packet: ProtocolVersion) -> None:
    """ProtocolVersion: the client speaks first. The answer says how to encipher from now on."""
    if packet.version == PING_VERSION:
        session.end(Ending.CLIENT_LEFT, "only asked whether anybody is there")
        return
    protocols = session.settings.get(PROTOCOLS, ())
    if not isinstance(protocols, list | tuple) or packet.version not in protocols:
        known = session.view.versions.for_protocol(packet.version)
        title = f" ({known.title})" if known is not None else ""
        raise Refused(f"protocol {packet.version}{title}", KeyPacket(result=0, key=NO_KEY, cipher=0))
    enciphered = bool(session.settings.get(PACKET_ENCRYPTION, True))
    key = session.services.entropy(KEY_SIZE)
    number = handover.server_id(session)
    session.send(KeyPacket(result=1, key=key, cipher=int(enciphered), server_id=number))
    session.phase = Phase.LOGIN
    if enciphered:
        session.flush()  # the key itself leaves in plain
        session.game_codec.encipher(key)


@on(AuthLogin, during=Phase.LOGIN, secret=True)
async def log_in(session: L2Session, packet: AuthLogin) -> None:
    """AuthLogin: who has shown its password at the login door shows the four numbers it got for that. The
    newest login of an account is the one that counts."""
    if session.services.closed:
        raise Refused(session.services.closed, AuthLoginFail(AuthLoginFailReason.SYSTEM_ERROR_LOGIN_LATER))
    keys = SessionKeys(packet.play_key1, packet.play_key2, packet.login_key1, packet.login_key2)
    name = packet.account.lower()
    try:
        account = await handover.redeem(session, name, keys)
    except Denied as denied:
        raise refused(denied) from None
    session.account = account
    session.account_name = name
    session.keys = keys
    session.services.accounts.claim(session, account)
    session.phase = Phase.MENU
    log.debug("%s continues as %s", session.peer, account.name)
    await send_characters(session)


def refused(denied: Denied) -> Refused:
    """A refusal in the client's words."""
    reason = REASONS.get(denied.why, AuthLoginFailReason.SYSTEM_ERROR_LOGIN_LATER)
    return Refused(str(denied), AuthLoginFail(reason))


@on(EnterWorld, during=Phase.ENTERING)
async def enter(session: L2Session, packet: EnterWorld) -> None:
    """EnterWorld: the client has loaded what is around its character. What it sends along, the route its
    packets take among it, is nobody's business."""
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
    if not session.view.figures.places.atlas(mobile.realm):
        session.send(ServerClose())
        session.end(Ending.REFUSED, f"{mobile.name} stands where Lineage II has no place")
        return
    motion.halt(mobile)
    session.phase = Phase.IN_WORLD
    session.notes = kept
    notes.forget_lost(kept, {item.object_id for item in session.view.figures.inventory(mobile)})
    session.last_played = mobile.serial
    session.view.players.add(session)
    session.running = True
    motion.set_running(mobile, True)  # here people run until they are told to walk
    _set_calling(session, mobile, kept.class_id)
    session.queue(*session.view.own(mobile, session.dialect))
    session.queue(*session.view.item_list(mobile, session.dialect))
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
        friend_list(session, world),
        SkillCoolTime(()),
        clock(world),
        SystemMessage(SystemMessageId.WELCOME),
        ActionFailed(),
    )
    speech.notice(mobile, f"Welcome to {session.services.server_name}, {mobile.name}.")
    stop_timers(session)
    keep_pinging(session)
    keep_watching(session)
    every_hour(session, tell_time)


def _set_calling(session: L2Session, mobile: Mobile, class_id: int) -> None:
    """What its class is, only this game knows. If it stood there before, played from another one, it changes
    before everybody's eyes."""
    figures, world, calling = session.view.figures, session.world, calling_of(class_id)
    was = figures.calling(mobile)
    figures.remember(mobile.serial, calling)
    if calling is not was and not world.is_new(mobile):
        world.redraw(mobile)


# What a client asks for again


@on(RequestSkillCoolTime, during=frozenset({Phase.MENU, Phase.ENTERING, Phase.IN_WORLD}))
def tell_cool_times(session: L2Session, packet: RequestSkillCoolTime) -> None:
    """RequestSkillCoolTime: all skills are ready. Who has not entered yet is told when it does."""
    if playing(session) is not None:
        session.send(SkillCoolTime(()))


@on(RequestSkillList, during=Phase.IN_WORLD, every=Interval(1.0, burst=3, coalesced=True))
def tell_skills(session: L2Session, packet: RequestSkillList) -> None:
    """RequestSkillList: the world has no skills yet."""
    session.send(SkillList(()))


@on(RequestQuestList, during=Phase.IN_WORLD, every=Interval(1.0, burst=3, coalesced=True))
def tell_quests(session: L2Session, packet: RequestQuestList) -> None:
    """RequestQuestList: the world has no quests yet."""
    session.send(QuestList(()))
