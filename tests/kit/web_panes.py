"""What the web client's page shows beside its map: counters, trades, the journal; and marks over heads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from tests.kit.web_fields import Fields, Thing, Wrong, things_of

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence


@attrs.frozen
class Row:
    """A ware, for so much each; `left` is -1 of what never ends."""

    name: str
    look: Mapping[str, object]
    price: int
    left: int


@attrs.define
class Counter:
    """A merchant's or a banker's. Without a service there is none."""

    service: str = ""
    host: int = 0
    name: str = ""
    sells: Mapping[str, Row] = attrs.Factory(dict)
    buys: Mapping[str, Row] = attrs.Factory(dict)
    gold: int = 0
    things: Mapping[int, Thing] = attrs.Factory(dict)


@attrs.frozen
class Task:
    """A quest in the journal."""

    key: str
    name: str
    line: str
    open: bool
    count: int
    amount: int
    times: int
    place: tuple[str, int, int]


@attrs.frozen
class Good:
    """Something that is offered."""

    id: int
    name: str
    look: Mapping[str, object]
    amount: int
    inside: Sequence[str]


@attrs.frozen
class Side:
    """What one of both offers."""

    goods: Mapping[int, Good]
    gold: int
    agreed: bool


@attrs.frozen
class Bargain:
    """A trade with another player."""

    id: int
    name: str
    game: str
    own: Side
    theirs: Side
    line: str
    changes: int


@attrs.define
class Member:
    """One of a party."""

    id: int
    name: str
    game: str
    level: int
    hits: tuple[int, int]
    mana: tuple[int, int]
    stam: tuple[int, int]
    dead: bool
    place: tuple[str, str, int, int]
    """Name and title of the realm, and the tile."""
    online: bool


@attrs.define
class Panes:
    """All of them, and the messages that change them."""

    counter: Counter = attrs.Factory(Counter)
    """The one that is open."""
    tasks: dict[str, Task] = attrs.Factory(dict)
    """Quests, by key."""
    journals: int = 0
    """How often the journal was opened."""
    bargain: Bargain | None = None
    """The trade that goes on."""
    bargains: list[tuple[int, bool]] = attrs.Factory(list)
    """Those that are over: with whom, and whether they came to something."""
    party: dict[int, Member] = attrs.Factory(dict)
    """Members, the leader first."""
    loot: str = ""
    stirred: int = 0
    """How often a member's bars or place changed."""
    marks: dict[int, str] = attrs.Factory(dict)
    """Of residents that had one."""

    def shop(self, fields: Fields) -> None:
        """`shop`."""
        found = self._come_to("shop", fields)
        found.sells, found.buys = (
            {row.text("item"): _row(row) for row in fields.objects(name)} for name in ("sells", "buys")
        )

    def bank(self, fields: Fields) -> None:
        """`bank`."""
        found = self._come_to("vault", fields)
        found.gold, found.things = fields.number("gold"), things_of(fields)

    def _come_to(self, service: str, fields: Fields) -> Counter:
        """The counter that a message is about. One that is shown anew and stands not open stays closed."""
        found = Counter(service, fields.number("host"), fields.text("name"))
        is_open = (self.counter.service, self.counter.host) == (service, found.host)
        anew = fields.flag("anew", False)
        if is_open or not anew:
            self.counter = found
        return found

    def counter_closed(self, fields: Fields) -> None:
        """`counter_closed`."""
        if fields.number("host") == self.counter.host:
            self.counter = Counter()

    def bargained(self, fields: Fields) -> str:
        """`bargain`; the line that the panel reads out."""
        before = self.bargain
        self.bargain = Bargain(
            fields.number("id"),
            fields.text("name"),
            fields.text("game"),
            _side(fields.one_object("own")),
            _side(fields.one_object("theirs")),
            fields.text("line"),
            fields.number("changes", 0),
        )
        if before is not None and (before.id != self.bargain.id or before.changes > self.bargain.changes):
            raise Wrong("another trade goes on")
        return self.bargain.line

    def bargain_over(self, fields: Fields) -> None:
        """`bargain_over`."""
        self.bargains.append((fields.number("id"), fields.flag("done", False)))
        if self.bargain is not None and self.bargain.id != self.bargains[-1][0]:
            raise Wrong("that trade does not go on")
        self.bargain = None

    def company(self, fields: Fields) -> None:
        """`party`."""
        self.party = {member.id: member for member in map(_member, fields.objects("members", optional=True))}
        self.loot = fields.text("loot", "finder") if self.party else ""

    def member(self, fields: Fields) -> None:
        """`member`."""
        member = self.party.get(fields.number("id"))
        if member is None:
            raise Wrong("nobody of its party")
        self.stirred += 1
        for name in ("hits", "mana", "stam"):
            if fields.has(name):
                setattr(member, name, (fields.number(name), fields.number(f"{name}_max")))
        if fields.has("level"):
            member.level = fields.number("level")
        if fields.has("dead"):
            member.dead = fields.flag("dead")
        if fields.has("game"):
            member.game = fields.text("game")
        if fields.has("realm"):
            member.place = _place(fields)

    def journal(self, fields: Fields) -> None:
        """`journal`."""
        self.tasks = {task.key: task for task in map(_task, fields.objects("quests"))}
        self.journals += fields.flag("shown", True)

    def quest(self, fields: Fields) -> None:
        """`quest`."""
        what, task = fields.text("what"), _task(fields.one_object("task"))
        gained = fields.text("gained", "")
        if task.open != (what in ("begun", "advanced", "step")) or (gained and task.open):
            raise Wrong(f"{what}, and open is {task.open}")
        self.tasks[task.key] = task

    def marked(self, fields: Fields, seen: Container[int]) -> None:
        """`marks`."""
        for mark in fields.objects("marks"):
            number, kind = mark.number("id"), mark.text("mark", "")
            if number not in seen or kind not in ("", "offers", "awaits"):
                raise Wrong("no mark of somebody in sight")
            self.marks[number] = kind
            mark.rest()


