"""What the web client's page shows, read from the server's lines by their public description
(`causeway packets web`).

It is strict where a page would be wrong: a message about somebody it was never shown, a step that leads
further than one tile, a field that is missing, unknown or of another kind is a fault (`faults`).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from tests.kit.web_fields import Blank, Blow, Fields, Question, Shown, Thing, Way, Wrong, things_of
from tests.kit.web_panes import Panes
from tests.kit.web_society import READERS, Society

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Screen:
    """See the module."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.counts = Counter[str]()
        """Messages, by name."""
        self.server = ""
        self.account = ""
        self.limit = 0
        self.gestures: list[str] = []
        """Those that there are."""
        self.characters: dict[int, str] = {}
        """Names by id, in their order."""
        self.listed = 0
        """How often the list of them came."""
        self.denied: list[tuple[str, str]] = []
        """What was refused, and why."""
        self.said: list[tuple[int, str, str, str]] = []
        """Speaker, name, how, words."""
        self.gestured: list[tuple[int, str]] = []
        self.died: list[int] = []
        self.risen: list[int] = []
        self.blows: list[Blow] = []
        self.levels: list[tuple[int, int]] = []
        """Who reached which level."""
        self.mended: list[tuple[int, int]] = []
        self.gained: list[tuple[int, int]] = []
        """Experience, and of whom it came."""
        self.practised: list[tuple[str, int]] = []
        self.corpses: dict[int, int] = {}
        """What is left of the dead, by who they were."""
        self.seen: list[tuple[int, str, list[str]]] = []
        self.pongs: list[int] = []
        self.goodbye = ""
        self.forget_world()

    def forget_world(self) -> None:
        """It is out of the world, or not in it yet."""
        self.me = 0
        """Its own character; 0: it is not in the world."""
        self.name = ""
        self.sight = 0
        self.access = 0
        self.realm = ""
        self.x = self.y = self.heading = 0
        """Where it stands, by what its steps were answered."""
        self.answered: list[int] = []
        """Numbers of its steps that were taken."""
        self.refused: list[int] = []
        """And of those that were not."""
        self.turned_after: int | None = None
        """Number of the step behind which it turned by itself, while that step's answer is on its way. As the
        page does, it keeps the heading that it turned to."""
        self.ways: list[Way] = []
        """Those that it asked for."""
        self.put = 0
        """How often it was put elsewhere."""
        self.things: dict[int, Shown] = {}
        """Everything it was shown, itself too."""
        self.owned: dict[int, Thing] = {}
        """What it wears and has in its pack."""
        self.inside: dict[int, dict[int, Thing]] = {}
        """What is in containers that were opened."""
        self.questions: dict[int, Question] = {}
        self.panes = Panes()
        self.society = Society()
        self.sheet: dict[str, int] = {}
        self.drawn = self.poisoned = False
        """Whether its weapon is drawn, and whether poison takes its hits."""
        self.skills: dict[str, int] = {}
        self.locks: dict[str, int] = {}
        """Of skills that may not rise."""
        """In tenths."""
        self.enemies: dict[int, int] = {}
        """Whom those fight who fight."""
        self.time: tuple[int, int] | None = None
        self.weather = "clear"

    def forgets(self) -> None:
        """What was said and done is gone from memory; what is there stays."""
        for kept in (self.said, self.gestured, self.died, self.risen, self.seen, self.pongs, self.denied):
            kept.clear()
        for told in (self.blows, self.levels, self.mended, self.gained, self.practised):
            told.clear()
        self.corpses.clear()
        self.answered.clear()
        self.refused.clear()
        self.ways.clear()

    def lines(self) -> list[str]:
        """All that was said, by anybody."""
        return [words for _, _, _, words in self.said]

    def notices(self) -> list[str]:
        """What the server said, and not somebody."""
        return [words for speaker, _, _, words in self.said if not speaker]

    def others(self, kind: str) -> dict[int, Shown]:
        """All but itself."""
        return {n: shown for n, shown in self.things.items() if shown.kind == kind and n != self.me}

    # What comes

    def show(self, message: Mapping[str, object]) -> None:
        """One message."""
        fields = Fields(message)
        try:
            name = fields.text("t")
            self.counts[name] += 1
            if name in READERS:
                READERS[name](self.society, fields)
            elif name in _READERS:
                _READERS[name](self, fields)
            else:
                raise Wrong("there is no such message")
            fields.rest()
        except Wrong as error:
            self.faults.append(f"{str(message)[:300]}: {error}")

    def _welcome(self, fields: Fields) -> None:
        self.server = fields.text("server")
        if fields.number("version", 1) != 1:
            raise Wrong("another version")

    def _denied(self, fields: Fields) -> None:
        why, words = fields.text("why"), fields.text("text")
        self.denied.append((fields.text("to", ""), why))
        if not words:
            raise Wrong("no word for people")

    def _account(self, fields: Fields) -> None:
        self.account, self.limit = fields.text("account"), fields.number("limit")
        self.gestures = fields.texts("gestures")

    def _characters(self, fields: Fields) -> None:
        self.listed += 1
        self.characters.clear()
        for line in fields.objects("characters"):
            self.characters[line.number("id")] = line.text("name")
            line.number("level")
            line.look()
            line.text("realm", "")
            line.rest()
        if self.me:
            raise Wrong("it is in the world")

    def _entered(self, fields: Fields) -> None:
        self.forget_world()
        self.me, self.name = fields.number("id"), fields.text("name")
        self.sight = fields.number("sight")
        fields.number("walk_ms")
        fields.number("run_ms")
        self.access = fields.number("access", 0)

    def _left(self, fields: Fields) -> None:
        self.forget_world()

    def _realm(self, fields: Fields) -> None:
        self.realm = fields.text("name")
        fields.text("title")
        self.things.clear()
        self.inside.clear()
        self.put += 1

    def _show(self, fields: Fields) -> None:
        shown = Shown(
            id=fields.number("id"),
            kind=fields.text("kind"),
            name=fields.text("name"),
            x=fields.number("x"),
            y=fields.number("y"),
            look=fields.look(),
            heading=fields.number("heading", 4),
            title=fields.text("title", ""),
            game=fields.text("game", ""),
            hits=fields.number("hits", 100),
            notoriety=fields.number("notoriety", 1),
            dead=fields.flag("dead", False),
            sitting=fields.flag("sitting", False),
            resident=fields.flag("resident", False),
            level=fields.number("level", 0),
            amount=fields.number("amount", 1),
            container=fields.flag("container", False),
            fights=fields.flag("fights", False),
            corpse=fields.flag("corpse", False),
            fixed=fields.flag("fixed", False),
            poisoned=fields.flag("poisoned", False),
        )
        self.enemies.pop(shown.id, None)
        if enemy := fields.number("enemy", 0):
            self.enemies[shown.id] = enemy
        if shown.kind not in ("mobile", "item"):
            raise Wrong(f"kind is {shown.kind}")
        if not self.realm:
            raise Wrong("no realm yet")
        self.things[shown.id] = shown
        for inside in self.inside.values():
            inside.pop(shown.id, None)
        if shown.id == self.me:
            self.x, self.y, self.heading = shown.x, shown.y, shown.heading

    def _change(self, fields: Fields) -> None:
        shown = self._known(fields)
        for name in ("name", "title", "game"):
            if fields.has(name):
                setattr(shown, name, fields.text(name))
        for name in ("heading", "hits", "notoriety", "level", "amount"):
            if fields.has(name):
                setattr(shown, name, fields.number(name))
        for name in ("dead", "sitting", "poisoned"):
            if fields.has(name):
                setattr(shown, name, fields.flag(name))
        if fields.has("look"):
            shown.look = fields.look()

    def _hide(self, fields: Fields) -> None:
        number = fields.number("id")
        if fields.text("why", "walked") not in ("walked", "warped", "left", "died", "hidden"):
            raise Wrong("why?")
        if number == self.me:
            raise Wrong("that is itself")
        # A bag that it looked into in its own pack was not shown on the map.
        known = self.things.pop(number, None), self.inside.pop(number, None)
        if known == (None, None):
            raise Wrong("it was never shown that")

    def _move(self, fields: Fields) -> None:
        shown = self._known(fields)
        x, y, heading = fields.number("x"), fields.number("y"), fields.number("heading")
        fields.number("ms", 400)
        if not fields.flag("jump", False) and max(abs(x - shown.x), abs(y - shown.y)) > 1:
            raise Wrong(f"it stood at {shown.x}, {shown.y}")
        if shown.id == self.me:
            raise Wrong("that is itself")
        shown.x, shown.y, shown.heading = x, y, heading

    def _place(self, fields: Fields) -> None:
        shown = self._known(fields)
        shown.x, shown.y, shown.heading = fields.number("x"), fields.number("y"), fields.number("heading", 4)
        if shown.id == self.me:
            self.x, self.y, self.heading = shown.x, shown.y, shown.heading
            self.turned_after = None
            self.put += 1

    def _turned(self, fields: Fields) -> None:
        shown = self._known(fields)
        shown.heading = fields.number("heading")
        if fields.flag("crossed", False) and shown.id != self.me:
            raise Wrong("it did not ask for that")
        if shown.id == self.me:
            self.heading, self.turned_after = shown.heading, None

    def _walked(self, fields: Fields) -> None:
        sequence = fields.number("sequence")
        x, y, heading = fields.number("x"), fields.number("y"), fields.number("heading")
        taken = fields.flag("ok", True)
        if taken:
            if max(abs(x - self.x), abs(y - self.y)) > 1:
                raise Wrong(f"it stood at {self.x}, {self.y}")
            self.answered.append(sequence)
        else:
            self.refused.append(sequence)
        if self.turned_after is not None and sequence <= self.turned_after:
            heading = self.heading
        if not taken or sequence >= (self.turned_after or 0):
            self.turned_after = None
        self.x, self.y, self.heading = x, y, heading
        me = self.things.get(self.me)
        if me is not None:
            me.x, me.y, me.heading = x, y, heading

    def _way(self, fields: Fields) -> None:
        start, goal = (fields.number("x"), fields.number("y")), (fields.number("to_x"), fields.number("to_y"))
        way = Way(start, goal, fields.numbers("headings"), fields.flag("ok", True))
        if not all(0 <= heading < 8 for heading in way.headings):
            raise Wrong("where to?")
        self.ways.append(way)

    def _say(self, fields: Fields) -> None:
        self.said.append((fields.number("id"), fields.text("name"), fields.text("how"), fields.text("words")))

    def _gestured(self, fields: Fields) -> None:
        self.gestured.append((self._known(fields).id, fields.text("gesture")))

    def _died(self, fields: Fields) -> None:
        dead = self._known(fields).id
        self.died.append(dead)
        self.corpses[dead] = fields.number("corpse", 0)
        fields.number("by", 0)

    def _revived(self, fields: Fields) -> None:
        self.risen.append(self._known(fields).id)

    def _weather(self, fields: Fields) -> None:
        self.weather = fields.text("kind")
        if self.weather not in ("clear", "rain", "snow", "storm"):
            raise Wrong("no weather")

    def _time(self, fields: Fields) -> None:
        self.time = fields.number("hour"), fields.number("minute")
        if not (0 <= self.time[0] < 24 and 0 <= self.time[1] < 60 and fields.real("pace", 1.0) > 0):
            raise Wrong("no time of day")

    def _sheet(self, fields: Fields) -> None:
        self.sheet = {name: fields.number(name) for name in SHEET}
        self.drawn, self.poisoned = fields.flag("war", False), fields.flag("poisoned", False)
        if self.sheet["level_to"] <= self.sheet["level_from"]:
            raise Wrong("its level has no end")

    def _struck(self, fields: Fields) -> None:
        attacker, target = self._known(fields).id, fields.number("target")
        outcome, damage = fields.text("outcome"), fields.number("damage", 0)
        hits, ms = fields.number("hits", 100), fields.number("ms", 2000)
        self.blows.append(Blow(attacker, target, outcome, damage, hits, ms))
        if fields.text("manner", "fist") not in ("fist", "slash", "pierce", "bash", "shoot", "bite"):
            raise Wrong("how?")
        fields.flag("two_handed", False)
        hit = outcome in ("hit", "critical")
        if outcome not in ("hit", "critical", "missed", "blocked") or (damage and not hit):
            raise Wrong(f"{outcome} for {damage}")

    def _engaged(self, fields: Fields) -> None:
        self.enemies[self._known(fields).id] = fields.number("target")

    def _disengaged(self, fields: Fields) -> None:
        # Who came into sight as the fight ended may have been shown what came of it.
        self.enemies.pop(self._known(fields).id, None)

    def _gained(self, fields: Fields) -> None:
        self.gained.append((fields.number("experience"), fields.number("of", 0)))

    def _advanced(self, fields: Fields) -> None:
        self.levels.append((self._known(fields).id, fields.number("level")))

    def _practised(self, fields: Fields) -> None:
        self.practised.append((fields.text("skill"), fields.number("value")))

    def _mended(self, fields: Fields) -> None:
        self.mended.append((self._known(fields).id, fields.number("hits")))

    def _skills(self, fields: Fields) -> None:
        self.skills.clear()
        self.locks.clear()
        fields.number("cap", 1000)
        for line in fields.objects("skills"):
            name, lock = line.text("name"), line.number("lock", 0)
            self.skills[name] = line.number("value")
            if lock:
                self.locks[name] = lock
            if lock not in (0, 1, 2):
                raise Wrong("how is it locked?")
            line.rest()

    def _belongings(self, fields: Fields) -> None:
        self.owned = things_of(fields)

    def _content(self, fields: Fields) -> None:
        number = fields.number("id")
        fields.text("name")
        self.inside[number] = things_of(fields)

    def _seen(self, fields: Fields) -> None:
        self.seen.append((fields.number("id"), fields.text("name"), fields.texts("lines")))

    def _ask(self, fields: Fields) -> None:
        buttons = {}
        for button in fields.objects("buttons"):
            buttons[button.number("number")] = button.text("label")
            button.rest()
        self.questions[fields.number("serial")] = Question(
            fields.text("title"),
            fields.text("text"),
            buttons,
            fields.number("asker", 0),
            fields.texts("more"),
            [_blank(one) for one in fields.objects("inputs", optional=True)],
        )

    def _close(self, fields: Fields) -> None:
        if self.questions.pop(fields.number("serial"), None) is None:
            raise Wrong("it was not asked that")

    def _bargain(self, fields: Fields) -> None:
        # The panel reads its line out.
        self.said.append((0, "", "system", self.panes.bargained(fields)))

    def _pong(self, fields: Fields) -> None:
        self.pongs.append(fields.number("number", 0))

    def _goodbye(self, fields: Fields) -> None:
        self.goodbye = fields.text("text")

    def _known(self, fields: Fields) -> Shown:
        number = fields.number("id")
        shown = self.things.get(number)
        if shown is None:
            raise Wrong("it was never shown that")
        return shown


