"""A web client's state, beyond what every session has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from protocol.session import Session

if TYPE_CHECKING:
    from world.mobile import Mobile
    from world.paths import Search
    from world.realm import Realm


@attrs.define
class Steps:
    """The place from which a client's steps count.

    `lost`: it has to begin anew, and steps that come before it does are of before it learned that. (realm, x,
    y) is where its steps have led; who stands elsewhere was put there.
    """

    realm: Realm | None = None
    x: int = 0
    y: int = 0
    lost: bool = False
    facing: int | None = None
    """Heading to which it turned behind steps that wait, as long as they do."""
    turns: int = 0
    """Number of times that it turned behind steps that waited."""

    def begin(self, mobile: Mobile) -> None:
        """From where somebody stands now."""
        self.lost, self.facing = False, None
        self.follow(mobile)

    def follow(self, mobile: Mobile) -> None:
        """Somebody came where it stands by its own steps."""
        self.realm, self.x, self.y = mobile.realm, mobile.x, mobile.y

    def lead_to(self, mobile: Mobile) -> bool:
        """Whether somebody stands where its steps led."""
        return self.realm is mobile.realm and (self.x, self.y) == (mobile.x, mobile.y)


class WebSession(Session):
    """One browser that plays."""

    __slots__ = (
        "__weakref__",
        "asked",
        "opened",
        "steps",
        "told",
        "way",
    )

    def begin(self) -> None:
        """Set what only this game's clients have."""
        self.steps = Steps()
        self.way: Search | None = None
        """Looks for the way that its client asked for."""
        self.asked: dict[int, int] = {}
        """Type ids of the dialogs that its player has before it, by serial."""
        self.opened: dict[int, bytes] = {}
        """The line it was told last of each container that it looked into, by serial; empty: none yet."""
        self.told: dict[str, bytes] = {}
        """The last of each kind of message about its own character, see `protocol.web.belongings.Renewed`."""

    def plays_anew(self) -> None:
        """Forget what counted in an earlier life: the client enters the world."""
        self.opened.clear()
        self.forget_way()

    def forget_way(self) -> None:
        """The way that is looked for is not wanted any more."""
        if self.way is not None:
            self.way.cancelled = True
            self.way = None

    def hears_anew(self) -> None:
        """Forget what was told of that life: the client is told now that it entered. Until then a slow one
        has some of it still before it."""
        self.asked.clear()
        self.opened = dict.fromkeys(self.opened, b"")
        self.told.clear()
