"""Mail: letters and parcels for those who are away, from any game to any other. (PLAY, sections 2 and 8)

A letter is sent at a banker or a board (the inn's is one), to any character there is, by name. With it may go
things out of one's pack and gold; they lie in a box of the letter's own, which no hand reaches, and so they
are counted with all other things wherever they are. The receiver reads it anywhere, and takes what it brings
at a banker or a board: all of it or nothing. If the sender wants to be paid for it, that gold is taken from
the receiver's pack then, and comes to the sender as a letter.

After fourteen days letters are thrown away, and parcels go back; so they do when the receiver refuses them or
is deleted. What came back, and what was paid, waits without an end. What nobody is left to have ceases to
exist, as what a deleted character had.

Where several worlds share their characters, letters are with those whom they are for; how they come to them,
and go back from those who are in no world, is in `world.deliveries`.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from world import audience, boards, hands, holding, ignoring, safes, speech, stowing, visits
from world.checks import check_weight
from world.directory import Known
from world.events import MailArrived, MailListed
from world.item import Item
from world.letter import Letter
from world.promises import promise
from world.reach import TALKING, Cannot, Refusal
from world.social_events import Envelope
from world.timers import cancel_all
from world.wording import GOLD, amount_of, coins, listed
from world.words import masked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.mobile import Mobile
    from world.thing import Surroundings

MAIL: Final = "mail"
"""In `Mobile.windows`: its game has a window for letters."""

MAIL_OPENS: Final = "mail opens"
"""In `Mobile.windows`, beside that: whoever comes up to where letters are handed in does everything in that
window, and is asked nothing."""

BANKER: Final = "banker"

LONGEST_SUBJECT: Final = 32
LONGEST_TEXT: Final = 500
"""Characters, as of a note on a board."""

DAYS: Final = 14
"""Days for which a letter waits."""

DAY: Final = 86_400.0

SWEEPS: Final = 3600.0
"""Seconds between two looks for letters that have waited long enough."""

MOST_WAITING: Final = 50
"""Letters that wait for one character."""

MOST_THINGS: Final = 12
"""Things in one parcel."""

MOST_PRICE: Final = 1_000_000
"""Gold that may be asked for a parcel."""

LIMIT: Final = speech.Limit("letters", 5, 60.0)

NO_SUBJECT: Final = "(no subject)"
NO_COUNTER: Final = "Letters and parcels are handed in and given out by bankers, and at boards."
ELSEWHERE: Final = "Letters are taken in and given out in another part of this world."
THEIRS_FULL: Final = "Too many letters wait for them already."


def settle(world: Surroundings) -> None:
    """Let stored letters wait on, when the world begins and knows all characters."""
    world.letters.settle()
    for letter in world.letters.all():
        if world.directory.of(letter.receiver) is None:
            give_back(world, letter)
    watch(world)


def forget(world: Surroundings, serial: int) -> None:
    """A character ceases to exist: parcels for it go back."""
    for letter in world.letters.of(serial):
        give_back(world, letter)


def came(mobile: Mobile, *, again: bool) -> None:
    """A character is played from now on, by another client than before if `again`."""
    if mobile.world.letters.travel:
        mobile.world.letters.want(mobile.serial, tell=not again)
    elif not again:
        arrived(mobile)


def arrived(mobile: Mobile) -> None:
    """Tell a player who comes in how many letters wait."""
    letters = letters_of(mobile)
    fresh = sum(1 for one in letters if not one.read)
    if fresh:
        what = "A letter waits" if fresh == 1 else f"{fresh} letters wait"
        speech.notice(mobile, f"{what} for you: `mail` lists what you have.")


# Sending


def send(
    actor: Mobile,
    name: str,
    text: str,
    *,
    subject: str = "",
    things: Sequence[tuple[Item, int]] = (),
    gold: int = 0,
    price: int = 0,
) -> Letter:
    """Send a letter to the character of that name, with things of one's pack (and how many of each) and
    gold, for which the receiver has to pay a price, if one is asked. Raises Cannot, and nothing has changed:
    DEAD, NO_COUNTER, LATER (where no records are kept), NOBODY, ONESELF, IGNORED, NO_WORDS, TOO_LONG, FULL,
    GAGGED, FLOODING; AMOUNT, POOR, NOT_YOURS, FIXED, OPEN_BAG of what goes with it."""
    world = actor.world
    check_counter(actor)
    if not (world.records.kept or world.letters.travel):
        raise Cannot(Refusal.LATER, ELSEWHERE)
    known = world.directory.find(name)
    if known is None:
        raise Cannot(Refusal.NOBODY, ignoring.NOBODY)
    if known.serial == actor.serial:
        raise Cannot(Refusal.ONESELF)
    ignoring.check_heeded(known.serial, actor)
    text, subject = (
        _fit(actor, text, "letter", LONGEST_TEXT),
        _fit(actor, subject, "subject", LONGEST_SUBJECT),
    )
    parts = _parts(actor, things, gold)
    if not text and not parts:
        raise Cannot(Refusal.NO_WORDS)
    if price < 0 or price > MOST_PRICE or (price and not parts):
        raise Cannot(Refusal.AMOUNT)
    if len(world.letters.of(known.serial)) >= MOST_WAITING or known.serial in world.letters.crowded:
        raise Cannot(Refusal.FULL, THEIRS_FULL)
    speech.check_voice(actor, LIMIT)
    labels = [amount_of(world, item.template.key, amount) for item, amount in parts]
    letter = _post(world, known, actor.serial, actor.name, subject, text, _packed(world, parts), price)
    brings = f" with {listed(labels)}" if labels else ""
    promise(actor, f"Your letter to {known.name}{brings} is on its way.")
    return letter


def send_gold(world: Surroundings, to: Known, sender: str, subject: str, text: str, gold: Item) -> None:
    """Send gold that nobody has to a character, from nobody who could have it back; it waits without an
    end."""
    box = safes.box_for_record(world)
    hands.put_in(gold, box)
    _post(world, to, 0, sender, subject, text, box.serial, 0, days=0)


def check_parcel(actor: Mobile, things: Sequence[tuple[Item, int]], gold: int) -> None:
    """Check what is to go with a letter, as `send` does. Raises Cannot: AMOUNT, POOR, NOT_YOURS, FIXED,
    OPEN_BAG."""
    _parts(actor, things, gold)


def _fit(actor: Mobile, text: str, what: str, longest: int) -> str:
    """Words as they may be read. Nobody would know that some are missing, so none are cut off."""
    words = speech.clean(text, len(text))
    if len(words) > longest:
        raise Cannot(Refusal.TOO_LONG, f"A {what} has {longest} characters at most.")
    return masked(words, actor.world.content.conduct.filtered)


def _parts(actor: Mobile, things: Sequence[tuple[Item, int]], gold: int) -> list[tuple[Item, int]]:
    """What goes into a parcel, checked."""
    if gold < 0 or len(things) > MOST_THINGS or len({item.serial for item, _ in things}) < len(things):
        raise Cannot(Refusal.AMOUNT)
    if gold > holding.gold(actor):
        raise Cannot(Refusal.POOR)
    for item, amount in things:
        if actor.world.items.get(item.serial) is not item or item.root is not actor:
            raise Cannot(Refusal.NOT_YOURS)
        if not isinstance(item.parent, Item) or not item.template.movable:
            raise Cannot(Refusal.FIXED)
        if item.contents:
            raise Cannot(Refusal.OPEN_BAG)
        if item.template.key == GOLD or not 1 <= amount <= item.amount:
            raise Cannot(Refusal.AMOUNT)
    return [*things, *(stowing.of_kind(actor, GOLD, gold) if gold else ())]


def _packed(world: Surroundings, parts: Sequence[tuple[Item, int]]) -> int:
    """Put things into a box of their own; returns its serial, or 0 without any."""
    if not parts:
        return 0
    box = safes.box_for_record(world)
    for item, amount in parts:
        hands.transfer(item, amount, box)
    return box.serial


def _post(
    world: Surroundings,
    to: Known,
    sender: int,
    sender_name: str,
    subject: str,
    text: str,
    box: int,
    price: int,
    days: float = DAYS,
) -> Letter:
    """Let a letter wait for so many days; 0: without an end."""
    now = _now(world)
    letter = world.letters.add(
        Letter(
            receiver=to.serial,
            receiver_name=to.name,
            sender=sender,
            sender_name=sender_name,
            subject=subject or NO_SUBJECT,
            text=text,
            sent_at=now,
            until=now + days * DAY if days else 0.0,
            box=box,
            price=price,
        ),
        here=_is_here(world, to.serial),
    )
    tell_of(world, letter)
    watch(world)
    return letter


def _is_here(world: Surroundings, receiver: int) -> bool:
    """Whether letters for somebody wait in this world."""
    return not world.letters.travel or receiver in world.mobiles


# Receiving


def letters_of(mobile: Mobile) -> Sequence[Letter]:
    """The letters that wait for somebody, the oldest first."""
    return mobile.world.letters.of(mobile.serial)


def envelopes(mobile: Mobile) -> Sequence[Envelope]:
    """The same, as its player sees them."""
    letters = letters_of(mobile)
    return [_envelope(mobile.world, number, one) for number, one in enumerate(letters, 1)]


def show(mobile: Mobile, at: Mobile | Item | None = None) -> None:
    """Show a player its letters, if its game has a window for them; `at`: where it has come up to them."""
    if MAIL in mobile.windows:
        event = MailListed(mobile, envelopes(mobile), audience.one(mobile), at)
        mobile.world.events.append(event)


def numbered(mobile: Mobile, number: int) -> Letter:
    """The letter of that place in the list, from 1 on. Raises Cannot(NO_LETTER)."""
    letters = letters_of(mobile)
    if not 1 <= number <= len(letters):
        raise Cannot(Refusal.NO_LETTER)
    return letters[number - 1]


def by_id(mobile: Mobile, number: int) -> Letter:
    """The letter of that number of its record, which stays when others go (`Envelope.serial`). Raises
    Cannot(NO_LETTER)."""
    for letter in letters_of(mobile):
        if letter.number == number:
            return letter
    raise Cannot(Refusal.NO_LETTER)


def read(mobile: Mobile, letter: Letter) -> Envelope:
    """Read a letter, anywhere. Raises Cannot(NO_LETTER) for others' and those that are gone."""
    _check_own(mobile, letter)
    if not letter.read:
        letter.read = True
        show(mobile)
    return _envelope(mobile.world, letters_of(mobile).index(letter) + 1, letter)


