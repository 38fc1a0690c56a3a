"""The same wish in all games: what each client sends for it, for the matrix of verbs and states
(`tests/matrix/`).

A verb that joins the matrix is a method here for every game (mypy says which has none). Where a game's client
has no button for it, its player types the verb as an order (`order`), which every game has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.session import Session
    from tests.kit.players import Player
    from world.dialogs import Dialog
    from world.item import Item
    from world.mobile import Mobile
    from world.reach import Refusal


class Wishes(ABC):
    """What somebody in front of one game's client sends. `near` is beside it; numbers are looked up at the
    server, whose view gave them to this client."""

    sign: ClassVar[str]
    """What an order begins with."""

    by_name: ClassVar[frozenset[str]] = frozenset()
    """Verbs of the matrix for which the player types a name: who is not to be seen has none."""

    client: object
    """The game's client."""

    def __init__(self, player: Player, session: Session) -> None:
        self.session = session
        self.client = player.client  # type: ignore[attr-defined] # all players have one

    def order(self, line: str) -> bytes:
        """An order to the server, typed where one talks."""
        return self.say(self.sign + line)

    @abstractmethod
    def say(self, text: str) -> bytes: ...
    @abstractmethod
    def shout(self, text: str) -> bytes: ...
    @abstractmethod
    def tell(self, name: str, text: str) -> bytes: ...
    @abstractmethod
    def to_all(self, text: str) -> bytes: ...
    @abstractmethod
    def gesture(self) -> bytes: ...
    @abstractmethod
    def sit(self) -> bytes: ...
    @abstractmethod
    def turn(self, heading: int) -> bytes: ...
    @abstractmethod
    def use(self, item: Item) -> bytes: ...
    @abstractmethod
    def look_into(self, item: Item) -> bytes: ...
    @abstractmethod
    def lift(self, item: Item) -> bytes: ...
    @abstractmethod
    def drop(self, item: Item) -> bytes: ...
    @abstractmethod
    def wear(self, item: Item) -> bytes: ...
    @abstractmethod
    def talk_to(self, resident: Mobile) -> bytes: ...
    @abstractmethod
    def attack(self, target: Mobile) -> bytes: ...
    @abstractmethod
    def answer(self, dialog: Dialog) -> bytes: ...

    def press(self, label: str) -> bytes:
        """The answer of that label in the window that is open, in games that are asked one thing after the
        other."""
        raise NotImplementedError(f"{type(self).__name__} fills in all at once")

    def type_in(self, text: str) -> bytes:
        """What is to be typed, in those games."""
        return self.order(f"answer {text}")

    def fill_in(self, marks: Sequence[str], texts: Sequence[str], label: str) -> bytes:
        """The options of some labels, all that is to be typed, and the button of that label, in games that
        show a form. Empty in the others."""
        return b""

    @abstractmethod
    def looked_into(self, item: Item, label: str) -> bool:
        """Whether the client shows what is in that bag: something called so."""

    def stand(self) -> bytes:
        """Up from where it sits."""
        return self.order("stand")

    def plead(self, text: str) -> bytes:
        """A call for the staff."""
        return self.order(f"page {text}")

    def lock(self, skill: str) -> bytes:
        """A skill that is to stay as it is."""
        return self.order(f"lock {skill} fixed")

    def notices(self) -> list[str]:
        """Lines that are not among what it heard (`tests.kit.game.Game.heard`)."""
        return []

    def refusals(self) -> list[Refusal]:
        """What the client was refused so far in its game's own way, which is no line of words."""
        return []

    def give(self, item: Item, other: Mobile) -> bytes:
        """From the pack to somebody."""
        return self.order(f"give {other.name} {item.template.key}")

    # With other players

    @abstractmethod
    def ask_to_trade(self, other: Mobile, item: Item) -> bytes:
        """A question to trade; where that is done with a thing, with this one."""

    @abstractmethod
    def offer(self, item: Item) -> bytes: ...
    @abstractmethod
    def agree(self) -> bytes: ...
    @abstractmethod
    def invite(self, other: Mobile) -> bytes: ...
    @abstractmethod
    def leave_party(self) -> bytes: ...

    def invite_to_guild(self, other: Mobile) -> bytes:
        """A question whether somebody would join one's guild."""
        return self.order(f"guild invite {other.name}")

    def befriend(self, other: Mobile) -> bytes:
        """Somebody onto the list of friends."""
        return self.order(f"friend {other.name}")

    def ignore(self, other: Mobile) -> bytes:
        """Somebody of whom one wants to hear nothing."""
        return self.order(f"ignore {other.name}")

    def write_to(self, other: Mobile, text: str) -> bytes:
        """A letter."""
        return self.order(f"mail {other.name} {text}")

    def challenge(self, other: Mobile) -> bytes:
        """A question to fight a duel."""
        return self.order(f"duel {other.name}")

    def report(self, other: Mobile, text: str) -> bytes:
        """To the staff, about somebody."""
        return self.order(f"report {other.name} {text}")
