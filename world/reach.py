"""Reach: the checks whether a mobile can see, reach, take, open or talk, asked here and nowhere else.

Every game's handlers and the rules of `world.hands` ask the same questions, so that what one client must not
do none can.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

from world.heading import apart
from world.item import Item
from world.mobile import Mobile

if TYPE_CHECKING:
    from world.realm import Realm
    from world.thing import Thing

REACH: Final = 2
"""Tiles (Chebyshev) that hands reach: ServUO, Server/Mobile.cs, Lift; eoserv's DropDistance and item
pick-up."""

TALKING: Final = 10
"""Tiles (Chebyshev) from which one talks with somebody and answers: 250 of Lineage II's units (L2J_Mobius,
Npc.INTERACTION_DISTANCE), one number for all games."""

FARTHEST_SIGHT: Final = 18
"""Tiles that somebody sees through whom no client looks."""


class Refusal(enum.Enum):
    """Reasons why something cannot be done; the value is the sentence for the player."""

    GONE = "That is not there any more."
    FAR = "That is too far away."
    UNSEEN = "You cannot see that."
    NOT_YOURS = "That belongs to somebody else."
    FIXED = "That cannot be moved."
    DEAD = "You are dead and cannot do that."
    BUSY = "You are already holding something."
    EMPTY = "You are holding nothing."
    HEAVY = "That is too heavy."
    FULL = "There is no room for that."
    NESTED = "That does not go in there."
    MISFIT = "That cannot be worn there."
    AMOUNT = "There are not that many."
    BLOCKED = "That cannot be put there."
    UNWANTED = "They take no gifts."
    USELESS = "You cannot think of a use for that."
    GAGGED = "You have been silenced."
    FLOODING = "Not so fast: let the others speak, too."
    NOBODY = "There is nobody of that name here."
    NO_PARTY = "You are in no party."
    NO_GUILD = "You are in no guild."
    NO_ALLIANCE = "Your guild is in no alliance."
    NO_STAFF = "You are none of the staff."
    UNKNOWN = "Nobody knows how to do that."
    SITTING = "You have to stand up first."
    STANDING = "You are standing already."
    NO_DOOR = "There is no door that you can reach."
    NO_SIGN = "There is nothing to read near you."
    SOON = "That has to work first: wait a moment."
    NO_SEAT = "One cannot sit there."
    TAKEN = "Somebody sits there already."
    CRAMPED = "There is no room to stand."
    NO_WAY = "There is no way on from here."
    NO_PATH = "There is no way there: this is as near as you can get."
    OBSTACLE = "Something is in the way."
    DEFEATED = "It is dead already."
    GUARDED = "That is under the protection of the guards."
    PEACE = "Players do not fight each other here."
    YOUNG = "Who is new to the world is left in peace."
    NO_AMMUNITION = "You have nothing left to shoot with."
    NEAR = "That is too near to shoot at."
    NOT_YOUR_KILL = "Others killed that: wait until they have taken their share."
    NO_WORDS = "You have to say what it is about."
    ONESELF = "You cannot do that to yourself."
    ALIVE = "You are not dead."
    NO_HEALER = "There is no healer to go to."
    AT_HEALER = "The healer is right beside you, and will ask you."
    BURDENED = "You carry too much to move."
    TIRED = "You are too tired for that."
    DRAINED = "You have not enough mana for that."
    NO_QUEST = "You have no such quest."
    HAS_QUEST = "You are at that already."
    LATER = "There is nothing more to do there for now."
    UNSKILLED = "You are not experienced enough for that yet."
    NOTHING_THERE = "There is nothing to gather here."
    NO_TOOL = "You have no tool for that."
    EXHAUSTED = "Nothing is left here: come back in a while."
    GATHERING = "You are at it already."
    ILLEGIBLE = "You cannot read a word of it."
    UNFIT = "That is no answer to what was asked."
    NO_SHOP = "They have nothing to sell."
    NO_BANK = "They keep nothing for anybody."
    NOT_SOLD = "They do not sell that."
    NOT_BOUGHT = "They have no use for that."
    SOLD_OUT = "There is not so much of it left."
    PRICE = "The price has changed: look at it again."
    POOR = "You have not enough gold for that."
    LOCKED = "It is locked."
    NO_BOARD = "There is no board near you."
    NO_NOTE = "There is no such note there."
    NOT_YOUR_NOTE = "Others have pinned that."
    MANY_NOTES = "You have pinned enough here: take one of your notes down first."
    TOO_LONG = "That is too long for a note."
    UNREADABLE = "Nobody could read that."
    NO_SUCH_GUILD = "There is no guild of that name."
    NO_RIGHT = "Your rank in the guild does not allow that."
    NO_MEMBER = "Nobody of that name is in your guild."
    IN_GUILD = "You are in a guild already."
    THEY_IN_GUILD = "They are in a guild already."
    THEY_NO_MEMBER = "They are not in that guild."
    GUILD_NAME = "A guild's name has 3 to 15 letters, with single blanks between them."
    GUILD_TAG = "A guild's tag has 2 or 3 letters."
    GUILD_TAKEN = "There is a guild of that name or tag already."
    GUILD_FULL = "The guild has room for nobody else."
    LEADS = "You lead the guild: hand it over first, or disband it."
    LOWEST = "There is no rank below that."
    BANK_LEFT = "Something is left in the guild's bank: take it out first."
    BOND = "Your guilds are bound to one another already: end that first."
    NO_BOND = "There is neither war nor alliance between your guilds."
    BONDS = "The guild has as many allies and enemies as it can keep in mind."
    NO_ENVOY = "Nobody who could answer for that guild is here now."
    OPEN_BAG = "Empty it first: there is something in it."
    NO_TRADE = "You are trading with nobody."
    TRADING = "You are trading already: end that first."
    OCCUPIED = "They are trading with somebody else."
    NO_TRADER = "They do not trade."
    FIGHTING = "Not in the middle of a fight."
    OFFERED = "That is offered already."
    NOT_OFFERED = "You do not offer that."
    MANY_OFFERS = "You offer as many things as one can already."
    NO_OFFER = "Nothing is offered yet."
    ALTERED = "What is offered has changed: look at it again."
    NO_PLAYER = "That is nobody who could be asked."
    ASKED = "You have asked them already: wait for the answer."
    ENGAGED = "Somebody else has just asked them: wait a moment."
    ASKING = "You ask too much of the others: wait a while."
    IGNORED = "They want to hear nothing of you."
    DUELLING = "You are in a duel already."
    NO_DUEL = "You are in no duel."
    NO_COUNTER = "Letters are handed in elsewhere."
    NO_LETTER = "There is no such letter for you."
    EMPTY_LETTER = "That letter brings nothing."
    NO_SENTENCE = "They serve no such sentence."
    NO_JAIL = "There is no jail in this world."
    NO_REPORT = "There is no such report."
    NOT_ASKED = "Nobody asks you that."
    HAS_PARTY = "You are in a party already: leave it first."
    IN_PARTY = "They are in a party already."
    FELLOW = "They are in your party already."
    PARTY_FULL = "The party is full."
    NO_LEADER = "Only the leader of the party may do that."
    NO_FELLOW = "Nobody of that name is in your party."
    LISTED = "You have them on that list already."
    MANY = "That list is full: take somebody off it first."
    STAFF = "You cannot do that to one of the staff."


class Cannot(Exception):
    """Something cannot be done, and nothing was changed. `str()` of it is the line for its player; `told`:
    the player has just read it and does not receive it again."""

    def __init__(self, why: Refusal, words: str = "", *, told: bool = False) -> None:
        super().__init__(words or why.value)
        self.why = why
        self.told = told

    @property
    def says_more(self) -> bool:
        """Whether its words are its own, and not only those of the reason."""
        return str(self) != self.why.value


def can_see(actor: Mobile, thing: Thing) -> bool:
    """Whether a thing, or its outermost holder, is in the actor's sight."""
    root = thing.root if isinstance(thing, Item) else thing
    if root is actor:
        return True
    if root.realm is None or root.realm is not actor.realm or root.hidden:
        return False
    if actor.viewport is not None:
        return actor.viewport.covers(root.x, root.y)
    return apart(root, actor) <= FARTHEST_SIGHT