def take(mobile: Mobile, letter: Letter) -> None:
    """Take what a letter brings into one's pack, and pay what is asked for it. Raises Cannot, and nothing has
    changed: NO_LETTER, DEAD, NO_COUNTER, EMPTY_LETTER, POOR, HEAVY, FULL or NESTED."""
    world, pack = mobile.world, mobile.backpack
    _check_own(mobile, letter)
    check_counter(mobile)
    box = box_of(world, letter)
    if box is None:
        raise Cannot(Refusal.EMPTY_LETTER)
    if letter.price > holding.gold(mobile):
        raise Cannot(Refusal.POOR, f"They want {coins(world, letter.price)} for it, and you have less.")
    if pack is None:
        raise Cannot(Refusal.FULL)
    parts = [(item, item.amount) for item in box.contents.values()]
    stowing.check_room_for(pack, parts)
    check_weight(mobile, sum(holding.weight_of(item, amount) for item, amount in parts))
    paid = stowing.of_kind(mobile, GOLD, letter.price) if letter.price else []
    labels = _labels(box)
    if paid:
        _pay(mobile, letter, paid)
    for item, amount in parts:
        hands.transfer(item, amount, pack)
    world.delete(box)
    price, letter.box, letter.price, letter.read = letter.price, 0, 0, True
    if not letter.text:
        world.letters.remove(letter)
    cost = f", for {coins(world, price)}" if price else ""
    promise(mobile, f"You take {listed(labels)} out of the letter of {letter.sender_name}{cost}.")
    show(mobile)


