"""Status bars, skills, war mode, answers to gumps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.refusals import refused_in_words, tell_refusal
from protocol.uo import dialogs as gumps
from protocol.uo import figures as look
from protocol.uo import skills
from protocol.uo.handlers.table import while_playing
from protocol.uo.handlers.things import find
from protocol.uo.packets.dialogs import GumpAnswer
from protocol.uo.packets.fighting import Attacking, AttackRequest, DeathAnswer, WarMode, WarModeRequest
from protocol.uo.packets.misc import TargetAnswer
from protocol.uo.packets.status import SkillLock, Skills, StatLock, StatusRequest
from protocol.wishes import Wish, tell
from world import dialogs, fighting, life, training
from world.mobile import Mobile
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.uo.session import UoSession

STATUS_BAR, SKILLS = 4, 5

NOBODY: Final = 0

RISE: Final = 1
"""Choice of 0x2C: live again at once (POL's documentation of 0x2C)."""

VIRTUE_GUMP: Final = 0x1CD
"""The gump of the virtue symbol over a paperdoll, which the client shows by itself (ClassicUO:
Network/OutgoingPackets.cs, Send_VirtueGumpResponse)."""


@while_playing(StatusRequest)
def status_request(session: UoSession, packet: StatusRequest) -> None:
    """Tell a status bar, the player's own in full and with the locks of its attributes; or the player's
    skills."""
    thing = find(session, packet.serial)
    if not isinstance(thing, Mobile):
        return
    own = thing is session.mobile
    if packet.kind == SKILLS and own:
        session.send(Skills(skills.lines(session.player, session.dialect.skills)))
    elif packet.kind == STATUS_BAR:
        session.send(look.full_status(thing, session.dialect) if own else look.compact_status(thing))
        if own:
            session.send(skills.stat_locks(session.player))


@while_playing(StatLock)
def stat_lock(session: UoSession, packet: StatLock) -> None:
    """Lock an attribute, or let it rise or fall; the turn shows how it is now. The client has drawn what it
    asked for: what cannot be it is told at once."""
    try:
        training.lock(session.player, skills.STATS.get(packet.stat, ""), packet.lock)
    except Cannot as cannot:
        tell_refusal(session.player, cannot)
        session.send(skills.stat_locks(session.player))


@while_playing(SkillLock)
def skill_lock(session: UoSession, packet: SkillLock) -> None:
    """Lock a skill, or let it rise or fall; the turn shows how it is now. The client has drawn what it asked
    for: of a skill that the world does not have it is told that it stays as it is."""
    try:
        training.lock(session.player, skills.NAMES.get(packet.number, ""), packet.lock)
    except Cannot as cannot:
        tell_refusal(session.player, cannot)
        if packet.number < session.dialect.skills:
            session.send(skills.changed(session.player, packet.number))


@while_playing(WarModeRequest)
def war_mode(session: UoSession, packet: WarModeRequest) -> None:
    """Draw or sheathe. Ghosts do not."""
    mobile = session.player
    with refused_in_words(mobile):
        fighting.set_war(mobile, packet.war)
    session.send(WarMode(mobile.war))
    if not mobile.war:
        session.send(Attacking(NOBODY))


@while_playing(AttackRequest)
def attack(session: UoSession, packet: AttackRequest) -> None:
    """Strike somebody. Whom the client means to fight it forgets again, if it may not."""
    target = find(session, packet.serial)
    try:
        if not isinstance(target, Mobile):
            raise Cannot(Refusal.UNSEEN)
        fighting.attack(session.player, target)
    except Cannot as cannot:
        tell_refusal(session.player, cannot)
        session.send(Attacking(NOBODY))


@while_playing(DeathAnswer)
def death_answer(session: UoSession, packet: DeathAnswer) -> None:
    """The client says by itself that it has read that it is dead; in the menu of the oldest clients its
    player may wish to live at once."""
    if packet.choice == RISE:
        with refused_in_words(session.player):
            life.to_healer(session.player)


@while_playing(TargetAnswer)
def target_answer(session: UoSession, packet: TargetAnswer) -> None:
    """Nothing asked for a target; to close the cursor is no wish."""
    if packet.serial or (packet.x, packet.y) != (0xFFFF, 0xFFFF):
        tell(session, Wish.UNASKED)


@while_playing(GumpAnswer)
def gump_answer(session: UoSession, packet: GumpAnswer) -> None:
    """Hand the answer to its dialog, which takes it only if it asked for it."""
    if packet.kind == VIRTUE_GUMP:
        tell(session, Wish.VIRTUES)
        return
    try:
        dialog = session.player.dialogs.get(packet.serial)
        given = gumps.filled_in(dialog, packet) if dialog is not None else {}
        answered = dialogs.answer(session.player, packet.serial, packet.kind, packet.button, given)
        if not answered and packet.button:
            raise Cannot(Refusal.GONE)
    except Cannot as cannot:
        # The client has closed its window.
        tell_refusal(session.player, cannot)
        dialogs.remind(session.player, packet.serial)
