"""Aiming at things, the menu of a click with the right button, and asking who is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.dispatch import Interval
from protocol.eq2.figures import NAMING
from protocol.eq2.handlers.table import ROWS, command, run_word
from protocol.eq2.packets import (
    NO_TARGET,
    EntityVerb,
    EntityVerbsReply,
    EntityVerbsRequest,
    EntityVerbsVerb,
    Target,
)
from protocol.eq2.view import Eq2View
from protocol.wishes import Wish, tell
from world import fixtures, presence, signs
from world.finding import by_name
from world.item import Item
from world.mobile import Access, Mobile
from world.reach import Cannot, Refusal, can_see
from world.speech import notice
from world.targets import target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.eq2.session import Eq2Session
    from world.elsewhere import Person
    from world.thing import Thing

MOST_LISTED: Final = 60
"""Names in the answer to /who."""

ASKING_SECONDS: Final = 1.0
"""Between two answers to one client's /who, which costs by the crowd."""

NOBODY_CALLED: Final = "There is nothing called so in sight."

OF_ONESELF: Final = ("sit", "stand", "inventory")
OF_PLAYERS: Final = ("hail", "inspect", "invite", "start_trade")
OF_RESIDENTS: Final = ("hail", "consider")
OF_MERCHANTS: Final = ("start_merchant",)
OF_BANKERS: Final = ("start_bank", "start_mail")
OF_CREATURES: Final = ("attack", "consider")
OF_THINGS: Final = ("take", "use")
OF_CONTAINERS: Final = ("open", "take")
OF_FIXTURES: Final = ("open", "use")
OF_BOARDS: Final = (*OF_FIXTURES, "start_mail")
OF_CORPSES: Final = ("loot",)
"""Words of `table.NAMES`, in the order of the menu; the first is the nearest at hand."""
LABELS: Final = {
    "start_merchant": "Trade",
    "start_bank": "Open the bank",
    "start_mail": "Letters",
    "start_trade": "Trade",
}
"""Lines of the menu that are not their word itself."""


@ROWS.while_playing(Target)
def aim(session: Eq2Session, mobile: Mobile, packet: Target) -> None:
    """Target: the player clicked something. How it is the client knows from its ghost. A landmark is
    nothing to aim at; of a sign the words are told. Raises Cannot(FAR) for a sign out of reading."""
    if packet.index == NO_TARGET:
        aim_at(session, mobile, None)
        return
    serial = session.ghosts.serial(packet.index)
    thing = thing_of(session, serial) if serial else None
    if thing is not None or Eq2View.of(session).scenery.has(session, serial):
        aim_at(session, mobile, thing)
    session.queue(*Eq2View.of(session).target(session.target, session.version))
    _read(session, mobile, serial)


def _read(session: Eq2Session, mobile: Mobile, serial: int) -> bool:
    """Tell the words of the sign for which a landmark stands; returns whether it is a landmark that the
    client was shown. Raises Cannot, as `signs.read`."""
    scenery = Eq2View.of(session).scenery
    if not scenery.has(session, serial):
        return False
    landmark, realm = scenery.find(serial), mobile.realm
    if landmark is not None and landmark.signed and realm is not None and realm.name == landmark.realm:
        notice(mobile, signs.read(mobile, (landmark.x, landmark.y)))
    return True


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
    """The thing that this client aims at, if it is still there."""
    return thing_of(session, session.target) if session.target else None


