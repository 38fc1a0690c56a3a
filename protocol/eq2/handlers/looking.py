"""Aiming at things, asking who is there, and greeting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eq2.figures import NAMING
from protocol.eq2.handlers.commands import command
from protocol.eq2.handlers.table import on, playing
from protocol.eq2.packets import NO_TARGET, Target
from protocol.refusals import refused_in_words
from protocol.session import Phase
from world import fighting, life, residents, speech
from world.finding import by_name
from world.item import Item
from world.mobile import Access, Mobile
from world.reach import Cannot, Refusal, can_see
from world.speech import notice
from world.targets import target

if TYPE_CHECKING:
    from protocol.eq2.session import Eq2Session
    from world.thing import Thing

MOST_LISTED: Final = 60
"""Names in the answer to /who."""

ASKING_SECONDS: Final = 1.0
"""Between two answers to one client's /who, which costs by the crowd."""

NOT_FIGHTING: Final = "You strike at nobody."
NOBODY_CALLED: Final = "There is nothing called so in sight."


@on(Target, during=Phase.IN_WORLD)
def aim(session: Eq2Session, packet: Target) -> None:
    """Target: the player clicked something. How it is the client knows from its ghost."""
    mobile = playing(session)
    if mobile is None:
        return
    if packet.index == NO_TARGET:
        aim_at(session, mobile, None)
        return
    serial = session.ghosts.serial(packet.index)
    thing = thing_of(session, serial) if serial else None
    if thing is not None:
        aim_at(session, mobile, thing)
    session.queue(*session.view.target(session.target, session.version))


def aim_at(session: Eq2Session, mobile: Mobile, thing: Thing | None) -> None:
    """Make something, or nothing, the target of a client and of its character."""
    session.target = thing.serial if thing is not None else 0
    target(mobile, thing)


def thing_of(session: Eq2Session, serial: int) -> Mobile | Item | None:
    """A thing that this client sees now: its own character, or what it knows."""
    mobile = session.mobile
    if mobile is None:
        return None
    thing = mobile if serial == mobile.serial else session.known.get(serial)
    return thing if isinstance(thing, Mobile | Item) and can_see(mobile, thing) else None


def target_of(session: Eq2Session) -> Mobile | Item | None:
    """What this client aims at, if it is still there."""
    return thing_of(session, session.target) if session.target else None


@command("target")
def aim_by_name(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """At whatever is called so; at nothing without a name."""
    seen = [mobile, *(thing for thing in session.known.values() if isinstance(thing, Mobile | Item))]
    thing = by_name(text, seen) if text else None
    if text and thing is None:
        notice(mobile, NOBODY_CALLED)
        return
    aim_at(session, mobile, thing)
    session.queue(*session.view.target(session.target, session.version))


@command("autoattack", "attack")
def attack(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Strike at the target, or stop (0)."""
    if text == "0":
        notice(mobile, NOT_FIGHTING)
        return
    with refused_in_words(mobile):
        target = target_of(session)
        if not isinstance(target, Mobile):
            raise Cannot(Refusal.UNSEEN)
        fighting.attack(mobile, target)


@command("select_junction")
def to_healer(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Where a ghost wants to rise again: there is the healer's house."""
    with refused_in_words(mobile):
        life.to_healer(mobile)


@command("hail")
def hail(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """A greeting for the target, which may have something to say; aloud, if that is no resident."""
    thing = target_of(session)
    if not isinstance(thing, Mobile) or thing is mobile:
        with refused_in_words(mobile):
            speech.say(mobile, "Hail.")
    elif thing.is_character:
        with refused_in_words(mobile):
            speech.say(mobile, f"Hail, {thing.name}.")
    else:
        with refused_in_words(mobile):
            residents.talk_to(mobile, thing)


@command("who")
def list_online(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Who is online, of all games; with some letters those whose names begin so."""
    now = mobile.world.now
    if now < session.asked_at + ASKING_SECONDS:
        notice(mobile, "Ask again in a moment.")
        return
    session.asked_at = now
    beginning = text.casefold()
    names = sorted(
        f"{NAMING.of(other)} ({_level(other)})"
        for other in session.services.online()
        if _listed(mobile, other)
        and (beginning == "all" or NAMING.of(other).casefold().startswith(beginning))
    )
    count = f"{len(names)} players" if len(names) != 1 else "1 player"
    notice(mobile, f"{count} online" + (":" if names else "."))
    for first in range(0, min(len(names), MOST_LISTED), _ON_A_LINE):
        notice(mobile, ", ".join(names[first : min(first + _ON_A_LINE, MOST_LISTED)]))
    if len(names) > MOST_LISTED:
        notice(mobile, f"and {len(names) - MOST_LISTED} more")


_ON_A_LINE: Final = 6


def _level(mobile: Mobile) -> str:
    return "staff" if mobile.access > Access.PLAYER else f"level {max(1, mobile.level)}"


def _listed(viewer: Mobile, mobile: Mobile) -> bool:
    """Whether a player may hear that somebody is online: who hides does so from all but staff."""
    return not mobile.hidden or mobile is viewer or viewer.access >= Access.COUNSELOR
