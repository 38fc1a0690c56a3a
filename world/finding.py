"""Finding things by the names that players type for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from world.item import Item
from world.mobile import Mobile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from world.content import ItemTemplate
    from world.thing import Thing

T = TypeVar("T", bound="Thing")


def called(thing: Thing) -> str:
    """Name of a thing for players; empty for one without."""
    if isinstance(thing, Mobile):
        return thing.name
    return thing.label if isinstance(thing, Item) else ""


def all_called(text: str, things: Iterable[T]) -> list[T]:
    """All of the things whose name, or whose kind's key, is exactly the text; letter case does not matter."""
    wanted = text.casefold().strip()
    return [thing for thing in things if wanted in (*_names(thing), _kind(thing))]


def by_name(text: str, things: Iterable[T]) -> T | None:
    """The first of the things whose name or kind's key is the text; else the first whose name begins with it;
    else the first whose name contains it. None for no text."""
    wanted = text.casefold().strip()
    if not wanted:
        return None
    named = [(_names(thing), thing) for thing in things]
    exact = next((thing for names, thing in named if wanted in (*names, _kind(thing))), None)
    if exact is not None:
        return exact
    for fits in (str.startswith, str.__contains__):
        for names, thing in named:
            if any(fits(name, wanted) for name in names):
                return thing
    return None


def kind_by_name(text: str, kinds: Iterable[ItemTemplate]) -> ItemTemplate | None:
    """The first kind of item whose key or name is the text, or which several are called; else the first whose
    name begins with it. None if there is none."""
    wanted, known = text.casefold().strip(), list(kinds)
    exact = (kind for kind in known if wanted in (kind.key, kind.name.casefold(), kind.plural.casefold()))
    begun = (kind for kind in known if wanted and kind.name.casefold().startswith(wanted))
    return next(exact, None) or next(begun, None)


def name_and_amount(text: str) -> tuple[str, int]:
    """Split typed text into a name and an amount: the number behind the name, else 1."""
    name, _, last = text.rpartition(" ")
    if name and last.isascii() and last.isdecimal():
        return name, int(last[:9])
    return text, 1


def _names(thing: Thing) -> tuple[str, ...]:
    """What it is called, of characters the short name, too, and what several are called."""
    name = called(thing).casefold()
    if isinstance(thing, Item) and thing.template.plural and not thing.name:
        return name, thing.template.plural.casefold()
    short = thing.short_name.casefold() if isinstance(thing, Mobile) else ""
    return (name, short) if short and short != name else (name,)


def _kind(thing: Thing) -> str:
    """The key of its template: of items and of residents, for all characters have the same."""
    if isinstance(thing, Item) or (isinstance(thing, Mobile) and not thing.is_character):
        return thing.template.key.casefold()
    return ""
