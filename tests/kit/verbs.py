"""Every verb in every state through every game: all six agree, each in its own words.

A row is a verb, a column a state; a cell says what comes of it. One town and six players, one of each game,
for each row. States are set through the world; wishes are what the game's own client sends (`kit.wish`).

A new verb joins by a row in `VERBS` and a method for each game; a new state by a column in `STATES`.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Final, TypeAlias

import attrs

from world import dialogs, fighting, furniture, hands, holding, life, motion, residents, speech
from world.content import Resident
from world.dialogs import Button
from world.events import Asked, Gestured, Said, Struck, Turned
from world.heading import EAST, WEST
from world.mobile import Lines, Mobile, Posture
from world.parts import Lock
from world.reach import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.session import Session
    from tests.kit.game import Game
    from tests.kit.players import Player
    from tests.kit.town import Town
    from tests.kit.wish import Wishes
    from world.dialogs import Dialog
    from world.events import Event
    from world.item import Item
    from world.parts import Learner
    from world.world import World

WIDTH, HEIGHT = 24, 4
"""Tiles of free ground that all of it takes: two groups of three, apart, and who is out of earshot."""

BESIDE: Final = ((0, 1), (1, 1), (2, 1), (7, 1), (8, 1), (9, 1))
"""Where they stand, from the upper left of that."""

PREY: Final = "sheep"

OUT_OF_REACH: Final = 5
OUT_OF_TALK: Final = 11
"""Tiles to the east, in sight of every game."""


@attrs.frozen
class Does:
    """The wish is done."""


DONE: Final = Does()
Outcome: TypeAlias = "Refusal | Does | None"
"""What comes of it; None where the state has nothing to do with the verb."""
Row: TypeAlias = "dict[str, Outcome]"
"""By state."""


@attrs.define
class Actor:
    """One of the six."""

    game: Game
    player: Player
    session: Session
    wishes: Wishes
    mobile: Mobile
    near: Mobile = attrs.field(init=False)
    """Another of them, beside it."""
    far: Mobile = attrs.field(init=False)
    """One in sight and out of reach."""

    @property
    def lines(self) -> Counter[str]:
        """All it was told."""
        return Counter([*self.game.heard(self.player), *self.wishes.notices()])


@attrs.define
class Cell:
    """One verb, one state, one game."""

    town: Town
    actor: Actor
    others: Mapping[Mobile, Actor]
    state: str
    events: list[Event]
    words: str = ""
    item: Item | None = None
    dialog: Dialog | None = None
    resident: Mobile | None = None
    answers: list[int] = attrs.field(factory=list)

    @property
    def mobile(self) -> Mobile:
        return self.actor.mobile

    @property
    def world(self) -> World:
        return self.town.app.world

    @property
    def whom(self) -> Mobile:
        """To whom something is done: out of reach in the state that is called so."""
        return self.actor.far if self.state == "far" else self.actor.near

    @property
    def thing(self) -> Item:
        assert self.item is not None
        return self.item

    def heard_by(self, mobile: Mobile, words: str) -> bool:
        """Whether the player of another game read it."""
        return any(words in line for line in self.others[mobile].lines)

    def carry(self, key: str) -> Item:
        """Something in its pack."""
        pack = self.mobile.backpack
        assert pack is not None
        self.item = holding.make(self.world, key)
        self.world.register(self.item)
        holding.put(pack, self.item)
        return self.item

    def lay(self, key: str) -> Item:
        """Something on the ground: beside it, or out of reach."""
        assert self.mobile.realm is not None
        self.item = holding.make(self.world, key)
        away = OUT_OF_REACH if self.state == "far" else 0
        self.world.enter(self.item, self.mobile.realm, self.mobile.x + away, self.mobile.y + 1)
        return self.item


@attrs.frozen
class Verb:
    """A row. `prepare` runs in the world before, `wish` is what the client sends, `done` whether it was."""

    name: str
    wish: Callable[[Cell], bytes]
    done: Callable[[Cell], bool]
    outcomes: Mapping[str, Outcome]
    prepare: Callable[[Cell], object] = lambda cell: None
    seconds: float = 0.4
    skipped: Mapping[tuple[str, str], str] = attrs.field(factory=dict)
    """By game and state: why that game has no way to wish it."""


# Columns


def _ghost(cell: Cell) -> None:
    _slay(cell.mobile)


def _slay(mobile: Mobile) -> None:
    """Dead, with all that it had: the next state asks for the same."""
    pack, world = mobile.backpack, mobile.world
    assert pack is not None
    carried = list(pack.contents.values())
    life.kill(mobile)
    for item in carried:
        hands.put_into(item, pack)
    for corpse in [item for item in world.items.values() if item.remains is not None]:
        world.delete(corpse)


def _sitting(cell: Cell) -> None:
    furniture.sit_on_floor(cell.mobile)


def _hidden(cell: Cell) -> None:
    cell.actor.near.hidden = True
    if cell.resident is not None:
        cell.resident.hidden = True


def _gagged(cell: Cell) -> None:
    cell.world.gags[cell.mobile.account] = cell.world.now + 1000


def _hands_full(cell: Cell) -> None:
    pack = cell.mobile.backpack
    assert pack is not None
    bread = next(item for item in pack.contents.values() if item is not cell.item)
    hands.lift(cell.mobile, bread)


def _flooding(cell: Cell) -> None:
    now = cell.world.now
    limits = (speech.NEAR, speech.TO_ONE, speech.TO_ALL)
    cell.mobile.spoken = {limit.name: Lines(deque([now] * limit.lines)) for limit in limits}


STATES: Final[Mapping[str, Callable[[Cell], object]]] = {
    "alive": lambda cell: None,
    "ghost": _ghost,
    "sitting": _sitting,
    "far": lambda cell: None,
    "hidden": _hidden,
    "gagged": _gagged,
    "hands full": _hands_full,
    "flooding": _flooding,
}


AT_FIRST: Final = frozenset({"ghost"})
"""States that come before what is laid out: who dies is asked nothing that was asked of the living."""


def as_before(cell: Cell) -> None:
    """Undo every state, and clear away what was laid out."""
    mobile, world = cell.mobile, cell.world
    for one in (mobile, cell.actor.near, cell.actor.far):
        life.resurrect(one)
        one.hits = one.hits_max
    furniture.stay_on_feet(mobile)
    cell.actor.near.hidden = False
    world.gags.clear()
    hands.bounce(mobile)
    mobile.spoken = None
    for dialog in list(mobile.dialogs.values()):
        dialogs.withdraw(mobile, dialog)
    item = cell.item
    if item is not None and item.serial in world.items:
        if isinstance(item.root, Mobile):
            hands.destroy(item.root, item, item.amount)
        else:
            world.delete(item)
    fighting.stop(mobile)
    mobile.war = False
    if mobile.fighter is not None:
        mobile.fighter.swing_at = 0.0
    if cell.resident is not None and cell.resident.realm is not None:
        world.leave(cell.resident)


# Rows

FREE: Final[Row] = {"far": None, "hidden": None}
"""Of what is done to nobody and nothing."""

VOICE: Final[Row] = {
    **FREE,
    **dict.fromkeys(("alive", "ghost", "sitting", "hands full"), DONE),
    "gagged": Refusal.GAGGED,
    "flooding": Refusal.FLOODING,
}
TOLD: Final[Row] = {**VOICE, "far": DONE, "hidden": DONE}

BODY: Final[Row] = {"alive": DONE, "ghost": Refusal.DEAD, "sitting": DONE, "gagged": DONE, "flooding": DONE}
HANDS: Final[Row] = {**BODY, "far": Refusal.FAR, "hidden": None, "hands full": Refusal.BUSY}
OWN: Final[Row] = {**HANDS, "far": None}


OWN_EXCEPT_FULL_HANDS: Final[Row] = {**BODY, **FREE, "hands full": Refusal.BUSY}


def _is_heard(cell: Cell) -> bool:
    words = speech.ghostly(cell.words) if cell.state == "ghost" else cell.words
    return cell.heard_by(cell.actor.near, words)


def _settle(cell: Cell) -> None:
    """A crier beside it, or out of earshot."""
    realm = cell.mobile.realm
    assert realm is not None
    away = OUT_OF_TALK if cell.state == "far" else 0
    place = Resident("crier", cell.mobile.x + away, cell.mobile.y - 1 if not away else cell.mobile.y)
    cell.resident = residents.place(cell.world, realm, place)


def _lay_prey(cell: Cell) -> None:
    """A creature that only defends itself to the east of it, or out of reach."""
    realm = cell.mobile.realm
    assert realm is not None
    away = OUT_OF_REACH if cell.state == "far" else 1
    place = Resident(PREY, cell.mobile.x + away, cell.mobile.y)
    cell.resident = residents.place(cell.world, realm, place)
    motion.turn(cell.mobile, EAST, forced=True)


def _prey_of(cell: Cell) -> Mobile:
    assert cell.resident is not None
    return cell.resident


def _ask(cell: Cell) -> None:
    """A question of that crier's."""
    _settle(cell)
    cell.dialog = dialogs.ask(
        cell.mobile,
        "MatrixDialog",
        title="Well",
        text="Well?",
        buttons=[Button(1, "Yes")],
        answered=lambda mobile, reply: cell.answers.append(reply.button),
        asker=cell.resident,
    )


