"""Naming of people in a game: by their names, or by their short names where its client cannot show these."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from protocol.denials import Denial, Denied
from world.mobile import Mobile

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.directory import Known
    from world.elsewhere import Person
    from world.events import Said


@attrs.frozen
class Naming:
    """Naming of one game. `fits` says whether its client can show, and type, a name."""

    fits: Callable[[str], bool]

    def require(self, name: str) -> None:
        """Check that the game's own client could have typed this name for a new character. Raises
        Denied(BAD_NAME) if not."""
        if not self.fits(name.strip()):
            raise Denied(Denial.BAD_NAME)

    def of(self, mobile: Mobile | Person) -> str:
        """Name of a mobile, or of somebody in another world, in this game. A mobile without a short name is
        no player, and keeps its name."""
        return mobile.name if self.fits(mobile.name) else mobile.short_name or mobile.name

    def known(self, known: Known) -> str:
        """Name of somebody who need not be there."""
        return known.name if self.fits(known.name) else known.short_name or known.name

    def speaker(self, said: Said) -> str:
        """Name of the speaker in this game, if there is one; else the name that the words themselves give."""
        if said.afar is not None:
            return self.of(said.afar)
        thing = said.thing
        return self.of(thing) if isinstance(thing, Mobile) and said.name == thing.name else said.name
