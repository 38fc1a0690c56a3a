"""What everybody who plays for a test can do and believes: see `tests.kit.actors`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from tests.kit.players import PASSWORD, Host, Player

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.family import AnyView
    from tests.kit.dealings import Member, Table
    from world.item import Item
    from world.thing import Thing

PATIENCE: Final = 30.0
"""Seconds an answer may take before it counts as missing: a busy machine, a stalled disk."""


TOO_SOON: Final = "not so fast"
"""What the server says to a player who asks it the same again and again."""
ASKS_AGAIN: Final = 2.0
"""Seconds after which it answers again."""


class CannotEnter(Exception):
    """The way into the world ended somewhere else; the message says where."""


class Place(NamedTuple):
    """Where somebody stands, in the client's own coordinates. `heading` is the world's."""

    map: int
    x: int
    y: int
    heading: int


class Figure(NamedTuple):
    """Somebody else in sight."""

    x: int
    y: int
    heading: int


class Lying(NamedTuple):
    """Something on the ground in sight. `kind` is the game's own number for it."""

    kind: int
    amount: int
    x: int
    y: int


class Owned(NamedTuple):
    """Something in the pack: of one stack (Ultima Online), or all of a kind (Endless Online)."""

    kind: int
    amount: int


class Actor:
    """Somebody who plays. Verbs send and return at once; `echo` waits until all of it has been handled.

    What this game has no word for is not in `can`, and does nothing.
    """

    game: str
    axes = ("x", "y")
    """What the atlas calls where the map begins, to the east and to the south."""
    unit = 1
    """How many of its coordinates a tile of the world has."""
    can: frozenset[str]
    """Names of the verbs below this game knows."""

    def __init__(self, town: Host, *, peer: str = "127.0.0.1") -> None:
        self.town = town
        self.peer = peer
        self.account = ""
        self.name = ""
        self._inside = False
        """Whether it has seen the world with this client."""
        self.player: Player = self.make_player()

    def make_player(self) -> Player:
        """Somebody in front of a client that was just started."""
        raise NotImplementedError

    # In and out

    @property
    def online(self) -> bool:
        """Whether it believes to be in the world."""
        return self._inside and not self.player.hung_up

    async def enters(self, account: str, name: str, *, password: str = PASSWORD) -> None:
        """From the first byte into the game, with a client that knows nothing yet; the character is made if
        the account has none. Raises CannotEnter."""
        self.leaves()
        self.player = self.make_player()
        self.account, self.name, self._inside = account, name, False
        try:
            await self._enter(account, name, password)
            self._inside = True
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise CannotEnter(f"{name}: the line is dead: {error!r}") from error

    def leaves(self) -> None:
        """Hang up without a word."""
        self.player.leaves()

    async def logs_out(self) -> None:
        """Leave as a player does who quits."""
        self.leaves()

    async def sends(self, data: bytes) -> None:
        """Send bytes; a dead line takes them silently."""
        if self.player.hung_up or not data:
            return
        try:
            await self.player.end.send_all(data)
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            return

    async def until(self, predicate: Callable[[], bool], seconds: float = PATIENCE) -> bool:
        """Wait until something is so, asking at everything that is received; False if it is not within so
        many seconds, or the connection ends first."""
        return await self.player.until(predicate, seconds)

    async def echo(self, seconds: float = PATIENCE) -> bool:
        """Wait until the server has handled everything sent so far and this client has its answers; False if
        that does not come."""
        raise NotImplementedError

    async def _must(self, what: str, predicate: Callable[[], bool]) -> None:
        if not await self.until(predicate):
            why = "hung up" if self.player.hung_up else f"nothing within {PATIENCE:.0f} s"
            raise CannotEnter(f"{self.name} ({self.game}) waits for {what}: {why}")

    # What it believes

    def place(self) -> Place:
        """Where it stands."""
        raise NotImplementedError

    def dead(self) -> bool:
        """Whether it knows to be a ghost."""
        return False

    def others(self) -> Mapping[int, Figure]:
        """Everybody else in sight, by handle."""
        raise NotImplementedError

    def nearest(self) -> list[int]:
        """Their handles, whoever is nearest first."""
        here, others = self.place(), self.others()
        away = {handle: max(abs(it.x - here.x), abs(it.y - here.y)) for handle, it in others.items()}
        return sorted(others, key=lambda handle: (away[handle], handle))

    def lying(self) -> Mapping[int, Lying]:
        """What lies in sight, by handle; scenery is not among it."""
        raise NotImplementedError

    def carries(self) -> Mapping[int, Owned]:
        """What lies in its own pack, by handle. Ultima Online's client looks into bags only when they are
        opened."""
        raise NotImplementedError

    def bags(self) -> Mapping[int, Mapping[int, Owned]]:
        """The bags in its pack whose windows are open, and what is in them, by handle."""
        return {}

    def wears(self) -> Mapping[int, int]:
        """What it wears that can be taken off: handles by layer, or by place on the body."""
        raise NotImplementedError

    def sees(self) -> set[int]:
        """The handles of everything in sight."""
        return {*self.others(), *self.lying()}

    def handle_of(self, thing: Thing, view: AnyView) -> int | None:
        """The handle of a thing of the world; None if this game never gave it one."""
        raise NotImplementedError

    def own_handle_of(self, item: Item, view: AnyView) -> int | None:
        """The handle of a thing in its own pack."""
        return self.handle_of(item, view)

    def in_flight(self) -> bool:
        """Whether it has gone ahead of the server, so that its beliefs are not settled."""
        return False

    async def stands(self, seconds: float = PATIENCE) -> tuple[int, int] | None:
        """Where the server says that it stands, in the world's own coordinates; None if no answer comes."""
        with trio.move_on_after(seconds):
            while self.online:
                if (place := await self._asks_where(seconds)) is not None:
                    return place
                await trio.sleep(ASKS_AGAIN)
        return None

    async def _asks_where(self, seconds: float) -> tuple[int, int] | None:
        """Ask that once; None if it was too soon for that."""
        raise NotImplementedError

    def excused(self) -> set[int]:
        """Handles of what it may have forgotten by its own doing, without the server's noticing."""
        return set()

    # What it does

    async def step(self, heading: int, *, run: bool = False) -> None:
        """One tile that way, with the turn before it if it needs one."""
        raise NotImplementedError

    async def wander(self, dx: int, dy: int) -> None:
        """So many tiles, in the way its client has for going far; whatever is in between, which it cannot
        see."""
        raise NotImplementedError

    async def turn(self, heading: int) -> None:
        """Face that way."""
        raise NotImplementedError

    async def say(self, text: str) -> None:
        """Say something aloud."""
        raise NotImplementedError

    async def take(self, handle: int, amount: int = 1) -> None:
        """From the ground (or a container) into the own pack."""

    async def drop(self, handle: int, amount: int = 1) -> None:
        """From the pack to the ground at its feet."""

    async def put_on(self, handle: int) -> None:
        """From the pack onto the body."""

    async def take_off(self, layer: int) -> None:
        """From the body into the pack."""

    async def split(self, handle: int, amount: int) -> None:
        """Part of a stack in the pack to a place of its own there."""

    async def merge(self, handle: int, onto: int) -> None:
        """One stack onto another, or one thing into a bag."""

    async def give(self, handle: int, other: int, amount: int = 1) -> None:
        """From the pack into the hands of somebody in sight."""

    async def lift(self, handle: int, amount: int = 1) -> None:
        """Into the hand, and no further."""

    async def use(self, handle: int) -> None:
        """Double-click it: open a bag, use a thing."""

    async def click(self, handle: int) -> None:
        """Ask what it is, or talk to it."""

    async def attack(self, handle: int) -> None:
        """Strike at somebody in sight, and go on until one of both is dead; or once, in a game of single
        blows."""
        raise NotImplementedError

    async def loot(self, handle: int) -> None:
        """Look into what the dead left, and take what is in it as far as that is known. (Where they leave
        nothing to look into, things lie about.)"""

    order_sign = "."
    """Before a line that is an order to the server."""

    async def orders(self, line: str) -> None:
        """Type an order to the server."""
        await self.say(f"{self.order_sign}{line}")

    async def sit(self) -> None:
        """Down on the floor."""

    async def stand(self) -> None:
        """Up again."""

    async def gesture(self) -> None:
        """Bow, or laugh."""

    async def camp(self) -> None:
        """Begin to leave, as games want it that let nobody go at once."""

    async def stays(self) -> None:
        """Think better of it."""

    async def war(self, on: bool) -> None:
        """Draw the weapon, or sheathe it."""

    async def open_door(self, x: int, y: int) -> None:
        """Ask for a door, by the client's coordinates."""

    # With another player, in the windows that its client has for that

    async def names(self) -> list[str]:
        """Names of the people in sight."""
        raise NotImplementedError

    async def asks_to_trade(self, name: str, kind: str = "") -> None:
        """Ask somebody in sight to trade; where that is done with a thing, with one of this kind."""
        raise NotImplementedError

    async def accepts_trade(self) -> None:
        """Say yes to whoever asks; nothing where the window opens unasked."""
        raise NotImplementedError

    async def offers(self, kind: str, amount: int = 1) -> None:
        """Offer so many of a kind, by the world's key."""
        raise NotImplementedError

    async def offers_gold(self, amount: int) -> None:
        """Offer so much gold."""
        raise NotImplementedError

    async def agrees(self) -> None:
        """Agree to what the window shows."""
        raise NotImplementedError

    async def ends_trade(self) -> None:
        """Close the window with nothing changed hands."""
        raise NotImplementedError

    def trade_shown(self) -> Table | None:
        """What its window of a trade shows; None while none is open."""
        raise NotImplementedError

    def called(self, kind: str) -> str:
        """What `trade_shown` calls a kind: the first of all that look the same to its client."""
        raise NotImplementedError

    def asked_to_trade(self) -> bool:
        """Whether a box asks its player to trade."""
        return False

    async def invites(self, name: str) -> None:
        """Ask somebody in sight into the party."""
        raise NotImplementedError

    def asked_into_party(self) -> bool:
        """Whether its client asks its player into a party."""
        raise NotImplementedError

    async def accepts_invite(self) -> None:
        """Say yes to whoever asks into a party."""
        raise NotImplementedError

    async def leaves_party(self) -> None:
        """Leave the party."""
        raise NotImplementedError

    async def expels(self, name: str) -> None:
        """Send somebody out of the party."""
        raise NotImplementedError

    def party_shown(self) -> dict[str, Member]:
        """The others in its window of the party, by name; none while it is in no party."""
        raise NotImplementedError

    async def refresh(self) -> None:
        """Ask for everything around anew."""

    async def look_far(self, tiles: int) -> None:
        """Ask to see so far."""

    async def garble(self, junk: bytes) -> None:
        """Send what no client sends."""
        await self.sends(junk)

    async def _enter(self, account: str, name: str, password: str) -> None:
        raise NotImplementedError


BASE: Final = frozenset(
    {
        "step",
        "turn",
        "say",
        "click",
        "refresh",
        "take",
        "drop",
        "put_on",
        "take_off",
        "attack",
        "orders",
        "trade",
        "party",
        "garble",
        "leaves",
        "logs_out",
    }
)
"""Verbs of every game that draws what one has."""