SHEET: Final = (
    *("hits", "hits_max", "mana", "mana_max", "stam", "stam_max", "strength", "dexterity", "intelligence"),
    *("vitality", "level", "experience", "level_from", "level_to", "points", "gold", "weight", "weight_max"),
    *("armour", "damage_least", "damage_most", "blow_ms", "reach"),
)

_READERS: Final[dict[str, Callable[[Screen, Fields], None]]] = {
    "welcome": Screen._welcome,
    "denied": Screen._denied,
    "account": Screen._account,
    "characters": Screen._characters,
    "entered": Screen._entered,
    "left": Screen._left,
    "realm": Screen._realm,
    "show": Screen._show,
    "change": Screen._change,
    "hide": Screen._hide,
    "move": Screen._move,
    "place": Screen._place,
    "turned": Screen._turned,
    "walked": Screen._walked,
    "way": Screen._way,
    "say": Screen._say,
    "gestured": Screen._gestured,
    "died": Screen._died,
    "revived": Screen._revived,
    "time": Screen._time,
    "weather": Screen._weather,
    "sheet": Screen._sheet,
    "belongings": Screen._belongings,
    "content": Screen._content,
    "seen": Screen._seen,
    "ask": Screen._ask,
    "close": Screen._close,
    "shop": lambda screen, fields: screen.panes.shop(fields),
    "bank": lambda screen, fields: screen.panes.bank(fields),
    "counter_closed": lambda screen, fields: screen.panes.counter_closed(fields),
    "bargain": Screen._bargain,
    "bargain_over": lambda screen, fields: screen.panes.bargain_over(fields),
    "party": lambda screen, fields: screen.panes.company(fields),
    "member": lambda screen, fields: screen.panes.member(fields),
    "journal": lambda screen, fields: screen.panes.journal(fields),
    "quest": lambda screen, fields: screen.panes.quest(fields),
    "marks": lambda screen, fields: screen.panes.marked(fields, screen.things),
    "pong": Screen._pong,
    "goodbye": Screen._goodbye,
    "struck": Screen._struck,
    "engaged": Screen._engaged,
    "disengaged": Screen._disengaged,
    "gained": Screen._gained,
    "advanced": Screen._advanced,
    "practised": Screen._practised,
    "mended": Screen._mended,
    "skills": Screen._skills,
}


def _blank(fields: Fields) -> Blank:
    labels, pictures, prices = {}, {}, {}
    for option in fields.objects("options", optional=True):
        number = option.number("number")
        labels[number] = option.text("label")
        prices[number] = option.number("price", 0)
        if option.has("look"):
            pictures[number] = str(option.look()["figure"])
        option.flag("chosen", False)
        option.rest()
    blank = Blank(fields.text("key"), fields.text("prompt"), fields.text("kind"), labels, pictures, prices)
    fields.number("least", 0)
    fields.number("most", 0)
    fields.text("start", "")
    fields.rest()
    return blank
