"""Lists of what a client's character has and of what lies in the containers it opened, told when they change.

The page shows lists, so a list is told whole whenever it changed. Taking a thing from the ground into a bag
changes several of them in one turn, and each change asks for each; so what a client was told last of every
list is kept with its session, and a message that would say the same again is left out when it is bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.web.packets.things import Belonging, Belongings, Content

if TYPE_CHECKING:
    from collections.abc import Iterable

    from protocol.web.looks import WebLooks
    from protocol.web.packets.base import Message
    from protocol.web.session import WebSession
    from world.content import ItemTemplate
    from world.item import Item
    from world.mobile import Mobile

MOST_OPEN: Final = 32
"""Containers that one client has open; the one that it opened first is closed beyond that."""


class Renewed:
    """A message about one's own character, for a client that was told another of its kind last."""

    __slots__ = ("_kind", "_raw")
    droppable = False

    def __init__(self, message: Message) -> None:
        self._kind, self._raw = message.tag, message.encode()

    def bind(self, session: WebSession) -> bytes:
        """The message; nothing if it was the last of its kind."""
        told = session.told
        if told.get(self._kind) == self._raw:
            return b""
        told[self._kind] = self._raw
        return self._raw


class Inside:
    """`Content` of a container, for a client that has it open and was told other things last."""

    __slots__ = ("_raw", "_serial")
    droppable = False

    def __init__(self, serial: int, raw: bytes) -> None:
        self._serial = serial
        self._raw = raw

    def bind(self, session: WebSession) -> bytes:
        """The message; nothing if it need not be told."""
        opened = session.opened
        if opened.get(self._serial, self._raw) == self._raw:
            return b""
        opened[self._serial] = self._raw
        return self._raw


class Possessions:
    """Makes the lists from looks. Reads the world only."""

    def __init__(self, looks: WebLooks) -> None:
        self._looks = looks
        self._turn = -1
        """The turn in which these were made."""
        self._owned: dict[int, Renewed] = {}
        """By serial of whose they are. A turn that changed many things of one character asks for each."""

    def owned(self, mobile: Mobile) -> Renewed:
        """Things that somebody has when the turn ends."""
        turn = mobile.world.tick
        if turn != self._turn:
            self._turn = turn
            self._owned.clear()
        owned = self._owned.get(mobile.serial)
        if owned is None:
            owned = self._owned[mobile.serial] = Renewed(self.belongings(mobile))
        return owned

    def inside(self, container: Item) -> Inside:
        """Content of a container, for those who have it open."""
        return Inside(container.serial, self.content(container).encode())

    def belongings(self, mobile: Mobile) -> Belongings:
        """Things that it wears, the outermost last, and what is in its pack. What is in bags there is told
        when they are opened; what it holds in its hand counts as in its pack."""
        pack, held = mobile.backpack, mobile.held
        worn = [item for _, item in sorted(mobile.worn.items()) if item is not pack]
        carried = [] if pack is None else list(pack.contents.values())
        if held is not None:
            carried.append(held)
        return Belongings((*self.listed(worn, worn=True), *self.listed(carried)))

    def content(self, container: Item) -> Content:
        """Content of a container."""
        return Content(container.serial, container.label, self.listed(container.contents.values()))

    def listed(self, items: Iterable[Item], *, worn: bool = False) -> tuple[Belonging, ...]:
        """Rows of a list."""
        return tuple(
            Belonging(
                id=item.serial,
                name=item.label,
                look=self._looks.item(item),
                amount=item.amount,
                worn=worn,
                container=item.template.container,
                wearable=bool(item.template.layer),
                purpose=purpose(item.template),
                kind=item.template.key,
            )
            for item in items
        )


def purpose(kind: ItemTemplate) -> str:
    """Use of a kind of item, as `Belonging.purpose` names it."""
    remedy = kind.remedy
    if remedy is None:
        return "light" if kind.light else ""
    if remedy.dressing:
        return "dress"
    if remedy.venom:
        return "poison"
    if remedy.how == "eat":
        return "eat"
    return "heal" if remedy.hits else "cure" if remedy.cures else "refresh"


def open_for(session: WebSession, container: Item) -> None:
    """Note that a client has a container open, of which it has not been told yet."""
    opened = session.opened
    opened.pop(container.serial, None)
    while len(opened) >= MOST_OPEN:
        del opened[next(iter(opened))]
    opened[container.serial] = b""


def forget(session: WebSession, item: Item) -> bool:
    """Note that a client closes a container that goes out of its sight, and what was opened in it. Returns
    whether it had the container itself open: of one that it never saw, as of the corpse into which a bag
    goes that it had open, it has nothing to close."""
    opened = session.opened
    if not opened:
        return False
    knew = opened.pop(item.serial, None) is not None
    for inner in item.contents.values():
        forget(session, inner)
    return knew