def _talks(cell: Cell) -> bool:
    return any(isinstance(event, Asked) and event.thing is cell.mobile for event in cell.events) or any(
        isinstance(event, Said) and event.thing is cell.resident for event in cell.events
    )


def _learner(cell: Cell) -> Learner:
    assert cell.mobile.learner is not None
    return cell.mobile.learner


def _other_side(cell: Cell) -> int:
    """Where it does not look; every client knows the four sides."""
    return WEST if cell.mobile.heading == EAST else EAST


def _carry_bag(cell: Cell) -> None:
    """A bag with an apple: in the pack, or out of reach on the ground."""
    bag = cell.lay("bag") if cell.state == "far" else cell.carry("bag")
    apple = holding.make(cell.world, "apple")
    apple.name = cell.words
    cell.world.register(apple)
    holding.put(bag, apple)


def _carry_food(cell: Cell) -> None:
    """An apple, and the wish for it."""
    cell.mobile.hits = max(0, cell.mobile.hits - 1)
    cell.carry("apple")


NO_BAGS: Final = "its client shows no bags on the ground"
WALKS: Final = {("co", "far"): "its client's click leads there first"}
ONLY_OWN: Final = "its client uses what is in the pack"


def _attack(
    name: str,
    outcome: Outcome,
    target: Callable[[Cell], Mobile] = _prey_of,
    *,
    prepare: Callable[[Cell], object] = lambda cell: None,
    far: Outcome = Refusal.FAR,
    hidden: Outcome = Refusal.UNSEEN,
) -> Verb:
    """A row of attacks on somebody."""
    outcomes = dict.fromkeys(STATES, outcome)
    return Verb(
        name,
        lambda cell: cell.actor.wishes.attack(target(cell)),
        lambda cell: any(isinstance(one, Struck) and one.thing is cell.mobile for one in cell.events),
        {**outcomes, "ghost": Refusal.DEAD, "sitting": Refusal.SITTING, "far": far, "hidden": hidden},
        prepare,
        skipped=WALKS if far is Refusal.FAR else {},
    )


