"""Every verb in every state through every game: all six agree, each in its own words.

A row is a verb, a column a state; a cell says what comes of it. One town and six players, one of each game,
for each row. States are set through the world; wishes are what the game's own client sends (`kit.wish`).

A new verb joins by a row in `VERBS` and a method for each game; a new state by a column in `STATES`.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

import attrs

from tests.kit.cells import DONE, OUT_OF_REACH, Cell, Outcome, Row, Verb, nothing
from world import (
    boards,
    dialogs,
    fighting,
    furniture,
    hands,
    holding,
    invites,
    life,
    mail,
    motion,
    quests,
    residents,
    safes,
    speech,
)
from world.chests import CHEST_DIALOG
from world.content import Chest, Resident
from world.dialogs import Button
from world.events import Asked, Gestured, JournalOpened, Said, Struck, Traded, Turned
from world.heading import EAST, WEST
from world.mobile import Lines, Mobile, Posture
from world.parts import Lock
from world.reach import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from world.parts import Learner

WIDTH, HEIGHT = 25, 4
"""Tiles of free ground that all of it takes: two groups of three, apart, and who is out of earshot."""

BESIDE: Final = ((0, 1), (1, 1), (2, 1), (11, 2), (12, 2), (13, 2))
"""Where they stand, from the upper left of that: each in sight of all, and in talk with its own three."""

PREY: Final = "sheep"

OUT_OF_TALK: Final = 11
"""Tiles to the east, in sight of every game."""


# Columns


def _ghost(cell: Cell) -> None:
    slay(cell.mobile)


def slay(mobile: Mobile) -> None:
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
    limits = (speech.NEAR, speech.TO_ONE, speech.TO_ALL, invites.LIMIT, mail.LIMIT)
    cell.mobile.spoken = {limit.name: Lines(deque([now] * limit.lines)) for limit in limits}


STATES: Final[Mapping[str, Callable[[Cell], object]]] = {
    "alive": nothing,
    "ghost": _ghost,
    "sitting": _sitting,
    "far": nothing,
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
    item, chest = cell.item, cell.chest
    if chest is not None:
        world.delete(chest)
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


def _settle(cell: Cell, kind: str = "crier") -> None:
    """A crier beside it, or out of earshot; or another resident."""
    realm = cell.mobile.realm
    assert realm is not None
    away = OUT_OF_TALK if cell.state == "far" else 0
    place = Resident(kind, cell.mobile.x + away, cell.mobile.y - 1 if not away else cell.mobile.y)
    cell.resident = residents.place(cell.world, realm, place)


def _stand(cell: Cell, kind: str) -> None:
    """A board or a chest beside it, or too far away."""
    realm = cell.mobile.realm
    assert realm is not None
    cell.item = holding.make(cell.world, kind)
    away = boards.READING + 1 if cell.state == "far" else 0
    cell.world.enter(cell.item, realm, cell.mobile.x + away, cell.mobile.y + 1)


def _stand_chest(cell: Cell) -> None:
    """An open chest there, and something to put into it."""
    _stand(cell, "iron_chest")
    cell.chest = cell.thing
    cell.chest.template = attrs.evolve(cell.chest.template, chest=Chest())
    cell.carry("lantern")


def settle_banker(cell: Cell) -> None:
    """A banker there, and something for it to keep."""
    _settle(cell, "banker")
    cell.carry("lantern")


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
    prepare: Callable[[Cell], object] = nothing,
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
                prepare=lambda cell: slay(cell.whom),
            ),
        )
    },
    "buy": Verb(
        "buy",
        lambda cell: cell.actor.wishes.order("buy bread"),
        lambda cell: any(isinstance(one, Traded) and one.thing is cell.mobile for one in cell.events),
        # What it holds in the last of these is its gold.
        {**BODY, "far": Refusal.FAR, "hidden": None, "hands full": Refusal.POOR},
        lambda cell: _settle(cell, "greta"),
    ),
    "put into the bank": Verb(
        "deposit",
        lambda cell: cell.actor.wishes.order("deposit lantern"),
        lambda cell: cell.thing.parent is safes.box(cell.mobile),
        {**BODY, "far": Refusal.FAR, "hidden": None, "hands full": DONE},
        settle_banker,
    ),
    "pin a note": Verb(
        "pin",
        lambda cell: cell.actor.wishes.order(f"pin {cell.words}: well"),
        lambda cell: [note.name for note in boards.notes(cell.thing)] == [cell.words],
        {**BODY, "far": Refusal.FAR, "hidden": None, "gagged": Refusal.GAGGED, "hands full": DONE}
        | {"flooding": Refusal.FLOODING},
        lambda cell: _stand(cell, "notice_board"),
    ),
    "open a locked chest": Verb(
        "use",
        lambda cell: cell.actor.wishes.order("use iron_chest"),
        lambda cell: CHEST_DIALOG in {dialog.name for dialog in cell.mobile.dialogs.values()},
        {**dict.fromkeys(STATES, Refusal.LOCKED), "far": Refusal.FAR, "hidden": None, "ghost": Refusal.DEAD},
        lambda cell: _stand(cell, "iron_chest"),
    ),
    "put into a chest": Verb(
        "put",
        lambda cell: cell.actor.wishes.order("put lantern"),
        lambda cell: cell.thing.parent is cell.chest,
        {**BODY, "far": Refusal.FAR, "hidden": None, "hands full": Refusal.BUSY},
        _stand_chest,
    ),
    "answer": Verb(
        "answer",
        lambda cell: cell.actor.wishes.answer(cell.dialog) if cell.dialog is not None else b"",
        lambda cell: cell.answers == [1],
        {**BODY, "ghost": DONE, "far": Refusal.FAR, "hidden": Refusal.UNSEEN, "hands full": DONE},
        _ask,
    ),
    "quests": Verb(
        "quests",
        lambda cell: cell.actor.wishes.order("quests"),
        lambda cell: any(
            isinstance(one, JournalOpened) or (isinstance(one, Asked) and one.dialog.name == quests.JOURNAL)
            for one in cell.events
        ),
        {**dict.fromkeys(STATES, DONE), **FREE},
    ),
    "gather": Verb(
        "gather",
        lambda cell: cell.actor.wishes.order("gather"),
        lambda cell: cell.mobile.labour is not None,
        {
            **dict.fromkeys(STATES, Refusal.NOTHING_THERE),
            **FREE,
            "ghost": Refusal.DEAD,
            "sitting": Refusal.SITTING,
        },
        lambda cell: cell.carry("pickaxe"),
    ),
}