def can_reach(actor: Mobile, thing: Thing) -> bool:
    """Whether the actor's hands reach a thing: its own things always, others within `REACH` that it sees,
    with no wall between."""
    root = thing.root if isinstance(thing, Item) else thing
    return root is actor or (can_see(actor, root) and can_reach_tile(actor, root.x, root.y))


def can_reach_tile(actor: Mobile, x: int, y: int) -> bool:
    """Whether the actor's hands reach a tile of its realm."""
    realm = actor.realm
    if realm is None or not realm.inside(x, y):
        return False
    dx, dy = x - actor.x, y - actor.y
    if max(abs(dx), abs(dy)) > REACH:
        return False
    if max(abs(dx), abs(dy)) < REACH:
        return True
    # Of a knight's move either of the two tiles between will do.
    between = {(actor.x + _half(dx, up), actor.y + _half(dy, up)) for up in (False, True)}
    return not all(realm.opaque(*tile) for tile in between)


def has_sight(realm: Realm, x: int, y: int, to_x: int, to_y: int) -> bool:
    """Whether nothing higher than a person stands on the straight line between two tiles, theirs left out."""
    dx, dy = to_x - x, to_y - y
    steps = max(abs(dx), abs(dy))
    return not any(
        realm.opaque(x + round(dx * step / steps), y + round(dy * step / steps)) for step in range(1, steps)
    )