def _pay(mobile: Mobile, letter: Letter, paid: Sequence[tuple[Item, int]]) -> None:
    """Send the price to whoever asked it; one that is deleted gets nothing, and nobody pays it then."""
    world = mobile.world
    to = _sender(world, letter)
    if to is None:
        letter.price = 0
        return
    about = f"Paid: {letter.subject}"[:LONGEST_SUBJECT]
    text = f"{mobile.name} has taken your parcel, and paid."
    _post(world, to, mobile.serial, mobile.name, about, text, _packed(world, paid), 0, days=0)


def refuse(mobile: Mobile, letter: Letter) -> None:
    """Send what a letter brings back to its sender. Raises Cannot: NO_LETTER, EMPTY_LETTER; NOBODY if there
    is no sender any more."""
    _check_own(mobile, letter)
    if box_of(mobile.world, letter) is None:
        raise Cannot(Refusal.EMPTY_LETTER)
    if letter.returned or _sender(mobile.world, letter) is None:
        raise Cannot(Refusal.NOBODY, f"{letter.sender_name} is not there to have it back.")
    give_back(mobile.world, letter)
    promise(mobile, f"You send the parcel back to {letter.receiver_name}.")
    show(mobile)


def discard(mobile: Mobile, letter: Letter) -> None:
    """Throw a letter away. Raises Cannot: NO_LETTER; OPEN_BAG as long as something is in it."""
    _check_own(mobile, letter)
    if box_of(mobile.world, letter) is not None:
        raise Cannot(Refusal.OPEN_BAG)
    mobile.world.letters.remove(letter)
    show(mobile)


