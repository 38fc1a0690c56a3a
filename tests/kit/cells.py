"""Cells of the matrix of verbs and states: one verb, in one state, through one game."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, TypeAlias

import attrs

from world import holding

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.session import Session
    from tests.kit.game import Game
    from tests.kit.players import Player
    from tests.kit.town import Town
    from tests.kit.wish import Wishes
    from world.dialogs import Dialog
    from world.events import Event
    from world.item import Item
    from world.mobile import Mobile
    from world.reach import Refusal
    from world.world import World

OUT_OF_REACH: Final = 5
"""Tiles to the east, in sight of every game."""


@attrs.frozen
class Does:
    """The wish is done."""


DONE: Final = Does()
Outcome: TypeAlias = "Refusal | Does | None"
"""What comes of it; None where the state has nothing to do with the verb."""
Row: TypeAlias = "dict[str, Outcome]"
"""By state."""


@attrs.define
class Actor:
    """One of the six."""

    game: Game
    player: Player
    session: Session
    wishes: Wishes
    mobile: Mobile
    near: Mobile = attrs.field(init=False)
    """Another of them, beside it."""
    far: Mobile = attrs.field(init=False)
    """One in sight and out of reach."""

    @property
    def lines(self) -> Counter[str]:
        """All it was told."""
        return Counter([*self.game.heard(self.player), *self.wishes.notices()])


@attrs.define
class Cell:
    """One verb, one state, one game."""

    town: Town
    actor: Actor
    others: Mapping[Mobile, Actor]
    state: str
    events: list[Event]
    words: str = ""
    item: Item | None = None
    chest: Item | None = None
    dialog: Dialog | None = None
    resident: Mobile | None = None
    answers: list[int] = attrs.field(factory=list)

    @property
    def mobile(self) -> Mobile:
        return self.actor.mobile

    @property
    def world(self) -> World:
        return self.town.app.world

    @property
    def whom(self) -> Mobile:
        """To whom something is done: out of reach in the state that is called so."""
        return self.actor.far if self.state == "far" else self.actor.near

    @property
    def thing(self) -> Item:
        assert self.item is not None
        return self.item

    def heard_by(self, mobile: Mobile, words: str) -> bool:
        """Whether the player of another game read it."""
        return any(words in line for line in self.others[mobile].lines)

    def carry(self, key: str) -> Item:
        """Something in its pack."""
        pack = self.mobile.backpack
        assert pack is not None
        self.item = holding.make(self.world, key)
        self.world.register(self.item)
        holding.put(pack, self.item)
        return self.item

    def lay(self, key: str) -> Item:
        """Something on the ground: beside it, or out of reach."""
        assert self.mobile.realm is not None
        self.item = holding.make(self.world, key)
        away = OUT_OF_REACH if self.state == "far" else 0
        self.world.enter(self.item, self.mobile.realm, self.mobile.x + away, self.mobile.y + 1)
        return self.item


def nothing(cell: Cell) -> None:
    """What is laid out or undone where there is nothing to do."""


@attrs.frozen
class Verb:
    """A row. `prepare` runs in the world before, `wish` is what the client sends, `done` whether it was."""

    name: str
    wish: Callable[[Cell], bytes]
    done: Callable[[Cell], bool]
    outcomes: Mapping[str, Outcome]
    prepare: Callable[[Cell], object] = nothing
    seconds: float = 0.4
    skipped: Mapping[tuple[str, str], str] = attrs.field(factory=dict)
    """By game and state: why that game has no way to wish it."""
    words: Mapping[Refusal, str] = attrs.field(factory=dict)
    """What the rule says to some refusals in words of its own."""
