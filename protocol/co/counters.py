"""Counters as this game's client can show them.

Its own window of a shop lists what the client's files say, at the client's prices (facts/co-play.md, section
6), so that a merchant's wares are a window of the kind that residents talk in: a line for each ware, which
ends with its price, as many as are seen at once, and a box for how many. The bank is the client's window of a
warehouse, with the silver beside it.

    ShopOpened, Traded  ->  MenuWindow: WARES, GOODS, BUY or SELL, whatever its player asked for last
    VaultOpened         ->  Action DIALOG, PackageList, ItemAction QUERY_MONEY

The world shows a counter in one way, whether the player just came, chose an answer, or a price has changed.
So the handler of an answer notes what is to be shown (`Menu.page`) and has the world show it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from protocol.co.dialogs import MenuWindow
from protocol.co.packets import (
    Action,
    ActionType,
    ColouredItem,
    ItemAction,
    ItemActionType,
    PackageList,
    StoredItem,
)
from protocol.co.places import NOWHERE
from protocol.co.session import Leads, Menu, Way
from world import holding, safes, shops
from world.containers import counted, within
from world.events import ShopOpened
from world.wording import amount_of, coins

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.co.figures import Figures
    from protocol.co.packets import Message
    from protocol.co.session import CoSession
    from protocol.co.versions import CoVersion
    from world.events import Traded
    from world.item import Item
    from world.mobile import Mobile
    from world.offers import Priced

    Answers = list[tuple[str, Way]]

ROWS: Final = 5
"""Rows of a list: with the answers to go on, to the other list and to close, the eight that a window shows
at once (facts/co-play.md, section 10)."""

WAREHOUSE: Final = 4
"""The window of a warehouse, in an Action DIALOG."""

WAREHOUSE_SIZE: Final = 40
"""Things of one warehouse that clients are told of: those of public servers hold no more (facts/co.md,
1102)."""

MORE: Final = "What else is there?"
NOTHING: Final = "Nothing, thank you."
NEVER_MIND: Final = "Never mind."

FIRST_PAGE: Final = Way(Leads.WARES)


# Shops


class ShopWindow:
    """A merchant's lists, and questions how many. That something has changed hands is shown only to who has
    that window."""

    __slots__ = ("_catalogue", "_figures", "_host", "_mobile", "_opens", "_version")
    droppable = False

    def __init__(self, version: CoVersion, figures: Figures, event: ShopOpened | Traded) -> None:
        self._version = version
        self._figures = figures
        self._mobile = event.thing
        self._host = event.host
        self._opens = isinstance(event, ShopOpened)
        self._catalogue = shops.catalogue(event.host)

    def bind(self, session: CoSession) -> bytes:
        """The packets. Notes what its player may choose now."""
        menu = session.menu
        has = menu is not None and menu.host is self._host
        if not has and not self._opens:
            return b""
        page = menu.page if menu is not None and has else FIRST_PAGE
        return self._window(page).bind(session)

    def _window(self, page: Way) -> MenuWindow:
        row = None
        if page.leads is Leads.BUY:
            row = next((row for row in self._catalogue.sells if row.item == page.what), None)
        if row is not None:
            most = shops.MOST if row.left is None else row.left
            return self._how_many(page, amount_of(self._mobile.world, page.what, 1), most, "")
        if page.leads is Leads.SELL:
            item = self._mobile.world.items.get(page.serial)
            if item is not None and item.root is self._mobile:
                return self._how_many(page, amount_of(self._mobile.world, page.what, 1), item.amount, "All.")
        if page.leads in (Leads.SELL, Leads.GOODS):
            return self._goods(attrs.evolve(page, leads=Leads.GOODS))
        return self._wares(attrs.evolve(page, leads=Leads.WARES))

    def _wares(self, page: Way) -> MenuWindow:
        rows = self._catalogue.kept("co rows", self._labelled)
        first = page.first if page.first < len(rows) else 0
        page = attrs.evolve(page, first=first)
        answers: Answers = []
        for label, row in rows[first : first + ROWS]:
            only = 1 if row.left == 1 else 0
            answers.append((label, Way(Leads.BUY, row.item, first=first, amount=only, price=row.price)))
        says = f"What can I do for you, {self._mobile.name}?" if rows else "I have nothing left to sell."
        answers += _more(len(rows), page)
        if self._catalogue.buys:
            answers.append(("I have something to sell.", Way(Leads.GOODS)))
        return self._list(f"{says} You have {self._purse()}.", answers, page)

    def _labelled(self) -> Sequence[tuple[str, Priced]]:
        """The wares that are there, with their lines: the same for all who come."""
        world = self._mobile.world
        found = []
        for row in self._catalogue.sells:
            if row.left != 0:
                left = "" if row.left is None else f" ({row.left} left)"
                name = world.content.items[row.item].name
                found.append((f"{name}{left}: {coins(world, row.price)}", row))
        return found

    def _goods(self, page: Way) -> MenuWindow:
        world = self._mobile.world
        answers: Answers = []
        for item, price in shops.saleable(self._mobile, self._catalogue):
            label = f"{counted(item)}: {coins(world, price)}"
            if item.amount > 1:
                label = f"{counted(item)}, for each: {coins(world, price)}"
            only = 1 if item.amount == 1 else 0
            way = Way(Leads.SELL, item.template.key, item.serial, page.first, only, price)
            answers.append((label, way))
        says = "What do you have?" if answers else "You have nothing that I buy."
        shown, page = _shown(answers, page)
        shown.append(("Show me your wares.", FIRST_PAGE))
        return self._list(f"{says} You have {self._purse()}.", shown, page)

    def _list(self, says: str, answers: Answers, page: Way) -> MenuWindow:
        answers.append((NOTHING, Way(Leads.LEAVE)))
        return self._made(says, answers, Menu(self._host, page))

    def _how_many(self, page: Way, one: str, most: int, all_of_it: str) -> MenuWindow:
        world = self._mobile.world
        back = attrs.evolve(page, leads=Leads.WARES if page.leads is Leads.BUY else Leads.GOODS)
        answers: Answers = [(all_of_it, attrs.evolve(page, amount=most))] if all_of_it else []
        answers += [("Just one.", attrs.evolve(page, amount=1)), (NEVER_MIND, back)]
        says = f"How many, up to {most}? {one} for {coins(world, page.price)}."
        return self._made(says, answers, Menu(self._host, back, box=page, most=most))

    def _made(self, says: str, answers: Answers, menu: Menu) -> MenuWindow:
        face = self._figures.portrait(self._host)
        return MenuWindow(self._version, f"{self._host.name}: {says}", answers, menu, face)

    def _purse(self) -> str:
        return coins(self._mobile.world, holding.gold(self._mobile))


def _shown(answers: Answers, page: Way) -> tuple[Answers, Way]:
    """The rows of a page, with the answer to go on if there are more; where it would be empty, those of the
    first one."""
    first = page.first if page.first < len(answers) else 0
    page = attrs.evolve(page, first=first)
    return answers[first : first + ROWS] + _more(len(answers), page), page


def _more(count: int, page: Way) -> Answers:
    """The answer to go on behind a page of a list of so many rows, behind the last one to the first; none, if
    one page is all."""
    behind = page.first + ROWS
    return [(MORE, attrs.evolve(page, first=behind if behind < count else 0))] if count > ROWS else []


# The bank


def withdrawable(mobile: Mobile) -> list[Item]:
    """Everything in a mobile's vault, to any depth, but for its gold: what is in bags lies beside them, since
    this game has none."""
    if mobile.vault is None:
        return []
    gold = safes.gold_stack(mobile)
    return [item for item in within(mobile.vault) if item is not gold]


def warehouse(figures: Figures, mobile: Mobile, host: Mobile) -> Sequence[Message]:
    """Things in a mobile's vault, as far as its client has room for them, and how much gold lies there."""
    number = figures.ids.of(host)
    items = withdrawable(mobile)[:WAREHOUSE_SIZE]
    kinds = [(figures.ids.of(item), figures.looks.items[item.template.key].item) for item in items]
    return (
        PackageList(
            npc=number,
            items=tuple(StoredItem(*kind) for kind in kinds),
            coloured=tuple(ColouredItem(*kind) for kind in kinds),
        ),
        ItemAction(number, safes.gold(mobile), ItemActionType.QUERY_MONEY),
    )


def opened(figures: Figures, mobile: Mobile) -> Message:
    """Open the client's window of a warehouse."""
    place = figures.places.of(mobile) or NOWHERE
    return Action.of(ActionType.DIALOG, figures.ids.of(mobile), data=WAREHOUSE, x=place.x, y=place.y)