VERBS: Final[Mapping[str, Verb]] = {
    "say": Verb("say", lambda cell: cell.actor.wishes.say(cell.words), _is_heard, VOICE),
    "shout": Verb("shout", lambda cell: cell.actor.wishes.shout(cell.words), _is_heard, VOICE),
    "tell": Verb(
        "tell",
        lambda cell: cell.actor.wishes.tell(cell.whom.name, cell.words),
        lambda cell: cell.heard_by(cell.whom, cell.words),
        TOLD,
    ),
    "to all": Verb(
        "to all",
        lambda cell: cell.actor.wishes.to_all(cell.words),
        lambda cell: all(
            cell.heard_by(other, cell.words) for other in cell.others if other is not cell.mobile
        ),
        VOICE,
    ),
    "call for the staff": Verb(
        "plead",
        lambda cell: cell.actor.wishes.plead(cell.words),
        lambda cell: any(plea.text == cell.words for plea in cell.world.pleas),
        VOICE,
    ),
    "gesture": Verb(
        "gesture",
        lambda cell: cell.actor.wishes.gesture(),
        lambda cell: any(isinstance(one, Gestured) and one.thing is cell.mobile for one in cell.events),
        {**BODY, **FREE, "hands full": DONE},
    ),
    "sit": Verb(
        "sit",
        lambda cell: cell.actor.wishes.sit(),
        lambda cell: cell.mobile.posture != Posture.STANDING,
        {**BODY, **FREE, "sitting": Refusal.SITTING, "hands full": DONE},
    ),
    "lock a skill": Verb(
        "lock",
        lambda cell: cell.actor.wishes.lock("magery"),
        lambda cell: _learner(cell).skills["magery"].lock == Lock.FIXED,
        {**dict.fromkeys(STATES, DONE), **FREE},
        lambda cell: _learner(cell).lock("magery", Lock.UP),
    ),
    "turn": Verb(
        "turn",
        lambda cell: cell.actor.wishes.turn(_other_side(cell)),
        lambda cell: any(isinstance(one, Turned) and one.thing is cell.mobile for one in cell.events),
        {**BODY, **FREE, "ghost": DONE, "sitting": Refusal.SITTING, "hands full": DONE},
    ),
    "use": Verb(
        "use",
        lambda cell: cell.actor.wishes.use(cell.thing),
        lambda cell: False,
        {**dict.fromkeys(STATES, Refusal.USELESS), **FREE, "ghost": Refusal.DEAD},
        lambda cell: cell.carry("gold"),
    ),
    "eat": Verb(
        "use",
        lambda cell: cell.actor.wishes.use(cell.thing),
        lambda cell: any(isinstance(one, Said) and "You eat apple" in one.text for one in cell.events),
        OWN_EXCEPT_FULL_HANDS,
        _carry_food,
    ),
    "look into": Verb(
        "look into",
        lambda cell: cell.actor.wishes.look_into(cell.thing),
        lambda cell: cell.actor.wishes.looked_into(cell.thing, cell.words),
        {**BODY, "far": Refusal.FAR, "hidden": None, "hands full": DONE},
        _carry_bag,
        skipped={("co", "far"): ONLY_OWN},
    ),
    "lift": Verb(
        "lift",
        lambda cell: cell.actor.wishes.lift(cell.thing),
        lambda cell: cell.thing.root is cell.mobile,
        HANDS,
        lambda cell: cell.lay("lantern"),
        skipped=WALKS,
    ),
    "drop": Verb(
        "drop",
        lambda cell: cell.actor.wishes.drop(cell.thing),
        lambda cell: cell.thing.realm is not None,
        OWN,
        lambda cell: cell.carry("lantern"),
    ),
    "wear": Verb(
        "wear",
        lambda cell: cell.actor.wishes.wear(cell.thing),
        lambda cell: cell.thing.parent is cell.mobile,
        OWN,
        lambda cell: cell.carry("feathered_hat"),
    ),
    "give": Verb(
        "give",
        lambda cell: cell.actor.wishes.give(cell.thing, cell.whom),
        lambda cell: cell.thing.root is cell.whom,
        {**HANDS, "hidden": Refusal.UNSEEN},
        lambda cell: cell.carry("lantern"),
        seconds=2.0,
    ),
    "talk to": Verb(
        "talk to",
        lambda cell: cell.actor.wishes.talk_to(cell.resident or cell.mobile),
        _talks,
        {**BODY, "far": Refusal.FAR, "hidden": Refusal.UNSEEN, "hands full": DONE},
        _settle,
        seconds=1.2,
        skipped=WALKS | {("eq2", "hidden"): "its client forgets a target that is gone, and hails the air"},
    ),
    **{
        verb.name: verb
        for verb in (
            _attack("attack", DONE, prepare=_lay_prey),
            _attack("attack a player", Refusal.YOUNG, lambda cell: cell.whom),
            _attack("attack a resident", Refusal.GUARDED, prepare=_settle),
            _attack(
                "attack oneself",
                Refusal.ONESELF,
                lambda cell: cell.mobile,
                far=Refusal.ONESELF,
                hidden=Refusal.ONESELF,
            ),
            _attack(
                "attack the dead",
                Refusal.DEFEATED,
                lambda cell: cell.whom,
                prepare=lambda cell: _slay(cell.whom),
            ),
        )
    },
    "answer": Verb(
        "answer",
        lambda cell: cell.actor.wishes.answer(cell.dialog) if cell.dialog is not None else b"",
        lambda cell: cell.answers == [1],
        {**BODY, "ghost": DONE, "far": Refusal.FAR, "hidden": Refusal.UNSEEN, "hands full": DONE},
        _ask,
    ),
}
