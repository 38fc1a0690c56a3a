"""Realms of other worlds, as those need them who are told that somebody comes from there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from world.realm import Realm, Weather

if TYPE_CHECKING:
    from world.content import Content


class Abroad:
    """Realms without anybody. After a restart hundreds come at once, and to make one takes a while."""

    def __init__(self) -> None:
        self._realms: dict[tuple[str, str], Realm] = {}

    def realm(self, content: Content, name: str, sky: str) -> Realm | None:
        """The realm of that name under that sky, a value of `world.realm.Weather`; None if `content` has none
        of that name."""
        chart = content.charts.get(name)
        if chart is None:
            return None
        realm = self._realms.get((name, sky))
        if realm is None or realm.chart is not chart:
            realm = self._realms[name, sky] = Realm(chart)
            realm.weather = Weather(sky)
        return realm
