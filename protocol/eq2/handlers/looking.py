"""Aiming at things, asking who is there, and greeting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from protocol.eq2.handlers.commands import command
from protocol.eq2.handlers.table import on, playing
from protocol.eq2.packets import NO_TARGET, Target
from protocol.session import Phase
from world import speech
from world.item import Item
from world.mobile import Access, Mobile
from world.moments import Speech
from world.reach import can_see
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Iterable

    from protocol.eq2.session import Eq2Session
    from world.thing import Thing

T = TypeVar("T", bound="Thing")

MOST_LISTED: Final = 60
"""Names in the answer to /who."""

ASKING_SECONDS: Final = 1.0
"""Between two answers to one client's /who, which costs by the crowd."""

GREETING: Final = "hello"
"""What residents take for a greeting."""

NOBODY_CALLED: Final = "There is nothing called so in sight."


@on(Target, during=Phase.IN_WORLD)
def aim(session: Eq2Session, packet: Target) -> None:
    """Target: the player clicked something. How it is the client knows from its ghost."""
    if playing(session) is None:
        return
    if packet.index == NO_TARGET:
        session.view.aim(session, 0)
        return
    serial = session.ghosts.serial(packet.index)
    if serial and (thing_of(session, serial) is not None):
        session.view.aim(session, serial)
    session.queue(*session.view.target(session.target, session.build))


def thing_of(session: Eq2Session, serial: int) -> Thing | None:
    """A thing that this client sees now: its own character, or what it knows."""
    mobile = session.mobile
    if mobile is None:
        return None
    thing = mobile if serial == mobile.serial else session.known.get(serial)
    return thing if isinstance(thing, Mobile | Item) and can_see(mobile, thing) else None


def target_of(session: Eq2Session) -> Thing | None:
    """What this client aims at, if it is still there."""
    return thing_of(session, session.target) if session.target else None


def by_name(text: str, things: Iterable[T]) -> T | None:
    """The first of the things that is called so, or whose name begins so or has such a word."""
    wanted = text.casefold().strip()
    if not wanted:
        return None
    named = [(called(thing).casefold(), thing) for thing in things]
    for fits in (str.__eq__, str.startswith, str.__contains__):
        for name, thing in named:
            if fits(name, wanted):
                return thing
    return None


def called(thing: Thing) -> str:
    """What a thing is called."""
    if isinstance(thing, Mobile):
        return thing.name
    return thing.label if isinstance(thing, Item) else ""


@command("target")
def aim_by_name(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """At whatever is called so; at nothing without a name."""
    seen = [mobile, *(thing for thing in session.known.values() if isinstance(thing, Mobile | Item))]
    thing = by_name(text, seen) if text else None
    if text and thing is None:
        notice(mobile, NOBODY_CALLED)
        return
    session.view.aim(session, thing.serial if thing is not None else 0)
    session.queue(*session.view.target(session.target, session.build))


@command("hail")
def hail(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """A greeting for the target, which may have something to say; aloud, if it is nobody that listens."""
    target = target_of(session)
    hears = mobile.world.listeners.get(target.serial) if target is not None else None
    if target is not None and hears is not None and _within_earshot(mobile, target):
        hears(mobile, GREETING)
    elif isinstance(target, Mobile) and target is not mobile:
        speech.say(mobile, f"Hail, {target.name}.")
    else:
        speech.say(mobile, "Hail.")


def _within_earshot(mobile: Mobile, thing: Thing) -> bool:
    return max(abs(thing.x - mobile.x), abs(thing.y - mobile.y)) <= speech.RANGES[Speech.SAY]


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
        f"{other.name} ({_level(other)})"
        for other in session.services.online()
        if _listed(mobile, other) and (beginning == "all" or other.name.casefold().startswith(beginning))
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
