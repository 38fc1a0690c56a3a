"""Deliveries: letters that come into this world, where several worlds share their characters.

The problem: the one that a letter is for may be here, in another world, or in none, and it may go from one to
the other while the letter does. The idea: a letter is always in the store, and it is with its receiver: the
world that has that one in memory, and no other, has its letters there, too, and alone changes them. Whoever
comes into a world has them brought; for whom one was sent meanwhile from elsewhere (`Letter.under_way`), it
is brought as soon as it is found. Who leaves takes them along. What is in no world waits in the store alone.

What was read there may be old when it comes here: the letter may have been here before, and have been thrown
away since. So of those that this world had in its hands after the store was asked (`Letterboxes.touched`)
nothing is believed; who asks has first waited until the store knew of all earlier ones.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import attrs

from world import ignoring, mail
from world.containers import within
from world.letter import Letter
from world.snapshot import restore_items, restore_records

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from world.item import Item
    from world.mobile import Mobile
    from world.records import Record
    from world.snapshot import ItemRow, RecordRow
    from world.thing import Surroundings
    from world.world import World

log = logging.getLogger("world")


@attrs.frozen
class Question:
    """A question of a world to the store: which letters it has."""

    known: frozenset[int]
    """Numbers of letters of which the store has to know what has become before it is asked."""
    wanted: Mapping[int, Mobile]
    """Characters whose letters are to be brought, by serial."""


@attrs.frozen
class Answer:
    """The store's answer: all letters of those who were asked for, and those that are under way to others who
    are here, the oldest first; with what they bring."""

    letters: Sequence[RecordRow]
    items: Sequence[ItemRow]
    ordinary: Collection[int] = ()
    """Numbers of those under way whose sender is a player who is none of the staff: of these somebody may
    want to hear nothing."""


def question(world: World) -> Question:
    """The question that has to be asked now; the next one follows on it."""
    letters = world.letters
    known, letters.touched = frozenset(letters.touched), set()
    wanted = {serial: world.mobiles[serial] for serial in letters.wanted if serial in world.mobiles}
    return Question(known, wanted)


def unanswered(world: World, asked: Question) -> None:
    """The store could not be asked."""
    world.letters.touched |= asked.known


def answered(world: World, asked: Question, answer: Answer) -> None:
    """Bring the letters that the store has for those who are here, and let go of those that it has for
    others."""
    letters = world.letters
    for letter in letters.forget_gone(asked.known):
        if letter.box in world.items:
            world.forget(world.items[letter.box])
    came = {
        serial: mobile
        for serial, mobile in asked.wanted.items()
        if serial in letters.wanted and world.mobiles.get(serial) is mobile
    }
    found = (parcel for parcel in _parted(answer) if _comes(world, parcel[0], came))
    fresh = [letter for letter, rows in found if _put(world, letter, rows)]
    for serial, mobile in came.items():
        letters.brought.add(serial)
        if letters.wanted.pop(serial):
            mail.arrived(mobile)
        if letters.of(serial):
            mail.show(mobile)
    for letter in fresh:
        ordinary = letter.number in answer.ordinary and not letter.returned
        if ordinary and ignoring.refuses(world, letter.receiver, letter.sender):
            mail.give_back(world, letter, words=True)
        elif letter.receiver not in came:
            mail.tell_of(world, letter)
    mail.watch(world)


def _comes(world: World, letter: Letter, came: Collection[int]) -> bool:
    """Whether a letter of the store belongs here, and is not here."""
    letters, receiver = world.letters, letter.receiver
    if receiver not in world.mobiles or not (receiver in came or receiver in letters.brought):
        return False
    return letter.number not in letters.touched and world.records.get(Letter, letter.number) is None


def _put(world: World, letter: Letter, rows: Sequence[ItemRow]) -> bool:
    """Let a letter of the store wait here, with what it brings. One whose things are here already is left
    alone."""
    if any(row.serial in world.items for row in rows):
        log.error("letter %#x for %s is here already, in part", letter.number, letter.receiver_name)
        return False
    items, damaged = restore_items(rows, world)
    for one in damaged:
        log.error("item %#x of a letter cannot be used and is left alone: %s", one.serial, one.reason)
    for item in items:
        if item.keeper:
            world.register(item)
    world.letters.bring(letter)
    return True


def _parted(answer: Answer) -> Iterator[tuple[Letter, Sequence[ItemRow]]]:
    """Each letter, and the rows of what it brings, its box among them."""
    inside: dict[int | None, list[ItemRow]] = {}
    for row in answer.items:
        inside.setdefault(row.serial if row.parent is None else row.parent, []).append(row)
    for letter in restore_records(answer.letters):
        if not isinstance(letter, Letter):
            continue
        rows = list(inside.get(letter.box, ()))
        for row in rows:  # grows while it is walked
            if row.serial != letter.box:
                rows += inside.get(row.serial, ())
        yield letter, rows


def boxed_items(world: Surroundings, following: Iterable[Record]) -> list[Item]:
    """The boxes of the letters among some records, and everything in them."""
    boxes = (mail.box_of(world, letter) for letter in following if isinstance(letter, Letter))
    return [item for box in boxes if box is not None for item in (box, *within(box))]


# Those that are in no world


def back(letter: Letter, sender: bool, *, words: bool = False) -> bool:
    """A letter that has waited too long, or whose receiver is no more or wants none of it, while it is in no
    world: make it one for its sender, if that one exists; `words`: also one that brings nothing. False: it
    ceases to exist."""
    if not (sender and mail.goes_back(letter, words or bool(letter.box))):
        return False
    receiver, name = letter.receiver, letter.receiver_name
    letter.receiver, letter.receiver_name = letter.sender, letter.sender_name
    mail.turn(letter, receiver, name)
    letter.under_way = True
    return True