@command("target")
def aim_by_name(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Aim at whatever is called so; at nothing without a name."""
    seen = [mobile, *(thing for thing in session.known.values() if isinstance(thing, Mobile | Item))]
    thing = by_name(text, seen) if text else None
    if text and thing is None:
        notice(mobile, NOBODY_CALLED)
        return
    aim_at(session, mobile, thing)
    session.queue(*Eq2View.of(session).target(session.target, session.version))


def words_for(mobile: Mobile, thing: Mobile | Item) -> Sequence[str]:
    """The words of the menu of something."""
    if thing is mobile:
        return OF_ONESELF
    if isinstance(thing, Item) and thing.remains is not None:
        return OF_CORPSES
    if not isinstance(thing, Mobile):
        if fixtures.is_fixture(thing.template):
            return OF_BOARDS if thing.template.board else OF_FIXTURES
        return OF_CONTAINERS if thing.template.container else OF_THINGS
    if thing.is_character:
        return OF_PLAYERS
    creature = thing.template.creature or thing.template.fights is not None
    if creature:
        return OF_CREATURES
    trades = OF_MERCHANTS if thing.has_role("merchant") else ()
    return *OF_RESIDENTS, *trades, *(OF_BANKERS if thing.has_role("banker") else ())


@ROWS.while_playing(EntityVerbsRequest, every=Interval(0.2, burst=3))
def menu(session: Eq2Session, mobile: Mobile, packet: EntityVerbsRequest) -> None:
    """EntityVerbsRequest: a click with the right button. A landmark has no menu, but a sign has words. Raises
    Cannot(UNSEEN) if there is no such thing, and as `signs.read`."""
    if _read(session, mobile, packet.spawn_id):
        return
    thing = thing_of(session, session.ghosts.meant(packet.spawn_id))
    if thing is None:
        raise Cannot(Refusal.UNSEEN)
    verbs = tuple(EntityVerb(word, LABELS.get(word, word.title())) for word in words_for(mobile, thing))
    session.send(EntityVerbsReply(packet.spawn_id, verbs))


@ROWS.while_playing(EntityVerbsVerb)
def choose(session: Eq2Session, mobile: Mobile, packet: EntityVerbsVerb) -> None:
    """EntityVerbsVerb: a line of the menu, as if one had aimed and typed it. Raises Cannot(UNSEEN) if there
    is no such thing, and as the word does."""
    if Eq2View.of(session).scenery.has(session, packet.spawn_id):
        return
    thing = thing_of(session, session.ghosts.meant(packet.spawn_id))
    if thing is None:
        raise Cannot(Refusal.UNSEEN)
    if packet.command not in words_for(mobile, thing):
        tell(session, Wish.UNASKED)
    else:
        if thing is not mobile:
            aim_at(session, mobile, thing)
            session.queue(*Eq2View.of(session).target(session.target, session.version))
        run_word(session, mobile, packet.command)


@command("who")
def list_online(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """List who is online, of all games; with some letters those whose names begin so."""
    now = mobile.world.now
    if now < session.asked_at + ASKING_SECONDS:
        notice(mobile, "Ask again in a moment.")
        return
    session.asked_at = now
    beginning = text.casefold()
    here = [one for one in session.services.online() if _listed(mobile, one)]
    everybody: list[Mobile | Person] = [*here, *presence.listed_afar(mobile)]
    names = sorted(
        f"{NAMING.of(other)} ({_level(other)})"
        for other in everybody
        if beginning == "all" or NAMING.of(other).casefold().startswith(beginning)
    )
    count = f"{len(names)} players" if len(names) != 1 else "1 player"
    notice(mobile, f"{count} online" + (":" if names else "."))
    for first in range(0, min(len(names), MOST_LISTED), _ON_A_LINE):
        notice(mobile, ", ".join(names[first : min(first + _ON_A_LINE, MOST_LISTED)]))
    if len(names) > MOST_LISTED:
        notice(mobile, f"and {len(names) - MOST_LISTED} more")


_ON_A_LINE: Final = 6


def _level(mobile: Mobile | Person) -> str:
    return "staff" if mobile.access > Access.PLAYER else f"level {max(1, mobile.level)}"


def _listed(viewer: Mobile, mobile: Mobile) -> bool:
    """Whether a player may hear that somebody is online: who hides does so from all but staff."""
    return not mobile.hidden or mobile is viewer or viewer.access >= Access.COUNSELOR
