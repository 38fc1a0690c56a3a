"""Events between the world and one player: a question, a shop, a bank, a board. `world.events` has all other
kinds.

Games whose clients have a window for a service show these; in the others a dialog has asked, or a line has
been read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from world.thing import Event

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from world.item import Item
    from world.mobile import Dialog, Mobile, Viewport
    from world.offers import Catalogue


class Served(Event):
    """Something between one player (`thing`) and whoever asks or serves it."""

    __slots__ = ()

    thing: Mobile

    @property
    def anywhere(self) -> bool:
        """True: it is between the world and one player."""
        return True

    def words(self, *, own: bool) -> str | None:
        """None: who has no window for it is asked by a dialog, and reads what came of it."""
        return None


@attrs.define
class Asked(Served):
    """A dialog opened for a mobile's player."""

    thing: Mobile
    dialog: Dialog
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """Line of the question."""
        dialog = self.dialog
        return f"{dialog.title}: {dialog.text}" if dialog.title else dialog.text


@attrs.define
class Closed(Served):
    """A dialog was withdrawn by the world."""

    thing: Mobile
    dialog: Dialog
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        """Line that says that an answer counts no more."""
        return f"{self.dialog.title or 'That question'}: no answer is awaited any more."


@attrs.define
class ShopOpened(Served):
    """A merchant shows a player what it sells and buys, or shows it anew because that has changed."""

    thing: Mobile
    host: Mobile
    catalogue: Catalogue
    viewers: Sequence[Viewport]


@attrs.define
class Traded(Served):
    """A player bought from a merchant, or sold to it: amounts by item template, and the gold that it paid
    (negative: was paid)."""

    thing: Mobile
    host: Mobile
    bought: Mapping[str, int]
    sold: Mapping[str, int]
    paid: int
    viewers: Sequence[Viewport]


@attrs.define
class VaultOpened(Served):
    """A banker opens a player's vault, or what lies in an open one has changed (`anew`). `gold` lies there
    beside the `things`."""

    thing: Mobile
    host: Mobile
    gold: int
    things: Sequence[Item]
    viewers: Sequence[Viewport]
    anew: bool = False


@attrs.define
class BoardOpened(Served):
    """A board is opened for a player who comes up to it; `notes` are pinned there, the newest first."""

    thing: Mobile
    board: Item
    notes: Sequence[Item]
    viewers: Sequence[Viewport]


@attrs.define
class CounterClosed(Served):
    """A player's visit to a merchant or a banker is over, by the world's doing: `service` is "shop" or
    "vault"."""

    thing: Mobile
    host: Mobile
    service: str
    viewers: Sequence[Viewport]
