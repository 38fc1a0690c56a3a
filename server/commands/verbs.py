"""Verbs that everybody can type behind the command prefix of their game. A player whose client has no button
for something, or who does not know it, has a word.

A verb is one call of a rule in `world/`. What cannot be done is answered with the rule's own words.

Why each of them is a function and not a row that names its rule: they look alike and differ in what they
take from the line (a name, a number, the rest) and in what they say afterwards; a table of all that would
be another language.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from server.commands import named
from server.commands.machinery import CommandError, CommandTable
from world import (
    chests,
    containers,
    dialogs,
    fighting,
    finding,
    furniture,
    gathering,
    hands,
    journals,
    learning,
    life,
    looting,
    points,
    quests,
    residents,
    signs,
    speech,
    stowing,
    training,
    using,
    wording,
)
from world.events import Speech
from world.forms import in_words
from world.heading import apart
from world.item import Item
from world.mobile import Access, Mobile
from world.parts import Lock
from world.reach import FARTHEST_SIGHT, Cannot, Refusal, can_reach, can_see
from world.skills import ATTRIBUTES, SKILLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from server.commands.machinery import Arguments, Context
    from world.elsewhere import Person
    from world.thing import Thing

    Verb = Callable[[Mobile, Arguments], Sequence[str]]

NOBODY_NEAR: Final = "There is nobody near who has something to say."
NO_WAY_FOR_A_SKILL: Final = "It goes up or down, or stays fixed."

WAYS: Final[Mapping[str, tuple[int, str]]] = {
    "up": (Lock.UP, "may rise"),
    "down": (Lock.DOWN, "may fall"),
    "fixed": (Lock.FIXED, "stays as it is"),
}
"""What may become of a skill: `Lock`, and how that is told."""

TABLE: Final = CommandTable()


def verb_of(table: CommandTable, usage: str, about: str) -> Callable[[Verb], Verb]:
    """Register the function of a verb: it is given who does it, and answers in lines. Nobody audits it."""

    def register(do: Verb) -> Verb:
        def run(context: Context, args: Arguments) -> Sequence[str]:
            try:
                return do(named.actor(context), args)
            except Cannot as cannot:
                if cannot.told:
                    return []
                raise CommandError(str(cannot)) from cannot

        table.command(usage, access=Access.PLAYER, audited=False, about=about)(run)
        return do

    return register


_verb = partial(verb_of, TABLE)


# Words


@_verb("page TEXT...", "calls for the staff")
def page(actor: Mobile, args: Arguments) -> Sequence[str]:
    speech.plead(actor, args["text"])
    return []


@_verb("all TEXT...", "says something to everybody, in all games")
def to_all(actor: Mobile, args: Arguments) -> Sequence[str]:
    text = speech.clean(args["text"])
    speech.to_all(actor.world, text, speaker=actor)
    return [f"[{actor.name}] {text}"] if text else []


@_verb("yell TEXT...", "says something as loud as one can")
def yell(actor: Mobile, args: Arguments) -> Sequence[str]:
    speech.say(actor, args["text"], Speech.YELL)
    return []


@_verb("whisper TEXT...", "says something to whoever stands right beside you")
def whisper(actor: Mobile, args: Arguments) -> Sequence[str]:
    speech.say(actor, args["text"], Speech.WHISPER)
    return []


@_verb("tell NAME TEXT...", "says something to one player, wherever that is")
def tell(actor: Mobile, args: Arguments) -> Sequence[str]:
    text = speech.clean(args["text"])

    def told(hearer: Mobile | Person) -> None:
        if text:
            speech.notice(actor, f"You tell {hearer.name}: {text}")

    speech.tell(actor, args["name"], text, told)
    return []


@_verb("emote TEXT...", "makes a gesture such as bow, or tells in words what you do")
def emote(actor: Mobile, args: Arguments) -> Sequence[str]:
    text = args["text"].strip("* ")
    if text.lower() in speech.EMOTES:
        speech.gesture(actor, text.lower())
    else:
        speech.say(actor, text, Speech.EMOTE)
    return []


# Where one stands


@_verb("answer [TEXT...]", "answers a question: the number of an answer, or what is to be typed")
def answer(actor: Mobile, args: Arguments) -> Sequence[str]:
    asked = dialogs.reply_in_words(actor, args.get("text", ""))
    return in_words(asked) if asked is not None else []


@_verb("town", "takes a ghost to the healer's house")
def town(actor: Mobile, args: Arguments) -> Sequence[str]:
    life.to_healer(actor)
    return ["You find yourself at the healer's."]


@_verb("sit", "sits down: on the seat before you, else where you are")
def sit(actor: Mobile, args: Arguments) -> Sequence[str]:
    furniture.sit(actor)
    return ["You sit down."]


@_verb("stand", "stands up")
def stand(actor: Mobile, args: Arguments) -> Sequence[str]:
    furniture.stand(actor)
    return ["You stand up."]


@_verb("lock SKILL WAY", "lets a skill, or str, dex or int, go up or down, or stay fixed: lock magery fixed")
def lock(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Set the way in which a skill or attribute may change. Raises Cannot for an unknown way."""
    name = args["skill"].lower()
    begun = [one for one in (*ATTRIBUTES, *SKILLS) if one.startswith(name)]
    meant = begun[0] if len(begun) == 1 else name
    if args["way"].lower() not in WAYS:
        raise Cannot(Refusal.UNKNOWN, NO_WAY_FOR_A_SKILL)
    way, told = WAYS[args["way"].lower()]
    training.lock(actor, meant, way)
    return [f"Your {meant} {told} now."]


