"""Taking what the dead leave, and what is in chests.

A corpse is looted in the game's own window (UpdateLoot), out of which a client takes by a message of its own;
so is a chest, into which things are put by word: `/put bread 2`. Where that is switched off a corpse is asked
about in a window with two answers (ChoiceWindow), and told of in a line, and a chest is a dialog. By word one
takes at once: `/loot bread`, `/loot all`.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from protocol.dispatch import Interval
from protocol.endings import WireError
from protocol.eq2.handlers.looking import target_of, thing_of
from protocol.eq2.handlers.table import ROWS, command
from protocol.eq2.loot import LootClosed, LootWindow, is_opened
from protocol.eq2.packets import ChoiceWindow, LootItemsRequest, StoppedLooting
from protocol.eq2.view import Eq2View
from protocol.eq2.words import LONGEST_TEXT
from protocol.refusals import tell_refusal
from world import chests, hands, looting, using
from world.finding import by_name, name_and_amount
from world.heading import apart
from world.item import Item
from world.reach import Cannot, Refusal, can_reach
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.eq2.session import Eq2Session
    from world.mobile import Mobile

NO_CORPSE: Final = "There is nothing to loot here."

TAKE: Final = "loot_all"
LEAVE: Final = "loot_nothing"
"""Commands of the window."""


@command("loot", "lootcorpse")
def loot(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Ask what to take of the corpse that is the target, or of the nearest; with words take what is called
    so, or `all`. Raises Cannot(GONE) if there is no corpse or no such thing in it, and as `looting.look_into`
    does."""
    corpse = _corpse(session, mobile)
    inside = looting.look_into(mobile, corpse)
    if not text:
        _show(session, mobile, corpse, inside)
    elif text.lower() == "all":
        _take(mobile, inside)
    else:
        thing = by_name(text, inside)
        if thing is None:
            raise Cannot(Refusal.GONE)
        _take(mobile, [thing])


@command(TAKE)
def take_all(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Take all that is in the corpse that the window is about. Raises Cannot(GONE) if there is no corpse, and
    as `looting.look_into` does."""
    asked, session.looting = session.looting, 0
    thing = thing_of(session, asked) if asked else None
    corpse = thing if isinstance(thing, Item) else _corpse(session, mobile)
    _take(mobile, looting.look_into(mobile, corpse))


@command(LEAVE)
def take_nothing(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Close the window."""
    session.looting = 0
    notice(mobile, "You leave it.")


@ROWS.while_playing(LootItemsRequest, every=Interval(0.2, burst=3))
def take_some(session: Eq2Session, mobile: Mobile, packet: LootItemsRequest) -> None:
    """LootItemsRequest: take all, or some things by number, out of a corpse. Raises Cannot(GONE) if there is
    no such corpse or thing, and as `looting.look_into` does, upon which its window closes; WireError if it is
    cut short."""
    *wanted, spawn_id = _numbers(packet)
    serial = session.ghosts.meant(spawn_id)
    corpse = thing_of(session, serial)
    if corpse is None or not is_opened(corpse):
        session.queue(LootClosed(serial))
        raise Cannot(Refusal.GONE, NO_CORPSE)
    # The client may have struck what it asks for off its list already.
    session.loot_shown = ()
    session.queue(LootWindow(corpse))
    try:
        inside = looting.look_into(mobile, corpse)
    except Cannot:
        session.queue(LootClosed(serial))
        raise
    if not packet.all:
        inside = [item for item in inside if item.serial in wanted]
        if len(inside) < len(set(wanted)):
            raise Cannot(Refusal.GONE)
    _take(mobile, inside)


@ROWS.while_playing(StoppedLooting)
def stop(session: Eq2Session, mobile: Mobile, packet: StoppedLooting) -> None:
    """StoppedLooting: the player closed the window."""
    if session.ghosts.meant(packet.spawn_id) == session.looting:
        session.looting, session.loot_shown = 0, ()


def _numbers(packet: LootItemsRequest) -> Sequence[int]:
    """The things that are wanted, and behind them whose corpse it is. Raises WireError."""
    rest = packet.rest
    if not packet.all:
        if not rest or len(rest) != 1 + 4 * (rest[0] + 1):
            raise WireError(f"a list of {len(rest)} bytes")
        rest = rest[1:]
    if len(rest) % 4 or not rest:
        raise WireError(f"a corpse in {len(rest)} bytes")
    return struct.unpack(f"<{len(rest) // 4}I", rest)


def _take(mobile: Mobile, things: Sequence[Item]) -> None:
    for refusal in looting.take_some(mobile, things):
        tell_refusal(mobile, refusal)


@command("put")
def put_in(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Put so many of what is called so into the chest that is the target, or into the nearest:
    `/put bread 2`. Raises Cannot: GONE if there is no chest or no such thing, and as `chests.put` does."""
    target = target_of(session)
    chest = target if isinstance(target, Item) and target.template.chest is not None else chests.near(mobile)
    name, amount = name_and_amount(text)
    item = by_name(name, hands.carried_items(mobile)) if name else None
    if item is None:
        raise Cannot(Refusal.GONE)
    chests.put(mobile, chest, item, amount)


def open_chest(session: Eq2Session, mobile: Mobile, chest: Item) -> None:
    """Show a chest that stands open to somebody. Raises Cannot, as `looting.look_into`."""
    if not Eq2View.of(session).figures.rendering.loot_window:
        chests.show(mobile, chest)
        return
    inside = looting.look_into(mobile, chest)
    if inside:
        _show(session, mobile, chest, inside)
    else:
        notice(mobile, using.contents_in_words(mobile, chest))


def _show(session: Eq2Session, mobile: Mobile, corpse: Item, inside: Sequence[Item]) -> None:
    if not inside:
        notice(mobile, looting.EMPTY)
        return
    session.looting, session.loot_shown = corpse.serial, ()
    if Eq2View.of(session).figures.rendering.loot_window:
        session.queue(LootWindow(corpse))
    else:
        _ask(session, mobile, corpse)


def _ask(session: Eq2Session, mobile: Mobile, corpse: Item) -> None:
    words = using.contents_in_words(mobile, corpse)
    notice(mobile, words)
    session.send(
        ChoiceWindow(
            text=words[:LONGEST_TEXT],
            accept="Take everything",
            accept_command=TAKE,
            cancel="Leave it",
            cancel_command=LEAVE,
            box=0,
            required=0,
        )
    )


def _corpse(session: Eq2Session, mobile: Mobile) -> Item:
    """The corpse that is meant: the target, or else the nearest in reach. Raises Cannot(GONE)."""
    target = target_of(session)
    if target is not None and is_opened(target):
        return target
    near = [
        thing
        for thing in session.known.values()
        if isinstance(thing, Item) and thing.remains is not None and can_reach(mobile, thing)
    ]
    if not near:
        raise Cannot(Refusal.GONE, NO_CORPSE)
    return min(near, key=lambda corpse: apart(corpse, mobile))