def _row(fields: Fields) -> Row:
    row = Row(fields.text("name"), fields.look(), fields.number("price"), fields.number("left", -1))
    fields.rest()
    return row


def _side(fields: Fields) -> Side:
    goods: dict[int, Good] = {}
    for told in fields.objects("things", optional=True):
        good = Good(
            told.number("id"), told.text("name"), told.look(), told.number("amount", 1), told.texts("inside")
        )
        told.rest()
        if good.id in goods:
            raise Wrong("one thing twice")
        goods[good.id] = good
    side = Side(goods, fields.number("gold", 0), fields.flag("agreed", False))
    fields.rest()
    return side


def _member(fields: Fields) -> Member:
    member = Member(
        fields.number("id"),
        fields.text("name"),
        fields.text("game", ""),
        fields.number("level", 0),
        (fields.number("hits", 0), fields.number("hits_max", 0)),
        (fields.number("mana", 0), fields.number("mana_max", 0)),
        (fields.number("stam", 0), fields.number("stam_max", 0)),
        fields.flag("dead", False),
        _place(fields),
        fields.flag("online", True),
    )
    fields.rest()
    return member


def _place(fields: Fields) -> tuple[str, str, int, int]:
    return fields.text("realm", ""), fields.text("title", ""), fields.number("x", 0), fields.number("y", 0)


def _task(fields: Fields) -> Task:
    task = Task(
        fields.text("key"),
        fields.text("name"),
        fields.text("line"),
        fields.flag("open", True),
        fields.number("count", 0),
        fields.number("amount", 0),
        fields.number("times", 0),
        (fields.text("realm", ""), fields.number("x", 0), fields.number("y", 0)),
    )
    fields.rest()
    return task