def box_of(world: Surroundings, letter: Letter) -> Item | None:
    """The box with what a letter brings; None if it brings nothing."""
    return world.items.get(letter.box) if letter.box else None


def check_counter(actor: Mobile) -> None:
    """Check that an actor is where letters are handed in. Raises Cannot: DEAD or NO_COUNTER."""
    counter(actor)


def counter(actor: Mobile) -> Mobile | Item:
    """The banker or the board where an actor hands letters in. Raises Cannot: DEAD or NO_COUNTER."""
    if actor.dead:
        raise Cannot(Refusal.DEAD)
    banker = visits.nearest(actor, BANKER, TALKING)
    if banker is not None:
        return banker
    try:
        return boards.near(actor)
    except Cannot as cannot:
        raise Cannot(Refusal.NO_COUNTER, NO_COUNTER) from cannot


# Their parts


def _now(world: Surroundings) -> float:
    """Seconds UTC."""
    return world.now + world.epoch


def _check_own(mobile: Mobile, letter: Letter) -> None:
    if letter.receiver != mobile.serial or letter not in letters_of(mobile):
        raise Cannot(Refusal.NO_LETTER)


def _envelope(world: Surroundings, number: int, letter: Letter) -> Envelope:
    box = box_of(world, letter)
    inside: Counter[str] = Counter()
    for item in () if box is None else box.contents.values():
        inside[item.template.key] += item.amount
    return Envelope(
        number,
        letter.number,
        letter.sender_name,
        letter.subject,
        letter.text,
        letter.sent_at,
        letter.until,
        tuple(inside.items()),
        letter.price,
        letter.read,
    )


def _labels(box: Item) -> list[str]:
    return [amount_of(box.world, item.template.key, item.amount) for item in box.contents.values()]


def tell_of(world: Surroundings, letter: Letter) -> None:
    """Tell a receiver who is there that a letter has come."""
    mobile = world.mobiles.get(letter.receiver)
    if mobile is None or not mobile.online:
        return
    envelope = _envelope(world, letters_of(mobile).index(letter) + 1, letter)
    world.events.append(MailArrived(mobile, envelope, audience.one(mobile)))
    show(mobile)


def watch(world: Surroundings) -> None:
    """Look for letters that have waited long enough from now on, as long as any wait."""
    looks = world.records.looks(Letter)
    if looks.timers is None and world.letters.all():
        world.timers.every(SWEEPS, _sweep, world, owner=looks)


def _sweep(world: Surroundings) -> None:
    """Look for letters that have waited long enough, or that nobody is left to fetch: somebody may be sent
    one while it is deleted."""
    now = _now(world)
    for letter in world.letters.all():
        if (letter.until and letter.until <= now) or world.directory.of(letter.receiver) is None:
            give_back(world, letter)
    if not world.letters.all():
        cancel_all(world.records.looks(Letter))


def give_back(world: Surroundings, letter: Letter, *, words: bool = False) -> None:
    """Let a parcel go back to its sender, and a letter without one away; `words`: that goes back, too. So
    does away what nobody is left for."""
    box, sender = box_of(world, letter), _sender(world, letter)
    before = world.mobiles.get(letter.receiver)
    if sender is None or not goes_back(letter, words or box is not None):
        if box is not None:
            world.delete(box)
        world.letters.remove(letter)
    else:
        receiver, name = letter.receiver, letter.receiver_name
        world.letters.redirect(letter, sender.serial, sender.name, here=_is_here(world, sender.serial))
        turn(letter, receiver, name)
        tell_of(world, letter)
    if before is not None:
        show(before)


def goes_back(letter: Letter, worth: bool) -> bool:
    """Whether a letter that nobody fetches goes back to its sender, if there is one. `worth`: whether it
    brings anything."""
    return worth and not letter.returned


def turn(letter: Letter, receiver: int, name: str) -> None:
    """Make a letter that goes back one from the character that it was for."""
    letter.sender, letter.sender_name = receiver, name
    letter.subject = f"Back: {letter.subject}"[:LONGEST_SUBJECT]
    letter.price, letter.until, letter.read, letter.returned = 0, 0.0, False, True


def _sender(world: Surroundings, letter: Letter) -> Known | None:
    """The one who sent a letter, if there still is one, as far as this world can know: another one may have
    been made or deleted elsewhere."""
    known = world.directory.of(letter.sender)
    if known is None and world.letters.travel and letter.sender:
        return Known(letter.sender, letter.sender_name)
    return known
