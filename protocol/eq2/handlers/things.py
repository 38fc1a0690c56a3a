"""Taking, dropping, wearing, opening and using, by words.

What may be done is decided by `world.reach` and `world.hands`; the player is told why something cannot be
done. A thing is named by its target or by words of its name; what the client's bags send is in
`inventory.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eq2.handlers.looking import target_of
from protocol.eq2.handlers.looting import open_chest
from protocol.eq2.handlers.table import command
from world import containers, doors, fixtures, hands, looting, using
from world.finding import by_name, name_and_amount
from world.heading import OFFSETS, apart
from world.item import Item
from world.reach import Cannot, Refusal, can_reach
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from protocol.eq2.session import Eq2Session
    from world.mobile import Mobile

MOST_NAMED: Final = 40
"""Things in a container that are told of."""


@command("take")
def take(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Take what lies within reach: the target, or what is called so. Raises Cannot(GONE) if there is no such
    item, and as `hands.take` does."""
    item = target_of(session) if not text else by_name(text, _within_reach(session, mobile))
    if not isinstance(item, Item):
        raise Cannot(Refusal.GONE)
    label = item.label
    hands.take(mobile, item)
    notice(mobile, looting.TAKEN.format(label))


def _within_reach(session: Eq2Session, mobile: Mobile) -> Iterator[Item]:
    """Items that lie where one can take them, the nearest first."""
    found = [
        thing for thing in session.known.values() if isinstance(thing, Item) and can_reach(mobile, thing)
    ]
    found.sort(key=lambda item: apart(item, mobile))
    return iter(found)


@command("drop")
def drop(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Drop so many of a kind from the pack at one's feet: `/drop bread 2`. Raises Cannot: GONE if there is no
    such item, AMOUNT if it is no number for it, and as `hands.drop_kind` does."""
    name, amount = name_and_amount(text)
    item = by_name(name, hands.carried_items(mobile))
    if item is None:
        raise Cannot(Refusal.GONE)
    most = containers.MOST_IN_STACK if item.template.stackable else 1
    if not 1 <= amount <= most:
        raise Cannot(Refusal.AMOUNT)
    label = item.label
    hands.drop_kind(mobile, item.template.key, amount, mobile.x, mobile.y)
    notice(mobile, f"You drop {label}.")


@command("wear")
def wear(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Put something on from the pack; what is worn there goes into the pack. Raises Cannot(GONE) if there is
    no such item, and as `hands.exchange` does."""
    item = by_name(text, hands.carried_items(mobile))
    if item is None:
        raise Cannot(Refusal.GONE)
    hands.exchange(mobile, item)


@command("remove")
def remove(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Take something off, into the pack. Raises Cannot(GONE) if nothing worn is called so, and as
    `hands.take_off` does."""
    pack = mobile.backpack
    item = by_name(text, (item for item in mobile.worn.values() if item is not pack))
    if item is None:
        raise Cannot(Refusal.GONE)
    hands.take_off(mobile, item.layer)


@command("open")
def open_something(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Open the container that is the target, whose contents are told; else a door beside one, the one before
    one's eyes first."""
    target = target_of(session)
    if isinstance(target, Item) and fixtures.is_fixture(target.template):
        _use(session, mobile, target)
        return
    if isinstance(target, Item) and target.template.container:
        tell_contents(mobile, target)
        return
    doors.open_one(mobile, _around(mobile))


def _around(mobile: Mobile) -> Iterator[tuple[int, int]]:
    for turn in (0, 1, 7, 2, 6, 3, 5, 4):
        dx, dy = OFFSETS[(mobile.heading + turn) % len(OFFSETS)]
        yield mobile.x + dx, mobile.y + dy
    yield mobile.x, mobile.y


def tell_contents(mobile: Mobile, container: Item) -> None:
    """Tell what is in a container, in a line. Raises Cannot, as `looting.look_into`."""
    labels = [item.label for item in looting.look_into(mobile, container)]
    more = f" and {len(labels) - MOST_NAMED} more" if len(labels) > MOST_NAMED else ""
    inside = ", ".join(labels[:MOST_NAMED]) + more if labels else "nothing"
    notice(mobile, f"In {container.label}: {inside}.")


@command("use")
def use(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Use something from the pack, or the target. Raises Cannot(GONE) if there is no such item, and as using
    it does."""
    target = target_of(session)
    item = by_name(text, hands.carried_items(mobile)) if text else target
    if not isinstance(item, Item):
        raise Cannot(Refusal.GONE)
    if item.template.container and not fixtures.is_fixture(item.template):
        tell_contents(mobile, item)
    else:
        _use(session, mobile, item)


def _use(session: Eq2Session, mobile: Mobile, item: Item) -> None:
    if using.use(mobile, item) is using.Deed.OPENED:
        open_chest(session, mobile, item)
