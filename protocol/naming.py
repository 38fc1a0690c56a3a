"""What a game calls people: by their names, or by their short names where its client cannot show these."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from protocol.denials import Denial, Denied
from world.mobile import Mobile

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.moments import Said


@attrs.frozen
class Naming:
    """One game's way. `fits` says whether its client can show, and type, a name."""

    fits: Callable[[str], bool]

    def require(self, name: str) -> None:
        """Raises Denied if the game's own client could not have typed this name for a new character."""
        if not self.fits(name.strip()):
            raise Denied(Denial.BAD_NAME)

    def of(self, mobile: Mobile) -> str:
        """What somebody is called. Who has no short name is no player, and is called as it is."""
        return mobile.name if self.fits(mobile.name) else mobile.short_name or mobile.name

    def speaker(self, said: Said) -> str:
        """Who speaks, if anybody does; else what the words themselves say."""
        thing = said.thing
        return self.of(thing) if isinstance(thing, Mobile) and said.name == thing.name else said.name
