"""Clauses of dialogs: the conditions and effects that an answer may have.

Conditions and effects have a name, by which a designer writes them, and a class: its fields are what the
designer gives, the first of them under that name. Another rule adds its own with one registration
(`condition`, `effect`); the loader then reads and checks them like those here.

The effects of an answer are all or nothing: each is checked, what changes hands is checked as a whole, and
then all of it happens. What a role does (shop, bank) refuses by itself, so it is never beside something that
changes hands: the loader sees to that.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

import attrs

from world import granting, holding, speech
from world.daytime import daytime
from world.marks import has_mark, set_mark
from world.reach import Cannot, Refusal
from world.roles import ROLES
from world.skills import TENTHS
from world.talks import filled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from world.mobile import Mobile
    from world.talks import Known

MOST_AMOUNT: Final = 60_000
"""Of items or gold in one clause: the amount of one stack, in every game."""

NO_SERVICE: Final = "{} cannot do that for you now."

C = TypeVar("C", bound="type[Condition]")
E = TypeVar("E", bound="type[Effect]")


@attrs.define
class Deal:
    """Things that change hands between a player and who speaks: item templates and their amounts."""

    taken: Counter[str] = attrs.field(factory=Counter)
    given: Counter[str] = attrs.field(factory=Counter)
    made: Counter[str] = attrs.field(factory=Counter)
    """What an effect gives by itself as it happens: here it is only kept room for."""


class Condition(ABC):
    """Something that has to hold for an answer to be offered."""

    def wrong(self, known: Known) -> Iterable[str]:
        """A line for each mistake in what the designer gave."""
        return ()

    @abstractmethod
    def holds(self, player: Mobile, speaker: Mobile) -> bool:
        """Whether it does now."""


class Effect:
    """Something that an answer does; each kind says what of these it has something to do for."""

    texts: ClassVar[tuple[str, ...]] = ()
    """Fields that are texts, with names in braces."""
    serves: ClassVar[bool] = False
    """Whether it may refuse only as it happens: nothing changes hands beside it."""
    leaves: ClassVar[bool] = False
    """Whether the player is elsewhere afterwards, so that the talk ends."""
    pays: ClassVar[bool] = False
    """Whether it may fill the pack: it happens after those that were kept room for."""

    @property
    def leads(self) -> tuple[str, str] | None:
        """The quest that it changes, and the step of it that it finishes: empty for the beginning."""
        return None

    def wrong(self, known: Known) -> Iterable[str]:
        """A line for each mistake in what the designer gave."""
        return ()

    def with_texts(self, texts: Mapping[str, str]) -> Effect:
        """The same with other texts."""
        return attrs.evolve(self, **texts)  # type: ignore[misc] # each kind is an attrs class

    def prepare(self, player: Mobile, speaker: Mobile, deal: Deal) -> None:
        """Add to the deal what changes hands. Raises Cannot if it cannot happen."""

    def happen(self, player: Mobile, speaker: Mobile) -> None:
        """Let it happen. Raises Cannot only if it `serves`."""


CONDITIONS: Final[dict[str, type[Condition]]] = {}
"""By the name under which a designer writes it."""

EFFECTS: Final[dict[str, type[Effect]]] = {}
"""By the name under which a designer writes it, with what it is about."""

DEEDS: Final[dict[str, Effect]] = {}
"""Effects that are one word."""


def condition(name: str) -> Callable[[C], C]:
    """Register a kind of condition: an attrs class with a field of that name."""

    def register(kind: C) -> C:
        CONDITIONS[name] = kind
        return kind

    return register


def effect(name: str) -> Callable[[E], E]:
    """Register a kind of effect: an attrs class with a field of that name."""

    def register(kind: E) -> E:
        EFFECTS[name] = kind
        return kind

    return register


def _amount(field: str, amount: int, most: int = MOST_AMOUNT) -> Iterator[str]:
    if not 1 <= amount <= most:
        yield f"{field}: must be 1 to {most}, is {amount}"


# Conditions


@condition("item")
@attrs.frozen
class Carries(Condition):
    """The player has so many of an item in the pack."""

    item: str
    amount: int = 1

    def wrong(self, known: Known) -> Iterable[str]:
        return (*known.unknown("item", self.item, known.items), *_amount("amount", self.amount))

    def holds(self, player: Mobile, speaker: Mobile) -> bool:
        return granting.number_of(player, self.item) >= self.amount


@condition("gold")
@attrs.frozen
class HasGold(Condition):
    """The player has so much gold in the pack."""

    gold: int

    def wrong(self, known: Known) -> Iterable[str]:
        return _amount("gold", self.gold)

    def holds(self, player: Mobile, speaker: Mobile) -> bool:
        return holding.gold(player) >= self.gold


@condition("level")
@attrs.frozen
class IsOfLevel(Condition):
    """The player is of that level at least."""

    level: int

    def wrong(self, known: Known) -> Iterable[str]:
        return _amount("level", self.level, 60)

    def holds(self, player: Mobile, speaker: Mobile) -> bool:
        return player.level >= self.level


@condition("skill")
@attrs.frozen
class IsSkilled(Condition):
    """The player has so many points of a skill at least."""

    skill: str
    points: int

    def wrong(self, known: Known) -> Iterable[str]:
        return (*known.unknown("skill", self.skill, known.skills), *_amount("points", self.points, 100))

    def holds(self, player: Mobile, speaker: Mobile) -> bool:
        skill = player.learner.skills.get(self.skill) if player.learner is not None else None
        return skill is not None and skill.value >= self.points * TENTHS


@attrs.frozen
class Span:
    """Part of a day, as two times on its clock; one that ends before it begins goes over midnight."""

    after: str = "00:00"
    before: str = "24:00"


def minute_of(clock: str) -> int | None:
    """Minutes since midnight of a time like "20:30"; None if it is none."""
    hour, colon, minute = clock.partition(":")
    if not (colon and hour.isascii() and minute.isascii() and hour.isdigit() and minute.isdigit()):
        return None
    if len(hour) > 2 or len(minute) != 2 or int(minute) > 59:
        return None
    found = 60 * int(hour) + int(minute)
    return found if found <= 24 * 60 else None


@condition("time")
@attrs.frozen
class IsTime(Condition):
    """It is after the one time of day and before the other."""

    time: Span

    def wrong(self, known: Known) -> Iterable[str]:
        for field, clock in (("after", self.time.after), ("before", self.time.before)):
            if minute_of(clock) is None:
                yield f'time: {field}: must be a time like "20:30", is {clock!r}'
        if self.time.after == self.time.before:
            yield f"time: after and before: both are {self.time.after!r}"

    def holds(self, player: Mobile, speaker: Mobile) -> bool:
        after, before = minute_of(self.time.after) or 0, minute_of(self.time.before) or 0
        clock = daytime(player.world)
        now = 60 * clock.hour + clock.minute
        return after <= now < before if after < before else now >= after or now < before


@condition("game")
@attrs.frozen
class PlaysGame(Condition):
    """The player came through that game."""

    game: str

    def wrong(self, known: Known) -> Iterable[str]:
        return known.unknown("game", self.game, known.games)

    def holds(self, player: Mobile, speaker: Mobile) -> bool:
        return player.game == self.game


def _name(field: str, name: str) -> Iterator[str]:
    if not name.isidentifier() or len(name) > 40:
        yield f"{field}: must be one word of letters, digits and underscores, is {name!r}"


@condition("mark")
@attrs.frozen
class IsMarked(Condition):
    """The player bears that mark."""

    mark: str

    def wrong(self, known: Known) -> Iterable[str]:
        return _name("mark", self.mark)

    def holds(self, player: Mobile, speaker: Mobile) -> bool:
        return has_mark(player, self.mark)


@attrs.frozen
class Not(Condition):
    """Others do not all hold. It is written around them, so it has no name of its own."""

    of: Sequence[Condition]

    def wrong(self, known: Known) -> Iterable[str]:
        for one in self.of:
            yield from (f"not: {line}" for line in one.wrong(known))

    def holds(self, player: Mobile, speaker: Mobile) -> bool:
        return not all_hold(self.of, player, speaker)


def all_hold(conditions: Iterable[Condition], player: Mobile, speaker: Mobile) -> bool:
    """Whether all of them hold."""
    return all(one.holds(player, speaker) for one in conditions)


# Effects


@effect("give")
@attrs.frozen
class Give(Effect):
    """The player receives items."""

    give: str
    amount: int = 1

    def wrong(self, known: Known) -> Iterable[str]:
        yield from (*known.unknown("give", self.give, known.items), *_amount("amount", self.amount))
        if self.give in known.fixed:
            yield f"give: {self.give!r} cannot be carried away"

    def prepare(self, player: Mobile, speaker: Mobile, deal: Deal) -> None:
        deal.given[self.give] += self.amount


@effect("take")
@attrs.frozen
class Take(Effect):
    """The player loses items, out of the pack."""

    take: str
    amount: int = 1

    def wrong(self, known: Known) -> Iterable[str]:
        yield from (*known.unknown("take", self.take, known.items), *_amount("amount", self.amount))
        if self.take in known.fixed:
            yield f"take: {self.take!r} cannot be carried away"

    def prepare(self, player: Mobile, speaker: Mobile, deal: Deal) -> None:
        deal.taken[self.take] += self.amount


@effect("teleport")
@attrs.frozen
class Teleport(Effect):
    """The player is elsewhere."""

    leaves: ClassVar[bool] = True

    teleport: str
    x: int
    y: int

    def wrong(self, known: Known) -> Iterable[str]:
        yield from known.unknown("teleport", self.teleport, known.realms)
        if self.teleport in known.realms and not known.walkable(self.teleport, self.x, self.y):
            yield f"teleport: nobody can stand at {self.x}, {self.y} of {self.teleport}"

    def prepare(self, player: Mobile, speaker: Mobile, deal: Deal) -> None:
        """Add nothing. Raises Cannot(NO_WAY) if that realm is gone."""
        if not player.world.leads_to(self.teleport):
            raise Cannot(Refusal.NO_WAY)

    def happen(self, player: Mobile, speaker: Mobile) -> None:
        player.world.travel(player, self.teleport, self.x, self.y)


@effect("mark")
@attrs.frozen
class Mark(Effect):
    """The player bears a mark from now on."""

    mark: str

    def wrong(self, known: Known) -> Iterable[str]:
        return _name("mark", self.mark)

    def happen(self, player: Mobile, speaker: Mobile) -> None:
        set_mark(player, self.mark, True)


@effect("unmark")
@attrs.frozen
class Unmark(Effect):
    """The player bears a mark no more."""

    unmark: str

    def wrong(self, known: Known) -> Iterable[str]:
        return _name("unmark", self.unmark)

    def happen(self, player: Mobile, speaker: Mobile) -> None:
        set_mark(player, self.unmark, False)


@effect("say")
@attrs.frozen
class Say(Effect):
    """The speaker says something that all around hear."""

    texts: ClassVar[tuple[str, ...]] = ("say",)

    say: str

    def happen(self, player: Mobile, speaker: Mobile) -> None:
        speech.say(speaker, filled(self.say, player.name, speaker.name))


@attrs.frozen
class Serve(Effect):
    """The speaker does what it has a role for."""

    serves: ClassVar[bool] = True

    role: str

    def wrong(self, known: Known) -> Iterable[str]:
        if self.role not in known.roles:
            yield f"do: that is for who has [role.{self.role}]"

    def prepare(self, player: Mobile, speaker: Mobile, deal: Deal) -> None:
        """Add nothing. Raises Cannot(UNKNOWN) if the speaker does not do that."""
        if not speaker.has_role(self.role) or ROLES[self.role].serve is None:
            raise Cannot(Refusal.UNKNOWN, NO_SERVICE.format(speaker.name))

    def happen(self, player: Mobile, speaker: Mobile) -> None:
        serve = ROLES[self.role].serve
        if serve is not None:
            serve(player, speaker)


DEEDS.update(
    shop=Serve("merchant"),
    bank=Serve("banker"),
    heal=Serve("healer"),
    rest=Serve("innkeeper"),
    learn=Serve("trainer"),
)


def carry_out(effects: Sequence[Effect], player: Mobile, speaker: Mobile) -> None:
    """Let all effects happen. Raises Cannot before anything has changed."""
    deal = Deal()
    for one in effects:
        one.prepare(player, speaker, deal)
    granting.check_exchange(player, deal.taken, deal.given + deal.made)
    # What may still refuse comes first. The player is elsewhere last.
    for one in sorted(effects, key=lambda one: (not one.serves, one.leaves)):
        if one.serves:
            one.happen(player, speaker)
    granting.exchange(player, deal.taken, deal.given)
    for one in sorted(effects, key=lambda one: (one.leaves, one.pays)):
        if not one.serves:
            one.happen(player, speaker)
