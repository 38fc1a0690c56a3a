"""Fields of the server's lines to the web client's page, and what is made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

JSON = dict[str, object]

LOOK: Final = {
    "figure": "",
    "female": False,
    **dict.fromkeys(("skin", "hair", "top", "legs", "feet", "head", "colour", "held", "held_colour"), ""),
}
"""What a look has, and what it is when it is left out."""


@attrs.define(eq=False)
class Shown:
    """A thing on the map."""

    id: int
    kind: str
    name: str
    x: int
    y: int
    look: Mapping[str, object]
    heading: int
    title: str
    game: str
    hits: int
    notoriety: int
    dead: bool
    sitting: bool
    resident: bool
    level: int
    amount: int
    container: bool
    fights: bool
    corpse: bool
    fixed: bool
    poisoned: bool


@attrs.frozen
class Thing:
    """Something that somebody has, or that is in a container."""

    id: int
    name: str
    look: Mapping[str, object]
    amount: int
    worn: bool
    container: bool
    wearable: bool
    purpose: str = ""
    kind: str = ""


@attrs.frozen
class Blow:
    """A blow that was seen."""

    attacker: int
    target: int
    outcome: str
    damage: int
    hits: int
    ms: int


@attrs.frozen
class Way:
    """A way from a tile to another one."""

    start: tuple[int, int]
    goal: tuple[int, int]
    headings: Sequence[int]
    leads: bool


@attrs.define
class Blank:
    """What is to be filled in: the labels of options by their numbers, and the figures that are drawn."""

    key: str
    prompt: str
    kind: str
    options: Mapping[int, str]
    pictures: Mapping[int, str]
    prices: Mapping[int, int]


@attrs.define
class Question:
    """A dialog that is open."""

    title: str
    text: str
    buttons: Mapping[int, str]
    asker: int
    more: Sequence[str] = ()
    inputs: Sequence[Blank] = ()


class Wrong(Exception):
    """A message is not as it has to be."""


class Fields:
    """The fields of one message, each of which has to be asked for."""

    def __init__(self, message: Mapping[str, object]) -> None:
        self._left = dict(message)

    def number(self, name: str, default: int | None = None) -> int:
        """A whole number."""
        value = self._take(name, default)
        if type(value) is not int:
            raise Wrong(f"{name} is {value!r}")
        return value

    def text(self, name: str, default: str | None = None) -> str:
        """A text."""
        value = self._take(name, default)
        if not isinstance(value, str):
            raise Wrong(f"{name} is {value!r}")
        return value

    def flag(self, name: str, default: bool | None = None) -> bool:
        """True or false."""
        value = self._take(name, default)
        if not isinstance(value, bool):
            raise Wrong(f"{name} is {value!r}")
        return value

    def real(self, name: str, default: float | None = None) -> float:
        """A number."""
        value = self._take(name, default)
        if type(value) not in (int, float):
            raise Wrong(f"{name} is {value!r}")
        return float(str(value))

    def objects(self, name: str, *, optional: bool = False) -> list[Fields]:
        """A list of objects; none if it is `optional` and left out."""
        value = self._left.pop(name, []) if optional else self._take(name, None)
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise Wrong(f"{name} is {value!r}")
        return [Fields(one) for one in value]

    def one_object(self, name: str) -> Fields:
        """One object."""
        value = self._take(name, None)
        if not isinstance(value, dict):
            raise Wrong(f"{name} is {value!r}")
        return Fields(value)

    def numbers(self, name: str) -> list[int]:
        """A list of whole numbers."""
        value = self._take(name, None)
        if not isinstance(value, list) or not all(type(one) is int for one in value):
            raise Wrong(f"{name} is {value!r}")
        return value

    def texts(self, name: str) -> list[str]:
        """A list of texts; none if it is left out."""
        value = self._left.pop(name, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise Wrong(f"{name} is {value!r}")
        return value

    def look(self, name: str = "look") -> Mapping[str, object]:
        """How something is drawn."""
        value = self._take(name, None)
        if not isinstance(value, dict) or "figure" not in value or value.keys() - LOOK.keys():
            raise Wrong(f"{name} is {value!r}")
        if any(type(value[key]) is not type(LOOK[key]) for key in value):
            raise Wrong(f"{name} is {value!r}")
        return {**LOOK, **value}

    def has(self, name: str) -> bool:
        """Whether it is there, and not null."""
        return self._left.get(name) is not None

    def rest(self) -> None:
        """There must be none that nobody asked for."""
        if self._left:
            raise Wrong(f"unknown: {', '.join(self._left)}")

    def _take(self, name: str, default: object) -> object:
        if name in self._left:
            return self._left.pop(name)
        if default is None:
            raise Wrong(f"{name} is missing")
        return default


def things_of(fields: Fields) -> dict[int, Thing]:
    """A list of things, by id."""
    found: dict[int, Thing] = {}
    for told in fields.objects("things"):
        thing = Thing(
            id=told.number("id"),
            name=told.text("name"),
            look=told.look(),
            amount=told.number("amount", 1),
            worn=told.flag("worn", False),
            container=told.flag("container", False),
            wearable=told.flag("wearable", False),
            purpose=told.text("purpose", ""),
            kind=told.text("kind", ""),
        )
        told.rest()
        if thing.id in found:
            raise Wrong("one thing twice")
        found[thing.id] = thing
    return found
