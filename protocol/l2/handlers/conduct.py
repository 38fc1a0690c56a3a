"""Against those who spoil it for others: a petition, which is a report to the staff (`world.conduct`), and
the list of those of whom one wants to hear nothing (`world.ignoring`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.l2.handlers.aiming import thing_of
from protocol.l2.handlers.table import PLAYER_ACTION, ROWS
from protocol.l2.packets import (
    BlockAction,
    RequestBlock,
    RequestPetition,
    RequestPetitionCancel,
    SystemMessage,
    SystemMessageId,
    number,
)
from protocol.l2.words import friend_name, told
from protocol.wishes import Wish, tell
from world import conduct, ignoring
from world.mobile import Mobile
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.l2.session import L2Session


@ROWS.while_playing(RequestPetition)
def petition(session: L2Session, mobile: Mobile, packet: RequestPetition) -> None:
    """RequestPetition: a report. It names nobody, so it is about the player whom one has targeted, or about
    nobody. Raises Cannot, as `conduct.report`."""
    target = thing_of(session, session.target)
    meant = isinstance(target, Mobile) and target.is_character and target is not mobile
    about = target.name if meant and isinstance(target, Mobile) else ""
    made = conduct.report(mobile, about, packet.text)
    session.send(SystemMessage(SystemMessageId.PETITION_ACCEPTED, (number(made.number),)))


@ROWS.while_playing(RequestPetitionCancel)
def withdraw(session: L2Session, mobile: Mobile, packet: RequestPetitionCancel) -> None:
    """RequestPetitionCancel: take back the newest."""
    try:
        gone = conduct.withdraw(mobile)
    except Cannot:
        session.send(SystemMessage(SystemMessageId.NO_PETITION, ()))
    else:
        session.send(SystemMessage(SystemMessageId.PETITION_CANCELLED, (number(gone.number),)))


@ROWS.while_playing(RequestBlock, every=PLAYER_ACTION.interval())
def block(session: L2Session, mobile: Mobile, packet: RequestBlock) -> None:
    """RequestBlock: hear nothing more of somebody, or hear it again; or tell of whom one hears nothing. The
    world has no way to hear nobody. Raises Cannot, as `ignoring.ignore` and `ignoring.heed`, and UNKNOWN."""
    match packet.action:
        case BlockAction.BLOCK:
            ignoring.ignore(mobile, packet.name)
        case BlockAction.UNBLOCK:
            ignoring.heed(mobile, packet.name)
        case BlockAction.LIST:
            _list(session, mobile)
        case BlockAction.BLOCK_ALL | BlockAction.UNBLOCK_ALL:
            tell(session, Wish.DEAFNESS)
        case _:
            raise Cannot(Refusal.UNKNOWN)


def _list(session: L2Session, mobile: Mobile) -> None:
    """As the client's own command shows it: a head, a line each, and a foot."""
    session.send(SystemMessage(SystemMessageId.IGNORE_LIST_HEAD, ()))
    for serial, name in ignoring.ignored_by(mobile).items():
        session.queue(*told(session.dialect, friend_name(mobile.world, serial, name)))
    session.send(SystemMessage(SystemMessageId.FRIEND_LIST_FOOT, ()))
