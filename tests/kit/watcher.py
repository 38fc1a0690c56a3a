"""Somebody who watches the live map: a model built from its lines alone, with a reader of its own.

It believes what it reads and is strict: what was not shown cannot move, change, speak or go.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from world.mobile import Posture

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.web.looks import WebLooks
    from server.people.privacy import Privacy
    from world.item import Item
    from world.mobile import Mobile
    from world.realm import Realm
    from world.world import World

Thing = dict[str, object]

DEFAULTS: Mapping[str, object] = {
    "heading": 4,
    "title": "",
    "game": "",
    "hits": 100,
    "notoriety": 1,
    "dead": False,
    "sitting": False,
    "resident": False,
    "level": 0,
    "amount": 1,
}


class Watcher:
    """What a browser would show."""

    def __init__(self) -> None:
        self.realm = ""
        self.things: dict[int, Thing] = {}
        self.counts: Thing = {}
        self.time: Thing = {}
        self.events: list[Thing] = []
        self.acts: list[Thing] = []
        self.snapshots = 0
        self.names: list[list[str]] = []
        """The names of the lines of every message."""
        self.raw = ""

    def read(self, message: str) -> None:
        """One message of the server."""
        self.raw += message
        assert message.endswith("\n")
        lines = [cast("Thing", json.loads(line)) for line in message.removesuffix("\n").split("\n")]
        self.names.append([str(line["t"]) for line in lines])
        for line in lines:
            self._take(str(line.pop("t")), line)

    def _take(self, name: str, line: Thing) -> None:
        serial = cast("int", line.get("id", 0))
        match name:
            case "realm":
                self.snapshots += 1
                self.realm = str(line["name"])
                self.things.clear()
                self.events.clear()
            case "show":
                self.things[serial] = {**DEFAULTS, **line}
            case "hide":
                assert line["why"] in ("left", "warped", "hidden")
                del self.things[serial]
            case "change":
                assert len(line) > 1
                self.things[serial].update(line)
            case "moves":
                for moved, x, y, heading in cast("list[list[int]]", line["moves"]):
                    self.things[moved].update(x=x, y=y, heading=heading)
            case "say" | "gestured" | "struck" | "died" | "revived":
                assert serial in self.things
                self.acts.append({"t": name, **line})
            case "event":
                self.events.append(line)
            case "counts":
                self.counts = line
            case "time":
                self.time = line
            case _:
                raise AssertionError(name)


def seen_in(world: World, realm: Realm, looks: WebLooks, privacy: Privacy) -> dict[int, Thing]:
    """What somebody who watches a realm ought to believe, from the world itself."""
    things: dict[int, Thing] = {}
    for mobile in world.mobiles.values():
        if mobile.realm is realm and not mobile.hidden and not privacy.is_off(mobile.serial):
            things[mobile.serial] = _mobile(mobile, looks)
    for item in world.items.values():
        if item.realm is realm and not (item.remains is not None and item.remains.owner):
            things[item.serial] = _item(item, looks)
    return things


def _mobile(mobile: Mobile, looks: WebLooks) -> Thing:
    return {
        **DEFAULTS,
        **_place(mobile),
        "kind": "mobile",
        "name": mobile.name,
        "look": _plain(looks.mobile(mobile)),
        "heading": mobile.heading,
        "title": mobile.title,
        "game": mobile.game,
        "hits": max(1, mobile.hits * 100 // mobile.hits_max) if mobile.hits > 0 else 0,
        "notoriety": mobile.notoriety,
        "dead": mobile.dead,
        "sitting": mobile.posture != Posture.STANDING,
        "resident": mobile.account == 0 and not mobile.template.creature,
        **_kind_of(mobile),
    }


def _kind_of(mobile: Mobile) -> Thing:
    fights = mobile.template.fights
    return {"level": mobile.level} if fights is None else {"level": fights.level, "fights": True}


def _item(item: Item, looks: WebLooks) -> Thing:
    return {
        **DEFAULTS,
        **_place(item),
        "kind": "item",
        "name": item.label,
        "look": _plain(looks.item(item)),
        "amount": item.amount,
        **({"container": True} if item.template.container else {}),
        **({"corpse": True} if item.remains is not None else {}),
        **({"fixed": True} if not item.template.movable else {}),
    }


def _place(thing: Mobile | Item) -> Thing:
    return {"id": thing.serial, "x": thing.x, "y": thing.y}


def _plain(look: object) -> Thing:
    """An `Appearance` as JSON has it: what is empty is left out."""
    clothes = ("top", "legs", "feet", "head", "held", "held_colour")
    fields = ("figure", "female", "skin", "hair", *clothes, "colour")
    return {name: value for name in fields if (value := getattr(look, name))}
