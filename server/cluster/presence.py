"""Presence: who is played in which world.

Each world puts the list of its players under a key of its own, which vanishes some seconds after the world
does, and says once a second by which mark that list may be known (`Beat`). Others read the key when the mark
is another: so what does not change costs a few bytes a second, and who comes anew knows everybody within
one. A world that has said nothing for `TTL_SECONDS` has nobody any more, whether it died or the line did.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import attrs

from server.cluster.bus import TTL_SECONDS
from server.cluster.messages import MOST_PEOPLE, Roster, Who
from world.presence import person_of

if TYPE_CHECKING:
    from world.elsewhere import Person
    from world.mobile import Mobile
    from world.world import World

MOST_WORLDS: Final = 1_000
"""Other worlds that are listened to."""


class Own:
    """This world's players, as it tells of them. `token`: letters that no other start of any world has."""

    def __init__(self, token: str) -> None:
        self._token = token
        self._known: dict[int, tuple[tuple[object, ...], Who]] = {}
        """What was told of each, by serial, and the state that it is made of."""
        self._version = 0
        self.roster = Roster(f"{token}-0", [])

    def look(self, world: World) -> bool:
        """Look who is there now; whether the roster has changed. Only who looks different is written anew:
        of thousands few do in a second, and this is a part of a turn."""
        known, self._known = self._known, {}
        for mobile in islice(world.online(), MOST_PEOPLE):
            state = _state(mobile)
            before = known.get(mobile.serial)
            if before is None or before[0] != state:
                before = (state, Who.of(person_of(mobile)))
            self._known[mobile.serial] = before
        if known == self._known:
            return False
        self._version += 1
        self.roster = Roster(f"{self._token}-{self._version}", [who for _, who in self._known.values()])
        return True


def _state(mobile: Mobile) -> tuple[object, ...]:
    """All that a `Who` is made of."""
    return (
        mobile.name,
        mobile.game,
        mobile.level,
        mobile.access,
        mobile.hidden,
        mobile.realm and mobile.realm.name,
        mobile.title,
        mobile.guild and mobile.guild.tag,
    )


@attrs.define
class Other:
    """Another world, as it was heard last."""

    beat_at: float
    mark: str = ""
    """Of the roster that was read."""
    people: dict[int, tuple[Who, Person]] = attrs.field(factory=dict, repr=False)


class Others:
    """The other worlds that live, by number."""

    def __init__(self) -> None:
        self.worlds: dict[int, Other] = {}

    def beat(self, world: int, mark: str, now: float) -> bool:
        """A world gave a sign of life; whether its roster has to be read."""
        other = self.worlds.get(world)
        if other is None:
            if len(self.worlds) >= MOST_WORLDS:
                return False
            other = self.worlds[world] = Other(now)
        other.beat_at = now
        return other.mark != mark

    def read(self, world: int, roster: Roster) -> list[Person] | None:
        """Its roster was read: all who are in it, of whom those who are as before are the same objects. None
        if it does not live."""
        other = self.worlds.get(world)
        if other is None:
            return None
        other.mark, known = roster.mark, other.people
        other.people = {}
        for who in roster.people:
            before = known.get(who.serial)
            if before is None or before[0] != who:
                before = (who, who.person())
            other.people[who.serial] = before
        return [person for _, person in other.people.values()]

    def expired(self, now: float) -> list[int]:
        """Take those that have given no sign of life for too long."""
        gone = [world for world, other in self.worlds.items() if other.beat_at + TTL_SECONDS < now]
        for world in gone:
            del self.worlds[world]
        return gone
