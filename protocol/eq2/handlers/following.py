"""Following somebody: the client walks by itself after the ghost that its own ghost's structs name.

No message is known by which a server moves a client's own character other than by a jump. What there is: the
client goes straight towards the ghost that it follows, as long as it does. So where the straight way to
somebody is free it follows that one's ghost; and where one of our houses is in between, which it does not
see, it follows a *guide*: a ghost without a picture that is shown to it alone, and stands at the next corner
of the way around (`world.journeys.seek`). A guide is no thing of the world.

Public servers let only the members of a company be followed (emagi/eq2emu, Commands.cpp, Command_Follow).
Here are no companies yet, so it is whoever is near.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final
from weakref import ref

from protocol.eq2.figures import NAMING
from protocol.eq2.ghosts import Change, Hide, Move, Show
from protocol.eq2.handlers.looking import target_of
from protocol.eq2.handlers.table import command
from protocol.eq2.scenery import blank
from protocol.eq2.session import Following
from protocol.eq2.view import Eq2View
from world.finding import by_name
from world.heading import apart, steps_between, towards
from world.journeys import seek, straightened
from world.mobile import Mobile
from world.reach import TALKING, Cannot, Refusal
from world.speech import notice

if TYPE_CHECKING:
    from protocol.eq2.session import Eq2Session
    from world.paths import Tile
    from world.realm import Realm

LOOK_SECONDS: Final = 0.5
"""Between two looks at where the leader is. The first comes after one, so that a client that was told to
follow the same one before has heard that it does not."""

AHEAD: Final = 4
"""Tiles that a guide is ahead of who follows it, where the way is long enough: a client stops before whom it
follows, and may be a tile or two from its character."""

STRAYED: Final = 3
"""Tiles that a leader goes before another way to it is looked for."""

GUIDE_ID: Final = 0x7F00_0000
"""What a client calls its guide: above all serials and landmarks."""


@command("follow")
def follow(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Follow the target, or whoever is called so. Raises Cannot: NOBODY, ONESELF or FAR."""
    seen = (thing for thing in session.known.values() if isinstance(thing, Mobile))
    leader = by_name(text, seen) if text else target_of(session)
    if not isinstance(leader, Mobile):
        raise Cannot(Refusal.NOBODY)
    if leader is mobile:
        raise Cannot(Refusal.ONESELF)
    if apart(leader, mobile) > TALKING:
        raise Cannot(Refusal.FAR)
    end(session, mobile)
    following = session.following = Following(leader)
    following.watch = mobile.world.timers.every(LOOK_SECONDS, _look, ref(session), following, owner=mobile)
    notice(mobile, f"You follow {NAMING.of(leader)}.")


@command("stopfollow")
def stop(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Follow nobody any more."""
    following = session.following
    if following is None:
        notice(mobile, "You follow nobody.")
    else:
        _end_in_words(session, mobile, following.leader)


def _end_in_words(session: Eq2Session, mobile: Mobile, leader: Mobile) -> None:
    end(session, mobile)
    notice(mobile, f"You do not follow {NAMING.of(leader)} any more.")


def end(session: Eq2Session, mobile: Mobile) -> None:
    """Let the client go where its player wants, without a word."""
    following, session.following = session.following, None
    if following is None:
        return
    _forget(following)
    _lead(session, mobile, 0)
    if following.guide is not None:
        session.queue(Hide(GUIDE_ID))


def _forget(following: Following) -> None:
    if following.watch is not None:
        following.watch.cancel()
    if following.sought is not None:
        following.sought.cancelled = True


def _look(reference: ref[Eq2Session], following: Following) -> None:
    """See where the leader is, and how one comes there."""
    session, leader = reference(), following.leader
    mobile = session.playing if session is not None and session.following is following else None
    if session is None or mobile is None:
        _forget(following)
        return
    realm = mobile.realm
    if realm is None or session.loading or leader.serial not in session.known:
        _end_in_words(session, mobile, leader)
        return
    here, there = (mobile.x, mobile.y), (leader.x, leader.y)
    ground = mobile.world.paths.ground(realm.chart)
    guided = Eq2View.of(session).figures.rendering.guides
    if not guided or ground.line(here, there) is not None:
        following.goal = None
        _lead(session, mobile, session.ghosts.called(leader.serial))
    elif _needs_way(following, here, there):
        following.goal = there
        _ask(session, mobile, realm, following)


def _needs_way(following: Following, here: Tile, there: Tile) -> bool:
    """Whether the guide is reached, or leads to where the leader is no more."""
    if following.sought is not None:
        return False
    goal, stands = following.goal, following.stands
    if goal is None or stands is None:
        return True
    return steps_between(goal, there) >= STRAYED or steps_between(here, stands) < AHEAD


def _ask(session: Eq2Session, mobile: Mobile, realm: Realm, following: Following) -> None:
    """Look for the way around; it may be found some turns later."""
    leader, start = following.leader, (mobile.x, mobile.y)
    found = partial(_found, ref(session), following, realm, start)
    following.sought = seek(mobile.world.paths, realm, start, (leader.x, leader.y), None, found)


def _found(
    reference: ref[Eq2Session],
    following: Following,
    realm: Realm,
    start: Tile,
    tiles: list[Tile],
    _reached: bool,
) -> None:
    """A way was found, perhaps after a while, in which it may have gone on."""
    session = reference()
    if session is None or session.following is not following:
        return
    following.sought = None
    mobile = session.playing
    if mobile is None or mobile.realm is not realm:
        return
    if start != (mobile.x, mobile.y):
        _ask(session, mobile, realm, following)  # most of that way is known now
    else:
        _guide(session, mobile, realm, following, tiles)


def _guide(
    session: Eq2Session, mobile: Mobile, realm: Realm, following: Following, tiles: list[Tile]
) -> None:
    """Put the guide at the first corner of the way that is far enough ahead."""
    view, here = Eq2View.of(session), (mobile.x, mobile.y)
    if not tiles or not view.places.has(realm.name):
        _lead(session, mobile, session.ghosts.called(following.leader.serial))
        return
    corners = [line[-1] for line in straightened(mobile.world.paths.ground(realm.chart), here, tiles)]
    corner = next((corner for corner in corners if steps_between(here, corner) >= AHEAD), corners[-1])
    heading = towards(corner[0] - here[0], corner[1] - here[1])
    place = view.places.on(realm.name, *corner, mobile.heading if heading is None else heading)
    following.stands = corner
    guide = following.guide
    if guide is None:
        guide = following.guide = blank(GUIDE_ID, session.version)
    guide.position.become(view.scenery.position(place, session.version))
    session.queue(Show(guide), Move(guide))
    _lead(session, mobile, GUIDE_ID)


def _lead(session: Eq2Session, mobile: Mobile, spawn_id: int) -> None:
    """Have the client follow a ghost; 0: none."""
    figures = Eq2View.of(session).figures
    if figures.lead(mobile, spawn_id):
        session.queue(Change(figures.of(mobile, session.version, own=True)))
