"""Wishes: things that players ask for and the world does not have yet, with a line for each, the same through
every client.

Nothing that a client asks for may end in silence. Each row of a game's table does the deed, or refuses it in
the game's own way; or its packet is one of these wishes and its player reads the line (`Unmet`), or a text of
its client's own that says the same (`Said.means`); or it carries no wish at all, and the row says why
(`Idle`). When the world learns a deed, its wish goes from here, and the rows that named it get a handler.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

import attrs

from protocol.refusals import SECONDS
from world.speech import notice

if TYPE_CHECKING:
    from protocol.refusals import Reader


class Wish(enum.Enum):
    """One wish; the value is the line for its player."""

    ABILITIES = "There are no special blows here yet."
    ANIMALS = "Nobody has animals of its own here yet."
    AUGMENTS = "Nothing is enchanted or refined here yet."
    AWAY = "Nobody is marked as away here yet."
    BARS = "What you put into your bars is not kept here yet."
    BARBER = "There is no barber here yet."
    BOARD = "Boards hang in the towns here: go up to one and click on it."
    BOATS = "There are no boats here yet."
    BOOKS = "There are no books to write in here yet."
    BOOTH = "Nobody has a booth here yet."
    BROADCAST = "Nobody carries your words to everybody for money here yet."
    CASTING = "Nobody can cast spells here yet."
    CRAFTING = "Nothing is made or mended here yet."
    CRESTS = "Guilds bear no crests here yet."
    CURSES = "There are no cursed weapons here."
    DEAFNESS = "What is said to you always reaches you here."
    DELETION = "Characters are deleted before one enters the world."
    DICE = "Nobody throws dice here yet."
    DUELS = "Nobody duels here yet."
    DYEING = "There is nothing to dye here yet."
    EXAMINING = "Nothing more is known about that."
    FACE = "Your face stays as it is."
    FARMING = "Nothing is sown or reaped here yet."
    FLYING = "Nobody can fly here."
    FOES = "There are no lists of enemies here yet."
    FRIENDS = "There are no lists of friends here yet."
    GAMES = "There are no games to play here yet."
    GUILD = "Guilds are led by words here: give the order guild."
    HERO = "There are no heroes to write of here yet."
    HOME = "Nobody can settle at an inn here yet."
    HOUSES = "There are no houses to own here yet."
    INSPECTING = "What others wear you see on them."
    JUKEBOX = "There is no jukebox here yet."
    LEARNING = "There is nothing to learn here yet."
    LOCKS = "Nothing that you wear is locked here yet."
    MAPS = "There are no maps to draw on here yet."
    MARRIAGE = "Nobody marries here yet."
    MENTORS = "Nobody takes pupils here yet."
    NICKNAMES = "There are no titles to give here yet."
    NOBILITY = "There are no ranks of nobility here yet."
    OLYMPIAD = "Nobody fights before an audience here."
    PARTY = "Parties are made by words here: party invite NAME."
    FORGED = "That is not yours to do."
    PETITION = "Type .page and what you need: that calls for the staff."
    POINTS = "There are no points to spend here yet."
    POST = "Nothing is sent by post here yet."
    PROFILE = "What you write about yourself is not kept here yet."
    RANKS = "What a rank of a guild may do is the same in all guilds here."
    SIEGE = "There are no castles to besiege here yet."
    SKILL = "That skill is of no use here yet."
    SNOOPING = "Nobody listens in on others here."
    STORE = "Nothing is sold for the money of your own world here."
    TATTOOS = "Nobody draws tattoos here yet."
    TRADE = "Nobody trades here yet."
    TRAINING = "Nobody trains while away here yet."
    TRAVEL = "Nobody carries you from here yet."
    UNASKED = "Nobody asked you for that."
    UNKNOWN = "Nobody knows how to do that here."
    VIRTUES = "Nobody is told by virtues here yet."
    VOTING = "Nobody is recommended here yet."
    WEARING = "Nothing wears out here."
    WINGS = "A guild has no academy and no other parts here."


def tell(session: Reader, wish: Wish) -> None:
    """Send the line of a wish to the player of a client, unless it read the same one within the last
    second."""
    mobile = session.mobile
    if mobile is None:
        return
    now = mobile.world.now
    if now >= session.unmet.get(wish, now):
        session.unmet[wish] = now + SECONDS
        notice(mobile, wish.value, wish)


@attrs.frozen
class Unmet:
    """Handler of packets that are a wish of which there is only a line."""

    wish: Wish

    def __call__(self, session: Reader, packet: object) -> None:
        """Send the line."""
        tell(session, self.wish)


@attrs.frozen
class Idle:
    """Handler of packets that carry no wish; `why` is for the reader of the tables."""

    why: str

    def __call__(self, session: Reader, packet: object) -> None:
        """Do nothing."""