def can_take(actor: Mobile, item: Item) -> Refusal | None:
    """Reason why the actor cannot lift an item; None if it can."""
    if actor.dead:
        return Refusal.DEAD
    if _is_gone(item):
        return Refusal.GONE
    if item is actor.held:
        return Refusal.BUSY
    if not item.template.movable:
        return Refusal.FIXED
    return _out_of_reach(actor, item)


def can_use(actor: Mobile, container: Item) -> Refusal | None:
    """Reason why the actor cannot open a container or put something into it; None if it can."""
    if actor.dead:
        return Refusal.DEAD
    if not container.template.container:
        return Refusal.NESTED
    if _is_gone(container):
        return Refusal.GONE
    return _out_of_reach(actor, container)


def check_talk(actor: Mobile, other: Mobile) -> None:
    """Check that the actor can talk with another mobile, and answer its questions. Raises Cannot(GONE, FAR or
    UNSEEN)."""
    if other.realm is None:
        raise Cannot(Refusal.GONE)
    if other.realm is not actor.realm or apart(other, actor) > TALKING:
        raise Cannot(Refusal.FAR)
    if not can_see(actor, other):
        raise Cannot(Refusal.UNSEEN)


def at_vault(actor: Mobile) -> Item | None:
    """The actor's own vault while it stands open at a banker nearby; None if it does not."""
    visit = actor.visit
    if visit is None or visit.service != "vault" or visit.host.realm is not actor.realm:
        return None
    return actor.vault if apart(visit.host, actor) <= TALKING else None


def _is_gone(item: Item) -> bool:
    root = item.root
    if isinstance(root, Item) and root.keeper:
        return item.world.items.get(item.serial) is not item
    return item.world.items.get(item.serial) is not item or (isinstance(root, Item) and root.realm is None)


def _out_of_reach(actor: Mobile, item: Item) -> Refusal | None:
    """Why the actor's hands do not get to an item that exists: others have it, or it lies too far away."""
    root = item.root
    if isinstance(root, Mobile):
        return None if root is actor else Refusal.NOT_YOURS
    if root.keeper:
        if root.keeper != actor.serial:
            return Refusal.NOT_YOURS
        return None if root is at_vault(actor) else Refusal.FAR
    if not can_see(actor, root):
        return Refusal.UNSEEN
    if not can_reach(actor, root):
        return Refusal.FAR
    chest = root.template.chest
    if chest is not None and chest.lock and not _carries(actor.backpack, chest.lock):
        return Refusal.LOCKED
    now = actor.world.now
    return None if all(claim.allows(actor.serial, now) for claim in item.claims) else Refusal.NOT_YOUR_KILL


def _carries(container: Item | None, kind: str) -> bool:
    """Whether a thing of that kind is in a container, or in one in it."""
    inside = () if container is None else container.contents.values()
    return any(item.template.key == kind or _carries(item, kind) for item in inside)


def _half(distance: int, up: bool) -> int:
    """The middle of a way of -2 to 2 tiles; that of an odd one lies to either side."""
    return (distance + (1 if up else 0)) // 2