# Things


@_verb("use THING...", "does with something what it is for: looks into a bag, puts a shirt on, eats an apple")
def use(actor: Mobile, args: Arguments) -> Sequence[str]:
    item = named.thing(args["thing"], (*_own(actor), *_lying(actor)))
    match using.use(actor, item):
        case using.Deed.OPENED:
            return [using.contents_in_words(actor, item)]
        case using.Deed.TAKEN | using.Deed.LIT | using.Deed.READ | using.Deed.WORKED | using.Deed.ASKED:
            return []
        case using.Deed.WORN:
            return [f"You put on {item.label}."]


@_verb("look THING...", "looks into a bag or a chest, or at something")
def look(actor: Mobile, args: Arguments) -> Sequence[str]:
    item = named.thing(args["thing"], (*_own(actor), *_lying(actor)))
    if item.template.container:
        return [using.contents_in_words(actor, item)]
    return [f"You see {containers.counted(item)}."]


@_verb("read", "reads the nearest sign")
def read(actor: Mobile, args: Arguments) -> Sequence[str]:
    return [signs.read(actor)]


@_verb(
    "take THING... [AMOUNT]",
    "takes something that lies near, or out of a chest, into your pack: take bread 2",
)
def take(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Take something; all of a stack, if no amount is typed. Raises Cannot, as `hands.take`."""
    name, amount = finding.name_and_amount(args["thing"])
    item = named.thing(name, (*_lying(actor), *_in_chests(actor)))
    if name == args["thing"]:
        amount = item.amount
    label = item.label if amount == 1 else f"{amount} {item.plural}"
    hands.take(actor, item, amount)
    return [looting.TAKEN.format(label)]


@_verb("put THING... [AMOUNT]", "puts something out of your pack into the nearest chest: put bread 2")
def put(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Put so many of a kind into a chest. Raises Cannot, as `chests.near` and `stowing.put_kind`."""
    name, amount = finding.name_and_amount(args["thing"])
    item, chest = named.thing(name, hands.carried_items(actor)), chests.near(actor)
    label = wording.amount_of(actor.world, item.template.key, amount)
    stowing.put_kind(actor, chest, item.template.key, amount)
    return [chests.PUT_IN.format(label, chest.label)]


@_verb("drop THING... [AMOUNT]", "puts something out of your pack at your feet: drop bread 2")
def drop(actor: Mobile, args: Arguments) -> Sequence[str]:
    # A name may have blanks, so it takes the whole line and the number is looked for at its end.
    name, amount = finding.name_and_amount(args["thing"])
    item = named.thing(name, hands.carried_items(actor))
    dropped = hands.drop_kind(actor, item.template.key, amount, actor.x, actor.y)
    return [f"You drop {containers.counted(dropped)}."]


@_verb("wear THING...", "puts on something out of your pack, instead of what you wear there")
def wear(actor: Mobile, args: Arguments) -> Sequence[str]:
    item = named.thing(args["thing"], hands.carried_items(actor))
    hands.exchange(actor, item)
    return [f"You put on {item.label}."]


@_verb("unwear THING...", "puts something that you wear into your pack")
def unwear(actor: Mobile, args: Arguments) -> Sequence[str]:
    worn = (item for item in actor.worn.values() if item is not actor.backpack)
    item = named.thing(args["thing"], worn)
    hands.take_off(actor, item.layer)
    return [f"You take off {item.label}."]


@_verb("gather", "fishes, mines or cuts wood, if there is something near and you have the tool for it")
def gather(actor: Mobile, args: Arguments) -> Sequence[str]:
    gathering.gather(actor)
    return []


@_verb("quests", "shows what you were asked to do, and how far you are")
def show_quests(actor: Mobile, args: Arguments) -> Sequence[str]:
    quests.show_journal(actor)
    return []


@_verb("giveup QUEST...", "gives up a quest, by its name or the beginning of it")
def give_up(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Give up an open quest. Raises Cannot if none begins so."""
    wanted = args["quest"].casefold()
    found = next(
        (known for known, _, _ in journals.ongoing(actor) if known.name.casefold().startswith(wanted)), None
    )
    if found is None:
        raise Cannot(Refusal.NO_QUEST)
    quests.give_up(actor, found.key)
    return []


# Others


@_verb("attack NAME...", "strikes somebody")
def attack(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Strike somebody. Raises Cannot if nobody of that name is near."""
    target = finding.by_name(args["name"], (*_others(actor), actor))
    if target is None:
        raise Cannot(Refusal.NOBODY)
    fighting.attack(actor, target)
    return [f"You attack {target.name}."]


@_verb("stop", "strikes nobody any more")
def stop(actor: Mobile, args: Arguments) -> Sequence[str]:
    fighting.set_war(actor, False)
    return ["You keep the peace."]


@_verb("points [ATTRIBUTE] [AMOUNT]", "spends the points of your levels on strength, dexterity ...")
def spend_points(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Spend points on an attribute, or ask on which. Raises Cannot if there are none."""
    if "attribute" not in args:
        points.offer(actor)
        return []
    name = args["attribute"].lower()
    learning.spend(actor, name, named.number(args["amount"]) if "amount" in args else 1)
    return [f"Your {name} is now {getattr(actor, name)}."]


@_verb("talk [NAME...]", "talks to somebody who lives here: to the nearest, if you name nobody")
def talk(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Talk to a resident. Raises Cannot if none is near, or none of that name."""
    near = [other for other in _others(actor) if not other.is_character]
    if "name" not in args:
        resident = near[0] if near else None
        if resident is None:
            raise Cannot(Refusal.NOBODY, NOBODY_NEAR)
    else:
        resident = finding.by_name(args["name"], near)
        if resident is None:
            raise Cannot(Refusal.NOBODY)
    residents.talk_to(actor, resident)
    return []


# What may be meant


def _own(actor: Mobile) -> Iterator[Item]:
    """What somebody carries and wears, and the pack itself."""
    yield from hands.carried_items(actor)
    yield from actor.worn.values()


def _lying(actor: Mobile) -> list[Item]:
    """What lies in sight, the nearest first."""
    return [thing for thing in _in_sight(actor) if isinstance(thing, Item)]


def _in_chests(actor: Mobile) -> Iterator[Item]:
    """What is in containers that lie within reach."""
    for item in _lying(actor):
        if item.template.container and can_reach(actor, item):
            yield from containers.within(item)


def _others(actor: Mobile) -> list[Mobile]:
    """Everybody else in sight, the nearest first."""
    return [thing for thing in _in_sight(actor) if isinstance(thing, Mobile) and thing is not actor]


def _in_sight(actor: Mobile) -> list[Thing]:
    if actor.realm is None:
        return []
    around = actor.realm.space.around(actor.x, actor.y, FARTHEST_SIGHT)
    seen = [thing for thing in around if can_see(actor, thing)]
    return sorted(seen, key=lambda thing: (apart(actor, thing), thing.serial))
